//! Tables of results as Arrow data, with the columns of the files that the command line writes.

use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, ListBuilder, StringBuilder, StructBuilder, UInt32Builder,
    UInt64Builder,
};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader as _};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use retold::Passage;
use retold_report::table::{Cell, Column, ColumnType, RowVisitor, Table as TableOf, rounded};

use crate::capsule::{schema_capsule, stream_capsule, stream_of};
use crate::errors::{InternalError, usage};

/// Rows of a record batch, at most.
const BATCH_ROWS: usize = 1 << 16;
/// Bytes of texts after which a batch ends: offsets of a column have 31 bits.
const BATCH_BYTES: usize = 1 << 28;
/// The numbers of a passage. [`AGREES`] follows.
const PASSAGE: [&str; 7] = ["a_start", "a_end", "b_start", "b_end", "words", "differ", "moved"];
/// Says how a passage agrees.
const AGREES: &str = "agrees";

/// A table being filled row by row.
pub(crate) struct Filling<T> {
    schema: SchemaRef,
    values: Values,
    n_rows: usize,
    batches: Vec<RecordBatch>,
    table: PhantomData<fn() -> T>,
}

/// The values of the batch under way.
struct Values {
    builders: Vec<Builder>,
    at: usize,
    n_bytes: usize,
}

enum Builder {
    Text(StringBuilder),
    Count(UInt64Builder),
    Share(Float64Builder),
    Flag(BooleanBuilder),
    Texts(ListBuilder<StringBuilder>),
    Passages(ListBuilder<StructBuilder>),
}

fn passage_fields() -> Fields {
    let mut fields = PASSAGE.map(|name| Field::new(name, DataType::UInt32, false)).to_vec();
    fields.push(Field::new(AGREES, DataType::Utf8, false));
    fields.into()
}

fn item(kind: DataType) -> Field {
    Field::new("item", kind, false)
}

fn data_type(column: &Column) -> DataType {
    match column.kind {
        ColumnType::Text => DataType::Utf8,
        ColumnType::Count => DataType::UInt64,
        ColumnType::Share => DataType::Float64,
        ColumnType::Flag => DataType::Boolean,
        ColumnType::Texts => DataType::List(Arc::new(item(DataType::Utf8))),
        ColumnType::Passages => DataType::List(Arc::new(item(DataType::Struct(passage_fields())))),
    }
}

impl Builder {
    fn new(column: &Column) -> Self {
        match column.kind {
            ColumnType::Text => Self::Text(StringBuilder::new()),
            ColumnType::Count => Self::Count(UInt64Builder::new()),
            ColumnType::Share => Self::Share(Float64Builder::new()),
            ColumnType::Flag => Self::Flag(BooleanBuilder::new()),
            ColumnType::Texts => {
                Self::Texts(ListBuilder::new(StringBuilder::new()).with_field(item(DataType::Utf8)))
            }
            ColumnType::Passages => {
                let fields = passage_fields();
                let kind = DataType::Struct(fields.clone());
                let passages = StructBuilder::from_fields(fields, 0);
                Self::Passages(ListBuilder::new(passages).with_field(item(kind)))
            }
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Count(builder) => Arc::new(builder.finish()),
            Self::Share(builder) => Arc::new(builder.finish()),
            Self::Flag(builder) => Arc::new(builder.finish()),
            Self::Texts(builder) => Arc::new(builder.finish()),
            Self::Passages(builder) => Arc::new(builder.finish()),
        }
    }

    /// Appends a value; one that does not fit its column is null, and a column that may not be null
    /// refuses it at the end.
    fn push(&mut self, cell: Cell<'_>, n_bytes: &mut usize) {
        let mut text = |builder: &mut StringBuilder, text: &str| {
            *n_bytes += text.len();
            builder.append_value(text);
        };
        match (self, cell) {
            (Self::Text(builder), Cell::Text(value) | Cell::Name(value)) => text(builder, value),
            (Self::Text(builder), Cell::Counts(counts)) => {
                let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
                text(builder, &counts.join(" "));
            }
            (Self::Text(builder), _) => builder.append_null(),
            (Self::Count(builder), Cell::Count(count)) => builder.append_value(count),
            (Self::Count(builder), _) => builder.append_null(),
            (Self::Share(builder), Cell::Share(share)) => builder.append_value(rounded(share)),
            (Self::Share(builder), _) => builder.append_null(),
            (Self::Flag(builder), Cell::Flag(flag)) => builder.append_value(flag),
            (Self::Flag(builder), _) => builder.append_null(),
            (Self::Texts(builder), Cell::Texts(texts)) => {
                for value in texts {
                    text(builder.values(), value);
                }
                builder.append(true);
            }
            (Self::Texts(builder), _) => builder.append(false),
            (Self::Passages(builder), Cell::Passages(passages)) => {
                let values = builder.values();
                for passage in passages {
                    let Passage { a, b, words, differ, moved } = *passage;
                    let numbers = [a.start, a.end, b.start, b.end, words, differ, moved];
                    for (at, number) in numbers.into_iter().enumerate() {
                        let field = values.field_builder::<UInt32Builder>(at);
                        field.expect("the first fields are numbers").append_value(number);
                    }
                    let agrees = passage.agreement().name();
                    let field = values.field_builder::<StringBuilder>(PASSAGE.len());
                    field.expect("the last field is text").append_value(agrees);
                    values.append(true);
                    *n_bytes += PASSAGE.len() * size_of::<u32>() + agrees.len();
                }
                builder.append(true);
            }
            (Self::Passages(builder), _) => builder.append(false),
        }
    }
}

