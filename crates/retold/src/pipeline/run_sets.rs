//! The word runs of documents as sorted sets: what decides whether a kept document covers another.
//!
//! Sets are made while documents are read, and held as far as the budget allows. Those of other
//! documents go to a scratch file. Small ones are read from there when they are needed, and what was used
//! last stays at hand; large ones are looked into ([`FiledRuns`]), or read once for many comparisons
//! ([`large_sets`](super::large_sets)). After an interruption sets are made once more from the text.
//!
//! Many small documents are compared with the same large ones, such as the items of a day with all of it,
//! and most of these comparisons fail. A large set at hand that was looked into for as long as it takes to make
//! one gets a filter, which refuses most of them without a look at the set ([`RunFilter`]).

use std::cell::RefCell;
use std::io;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use retold_core::candidates::probe::HeldRuns;
use retold_core::document::Ordinal;
use retold_core::scratch::Log;
use retold_core::verify::runs::{RunFilter, has, is_much_larger, n_common, n_sampled};

use super::cache::{Cache, HeldBytes};
use super::filed_runs::{Buffers, FiledRuns};
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

    /// Returns a set in the scratch file, if it is there.
    fn filed(&self, doc: Ordinal) -> Option<FiledRuns<'_>> {
        let place = self.places.get(doc.index()).copied().filter(|&place| place != NOWHERE)?;
        Some(FiledRuns::new(&self.filed, place, self.n_runs(doc)))
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
        let [made, filters] = [most_bytes / 4 * 3, most_bytes / 4];
        Lending {
            sets: self,
            library,
            made: Cache::new(made),
            filters: Cache::new(filters),
            n_looks: self.sizes.iter().map(|_| AtomicU8::new(0)).collect(),
            most_filter_bytes: filters / 16,
        }
    }
}

impl HeldRuns for RunSets {
    fn held_runs(&self, doc: Ordinal) -> Option<&[u64]> {
        self.held.get(doc.index()).map(|runs| &**runs).filter(|runs| !runs.is_empty())
    }
}

/// Runs up to which a set from scratch is read as a whole and kept at hand.
const MOST_KEPT: usize = 4_096;
/// Runs from which on a set may get a filter.
const LEAST_FILTERED: usize = 4_096;
/// Runs of which a filter is made in about the time that it takes to look a small set up.
const RUNS_PER_LOOK: usize = 4_096;

/// Gives out sets of runs, and says how many runs two of them have in common.
pub(crate) struct Lending<'a> {
    sets: &'a RunSets,
    library: &'a Library<'a>,
    /// Sets that were read from scratch, or made once more.
    made: Cache<Box<[u64]>>,
    filters: Cache<RunFilter>,
    /// How often each document was looked into since it had a filter, up to 255.
    n_looks: Vec<AtomicU8>,
    /// Larger filters than this would leave no room for others.
    most_filter_bytes: usize,
}

impl HeldBytes for Box<[u64]> {
    fn held_bytes(&self) -> usize {
        self.len() * size_of::<u64>()
    }
}

