//! A stream of documents that an index keeps.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use retold::{Document, IndexOptions, IndexWriter, Job, TimeWindow, WatchOptions};

use crate::errors::{raised, usage};
use crate::running::Runner;
use crate::settings::{self, Named};
use crate::sources::Parts;

/// A stream.
#[pyclass(frozen, module = "retold._retold")]
pub(crate) struct Watch {
    watch: Mutex<Option<Box<retold::Watch>>>,
    parts: Parts,
}

impl Watch {
    fn watch(&self) -> MutexGuard<'_, Option<Box<retold::Watch>>> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        Ok(Self { watch: Mutex::new(Some(Box::new(watch))), parts })
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
        let Some(mut watch) = self.watch().take() else {
            return Err(usage("the stream is closed"));
        };
        let (watch, told) = Runner::new("{}", None)?.run(py, move |_| {
            let told = watch.add_all(&documents);
            Ok((watch, told))
        })?;
        *self.watch() = Some(watch);
        let told = told.map_err(|error| raised(py, &error))?;
        let lines = told.iter().map(serde_json::to_string);
        Ok(lines.map(|line| line.expect("what is told is plain data")).collect())
    }

    /// Number of stories in the window.
    fn __len__(&self) -> PyResult<usize> {
        let watch = self.watch();
        watch.as_ref().map(|watch| watch.len()).ok_or_else(|| usage("the stream is closed"))
    }

    /// Number of the last story.
    #[getter]
    fn seq(&self) -> PyResult<u64> {
        let watch = self.watch();
        watch.as_ref().map(|watch| watch.seq()).ok_or_else(|| usage("the stream is closed"))
    }

    /// Closes it; every story is durable already.
    fn close(&self, py: Python<'_>) {
        let watch = self.watch().take();
        py.detach(move || drop(watch));
    }
}
