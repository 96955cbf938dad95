//! Windows over the lengths of sentences: what is left of a text when its words are forgotten.
//!
//! The feature string of a document is the number of words of each sentence, in order; a feature
//! vector is `size` (WS) of these numbers in a row. When documents are indexed, windows start
//! every `step` (SW) places and one more ends at the end of the document; who asks looks at every
//! window. Chang, Wang: ICADL 2007.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::hash;

/// Returns the feature string: the number of words of each sentence.
pub fn lengths(sentences: &[Range<usize>]) -> Vec<u32> {
    sentences.iter().map(|words| words.len() as u32).collect()
}

/// Whether windows inside monotonous stretches are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Jumping {
    /// No: a window every `step` places.
    Static,
    /// Yes: a window whose first `step` lengths equal both the `step` before and the `step` after
    /// them is left out (DJ).
    Dynamic,
}

/// Where windows stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Lengths in a window (WS), at least 1.
    pub size: usize,
    /// Places from one window to the next (SW), at least 1.
    pub step: usize,
    /// Which windows are left out.
    pub jumping: Jumping,
}

impl Windows {
    /// Returns the windows that who asks looks at: all of them.
    #[must_use]
    pub fn sliding(self) -> Self {
        Self { step: 1, jumping: Jumping::Static, ..self }
    }

    /// Returns the number of windows of a document of `n_lengths` sentences, those left out by
    /// dynamic jumping included: ⌈(L − WS) / SW⌉ + 1, or 0 if it is shorter than a window.
    ///
    /// ```
    /// use retold_core::features::length_windows::{Jumping, Windows};
    /// let windows = Windows { size: 4, step: 2, jumping: Jumping::Static };
    /// assert_eq!([3, 4, 5, 6, 7].map(|n| windows.count(n)), [0, 1, 2, 2, 3]);
    /// ```
    pub fn count(self, n_lengths: usize) -> usize {
        n_lengths.checked_sub(self.size).map_or(0, |rest| rest.div_ceil(self.step) + 1)
    }

    /// Returns the number of sentences that `run` windows in a row cover: WS + SW·(t − 1).
    pub fn covered(self, run: usize) -> usize {
        self.size.saturating_add(self.step.saturating_mul(run.saturating_sub(1)))
    }

    /// Returns where the windows of a document start, those left out included. The last one ends
    /// at the end of the document.
    pub fn all_starts(self, n_lengths: usize) -> impl Iterator<Item = usize> {
        (0..self.count(n_lengths))
            .map(move |number| (number * self.step).min(n_lengths - self.size))
    }

    /// Returns where the windows of a document start.
    pub fn starts(self, lengths: &[u32]) -> impl Iterator<Item = usize> {
        self.all_starts(lengths.len()).filter(move |&start| !self.is_left_out(lengths, start))
    }

    /// Returns which window it is that starts there, counted from 0.
    pub fn number(self, start: usize) -> usize {
        start.div_ceil(self.step)
    }

    /// Returns whether dynamic jumping leaves out the window that starts there.
    ///
    /// Only the lengths around `start` decide, whatever became of the windows there; where there
    /// are too few of them on a side the window stays.
    pub fn is_left_out(self, lengths: &[u32], start: usize) -> bool {
        let step = self.step;
        self.jumping == Jumping::Dynamic
            && start >= step
            && start + 2 * step <= lengths.len()
            && lengths[start - step..start] == lengths[start..start + step]
            && lengths[start..start + step] == lengths[start + step..start + 2 * step]
    }

