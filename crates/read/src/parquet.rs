//! Parquet: a row is a document, columns are its fields.
//!
//! Only the columns that are needed are decoded, some rows at a time. The library trusts what stands
//! in the file, so sizes and counts are checked before it sees them: the footer here, pages in
//! `pages`. Strings are taken as views into the pages, so that a row that repeats an entry of a
//! dictionary costs nothing until it is a document, and documents are counted against the size of
//! the file. A panic of the library becomes a bad record.

mod delta;
mod header;
mod pages;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{DataType, Field, Fields, SchemaRef, TimeUnit};
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData, ParquetMetaDataReader};
use retold_core::document::Document;

use crate::access::Access;
use crate::bad::{Fault, quoted};
use crate::fields::{Gathered, Use};
use crate::format::{Context, Input, Opened, Spec};
use crate::options::Limits;
use crate::pack::{Documents, Packed};
use crate::parquet::pages::{Bounds, Checked};
use crate::quiet::quietly;
use crate::text::too_large;

pub(crate) static SPEC: Spec = Spec {
    endings: &["parquet"],
    input: Input::Positions,
    is_collection: true,
    shows: |look| look.bytes.starts_with(b"PAR1"),
    open: |opened| Box::new(Packed::new(Rows::new(opened))),
};

/// Rows decoded at a time.
const BATCH_ROWS: usize = 256;
/// The same where strings are stored by prefixes: each may be as long as its page.
const PREFIX_ROWS: usize = 4;
/// Bytes that values of a fixed length may take in a batch.
const FIXED_BYTES: usize = 16 << 20;
/// Largest footer. What it becomes in memory is many times that.
const FOOTER_BYTES: u64 = 16 << 20;
/// What a row counts beside its values.
const ROW_BYTES: u64 = 64;
/// Bytes of documents below which no ratio is looked at.
const RATIO_FROM: u64 = 16 << 20;

/// The rows of a file, some at a time.
pub(crate) struct Batches {
    reader: ParquetRecordBatchReader,
    metadata: Arc<ParquetMetaData>,
    /// What each column is needed for.
    uses: Vec<Use>,
    ratio: u64,
    /// Bytes that documents still may take.
    left: u64,
    is_over: bool,
}

impl Batches {
    /// Opens a file with all columns, or only with those that documents are made of.
    pub(crate) fn open(access: Access, context: &Context, is_all: bool) -> Result<Self, String> {
        let open = || Self::open_unguarded(access, context, is_all);
        match quietly(|| catch_unwind(AssertUnwindSafe(open))) {
            Ok(result) => result.map_err(|error| format!("is broken Parquet: {error}")),
            Err(_) => Err("is broken Parquet: its sizes contradict each other".to_owned()),
        }
    }

    fn open_unguarded(access: Access, context: &Context, is_all: bool) -> Result<Self, String> {
        let limits = context.limits();
        let footer = footer(&access)?;
        header::look_over(&footer)?;
        let metadata = ParquetMetaDataReader::decode_metadata(&footer).map_err(said)?;
        let schema = metadata.file_metadata().schema_descr();
        // What the footer says of the types of another program is not asked: it may be a lie too.
        let fields = parquet_to_arrow_schema(schema, None).map_err(said)?.fields;
        let fields: Fields = fields.iter().map(|field| as_view(field)).collect();
        let needs = |field: &Field| {
            !context.names.column(field.name()).is_nothing() && is_plain(field.data_type())
        };
        let roots = fields.iter().enumerate().filter(|(_, field)| is_all || needs(field));
        let mask = ProjectionMask::roots(schema, roots.map(|(root, _)| root).collect::<Vec<_>>());
        let n_rows = batch_rows(&metadata, &mask, limits)?;
        let levels = parquet_to_arrow_field_levels(schema, mask, Some(&fields)).map_err(said)?;
        let file_bytes = access.bytes();
        let metadata = Arc::new(metadata);
        let bounds = Arc::new(Bounds::new(limits, file_bytes));
        let checked = Checked { access, metadata: Arc::clone(&metadata), bounds };
        let reader =
            ParquetRecordBatchReader::try_new_with_row_groups(&levels, &checked, n_rows, None)
                .map_err(said)?;
        let uses = |field: &Arc<Field>| context.names.column(field.name());
        let uses = reader.schema().fields().iter().map(uses).collect();
        let ratio = limits.ratio.saturating_mul(10);
        let left = file_bytes.saturating_mul(ratio).max(RATIO_FROM);
        Ok(Self { reader, metadata, uses, ratio, left, is_over: false })
    }

