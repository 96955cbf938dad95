//! Rows of a file, some at a time, of the columns that documents are made of.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parquet::basic::Encoding;
use parquet::column::reader::ColumnReader;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use crate::access::Access;
use crate::fields::Use;
use crate::format::Context;
use crate::options::Limits;
use crate::parquet::cells::{self, Cell, Kind};
use crate::parquet::header;
use crate::parquet::pages::CheckedFile;
use crate::quiet::quietly;
use crate::text::too_large;

/// Rows decoded at a time.
const BATCH_ROWS: usize = 256;
/// The same for strings that are stored without the prefix they share with the string before: a few
/// bytes of the page may stand for a string as long as the page.
const PREFIX_ROWS: usize = 4;
/// Bytes that values of a fixed length may take in a batch.
const FIXED_BYTES: usize = 16 << 20;
/// Largest footer. What it becomes in memory is many times that.
const FOOTER_BYTES: u64 = 16 << 20;
/// Bytes that a row counts for beside those of its values.
const ROW_BYTES: u64 = 64;
/// Bytes of documents up to which the ratio is not checked.
const RATIO_FROM: u64 = 16 << 20;

/// The rows of a file, some at a time.
pub(crate) struct Batches {
    file: CheckedFile,
    /// The columns that are read.
    columns: Vec<Column>,
    batch_rows: usize,
    /// Readers of the columns in the row group before `next_group`; none before the first.
    readers: Vec<ColumnReader>,
    next_group: usize,
    ratio: u64,
    /// Bytes that documents still may take.
    left: u64,
    is_over: bool,
}

/// A column that documents are made of.
struct Column {
    /// Index among the columns of the file that hold values, those inside groups included.
    leaf: usize,
    kind: Kind,
    used: Use,
}

/// Some rows of one row group.
pub(crate) struct Batch {
    pub(crate) group: usize,
    pub(crate) n_rows: usize,
    /// The cells of each column; there may be more of them than rows.
    columns: Vec<Vec<Cell>>,
}

impl Batch {
    /// Returns the cells of a row, in the order of [`Batches::uses`].
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = &Cell> {
        self.columns.iter().map(move |column| &column[row])
    }
}

impl Batches {
    /// Opens a file.
    pub(crate) fn open(access: Access, context: &Context) -> Result<Self, String> {
        let open = || Self::open_unguarded(access, context);
        match guarded(open) {
            Ok(result) => result.map_err(|error| format!("is broken Parquet: {error}")),
            Err(contradict) => Err(format!("is broken Parquet: {contradict}")),
        }
    }

    fn open_unguarded(access: Access, context: &Context) -> Result<Self, String> {
        let limits = context.limits();
        let footer = footer(&access)?;
        header::look_over(&footer)?;
        let metadata = ParquetMetaDataReader::decode_metadata(&footer);
        let metadata = Arc::new(metadata.map_err(|error| error.to_string())?);
        let schema = metadata.file_metadata().schema_descr();
        let mut columns = Vec::new();
        let mut n_rows = BATCH_ROWS;
        for leaf in 0..schema.num_columns() {
            let root = schema.get_column_root(leaf);
            let used = context.names.column(root.name());
            if let Some(kind) = Kind::of(root)
                && !used.is_nothing()
            {
                n_rows = n_rows.min(batch_rows(&metadata, leaf, limits)?);
                columns.push(Column { leaf, kind, used });
            }
        }
        let file = CheckedFile::new(access, metadata, limits);
        let ratio = limits.ratio.saturating_mul(10);
        let left = file.bytes().saturating_mul(ratio).max(RATIO_FROM);
        Ok(Self {
            file,
            columns,
            batch_rows: n_rows,
            readers: Vec::new(),
            next_group: 0,
            ratio,
            left,
            is_over: false,
        })
    }

    /// Returns what the footer says.
    pub(super) fn metadata(&self) -> &ParquetMetaData {
        self.file.metadata()
    }

    /// Returns what each column is needed for.
    pub(super) fn uses(&self) -> impl Iterator<Item = Use> {
        self.columns.iter().map(|column| column.used)
    }

    /// Returns the column of the file that holds the text of a row.
    pub(crate) fn text_leaf(&self, batch: &Batch, row: usize) -> Option<usize> {
        let mut best: Option<(u8, usize)> = None;
        for (cell, column) in batch.row(row).zip(&self.columns) {
            // As fields are gathered: the first name wins, and of equal ones the later column.
            if let Some(rank) = column.used.text_rank()
                && !matches!(cell, Cell::Absent)
                && best.is_none_or(|(best, _)| rank <= best)
            {
                best = Some((rank, column.leaf));
            }
        }
        best.map(|(_, leaf)| leaf)
    }

