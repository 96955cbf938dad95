//! Winnowing: keeps the smallest hash of every window, so equal passages keep equal hashes.
//!
//! Two documents that share `window + k - 1` words in a row keep at least one hash of that run
//! both, because the window inside the run is the same in both. Of long texts about
//! 2 / (window + 1) of the hashes are kept.
//!
//! Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003, section 3. Ties take the rightmost hash,
//! as there; a hash equal to the one kept last is not kept again.

/// Largest window.
pub const MOST_WINDOW: usize = 128;

/// Keeps the smallest hash of every `window` hashes in a row.
#[derive(Clone, Debug)]
pub struct Winnow {
    window: usize,
    recent: [u64; MOST_WINDOW],
    smallest: u64,
    smallest_at: usize,
    n_seen: usize,
    kept: Option<u64>,
}

impl Winnow {
    /// Makes a winnower; `window` is between 1 and [`MOST_WINDOW`]. A window of 1 keeps all.
    pub fn new(window: usize) -> Self {
        debug_assert!((1..=MOST_WINDOW).contains(&window), "the window fits the ring");
        Self {
            window,
            recent: [0; MOST_WINDOW],
            smallest: u64::MAX,
            smallest_at: 0,
            n_seen: 0,
            kept: None,
        }
    }

    /// Takes the next hash and hands `keep` what has to be kept now.
    #[inline]
    pub fn push(&mut self, hash: u64, mut keep: impl FnMut(u64)) {
        let at = self.n_seen;
        self.recent[at % MOST_WINDOW] = hash;
        self.n_seen += 1;
        let is_full = self.n_seen >= self.window;
        if hash <= self.smallest {
            (self.smallest, self.smallest_at) = (hash, at);
        } else if self.smallest_at + self.window <= at {
            (self.smallest, self.smallest_at) = (hash, at);
            for back in 1..self.window {
                let earlier = self.recent[(at - back) % MOST_WINDOW];
                if earlier < self.smallest {
                    (self.smallest, self.smallest_at) = (earlier, at - back);
                }
            }
        } else if self.n_seen != self.window {
            return;
        }
        if is_full && self.kept != Some(self.smallest) {
            self.kept = Some(self.smallest);
            keep(self.smallest);
        }
    }

    /// Ends the sequence: fewer hashes than a window still keep their smallest.
    pub fn finish(self, mut keep: impl FnMut(u64)) {
        if self.n_seen > 0 && self.n_seen < self.window {
            keep(self.smallest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Random, mix};

    fn winnowed(hashes: &[u64], window: usize) -> Vec<u64> {
        let mut out = Vec::new();
        let mut winnow = Winnow::new(window);
        for &hash in hashes {
            winnow.push(hash, |kept| out.push(kept));
        }
        winnow.finish(|kept| out.push(kept));
        out
    }

    /// The definition, word for word: the rightmost smallest of each window, once per position.
    fn by_definition(hashes: &[u64], window: usize) -> Vec<u64> {
        let mut kept: Vec<usize> = hashes
            .windows(window.min(hashes.len()).max(1))
            .enumerate()
            .map(|(start, run)| {
                let best = run.iter().enumerate().min_by_key(|&(i, hash)| (hash, usize::MAX - i));
                start + best.expect("a window is not empty").0
            })
            .collect();
        kept.dedup();
        let mut out: Vec<u64> = kept.into_iter().map(|at| hashes[at]).collect();
        out.dedup();
        out
    }

    #[test]
    fn the_ring_agrees_with_the_definition() {
        let mut random = Random::new(11);
        for n in [0, 1, 3, 7, 8, 9, 100, 500] {
            for range in [3, 1 << 40] {
                let hashes: Vec<u64> = (0..n).map(|_| mix(random.below(range) as u64)).collect();
                for window in [1, 2, 8, 64] {
                    assert_eq!(winnowed(&hashes, window), by_definition(&hashes, window));
                }
            }
        }
    }

    #[test]
    fn the_published_example_keeps_the_published_hashes() {
        // "A do run run run, a do run run", 5-grams of characters, windows of 4 (Schleimer et al.
        // 2003, figure 2). There 17 is kept at three places; a hash kept last is not kept again.
        let hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98];
        assert_eq!(winnowed(&hashes, 4), [17, 8, 39, 17]);
    }

    #[test]
    fn a_shared_run_of_one_window_is_always_seen() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let shared: Vec<u64> = (0..8).map(|_| random.next_u64()).collect();
            let mut side = || {
                let mut hashes: Vec<u64> = (0..20).map(|_| random.next_u64()).collect();
                hashes.extend(&shared);
                hashes.extend((0..20).map(|_| random.next_u64()));
                winnowed(&hashes, 8)
            };
            let (left, right) = (side(), side());
            assert!(left.iter().any(|hash| shared.contains(hash) && right.contains(hash)));
        }
    }
}
