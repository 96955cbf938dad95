//! CSV: a header names the columns, a row is a document.
//!
//! A quote at the beginning of a field makes delimiters and line ends part of it, up to the quote
//! that closes it. If none does, or one some lines on that does not end a field, the line in which
//! the row began is a bad record, and reading goes on with the next line.

use std::ops::Range;
use std::sync::Arc;

use retold_core::document::{Document, Span};

use crate::bad::Fault;
use crate::copy::without;
use crate::fields::{Gathered, Use};
use crate::format::{Context, Input, Opened, Source, Spec};
use crate::pack::{Documents, Packed, one};
use crate::sniff::Look;
use crate::stream::Stream;

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

/// Opens a table. If no delimiter is given, the header decides (see [`guess`]).
pub(crate) fn open(opened: Opened, delimiter: Option<u8>) -> Box<dyn Source> {
    Box::new(Packed::new(Rows::new(opened, delimiter)))
}

/// Bytes read at a time.
const READ_BYTES: usize = 256 << 10;

/// Rows of a table, one after another.
pub(crate) struct Rows {
    cutter: Cutter,
    context: Arc<Context>,
    header: Option<csv::ByteRecord>,
    columns: Option<Vec<Use>>,
    row: csv::ByteRecord,
    is_done: bool,
}

impl Rows {
    pub(crate) fn new(mut opened: Opened, delimiter: Option<u8>) -> Self {
        let delimiter = delimiter.unwrap_or_else(|| guess(&mut opened));
        let limit = opened.context.limits().line_bytes;
        Self {
            cutter: Cutter::new(opened.stream, delimiter, limit),
            context: opened.context,
            header: None,
            columns: None,
            row: csv::ByteRecord::new(),
            is_done: false,
        }
    }

    /// Returns the row that was read last.
    pub(crate) fn row(&self) -> &csv::ByteRecord {
        &self.row
    }

    /// Returns the row that was read last, as `document`, without some stretches of its text.
    pub(crate) fn row_without(&self, document: &Document, cuts: &[Span]) -> csv::ByteRecord {
        let columns = self.columns.as_deref().unwrap_or_default();
        let ranks = columns.iter().map(|used| used.text_rank());
        let ranked = ranks.enumerate().filter_map(|(column, rank)| Some((rank?, column)));
        let ranked = ranked.filter(|&(_, column)| column < self.row.len());
        // As fields are gathered: the first name wins, and of equal ones the later column.
        let text = ranked.min_by_key(|&(rank, column)| (rank, std::cmp::Reverse(column)));
        let mut out = csv::ByteRecord::new();
        for (column, value) in self.row.iter().enumerate() {
            match text {
                Some((_, of_text)) if of_text == column => {
                    // What came before is the headline.
                    let (before, _) = value.split_at(value.len() - document.text.len());
                    let left = [before, without(&document.text, cuts).as_bytes()].concat();
                    out.push_field(&left);
                }
                _ => out.push_field(value),
            }
        }
        out
    }

    /// Returns the names of the columns, as they stand in the file.
    pub(crate) fn names(&mut self) -> Result<csv::ByteRecord, Fault> {
        if let Some(header) = &self.header {
            return Ok(header.clone());
        }
        let mut header = csv::ByteRecord::new();
        match self.cutter.next(&mut header) {
            None | Some(Ok(_)) => {}
            // Without names of columns nothing can be read from the table.
            Some(Err(fault)) => return Err(Fault { record: None, ..fault }),
        }
        self.header = Some(header.clone());
        Ok(header)
    }

    /// Returns the byte between columns.
    pub(crate) fn delimiter(&self) -> u8 {
        self.cutter.delimiter
    }

    /// Reads the header.
    fn header(&mut self) -> Result<Vec<Use>, Fault> {
        let header = self.names()?;
        let names = &self.context.names;
        let columns: Vec<String> =
            header.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
        if !columns.iter().any(|column| names.is_column(column)) {
            let reason = names.no_column(columns.iter().map(String::as_str));
            return Err(Fault::rest(Some(0), reason));
        }
        Ok(columns.iter().map(|column| names.column(column)).collect())
    }
}

/// A stream, cut into rows.
struct Cutter {
    stream: Stream,
    delimiter: u8,
    /// Most bytes of a row.
    longest: u64,
    /// Bytes at hand; those before `at` are done.
    bytes: Vec<u8>,
    at: usize,
    /// Line ends before `at`.
    n_lines: u64,
    /// Position in the stream: a quote that is open at a line end before it is known to be
    /// unclosed.
    open_until: u64,
    is_at_end: bool,
    broken: Option<std::io::Error>,
}

