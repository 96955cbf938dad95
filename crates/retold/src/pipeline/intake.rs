//! The first look: every document is read once, cleaned, cut into words and imaged.
//!
//! Threads take batches from the reader, work on them alone, and hand the results over in the
//! order of the batches: documents get their ordinals, copies are collapsed and images inserted
//! as if one thread had done it all.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

use retold_core::candidates::Candidates;
use retold_core::clean::language;
use retold_core::document::{Document, Ordinal};
use retold_core::features::{Featurizer, identity};
use retold_core::methods::{AnyImage, Detector};
use retold_read::{BadRecord, FileDigest, Place, Reader};

use super::collection::{Collection, Entry, rank_of};
use super::library::Texts;
use super::parallel::Pool;
use super::spool::SpoolWriter;
use crate::error::Error;
use crate::progress::{Progress, Stage, Stop};
use crate::settings::Settings;

/// Everything known after the first look.
pub(crate) struct Taken {
    pub(crate) collection: Collection,
    pub(crate) candidates: Box<dyn Candidates<AnyImage>>,
    pub(crate) texts: Texts,
    pub(crate) digests: Vec<FileDigest>,
    /// Names of the files, by index.
    pub(crate) files: Vec<String>,
    /// Documents by file.
    pub(crate) n_per_file: Vec<u64>,
    /// Bad records by name of file.
    pub(crate) bad_by_file: BTreeMap<String, u64>,
    pub(crate) bad: Vec<BadRecord>,
    pub(crate) n_bad: u64,
}

/// Bad records kept for the manifest; all are counted.
pub(crate) const MOST_BAD: usize = 1_000;

/// A document after a thread has looked at it.
struct Seen {
    entry: Entry,
    words_hash: u128,
    n_bytes: u64,
    image: Option<AnyImage>,
    /// The text, if it has to go to the scratch file.
    text: Option<String>,
}

/// Looks at documents: what a thread needs.
pub(crate) struct Look<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) detector: &'a dyn Detector,
    pub(crate) featurizer: &'a Featurizer,
}

impl Look<'_> {
    fn at(&self, document: Document, place: Place, words: &mut Vec<u64>) -> Seen {
        let (extent, is_cut) = self.featurizer.hashes(&document, words);
        let image = (!self.detector.is_too_short(words.len())).then(|| self.detector.image(words));
        let is_spooled = place.again.is_none();
        let language = if self.settings.detect_language && document.language.is_none() {
            language::detect(&document.text).map(|found| found.code().into())
        } else {
            document.language.as_deref().map(Into::into)
        };
        let rank = rank_of(&document, &self.settings.keep);
        Seen {
            words_hash: identity(words, &document.text),
            n_bytes: document.text.len() as u64,
            image,
            entry: Entry {
                id: document.id.into(),
                place,
                spooled: None,
                markup: document.markup,
                language,
                n_words: words.len() as u32,
                extent,
                text_hash: retold_core::hash::bytes(document.text.as_bytes(), 0),
                is_cut,
                copy_of: None,
                rank,
            },
            text: is_spooled.then_some(document.text),
        }
    }
}

/// Reads a collection.
pub(crate) fn take(
    reader: Reader,
    look: &Look<'_>,
    pool: &Pool,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Taken, Error> {
    let total = reader.files().iter().map(|file| file.bytes).sum();
    progress.begin(Stage::Read, total);
    let files: Vec<String> = reader.files().iter().map(|file| file.name.clone()).collect();
    let again = retold_read::Again::new(reader.files(), &look.settings.read_options());
    let reader = Mutex::new(reader);
    let desk = Desk::new(look, files.len(), pool.n_threads());
    pool.on_all(|| {
        let mut words = Vec::new();
        while !stop.is_set() && !desk.is_closed() {
            let (batch, bytes_read) = {
                let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
                (reader.next_batch(), reader.bytes_read())
            };
            let Some(batch) = batch else { break };
            let sequence = batch.sequence();
            let mut items = Vec::new();
            batch.parse(&mut |record| {
                items.push(match record {
                    Ok(record) => Ok(look.at(record.document, record.place, &mut words)),
                    Err(bad) => {
                        progress.bad(&bad);
                        Err(bad)
                    }
                });
            });
            let n_documents = desk.hand_over(sequence, items, stop);
            progress.at(bytes_read, n_documents);
        }
        desk.wake();
    });
    let state = desk.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if stop.is_set() {
        let n_documents = state.collection.len() as u64;
        return Err(Error::Stopped { stage: Stage::Read.name(), n_documents });
    }
    if let Some(error) = state.error {
        return Err(error);
    }
    let reader = reader.into_inner().unwrap_or_else(PoisonError::into_inner);
    let spool = match state.spool {
        Some(spool) => spool,
        None => SpoolWriter::new(look.settings.scratch.as_deref()).map_err(scratch_error(look))?,
    };
    let spool = spool.finish().map_err(scratch_error(look))?;
    let mut collection = state.collection;
    collection.seal();
    Ok(Taken {
        collection,
        candidates: state.candidates,
        texts: Texts::Files { again: Box::new(again), spool },
        digests: reader.digests(),
        files,
        n_per_file: state.n_per_file,
        bad_by_file: state.bad_by_file,
        bad: state.bad,
        n_bad: state.n_bad,
    })
}

/// Takes documents that are in memory already.
pub(crate) fn take_documents(documents: Vec<Document>, look: &Look<'_>, pool: &Pool) -> Taken {
    let mut state = State::new(look, 1);
    // In slices, so that images of the whole collection never wait in line.
    for (n_slice, slice) in documents.chunks(4096).enumerate() {
        let numbered: Vec<(usize, &Document)> = slice.iter().enumerate().collect();
        let seen = pool.map(&numbered, |&(i, document)| {
            let record = (n_slice * 4096 + i) as u64;
            let place = Place { file: 0, record, again: Some(0..0) };
            look.at(document.clone(), place, &mut Vec::new())
        });
        for seen in seen {
            state.add(Ok(seen), look);
        }
    }
    state.collection.seal();
    Taken {
        collection: state.collection,
        candidates: state.candidates,
        texts: Texts::Memory(documents),
        digests: Vec::new(),
        files: vec!["memory".to_owned()],
        n_per_file: state.n_per_file,
        bad_by_file: state.bad_by_file,
        bad: Vec::new(),
        n_bad: 0,
    }
}

fn scratch_error(look: &Look<'_>) -> impl FnOnce(std::io::Error) -> Error {
    let dir = look.settings.scratch.clone().unwrap_or_else(std::env::temp_dir);
    move |source| Error::Io { what: "write a scratch file in", path: dir, source }
}

/// Where threads hand in their batches.
struct Desk<'a> {
    look: &'a Look<'a>,
    state: Mutex<State>,
    moved_on: Condvar,
    most_waiting: usize,
}

