//! An index on disk, asked and written to.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use retold::{Asking, Error, Filter, IndexOptions, IndexWriter, Rank, ReadOptions, TextStorage};

use crate::compare::document_of;
use crate::errors::{raised, usage};
use crate::query::json_of;
use crate::running::Runner;
use crate::settings::{self, Named};
use crate::sources::{Input, Raised};

/// An index.
#[pyclass(frozen, module = "retold._retold")]
pub(crate) struct Index {
    path: PathBuf,
    state: Mutex<State>,
}

/// What is open. A writer is opened when it is needed first, and stays until the index is closed.
struct State {
    reading: Option<Arc<retold::Index>>,
    writing: Option<Box<IndexWriter>>,
}

impl Index {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state that is read.
    fn reading(&self) -> PyResult<Arc<retold::Index>> {
        self.state().reading.clone().ok_or_else(|| usage("the index is closed"))
    }

    /// Runs something that writes, and shows its result to whoever asks next.
    fn write<T: Send + 'static>(
        &self,
        py: Python<'_>,
        runner: Runner,
        work: impl FnOnce(&mut IndexWriter, &retold::Resources) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        self.reading()?;
        let (path, held) = (self.path.clone(), self.state().writing.take());
        let (writer, done) = runner.run(py, move |resources| {
            let mut writer = match held {
                Some(writer) => writer,
                None => Box::new(IndexWriter::open(path)?),
            };
            let done = work(&mut writer, &resources).and_then(|value| Ok((value, writer.index()?)));
            Ok((writer, done))
        })?;
        let mut state = self.state();
        state.writing = Some(writer);
        let (value, index) = done.map_err(|error| raised(py, &error))?;
        state.reading = Some(Arc::new(index));
        Ok(value)
    }

    /// Returns how documents are read: as the index was made, with other names of fields if given.
    fn read_options(&self, fields: &str) -> PyResult<ReadOptions> {
        let index = self.reading()?;
        let mut job = index.jobs().next().cloned().unwrap_or_default();
        if fields != "{}" {
            job = job.with_read(settings::job(fields)?.read_options());
        }
        Ok(job.read_options())
    }
}

#[pymethods]
impl Index {
    /// Makes an index for jobs given as JSON, one for each method.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "Python hands a list over")]
    fn create(py: Python<'_>, path: PathBuf, jobs: Vec<String>, texts: &str) -> PyResult<Self> {
        let jobs = jobs.iter().map(|job| settings::job(job)).collect::<PyResult<Vec<_>>>()?;
        let texts: TextStorage = serde_json::from_value(texts.into()).map_err(usage)?;
        let made = py.detach(|| {
            let options = IndexOptions { texts };
            let mut writer = IndexWriter::create(&path, &jobs, &options)?;
            let index = writer.index()?;
            Ok((index, writer))
        });
        let (index, writer) = made.map_err(|error: Error| raised(py, &error))?;
        let writing = Some(Box::new(writer));
        Ok(Self { path, state: Mutex::new(State { reading: Some(Arc::new(index)), writing }) })
    }

