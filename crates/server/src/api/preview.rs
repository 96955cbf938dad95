//! What settings make of a few documents, at once.

use axum::extract::{Request, State};
use axum::response::Response;
use retold::{
    Document, Documents, Find, Found, Job, Ordinal, ReadOptions, Resources, Stop, TextSettings,
    compare,
};
use retold_core::features::stem::Stem;
use retold_core::features::{Featurizer, Places, StopList, Words};
use retold_core::methods::{self, Detector};
use retold_core::segment::sentence::Delimiters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::collections::uploaded;
use super::compare::settings_of;
use super::documents::{DocumentAnswer, DocumentBody};
use super::in_time::in_time;
use super::roots::for_files;
use super::{Given, Params, Route, json};
use crate::app::Shared;
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};
use crate::reading;

/// Documents that are looked at.
const MOST_DOCUMENTS: usize = 3;
/// Bytes of the text of a document that are looked at.
const MOST_BYTES: usize = 256 << 10;
/// Bytes of the text of a document of a file that are told.
const MOST_FILE_BYTES: usize = 8 << 20;
/// Characters of the clean text that are told.
const TOLD_CHARACTERS: usize = 1_200;
/// Words and runs of words that are told.
const TOLD_WORDS: usize = 40;
const TOLD_RUNS: usize = 5;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/preview", Scope::Read, "What settings make of a few documents")
            .details(
                "Cleans up to three documents, shows what the method keeps of them, and compares \
                 them with each other. Without `documents` the first three of the collection, or of \
                 the files below the path, are taken.",
            )
            .body::<PreviewBody>()
            .answer::<Preview>(200, "The documents as the method sees them")
            .to(preview),
        Route::post("/preview/files", Scope::Read, "The first documents of a file")
            .details(
                "The body is a file of any format that the readers know, packed or not. It is \
                 forgotten after the answer; `/preview` takes the documents.",
            )
            .query::<FileParams>()
            .bytes("application/octet-stream")
            .answer::<FirstDocuments>(200, "Its first three documents")
            .to(files),
    ]
}

/// Documents and settings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PreviewBody {
    /// The collection whose first three documents are taken, if none are given.
    collection: Option<String>,
    /// A folder or file below one that the server was started with, whose first three documents are
    /// taken instead.
    path: Option<String>,
    /// Documents: at most three, each of at most 256 KiB of text.
    #[serde(default)]
    #[schemars(length(max = 3))]
    documents: Vec<DocumentBody>,
    /// Settings by the names of the command line's options, such as `{"method": "minhash"}`.
    #[serde(default)]
    settings: Map<String, Value>,
}

/// A file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileParams {
    /// Its name; its ending helps to tell the format.
    #[serde(default)]
    name: String,
}

/// Documents of a file.
#[derive(Serialize, JsonSchema)]
struct FirstDocuments {
    /// The first three, each with at most the first 8 MiB of its text.
    documents: Vec<DocumentAnswer>,
}

/// What settings make of documents.
#[derive(Serialize, JsonSchema)]
struct Preview {
    /// The method.
    method: String,
    /// All its parameters, given ones and defaults.
    parameters: Value,
    /// Who decides whether two documents are related: `method` or `documents`.
    #[schemars(with = "String")]
    decided_by: retold::Decide,
    /// The documents.
    documents: Vec<Seen>,
    /// Every two of them.
    pairs: Vec<SeenPair>,
}