impl RowVisitor for Values {
    fn visit(&mut self, _: &'static Column, cell: Cell<'_>) {
        self.builders[self.at].push(cell, &mut self.n_bytes);
        self.at += 1;
    }
}

impl<T: TableOf> Filling<T> {
    pub(crate) fn new() -> Self {
        let fields = T::COLUMNS
            .iter()
            .map(|column| Field::new(column.name, data_type(column), column.is_optional));
        let schema = Arc::new(Schema::new(fields.collect::<Fields>()));
        let builders = T::COLUMNS.iter().map(Builder::new).collect();
        let values = Values { builders, at: 0, n_bytes: 0 };
        Self { schema, values, n_rows: 0, batches: Vec::new(), table: PhantomData }
    }

    pub(crate) fn push(&mut self, row: &T::Row<'_>) -> Result<(), retold::Error> {
        self.values.at = 0;
        T::visit(row, &mut self.values);
        self.n_rows += 1;
        if self.n_rows == BATCH_ROWS || self.values.n_bytes >= BATCH_BYTES {
            self.end_batch()?;
        }
        Ok(())
    }

    fn end_batch(&mut self) -> Result<(), retold::Error> {
        let columns = self.values.builders.iter_mut().map(Builder::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        self.batches.push(batch.map_err(|error| retold::Error::Internal(error.to_string()))?);
        (self.n_rows, self.values.n_bytes) = (0, 0);
        Ok(())
    }

    /// Returns the table and begins a new one.
    pub(crate) fn finish(&mut self) -> Result<Table, retold::Error> {
        if self.n_rows > 0 {
            self.end_batch()?;
        }
        Ok(Table::new(Arc::clone(&self.schema), std::mem::take(&mut self.batches)))
    }
}

/// A table of results.
#[pyclass(frozen, module = "retold._retold")]
#[derive(Clone)]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Arc<[RecordBatch]>,
}

impl Table {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches: batches.into() }
    }

    /// Returns its schema and its rows.
    pub(crate) fn parts(&self) -> (&SchemaRef, &[RecordBatch]) {
        (&self.schema, &self.batches)
    }

    /// Returns the batch that a row is in, and its place there.
    fn find(&self, mut row: usize) -> Option<(&RecordBatch, usize)> {
        for batch in self.batches.iter() {
            if row < batch.num_rows() {
                return Some((batch, row));
            }
            row -= batch.num_rows();
        }
        None
    }
}

#[pymethods]
impl Table {
    /// Reads a table from an Arrow stream.
    #[staticmethod]
    fn of_stream(stream: &Bound<'_, PyAny>) -> PyResult<Self> {
        let reader = stream_of(stream)?;
        let schema = reader.schema();
        let batches = reader.collect::<Result<_, _>>().map_err(usage)?;
        Ok(Self::new(schema, batches))
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// One row as a dictionary.
    fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyDict>> {
        let (batch, row) =
            self.find(row).ok_or_else(|| PyIndexError::new_err("the table has no such row"))?;
        let values = PyDict::new(py);
        for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
            values.set_item(field.name(), value(py, column, row)?)?;
        }
        Ok(values)
    }

    /// The values of one column.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let at = self.schema.index_of(name).map_err(usage)?;
        let values = PyList::empty(py);
        for batch in self.batches.iter() {
            for row in 0..batch.num_rows() {
                values.append(value(py, batch.column(at), row)?)?;
            }
        }
        Ok(values)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish that may be left unanswered, by the rules of the interface.
        drop(requested_schema);
        let batches: Vec<RecordBatch> = self.batches.to_vec();
        let batches = RecordBatchIterator::new(batches.into_iter().map(Ok), self.schema.clone());
        stream_capsule(py, Box::new(batches))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }
}

/// Returns one value as Python has it.
fn value<'py>(py: Python<'py>, array: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    match array.data_type() {
        DataType::Utf8 => Ok(array.as_string::<i32>().value(row).into_pyobject(py)?.into_any()),
        DataType::UInt64 => {
            Ok(array.as_primitive::<UInt64Type>().value(row).into_pyobject(py)?.into_any())
        }
        DataType::UInt32 => {
            Ok(array.as_primitive::<UInt32Type>().value(row).into_pyobject(py)?.into_any())
        }
        DataType::Float64 => {
            Ok(array.as_primitive::<Float64Type>().value(row).into_pyobject(py)?.into_any())
        }
        DataType::Boolean => {
            Ok(array.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any())
        }
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            let values = PyList::empty(py);
            for row in 0..items.len() {
                values.append(value(py, &items, row)?)?;
            }
            Ok(values.into_any())
        }
        DataType::Struct(fields) => {
            let values = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                values.set_item(field.name(), value(py, column, row)?)?;
            }
            Ok(values.into_any())
        }
        other => Err(InternalError::new_err(format!("a table has a column of {other}"))),
    }
}
