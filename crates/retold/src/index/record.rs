//! What an index keeps of a document beside its id and its text.

use std::collections::BTreeMap;
use std::path::PathBuf;

use retold_core::document::{Document, Markup};
use retold_core::hash;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::stream::Told;

/// The record of a document, stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    #[serde(default, skip_serializing_if = "is_plain")]
    markup: Markup,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    fields: BTreeMap<String, String>,
    /// Where the text stands, if the index does not hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reference: Option<Reference>,
    /// What a stream said of it, if it came through one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) streamed: Option<Streamed>,
}

/// What a stream said of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Streamed {
    /// Name of the stream.
    pub(super) stream: String,
    /// What it belongs to.
    #[serde(flatten)]
    pub(super) told: Told,
}

/// Where a text stands that the index does not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Reference {
    /// The file.
    pub(super) path: PathBuf,
    /// Number of the record in it.
    pub(super) record: u64,
    /// Bytes of the record.
    pub(super) start: u64,
    pub(super) end: u64,
    /// Hash of the text, as 32 hexadecimal digits.
    pub(super) hash: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_plain(markup: &Markup) -> bool {
    *markup == Markup::Plain
}

/// Returns the hash by which a text that lies elsewhere is known again.
pub(super) fn text_hash(text: &str) -> String {
    format!("{:016x}{:016x}", hash::bytes(text.as_bytes(), 1), hash::bytes(text.as_bytes(), 2))
}

impl Record {
    pub(super) fn of(document: &Document, reference: Option<Reference>) -> Self {
        let Document { id: _, text: _, markup, title, time, source, url, language, fields } =
            document;
        Self {
            markup: *markup,
            title: title.clone(),
            time: time.clone(),
            source: source.clone(),
            url: url.clone(),
            language: language.clone(),
            fields: fields.clone(),
            reference,
            streamed: None,
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a record is plain data")
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(bytes)
            .map_err(|error| Error::Internal(format!("a stored record cannot be read: {error}")))
    }

    pub(super) fn into_document(self, id: String, text: String) -> Document {
        let Self { markup, title, time, source, url, language, fields, reference: _, streamed: _ } =
            self;
        Document { id, text, markup, title, time, source, url, language, fields }
    }

    /// Returns the value of a field by its name.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        match name {
            "title" => self.title.as_deref(),
            "time" => self.time.as_deref(),
            "source" => self.source.as_deref(),
            "url" => self.url.as_deref(),
            "language" => self.language.as_deref(),
            other => self.fields.get(other).map(String::as_str),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_comes_back_from_its_record() {
        let document = Document {
            title: Some("Quay".into()),
            time: Some("2026-01-05".into()),
            fields: [("desk".to_owned(), "port".to_owned())].into(),
            markup: Markup::Html,
            ..Document::plain("a", "<p>text")
        };
        let bytes = Record::of(&document, None).to_bytes();
        let record = Record::from_bytes(&bytes).expect("as just written");
        assert_eq!((record.field("desk"), record.field("source")), (Some("port"), None));
        assert_eq!(record.into_document("a".into(), "<p>text".into()), document);
        assert!(Record::from_bytes(b"[").is_err());
    }
}
