//! The one who changes an index.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use retold_index::{Folder, MergedPart, Settings, Writer};
use retold_read::ReadOptions;
use serde::Serialize;

use super::methods::{About, IndexMethod, MethodAbout, TextStorage};
use super::reading::{Index, about, methods_of};
use crate::error::Error;
use crate::job::Job;
use crate::pipeline::budget::process_bytes;

/// How an index is made.
///
/// ```
/// use retold::{IndexOptions, TextStorage};
/// assert_eq!(IndexOptions::default().texts, TextStorage::Stored);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexOptions {
    /// Where texts are. The default is in the index.
    pub texts: TextStorage,
}

/// What left an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Expired {
    /// Documents.
    pub n_documents: u64,
    /// Parts that went whole.
    pub n_parts: u64,
}

/// Changes an index. There is one writer at a time; readers go on meanwhile.
///
/// What a call has taken is on stable storage when the call returns.
///
/// ```
/// use retold::{Document, Documents, Index, IndexOptions, IndexWriter, Job, Resources};
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("archive.idx");
/// let mut writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
/// let documents = || Documents::new(vec![Document::plain("a", "some text")]);
/// assert_eq!(writer.add(documents(), &Resources::new())?.n_added, 1);
/// assert_eq!(writer.add(documents(), &Resources::new())?.n_unchanged, 1);
/// assert!(IndexWriter::open(&path).is_err(), "there is one writer at a time");
/// assert_eq!(writer.remove(&["a"])?, 1);
/// assert_eq!(Index::open(&path)?.n_documents(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct IndexWriter {
    pub(super) path: PathBuf,
    pub(super) writer: Writer,
    pub(super) about: About,
    pub(super) methods: Arc<[IndexMethod]>,
    /// How sources are read.
    pub(super) read: ReadOptions,
    /// Whether the first bad record ends an addition.
    pub(super) is_strict: bool,
    /// A merge that goes on beside.
    merging: Option<JoinHandle<Merged>>,
}

/// What became of a merge.
type Merged = Result<MergedPart, retold_index::Error>;

/// Bytes that a process needs to write to an index: up to 64 MiB of documents wait for their part.
const LEAST_BYTES: u64 = 112 << 20;

impl IndexWriter {
    /// Makes an empty index in a folder that does not exist or is empty, for one method or several.
    ///
    /// Of each job counts what may change an image or a verdict: method, profile, parameters, text
    /// settings, seed, who decides.
    ///
    /// *Errors* if there is something already, or if a job cannot be run.
    pub fn create(
        path: impl AsRef<Path>,
        jobs: &[Job],
        options: &IndexOptions,
    ) -> Result<Self, Error> {
        let path = path.as_ref();
        if jobs.is_empty() {
            return Err(Error::NoMethod);
        }
        let mut methods: Vec<MethodAbout> = Vec::new();
        for job in jobs {
            job.check()?;
            if methods.iter().any(|other| other.job.method == job.method) {
                return Err(Error::MethodTwice(job.method.clone()));
            }
            methods.push(MethodAbout::new(job.clone()));
        }
        let about =
            About { version: env!("CARGO_PKG_VERSION").to_owned(), methods, texts: options.texts };
        let methods = about.methods.iter().map(|method| IndexMethod::new(method, None));
        let methods: Vec<IndexMethod> = methods.collect::<Result<_, Error>>()?;
        let disk = Arc::new(Folder::create(path).map_err(Error::io("create", path))?);
        let writer = Writer::create(disk, settings(&about)).map_err(Error::index(path))?;
        Ok(Self::new(path, writer, about, methods.into()))
    }

