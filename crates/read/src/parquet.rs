//! Parquet: a row is a document, columns are its fields.
//!
//! Only the columns that are needed are decoded, a row group at a time. The library trusts sizes
//! that stand in the file; a panic it answers a lie with is caught and becomes a bad record.

use std::io::{self, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{DataType, TimeUnit};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use retold_core::document::Document;

use crate::access::{Access, Section};
use crate::bad::{Fault, quoted};
use crate::fields::{Gathered, Use};
use crate::format::{Context, Input, Opened, Spec};
use crate::pack::{Documents, Packed};
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
pub(crate) const BATCH_ROWS: usize = 256;

impl Length for Access {
    fn len(&self) -> u64 {
        self.bytes()
    }
}

impl ChunkReader for Access {
    type T = BufReader<Section>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(self.section(start, u64::MAX)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        let fits = start.checked_add(length as u64).is_some_and(|end| end <= self.bytes());
        if !fits {
            return Err(ParquetError::EOF(format!(
                "{length} bytes from byte {start} lie outside the file"
            )));
        }
        let mut buffer = vec![0; length];
        self.read_exact_at(&mut buffer, start)
            .map_err(|error: io::Error| ParquetError::External(error.into()))?;
        Ok(buffer.into())
    }
}

/// Opens a file; returns its batches with all columns, or only with those that are needed.
pub(crate) fn batches(
    access: Access,
    wanted: Option<&dyn Fn(&str) -> bool>,
) -> Result<ParquetRecordBatchReader, String> {
    let open = || {
        let builder = ParquetRecordBatchReaderBuilder::try_new(access)?.with_batch_size(BATCH_ROWS);
        let builder = match wanted {
            None => builder,
            Some(wanted) => {
                let names = builder.schema().fields().iter().enumerate();
                let roots = names.filter(|(_, field)| wanted(field.name())).map(|(root, _)| root);
                let mask =
                    ProjectionMask::roots(builder.parquet_schema(), roots.collect::<Vec<_>>());
                builder.with_projection(mask)
            }
        };
        builder.build()
    };
    match quietly(|| catch_unwind(AssertUnwindSafe(open))) {
        Ok(result) => result.map_err(|error| format!("is broken Parquet: {error}")),
        Err(_) => Err("is broken Parquet: its sizes contradict each other".to_owned()),
    }
}

/// Returns the next batch, or the reason why there is none.
pub(crate) fn next_batch(
    reader: &mut ParquetRecordBatchReader,
) -> Option<Result<RecordBatch, String>> {
    match quietly(|| catch_unwind(AssertUnwindSafe(|| reader.next()))) {
        Ok(next) => {
            next.map(|batch| batch.map_err(|error| format!("the rest cannot be read: {error}")))
        }
        Err(_) => Some(Err("the rest cannot be read: its sizes contradict each other".to_owned())),
    }
}

struct Rows {
    context: Arc<Context>,
    reader: Option<ParquetRecordBatchReader>,
    batch: Option<RecordBatch>,
    row: usize,
    columns: Vec<Use>,
    /// Why there is nothing to read.
    fault: Option<String>,
}

impl Rows {
    fn new(opened: Opened) -> Self {
        let context = opened.context;
        let mut rows = Self {
            context: Arc::clone(&context),
            reader: None,
            batch: None,
            row: 0,
            columns: Vec::new(),
            fault: None,
        };
        let wanted = |name: &str| !context.names.column(name).is_nothing();
        let reader = opened.access.ok_or_else(|| "cannot be read by position".to_owned());
        match reader.and_then(|access| batches(access, Some(&wanted))) {
            Err(reason) => rows.fault = Some(reason),
            Ok(reader) => {
                let schema = reader.schema();
                rows.columns = schema
                    .fields()
                    .iter()
                    .map(|field| context.names.column(field.name()))
                    .collect();
                if rows.columns.iter().any(|used| used.is_text()) {
                    rows.reader = Some(reader);
                } else {
                    rows.fault = Some(format!("no column is named {}", context.names.texts()));
                }
            }
        }
        rows
    }
}

impl Documents for Rows {
    fn next(&mut self) -> Option<Result<Document, Fault>> {
        if let Some(reason) = self.fault.take() {
            self.reader = None;
            return Some(Err(Fault::rest(None, reason)));
        }
        loop {
            if let Some(batch) = &self.batch
                && self.row < batch.num_rows()
            {
                let row = self.row;
                self.row += 1;
                let document = document(batch, row, &self.columns, &self.context);
                return Some(document.map_err(|reason| Fault {
                    record: Some(0),
                    offset: None,
                    reason,
                }));
            }
            match next_batch(self.reader.as_mut()?)? {
                Ok(batch) => (self.batch, self.row) = (Some(batch), 0),
                Err(reason) => {
                    (self.batch, self.reader) = (None, None);
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
        match value(column.as_ref(), row) {
            Some(value) if value.len() as u64 > context.limits().document_bytes => {
                return Err(too_large(context.limits().document_bytes));
            }
            Some(value) => gathered.put(used, value),
            None if used.is_text() => {
                return Err(format!(
                    "the text must be a string, got {}",
                    quoted(&column.data_type().to_string())
                ));
            }
            None => {}
        }
    }
    gathered.finish(&context.names)
}

/// Returns a value as text; `None` for types that have no plain one.
fn value(column: &dyn Array, row: usize) -> Option<String> {
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).to_owned(),
        DataType::Utf8View => column.as_string_view().value(row).to_owned(),
        // Some writers leave the mark for strings out.
        DataType::Binary => {
            std::str::from_utf8(column.as_binary::<i32>().value(row)).ok()?.to_owned()
        }
        DataType::LargeBinary => {
            std::str::from_utf8(column.as_binary::<i64>().value(row)).ok()?.to_owned()
        }
        DataType::BinaryView => {
            std::str::from_utf8(column.as_binary_view().value(row)).ok()?.to_owned()
        }
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).to_string(),
        DataType::Dictionary(_, _) => {
            let dictionary = column.as_any_dictionary_opt()?;
            let key = *dictionary.normalized_keys().get(row)?;
            return value(dictionary.values().as_ref(), key);
        }
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
