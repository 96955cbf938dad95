//! Markup out, Unicode folded; every later position maps back to bytes of the original.
//!
//! The stage turns a [`Document`] into a [`Text`]: a string to segment, and the
//! [`Alignment`] that leads from its bytes to the bytes of `Document::text`.
//! A text that needs no cleaning is borrowed and its alignment is the identity.

// Nothing is taken for granted of a text but what the line says that does.
#![deny(clippy::expect_used, clippy::unwrap_used)]

pub mod language;

mod ahead;
mod alignment;
mod boilerplate;
mod element_stack;
mod elements;
mod html;
mod latex;
mod mail;
mod markdown;
pub mod quotations;
mod taken;
mod unicode;
mod wiki;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::document::{Document, Markup, Span};

pub use alignment::{Alignment, Cursor};

/// What is taken out of marked-up documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Html {
    /// Tags, scripts, styles and comments; all visible text stays. Of a message, what it quotes; of
    /// Markdown, wikitext and LaTeX, the marks.
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
    /// The longest original, in bytes: normalisation may triple it, and spans count to 4 GiB.
    pub const MAX_BYTES: usize = 1 << 30;

    /// Cleans a document.
    pub fn of(document: &'a Document, clean: Clean) -> Self {
        Self::new(&document.text, document.markup, clean)
    }

    /// Cleans a string that is marked up as told.
    ///
    /// Bytes past [`Text::MAX_BYTES`] are left out.
    pub fn new(original: &'a str, markup: Markup, clean: Clean) -> Self {
        let original = &original[..char_floor(original, Self::MAX_BYTES)];
        let (text, alignment) = match (markup, clean.html) {
            (Markup::Html, Html::Text) => html::visible(original),
            (Markup::Html, Html::Main) => boilerplate::main_content(original),
            (Markup::Mail, Html::Text | Html::Main) => mail::own_words(original),
            (Markup::Markdown, Html::Text | Html::Main) => markdown::shown(original),
            (Markup::Wiki, Html::Text | Html::Main) => wiki::shown(original),
            (Markup::Latex, Html::Text | Html::Main) => latex::shown(original),
            (Markup::Plain, _) | (_, Html::Keep) => {
                (Cow::Borrowed(original), Alignment::identity())
            }
        };
        match unicode::normalise(&text, clean.form) {
            None => Self { text, alignment },
            Some((text, outer)) => {
                Self { text: Cow::Owned(text), alignment: outer.through(alignment) }
            }
        }
    }

    /// Returns the clean text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns where in the original a stretch of the clean text stands.
    pub fn original(&self, span: Span) -> Span {
        self.alignment.original(span)
    }

    /// Returns a cursor that does the same for spans in increasing order, in constant time each.
    pub fn cursor(&self) -> Cursor<'_> {
        self.alignment.cursor()
    }

    /// Returns whether clean positions are original positions.
    pub fn is_original(&self) -> bool {
        self.alignment.is_identity()
    }
}

/// Returns the last border of characters of `text` at or before `at`.
pub(crate) fn char_floor(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
