//! Where documents come from: paths, Arrow streams, items of a Python iterable.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatchReader as _;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyString, PyTuple};
use retold::{BadRecord, Document, Error, Files, Opened, Opening, ReadOptions, Source, Stop};
use retold_read::{FieldNames, FieldUse, Gathered};

use crate::capsule::stream_of;
use crate::columns::Column;
use crate::errors::{raised, usage};
use crate::rows::{RowReader, TABLE, too_long};

/// Items taken from Python at a time, while its lock is held.
const ITEMS: usize = 256;

/// An exception that ended the reading of an iterable; it goes to whoever called.
pub(crate) type Raised = Arc<Mutex<Option<PyErr>>>;

/// What documents come from.
pub(crate) enum Input {
    Paths(Vec<PathBuf>),
    Stream(Box<RecordBatchStreamReader>),
    Items(Py<PyIterator>),
}

impl Input {
    /// Takes what Python hands over: `("paths", list)`, `("stream", object)` or `("items", iterable)`.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (kind, value): (String, Bound<'_, PyAny>) = given.extract()?;
        Ok(match kind.as_str() {
            "paths" => Self::Paths(value.extract()?),
            "stream" => Self::Stream(Box::new(stream_of(&value)?)),
            _ => Self::Items(value.try_iter()?.unbind()),
        })
    }

    /// Makes a source of it. What a Python iterable raises goes to `raised`, and the work is stopped.
    pub(crate) fn source(self, raised: &Raised) -> Box<dyn Source> {
        match self {
            Self::Paths(paths) => Box::new(Files::new(paths)),
            Self::Stream(reader) => Box::new(Stream { reader, raised: Arc::clone(raised) }),
            Self::Items(items) => Box::new(Items { items, raised: Arc::clone(raised) }),
        }
    }
}

/// An Arrow stream: a row is a document, columns are its fields, as in a Parquet file.
struct Stream {
    reader: Box<RecordBatchStreamReader>,
    raised: Raised,
}

impl Source for Stream {
    fn open(self: Box<Self>, opening: &Opening<'_>) -> Result<Opened, Error> {
        let Self { reader, raised } = *self;
        let rows = Rows {
            documents: RowReader::new(&reader.schema(), opening.options())?,
            reader: *reader,
            raised,
            stop: opening.stop().clone(),
            batch: Vec::new(),
            length: 0,
            row: 0,
            n_before: 0,
        };
        Ok(Opened::new(TABLE, rows))
    }
}

/// Rows of a stream as documents.
struct Rows {
    reader: RecordBatchStreamReader,
    raised: Raised,
    stop: Stop,
    documents: RowReader,
    batch: Vec<(Column, FieldUse)>,
    length: usize,
    row: usize,
    /// Rows of the batches before this one.
    n_before: u64,
}

impl Rows {
    fn bad(&self, reason: String) -> BadRecord {
        let record = Some(self.n_before + self.row as u64);
        BadRecord { file: TABLE.to_owned(), record, offset: None, reason }
    }
}

impl Iterator for Rows {
    type Item = Result<Document, BadRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.row == self.length {
            // Frees the batch before the next one is made.
            self.batch.clear();
            self.n_before += self.length as u64;
            (self.length, self.row) = (0, 0);
            match self.reader.next()? {
                Ok(batch) => {
                    self.length = batch.num_rows();
                    self.batch = self.documents.batch(&batch);
                }
                // What breaks off in the middle is no collection.
                Err(error) => {
                    let error = Error::Input(self.bad(error.to_string()));
                    fail(&self.raised, &self.stop, Python::attach(|py| raised(py, &error)));
                    return None;
                }
            }
        }
        let document = self.documents.document(&self.batch, self.row);
        let number = self.n_before + self.row as u64;
        let record = document.map(|document| named(document, number)).map_err(|why| self.bad(why));
        self.row += 1;
        Some(record)
    }
}

/// Gives a document without a name the number of its row.
fn named(mut document: Document, row: u64) -> Document {
    if document.id.is_empty() {
        document.id = row.to_string();
    }
    document
}

/// Items of an iterable: texts, pairs of an id and a text, or dictionaries.
struct Items {
    items: Py<PyIterator>,
    raised: Raised,
}

impl Source for Items {
    fn open(self: Box<Self>, opening: &Opening<'_>) -> Result<Opened, Error> {
        let Self { items, raised } = *self;
        let parts = Parts::new(opening.options());
        let stop = opening.stop().clone();
        let taken = VecDeque::new();
        let records = Records { items, parts, raised, stop, taken, n_taken: 0, is_over: false };
        Ok(Opened::new(TABLE, records))
    }
}

