//! JSON Feed, versions 1 and 1.1: one object with a list of items.

use std::sync::Arc;

use retold_core::document::Document;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Feed, Item};
use crate::bad::Fault;
use crate::format::{Chunk, Context, Opened, Source};
use crate::pack::{Documents, Packed, one};
use crate::text::read_whole;

/// Returns whether an object begins here that calls itself a JSON Feed.
pub(super) fn shows(start: &str) -> bool {
    const ADDRESS: &str = "://jsonfeed.org/version/";
    if !start.starts_with('{') {
        return false;
    }
    start.match_indices(ADDRESS).take(8).any(|(at, _)| {
        let before = start[..at].trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let before = before.strip_suffix('"').unwrap_or_default().trim_end();
        before.strip_suffix(':').is_some_and(|rest| rest.trim_end().ends_with("\"version\""))
    })
}

pub(super) fn open(mut opened: Opened) -> Box<dyn Source> {
    let feed = read_whole(&mut opened).and_then(|bytes| Items::new(bytes, &opened.context));
    match feed {
        Ok(items) => Box::new(Packed::new(items)),
        Err(fault) => Box::new(Broken(Some(Fault { record: None, ..fault }))),
    }
}

/// A feed that cannot be read.
struct Broken(Option<Fault>);

impl Source for Broken {
    fn next(&mut self) -> Option<Chunk> {
        self.0.take().map(Chunk::fault)
    }
}

/// What the object says beside its items.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Head {
    title: Option<String>,
    language: Option<String>,
}

/// One element of `items`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Entry {
    title: Option<String>,
    url: Option<String>,
    external_url: Option<String>,
    content_html: Option<String>,
    content_text: Option<String>,
    summary: Option<String>,
    date_published: Option<String>,
    date_modified: Option<String>,
    language: Option<String>,
}

struct Items {
    json: String,
    /// Where the rest of the items begins; `None` at their end.
    at: Option<usize>,
    feed: Feed,
    context: Arc<Context>,
}

impl Items {
    fn new(bytes: Vec<u8>, context: &Arc<Context>) -> Result<Self, Fault> {
        let json = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to() as u64;
            Fault::rest(Some(at), "cannot be read: not UTF-8")
        })?;
        let at = items_at(&json).map_err(|(at, reason)| Fault::rest(Some(at as u64), reason))?;
        // Of a feed that breaks off, the items that are whole are read all the same.
        let head: Head = serde_json::from_str(&json).unwrap_or_default();
        let feed = Feed {
            title: head.title.unwrap_or_default(),
            language: head.language.unwrap_or_default(),
        };
        Ok(Self { json, at: Some(at), feed, context: Arc::clone(context) })
    }
}

impl Documents for Items {
    fn next(&mut self) -> Option<Result<Document, Fault>> {
        let mut at = space(&self.json, self.at?);
        if self.json[at..].starts_with(',') {
            at = space(&self.json, at + 1);
        }
        if self.json[at..].starts_with(']') {
            self.at = None;
            return None;
        }
        let end = match value(&self.json, at) {
            Ok(end) => end,
            Err((at, reason)) => {
                self.at = None;
                let reason = format!("the rest cannot be read: {reason}");
                return Some(Err(Fault::rest(Some(at as u64), reason)));
            }
        };
        self.at = Some(end);
        let entry = serde_json::from_str::<Entry>(&self.json[at..end])
            .map_err(|error| format!("the item cannot be read: {error}"));
        let document = entry.and_then(|entry| Item::from(entry).finish(&self.feed, &self.context));
        Some(document.map_err(|reason| one(at as u64, reason)))
    }
}

impl From<Entry> for Item {
    fn from(entry: Entry) -> Self {
        let mut item = Self {
            title: entry.title.unwrap_or_default(),
            link: entry.url.or(entry.external_url).unwrap_or_default(),
            language: entry.language.unwrap_or_default(),
            ..Self::default()
        };
        item.text.put(1, entry.content_html.unwrap_or_default());
        for (rank, text) in [(2, entry.content_text), (3, entry.summary)] {
            item.is_plain |= item.text.put(rank, text.unwrap_or_default());
        }
        item.time.put(1, entry.date_published.unwrap_or_default());
        item.time.put(2, entry.date_modified.unwrap_or_default());
        item
    }
}

/// Returns where the first item begins, or where and why there is none.
fn items_at(json: &str) -> Result<usize, (usize, String)> {
    let wrong = |at, what: &str| (at, format!("cannot be read: {what}"));
    let mut at = space(json, 0) + 1;
    loop {
        at = space(json, at);
        if json.get(at..).is_none_or(|rest| rest.is_empty() || rest.starts_with('}')) {
            return Err((at, "holds no items: the feed has no `items`".to_owned()));
        }
        if json[at..].starts_with(',') {
            at = space(json, at + 1);
        }
        let end = value(json, at).map_err(|(at, reason)| wrong(at, &reason))?;
        let is_items = json[at..end].trim() == "\"items\"";
        at = space(json, end);
        if !json[at..].starts_with(':') {
            return Err(wrong(at, "a colon is missing"));
        }
        at = space(json, at + 1);
        if is_items && json[at..].starts_with('[') {
            return Ok(at + 1);
        }
        at = value(json, at).map_err(|(at, reason)| wrong(at, &reason))?;
    }
}

/// Returns the end of the value that begins at `at`.
fn value(json: &str, at: usize) -> Result<usize, (usize, String)> {
    let mut values = serde_json::Deserializer::from_str(&json[at..]).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => Ok(at + values.byte_offset()),
        Some(Err(error)) => Err((at, error.to_string())),
        None => Err((at, "the end is missing".to_owned())),
    }
}

fn space(json: &str, at: usize) -> usize {
    let rest = json.get(at..).unwrap_or_default();
    json.len().min(at) + rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len()
}