/// Where in a row a byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    StartOfField,
    InField,
    InQuotes,
    /// After a quote inside quotes: the end of them, or the first of two that stand for one.
    AfterQuote,
}

impl State {
    /// Returns the state after a byte; `None` at the end of the row.
    fn after(self, byte: u8, delimiter: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::InQuotes, b'"') => Self::AfterQuote,
            (Self::InQuotes, _) | (Self::StartOfField | Self::AfterQuote, b'"') => Self::InQuotes,
            (_, byte) if byte == delimiter => Self::StartOfField,
            (_, b'\n' | b'\r') => return None,
            _ => Self::InField,
        })
    }
}

impl Cutter {
    fn new(stream: Stream, delimiter: u8, longest: u64) -> Self {
        Self {
            stream,
            delimiter,
            longest,
            bytes: Vec::new(),
            at: 0,
            n_lines: 0,
            open_until: 0,
            is_at_end: false,
            broken: None,
        }
    }

    /// Returns the byte of the stream that stands at a place of the buffer.
    fn offset(&self, at: usize) -> u64 {
        self.stream.position() - (self.bytes.len() - at) as u64
    }

    /// Reads on; returns whether there was something.
    fn fill(&mut self) -> bool {
        if self.is_at_end {
            return false;
        }
        let before = self.bytes.len();
        match self.stream.append(&mut self.bytes, READ_BYTES) {
            Ok(read) => self.is_at_end = read < READ_BYTES,
            Err(error) => {
                self.is_at_end = true;
                self.broken = Some(error);
            }
        }
        self.bytes.len() > before
    }

    /// Goes to the next row, past line ends; returns whether there is one.
    fn seek(&mut self) -> bool {
        if self.at >= READ_BYTES && self.at >= self.bytes.len() / 2 {
            self.bytes.drain(..self.at);
            self.at = 0;
        }
        loop {
            match self.bytes.get(self.at) {
                Some(b'\n') => self.n_lines += 1,
                Some(b'\r') => {}
                Some(_) => return true,
                None => {
                    if !self.fill() {
                        return false;
                    }
                    continue;
                }
            }
            self.at += 1;
        }
    }

    /// Reads the next row and returns where it began.
    fn next(&mut self, row: &mut csv::ByteRecord) -> Option<Result<u64, Fault>> {
        if !self.seek() {
            let error = self.broken.take()?;
            return Some(Err(Fault::unreadable(self.stream.position(), &error)));
        }
        let (start, offset) = (self.at, self.offset(self.at));
        let (mut end, mut state) = (start, State::StartOfField);
        // Whether the quotes of the field at hand hold a line end.
        let mut is_long = false;
        loop {
            while let Some(&byte) = self.bytes.get(end) {
                let Some(next) = state.after(byte, self.delimiter) else {
                    return Some(Ok(self.take(start..end, offset, row)));
                };
                match (state, next) {
                    (State::InQuotes, State::InQuotes) if byte == b'\n' => {
                        is_long = true;
                        if self.offset(end) < self.open_until {
                            return Some(Err(self.unclosed(start..end)));
                        }
                    }
                    // This quote was meant to open a later field, so that of this one is unclosed.
                    (State::AfterQuote, State::InField) if is_long => {
                        return Some(Err(self.unclosed(start..end)));
                    }
                    (_, State::StartOfField) => is_long = false,
                    _ => {}
                }
                state = next;
                end += 1;
            }
            if (end - start) as u64 > self.longest {
                let fault = match state {
                    State::InQuotes => self.unclosed(start..end),
                    _ => self.too_long(offset),
                };
                return Some(Err(fault));
            }
            if !self.fill() {
                return Some(match self.broken.take() {
                    // The row that broke off is part of what cannot be read.
                    Some(error) => {
                        self.at = self.bytes.len();
                        Err(Fault::unreadable(self.stream.position(), &error))
                    }
                    None if state == State::InQuotes => Err(self.unclosed(start..end)),
                    None => Ok(self.take(start..end, offset, row)),
                });
            }
        }
    }

    /// Takes a row apart.
    fn take(&mut self, range: Range<usize>, offset: u64, row: &mut csv::ByteRecord) -> u64 {
        let bytes = &self.bytes[range.clone()];
        row.clear();
        let mut field = Vec::new();
        let mut state = State::StartOfField;
        for &byte in bytes {
            #[expect(clippy::expect_used, reason = "the row was cut where it ends")]
            let next = state.after(byte, self.delimiter).expect("the row has no end inside");
            match (state, next) {
                // A quote that opens or closes a field is not part of it; the second of two is.
                (State::StartOfField, State::InQuotes) | (State::InQuotes, State::AfterQuote) => {}
                (_, State::StartOfField) => {
                    row.push_field(&field);
                    field.clear();
                }
                _ => field.push(byte),
            }
            state = next;
        }
        row.push_field(&field);
        self.n_lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.at = range.end;
        offset
    }

