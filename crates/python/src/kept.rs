//! What `dedup` keeps, as Arrow streams: rows of a table, or documents of files, read again.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{StringBuilder, UInt64Builder};
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use retold::Document;
use retold_read::{Reader, discover};

use crate::capsule::{stream_capsule, stream_of};
use crate::errors::raised;
use crate::finding::Findings;
use crate::settings;

/// Hands over the rows of a table whose numbers are listed, ascending.
#[pyfunction]
pub(crate) fn kept_rows_of<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyAny>,
    result: &Bound<'py, Findings>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let rows = result.get().taken.kept_rows.clone().into_iter().collect();
    stream_capsule(py, Box::new(KeptRows { reader: stream_of(table)?, rows, n_before: 0 }))
}

struct KeptRows {
    reader: RecordBatchStreamReader,
    /// Numbers of rows that stay and were not met yet.
    rows: VecDeque<u64>,
    n_before: u64,
}

impl Iterator for KeptRows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.reader.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error)),
        };
        let mut stays = vec![false; batch.num_rows()];
        let end = self.n_before + batch.num_rows() as u64;
        while let Some(row) = self.rows.front().copied().filter(|row| *row < end) {
            stays[(row - self.n_before) as usize] = true;
            self.rows.pop_front();
        }
        self.n_before = end;
        Some(filter_record_batch(&batch, &BooleanArray::from(stays)))
    }
}

impl RecordBatchReader for KeptRows {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }
}

/// Hands over the documents of files that stay, read again.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python hands a list over")]
pub(crate) fn kept_documents<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    settings: &str,
    result: &Bound<'py, Findings>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let found = discover(&paths).map_err(|error| raised(py, &error.into()))?;
    let names = found.files.iter().map(|file| file.name.clone()).collect();
    let job = settings::job(settings)?;
    let reader = Reader::new(found.files, job.read_options());
    let gone = result.get().taken.gone_from.clone();
    let fields = TEXTS.map(|(name, is_optional)| Field::new(name, DataType::Utf8, is_optional));
    let record = Field::new("record", DataType::UInt64, false);
    let schema = Arc::new(Schema::new(fields.into_iter().chain([record]).collect::<Vec<_>>()));
    stream_capsule(py, Box::new(KeptDocuments { reader, names, gone, schema }))
}

/// Columns of texts, and whether a document may lack them.
const TEXTS: [(&str, bool); 8] = [
    ("id", false),
    ("text", false),
    ("title", true),
    ("time", true),
    ("source", true),
    ("url", true),
    ("language", true),
    ("file", false),
];

struct KeptDocuments {
    reader: Reader,
    names: Vec<String>,
    /// File and record of documents that go.
    gone: HashSet<(String, u64)>,
    schema: SchemaRef,
}

impl Iterator for KeptDocuments {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next_batch()?;
        let mut texts: [StringBuilder; TEXTS.len()] = Default::default();
        let mut records = UInt64Builder::new();
        batch.parse(&mut |record| {
            // What cannot be read was told of before.
            let Ok(record) = record else { return };
            let file = &self.names[record.place.file as usize];
            let place = (file.clone(), record.place.record);
            if self.gone.contains(&place) {
                return;
            }
            let Document { id, text, title, time, source, url, language, .. } = record.document;
            let values = [Some(id), Some(text), title, time, source, url, language, Some(place.0)];
            for (column, value) in texts.iter_mut().zip(values) {
                column.append_option(value);
            }
            records.append_value(place.1);
        });
        let texts = texts.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let columns = texts.chain([Arc::new(records.finish()) as ArrayRef]).collect();
        Some(RecordBatch::try_new(Arc::clone(&self.schema), columns))
    }
}

impl RecordBatchReader for KeptDocuments {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
