//! Tables: pairs, documents, clusters and removals as JSON Lines, CSV or Parquet.
//!
//! A table is described once, by a [`Table`]: its name, and its columns with what they mean and
//! how their values are taken from a row. The three formats are written from that description, so
//! a column has the same name and the same value in each of them. `docs/tables.md` is made from it
//! too.
//!
//! JSON Lines is the default and the hot path: a run over millions of documents writes millions
//! of rows. Worker threads may encode lines themselves ([`TableWriter::encode`]) and hand over
//! whole blocks ([`TableWriter::push_encoded`]); the writer only copies bytes.

mod cell;
mod clusters;
mod columns;
mod csv_file;
mod documents;
mod json;
mod pairs;
mod parquet_file;
mod removals;
mod stored;
#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::marker::PhantomData;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use cell::Cell;
pub use clusters::{ClusterRow, Clusters, ClustersWriter};
pub use columns::{Column, ColumnType, RowVisitor, Value};
pub use documents::{DocumentRow, Documents, DocumentsWriter, Verdict};
pub use json::rounded;
pub use pairs::{PairFields, PairRow, Pairs, PairsWriter};
pub use removals::{RemovalRow, Removals, RemovalsWriter};
pub use stored::StoredWriter;

use cell::Cells;
use csv_file::CsvFile;
use json::JsonLine;
use parquet_file::ParquetFile;

/// Bytes held back before a write reaches the file.
const BUFFER_BYTES: usize = 1 << 18;

/// How tables are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableFormat {
    /// One JSON object a line.
    #[default]
    Jsonl,
    /// Comma-separated values with a header line.
    Csv,
    /// Parquet, compressed with Zstandard.
    Parquet,
}

impl TableFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Jsonl, Self::Csv, Self::Parquet];

    /// Returns the name used in flags and as the ending of file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }

    /// Returns the file name of a table: `pairs.jsonl`.
    pub fn file_name(self, table: &str) -> String {
        format!("{table}.{}", self.name())
    }
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A table format that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("format must be jsonl, csv or parquet, got `{0}`")]
pub struct UnknownFormat(pub String);

impl FromStr for TableFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// What a table is: a name, columns, and how their values are taken from a row.
pub trait Table {
    /// A row, borrowed from whoever has the data.
    type Row<'a>;

    /// Name of the table: the file is `NAME.jsonl`, `NAME.csv` or `NAME.parquet`.
    const NAME: &'static str;

    /// What a row stands for, as the end of a sentence: `a verified pair of documents`.
    const HELP: &'static str;

    /// The columns, in the order of all formats.
    const COLUMNS: &'static [Column];

    /// Shows `visitor` the values of `row`, in the order of [`COLUMNS`](Self::COLUMNS).
    fn visit(row: &Self::Row<'_>, visitor: &mut impl RowVisitor);

    /// Appends `row` as one line of JSON, line feed included.
    fn encode(row: &Self::Row<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        Self::visit(row, &mut JsonLine { out });
        // Each key has a comma in front; the first one becomes the opening brace.
        out[start] = b'{';
        out.extend_from_slice(b"}\n");
    }
}

/// Writes one table into one file.
pub struct TableWriter<T: Table> {
    sink: Sink,
    n_rows: u64,
    line: Vec<u8>,
    table: PhantomData<fn(T)>,
}

enum Sink {
    Jsonl(BufWriter<File>),
    Csv(Box<CsvFile<File>>),
    Parquet(Box<ParquetFile<File>>),
}

impl<T: Table> TableWriter<T> {
    /// Creates the table's file in `dir` under its usual name.
    pub fn create(dir: &Path, format: TableFormat) -> io::Result<Self> {
        Self::create_named(dir, T::NAME, format)
    }

    /// Creates the table's file in `dir` as `name` with the ending of `format`.
    pub fn create_named(dir: &Path, name: &str, format: TableFormat) -> io::Result<Self> {
        let file = File::create_new(dir.join(format.file_name(name)))?;
        let sink = match format {
            TableFormat::Jsonl => Sink::Jsonl(BufWriter::with_capacity(BUFFER_BYTES, file)),
            TableFormat::Csv => Sink::Csv(Box::new(CsvFile::create(file, T::COLUMNS)?)),
            TableFormat::Parquet => Sink::Parquet(Box::new(ParquetFile::create(file, T::COLUMNS)?)),
        };
        Ok(Self { sink, n_rows: 0, line: Vec::new(), table: PhantomData })
    }

    /// Appends one row.
    pub fn push(&mut self, row: &T::Row<'_>) -> io::Result<()> {
        match &mut self.sink {
            Sink::Jsonl(file) => {
                self.line.clear();
                T::encode(row, &mut self.line);
                file.write_all(&self.line)?;
            }
            Sink::Csv(file) => {
                T::visit(row, &mut Cells(|value: &Value<'_>| file.cell(value)));
                file.end_row()?;
            }
            Sink::Parquet(file) => {
                T::visit(row, &mut Cells(|value: &Value<'_>| file.cell(value)));
                file.end_row()?;
            }
        }
        self.n_rows += 1;
        Ok(())
    }

    /// Appends `row` to `out` as one line of JSON, line feed included.
    pub fn encode(row: &T::Row<'_>, out: &mut Vec<u8>) {
        T::encode(row, out);
    }

    /// Appends `n_rows` lines made by [`encode`](Self::encode).
    ///
    /// # Errors
    /// Fails if the table is not JSON Lines: the other formats have no lines to copy.
    pub fn push_encoded(&mut self, jsonl: &[u8], n_rows: u64) -> io::Result<()> {
        let Sink::Jsonl(file) = &mut self.sink else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "encoded lines can be appended to jsonl tables only; push rows instead",
            ));
        };
        file.write_all(jsonl)?;
        self.n_rows += n_rows;
        Ok(())
    }

    /// Returns the number of rows so far.
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// Writes what is held back and closes the file; returns the number of rows.
    ///
    /// A writer that is dropped instead leaves a file that may miss its end.
    pub fn finish(self) -> io::Result<u64> {
        match self.sink {
            Sink::Jsonl(mut file) => file.flush()?,
            Sink::Csv(file) => file.finish()?,
            Sink::Parquet(file) => file.finish()?,
        }
        Ok(self.n_rows)
    }
}
