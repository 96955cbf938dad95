//! Shingles in 32 bits, and a small hash table from them to their places in one document.

use crate::features::shingles::Shingles;

/// The lower half of a slot, where the place is.
const PLACE: u64 = u32::MAX as u64;
/// An empty slot.
const EMPTY: u64 = u64::MAX;
/// Marks the last place of a shingle that stands more than once.
const LAST: u32 = 1 << 31;

/// The two lowest bits of a code: whether the shingle stands at its first place, and whether it
/// stands again later, which is told at the first place only.
const FIRST: u32 = 1;
const AGAIN: u32 = 2;
const FLAGS: u32 = FIRST | AGAIN;

/// A shingle as a profile keeps it: 30 bits of its hash, and whether this is the first place of
/// the shingle in its document.
///
/// Codes tell most shingles apart; where they agree, the words decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(u32);

impl Code {
    fn new(shingle: u64, is_first: bool) -> Self {
        Self((shingle >> 32) as u32 & !FLAGS | u32::from(is_first))
    }

    /// Returns whether the shingle stands here for the first time.
    #[inline]
    pub fn is_first(self) -> bool {
        self.0 & FIRST == FIRST
    }

    /// Returns whether two codes are those of the same shingle, or very rarely of two.
    #[inline]
    pub fn is_like(self, other: Self) -> bool {
        (self.0 ^ other.0) <= FLAGS
    }

    /// Returns the slot where the search for the shingle begins, in a table of a power of two of
    /// slots; `mask` is one less.
    #[inline]
    fn slot(self, mask: usize) -> usize {
        (self.0 >> 2) as usize & mask
    }
}

/// Some shingles, one bit for each: whether a shingle may be among them.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// A power of two of words, or none.
    bits: Vec<u64>,
}

impl Filter {
    /// Makes a filter of the shingles of some documents.
    pub fn of<'a>(documents: impl Iterator<Item = &'a Codes> + Clone) -> Self {
        let mut filter = Self::default();
        filter.clear(documents.clone().map(|codes| codes.n_distinct).sum());
        for code in documents.flat_map(|codes| &codes.codes) {
            filter.put(*code);
        }
        filter
    }

    /// Makes it empty, with room for `n` shingles. Of the shingles that are not there, one in
    /// sixteen to one in 32 will pass, or twice as many where the filter would be too large for a
    /// processor's cache.
    fn clear(&mut self, n: usize) {
        let per_shingle = if n <= 1 << 16 { 16 } else { 8 };
        self.bits.clear();
        self.bits.resize((n * per_shingle).next_power_of_two().max(64) / 64, 0);
    }

    /// Returns the word that knows the shingle, and the bit in it.
    #[inline]
    fn place(&self, code: Code) -> (usize, u32) {
        ((code.0 >> 8) as usize & (self.bits.len() - 1), code.0 >> 2 & 63)
    }

    #[inline]
    fn put(&mut self, code: Code) {
        let (word, bit) = self.place(code);
        self.bits[word] |= 1 << bit;
    }

    /// Returns whether a shingle may be there; room was made before.
    #[inline]
    fn may_have(&self, code: Code) -> bool {
        let (word, bit) = self.place(code);
        self.bits[word] >> bit & 1 == 1
    }
}

/// What a profile keeps of the shingles of a document.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    /// One code a shingle, in order.
    pub codes: Vec<Code>,
    /// Where these shingles stand, if they are not all.
    places: Vec<u32>,
    /// All places of each shingle that stands more than once, in order, the last one marked by its
    /// highest bit; the shingles by their first places.
    pub repeated: Vec<u32>,
    /// Number of different shingles.
    pub n_distinct: usize,
}

impl Codes {
    /// Returns the number of bytes held.
    pub fn held_bytes(&self) -> usize {
        (self.codes.len() + self.places.len() + self.repeated.len()) * 4
    }
}

/// Makes codes, with room that is used again and again.
#[derive(Clone, Debug, Default)]
pub struct Coder {
    shingles: Vec<u64>,
    /// Number of the first of equal shingles below, 32 bits of their hash above.
    slots: Vec<u64>,
    /// Numbers of shingles that stood before, each after that of the first.
    tails: Vec<(u32, u32)>,
    counter: Counter,
}

impl Coder {
    /// Returns the codes of all shingles of a word sequence.
    pub fn codes(&mut self, words: &[u64], shingles: Shingles) -> Codes {
        let mut codes = Codes::default();
        self.fill(words, shingles, &mut codes);
        codes.repeated.shrink_to_fit();
        codes
    }

    /// Puts the codes of all shingles of a word sequence in the place of others.
    pub fn fill(&mut self, words: &[u64], shingles: Shingles, out: &mut Codes) {
        self.shingles.clear();
        out.places.clear();
        shingles.each(words, |shingle| self.shingles.push(shingle));
        out.n_distinct = self.code(out);
    }

