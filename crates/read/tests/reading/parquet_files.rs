//! Parquet files made for tests, and their rows.

use std::sync::Arc;

use bytes::Bytes;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Row;
use parquet::schema::parser::parse_message_type;

/// The values of a column.
pub(crate) enum Column {
    /// Optional strings.
    Texts(Vec<Option<ByteArray>>),
    /// Integers, none absent.
    Numbers(Vec<i64>),
    /// Lists of integers, none absent.
    Lists(Vec<Vec<i64>>),
}

impl Column {
    /// Makes a column of strings, none absent.
    pub(crate) fn texts(texts: impl IntoIterator<Item = String>) -> Self {
        Self::some_texts(texts.into_iter().map(Some))
    }

    /// Makes a column of strings.
    pub(crate) fn some_texts(texts: impl IntoIterator<Item = Option<String>>) -> Self {
        let bytes = |text: Option<String>| text.map(|text| ByteArray::from(text.into_bytes()));
        Self::Texts(texts.into_iter().map(bytes).collect())
    }
}

/// Makes a file of one row group with default settings.
pub(crate) fn parquet(columns: &[(&str, Column)]) -> Vec<u8> {
    parquet_with(WriterProperties::builder(), columns)
}

/// Makes a file of one row group.
pub(crate) fn parquet_with(
    properties: WriterPropertiesBuilder,
    columns: &[(&str, Column)],
) -> Vec<u8> {
    parquet_groups(properties, &[columns])
}

/// Makes a file of several row groups, all with the same columns.
pub(crate) fn parquet_groups(
    properties: WriterPropertiesBuilder,
    groups: &[&[(&str, Column)]],
) -> Vec<u8> {
    let fields = groups[0].iter().map(|(name, column)| match column {
        Column::Texts(_) => format!("optional binary {name} (STRING);"),
        Column::Numbers(_) => format!("required int64 {name};"),
        Column::Lists(_) => format!(
            "required group {name} (LIST) {{ repeated group list {{ required int64 item; }} }}"
        ),
    });
    let schema = format!("message schema {{ {} }}", fields.collect::<String>());
    let schema = parse_message_type(&schema).expect("the schema is sound");
    let mut bytes = Vec::new();
    let mut file =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties.build()))
            .expect("memory can be written");
    for &columns in groups {
        write_group(&mut file, columns);
    }
    file.close().expect("memory can be written");
    bytes
}

fn write_group(file: &mut SerializedFileWriter<&mut Vec<u8>>, columns: &[(&str, Column)]) {
    let mut group = file.next_row_group().expect("memory can be written");
    for (_, column) in columns {
        let next = group.next_column().expect("memory can be written");
        let mut writer = next.expect("the schema has as many columns");
        let written = match column {
            Column::Texts(texts) => {
                let levels: Vec<i16> = texts.iter().map(|text| text.is_some().into()).collect();
                let texts: Vec<ByteArray> = texts.iter().flatten().cloned().collect();
                writer.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None)
            }
            Column::Numbers(numbers) => {
                writer.typed::<Int64Type>().write_batch(numbers, None, None)
            }
            Column::Lists(lists) => {
                let levels = lists.iter().flat_map(|list| {
                    let n = list.len().max(1);
                    (0..n).map(|at| (i16::from(!list.is_empty()), i16::from(at > 0)))
                });
                let (definitions, repetitions): (Vec<i16>, Vec<i16>) = levels.unzip();
                let levels = (Some(definitions.as_slice()), Some(repetitions.as_slice()));
                writer.typed::<Int64Type>().write_batch(&lists.concat(), levels.0, levels.1)
            }
        };
        written.expect("memory can be written");
        writer.close().expect("memory can be written");
    }
    group.close().expect("memory can be written");
}

/// Opens a file.
pub(crate) fn opened(bytes: Vec<u8>) -> SerializedFileReader<Bytes> {
    SerializedFileReader::new(Bytes::from(bytes)).expect("it is Parquet")
}

/// Returns the rows of a file.
pub(crate) fn rows(bytes: Vec<u8>) -> Vec<Row> {
    let file = opened(bytes);
    let rows = file.get_row_iter(None).expect("it is Parquet");
    rows.map(|row| row.expect("it is whole")).collect()
}
