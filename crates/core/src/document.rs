//! What is compared: documents, their place in a run, and stretches of their text.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A document's number in the order in which documents were read, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ordinal(pub u32);

impl Ordinal {
    /// Returns the ordinal as an index into per-document tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Ordinal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A half-open stretch of bytes of a document's original text.
///
/// Written to JSON as `[start, end]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Makes a span; `start` is at most `end`.
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end, "a span ends where it starts or later");
        Self { start, end }
    }

    /// Returns the span as a range for slicing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the stretch of `text` the span names, or `None` if it is not on character borders.
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.range())
    }

    /// Returns the length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Returns whether the span holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl From<(u32, u32)> for Span {
    fn from((start, end): (u32, u32)) -> Self {
        Self { start, end: end.max(start) }
    }
}

impl From<Span> for (u32, u32) {
    fn from(span: Span) -> Self {
        (span.start, span.end)
    }
}

/// How a document's text is marked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Markup {
    /// Plain text: every character counts.
    #[default]
    Plain,
    /// HTML: tags, scripts and styles are not text.
    Html,
    /// A message: what it quotes is not its text.
    Mail,
    /// Markdown: marks, addresses and HTML are not text.
    Markdown,
    /// Wikitext of `MediaWiki`: templates, references and marks are not text.
    Wiki,
    /// LaTeX: commands and formulas are not text.
    Latex,
}

impl Markup {
    /// All kinds, in a fixed order.
    pub const ALL: [Self; 6] =
        [Self::Plain, Self::Html, Self::Mail, Self::Markdown, Self::Wiki, Self::Latex];

    /// Returns the name used in records and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Html => "html",
            Self::Mail => "mail",
            Self::Markdown => "markdown",
            Self::Wiki => "wiki",
            Self::Latex => "latex",
        }
    }

    /// Finds a kind by its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|markup| markup.name() == name)
    }
}

/// A document as a reader hands it over.
///
/// `text` is the decoded original, markup included: all spans are bytes of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Name of the document, unique in a sane collection but not checked.
    pub id: String,
    /// Decoded text with its markup.
    pub text: String,
    /// How `text` is marked up.
    #[serde(default)]
    pub markup: Markup,
    /// Headline, if the record has one. It is shown, not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Time of publication as it was written in the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Publisher, site or agency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Address the document was found at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Language code such as `en` or `tr`, if the record names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Values of the further fields that were asked for, such as that of `--keep field:NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
}

impl Document {
    /// Makes a plain-text document with nothing but a name and a text.
    pub fn plain(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), ..Self::default() }
    }
}
