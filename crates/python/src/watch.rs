//! A stream of documents that an index keeps.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use retold::{Document, IndexOptions, IndexWriter, Job, TimeWindow, WatchOptions};

use crate::errors::{raised, usage};
use crate::running::Runner;
use crate::settings::{self, Named};
use crate::sources::Parts;

/// A stream.
#[pyclass(frozen, module = "retold._retold")]
pub(crate) struct Watch {
    watch: Shared,
    parts: Parts,
}

/// A stream, or nothing once it is closed.
type Shared = Arc<Mutex<Option<Box<retold::Watch>>>>;

fn locked(shared: &Shared) -> MutexGuard<'_, Option<Box<retold::Watch>>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// Asks the stream, behind whatever another thread is doing with it.
    fn ask<T: Send>(&self, py: Python<'_>, of: fn(&retold::Watch) -> T) -> PyResult<T> {
        let answer = py.detach(|| locked(&self.watch).as_deref().map(of));
        answer.ok_or_else(closed)
    }
}

fn closed() -> PyErr {
    usage("the stream is closed")
}

#[pymethods]
impl Watch {
    /// Opens a stream of an index, or begins one; an index that is not there is made.
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "Python hands a path over")]
    fn open(py: Python<'_>, path: PathBuf, settings: &str, options: &str) -> PyResult<Self> {
        let mut named = Named::new(options)?;
        let seconds = named.take("window")?;
        let usual = WatchOptions::default();
        let options = WatchOptions {
            name: named.take("name")?.unwrap_or(usual.name),
            method: named.take("method")?,
            window: TimeWindow { seconds, ..TimeWindow::default() },
            forgets: named.take("forget")?.unwrap_or(false),
            group: usual.group,
        };
        named.end()?;
        let is_new = !path.exists();
        if !is_new && settings != "{}" {
            return Err(usage(
                "the index is there already: settings of the method are those it was made with",
            ));
        }
        let job = settings::job(settings)?;
        let opened = py.detach(|| {
            let writer = if is_new {
                IndexWriter::create(&path, std::slice::from_ref(&job), &IndexOptions::default())?
            } else {
                IndexWriter::open(&path)?
            };
            retold::Watch::of(writer, options)
        });
        let watch = opened.map_err(|error| raised(py, &error))?;
        let parts = Parts::new(&Job::default().read_options());
        Ok(Self { watch: Arc::new(Mutex::new(Some(Box::new(watch)))), parts })
    }

    /// Takes stories, all or none; returns what is told of each as JSON.
    #[expect(clippy::needless_pass_by_value, reason = "Python hands a list over")]
    fn add(&self, py: Python<'_>, stories: Vec<Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
        let mut documents: Vec<Document> = Vec::with_capacity(stories.len());
        for story in &stories {
            let document = self.parts.document(story)?.map_err(usage)?;
            if document.id.is_empty() {
                return Err(usage("a story needs an id"));
            }
            documents.push(document);
        }
        let shared = Arc::clone(&self.watch);
        // After an interruption the stories are there all the same, and so is the stream.
        let told = Runner::new("{}", None)?.run(py, move |_| {
            Ok(locked(&shared).as_mut().map(|watch| watch.add_all(&documents)))
        })?;
        let told = told.ok_or_else(closed)?.map_err(|error| raised(py, &error))?;
        let lines = told.iter().map(serde_json::to_string);
        Ok(lines.map(|line| line.expect("what is told is plain data")).collect())
    }

    /// Number of stories in the window.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, retold::Watch::len)
    }

    /// Number of the last story.
    #[getter]
    fn seq(&self, py: Python<'_>) -> PyResult<u64> {
        self.ask(py, retold::Watch::seq)
    }

    /// Closes it; every story is durable already.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(locked(&self.watch).take()));
    }
}
