//! What formats have in common whose files are zip archives of XML parts: Word, `OpenDocument`, EPUB.
//!
//! Such a file is one document. Its text is plain: paragraphs stand apart by a blank line, and what
//! is not read with the text (comments, deleted words, headers, formulas) is left out.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use retold_core::document::Document;

use crate::bad::Fault;
use crate::encoding;
use crate::format::{Chunk, Context, Draft, Opened, Source, Work};
use crate::text::too_large;
use crate::zip::{self, Parts};
use crate::{docx, epub, html, odt};

/// Returns whether a zip archive is a document of one of these formats.
pub(crate) fn is_document(head: &[u8], name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let ending = ending.unwrap_or_default();
    [&docx::SPEC, &odt::SPEC, &epub::SPEC]
        .iter()
        .any(|spec| spec.endings.contains(&ending.as_str()))
        || docx::is_shown(head)
        || odt::is_shown(head)
        || epub::is_shown(head)
}

/// Returns whether the first member of an archive is `mimetype` and begins with `kind`.
pub(crate) fn has_type(head: &[u8], kind: &str) -> bool {
    let extra = head.get(28..30).map_or(0, |n| usize::from(n[0]) | usize::from(n[1]) << 8);
    zip::shows(head)
        && head.get(30..38) == Some(b"mimetype")
        && head.get(38 + extra..).is_some_and(|rest| rest.starts_with(kind.as_bytes()))
}

/// Makes a document of the parts of a file.
pub(crate) type Make = fn(&mut Parts, &Context) -> Result<Document, String>;

/// Opens a file that is one document.
pub(crate) fn open(opened: Opened, make: Make) -> Box<dyn Source> {
    Box::new(Office { opened: Some(opened), make })
}

struct Office {
    opened: Option<Opened>,
    make: Make,
}

impl Source for Office {
    fn next(&mut self) -> Option<Chunk> {
        let Opened { context, access, .. } = self.opened.take()?;
        let make = self.make;
        let bytes = access.as_ref().map_or(0, |access| access.bytes().min(1 << 20)) as usize;
        let parse = move |each: &mut dyn FnMut(Result<Draft, Fault>)| {
            let access = access.ok_or_else(|| "cannot be read by position".to_owned());
            let parts = access.and_then(|access| Parts::open(access, context.limits()));
            let document = parts.and_then(|mut parts| make(&mut parts, &context));
            each(
                match document {
                    Ok(document) if document.text.trim().is_empty() => {
                        Err("holds no text".to_owned())
                    }
                    other => other,
                }
                .map(|document| Draft {
                    document,
                    record: 0,
                    is_whole: true,
                    part: None,
                    again: None,
                })
                .map_err(|reason| Fault { record: Some(0), offset: None, reason }),
            );
        };
        Some(Chunk { records: 1, bytes, work: Work::Later(Box::new(parse)) })
    }
}

/// Takes a part out and decodes it, if it is there.
pub(crate) fn part(parts: &mut Parts, name: &str) -> Result<Option<String>, String> {
    let Some(bytes) = parts.take(name)? else { return Ok(None) };
    let charset = html::charset(&bytes);
    encoding::decode(bytes, None, charset.as_deref()).map(Some)
}

/// Takes a part out that has to be there.
pub(crate) fn needed(parts: &mut Parts, name: &str) -> Result<String, String> {
    part(parts, name)?.ok_or_else(|| format!("is broken: it has no part `{name}`"))
}