    /// Opens an index for writing. What a crash left half done is undone.
    ///
    /// *Errors* if another process writes to it, or if this one may not have the memory for it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        if let Some(given) = process_bytes().filter(|&bytes| bytes < LEAST_BYTES) {
            let what = "what is written to an index".to_owned();
            return Err(Error::ProcessMemory { what, needed: LEAST_BYTES, given });
        }
        let disk = Arc::new(Folder::open(path).map_err(Error::io("open", path))?);
        let mut writer = Writer::open(disk).map_err(Error::index(path))?;
        let snapshot = writer.snapshot().map_err(Error::index(path))?;
        let about = about(path, &snapshot)?;
        let methods: Arc<[IndexMethod]> = methods_of(path, &about, &snapshot)?.into();
        Ok(Self::new(path, writer, about, methods))
    }

    pub(super) fn new(
        path: &Path,
        writer: Writer,
        about: About,
        methods: Arc<[IndexMethod]>,
    ) -> Self {
        let job = methods.first().map(|method| method.job.clone()).unwrap_or_default();
        let (read, is_strict) = (job.read_options(), job.strict);
        Self { path: path.to_owned(), writer, about, methods, read, is_strict, merging: None }
    }

    /// Returns how sources are read; the default is as the job says that the index was made with.
    pub fn read_options(&self) -> &ReadOptions {
        &self.read
    }

    /// Sets how sources are read.
    pub fn set_read_options(&mut self, read: ReadOptions) {
        self.read = read;
    }

    /// Sets whether the first record that is no document ends an addition; the default is as the job
    /// says that the index was made with.
    pub fn set_strict(&mut self, is_strict: bool) {
        self.is_strict = is_strict;
    }

    /// Returns the index as it is now.
    pub fn index(&mut self) -> Result<Index, Error> {
        let snapshot = self.writer.snapshot().map_err(Error::index(&self.path))?;
        Index::of(self.path.clone(), snapshot, Some(Arc::clone(&self.methods)))
    }

    /// Removes documents by their ids; returns how many there were.
    pub fn remove(&mut self, ids: &[impl AsRef<str>]) -> Result<u64, Error> {
        let mut n_removed = 0;
        for id in ids {
            let removed = self.writer.remove(id.as_ref());
            n_removed += u64::from(self.stored(removed)?);
        }
        self.commit()?;
        Ok(n_removed)
    }

    /// Removes documents and erases them: afterwards no file of the index holds anything of them.
    /// Every part that held one is written anew. Returns how many there were.
    pub fn purge(&mut self, ids: &[impl AsRef<str>]) -> Result<u64, Error> {
        self.finish_merges()?;
        let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
        let purged = self.writer.purge(&ids);
        Ok(self.stored(purged)?.n_documents)
    }

    /// Removes documents from before a time, in seconds since 1970; those without a time stay.
    pub fn expire(&mut self, before: i64) -> Result<Expired, Error> {
        let expired = self.writer.expire(before);
        let expired = self.stored(expired)?;
        Ok(Expired { n_documents: expired.n_documents, n_parts: expired.n_parts_dropped as u64 })
    }

    /// Merges all parts to one.
    pub fn merge(&mut self) -> Result<(), Error> {
        self.finish_merges()?;
        let merged = self.writer.merge_all();
        self.stored(merged)
    }

    /// Makes everything durable that was taken.
    pub(super) fn commit(&mut self) -> Result<u64, Error> {
        let committed = self.writer.commit();
        self.stored(committed)
    }

    /// Lets parts be merged on another thread while there are too many small ones: puts what is done
    /// in its place and begins the next.
    pub(super) fn merge_beside(&mut self) -> Result<(), Error> {
        if self.merging.as_ref().is_some_and(|merging| !merging.is_finished()) {
            return Ok(());
        }
        self.end_merge()?;
        if let Some(job) = self.writer.plan_merge() {
            let thread = std::thread::Builder::new().name("merge".to_owned());
            let started = thread.spawn(move || job.run());
            self.merging = Some(started.map_err(Error::io("start a thread for", &self.path))?);
        }
        Ok(())
    }

    /// Merges parts until there are not too many small ones.
    pub(super) fn finish_merges(&mut self) -> Result<(), Error> {
        self.end_merge()?;
        let maintained = self.writer.maintain();
        self.stored(maintained).map(|_| ())
    }

    /// Waits for the merge that goes on beside, if there is one, and puts its result in place.
    fn end_merge(&mut self) -> Result<(), Error> {
        let Some(merging) = self.merging.take() else { return Ok(()) };
        let merged =
            merging.join().map_err(|_| Error::Internal("a merge of parts panicked".to_owned()))?;
        let merged = self.stored(merged)?;
        let installed = self.writer.install(merged);
        self.stored(installed).map(|_| ())
    }

    pub(super) fn stored<T>(&self, result: Result<T, retold_index::Error>) -> Result<T, Error> {
        result.map_err(Error::index(&self.path))
    }
}

/// Returns what the storage is told of an index.
pub(super) fn settings(about: &About) -> Settings {
    let json = serde_json::to_value(about).expect("settings are plain data");
    Settings::new(json, about.methods.len())
}
