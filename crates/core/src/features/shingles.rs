//! Shingles: runs of `k` words, hashed by a rolling polynomial.

use crate::hash;

/// Multiplier of the polynomial; odd, so that multiplication loses nothing.
const BASE: u64 = 0x9fb2_1c65_1e98_df25;

/// Rolls over a word sequence and gives the hash of each run of `k` words.
///
/// The hash of words w₁…wₖ is a bijection of Σ wᵢ·BASE^(k-i) modulo 2^64, so each step costs
/// two multiplications whatever `k` is.
#[derive(Clone, Copy, Debug)]
pub struct Shingles {
    k: usize,
    leaving: u64,
}

impl Shingles {
    /// Makes a roller for runs of `k` words; `k` is at least 1.
    pub fn new(k: usize) -> Self {
        debug_assert!(k > 0, "a shingle has at least one word");
        let leaving = (0..k).fold(1u64, |power, _| power.wrapping_mul(BASE));
        Self { k, leaving }
    }

    /// Returns the number of words in a shingle.
    pub fn k(self) -> usize {
        self.k
    }

    /// Calls `each` with the hash of every shingle, in order; none if there are fewer words.
    #[inline]
    pub fn each(self, words: &[u64], mut each: impl FnMut(u64)) {
        if words.len() < self.k {
            return;
        }
        let (first, rest) = words.split_at(self.k);
        let mut sum =
            first.iter().fold(0u64, |sum, &word| sum.wrapping_mul(BASE).wrapping_add(word));
        each(spread(sum));
        for (&leaves, &enters) in words.iter().zip(rest) {
            sum = sum
                .wrapping_mul(BASE)
                .wrapping_add(enters)
                .wrapping_sub(leaves.wrapping_mul(self.leaving));
            each(spread(sum));
        }
    }

    /// Returns the hashes of all shingles.
    ///
    /// ```
    /// use retold_core::features::shingles::Shingles;
    /// let words = [1, 2, 3, 4, 1, 2, 3];
    /// let hashes = Shingles::new(3).of(&words);
    /// assert_eq!(hashes.len(), 5);
    /// assert_eq!(hashes[0], hashes[4]);
    /// ```
    pub fn of(self, words: &[u64]) -> Vec<u64> {
        let mut out = Vec::with_capacity((words.len() + 1).saturating_sub(self.k));
        self.each(words, |hash| out.push(hash));
        out
    }
}

/// Spreads the polynomial's value so that both its high and its low bits can be used.
#[inline]
fn spread(sum: u64) -> u64 {
    let x = (sum ^ (sum >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

/// Returns the hash of a whole sequence in 128 bits: equal sequences, equal values.
pub fn whole(words: &[u64]) -> u128 {
    let mut low = words.len() as u64;
    let mut high = !low;
    for &word in words {
        low = hash::fold(low ^ word, 0xd6e8_feb8_6659_fd93);
        high = (high.rotate_left(23) ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25);
    }
    (u128::from(hash::mix(high)) << 64) | u128::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_shorter_than_a_shingle_has_none() {
        assert!(Shingles::new(5).of(&[1, 2, 3, 4]).is_empty());
        assert_eq!(Shingles::new(5).of(&[1, 2, 3, 4, 5]).len(), 1);
    }

    #[test]
    fn rolling_equals_starting_anew() {
        let words: Vec<u64> = (0..200).map(hash::mix).collect();
        for k in [1, 2, 5, 10] {
            let shingles = Shingles::new(k);
            let anew: Vec<u64> = words.windows(k).map(|run| shingles.of(run)[0]).collect();
            assert_eq!(shingles.of(&words), anew);
        }
    }

    #[test]
    fn order_of_words_matters() {
        assert_ne!(Shingles::new(2).of(&[1, 2]), Shingles::new(2).of(&[2, 1]));
        assert_ne!(whole(&[1, 2]), whole(&[2, 1]));
        assert_ne!(whole(&[0]), whole(&[0, 0]));
    }
}
