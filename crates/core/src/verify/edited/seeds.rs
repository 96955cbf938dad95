//! Seeds: pairs of content words that stand close together, once in each text.

use super::Range;
use crate::features::word_pairs::{REACH, content_places, each_pair};
use crate::hash;

/// Words of a text of which all pairs are looked at.
pub const MOST_WORDS: usize = 1 << 17;

/// A pair of words that both texts have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seed {
    /// From the first to the last word in the first text.
    pub(super) a: Range,
    /// From the first to the last word in the second text.
    pub(super) b: Range,
}

impl Seed {
    pub(super) fn side(&self, side: usize) -> Range {
        if side == 0 { self.a } else { self.b }
    }
}

/// Bits of a packed pair below its key: two for how far its words are apart, the others for the number of
/// its first content word.
const PLACE_BITS: u32 = 24;
const STEP_BITS: u32 = 2;
const _: () = assert!(REACH <= 1 << STEP_BITS, "every step has a number");

/// Bits of the filter for each pair, at least: one other pair in sixteen passes, or fewer.
const BITS_PER_PAIR: usize = 16;

/// The word pairs of a text that occur once in it.
#[derive(Clone, Debug, Default)]
pub(super) struct WordPairs {
    /// The first 40 bits of the key of each pair, and its place below them; ascending.
    pairs: Vec<u64>,
    /// One bit for all keys with the same first bits: whether there may be such a pair.
    filter: Vec<u64>,
    /// Places of the content words.
    content: Vec<u32>,
    /// Words of the text.
    n_words: usize,
}

impl WordPairs {
    /// Takes the pairs of a text; `room` is space to work in. Of a text of very many words it takes a part
    /// of them, chosen by their keys.
    pub(super) fn fill(&mut self, forms: &[u64], room: &mut Vec<u64>) {
        let Self { pairs, filter, content, n_words } = self;
        *n_words = forms.len();
        content_places(forms, content);
        pairs.clear();
        let most_key = most_key(forms.len());
        each_pair(forms, content, |key, first, step| {
            if key <= most_key && first >> (PLACE_BITS - STEP_BITS) == 0 {
                let place = (first << STEP_BITS | (step - 1)) as u64;
                pairs.push(key >> PLACE_BITS << PLACE_BITS | place);
            }
        });
        hash::sort(pairs, room);
        // Of equal keys none is kept.
        let (mut from, mut to) = (0, 0);
        while from < pairs.len() {
            let mut next = from + 1;
            while next < pairs.len() && pairs[next] >> PLACE_BITS == pairs[from] >> PLACE_BITS {
                next += 1;
            }
            if next == from + 1 {
                pairs[to] = pairs[from];
                to += 1;
            }
            from = next;
        }
        pairs.truncate(to);
        let n_bits = (pairs.len() * BITS_PER_PAIR).next_power_of_two().max(64);
        filter.clear();
        filter.resize(n_bits / 64, 0);
        let shift = u64::BITS - n_bits.ilog2();
        for &pair in &*pairs {
            let bit = pair >> shift;
            filter[(bit / 64) as usize] |= 1 << (bit % 64);
        }
    }

    /// Returns how many of the lower bits of a pair its bit in the filter does not depend on.
    fn filter_shift(&self) -> u32 {
        u64::BITS - (self.filter.len().max(1) * 64).ilog2()
    }

    /// Returns the number of bytes held.
    pub(super) fn held_bytes(&self) -> usize {
        (self.pairs.len() + self.filter.len()) * 8 + self.content.len() * 4
    }

    /// Returns where a pair stands: from its first to its last word.
    fn range(&self, pair: u64) -> Range {
        let place = (pair & ((1 << PLACE_BITS) - 1)) as usize;
        let (first, step) = (place >> STEP_BITS, (place & ((1 << STEP_BITS) - 1)) + 1);
        (self.content[first], self.content[first + step] + 1)
    }
}

/// Returns the largest key that is looked at in texts of so many words.
fn most_key(n_words: usize) -> u64 {
    u64::MAX / n_words.div_ceil(MOST_WORDS).max(1) as u64
}

/// Puts the pairs that occur once in each of two texts into `out`.
///
/// PERF: most pairs stand in one text only. A filter of the longer text lets few of those of the shorter one
///       pass, in half of the time that walking through both took.
pub(super) fn common(of_a: &WordPairs, of_b: &WordPairs, out: &mut Vec<Seed>) {
    out.clear();
    let most_key = most_key(of_a.n_words.max(of_b.n_words)) >> PLACE_BITS;
    let is_turned = of_a.pairs.len() > of_b.pairs.len();
    let (short, long) = if is_turned { (of_b, of_a) } else { (of_a, of_b) };
    if long.filter.is_empty() {
        return;
    }
    let shift = long.filter_shift();
    let mut rest = &long.pairs[..];
    for &x in &short.pairs {
        let bit = x >> shift;
        if long.filter[(bit / 64) as usize] >> (bit % 64) & 1 == 0 {
            continue;
        }
        let key = x >> PLACE_BITS;
        if key > most_key {
            break;
        }
        let before = rest.iter().position(|&y| y >> PLACE_BITS >= key).unwrap_or(rest.len());
        rest = &rest[before..];
        if let Some(&y) = rest.first()
            && y >> PLACE_BITS == key
        {
            let (x, y) = if is_turned { (y, x) } else { (x, y) };
            out.push(Seed { a: of_a.range(x), b: of_b.range(y) });
        }
    }
}
