//! How far a job is, for everybody who asks.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use retold::{BadRecord, Stage, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;

/// Remarks that are remembered.
const MOST_REMARKS: usize = 100;

/// Shortest time between two steps that are told.
const LEAST_PAUSE: Duration = Duration::from_millis(100);

/// How far a job is.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Progress {
    /// What it is doing: `reading`, `searching`, `comparing`, `reporting`, and so on.
    pub(crate) stage: String,
    /// How much of the stage is done, in its own unit.
    pub(crate) done: u64,
    /// How much there is; 0 if that is not known.
    pub(crate) total: u64,
    /// Documents that were read.
    pub(crate) documents: u64,
    /// Records that could not be read.
    pub(crate) bad_records: u64,
    /// The last remarks, such as why a record could not be read.
    pub(crate) remarks: VecDeque<String>,
}

/// One thing that happened to a job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Event {
    /// How the job stands.
    pub(crate) status: super::Status,
    /// How far it is, while it runs.
    pub(crate) progress: Option<Progress>,
}

/// A job that is running.
pub(super) struct Live {
    pub(super) stop: Stop,
    state: Mutex<(Progress, Instant)>,
    steps: watch::Sender<u64>,
}

impl Live {
    pub(super) fn new(stop: Stop) -> Self {
        let state = Mutex::new((Progress::default(), Instant::now()));
        Self { stop, state, steps: watch::channel(0).0 }
    }

    pub(super) fn progress(&self) -> Progress {
        self.state().0.clone()
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.steps.subscribe()
    }

    /// Tells everybody that it is over.
    pub(super) fn end(&self) {
        self.steps.send_modify(|step| *step += 1);
    }

    fn state(&self) -> MutexGuard<'_, (Progress, Instant)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, is_always_told: bool, change: impl FnOnce(&mut Progress)) {
        let mut state = self.state();
        change(&mut state.0);
        if is_always_told || state.1.elapsed() >= LEAST_PAUSE {
            state.1 = Instant::now();
            drop(state);
            self.steps.send_modify(|step| *step += 1);
        }
    }

    fn remark(&self, text: String) {
        self.change(false, |progress| {
            if progress.remarks.len() == MOST_REMARKS {
                progress.remarks.pop_front();
            }
            progress.remarks.push_back(text);
        });
    }

    pub(super) fn begin_stage(&self, name: &str, total: u64) {
        self.change(true, |progress| {
            name.clone_into(&mut progress.stage);
            (progress.done, progress.total) = (0, total);
        });
    }

    pub(super) fn step(&self, done: u64) {
        self.change(false, |progress| progress.done = done);
    }
}

impl retold::Progress for Live {
    fn begin(&self, stage: Stage, total: u64) {
        self.begin_stage(stage.name(), total);
    }

    fn at(&self, done: u64, n_documents: u64) {
        self.change(false, |progress| {
            progress.done = done;
            progress.documents = n_documents;
        });
    }

    fn bad(&self, record: &BadRecord) {
        self.change(false, |progress| progress.bad_records += 1);
        self.remark(record.to_string());
    }

    fn note(&self, text: &str) {
        self.remark(text.to_owned());
    }
}
