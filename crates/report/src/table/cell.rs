//! The value of one column in one row, and how JSON, CSV and Parquet take it.

use retold_core::relation::Passage;
use serde::{Serialize, Serializer};

use super::columns::{Column, RowVisitor, Value};
use super::json::{put_count, put_counts, put_passages, put_share, put_text, put_texts, rounded};

/// The value of one column in one row.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    /// Nothing, in an optional column.
    Absent,
    /// Text from outside.
    Text(&'a str),
    /// A name of ours, which JSON need not escape.
    Name(&'static str),
    /// A whole number.
    Count(u64),
    /// A share between 0 and 1, written with at most six decimals.
    Share(f64),
    /// Yes or no.
    Flag(bool),
    /// Several texts.
    Texts(&'a [&'a str]),
    /// Several whole numbers. CSV and Parquet have them as text with blanks between.
    Counts(&'a [u32]),
    /// Matching passages.
    Passages(&'a [Passage]),
}

impl Cell<'_> {
    /// Returns whether there is no value, or it is 0, `false` or empty.
    pub(super) fn is_empty(self) -> bool {
        match self {
            Self::Absent => true,
            Self::Text(text) | Self::Name(text) => text.is_empty(),
            Self::Count(count) => count == 0,
            Self::Share(share) => rounded(share) <= 0.0,
            Self::Flag(flag) => !flag,
            Self::Texts(texts) => texts.is_empty(),
            Self::Counts(counts) => counts.is_empty(),
            Self::Passages(passages) => passages.is_empty(),
        }
    }

    /// Appends the value as JSON.
    #[expect(clippy::inline_always, reason = "the kind is a constant where this is called")]
    #[inline(always)]
    pub(super) fn put_json(self, out: &mut Vec<u8>) {
        match self {
            Self::Absent => out.extend_from_slice(b"null"),
            Self::Text(text) => put_text(out, text),
            Self::Name(name) => {
                out.push(b'"');
                out.extend_from_slice(name.as_bytes());
                out.push(b'"');
            }
            Self::Count(count) => put_count(out, count),
            Self::Share(share) => put_share(out, share),
            Self::Flag(flag) => out.extend_from_slice(if flag { b"true" } else { b"false" }),
            Self::Texts(texts) => put_texts(out, texts),
            Self::Counts(counts) => put_counts(out, counts),
            Self::Passages(passages) => put_passages(out, passages),
        }
    }
}

/// Turns the cells of a row into the values that CSV and Parquet take.
pub(super) struct Cells<F>(pub(super) F);

impl<F: FnMut(&Value<'_>)> RowVisitor for Cells<F> {
    fn visit(&mut self, _: &'static Column, cell: Cell<'_>) {
        let text;
        (self.0)(&match cell {
            Cell::Absent => Value::Absent,
            Cell::Text(text) | Cell::Name(text) => Value::Text(text),
            Cell::Count(count) => Value::Count(count),
            Cell::Share(share) => Value::Share(share),
            Cell::Flag(flag) => Value::Flag(flag),
            Cell::Texts(texts) => Value::Texts(texts),
            Cell::Counts(counts) => {
                let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
                text = counts.join(" ");
                Value::Text(&text)
            }
            Cell::Passages(passages) => Value::Passages(passages),
        });
    }
}

/// Serialises to what `put_json` appends; only shares below 0.00001 may come as `9e-6`.
impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Absent => serializer.serialize_none(),
            Self::Text(text) | Self::Name(text) => text.serialize(serializer),
            Self::Count(count) => count.serialize(serializer),
            Self::Share(share) => rounded(share).serialize(serializer),
            Self::Flag(flag) => flag.serialize(serializer),
            Self::Texts(texts) => texts.serialize(serializer),
            Self::Counts(counts) => counts.serialize(serializer),
            Self::Passages(passages) => passages.serialize(serializer),
        }
    }
}
