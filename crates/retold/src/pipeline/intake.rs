//! The first look: every document is read once, cleaned, cut into words and imaged.
//!
//! Threads take batches from the reader, work on them alone, and hand the results over in the
//! order of the batches: documents get their ordinals, copies are collapsed and images inserted
//! as if one thread had done it all.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

use retold_core::clean::language;
use retold_core::document::{Document, Ordinal};
use retold_core::features::counts::Counts;
use retold_core::features::{Featurizer, Words};
use retold_core::image::images::Images;
use retold_core::methods::Detector;
use retold_core::scratch::Log;
use retold_read::{BadRecord, FileDigest, Place, ReadOptions, Reader};

use super::budget::Budget;
use super::collection::Collection;
use super::entry::{Entry, rank_of};
use super::library::Texts;
use super::parallel::Pool;
use super::room::Room;
use super::scratch::ScratchDir;
use crate::error::Error;
use crate::progress::{Progress, Stage, Stop};
use crate::settings::Settings;

/// Everything known after the first look.
pub(crate) struct Taken {
    pub(crate) collection: Collection,
    pub(crate) images: Images,
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

impl Taken {
    /// Counts a document that could not be read again.
    pub(crate) fn lose(&mut self, bad: BadRecord) {
        self.n_bad += 1;
        if self.bad.len() < MOST_BAD {
            self.bad.push(bad);
        }
    }
}

/// Bad records kept for the manifest; all are counted.
pub(crate) const MOST_BAD: usize = 1_000;

/// Records of a batch that wait for their turn. Most batches are shorter: a block of short lines
/// has 16,384, but a small file may be compressed and hold millions.
const MOST_ITEMS: usize = 16_384;

/// A document after a thread has looked at it.
struct Seen {
    entry: Entry,
    /// `None` if there are no words.
    words_hash: Option<u128>,
    n_bytes: u64,
    image: Option<Box<[u8]>>,
    /// The text, if it has to go to the scratch file.
    text: Option<String>,
}

/// Looks at documents: what a thread needs.
pub(crate) struct Look<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) budget: Budget,
    pub(crate) scratch: &'a ScratchDir,
    pub(crate) detector: &'a dyn Detector,
    pub(crate) featurizer: &'a Featurizer,
    /// Statistics of the collection, if they are known.
    pub(crate) counts: Option<&'a Counts>,
    /// Where statistics are gathered, if they are needed and not known: then images wait.
    pub(crate) counter: Option<&'a Counter>,
    /// Files, or documents in memory, from this one on are the second collection.
    pub(crate) second: Option<u32>,
}

/// Gathers statistics from all threads.
pub(crate) struct Counter {
    parts: Vec<Mutex<Counts>>,
}

impl Counter {
    pub(crate) fn new() -> Self {
        Self { parts: (0..64).map(|_| Mutex::default()).collect() }
    }

    /// Adds documents counted by one thread; sums do not depend on the order.
    fn add(&self, counts: Counts, part: u64) {
        let part = &self.parts[(part % self.parts.len() as u64) as usize];
        part.lock().unwrap_or_else(PoisonError::into_inner).merge(counts);
    }

    /// Returns the sum and begins anew.
    pub(crate) fn take(&self) -> Counts {
        let mut sum = Counts::default();
        for part in &self.parts {
            sum.merge(std::mem::take(&mut *part.lock().unwrap_or_else(PoisonError::into_inner)));
        }
        sum
    }
}