    /// Makes the line in which a row began a bad record, and goes on with the next line.
    ///
    /// The end of the range is remembered in `open_until`. Any other quote that is open at a line
    /// end before it is unclosed too, so that rows that begin in these lines need not each be read
    /// up to there, which would take quadratic time.
    fn unclosed(&mut self, range: Range<usize>) -> Fault {
        let offset = self.offset(range.start);
        self.open_until = self.open_until.max(self.offset(range.end));
        let bytes = &self.bytes[range.clone()];
        self.at = memchr::memchr(b'\n', bytes).map_or(range.end, |end| range.start + end);
        let line = self.n_lines + 1;
        one(offset, format!("a quote in line {line} lacks its partner"))
    }

    /// Leaves out a line that is too long to be kept.
    fn too_long(&mut self, offset: u64) -> Fault {
        loop {
            self.bytes.clear();
            self.at = 0;
            if !self.fill() {
                break;
            }
            if let Some(end) = memchr::memchr(b'\n', &self.bytes) {
                self.at = end;
                break;
            }
        }
        one(offset, crate::jsonl::too_long(self.longest))
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
        let offset = match self.cutter.next(&mut self.row)? {
            Ok(offset) => offset,
            Err(fault) => {
                self.is_done = fault.record.is_none();
                return Some(Err(fault));
            }
        };
        let columns = self.columns.as_deref().unwrap_or_default();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Result<Vec<String>, String>> {
        let stream = Stream::new(std::io::Cursor::new(text.as_bytes().to_vec()));
        let mut cutter = Cutter::new(stream, b',', 1 << 20);
        let mut row = csv::ByteRecord::new();
        let mut all = Vec::new();
        while let Some(found) = cutter.next(&mut row) {
            let fields = row.iter().map(|field| String::from_utf8_lossy(field).into_owned());
            all.push(found.map(|_| fields.collect()).map_err(|fault| fault.reason));
        }
        all
    }

    #[test]
    fn rows_are_those_of_the_library() {
        // Every text of seven of these bytes, most of them odd.
        let bytes = [b'a', b'"', b',', b'\n', b'\r'];
        for number in 0..5_usize.pow(7) {
            let text: Vec<u8> = (0..7_u32).map(|at| bytes[number / 5_usize.pow(at) % 5]).collect();
            let text = std::str::from_utf8(&text).expect("all are ASCII");
            let ours = rows(text);
            if ours.iter().any(Result::is_err) {
                continue;
            }
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(text.as_bytes());
            let theirs = reader.records().map(|row| {
                let row = row.expect("memory can be read");
                row.iter().map(ToOwned::to_owned).collect::<Vec<String>>()
            });
            let ours = ours.into_iter().map(|row| row.expect("none is bad"));
            assert!(ours.eq(theirs), "{text:?}: {:?}", rows(text));
        }
    }

    #[test]
    fn after_a_quote_that_is_never_closed_the_next_line_is_read() {
        let found = rows("a,b\n1,\"open\n2,two\n3,three\n");
        assert_eq!(found.len(), 4);
        assert_eq!(found[1], Err("a quote in line 2 lacks its partner".to_owned()));
        assert_eq!(found[3], Ok(vec!["3".to_owned(), "three".to_owned()]));
    }

    #[test]
    fn a_quote_that_opens_a_later_field_does_not_close_an_earlier_one() {
        let found = rows("1,\"open\n2,two\n3,\"three\n\",x\n4,\"a\"b\n");
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[0].is_err());
        assert_eq!(found[2], Ok(["3", "three\n", "x"].map(ToOwned::to_owned).to_vec()));
        assert_eq!(found[3], Ok(["4", "ab"].map(ToOwned::to_owned).to_vec()));
    }

    #[test]
    fn lines_that_all_open_a_quote_take_linear_time() {
        // From either side of a line end, such a line ends inside quotes.
        let found = rows(&"x\",\"z\n".repeat(100_000));
        assert_eq!(found.len(), 100_000);
        assert!(found.iter().all(Result::is_err));
        let found = rows(&format!("{}y\"z\n", "x\",\"z\n".repeat(100_000)));
        assert_eq!(found.iter().filter(|row| row.is_err()).count(), 100_000);
        assert_eq!(found[99_999], Err("a quote in line 100000 lacks its partner".into()));
    }
}
