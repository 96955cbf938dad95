//! Columns of tables as slices of values, and values as tables.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
};
use arrow_schema::{DataType, SchemaRef};
use arrow_select::concat::concat_batches;
use pyo3::prelude::*;
use retold::Error;
use retold::{Kind, Scores};

use crate::capsule::stream_of;
use crate::errors::usage;
use crate::tables::Table;

/// Takes the batches of a table of Python's.
pub(super) fn taken(stream: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    stream_of(stream)?.collect::<Result<_, _>>().map_err(usage)
}

/// Makes one batch of several.
pub(super) fn joined(batches: &[RecordBatch]) -> Result<Option<RecordBatch>, Error> {
    let Some(first) = batches.first() else { return Ok(None) };
    concat_batches(&first.schema(), batches).map(Some).map_err(|error| internal(&error))
}

fn internal(error: &impl ToString) -> Error {
    Error::Internal(error.to_string())
}

fn column<'b>(batch: &'b RecordBatch, name: &str, kind: &DataType) -> Result<&'b ArrayRef, Error> {
    let column = batch.column_by_name(name);
    let column = column.ok_or_else(|| Error::Internal(format!("there is no column `{name}`")))?;
    if column.data_type() != kind {
        let found = column.data_type();
        return Err(Error::Internal(format!("column `{name}` is {found}, not {kind}")));
    }
    Ok(column)
}

/// Returns a column of numbers.
pub(super) fn numbers<'b>(batch: &'b RecordBatch, name: &str) -> Result<&'b Int64Array, Error> {
    Ok(column(batch, name, &DataType::Int64)?.as_primitive::<Int64Type>())
}

/// Returns a column of small numbers.
pub(super) fn small<'b>(batch: &'b RecordBatch, name: &str) -> Result<&'b Int32Array, Error> {
    Ok(column(batch, name, &DataType::Int32)?.as_primitive::<Int32Type>())
}

/// Returns a column of shares.
pub(super) fn shares<'b>(batch: &'b RecordBatch, name: &str) -> Result<&'b Float64Array, Error> {
    Ok(column(batch, name, &DataType::Float64)?.as_primitive::<Float64Type>())
}

/// Returns a column of bytes.
pub(super) fn bytes<'b>(batch: &'b RecordBatch, name: &str) -> Result<&'b BinaryArray, Error> {
    Ok(column(batch, name, &DataType::Binary)?.as_binary::<i32>())
}

/// Returns the value of a row, unless it is null.
pub(super) fn at(array: &BinaryArray, row: usize) -> Option<&[u8]> {
    array.is_valid(row).then(|| array.value(row))
}

/// The columns in which a kind and scores lie.
pub(super) struct Said<'b> {
    kind: &'b Int32Array,
    scores: [&'b Float64Array; 3],
}

impl<'b> Said<'b> {
    pub(super) fn new(batch: &'b RecordBatch) -> Result<Self, Error> {
        Ok(Self {
            kind: small(batch, "kind")?,
            scores: [
                shares(batch, "exact_resemblance")?,
                shares(batch, "exact_a_in_b")?,
                shares(batch, "exact_b_in_a")?,
            ],
        })
    }

    pub(super) fn of(&self, row: usize) -> (Kind, Scores) {
        let kind = Kind::ALL[self.kind.value(row).unsigned_abs() as usize % Kind::ALL.len()];
        let [resemblance, a_in_b, b_in_a] = self
            .scores
            .map(|column| retold::stages::Score::new(column.value(row)).unwrap_or_default());
        (kind, Scores { resemblance, a_in_b, b_in_a })
    }
}

/// Kinds and scores on their way into columns.
#[derive(Default)]
pub(super) struct Saying {
    kind: Vec<i32>,
    scores: [Vec<f64>; 3],
}

impl Saying {
    pub(super) fn push(&mut self, kind: Kind, scores: Scores) {
        self.kind.push(kind as i32);
        let all = [scores.resemblance, scores.a_in_b, scores.b_in_a];
        for (column, score) in self.scores.iter_mut().zip(all) {
            column.push(score.get());
        }
    }

    pub(super) fn columns(self) -> Vec<(&'static str, ArrayRef)> {
        let [resemblance, a_in_b, b_in_a] = self.scores;
        vec![
            ("kind", Arc::new(Int32Array::from(self.kind))),
            ("exact_resemblance", Arc::new(Float64Array::from(resemblance))),
            ("exact_a_in_b", Arc::new(Float64Array::from(a_in_b))),
            ("exact_b_in_a", Arc::new(Float64Array::from(b_in_a))),
        ]
    }
}

/// Makes a column of numbers.
pub(super) fn long(values: Vec<i64>) -> ArrayRef {
    Arc::new(Int64Array::from(values))
}

/// Makes a column of small numbers.
pub(super) fn short(values: Vec<i32>) -> ArrayRef {
    Arc::new(Int32Array::from(values))
}

/// Makes a table of one batch.
pub(super) fn table(
    columns: impl IntoIterator<Item = (&'static str, ArrayRef)>,
) -> Result<Table, Error> {
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| internal(&error))?;
    let schema: SchemaRef = batch.schema();
    Ok(Table::new(schema, vec![batch]))
}

/// Returns the stretches of rows that have one value in a column.
pub(super) fn stretches(column: &Int64Array) -> Vec<std::ops::Range<usize>> {
    let values = column.values();
    let mut out = Vec::new();
    let mut start = 0;
    for same in values.chunk_by(|x, y| x == y) {
        out.push(start..start + same.len());
        start += same.len();
    }
    out
}
