//! What is remembered of a document, and how it is written down.

use retold_core::document::{Document, Markup, Ordinal, Span};
use retold_read::Place;

use super::bytes::{Taking, put_number, put_some_text, put_text};
use crate::error::Error;
use crate::job::Keep;

/// One document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) id: Box<str>,
    pub(crate) place: Place,
    /// Where its text lies in the scratch file, if it cannot be read again from its own.
    pub(crate) spooled: Option<(u64, u32)>,
    pub(crate) markup: Markup,
    /// The language that is reported: named by the record, or detected.
    pub(crate) language: Option<Box<str>>,
    pub(crate) is_language_detected: bool,
    pub(crate) n_words: u32,
    /// From its first to its last word, in bytes of the original.
    pub(crate) extent: Span,
    /// Hash of the original text: equal texts have equal spans.
    pub(crate) text_hash: u64,
    pub(crate) is_cut: bool,
    /// The first document with the same words in the same order, if it is not this one.
    pub(crate) copy_of: Option<Ordinal>,
    /// Whether the document has too little text for the method to judge it.
    pub(crate) is_too_short: bool,
    /// What [`Keep`] ranks by, where it is not the words or the order.
    pub(crate) rank: Option<Box<str>>,
}

impl Entry {
    /// Returns the language that the record names. A detected one is only reported: words are
    /// folded in the second pass as they were in the first.
    pub(crate) fn named_language(&self) -> Option<&str> {
        self.language.as_deref().filter(|_| !self.is_language_detected)
    }

    /// Writes down what is not kept at hand; the id comes first, then the rank.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_text(out, &self.id);
        put_some_text(out, self.rank.as_deref());
        put_number(out, u64::from(self.place.file));
        put_number(out, self.place.record);
        let (kind, start, len) = match (&self.place.again, self.spooled) {
            (_, Some((start, len))) => (2, start, u64::from(len)),
            (Some(again), None) => (1, again.start, again.end - again.start),
            (None, None) => (0, 0, 0),
        };
        out.push(kind);
        put_number(out, start);
        put_number(out, len);
        let is_html = self.markup == Markup::Html;
        out.push(u8::from(is_html) | u8::from(self.is_language_detected) << 1);
        put_some_text(out, self.language.as_deref());
        put_number(out, u64::from(self.extent.start));
        put_number(out, self.extent.len() as u64);
        out.extend_from_slice(&self.text_hash.to_le_bytes());
    }

    /// Reads it back; what is kept at hand is for the caller to fill in.
    pub(crate) fn take(record: &[u8]) -> Result<Self, Error> {
        let mut taking = Taking(record);
        let id = taking.text()?.into();
        let rank = taking.some_text()?.map(Into::into);
        let (file, number) = (taking.small()?, taking.number()?);
        let (kind, start, len) = (taking.byte()?, taking.number()?, taking.number()?);
        let flags = taking.byte()?;
        let markup = if flags & 1 == 1 { Markup::Html } else { Markup::Plain };
        let language = taking.some_text()?.map(Into::into);
        let (extent_start, extent_len) = (taking.small()?, taking.small()?);
        Ok(Self {
            id,
            place: Place { file, record: number, again: (kind == 1).then(|| start..start + len) },
            spooled: (kind == 2).then_some((start, len as u32)),
            markup,
            language,
            is_language_detected: flags & 2 == 2,
            n_words: 0,
            extent: Span::new(extent_start, extent_start + extent_len),
            text_hash: taking.fixed()?,
            is_cut: false,
            copy_of: None,
            is_too_short: false,
            rank,
        })
    }
}

/// Returns what a policy ranks a document by, if it is a field of the record.
pub(crate) fn rank_of(document: &Document, keep: &Keep) -> Option<Box<str>> {
    let value = match keep {
        Keep::Oldest | Keep::Newest => document.time.as_ref(),
        Keep::Source(_) => document.source.as_ref(),
        Keep::Field(name) | Keep::FieldDescending(name) => document.fields.get(name),
        Keep::Longest | Keep::First => None,
    };
    value.map(|value| value.as_str().into())
}
