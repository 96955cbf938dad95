//! What is remembered of a document, and how it is written down.

use retold_core::document::{Document, Markup, Ordinal, Span};
use retold_read::Place;

use super::bytes::{Taking, put_number, put_some_text, put_text};
use crate::error::Error;
use crate::keep::Keep;
use crate::time::sortable;

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
    pub(crate) ranks: Ranks,
}

/// What the record says of a document that may decide which one is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranks {
    pub(crate) time: Option<Box<str>>,
    pub(crate) source: Option<Box<str>>,
    /// Value of the field that the policy names, if it names one; of several, all values as a list in
    /// JSON.
    pub(crate) field: Option<Box<str>>,
}

impl Ranks {
    /// Takes from a document what a policy may ask for. Times and sources are taken whatever it asks
    /// for: a result can be regrouped by another policy.
    pub(crate) fn of(document: &Document, keep: &Keep) -> Self {
        let boxed = |value: &String| value.as_str().into();
        let field = match &keep.fields()[..] {
            [] => None,
            [name] => document.fields.get(*name).cloned(),
            names => {
                let values: Vec<Option<&String>> =
                    names.iter().map(|&name| document.fields.get(name)).collect();
                serde_json::to_string(&values).ok()
            }
        };
        Self {
            time: document.time.as_ref().map(boxed),
            source: document.source.as_ref().map(boxed),
            field: field.map(Into::into),
        }
    }

    /// Returns what one of the policies of `keep` ranks by.
    pub(crate) fn by(self, keep: &Keep, step: &Keep) -> Option<Box<str>> {
        let value = match step {
            Keep::Oldest | Keep::Newest => self.time.and_then(|time| Some(sortable(&time)?.into())),
            Keep::Source(_) => self.source,
            Keep::Field(_) | Keep::FieldDescending(_) | Keep::Score(_) => {
                let place = keep.place_of(step)?;
                if keep.fields().len() == 1 {
                    self.field
                } else {
                    let values: Vec<Option<Box<str>>> = serde_json::from_str(&self.field?).ok()?;
                    values.into_iter().nth(place)?
                }
            }
            Keep::Longest | Keep::First | Keep::Then(_) => None,
        };
        let is_number = |value: &str| value.parse::<f64>().is_ok_and(f64::is_finite);
        value.filter(|value| !matches!(step, Keep::Score(_)) || is_number(value))
    }

    fn put(&self, out: &mut Vec<u8>) {
        for text in [&self.time, &self.source, &self.field] {
            put_some_text(out, text.as_deref());
        }
    }

    pub(super) fn take(taking: &mut Taking<'_>) -> Result<Self, Error> {
        let mut text = || Ok::<_, Error>(taking.some_text()?.map(Into::into));
        Ok(Self { time: text()?, source: text()?, field: text()? })
    }
}

impl Entry {
    /// Returns the language that the record names. A detected one is only reported: words are
    /// folded in the second pass as they were in the first.
    pub(crate) fn named_language(&self) -> Option<&str> {
        self.language.as_deref().filter(|_| !self.is_language_detected)
    }

    /// Writes down what is not kept at hand; the id comes first, then the ranks.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_text(out, &self.id);
        self.ranks.put(out);
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
        out.push(self.markup as u8 | u8::from(self.is_language_detected) << 7);
        put_some_text(out, self.language.as_deref());
        put_number(out, u64::from(self.extent.start));
        put_number(out, self.extent.len() as u64);
        out.extend_from_slice(&self.text_hash.to_le_bytes());
    }

    /// Reads it back; what is kept at hand is for the caller to fill in.
    pub(crate) fn take(record: &[u8]) -> Result<Self, Error> {
        let mut taking = Taking(record);
        let id = taking.text()?.into();
        let ranks = Ranks::take(&mut taking)?;
        let (file, number) = (taking.small()?, taking.number()?);
        let (kind, start, len) = (taking.byte()?, taking.number()?, taking.number()?);
        let flags = taking.byte()?;
        let markup = Markup::ALL.get(usize::from(flags & 0x7f)).copied().unwrap_or_default();
        let language = taking.some_text()?.map(Into::into);
        let (extent_start, extent_len) = (taking.small()?, taking.small()?);
        Ok(Self {
            id,
            place: Place { file, record: number, again: (kind == 1).then(|| start..start + len) },
            spooled: (kind == 2).then_some((start, len as u32)),
            markup,
            language,
            is_language_detected: flags & 0x80 != 0,
            n_words: 0,
            extent: Span::new(extent_start, extent_start + extent_len),
            text_hash: taking.fixed()?,
            is_cut: false,
            copy_of: None,
            is_too_short: false,
            ranks,
        })
    }
}
