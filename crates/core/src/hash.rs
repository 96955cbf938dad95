//! Seeded, stable hash families; the only place where hashing is defined.
//!
//! The values are part of what a run may store, so they never change between versions:
//! `hash::tests::values_are_frozen` holds some of them.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Returns the hash of some bytes under a seed (XXH3, 64 bits).
pub fn bytes(data: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(data, seed)
}

/// Returns a well-spread 64-bit value for `x` (the finaliser of SplitMix64; a bijection).
#[inline]
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A small seeded generator (SplitMix64) for everything that is drawn at random.
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
    fn below_stays_below() {
        let mut random = Random::new(7);
        assert!((0..10_000).all(|_| random.below(3) < 3));
    }
}
