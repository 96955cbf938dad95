//! Which runs and units stood before: hashed, thrown on piles by their hash, sorted pile by pile.
//!
//! Only what passes the filter is hashed. In a sorted pile equal hashes lie together, by position: the
//! first is the first occurrence, and each of the others is a repeat of it unless the two overlap.
//! Repeats are thrown on other piles, by position, to be read document by document.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use retold_core::document::Ordinal;
use retold_core::features::units::Unit;
use retold_core::hash;
use retold_core::scratch::Log;

use super::filter::Filter;
use super::order::{Order, POSITION_BITS};
use super::pile::{Couple, N_PILES, Piles, Thrower};
use super::sampling::Sampling;
use super::settings::StrikeSettings;
use super::taking::{Taken, unit_hash};
use crate::error::Error;
use crate::pipeline::budget::Budget;
use crate::pipeline::parallel::Pool;
use crate::pipeline::scratch::ScratchDir;
use crate::progress::{Progress, Stage, Stop};

/// Documents that a thread takes at a time.
const TAKEN: usize = 16;
/// The bits of a couple's second number that are the position; the others belong to the hash.
const POSITION: u64 = (1 << POSITION_BITS) - 1;
/// Says of a repeat that it is a shared sample of near-equal passages.
pub(super) const NEAR: u64 = 1 << 63;
/// Earlier occurrences of a sample that near-equal passages are looked for at.
const MOST_EARLIER: usize = 8;

/// How far the search is: it goes through all documents or through all piles, several times.
pub(super) struct Steps<'a> {
    progress: &'a dyn Progress,
    n_documents: u64,
    total: u64,
    n_done: AtomicU64,
}

impl<'a> Steps<'a> {
    pub(super) fn new(progress: &'a dyn Progress, n_documents: u64, total: u64) -> Self {
        Self { progress, n_documents, total, n_done: AtomicU64::new(0) }
    }

    /// Tells that the step that is being done stands at `done` of `of`, as a share of the documents.
    fn at(&self, done: u64, of: u64) {
        let of = of.max(1);
        let done = self.n_done.load(Ordering::Relaxed) * of + done.min(of);
        self.progress.at(self.n_documents * done / (self.total * of), self.n_documents);
    }

    fn end_step(&self) {
        self.n_done.fetch_add(1, Ordering::Relaxed);
        self.at(0, 1);
    }
}

/// Looks for repeats.
pub(super) struct Looking<'a> {
    pub(super) taken: &'a Taken,
    pub(super) steps: Steps<'a>,
    pub(super) order: &'a Order,
    pub(super) settings: StrikeSettings,
    pub(super) sampling: Option<Sampling>,
    pub(super) near: Option<Sampling>,
    pub(super) budget: Budget,
    pub(super) scratch: &'a ScratchDir,
    pub(super) pool: &'a Pool,
    pub(super) stop: &'a Stop,
}

impl<'a> Looking<'a> {
    /// Returns all repeats: the position of each and of its first occurrence, on piles by position.
    /// Nothing that touches the words of `marks` is one. Also returns the shared samples, if
    /// near-equal passages are looked for, with [`NEAR`] set, and how many were left out.
    pub(super) fn repeats(&self, marks: Option<&Marks>) -> Result<(Piles<'a>, u64), Error> {
        let found = self.piles(self.budget.ordered_pairs());
        let windows = self.piles(self.budget.search());
        self.throw_all(&windows, marks)?;
        let width = self.sampling.map_or(0, |sampling| sampling.width() as u64);
        self.groups(&windows, &found, |thrower, group| {
            let first = group[0];
            for &repeat in &group[1..] {
                // The first occurrence may overlap the repeat only if it lies in another document.
                let is_apart = repeat >= first + width || repeat >= self.order.end(first);
                if is_apart && !self.order.is_archive(repeat) {
                    self.throw_by_position(thrower, repeat, first)?;
                }
            }
            Ok(0)
        })?;
        let Some((near, filter)) = self.near.zip(self.taken.near_filter.as_ref()) else {
            return Ok((found, 0));
        };
        self.throw_samples(&windows, near, filter, marks)?;
        let n_cut = self.groups(&windows, &found, |thrower, group| {
            let mut n_cut = 0;
            for (n, &again) in group.iter().enumerate().skip(1) {
                if self.order.is_archive(again) {
                    continue;
                }
                for &before in &group[..n.min(MOST_EARLIER)] {
                    self.throw_by_position(thrower, again, before | NEAR)?;
                }
                n_cut += n.saturating_sub(MOST_EARLIER) as u64;
            }
            Ok(n_cut)
        })?;
        Ok((found, n_cut))
    }

