//! Web archives: WARC files and the plain-text WET files made from them.
//!
//! Blocks are cut off the stream by their stated length; HTTP headers, transfer coding and
//! charset are looked at by whoever parses the batch. Kept are answers of status 2xx that are
//! HTML or plain text, resources of those types, and conversions. Other records are passed over;
//! answers among them are counted.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use memchr::{memchr, memmem};
use retold_core::document::{Document, Markup};

use crate::bad::Fault;
use crate::encoding;
use crate::format::{Chunk, Context, Input, Opened, Source, Spec};
use crate::jsonl::BLOCK_BYTES;
use crate::pack::parsed_later;
use crate::stream::Stream;
use crate::text::too_large;

pub(crate) static SPEC: Spec = Spec {
    endings: &["warc", "wet"],
    input: Input::Bytes,
    is_collection: true,
    shows: |look| look.bytes.starts_with(b"WARC/"),
    open: |opened: Opened| {
        Box::new(Warc {
            reader: BufReader::with_capacity(256 << 10, opened.stream),
            context: opened.context,
            at: 0,
            skipped: 0,
            is_done: false,
        })
    },
};

/// Longest header of a record.
const HEADER_BYTES: usize = 256 << 10;

struct Warc {
    reader: BufReader<Stream>,
    context: Arc<Context>,
    /// Bytes of the stream taken so far.
    at: u64,
    skipped: u64,
    is_done: bool,
}

/// A record whose block may hold a document.
struct Raw {
    offset: u64,
    is_http: bool,
    media: String,
    document: Document,
    block: Vec<u8>,
}

impl Source for Warc {
    fn next(&mut self) -> Option<Chunk> {
        let mut raws: Vec<Result<Raw, Fault>> = Vec::new();
        let (mut bytes, mut records) = (0, 0);
        while bytes < BLOCK_BYTES && !self.is_done {
            match self.record() {
                Ok(None) => self.is_done = true,
                Ok(Some(Found::Raw(raw))) => {
                    bytes += raw.block.len() + 256;
                    records += 1;
                    raws.push(Ok(*raw));
                }
                Ok(Some(Found::Skipped)) => {}
                Ok(Some(Found::Bad(fault))) => {
                    bytes += 256;
                    records += 1;
                    raws.push(Err(fault));
                }
                Err(error) => {
                    self.is_done = true;
                    raws.push(Err(Fault::unreadable(self.at, &error)));
                }
            }
        }
        if raws.is_empty() {
            return None;
        }
        let context = Arc::clone(&self.context);
        let work = parsed_later(raws, move |raw| (raw.offset, document(raw, &context)));
        Some(Chunk { records, bytes, work })
    }

    fn skipped(&self) -> u64 {
        self.skipped
    }
}

enum Found {
    Raw(Box<Raw>),
    Skipped,
    Bad(Fault),
}

impl Warc {
    /// Reads the next record; `None` at the end.
    fn record(&mut self) -> io::Result<Option<Found>> {
        self.skip_line_ends()?;
        let offset = self.at;
        let bad =
            |reason: String| Found::Bad(Fault { record: Some(0), offset: Some(offset), reason });
        if self.reader.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let Some(header) = self.header()? else {
            self.find_next()?;
            return Ok(Some(bad(
                "is no WARC record; the length of the one before may be wrong".into()
            )));
        };
        let length = value(&header, "content-length").and_then(|length| length.parse::<u64>().ok());
        let Some(length) = length else {
            self.find_next()?;
            return Ok(Some(bad("has no Content-Length".into())));
        };
        let kind = value(&header, "warc-type").unwrap_or_default().to_ascii_lowercase();
        let media = value(&header, "content-type").unwrap_or_default().to_ascii_lowercase();
        let is_http = media.starts_with("application/http");
        let is_wanted = match kind.as_str() {
            "response" => is_http || is_text(&media),
            "resource" => is_text(&media),
            "conversion" => media.is_empty() || is_text(&media),
            _ => false,
        };
        let limit = self.context.limits().document_bytes;
        if !is_wanted || length > limit {
            let passed = io::copy(&mut self.reader.by_ref().take(length), &mut io::sink())?;
            self.at += passed;
            if passed < length {
                return Err(cut(length, passed));
            }
            if is_wanted {
                return Ok(Some(bad(too_large(limit))));
            }
            self.skipped +=
                u64::from(matches!(kind.as_str(), "response" | "resource" | "conversion"));
            return Ok(Some(Found::Skipped));
        }
        let mut block = Vec::new();
        let read = self.reader.by_ref().take(length).read_to_end(&mut block)? as u64;
        self.at += read;
        if read < length {
            return Err(cut(length, read));
        }
        if is_http && !is_wanted_http(&block) {
            self.skipped += 1;
            return Ok(Some(Found::Skipped));
        }
        let id = value(&header, "warc-record-id").unwrap_or_default();
        let id = id.trim_matches(['<', '>']).trim_start_matches("urn:uuid:").to_owned();
        let document = Document {
            id: if id.len() > self.context.limits().path_bytes as usize {
                String::new()
            } else {
                id
            },
            url: value(&header, "warc-target-uri")
                .map(|uri| uri.trim_matches(['<', '>']).to_owned()),
            time: value(&header, "warc-date").map(str::to_owned),
            ..Document::default()
        };
        Ok(Some(Found::Raw(Box::new(Raw { offset, is_http, media, document, block }))))
    }

