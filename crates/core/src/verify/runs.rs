//! Sets of word runs: how many two documents have in common, without asking where they stand.
//!
//! A set is the hashes of all runs of a document, [spread],
//! ascending and each once. From the sizes of two sets and the number of runs they have in common
//! follow the same scores that an alignment of the documents gives.

use crate::candidates::samples::spread;
use crate::features::shingles::Shingles;
use crate::hash;

/// How many times larger a set must be before the smaller one is looked up in it.
const MUCH_LARGER: usize = 16;
/// Steps between two looks whether enough can still be found.
const STEPS: usize = 64;

/// Puts the runs of a word sequence into `out`, ascending; those that stand more than once stay as
/// often as they stand. `room` is space to work in.
pub fn put_runs(words: &[u64], shingles: Shingles, out: &mut Vec<u64>, room: &mut Vec<u64>) {
    out.clear();
    out.reserve((words.len() + 1).saturating_sub(shingles.k()));
    shingles.each(words, |run| out.push(spread(run)));
    hash::sort(out, room);
}

/// Returns the number of runs that two sets have in common, or `None` if it is below `least`.
///
/// ```
/// use retold_core::verify::runs::n_common;
/// assert_eq!(n_common(&[1, 3, 5], &[3, 4, 5, 9], 2), Some(2));
/// assert_eq!(n_common(&[1, 3, 5], &[3, 4, 5, 9], 3), None);
/// ```
pub fn n_common(one: &[u64], other: &[u64], least: usize) -> Option<usize> {
    let (small, large) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if small.len() < least {
        return None;
    }
    let n = if large.len() > MUCH_LARGER * small.len() {
        looked_up(small, large, least)
    } else {
        merged(small, large, least)
    };
    (n >= least).then_some(n)
}

/// Goes through both sets side by side; ends once `least` cannot be reached.
fn merged(mut small: &[u64], mut large: &[u64], least: usize) -> usize {
    let mut n = 0;
    while n + small.len().min(large.len()) >= least {
        // PERF: without a branch on the values, which cannot be predicted.
        for _ in 0..STEPS {
            let (Some(x), Some(y)) = (small.first(), large.first()) else { return n };
            n += usize::from(x == y);
            (small, large) = (&small[usize::from(x <= y)..], &large[usize::from(y <= x)..]);
        }
    }
    n
}

/// Looks every run of a small set up in a much larger one; ends once `least` cannot be reached.
fn looked_up(small: &[u64], large: &[u64], least: usize) -> usize {
    let mut n = 0;
    for (i, run) in small.iter().enumerate() {
        if n + small.len() - i < least {
            break;
        }
        n += usize::from(has(large, *run));
    }
    n
}

/// Returns whether a run is in a set.
fn has(set: &[u64], run: u64) -> bool {
    // PERF: runs are spread evenly, so the value tells about where it stands. Unlike steps from the
    //       last one that was found, look-ups do not wait for each other.
    let guess = ((u128::from(run) * set.len() as u128) >> 64) as usize;
    let mut step = 8;
    let (start, end) = if set[guess] < run {
        let mut start = guess;
        while start + step < set.len() && set[start + step] < run {
            start += step;
            step *= 2;
        }
        (start, (start + step + 1).min(set.len()))
    } else {
        let mut end = guess;
        while end > step && set[end - step] > run {
            end -= step;
            step *= 2;
        }
        (end.saturating_sub(step), end + 1)
    };
    set[start..end].binary_search(&run).is_ok()
}

/// Returns how many of the first `n` runs of a set, a sample of all, are in another; those before the
/// second that is missing, for whoever lacks more is not likely to hold most of the set.
///
/// PERF: mostly two look-ups instead of eight, each of which waits for memory.
pub fn n_sampled(set: &[u64], n: usize, other: &[u64]) -> usize {
    if other.is_empty() {
        return 0;
    }
    let (mut n_held, mut n_missing) = (0, 0);
    for &run in set.iter().take(n) {
        if has(other, run) {
            n_held += 1;
        } else {
            n_missing += 1;
            if n_missing == 2 {
                break;
            }
        }
    }
    n_held
}

/// Which of so many marks a set of runs has, by the last bits of the runs: a mark that one set has and
/// another has not is a run that is missing there.
///
/// ```
/// use retold_core::verify::runs::Marks;
/// let (one, other) = (Marks::new(&[1, 2, 3]), Marks::new(&[3, 4]));
/// assert_eq!(one.least_missing(&other), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Marks([u64; Self::N / 64]);

impl Marks {
    const N: usize = 2_048;
    /// Runs beyond which a set has most of the marks, which then tell little.
    pub const MOST_RUNS: usize = 1_024;

    /// Marks a set.
    pub fn new(runs: &[u64]) -> Self {
        let mut marks = [0; Self::N / 64];
        for run in runs {
            let at = *run as usize % Self::N;
            marks[at / 64] |= 1 << (at % 64);
        }
        Self(marks)
    }

    /// Returns a number of runs that are missing from another set for certain.
    pub fn least_missing(&self, other: &Self) -> usize {
        let both = self.0.iter().zip(&other.0);
        both.map(|(one, other)| (one & !other).count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::hash::Random;

    #[test]
    fn the_number_in_common_is_that_of_the_sets() {
        let mut random = Random::new(3);
        for (n_one, n_other) in [(0, 5), (1, 1), (40, 60), (7, 5_000), (900, 1_000), (3_000, 100)] {
            let mut set = |n: usize| -> BTreeSet<u64> {
                (0..n).map(|_| hash::mix(random.below(2 * n_other) as u64)).collect()
            };
            let (one, other) = (set(n_one), set(n_other));
            let n = one.intersection(&other).count();
            let [one, other] = [one, other].map(|set| set.into_iter().collect::<Vec<u64>>());
            for least in [0, n.saturating_sub(1), n, n + 1, n + 20] {
                let expected = (n >= least).then_some(n);
                assert_eq!(n_common(&one, &other, least), expected);
                assert_eq!(n_common(&other, &one, least), expected);
            }
            let (marks, others) = (Marks::new(&one), Marks::new(&other));
            assert!(marks.least_missing(&others) <= one.len() - n, "{n} of {n_one}");
            assert_eq!(marks.least_missing(&marks), 0);
        }
    }
}