impl Look<'_> {
    /// Returns how files are read: no record is taken up that could not be held.
    pub(crate) fn read_options(&self) -> ReadOptions {
        let mut options = self.settings.read_options();
        let most = self.budget.most_record_bytes();
        let limits = &mut options.limits;
        limits.document_bytes = limits.document_bytes.min(most);
        limits.line_bytes = limits.line_bytes.min(most);
        options
    }

    fn at(&self, document: Document, place: Place, here: &mut Here) -> Seen {
        let (places, Here { words, counts }) = (self.detector.places(), here);
        let (extent, image) =
            self.featurizer.read(&document, places, self.counts, words, |reading, extent| {
                if self.counter.is_some() {
                    let mut features = Vec::new();
                    self.detector.count(reading, &mut |feature| features.push(feature));
                    counts.add(features);
                    return (extent, None);
                }
                (extent, self.detector.image(reading))
            });
        let is_spooled = place.again.is_none();
        let is_language_detected = self.settings.detect_language && document.language.is_none();
        let language = if is_language_detected {
            language::detect(&document.text).map(|found| found.code().into())
        } else {
            document.language.as_deref().map(Into::into)
        };
        let rank = rank_of(&document, &self.settings.keep);
        Seen {
            words_hash: words.identity(),
            n_bytes: document.text.len() as u64,
            entry: Entry {
                id: document.id.into(),
                place,
                spooled: None,
                markup: document.markup,
                language,
                is_language_detected,
                n_words: words.hashes.len() as u32,
                extent,
                text_hash: retold_core::hash::bytes(document.text.as_bytes(), 0),
                is_cut: words.is_cut,
                is_too_short: image.is_none(),
                copy_of: None,
                rank,
            },
            image,
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
    let again = retold_read::Again::new(reader.files(), &look.read_options());
    let reader = Mutex::new(reader);
    let desk = Desk::new(look, files.len(), pool.n_threads());
    let room = Room::new(look.budget.work());
    pool.on_all(|| {
        let mut here = Here::default();
        while !stop.is_set() && !desk.is_closed() {
            let (batch, bytes_read) = {
                let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
                (reader.next_batch(), reader.bytes_read())
            };
            let Some(batch) = batch else { break };
            let sequence = batch.sequence();
            let mut items = Vec::new();
            batch.parse(&mut |record| {
                let fitting = record.and_then(|record| {
                    match look.budget.refuses(record.document.text.len() as u64) {
                        None => Ok(record),
                        Some(reason) => Err(refused(&record, &files, reason)),
                    }
                });
                items.push(match fitting {
                    Ok(record) => {
                        let n_bytes = Budget::work_of(record.document.text.len());
                        let _place = room.take(n_bytes, stop);
                        Ok(look.at(record.document, record.place, &mut here))
                    }
                    Err(bad) => Err(bad),
                });
                if items.len() >= MOST_ITEMS {
                    desk.hand_over_part(sequence, &mut items, progress, stop);
                }
            });
            let n_documents = desk.hand_over(sequence, items, progress, stop);
            progress.at(bytes_read, n_documents);
        }
        if let Some(counter) = look.counter {
            counter.add(here.counts, 0);
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
    let mut collection = state.collection;
    if look.second.is_some() {
        collection.begin_second();
    }
    collection.seal();
    Ok(Taken {
        collection,
        images: state.images,
        texts: Texts::Files { again: Box::new(again), spooled: state.spooled },
        digests: reader.digests(),
        files,
        n_per_file: state.n_per_file,
        bad_by_file: state.bad_by_file,
        bad: state.bad,
        n_bad: state.n_bad,
    })
}

/// Makes the images that waited for statistics: every first document is read again.
///
/// Returns the documents that could not be.
pub(crate) fn image_again(
    taken: &mut Taken,
    look: &Look<'_>,
    pool: &Pool,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Vec<BadRecord>, Error> {
    let Taken { collection, images, texts, .. } = taken;
    let firsts: Vec<Ordinal> =
        collection.documents().filter(|&doc| collection.is_first(doc)).collect();
    progress.begin(Stage::Image, firsts.len() as u64);
    let mut lost = Vec::new();
    // In slices, so that images of the whole collection never wait in line.
    for slice in firsts.chunks(256) {
        if stop.is_set() {
            break;
        }
        let texts = &*texts;
        let made = pool.map(slice, |&doc| {
            let document = texts.document(collection, doc)?;
            let (places, mut words) = (look.detector.places(), Words::default());
            Ok(look.featurizer.read(&document, places, look.counts, &mut words, |reading, _| {
                look.detector.image(reading)
            }))
        });
        for (&doc, image) in slice.iter().zip(made) {
            match image {
                Ok(Some(image)) => {
                    collection.set_too_short(doc, false);
                    let pushed = images.push(doc, &image, look.scratch);
                    pushed.map_err(|error| look.scratch.failed(error))?;
                }
                Ok(None) => {}
                Err(bad) => lost.push(bad),
            }
        }
        progress.at(u64::from(slice[slice.len() - 1].0) + 1, collection.len() as u64);
    }
    for doc in collection.documents() {
        collection.set_too_short(doc, collection.is_too_short(collection.first_of(doc)));
    }
    Ok(lost)
}

/// Takes documents that are in memory already; `look.second` is the first of another collection.
pub(crate) fn take_documents(
    documents: Vec<Document>,
    look: &Look<'_>,
    pool: &Pool,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Taken, Error> {
    progress.begin(Stage::Read, documents.len() as u64);
    let mut state = State::new(look, 1);
    // In slices, so that images of the whole collection never wait in line.
    for (n_slice, slice) in documents.chunks(1024).enumerate() {
        if stop.is_set() {
            let n_documents = state.collection.len() as u64;
            return Err(Error::Stopped { stage: Stage::Read.name(), n_documents });
        }
        let numbered: Vec<(usize, &Document)> = slice.iter().enumerate().collect();
        let seen = pool.map(&numbered, |&(i, document)| {
            let record = (n_slice * 1024 + i) as u64;
            let place = Place { file: 0, record, again: Some(0..0) };
            let mut here = Here::default();
            let seen = look.at(document.clone(), place, &mut here);
            if let Some(counter) = look.counter {
                counter.add(here.counts, record);
            }
            seen
        });
        for seen in seen {
            if look.second.is_some_and(|second| seen.entry.place.record >= u64::from(second)) {
                state.collection.begin_second();
            }
            state.add_document(seen, look)?;
        }
        let n_documents = state.collection.len() as u64;
        progress.at(n_documents, n_documents);
    }
    if look.second.is_some() {
        state.collection.begin_second();
    }
    state.collection.seal();
    Ok(Taken {
        collection: state.collection,
        images: state.images,
        texts: Texts::Memory(documents),
        digests: Vec::new(),
        files: vec!["memory".to_owned()],
        n_per_file: state.n_per_file,
        bad_by_file: state.bad_by_file,
        bad: Vec::new(),
        n_bad: 0,
    })
}

/// Says of a record that it is too large to be taken up.
fn refused(record: &retold_read::Record, files: &[String], reason: String) -> BadRecord {
    let Place { file, record: number, again } = &record.place;
    BadRecord {
        // Names from outside do not reach a terminal as they are.
        file: files[*file as usize].chars().map(|c| if c.is_control() { '?' } else { c }).collect(),
        record: Some(*number),
        offset: again.as_ref().map(|again| again.start),
        reason,
    }
}

/// What a thread keeps from document to document.
#[derive(Default)]
struct Here {
    words: Words,
    counts: Counts,
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
    images: Images,
    /// Texts that cannot be read again where they came from.
    spooled: Log,
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

    /// Takes results of a batch that is not done yet, once it is its turn.
    ///
    /// The batch whose turn it is never waits, so all come to an end.
    fn hand_over_part(
        &self,
        sequence: u64,
        items: &mut Vec<Result<Seen, BadRecord>>,
        progress: &dyn Progress,
        stop: &Stop,
    ) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while sequence > state.next && state.error.is_none() && !stop.is_set() {
            let wait = std::time::Duration::from_millis(100);
            let waited = self.moved_on.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.add_all(items.drain(..), self.look, progress);
    }

    /// Takes the results of a batch and returns the number of documents so far. Bad records are
    /// told here, in the order of the files.
    fn hand_over(
        &self,
        sequence: u64,
        items: Vec<Result<Seen, BadRecord>>,
        progress: &dyn Progress,
        stop: &Stop,
    ) -> u64 {
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
            state.add_all(items.into_iter(), self.look, progress);
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
            collection: Collection::new(look.budget.entries(), look.scratch.clone()),
            images: Images::new(look.budget.images()),
            spooled: Log::new(look.budget.texts()),
            n_per_file: vec![0; n_files],
            bad_by_file: BTreeMap::new(),
            bad: Vec::new(),
            n_bad: 0,
            error: None,
        }
    }

    /// Adds results up to the first that ends the run.
    fn add_all(
        &mut self,
        items: impl Iterator<Item = Result<Seen, BadRecord>>,
        look: &Look<'_>,
        progress: &dyn Progress,
    ) {
        for item in items {
            if self.error.is_some() {
                break;
            }
            if let Err(bad) = &item {
                progress.bad(bad);
            }
            self.add(item, look);
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
            let at = self.spooled.push(text.as_bytes(), look.scratch);
            let at = at.map_err(|error| look.scratch.failed(error))?;
            seen.entry.spooled = Some((at, text.len() as u32));
        }
        if let Some(count) = self.n_per_file.get_mut(seen.entry.place.file as usize) {
            *count += 1;
        }
        if look.second.is_some_and(|second| seen.entry.place.file >= second) {
            self.collection.begin_second();
        }
        self.collection.n_bytes += seen.n_bytes;
        let (ordinal, is_first) = self.collection.add(&seen.entry, seen.words_hash)?;
        if let Some(image) = seen.image
            && is_first
        {
            let pushed = self.images.push(ordinal, &image, look.scratch);
            pushed.map_err(|error| look.scratch.failed(error))?;
        }
        Ok(())
    }
}
