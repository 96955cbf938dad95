//! Feeds in XML.
//!
//! Many feeds are not well-formed, so elements are told by their names alone: an item ends where its
//! element ends or the next one begins, and a field with its end tag. Nothing outside the file is
//! read, and entities that it declares are refused; those of HTML stay in the text, which is HTML.

use std::io::BufReader;
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use retold_core::document::Document;

use super::{Feed, Item};
use crate::bad::Fault;
use crate::encoding::{Encoding, Transcoder};
use crate::format::{Context, Opened, Source};
use crate::metered::{Meter, Metered};
use crate::office::attribute;
use crate::pack::{Documents, Packed, one};
use crate::stream::Stream;
use crate::text::too_large;

/// Bytes of names of elements that may be open at a time; the parser keeps them.
const OPEN_BYTES: usize = 1 << 20;
/// Longest value of a field other than the text.
const VALUE_BYTES: usize = 64 << 10;

pub(super) fn open(opened: Opened) -> Box<dyn Source> {
    let limit = opened.context.limits().document_bytes;
    // Invalid bytes are replaced here, because the parser would stop at the first.
    let stream = Stream::new(Transcoder::new(opened.stream, Encoding::UTF_8));
    // Escapes take up to six bytes for one, most of them four for one in six.
    let (stream, meter) = Metered::new(stream, limit.saturating_mul(2), too_large(limit));
    let mut reader = Reader::from_reader(BufReader::with_capacity(64 << 10, stream));
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    Box::new(Packed::new(Items {
        reader,
        meter,
        context: opened.context,
        buffer: Vec::new(),
        feed: Feed::default(),
        item: None,
        field: None,
        open_bytes: 0,
        inside: Vec::new(),
        has_root: false,
        is_done: false,
    }))
}

struct Items {
    reader: Reader<BufReader<Metered>>,
    meter: Meter,
    context: Arc<Context>,
    buffer: Vec<u8>,
    feed: Feed,
    /// The item being read, and the byte at which it begins.
    item: Option<(Item, u64)>,
    field: Option<Field>,
    /// Bytes of the names of open elements.
    open_bytes: usize,
    /// Elements of the feed, such as `image`, whose children are not the feed's own.
    inside: Vec<&'static str>,
    has_root: bool,
    is_done: bool,
}

/// A field being read.
struct Field {
    part: Part,
    /// Name of its element, with the prefix.
    name: String,
    /// Elements of the same name inside it.
    depth: u32,
    /// Whether elements inside it are the text itself, not escaped.
    is_markup: bool,
    is_plain: bool,
    value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Title,
    Link,
    /// An address if there is no link.
    Guid,
    Source,
    Language,
    Time(u8),
    Text(u8),
}

/// Elements of a feed that have a title of their own.
const INSIDE: [&str; 5] = ["image", "textinput", "textInput", "author", "generator"];

impl Documents for Items {
    fn next(&mut self) -> Option<Result<Document, Fault>> {
        if self.is_done {
            return None;
        }
        match self.document() {
            Ok(found) => {
                self.is_done = found.is_none();
                found
            }
            Err(reason) => {
                self.is_done = true;
                Some(Err(Fault::rest(Some(self.reader.buffer_position()), reason)))
            }
        }
    }
}