    /// Returns the columns.
    pub(crate) fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }

    /// Returns what stands in the footer beside the data.
    pub(crate) fn key_values(&self) -> Option<Vec<KeyValue>> {
        self.metadata.file_metadata().key_value_metadata().cloned()
    }

    /// Returns what each column is needed for.
    pub(crate) fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// Returns the next rows, or the reason why there are none.
    pub(crate) fn next(&mut self) -> Option<Result<RecordBatch, String>> {
        const CANNOT: &str = "the rest cannot be read";
        if self.is_over {
            return Some(Err(format!(
                "{CANNOT}: its rows take more than {} times its size (`ratio`)",
                self.ratio
            )));
        }
        match quietly(|| catch_unwind(AssertUnwindSafe(|| self.reader.next()))) {
            Ok(None) => None,
            Ok(Some(Ok(batch))) => {
                let n_rows = self.affordable(&batch);
                self.is_over = n_rows < batch.num_rows();
                Some(Ok(batch.slice(0, n_rows)))
            }
            Ok(Some(Err(error))) => Some(Err(format!("{CANNOT}: {error}"))),
            Err(_) => Some(Err(format!("{CANNOT}: its sizes contradict each other"))),
        }
    }

    /// Returns how many of the rows may become documents.
    ///
    /// Rows are counted one by one, so that the answer is the same with all columns and with few.
    fn affordable(&mut self, batch: &RecordBatch) -> usize {
        for row in 0..batch.num_rows() {
            let columns = batch.columns().iter().zip(&self.uses);
            let used = columns.filter(|(_, used)| !used.is_nothing());
            let bytes = used.map(|(column, _)| value_bytes(column.as_ref(), row)).sum::<u64>();
            match self.left.checked_sub(bytes.saturating_add(ROW_BYTES)) {
                Some(left) => self.left = left,
                None => return row,
            }
        }
        batch.num_rows()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn said(error: ParquetError) -> String {
    error.to_string()
}

/// Reads the footer: at the end stand its length and the name of the format.
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

/// Returns how many rows are decoded at a time.
fn batch_rows(
    metadata: &ParquetMetaData,
    mask: &ProjectionMask,
    limits: &Limits,
) -> Result<usize, String> {
    let schema = metadata.file_metadata().schema_descr();
    let mut n_rows = BATCH_ROWS;
    for leaf in (0..schema.num_columns()).filter(|&leaf| mask.leaf_included(leaf)) {
        let fixed = usize::try_from(schema.column(leaf).type_length()).unwrap_or(0);
        if fixed as u64 > limits.document_bytes {
            return Err(too_large(limits.document_bytes));
        }
        n_rows = n_rows.min((FIXED_BYTES / fixed.max(1)).max(1));
        let mut columns = metadata.row_groups().iter().filter_map(|it| it.columns().get(leaf));
        if columns.any(|column| column.encodings_mask().is_set(Encoding::DELTA_BYTE_ARRAY)) {
            n_rows = n_rows.min(PREFIX_ROWS);
        }
    }
    Ok(n_rows)
}

/// Returns a field with strings as views.
fn as_view(field: &Field) -> Field {
    let kind = match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::List(item) => DataType::List(Arc::new(as_view(item))),
        DataType::Map(entries, is_sorted) => DataType::Map(Arc::new(as_view(entries)), *is_sorted),
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|field| as_view(field)).collect())
        }
        other => other.clone(),
    };
    field.clone().with_data_type(kind)
}

/// Returns whether [`value`] can write values of a type.
fn is_plain(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Utf8View
            | DataType::BinaryView
            | DataType::Int32
            | DataType::Int64
            | DataType::Float64
            | DataType::Date32
            | DataType::Timestamp(_, _)
    )
}

/// Returns the bytes of a string; 0 for other values.
fn value_bytes(column: &dyn Array, row: usize) -> u64 {
    if column.is_null(row) {
        return 0;
    }
    match column.data_type() {
        DataType::Utf8View => column.as_string_view().value(row).len() as u64,
        DataType::BinaryView => column.as_binary_view().value(row).len() as u64,
        _ => 0,
    }
}

