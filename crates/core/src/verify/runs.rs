//! Sets of word runs: how many two documents have in common, without asking where they stand.
//!
//! A set is the hashes of all runs of a document, [spread],
//! ascending and each once. From the sizes of two sets and the number of runs they have in common
//! follow the same scores that an alignment of the documents gives.

use std::ops::Range;

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
    let n = if is_much_larger(large.len(), small.len()) {
        looked_up(small, large, least)
    } else {
        merged(small, large, least)
    };
    (n >= least).then_some(n)
}

/// Returns whether one set is so much larger than another that the runs of the smaller one are looked up
/// in it, instead of going through both.
pub fn is_much_larger(n_large: usize, n_small: usize) -> bool {
    n_large > MUCH_LARGER * n_small
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
pub fn has(set: &[u64], run: u64) -> bool {
    if set.is_empty() {
        return false;
    }
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

/// Returns how many of the first `n` runs of a set, a sample of all, another set `has`; those before the
/// second that is missing, for whoever lacks more is not likely to hold most of the set.
///
/// PERF: mostly two look-ups instead of eight, each of which waits for memory.
pub fn n_sampled<E>(
    set: &[u64],
    n: usize,
    mut has: impl FnMut(u64) -> Result<bool, E>,
) -> Result<usize, E> {
    let (mut n_held, mut n_missing) = (0, 0);
    for &run in set.iter().take(n) {
        if has(run)? {
            n_held += 1;
        } else {
            n_missing += 1;
            if n_missing == 2 {
                break;
            }
        }
    }
    Ok(n_held)
}

/// Which runs a large set may have, and where they would stand: a bit for each part of the range of runs, eight
/// parts for a run of the set, and where the runs of each 64 parts begin. Of the runs that are not in the set
/// one in eight passes; the others are refused without a look at the set, which takes five times the memory.
///
/// ```
/// use retold_core::verify::runs::RunFilter;
/// let filter = RunFilter::new(&[1 << 60, 2 << 60]);
/// let mut passed = Vec::new();
/// assert!(filter.pass(&[1 << 60, 9 << 60], 1, &mut passed));
/// assert_eq!(passed, [1 << 60]);
/// assert!(!filter.pass(&[7 << 60, 9 << 60], 1, &mut passed));
/// ```
#[derive(Clone, Debug)]
pub struct RunFilter {
    parts: Box<[u64]>,
    /// For each 64 parts where their runs begin in the set.
    starts: Box<[u32]>,
    n_runs: usize,
}

impl RunFilter {
    /// Parts for a run of the set.
    const PARTS: usize = 8;

    /// Makes one of a set.
    pub fn new(runs: &[u64]) -> Self {
        let n = (runs.len() * Self::PARTS).div_ceil(64).max(1);
        let (parts, starts) = (vec![0; n].into(), vec![0; n].into());
        let mut filter = Self { parts, starts, n_runs: runs.len() };
        for &run in runs {
            let part = filter.part(run);
            filter.parts[part / 64] |= 1 << (part % 64);
            filter.starts[part / 64] += 1;
        }
        let mut n_before = 0;
        for start in &mut filter.starts {
            n_before += std::mem::replace(start, n_before);
        }
        filter
    }

    fn part(&self, run: u64) -> usize {
        ((u128::from(run) * (self.parts.len() as u128 * 64)) >> 64) as usize
    }

    /// Returns false if a run is not in the set.
    pub fn may_have(&self, run: u64) -> bool {
        let part = self.part(run);
        self.parts[part / 64] >> (part % 64) & 1 != 0
    }

    /// Returns the places of the set among which a run stands if it is there.
    pub fn places(&self, run: u64) -> Range<usize> {
        let at = self.part(run) / 64;
        let end = self.starts.get(at + 1).map_or(self.n_runs, |&end| end as usize);
        self.starts[at] as usize..end
    }

    /// Puts the runs of a set that may be in the large one into `passed`; false, with only some of them
    /// there, once fewer than `least` can pass.
    pub fn pass(&self, runs: &[u64], least: usize, passed: &mut Vec<u64>) -> bool {
        passed.clear();
        for (i, &run) in runs.iter().enumerate() {
            if passed.len() + runs.len() - i < least {
                return false;
            }
            if self.may_have(run) {
                passed.push(run);
            }
        }
        passed.len() >= least
    }

    /// Returns how many runs the large set has in common with another, or `None` if it is below `least`;
    /// `passed` is space to work in.
    ///
    /// PERF: most sets are refused by the bits alone, which take little memory.
    pub fn n_common(
        &self,
        large: &[u64],
        runs: &[u64],
        least: usize,
        passed: &mut Vec<u64>,
    ) -> Option<usize> {
        if !self.pass(runs, least, passed) {
            return None;
        }
        let mut n = 0;
        for (i, &run) in passed.iter().enumerate() {
            if n + passed.len() - i < least {
                return None;
            }
            n += usize::from(large[self.places(run)].contains(&run));
        }
        (n >= least).then_some(n)
    }

    /// Returns whether a run is in the large set.
    pub fn has(&self, large: &[u64], run: u64) -> bool {
        self.may_have(run) && large[self.places(run)].contains(&run)
    }

    /// Returns the bytes that are held.
    pub fn held_bytes(&self) -> usize {
        size_of_val(&*self.parts) + size_of_val(&*self.starts)
    }
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
            let mut passed = Vec::new();
            let filter = RunFilter::new(&other);
            assert!(filter.pass(&one, n, &mut passed), "what is there passes");
            assert_eq!(n_common(&passed, &other, 0), Some(n));
            assert_eq!(filter.n_common(&other, &one, n, &mut passed), Some(n));
            assert_eq!(filter.n_common(&other, &one, n + 1, &mut passed), None);
            let (marks, others) = (Marks::new(&one), Marks::new(&other));
            assert!(marks.least_missing(&others) <= one.len() - n, "{n} of {n_one}");
            assert_eq!(marks.least_missing(&marks), 0);
        }
    }
}