impl Items {
    /// Reads up to the end of the next item; `Err` is the end of the file.
    fn document(&mut self) -> Result<Option<Result<Document, Fault>>, String> {
        self.meter.reset();
        loop {
            if self.item.is_none() && self.field.is_none() {
                self.meter.reset();
            }
            let offset = self.reader.buffer_position();
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.clear();
            let event = self
                .reader
                .read_event_into(&mut buffer)
                .map_err(|error| format!("the rest cannot be read: not XML: {error}"))?;
            let found = match event {
                Event::Eof if self.item.is_some() => {
                    return Err("the rest cannot be read: the last item has no end".to_owned());
                }
                Event::Eof if !self.has_root => return Err("holds no feed".to_owned()),
                Event::Eof => return Ok(None),
                Event::DocType(text) if declares_entities(&text) => {
                    return Err(
                        "the document type has entities of its own; they are refused".to_owned()
                    );
                }
                Event::Start(element) => self.start(&element, offset)?,
                Event::End(element) => self.end(element.name().as_ref()),
                Event::Text(text) => self.text(&text),
                Event::CData(text) => self.text(&text),
                Event::GeneralRef(name) => self.reference(&name),
                _ => None,
            };
            self.buffer = buffer;
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// Takes a start tag; returns the item before it if that was not ended.
    fn start(
        &mut self,
        element: &BytesStart<'_>,
        offset: u64,
    ) -> Result<Option<Result<Document, Fault>>, String> {
        self.has_root = true;
        let name = element.name();
        let name: &str = name.as_ref();
        self.open_bytes += name.len();
        if self.open_bytes > OPEN_BYTES {
            return Err(format!("{OPEN_BYTES} bytes of names of elements have no end tag"));
        }
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        if let Some(field) = &mut self.field {
            if local != "item" || !prefix.is_empty() {
                if name == field.name {
                    field.depth += 1;
                }
                if field.is_markup || matches!(field.part, Part::Text(_)) {
                    let inner: &str = element;
                    field.value.extend(["<", inner, ">"]);
                }
                return Ok(None);
            }
            // The end of the field is missing.
            self.field = None;
        }
        let is_item = local == "item" || local == "entry" && self.item.is_none();
        if is_item && matches!(prefix, "" | "atom") {
            let before = self.finish();
            self.item = Some((Item::default(), offset));
            self.inside.clear();
            return Ok(before);
        }
        if let Some(part) = self.part(prefix, local, element) {
            let kind = attribute(element, "type").unwrap_or_default();
            let is_markup = kind == "xhtml" || local == "body";
            let is_atom = matches!(local, "content" | "summary") && prefix != "content";
            let is_plain = is_atom && matches!(kind.as_str(), "" | "text" | "text/plain");
            self.field = Some(Field {
                part,
                name: name.to_owned(),
                depth: 0,
                is_markup,
                is_plain,
                value: String::new(),
            });
        } else if let Some(inside) = INSIDE.iter().find(|&&inside| inside == local)
            && self.inside.len() < 16
        {
            self.inside.push(inside);
        }
        Ok(None)
    }

    /// Returns what an element stands for.
    fn part(&mut self, prefix: &str, local: &str, element: &BytesStart<'_>) -> Option<Part> {
        if !self.inside.is_empty() {
            return None;
        }
        let Some((item, _)) = &mut self.item else {
            // Of the feed itself.
            return match (prefix, local) {
                ("" | "dc" | "atom", "title") if self.feed.title.is_empty() => Some(Part::Title),
                ("" | "dc", "language") => Some(Part::Language),
                _ => None,
            };
        };
        match (prefix, local) {
            ("" | "dc" | "atom" | "rss", "title") if item.title.is_empty() => Some(Part::Title),
            ("" | "atom" | "rss", "link") => match attribute(element, "href") {
                Some(address) => {
                    let relation = attribute(element, "rel").unwrap_or_default();
                    if item.link.is_empty() && matches!(relation.as_str(), "" | "alternate") {
                        item.link = address;
                    }
                    None
                }
                None if item.link.is_empty() => Some(Part::Link),
                None => None,
            },
            ("", "guid") if attribute(element, "isPermaLink").is_none_or(|is| is == "true") => {
                Some(Part::Guid)
            }
            ("", "source") => Some(Part::Source),
            ("" | "dc", "language") => Some(Part::Language),
            ("" | "atom", "published") | ("", "pubDate" | "pubdate") => Some(Part::Time(1)),
            ("" | "atom", "issued") | ("dc" | "", "date") => Some(Part::Time(2)),
            ("dcterms", "issued" | "created") | ("", "created") => Some(Part::Time(3)),
            ("" | "atom", "updated" | "modified") => Some(Part::Time(4)),
            ("content", "encoded") => Some(Part::Text(1)),
            ("" | "atom", "content") => Some(Part::Text(2)),
            ("" | "xhtml", "body") => Some(Part::Text(3)),
            (_, "full-text" | "fulltext") => Some(Part::Text(4)),
            ("" | "dc" | "rss", "description") => Some(Part::Text(5)),
            ("" | "atom" | "itunes", "summary") => Some(Part::Text(6)),
            _ => None,
        }
    }

    /// Takes an end tag; returns the item it ends.
    fn end(&mut self, name: &str) -> Option<Result<Document, Fault>> {
        self.open_bytes = self.open_bytes.saturating_sub(name.len());
        let local = name.rsplit(':').next().unwrap_or(name);
        if let Some(field) = &mut self.field {
            let is_end_of_item = self.item.is_some() && matches!(name, "item" | "entry");
            if name == field.name && field.depth == 0 || is_end_of_item {
                if let Some(field) = self.field.take() {
                    self.put(field);
                }
            } else {
                field.depth -= u32::from(name == field.name);
                if matches!(field.part, Part::Text(_)) {
                    field.value.extend(["</", name, ">"]);
                }
                return None;
            }
            if !is_end_of_item {
                return None;
            }
        }
        if self.inside.last().is_some_and(|inside| *inside == local) {
            self.inside.pop();
        }
        match local {
            "item" | "entry" => self.finish(),
            _ => None,
        }
    }

    fn text(&mut self, text: &str) -> Option<Result<Document, Fault>> {
        if let Some(field) = &mut self.field {
            let is_long = field.value.len() + text.len() > VALUE_BYTES;
            if matches!(field.part, Part::Text(_)) || !is_long {
                field.value.push_str(text);
            }
        }
        None
    }

    fn reference(&mut self, name: &str) -> Option<Result<Document, Fault>> {
        let field = self.field.as_ref()?;
        let written = format!("&{name};");
        // Inside markup that is not escaped, a reference has to stay one.
        let text = match quick_xml::escape::unescape(&written) {
            Ok(text) if !field.is_markup => text.into_owned(),
            _ => written,
        };
        self.text(&text)
    }

    /// Keeps the value of a field.
    fn put(&mut self, field: Field) {
        let Field { part, value, is_plain, .. } = field;
        let Some((item, _)) = &mut self.item else {
            match part {
                Part::Title => self.feed.title = value,
                Part::Language => self.feed.language = value,
                _ => {}
            }
            return;
        };
        match part {
            Part::Title => item.title = value,
            Part::Link => item.link = value,
            Part::Guid if item.link.is_empty() && value.trim().starts_with("http") => {
                item.link = value;
            }
            Part::Guid => {}
            Part::Source => item.source = value,
            Part::Language => item.language = value,
            Part::Time(rank) => _ = item.time.put(rank, value),
            Part::Text(rank) => {
                if item.text.put(rank, value) {
                    item.is_plain = is_plain;
                }
            }
        }
    }

    fn finish(&mut self) -> Option<Result<Document, Fault>> {
        let (item, offset) = self.item.take()?;
        Some(item.finish(&self.feed, &self.context).map_err(|reason| one(offset, reason)))
    }
}

/// Returns whether a document type declares entities that the text could name. Those for the document
/// type itself, which some feeds have for the names of HTML, are not looked at.
fn declares_entities(text: &str) -> bool {
    text.split("<!ENTITY").skip(1).any(|declared| !declared.trim_start().starts_with('%'))
}
