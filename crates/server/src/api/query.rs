//! Questions: what a text was copied from, and where in a document reuse lies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use retold::{Asking, Attribution, Document, Explanation, Filter, Index, Kind, Quotes, Rank, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::collections::uploaded;
use super::documents::MarkupName;
use super::extract::{content_type, from_json, whole_body};
use super::offsets::{Offsets, Utf16};
use super::{At, Params, Route, json};
use crate::app::{App, Shared};
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};
use crate::reading;
use crate::time::rfc3339;

/// Hits of an answer, if nothing else is asked for.
const USUAL_HITS: u64 = 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/collections/{collection}/query", Scope::Read, "What a text was copied from")
            .details(
                "Send JSON with the text, or a file of any format that the readers know, with its \
                 Content-Type, and what else is to be said in the query of the address.",
            )
            .query::<QueryParams>()
            .body::<QueryBody>()
            .bytes("text/plain")
            .bytes("text/html")
            .bytes("application/octet-stream")
            .answer::<QueryAnswer>(
                200,
                "Ranked hits with their passages, and what is found nowhere",
            )
            .to(query),
        Route::get(
            "/collections/{collection}/documents/{id}/reuse",
            Scope::Read,
            "Where in a document reuse lies, and whose",
        )
        .query::<QueryParams>()
        .answer::<QueryAnswer>(200, "As for a question, with the document itself left out")
        .to(reuse),
    ]
}

/// How two documents relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Relation {
    Exact,
    NearDuplicate,
    Contains,
    Contained,
    Partial,
}

impl Relation {
    fn kind(self) -> Kind {
        match self {
            Self::Exact => Kind::Exact,
            Self::NearDuplicate => Kind::NearDuplicate,
            Self::Contains => Kind::Contains,
            Self::Contained => Kind::Contained,
            Self::Partial => Kind::Partial,
        }
    }
}

/// The order of hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Order {
    /// By the share of the question found in a document.
    #[default]
    Share,
    /// By shared keys of the method, rare ones counting more.
    MatchRatio,
}

/// What becomes of quoted text and of passages whose source the text names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum QuotesWay {
    /// They count like any other text.
    #[default]
    Count,
    /// They count and are told apart: `quotations`, and `credit` of each hit.
    Mark,
    /// They are left out.
    Skip,
}

impl QuotesWay {
    fn quotes(self) -> Quotes {
        match self {
            Self::Count => Quotes::Count,
            Self::Mark => Quotes::Mark,
            Self::Skip => Quotes::Skip,
        }
    }
}

/// Which documents may answer.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct FilterBody {
    /// Earliest time.
    from: Option<String>,
    /// First time that is too late.
    until: Option<String>,
    /// Values of fields, one of which a document has to have.
    fields: BTreeMap<String, Vec<String>>,
    /// Values of fields that a document may not have, such as `{"source": ["own blog"]}`.
    without: BTreeMap<String, Vec<String>>,
    /// Ids of documents that may not answer.
    without_ids: BTreeSet<String>,
}

impl FilterBody {
    fn filter(self) -> Result<Filter, Problem> {
        let time = |name: &str, text: Option<String>| match text {
            None => Ok(None),
            Some(text) => retold::seconds(&text).map(Some).ok_or_else(|| {
                let detail = format!("`{name}` is no time: RFC 3339, a date or seconds are");
                Problem::new(Code::BadRequest, detail)
            }),
        };
        let Self { from, until, fields, without, without_ids } = self;
        let (from, until) = (time("from", from)?, time("until", until)?);
        Ok(Filter { from, until, fields, without, without_ids })
    }
}

/// A question.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QueryBody {
    /// The text that is asked about.
    text: String,
    /// How it is marked up.
    #[serde(default)]
    markup: MarkupName,
    /// A name for it, which the answer repeats.
    #[serde(default)]
    id: String,
    /// Most hits in the answer. The default is 20.
    top: Option<u64>,
    /// Relations that count, seen from the text; none means all.
    #[serde(default)]
    relations: Vec<Relation>,
    /// Method of the collection. The default is its first.
    method: Option<String>,
    /// The order of hits.
    #[serde(default)]
    rank: Order,
    /// Passages listed per hit.
    passages: Option<u64>,
    /// What becomes of quoted text and of passages whose source the text names.
    #[serde(default)]
    quotes: QuotesWay,
    /// Which documents may answer.
    #[serde(default)]
    filter: FilterBody,
    /// Whether the answer says how it came about.
    #[serde(default)]
    explain: bool,
    /// Unit of offsets.
    #[serde(default)]
    offsets: Offsets,
}

