//! The word runs of documents as sorted sets: what decides whether a kept document covers another.
//!
//! Sets are made while documents are read, and held as far as the budget allows. Those of other
//! documents go to a scratch file, from where they are read when they are needed; after an interruption
//! they are made once more from the text. What was used last stays at hand.

use std::io;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use retold_core::candidates::probe::HeldRuns;
use retold_core::document::Ordinal;
use retold_core::scratch::Log;

use super::cache::{Cache, HeldBytes};
use super::library::Library;
use super::losses::Lost;
use super::scratch::ScratchDir;

/// What a document takes beside its runs.
const SLOT_BYTES: usize = size_of::<Box<[u64]>>() + 16;

/// Room for sets that are held, shared by all who read.
#[derive(Debug)]
pub(crate) struct Room {
    n_left: AtomicUsize,
}

impl Room {
    /// Makes room for so many bytes.
    pub(crate) fn new(n_bytes: usize) -> Self {
        Self { n_left: n_bytes.into() }
    }

    fn needed(n_runs: usize) -> usize {
        n_runs * size_of::<u64>() + SLOT_BYTES
    }

    /// Takes room for a set; false if there is none left.
    pub(crate) fn take(&self, n_runs: usize) -> bool {
        let take = |n_left: usize| n_left.checked_sub(Self::needed(n_runs));
        self.n_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    /// Gives back what a set of so many runs took.
    pub(crate) fn give(&self, n_runs: usize) {
        self.n_left.fetch_add(Self::needed(n_runs), Ordering::Relaxed);
    }
}

/// The runs of a document, and whether there is room to hold them.
#[derive(Debug)]
pub(crate) struct RunSet {
    pub(crate) runs: Box<[u64]>,
    pub(crate) is_held: bool,
}

/// Runs of the documents of a collection, each once and ascending, by ordinal.
#[derive(Debug)]
pub(crate) struct RunSets {
    /// Number of different runs of each document.
    sizes: Vec<u32>,
    /// Sets at hand; empty where there is none.
    held: Vec<Box<[u64]>>,
    /// Where the other sets lie; `NOWHERE` where there is none.
    places: Vec<u64>,
    filed: Log,
}

/// The place of a set that is not filed.
const NOWHERE: u64 = u64::MAX;

impl RunSets {
    /// Makes an empty collection, with so much memory for what goes to the scratch file.
    pub(crate) fn new(buffer_bytes: usize) -> Self {
        let (sizes, held, places) = (Vec::new(), Vec::new(), Vec::new());
        Self { sizes, held, places, filed: Log::new(buffer_bytes) }
    }

    /// Adds a document with the number of its runs, and its set if that was made; ordinals only grow.
    pub(crate) fn push(
        &mut self,
        doc: Ordinal,
        n_runs: u32,
        set: Option<RunSet>,
        scratch: &ScratchDir,
    ) -> io::Result<()> {
        self.sizes.resize(doc.index(), 0);
        self.sizes.push(n_runs);
        match set {
            Some(RunSet { runs, is_held: true }) => {
                self.held.resize_with(doc.index(), Box::default);
                self.held.push(runs);
            }
            Some(RunSet { runs, .. }) => {
                let mut bytes = Vec::with_capacity(runs.len() * size_of::<u64>());
                bytes.extend(runs.iter().flat_map(|run| run.to_le_bytes()));
                let at = self.filed.push(&bytes, scratch)?;
                self.places.resize(doc.index(), NOWHERE);
                self.places.push(at);
            }
            None => {}
        }
        Ok(())
    }

    /// Reads a set from the scratch file, if it is there.
    fn filed(&self, doc: Ordinal) -> io::Result<Option<Box<[u64]>>> {
        let place = self.places.get(doc.index()).copied().filter(|&place| place != NOWHERE);
        let Some(at) = place else { return Ok(None) };
        let mut bytes = Vec::new();
        self.filed.read(at, self.n_runs(doc) * size_of::<u64>(), &mut bytes)?;
        let runs = bytes.chunks_exact(size_of::<u64>());
        let runs = runs.map(|run| u64::from_le_bytes(run.try_into().expect("eight bytes")));
        Ok(Some(runs.collect()))
    }

    /// Returns the number of different runs of a document.
    pub(crate) fn n_runs(&self, doc: Ordinal) -> usize {
        self.sizes.get(doc.index()).map_or(0, |&n| n as usize)
    }

    /// Returns what gives out sets, and makes those that are missing.
    pub(crate) fn lending<'a>(
        &'a self,
        library: &'a Library<'a>,
        most_bytes: usize,
    ) -> Lending<'a> {
        Lending { sets: self, library, made: Cache::new(most_bytes) }
    }
}

impl HeldRuns for RunSets {
    fn held_runs(&self, doc: Ordinal) -> Option<&[u64]> {
        self.held.get(doc.index()).map(|runs| &**runs).filter(|runs| !runs.is_empty())
    }
}

/// Gives out sets of runs.
pub(crate) struct Lending<'a> {
    sets: &'a RunSets,
    library: &'a Library<'a>,
    made: Cache<Box<[u64]>>,
}

impl HeldBytes for Box<[u64]> {
    fn held_bytes(&self) -> usize {
        self.len() * 8
    }
}

/// The runs of a document.
pub(crate) enum Runs<'a> {
    Held(&'a [u64]),
    Made(Arc<Box<[u64]>>),
}

impl Deref for Runs<'_> {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::Held(runs) => runs,
            Self::Made(runs) => runs,
        }
    }
}

impl Lending<'_> {
    /// Returns the runs of a document.
    ///
    /// *Errors* if its text cannot be read again.
    pub(crate) fn runs(&self, doc: Ordinal) -> Result<Runs<'_>, Lost> {
        if let Some(runs) = self.sets.held_runs(doc) {
            return Ok(Runs::Held(runs));
        }
        if let Some(runs) = self.made.get(doc) {
            return Ok(Runs::Made(runs));
        }
        // What cannot be read from scratch is made once more.
        let filed = self.sets.filed(doc).ok().flatten();
        let runs = Arc::new(filed.map_or_else(|| self.library.runs(doc), Ok)?);
        self.made.put(doc, &runs);
        Ok(Runs::Made(runs))
    }
}
