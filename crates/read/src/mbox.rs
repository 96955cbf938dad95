//! Mailboxes: messages one after another, each behind a line that begins with `From `.
//!
//! Such a line begins a message at the start of the file and after a blank line. In the text of a
//! message it is written with `>` in front, which is taken off again.

use std::sync::Arc;

use memchr::memchr;

use crate::bad::Fault;
use crate::format::{Chunk, Context, Input, Opened, Source, Spec};
use crate::jsonl::BLOCK_BYTES;
use crate::mail::{count_headers, document};
use crate::pack::parsed_later;
use crate::stream::Stream;
use crate::text::too_large;

pub(crate) static SPEC: Spec = Spec {
    endings: &["mbox", "mbx"],
    input: Input::Bytes,
    is_collection: true,
    shows: |look| {
        let headers = look.text.strip_prefix("From ").and_then(|rest| rest.split_once('\n'));
        headers.is_some_and(|(_, headers)| count_headers(headers) >= 2)
    },
    open,
};

fn open(opened: Opened) -> Box<dyn Source> {
    let limit = opened.context.limits().document_bytes;
    Box::new(Mailbox {
        stream: opened.stream,
        context: opened.context,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        bytes: Vec::new(),
        at: 0,
        is_at_end: false,
        begun: None,
        is_done: false,
    })
}

struct Mailbox {
    stream: Stream,
    context: Arc<Context>,
    limit: usize,
    /// Bytes of the stream, from `at` on not yet looked at.
    bytes: Vec<u8>,
    at: usize,
    is_at_end: bool,
    /// The message being read.
    begun: Option<Begun>,
    is_done: bool,
}

/// A message in the making.
struct Begun {
    offset: u64,
    message: Vec<u8>,
    is_too_large: bool,
    /// Whether the last line was blank, so that the next one may begin a message.
    is_after_blank: bool,
}

type Piece = (u64, Vec<u8>);

impl Source for Mailbox {
    fn next(&mut self) -> Option<Chunk> {
        let mut pieces: Vec<Result<Piece, Fault>> = Vec::new();
        let mut bytes = 0;
        while bytes < BLOCK_BYTES && !self.is_done {
            let piece = self.message();
            match piece {
                None => self.is_done = true,
                Some(piece) => {
                    bytes += piece.as_ref().map_or(0, |(_, message)| message.len()) + 256;
                    self.is_done = matches!(&piece, Err(fault) if fault.record.is_none());
                    pieces.push(piece);
                }
            }
        }
        if pieces.is_empty() {
            return None;
        }
        let is_whole =
            |piece: &&Result<Piece, Fault>| !matches!(piece, Err(it) if it.record.is_none());
        let records = pieces.iter().filter(is_whole).count() as u64;
        let context = Arc::clone(&self.context);
        let parse = move |(offset, message): Piece| (offset, document(&message, &context));
        Some(Chunk { records, bytes, work: parsed_later(pieces, parse) })
    }
}

impl Mailbox {
    /// Returns the next message.
    fn message(&mut self) -> Option<Result<Piece, Fault>> {
        loop {
            let line = match self.line() {
                Ok(Some(line)) => line,
                Ok(None) => return self.begun.take().map(|begun| begun.finish(self.limit)),
                Err(error) => {
                    let fault = Fault::unreadable(self.stream.position(), &error);
                    return Some(Err(fault));
                }
            };
            let offset = self.stream.position() - (self.bytes.len() - line.start) as u64;
            let text = &self.bytes[line.clone()];
            let may_begin = self.begun.as_ref().is_none_or(|begun| begun.is_after_blank);
            if may_begin && text.starts_with(b"From ") {
                let before = self.begun.replace(Begun {
                    offset,
                    message: Vec::new(),
                    is_too_large: false,
                    is_after_blank: false,
                });
                if let Some(before) = before {
                    return Some(before.finish(self.limit));
                }
                continue;
            }
            let Some(begun) = &mut self.begun else {
                if text.trim_ascii().is_empty() {
                    continue;
                }
                return Some(Err(Fault::rest(
                    Some(offset),
                    "is no mailbox: no line that begins with `From ` stands before the text",
                )));
            };
            begun.is_after_blank = text.trim_ascii().is_empty();
            let quotes = text.iter().take_while(|&&byte| byte == b'>').count();
            let is_escaped = quotes > 0 && text[quotes..].starts_with(b"From ");
            let text = &text[usize::from(is_escaped)..];
            if begun.message.len() + text.len() > self.limit {
                begun.is_too_large = true;
                begun.message = Vec::new();
            } else if !begun.is_too_large {
                begun.message.extend_from_slice(text);
            }
        }
    }

    /// Returns where the next line stands, or a piece of one that is very long.
    fn line(&mut self) -> std::io::Result<Option<std::ops::Range<usize>>> {
        const LONGEST: usize = 1 << 20;
        loop {
            let found = memchr(b'\n', &self.bytes[self.at..]);
            let rest = self.bytes.len() - self.at;
            let n = match found {
                Some(end) => end + 1,
                None if self.is_at_end || rest >= LONGEST => rest,
                None => {
                    self.bytes.drain(..self.at);
                    self.at = 0;
                    let read = self.stream.append(&mut self.bytes, LONGEST)?;
                    self.is_at_end = read < LONGEST;
                    continue;
                }
            };
            let line = self.at..self.at + n;
            self.at += n;
            return Ok((n > 0).then_some(line));
        }
    }
}

impl Begun {
    fn finish(self, limit: usize) -> Result<Piece, Fault> {
        if self.is_too_large {
            let reason = too_large(limit as u64);
            return Err(Fault { record: Some(0), offset: Some(self.offset), reason });
        }
        Ok((self.offset, self.message))
    }
}
