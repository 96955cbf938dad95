//! Random choices: each made document draws from a stream of its own.

use retold_core::hash::{self, Random};

use super::plan::Extent;

/// The choices of one made document.
pub(super) struct Draw(Random);

impl Draw {
    /// Starts the random stream of a document, identified by some numbers under a seed.
    pub(super) fn new(seed: u64, thing: &str, numbers: &[u64]) -> Self {
        Self(Random::new(key(seed, thing, numbers)))
    }

    /// Returns a number below `bound`, which is at least 1.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// Returns a number of an extent.
    pub(super) fn within(&mut self, extent: Extent) -> usize {
        extent.least as usize + self.below((extent.most - extent.least) as usize + 1)
    }

    /// Chooses `k` numbers below `n`, or all of them if there are fewer, in increasing order.
    pub(super) fn choose(&mut self, k: usize, n: usize) -> Vec<usize> {
        let mut chosen = self.some(k, n);
        chosen.sort_unstable();
        chosen
    }

    /// Chooses `k` numbers below `n`, or all of them if there are fewer, in the order drawn.
    pub(super) fn some(&mut self, k: usize, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        let k = k.min(n);
        for i in 0..k {
            let j = i + self.below(n - i);
            all.swap(i, j);
        }
        all.truncate(k);
        all
    }

    /// Returns a permutation of `n` things in which none stays where it is; `n` is at least 2.
    ///
    /// Sattolo's algorithm: one cycle through all of them.
    pub(super) fn cycle(&mut self, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            let j = self.below(i);
            all.swap(i, j);
        }
        all
    }
}

/// Returns a hash of some numbers under a seed. All callers of one kind pass equally many numbers,
/// so that keys do not clash.
pub(super) fn key(seed: u64, thing: &str, numbers: &[u64]) -> u64 {
    let mut bytes = thing.as_bytes().to_vec();
    for number in numbers {
        bytes.extend(number.to_le_bytes());
    }
    hash::bytes(&bytes, seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_streams_of_their_own() {
        let first = |seed, thing, numbers: &[u64]| Draw::new(seed, thing, numbers).below(1 << 30);
        assert_eq!(first(1, "query", &[1, 2]), first(1, "query", &[1, 2]));
        assert_ne!(first(1, "query", &[1, 2]), first(1, "query", &[2, 1]));
        assert_ne!(first(1, "query", &[1, 2]), first(1, "variant", &[1, 2]));
        assert_ne!(first(1, "query", &[1, 2]), first(2, "query", &[1, 2]));
    }

    #[test]
    fn chosen_numbers_are_different_and_in_order() {
        let mut draw = Draw::new(5, "thing", &[]);
        for (k, n) in [(0, 0), (3, 2), (5, 20), (20, 20)] {
            let chosen = draw.choose(k, n);
            assert_eq!(chosen.len(), k.min(n));
            assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(chosen.iter().all(|&i| i < n));
        }
    }

    #[test]
    fn nothing_stays_in_a_cycle() {
        let mut draw = Draw::new(5, "thing", &[]);
        for n in 2..30 {
            let cycle = draw.cycle(n);
            assert!(cycle.iter().enumerate().all(|(i, &j)| i != j));
            let mut sorted = cycle;
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..n));
        }
    }
}