/// What may be said of a question in the address.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QueryParams {
    /// Most hits in the answer. The default is 20.
    top: Option<u64>,
    /// Method of the collection. The default is its first.
    method: Option<String>,
    /// What becomes of quoted text and of passages whose source the text names.
    #[serde(default)]
    quotes: QuotesWay,
    /// Whether the answer says how it came about.
    #[serde(default)]
    explain: bool,
    /// Unit of offsets.
    #[serde(default)]
    offsets: Offsets,
    /// Name of the file that is sent; its ending helps to tell the format.
    #[serde(default)]
    name: String,
}

/// An answer.
#[derive(Serialize, JsonSchema)]
struct QueryAnswer {
    /// The name that the question had.
    id: String,
    /// Words of the text.
    words: u32,
    /// Whether it has too little text to be judged.
    is_too_short: bool,
    /// Documents related to it, those included that are not listed.
    hits_found: u64,
    /// The listed ones, best first: `id`, `title`, `time`, `source`, `match_ratio`, `of_text` and
    /// `of_document` (the shares that they are ranked by), `relation` seen from the text, `resemblance`,
    /// `a_in_b`, `b_in_a`, and `evidence`, the passages; `a` is the text. With `quotes` also `credit`: whether the text names the document, and the numbers of quoted passages.
    #[schemars(with = "Vec<Value>")]
    hits: Vec<Value>,
    /// The fewest documents that explain the text, what of it comes from each, and the stretches that
    /// are found nowhere.
    #[schemars(with = "Value")]
    attribution: Attribution,
    /// Stretches of the text that are quoted, if that was asked for.
    #[schemars(with = "Option<Vec<[u64; 2]>>")]
    quotations: Option<Vec<Span>>,
    /// Documents that were left out because the text names them.
    named: u64,
    /// What was searched.
    searched: SearchedAnswer,
    /// How the answer came about, if that was asked for.
    #[schemars(with = "Option<Value>")]
    explanation: Option<Explanation>,
}

/// What was searched for an answer.
#[derive(Serialize, JsonSchema)]
struct SearchedAnswer {
    /// Documents that could have answered.
    documents: u64,
    /// The latest time of a document.
    newest: Option<String>,
    /// Number of the state that was searched.
    snapshot: u64,
    /// Documents that were compared with the text.
    compared: u64,
    /// Lists that were too long to be followed and candidates left out at a limit.
    cut: u64,
    /// Candidates that were not compared because the time was over.
    out_of_time: u64,
    /// Whether anything was left out.
    truncated: bool,
}

/// A question that is ready to be asked.
struct Question {
    document: Document,
    asking: Asking,
    offsets: Offsets,
}

async fn query(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
    Params(params): Params<QueryParams>,
    request: Request,
) -> Result<Response, Problem> {
    let collection = app.collection(&caller, &name)?;
    let given = content_type(request.headers()).unwrap_or_default();
    let question = match given.as_str() {
        "application/json" => {
            let (body, _held) = whole_body(request.into_body(), &app).await?;
            question_of(from_json(&body)?, &app)?
        }
        "text/plain" | "text/html" | "application/octet-stream" | "application/pdf" => {
            let name = match (params.name.as_str(), given.as_str()) {
                ("", "text/plain") => "text.txt",
                ("", "text/html") => "text.html",
                ("", "application/pdf") => "text.pdf",
                (name, _) => name,
            };
            let file = uploaded(&app, name, request).await?;
            let asking = asking_of(&params, &app)?;
            let read = app.config.read.clone();
            let document = app
                .work(&caller, move |_| reading::one_document(&file.path(), file.label(), &read))
                .await?;
            Question { document, asking, offsets: params.offsets }
        }
        _ => {
            let detail = "this takes application/json, text/plain, text/html, application/pdf and \
                          application/octet-stream";
            return Err(Problem::new(Code::UnsupportedType, detail));
        }
    };
    let answer = app
        .work(&caller, move |app| {
            app.metrics.questions.inc();
            ask(&collection.index(), &question)
        })
        .await?;
    json(&answer)
}

