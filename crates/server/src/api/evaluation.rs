//! A result against a list of known pairs.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;

use axum::extract::{Request, State};
use axum::response::Response;
use retold_lab::measures::FiveNumbers;
use retold_lab::measures::evaluation::TruthOf;
use retold_lab::reference::ListKind;
use retold_lab::{EvaluateSettings, Evaluated, Figures, evaluate};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::extract::{content_type, from_json, whole_body};
use super::results::result_of;
use super::{At, Params, Route, json};
use crate::app::{App, Shared};
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};

/// Pairs of a kind that are told.
const TOLD: usize = 1_000;
/// Ids of documents that are not there, that are told.
const TOLD_IDS: usize = 100;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/results/{result}/evaluation", Scope::Read, "Compare with known pairs")
            .details(
                "Takes pairs as JSON, or one a line: id, tab, id, and after another tab a label, if \
                 there is one. Labels that say no, such as `no` and `0`, mark pairs that are none.",
            )
            .query::<EvaluationParams>()
            .body::<KnownPairs>()
            .bytes("text/tab-separated-values")
            .answer::<EvaluationAnswer>(200, "How far both agree, and where they do not")
            .to(evaluation),
    ]
}

/// What the list is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EvaluationParams {
    /// Whether the list has all true pairs, so that a found pair that it lacks is wrong.
    #[serde(default)]
    complete: bool,
}

/// Known pairs.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KnownPairs {
    /// The pairs.
    pairs: Vec<KnownPair>,
}

/// A known pair.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KnownPair {
    /// Id of one document.
    a: String,
    /// Id of the other.
    b: String,
    /// What somebody called it.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

/// How far a result and a list agree.
#[derive(Serialize, JsonSchema)]
struct EvaluationAnswer {
    /// Pairs of the list.
    known: u64,
    /// Pairs of the result.
    found: u64,
    /// Pairs of both.
    common: u64,
    /// Pairs of the list that the result does not have.
    only_known: u64,
    /// Pairs of the result that the list does not have.
    only_found: u64,
    /// Share of the found pairs that are known.
    precision: f64,
    /// Share of the known pairs that were found.
    recall: f64,
    /// Harmonic mean of both.
    f1: f64,
    /// What precision has to be called with this list.
    precision_name: String,
    /// What recall has to be called with this list.
    recall_name: String,
    /// Lines of the list.
    lines: u64,
    /// Lines that say that a pair is none.
    negative: u64,
    /// Lines that were passed over.
    ignored: u64,
    /// Known pairs that were not found.
    not_found: Missed,
    /// Found pairs that are not known.
    not_known: Unlisted,
    /// Ids of the pairs told here that the result does not have.
    unknown_ids: Vec<String>,
    /// What has to be known to read the figures.
    remarks: Vec<String>,
    /// All figures that `retold evaluate --json` tells.
    figures: Value,
}

/// Known pairs that were not found.
#[derive(Default, Serialize, JsonSchema)]
struct Missed {
    /// All of them.
    total: u64,
    /// The first.
    pairs: Vec<MissedPair>,
    /// Those that are not listed here.
    rest: u64,
}

/// A known pair that was not found.
#[derive(Serialize, Deserialize, JsonSchema)]
struct MissedPair {
    /// Id of one document.
    a: String,
    /// Id of the other.
    b: String,
    /// What the list calls it.
    label: Option<String>,
    /// Number of a cluster that has both nevertheless.
    cluster: Option<u64>,
}

/// Found pairs that are not known.
#[derive(Default, Serialize, JsonSchema)]
struct Unlisted {
    /// All of them.
    total: u64,
    /// The first.
    pairs: Vec<UnlistedPair>,
    /// Those that are not listed here.
    rest: u64,
}

/// A found pair that is not known.
#[derive(Serialize, JsonSchema)]
struct UnlistedPair {
    /// Id of one document.
    a: String,
    /// Id of the other.
    b: String,
    /// How they are related.
    relation: Option<String>,
    /// The larger share of one found in the other.
    score: Option<f64>,
    /// Whether the list says that the pair is none.
    says_no: bool,
}

/// A line of `reference.jsonl`.
#[derive(Deserialize)]
struct ListedLine {
    #[serde(flatten)]
    pair: MissedPair,
    is_true: bool,
    is_found: bool,
}

/// A line of `found.jsonl`.
#[derive(Deserialize)]
struct FoundLine {
    a: String,
    b: String,
    relation: Option<String>,
    score: Option<f64>,
    listed: String,
}

