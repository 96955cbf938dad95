//! CSV: a header names the columns, a row is a document.

use std::sync::Arc;

use retold_core::document::Document;

use crate::bad::{Fault, quoted};
use crate::fields::{Gathered, Use};
use crate::format::{Context, Input, Opened, Source, Spec};
use crate::metered::{Meter, Metered};
use crate::pack::{Documents, Packed, one};
use crate::sniff::Look;

pub(crate) static SPEC: Spec = Spec {
    endings: &["csv"],
    input: Input::Utf8,
    is_collection: true,
    shows: |look| has_header(look, ','),
    open: |opened| open(opened, None),
};

/// Returns whether the first line can only be a header: words without blanks, a text column and
/// one more known column among them.
pub(crate) fn has_header(look: &Look<'_>, delimiter: char) -> bool {
    let (line, is_whole) = look.first_line();
    let names: Vec<&str> =
        line.trim_end().split(delimiter).map(|name| name.trim_matches('"')).collect();
    let is_word = |name: &&str| name.len() < 64 && !name.contains(char::is_whitespace);
    let n_known = names.iter().filter(|name| !look.names.column(name).is_nothing()).count();
    is_whole
        && n_known > 1
        && names.iter().all(is_word)
        && names.iter().any(|name| look.names.is_column(name))
}

/// Opens a table; without a delimiter, the one that the header speaks for is taken.
pub(crate) fn open(opened: Opened, delimiter: Option<u8>) -> Box<dyn Source> {
    Box::new(Packed::new(Rows::new(opened, delimiter)))
}

/// Rows of a table, one after another.
pub(crate) struct Rows {
    reader: csv::Reader<Metered>,
    meter: Meter,
    context: Arc<Context>,
    columns: Option<Vec<Use>>,
    row: csv::ByteRecord,
    delimiter: u8,
    is_done: bool,
}

impl Rows {
    pub(crate) fn new(mut opened: Opened, delimiter: Option<u8>) -> Self {
        let delimiter = delimiter.unwrap_or_else(|| guess(&mut opened));
        let limit = opened.context.limits().line_bytes;
        let reason = format!(
            "row longer than the limit of {limit} bytes (`line_bytes`); a quote may lack its partner"
        );
        let (stream, meter) = Metered::new(opened.stream, limit, reason);
        let reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .buffer_capacity(64 << 10)
            .from_reader(stream);
        let row = csv::ByteRecord::new();
        Self {
            reader,
            meter,
            context: opened.context,
            columns: None,
            row,
            delimiter,
            is_done: false,
        }
    }

    /// Returns the row that was read last.
    pub(crate) fn row(&self) -> &csv::ByteRecord {
        &self.row
    }

    /// Returns the names of the columns, as they stand in the file.
    pub(crate) fn names(&mut self) -> Result<csv::ByteRecord, Fault> {
        self.reader.byte_headers().cloned().map_err(|error| rest(&error))
    }

    /// Returns the byte between columns.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Reads the header.
    fn header(&mut self) -> Result<Vec<Use>, Fault> {
        let names = &self.context.names;
        let header = self.reader.byte_headers().map_err(|error| rest(&error))?;
        let columns: Vec<String> =
            header.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
        if !columns.iter().any(|column| names.is_column(column)) {
            let found = columns.iter().take(12).map(|column| quoted(column)).collect::<Vec<_>>();
            let reason =
                format!("no column is named {}; found {}", names.texts(), found.join(", "));
            return Err(Fault::rest(Some(0), reason));
        }
        Ok(columns.iter().map(|column| names.column(column)).collect())
    }
}

/// Returns the delimiter that cuts the header into most columns.
fn guess(opened: &mut Opened) -> u8 {
    let head = opened.stream.head().unwrap_or_default();
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let count = |delimiter: u8| memchr::memchr_iter(delimiter, line).count();
    // The comma wins a draw: `max_by_key` returns the last of equals.
    [b'|', b';', b'\t', b','].into_iter().max_by_key(|&delimiter| count(delimiter)).unwrap_or(b',')
}

fn rest(error: &csv::Error) -> Fault {
    let at = error.position().map(csv::Position::byte);
    let reason = match error.kind() {
        csv::ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    };
    Fault::rest(at, format!("the rest cannot be read: {reason}"))
}

impl Documents for Rows {
    fn next(&mut self) -> Option<Result<Document, Fault>> {
        if self.is_done {
            return None;
        }
        if self.columns.is_none() {
            match self.header() {
                Ok(columns) => self.columns = Some(columns),
                Err(fault) => {
                    self.is_done = true;
                    return Some(Err(fault));
                }
            }
        }
        self.meter.reset();
        match self.reader.read_byte_record(&mut self.row) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => {
                self.is_done = true;
                return Some(Err(rest(&error)));
            }
        }
        let offset = self.row.position().map_or(0, csv::Position::byte);
        let columns = self.columns.as_ref().expect("the header was read above");
        Some(document(&self.row, columns, &self.context).map_err(|reason| one(offset, reason)))
    }
}

fn document(row: &csv::ByteRecord, columns: &[Use], context: &Context) -> Result<Document, String> {
    let limits = context.limits();
    if row.as_slice().len() as u64 > limits.line_bytes {
        return Err(crate::jsonl::too_long(limits.line_bytes));
    }
    if memchr::memchr(0, row.as_slice()).is_some() {
        return Err("a NUL byte stands in the row".to_owned());
    }
    let mut gathered = Gathered::new();
    for (value, &used) in row.iter().zip(columns) {
        if used.is_nothing() || !gathered.wants(used) {
            continue;
        }
        let value = std::str::from_utf8(value).map_err(|_| "the row is not UTF-8".to_owned())?;
        // An empty cell is a missing value; only a text may be empty.
        if !value.is_empty() || used.is_text() {
            gathered.put(used, value.to_owned());
        }
    }
    gathered.finish(&context.names).map_err(|reason| {
        if row.len() < columns.len() {
            format!("the row has {} fields, the header {}", row.len(), columns.len())
        } else {
            reason
        }
    })
}