/// Items of an iterable as documents, taken some at a time.
struct Records {
    items: Py<PyIterator>,
    parts: Parts,
    raised: Raised,
    stop: Stop,
    taken: VecDeque<Result<Document, BadRecord>>,
    n_taken: u64,
    is_over: bool,
}

impl Records {
    fn take(&mut self) {
        Python::attach(|py| {
            let mut items = self.items.bind(py).clone();
            while self.taken.len() < ITEMS {
                let item = match items.next() {
                    Some(Ok(item)) => item,
                    Some(Err(error)) => return self.fail(error),
                    None => {
                        self.is_over = true;
                        return;
                    }
                };
                let number = self.n_taken;
                self.n_taken += 1;
                let record = match self.parts.document(&item) {
                    Ok(record) => record,
                    Err(error) => return self.fail(error),
                };
                self.taken.push_back(record.map(|document| named(document, number)).map_err(
                    |reason| {
                        let (file, record) = (TABLE.to_owned(), Some(number));
                        BadRecord { file, record, offset: None, reason }
                    },
                ));
            }
        });
    }

    fn fail(&mut self, error: PyErr) {
        fail(&self.raised, &self.stop, error);
        self.is_over = true;
    }
}

/// Ends the work with an exception.
fn fail(raised: &Raised, stop: &Stop, error: PyErr) {
    *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    stop.set();
}

impl Iterator for Records {
    type Item = Result<Document, BadRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.taken.is_empty() && !self.is_over {
            self.take();
        }
        self.taken.pop_front()
    }
}

/// Makes documents of Python's values.
pub(crate) struct Parts {
    names: FieldNames,
    longest: u64,
}

impl Parts {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        Self { names: FieldNames::new(options), longest: options.limits.document_bytes }
    }

    /// Makes a document of an item, or says why it is none. The outer error is an exception.
    pub(crate) fn document(&self, item: &Bound<'_, PyAny>) -> PyResult<Result<Document, String>> {
        let document = if let Ok(fields) = item.cast::<PyDict>() {
            self.of_fields(fields)?
        } else if item.is_instance_of::<PyString>() {
            text_of(item)?.map(|text| Document::plain("", text))
        } else if let Ok(pair) = item.cast::<PyTuple>()
            && pair.len() == 2
        {
            let id = named_value(&pair.get_item(0)?)?.unwrap_or_default();
            match text_of(&pair.get_item(1)?)? {
                Ok(text) => Ok(Document::plain(id, text)),
                Err(reason) => Err(reason),
            }
        } else if item.is_none() {
            Err("the text must be a string, got null".to_owned())
        } else {
            return Err(usage(format!(
                "an item must be a text, a pair of an id and a text, or a dictionary, got {}",
                item.get_type().name()?
            )));
        };
        Ok(document.and_then(|document| {
            let n_bytes = document.text.len() as u64;
            if n_bytes > self.longest { Err(too_long(n_bytes, self.longest)) } else { Ok(document) }
        }))
    }

    fn of_fields(&self, fields: &Bound<'_, PyDict>) -> PyResult<Result<Document, String>> {
        let mut gathered = Gathered::new();
        for (name, value) in fields {
            let Ok(name) = name.cast::<PyString>() else { continue };
            let used = self.names.uses(&name.to_string_lossy());
            if used.is_nothing() || !gathered.wants(used) {
                continue;
            }
            if used.is_text() {
                match text_of(&value)? {
                    Ok(text) => gathered.put(used, text),
                    Err(_) if value.is_none() => gathered.put_odd(used, "null"),
                    Err(reason) => return Ok(Err(reason)),
                }
            } else if let Some(value) = named_value(&value)? {
                gathered.put(used, value);
            }
        }
        Ok(gathered.finish(&self.names))
    }
}

/// Returns a text, or why it is none.
fn text_of(value: &Bound<'_, PyAny>) -> PyResult<Result<String, String>> {
    let Ok(text) = value.cast::<PyString>() else {
        let kind = value.get_type().name()?;
        return Ok(Err(format!("the text must be a string, got {kind}")));
    };
    // A string of Python may hold halves of characters.
    Ok(text.to_cow().map(Cow::into_owned).map_err(|_| "the text is not UTF-8".to_owned()))
}

/// Returns the text of a value that names or dates something: times in the form of ISO 8601, everything
/// else as Python prints it.
fn named_value(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if value.is_none() {
        return Ok(None);
    }
    let text = match value.getattr("isoformat") {
        Ok(isoformat) => isoformat.call0()?.str()?,
        Err(_) => value.str()?,
    };
    Ok(Some(text.to_string_lossy().into_owned()))
}
