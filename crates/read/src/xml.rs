//! XML packages: one file with many documents, as ROMIP collections come.
//!
//! An element called `document`, `doc`, `article`, `item`, `record`, `page` or `row` is a
//! document; its child elements and attributes are its fields, under the names of the run and the
//! usual ones (`docID`, `docURL`, `content`). A content may be base64 of bytes in any encoding, or
//! escaped HTML. The pages of a dump of `MediaWiki` are wikitext. There are no entities but the five of XML: a file whose document type brings its
//! own, or external parts, is refused.

use std::borrow::Cow;
use std::io::BufReader;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use retold_core::document::{Document, Markup};

use crate::bad::{Fault, quoted};
use crate::encoding::{Encoding, Transcoder};
use crate::fields::{Gathered, Use};
use crate::format::{Context, Input, Opened, Source, Spec};
use crate::metered::{Meter, Metered};
use crate::pack::{Documents, Packed, one};
use crate::stream::Stream;
use crate::text::too_large;
use crate::{encoding, html};

pub(crate) static SPEC: Spec = Spec {
    endings: &["xml"],
    input: Input::Utf8,
    is_collection: true,
    shows: |look| look.start().starts_with("<?xml"),
    open,
};

/// Elements that hold one document each.
const DOCUMENTS: [&str; 7] = ["document", "doc", "article", "item", "record", "page", "row"];

fn open(opened: Opened) -> Box<dyn Source> {
    let limit = opened.context.limits().document_bytes;
    // Invalid bytes are replaced here, because the parser would stop at the first.
    let stream = Stream::new(Transcoder::new(opened.stream, Encoding::UTF_8));
    // Base64 takes four bytes for three, escapes up to six for one.
    let (stream, meter) = Metered::new(stream, limit.saturating_mul(2), too_large(limit));
    let mut reader = Reader::from_reader(BufReader::with_capacity(64 << 10, stream));
    reader.config_mut().expand_empty_elements = true;
    Box::new(Packed::new(Package {
        reader,
        meter,
        context: opened.context,
        buffer: Vec::new(),
        depth: 0,
        n_found: 0,
        is_wiki: false,
        is_done: false,
    }))
}

struct Package {
    reader: Reader<BufReader<Metered>>,
    meter: Meter,
    context: Arc<Context>,
    buffer: Vec<u8>,
    depth: u32,
    n_found: u64,
    /// Whether this is a dump of a wiki.
    is_wiki: bool,
    is_done: bool,
}

/// A document in the making.
struct Open {
    gathered: Gathered,
    offset: u64,
    /// Depth of its element.
    depth: u32,
    /// The field being read: what for, and its text so far.
    field: Option<Field>,
    /// What is wrong with it.
    bad: Option<String>,
}

struct Field {
    used: Use,
    depth: u32,
    is_base64: bool,
    value: String,
}

impl Documents for Package {
    fn next(&mut self) -> Option<Result<Document, Fault>> {
        if self.is_done {
            return None;
        }
        let found = self.document();
        match found {
            Ok(Some(result)) => {
                self.n_found += 1;
                Some(result)
            }
            Ok(None) => {
                self.is_done = true;
                let names = DOCUMENTS.map(|name| format!("`{name}`")).join(", ");
                (self.n_found == 0).then(|| {
                    Err(Fault::rest(
                        None,
                        format!("holds no documents: no element is named {names}"),
                    ))
                })
            }
            Err(reason) => {
                self.is_done = true;
                Some(Err(Fault::rest(Some(self.reader.buffer_position()), reason)))
            }
        }
    }
}

