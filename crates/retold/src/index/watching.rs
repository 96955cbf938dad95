//! A stream that an index keeps: it goes on after a restart where it stopped.

mod lines;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use retold_core::document::Document;
use retold_core::features::Words;
use retold_index::{Kept, Put};
use serde::{Deserialize, Serialize};

use self::lines::{Output, each_waiting};
use super::reading::Index;
use super::record::{Record, Streamed};
use super::writing::IndexWriter;
use crate::error::Error;
use crate::resources::Resources;
use crate::stream::{Arrival, Stream, Taken, TimeWindow, each_document};

/// How a stream is watched.
///
/// ```
/// use retold::WatchOptions;
/// assert_eq!(WatchOptions::default().name, "stream");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchOptions {
    /// Name of the stream: an index may keep several, each with its own window. The default is
    /// `stream`.
    pub name: String,
    /// Method of the index, by its name. The default is the first.
    pub method: Option<String>,
    /// Which times are compared.
    pub window: TimeWindow,
    /// Whether documents leave the index when they leave the window. The default is false: they stay
    /// for questions. An index that also holds documents which did not come through this stream is
    /// refused then, as these would go with the others.
    pub forgets: bool,
    /// Most stories that are made durable together. The default is 1,000.
    pub group: usize,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            name: "stream".to_owned(),
            method: None,
            window: TimeWindow::default(),
            forgets: false,
            group: 1_000,
        }
    }
}

/// Longest time that a story waits for others before it is made durable.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// Bytes of lines that a stream remembers, at most: with what JSON adds, a state holds them.
const MOST_LAST_BYTES: usize = 4 << 20;

/// A stream of documents that an index keeps.
///
/// Every story gets a number. What was told of a story is durable together with the story; a stream
/// that is opened again goes on behind the last of these. A call that fails takes none of its stories
/// that are not durable: they can be given to it again.
///
/// ```
/// use retold::{Document, IndexOptions, IndexWriter, Job, Watch, WatchOptions};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("wire.idx");
/// IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
/// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let mut watch = Watch::open(&path, WatchOptions::default())?;
/// assert_eq!(watch.add(&Document::plain("a", text))?.cluster, "a");
/// drop(watch);
/// let mut watch = Watch::open(&path, WatchOptions::default())?;
/// let arrival = watch.add(&Document::plain("b", text))?;
/// assert_eq!((arrival.seq, arrival.copy_of.as_deref()), (Some(2), Some("a")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Watch {
    writer: IndexWriter,
    number: usize,
    options: WatchOptions,
    stream: Stream,
    state: State,
    /// The newest time when old documents last left the index.
    forgotten_at: Option<i64>,
    words: Words,
}

/// What a stream remembers beside its documents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct State {
    /// Number of the last story.
    seq: u64,
    newest: Option<i64>,
    /// Stories taken from each input, by its name.
    #[serde(default)]
    inputs: BTreeMap<String, u64>,
    /// Bytes of each output that belong to stories up to `seq`.
    #[serde(default)]
    outputs: BTreeMap<String, u64>,
    /// What was told of the last stories, as lines of JSON, for whoever lost them.
    #[serde(default)]
    last: Vec<String>,
}

/// Where a stream comes from and where what is told of it goes.
///
/// ```
/// use retold::Following;
/// let following = Following { skips: true, ..Following::default() };
/// assert!(following.output.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Following {
    /// Whether stories that were taken from an input of the same name before are passed over: the
    /// input begins again from its start. The default is false.
    pub skips: bool,
    /// A file that a line of JSON is added to for each story. What a crash left in it of stories that
    /// come again is cut off. The default is none.
    pub output: Option<PathBuf>,
}

impl Watch {
    /// Opens a stream that an index keeps, or begins one.
    ///
    /// *Errors* if somebody else writes to the index, or if its method needs statistics that it does
    /// not have yet.
    pub fn open(path: impl AsRef<Path>, options: WatchOptions) -> Result<Self, Error> {
        Self::of(IndexWriter::open(path)?, options)
    }

    /// Begins or goes on with a stream in an index that is open.
    pub fn of(mut writer: IndexWriter, options: WatchOptions) -> Result<Self, Error> {
        let index = writer.index()?;
        let number = index.method_number(options.method.as_deref())?;
        let method = &writer.methods[number];
        if method.waits_for_counts() {
            return Err(Error::NeedsTable(method.job.method.clone()));
        }
        let mut stream = Stream::with_counts(&method.job, options.window, method.counts.clone())?;
        let state = state_of(&writer, &options.name)?;
        let oldest = match (state.newest, options.window.seconds) {
            (Some(newest), Some(seconds)) => newest.saturating_sub(seconds),
            _ => i64::MIN,
        };
        for doc in index.snapshot.ordinals() {
            let stored = index.stored(index.snapshot.record(doc))?;
            let is_old = stored.time.is_some_and(|time| time < oldest);
            if is_old && !options.forgets {
                continue;
            }
            let streamed = Record::from_bytes(&stored.record)?.streamed;
            let own = streamed.filter(|streamed| streamed.stream == options.name);
            if own.is_none() && options.forgets {
                let index = index.path().to_owned();
                return Err(Error::OtherDocuments { index, id: stored.id });
            }
            if let Some(own) = own
                && !is_old
            {
                stream.restore(&index.document_at(doc)?, stored.time, own.told);
            }
        }
        stream.move_to(state.newest);
        stream.settle();
        let forgotten_at = state.newest;
        Ok(Self { writer, number, options, stream, state, forgotten_at, words: Words::default() })
    }

