//! The word runs of documents as sorted sets: what decides whether a kept document covers another.
//!
//! Sets are made while documents are read, and held as far as the budget allows. Those of other
//! documents are made when they are needed: the text is read once more, and what was used last stays
//! at hand.

use std::ops::Deref;
use std::sync::Arc;

use retold_core::document::Ordinal;
use retold_read::BadRecord;

use super::cache::{Cache, HeldBytes};
use super::library::Library;

/// What a document takes beside its runs.
const SLOT_BYTES: usize = size_of::<Box<[u64]>>() + 16;

/// Runs of the documents of a collection, each once and ascending, by ordinal.
#[derive(Debug)]
pub(crate) struct RunSets {
    /// Number of different runs of each document.
    sizes: Vec<u32>,
    /// Sets at hand; empty where there is none.
    held: Vec<Box<[u64]>>,
    n_bytes: usize,
    most_bytes: usize,
}

impl RunSets {
    /// Makes an empty collection that holds at most about so many bytes of sets.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self { sizes: Vec::new(), held: Vec::new(), n_bytes: 0, most_bytes }
    }

    /// Adds the set of a document; ordinals only grow.
    pub(crate) fn push(&mut self, doc: Ordinal, runs: Box<[u64]>) {
        self.sizes.resize(doc.index(), 0);
        self.sizes.push(runs.len() as u32);
        let n_bytes = runs.len() * 8 + SLOT_BYTES;
        if self.n_bytes + n_bytes <= self.most_bytes {
            self.n_bytes += n_bytes;
            self.held.resize_with(doc.index(), Box::default);
            self.held.push(runs);
        }
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
    pub(crate) fn runs(&self, doc: Ordinal) -> Result<Runs<'_>, BadRecord> {
        if let Some(runs) = self.sets.held.get(doc.index()).filter(|runs| !runs.is_empty()) {
            return Ok(Runs::Held(runs));
        }
        if let Some(runs) = self.made.get(doc) {
            return Ok(Runs::Made(runs));
        }
        let runs = Arc::new(self.library.runs(doc)?);
        self.made.put(doc, &runs);
        Ok(Runs::Made(runs))
    }
}
