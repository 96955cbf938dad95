//! A set of runs that lies on scratch, looked into without reading all of it.
//!
//! Runs are spread evenly over their range, so a run tells about where in the file it would stand. To look a
//! few runs up in a large set, a stretch around each of these places is read; to go through two sets side by
//! side, the one on scratch is read piece by piece, and no further than it takes to decide.

use std::io;

use retold_core::scratch::Log;
use retold_core::verify::runs::{is_much_larger, n_common};

/// Bytes of a run.
const RUN_BYTES: usize = size_of::<u64>();
/// Runs that are read in the time that it takes to begin reading.
pub(super) const RUNS_PER_READ: usize = 1_024;
/// Runs of a piece.
const PIECE: usize = 2_048;

/// A set of runs in a scratch file, ascending and each once.
#[derive(Clone, Copy)]
pub(super) struct FiledRuns<'a> {
    log: &'a Log,
    at: u64,
    n_runs: usize,
}

/// Room that reading takes, to be used again.
#[derive(Default)]
pub(super) struct Buffers {
    bytes: Vec<u8>,
    pub(super) runs: Vec<u64>,
}

impl<'a> FiledRuns<'a> {
    /// Takes a set of so many runs from the place `at` on.
    pub(super) fn new(log: &'a Log, at: u64, n_runs: usize) -> Self {
        Self { log, at, n_runs }
    }

    /// Reads all of it.
    pub(super) fn read(self) -> io::Result<Box<[u64]>> {
        let mut buffers = Buffers::default();
        self.stretch(0, self.n_runs, &mut buffers)?;
        Ok(buffers.runs.into())
    }

    /// Reads the first `n` of it, or all if there are fewer.
    pub(super) fn first(self, n: usize, buffers: &mut Buffers) -> io::Result<()> {
        self.stretch(0, n.min(self.n_runs), buffers)
    }

    /// Returns the number of runs that it has in common with another set, or `None` if it is below `least`.
    pub(super) fn n_common(
        self,
        other: &[u64],
        least: usize,
        buffers: &mut Buffers,
    ) -> io::Result<Option<usize>> {
        if self.n_runs.min(other.len()) < least {
            return Ok(None);
        }
        let n_read = other.len() * (2 * self.reach() + RUNS_PER_READ);
        let n = if is_much_larger(self.n_runs, other.len()) && n_read < self.n_runs {
            self.looked_up(other, least, buffers)?
        } else {
            self.gone_through(other, least, buffers)?
        };
        Ok((n >= least).then_some(n))
    }

    /// Reads the stretch of runs from one to another.
    fn stretch(self, start: usize, end: usize, buffers: &mut Buffers) -> io::Result<()> {
        let Buffers { bytes, runs } = buffers;
        self.log.read(self.at + (start * RUN_BYTES) as u64, (end - start) * RUN_BYTES, bytes)?;
        let each = bytes.chunks_exact(RUN_BYTES);
        runs.clear();
        runs.extend(each.map(|run| u64::from_le_bytes(run.try_into().expect("eight bytes"))));
        Ok(())
    }

    /// How far to either side of the place where a run would stand it is mostly found: one and a half times
    /// the standard deviation of so many even draws, which is at most half of the root.
    #[expect(clippy::cast_sign_loss, reason = "roots are not negative")]
    fn reach(self) -> usize {
        (0.75 * (self.n_runs as f64).sqrt()) as usize + 8
    }

    /// Returns whether it has a run.
    pub(super) fn has(self, run: u64, buffers: &mut Buffers) -> io::Result<bool> {
        let reach = self.reach();
        let guess = ((u128::from(run) * self.n_runs as u128) >> 64) as usize;
        let (mut start, mut end) = (guess.saturating_sub(reach), (guess + reach).min(self.n_runs));
        // Runs before the first place are smaller, and those from the second on larger.
        let (mut least, mut most) = (0, self.n_runs);
        loop {
            self.stretch(start, end, buffers)?;
            let runs = &buffers.runs;
            if start > least && runs.first().is_none_or(|&first| run < first) {
                most = start;
                (start, end) = (start.saturating_sub(2 * reach).max(least), start);
            } else if end < most && runs.last().is_none_or(|&last| run > last) {
                least = end;
                (start, end) = (end, (end + 2 * reach).min(most));
            } else {
                return Ok(runs.binary_search(&run).is_ok());
            }
        }
    }

