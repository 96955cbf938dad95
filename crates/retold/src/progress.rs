//! How a run tells what it is doing, and how it is asked to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use retold_read::BadRecord;

/// The stages of a run, in order.
///
/// ```
/// assert_eq!(retold::Stage::Verify.name(), "comparing");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Reading files, making images; counted in bytes.
    Read,
    /// Making images once statistics are known; counted in documents.
    Image,
    /// Searching for candidates; counted in documents, and not at all where an index is searched.
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
    /// All stages.
    pub const ALL: [Self; 7] =
        [Self::Read, Self::Image, Self::Search, Self::Verify, Self::Report, Self::Copy, Self::Make];

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
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use retold::{Document, Documents, Find, Nothing, Progress};
///
/// #[derive(Default)]
/// struct Counting(AtomicU64);
/// impl Progress for Counting {
///     fn at(&self, _done: u64, n_documents: u64) {
///         self.0.fetch_max(n_documents, Ordering::Relaxed);
///     }
/// }
///
/// let counting = Arc::new(Counting::default());
/// let documents = Documents::new(vec![Document::plain("a", "some text")]);
/// Find::new(documents).progress(Arc::clone(&counting)).run(&mut Nothing)?;
/// assert_eq!(counting.0.load(Ordering::Relaxed), 1);
/// # Ok::<(), retold::Error>(())
/// ```
pub trait Progress: Send + Sync {
    /// A stage begins; `total` is 0 if its length is not known.
    fn begin(&self, _stage: Stage, _total: u64) {}
    /// The stage stands at `done` of its total; `n_documents` were read so far.
    fn at(&self, _done: u64, _n_documents: u64) {}
    /// So many documents were found to be duplicates so far, where that is known on the way: `dedup`
    /// tells it.
    fn duplicates(&self, _n_duplicates: u64) {}
    /// So many stretches were struck so far: `dedup` below the document tells it.
    fn strikes(&self, _n_strikes: u64) {}
    /// A record was skipped.
    fn bad(&self, _record: &BadRecord) {}
    /// Something worth knowing that is not an error.
    fn note(&self, _text: &str) {}
    /// The run is over.
    fn end(&self) {}
}

impl<T: Progress + ?Sized> Progress for Arc<T> {
    fn begin(&self, stage: Stage, total: u64) {
        (**self).begin(stage, total);
    }
    fn at(&self, done: u64, n_documents: u64) {
        (**self).at(done, n_documents);
    }
    fn duplicates(&self, n_duplicates: u64) {
        (**self).duplicates(n_duplicates);
    }
    fn strikes(&self, n_strikes: u64) {
        (**self).strikes(n_strikes);
    }
    fn bad(&self, record: &BadRecord) {
        (**self).bad(record);
    }
    fn note(&self, text: &str) {
        (**self).note(text);
    }
    fn end(&self) {
        (**self).end();
    }
}

/// Hears nothing.
///
/// ```
/// use retold::{Resources, Silent};
/// let resources = Resources::new().progress(Silent);
/// # let _ = resources;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}

/// A wish to stop, shared between threads: a clone is the same wish.
///
/// ```
/// use retold::{Document, Documents, Find, Nothing, Stop};
///
/// let stop = Stop::new();
/// stop.set(); // from another thread, or a handler of Ctrl-C
/// let job = Find::new(Documents::new(vec![Document::plain("a", "some text")])).stop(&stop);
/// let error = job.run(&mut Nothing).unwrap_err();
/// assert_eq!(error.family(), retold::Family::Stopped);
/// ```
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
    ///
    /// ```
    /// let stop = retold::Stop::new();
    /// let the_same = stop.clone();
    /// the_same.set();
    /// assert!(stop.is_set());
    /// ```
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns the switch behind the wish, for code that takes a plain flag, such as a `Reader`.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
