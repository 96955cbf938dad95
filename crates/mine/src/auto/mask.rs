//! Small sets as bits.

use std::fmt::Debug;

/// A set of positions below [`BITS`](Self::BITS).
pub(super) trait Mask: Copy + Debug + Eq + Ord + Send + Sync + 'static {
    /// How many positions there are.
    const BITS: usize;

    /// Returns the empty set.
    fn empty() -> Self;

    /// Adds a position.
    fn set(&mut self, position: usize);

    /// Returns the union.
    fn or(self, other: Self) -> Self;

    /// Returns the number of positions in it.
    fn len(self) -> u32;

    /// Returns whether every position of it is in `other`.
    fn is_in(self, other: Self) -> bool {
        self.or(other) == other
    }
}

macro_rules! whole_number {
    ($type:ty, $bits:literal) => {
        impl Mask for $type {
            const BITS: usize = $bits;

            fn empty() -> Self {
                0
            }

            fn set(&mut self, position: usize) {
                *self |= 1 << position;
            }

            #[inline]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline]
            fn len(self) -> u32 {
                self.count_ones()
            }
        }
    };
}

whole_number!(u64, 64);
whole_number!(u128, 128);

impl<const N: usize> Mask for [u64; N] {
    const BITS: usize = 64 * N;

    fn empty() -> Self {
        [0; N]
    }

    fn set(&mut self, position: usize) {
        self[position / 64] |= 1 << (position % 64);
    }

    #[inline]
    fn or(mut self, other: Self) -> Self {
        for (a, b) in self.iter_mut().zip(other) {
            *a |= b;
        }
        self
    }

    #[inline]
    fn len(self) -> u32 {
        self.iter().map(|word| word.count_ones()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_a_set<M: Mask>() {
        let mut low = M::empty();
        low.set(0);
        let mut high = low;
        high.set(M::BITS - 1);
        assert_eq!((M::empty().len(), low.len(), high.len()), (0, 1, 2));
        assert!(M::empty().is_in(low) && low.is_in(high) && !high.is_in(low));
        assert_eq!(low.or(high), high);
    }

    #[test]
    fn every_width_is_a_set() {
        is_a_set::<u64>();
        is_a_set::<u128>();
        is_a_set::<[u64; 4]>();
        is_a_set::<[u64; 16]>();
    }
}
