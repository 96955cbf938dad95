//! Asking whether a run is to stop.

use std::cmp::Ordering;
use std::mem;

use crate::task::{Cut, Flow};

/// Rounds of a loop between two looks, where a round takes from nanoseconds, if it goes over a row
/// of few items, to milliseconds.
const ROUNDS_PER_LOOK: usize = 16;

/// Items that are sorted between two looks.
const PIECE_ITEMS: usize = 1 << 14;

/// Tells, from any thread, whether somebody asked the run to stop. Once it is so, it stays so.
#[derive(Clone, Copy)]
pub(crate) struct Halt<'a>(&'a (dyn Fn() -> bool + Sync));

impl<'a> Halt<'a> {
    pub(crate) fn new(is_stopped: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self(is_stopped)
    }

    pub(crate) fn is_stopped(self) -> bool {
        (self.0)()
    }

    /// Breaks if the run is to stop.
    pub(crate) fn look(self) -> Flow {
        if self.is_stopped() { Flow::Break(Cut::Stopped) } else { Flow::Continue(()) }
    }

    /// Like [`look`](Self::look), but looks in one of [`ROUNDS_PER_LOOK`] rounds only; for loops of
    /// short rounds, which are given by their numbers.
    pub(crate) fn look_at(self, round: usize) -> Flow {
        if round.is_multiple_of(ROUNDS_PER_LOOK) { self.look() } else { Flow::Continue(()) }
    }

    /// Sorts like `sort_unstable_by`, but leaves off, with the items in any order, if the run is
    /// to stop. Few items are sorted at once; of many, pieces are sorted and then merged.
    pub(crate) fn sort_by<T: Copy>(
        self,
        items: &mut Vec<T>,
        mut order: impl FnMut(&T, &T) -> Ordering,
    ) -> Flow {
        for piece in items.chunks_mut(PIECE_ITEMS) {
            self.look()?;
            piece.sort_unstable_by(&mut order);
        }
        let mut len = PIECE_ITEMS;
        let mut merged = Vec::new();
        while len < items.len() {
            merged.clear();
            for two in items.chunks(2 * len) {
                let (mut a, mut b) = two.split_at(len.min(two.len()));
                while let ([x, rest_a @ ..], [y, rest_b @ ..]) = (a, b) {
                    self.look_at(merged.len())?;
                    if order(x, y).is_le() {
                        merged.push(*x);
                        a = rest_a;
                    } else {
                        merged.push(*y);
                        b = rest_b;
                    }
                }
                merged.extend_from_slice(a);
                merged.extend_from_slice(b);
            }
            mem::swap(items, &mut merged);
            len *= 2;
        }
        Flow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::trial::Random;

    #[test]
    fn pieces_are_merged_to_what_sorting_at_once_gives() {
        let mut random = Random::new(1);
        for n in [0, 1, 100, PIECE_ITEMS, PIECE_ITEMS + 1, 5 * PIECE_ITEMS + 7, 100_000] {
            let mut items: Vec<u64> = (0..n).map(|_| random.below(50_000)).collect();
            let mut wanted = items.clone();
            wanted.sort_unstable();
            assert!(Halt::new(&|| false).sort_by(&mut items, u64::cmp).is_continue());
            assert_eq!(items, wanted);
        }
    }

    #[test]
    fn sorting_leaves_off_when_asked_to() {
        let n_looks = AtomicUsize::new(0);
        let is_stopped = || n_looks.fetch_add(1, Ordering::Relaxed) == 7;
        let mut items: Vec<usize> = (0..5 * PIECE_ITEMS).rev().collect();
        let flow = Halt::new(&is_stopped).sort_by(&mut items, usize::cmp);
        assert_eq!(flow, Flow::Break(Cut::Stopped));
        assert_eq!(n_looks.into_inner(), 8);
    }
}
