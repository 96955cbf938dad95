//! The first pass: every document is read once, cleaned, cut into words, and its image is made.
//!
//! Threads take batches from the reader, work on them alone, and hand the results over in the
//! order of the batches: documents get their ordinals, copies are collapsed and images inserted
//! as if one thread had done it all.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

use retold_core::candidates::sealed::Searched;
use retold_core::candidates::{Candidate, Judgement};
use retold_core::clean::language;
use retold_core::document::{Document, Ordinal};
use retold_core::features::counts::Counts;
use retold_core::features::{Featurizer, Words};
use retold_core::image::images::Images;
use retold_core::methods::Detector;
use retold_core::scratch::Log;
use retold_core::verify::runs::put_runs;
use retold_read::{BadRecord, FileDigest, Place};

use super::boilerplate::Boilerplate;
use super::budget::Budget;
use super::bytes::{Taking, put_bytes, put_number, put_text};
use super::collection::Collection;
use super::entry::{Entry, Ranks};
use super::joining::JoinedIndex;
use super::library::Texts;
use super::parallel::Pool;
use super::run_sets::{Room, RunSet, RunSets};
use super::scratch::ScratchDir;
use super::sources::{PortionEnd, Second, Sources};
use super::work_memory::WorkMemory;
use crate::error::Error;
use crate::job::Job;
use crate::progress::{Progress, Stage, Stop};
use crate::resume::{self, Resumable, Resume, Written};

/// Everything known after the first pass.
pub(crate) struct Intake {
    pub(crate) collection: Collection,
    pub(crate) images: Images,
    /// Runs of all first documents, if they decide.
    pub(crate) run_sets: RunSets,
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
    /// Candidates among documents that joined from an index.
    pub(crate) joined: Vec<(Candidate, Judgement)>,
    /// What the search of the index left out, and the pairs it looked at.
    pub(crate) searched: Searched,
    /// Files from this one on are an archive that the others are compared with.
    pub(crate) first_of_archive: Option<u32>,
    /// Where the run is written down, if it is to be resumed.
    pub(crate) resume: Option<Resume>,
}

impl Intake {
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

/// What the first pass found out about a document.
pub(crate) struct Examined {
    pub(crate) entry: Entry,
    /// `None` if there are no words.
    pub(crate) words_hash: Option<u128>,
    pub(crate) n_bytes: u64,
    pub(crate) image: Option<Box<[u8]>>,
    /// How many different runs there are, if they decide.
    n_runs: Option<u32>,
    /// The runs, if they decide. Where they are held only an image that is written down has them, too,
    /// for tiny documents to be found in.
    runs: Option<RunSet>,
    /// The text, if it has to go to the scratch file.
    text: Option<String>,
}

/// Examines documents: what all threads share.
pub(crate) struct Examiner<'a> {
    pub(crate) job: &'a Job,
    pub(crate) budget: Budget,
    pub(crate) scratch: &'a ScratchDir,
    pub(crate) detector: &'a dyn Detector,
    pub(crate) featurizer: &'a Featurizer,
    /// Statistics of the collection, if they are known.
    pub(crate) counts: Option<&'a Counts>,
    /// Where statistics are gathered, if they are needed and not known: then images wait.
    pub(crate) counter: Option<&'a Counter>,
    /// Files from this one on are the second collection.
    pub(crate) second: Option<Second>,
    /// Room for the runs of documents, if they decide what goes.
    pub(crate) run_room: Option<Room>,
    /// Whether images are written down, for a run that is to be resumed.
    pub(crate) is_resumable: bool,
    /// What is left out of comparisons.
    pub(crate) boilerplate: Option<&'a Boilerplate>,
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

impl Examiner<'_> {
    /// Returns what is compared of a document, and counts what is not.
    fn compared<'d>(&self, document: &'d Document) -> Cow<'d, Document> {
        let Some(boilerplate) = self.boilerplate else { return Cow::Borrowed(document) };
        let (masked, n_words) = boilerplate.masked(Cow::Borrowed(document), self.featurizer);
        boilerplate.count(n_words);
        masked
    }

    pub(crate) fn examine(
        &self,
        document: Cow<'_, Document>,
        place: Place,
        own: &mut ThreadState,
    ) -> Examined {
        let (places, ThreadState { words, counts, runs, room }) = (self.detector.places(), own);
        let compared = self.compared(&document);
        let mut are_held = false;
        let (extent, image) =
            self.featurizer.read(&compared, places, self.counts, words, |reading, extent| {
                if let Some(run_room) = &self.run_room {
                    put_runs(&reading.words.hashes, self.detector.shingles(), runs, room);
                    runs.dedup();
                    are_held = run_room.take(runs.len());
                }
                if self.counter.is_some() {
                    let mut features = Vec::new();
                    self.detector.count(reading, &mut |feature| features.push(feature));
                    counts.add(features);
                    return (extent, None);
                }
                let image = if self.run_room.is_some() {
                    let is_packed = !are_held || self.is_resumable;
                    self.detector.image(&reading.with_runs(runs, !is_packed))
                } else {
                    self.detector.image(reading)
                };
                (extent, image)
            });
        let n_runs = self.run_room.is_some().then_some(runs.len() as u32);
        let runs = n_runs.map(|_| RunSet { runs: runs[..].into(), is_held: are_held });
        let is_spooled = place.again.is_none();
        let is_language_detected = self.job.detect_language && document.language.is_none();
        let language = if is_language_detected {
            language::detect(&document.text).map(|found| found.code().into())
        } else {
            document.language.as_deref().map(Into::into)
        };
        let ranks = Ranks::of(&document, &self.job.keep);
        Examined {
            words_hash: self.job.copies.key(words.identity(), &document.text),
            n_bytes: document.text.len() as u64,
            entry: Entry {
                id: document.id.as_str().into(),
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
                ranks,
            },
            image,
            n_runs,
            runs,
            text: is_spooled.then(|| document.into_owned().text),
        }
    }
}