    /// Returns the number of the last story.
    pub fn seq(&self) -> u64 {
        self.state.seq
    }

    /// Returns the number of stories in the window.
    pub fn len(&self) -> usize {
        self.stream.len()
    }

    /// Returns whether the window is empty.
    pub fn is_empty(&self) -> bool {
        self.stream.is_empty()
    }

    /// Returns what was told of the last stories that were made durable together, of those behind a
    /// number: lines of JSON, for whoever may have lost them.
    pub fn last_told(&self, after: u64) -> Vec<String> {
        let n_last = self.state.last.len() as u64;
        let first = self.state.seq.saturating_sub(n_last) + 1;
        let lines = self.state.last.iter().zip(first..);
        lines.filter(|(_, seq)| *seq > after).map(|(line, _)| line.clone()).collect()
    }

    /// Takes a story and makes it durable.
    pub fn add(&mut self, document: &Document) -> Result<Arrival, Error> {
        let arrivals = self.add_all(std::slice::from_ref(document))?;
        Ok(arrivals.into_iter().next().expect("one for each story"))
    }

    /// Takes several stories and makes them durable together, all or none.
    pub fn add_all(&mut self, documents: &[Document]) -> Result<Vec<Arrival>, Error> {
        let arrivals: Result<Vec<Arrival>, Error> =
            documents.iter().map(|document| self.take(document)).collect();
        let settled = arrivals.and_then(|arrivals| {
            self.settle(arrivals.iter().map(line).collect())?;
            Ok(arrivals)
        });
        self.or_take_back(settled)
    }

    /// Returns the index as it is now.
    pub fn index(&mut self) -> Result<Index, Error> {
        self.writer.index()
    }

    /// Removes documents by their ids, from the window and from the index; returns how many there
    /// were. With `is_purged` they are erased from all files.
    pub fn remove(&mut self, ids: &[impl AsRef<str>], is_purged: bool) -> Result<u64, Error> {
        let n_removed =
            if is_purged { self.writer.purge(ids)? } else { self.writer.remove(ids)? };
        for id in ids {
            self.stream.forget(id.as_ref());
        }
        self.stream.settle();
        Ok(n_removed)
    }

