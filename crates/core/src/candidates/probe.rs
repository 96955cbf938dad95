//! Tiny documents, looked up in all runs of the long ones.
//!
//! A long document keeps a sample of its runs as keys, and a document of a few runs may stand
//! between two of them. So long documents also carry a [`CodeSet`]: the first bits of the hash of
//! every run, packed into some 12 bits each. A tiny document looks for its own hashes, its *codes*,
//! in the code sets of the long documents before it; a long one for the codes of the tiny documents
//! before it in its own set. Both find the same pairs.
//!
//! # What it may miss
//! Nothing, but for codes that more than `stop` documents before the asker have: they count for the
//! first `stop` of them, and are counted as cut. A code meets a stranger in one of some thousand
//! documents; the comparison of the documents tells them apart.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;

use super::meeting::{Meeting, SeenKeys};
use super::sealed::{SearchError, SearchSetup, Store};
use super::tiny_pairs::{CodesOf, Holders, Pairing, Votes};
use super::{Cuts, Found, Partner};
use crate::document::Ordinal;
use crate::encode::{Ascending, Encoded, Input, put_ascending, put_number};
use crate::relation::{Kind, Scores};
use crate::scratch::{Sorted, Sorter};

/// Bits of a code beyond those that the number of codes takes: one stranger in 2^10 to 2^11.
const SPARE_BITS: u32 = 10;

/// Tiny documents that one piece of work pairs up.
const TINY_PER_PIECE: usize = 64;

/// A packed set of codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeSet {
    width: u32,
    n: usize,
    /// As [`put_ascending`] writes them, without their number.
    packed: Box<[u8]>,
}

/// Runs of documents that are at hand as they are: no code set is needed of them.
pub trait HeldRuns: Sync {
    /// Returns the runs of a document, [spread](super::samples::spread), ascending and each once, if
    /// they are held.
    fn held_runs(&self, doc: Ordinal) -> Option<&[u64]>;
}

/// Returns the bits of a code among so many.
fn width(n: usize) -> u32 {
    (n.max(1) as u64).ilog2() + 1 + SPARE_BITS
}

impl CodeSet {
    /// Packs hashes, ascending.
    ///
    /// ```
    /// use retold_core::candidates::probe::CodeSet;
    /// let set = CodeSet::new(&[1 << 50, 3 << 60]);
    /// assert!(set.has(3 << 60) && !set.has(2 << 60));
    /// ```
    pub fn new(hashes: &[u64]) -> Self {
        let n_repeated = hashes.windows(2).filter(|two| two[0] == two[1]).count();
        let width = width(hashes.len() - n_repeated);
        let mut codes: Vec<u64> = hashes.iter().map(|hash| hash >> (64 - width)).collect();
        codes.dedup();
        Self::packed(&codes, width)
    }

    /// Packs codes of a width, ascending and each once.
    fn packed(codes: &[u64], width: u32) -> Self {
        let mut bytes = Vec::with_capacity(codes.len() * 3 / 2 + 16);
        put_ascending(codes, width, &mut bytes);
        let mut input = Input::new(&bytes);
        let n = input.count().expect("as just written");
        let head = bytes.len() - input.len();
        Self { width, n, packed: bytes[head..].into() }
    }

    /// Returns the number of codes.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Returns whether a hash may be in the set.
    pub fn has(&self, hash: u64) -> bool {
        let code = hash >> (64 - self.width);
        self.codes().find(|&other| other >= code) == Some(code)
    }

    /// Returns the codes that were not seen before; from now on they are.
    #[must_use]
    pub fn unseen(&self, seen: &mut SeenKeys) -> Self {
        // Codes of another width are other things; keys have more bits than any code.
        let thing = |code: u64| (u64::from(self.width) << 56) | code;
        let codes: Vec<u64> = self.codes().filter(|&code| seen.is_new(thing(code))).collect();
        Self::packed(&codes, self.width)
    }

    /// Returns the codes by their first bits, as sets of as many parts; those without a code are left
    /// out. `n_parts` is a power of two of at most ten bits.
    pub(super) fn parts(&self, n_parts: u64) -> Vec<(u64, Self)> {
        let shift = self.width - n_parts.trailing_zeros();
        let codes: Vec<u64> = self.codes().collect();
        let parts = codes.chunk_by(|x, y| x >> shift == y >> shift);
        parts.map(|part| (part[0] >> shift, Self::packed(part, self.width))).collect()
    }

    fn codes(&self) -> Ascending<'_> {
        Ascending::new(&self.packed, self.n, self.width)
    }
}