impl Package {
    /// Reads up to the end of the next document; `Err` is the end of the file.
    fn document(&mut self) -> Result<Option<Result<Document, Fault>>, String> {
        let mut open: Option<Open> = None;
        self.meter.reset();
        loop {
            if open.is_none() {
                self.meter.reset();
            }
            let offset = self.reader.buffer_position();
            self.buffer.clear();
            let event = self
                .reader
                .read_event_into(&mut self.buffer)
                .map_err(|error| format!("the rest cannot be read: not XML: {error}"))?;
            match event {
                Event::Eof if open.is_some() || self.depth > 0 => {
                    return Err("the rest cannot be read: not XML: the end is missing".to_owned());
                }
                Event::Eof => return Ok(None),
                Event::DocType(text) if brings_more(&text) => {
                    return Err("the document type has external parts or entities of its own; \
                                external parts and entities are refused"
                        .to_owned());
                }
                Event::Start(element) => {
                    self.depth += 1;
                    if self.depth > self.context.limits().xml_depth {
                        let limit = self.context.limits().xml_depth;
                        return Err(format!(
                            "nested deeper than the limit of {limit} (`xml_depth`)"
                        ));
                    }
                    if self.depth == 1 {
                        self.is_wiki = local_name(&element) == "mediawiki";
                    }
                    match &mut open {
                        None => open = Open::begin(&element, self.depth, offset, &self.context),
                        Some(open) => {
                            // Below a page, its versions and their writers have ids too.
                            let is_inner = self.is_wiki && self.depth > open.depth + 1;
                            if !(is_inner && local_name(&element) == "id") {
                                open.element(&element, self.depth, &self.context);
                            }
                        }
                    }
                }
                Event::End(_) => {
                    if let Some(open) = &mut open {
                        open.end(self.depth, &self.context);
                    }
                    let is_end = open.as_ref().is_some_and(|open| open.depth == self.depth);
                    self.depth = self.depth.saturating_sub(1);
                    if is_end && let Some(open) = open.take() {
                        let mut document = open.finish(&self.context);
                        if let (true, Ok(document)) = (self.is_wiki, &mut document) {
                            document.markup = Markup::Wiki;
                        }
                        return Ok(Some(document));
                    }
                }
                Event::Text(text) => {
                    if let Some(open) = &mut open {
                        open.text(&text);
                    }
                }
                Event::CData(text) => {
                    if let Some(open) = &mut open {
                        open.text(&text);
                    }
                }
                Event::GeneralRef(name) => {
                    if let Some(open) = &mut open {
                        open.reference(&name);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Returns whether a document type names external parts or declares entities. Without them it only
/// says what elements there may be, which is not asked.
fn brings_more(text: &str) -> bool {
    ["SYSTEM", "PUBLIC", "<!ENTITY"].iter().any(|word| text.contains(word))
}

/// Returns the name of an element without its prefix, in lower case.
fn local_name(element: &BytesStart<'_>) -> String {
    element.local_name().as_ref().to_lowercase()
}

impl Open {
    fn begin(element: &BytesStart<'_>, depth: u32, offset: u64, context: &Context) -> Option<Self> {
        let name = local_name(element);
        if !DOCUMENTS.contains(&name.as_str()) {
            return None;
        }
        let mut open = Self { gathered: Gathered::new(), offset, depth, field: None, bad: None };
        // Unchecked: looking for equal names among a million attributes takes quadratic time.
        for attribute in element.attributes().with_checks(false).flatten() {
            let name = attribute.key.local_name().as_ref().to_owned();
            let used = uses(&name, context);
            if !used.is_nothing() && !used.is_text() && open.gathered.wants(used) {
                let value = quick_xml::escape::unescape(&attribute.value).map(Cow::into_owned);
                open.gathered.put(used, value.unwrap_or_default());
            }
        }
        Some(open)
    }

    /// Begins a field, if the element is one.
    fn element(&mut self, element: &BytesStart<'_>, depth: u32, context: &Context) {
        if self.field.is_some() {
            return;
        }
        let used = uses(&local_name(element), context);
        if used.is_nothing() || !self.gathered.wants(used) {
            return;
        }
        let is_base64 = element
            .attributes()
            .with_checks(false)
            .flatten()
            .any(|attribute| attribute.value.eq_ignore_ascii_case("base64"));
        self.field = Some(Field { used, depth, is_base64, value: String::new() });
    }

    fn text(&mut self, text: &str) {
        if let Some(field) = &mut self.field {
            field.value.push_str(text);
        }
    }

    fn reference(&mut self, name: &str) {
        let Some(field) = &mut self.field else { return };
        match quick_xml::escape::unescape(&format!("&{name};")) {
            Ok(text) => field.value.push_str(&text),
            Err(_) => self.bad = Some(format!("entity {} is refused", quoted(name))),
        }
    }

    fn end(&mut self, depth: u32, context: &Context) {
        let Some(field) = self.field.take_if(|field| field.depth == depth) else { return };
        let Field { used, is_base64, value, .. } = field;
        let value = match bytes_of(&value, is_base64, used.is_text()) {
            None if is_base64 => {
                self.bad = Some("the content is not base64".to_owned());
                return;
            }
            None => value,
            Some(bytes) => {
                let declared = html::charset(&bytes);
                let forced = context.options.encoding.as_deref();
                match encoding::decode(bytes, forced, declared.as_deref()) {
                    Ok(text) => text,
                    Err(reason) => {
                        self.bad = Some(reason);
                        return;
                    }
                }
            }
        };
        let value = if used.is_text() { value } else { value.trim().to_owned() };
        self.gathered.put(used, value);
    }

    fn finish(self, context: &Context) -> Result<Document, Fault> {
        if let Some(reason) = self.bad {
            return Err(one(self.offset, reason));
        }
        let mut document =
            self.gathered.finish(&context.names).map_err(|reason| one(self.offset, reason))?;
        let limit = context.limits().document_bytes;
        if document.text.len() as u64 > limit {
            return Err(one(self.offset, too_large(limit)));
        }
        if document.text.trim_start().starts_with('<') {
            document.markup = Markup::Html;
        }
        Ok(document)
    }
}

/// Returns what an element or attribute is needed for.
fn uses(name: &str, context: &Context) -> Use {
    let used = context.names.column(name);
    if !used.is_nothing() {
        return used;
    }
    // ROMIP: `docID`, `docURL`.
    match name.to_lowercase().strip_prefix("doc") {
        Some(rest) if !rest.is_empty() => context.names.uses(rest),
        _ => Use::default(),
    }
}

/// Decodes a value that is base64; `None` if it is not.
///
/// `is_said` tells that the file calls the value base64. Otherwise it counts as base64 only if it
/// is long, has no white space but line ends, and decodes to something readable.
fn bytes_of(value: &str, is_said: bool, is_text: bool) -> Option<Vec<u8>> {
    let trimmed = value.trim();
    let looks = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\r' | b'\n')
    };
    if !is_said {
        let is_long = trimmed.len() >= if is_text { 24 } else { 16 };
        let is_plain = trimmed.contains(['.', ':']) || !trimmed.bytes().all(looks);
        if !is_long || is_plain {
            return None;
        }
    }
    let compact: Vec<u8> = trimmed.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let bytes = STANDARD.decode(&compact).ok()?;
    // A long word in capital letters is valid base64 too, but what it decodes to is no text.
    let is_plausible = is_said
        || is_text
            && bytes
                .iter()
                .filter(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
                .count()
                == 0
        || bytes.iter().all(u8::is_ascii_graphic);
    is_plausible.then_some(bytes)
}
