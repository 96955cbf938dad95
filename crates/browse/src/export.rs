//! Rows as files: JSON Lines, CSV and Parquet.

use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;

use retold_report::TableFormat;
use retold_report::table::StoredWriter;

use crate::browser::{Browser, Row};
use crate::error::BrowseError;
use crate::page::Question;
use crate::table::ResultTable;

/// Rows after which the caller is asked whether to go on.
const ROWS_A_LOOK: u64 = 1024;

/// Which rows are exported, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportRequest {
    /// Which rows pass. The default is empty: all of them.
    pub filter: String,
    /// A name by which rows are sorted, as in [`PageRequest::sort`](crate::PageRequest::sort).
    pub sort: String,
    /// How they are written. The default is JSON Lines.
    pub format: TableFormat,
}

/// Why rows were not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The rows cannot be had.
    #[error(transparent)]
    Browse(#[from] BrowseError),
    /// The writer that was given failed.
    #[error("cannot write the rows: {0}")]
    Write(#[source] io::Error),
}

impl Browser {
    /// Writes all rows of a table that a filter lets pass; returns how many there are.
    ///
    /// Rows are read one after the other; of Parquet a group of at most 64 MiB is held. `progress` is
    /// told how many rows were written and may ask to stop.
    pub fn export(
        &self,
        table: ResultTable,
        request: &ExportRequest,
        out: impl Write + Send,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<u64, ExportError> {
        let question = Question::parse(table, &request.filter, &request.sort)?;
        let passing = self.matching(table, &question.filter)?;
        let rows = self.ordered(table, question.sort, &passing, None, usize::MAX)?;
        let mut writer = Writer::new(table, request.format, out)?;
        for (n, row) in (0..).zip(&rows) {
            if n % ROWS_A_LOOK == 0 && progress(n).is_break() {
                return Err(BrowseError::Stopped.into());
            }
            let row = self.read_row(table, *row as usize)?;
            writer.push(self, &row)?;
        }
        writer.finish()?;
        Ok(rows.len() as u64)
    }

    /// Writes rows of a table, such as those of a page.
    pub fn write_rows(
        &self,
        table: ResultTable,
        rows: &[Row],
        format: TableFormat,
        out: impl Write + Send,
    ) -> Result<(), ExportError> {
        let mut writer = Writer::new(table, format, out)?;
        rows.iter().try_for_each(|row| writer.push(self, row))?;
        writer.finish()
    }
}

struct Writer<W: Write + Send> {
    table: ResultTable,
    writer: StoredWriter<BufWriter<W>>,
}

impl<W: Write + Send> Writer<W> {
    fn new(table: ResultTable, format: TableFormat, out: W) -> Result<Self, ExportError> {
        let writer = StoredWriter::new(BufWriter::new(out), table.columns(), format);
        Ok(Self { table, writer: writer.map_err(ExportError::Write)? })
    }

    fn push(&mut self, browser: &Browser, row: &Row) -> Result<(), ExportError> {
        self.writer.push(row.line.as_bytes()).map_err(|error| {
            let file = browser.files.table(self.table).map(|(path, _, _)| path.to_owned());
            match (error.kind(), file) {
                (io::ErrorKind::InvalidData, Some(file)) => {
                    let (line, reason) =
                        (row.number + 1, format!("not as it was written: {error}"));
                    BrowseError::Line { file, line, reason }.into()
                }
                _ => ExportError::Write(error),
            }
        })
    }

    fn finish(self) -> Result<(), ExportError> {
        self.writer.finish().map_err(ExportError::Write)
    }
}