    /// Opens an index as it is now.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| retold::Index::open(&path));
        let index = opened.map_err(|error| raised(py, &error))?;
        let reading = Some(Arc::new(index));
        Ok(Self { path, state: Mutex::new(State { reading, writing: None }) })
    }

    /// Closes it; what was written is durable already.
    fn close(&self, py: Python<'_>) {
        let mut state = self.state();
        let closed = (state.reading.take(), state.writing.take());
        drop(state);
        // A merge that goes on beside is waited for.
        py.detach(move || drop(closed));
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    #[getter]
    fn is_open(&self) -> bool {
        self.state().reading.is_some()
    }

    /// Number of the state that is read.
    #[getter]
    fn commit(&self) -> PyResult<u64> {
        Ok(self.reading()?.commit())
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.reading()?.n_documents() as usize)
    }

    /// Names of the methods it was made for.
    fn methods(&self) -> PyResult<Vec<String>> {
        Ok(self.reading()?.jobs().map(|job| job.method().to_owned()).collect())
    }

    /// A document as JSON, or `None`.
    fn get(&self, py: Python<'_>, id: &str) -> PyResult<Option<String>> {
        let index = self.reading()?;
        let stored = py.detach(|| index.get(id)).map_err(|error| raised(py, &error))?;
        Ok(stored.map(|stored| serde_json::to_string(&stored).expect("a document is plain data")))
    }

    /// Figures as JSON.
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        let index = self.reading()?;
        let stats = py.detach(|| index.stats()).map_err(|error| raised(py, &error))?;
        Ok(serde_json::to_string(&stats).expect("figures are plain data"))
    }

    /// Reads the newest state, if another process wrote to it.
    fn reload(&self, py: Python<'_>) -> PyResult<()> {
        self.reading()?;
        let opened = py.detach(|| retold::Index::open(&self.path));
        self.state().reading = Some(Arc::new(opened.map_err(|error| raised(py, &error))?));
        Ok(())
    }

    /// Adds documents; returns figures as JSON.
    #[pyo3(signature = (input, fields, resources, strict = false, progress = None))]
    fn add(
        &self,
        py: Python<'_>,
        input: &Bound<'_, PyAny>,
        fields: &str,
        resources: &str,
        strict: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let runner = Runner::new(resources, progress)?;
        let (input, read) = (Input::of(input)?, self.read_options(fields)?);
        let raised = Raised::clone(runner.raised());
        let added = self.write(py, runner, move |writer, resources| {
            writer.set_read_options(read);
            writer.set_strict(strict);
            writer.add(input.source(&raised), resources)
        })?;
        Ok(serde_json::to_string(&added).expect("figures are plain data"))
    }

    /// Removes documents by their ids; with `purge` they are erased from all files.
    fn remove(&self, py: Python<'_>, ids: Vec<String>, purge: bool) -> PyResult<u64> {
        self.write(py, Runner::new("{}", None)?, move |writer, _| {
            if purge { writer.purge(&ids) } else { writer.remove(&ids) }
        })
    }

    /// Removes documents from before a time; returns their number.
    fn expire(&self, py: Python<'_>, before: &str) -> PyResult<u64> {
        let Some(before) = retold::seconds(before) else {
            return Err(usage(format!("a time must look like 2026-11-01, got `{before}`")));
        };
        let runner = Runner::new("{}", None)?;
        self.write(py, runner, move |writer, _| Ok(writer.expire(before)?.n_documents))
    }

    /// Merges all parts.
    fn merge(&self, py: Python<'_>) -> PyResult<()> {
        self.write(py, Runner::new("{}", None)?, |writer, _| writer.merge())
    }

    /// Counts the statistics of all methods anew.
    fn refresh(&self, py: Python<'_>, resources: &str) -> PyResult<()> {
        self.write(py, Runner::new(resources, None)?, IndexWriter::refresh)
    }

    /// Asks what one document was copied from; returns an answer as JSON.
    fn ask(&self, py: Python<'_>, question: &Bound<'_, PyAny>, asking: &str) -> PyResult<String> {
        let index = self.reading()?;
        let job = index.jobs().next().cloned().unwrap_or_default();
        let question = document_of(py, question, &job, "question")?;
        let asking = asking_of(asking)?;
        let runner = Runner::new("{}", None)?;
        runner.run(py, move |_| Ok(json_of(&index.ask(&question, &asking)?)))
    }

    /// Asks what documents were copied from; returns an answer as JSON for each.
    #[pyo3(signature = (input, fields, asking, resources, progress = None))]
    fn ask_all(
        &self,
        py: Python<'_>,
        input: &Bound<'_, PyAny>,
        fields: &str,
        asking: &str,
        resources: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<String>> {
        let (index, read) = (self.reading()?, self.read_options(fields)?);
        let runner = Runner::new(resources, progress)?;
        let (input, asking) = (Input::of(input)?, asking_of(asking)?);
        let raised = Raised::clone(runner.raised());
        runner.run(py, move |resources| {
            let mut answers = Vec::new();
            let source = input.source(&raised);
            index.ask_all(source, &read, &asking, &resources, &mut |answer| {
                answers.push(json_of(&answer));
                Ok(())
            })?;
            Ok(answers)
        })
    }
}

/// Whether there is an index at a path.
#[pyfunction]
pub(crate) fn is_index(path: PathBuf) -> bool {
    retold::is_index(path)
}

/// Reads how a question is asked.
fn asking_of(settings: &str) -> PyResult<Asking> {
    let mut named = Named::new(settings)?;
    let time = |given: Option<String>| {
        given.map_or(Ok(None), |text| match retold::seconds(&text) {
            Some(seconds) => Ok(Some(seconds)),
            None => Err(usage(format!("a time must look like 2026-11-01, got `{text}`"))),
        })
    };
    let filter = Filter {
        from: time(named.take("from")?)?,
        until: time(named.take("until")?)?,
        fields: named.take("where")?.unwrap_or_default(),
        without: named.take("without")?.unwrap_or_default(),
        without_ids: named.take("without-ids")?.unwrap_or_default(),
    };
    let asking = Asking {
        method: named.take("method")?,
        top: named.take("top")?,
        relations: named.relations()?,
        filter,
        rank: named.take::<Rank>("rank")?.unwrap_or_default(),
        passages_per_pair: named.take("passages-per-pair")?,
        is_whole: named.take("whole")?.unwrap_or(false),
        quotes: named.take("quotes")?.unwrap_or_default(),
        distinctive: named.take("distinctive")?,
        explains: named.take("explain")?.unwrap_or(false),
        is_strict: named.take("strict")?.unwrap_or(false),
        ..Asking::default()
    };
    named.end()?;
    Ok(asking)
}
