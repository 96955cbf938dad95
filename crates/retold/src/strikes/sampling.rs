//! One sample of every run of words, chosen by its words alone.
//!
//! The sample of a run of `width` words is the shorter run of `k` words in it whose hash is smallest,
//! the rightmost if several are. Equal runs have equal samples at equal places. Runs that begin near
//! each other mostly have the same sample, so there are few of them: this is winnowing, with each
//! window told apart (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003, section 3).

use retold_core::features::shingles::Shingles;

/// Most hashes that a sample is chosen from.
const MOST_WINDOW: usize = 128;

/// How runs of words are sampled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampling {
    width: usize,
    shingles: Shingles,
    /// Runs of `k` words in a run of `width`.
    window: usize,
}

impl Sampling {
    /// Samples runs of `width` words by runs half as long.
    pub(super) fn new(width: usize) -> Self {
        Self::with_window(width, (width / 2 + 1).min(MOST_WINDOW))
    }

    fn with_window(width: usize, window: usize) -> Self {
        Self { width, shingles: Shingles::new(width - window + 1), window }
    }

    /// Returns the words of a run that is sampled.
    pub(super) fn width(self) -> usize {
        self.width
    }

    /// Returns the words of a sample.
    pub(super) fn k(self) -> usize {
        self.shingles.k()
    }

    /// Calls `each` for every run of `width` words, in order, with its beginning, and the beginning
    /// and the hash of its sample. `hashes` is room to work in.
    pub(super) fn each(
        self,
        words: &[u64],
        hashes: &mut Vec<u64>,
        mut each: impl FnMut(usize, usize, u64),
    ) {
        if words.len() < self.width {
            return;
        }
        hashes.clear();
        self.shingles.each(words, |hash| hashes.push(hash));
        let mut at = usize::MAX;
        for start in 0..=words.len() - self.width {
            let last = start + self.window - 1;
            if at == usize::MAX || at < start {
                at = start;
                for other in start + 1..=last {
                    if hashes[other] <= hashes[at] {
                        at = other;
                    }
                }
            } else if hashes[last] <= hashes[at] {
                at = last;
            }
            each(start, at, hashes[at]);
        }
    }

    /// Calls `each` with the beginning and the hash of every sample, once.
    pub(super) fn each_sample(
        self,
        words: &[u64],
        hashes: &mut Vec<u64>,
        mut each: impl FnMut(usize, u64),
    ) {
        let mut last = usize::MAX;
        self.each(words, hashes, |_, at, hash| {
            if at != last {
                last = at;
                each(at, hash);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retold_core::hash::{Random, mix};

    #[test]
    fn equal_runs_have_equal_samples_at_equal_places() {
        let mut random = Random::new(3);
        for width in [2, 3, 13, 50, 300] {
            let sampling = Sampling::new(width);
            let shared: Vec<u64> = (0..width).map(|_| mix(random.below(4) as u64)).collect();
            let mut found = Vec::new();
            for n_before in 0..7 {
                let other = |random: &mut Random| mix(random.below(4) as u64);
                let mut words: Vec<u64> = (0..n_before * 9).map(|_| other(&mut random)).collect();
                words.extend(&shared);
                words.extend((0..40).map(|_| other(&mut random)));
                sampling.each(&words, &mut Vec::new(), |start, at, hash| {
                    assert!(at >= start && at + sampling.k() <= start + width);
                    if start == n_before * 9 {
                        found.push((at - start, hash));
                    }
                });
            }
            assert_eq!(found.len(), 7);
            assert!(found.iter().all(|sample| *sample == found[0]), "{width}: {found:?}");
        }
    }
}