impl Encoded for CodeSet {
    fn encode(&self, out: &mut Vec<u8>) {
        put_number(u64::from(self.width), out);
        put_number(self.n as u64, out);
        put_number(self.packed.len() as u64, out);
        out.extend_from_slice(&self.packed);
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let width = u32::try_from(input.number()?).ok().filter(|width| (1..=56).contains(width))?;
        let n = usize::try_from(input.number()?).ok()?;
        let len = input.count()?;
        Some(Self { width, n, packed: input.take(len)?.into() })
    }
}

/// Codes of tiny documents, sorted: what long documents are looked through for.
#[derive(Debug, Default)]
pub(super) struct Codes {
    /// Each code once.
    all: Vec<u64>,
    /// Where the documents of each code start in `docs`; one more at the end.
    starts: Vec<u32>,
    docs: Vec<u32>,
    /// One bit per value of a code's first bits: whether any code has it.
    filter: Vec<u64>,
    shift: u32,
}

impl Codes {
    pub(super) fn new(mut both: Vec<(u64, u32)>) -> Self {
        both.sort_unstable();
        both.dedup();
        let (mut all, mut starts, mut docs) = (Vec::new(), Vec::new(), Vec::new());
        for same in both.chunk_by(|x, y| x.0 == y.0) {
            all.push(same[0].0);
            starts.push(docs.len() as u32);
            docs.extend(same.iter().map(|x| x.1));
        }
        starts.push(docs.len() as u32);
        // Few strangers pass: one in 16 or fewer.
        let bits = (all.len() * 16).next_power_of_two().clamp(1 << 12, 1 << 26).trailing_zeros();
        let shift = 64 - bits;
        let mut filter = vec![0u64; (1usize << bits) / 64];
        for &code in &all {
            let bit = code >> shift;
            filter[bit as usize / 64] |= 1 << (bit % 64);
        }
        Self { all, starts, docs, filter, shift }
    }

