//! The laboratory: methods that there are, test collections, measures.

use std::path::PathBuf;

use pyo3::prelude::*;
use retold::METHODS;
use retold_lab::generate::plan::Plan;
use retold_lab::{EvaluateSettings, Generate, read_plan};

use crate::errors::usage;
use crate::running::Runner;
use crate::settings::{self, Named};

/// All methods, as JSON.
#[pyfunction]
pub(crate) fn methods() -> String {
    let all: Vec<_> = METHODS.iter().map(|spec| spec.describe()).collect();
    serde_json::Value::Array(all).to_string()
}

/// Makes a test collection; the plan is a file, or JSON. Returns figures as JSON.
#[pyfunction]
#[pyo3(signature = (paths, plan, output, overwrite, settings, resources, progress = None))]
#[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
pub(crate) fn generate(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    plan: (Option<PathBuf>, Option<String>),
    output: PathBuf,
    overwrite: bool,
    settings: &str,
    resources: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let job = settings::job(settings)?;
    let told: Option<Plan> =
        plan.1.map(|plan| serde_json::from_str(&plan)).transpose().map_err(usage)?;
    let file = plan.0;
    Runner::new(resources, progress)?.run(py, move |resources| {
        let plan = match (told, file) {
            (Some(plan), _) => plan,
            (None, Some(file)) => read_plan(&file)?,
            (None, None) => Plan::default(),
        };
        let making = Generate::new(paths).plan(plan).overwrite(overwrite).job(job);
        let made = making.resources(resources).write(output)?;
        Ok(serde_json::to_string(&made).expect("figures are plain data"))
    })
}

/// Evaluates results against a truth; returns the figures as JSON.
#[pyfunction]
pub(crate) fn evaluate(
    py: Python<'_>,
    found: Vec<PathBuf>,
    reference: PathBuf,
    settings: &str,
) -> PyResult<String> {
    let mut named = Named::new(settings)?;
    let usual = EvaluateSettings::default();
    let settings = EvaluateSettings {
        relations: named.relations()?,
        labels: named.take("labels")?.unwrap_or_default(),
        negative: named.take("negative")?.unwrap_or_default(),
        ignored: named.take("ignored")?.unwrap_or_default(),
        min_score: named.take("min-score")?,
        n_documents: named.take("documents")?,
        texts: named.take("texts")?.unwrap_or_default(),
        output: named.take("output")?,
        overwrite: named.take("overwrite")?.unwrap_or(false),
        ..usual
    };
    named.end()?;
    Runner::new("{}", None)?.run(py, move |_| {
        let evaluated = retold_lab::evaluate(&found, &reference, &settings)?;
        Ok(serde_json::to_string(&evaluated).expect("figures are plain data"))
    })
}
