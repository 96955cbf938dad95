//! Questions to a collection that is read for them.

use pyo3::prelude::*;
use retold::{Answer, Query, Quotes};

use crate::running::Runner;
use crate::settings::{self, Named};
use crate::sources::{Input, Raised};

/// Asks what documents were copied from; returns an answer as JSON for each.
#[pyfunction]
#[pyo3(signature = (question, collection, settings, asking, resources, progress = None))]
pub(crate) fn query(
    py: Python<'_>,
    question: &Bound<'_, PyAny>,
    collection: &Bound<'_, PyAny>,
    settings: &str,
    asking: &str,
    resources: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<String>> {
    let runner = Runner::new(resources, progress)?;
    let job = settings::job(settings)?;
    let mut named = Named::new(asking)?;
    let (top, relations) = (named.take::<usize>("top")?, named.relations()?);
    let quotes = named.take::<Quotes>("quotes")?.unwrap_or_default();
    named.end()?;
    let (question, collection) = (Input::of(question)?, Input::of(collection)?);
    let raised = Raised::clone(runner.raised());
    runner.run(py, move |resources| {
        let (question, collection) = (question.source(&raised), collection.source(&raised));
        let query = Query::new(question, collection).quotes(quotes);
        let answers = query.job(job).resources(resources).run()?;
        let answers = answers.answers.into_iter().map(|mut answer| {
            if !relations.is_empty() {
                answer.hits.retain(|hit| relations.contains(&hit.relation));
                answer.n_hits = answer.hits.len() as u64;
            }
            answer.hits.truncate(top.unwrap_or(usize::MAX));
            json_of(&answer)
        });
        Ok(answers.collect())
    })
}

/// Returns an answer as a line of `retold query --json` has it.
pub(crate) fn json_of(answer: &Answer) -> String {
    serde_json::to_string(answer).expect("an answer is plain data")
}