    /// After an error, takes back all that is not durable: neither the index nor the window knows it
    /// any more.
    fn or_take_back<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        if result.is_err() {
            self.stream.undo();
            // A writer that cannot go back is poisoned, and takes nothing more.
            if self.writer.writer.roll_back().is_ok() {
                self.state = state_of(&self.writer, &self.options.name)?;
            }
        }
        result
    }

    /// Follows documents in the order of the inputs and hands over what is told of each, once it is
    /// durable.
    ///
    /// Stories are made durable in groups. A story of standard input waits for others at most as long
    /// as none is there to be read.
    pub fn follow(
        &mut self,
        paths: &[PathBuf],
        following: &Following,
        resources: &Resources,
        each: &mut dyn FnMut(&Arrival) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let followed = self.follow_all(paths, following, resources, each);
        self.or_take_back(followed)
    }

    fn follow_all(
        &mut self,
        paths: &[PathBuf],
        following: &Following,
        resources: &Resources,
        each: &mut dyn FnMut(&Arrival) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut output = match &following.output {
            None => None,
            Some(path) => Some(Output::open(path, &self.state.outputs)?),
        };
        let (options, is_strict) = (self.writer.read.clone(), self.writer.is_strict);
        let mut n_documents = 0;
        for path in paths {
            let name = path.to_string_lossy().into_owned();
            let n_before = self.state.inputs.get(&name).copied().unwrap_or(0);
            let mut n_seen = if following.skips { 0 } else { n_before };
            let mut waiting: Vec<Arrival> = Vec::new();
            let (mut lines, mut n_bytes): (Vec<String>, usize) = (Vec::new(), 0);
            let mut since = Instant::now();
            let group = self.options.group.max(1);
            let mut take = |document: Option<Document>| -> Result<(), Error> {
                if let Some(document) = document {
                    n_seen += 1;
                    if n_seen <= n_before {
                        return Ok(());
                    }
                    if waiting.is_empty() {
                        since = Instant::now();
                    }
                    waiting.push(self.take(&document)?);
                    lines.extend(waiting.last().map(line));
                    n_bytes += lines.last().map_or(0, String::len);
                    self.state.inputs.insert(name.clone(), n_seen);
                    n_documents += 1;
                    let is_small = waiting.len() < group && n_bytes < MOST_LAST_BYTES / 2;
                    if is_small && since.elapsed() < LONGEST_WAIT {
                        return Ok(());
                    }
                }
                if waiting.is_empty() {
                    return Ok(());
                }
                // Lines go out before the stories are durable, and are cut off if these come again.
                if let Some(output) = &mut output {
                    let n_bytes = output.write(&lines)?;
                    self.state.outputs.insert(output.name.clone(), n_bytes);
                    // Who has a file of lines loses none.
                    lines.clear();
                }
                n_bytes = 0;
                self.settle(std::mem::take(&mut lines))?;
                waiting.drain(..).try_for_each(|arrival| each(&arrival))
            };
            if path.as_os_str() == "-" {
                each_waiting(&options, is_strict, resources, group, &mut take)?;
            } else {
                let path = std::slice::from_ref(path);
                each_document(path, &options, is_strict, resources, &mut |document| {
                    take(Some(document))
                })?;
            }
            take(None)?;
        }
        if resources.stop.is_set() {
            return Err(Error::StoppedFollowing { n_documents });
        }
        Ok(())
    }

    /// Takes a story; it is durable after the next [`settle`](Self::settle).
    fn take(&mut self, document: &Document) -> Result<Arrival, Error> {
        let (mut arrival, taken) = self.stream.take(document);
        self.state.seq += 1;
        arrival.seq = Some(self.state.seq);
        self.state.newest = self.stream.newest();
        if !taken.is_late {
            // A story that comes again under its id takes the place of the earlier one.
            self.stream.forget_earlier(&document.id);
            arrival.n_live = self.stream.len() as u64;
            let put = self.put(document, taken);
            let outcome = self.writer.writer.put(put);
            self.writer.stored(outcome)?;
        }
        Ok(arrival)
    }

    fn put(&mut self, document: &Document, taken: Taken) -> Put {
        let Taken { time, words_hash, image, told, is_late: _ } = taken;
        let mut record = Record::of(document, None);
        record.streamed = Some(Streamed { stream: self.options.name.clone(), told });
        let mut methods = Vec::with_capacity(self.writer.methods.len());
        for (number, method) in self.writer.methods.iter().enumerate() {
            methods.push(if number == self.number {
                let entry = image.as_deref().and_then(|image| method.detector.entry(image));
                Some(Kept { identity: words_hash, entry })
            } else {
                Some(method.kept(document, &mut self.words))
            });
        }
        let text = document.text.clone().into_bytes();
        Put { id: document.id.clone(), time, record: record.to_bytes(), text, methods }
    }

    /// Makes everything durable that was taken, with what was told of it.
    fn settle(&mut self, told: Vec<String>) -> Result<(), Error> {
        self.state.last = last_of(told);
        let state = serde_json::to_vec(&self.state).expect("a state is plain data");
        let name = state_name(&self.options.name);
        let set = self.writer.writer.set_state(&name, Some(&state));
        self.writer.stored(set)?;
        self.writer.commit()?;
        self.stream.settle();
        match self.tidy_up() {
            // The stories are durable; it is tried again with the next ones.
            Err(Error::Index { source, .. }) if source.is_no_space() => Ok(()),
            other => other,
        }
    }

    /// Lets old documents leave and parts be merged.
    fn tidy_up(&mut self) -> Result<(), Error> {
        if self.options.forgets
            && let (Some(newest), Some(seconds)) = (self.state.newest, self.options.window.seconds)
        {
            // Not at every step: documents leave together, whole parts at a time.
            let moved = newest.saturating_sub(self.forgotten_at.unwrap_or(i64::MIN));
            if moved >= (seconds / 8).max(1) {
                self.writer.expire(newest.saturating_sub(seconds))?;
                self.forgotten_at = Some(newest);
            }
        }
        self.writer.merge_beside()
    }
}

/// Returns the name under which an index keeps the state of a stream.
fn state_name(stream: &str) -> String {
    format!("stream:{stream}")
}

/// Reads the state of a stream, as it was set last.
fn state_of(writer: &IndexWriter, stream: &str) -> Result<State, Error> {
    match writer.writer.state(&state_name(stream)) {
        None => Ok(State::default()),
        Some(bytes) => serde_json::from_slice(bytes).map_err(|error| Error::NotReadable {
            path: writer.path.clone(),
            reason: format!("the state of stream `{stream}` cannot be read: {error}"),
        }),
    }
}

/// Returns what is told of a story as a line of JSON.
fn line(arrival: &Arrival) -> String {
    serde_json::to_string(arrival).expect("an arrival is plain data")
}

/// Returns the last lines of those told, as many as a state may hold.
fn last_of(mut told: Vec<String>) -> Vec<String> {
    let mut n_bytes = 0;
    let is_small = |line: &&String| {
        n_bytes += line.len();
        n_bytes <= MOST_LAST_BYTES
    };
    let n_kept = told.iter().rev().take_while(is_small).count();
    told.split_off(told.len() - n_kept)
}

#[cfg(test)]
mod tests;