    /// Looks every run of a small set up; ends once `least` cannot be reached.
    fn looked_up(self, small: &[u64], least: usize, buffers: &mut Buffers) -> io::Result<usize> {
        let mut n = 0;
        for (i, &run) in small.iter().enumerate() {
            if n + small.len() - i < least {
                break;
            }
            n += usize::from(self.has(run, buffers)?);
        }
        Ok(n)
    }

    /// Goes through both sets side by side, a piece at a time; ends once `least` cannot be reached.
    fn gone_through(
        self,
        mut other: &[u64],
        least: usize,
        buffers: &mut Buffers,
    ) -> io::Result<usize> {
        let (mut n, mut start) = (0, 0);
        while start < self.n_runs && n + other.len().min(self.n_runs - start) >= least {
            let end = (start + PIECE).min(self.n_runs);
            self.stretch(start, end, buffers)?;
            let last = *buffers.runs.last().expect("a piece has runs");
            let (here, later) = other.split_at(other.partition_point(|&run| run <= last));
            n += n_common(here, &buffers.runs, 0).unwrap_or(0);
            (other, start) = (later, end);
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use retold_core::hash::{Random, mix};
    use retold_core::scratch::InMemory;

    use super::*;

    #[test]
    fn a_set_on_scratch_has_in_common_what_one_at_hand_has() {
        let mut random = Random::new(5);
        let mut buffers = Buffers::default();
        for (n_one, n_filed) in [(1, 1), (7, 9_000), (300, 40_000), (9_000, 10_000), (6_000, 50)] {
            let mut set = |n: usize| -> BTreeSet<u64> {
                (0..n).map(|_| mix(random.below(2 * n_filed) as u64)).collect()
            };
            let [one, filed] = [n_one, n_filed].map(|n| set(n).into_iter().collect::<Vec<u64>>());
            let mut log = Log::new(0);
            log.push(b"another", &InMemory).expect("memory");
            let bytes: Vec<u8> = filed.iter().flat_map(|run| run.to_le_bytes()).collect();
            let at = log.push(&bytes, &InMemory).expect("memory");
            log.spill(&InMemory).expect("memory");
            let on_scratch = FiledRuns::new(&log, at, filed.len());
            assert_eq!(*on_scratch.read().expect("memory"), *filed);
            let n = n_common(&one, &filed, 0).expect("at least none");
            for least in [0, n.saturating_sub(1), n, n + 1, n + 20] {
                let found = on_scratch.n_common(&one, least, &mut buffers).expect("memory");
                assert_eq!(found, (n >= least).then_some(n), "{n} of {n_one} in {n_filed}");
            }
        }
    }

    #[test]
    fn a_run_that_would_stand_between_two_stretches_is_not_looked_for_without_end() {
        let mut random = Random::new(9);
        let filed: BTreeSet<u64> = (0..5_000).map(|_| random.next_u64()).collect();
        let mut log = Log::new(0);
        let bytes: Vec<u8> = filed.iter().flat_map(|run| run.to_le_bytes()).collect();
        let at = log.push(&bytes, &InMemory).expect("memory");
        log.spill(&InMemory).expect("memory");
        let (set, mut buffers) = (FiledRuns::new(&log, at, filed.len()), Buffers::default());
        for &run in &filed {
            assert!(set.has(run, &mut buffers).expect("memory"));
            let next = run.wrapping_add(1);
            assert_eq!(set.has(next, &mut buffers).expect("memory"), filed.contains(&next));
        }
    }

    #[test]
    fn runs_are_found_however_unevenly_they_are_spread() {
        let mut log = Log::new(0);
        let filed: Vec<u64> = (0..5_000).map(|i| i * 3).chain([u64::MAX - 1]).collect();
        let bytes: Vec<u8> = filed.iter().flat_map(|run| run.to_le_bytes()).collect();
        let at = log.push(&bytes, &InMemory).expect("memory");
        log.spill(&InMemory).expect("memory");
        let (set, mut buffers) = (FiledRuns::new(&log, at, filed.len()), Buffers::default());
        let asked = [0, 1, 7_500, 14_997, 14_998, 1 << 63, u64::MAX - 1, u64::MAX];
        assert_eq!(set.n_common(&asked, 0, &mut buffers).expect("memory"), Some(4));
        let mut held = |run| set.has(run, &mut buffers).expect("memory");
        assert!(held(14_997) && held(u64::MAX - 1) && !held(14_998) && !held(u64::MAX));
    }
}