    /// Returns the documents of a code, by ordinal.
    pub(super) fn docs(&self, at: usize) -> &[u32] {
        &self.docs[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Counts the codes of every document.
    pub(super) fn n_of_documents(&self) -> CodeCounts {
        let mut docs = self.docs.clone();
        docs.sort_unstable();
        let count = |same: &[u32]| (same[0], same.len() as u32);
        CodeCounts(docs.chunk_by(|x, y| x == y).map(count).collect())
    }

    /// Returns the number of codes.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are no codes.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Calls `each` with the number of every code that stands in a set, ascending.
    pub(super) fn in_set(&self, set: &CodeSet, each: impl FnMut(usize)) {
        self.among(set.codes(), set.width, each);
    }

    /// Calls `each` with the number of every code that a set of these runs would have, ascending.
    pub(super) fn in_runs(&self, runs: &[u64], each: impl FnMut(usize)) {
        let width = width(runs.len());
        let mut last = None;
        let codes = runs.iter().map(|run| run >> (64 - width));
        self.among(codes.filter(|&code| last.replace(code) != Some(code)), width, each);
    }

    fn among(&self, codes: impl Iterator<Item = u64>, width: u32, mut each: impl FnMut(usize)) {
        let low = 64 - width;
        let is_finer = low <= self.shift;
        for code in codes {
            let from = code << low;
            // PERF: a set of shorter codes than the filter's needs a look at several bits; it is
            //       only that of a short document, and the search below is right in any case.
            if is_finer {
                let bit = from >> self.shift;
                if self.filter[bit as usize / 64] >> (bit % 64) & 1 == 0 {
                    continue;
                }
            }
            let mut at = self.all.partition_point(|&other| other < from);
            while self.all.get(at).is_some_and(|other| other >> low == code) {
                each(at);
                at += 1;
            }
        }
    }
}

/// How many codes each document has, by ordinal.
#[derive(Debug)]
pub(super) struct CodeCounts(Vec<(u32, u32)>);

impl CodeCounts {
    /// Returns the number of codes of a document; 0 if it has none.
    pub(super) fn of(&self, doc: u32) -> usize {
        let at = self.0.binary_search_by_key(&doc, |x| x.0);
        at.map_or(0, |at| self.0[at].1 as usize)
    }
}

/// Returns the documents that were met often enough, by ordinal, each once.
pub(super) fn often(mut met: Vec<u32>, is_enough: impl Fn(u32, usize) -> bool) -> Vec<u32> {
    met.sort_unstable();
    met.chunk_by(|x, y| x == y)
        .filter(|same| is_enough(same[0], same.len()))
        .map(|same| same[0])
        .collect()
}

/// Finds the pairs of tiny and long documents of a sealed collection, as (later, earlier).
pub(super) fn search<M: Meeting>(
    meeting: &M,
    store: &Store<'_, M>,
    setup: &SearchSetup<'_>,
    cuts: &mut Cuts,
) -> Result<Sorted<(u32, u32)>, SearchError> {
    let SearchSetup { border, memory_bytes, scratch, executor, .. } = *setup;
    let budget = memory_bytes / 4;
    let codes = Codes::new(std::mem::take(&mut *store.tiny.lock().expect(super::NO_PANIC)));
    let hits: Mutex<io::Result<Sorter<(u32, u32)>>> = Mutex::new(Ok(Sorter::new(budget)));
    let n_pieces = if codes.all.is_empty() { 0 } else { store.n_pieces() };
    executor.run(n_pieces, &|piece| {
        let found = RefCell::new(Vec::new());
        let is_held = |doc: u32| {
            let runs = setup.runs.and_then(|runs| runs.held_runs(Ordinal(doc)));
            let Some(runs) = runs else { return false };
            if meeting.is_looked_into(store.facts_of(doc)) {
                let number = store.number_of(doc);
                codes.in_runs(runs, |at| found.borrow_mut().push((at as u32, number)));
            }
            true
        };
        let looked = store.each_image_but(piece, executor, is_held, |doc, image| {
            if let Some(set) = meeting.code_set(&image) {
                let number = store.number_of(doc);
                codes.in_set(set, |at| found.borrow_mut().push((at as u32, number)));
            }
        });
        let mut hits = hits.lock().expect(super::NO_PANIC);
        if let Ok(sorter) = &mut *hits {
            let found = found.into_inner();
            let pushed =
                looked.and_then(|()| found.iter().try_for_each(|&hit| sorter.push(hit, scratch)));
            if let Err(error) = pushed {
                *hits = Err(error);
            }
        }
    });
    if executor.is_stopped() {
        return Err(SearchError::Stopped);
    }
    let hits = hits.into_inner().expect(super::NO_PANIC)?.finish(scratch)?;
    let tiny = CodesOf::all(&codes);
    let pairing = Pairing { meeting, codes: &codes, border, stop: meeting.limits().stop };
    // Tiny documents in so many portions that the lists of one fit.
    let n_portions = (hits.len() as usize * 4).div_ceil(budget.max(1)).max(1);
    let n_of_portion = tiny.len().div_ceil(n_portions).max(1);
    let out = Mutex::new(Ok(Sorter::new(budget)));
    pairing.count_cuts(&hits, cuts)?;
    for portion in tiny.chunks(n_of_portion) {
        let holders = Holders::of(&hits, codes.len(), portion)?;
        let pieces: Vec<&[CodesOf]> = portion.chunks(TINY_PER_PIECE).collect();
        executor.run(pieces.len(), &|piece| {
            let mut votes = Votes::default();
            let mut found = Vec::new();
            for tiny in pieces[piece] {
                if executor.is_stopped() {
                    break;
                }
                pairing.pair_up(tiny, &holders, &mut votes, &mut found);
            }
            let mut out = out.lock().expect(super::NO_PANIC);
            if let Ok(sorter) = &mut *out {
                let sorter: &mut Sorter<(u32, u32)> = sorter;
                if let Err(error) = found.iter().try_for_each(|&pair| sorter.push(pair, scratch)) {
                    *out = Err(error);
                }
            }
        });
        if executor.is_stopped() {
            return Err(SearchError::Stopped);
        }
    }
    Ok(out.into_inner().expect(super::NO_PANIC)?.finish(scratch)?)
}

/// Adds documents found by their codes to those found by keys, from `start` on.
pub(crate) fn unite(found: &mut Found, start: usize, others: &[u32]) {
    if others.is_empty() {
        return;
    }
    let unknown = |&doc: &u32| Partner {
        ordinal: Ordinal(doc),
        kind: Kind::Partial,
        scores: Scores::default(),
    };
    found.partners.extend(others.iter().map(unknown));
    // Stable: what the keys say of a document goes before what the codes say.
    found.partners[start..].sort_by_key(|partner| partner.ordinal);
    let mut kept = start;
    for at in start..found.partners.len() {
        if at == start || found.partners[at].ordinal != found.partners[kept - 1].ordinal {
            found.partners[kept] = found.partners[at];
            kept += 1;
        }
    }
    found.partners.truncate(kept);
}

/// Counts, for a tiny document that asks, in how many code sets each of its codes stands.
pub(super) struct Looking<'a> {
    codes: &'a [u64],
    n_met: Vec<usize>,
    stop: usize,
}

impl<'a> Looking<'a> {
    pub(super) fn new(codes: &'a [u64], stop: usize) -> Self {
        Self { codes, n_met: vec![0; codes.len()], stop }
    }

