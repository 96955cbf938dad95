//! News feeds: RSS, Atom, RDF (RSS 1.0) and JSON Feed. Every item is a document.
//!
//! The text is the fullest that the item brings: `content:encoded` or `content` before
//! `description` before `summary`; an item with nothing but a title has that as its text. Title, link
//! and time are those of the item; its source is what the item names as such, else the title of the
//! feed. A text is HTML unless the feed says otherwise.

mod json;
mod xml;

use retold_core::clean::{Clean, Text};
use retold_core::document::{Document, Markup};

use crate::annotations::root;
use crate::format::{Context, Input, Opened, Source, Spec};
use crate::sniff::Look;
use crate::text::too_large;

pub(crate) static SPEC: Spec = Spec {
    endings: &["rss", "atom", "rdf"],
    input: Input::Utf8,
    is_collection: true,
    shows: |look| shows_xml(look) || json::shows(look.start()),
    open,
};

fn open(mut opened: Opened) -> Box<dyn Source> {
    let is_json = opened.stream.head().is_ok_and(|head| head.trim_ascii_start().starts_with(b"{"));
    if is_json { json::open(opened) } else { xml::open(opened) }
}

/// Returns whether the root element is one that feeds have.
fn shows_xml(look: &Look<'_>) -> bool {
    let Some((name, tag)) = root(look.start()) else { return false };
    match name {
        "rss" => true,
        "feed" => tag.contains("Atom") || tag.contains("purl.org/atom"),
        "RDF" => tag.contains("purl.org/rss") || tag.contains("my.netscape.com/rdf"),
        _ => false,
    }
}

/// An item in the making.
#[derive(Debug, Default)]
struct Item {
    title: String,
    link: String,
    source: String,
    language: String,
    time: Ranked,
    text: Ranked,
    /// Whether the text is plain and not HTML.
    is_plain: bool,
}

/// A value that may stand under several names, the best of which counts.
#[derive(Debug, Default)]
struct Ranked {
    rank: u8,
    value: String,
}

impl Ranked {
    /// Takes a value that is not blank if its name is better than what is there; 1 is the best.
    fn put(&mut self, rank: u8, value: String) -> bool {
        let is_better = !value.trim().is_empty() && (self.rank == 0 || rank < self.rank);
        if is_better {
            *self = Self { rank, value };
        }
        is_better
    }
}

/// What a feed says about itself, for items that do not say it.
#[derive(Debug, Default)]
struct Feed {
    title: String,
    language: String,
}

impl Item {
    fn finish(self, feed: &Feed, context: &Context) -> Result<Document, String> {
        let title = plain(&self.title);
        let (text, is_plain) = if self.text.rank == 0 {
            (title.clone(), true)
        } else {
            (self.text.value, self.is_plain)
        };
        if text.is_empty() {
            return Err("the item has neither a text nor a title".to_owned());
        }
        let limit = context.limits().document_bytes;
        if text.len() as u64 > limit {
            return Err(too_large(limit));
        }
        let has_markup = !is_plain && text.contains(['<', '&']);
        let some = |value: &str| (!value.trim().is_empty()).then(|| value.trim().to_owned());
        let source = if self.source.trim().is_empty() { &feed.title } else { &self.source };
        let language = some(&self.language).or_else(|| some(&feed.language));
        Ok(Document {
            text,
            markup: if has_markup { Markup::Html } else { Markup::Plain },
            title: some(&title),
            time: some(&self.time.value),
            source: some(&plain(source)),
            url: some(&self.link),
            language,
            ..Document::default()
        })
    }
}

/// Returns a value without the HTML that titles may hold, on one line.
fn plain(value: &str) -> String {
    let text = if value.contains(['<', '&']) {
        Text::new(value, Markup::Html, Clean::default()).as_str().to_owned()
    } else {
        value.to_owned()
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
