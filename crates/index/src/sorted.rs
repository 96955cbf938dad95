//! Tables sorted by a 64-bit number at the start of each row, with an index in memory.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::format::{Sink, Stored, u32_at, u64_at};
use crate::table::{Table, TableWriter, write_numbers};

/// Bytes of a row: a number and a document.
const WIDTH: usize = 12;
/// Rows between two numbers of the index.
const EVERY: u64 = 341;

/// Where a sorted table of numbers with documents is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sorted {
    pub(crate) rows: Table,
    /// The number in every 341st row: the first of each block.
    pub(crate) first: Table,
}

impl Sorted {
    pub(crate) fn is_within(&self, end: u64) -> bool {
        self.rows.is_within(end)
            && self.first.is_within(end)
            && self.rows.width as usize == WIDTH
            && self.first.width == 8
            && self.first.n_rows == self.rows.n_rows.div_ceil(EVERY)
    }

    pub(crate) fn n_bytes(&self) -> u64 {
        self.rows.n_bytes().unwrap_or(0) + self.first.n_bytes().unwrap_or(0)
    }

    /// Calls `each` for the rows with numbers from `from` to `to` until it returns `false`.
    pub(crate) fn range(
        &self,
        from: u64,
        to: u64,
        first: &First,
        file: &Stored,
        mut each: impl FnMut(u64, u32) -> Result<bool>,
    ) -> Result<()> {
        let first = first.get(self, file)?;
        let block = first.partition_point(|first| *first < from).saturating_sub(1);
        let mut cursor = self.rows.cursor(file);
        for row in block as u64 * EVERY..self.rows.n_rows {
            let bytes = cursor.row(row)?;
            let number = u64_at(bytes, 0);
            if number > to {
                break;
            }
            if number >= from && !each(number, u32_at(bytes, 8))? {
                break;
            }
        }
        Ok(())
    }

    /// Checks the index against the rows.
    pub(crate) fn check_first(&self, file: &Stored) -> Result<()> {
        let mut rows = self.rows.cursor(file);
        for (i, first) in self.first.numbers(file)?.into_iter().enumerate() {
            if u64_at(rows.row(i as u64 * EVERY)?, 0) != first {
                return Err(file.damaged(self.first.offset, "the index of a table is wrong"));
            }
        }
        Ok(())
    }

    /// Calls `each` for all rows.
    pub(crate) fn each(
        &self,
        file: &Stored,
        mut each: impl FnMut(u64, u32) -> Result<()>,
    ) -> Result<()> {
        self.rows.each(file, |_, row| each(u64_at(row, 0), u32_at(row, 8)))
    }
}

/// Writes a sorted table.
pub(crate) fn write_sorted(
    rows: impl Iterator<Item = Result<(u64, u32)>>,
    sink: &mut Sink,
) -> Result<Sorted> {
    let mut table = TableWriter::new(sink, WIDTH);
    let mut first = Vec::new();
    for (i, row) in rows.enumerate() {
        let (number, doc) = row?;
        if (i as u64).is_multiple_of(EVERY) {
            first.push(number);
        }
        let mut bytes = [0; WIDTH];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        bytes[8..].copy_from_slice(&doc.to_le_bytes());
        table.push(&bytes, sink)?;
    }
    let rows = table.finish(sink)?;
    Ok(Sorted { rows, first: write_numbers(&first, sink)? })
}

/// The index of a sorted table, read when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct First(OnceLock<Vec<u64>>);

impl First {
    fn get(&self, sorted: &Sorted, file: &Stored) -> Result<&[u64]> {
        if let Some(first) = self.0.get() {
            return Ok(first);
        }
        let first = sorted.first.numbers(file)?;
        if !first.is_sorted() {
            return Err(file.damaged(sorted.first.offset, "the index of a table does not ascend"));
        }
        Ok(self.0.get_or_init(|| first))
    }
}
