//! Cells of a line.

use csv_core::{ReadRecordResult, Reader};

/// What stands between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delimiter {
    Tab,
    /// With quotes, as in CSV; a quoted cell ends in its line.
    Comma,
    /// Any white space.
    Space,
}

impl Delimiter {
    /// Tells it from a line: names may hold spaces and commas, so a tab goes before a comma, and
    /// that before a space.
    pub(super) fn of(line: &str) -> Self {
        if line.contains('\t') {
            Self::Tab
        } else if line.contains(',') {
            Self::Comma
        } else {
            Self::Space
        }
    }
}

/// Splits lines into cells; white space around cells does not count.
#[derive(Debug)]
pub(super) struct Cells {
    delimiter: Delimiter,
    /// Unquoted text of a comma-separated line, and where its cells end.
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Cells {
    pub(super) fn new(delimiter: Delimiter) -> Self {
        Self { delimiter, text: Vec::new(), ends: Vec::new() }
    }

    /// Calls `each` with the number of a cell and the cell, in order.
    pub(super) fn of<'a>(&'a mut self, line: &'a str, mut each: impl FnMut(usize, &'a str)) {
        match self.delimiter {
            Delimiter::Tab => {
                line.split('\t').enumerate().for_each(|(at, cell)| each(at, cell.trim()));
            }
            Delimiter::Space => {
                line.split_whitespace().enumerate().for_each(|(at, cell)| each(at, cell));
            }
            Delimiter::Comma => {
                self.unquote(line);
                let mut start = 0;
                for (at, &end) in self.ends.iter().enumerate() {
                    // Taking quotes away leaves text as it was.
                    let cell = std::str::from_utf8(&self.text[start..end]).unwrap_or_default();
                    each(at, cell.trim());
                    start = end;
                }
            }
        }
    }

    fn unquote(&mut self, line: &str) {
        // Cells are never longer than their line, and there are no more than bytes and one.
        self.text.resize(line.len() + 1, 0);
        self.ends.resize(line.len() + 2, 0);
        let mut reader = Reader::new();
        let (mut read, mut written, mut n_cells) = (0, 0, 0);
        loop {
            let (result, n_in, n_out, n_ends) = reader.read_record(
                &line.as_bytes()[read..],
                &mut self.text[written..],
                &mut self.ends[n_cells..],
            );
            read += n_in;
            written += n_out;
            n_cells += n_ends;
            match result {
                // An empty input tells the reader that the line is over.
                ReadRecordResult::InputEmpty => {}
                _ => break,
            }
        }
        self.ends.truncate(n_cells);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(delimiter: Delimiter, line: &str) -> Vec<String> {
        let mut seen = Vec::new();
        Cells::new(delimiter).of(line, |_, cell| seen.push(cell.to_owned()));
        seen
    }

    #[test]
    fn names_may_hold_what_does_not_separate() {
        assert_eq!(Delimiter::of("terms of use, v1\tb c"), Delimiter::Tab);
        assert_eq!(cells(Delimiter::Tab, "terms, v1\t b c\t"), ["terms, v1", "b c", ""]);
        assert_eq!(cells(Delimiter::Space, " a   b "), ["a", "b"]);
    }

    #[test]
    fn quotes_are_taken_off() {
        assert_eq!(
            cells(Delimiter::Comma, r#""terms, v1","say ""so""",şey"#),
            ["terms, v1", r#"say "so""#, "şey"]
        );
        assert_eq!(cells(Delimiter::Comma, "a,,b"), ["a", "", "b"]);
        assert_eq!(cells(Delimiter::Comma, r#"a,"open"#), ["a", "open"]);
        assert_eq!(cells(Delimiter::Comma, ","), ["", ""]);
    }
}