fn question_of(body: QueryBody, app: &App) -> Result<Question, Problem> {
    let QueryBody {
        text,
        markup,
        id,
        top,
        relations,
        method,
        rank,
        passages,
        quotes,
        filter,
        explain,
        offsets,
    } = body;
    let markup = markup.into();
    let asking = Asking {
        method,
        top: Some(checked_top(top, app)?),
        relations: relations.into_iter().map(Relation::kind).collect(),
        filter: filter.filter()?,
        rank: match rank {
            Order::Share => Rank::Share,
            Order::MatchRatio => Rank::MatchRatio,
        },
        passages_per_pair: passages.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
        quotes: quotes.quotes(),
        explains: explain,
        within: Some(app.query_time()),
        ..Asking::default()
    };
    Ok(Question { document: Document { markup, ..Document::plain(id, text) }, asking, offsets })
}

fn asking_of(params: &QueryParams, app: &App) -> Result<Asking, Problem> {
    Ok(Asking {
        method: params.method.clone(),
        top: Some(checked_top(params.top, app)?),
        quotes: params.quotes.quotes(),
        explains: params.explain,
        within: Some(app.query_time()),
        ..Asking::default()
    })
}

fn checked_top(top: Option<u64>, app: &App) -> Result<usize, Problem> {
    let (top, most) = (top.unwrap_or(USUAL_HITS), app.limits().hits);
    if top > most {
        let detail = format!("`top` is at most {most}");
        return Err(Problem::new(Code::NotAccepted, detail).limit("hits", most));
    }
    Ok(top as usize)
}

fn ask(index: &Index, question: &Question) -> Result<QueryAnswer, Problem> {
    let mut answer = index.ask(&question.document, &question.asking)?;
    let mut quotations = answer.quotations.map(|quoted| quoted.spans().to_vec());
    let hits = answer.hits.iter().map(serde_json::to_value);
    let mut hits = hits.collect::<Result<Vec<Value>, _>>().map_err(Problem::internal)?;
    if question.offsets == Offsets::Utf16 {
        let text = Utf16::of(&question.document.text);
        for (hit, told) in answer.hits.iter().zip(&mut hits) {
            let other = index.get(&hit.id)?.map(|stored| stored.document.text).unwrap_or_default();
            text.count_passages(&Utf16::of(&other), &mut told["evidence"]);
        }
        for source in &mut answer.attribution.sources {
            source.spans.iter_mut().for_each(|span| *span = text.span(*span));
        }
        answer.attribution.unfound.iter_mut().for_each(|span| *span = text.span(*span));
        quotations.iter_mut().flatten().for_each(|span| *span = text.span(*span));
    }
    let searched = answer.searched;
    Ok(QueryAnswer {
        id: answer.id,
        words: answer.n_words,
        is_too_short: answer.is_too_short,
        hits_found: answer.n_hits,
        hits,
        attribution: answer.attribution,
        quotations,
        named: answer.n_named,
        searched: SearchedAnswer {
            documents: searched.n_documents,
            newest: index.newest().map(rfc3339),
            snapshot: index.commit(),
            compared: searched.n_compared,
            cut: searched.n_cut,
            out_of_time: searched.n_out_of_time,
            truncated: searched.n_cut + searched.n_out_of_time > 0,
        },
        explanation: answer.explanation,
    })
}

async fn reuse(
    State(app): State<Shared>,
    caller: Caller,
    At((name, id)): At<(String, String)>,
    Params(params): Params<QueryParams>,
) -> Result<Response, Problem> {
    let collection = app.collection(&caller, &name)?;
    let mut asking = asking_of(&params, &app)?;
    asking.filter.without_ids.insert(id.clone());
    let answer = app
        .work(&caller, move |_| {
            let index: Arc<Index> = collection.index();
            let stored = index.get(&id)?.ok_or_else(|| Problem::not_found("document"))?;
            ask(&index, &Question { document: stored.document, asking, offsets: params.offsets })
        })
        .await?;
    json(&answer)
}
