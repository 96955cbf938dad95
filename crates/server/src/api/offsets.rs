//! Offsets in the units that browsers count in.

use retold::Span;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Unit of offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Offsets {
    /// Bytes of UTF-8.
    #[default]
    Bytes,
    /// Units of UTF-16, as strings of JavaScript are counted.
    Utf16,
}

/// Turns bytes of a text into units of UTF-16.
pub(crate) struct Utf16<'a> {
    text: &'a str,
    is_ascii: bool,
    /// Units before every 64th byte, or the next border of a character.
    steps: Vec<u32>,
}

impl<'a> Utf16<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let is_ascii = text.is_ascii();
        let mut steps = Vec::new();
        if !is_ascii {
            let mut units = 0;
            let mut next = 0;
            for (at, letter) in text.char_indices() {
                while next <= at {
                    steps.push(units);
                    next += 64;
                }
                units += letter.len_utf16() as u32;
            }
        }
        Self { text, is_ascii, steps }
    }

    /// Returns the units before a byte; a byte inside a character counts as its beginning.
    pub(crate) fn offset(&self, byte: u32) -> u32 {
        if self.is_ascii {
            return byte;
        }
        let byte = self.text.floor_char_boundary(byte as usize);
        let step = (byte / 64).min(self.steps.len().saturating_sub(1));
        let start = self.text.ceil_char_boundary((step * 64).min(self.text.len()));
        if start > byte {
            // The border lies in the character that begins before the step.
            let before = self.text.floor_char_boundary(step * 64 - 1);
            let units: usize = self.text[before..start].chars().map(char::len_utf16).sum();
            return self.steps.get(step).copied().unwrap_or(0) - units as u32;
        }
        let units: usize = self.text[start..byte].chars().map(char::len_utf16).sum();
        self.steps.get(step).copied().unwrap_or(0) + units as u32
    }

    /// Counts the places of written passages so, which stand in this text and in another.
    pub(crate) fn count_passages(&self, other: &Utf16<'_>, passages: &mut Value) {
        for passage in passages.as_array_mut().into_iter().flatten() {
            for (name, text) in [("a", self), ("b", other)] {
                for end in passage[name].as_array_mut().into_iter().flatten() {
                    let byte = end.as_u64().unwrap_or(0);
                    *end = Value::from(text.offset(u32::try_from(byte).unwrap_or(u32::MAX)));
                }
            }
        }
    }

    pub(crate) fn span(&self, span: Span) -> Span {
        Span::new(self.offset(span.start), self.offset(span.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_those_of_a_plain_count() {
        let text = format!("a{}ß😀x{}", "é😀".repeat(50), "日本".repeat(40));
        let counted = Utf16::of(&text);
        let mut units = 0;
        for (at, letter) in text.char_indices() {
            assert_eq!(counted.offset(at as u32), units, "byte {at}");
            units += letter.len_utf16() as u32;
        }
        assert_eq!(counted.offset(text.len() as u32), units);
        assert_eq!(Utf16::of("plain").offset(3), 3);
    }
}
