//! The first pass: every document is read once, and its words go to scratch.
//!
//! Threads take batches from the sources and make words of them; one desk takes the results in the
//! order of the batches, as if one thread had done it all.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use retold_core::document::{Document, Ordinal};
use retold_core::features::units::Unit;
use retold_core::features::{Featurizer, Words, shingles};
use retold_core::hash;
use retold_core::scratch::Log;
use retold_read::{BadRecord, FileDigest, Place};

use super::filter::Filter;
use super::sampling::Sampling;
use super::settings::StrikeSettings;
use super::words::{WordBytes, WordLog};
use crate::error::Error;
use crate::job::Job;
use crate::pipeline::budget::Budget;
use crate::pipeline::bytes::{Taking, put_bytes, put_number, put_some_text};
use crate::pipeline::collection::Collection;
use crate::pipeline::entry::{Entry, Ranks};
use crate::pipeline::intake::MOST_BAD;
use crate::pipeline::library::Texts;
use crate::pipeline::parallel::Pool;
use crate::pipeline::scratch::ScratchDir;
use crate::pipeline::sources::{PortionEnd, Sources};
use crate::pipeline::work_memory::WorkMemory;
use crate::progress::{Progress, Stage, Stop};
use crate::resume::{self, Resumable, Resume, Written};

/// Documents of a batch that wait for their turn.
const MOST_ITEMS: usize = 1_024;
/// Bytes of words of a batch that wait for their turn.
const MOST_ITEM_BYTES: usize = 8 << 20;

/// Everything known after the first pass.
pub(super) struct Taken {
    pub(super) collection: Collection,
    pub(super) texts: Texts,
    pub(super) words: WordLog,
    pub(super) filter: Filter,
    /// The same for samples of near-equal passages, if these are looked for.
    pub(super) near_filter: Option<Filter>,
    /// Bytes of each text.
    pub(super) n_bytes: Vec<u32>,
    /// What stands for the source of each document, if boilerplate is looked for.
    pub(super) sources: Vec<u64>,
    pub(super) digests: Vec<FileDigest>,
    pub(super) files: Vec<String>,
    pub(super) n_per_file: Vec<u64>,
    pub(super) bad: Vec<BadRecord>,
    pub(super) n_bad: u64,
    pub(super) bad_by_file: BTreeMap<String, u64>,
    pub(super) n_cut: u64,
    /// Where the run is written down, if it is to be resumed.
    pub(super) resume: Option<Resume>,
}

/// What the first pass is done with.
pub(super) struct Taker<'a> {
    pub(super) job: &'a Job,
    pub(super) settings: StrikeSettings,
    pub(super) sampling: Option<Sampling>,
    pub(super) near: Option<Sampling>,
    pub(super) featurizer: &'a Featurizer,
    pub(super) budget: Budget,
    pub(super) scratch: &'a ScratchDir,
    pub(super) pool: &'a Pool,
    pub(super) progress: &'a dyn Progress,
    pub(super) stop: &'a Stop,
}

/// What the first pass found out about a document.
struct Looked {
    entry: Entry,
    n_bytes: u64,
    source: u64,
    words: WordBytes,
    samples: Vec<u64>,
    near_samples: Vec<u64>,
    /// The text, if it has to go to the scratch file.
    text: Option<String>,
}

impl Resumable for Looked {
    fn put(&self, out: &mut Vec<u8>) {
        // Samples are taken of the words once more.
        let Self { entry, n_bytes, source, words, samples: _, near_samples: _, text } = self;
        let mut of_entry = Vec::new();
        entry.put(&mut of_entry);
        put_bytes(out, &of_entry);
        out.push(u8::from(entry.is_cut));
        put_number(out, u64::from(entry.n_words));
        put_number(out, *n_bytes);
        out.extend_from_slice(&source.to_le_bytes());
        words.put(out);
        put_some_text(out, text.as_deref());
    }

    fn take(taking: &mut Taking<'_>) -> Result<Self, Error> {
        let mut entry = Entry::take(taking.bytes()?)?;
        entry.is_cut = taking.byte()? == 1;
        entry.n_words = taking.small()?;
        Ok(Self {
            entry,
            n_bytes: taking.number()?,
            source: taking.fixed()?,
            words: WordBytes::take(taking)?,
            samples: Vec::new(),
            near_samples: Vec::new(),
            text: taking.some_text()?.map(ToOwned::to_owned),
        })
    }
}