impl Resumable for Examined {
    fn put(&self, out: &mut Vec<u8>) {
        let Self { entry, words_hash, n_bytes, image, n_runs, runs: _, text } = self;
        let mut flags = 0;
        for is_set in [
            entry.is_cut,
            entry.is_too_short,
            words_hash.is_some(),
            image.is_some(),
            n_runs.is_some(),
            text.is_some(),
        ] {
            flags = flags << 1 | u8::from(is_set);
        }
        out.push(flags);
        let mut of_entry = Vec::new();
        entry.put(&mut of_entry);
        put_bytes(out, &of_entry);
        put_number(out, u64::from(entry.n_words));
        put_number(out, *n_bytes);
        if let Some(hash) = words_hash {
            out.extend_from_slice(&(*hash as u64).to_le_bytes());
            out.extend_from_slice(&((hash >> 64) as u64).to_le_bytes());
        }
        if let Some(image) = image {
            put_bytes(out, image);
        }
        if let Some(n_runs) = n_runs {
            put_number(out, u64::from(*n_runs));
        }
        if let Some(text) = text {
            put_text(out, text);
        }
    }

    fn take(taking: &mut Taking<'_>) -> Result<Self, Error> {
        let flags = taking.byte()?;
        let is_set = |place: u8| flags >> (5 - place) & 1 == 1;
        let mut entry = Entry::take(taking.bytes()?)?;
        entry.n_words = taking.small()?;
        (entry.is_cut, entry.is_too_short) = (is_set(0), is_set(1));
        let n_bytes = taking.number()?;
        let words_hash = if is_set(2) {
            let (low, high) = (taking.fixed()?, taking.fixed()?);
            Some(u128::from(low) | u128::from(high) << 64)
        } else {
            None
        };
        let image = if is_set(3) { Some(taking.bytes()?.into()) } else { None };
        let n_runs = if is_set(4) { Some(taking.small()?) } else { None };
        let text = if is_set(5) { Some(taking.text()?.to_owned()) } else { None };
        Ok(Self { entry, words_hash, n_bytes, image, n_runs, runs: None, text })
    }
}

