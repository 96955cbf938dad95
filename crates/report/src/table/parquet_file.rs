//! A table as Parquet, compressed with Zstandard.
//!
//! Texts are UTF-8 strings, counts unsigned 64-bit integers, shares doubles rounded as in JSON;
//! lists of texts are `list<string>` and passages are
//! `list<struct<a_start, a_end, b_start, b_end, words, differ, moved, agrees>>`: unsigned 32-bit integers, and
//! a string.
//!
//! A Parquet file holds a row group column after column, while rows come one after another. So the
//! values of a group are held in memory until they take [`GROUP_BYTES`], and are then written.
//!
//! pyarrow 26 and `DuckDB` 2.0 were tried on all four tables: they read the same names, types,
//! optional columns and values as from files that the Arrow writer of the `parquet` crate makes.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use retold_core::relation::Passage;

use super::columns::{Column, ColumnType, Value};
use super::json::rounded;

/// Bytes of held values after which a row group is written, so that memory stays bounded.
const GROUP_BYTES: usize = 64 << 20;

/// What a value takes in memory beside its text: levels, the end of a text, and a [`ByteArray`]
/// when it is written.
const VALUE_BYTES: usize = 48;

/// Names of the numbers of a passage, in the order they are appended. [`AGREES`] follows.
const PASSAGE_FIELDS: [&str; 7] =
    ["a_start", "a_end", "b_start", "b_end", "words", "differ", "moved"];

/// Name of what says how a passage agrees.
const AGREES: &str = "agrees";

/// A Parquet file being written, one cell after the other.
pub(super) struct ParquetFile<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Held>,
    /// Index of the column that gets the next cell.
    at: usize,
    held_bytes: usize,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Starts the file.
    pub(super) fn create(file: W, columns: &[Column]) -> io::Result<Self> {
        let schema = parse_message_type(&schema(columns)).map_err(of_parquet)?;
        let level = ZstdLevel::try_new(3).map_err(of_parquet)?;
        let properties =
            WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
        let file = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
            .map_err(of_parquet)?;
        let columns = columns.iter().map(Held::new).collect();
        Ok(Self { file, columns, at: 0, held_bytes: 0 })
    }

    /// Adds a cell to the row.
    pub(super) fn cell(&mut self, value: &Value<'_>) {
        self.held_bytes += self.columns[self.at].append(value);
        self.at += 1;
    }

    /// Ends the row.
    pub(super) fn end_row(&mut self) -> io::Result<()> {
        debug_assert_eq!(self.at, self.columns.len(), "a row has a value for each column");
        self.at = 0;
        if self.held_bytes > GROUP_BYTES { self.write_group().map_err(of_parquet) } else { Ok(()) }
    }

    /// Writes what is held back and the footer.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.held_bytes > 0 {
            self.write_group().map_err(of_parquet)?;
        }
        self.file.close().map_err(of_parquet)?;
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        self.held_bytes = 0;
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            column.write(&mut group)?;
        }
        group.close()?;
        Ok(())
    }
}

/// The values of a column that are not written yet, with their levels.
///
/// The definition level says how much of a value is there: in an optional column 0 is absent, in a
/// list the level of an element is 1 higher than that of an empty list. The repetition level is 1
/// for the elements of a list after its first. Columns that need no level have none.
struct Held {
    values: Values,
    is_optional: bool,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

enum Values {
    Texts(Texts),
    Counts(Vec<i64>),
    Shares(Vec<f64>),
    Flags(Vec<bool>),
    /// A list of numbers for each of [`PASSAGE_FIELDS`], and how each passage agrees.
    Passages([Vec<i32>; PASSAGE_FIELDS.len()], Texts),
}

impl Held {
    fn new(column: &Column) -> Self {
        let values = match column.kind {
            ColumnType::Text | ColumnType::Texts => Values::Texts(Texts::default()),
            ColumnType::Count => Values::Counts(Vec::new()),
            ColumnType::Share => Values::Shares(Vec::new()),
            ColumnType::Flag => Values::Flags(Vec::new()),
            ColumnType::Passages => Values::Passages(Default::default(), Texts::default()),
        };
        let (definitions, repetitions) = (Vec::new(), Vec::new());
        Self { values, is_optional: column.is_optional, definitions, repetitions }
    }

