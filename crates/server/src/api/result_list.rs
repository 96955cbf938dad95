//! Results: which there are, what they were made with, and what they hold.

use axum::extract::State;
use axum::response::Response;
use retold::{Decide, PairsWritten, TableFormat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::jobs::may_see;
use super::results::result_of;
use super::{At, Params, Route, json};
use crate::app::Shared;
use crate::cursor::Cursor;
use crate::jobs::{Input, Kind, Record, Status};
use crate::keys::{Caller, Scope};
use crate::problem::Problem;
use crate::time::rfc3339;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/results", Scope::Read, "All results")
            .query::<ResultParams>()
            .answer::<ResultList>(200, "Results in the order of their jobs")
            .to(list),
        Route::get("/results/{result}", Scope::Read, "One result")
            .answer::<ResultAnswer>(200, "What it was made with and what it holds")
            .to(get),
    ]
}

/// Which results.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResultParams {
    /// Where the page begins: `next` of the page before.
    after: Option<String>,
    /// Results of a page. The default is 100.
    limit: Option<u64>,
}

/// All results.
#[derive(Serialize, JsonSchema)]
struct ResultList {
    /// The results.
    results: Vec<ResultAnswer>,
    /// Where the next page begins, if there is one.
    next: Option<String>,
}

/// A result.
#[derive(Serialize, JsonSchema)]
struct ResultAnswer {
    /// Its number, and that of its job.
    id: u64,
    /// What the job did.
    kind: Kind,
    /// What it is called for people.
    title: Option<String>,
    /// When the job was taken.
    created: String,
    /// When the job was over.
    ended: Option<String>,
    /// Who began it.
    by: String,
    /// Where its documents come from.
    input: Input,
    /// The collection that they were compared with, too.
    against: Option<String>,
    /// Its settings, by the names of the command line's options.
    settings: Value,
    /// Whether it holds every pair, so that it can be regrouped.
    holds_all_pairs: bool,
    /// Whether it says which documents go: tables `removed` and `review`.
    has_decisions: bool,
    /// What it holds.
    counts: Counts,
    /// All figures.
    outcome: Option<Value>,
}

/// What a result holds.
#[derive(Serialize, JsonSchema)]
struct Counts {
    /// Documents.
    documents: Option<u64>,
    /// Pairs.
    pairs: Option<u64>,
    /// Clusters.
    clusters: Option<u64>,
    /// Records that could not be read.
    bad_records: Option<u64>,
    /// Documents that go.
    removed: Option<u64>,
    /// Documents that are left to a person.
    review: Option<u64>,
}

impl ResultAnswer {
    fn of(record: Record) -> Self {
        let Record { number, wanted, by, created, ended, outcome, .. } = record;
        let count = |name: &str| outcome.as_ref().and_then(|all| all["summary"][name].as_u64());
        let settings = &wanted.settings;
        let holds_all_pairs = settings.pairs() == Some(PairsWritten::All)
            && settings.format() == TableFormat::Jsonl
            && settings.decided_by() == Ok(Decide::Documents);
        Self {
            id: number,
            kind: wanted.kind,
            created: rfc3339(created),
            ended: ended.map(rfc3339),
            by,
            against: wanted.against.clone(),
            settings: serde_json::to_value(settings).unwrap_or_default(),
            holds_all_pairs,
            has_decisions: wanted.decides(),
            counts: Counts {
                documents: count("documents"),
                pairs: count("pairs"),
                clusters: count("clusters"),
                bad_records: count("bad_records"),
                removed: count("removed"),
                review: count("review"),
            },
            title: wanted.title,
            input: wanted.input,
            outcome,
        }
    }
}

async fn list(
    State(app): State<Shared>,
    caller: Caller,
    Params(params): Params<ResultParams>,
) -> Result<Response, Problem> {
    let limit = params.limit.unwrap_or(100).clamp(1, app.limits().page_rows) as usize;
    let after = Cursor::position(params.after.as_deref(), "results")?;
    let seen = caller.clone();
    let mut records = app
        .work(&caller, move |app| {
            let after = (after > 0).then_some(after);
            app.jobs.list(Some(Status::Done), after, limit + 1, |job| {
                job.wanted.kind != Kind::Import && may_see(&seen, &job.wanted)
            })
        })
        .await?;
    let next = (records.len() > limit).then(|| {
        records.truncate(limit);
        Cursor::at(records.last().map_or(0, |job| job.number), "results")
    });
    let results = records.into_iter().map(ResultAnswer::of).collect();
    json(&ResultList { results, next })
}

async fn get(
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
) -> Result<Response, Problem> {
    json(&ResultAnswer::of(result_of(&app, &caller, number)?))
}
