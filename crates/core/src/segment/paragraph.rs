//! Paragraphs: stretches of text between blank lines.
//!
//! A line ends at LF, CR, CR LF, VT, FF, NEL or LS, in any mix; a line with nothing but white
//! space is blank. PS ends a paragraph by itself. Block-level elements of HTML have become blank
//! lines before this stage.

use std::ops::Range;

/// Returns the byte ranges of the paragraphs of `text`, in order, white space around them left
/// out. None is empty.
pub fn paragraphs(text: &str) -> Paragraphs<'_> {
    Paragraphs { text, at: 0 }
}

/// Iterator over the paragraphs of a text; see [`paragraphs`].
#[derive(Clone, Debug)]
pub struct Paragraphs<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Paragraphs<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let mut found: Option<Range<usize>> = None;
        while self.at < self.text.len() {
            let line = next_line(self.text, self.at);
            let start = self.at;
            self.at = line.next;
            let content = &self.text[start..line.end];
            let trimmed = content.trim_start();
            if trimmed.is_empty() {
                if found.is_some() {
                    break;
                }
                continue;
            }
            let first = line.end - trimmed.len();
            let last = first + trimmed.trim_end().len();
            found = Some(found.map_or(first, |range| range.start)..last);
            if line.ends_paragraph {
                break;
            }
        }
        found
    }
}

/// Returns the byte ranges of the lines of `text`, in order, each with its line end.
pub fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        at = (start < text.len()).then(|| next_line(text, start).next)?;
        Some(start..at)
    })
}

struct Line {
    /// End of its content.
    end: usize,
    /// Start of the line after it.
    next: usize,
    ends_paragraph: bool,
}

fn next_line(text: &str, start: usize) -> Line {
    let bytes = text.as_bytes();
    let mut at = start;
    while let Some(step) = bytes[at..].iter().position(|b| matches!(b, 0x0A..=0x0D | 0xC2 | 0xE2)) {
        at += step;
        let (len, ends_paragraph) = match &bytes[at..] {
            [b'\r', b'\n', ..] | [0xC2, 0x85, ..] => (2, false),
            [0x0A..=0x0D, ..] => (1, false),
            [0xE2, 0x80, 0xA8, ..] => (3, false),
            [0xE2, 0x80, 0xA9, ..] => (3, true),
            _ => {
                at += 1;
                continue;
            }
        };
        return Line { end: at, next: at + len, ends_paragraph };
    }
    Line { end: bytes.len(), next: bytes.len(), ends_paragraph: false }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        paragraphs(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn blank_lines_part_paragraphs_and_single_line_ends_do_not() {
        assert_eq!(texts("one\ntwo\n\nthree\n \t \n\n four \n"), ["one\ntwo", "three", "four"]);
        assert_eq!(texts(""), [""; 0]);
        assert_eq!(texts(" \n\n\t\n"), [""; 0]);
        assert_eq!(texts("\n\n\none"), ["one"]);
    }

    #[test]
    fn all_line_ends_count_the_same_in_any_mix() {
        let ends = ["\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\u{B}", "\u{C}"];
        for a in ends {
            for b in ends {
                if (a, b) != ("\r", "\n") {
                    assert_eq!(texts(&format!("one{a}{b}two")), ["one", "two"], "{a:?} {b:?}");
                }
            }
            assert_eq!(texts(&format!("one{a}two")).len(), 1, "{a:?}");
        }
        assert_eq!(texts("one\u{2029}two"), ["one", "two"]);
    }

    #[test]
    fn characters_with_the_same_lead_bytes_end_no_line() {
        assert_eq!(texts("a “b” … «c»\u{A0}d"), ["a “b” … «c»\u{A0}d"]);
    }

    proptest! {
        #[test]
        fn paragraphs_hold_everything_but_white_space(text in "[ab \n\r\u{85}\u{2028}\u{2029}é…]{0,40}") {
            let squeeze = |text: &str| text.split_whitespace().collect::<String>();
            let mut end = 0;
            let mut held = String::new();
            for range in paragraphs(&text) {
                prop_assert!(range.start >= end && !range.is_empty());
                end = range.end;
                held.push_str(&text[range]);
            }
            prop_assert_eq!(squeeze(&held), squeeze(&text));
        }
    }
}
