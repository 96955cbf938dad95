//! A table that tells in memory that a number is in no row: one read saved for most look-ups.
//!
//! Each number sets four bits of one 64-bit word; 16 bits are kept for a number, and about one
//! absent number in a hundred seems present.

use std::sync::OnceLock;

use retold_core::hash::mix;

use crate::error::Result;
use crate::format::{Sink, Stored};
use crate::table::{Table, write_numbers};

/// A filter that is being filled, or was read.
#[derive(Debug)]
pub(crate) struct Filter(Vec<u64>);

impl Filter {
    /// Makes an empty filter for so many numbers.
    pub(crate) fn new(n: usize) -> Self {
        Self(vec![0; n.div_ceil(4).max(1)])
    }

    #[inline]
    fn place(&self, number: u64) -> (usize, u64) {
        let hash = mix(number ^ 0x5851_f42d_4c95_7f2d);
        let word = ((u128::from(hash) * self.0.len() as u128) >> 64) as usize;
        let bits = mix(hash);
        let mask = (0..4).fold(0, |mask, i| mask | 1u64 << (bits >> (6 * i) & 63));
        (word, mask)
    }

    /// Adds a number.
    pub(crate) fn insert(&mut self, number: u64) {
        let (word, mask) = self.place(number);
        self.0[word] |= mask;
    }

    /// Returns `false` if the number was not added for sure.
    #[inline]
    pub(crate) fn may_have(&self, number: u64) -> bool {
        let (word, mask) = self.place(number);
        self.0[word] & mask == mask
    }

    /// Writes it.
    pub(crate) fn write(&self, sink: &mut Sink) -> Result<Table> {
        write_numbers(&self.0, sink)
    }
}

/// A filter that is read when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct LazyFilter(OnceLock<Filter>);

impl LazyFilter {
    /// Returns `false` if the number was not added for sure.
    pub(crate) fn may_have(&self, number: u64, table: &Table, file: &Stored) -> Result<bool> {
        Ok(self.get(table, file)?.may_have(number))
    }

    pub(crate) fn get(&self, table: &Table, file: &Stored) -> Result<&Filter> {
        if let Some(filter) = self.0.get() {
            return Ok(filter);
        }
        let words = table.numbers(file)?;
        if words.is_empty() {
            return Err(file.damaged(table.offset, "a filter is empty"));
        }
        Ok(self.0.get_or_init(|| Filter(words)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_was_added_seems_present_and_little_else() {
        let mut filter = Filter::new(10_000);
        for number in 0..10_000 {
            filter.insert(number);
        }
        assert!((0..10_000).all(|number| filter.may_have(number)));
        let n_wrong = (10_000..110_000).filter(|number| filter.may_have(*number)).count();
        assert!(n_wrong < 2000, "{n_wrong} of 100,000");
    }
}