impl Looked {
    fn held_bytes(&self) -> usize {
        self.entry.n_words as usize * 24 + self.text.as_ref().map_or(0, String::len)
    }
}

/// What a thread keeps from document to document.
#[derive(Default)]
struct Own {
    words: Words,
    units: Vec<Unit>,
    hashes: Vec<u64>,
}

/// Returns what stands for a unit: a hash of its words.
pub(super) fn unit_hash(words: &[u64]) -> u128 {
    shingles::whole(words)
}

impl Taker<'_> {
    /// Reads a collection, and an archive behind it. What was read before an interruption is taken up
    /// from `resume`.
    pub(super) fn take(
        &self,
        mut sources: Sources,
        resume: Option<Resume>,
    ) -> Result<Taken, Error> {
        let mut desk = Desk::new(self, &sources);
        if let Some(resume) = resume {
            desk.take_up(resume, &mut sources)?;
        }
        self.progress.begin(Stage::Read, sources.total());
        let files = sources.names();
        let locked = Mutex::new(&mut sources);
        let memory = WorkMemory::new(self.budget.work());
        self.pool.on_all(|| {
            let mut own = Own::default();
            while !self.stop.is_set() && !desk.is_closed() {
                let (portion, n_done) = {
                    let mut sources = locked.lock().unwrap_or_else(PoisonError::into_inner);
                    (sources.next(), sources.done())
                };
                let Some(portion) = portion else { break };
                let (sequence, is_in_memory) = (portion.sequence, portion.is_in_memory());
                let (mut items, mut n_held) = (Vec::new(), 0);
                let end = portion.parse(&mut |record| {
                    let fitting = record.and_then(|(document, place)| {
                        match self.budget.refuses(document.text.len() as u64) {
                            Some(reason) if !is_in_memory => Err(refused(&place, &files, reason)),
                            _ => Ok((document, place)),
                        }
                    });
                    let item = fitting.map(|(document, place)| {
                        let n_bytes = Budget::work_of(document.text.len());
                        let _part = memory.take(n_bytes, self.stop);
                        self.look(document, place, &mut own)
                    });
                    n_held += item.as_ref().map_or(0, Looked::held_bytes);
                    items.push(item);
                    if items.len() >= MOST_ITEMS || n_held >= MOST_ITEM_BYTES {
                        desk.hand_over_part(sequence, &mut items);
                        n_held = 0;
                    }
                });
                let n_documents = desk.hand_over(sequence, items, end);
                self.progress.at(n_done, n_documents);
            }
            desk.moved_on.notify_all();
        });
        let state = desk.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let State { mut taken, error, .. } = state;
        if self.stop.is_set() {
            let n_documents = taken.collection.len() as u64;
            return Err(Error::Stopped { stage: Stage::Read.name(), n_documents });
        }
        if let Some(error) = error {
            return Err(error);
        }
        if sources.second().is_some() {
            taken.collection.begin_joined();
        }
        taken.collection.seal();
        taken.digests = sources.digests();
        if let Some(resume) = &mut taken.resume {
            resume.all_read(&taken.digests)?;
        }
        taken.texts.kept = sources.kept();
        Ok(taken)
    }

    fn look(&self, document: Cow<'_, Document>, place: Place, own: &mut Own) -> Looked {
        let Own { words, units, hashes } = own;
        self.featurizer.words_and_units(&document, self.settings.level.units(), words, units);
        let (samples, near_samples) = self.samples(&words.hashes, units, hashes);
        let source = document.source.as_ref();
        let is_spooled = place.again.is_none();
        Looked {
            n_bytes: document.text.len() as u64,
            source: source.map_or(0, |source| hash::bytes(source.as_bytes(), 1)),
            words: WordBytes::new(&words.hashes, &words.spans, units),
            samples,
            near_samples,
            entry: Entry {
                id: document.id.as_str().into(),
                place,
                spooled: None,
                markup: document.markup,
                language: document.language.as_deref().map(Into::into),
                is_language_detected: false,
                n_words: words.hashes.len() as u32,
                extent: retold_core::document::Span::new(0, 0),
                text_hash: 0,
                is_cut: words.is_cut,
                copy_of: None,
                is_too_short: false,
                ranks: Ranks::of(&document, &self.job.keep),
            },
            text: is_spooled.then(|| document.into_owned().text),
        }
    }
}