impl HeldBytes for RunFilter {
    fn held_bytes(&self) -> usize {
        Self::held_bytes(self)
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

thread_local! {
    /// Room that one comparison after the other takes.
    static ROOM: RefCell<(Vec<u64>, Buffers)> = RefCell::default();
}

impl<'a> Lending<'a> {
    /// Returns the runs of a document.
    ///
    /// *Errors* if its text cannot be read again.
    pub(crate) fn runs(&self, doc: Ordinal) -> Result<Runs<'_>, Lost> {
        if let Some(runs) = self.at_hand(doc) {
            return Ok(runs);
        }
        // What cannot be read from scratch is made once more.
        let filed = self.sets.filed(doc).and_then(|filed| filed.read().ok());
        let runs = Arc::new(filed.map_or_else(|| self.library.runs(doc), Ok)?);
        self.made.put(doc, &runs);
        Ok(Runs::Made(runs))
    }

    /// Returns the number of runs that a set has in common with that of a document, or `None` if it is
    /// below `least`.
    ///
    /// *Errors* if its text cannot be read again.
    pub(crate) fn n_common(
        &self,
        own: &[u64],
        other: Ordinal,
        least: usize,
    ) -> Result<Option<usize>, Lost> {
        ROOM.with_borrow_mut(|(passed, buffers)| {
            if let Some(filed) = self.unread(other)
                && let Ok(found) = filed.n_common(own, least, buffers)
            {
                return Ok(found);
            }
            let set = self.runs(other)?;
            Ok(match self.filter(other, &set, own.len()) {
                Some(filter) => filter.n_common(&set, own, least, passed),
                None => n_common(own, &set, least),
            })
        })
    }

    /// Returns how many of the first `n` runs of a set that of a document has, as [`n_sampled`] counts them.
    ///
    /// *Errors* if its text cannot be read again.
    pub(crate) fn n_sampled(&self, own: &[u64], n: usize, other: Ordinal) -> Result<usize, Lost> {
        if let Some(filed) = self.unread(other) {
            let n_held = ROOM
                .with_borrow_mut(|(_, buffers)| n_sampled(own, n, |run| filed.has(run, buffers)));
            if let Ok(n_held) = n_held {
                return Ok(n_held);
            }
        }
        let set = self.runs(other)?;
        let filter = self.filter(other, &set, own.len());
        n_sampled(own, n, |run| {
            Ok(filter.as_ref().map_or_else(|| has(&set, run), |filter| filter.has(&set, run)))
        })
    }

    /// Returns whether the set of a document is a large one on scratch, whatever is at hand.
    pub(super) fn is_on_scratch(&self, doc: Ordinal) -> bool {
        self.sets.n_runs(doc) > MOST_KEPT && self.sets.filed(doc).is_some()
    }

    /// Reads a large set from scratch, to be looked into many times; `None` if that cannot be.
    pub(super) fn read_once(&self, doc: Ordinal) -> Option<LargeSet> {
        let runs = self.sets.filed(doc)?.read().ok()?;
        Some(LargeSet { filter: RunFilter::new(&runs), runs })
    }

    /// Calls `each` with the first `n` runs of a document; `None` if they cannot be read.
    pub(super) fn with_first<T>(
        &self,
        doc: Ordinal,
        n: usize,
        each: impl FnOnce(&[u64]) -> T,
    ) -> Option<T> {
        if let Some(filed) = self.unread(doc) {
            return ROOM.with_borrow_mut(|(_, buffers)| {
                filed.first(n, buffers).ok()?;
                Some(each(&buffers.runs))
            });
        }
        let runs = self.runs(doc).ok()?;
        Some(each(&runs[..n.min(runs.len())]))
    }

    /// Returns a large set that lies on scratch and is not at hand.
    fn unread(&self, doc: Ordinal) -> Option<FiledRuns<'a>> {
        let is_large = self.sets.n_runs(doc) > MOST_KEPT;
        let filed = is_large.then(|| self.sets.filed(doc)).flatten()?;
        self.made.get(doc).is_none().then_some(filed)
    }

    fn at_hand(&self, doc: Ordinal) -> Option<Runs<'_>> {
        let held = self.sets.held_runs(doc).map(Runs::Held);
        held.or_else(|| self.made.get(doc).map(Runs::Made))
    }

    /// Returns the filter of a document whose set is at hand, for a set of so many runs: if it has one, or was
    /// looked into often enough to get one.
    fn filter(&self, doc: Ordinal, set: &Runs<'_>, n_own: usize) -> Option<Arc<RunFilter>> {
        let n_runs = set.len();
        // What is kept only for a while is not worth one.
        let may_have = n_runs >= LEAST_FILTERED
            && n_runs <= self.most_filter_bytes
            && is_much_larger(n_runs, n_own)
            && matches!(set, Runs::Held(_));
        if !may_have {
            return None;
        }
        if let Some(filter) = self.filters.get(doc) {
            return Some(filter);
        }
        let n_looks = &self.n_looks[doc.index()];
        let n_before = n_looks.load(Ordering::Relaxed);
        n_looks.store(n_before.saturating_add(1), Ordering::Relaxed);
        if n_before < u8::MAX && usize::from(n_before) * RUNS_PER_LOOK < n_runs {
            return None;
        }
        n_looks.store(0, Ordering::Relaxed);
        let filter = Arc::new(RunFilter::new(set));
        self.filters.put(doc, &filter);
        Some(filter)
    }
}

/// A large set that was read from scratch.
pub(super) struct LargeSet {
    runs: Box<[u64]>,
    filter: RunFilter,
}

impl LargeSet {
    /// Returns the number of runs that it has in common with another set, or `None` if it is below `least`.
    pub(super) fn n_common(
        &self,
        own: &[u64],
        least: usize,
        passed: &mut Vec<u64>,
    ) -> Option<usize> {
        self.filter.n_common(&self.runs, own, least, passed)
    }

    /// Returns how many of the first `n` runs of a set it has, as [`n_sampled`] counts them.
    pub(super) fn n_sampled(&self, own: &[u64], n: usize) -> usize {
        let has = |run| Ok::<_, std::convert::Infallible>(self.filter.has(&self.runs, run));
        let Ok(n_held) = n_sampled(own, n, has);
        n_held
    }
}