    /// Puts the codes of those shingles of a word sequence in the place of others that a filter lets
    /// pass. `n_distinct` is the number of different shingles of all, if it is known.
    pub fn fill_some(
        &mut self,
        words: &[u64],
        shingles: Shingles,
        filter: &Filter,
        n_distinct: Option<usize>,
        out: &mut Codes,
    ) {
        self.shingles.clear();
        out.places.clear();
        let mut place = 0;
        shingles.each(words, |shingle| {
            if filter.may_have(Code::new(shingle, false)) {
                self.shingles.push(shingle);
                out.places.push(place);
            }
            place += 1;
        });
        self.code(out);
        out.n_distinct = n_distinct.unwrap_or_else(|| self.counter.count(words, shingles));
    }

    /// Makes the codes of the shingles that were gathered; returns how many of these are different.
    fn code(&mut self, out: &mut Codes) -> usize {
        let Self { shingles: all, slots, tails, .. } = self;
        slots.clear();
        slots.resize(n_slots(all.len()), EMPTY);
        tails.clear();
        let mask = slots.len() - 1;
        let Codes { codes, places, repeated, .. } = out;
        codes.clear();
        codes.reserve_exact(all.len());
        for (number, &shingle) in all.iter().enumerate() {
            let mut slot = shingle as usize & mask;
            let is_first = loop {
                let entry = slots[slot];
                if entry == EMPTY {
                    slots[slot] = (shingle & !PLACE) | number as u64;
                    break true;
                }
                if entry >> 32 == shingle >> 32 && all[entry as u32 as usize] == shingle {
                    tails.push((entry as u32, number as u32));
                    break false;
                }
                slot = (slot + 1) & mask;
            };
            codes.push(Code::new(shingle, is_first));
        }
        // Stable by first place: the other places stay in order.
        tails.sort_by_key(|&(first, _)| first);
        repeated.clear();
        let place = |number: u32| places.get(number as usize).copied().unwrap_or(number);
        for same in tails.chunk_by(|x, y| x.0 == y.0) {
            let first = same[0].0;
            codes[first as usize].0 |= AGAIN;
            repeated.push(place(first));
            repeated.extend(same.iter().map(|&(_, number)| place(number)));
            *repeated.last_mut().expect("there are places") |= LAST;
        }
        all.len() - tails.len()
    }
}

/// Counts different shingles, with room that is used again and again.
#[derive(Clone, Debug, Default)]
struct Counter {
    slots: Vec<u64>,
}

impl Counter {
    /// Returns the number of different shingles of a word sequence.
    fn count(&mut self, words: &[u64], shingles: Shingles) -> usize {
        self.slots.clear();
        self.slots.resize(n_slots(words.len()), EMPTY);
        let mask = self.slots.len() - 1;
        let (mut n, mut has_empty) = (0, false);
        shingles.each(words, |shingle| {
            // The one shingle that looks like an empty slot is counted apart.
            has_empty |= shingle == EMPTY;
            let mut slot = shingle as usize & mask;
            while self.slots[slot] != shingle {
                if self.slots[slot] == EMPTY {
                    self.slots[slot] = shingle;
                    n += 1;
                    break;
                }
                slot = (slot + 1) & mask;
            }
        });
        n + usize::from(has_empty)
    }
}

/// Returns the slots of a table for `n` entries: a power of two, at most two thirds taken.
fn n_slots(n: usize) -> usize {
    (n + n / 2 + 1).next_power_of_two()
}

/// Positions of each shingle of a document, first place first; filled again and again.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// First place of a shingle below, or where its places begin in `repeated` if it has more;
    /// its code above: a look-up that fails touches nothing but its slot.
    slots: Vec<u64>,
    /// See [`Codes::repeated`].
    repeated: Vec<u32>,
    /// Whether a shingle may be there.
    filter: Filter,
}

/// Where a shingle stands.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a> {
    /// The first place.
    pub first: u32,
    more: &'a [u32],
}

impl Positions<'_> {
    /// Returns the other places, in order.
    pub fn others(&self) -> impl Iterator<Item = u32> {
        self.more.iter().scan(false, |is_over, &place| {
            let is_behind = std::mem::replace(is_over, place & LAST == LAST);
            (!is_behind).then_some(place & !LAST)
        })
    }
}

impl Table {
    /// Fills the table with the shingles of a document.
    pub fn fill(&mut self, document: &Codes) {
        let Self { slots, repeated, filter } = self;
        repeated.clone_from(&document.repeated);
        // Shingles come by their first places here as there.
        let mut starts = (0..repeated.len()).filter(|&i| i == 0 || repeated[i - 1] & LAST == LAST);
        slots.clear();
        // All shingles of the document, or those that passed a filter: some of them the same.
        let n = document.n_distinct.min(document.codes.len());
        slots.resize(n_slots(n), EMPTY);
        filter.clear(n);
        let mask = slots.len() - 1;
        for (number, &code) in document.codes.iter().enumerate() {
            if code.is_first() {
                let mut slot = code.slot(mask);
                while slots[slot] != EMPTY {
                    slot = (slot + 1) & mask;
                }
                let at = if code.0 & AGAIN == AGAIN {
                    starts.next().unwrap_or(0)
                } else {
                    document.places.get(number).map_or(number, |&place| place as usize)
                };
                slots[slot] = u64::from(code.0) << 32 | at as u64;
                filter.put(code);
            }
        }
    }