    /// Returns the hash of the window that starts there.
    #[inline]
    pub fn key(self, lengths: &[u32], start: usize) -> u64 {
        let window = &lengths[start..start + self.size];
        window.iter().fold(hash::mix(self.size as u64), |key, &length| {
            hash::fold(key ^ u64::from(length), 0xd6e8_feb8_6659_fd93)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn windows(size: usize, step: usize, jumping: Jumping) -> Windows {
        Windows { size, step, jumping }
    }

    fn starts(windows: Windows, lengths: &[u32]) -> Vec<usize> {
        windows.starts(lengths).collect()
    }

    fn vectors(windows: Windows, lengths: &[u32]) -> BTreeSet<Vec<u32>> {
        windows.starts(lengths).map(|at| lengths[at..at + windows.size].to_vec()).collect()
    }

    #[test]
    fn only_who_asks_at_every_place_finds_a_shifted_copy() {
        // T-WIN.
        let jumping = windows(4, 2, Jumping::Static);
        let one: Vec<u32> = (0..10).collect();
        let other: Vec<u32> = (1..10).chain([0]).collect();
        assert_eq!(starts(jumping, &one), [0, 2, 4, 6]);
        let (indexed, asked) = (vectors(jumping, &one), vectors(jumping, &other));
        assert!(indexed.is_disjoint(&asked));
        let asked = vectors(jumping.sliding(), &other);
        let common: Vec<&Vec<u32>> = indexed.intersection(&asked).collect();
        assert_eq!(common, [&[2, 3, 4, 5], &[4, 5, 6, 7], &[6, 7, 8, 9]]);
    }

    #[test]
    fn windows_are_counted_by_the_formula() {
        // T-WIN: L = 3 to 11.
        let counts = (3..=11).map(|n| windows(4, 2, Jumping::Static).count(n));
        assert_eq!(counts.collect::<Vec<_>>(), [0, 1, 2, 2, 3, 3, 4, 4, 5]);
    }

    #[test]
    fn dynamic_jumping_leaves_out_monotonous_stretches() {
        // T-DJ.
        let by_one = windows(4, 1, Jumping::Dynamic);
        let lengths = [7, 5, 5, 5, 5, 5, 9, 4, 3, 2, 8, 6];
        assert_eq!(starts(by_one, &lengths), [0, 1, 5, 6, 7, 8]);
        let by_two = windows(4, 2, Jumping::Dynamic);
        let lengths = [1, 2, 1, 2, 1, 2, 1, 2, 9, 9, 9, 9, 5, 6];
        assert_eq!(starts(by_two, &lengths), [0, 6, 8, 10]);
        assert_eq!(starts(by_one, &[6; 8]), [0]);
    }

    #[test]
    fn a_run_of_windows_covers_the_minimum_matching_length() {
        // T-MIN.
        let covered = |size, step, run| windows(size, step, Jumping::Static).covered(run);
        assert_eq!([1, 3, 5, 9].map(|t| covered(8, 1, t)), [8, 10, 12, 16]);
        assert_eq!(covered(16, 2, 1), 16);
    }

    proptest! {
        #[test]
        fn the_formula_counts_the_windows_and_they_cover_the_document(
            n in 0..60usize, size in 1..9usize, step in 1..9usize,
        ) {
            let windows = windows(size, step, Jumping::Static);
            let starts: Vec<usize> = windows.all_starts(n).collect();
            prop_assert_eq!(starts.len(), windows.count(n));
            prop_assert!(starts.is_sorted_by(|x, y| x < y));
            if n >= size {
                prop_assert_eq!(starts.first(), Some(&0));
                prop_assert_eq!(starts.last(), Some(&(n - size)));
            }
            for (number, &start) in starts.iter().enumerate() {
                prop_assert_eq!(windows.number(start), number);
            }
        }

        #[test]
        fn who_asks_at_every_place_finds_every_window_of_the_index(
            lengths in prop::collection::vec(1..4u32, 0..60), size in 1..9usize, step in 1..9usize,
            is_dynamic in any::<bool>(),
        ) {
            let jumping = if is_dynamic { Jumping::Dynamic } else { Jumping::Static };
            let windows = windows(size, step, jumping);
            let asked = vectors(windows.sliding(), &lengths);
            prop_assert!(vectors(windows, &lengths).is_subset(&asked));
        }
    }
}