    /// Returns the words of boilerplate.
    pub(super) fn boilerplate(&self, most: u32) -> Result<Marks, Error> {
        let found = self.piles(self.budget.ordered_pairs());
        let windows = self.piles(self.budget.search());
        self.throw_all(&windows, None)?;
        self.groups(&windows, &found, |thrower, group| {
            if group.len() <= most as usize {
                return Ok(0);
            }
            let mut by_source: HashMap<u64, (u32, Option<Ordinal>)> = HashMap::new();
            let source = |doc: Ordinal| self.taken.sources[doc.index()];
            for &position in group {
                let doc = self.order.place(position).0;
                let (n, last) = by_source.entry(source(doc)).or_default();
                // Positions ascend, so the runs of one document lie together.
                if *last != Some(doc) {
                    (*n, *last) = (*n + 1, Some(doc));
                }
            }
            for &position in group {
                let doc = self.order.place(position).0;
                if by_source[&source(doc)].0 > most && !self.order.is_archive(position) {
                    self.throw_by_position(thrower, position, 0)?;
                }
            }
            Ok(0)
        })?;
        let mut marks = Marks::new(self.taken.collection.len(), self.budget.decisions());
        let mut lengths = Lengths::new(self);
        let mut last: Option<(Ordinal, Vec<(u32, u32)>)> = None;
        for pile in 0..N_PILES {
            let sorted = found.sorted(pile, self.budget.pairs()).map_err(|e| self.failed(e))?;
            for record in &sorted {
                let (position, _) = record.map_err(|error| self.failed(error))?;
                let (doc, at) = self.order.place(position);
                let end = at + lengths.of(doc, at).map_err(|error| self.failed(error))?;
                match &mut last {
                    Some((of, stretches)) if *of == doc => match stretches.last_mut() {
                        Some(stretch) if self.sampling.is_some() && stretch.1 >= at => {
                            stretch.1 = end;
                        }
                        _ => stretches.push((at, end)),
                    },
                    _ => {
                        if let Some((doc, stretches)) = last.replace((doc, vec![(at, end)])) {
                            marks.put(doc, &stretches, self.scratch).map_err(|e| self.failed(e))?;
                        }
                    }
                }
            }
        }
        if let Some((doc, stretches)) = last {
            marks.put(doc, &stretches, self.scratch).map_err(|error| self.failed(error))?;
        }
        Ok(marks)
    }

    pub(super) fn failed(&self, error: io::Error) -> Error {
        self.scratch.failed(error)
    }