    /// Returns the file, to read all its columns beside these.
    pub(crate) fn again(&self, limits: &Limits) -> CheckedFile {
        self.file.again(limits)
    }

    /// Returns the next rows, or the reason why there are none.
    pub(crate) fn next(&mut self) -> Option<Result<Batch, String>> {
        const CANNOT: &str = "the rest cannot be read";
        if self.is_over {
            return Some(Err(format!(
                "{CANNOT}: its rows take more than {} times its size (`ratio`)",
                self.ratio
            )));
        }
        match guarded(|| self.next_unguarded()) {
            Ok(Ok(batch)) => {
                let mut batch = batch?;
                let n_rows = self.affordable(&batch);
                self.is_over = n_rows < batch.n_rows;
                batch.n_rows = n_rows;
                Some(Ok(batch))
            }
            Ok(Err(error)) => Some(Err(format!("{CANNOT}: {error}"))),
            Err(contradict) => Some(Err(format!("{CANNOT}: {contradict}"))),
        }
    }

    fn next_unguarded(&mut self) -> ParquetResult<Option<Batch>> {
        loop {
            let readers = self.readers.iter_mut().zip(&self.columns);
            let columns = readers
                .map(|(reader, column)| cells::read(reader, column.kind, self.batch_rows))
                .collect::<ParquetResult<Vec<_>>>()?;
            let n_rows = columns.first().map_or(0, Vec::len);
            if columns.iter().any(|column| column.len() != n_rows) {
                return Err(ParquetError::General("columns differ in length".to_owned()));
            }
            if n_rows > 0 {
                return Ok(Some(Batch { group: self.next_group - 1, n_rows, columns }));
            }
            if self.next_group == self.metadata().num_row_groups() {
                return Ok(None);
            }
            // The pages of the last row group are given back before those of the next are read.
            self.readers.clear();
            let open = |column: &Column| self.file.column(self.next_group, column.leaf);
            self.readers = self.columns.iter().map(open).collect::<ParquetResult<_>>()?;
            self.next_group += 1;
        }
    }

    /// Returns how many of the rows may become documents.
    fn affordable(&mut self, batch: &Batch) -> usize {
        for row in 0..batch.n_rows {
            let bytes = batch.row(row).map(Cell::text_bytes).sum::<u64>();
            match self.left.checked_sub(bytes.saturating_add(ROW_BYTES)) {
                Some(left) => self.left = left,
                None => return row,
            }
        }
        batch.n_rows
    }
}

/// Calls the library; a panic becomes a reason.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    quietly(|| catch_unwind(AssertUnwindSafe(call)))
        .map_err(|_| "its sizes contradict each other".to_owned())
}

/// Reads the footer. The last eight bytes of the file are its length and the name of the format.
fn footer(access: &Access) -> Result<Vec<u8>, String> {
    const TAIL: u64 = 8;
    let mut tail = [0; TAIL as usize];
    let end = access.bytes().checked_sub(TAIL).ok_or("it is too short")?;
    let cannot = |error: std::io::Error| error.to_string();
    access.read_exact_at(&mut tail, end).map_err(cannot)?;
    let (length, name) = tail.split_at(4);
    match name {
        b"PAR1" => {}
        b"PARE" => return Err("it is encrypted".to_owned()),
        _ => return Err("it does not end as Parquet does".to_owned()),
    }
    let length = u64::from(u32::from_le_bytes([length[0], length[1], length[2], length[3]]));
    if length > FOOTER_BYTES {
        return Err(format!("a footer of {length} bytes is longer than {FOOTER_BYTES}"));
    }
    let start = end.checked_sub(length).ok_or("its footer is longer than the file")?;
    let mut footer = vec![0; length as usize];
    access.read_exact_at(&mut footer, start).map_err(cannot)?;
    Ok(footer)
}

/// Returns how many rows of a column are decoded at a time.
pub(crate) fn batch_rows(
    metadata: &ParquetMetaData,
    leaf: usize,
    limits: &Limits,
) -> Result<usize, String> {
    let schema = metadata.file_metadata().schema_descr();
    let fixed = usize::try_from(schema.column(leaf).type_length()).unwrap_or(0);
    if fixed as u64 > limits.document_bytes {
        return Err(too_large(limits.document_bytes));
    }
    let mut columns = metadata.row_groups().iter().filter_map(|group| group.columns().get(leaf));
    if columns.any(|column| column.encodings_mask().is_set(Encoding::DELTA_BYTE_ARRAY)) {
        return Ok(PREFIX_ROWS);
    }
    Ok(BATCH_ROWS.min((FIXED_BYTES / fixed.max(1)).max(1)))
}