/// A document as the method sees it.
#[derive(Serialize, JsonSchema)]
struct Seen {
    /// Its id.
    id: String,
    /// Headline.
    title: Option<String>,
    /// Beginning of the clean text.
    text: String,
    /// Whether the clean text goes on.
    text_cut: bool,
    /// Whether only the beginning of the document was looked at.
    shortened: bool,
    /// Characters of the clean text.
    characters: usize,
    /// All words.
    words: usize,
    /// Sentences that have a word.
    sentences: usize,
    /// Words without those that the settings leave out.
    kept_words: usize,
    /// Different words among these.
    distinct_words: usize,
    /// Language, as named, set or detected; empty if it cannot be told.
    language: String,
    /// Bytes that the method keeps of the document. None if it keeps nothing, or needs the words of
    /// the whole collection to say it.
    image_bytes: Option<usize>,
    /// Units that the method keeps, such as hashes of word runs. None if it has none to count.
    units: Option<usize>,
    /// Whether the document has too few words for the method.
    too_short: bool,
    /// The first words, folded and stemmed as the method takes them.
    first_words: Vec<String>,
    /// Words of a run.
    run_words: usize,
    /// The first runs of words.
    first_runs: Vec<String>,
}

/// Two of the documents.
#[derive(Serialize, JsonSchema)]
struct SeenPair {
    /// Id of the first.
    a: String,
    /// Id of the second.
    b: String,
    /// How a search with these settings relates the first to the second; none if it does not.
    #[schemars(with = "Option<String>")]
    relation: Option<retold::Kind>,
    /// Runs of words that both have, as a share of all runs of both.
    resemblance: f64,
    /// Share of the runs of the first found in the second.
    a_in_b: f64,
    /// Share of the runs of the second found in the first.
    b_in_a: f64,
    /// Passages that both have.
    passages: usize,
    /// Words of the longest of them.
    longest_passage_words: u32,
}

async fn preview(
    State(app): State<Shared>,
    caller: Caller,
    Given(body): Given<PreviewBody>,
) -> Result<Response, Problem> {
    let PreviewBody { collection, path, documents, settings } = body;
    let refused = |detail: &str| Err(Problem::new(Code::NotAccepted, detail));
    if documents.len() > MOST_DOCUMENTS {
        return refused("at most three documents are shown");
    }
    let job = settings_of(&app.config.job, settings)?;
    let ids = ["1", "2", "3"];
    let mut documents: Vec<Document> =
        documents.into_iter().zip(ids).map(|(body, id)| body.into_document(id)).collect();
    if documents.iter().any(|document| document.text.len() > MOST_BYTES) {
        return refused("the text of a document has at most 262,144 bytes here");
    }
    let index = match (&collection, documents.is_empty()) {
        (Some(name), true) => Some(app.collection(&caller, name)?.index()),
        (Some(name), false) => {
            app.collection(&caller, name)?;
            None
        }
        (None, true) if path.is_none() => {
            return refused("a `collection`, a `path` or `documents` is needed");
        }
        (None, _) => None,
    };
    let path = path.filter(|_| index.is_none() && documents.is_empty());
    if path.is_some() {
        for_files(&caller)?;
    }
    let preview = in_time(&app, &caller, move |app, stop| {
        if let Some(path) = path {
            let options = ReadOptions {
                pdf_helper: app.config.read.pdf_helper.clone(),
                ..job.read_options()
            };
            documents =
                reading::first_documents(&app.path(&path)?, None, &options, MOST_DOCUMENTS)?;
        } else if let Some(index) = index {
            for told in index.after(None, MOST_DOCUMENTS)? {
                // Lists come without texts.
                documents.extend(index.get(&told.document.id)?.map(|stored| stored.document));
            }
        }
        made(documents, &job, stop)
    })
    .await?;
    json(&preview)
}

async fn files(
    State(app): State<Shared>,
    caller: Caller,
    Params(params): Params<FileParams>,
    request: Request,
) -> Result<Response, Problem> {
    let file = uploaded(&app, &params.name, request).await?;
    let documents = app
        .work(&caller, move |app| {
            let read = &app.config.read;
            reading::first_documents(&file.path(), Some(file.label()), read, MOST_DOCUMENTS)
        })
        .await?;
    let told = |mut document: Document| {
        shorten(&mut document, MOST_FILE_BYTES);
        DocumentAnswer::of(document)
    };
    json(&FirstDocuments { documents: documents.into_iter().map(told).collect() })
}

