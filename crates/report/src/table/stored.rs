//! Rows that were written as JSON Lines before, written again in any format.
//!
//! A line has all that a row says, so whoever has lines of a table can hand out CSV or Parquet
//! without knowing the columns. What JSON leaves out (0, `false`, an empty list) is put back.

use std::io::{self, Write};

use retold_core::relation::Passage;
use serde_json::{Map, Value as Json};

use super::TableFormat;
use super::columns::{Column, ColumnType, Value};
use super::csv_file::CsvFile;
use super::parquet_file::ParquetFile;

/// Writes lines of a JSON Lines table into `W`, in any format.
pub struct StoredWriter<W: Write + Send> {
    sink: Sink<W>,
    columns: &'static [Column],
}

enum Sink<W: Write + Send> {
    Jsonl(W),
    Csv(Box<CsvFile<W>>),
    Parquet(Box<ParquetFile<W>>),
}

impl<W: Write + Send> StoredWriter<W> {
    /// Starts a table of the given columns: those of the table that the lines come from.
    pub fn new(out: W, columns: &'static [Column], format: TableFormat) -> io::Result<Self> {
        let sink = match format {
            TableFormat::Jsonl => Sink::Jsonl(out),
            TableFormat::Csv => Sink::Csv(Box::new(CsvFile::create(out, columns)?)),
            TableFormat::Parquet => Sink::Parquet(Box::new(ParquetFile::create(out, columns)?)),
        };
        Ok(Self { sink, columns })
    }

    /// Appends a row, given as its line without the line feed.
    ///
    /// # Errors
    /// Fails with [`InvalidData`](io::ErrorKind::InvalidData) if the line is not as a table writes
    /// it; JSON Lines are copied without a look.
    pub fn push(&mut self, line: &[u8]) -> io::Result<()> {
        match &mut self.sink {
            Sink::Jsonl(out) => {
                out.write_all(line)?;
                out.write_all(b"\n")
            }
            Sink::Csv(file) => {
                each_cell(line, self.columns, |value| file.cell(value))?;
                file.end_row()
            }
            Sink::Parquet(file) => {
                each_cell(line, self.columns, |value| file.cell(value))?;
                file.end_row()
            }
        }
    }

    /// Writes what is held back and the end of the file.
    pub fn finish(self) -> io::Result<()> {
        match self.sink {
            Sink::Jsonl(mut out) => out.flush(),
            Sink::Csv(file) => file.finish(),
            Sink::Parquet(file) => file.finish(),
        }
    }
}

/// Hands over the values of a line in the order of the columns, after all of them were checked.
fn each_cell(line: &[u8], columns: &[Column], mut each: impl FnMut(&Value<'_>)) -> io::Result<()> {
    let bad = |error: serde_json::Error| io::Error::new(io::ErrorKind::InvalidData, error);
    let mut row: Map<String, Json> = serde_json::from_slice(line).map_err(bad)?;
    let cells = columns.iter().map(|column| OwnedCell::new(column, row.remove(column.name)));
    let cells = cells.collect::<io::Result<Vec<OwnedCell>>>()?;
    for cell in &cells {
        cell.shown(&mut each);
    }
    Ok(())
}

/// A value taken out of a line.
enum OwnedCell {
    Absent,
    Text(String),
    Count(u64),
    Share(f64),
    Flag(bool),
    Texts(Vec<String>),
    Passages(Vec<Passage>),
}

impl OwnedCell {
    fn new(column: &Column, value: Option<Json>) -> io::Result<Self> {
        let wrong = || {
            let message = format!("column `{}` has no value of its kind", column.name);
            io::Error::new(io::ErrorKind::InvalidData, message)
        };
        let Some(value) = value else {
            return match column.kind {
                _ if column.is_optional => Ok(Self::Absent),
                _ if !column.is_left_out_if_empty => Err(wrong()),
                ColumnType::Text => Ok(Self::Text(String::new())),
                ColumnType::Count => Ok(Self::Count(0)),
                ColumnType::Share => Ok(Self::Share(0.0)),
                ColumnType::Flag => Ok(Self::Flag(false)),
                ColumnType::Texts => Ok(Self::Texts(Vec::new())),
                ColumnType::Passages => Ok(Self::Passages(Vec::new())),
            };
        };
        let cell = match (column.kind, value) {
            (ColumnType::Text, Json::String(text)) => Some(Self::Text(text)),
            // Several numbers are one text outside of JSON.
            (ColumnType::Text, Json::Array(numbers)) => {
                let numbers = numbers.iter().map(|number| number.as_u64().map(|n| n.to_string()));
                numbers.collect::<Option<Vec<String>>>().map(|n| Self::Text(n.join(" ")))
            }
            (ColumnType::Count, value) => value.as_u64().map(Self::Count),
            (ColumnType::Share, value) => value.as_f64().map(Self::Share),
            (ColumnType::Flag, value) => value.as_bool().map(Self::Flag),
            (ColumnType::Texts, value) => serde_json::from_value(value).ok().map(Self::Texts),
            (ColumnType::Passages, value) => serde_json::from_value(value).ok().map(Self::Passages),
            (ColumnType::Text, _) => None,
        };
        cell.ok_or_else(wrong)
    }

    fn shown(&self, each: &mut impl FnMut(&Value<'_>)) {
        match self {
            Self::Absent => each(&Value::Absent),
            Self::Text(text) => each(&Value::Text(text)),
            Self::Count(count) => each(&Value::Count(*count)),
            Self::Share(share) => each(&Value::Share(*share)),
            Self::Flag(flag) => each(&Value::Flag(*flag)),
            Self::Texts(texts) => {
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                each(&Value::Texts(&texts));
            }
            Self::Passages(passages) => each(&Value::Passages(passages)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Clusters, Documents, Table};
    use super::*;

    fn written(columns: &'static [Column], line: &str, format: TableFormat) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut writer = StoredWriter::new(&mut out, columns, format)?;
        writer.push(line.as_bytes())?;
        writer.finish()?;
        Ok(out)
    }

    #[test]
    fn what_json_leaves_out_is_put_back_and_formulas_are_guarded() {
        let line = r#"{"id":"=1+1","file":"f","record":0,"n_words":5,"verdict":"copy","cluster":3,"clusters":[3,7],"n_pairs":2,"n_partial":0}"#;
        let csv = written(Documents::COLUMNS, line, TableFormat::Csv).expect("the line is right");
        let csv = String::from_utf8(csv).expect("CSV is UTF-8");
        assert_eq!(csv.lines().nth(1), Some("'=1+1,f,0,5,copy,3,3 7,,,2,false,0,,,false,,,"));
    }

    #[test]
    fn a_line_of_another_table_is_an_error_not_a_panic() {
        for line in ["", "[]", "{}", r#"{"id":"text"}"#, r#"{"id":-1}"#] {
            for format in [TableFormat::Csv, TableFormat::Parquet] {
                let error = written(Clusters::COLUMNS, line, format).expect_err("no cluster");
                assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{line}");
            }
        }
    }
}