impl Taker<'_> {
    /// Returns the samples of words and units, and those for near-equal passages; `room` is to work in.
    fn samples(&self, words: &[u64], units: &[Unit], room: &mut Vec<u64>) -> (Vec<u64>, Vec<u64>) {
        let (mut samples, mut near_samples) = (Vec::new(), Vec::new());
        if let Some(sampling) = self.sampling {
            sampling.each_sample(words, room, |_, hash| samples.push(hash));
        }
        if let Some(near) = self.near {
            near.each_sample(words, room, |_, hash| near_samples.push(hash));
        }
        let least = self.settings.least_words();
        for unit in units.iter().filter(|unit| unit.n_words >= least) {
            let of_unit = unit.first as usize..(unit.first + unit.n_words) as usize;
            samples.push(unit_hash(&words[of_unit]) as u64);
        }
        (samples, near_samples)
    }
}

/// Says of a record that it is too large to be taken up.
fn refused(place: &Place, files: &[String], reason: String) -> BadRecord {
    BadRecord {
        // Names from outside do not reach a terminal as they are.
        file: files[place.file as usize]
            .chars()
            .map(|c| if c.is_control() { '?' } else { c })
            .collect(),
        record: Some(place.record),
        offset: place.again.as_ref().map(|again| again.start),
        reason,
    }
}

type Item = Result<Looked, BadRecord>;

/// Where threads hand in their batches.
struct Desk<'a> {
    taker: &'a Taker<'a>,
    state: Mutex<State>,
    moved_on: Condvar,
    most_waiting: usize,
    is_resumable: bool,
}

struct State {
    next: u64,
    /// Items, and the same as they are written down.
    waiting: BTreeMap<u64, (Vec<Item>, Option<Written>)>,
    taken: Taken,
    /// First file of the archive.
    archive: Option<u32>,
    error: Option<Error>,
}

impl<'a> Desk<'a> {
    fn new(taker: &'a Taker<'a>, sources: &Sources) -> Self {
        let (budget, total) = (taker.budget, sources.total());
        let filter = || Filter::new(total, budget.images() / 2);
        let files = sources.names();
        let taken = Taken {
            collection: Collection::new(budget.entries(), taker.scratch.clone()),
            texts: Texts { kept: Vec::new(), spooled: Log::new(budget.texts()) },
            words: WordLog::new(budget.words()),
            filter: filter(),
            near_filter: taker.near.map(|_| filter()),
            n_bytes: Vec::new(),
            sources: Vec::new(),
            digests: Vec::new(),
            n_per_file: vec![0; files.len()],
            files,
            bad: Vec::new(),
            n_bad: 0,
            bad_by_file: BTreeMap::new(),
            n_cut: 0,
            resume: None,
        };
        let archive = sources.second().map(|second| second.file);
        Self {
            taker,
            state: Mutex::new(State {
                next: 0,
                waiting: BTreeMap::new(),
                taken,
                archive,
                error: None,
            }),
            moved_on: Condvar::new(),
            most_waiting: 2 * taker.pool.n_threads(),
            is_resumable: false,
        }
    }

    /// Takes up what an earlier run read, and lets the sources go on behind it. What is read from now
    /// on is written down.
    fn take_up(&mut self, resume: Resume, sources: &mut Sources) -> Result<(), Error> {
        let (taker, mut room) = (self.taker, Vec::new());
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        resume.replay(sources, taker.stop, &mut |mut items: Vec<Item>| {
            for looked in items.iter_mut().flatten() {
                let (words, units) = (looked.words.hashes(), looked.words.units());
                (looked.samples, looked.near_samples) = taker.samples(&words, &units, &mut room);
            }
            state.add_all(items.into_iter(), taker);
            state.error.take().map_or(Ok(()), Err)
        })?;
        state.next = resume.n_portions();
        if state.next > 0 {
            taker.progress.note(&resume.told(state.taken.collection.len() as u64));
        }
        state.taken.resume = Some(resume);
        self.is_resumable = true;
        Ok(())
    }