    /// Adds a cell and returns the bytes it takes.
    fn append(&mut self, value: &Value<'_>) -> usize {
        let mut bytes = VALUE_BYTES;
        match (&mut self.values, *value) {
            (_, Value::Absent) if self.is_optional => {
                self.definitions.push(0);
                return bytes;
            }
            (Values::Texts(column), Value::Texts(texts)) => {
                for text in texts {
                    column.push(text);
                    bytes += text.len() + VALUE_BYTES;
                }
                self.append_list_levels(texts.len());
                return bytes;
            }
            (Values::Passages(columns, agrees), Value::Passages(passages)) => {
                for passage in passages {
                    append_passage(columns, passage);
                    agrees.push(passage.agreement().name());
                    bytes += VALUE_BYTES;
                }
                self.append_list_levels(passages.len());
                return bytes;
            }
            (Values::Texts(column), Value::Text(text)) => {
                column.push(text);
                bytes += text.len();
            }
            (Values::Counts(column), Value::Count(count)) => column.push(count.cast_signed()),
            (Values::Shares(column), Value::Share(share)) => column.push(rounded(share)),
            (Values::Flags(column), Value::Flag(flag)) => column.push(flag),
            (_, value) => unreachable!("a table emits values of its own columns, not {value:?}"),
        }
        if self.is_optional {
            self.definitions.push(1);
        }
        bytes
    }

    /// Adds the levels of a list of `n` elements.
    fn append_list_levels(&mut self, n: usize) {
        let empty = i16::from(self.is_optional);
        if n == 0 {
            self.definitions.push(empty);
            self.repetitions.push(0);
        }
        for element in 0..n {
            self.definitions.push(empty + 1);
            self.repetitions.push(i16::from(element > 0));
        }
    }

    /// Writes the values as the next columns of a row group, and forgets them.
    fn write<W: Write + Send>(
        &mut self,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<(), ParquetError> {
        let levels = [self.definitions.as_slice(), self.repetitions.as_slice()];
        match &mut self.values {
            Values::Texts(column) => write::<ByteArrayType, W>(group, &column.take(), levels)?,
            Values::Counts(column) => {
                write::<Int64Type, W>(group, column, levels)?;
                column.clear();
            }
            Values::Shares(column) => {
                write::<DoubleType, W>(group, column, levels)?;
                column.clear();
            }
            Values::Flags(column) => {
                write::<BoolType, W>(group, column, levels)?;
                column.clear();
            }
            Values::Passages(columns, agrees) => {
                for column in columns {
                    write::<Int32Type, W>(group, column, levels)?;
                    column.clear();
                }
                write::<ByteArrayType, W>(group, &agrees.take(), levels)?;
            }
        }
        self.definitions.clear();
        self.repetitions.clear();
        Ok(())
    }
}

/// Writes values, with definition and repetition levels where there are any.
fn write<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: [&[i16]; 2],
) -> Result<(), ParquetError> {
    let [definitions, repetitions] = levels.map(|levels| (!levels.is_empty()).then_some(levels));
    let mut column = group.next_column()?.expect("the schema has a column for each that is held");
    column.typed::<T>().write_batch(values, definitions, repetitions)?;
    column.close()
}

/// Texts one after another in one buffer.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    /// Where each text ends.
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len());
    }

    /// Returns the texts, which share the buffer, and leaves none.
    fn take(&mut self) -> Vec<ByteArray> {
        let all = ByteArray::from(std::mem::take(&mut self.bytes));
        let mut start = 0;
        let slice = |end| {
            let text = all.slice(start, end - start);
            start = end;
            text
        };
        self.ends.drain(..).map(slice).collect()
    }
}

fn append_passage(columns: &mut [Vec<i32>; PASSAGE_FIELDS.len()], passage: &Passage) {
    let Passage { a, b, words, differ, moved } = *passage;
    let numbers = [a.start, a.end, b.start, b.end, words, differ, moved];
    for (column, number) in columns.iter_mut().zip(numbers) {
        column.push(number.cast_signed());
    }
}

/// Returns the schema of a table in the notation of the Parquet format.
fn schema(columns: &[Column]) -> String {
    let fields = columns.iter().map(|Column { name, kind, is_optional, .. }| {
        let repetition = if *is_optional { "optional" } else { "required" };
        let list = |item: &str| {
            format!("group {name} (LIST) {{ repeated group list {{ required {item} }} }}")
        };
        let field = match kind {
            ColumnType::Text => format!("binary {name} (STRING);"),
            ColumnType::Count => format!("int64 {name} (INTEGER(64,false));"),
            ColumnType::Share => format!("double {name};"),
            ColumnType::Flag => format!("boolean {name};"),
            ColumnType::Texts => list("binary item (STRING);"),
            ColumnType::Passages => {
                let number = |name| format!("required int32 {name} (INTEGER(32,false)); ");
                let numbers = PASSAGE_FIELDS.map(number).concat();
                list(&format!("group item {{ {numbers}required binary {AGREES} (STRING); }}"))
            }
        };
        format!("{repetition} {field}\n")
    });
    format!("message schema {{\n{}}}", fields.collect::<String>())
}

fn of_parquet(error: ParquetError) -> io::Error {
    io::Error::other(error)
}
