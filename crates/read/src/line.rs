//! Single lines of JSON: for streams that must be answered line by line.

use std::io::{self, BufRead};

use retold_core::document::Document;

use crate::bad::BadRecord;
use crate::fields::Names;
use crate::jsonl::too_long;
use crate::options::{Limits, ReadOptions};
use crate::scan;

/// Reads documents off a stream of JSON Lines as soon as each line is complete.
pub struct LineReader<R> {
    input: R,
    names: Names,
    limits: Limits,
    n_lines: u64,
    offset: u64,
    line: Vec<u8>,
}

impl<R: BufRead> LineReader<R> {
    /// Makes a reader.
    pub fn new(input: R, options: &ReadOptions) -> Self {
        let (names, limits) = (Names::new(options), options.limits);
        Self { input, names, limits, n_lines: 0, offset: 0, line: Vec::new() }
    }

    /// Returns the next document or why there is none; `None` at the end. Blank lines are passed
    /// over.
    ///
    /// *Errors* if the stream cannot be read.
    pub fn next_document(&mut self) -> io::Result<Option<Result<Document, BadRecord>>> {
        loop {
            let offset = self.offset;
            let Some(is_whole) = self.next_line()? else { return Ok(None) };
            self.n_lines += 1;
            let bad = |at: usize, reason: String| BadRecord {
                file: "-".to_owned(),
                record: Some(self.n_lines - 1),
                offset: Some(offset + at as u64),
                reason,
            };
            if self.line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if !is_whole {
                return Ok(Some(Err(bad(0, too_long(self.limits.line_bytes)))));
            }
            return Ok(Some(match std::str::from_utf8(&self.line) {
                Err(error) => Err(bad(error.valid_up_to(), "the line is not UTF-8".to_owned())),
                Ok(json) => {
                    let found = scan::document(json, &self.names, self.limits.json_depth);
                    let numbered = |mut document: Document| {
                        if document.id.is_empty() {
                            document.id = format!("-:{}", self.n_lines - 1);
                        }
                        document
                    };
                    found.map(numbered).map_err(|error| bad(error.at, error.reason))
                }
            }));
        }
    }

    /// Reads a line, at most as much of it as the limit allows; returns whether that was all.
    fn next_line(&mut self) -> io::Result<Option<bool>> {
        self.line.clear();
        let (mut is_whole, mut has_any) = (true, false);
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() {
                return Ok(has_any.then_some(is_whole));
            }
            has_any = true;
            let end = memchr::memchr(b'\n', buffer);
            let piece = &buffer[..end.unwrap_or(buffer.len())];
            let room = (self.limits.line_bytes as usize).saturating_sub(self.line.len());
            is_whole &= piece.len() <= room;
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
            let used = piece.len() + usize::from(end.is_some());
            self.input.consume(used);
            self.offset += used as u64;
            if end.is_some() {
                return Ok(Some(is_whole));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_is_told_by_number_and_byte_and_the_next_one_is_read() {
        let text = "{\"id\":\"a\",\"text\":\"x\"}\n\n{oops\n{\"text\":\"y\"}";
        let mut lines = LineReader::new(text.as_bytes(), &ReadOptions::default());
        let mut next = || lines.next_document().expect("memory can be read");
        assert_eq!(next().expect("a line").expect("a document").id, "a");
        let bad = next().expect("a line").expect_err("no JSON");
        assert_eq!((bad.record, bad.offset), (Some(2), Some(24)));
        assert_eq!(next().expect("a line").expect("a document").id, "-:3");
        assert!(next().is_none());
    }

    #[test]
    fn a_line_beyond_the_limit_is_refused_without_being_held() {
        let mut options = ReadOptions::default();
        options.limits.line_bytes = 32;
        let text = format!("{{\"text\":\"{}\"}}\n{{\"text\":\"y\"}}\n", "x".repeat(1000));
        let mut lines = LineReader::new(text.as_bytes(), &options);
        assert!(lines.next_document().expect("memory can be read").expect("a line").is_err());
        assert!(lines.line.len() <= 32);
        assert!(lines.next_document().expect("memory can be read").expect("a line").is_ok());
    }
}
