//! What could not be read, where it stood and why.

use std::fmt;
use std::io;

/// A record, member or file that was left out.
///
/// Text from outside (names, values) is escaped when the record is made, so that printing it
/// cannot move a terminal's cursor or forge a line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// Label of the file, `archive!member` inside archives.
    pub file: String,
    /// Number of the record in its file, counted from 0; `None` if the whole file is meant.
    pub record: Option<u64>,
    /// Byte of the (decompressed) file at which the record or the fault stands, where known.
    pub offset: Option<u64>,
    /// Why, as a lower-case fragment that names the limit if one was passed.
    pub reason: String,
}

impl BadRecord {
    /// Makes a bad record that stands for a whole file.
    pub(crate) fn of_file(file: &str, reason: impl AsRef<str>) -> Self {
        Self { file: escape(file), record: None, offset: None, reason: escape(reason.as_ref()) }
    }
}

impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        match (self.record, self.offset) {
            (Some(record), Some(offset)) => write!(f, "record {record} (byte {offset}): ")?,
            (Some(record), None) => write!(f, "record {record}: ")?,
            (None, Some(offset)) => write!(f, "byte {offset}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.reason)
    }
}

/// What a format reader says about a record it could not make.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Number of the record, counted from the first of its chunk; `None` for the rest of the file.
    pub(crate) record: Option<u64>,
    /// Byte of the stream.
    pub(crate) offset: Option<u64>,
    /// Why.
    pub(crate) reason: String,
}

impl Fault {
    /// Makes a fault that stands for everything from here to the end of the stream.
    pub(crate) fn rest(offset: Option<u64>, reason: impl Into<String>) -> Self {
        Self { record: None, offset, reason: reason.into() }
    }

    /// Makes a fault for a stream that cannot be read further than `offset`.
    pub(crate) fn unreadable(offset: u64, error: &io::Error) -> Self {
        Self::rest(Some(offset), format!("the rest cannot be read: {error}"))
    }

    /// Makes a bad record of the fault: adds the file and the number of the chunk's first record.
    pub(crate) fn into_bad(self, file: &str, first: u64) -> BadRecord {
        BadRecord {
            file: escape(file),
            record: self.record.map(|record| first + record),
            offset: self.offset,
            reason: escape(&self.reason),
        }
    }
}

/// Returns `text` with control and direction-changing characters written as `\u{..}`.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        // Such characters change the direction of writing of the text beside them.
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}');
        if c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}') {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns a value from outside in backquotes, cut to a length that fits a message.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_record_names_file_record_and_byte() {
        let bad = Fault { record: Some(7), offset: Some(1234), reason: "no text".into() }
            .into_bad("news.jsonl", 10);
        assert_eq!(bad.to_string(), "news.jsonl: record 17 (byte 1234): no text");
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        let bad = BadRecord::of_file("a\u{1b}]52;c;x\u{7}.txt", "line\nforged \u{202e}");
        let shown = bad.to_string();
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\n', '\u{202e}']), "{shown:?}");
        assert!(shown.contains("\\u{1b}"));
    }
}