    fn skip_line_ends(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.reader.fill_buf()?;
            let n = buffer.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            if n == 0 {
                return Ok(());
            }
            self.reader.consume(n);
            self.at += n as u64;
        }
    }

    /// Reads a header up to its blank line; `None` if what stands here is no header.
    fn header(&mut self) -> io::Result<Option<String>> {
        let mut header = Vec::new();
        loop {
            let before = header.len();
            let left = (HEADER_BYTES - before) as u64;
            let n = self.reader.by_ref().take(left).read_until(b'\n', &mut header)?;
            self.at += n as u64;
            let line = header[before..].trim_ascii();
            if before == 0 && !line.starts_with(b"WARC/") {
                return Ok(None);
            }
            if n == 0 {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "a record's header is cut short",
                ));
            }
            if line.is_empty() {
                return Ok(Some(String::from_utf8_lossy(&header).into_owned()));
            }
            if header.len() >= HEADER_BYTES {
                return Ok(None);
            }
        }
    }

    /// Moves to the next place that looks like a record.
    fn find_next(&mut self) -> io::Result<()> {
        const MARK: &[u8] = b"\nWARC/1.";
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(());
            }
            // A mark that is cut by the end of the buffer is missed, and one record with it;
            // the buffer is far longer than most records.
            let (n, is_found) = match memmem::find(buffer, MARK) {
                Some(at) => (at + 1, true),
                None => (buffer.len(), false),
            };
            self.reader.consume(n);
            self.at += n as u64;
            if is_found {
                return Ok(());
            }
        }
    }
}

fn cut(length: u64, read: u64) -> io::Error {
    let reason = format!("a record states {length} bytes and the file ends after {read}");
    io::Error::new(io::ErrorKind::UnexpectedEof, reason)
}

/// Returns the value of a header field.
fn value<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    header.lines().skip(1).find_map(|line| {
        let (field, value) = line.split_once(':')?;
        field.trim().eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

fn is_text(media: &str) -> bool {
    ["text/html", "text/plain", "application/xhtml+xml"].iter().any(|text| media.starts_with(text))
}

fn is_html(media: &str) -> bool {
    media.starts_with("text/html") || media.starts_with("application/xhtml")
}

/// Splits an HTTP message into its header and body.
fn split_http(block: &[u8]) -> Option<(&[u8], &[u8])> {
    let limit = &block[..block.len().min(HEADER_BYTES)];
    let (at, n) = memmem::find(limit, b"\r\n\r\n")
        .map(|at| (at, 4))
        .or_else(|| memmem::find(limit, b"\n\n").map(|at| (at, 2)))?;
    Some((&block[..at], &block[at + n..]))
}

/// Returns whether an answer succeeded and holds text; one that cannot be told is looked at later.
fn is_wanted_http(block: &[u8]) -> bool {
    let Some((header, _)) = split_http(block) else { return true };
    let header = String::from_utf8_lossy(header);
    let status = header.split_ascii_whitespace().nth(1).unwrap_or_default();
    let media = value(&header, "content-type").unwrap_or("text/html").to_ascii_lowercase();
    status.starts_with('2') && is_text(&media)
}

/// Makes the document of a record.
fn document(raw: Raw, context: &Context) -> Result<Document, String> {
    let Raw { is_http, mut media, mut document, block, .. } = raw;
    let body = if is_http {
        let (header, body) = split_http(&block).ok_or("the HTTP header has no end")?;
        let header = String::from_utf8_lossy(header);
        media = value(&header, "content-type").unwrap_or("text/html").to_ascii_lowercase();
        let is_chunked = value(&header, "transfer-encoding")
            .is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked"));
        // Crawlers often store the body without its chunks and keep the header.
        let body =
            if is_chunked { unchunk(body).unwrap_or_else(|| body.to_vec()) } else { body.to_vec() };
        inflate(body, value(&header, "content-encoding"), context)?
    } else {
        block
    };
    let declared = crate::html::value_after(&media, "charset");
    let declared =
        declared.or_else(|| is_html(&media).then(|| crate::html::charset(&body)).flatten());
    if is_html(&media) {
        document.markup = Markup::Html;
    }
    document.text =
        encoding::decode(body, context.options.encoding.as_deref(), declared.as_deref())?;
    Ok(document)
}

/// Puts the chunks of a body together; `None` if it has no chunks.
fn unchunk(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::with_capacity(body.len());
    loop {
        let end = memchr(b'\n', body)?;
        let line = std::str::from_utf8(&body[..end]).ok()?;
        let size = line.split(';').next()?.trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        body = &body[end + 1..];
        if size == 0 {
            return Some(whole);
        }
        // A last chunk that is cut gives what it has.
        let chunk = &body[..size.min(body.len())];
        whole.extend_from_slice(chunk);
        body = body[chunk.len()..].trim_ascii_start();
        if body.is_empty() {
            return Some(whole);
        }
    }
}

/// Undoes the content coding of a body.
fn inflate(body: Vec<u8>, coding: Option<&str>, context: &Context) -> Result<Vec<u8>, String> {
    let coding = coding.unwrap_or_default().trim().to_ascii_lowercase();
    let is_gzip = body.starts_with(&[0x1f, 0x8b]);
    match coding.as_str() {
        "gzip" | "x-gzip" if is_gzip => {
            let limits = context.limits();
            let stream = Stream::new(io::Cursor::new(body));
            let whole = crate::compress::Compression::Gzip
                .open(stream, limits)
                .and_then(|(mut stream, _)| stream.rest(limits.document_bytes))
                .map_err(|error| format!("the gzip body cannot be read: {error}"))?;
            whole.ok_or_else(|| too_large(limits.document_bytes))
        }
        // As with chunks: the header may tell of a coding that is gone.
        "" | "identity" | "gzip" | "x-gzip" => Ok(body),
        other => Err(format!("content coding {} is not read", crate::bad::quoted(other))),
    }
}