/// What is told to whoever walks through an XML part.
pub(crate) enum Mark<'a> {
    Start(&'a BytesStart<'a>),
    End(&'a str),
    Text(&'a str),
}

/// Walks through an XML part. Elements that `each` refuses by returning false are passed over with
/// everything inside them. Entities that the part declares are refused.
pub(crate) fn walk(
    xml: &str,
    context: &Context,
    each: &mut dyn FnMut(Mark<'_>) -> bool,
) -> Result<(), String> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().expand_empty_elements = true;
    let most = context.limits().xml_depth;
    let (mut depth, mut passed) = (0_u32, None);
    loop {
        let event = reader.read_event().map_err(|error| format!("is broken: not XML: {error}"))?;
        match event {
            Event::Eof if depth > 0 => return Err("is broken: the end is missing".to_owned()),
            Event::Eof => return Ok(()),
            Event::DocType(text) if text.contains("<!ENTITY") => {
                return Err("declares entities; they are refused".to_owned());
            }
            Event::Start(element) => {
                depth += 1;
                if depth > most {
                    return Err(format!("nested deeper than the limit of {most} (`xml_depth`)"));
                }
                if passed.is_none() && !each(Mark::Start(&element)) {
                    passed = Some(depth);
                }
            }
            Event::End(element) => {
                if passed.is_none() {
                    each(Mark::End(element.name().as_ref()));
                }
                passed = passed.filter(|&at| at != depth);
                depth = depth.saturating_sub(1);
            }
            Event::Text(text) if passed.is_none() => _ = each(Mark::Text(&text)),
            Event::CData(text) if passed.is_none() => _ = each(Mark::Text(&text)),
            Event::GeneralRef(name) if passed.is_none() => {
                if let Ok(text) = quick_xml::escape::unescape(&format!("&{};", &*name)) {
                    each(Mark::Text(&text));
                }
            }
            _ => {}
        }
    }
}

/// Returns the value of an attribute, by its name without a prefix.
pub(crate) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    // Unchecked: looking for equal names among a million attributes takes quadratic time.
    let mut attributes = element.attributes();
    let mut attributes = attributes.with_checks(false).flatten();
    let found = attributes.find(|attribute| attribute.key.local_name().as_ref() == name)?;
    let value = quick_xml::escape::unescape(&found.value);
    Some(value.map_or_else(|_| found.value.as_ref().to_owned(), std::borrow::Cow::into_owned))
}

/// The text of a document in the making: paragraphs that stand apart.
#[derive(Debug, Default)]
pub(crate) struct Paragraphs {
    text: String,
    /// Where the open paragraph begins, after white space.
    begins: bool,
}

impl Paragraphs {
    pub(crate) fn new() -> Self {
        Self { text: String::new(), begins: true }
    }

    /// Appends to the open paragraph.
    pub(crate) fn push(&mut self, text: &str) {
        let text = if self.begins { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        if self.begins && !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.begins = false;
        self.text.push_str(text);
    }

    /// Ends the open paragraph.
    pub(crate) fn end(&mut self) {
        if !self.begins {
            let end = self.text.trim_end().len();
            self.text.truncate(end);
        }
        self.begins = true;
    }

    /// Returns the text if it is no longer than a document may be.
    pub(crate) fn finish(mut self, context: &Context) -> Result<String, String> {
        self.end();
        let limit = context.limits().document_bytes;
        if self.text.len() as u64 > limit { Err(too_large(limit)) } else { Ok(self.text) }
    }
}

/// Fills in what a part says about the document in terms of the Dublin Core.
pub(crate) fn describe(
    document: &mut Document,
    xml: &str,
    context: &Context,
) -> Result<(), String> {
    let mut open: Option<(String, String)> = None;
    walk(xml, context, &mut |mark| {
        match mark {
            Mark::Start(element) => {
                let name = element.local_name();
                let name: &str = name.as_ref();
                if matches!(name, "title" | "language" | "date" | "created" | "publisher") {
                    open = Some((name.to_owned(), String::new()));
                }
            }
            Mark::Text(text) => {
                if let Some((_, value)) = &mut open {
                    value.push_str(text);
                }
            }
            Mark::End(_) => {
                if let Some((name, value)) = open.take() {
                    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
                    let slot = match name.as_str() {
                        "title" => &mut document.title,
                        "language" => &mut document.language,
                        "publisher" => &mut document.source,
                        _ => &mut document.time,
                    };
                    if slot.is_none() && !value.is_empty() {
                        *slot = Some(value);
                    }
                }
            }
        }
        true
    })
}
