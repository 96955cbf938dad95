//! SGML collections: Reuters-21578 and TREC, many documents in one file between fixed tags.
//!
//! No parser of SGML: documents are cut at their tags, and the few elements that matter are
//! looked for inside. The bytes of each document are decoded by themselves, because Reuters-21578
//! holds some that are no UTF-8.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;
use retold_core::document::{Document, Markup};

use crate::bad::Fault;
use crate::encoding;
use crate::format::{Chunk, Context, Input, Opened, Source, Spec};
use crate::jsonl::BLOCK_BYTES;
use crate::pack::parsed_later;
use crate::sniff::Look;
use crate::stream::Stream;
use crate::text::too_large;

pub(crate) static SPEC: Spec = Spec {
    endings: &["sgm", "sgml", "trec"],
    input: Input::Text,
    is_collection: true,
    shows,
    open,
};

/// Returns whether the text begins as Reuters-21578 or TREC files do.
fn shows(look: &Look<'_>) -> bool {
    let start = look.start();
    let has = |prefix: &str| {
        start.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
    };
    has("<!DOCTYPE lewis")
        || has("<REUTERS ")
        || has("<DOC>")
            && start
                .get(..4096.min(start.len()))
                .map_or(start, |begin| begin)
                .to_ascii_uppercase()
                .contains("<DOCNO>")
}

fn open(mut opened: Opened) -> Box<dyn Source> {
    let head = opened.stream.head().unwrap_or_default();
    // The tags are written as the first document writes them.
    let tags = [("<REUTERS", "</REUTERS>"), ("<DOC>", "</DOC>"), ("<doc>", "</doc>")];
    let found = tags.into_iter().find(|(open, _)| memmem::find(head, open.as_bytes()).is_some());
    let (open, close) = found.unwrap_or(tags[1]);
    Box::new(Cut {
        stream: opened.stream,
        context: opened.context,
        open: memmem::Finder::new(open).into_owned(),
        close: memmem::Finder::new(close).into_owned(),
        bytes: Vec::new(),
        searched: 0,
        is_dropping: false,
        is_done: false,
    })
}

/// Cuts the stream at tags.
struct Cut {
    stream: Stream,
    context: Arc<Context>,
    open: memmem::Finder<'static>,
    close: memmem::Finder<'static>,
    /// Bytes from the beginning of a document on.
    bytes: Vec<u8>,
    /// How many of them hold no closing tag.
    searched: usize,
    /// Whether the current document is too long to keep.
    is_dropping: bool,
    is_done: bool,
}

impl Source for Cut {
    fn next(&mut self) -> Option<Chunk> {
        let mut found: Vec<Result<Range<usize>, Fault>> = Vec::new();
        while found.is_empty() && !self.is_done {
            let broken = match self.stream.append(&mut self.bytes, BLOCK_BYTES) {
                Ok(read) => {
                    self.is_done = read < BLOCK_BYTES;
                    None
                }
                Err(error) => {
                    self.is_done = true;
                    Some(Fault::unreadable(self.stream.position(), &error))
                }
            };
            let used = self.cut(&mut found);
            if self.is_done {
                found.extend(broken.map_or_else(|| self.end(used), Some).map(Err));
            }
            if found.is_empty() {
                self.let_go(used);
            } else {
                return Some(self.hand_on(found, used));
            }
        }
        None
    }
}

impl Cut {
    fn offset(&self, at: usize) -> u64 {
        self.stream.position() - (self.bytes.len() - at) as u64
    }

    /// Finds whole documents; returns where the first unfinished one begins.
    fn cut(&mut self, found: &mut Vec<Result<Range<usize>, Fault>>) -> usize {
        let limit = self.context.limits().document_bytes;
        let mut from = 0;
        loop {
            let start = match self.open.find(&self.bytes[from..]) {
                _ if self.is_dropping => from,
                Some(start) => from + start,
                // An opening tag may be cut by the end of the buffer.
                None => {
                    let n = self.open.needle().len();
                    return self.bytes.len().saturating_sub(n).max(from);
                }
            };
            let search = start.max(self.searched);
            let Some(end) = self.close.find(&self.bytes[search..]) else {
                self.searched =
                    self.bytes.len().saturating_sub(self.close.needle().len()).max(search);
                if (self.bytes.len() - start) as u64 > limit && !self.is_dropping {
                    let offset = Some(self.offset(start));
                    found.push(Err(Fault { record: Some(0), offset, reason: too_large(limit) }));
                    self.is_dropping = true;
                }
                return if self.is_dropping { self.searched } else { start };
            };
            let end = search + end + self.close.needle().len();
            if !std::mem::take(&mut self.is_dropping) {
                found.push(Ok(start..end));
            }
            from = end;
            self.searched = end;
        }
    }

    /// Says what is missing at the end of the stream.
    fn end(&mut self, used: usize) -> Option<Fault> {
        let rest = &self.bytes[used.min(self.bytes.len())..];
        let is_open = !self.is_dropping && self.open.find(rest).is_some();
        let reason =
            format!("the closing tag {} is missing", String::from_utf8_lossy(self.close.needle()));
        is_open.then(|| Fault { record: Some(0), offset: Some(self.offset(used)), reason })
    }

    fn let_go(&mut self, used: usize) -> Vec<u8> {
        let rest = self.bytes.split_off(used);
        self.searched = self.searched.saturating_sub(used);
        std::mem::replace(&mut self.bytes, rest)
    }

