//! How a run tells what it is doing, and how it is asked to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use retold_read::BadRecord;

/// The stages of a run, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading files, making images; counted in bytes.
    Read,
    /// Making images once statistics are known; counted in documents.
    Image,
    /// Searching for candidates; not counted.
    Search,
    /// Comparing candidates; counted in pairs.
    Verify,
    /// Making clusters and writing tables; not counted.
    Report,
    /// Copying what is kept; counted in bytes.
    Copy,
    /// Making documents and finding out what is true of them; counted in documents, twice.
    Make,
}

impl Stage {
    /// Returns the name shown to people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "reading",
            Self::Image => "imaging",
            Self::Search => "searching",
            Self::Verify => "comparing",
            Self::Report => "reporting",
            Self::Copy => "copying",
            Self::Make => "making",
        }
    }
}

/// Hears of a run's progress. All methods may be called from any thread.
pub trait Progress: Sync {
    /// A stage begins; `total` is 0 if its length is not known.
    fn begin(&self, _stage: Stage, _total: u64) {}
    /// The stage stands at `done` of its total; `n_documents` were read so far.
    fn at(&self, _done: u64, _n_documents: u64) {}
    /// A record was skipped.
    fn bad(&self, _record: &BadRecord) {}
    /// Something worth knowing that is not an error.
    fn note(&self, _text: &str) {}
    /// The run is over.
    fn end(&self) {}
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// A wish to stop, shared between threads: a clone is the same wish.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Makes one that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the run to stop at the next safe place.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the run is asked to stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns the wish in the form that readers look at.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
