//! The stages of a run that is spread over many machines, over Arrow tables.
//!
//! [`retold::stages`] decides; here its arguments are taken out of columns, and its results put into
//! columns. `arrow` has the ways in and out, the other files the stages in the order of a run. What has to be
//! in one table, and in which order, is said at each method; `python/retold/spark` sees to it.

mod arrow;
mod comparing;
mod imaging;
mod searching;
mod settling;

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use retold_read::FieldNames;

use self::arrow::taken;
use crate::errors::{raised, usage};
use crate::settings;
use crate::tables::Table;

/// A job, cut into stages.
#[pyclass(frozen, module = "retold._retold")]
pub(crate) struct Stages(Arc<retold::stages::Stages>);

/// What a stage does with tables.
type Work = fn(&retold::stages::Stages, &[RecordBatch]) -> Result<Table, retold::Error>;

impl Stages {
    /// Runs a stage without Python's lock.
    fn run(&self, py: Python<'_>, stream: &Bound<'_, PyAny>, work: Work) -> PyResult<Table> {
        self.with(py, stream, work)
    }

    fn with(
        &self,
        py: Python<'_>,
        stream: &Bound<'_, PyAny>,
        work: impl FnOnce(&retold::stages::Stages, &[RecordBatch]) -> Result<Table, retold::Error>
        + Send,
    ) -> PyResult<Table> {
        let batches = taken(stream)?;
        let stages = &*self.0;
        py.detach(|| work(stages, &batches)).map_err(|error| raised(py, &error))
    }
}

#[pymethods]
impl Stages {
    /// Cuts a job, as JSON, into stages.
    #[new]
    fn new(py: Python<'_>, job: &str) -> PyResult<Self> {
        let stages = retold::stages::Stages::new(settings::job(job)?);
        stages.map(|stages| Self(Arc::new(stages))).map_err(|error| raised(py, &error))
    }

    /// The job as JSON, with all settings that differ from the defaults.
    #[getter]
    fn job(&self) -> PyResult<String> {
        serde_json::to_string(self.0.job()).map_err(usage)
    }

    /// What the job is about: `needs_counts`, `looks_for_codes`, `has_crowds`, `is_judged`,
    /// `pairs_per_document`, `near`, `keep`, as JSON.
    #[getter]
    fn facts(&self) -> String {
        let stages = &self.0;
        serde_json::json!({
            "needs_counts": stages.needs_counts(),
            "looks_for_codes": stages.looks_for_codes(),
            "has_crowds": stages.has_crowds(),
            "is_judged": stages.is_judged(),
            "pairs_per_document": stages.pairs_per_document(),
            "near": stages.near(),
            "most_in_full": retold::stages::MOST_IN_FULL,
            "keep": String::from(stages.job().keep().clone()),
        })
        .to_string()
    }

    /// Those of some columns that documents are made of.
    fn used(&self, columns: Vec<String>) -> Vec<String> {
        let names = FieldNames::new(&self.0.job().read_options());
        columns.into_iter().filter(|column| !names.column(column).is_nothing()).collect()
    }

    /// Documents: `ordinal` and columns of fields; `counts` where the statistics are needed, which are
    /// those of `n_documents`.
    #[pyo3(signature = (stream, n_documents = None))]
    fn image(
        &self,
        py: Python<'_>,
        stream: &Bound<'_, PyAny>,
        n_documents: Option<u64>,
    ) -> PyResult<Table> {
        self.with(py, stream, move |stages, batches| imaging::image(stages, batches, n_documents))
    }

    /// The features that statistics are kept of: `ordinal`, `feature`.
    fn features(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        self.run(py, stream, imaging::features)
    }

    /// Where near-identical documents meet: of `ordinal` and `image`, `packed` for each `part`.
    fn minima(&self, py: Python<'_>, stream: &Bound<'_, PyAny>, n_parts: u64) -> PyResult<Table> {
        self.with(py, stream, move |stages, batches| imaging::minima(stages, batches, n_parts))
    }

