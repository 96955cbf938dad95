//! A table as Parquet, compressed with Zstandard.
//!
//! Texts are UTF-8 strings, counts unsigned 64-bit integers, shares doubles rounded as in JSON;
//! lists of texts are `list<string>` and passages are
//! `list<struct<a_start, a_end, b_start, b_end, words, differ>>`, all unsigned 32-bit integers.

use std::fs::File;
use std::io;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, ListBuilder, StringBuilder, StructBuilder,
    UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use retold_core::relation::Passage;

use super::columns::{Column, ColumnType, Value};
use super::json::rounded;

/// Rows handed to the encoder at once.
const BATCH_ROWS: usize = 4096;

/// Encoded bytes after which a row group is closed, so that memory stays bounded.
const GROUP_BYTES: usize = 64 << 20;

/// Names of the numbers of a passage, in the order they are appended.
const PASSAGE_FIELDS: [&str; 6] = ["a_start", "a_end", "b_start", "b_end", "words", "differ"];

/// A Parquet file being written, one cell after the other.
pub(super) struct ParquetFile {
    file: ArrowWriter<File>,
    schema: SchemaRef,
    columns: Vec<Builder>,
    at: usize,
    n_held: usize,
}

enum Builder {
    Text(StringBuilder),
    Count(UInt64Builder),
    Share(Float64Builder),
    Flag(BooleanBuilder),
    Texts(ListBuilder<StringBuilder>),
    Passages(ListBuilder<StructBuilder>),
}

impl ParquetFile {
    /// Starts the file.
    pub(super) fn create(file: File, columns: &[Column]) -> io::Result<Self> {
        let fields: Vec<Field> = columns
            .iter()
            .map(|column| Field::new(column.name, data_type(column.kind), column.is_optional))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let level = ZstdLevel::try_new(3).map_err(of_parquet)?;
        let properties =
            WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
        let file = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))
            .map_err(of_parquet)?;
        let columns = columns.iter().map(|column| Builder::of(column.kind)).collect();
        Ok(Self { file, schema, columns, at: 0, n_held: 0 })
    }

    /// Adds a cell to the row.
    pub(super) fn cell(&mut self, value: &Value<'_>) {
        self.columns[self.at].append(value);
        self.at += 1;
    }

    /// Ends the row.
    pub(super) fn end_row(&mut self) -> io::Result<()> {
        debug_assert_eq!(self.at, self.columns.len(), "a row has a value for each column");
        self.at = 0;
        self.n_held += 1;
        if self.n_held == BATCH_ROWS { self.write_held() } else { Ok(()) }
    }

    /// Writes what is held back and the footer.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.write_held()?;
        self.file.close().map_err(of_parquet)?;
        Ok(())
    }

    fn write_held(&mut self) -> io::Result<()> {
        if self.n_held == 0 {
            return Ok(());
        }
        self.n_held = 0;
        let arrays = self.columns.iter_mut().map(Builder::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(of_arrow)?;
        self.file.write(&batch).map_err(of_parquet)?;
        if self.file.in_progress_size() > GROUP_BYTES {
            self.file.flush().map_err(of_parquet)?;
        }
        Ok(())
    }
}

impl Builder {
    fn of(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Text => Self::Text(StringBuilder::new()),
            ColumnType::Count => Self::Count(UInt64Builder::new()),
            ColumnType::Share => Self::Share(Float64Builder::new()),
            ColumnType::Flag => Self::Flag(BooleanBuilder::new()),
            ColumnType::Texts => {
                Self::Texts(ListBuilder::new(StringBuilder::new()).with_field(text_item()))
            }
            ColumnType::Passages => {
                let numbers = PASSAGE_FIELDS
                    .iter()
                    .map(|_| Box::new(UInt32Builder::new()) as Box<dyn ArrayBuilder>)
                    .collect();
                let passages = StructBuilder::new(passage_fields(), numbers);
                Self::Passages(ListBuilder::new(passages).with_field(passage_item()))
            }
        }
    }

    fn append(&mut self, value: &Value<'_>) {
        match (self, *value) {
            (Self::Text(column), Value::Text(text)) => column.append_value(text),
            (Self::Text(column), Value::Absent) => column.append_null(),
            (Self::Count(column), Value::Count(count)) => column.append_value(count),
            (Self::Count(column), Value::Absent) => column.append_null(),
            (Self::Share(column), Value::Share(share)) => column.append_value(rounded(share)),
            (Self::Flag(column), Value::Flag(flag)) => column.append_value(flag),
            (Self::Texts(column), Value::Texts(texts)) => {
                for text in texts {
                    column.values().append_value(text);
                }
                column.append(true);
            }
            (Self::Passages(column), Value::Passages(passages)) => {
                for passage in passages {
                    append_passage(column.values(), passage);
                }
                column.append(true);
            }
            (_, value) => unreachable!("a table emits values of its own columns, not {value:?}"),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(column) => Arc::new(column.finish()),
            Self::Count(column) => Arc::new(column.finish()),
            Self::Share(column) => Arc::new(column.finish()),
            Self::Flag(column) => Arc::new(column.finish()),
            Self::Texts(column) => Arc::new(column.finish()),
            Self::Passages(column) => Arc::new(column.finish()),
        }
    }
}

fn append_passage(column: &mut StructBuilder, passage: &Passage) {
    let Passage { a, b, words, differ } = *passage;
    for (field, number) in [a.start, a.end, b.start, b.end, words, differ].into_iter().enumerate() {
        column
            .field_builder::<UInt32Builder>(field)
            .expect("every field of a passage is built from 32-bit integers")
            .append_value(number);
    }
    column.append(true);
}

fn data_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Text => DataType::Utf8,
        ColumnType::Count => DataType::UInt64,
        ColumnType::Share => DataType::Float64,
        ColumnType::Flag => DataType::Boolean,
        ColumnType::Texts => DataType::List(Arc::new(text_item())),
        ColumnType::Passages => DataType::List(Arc::new(passage_item())),
    }
}

fn text_item() -> Field {
    Field::new("item", DataType::Utf8, false)
}

fn passage_item() -> Field {
    Field::new("item", DataType::Struct(passage_fields()), false)
}

fn passage_fields() -> Fields {
    PASSAGE_FIELDS.iter().map(|name| Field::new(*name, DataType::UInt32, false)).collect()
}

fn of_parquet(error: ParquetError) -> io::Error {
    io::Error::other(error)
}

fn of_arrow(error: ArrowError) -> io::Error {
    io::Error::other(error)
}