struct State {
    next: u64,
    waiting: BTreeMap<u64, Vec<Result<Seen, BadRecord>>>,
    collection: Collection,
    candidates: Box<dyn Candidates<AnyImage>>,
    spool: Option<SpoolWriter>,
    n_per_file: Vec<u64>,
    bad_by_file: BTreeMap<String, u64>,
    bad: Vec<BadRecord>,
    n_bad: u64,
    error: Option<Error>,
}

impl<'a> Desk<'a> {
    fn new(look: &'a Look<'a>, n_files: usize, n_threads: usize) -> Self {
        Self {
            look,
            state: Mutex::new(State::new(look, n_files)),
            moved_on: Condvar::new(),
            most_waiting: 2 * n_threads,
        }
    }

    fn is_closed(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).error.is_some()
    }

    fn wake(&self) {
        self.moved_on.notify_all();
    }

    /// Takes the results of a batch and returns the number of documents so far.
    fn hand_over(&self, sequence: u64, items: Vec<Result<Seen, BadRecord>>, stop: &Stop) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // A batch far ahead of a slow one waits, so that memory stays bounded.
        while sequence > state.next
            && state.waiting.len() >= self.most_waiting
            && state.error.is_none()
            && !stop.is_set()
        {
            let wait = std::time::Duration::from_millis(100);
            let waited = self.moved_on.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting.insert(sequence, items);
        while state.error.is_none()
            && let Some(items) = {
                let next = state.next;
                state.waiting.remove(&next)
            }
        {
            for item in items {
                state.add(item, self.look);
                if state.error.is_some() {
                    break;
                }
            }
            state.next += 1;
        }
        self.moved_on.notify_all();
        state.collection.len() as u64
    }
}

impl State {
    fn new(look: &Look<'_>, n_files: usize) -> Self {
        Self {
            next: 0,
            waiting: BTreeMap::new(),
            collection: Collection::default(),
            candidates: look.detector.candidates(),
            spool: None,
            n_per_file: vec![0; n_files],
            bad_by_file: BTreeMap::new(),
            bad: Vec::new(),
            n_bad: 0,
            error: None,
        }
    }

    fn add(&mut self, item: Result<Seen, BadRecord>, look: &Look<'_>) {
        match item {
            Ok(seen) => {
                if let Err(error) = self.add_document(seen, look) {
                    self.error = Some(error);
                }
            }
            Err(bad) if look.settings.strict => self.error = Some(Error::Input(bad)),
            Err(bad) => {
                self.n_bad += 1;
                *self.bad_by_file.entry(bad.file.clone()).or_default() += 1;
                if self.bad.len() < MOST_BAD {
                    self.bad.push(bad);
                }
            }
        }
    }

    fn add_document(&mut self, mut seen: Seen, look: &Look<'_>) -> Result<(), Error> {
        if self.collection.len() as u64 >= u64::from(u32::MAX) - 1 {
            return Err(Error::Internal("more than four billion documents".to_owned()));
        }
        if let Some(text) = seen.text.take() {
            let spool = match &mut self.spool {
                Some(spool) => spool,
                none => {
                    let dir = look.settings.scratch.as_deref();
                    none.insert(SpoolWriter::new(dir).map_err(scratch_error(look))?)
                }
            };
            seen.entry.spooled = Some(spool.add(&text).map_err(scratch_error(look))?);
        }
        if let Some(count) = self.n_per_file.get_mut(seen.entry.place.file as usize) {
            *count += 1;
        }
        self.collection.n_bytes += seen.n_bytes;
        let (ordinal, is_first): (Ordinal, bool) = self.collection.add(seen.entry, seen.words_hash);
        if let Some(image) = seen.image
            && is_first
        {
            self.candidates.insert(ordinal, image);
        }
        Ok(())
    }
}
