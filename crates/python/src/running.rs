//! How work is run: on a thread of its own, without Python's lock, while the thread that called waits.
//!
//! The waiting thread wakes up some twenty times a second, lets Python look at its signals and tells of
//! the progress. An exception, such as that of Ctrl-C, becomes a wish to stop: the work ends at the next
//! safe place, and then the exception goes on. No signal handler is touched, and no thread is left: all
//! are started anew for each call, so that a process may fork between calls.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use retold::{Family, Progress, Resources, Stage, Stop};
use retold_lab::Error;

use crate::errors::{InternalError, raised_by_lab};
use crate::settings;
use crate::sources::Raised;

/// How long the waiting thread sleeps at most.
const TICK: Duration = Duration::from_millis(40);

/// Runs one piece of work.
pub(crate) struct Runner {
    resources: Resources,
    stop: Stop,
    raised: Raised,
    standing: Arc<Standing>,
    listener: Option<Py<PyAny>>,
}

impl Runner {
    /// Makes one with resources as JSON, and a function of Python that hears of the progress: the name
    /// of the stage, what is done of it, its length or 0, and documents read.
    pub(crate) fn new(resources: &str, listener: Option<Py<PyAny>>) -> PyResult<Self> {
        let (stop, standing) = (Stop::new(), Arc::new(Standing::default()));
        let resources = settings::resources(resources)?.stop(&stop).progress(Arc::clone(&standing));
        Ok(Self { resources, stop, raised: Raised::default(), standing, listener })
    }

    /// Returns where an exception of the input goes.
    pub(crate) fn raised(&self) -> &Raised {
        &self.raised
    }

    /// Does the work and returns what comes of it.
    pub(crate) fn run<T: Send + 'static>(
        self,
        py: Python<'_>,
        work: impl FnOnce(Resources) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let (sender, receiver) = channel();
        let resources = self.resources.clone();
        let worker = thread::Builder::new().name("retold".to_owned()).spawn(move || {
            // Whoever waited may be gone only if it panicked.
            let _ = sender.send(work(resources));
        });
        let worker = worker.map_err(|error| InternalError::new_err(error.to_string()))?;
        let mut receiver = receiver;
        let mut exception: Option<PyErr> = None;
        let result = loop {
            // A receiver may not be shared between threads, so it goes there and comes back.
            let (back, received) = py.detach(move || {
                let received = receiver.recv_timeout(TICK);
                (receiver, received)
            });
            receiver = back;
            match received {
                Ok(result) => break Some(result),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let heard = py.check_signals().and_then(|()| self.tell(py));
            if let Err(error) = heard {
                self.stop.set();
                exception.get_or_insert(error);
            }
        };
        let joined = py.detach(move || worker.join());
        if let Some(exception) = exception {
            return Err(exception);
        }
        let from_input = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (from_input, result) {
            (Some(exception), _) => Err(exception),
            (None, Some(Ok(value))) => {
                self.tell(py)?;
                Ok(value)
            }
            (None, Some(Err(error))) => {
                debug_assert!(error.family() != Family::Stopped, "nobody asked to stop");
                Err(raised_by_lab(py, &error))
            }
            (None, None) => Err(InternalError::new_err(match joined {
                Err(panic) => match panic.downcast_ref::<String>() {
                    Some(message) => format!("internal error: {message}; please report it"),
                    None => "internal error: a thread panicked; please report it".to_owned(),
                },
                Ok(()) => "internal error: the work ended without a result".to_owned(),
            })),
        }
    }

    fn tell(&self, py: Python<'_>) -> PyResult<()> {
        let Some(listener) = &self.listener else { return Ok(()) };
        let Standing { stage, done, total, n_documents } = &*self.standing;
        let Some(stage) = stage.load(Ordering::Relaxed).checked_sub(1) else { return Ok(()) };
        let told = [done, total, n_documents].map(|number| number.load(Ordering::Relaxed));
        listener.call1(py, (Stage::ALL[stage].name(), told[0], told[1], told[2])).map(|_| ())
    }
}

/// How far the work is.
#[derive(Default)]
struct Standing {
    /// Number of the stage, counted from 1.
    stage: AtomicUsize,
    done: AtomicU64,
    total: AtomicU64,
    n_documents: AtomicU64,
}

impl Progress for Standing {
    fn begin(&self, stage: Stage, total: u64) {
        let number = Stage::ALL.iter().position(|known| *known == stage).unwrap_or(0);
        self.stage.store(number + 1, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    fn at(&self, done: u64, n_documents: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.n_documents.fetch_max(n_documents, Ordering::Relaxed);
    }
}
