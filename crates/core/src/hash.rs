//! Seeded, stable hash families; the only place where hashing is defined.
//!
//! The values are part of what a run may store, so they never change between versions:
//! `hash::tests::values_are_frozen` holds some of them.

pub(crate) mod numbering;

use std::hash::{BuildHasher, Hasher};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Returns the hash of some bytes under a seed (XXH3, 64 bits).
pub fn bytes(data: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(data, seed)
}

/// Returns a well-spread 64-bit value for `x` (the finaliser of `SplitMix64`; a bijection).
#[inline]
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Returns the two halves of the 128-bit product, folded: one multiplication that mixes every bit.
#[inline]
pub fn fold(x: u64, y: u64) -> u64 {
    let product = u128::from(x).wrapping_mul(u128::from(y));
    (product as u64) ^ ((product >> 64) as u64)
}

const WORD_KEY: u64 = 0x9e37_79b9_7f4a_7c15;
const WORD_STEP: u64 = 0xd6e8_feb8_6659_fd93;

/// Returns the hash of a word of at most eight bytes, given as a little-endian number.
///
/// Agrees with [`word`] on the same bytes.
#[inline]
pub fn short_word(bytes_le: u64, n_bytes: usize, seed: u64) -> u64 {
    // The length is not needed to tell short words apart (a word holds no NUL), but keeps the
    // function equal to the general one.
    fold(bytes_le ^ seed ^ WORD_KEY, WORD_STEP ^ ((n_bytes as u64) << 32))
}

/// Returns the hash of a folded word: its UTF-8 bytes in steps of eight, the last one padded.
pub fn word(bytes: &[u8], seed: u64) -> u64 {
    let step = WORD_STEP ^ ((bytes.len() as u64) << 32);
    let mut chunks = bytes.chunks_exact(8);
    let mut state = seed ^ WORD_KEY;
    let rest = chunks.remainder();
    if rest.is_empty() && bytes.is_empty() {
        return fold(state, step);
    }
    for chunk in &mut chunks {
        let value = u64::from_le_bytes(chunk.try_into().expect("chunks hold eight bytes"));
        state = fold(state ^ value, step);
    }
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        state = fold(state ^ u64::from_le_bytes(last), step);
    }
    state
}

/// Hashes keys that are hashes already: the value is taken as it is.
///
/// Maps with it must never be iterated into a result, like any other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prehashed;

impl BuildHasher for Prehashed {
    type Hasher = PrehashedHasher;

    fn build_hasher(&self) -> PrehashedHasher {
        PrehashedHasher(0)
    }
}

/// The hasher of [`Prehashed`].
#[derive(Clone, Copy, Debug)]
pub struct PrehashedHasher(u64);

impl Hasher for PrehashedHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// Sorts hashes that are spread evenly over 64 bits; `room` is space to work in.
pub fn sort(hashes: &mut Vec<u64>, room: &mut Vec<u64>) {
    sort_by_bits(hashes, room, |&hash| hash);
}

/// Sorts things by 64 bits that are spread evenly, and those with equal ones by themselves: the order of
/// the bits has to be that of the things. `room` is space to work in.
///
/// PERF: dealt into buckets by their first bits, after which each is at most a few places from its
///       own. Where some buckets are fuller, each is sorted in the usual way, and so is everything if most
///       of it is in one bucket.
pub(crate) fn sort_by_bits<T: Copy + Ord + Default>(
    things: &mut Vec<T>,
    room: &mut Vec<T>,
    bits: impl Fn(&T) -> u64,
) {
    const FEW: usize = 64;
    const MOST_BITS: u32 = 16;
    const MOST_IN_BUCKET: usize = 64;
    /// Bits of so few buckets that their sizes need no memory of their own.
    const FEW_BITS: u32 = 8;
    let n = things.len();
    // Some two to four in a bucket.
    let n_bits = (n.max(2).ilog2() - 1).min(MOST_BITS);
    if n < FEW || n >> n_bits > MOST_IN_BUCKET / 4 {
        things.sort_unstable();
        return;
    }
    let bucket = |thing: &T| (bits(thing) >> (64 - n_bits)) as usize;
    let (mut few, mut many) = ([0u32; 1 << FEW_BITS], Vec::new());
    let next = if n_bits <= FEW_BITS {
        &mut few[..1 << n_bits]
    } else {
        many.resize(1 << n_bits, 0u32);
        &mut many[..]
    };
    for thing in things.iter() {
        next[bucket(thing)] += 1;
    }
    let (mut start, mut most) = (0, 0);
    for count in next.iter_mut() {
        most = most.max(*count as usize);
        start += std::mem::replace(count, start);
    }
    if most > n / 2 {
        things.sort_unstable();
        return;
    }
    room.resize(n, T::default());
    for thing in things.iter() {
        let at = &mut next[bucket(thing)];
        room[*at as usize] = *thing;
        *at += 1;
    }
    if most > MOST_IN_BUCKET {
        let mut start = 0;
        for &end in next.iter() {
            room[start..end as usize].sort_unstable();
            start = end as usize;
        }
    } else {
        for i in 1..n {
            let thing = room[i];
            let mut at = i;
            while at > 0 && room[at - 1] > thing {
                room[at] = room[at - 1];
                at -= 1;
            }
            room[at] = thing;
        }
    }
    std::mem::swap(things, room);
}

/// A small seeded generator (`SplitMix64`) for everything that is drawn at random.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts a sequence; equal seeds give equal sequences on every machine.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Returns a number below `bound`; `bound` is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        // Multiply-shift; the bias is below bound / 2^64 and of no consequence here.
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_frozen() {
        assert_eq!(bytes(b"", 0), 0x2d06_8005_38d3_94c2);
        assert_eq!(mix(1), 0x5692_161d_100b_05e5);
        assert_eq!(Random::new(0).next_u64(), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn hashes_are_sorted_however_they_are_spread() {
        let mut random = Random::new(5);
        let mut room = Vec::new();
        for n in [0, 1, 63, 64, 257, 5_000, 100_000, 300_000] {
            for bits in [64, 20, 1] {
                let mut hashes: Vec<u64> =
                    (0..n).map(|_| random.next_u64() >> (64 - bits)).collect();
                let mut expected = hashes.clone();
                expected.sort_unstable();
                sort(&mut hashes, &mut room);
                assert_eq!(hashes, expected, "{n} of {bits} bits");
                // A quarter of them are one and the same.
                hashes.iter_mut().skip(n / 2).step_by(2).for_each(|hash| *hash = 1 << 60);
                hashes.rotate_left(n / 3);
                let mut expected = hashes.clone();
                expected.sort_unstable();
                sort(&mut hashes, &mut room);
                assert_eq!(hashes, expected, "{n} of {bits} bits");
            }
        }
    }

    #[test]
    fn short_and_general_word_hashes_agree() {
        for text in ["a", "copy", "passages", "%"] {
            let mut value = [0; 8];
            value[..text.len()].copy_from_slice(text.as_bytes());
            let short = short_word(u64::from_le_bytes(value), text.len(), 5);
            assert_eq!(short, word(text.as_bytes(), 5), "{text}");
        }
        assert_ne!(word(b"passages2", 5), word(b"passages", 5));
    }

    #[test]
    fn below_stays_below() {
        let mut random = Random::new(7);
        assert!((0..10_000).all(|_| random.below(3) < 3));
    }
}
