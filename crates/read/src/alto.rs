//! Scanned pages (ALTO): every block of text is a document, named by its page and block.
//!
//! The name, such as `0042.xml#P42/TB00017`, is what evidence leads back to: the place on the page. Words
//! that a line end cuts are put together again where the file says how they read. Which blocks make an
//! article stands in METS files, which hold no text and are passed over.
//!
//! # Reference
//! ALTO: Technical Metadata for Layout and Text Objects, version 4.4, Library of Congress 2023.

use std::io::BufReader;
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use retold_core::document::Document;

use crate::annotations::root;
use crate::bad::Fault;
use crate::encoding::{Encoding, Transcoder};
use crate::format::{Context, Input, Opened, Source, Spec};
use crate::metered::{Meter, Metered};
use crate::office::attribute;
use crate::pack::{Documents, Packed, one};
use crate::stream::Stream;
use crate::text::too_large;

pub(crate) static SPEC: Spec = Spec {
    endings: &["alto"],
    input: Input::Utf8,
    is_collection: true,
    shows: |look| root(look.start()).is_some_and(|(name, _)| name == "alto"),
    open,
};

fn open(opened: Opened) -> Box<dyn Source> {
    let limit = opened.context.limits().document_bytes;
    let stream = Stream::new(Transcoder::new(opened.stream, Encoding::UTF_8));
    // A word of six letters takes two hundred bytes with its place on the page.
    let (stream, meter) = Metered::new(stream, limit.saturating_mul(4), too_large(limit));
    let mut reader = Reader::from_reader(BufReader::with_capacity(64 << 10, stream));
    reader.config_mut().expand_empty_elements = true;
    Box::new(Packed::new(Scanned {
        reader,
        meter,
        context: opened.context,
        buffer: Vec::new(),
        depth: 0,
        n_blocks: 0,
        n_pages: 0,
        page: String::new(),
        part: None,
        is_done: false,
    }))
}

struct Scanned {
    reader: Reader<BufReader<Metered>>,
    meter: Meter,
    context: Arc<Context>,
    buffer: Vec<u8>,
    depth: u32,
    n_blocks: u64,
    n_pages: u64,
    /// Name of the page that is open.
    page: String,
    /// Name of the block that was returned last.
    part: Option<Box<str>>,
    is_done: bool,
}

/// A block being read.
struct Block {
    name: String,
    offset: u64,
    text: String,
    /// The second half of a word whose whole was written with the first.
    is_half_due: bool,
}

impl Documents for Scanned {
    fn next(&mut self) -> Option<Result<Document, Fault>> {
        if self.is_done {
            return None;
        }
        match self.block() {
            Ok(Some(block)) => {
                self.part = Some(format!("{}/{}", self.page, block.name).into());
                let limit = self.context.limits().document_bytes;
                if block.text.len() as u64 > limit {
                    return Some(Err(one(block.offset, too_large(limit))));
                }
                Some(Ok(Document::plain("", block.text)))
            }
            Ok(None) => {
                self.is_done = true;
                None
            }
            Err(reason) => {
                self.is_done = true;
                Some(Err(Fault::rest(Some(self.reader.buffer_position()), reason)))
            }
        }
    }

    fn part(&mut self) -> Option<Box<str>> {
        self.part.take()
    }
}

impl Scanned {
    /// Reads up to the end of the next block that has text.
    fn block(&mut self) -> Result<Option<Block>, String> {
        let mut open: Option<Block> = None;
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
                Event::Eof if self.depth > 0 => {
                    return Err("the rest cannot be read: not XML: the end is missing".to_owned());
                }
                Event::Eof => return Ok(None),
                Event::DocType(text) if text.contains("<!ENTITY") => {
                    return Err(
                        "the document type has entities of its own; they are refused".to_owned()
                    );
                }
                Event::Start(element) => {
                    self.depth += 1;
                    let most = self.context.limits().xml_depth;
                    if self.depth > most {
                        return Err(format!(
                            "nested deeper than the limit of {most} (`xml_depth`)"
                        ));
                    }
                    match element.local_name().as_ref() {
                        "Page" => {
                            self.n_pages += 1;
                            let n = self.n_pages;
                            self.page = name(&element).unwrap_or_else(|| format!("page-{n}"));
                        }
                        "TextBlock" => {
                            self.n_blocks += 1;
                            let n = self.n_blocks;
                            let name = name(&element).unwrap_or_else(|| format!("block-{n}"));
                            let text = String::new();
                            open = Some(Block { name, offset, text, is_half_due: false });
                        }
                        "String" => {
                            if let Some(block) = &mut open {
                                block.word(&element);
                            }
                        }
                        _ => {}
                    }
                }
                Event::End(element) => {
                    self.depth = self.depth.saturating_sub(1);
                    let Some(block) = &mut open else { continue };
                    match element.local_name().as_ref() {
                        "TextLine" if !block.text.is_empty() && !block.text.ends_with('\n') => {
                            block.text.push('\n');
                        }
                        "TextBlock" => {
                            let end = block.text.trim_end().len();
                            block.text.truncate(end);
                            if let Some(block) = open.take().filter(|block| !block.text.is_empty())
                            {
                                return Ok(Some(block));
                            }
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
}

impl Block {
    fn word(&mut self, element: &BytesStart<'_>) {
        let half = attribute(element, "SUBS_TYPE");
        let whole = attribute(element, "SUBS_CONTENT").filter(|whole| !whole.is_empty());
        if half.as_deref() == Some("HypPart2") && std::mem::take(&mut self.is_half_due) {
            return;
        }
        let word = match (half.as_deref(), whole) {
            (Some("HypPart1"), Some(whole)) => {
                self.is_half_due = true;
                whole
            }
            _ => attribute(element, "CONTENT").unwrap_or_default(),
        };
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
        self.text.push_str(&word);
    }
}

/// Returns the name that an element has in its file, if it is one.
fn name(element: &BytesStart<'_>) -> Option<String> {
    attribute(element, "ID").filter(|name| !name.is_empty() && name.len() <= 256)
}
