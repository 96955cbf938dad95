//! Decisions of people about a result.

use std::collections::HashMap;
use std::ops::ControlFlow;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::results::result_of;
use super::{At, Given, Params, Route, json, json_with};
use crate::app::{App, Shared};
use crate::cursor::Cursor;
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};
use crate::store::{DECISIONS, key_of};
use crate::time::{now, rfc3339};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/results/{result}/decisions", Scope::Read, "Decisions about a result")
            .query::<DecisionParams>()
            .answer::<DecisionList>(200, "Decisions in the order in which they were made")
            .to(decisions),
        Route::post("/results/{result}/decisions", Scope::Write, "Decide about a result")
            .details(
                "Decisions are kept beside the result, which does not change; each can be undone.",
            )
            .body::<DecisionBody>()
            .answer::<Decision>(201, "It is on the disk")
            .to(decide),
    ]
}

/// A decision that is to be made.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DecisionBody {
    /// What is decided.
    kind: DecisionKind,
    /// Clusters it is about.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    clusters: Vec<u64>,
    /// Ids of documents it is about.
    #[serde(default)]
    #[schemars(length(max = 10000))]
    documents: Vec<String>,
    /// For `undo`: the number of the decision that is taken back.
    of: Option<u64>,
    /// Why.
    #[serde(default)]
    reason: String,
}

/// What is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DecisionKind {
    /// These documents are kept, whatever the run decided.
    Keep,
    /// These documents are removed, whatever the run decided.
    Remove,
    /// These documents do not belong to the cluster.
    LeaveOut,
    /// These clusters are one.
    Merge,
    /// These documents are a cluster of their own; of a result of `dedup` the first of them stays.
    Split,
    /// The cluster was looked at and is right.
    Confirm,
    /// A remark.
    Note,
    /// An earlier decision is taken back.
    Undo,
}

/// A decision.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Decision {
    /// Its number in the result.
    pub(super) number: u64,
    /// What is decided.
    pub(super) kind: DecisionKind,
    /// Clusters it is about.
    pub(super) clusters: Vec<u64>,
    /// Ids of documents it is about.
    pub(super) documents: Vec<String>,
    /// For `undo`: the number of the decision that is taken back.
    of: Option<u64>,
    /// Why.
    reason: String,
    /// Who decided.
    by: String,
    /// When.
    time: String,
    /// Number of the decision that takes this one back.
    undone_by: Option<u64>,
}

/// Which decisions.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DecisionParams {
    /// Where the page begins: `next` of the page before.
    after: Option<String>,
    /// Decisions of a page. The default is 100.
    limit: Option<u64>,
    /// Only those that were not taken back.
    #[serde(default)]
    standing: bool,
    /// Only those about this cluster.
    cluster: Option<u64>,
}

/// A page of decisions.
#[derive(Serialize, JsonSchema)]
struct DecisionList {
    /// The decisions.
    decisions: Vec<Decision>,
    /// Where the next page begins, if there is one.
    next: Option<String>,
}

impl Decision {
    /// Returns whether it was not taken back, and takes back no other.
    fn is_standing(&self) -> bool {
        self.undone_by.is_none() && self.kind != DecisionKind::Undo
    }
}

/// Hands over the decisions about a result behind a number, in their order.
fn each_after(
    app: &App,
    result: u64,
    mut after: u64,
    mut each: impl FnMut(Decision) -> ControlFlow<()>,
) -> Result<(), Problem> {
    let prefix = format!("{}/", key_of(result));
    loop {
        let start = format!("{prefix}{}", key_of(after));
        let some = app.store.list::<Decision>(DECISIONS, &prefix, Some(&start), 500)?;
        let Some((_, last)) = some.last() else { return Ok(()) };
        after = last.number;
        for (_, decision) in some {
            if each(decision).is_break() {
                return Ok(());
            }
        }
    }
}

/// Returns for every document that standing decisions are about whether it is kept, by the last of
/// them: one that is kept or does not belong to the cluster is, and the first of those split off.
pub(super) fn kept_by_people(app: &App, result: u64) -> Result<HashMap<String, bool>, Problem> {
    let mut kept = HashMap::new();
    for decision in standing(app, result)? {
        let mut documents = decision.documents.into_iter();
        match decision.kind {
            DecisionKind::Keep | DecisionKind::LeaveOut => {
                kept.extend(documents.map(|id| (id, true)));
            }
            DecisionKind::Remove => kept.extend(documents.map(|id| (id, false))),
            // Nothing that stays covers them any more; one of them has to stay.
            DecisionKind::Split => kept.extend(documents.next().map(|id| (id, true))),
            _ => {}
        }
    }
    Ok(kept)
}