    /// Returns what is written down of items, if the run is to be resumed.
    fn packed<T>(&self, pack: impl FnOnce() -> Result<T, Error>) -> Option<T> {
        let packed = self.is_resumable.then(pack)?;
        let fail = |error| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.error.get_or_insert(error);
        };
        packed.map_err(fail).ok()
    }

    fn is_closed(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).error.is_some()
    }

    /// Takes results of a batch that is not done yet, once it is its turn. The batch whose turn it is
    /// never waits, so all come to an end.
    fn hand_over_part(&self, sequence: u64, items: &mut Vec<Item>) {
        let packed = self.packed(|| resume::packed(items));
        let mut state = self.waited(|state| sequence > state.next);
        state.add_all(items.drain(..), self.taker);
        if let Some(packed) = packed {
            state.write_down(self.taker.stop, |resume| resume.part(&packed));
        }
    }

    /// Takes the results of a batch and returns the number of documents so far.
    fn hand_over(&self, sequence: u64, items: Vec<Item>, end: PortionEnd) -> u64 {
        let written = self.packed(|| resume::written(&items, end));
        let mut state =
            self.waited(|state| sequence > state.next && state.waiting.len() >= self.most_waiting);
        state.waiting.insert(sequence, (items, written));
        while state.error.is_none()
            && let Some((items, written)) = {
                let next = state.next;
                state.waiting.remove(&next)
            }
        {
            state.add_all(items.into_iter(), self.taker);
            state.next += 1;
            if let Some(written) = written {
                state.write_down(self.taker.stop, |resume| resume.portion(&written));
            }
        }
        self.moved_on.notify_all();
        state.taken.collection.len() as u64
    }

    /// Waits as long as `waits` says so and nothing ends the run.
    fn waited(&self, waits: impl Fn(&State) -> bool) -> std::sync::MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while waits(&state) && state.error.is_none() && !self.taker.stop.is_set() {
            let waited = self.moved_on.wait_timeout(state, Duration::from_millis(100));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }
}

impl State {
    /// Writes down what was added, unless the run is to stop: then records may have been left out.
    fn write_down(&mut self, stop: &Stop, write: impl FnOnce(&mut Resume) -> Result<(), Error>) {
        if let Some(resume) = &mut self.taken.resume
            && self.error.is_none()
            && !stop.is_set()
        {
            self.error = write(resume).err();
        }
    }

    /// Adds results up to the first that ends the run.
    fn add_all(&mut self, items: impl Iterator<Item = Item>, taker: &Taker<'_>) {
        for item in items {
            if self.error.is_some() {
                break;
            }
            let added = match item {
                Ok(looked) => self.add(looked, taker),
                Err(bad) => {
                    taker.progress.bad(&bad);
                    self.taken.add_bad(bad, taker.job.strict)
                }
            };
            self.error = added.err();
        }
    }

    fn add(&mut self, mut looked: Looked, taker: &Taker<'_>) -> Result<(), Error> {
        let failed = |error| taker.scratch.failed(error);
        let taken = &mut self.taken;
        if taken.collection.len() as u64 >= u64::from(u32::MAX) - 1 {
            return Err(Error::Internal("more than four billion documents".to_owned()));
        }
        if let Some(text) = looked.text.take() {
            let at = taken.texts.spooled.push(text.as_bytes(), taker.scratch).map_err(failed)?;
            looked.entry.spooled = Some((at, text.len() as u32));
        }
        let file = looked.entry.place.file;
        if let Some(count) = taken.n_per_file.get_mut(file as usize) {
            *count += 1;
        }
        let is_archive = self.archive.is_some_and(|archive| file >= archive);
        if is_archive {
            taken.collection.begin_joined();
        }
        taken.words.push(&looked.words, taker.scratch).map_err(failed)?;
        taken.n_cut += u64::from(looked.entry.is_cut);
        taken.n_bytes.push(u32::try_from(looked.n_bytes).unwrap_or(u32::MAX));
        if taker.settings.boilerplate.is_some() {
            taken.sources.push(looked.source);
        }
        let near = taken.near_filter.as_mut().map(|filter| (filter, &looked.near_samples));
        for (filter, samples) in [(&mut taken.filter, &looked.samples)].into_iter().chain(near) {
            for &sample in samples {
                if is_archive {
                    filter.add_of_archive(sample);
                } else {
                    filter.add(sample);
                }
            }
        }
        taken.collection.n_bytes += looked.n_bytes;
        let doc = Ordinal(taken.collection.len() as u32);
        taken.collection.add_with_first(&looked.entry, doc)
    }
}

impl Taken {
    /// Counts a bad record; in a strict run it is an error.
    pub(super) fn add_bad(&mut self, bad: BadRecord, is_strict: bool) -> Result<(), Error> {
        if is_strict {
            return Err(Error::Input(bad));
        }
        self.n_bad += 1;
        *self.bad_by_file.entry(bad.file.clone()).or_default() += 1;
        if self.bad.len() < MOST_BAD {
            self.bad.push(bad);
        }
        Ok(())
    }
}
