//! Shingles in 32 bits, and a small hash table from them to their places in one document.

use crate::features::shingles::Shingles;

/// Marks an empty slot and the end of a chain.
const NONE: u32 = u32::MAX;
const EMPTY: u64 = u64::MAX;

/// Tells whether a shingle stands at its first place: the lowest bit of its code.
const FIRST: u32 = 1;

/// A shingle as a profile keeps it: 31 bits of its hash, and whether this is the first place of
/// the shingle in its document.
///
/// Codes tell most shingles apart; where they agree, the words decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(u32);

impl Code {
    fn new(shingle: u64, is_first: bool) -> Self {
        Self((shingle >> 32) as u32 & !FIRST | u32::from(is_first))
    }

    /// Returns whether the shingle stands here for the first time.
    #[inline]
    pub fn is_first(self) -> bool {
        self.0 & FIRST == FIRST
    }

    /// Returns whether two codes are those of the same shingle, or very rarely of two.
    #[inline]
    pub fn is_like(self, other: Self) -> bool {
        (self.0 ^ other.0) <= FIRST
    }

    /// Returns the word of a filter that knows the shingle, and two bits in it. Filters have a
    /// power of two of words; that is the mask plus one.
    #[inline]
    fn in_filter(self, mask: usize) -> (usize, [u32; 2]) {
        ((self.0 >> 13) as usize & mask, [self.0 >> 1 & 63, self.0 >> 7 & 63])
    }
}

/// What a profile keeps of the shingles of a document.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    /// One code a shingle, in order.
    pub codes: Vec<Code>,
    /// Places whose shingle stands again, in order, each with the next place of the same shingle.
    pub repeats: Vec<(u32, u32)>,
    /// Number of different shingles.
    pub n_distinct: usize,
}

/// Makes codes, with room that is used again and again.
#[derive(Clone, Debug, Default)]
pub struct Coder {
    shingles: Vec<u64>,
    /// First place of a shingle below, 32 bits of its hash above.
    slots: Vec<u64>,
    /// First place and place of shingles that stood before.
    tails: Vec<(u32, u32)>,
}

impl Coder {
    /// Returns the codes of all shingles of a word sequence.
    pub fn codes(&mut self, words: &[u64], shingles: Shingles) -> Codes {
        let Self { shingles: all, slots, tails } = self;
        all.clear();
        shingles.each(words, |shingle| all.push(shingle));
        slots.clear();
        slots.resize(n_slots(all.len()), EMPTY);
        tails.clear();
        let mask = slots.len() - 1;
        let start = |shingle: u64| shingle as usize & mask;
        let mut codes = Vec::with_capacity(all.len());
        for (n_chunk, chunk) in all.chunks(CHUNK).enumerate() {
            warm(slots, chunk.iter().map(|&shingle| start(shingle)));
            for (i, &shingle) in chunk.iter().enumerate() {
                let place = n_chunk * CHUNK + i;
                let mut slot = start(shingle);
                let is_first = loop {
                    let entry = slots[slot];
                    if entry == EMPTY {
                        slots[slot] = (shingle & !u64::from(NONE)) | place as u64;
                        break true;
                    }
                    if entry >> 32 == shingle >> 32 && all[entry as u32 as usize] == shingle {
                        tails.push((entry as u32, place as u32));
                        break false;
                    }
                    slot = (slot + 1) & mask;
                };
                codes.push(Code::new(shingle, is_first));
            }
        }
        // Stable by head: places of one chain stay in order. Each tail then follows the one
        // before it, or its head.
        tails.sort_by_key(|&(head, _)| head);
        let mut repeats = Vec::with_capacity(tails.len());
        for chain in tails.chunk_by(|x, y| x.0 == y.0) {
            let mut last = chain[0].0;
            for &(_, place) in chain {
                repeats.push((last, place));
                last = place;
            }
        }
        let n_distinct = all.len() - tails.len();
        Codes { codes, repeats, n_distinct }
    }
}

/// Shingles whose slots are brought to the cache together.
const CHUNK: usize = 32;
/// Slots of a table that is in the cache anyway.
const FEW_SLOTS: usize = 1 << 13;

/// Looks at some slots of a large table ahead of their use, so that they come from memory all at
/// once: branches on a slot's content would have them come one after the other.
#[inline]
fn warm(slots: &[u64], wanted: impl Iterator<Item = usize>) {
    if slots.len() > FEW_SLOTS {
        std::hint::black_box(wanted.fold(0, |sum, slot| sum ^ slots[slot]));
    }
}

/// Returns the slots of a table for `n` entries: a power of two, at most two thirds taken.
fn n_slots(n: usize) -> usize {
    (n + n / 2 + 1).next_power_of_two()
}

/// Places of each shingle of a document, first place first; filled again and again.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// First place of a shingle below, its code above: a look-up that fails touches nothing but
    /// its slot.
    slots: Vec<u64>,
    /// For each place the next place of the same shingle.
    next: Vec<u32>,
    /// A Bloom filter of the codes: each sets two bits of one word.
    filter: Vec<u64>,
}

/// Bits of the filter per shingle, at least. A shingle that is not there passes it in one to
/// five of a hundred cases.
const FILTER_BITS: usize = 8;