/// Reads a collection, or two. What is read is then compared with an index, if there is one, and the
/// documents that may be related join. What was read before an interruption is taken up from `resume`.
pub(crate) fn take(
    mut sources: Sources,
    examiner: &Examiner<'_>,
    pool: &Pool,
    progress: &dyn Progress,
    stop: &Stop,
    index: Option<&JoinedIndex>,
    resume: Option<Resume>,
) -> Result<Intake, Error> {
    let second = sources.second();
    // The documents that join count as one file more.
    let n_files = sources.names().len() + usize::from(index.is_some());
    let mut sequencer = Sequencer::new(examiner, n_files, pool.n_threads());
    if let Some(resume) = resume {
        sequencer.take_up(resume, &mut sources, progress, stop)?;
    }
    read_all(&mut sources, &sequencer, pool, progress, stop);
    let (mut candidates, mut searched) = (Vec::new(), Searched::default());
    if let Some(index) = index
        && !stop.is_set()
        && !sequencer.is_closed()
    {
        let mut state = sequencer.state.lock().unwrap_or_else(PoisonError::into_inner);
        progress.begin(Stage::Search, 0);
        let found = index.search(&state.collection, &state.images, pool, examiner.scratch)?;
        state.collection.begin_joined();
        drop(state);
        sources.join(found.documents);
        read_all(&mut sources, &sequencer, pool, progress, stop);
        candidates = found.candidates;
        searched = Searched { cuts: found.cuts, n_compared: found.n_compared };
    }
    let (files, kept) = (sources.names(), sources.kept());
    let state = sequencer.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if stop.is_set() {
        let n_documents = state.collection.len() as u64;
        return Err(Error::Stopped { stage: Stage::Read.name(), n_documents });
    }
    if let Some(error) = state.error {
        return Err(error);
    }
    let mut resume = state.resume;
    if let Some(resume) = &mut resume {
        resume.all_read(&sources.digests())?;
    }
    let mut collection = state.collection;
    if let Some(second) = second {
        second.begin(&mut collection);
    }
    collection.seal();
    let joined = candidates_of(&collection, &candidates);
    Ok(Intake {
        collection,
        images: state.images,
        run_sets: state.run_sets,
        texts: Texts { kept, spooled: state.spooled },
        digests: sources.digests(),
        files,
        n_per_file: state.n_per_file,
        bad_by_file: state.bad_by_file,
        bad: state.bad,
        n_bad: state.n_bad,
        joined,
        searched,
        first_of_archive: second.filter(|second| second.is_archive).map(|second| second.file),
        resume,
    })
}

/// Returns the candidates of new documents among those that joined, each told by the first document
/// of its words.
fn candidates_of(
    collection: &Collection,
    found: &[(Ordinal, u32, Judgement)],
) -> Vec<(Candidate, Judgement)> {
    let Some(joined) = collection.joined else { return Vec::new() };
    let mut all = Vec::new();
    for &(new, number, judgement) in found {
        let other = collection.first_of(Ordinal(joined.0 + number));
        // A document that has the words of a new one is met through that one.
        if other >= joined {
            all.push((Candidate::new(new, other), judgement));
        }
    }
    all
}

/// Reads what is left in the sources, on all threads.
fn read_all(
    sources: &mut Sources,
    sequencer: &Sequencer<'_>,
    pool: &Pool,
    progress: &dyn Progress,
    stop: &Stop,
) {
    let examiner = sequencer.examiner;
    progress.begin(Stage::Read, sources.total());
    let files = sources.names();
    let sources = Mutex::new(sources);
    let memory = WorkMemory::new(examiner.budget.work());
    pool.on_all(|| {
        let mut own = ThreadState::default();
        while !stop.is_set() && !sequencer.is_closed() {
            let (portion, n_done) = {
                let mut sources = sources.lock().unwrap_or_else(PoisonError::into_inner);
                (sources.next(), sources.done())
            };
            let Some(portion) = portion else { break };
            let (sequence, is_in_memory) = (portion.sequence, portion.is_in_memory());
            let mut items = Vec::new();
            let end = portion.parse(&mut |record| {
                let fitting = record.and_then(|(document, place)| {
                    match examiner.budget.refuses(document.text.len() as u64) {
                        Some(reason) if !is_in_memory => Err(refused(&place, &files, reason)),
                        _ => Ok((document, place)),
                    }
                });
                items.push(match fitting {
                    Ok((document, place)) => {
                        let n_bytes = Budget::work_of(document.text.len());
                        let _place = memory.take(n_bytes, stop);
                        Ok(examiner.examine(document, place, &mut own))
                    }
                    Err(bad) => Err(bad),
                });
                if items.len() >= MOST_ITEMS {
                    sequencer.hand_over_part(sequence, &mut items, progress, stop);
                }
            });
            let n_documents = sequencer.hand_over(sequence, items, end, progress, stop);
            progress.at(n_done, n_documents);
        }
        if let Some(counter) = examiner.counter {
            counter.add(own.counts, 0);
        }
        sequencer.wake();
    });
}