async fn evaluation(
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
    Params(params): Params<EvaluationParams>,
    request: Request,
) -> Result<Response, Problem> {
    result_of(&app, &caller, number)?;
    let given = content_type(request.headers()).unwrap_or_default();
    let is_json = given == "application/json";
    if !is_json && !matches!(&*given, "text/tab-separated-values" | "text/plain") {
        let detail = "this takes application/json and text/tab-separated-values";
        return Err(Problem::new(Code::UnsupportedType, detail));
    }
    let (body, held) = whole_body(request.into_body(), &app).await?;
    let answer = app
        .work(&caller, move |app| {
            let _held = held;
            let folder = tempfile::tempdir()?;
            let known = folder.path().join(if is_json { "known.jsonl" } else { "known.tsv" });
            let mut file = File::create(&known)?;
            if is_json {
                let KnownPairs { pairs } = from_json(&body)?;
                for pair in pairs {
                    let line = serde_json::to_string(&pair).map_err(Problem::internal)?;
                    writeln!(file, "{line}")?;
                }
            } else {
                file.write_all(&body)?;
            }
            drop(file);
            evaluated(app, number, folder.path(), &known, params.complete)
        })
        .await?;
    json(&answer)
}

fn evaluated(
    app: &App,
    number: u64,
    folder: &Path,
    known: &Path,
    is_complete: bool,
) -> Result<EvaluationAnswer, Problem> {
    let details = folder.join("details");
    let settings = EvaluateSettings {
        kind: Some(ListKind::Pairs),
        truth: if is_complete { TruthOf::Complete } else { TruthOf::Listed },
        output: Some(details.clone()),
        scratch: Some(folder.to_owned()),
        ..EvaluateSettings::default()
    };
    let found = app.results.folder(number);
    let evaluated = evaluate(std::slice::from_ref(&found), known, &settings).map_err(|error| {
        let told = error.to_string().replace(&known.display().to_string(), "the list");
        Problem::new(Code::NotAccepted, told)
    })?;
    let Evaluated { facts, recall_name, precision_name, mut results, .. } = evaluated;
    let Some(result) = results.pop() else {
        return Err(Problem::internal("no result was evaluated"));
    };
    let mut remarks = result.remarks;
    let (counts, [precision, recall, f1]) = match &result.figures {
        Figures::Pairs(all) => {
            remarks.extend(all.notes.iter().cloned());
            let pairs = all.pairs.as_ref();
            let pairs = pairs.ok_or_else(|| Problem::internal("pairs were not evaluated"))?;
            (
                pairs.counts,
                [pairs.scores.precision.value, pairs.scores.recall.value, pairs.scores.f1.value],
            )
        }
        Figures::Counts(all) => {
            (all.counts, [all.scores.precision, all.scores.recall, all.scores.f1])
        }
        _ => return Err(Problem::internal("pairs were not evaluated")),
    };
    let FiveNumbers { all_ref, all_ours, only_ref, only_ours, common } = counts;
    let (mut missed, mut unlisted) = (Vec::new(), Vec::new());
    each_line(&details.join("reference.jsonl"), |line: ListedLine| {
        if line.is_true && !line.is_found {
            missed.push(line.pair);
        }
        missed.len() < TOLD
    })?;
    each_line(&details.join("found.jsonl"), |line: FoundLine| {
        let FoundLine { a, b, relation, score, listed } = line;
        if listed != "true" {
            unlisted.push(UnlistedPair { a, b, relation, score, says_no: listed == "false" });
        }
        unlisted.len() < TOLD
    })?;
    let browser = app.results.open(number)?;
    let mut unknown_ids: Vec<String> = Vec::new();
    for id in missed.iter().flat_map(|pair| [&pair.a, &pair.b]) {
        if unknown_ids.len() < TOLD_IDS
            && !unknown_ids.contains(id)
            && browser.document(id)?.is_none()
        {
            unknown_ids.push(id.clone());
        }
    }
    Ok(EvaluationAnswer {
        known: all_ref,
        found: all_ours,
        common,
        only_known: only_ref,
        only_found: only_ours,
        precision,
        recall,
        f1,
        precision_name: precision_name.to_owned(),
        recall_name: recall_name.to_owned(),
        lines: facts.n_lines,
        negative: facts.n_negative,
        ignored: facts.n_ignored,
        not_found: Missed { total: only_ref, rest: only_ref - missed.len() as u64, pairs: missed },
        not_known: Unlisted {
            total: only_ours,
            rest: only_ours - unlisted.len() as u64,
            pairs: unlisted,
        },
        unknown_ids,
        remarks,
        figures: serde_json::to_value(&result.figures).unwrap_or_default(),
    })
}

/// Reads lines of a file until `each` returns false; none if it is not there.
fn each_line<T: DeserializeOwned>(
    path: &Path,
    mut each: impl FnMut(T) -> bool,
) -> Result<(), Problem> {
    let Ok(file) = File::open(path) else { return Ok(()) };
    for line in BufReader::new(file).lines() {
        if !each(serde_json::from_str(&line?).map_err(Problem::internal)?) {
            break;
        }
    }
    Ok(())
}
