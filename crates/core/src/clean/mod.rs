//! Markup out, Unicode folded; every later position maps back to bytes of the original.
//!
//! The stage turns a [`Document`] into a [`Text`]: a string to segment, and the
//! [`Alignment`] that leads from its bytes to the bytes of `Document::text`.
//! A text that needs no cleaning is borrowed and its alignment is the identity.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::document::{Document, Markup, Span};

/// What is taken out of marked-up documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Html {
    /// Tags, scripts, styles and comments; all visible text stays.
    #[default]
    Text,
    /// The same, and navigation, link lists and other boilerplate.
    Main,
    /// Nothing: markup is compared like text.
    Keep,
}

/// Unicode normalisation form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Canonical composition: é is é however it was typed.
    #[default]
    Nfc,
    /// Compatibility composition: ligatures, widths and circled letters are folded as well.
    Nfkc,
    /// As it stands.
    None,
}

/// Settings of the stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Clean {
    /// What is taken out of marked-up documents. The default is `text`.
    pub html: Html,
    /// Unicode normalisation form. The default is `nfc`.
    pub form: Form,
}

/// Clean text that remembers where it came from.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    text: Cow<'a, str>,
    alignment: Alignment,
}

impl<'a> Text<'a> {
    /// Cleans a document.
    pub fn of(document: &'a Document, clean: Clean) -> Self {
        Self::new(&document.text, document.markup, clean)
    }

    /// Cleans a string that is marked up as told.
    pub fn new(original: &'a str, markup: Markup, clean: Clean) -> Self {
        // Markup removal and normalisation each yield a string and an alignment; two alignments
        // compose. Filled in by `html` and `unicode`.
        let _ = (markup, clean);
        Self { text: Cow::Borrowed(original), alignment: Alignment::identity() }
    }

    /// Returns the clean text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns where in the original a stretch of the clean text stands.
    pub fn original(&self, span: Span) -> Span {
        self.alignment.original(span)
    }

    /// Returns whether clean positions are original positions.
    pub fn is_original(&self) -> bool {
        self.alignment.is_identity()
    }
}

/// Leads from bytes of a derived string to bytes of its original.
///
/// Stored as the points where the distance between the two changes; between two points the
/// strings run in step, so memory grows with the number of changes, not with the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    points: Vec<(u32, u32)>,
}

impl Alignment {
    /// The alignment of a string with itself.
    pub fn identity() -> Self {
        Self::default()
    }

    /// Returns whether positions are unchanged.
    pub fn is_identity(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns the span in the original.
    pub fn original(&self, span: Span) -> Span {
        span
    }
}
