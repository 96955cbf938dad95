//! A table as CSV, safe to open in a spreadsheet.
//!
//! A cell that starts with `=`, `+`, `-`, `@`, a tab or a carriage return may be run as a formula
//! by a spreadsheet, and ids, file names and notes are not trusted. Such text cells get an
//! apostrophe in front; numbers need none.

use std::io::{self, Write};

use super::BUFFER_BYTES;
use super::columns::{Column, Value};
use super::json::{put_count, put_passages, put_share};

/// A CSV file being written, one cell after the other.
pub(super) struct CsvFile<W: Write> {
    file: csv::Writer<W>,
    row: csv::ByteRecord,
    cell: Vec<u8>,
}

impl<W: Write> CsvFile<W> {
    /// Starts the file with its header line.
    pub(super) fn create(file: W, columns: &[Column]) -> io::Result<Self> {
        let mut file = csv::WriterBuilder::new().buffer_capacity(BUFFER_BYTES).from_writer(file);
        file.write_record(columns.iter().map(|column| column.name))?;
        Ok(Self { file, row: csv::ByteRecord::new(), cell: Vec::new() })
    }

    /// Adds a cell to the row.
    pub(super) fn cell(&mut self, value: &Value<'_>) {
        let cell = &mut self.cell;
        cell.clear();
        match *value {
            Value::Absent => {}
            Value::Text(text) => put_guarded(cell, text.as_bytes()),
            Value::Count(count) => put_count(cell, count),
            Value::Share(share) => put_share(cell, share),
            Value::Flag(flag) => cell.extend_from_slice(if flag { b"true" } else { b"false" }),
            Value::Texts(texts) => put_guarded(cell, joined(texts).as_bytes()),
            Value::Passages(passages) => put_passages(cell, passages),
        }
        self.row.push_field(cell);
    }

    /// Writes the row.
    pub(super) fn end_row(&mut self) -> io::Result<()> {
        self.file.write_byte_record(&self.row)?;
        self.row.clear();
        Ok(())
    }

    /// Writes what is held back.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Appends a text cell that no spreadsheet takes for a formula.
fn put_guarded(cell: &mut Vec<u8>, text: &[u8]) {
    if let Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r') = text.first() {
        cell.push(b'\'');
    }
    cell.extend_from_slice(text);
}

/// Joins `texts` by `|`, with `\|` for `|` and `\\` for `\`.
fn joined(texts: &[&str]) -> String {
    let mut joined = String::new();
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            joined.push('|');
        }
        for letter in text.chars() {
            if matches!(letter, '|' | '\\') {
                joined.push('\\');
            }
            joined.push(letter);
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_looks_like_a_formula_gets_an_apostrophe() {
        for start in ["=", "+", "-", "@", "\t", "\r"] {
            let text = format!("{start}cmd|' /C calc'!A0");
            let mut cell = Vec::new();
            put_guarded(&mut cell, text.as_bytes());
            assert_eq!(cell, format!("'{text}").into_bytes());
        }
        let mut cell = Vec::new();
        put_guarded(&mut cell, b"a=b");
        assert_eq!(cell, b"a=b");
    }

    #[test]
    fn joined_texts_can_be_told_apart() {
        assert_eq!(joined(&["a", "b|c", "d\\"]), "a|b\\|c|d\\\\");
        assert_eq!(joined(&[]), "");
    }
}
