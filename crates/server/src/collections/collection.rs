//! One collection: the state that readers see, and ways to its writer and its full-text index.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;

use retold::{Document, Index, Watch, WatchOptions};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;

use super::Record;
use super::full_text::{FullText, Ranked};
use super::writing::{Writer, WriterThread, Written};
use crate::disk::FreeSpace;
use crate::problem::{Code, Problem};
use crate::time::rfc3339;

/// One collection.
pub(crate) struct Collection {
    record: RwLock<Record>,
    path: PathBuf,
    published: Arc<Published>,
    writer: Mutex<Option<WriterThread>>,
    full_text: FullText,
    /// Documents whose erasure took longer than the request for it waits.
    erasing: Mutex<BTreeSet<String>>,
    /// When the manifest of an archive was last seen to change.
    seen: Mutex<Option<SystemTime>>,
}

/// A document that was removed.
pub(super) struct Removed {
    pub(super) id: String,
    /// Whether nothing of it may be left.
    pub(super) is_purged: bool,
    /// The state before; in the next one it is gone.
    pub(super) after: u64,
}

/// The state that readers see, and who hears of a new one.
pub(crate) struct Published {
    index: RwLock<Arc<Index>>,
    changed: watch::Sender<u64>,
    /// Documents that were removed and that the full-text index may still have.
    pub(super) removed: Mutex<Vec<Removed>>,
}

/// What an answer was searched in.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Searched {
    /// Documents that could have answered.
    pub(crate) documents: u64,
    /// The latest time of a document, if documents have times.
    pub(crate) newest: Option<String>,
    /// Number of the state: it grows with every change.
    pub(crate) snapshot: u64,
}

impl Searched {
    pub(crate) fn of(index: &Index) -> Self {
        Self {
            documents: index.n_documents(),
            newest: index.newest().map(rfc3339),
            snapshot: index.commit(),
        }
    }
}

impl Published {
    pub(super) fn index(&self) -> Arc<Index> {
        Arc::clone(&self.index.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn publish(&self, index: Index) {
        let commit = index.commit();
        *self.index.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(index);
        self.changed.send_replace(commit);
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }
}

impl Collection {
    /// Opens a collection whose folder is `folder`.
    pub(super) fn open(
        folder: &Path,
        record: Record,
        free: &Arc<FreeSpace>,
    ) -> Result<Self, Problem> {
        let path = record.archive.clone().unwrap_or_else(|| folder.join("index"));
        let (index, writer) = if record.archive.is_some() {
            (Index::open(&path)?, None)
        } else {
            let mut writer = Writer::open(&path, &record)?;
            (writer.index()?, Some(writer))
        };
        let (changed, _) = watch::channel(index.commit());
        let published = Arc::new(Published {
            index: RwLock::new(Arc::new(index)),
            changed,
            removed: Mutex::default(),
        });
        let writer = writer
            .map(|writer| {
                WriterThread::start(writer, path.clone(), &record, &published, Arc::clone(free))
            })
            .transpose()?;
        let full_text = FullText::start(&folder.join("full-text"), &published)?;
        Ok(Self {
            record: RwLock::new(record),
            path,
            published,
            writer: Mutex::new(writer),
            full_text,
            erasing: Mutex::default(),
            seen: Mutex::default(),
        })
    }

    pub(crate) fn record(&self) -> Record {
        self.record.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn name(&self) -> String {
        self.record.read().unwrap_or_else(PoisonError::into_inner).name.clone()
    }

    /// Returns where the index lies.
    pub(crate) fn path(&self) -> &PathBuf {
        &self.path
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.record.read().unwrap_or_else(PoisonError::into_inner).archive.is_some()
    }

    /// Returns the state that was published last.
    pub(crate) fn index(&self) -> Arc<Index> {
        self.published.index()
    }

    /// Hears of new states.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.published.subscribe()
    }

    /// Writes documents; they are durable and visible when it returns, unless `is_durable` is false.
    pub(crate) async fn put(
        &self,
        documents: Vec<Document>,
        is_durable: bool,
    ) -> Result<Written, Problem> {
        let sender = self.sender()?;
        sender.put(documents, is_durable).await
    }

    /// Removes documents by their ids; returns how many there were.
    ///
    /// *Errors* if nothing of them may be left, and something is after a while; the same call then waits on.
    pub(crate) async fn remove(&self, ids: Vec<String>, is_purged: bool) -> Result<u64, Problem> {
        let sender = self.sender()?;
        let n_removed = sender.remove(ids.clone(), is_purged).await?;
        if !is_purged {
            return Ok(n_removed);
        }
        let erased = self.full_text.wait_for(self.index().commit()).await;
        self.answered(ids, n_removed, erased)
    }

    /// Returns what is told of documents that were to be erased: who was told to ask again is told of them as who
    /// asked first would have been.
    pub(super) fn answered(
        &self,
        ids: Vec<String>,
        n_removed: u64,
        erased: Result<(), Problem>,
    ) -> Result<u64, Problem> {
        let mut erasing = self.erasing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(problem) = erased {
            if n_removed > 0 {
                erasing.extend(ids);
            }
            return Err(problem);
        }
        let n_asked = ids.iter().filter(|id| erasing.remove(*id)).count() as u64;
        Ok(n_removed.max(n_asked))
    }

    fn sender(&self) -> Result<super::writing::Sender, Problem> {
        if self.is_read_only() {
            let detail = format!("`{}` is an archive that lies elsewhere", self.name());
            return Err(Problem::new(Code::ReadOnly, detail));
        }
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = || Problem::new(Code::ShuttingDown, "the collection is being closed");
        writer.as_ref().map(WriterThread::sender).ok_or_else(ended)
    }

    /// Searches in words.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Result<Ranked, Problem> {
        self.full_text.search(query, limit)
    }

    /// Returns how many documents the full-text index has.
    pub(crate) fn n_searchable(&self) -> u64 {
        self.full_text.n_documents()
    }

    /// Publishes a new state of an archive if somebody has written to it.
    pub(super) fn refresh(&self) {
        let newest = self.last_change();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_some() && *seen == newest {
            return;
        }
        if let Ok(index) = Index::open(&self.path) {
            if index.commit() != self.index().commit() {
                self.published.publish(index);
            }
            *seen = newest;
        }
    }

    /// Returns when a file of the index was last written, made or removed.
    fn last_change(&self) -> Option<SystemTime> {
        let entries = std::fs::read_dir(&self.path).ok()?;
        let times = entries.flatten().filter_map(|entry| entry.metadata().ok()?.modified().ok());
        times.chain(self.path.metadata().and_then(|folder| folder.modified()).ok()).max()
    }

    /// Ends writing and waits until everything taken is durable.
    pub(super) fn close(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writer) = writer {
            writer.join();
        }
        self.full_text.close();
    }
}

/// Opens what writes to a stream.
pub(super) fn watch_options(record: &Record) -> Option<WatchOptions> {
    record.window.map(|seconds| WatchOptions {
        window: Some(seconds).into(),
        forgets: record.forgets,
        ..WatchOptions::default()
    })
}

/// Opens a stream that a collection keeps.
pub(super) fn open_watch(path: &Path, record: &Record) -> Result<Option<Watch>, Problem> {
    let options = watch_options(record);
    Ok(options.map(|options| Watch::open(path, options)).transpose()?)
}