/// Makes the images that waited for statistics: every first document is read again.
///
/// Returns the documents that could not be.
pub(crate) fn image_again(
    taken: &mut Intake,
    examiner: &Examiner<'_>,
    pool: &Pool,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Vec<BadRecord>, Error> {
    let Intake { collection, images, texts, .. } = taken;
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
            let mut document = texts.document(collection, doc)?;
            if let Some(boilerplate) = examiner.boilerplate {
                let masked = boilerplate.masked(Cow::Owned(document), examiner.featurizer);
                document = masked.0.into_owned();
            }
            let (places, mut words) = (examiner.detector.places(), Words::default());
            Ok(examiner.featurizer.read(
                &document,
                places,
                examiner.counts,
                &mut words,
                |reading, _| examiner.detector.image(reading),
            ))
        });
        for (&doc, image) in slice.iter().zip(made) {
            match image {
                Ok(Some(image)) => {
                    collection.set_too_short(doc, false);
                    let pushed = images.push(doc, &image, examiner.scratch);
                    pushed.map_err(|error| examiner.scratch.failed(error))?;
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

/// Says of a record that it is too large to be taken up.
fn refused(place: &Place, files: &[String], reason: String) -> BadRecord {
    let Place { file, record: number, again } = place;
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
pub(crate) struct ThreadState {
    words: Words,
    counts: Counts,
    runs: Vec<u64>,
    room: Vec<u64>,
}

/// Where threads hand in their batches.
struct Sequencer<'a> {
    examiner: &'a Examiner<'a>,
    state: Mutex<State>,
    moved_on: Condvar,
    most_waiting: usize,
    is_resumable: bool,
}

/// A portion that was examined: its items, and the same as they are written down.
type Done = (Vec<Result<Examined, BadRecord>>, Option<Written>);

struct State {
    next: u64,
    waiting: BTreeMap<u64, Done>,
    resume: Option<Resume>,
    collection: Collection,
    images: Images,
    run_sets: RunSets,
    /// Documents with the words of one before them.
    n_copies: u64,
    /// Texts that cannot be read again where they came from.
    spooled: Log,
    n_per_file: Vec<u64>,
    bad_by_file: BTreeMap<String, u64>,
    bad: Vec<BadRecord>,
    n_bad: u64,
    error: Option<Error>,
}

impl<'a> Sequencer<'a> {
    fn new(examiner: &'a Examiner<'a>, n_files: usize, n_threads: usize) -> Self {
        Self {
            examiner,
            state: Mutex::new(State::new(examiner, n_files)),
            moved_on: Condvar::new(),
            most_waiting: 2 * n_threads,
            is_resumable: false,
        }
    }

    /// Takes up what an earlier run read, and lets the sources go on behind it. What is read from now
    /// on is written down.
    fn take_up(
        &mut self,
        resume: Resume,
        sources: &mut Sources,
        progress: &dyn Progress,
        stop: &Stop,
    ) -> Result<(), Error> {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        resume.replay(sources, stop, &mut |items| {
            state.add_all(items.into_iter(), self.examiner, progress);
            state.error.take().map_or(Ok(()), Err)
        })?;
        state.next = resume.n_portions();
        if state.next > 0 {
            progress.note(&resume.told(state.collection.len() as u64));
        }
        state.resume = Some(resume);
        self.is_resumable = true;
        Ok(())
    }

    /// Returns what is written down of items, if the run is to be resumed.
    fn packed<T>(&self, pack: impl FnOnce() -> Result<T, Error>) -> Option<T> {
        let packed = self.is_resumable.then(pack)?;
        packed.map_err(|error| self.fail(error)).ok()
    }

    fn fail(&self, error: Error) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.error.get_or_insert(error);
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
        items: &mut Vec<Result<Examined, BadRecord>>,
        progress: &dyn Progress,
        stop: &Stop,
    ) {
        let packed = self.packed(|| resume::packed(items));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while sequence > state.next && state.error.is_none() && !stop.is_set() {
            let wait = std::time::Duration::from_millis(100);
            let waited = self.moved_on.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.add_all(items.drain(..), self.examiner, progress);
        if let Some(packed) = packed {
            state.write_down(stop, |resume| resume.part(&packed));
        }
    }

    /// Takes the results of a batch and returns the number of documents so far. Bad records are
    /// told here, in the order of the files.
    fn hand_over(
        &self,
        sequence: u64,
        items: Vec<Result<Examined, BadRecord>>,
        end: PortionEnd,
        progress: &dyn Progress,
        stop: &Stop,
    ) -> u64 {
        let written = self.packed(|| resume::written(&items, end));
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
        state.waiting.insert(sequence, (items, written));
        while state.error.is_none()
            && let Some((items, written)) = {
                let next = state.next;
                state.waiting.remove(&next)
            }
        {
            state.add_all(items.into_iter(), self.examiner, progress);
            state.next += 1;
            if let Some(written) = written {
                state.write_down(stop, |resume| resume.portion(&written));
            }
        }
        self.moved_on.notify_all();
        if self.examiner.run_room.is_some() {
            progress.duplicates(state.n_copies);
        }
        state.collection.len() as u64
    }
}

impl State {
    fn new(examiner: &Examiner<'_>, n_files: usize) -> Self {
        Self {
            next: 0,
            waiting: BTreeMap::new(),
            resume: None,
            collection: Collection::new(examiner.budget.entries(), examiner.scratch.clone()),
            images: Images::new(examiner.budget.images()),
            run_sets: RunSets::new(examiner.budget.texts()),
            n_copies: 0,
            spooled: Log::new(examiner.budget.texts()),
            n_per_file: vec![0; n_files],
            bad_by_file: BTreeMap::new(),
            bad: Vec::new(),
            n_bad: 0,
            error: None,
        }
    }

    /// Writes down what was added, unless the run is to stop: then records may have been left out.
    fn write_down(&mut self, stop: &Stop, write: impl FnOnce(&mut Resume) -> Result<(), Error>) {
        if let Some(resume) = &mut self.resume
            && self.error.is_none()
            && !stop.is_set()
        {
            self.error = write(resume).err();
        }
    }

    /// Adds results up to the first that ends the run.
    fn add_all(
        &mut self,
        items: impl Iterator<Item = Result<Examined, BadRecord>>,
        examiner: &Examiner<'_>,
        progress: &dyn Progress,
    ) {
        for item in items {
            if self.error.is_some() {
                break;
            }
            if let Err(bad) = &item {
                progress.bad(bad);
            }
            self.add(item, examiner);
        }
    }

    fn add(&mut self, item: Result<Examined, BadRecord>, examiner: &Examiner<'_>) {
        match item {
            Ok(examined) => {
                if let Err(error) = self.add_document(examined, examiner) {
                    self.error = Some(error);
                }
            }
            Err(bad) if examiner.job.strict => self.error = Some(Error::Input(bad)),
            Err(bad) => {
                self.n_bad += 1;
                *self.bad_by_file.entry(bad.file.clone()).or_default() += 1;
                if self.bad.len() < MOST_BAD {
                    self.bad.push(bad);
                }
            }
        }
    }

    fn add_document(
        &mut self,
        mut examined: Examined,
        examiner: &Examiner<'_>,
    ) -> Result<(), Error> {
        if self.collection.len() as u64 >= u64::from(u32::MAX) - 1 {
            return Err(Error::Internal("more than four billion documents".to_owned()));
        }
        if let Some(text) = examined.text.take() {
            let at = self.spooled.push(text.as_bytes(), examiner.scratch);
            let at = at.map_err(|error| examiner.scratch.failed(error))?;
            examined.entry.spooled = Some((at, text.len() as u32));
        }
        if let Some(count) = self.n_per_file.get_mut(examined.entry.place.file as usize) {
            *count += 1;
        }
        let second = examiner.second.filter(|second| examined.entry.place.file >= second.file);
        if let Some(second) = second {
            second.begin(&mut self.collection);
        }
        self.collection.n_bytes += examined.n_bytes;
        let (ordinal, is_first) = self.collection.add(&examined.entry, examined.words_hash)?;
        self.n_copies += u64::from(!is_first);
        match (examined.n_runs, &examiner.run_room, examined.runs) {
            (Some(n_runs), _, runs) if is_first => {
                let pushed = self.run_sets.push(ordinal, n_runs, runs, examiner.scratch);
                pushed.map_err(|error| examiner.scratch.failed(error))?;
            }
            (_, Some(room), Some(set)) if set.is_held => room.give(set.runs.len()),
            _ => {}
        }
        // What joined from an index was found there already, and is not searched once more.
        if let Some(image) = examined.image
            && is_first
            && (self.collection.joined.is_none() || second.is_some())
        {
            let pushed = self.images.push(ordinal, &image, examiner.scratch);
            pushed.map_err(|error| examiner.scratch.failed(error))?;
        }
        Ok(())
    }
}
