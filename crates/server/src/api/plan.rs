//! What a job will cost, before it is begun.

use axum::extract::State;
use axum::response::Response;
use retold::{Expected, Files, Plan, PlanReport, Resources};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::compare::settings_of;
use super::in_time::in_time;
use super::jobs::input_files;
use super::{Given, Route, json};
use crate::app::Shared;
use crate::jobs::Input;
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/plan", Scope::Read, "What a search will cost")
            .details(
                "Searches a sample of the documents and says what the whole will take. A plan that \
                 takes longer than the limit `query_ms` is given up.",
            )
            .body::<PlanBody>()
            .answer::<PlanAnswer>(200, "What to expect")
            .to(plan),
    ]
}

/// A search that is to be planned.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PlanBody {
    /// Where its documents come from.
    input: Input,
    /// Settings by the names of the command line's options, such as `{"method": "minhash"}`.
    #[serde(default)]
    settings: Map<String, Value>,
}

/// A number that is expected.
#[derive(Serialize, JsonSchema)]
struct Estimate {
    /// The number.
    expected: f64,
    /// Largest error where it was checked: 0.3 means at most 30 % above or below what was measured.
    /// None if it was never checked.
    error: Option<f64>,
}

impl From<Expected> for Estimate {
    fn from(of: Expected) -> Self {
        Self { expected: of.expected, error: of.error }
    }
}

/// What one stage will cost.
#[derive(Serialize, JsonSchema)]
struct StageEstimate {
    /// Its name.
    name: String,
    /// CPU seconds.
    cpu_seconds: f64,
}

/// What a search will cost.
#[derive(Serialize, JsonSchema)]
struct PlanAnswer {
    /// The method.
    method: String,
    /// Documents.
    documents: u64,
    /// Bytes of their texts.
    text_bytes: u64,
    /// Whether documents were counted, not estimated from the first of them.
    documents_counted: bool,
    /// Documents of the sample.
    sampled: u64,
    /// Documents with the same words as one before them.
    exact_copies: Estimate,
    /// Documents that repeat another one, exact copies included.
    copies: Estimate,
    /// Clusters.
    clusters: Estimate,
    /// Pairs.
    pairs: Estimate,
    /// CPU seconds of all stages.
    cpu_seconds: Estimate,
    /// Seconds, if all threads of the job are busy all the time.
    seconds: Estimate,
    /// Most bytes of memory at a time.
    memory_bytes: Estimate,
    /// Bytes of scratch files.
    scratch_bytes: Estimate,
    /// Bytes of the tables of the result.
    table_bytes: Estimate,
    /// Bytes of a stored index of the documents.
    index_bytes: Estimate,
    /// CPU seconds by stage, in order.
    stages: Vec<StageEstimate>,
    /// Names of the numbers that were never checked against what was measured.
    uncertain: Vec<String>,
    /// What has to be known to read the numbers.
    remarks: Vec<String>,
}

impl PlanAnswer {
    fn of(report: PlanReport) -> Self {
        let numbers = [
            ("exact_copies", report.exact_copies),
            ("copies", report.copies),
            ("clusters", report.clusters),
            ("pairs", report.pairs),
            ("cpu_seconds", report.cpu_seconds),
            ("seconds", report.seconds),
            ("memory_bytes", report.memory_bytes),
            ("scratch_bytes", report.scratch_bytes),
            ("table_bytes", report.table_bytes),
            ("index_bytes", report.index_bytes),
        ];
        let unchecked = numbers.iter().filter(|(_, of)| of.error.is_none());
        let uncertain = unchecked.map(|(name, _)| (*name).to_owned()).collect();
        let mut remarks = vec![format!(
            "planned from {} documents; errors are the largest seen on collections of 16 MB or more",
            report.n_sampled
        )];
        if report.is_cut {
            remarks
                .push("only the first 8 GiB were read; the rest is taken to be like them".into());
        }
        let stage = |stage: retold::StagePlan| StageEstimate {
            name: stage.name.split_once(' ').map_or(&*stage.name, |(_, name)| name).to_owned(),
            cpu_seconds: stage.cpu_seconds,
        };
        Self {
            documents: report.n_documents,
            text_bytes: report.n_bytes,
            documents_counted: !report.is_cut,
            sampled: report.n_sampled,
            exact_copies: report.exact_copies.into(),
            copies: report.copies.into(),
            clusters: report.clusters.into(),
            pairs: report.pairs.into(),
            cpu_seconds: report.cpu_seconds.into(),
            seconds: report.seconds.into(),
            memory_bytes: report.memory_bytes.into(),
            scratch_bytes: report.scratch_bytes.into(),
            table_bytes: report.table_bytes.into(),
            index_bytes: report.index_bytes.into(),
            stages: report.stages.into_iter().map(stage).collect(),
            uncertain,
            remarks,
            method: report.method,
        }
    }
}

async fn plan(
    State(app): State<Shared>,
    caller: Caller,
    Given(body): Given<PlanBody>,
) -> Result<Response, Problem> {
    let PlanBody { input, settings } = body;
    let job = settings_of(&app.config.job, settings)?;
    let files = input_files(&app, &caller, &input)?;
    let report = in_time(&app, &caller, move |app, stop| {
        let mut resources = Resources::new().threads(app.config.job_threads).stop(stop);
        if app.config.job_memory > 0 {
            resources = resources.memory(app.config.job_memory);
        }
        let report = match (files, &input.collection) {
            (Some(path), _) => Plan::new(Files::new([path])).job(job).resources(resources).run()?,
            (None, Some(name)) => {
                let collection = app.collections.get(name);
                let index = collection.ok_or_else(|| Problem::not_found("collection"))?.index();
                Plan::new(index.source_named(name)?).job(job).resources(resources).run()?
            }
            (None, None) => return Err(Problem::new(Code::NotAccepted, "there is no input")),
        };
        Ok(report)
    })
    .await?;
    json(&PlanAnswer::of(report))
}