    /// Returns for up to 64 shingles, one bit each, whether they may be there; those that may not
    /// are not. The table was filled before.
    #[inline]
    pub fn may_have(&self, codes: &[Code]) -> u64 {
        debug_assert!(codes.len() <= 64, "one bit a shingle");
        // PERF: no branches, and one bit a shingle: two bits of one word let fewer strangers
        //       pass, but took twice the time of one (2.2 and 1.05 ns a shingle).
        let filter = &self.filter;
        let mut hits = 0;
        for &code in codes {
            hits = hits >> 1 | u64::from(filter.may_have(code)) << 63;
        }
        if codes.is_empty() || hits == 0 {
            return 0;
        }
        hits >>= 64 - codes.len();
        // Slots of the few that pass come to the cache together here, not one after the other
        // when they are used. Where nearly all pass, most are part of runs and not looked up.
        if hits.count_ones() > 24 { hits } else { self.settle(codes, hits) }
    }

    /// Drops most hits that are none: an empty slot ends the search for a shingle.
    fn settle(&self, codes: &[Code], hits: u64) -> u64 {
        let slots = &self.slots[..];
        let mask = slots.len() - 1;
        let mut rest = hits;
        let mut kept = 0;
        while rest != 0 {
            let i = rest.trailing_zeros();
            rest &= rest - 1;
            let code = codes[i as usize];
            let slot = code.slot(mask);
            let [one, two, three] = [0, 1, 2].map(|step| slots[(slot + step) & mask]);
            // PERF: bits, not branches: what stands in a slot cannot be foretold.
            let is_like = |entry: u64| u64::from(code.is_like(Code((entry >> 32) as u32)));
            let is_taken = |entry: u64| u64::from(entry != EMPTY);
            let is_further = is_taken(two) & (is_like(two) | is_taken(three));
            kept |= (is_taken(one) & (is_like(one) | is_further)) << i;
        }
        kept
    }

    /// Returns where a shingle stands, given its code and its words. `words` are those of the
    /// document that the table was filled with.
    #[inline]
    pub fn find(&self, words: &[u64], code: Code, shingle: &[u64]) -> Option<Positions<'_>> {
        let slots = &self.slots[..];
        let mask = slots.len() - 1;
        let mut slot = code.slot(mask);
        loop {
            let entry = slots[slot];
            if entry == EMPTY {
                return None;
            }
            let found = Code((entry >> 32) as u32);
            if code.is_like(found) {
                let at = (entry & PLACE) as usize;
                let (first, more) = if found.0 & AGAIN == AGAIN {
                    (self.repeated[at], &self.repeated[at + 1..])
                } else {
                    (at as u32, &[][..])
                };
                let there = &words[first as usize..];
                if there.iter().zip(shingle).all(|(word, other)| word == other) {
                    return Some(Positions { first, more });
                }
            }
            slot = (slot + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

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
        let places = table.find(&words, codes[4], &[7]).expect("7 is there");
        assert_eq!((places.first, places.others().collect()), (0, vec![2, 4]));
        let places = table.find(&words, codes[1], &[8]).expect("8 is there");
        assert_eq!((places.first, places.others().collect()), (1, vec![5]));
        assert_eq!(n_distinct, 3);
        let once = table.find(&words, codes[3], &[9]).expect("9 is there");
        assert_eq!((once.first, once.others().count()), (3, 0));
        assert!(codes[1].is_first() && !codes[5].is_first());
        let strange = Coder::default().codes(&[10], Shingles::new(1)).codes;
        assert!(table.find(&words, strange[0], &[10]).is_none());
        assert!(table.find(&words, codes[0], &[10]).is_none(), "equal codes are not enough");
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
            let mut places: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            for (place, &word) in words.iter().enumerate() {
                places.entry(word).or_default().push(place as u32);
            }
            assert_eq!(codes.n_distinct, places.len());
            let asked: Vec<u64> = (0..60_000).collect();
            for (&word, &code) in asked.iter().zip(&coder.codes(&asked, Shingles::new(1)).codes) {
                let found = table.find(&words, code, &[word]);
                let found =
                    found.map(|all| std::iter::once(all.first).chain(all.others()).collect());
                assert_eq!(found, places.get(&word).cloned());
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
            assert!(n_passed < 1_300, "{n_passed} of 20,000 pass a filter of {n}");
        }
    }
}