    fn piles(&self, most_bytes: usize) -> Piles<'a> {
        Piles::new(most_bytes, self.scratch)
    }

    fn throw_by_position(
        &self,
        thrower: &mut Thrower<'_>,
        position: u64,
        other: u64,
    ) -> io::Result<()> {
        let n_words = self.order.n_words().max(1);
        // Positions have 40 bits, so the product has 46.
        let pile = (position * N_PILES as u64 / n_words) as usize;
        thrower.throw(pile, (position, other))
    }

    /// Throws every run or unit that may be a repeat, or be repeated.
    fn throw_all(&self, piles: &Piles<'_>, marks: Option<&Marks>) -> Result<(), Error> {
        let filter = &self.taken.filter;
        self.each_document(piles, |doc, words, work, thrower| {
            let start = self.order.start(doc);
            let mut marked = Marked::new(marks, doc)?;
            if let Some(sampling) = self.sampling {
                let mut rolling = Rolling::new(sampling.width());
                let mut result = Ok(());
                sampling.each(words, &mut work.hashes, |at, _, sample| {
                    let sum = rolling.at(words, at);
                    if filter.is_again(sample)
                        && result.is_ok()
                        && !marked.touches(at, at + sampling.width())
                    {
                        let couple = couple(sum, start + at as u64);
                        result = thrower.throw((couple.0 >> 58) as usize, couple);
                    }
                });
                return result;
            }
            self.taken.words.units(doc, &mut work.units)?;
            let least = self.settings.least_words();
            for unit in work.units.iter().filter(|unit| unit.n_words >= least) {
                let (at, end) = (unit.first as usize, (unit.first + unit.n_words) as usize);
                let hash = unit_hash(&words[at..end]);
                if filter.is_again(hash as u64) && !marked.touches(at, end) {
                    let couple = couple(hash, start + at as u64);
                    thrower.throw((couple.0 >> 58) as usize, couple)?;
                }
            }
            Ok(())
        })
    }

    /// Throws samples that stand at several places.
    fn throw_samples(
        &self,
        piles: &Piles<'_>,
        near: Sampling,
        filter: &Filter,
        marks: Option<&Marks>,
    ) -> Result<(), Error> {
        self.each_document(piles, |doc, words, work, thrower| {
            let start = self.order.start(doc);
            let mut marked = Marked::new(marks, doc)?;
            let mut result = Ok(());
            near.each_sample(words, &mut work.hashes, |at, hash| {
                if filter.is_again(hash) && result.is_ok() && !marked.touches(at, at + near.k()) {
                    let couple = (hash, start + at as u64);
                    result = thrower.throw((hash >> 58) as usize, couple);
                }
            });
            result
        })
    }

    /// Has all threads look at all documents.
    fn each_document(
        &self,
        piles: &Piles<'_>,
        look: impl Fn(Ordinal, &[u64], &mut Work, &mut Thrower<'_>) -> io::Result<()> + Sync,
    ) -> Result<(), Error> {
        let (next, n_documents) = (AtomicUsize::new(0), self.taken.collection.len());
        let looked = self.on_all(|| {
            let (mut work, mut words, mut bytes) = (Work::default(), Vec::new(), Vec::new());
            let mut thrower = piles.thrower();
            loop {
                let from = next.fetch_add(TAKEN, Ordering::Relaxed);
                if from >= n_documents || self.stop.is_set() {
                    return thrower.finish();
                }
                self.steps.at(from as u64, n_documents as u64);
                for doc in from..(from + TAKEN).min(n_documents) {
                    let doc = Ordinal(doc as u32);
                    let all = 0..self.taken.words.n_words(doc);
                    self.taken.words.read(doc, all, &mut bytes, &mut words)?;
                    look(doc, &words, &mut work, &mut thrower)?;
                }
            }
        });
        self.steps.end_step();
        looked
    }

    /// Sorts piles by hash and hands the positions of equal hashes on, each group ascending. Returns
    /// the sum of what `each` returns.
    fn groups(
        &self,
        piles: &Piles<'_>,
        found: &Piles<'_>,
        each: impl Fn(&mut Thrower<'_>, &[u64]) -> io::Result<u64> + Sync,
    ) -> Result<u64, Error> {
        let (next, sum) = (AtomicUsize::new(0), Mutex::new(0));
        let most_bytes = self.budget.search() / self.pool.n_threads();
        self.on_all(|| {
            let mut thrower = found.thrower();
            let mut group: Vec<u64> = Vec::new();
            loop {
                let pile = next.fetch_add(1, Ordering::Relaxed);
                if pile >= N_PILES || self.stop.is_set() {
                    return thrower.finish();
                }
                self.steps.at(pile as u64, N_PILES as u64);
                let sorted = piles.sorted(pile, most_bytes)?;
                let mut key = (0, 0);
                for record in &sorted {
                    let (high, low) = record?;
                    let of_record = (high, low >> POSITION_BITS);
                    if of_record != key {
                        hand_on(&group, &mut thrower, &each, &sum)?;
                        group.clear();
                        key = of_record;
                    }
                    group.push(low & POSITION);
                }
                hand_on(&group, &mut thrower, &each, &sum)?;
                group.clear();
            }
        })?;
        self.steps.end_step();
        Ok(sum.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs `work` on all threads and returns the first error.
    fn on_all(&self, work: impl Fn() -> io::Result<()> + Sync) -> Result<(), Error> {
        let failure = Mutex::new(None);
        self.pool.on_all(|| {
            if let Err(error) = work() {
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        });
        if self.stop.is_set() {
            let n_documents = self.taken.collection.len() as u64;
            return Err(Error::Stopped { stage: Stage::Search.name(), n_documents });
        }
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(self.failed(error)),
            None => Ok(()),
        }
    }
}

fn hand_on(
    group: &[u64],
    thrower: &mut Thrower<'_>,
    each: impl Fn(&mut Thrower<'_>, &[u64]) -> io::Result<u64>,
    sum: &Mutex<u64>,
) -> io::Result<()> {
    if group.len() > 1 {
        let n = each(thrower, group)?;
        if n > 0 {
            *sum.lock().unwrap_or_else(PoisonError::into_inner) += n;
        }
    }
    Ok(())
}

/// What a thread works in.
#[derive(Default)]
struct Work {
    hashes: Vec<u64>,
    units: Vec<Unit>,
}

/// Puts 88 bits of a hash and a position into two numbers.
fn couple(sum: u128, position: u64) -> Couple {
    let (high, low) = ((sum >> 64) as u64, sum as u64);
    let first = hash::mix(high ^ low.rotate_left(32));
    (first, (hash::mix(low) & !POSITION) | position)
}

/// The hash of every run of `width` words: a polynomial modulo 2^128.
struct Rolling {
    width: usize,
    leaving: u128,
    sum: u128,
}

/// Multiplier of the polynomial; odd, so that multiplication loses nothing.
const BASE: u128 = 0x9fb2_1c65_1e98_df25_d6e8_feb8_6659_fd93;

impl Rolling {
    fn new(width: usize) -> Self {
        let leaving = (0..width).fold(1_u128, |power, _| power.wrapping_mul(BASE));
        Self { width, leaving, sum: 0 }
    }

    /// Returns the hash of the run that begins at `at`; it is asked for each in order.
    #[inline]
    fn at(&mut self, words: &[u64], at: usize) -> u128 {
        let add = |sum: u128, word: u64| sum.wrapping_mul(BASE).wrapping_add(u128::from(word));
        if at == 0 {
            self.sum = words[..self.width].iter().fold(0, |sum, &word| add(sum, word));
        } else {
            let leaves = u128::from(words[at - 1]).wrapping_mul(self.leaving);
            self.sum = add(self.sum, words[at + self.width - 1]).wrapping_sub(leaves);
        }
        self.sum
    }
}

/// Words of runs or units, by document and beginning.
pub(super) struct Lengths<'a> {
    looking: &'a Looking<'a>,
    of: Option<Ordinal>,
    units: Vec<Unit>,
}

impl<'a> Lengths<'a> {
    pub(super) fn new(looking: &'a Looking<'a>) -> Self {
        Self { looking, of: None, units: Vec::new() }
    }

    /// Returns the number of words of the run or unit that begins at a word of a document.
    pub(super) fn of(&mut self, doc: Ordinal, at: u32) -> io::Result<u32> {
        if let Some(sampling) = self.looking.sampling {
            return Ok(sampling.width() as u32);
        }
        if self.of != Some(doc) {
            self.looking.taken.words.units(doc, &mut self.units)?;
            self.of = Some(doc);
        }
        let unit = self.units.binary_search_by_key(&at, |unit| unit.first);
        Ok(unit.map_or(0, |unit| self.units[unit].n_words))
    }
}

/// Stretches of words that are marked, by document.
pub(super) struct Marks {
    log: Log,
    /// Where the stretches of each document lie, and how many there are.
    places: Vec<(u64, u32)>,
}

impl Marks {
    fn new(n_documents: usize, most_bytes: usize) -> Self {
        Self { log: Log::new(most_bytes), places: vec![(0, 0); n_documents] }
    }

    fn put(
        &mut self,
        doc: Ordinal,
        stretches: &[(u32, u32)],
        scratch: &ScratchDir,
    ) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(stretches.len() * 8);
        for (start, end) in stretches {
            bytes.extend_from_slice(&start.to_le_bytes());
            bytes.extend_from_slice(&end.to_le_bytes());
        }
        let at = self.log.push(&bytes, scratch)?;
        self.places[doc.index()] = (at, stretches.len() as u32);
        Ok(())
    }

    /// Returns whether words of a document are marked.
    pub(super) fn has(&self, doc: Ordinal) -> bool {
        self.places[doc.index()].1 > 0
    }

    /// Reads the marked stretches of a document, in order.
    pub(super) fn of(&self, doc: Ordinal) -> io::Result<Vec<(u32, u32)>> {
        let (at, n) = self.places[doc.index()];
        let mut bytes = Vec::new();
        if n > 0 {
            self.log.read(at, n as usize * 8, &mut bytes)?;
        }
        let number = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Ok(bytes.chunks_exact(8).map(|both| (number(both), number(&both[4..]))).collect())
    }
}

/// The marked stretches of one document, asked from left to right.
struct Marked(std::iter::Peekable<std::vec::IntoIter<(u32, u32)>>);

impl Marked {
    fn new(marks: Option<&Marks>, doc: Ordinal) -> io::Result<Self> {
        let stretches = marks.map_or(Ok(Vec::new()), |marks| marks.of(doc))?;
        Ok(Self(stretches.into_iter().peekable()))
    }

    /// Returns whether words from `start` to `end` are marked; `start` never goes back.
    fn touches(&mut self, start: usize, end: usize) -> bool {
        while self.0.next_if(|stretch| stretch.1 as usize <= start).is_some() {}
        self.0.peek().is_some_and(|stretch| (stretch.0 as usize) < end)
    }
}
