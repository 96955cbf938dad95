//! Tables of rows of one width, in blocks with a checksum each.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::format::{SUM_BYTES, Sink, Stored, u64_at};

/// Bytes of rows in a block, unless one row takes more.
const BLOCK_BYTES: usize = 4096;

/// Where a table is, and how its rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) offset: u64,
    pub(crate) n_rows: u64,
    pub(crate) width: u32,
}

impl Table {
    /// Rows of a whole block.
    fn per_block(&self) -> u64 {
        (BLOCK_BYTES as u64 / u64::from(self.width.max(1))).max(1)
    }

    /// Bytes of a whole block with its checksum.
    fn block_bytes(&self) -> u64 {
        self.per_block() * u64::from(self.width) + SUM_BYTES as u64
    }

    pub(crate) fn n_blocks(&self) -> u64 {
        self.n_rows.div_ceil(self.per_block())
    }

    /// Returns the bytes it takes, or `None` if no file is so long.
    pub(crate) fn n_bytes(&self) -> Option<u64> {
        self.n_rows
            .checked_mul(u64::from(self.width))?
            .checked_add(self.n_blocks().checked_mul(SUM_BYTES as u64)?)
    }

    /// Returns whether it lies before `end`.
    pub(crate) fn is_within(&self, end: u64) -> bool {
        self.width > 0
            && self
                .n_bytes()
                .and_then(|n| self.offset.checked_add(n))
                .is_some_and(|last| last <= end)
    }

    fn rows_in(&self, block: u64) -> u64 {
        (self.n_rows - block * self.per_block()).min(self.per_block())
    }

    /// Returns the rows of a block.
    fn block<'a>(&self, block: u64, file: &'a Stored) -> Result<Cow<'a, [u8]>> {
        let len = self.rows_in(block) * u64::from(self.width) + SUM_BYTES as u64;
        file.block(self.offset + block * self.block_bytes(), len as usize)
    }

    /// Calls `each` with the bytes of one row; an error if there is no such row.
    pub(crate) fn row<T>(&self, row: u64, file: &Stored, each: impl Fn(&[u8]) -> T) -> Result<T> {
        if row >= self.n_rows {
            return Err(file.damaged(self.offset, "a row is referred to that does not exist"));
        }
        let rows = self.block(row / self.per_block(), file)?;
        let width = self.width as usize;
        let at = (row % self.per_block()) as usize * width;
        Ok(each(&rows[at..at + width]))
    }

    /// Calls `each` for every row in order.
    pub(crate) fn each(
        &self,
        file: &Stored,
        mut each: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut row = 0;
        for block in 0..self.n_blocks() {
            for bytes in self.block(block, file)?.chunks_exact(self.width as usize) {
                each(row, bytes)?;
                row += 1;
            }
        }
        Ok(())
    }

    /// Returns all rows as bytes.
    pub(crate) fn bytes(&self, file: &Stored) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity((self.n_rows * u64::from(self.width)) as usize);
        for block in 0..self.n_blocks() {
            out.extend_from_slice(&self.block(block, file)?);
        }
        Ok(out)
    }

    /// Returns all rows of a table of 64-bit numbers.
    pub(crate) fn numbers(&self, file: &Stored) -> Result<Vec<u64>> {
        if self.width != 8 {
            return Err(file.damaged(self.offset, "a table has another width than it should"));
        }
        let mut out = Vec::with_capacity(self.n_rows as usize);
        self.each(file, |_, row| {
            out.push(u64_at(row, 0));
            Ok(())
        })?;
        Ok(out)
    }

    /// Starts to read rows, most of them one after the other.
    pub(crate) fn cursor<'a>(&self, file: &'a Stored) -> TableCursor<'a> {
        TableCursor { table: *self, file, held: None }
    }
}

/// Reads rows, and holds the block of the last one.
#[derive(Debug)]
pub(crate) struct TableCursor<'a> {
    table: Table,
    file: &'a Stored,
    held: Option<(u64, Cow<'a, [u8]>)>,
}

impl TableCursor<'_> {
    /// Returns the bytes of a row.
    pub(crate) fn row(&mut self, row: u64) -> Result<&[u8]> {
        if row >= self.table.n_rows {
            let offset = self.table.offset;
            return Err(self.file.damaged(offset, "a row is referred to that does not exist"));
        }
        let block = row / self.table.per_block();
        if self.held.as_ref().is_none_or(|held| held.0 != block) {
            self.held = Some((block, self.table.block(block, self.file)?));
        }
        let width = self.table.width as usize;
        let at = (row % self.table.per_block()) as usize * width;
        let held = self.held.as_ref().map_or(&[][..], |held| &held.1);
        Ok(&held[at..at + width])
    }
}

/// Writes a table.
#[derive(Debug)]
pub(crate) struct TableWriter {
    table: Table,
    rows: Vec<u8>,
}

impl TableWriter {
    /// Starts a table whose rows have `width` bytes, at least one.
    pub(crate) fn new(sink: &Sink, width: usize) -> Self {
        let table = Table { offset: sink.at(), n_rows: 0, width: width as u32 };
        Self { table, rows: Vec::new() }
    }

    /// Adds a row of the width of the table.
    pub(crate) fn push(&mut self, row: &[u8], sink: &mut Sink) -> Result<()> {
        debug_assert_eq!(row.len(), self.table.width as usize, "all rows have one width");
        self.rows.extend_from_slice(row);
        self.table.n_rows += 1;
        if self.table.n_rows.is_multiple_of(self.table.per_block()) {
            self.write(sink)?;
        }
        Ok(())
    }

    fn write(&mut self, sink: &mut Sink) -> Result<()> {
        sink.put_block(&self.rows)?;
        self.rows.clear();
        Ok(())
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self, sink: &mut Sink) -> Result<Table> {
        if !self.rows.is_empty() {
            self.write(sink)?;
        }
        Ok(self.table)
    }
}

/// Writes a table of 64-bit numbers.
pub(crate) fn write_numbers(numbers: &[u64], sink: &mut Sink) -> Result<Table> {
    let mut table = TableWriter::new(sink, 8);
    for number in numbers {
        table.push(&number.to_le_bytes(), sink)?;
    }
    table.finish(sink)
}
