//! Blocks of lists that were read and checked, held in memory.
//!
//! All parts that a process has open share a budget. A part takes what it needs of it when it is
//! first looked at, at most seven eighths of what is left, and gives it back when it goes. Memory
//! is used as blocks are looked at. A block has one place; where there are fewer places than
//! blocks, the one that was looked at last stays.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{BLOCK_BYTES, Mark, N_MARKS};
use crate::error::Result;

type Bytes = [u8; BLOCK_BYTES];
type Marks = [Mark; N_MARKS];

/// A block that was read.
#[derive(Debug)]
struct Read {
    block: usize,
    marks: Marks,
    bytes: Bytes,
}

/// Blocks that all parts together may hold, in 128 MiB.
const MOST_BLOCKS: usize = (128 << 20) / (size_of::<Read>() + size_of::<Slot>());
/// Blocks that may still be held.
static LEFT: AtomicUsize = AtomicUsize::new(MOST_BLOCKS);

type Slot = Mutex<Option<Box<Read>>>;

/// The blocks of one part and method that are held.
#[derive(Debug)]
pub(super) struct Held(Box<[Slot]>);

impl Held {
    /// Makes places for some or all of so many blocks.
    pub(super) fn new(n_blocks: usize) -> Self {
        let mut n = 0;
        let take = |left: usize| {
            n = n_blocks.min(left - left.div_ceil(8));
            Some(left - n)
        };
        // It never fails: there is always something to take, be it nothing.
        let _ = LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        Self((0..n).map(|_| Slot::default()).collect())
    }

    /// Looks at a block; `fill` reads it if it is not held.
    #[inline]
    pub(super) fn look<T>(
        &self,
        block: usize,
        fill: impl FnOnce(&mut Bytes) -> Result<Marks>,
        look: impl FnOnce(&Bytes, &Marks) -> T,
    ) -> Result<T> {
        if self.0.is_empty() {
            let mut bytes = [0; BLOCK_BYTES];
            let marks = fill(&mut bytes)?;
            return Ok(look(&bytes, &marks));
        }
        let slot = &self.0[block % self.0.len()];
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = &*slot
            && read.block == block
        {
            return Ok(look(&read.bytes, &read.marks));
        }
        // Taken out, so that nothing half read stays if reading fails.
        let mut read = slot.take().unwrap_or_else(|| {
            Box::new(Read { block, marks: [Mark::NONE; N_MARKS], bytes: [0; BLOCK_BYTES] })
        });
        read.block = block;
        read.marks = fill(&mut read.bytes)?;
        let read = slot.insert(read);
        Ok(look(&read.bytes, &read.marks))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        LEFT.fetch_add(self.0.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn look(held: &Held, block: usize, n_reads: &mut usize) -> u8 {
        let fill = |bytes: &mut Bytes| {
            *n_reads += 1;
            bytes[0] = block as u8;
            Ok([Mark::NONE; N_MARKS])
        };
        held.look(block, fill, |bytes, _| bytes[0]).expect("it was filled")
    }

    #[test]
    fn blocks_are_read_once_and_what_could_not_be_read_is_not_held() {
        let held = Held::new(3);
        let mut n_reads = 0;
        for block in [0, 1, 2, 0, 1, 2] {
            assert_eq!(look(&held, block, &mut n_reads), block as u8);
        }
        assert_eq!(n_reads, 3);
        for (block, n) in [(4, 4), (4, 4), (1, 5), (4, 6)] {
            assert_eq!(look(&held, block, &mut n_reads), block as u8, "they share a place");
            assert_eq!(n_reads, n);
        }
        let fails = |_: &mut Bytes| Err(Error::invalid("no"));
        assert!(held.look(1, fails, |_, _| ()).is_err());
        assert_eq!(look(&held, 4, &mut n_reads), 4);
        assert_eq!(n_reads, 7);
    }

    #[test]
    fn a_part_never_takes_all_that_is_left() {
        let held = Held::new(usize::MAX);
        assert!(!held.0.is_empty() && held.0.len() <= MOST_BLOCKS - MOST_BLOCKS / 8);
    }
}
