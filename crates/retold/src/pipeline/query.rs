//! `query`: is this text copied from anything we hold?

use std::path::PathBuf;

use retold_core::document::Ordinal;
use retold_core::relation::{Evidence, Kind, Passage, Relation, Scores};
use retold_report::{PairView, Summary};
use serde::Serialize;

use super::compare::side;
use super::run::{Inputs, Run, Wanted};
use crate::error::Error;
use crate::progress::{Progress, Stop};
use crate::settings::{PairsWritten, Settings};

/// What was found for one document that was asked about.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// Its name.
    pub id: String,
    /// Its length.
    pub n_words: u32,
    /// Whether it has too little text to be judged.
    pub is_too_short: bool,
    /// Documents of the collection related to it, best first.
    pub hits: Vec<Hit>,
}

/// A document of the collection.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// Its name.
    pub id: String,
    /// How the document asked about relates to it: `contained` if it stands in this one.
    pub relation: Kind,
    /// How strongly; `a` is the document asked about.
    #[serde(flatten)]
    pub scores: Scores,
    /// The passages; `a` is the document asked about.
    pub evidence: Evidence,
    /// Both side by side, for the first hits.
    #[serde(skip)]
    pub view: Option<PairView>,
}

/// Answers and the figures of the run.
#[derive(Clone, Debug)]
pub struct Answers {
    /// One for each document asked about, in order.
    pub answers: Vec<Answer>,
    /// The figures.
    pub summary: Summary,
}

/// Looks in the documents under `paths` for relatives of each document under `queries`.
///
/// Hits come by the share of the question found in them, then by the share of them found in the
/// question, then in the order of the collection. The first `n_shown` of each are set side by
/// side with the question.
pub fn query(
    queries: &[PathBuf],
    paths: &[PathBuf],
    n_shown: usize,
    settings: &Settings,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Answers, Error> {
    let inputs = Inputs { paths, others: queries };
    // The limit is for tables: a question wants its best hits, and they are ranked below.
    let settings = &Settings { pairs: PairsWritten::All, ..settings.clone() };
    let mut run = Run::start("query", inputs, None, settings, progress, stop)?;
    run.relations = Some(Vec::new());
    let detected = run.detect(Wanted::Clusters)?;
    let relations = run.relations.take().unwrap_or_default();
    let outcome = run.report(&detected, |_, _| Ok(()))?;
    progress.end();
    let collection = &run.taken.collection;
    let border = collection.border.expect("two collections were given");
    let mut by_query: Vec<Vec<Relation>> = vec![Vec::new(); collection.len() - border.index()];
    for relation in relations {
        by_query[relation.b.index() - border.index()].push(relation);
    }
    let answers = by_query
        .into_iter()
        .zip(border.0..)
        .map(|(mut found, doc)| {
            found.sort_by(|x, y| {
                let share = |r: &Relation| (r.scores.b_in_a.get(), r.scores.a_in_b.get());
                let (x_share, y_share) = (share(x), share(y));
                y_share
                    .0
                    .total_cmp(&x_share.0)
                    .then(y_share.1.total_cmp(&x_share.1))
                    .then(x.a.cmp(&y.a))
            });
            let doc = Ordinal(doc);
            let hit = |(rank, relation): (usize, Relation)| hit(&run, relation, rank < n_shown);
            Ok(Answer {
                id: collection.id(doc)?,
                n_words: collection.n_words(doc),
                is_too_short: collection.is_too_short(doc),
                hits: found.into_iter().enumerate().map(hit).collect::<Result<_, Error>>()?,
            })
        })
        .collect::<Result<_, Error>>()?;
    Ok(Answers { answers, summary: outcome.summary })
}

/// Turns a relation round, so that it is told from the document asked about.
fn hit(run: &Run<'_>, relation: Relation, is_shown: bool) -> Result<Hit, Error> {
    let collection = &run.taken.collection;
    let Evidence { passages, a_words, b_words, n_cut } = relation.evidence;
    let mut passages: Vec<Passage> = passages.into_iter().map(Passage::flipped).collect();
    passages.sort_by_key(|passage| (passage.a, passage.b));
    let (kind, scores) = (relation.kind.flipped(), relation.scores.flipped());
    let read = |doc: Ordinal| run.taken.texts.document(collection, doc);
    let mut view = None;
    if is_shown && let (Ok(question), Ok(held)) = (read(relation.b), read(relation.a)) {
        let n_words = |doc| collection.n_words(doc) as usize;
        view = Some(PairView {
            a: side(&question, n_words(relation.b), passages.iter().map(|passage| passage.a)),
            b: side(&held, n_words(relation.a), passages.iter().map(|passage| passage.b)),
            relation: Some(kind),
            scores,
            passages: passages.clone(),
            n_cut,
        });
    }
    Ok(Hit {
        id: collection.id(relation.a)?,
        relation: kind,
        scores,
        evidence: Evidence { passages, a_words: b_words, b_words: a_words, n_cut },
        view,
    })
}
