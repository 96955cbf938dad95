//! Lines of text, one at a time.

use std::io::{BufRead, Read as _};

use super::error::ListError;

/// The longest line that is read. A cluster of a million names fits.
const MAX_LINE_BYTES: u64 = 256 << 20;

/// Reads lines into one buffer.
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), number: 0 }
    }

    /// Returns the number of the line that was handed out last, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the next line without its end. Blank lines and remarks (`# …`) are passed over.
    pub(super) fn next_line(&mut self) -> Result<Option<&str>, ListError> {
        loop {
            self.buffer.clear();
            self.number += 1;
            let mut limited = self.input.by_ref().take(MAX_LINE_BYTES);
            if limited.read_until(b'\n', &mut self.buffer)? == 0 {
                return Ok(None);
            }
            if self.buffer.last() == Some(&b'\n') {
                self.buffer.pop();
            } else if self.buffer.len() as u64 == MAX_LINE_BYTES {
                let reason = format!("the line is longer than {MAX_LINE_BYTES} bytes");
                return Err(ListError::line(self.number, reason));
            }
            if self.buffer.last() == Some(&b'\r') {
                self.buffer.pop();
            }
            if self.number == 1 && self.buffer.starts_with("\u{feff}".as_bytes()) {
                self.buffer.drain(..3);
            }
            let is_remark = self.buffer == b"#" || self.buffer.starts_with(b"# ");
            if !is_remark && !self.buffer.iter().all(u8::is_ascii_whitespace) {
                break;
            }
        }
        let number = self.number;
        std::str::from_utf8(&self.buffer)
            .map(Some)
            .map_err(|_| ListError::line(number, "the line is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_and_remarks_are_passed_over_but_counted() {
        let text = "\u{feff}# a list\r\n\none\r\n  \n#two\nthree";
        let mut lines = Lines::new(text.as_bytes());
        let mut seen = Vec::new();
        while let Some(line) = lines.next_line().expect("it is text") {
            let line = line.to_owned();
            seen.push((lines.number(), line));
        }
        let expected = [(3, "one"), (5, "#two"), (6, "three")];
        assert_eq!(seen, expected.map(|(number, line)| (number, line.to_owned())));
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        let mut lines = Lines::new(&b"good\n\xff\n"[..]);
        assert!(lines.next_line().is_ok());
        let error = lines.next_line().err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("line 2: the line is not UTF-8"));
    }
}