/// Returns the decisions about a result that stand, in their order.
pub(super) fn standing(app: &App, result: u64) -> Result<Vec<Decision>, Problem> {
    let mut standing = Vec::new();
    each_after(app, result, 0, |decision| {
        if decision.is_standing() {
            standing.push(decision);
        }
        ControlFlow::Continue(())
    })?;
    Ok(standing)
}

async fn decisions(
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
    Params(params): Params<DecisionParams>,
) -> Result<Response, Problem> {
    result_of(&app, &caller, number)?;
    let limit = params.limit.unwrap_or(100).clamp(1, app.limits().page_rows) as usize;
    let list = format!("decisions/{number}/{}/{:?}", params.standing, params.cluster);
    let after = Cursor::position(params.after.as_deref(), &list)?;
    let found = app
        .work(&caller, move |app| {
            let mut found: Vec<Decision> = Vec::new();
            each_after(app, number, after, |decision| {
                let is_about =
                    params.cluster.is_none_or(|cluster| decision.clusters.contains(&cluster));
                if is_about && (!params.standing || decision.is_standing()) {
                    found.push(decision);
                }
                if found.len() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            Ok(found)
        })
        .await?;
    let mut decisions = found;
    let next = (decisions.len() > limit).then(|| {
        decisions.truncate(limit);
        Cursor::at(decisions.last().map_or(0, |decision| decision.number), &list)
    });
    json(&DecisionList { decisions, next })
}

async fn decide(
    State(app): State<Shared>,
    caller: Caller,
    At(result): At<u64>,
    Given(body): Given<DecisionBody>,
) -> Result<Response, Problem> {
    result_of(&app, &caller, result)?;
    let DecisionBody { kind, clusters, documents, of, reason } = body;
    let refused = |detail: &str| Err(Problem::new(Code::NotAccepted, detail));
    if (kind == DecisionKind::Undo) != of.is_some() {
        return refused("`of` is for `undo`, and `undo` needs it");
    }
    if clusters.len() > 1_000 || documents.len() > 10_000 || reason.len() > 10_000 {
        return refused("at most 1,000 clusters, 10,000 documents and a reason of 10,000 bytes");
    }
    if kind == DecisionKind::Merge && clusters.len() < 2 {
        return refused("`merge` needs at least two clusters");
    }
    let needs_documents = matches!(
        kind,
        DecisionKind::Keep | DecisionKind::Remove | DecisionKind::LeaveOut | DecisionKind::Split
    );
    if needs_documents && documents.is_empty() {
        return refused("this decision needs `documents`");
    }
    let by = caller.name.to_string();
    let decision = app
        .work(&caller, move |app| {
            let browser = app.results.open(result)?;
            for id in &documents {
                if browser.document(id)?.is_none() {
                    let detail = format!("the result has no document `{id}`");
                    return Err(Problem::new(Code::NotAccepted, detail));
                }
            }
            for cluster in &clusters {
                if browser.cluster(*cluster, 0)?.is_none() {
                    let detail = format!("the result has no cluster {cluster}");
                    return Err(Problem::new(Code::NotAccepted, detail));
                }
            }
            let key = |number: u64| format!("{}/{}", key_of(result), key_of(number));
            app.store.change(|changes| {
                let number = changes.next(&format!("decision/{result}"))?;
                if let Some(of) = of {
                    let undone = changes.get::<Decision>(DECISIONS, &key(of))?;
                    let mut undone = undone.ok_or_else(|| Problem::not_found("decision"))?;
                    if undone.undone_by.is_some() || undone.kind == DecisionKind::Undo {
                        let detail = "the decision was taken back already, or takes back another";
                        return Err(Problem::new(Code::Conflict, detail));
                    }
                    undone.undone_by = Some(number);
                    changes.put(DECISIONS, &key(of), &undone)?;
                }
                let decision = Decision {
                    number,
                    kind,
                    clusters,
                    documents,
                    of,
                    reason,
                    by,
                    time: rfc3339(now()),
                    undone_by: None,
                };
                changes.put(DECISIONS, &key(number), &decision)?;
                Ok(decision)
            })
        })
        .await?;
    json_with(StatusCode::CREATED, &decision)
}
