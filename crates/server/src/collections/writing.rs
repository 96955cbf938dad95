//! The thread that writes to a collection.
//!
//! Requests that come while it writes are made durable together: one flush to the disk for all of
//! them. After an error the writer is closed and opened again, which undoes whatever was half done.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use retold::{Arrival, Document, Index, IndexWriter, PutDone, Resources, Watch};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};

use super::Record;
use super::collection::{Published, Removed, open_watch};
use crate::disk::FreeSpace;
use crate::problem::{Code, Problem};

/// Documents that are made durable together, at most.
const MOST_TOGETHER: usize = 2_000;

/// Requests that wait for the thread.
const MOST_WAITING: usize = 256;

/// Writes to an index, plainly or as a stream.
pub(super) enum Writer {
    Plain(Box<IndexWriter>),
    Stream(Box<Watch>),
}

/// What became of documents that were written.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// One for each document, in order.
    pub(crate) done: Vec<Done>,
    /// What a stream says of each; empty if the collection is none.
    pub(crate) arrivals: Vec<Arrival>,
    /// Number of the state that has them.
    pub(crate) snapshot: u64,
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Done {
    /// It is new.
    Added,
    /// It took the place of another with its id.
    Replaced,
    /// It was there already, the same in every respect.
    Unchanged,
    /// It is older than the time window and was not kept.
    Late,
}

impl Writer {
    pub(super) fn open(path: &Path, record: &Record) -> Result<Self, Problem> {
        if let Some(watch) = open_watch(path, record)? {
            return Ok(Self::Stream(Box::new(watch)));
        }
        Ok(Self::Plain(Box::new(IndexWriter::open(path)?)))
    }

    pub(super) fn index(&mut self) -> Result<Index, Problem> {
        Ok(match self {
            Self::Plain(writer) => writer.index()?,
            Self::Stream(watch) => watch.index()?,
        })
    }

    /// Puts documents; they are durable after [`sync`](Self::sync).
    fn put(
        &mut self,
        documents: &[Document],
        resources: &Resources,
    ) -> Result<(Vec<Done>, Vec<Arrival>), Problem> {
        match self {
            Self::Plain(writer) => {
                let done = writer.put(documents, resources)?;
                let done = done.into_iter().map(|done| match done {
                    PutDone::Added => Done::Added,
                    PutDone::Replaced => Done::Replaced,
                    PutDone::Unchanged => Done::Unchanged,
                });
                Ok((done.collect(), Vec::new()))
            }
            Self::Stream(watch) => {
                let index = watch.index()?;
                let mut done = Vec::with_capacity(documents.len());
                let mut seen = std::collections::HashSet::new();
                for document in documents {
                    let is_again = !seen.insert(document.id.as_str());
                    done.push(match index.get(&document.id)? {
                        Some(stored) if !is_again && stored.document == *document => {
                            Done::Unchanged
                        }
                        None if !is_again => Done::Added,
                        _ => Done::Replaced,
                    });
                }
                let arrivals = watch.add_all(documents)?;
                for (done, arrival) in done.iter_mut().zip(&arrivals) {
                    if arrival.is_late {
                        *done = Done::Late;
                    }
                }
                Ok((done, arrivals))
            }
        }
    }

    fn sync(&mut self) -> Result<(), Problem> {
        match self {
            Self::Plain(writer) => Ok(writer.sync()?),
            // A stream makes its stories durable as it takes them.
            Self::Stream(_) => Ok(()),
        }
    }

    fn remove(&mut self, ids: &[String], is_purged: bool) -> Result<u64, Problem> {
        Ok(match self {
            Self::Plain(writer) if is_purged => writer.purge(ids)?,
            Self::Plain(writer) => writer.remove(ids)?,
            Self::Stream(watch) => watch.remove(ids, is_purged)?,
        })
    }
}

/// What the thread is asked to do.
enum Task {
    Put { documents: Vec<Document>, is_durable: bool, reply: Reply<Written> },
    Remove { ids: Vec<String>, is_purged: bool, reply: Reply<u64> },
}

type Reply<T> = oneshot::Sender<Result<T, Problem>>;

/// A way to the thread.
#[derive(Clone)]
pub(super) struct Sender(mpsc::Sender<Task>);

impl Sender {
    pub(super) async fn put(
        &self,
        documents: Vec<Document>,
        is_durable: bool,
    ) -> Result<Written, Problem> {
        let (reply, done) = oneshot::channel();
        self.send(Task::Put { documents, is_durable, reply }, done).await
    }

    pub(super) async fn remove(&self, ids: Vec<String>, is_purged: bool) -> Result<u64, Problem> {
        let (reply, done) = oneshot::channel();
        self.send(Task::Remove { ids, is_purged, reply }, done).await
    }

    async fn send<T>(
        &self,
        task: Task,
        done: oneshot::Receiver<Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let ended = || Problem::new(Code::ShuttingDown, "the collection is being closed");
        self.0.send(task).await.map_err(|_| ended())?;
        done.await.map_err(|_| ended())?
    }
}