impl Table {
    /// Fills the table with the shingles of a document.
    pub fn fill(&mut self, document: &Codes) {
        self.slots.clear();
        self.slots.resize(n_slots(document.n_distinct), EMPTY);
        self.filter.clear();
        self.filter.resize((document.n_distinct * FILTER_BITS / 64).next_power_of_two(), 0);
        let mask = self.slots.len() - 1;
        for (n_chunk, chunk) in document.codes.chunks(CHUNK).enumerate() {
            warm(&self.slots, chunk.iter().map(|&code| slot_of(code, mask)));
            for (i, &code) in chunk.iter().enumerate() {
                if code.is_first() {
                    let place = n_chunk * CHUNK + i;
                    let mut slot = slot_of(code, mask);
                    while self.slots[slot] != EMPTY {
                        slot = (slot + 1) & mask;
                    }
                    self.slots[slot] = u64::from(code.0) << 32 | place as u64;
                    let (word, bits) = code.in_filter(self.filter.len() - 1);
                    self.filter[word] |= 1 << bits[0] | 1 << bits[1];
                }
            }
        }
        self.next.clear();
        if !document.repeats.is_empty() {
            self.next.resize(document.codes.len(), NONE);
            for &(place, next) in &document.repeats {
                self.next[place as usize] = next;
            }
        }
    }

    /// Returns for up to 64 shingles, one bit each, whether they may be there; those that may not
    /// are not. The table was filled before.
    #[inline]
    pub fn may_have(&self, codes: &[Code]) -> u64 {
        debug_assert!(codes.len() <= 64, "one bit a shingle");
        // PERF: no branches, and no shifts by anything but constants and `bits`.
        let filter = &self.filter[..];
        let mut hits = 0;
        for code in codes {
            let (word, bits) = code.in_filter(filter.len() - 1);
            let word = filter[word];
            let is_hit = (word >> bits[0] & 1 == 1) & (word >> bits[1] & 1 == 1);
            hits = hits >> 1 | u64::from(is_hit) << 63;
        }
        if codes.is_empty() { 0 } else { hits >> (64 - codes.len()) }
    }

    /// Returns the first place of a shingle, given its code and its words. `words` are those of
    /// the document that the table was filled with.
    #[inline]
    pub fn find(&self, words: &[u64], code: Code, shingle: &[u64]) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut slot = slot_of(code, mask);
        loop {
            let entry = self.slots[slot];
            if entry == EMPTY {
                return None;
            }
            let place = entry as u32;
            if code.is_like(Code((entry >> 32) as u32))
                && words[place as usize..].iter().zip(shingle).all(|(word, other)| word == other)
            {
                return Some(place);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Returns the next place of the shingle at `place`.
    #[inline]
    pub fn next(&self, place: u32) -> Option<u32> {
        let next = *self.next.get(place as usize)?;
        (next != NONE).then_some(next)
    }
}

/// Returns the slot where the search for a code begins. The filter looks at the upper bits, so
/// the lower ones are used here.
#[inline]
fn slot_of(code: Code, mask: usize) -> usize {
    (code.0 >> 1) as usize & mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Random;

    fn table(words: &[u64]) -> (Table, Codes) {
        let codes = Coder::default().codes(words, Shingles::new(1));
        let mut table = Table::default();
        table.fill(&codes);
        (table, codes)
    }

    #[test]
    fn every_place_of_a_shingle_is_found_in_order() {
        let words = [7, 8, 7, 9, 7, 8];
        let (table, Codes { codes, n_distinct, .. }) = table(&words);
        let mut places = vec![table.find(&words, codes[4], &[7]).expect("7 is there")];
        while let Some(next) = table.next(*places.last().expect("not empty")) {
            places.push(next);
        }
        assert_eq!(places, [0, 2, 4]);
        assert_eq!(n_distinct, 3);
        assert!(codes[1].is_first() && !codes[5].is_first());
        let strange = Coder::default().codes(&[10], Shingles::new(1)).codes;
        assert_eq!(table.find(&words, strange[0], &[10]), None);
        assert_eq!(table.find(&words, codes[0], &[10]), None, "equal codes are not enough");
    }

    #[test]
    fn a_table_filled_again_forgets_what_it_held() {
        let mut random = Random::new(3);
        let mut coder = Coder::default();
        let mut table = Table::default();
        for n in [5_000, 3, 40_000, 0, 17] {
            let words: Vec<u64> = (0..n).map(|_| random.below(50_000) as u64).collect();
            let codes = coder.codes(&words, Shingles::new(1));
            table.fill(&codes);
            let mut first = std::collections::BTreeMap::new();
            for (place, &word) in words.iter().enumerate() {
                first.entry(word).or_insert(place as u32);
            }
            assert_eq!(codes.n_distinct, first.len());
            assert_eq!(codes.repeats.len(), words.len() - first.len());
            let asked: Vec<u64> = (0..60_000).collect();
            for (&word, &code) in asked.iter().zip(&coder.codes(&asked, Shingles::new(1)).codes) {
                let found = table.find(&words, code, &[word]);
                assert_eq!(found, first.get(&word).copied());
                assert!(found.is_none() || table.may_have(&[code]) == 1);
            }
        }
    }

    #[test]
    fn the_filter_passes_few_strangers() {
        for n in [100, 3_000, 20_000] {
            let (table, _) = table(&(0..n).map(crate::hash::mix).collect::<Vec<_>>());
            let others: Vec<u64> = (n..n + 20_000).map(crate::hash::mix).collect();
            let codes = Coder::default().codes(&others, Shingles::new(1)).codes;
            let n_passed: u32 =
                codes.chunks(64).map(|codes| table.may_have(codes).count_ones()).sum();
            assert!(n_passed < 1_200, "{n_passed} of 20,000 pass a filter of {n}");
        }
    }
}