    fn hand_on(&mut self, found: Vec<Result<Range<usize>, Fault>>, used: usize) -> Chunk {
        let base = self.offset(0);
        let bytes = self.let_go(used);
        let records =
            found.iter().filter(|it| !matches!(it, Err(Fault { record: None, .. }))).count();
        let (context, n_bytes) = (Arc::clone(&self.context), bytes.len());
        let work = parsed_later(found, move |range| {
            (base + range.start as u64, decode(&bytes[range], &context))
        });
        Chunk { records: records as u64, bytes: n_bytes, work }
    }
}

fn decode(bytes: &[u8], context: &Context) -> Result<Document, String> {
    if bytes.len() as u64 > context.limits().document_bytes {
        return Err(too_large(context.limits().document_bytes));
    }
    let text = encoding::decode(bytes.to_vec(), context.options.encoding.as_deref(), None)?;
    let document = if text.starts_with("<REUTERS") { reuters(&text) } else { trec(&text) };
    if document.id.len() > context.limits().path_bytes as usize {
        return Err(format!(
            "id longer than the limit of {} bytes (`path_bytes`)",
            context.limits().path_bytes
        ));
    }
    Ok(document)
}

/// Reads a document of Reuters-21578.
fn reuters(source: &str) -> Document {
    let tag = &source[..source.find('>').unwrap_or(source.len())];
    let text = element(source, "BODY").map(plain).or_else(|| {
        // Briefs and unprocessed documents have no body: all of the text that has tags around it.
        element(source, "TEXT").map(|text| plain(&without_tags(text)))
    });
    Document {
        id: crate::html::value_after(tag, "NEWID").unwrap_or_default(),
        text: text.unwrap_or_default(),
        title: element(source, "TITLE").map(|title| plain(title).trim().to_owned()),
        time: element(source, "DATE").map(|date| plain(date).trim().to_owned()),
        ..Document::default()
    }
}

/// Reads a document of a TREC collection, of news or of web pages.
fn trec(source: &str) -> Document {
    let first = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| element(source, name))
            .map(|text| plain(&without_tags(text)).trim().to_owned())
    };
    let mut document = Document {
        id: first(&["DOCNO", "DOCID"]).unwrap_or_default(),
        title: first(&["HEADLINE", "HEAD", "HL", "TITLE", "TI"]),
        time: first(&["DATE", "DATE1", "DATE_TIME", "PUBDATE"]),
        source: first(&["SOURCE", "SO"]),
        ..Document::default()
    };
    let texts = elements(source, "TEXT");
    if !texts.is_empty() {
        let texts: Vec<String> = texts.iter().map(|text| plain(&without_tags(text))).collect();
        document.text = texts.join("\n");
    } else if let Some((_, page)) = split_at_tag(source, "</DOCHDR>") {
        // Web tracks: the page follows its header, whose first line is the address.
        let header = element(source, "DOCHDR").unwrap_or_default();
        document.url = header.split_whitespace().next().map(str::to_owned);
        let end = page.len() - "</DOC>".len().min(page.len());
        page.get(..end).unwrap_or(page).clone_into(&mut document.text);
        document.markup = Markup::Html;
        document.title = None;
    } else {
        let body = split_at_tag(source, "</DOCNO>").map_or(source, |(_, body)| body);
        document.text = plain(&without_tags(body));
    }
    document
}

/// Splits after the first occurrence of a tag, whatever its case.
fn split_at_tag<'a>(source: &'a str, tag: &str) -> Option<(&'a str, &'a str)> {
    let lower = tag.to_ascii_lowercase();
    let at = source.find(tag).or_else(|| source.find(&lower))?;
    Some((&source[..at], &source[at + tag.len()..]))
}

/// Returns the content of the first element of that name.
fn element<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    next_element(source, name).map(|(content, _)| content)
}

/// Returns the contents of all elements of that name.
fn elements<'a>(source: &'a str, name: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some((content, after)) = next_element(rest, name) {
        found.push(content);
        rest = after;
    }
    found
}

/// Returns the content of the next element of that name and what follows it.
fn next_element<'a>(source: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    [name.to_owned(), name.to_ascii_lowercase()].into_iter().find_map(|name| {
        let open = format!("<{name}");
        let mut from = 0;
        loop {
            let start = from + source[from..].find(&open)? + open.len();
            from = start;
            // `<DATE` also begins `<DATELINE`.
            if !source[start..].starts_with(['>', ' ', '\t', '\r', '\n']) {
                continue;
            }
            let content = &source[start + source[start..].find('>')? + 1..];
            let close = format!("</{name}>");
            let end = content.find(&close)?;
            return Some((&content[..end], &content[end + close.len()..]));
        }
    })
}

/// Takes tags out; each becomes a line end if it does not stand beside one.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let tag = &rest[at..];
        // A tag is short and begins with a letter; anything else is a lone `<`. The search is
        // bounded: a text of nothing but `<` must not be searched to its end for each.
        let end = memchr::memchr(b'>', &tag.as_bytes()[..tag.len().min(256)]);
        let is_tag =
            tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        out.push_str(&rest[..at]);
        if let (Some(end), true) = (end, is_tag) {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            rest = &tag[end + 1..];
        } else {
            out.push('<');
            rest = &tag[1..];
        }
    }
    out.push_str(rest);
    out
}

/// Replaces character references; those of control characters, such as `&#3;`, are dropped.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.char_indices().take(12).find(|&(_, c)| c == ';').map(|(end, _)| end);
        let known = end.and_then(|end| Some((reference(&rest[1..end])?, end + 1)));
        let (c, n) = known.unwrap_or(('&', 1));
        if !c.is_control() || matches!(c, '\n' | '\t' | '\r') {
            out.push(c);
        }
        rest = &rest[n..];
    }
    out.push_str(rest);
    out
}

/// Returns the character a reference stands for.
fn reference(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