struct Rows {
    context: Arc<Context>,
    batches: Option<Batches>,
    batch: Option<RecordBatch>,
    row: usize,
    /// Why there is nothing to read.
    fault: Option<String>,
}

impl Rows {
    fn new(opened: Opened) -> Self {
        let context = opened.context;
        let access = opened.access.ok_or_else(|| "cannot be read by position".to_owned());
        let batches = access.and_then(|access| Batches::open(access, &context, false));
        let (batches, fault) = match batches {
            Err(reason) => (None, Some(reason)),
            Ok(batches) if batches.uses().iter().any(|used| used.is_text()) => {
                (Some(batches), None)
            }
            Ok(batches) => {
                let names = context.names.texts();
                let schema = batches.metadata.file_metadata().schema();
                let mut columns = schema.get_fields().iter().map(|column| column.name());
                let reason = match columns.find(|name| context.names.is_column(name)) {
                    Some(name) => {
                        format!("the text must be a string, column {} is not", quoted(name))
                    }
                    None => format!("no column is named {names}"),
                };
                (None, Some(reason))
            }
        };
        Self { context, batches, batch: None, row: 0, fault }
    }
}

impl Documents for Rows {
    fn next(&mut self) -> Option<Result<Document, Fault>> {
        if let Some(reason) = self.fault.take() {
            return Some(Err(Fault::rest(None, reason)));
        }
        loop {
            let batches = self.batches.as_mut()?;
            if let Some(batch) = &self.batch
                && self.row < batch.num_rows()
            {
                let row = self.row;
                self.row += 1;
                let document = document(batch, row, batches.uses(), &self.context);
                return Some(document.map_err(|reason| Fault {
                    record: Some(0),
                    offset: None,
                    reason,
                }));
            }
            match batches.next()? {
                Ok(batch) => (self.batch, self.row) = (Some(batch), 0),
                Err(reason) => {
                    (self.batch, self.batches) = (None, None);
                    return Some(Err(Fault::rest(None, reason)));
                }
            }
        }
    }
}

pub(crate) fn document(
    batch: &RecordBatch,
    row: usize,
    columns: &[Use],
    context: &Context,
) -> Result<Document, String> {
    let mut gathered = Gathered::new();
    for (column, &used) in batch.columns().iter().zip(columns) {
        if used.is_nothing() || !gathered.wants(used) || column.is_null(row) {
            continue;
        }
        // A column of another type is as good as none.
        if value_bytes(column.as_ref(), row) > context.limits().document_bytes {
            return Err(too_large(context.limits().document_bytes));
        }
        match value(column.as_ref(), row) {
            Some(value) => gathered.put(used, value),
            None if used.is_text() && is_plain(column.data_type()) => {
                return Err("the text is not UTF-8".to_owned());
            }
            None => {}
        }
    }
    gathered.finish(&context.names)
}

/// Returns a value as text; `None` for types that have no plain one.
fn value(column: &dyn Array, row: usize) -> Option<String> {
    Some(match column.data_type() {
        DataType::Utf8View => column.as_string_view().value(row).to_owned(),
        // Some writers leave the mark for strings out.
        DataType::BinaryView => {
            std::str::from_utf8(column.as_binary_view().value(row)).ok()?.to_owned()
        }
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).to_string(),
        DataType::Date32 => date(column.as_primitive::<Date32Type>().value(row).into()),
        DataType::Timestamp(unit, _) => {
            let ticks = *column.to_data().buffer::<i64>(0).get(row)?;
            timestamp(ticks, *unit)
        }
        _ => return None,
    })
}

/// Writes a day, counted from 1970, as `2011-03-21`.
///
/// The civil calendar from days, after Hinnant: eras of 400 years that begin in March.
fn date(days: i64) -> String {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Writes a time, counted from 1970 in UTC, as `2011-03-21T12:00:00Z`.
fn timestamp(ticks: i64, unit: TimeUnit) -> String {
    let per_second = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    let seconds = ticks.div_euclid(per_second);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    format!("{}T{:02}:{:02}:{:02}Z", date(days), second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_times_are_written_as_people_write_them() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(-1), "1969-12-31");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(timestamp(1_300_708_800_123, TimeUnit::Millisecond), "2011-03-21T12:00:00Z");
    }
}
