//! Two documents side by side.

use pyo3::prelude::*;
use retold::{Document, Job, Quotes};
use retold_report::{PairFields, compare_html, rounded};
use serde_json::json;

use crate::errors::{raised, usage};
use crate::settings;
use crate::sources::Parts;

/// Makes a document of what Python hands over: a text, a dictionary, a pair of an id and a text, or
/// `("path", path)`.
pub(crate) fn document_of(
    py: Python<'_>,
    given: &Bound<'_, PyAny>,
    job: &Job,
    name: &str,
) -> PyResult<Document> {
    if let Ok((kind, path)) = given.extract::<(String, std::path::PathBuf)>()
        && kind == "path"
    {
        let read = py.detach(|| retold::read_document(&path, job));
        return read.map_err(|error| raised(py, &error));
    }
    let (_, item): (String, Bound<'_, PyAny>) = given.extract()?;
    let mut document = Parts::new(&job.read_options()).document(&item)?.map_err(usage)?;
    if document.id.is_empty() {
        name.clone_into(&mut document.id);
    }
    Ok(document)
}

/// Compares two documents; returns the figures as JSON, and a page that shows both.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    settings: &str,
    quotes: &str,
) -> PyResult<(String, String)> {
    let job = settings::job(settings)?;
    let quotes: Quotes = serde_json::from_value(json!(quotes))
        .map_err(|_| usage(format!("quotes must be count, mark or skip, got `{quotes}`")))?;
    let a = document_of(py, a, &job, "a")?;
    let b = document_of(py, b, &job, "b")?;
    let compared = py.detach(|| {
        let comparison = retold::compare_quoted(&a, &b, &job, quotes)?;
        let mut page = Vec::new();
        let view = comparison.side_by_side(&a, &b);
        compare_html(&view, &mut page)
            .map_err(|error| retold::Error::Internal(error.to_string()))?;
        let passages: Vec<_> = comparison
            .evidence()
            .passages
            .iter()
            .map(|passage| {
                let mut told = json!(passage);
                told["a_text"] = json!(passage.a.of(&a.text));
                told["b_text"] = json!(passage.b.of(&b.text));
                told
            })
            .collect();
        // The names and the rounding of a line of `pairs.jsonl`; the relation may be none here.
        let kind = comparison.relation().unwrap_or(retold::Kind::Partial);
        let evidence = comparison.evidence().clone();
        let fields = PairFields { relation: kind, scores: comparison.scores(), evidence };
        let mut told = json!(fields);
        told["relation"] = json!(comparison.relation().map(retold::Kind::name));
        told["evidence"] = passages.into();
        told["a"] = json!(a.id);
        told["b"] = json!(b.id);
        told["credits"] = json!(comparison.credits());
        told["n_words"] = json!(comparison.n_words());
        told["vocabulary"] = json!(comparison.vocabulary().map(|share| rounded(share.get())));
        Ok((told.to_string(), String::from_utf8_lossy(&page).into_owned()))
    });
    compared.map_err(|error: retold::Error| raised(py, &error))
}