    /// Of all `packed` minima of a part: `minimum` and `ordinal` where more than 32 documents meet, and
    /// another one of each, `least`, through which they all hang together.
    fn met(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        self.run(py, stream, imaging::met)
    }

    /// Crowds: rows by `component`, documents (`rank`, `image`) by `ordinal` before minima
    /// (`minimum`). Gives `kept` and `member`.
    fn crowds(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        self.run(py, stream, imaging::crowds)
    }

    /// What members of crowds have of their own: rows by `kept`, the kept one's before those of
    /// members, by `ordinal`. Gives `ordinal` and `image`, null where nothing is left.
    fn unseen(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        self.run(py, stream, imaging::unseen)
    }

    /// The postings of `ordinal` and `image`: `packed` for each `part`.
    fn postings(&self, py: Python<'_>, stream: &Bound<'_, PyAny>, n_parts: u64) -> PyResult<Table> {
        self.with(py, stream, move |stages, batches| searching::postings(stages, batches, n_parts))
    }

    /// How many postings images have.
    fn n_postings(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<u64> {
        let batches = taken(stream)?;
        let n = py.detach(|| searching::n_postings(&self.0, &batches));
        n.map_err(|error| raised(py, &error))
    }

    /// Of all `packed` postings of a part, `lists` for each `block` of so many documents, in pieces, and the `work`
    /// that each makes.
    fn lists(&self, py: Python<'_>, stream: &Bound<'_, PyAny>, block_docs: u64) -> PyResult<Table> {
        self.with(py, stream, move |stages, batches| searching::lists(stages, batches, block_docs))
    }

    /// Begins the search of a block.
    fn searching(&self) -> Searching {
        Searching(Mutex::new(searching::Searching::new(&self.0)))
    }

    /// In how many parts codes are cut if so many are asked for.
    #[staticmethod]
    fn n_code_parts(n_parts: u64) -> u64 {
        retold::stages::Stages::n_code_parts(n_parts)
    }

    /// What a shuffle by codes needs of `ordinal` and `image`: `packed` for each `part`.
    fn code_parts(
        &self,
        py: Python<'_>,
        stream: &Bound<'_, PyAny>,
        n_parts: u64,
    ) -> PyResult<Table> {
        self.with(py, stream, move |stages, batches| {
            searching::code_parts(stages, batches, n_parts)
        })
    }

    /// Pairs of tiny and long documents of all that is `packed` of a part.
    fn code_pairs(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        self.run(py, stream, searching::code_pairs)
    }

    /// Compares: documents (`ordinal`, `n_words`, the columns of fields), each with its `partners`, which
    /// are in the same table: `other` and what the method says.
    fn verify(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        self.run(py, stream, comparing::verify)
    }

    /// Pairs of copies of verified pairs: four rows each, `part` 0 to 3 for a, b, x and y, by `pair`.
    fn copies(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        self.run(py, stream, comparing::copies)
    }

    /// Pairs of exact copies: documents by `first` and `ordinal`.
    fn exact(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        self.run(py, stream, comparing::exact)
    }

    /// Which pairs are reported of documents that have very many: pairs by `component`, `phase`, `long`
    /// and `short`.
    fn limit(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        self.run(py, stream, settling::limit)
    }

    /// A forest of pairs `a`, `b`: each document with the smallest it hangs together with.
    fn forest(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        self.run(py, stream, settling::forest)
    }

    /// Clusters and what goes: rows by `component` and `kind`, 0 for documents by `ordinal`, 1 for
    /// relations.
    fn group(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        self.run(py, stream, settling::group)
    }
}

/// The search of one block.
#[pyclass(frozen, module = "retold._retold")]
pub(crate) struct Searching(Mutex<searching::Searching>);

#[pymethods]
impl Searching {
    /// Takes rows of `kind` 0 (an image that was wanted), 1 (pieces of lists), 2 (an asker) with `number`
    /// (the document) and `bytes`, in the order of `kind` over all calls. Gives the answers of the askers.
    fn search(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<Table> {
        let batches = taken(stream)?;
        let searched = py.detach(|| {
            let mut searching = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            searching.search(&batches)
        });
        searched.map_err(|error| raised(py, &error))
    }
}