fn made(mut documents: Vec<Document>, job: &Job, stop: &Stop) -> Result<Preview, Problem> {
    let shortened: Vec<bool> = documents.iter_mut().map(|one| shorten(one, MOST_BYTES)).collect();
    let detector = methods::make(job.method(), job.profile(), job.parameters(), job.seed())?;
    let seen = documents.iter().zip(shortened);
    let seen = seen.map(|(document, shortened)| seen_as(document, job, &*detector, shortened));
    let seen: Vec<Seen> = seen.collect();
    let mut found = Found::new();
    let resources = Resources::new().threads(1).stop(stop);
    if !documents.is_empty() {
        let source = Documents::new(documents.clone());
        Find::new(source).job(job.clone()).resources(resources).run(&mut found)?;
    }
    let mut pairs = Vec::new();
    for (at, a) in documents.iter().enumerate() {
        for (after, b) in documents[at + 1..].iter().enumerate() {
            let compared = compare(a, b, job)?;
            let (one, other) = (Ordinal(at as u32), Ordinal((at + 1 + after) as u32));
            let relation = found.pairs().iter().find_map(|pair| match (pair.a, pair.b) {
                (a, b) if (a, b) == (one, other) => Some(pair.kind),
                (a, b) if (a, b) == (other, one) => Some(pair.kind.flipped()),
                _ => None,
            });
            let (scores, passages) = (compared.scores(), &compared.evidence().passages);
            pairs.push(SeenPair {
                a: a.id.clone(),
                b: b.id.clone(),
                relation,
                resemblance: scores.resemblance.get(),
                a_in_b: scores.a_in_b.get(),
                b_in_a: scores.b_in_a.get(),
                passages: passages.len(),
                longest_passage_words: passages.iter().map(|p| p.words).max().unwrap_or(0),
            });
        }
    }
    Ok(Preview {
        method: job.method().to_owned(),
        parameters: job.all_parameters()?,
        decided_by: job.decided_by()?,
        documents: seen,
        pairs,
    })
}

/// Takes the beginning of a document that is too long; returns whether it was.
fn shorten(document: &mut Document, most_bytes: usize) -> bool {
    if document.text.len() <= most_bytes {
        return false;
    }
    document.text.truncate(document.text.floor_char_boundary(most_bytes));
    true
}

fn seen_as(document: &Document, job: &Job, detector: &dyn Detector, shortened: bool) -> Seen {
    let whole = TextSettings { stem: Stem::None, stop_words: StopList::None, ..job.text().clone() };
    let mut all = Words::default();
    Featurizer::new(whole, job.seed()).words(document, &mut all);
    let featurizer = Featurizer::new(job.text().clone(), job.seed());
    let mut words = Words::default();
    featurizer.read(document, Places::Kept, None, &mut words, |reading, _| {
        let n_kept = reading.words.hashes.len();
        let first: Vec<String> = (0..n_kept.min(TOLD_WORDS)).map(|at| reading.word(at)).collect();
        let k = detector.shingles().k();
        let mut distinct = reading.words.hashes.clone();
        distinct.sort_unstable();
        distinct.dedup();
        // Statistics of three documents would say nothing about those of a collection.
        let image = if detector.needs_counts() { None } else { detector.image(reading) };
        let mut text: String = reading.text.chars().take(TOLD_CHARACTERS).collect();
        let text_cut = text.len() < reading.text.len();
        text.truncate(text.trim_end().len());
        Seen {
            id: document.id.clone(),
            title: document.title.clone(),
            text_cut,
            shortened,
            characters: reading.text.chars().count(),
            words: all.hashes.len(),
            sentences: reading.sentences(Delimiters::Sd).len(),
            kept_words: n_kept,
            distinct_words: distinct.len(),
            language: reading.language().into_owned(),
            image_bytes: image.as_ref().map(|image| image.len()),
            units: image.as_ref().and_then(|image| detector.units(image)).map(|units| units.len()),
            too_short: n_kept < k,
            run_words: k,
            first_runs: first.windows(k).take(TOLD_RUNS).map(|run| run.join(" ")).collect(),
            first_words: first,
            text,
        }
    })
}