    /// Returns how many codes count for the next document, in order; a code counts for its first
    /// `stop` documents.
    pub(super) fn in_set(&mut self, set: &CodeSet, cuts: &mut Cuts) -> usize {
        let low = 64 - set.width;
        let mut n = 0;
        let mut at = 0;
        for code in set.codes() {
            while at < self.codes.len() && self.codes[at] >> low < code {
                at += 1;
            }
            if at == self.codes.len() {
                break;
            }
            while at < self.codes.len() && self.codes[at] >> low == code {
                self.n_met[at] += 1;
                cuts.n_stop_features += u64::from(self.n_met[at] == self.stop + 1);
                n += usize::from(self.n_met[at] <= self.stop);
                at += 1;
            }
        }
        n
    }
}

/// Returns the tiny documents before `before` of whose codes enough stand in a set.
pub(super) fn tiny_in(
    set: &CodeSet,
    tiny: &BTreeSet<(u64, u32)>,
    before: u32,
    stop: usize,
    is_enough: impl Fn(u32, usize) -> bool,
    cuts: &mut Cuts,
) -> Vec<u32> {
    let low = 64 - set.width;
    let mut met: Vec<u32> = Vec::new();
    for code in set.codes() {
        let last = (code << low) | ((1u64 << low) - 1);
        let mut of_code: (u64, usize) = (0, 0);
        for &(hash, doc) in tiny.range((code << low, 0)..=(last, u32::MAX)) {
            if hash != of_code.0 {
                of_code = (hash, 0);
            }
            if doc < before {
                of_code.1 += 1;
                cuts.n_stop_features += u64::from(of_code.1 == stop + 1);
                if of_code.1 <= stop {
                    met.push(doc);
                }
            }
        }
    }
    often(met, is_enough)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Random, mix};

    #[test]
    fn a_set_has_what_was_put_in_and_few_strangers() {
        for n in [1usize, 17, 500, 6000] {
            let mut hashes: Vec<u64> = (0..n as u64).map(mix).collect();
            hashes.sort_unstable();
            let set = CodeSet::new(&hashes);
            let mut bytes = Vec::new();
            set.encode(&mut bytes);
            assert!(bytes.len() * 8 <= n * 13 + 120, "{n}: {} bytes", bytes.len());
            assert_eq!(CodeSet::decode(&mut Input::new(&bytes)), Some(set.clone()));
            assert!(hashes.iter().step_by(n / 17 + 1).all(|&hash| set.has(hash)));
            let mut random = Random::new(1);
            let n_strangers = (0..2000).filter(|_| set.has(random.next_u64())).count();
            assert!(n_strangers < 10, "{n}: {n_strangers}");
        }
    }

    #[test]
    fn codes_are_found_in_sets_of_any_size() {
        let tiny: Vec<(u64, u32)> = (0..40).map(|i| (mix(i), (i / 4) as u32)).collect();
        let codes = Codes::new(tiny.clone());
        let as_set: BTreeSet<(u64, u32)> = tiny.iter().copied().collect();
        for n in [3u64, 30, 300, 30_000] {
            let mut hashes: Vec<u64> = (20..20 + n).map(mix).collect();
            hashes.sort_unstable();
            let set = CodeSet::new(&hashes);
            let mut found = Vec::new();
            codes.in_set(&set, |at| found.push(codes.all[at]));
            let mut in_runs = Vec::new();
            codes.in_runs(&hashes, |at| in_runs.push(codes.all[at]));
            assert_eq!(in_runs, found, "runs that are held are a set of their codes");
            for (code, _) in &tiny {
                assert!(!hashes.contains(code) || found.contains(code), "{n}");
            }
            let mut cuts = Cuts::default();
            let all = tiny_in(&set, &as_set, u32::MAX, 99, |_, n| n == 4, &mut cuts);
            let expected: Vec<u32> =
                (5..10).filter(|doc| u64::from(*doc) * 4 + 4 <= 20 + n).collect();
            assert!(expected.iter().all(|doc| all.contains(doc)), "{n}: {all:?}");
            let mut own: Vec<u64> = (20..24).map(mix).collect();
            own.sort_unstable();
            if n > 4 {
                assert_eq!(Looking::new(&own, 9).in_set(&set, &mut cuts), 4);
            }
        }
    }
}