/// The thread, as its collection knows it.
pub(super) struct WriterThread {
    sender: Sender,
    thread: JoinHandle<()>,
}

impl WriterThread {
    pub(super) fn start(
        writer: Writer,
        path: PathBuf,
        record: &Record,
        published: &Arc<Published>,
        free: Arc<FreeSpace>,
    ) -> Result<Self, Problem> {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        let work = Work {
            writer: Some(writer),
            path,
            record: record.clone(),
            published: Arc::clone(published),
            free,
            resources: Resources::new().threads(0),
        };
        let thread = Builder::new().name(format!("write {}", record.name));
        let thread = thread.spawn(move || work.run(receiver))?;
        Ok(Self { sender: Sender(sender), thread })
    }

    pub(super) fn sender(&self) -> Sender {
        self.sender.clone()
    }

    /// Lets the thread end when everything it was asked for is done, and waits for it.
    pub(super) fn join(self) {
        drop(self.sender);
        let _ = self.thread.join();
    }
}

/// What the thread has.
struct Work {
    /// None after an error, until it is opened again.
    writer: Option<Writer>,
    path: PathBuf,
    record: Record,
    published: Arc<Published>,
    free: Arc<FreeSpace>,
    resources: Resources,
}

impl Work {
    fn run(mut self, mut tasks: mpsc::Receiver<Task>) {
        let mut left: Option<Task> = None;
        while let Some(task) = left.take().or_else(|| tasks.blocking_recv()) {
            match task {
                Task::Remove { ids, is_purged, reply } => {
                    let removed = self.remove(&ids, is_purged);
                    let _ = reply.send(removed);
                }
                Task::Put { documents, is_durable, reply } => {
                    let mut n_documents = documents.len();
                    let mut group = vec![(documents, is_durable, reply)];
                    while n_documents < MOST_TOGETHER {
                        match tasks.try_recv() {
                            Ok(Task::Put { documents, is_durable, reply }) => {
                                n_documents += documents.len();
                                group.push((documents, is_durable, reply));
                            }
                            Ok(other) => {
                                left = Some(other);
                                break;
                            }
                            Err(_) => break,
                        }
                    }
                    self.put_group(group);
                }
            }
        }
    }

    fn writer(&mut self) -> Result<&mut Writer, Problem> {
        if self.writer.is_none() {
            self.writer = Some(Writer::open(&self.path, &self.record)?);
        }
        Ok(self.writer.as_mut().expect("it was just opened"))
    }

    /// Writes what several requests want, and answers them.
    fn put_group(&mut self, group: Vec<(Vec<Document>, bool, Reply<Written>)>) {
        let mut waiting = Vec::new();
        let mut failed: Option<Problem> = None;
        for (documents, is_durable, reply) in group {
            if failed.is_some() {
                waiting.push((None, reply));
                continue;
            }
            let resources = self.resources.clone();
            let put = self
                .free
                .check()
                .and_then(|()| self.writer())
                .and_then(|writer| writer.put(&documents, &resources));
            match put {
                Ok((done, arrivals)) => {
                    let written = Written { done, arrivals, snapshot: 0 };
                    if is_durable {
                        waiting.push((Some(written), reply));
                    } else {
                        let _ = reply.send(Ok(written));
                    }
                }
                Err(problem) => {
                    failed = Some(problem);
                    waiting.push((None, reply));
                }
            }
        }
        let settled = match failed {
            None => self.settle(),
            Some(problem) => Err(problem),
        };
        if settled.is_err() {
            // Opening it again undoes what is not durable.
            self.writer = None;
        }
        for (written, reply) in waiting {
            let answer = match (&settled, written) {
                (Ok(snapshot), Some(written)) => Ok(Written { snapshot: *snapshot, ..written }),
                (Ok(_), None) => Err(Problem::internal("a document was not written")),
                (Err(problem), _) => Err(problem.clone()),
            };
            let _ = reply.send(answer);
        }
    }

    fn remove(&mut self, ids: &[String], is_purged: bool) -> Result<u64, Problem> {
        let after = self.published.index().commit();
        let removed = self.writer()?.remove(ids, is_purged);
        let settled = removed.and_then(|n_removed| {
            if n_removed == 0 {
                return Ok(0);
            }
            let mut gone =
                self.published.removed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            gone.extend(ids.iter().map(|id| Removed { id: id.clone(), is_purged, after }));
            drop(gone);
            self.settle()?;
            Ok(n_removed)
        });
        if settled.is_err() {
            self.writer = None;
        }
        settled
    }

    /// Makes everything durable and shows it to readers; returns the number of the state.
    fn settle(&mut self) -> Result<u64, Problem> {
        let published = Arc::clone(&self.published);
        let writer = self.writer()?;
        writer.sync()?;
        let index = writer.index()?;
        let snapshot = index.commit();
        published.publish(index);
        Ok(snapshot)
    }
}
