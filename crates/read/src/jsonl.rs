//! JSON Lines: one object a line, the format most collections come in.
//!
//! Under the reader's lock only whole lines are cut off the stream, about a MiB at a time; they
//! are parsed by whoever took the batch. Records are numbered by line, blank lines included, so
//! that a number is known without parsing what stands before it.

use std::sync::Arc;

use memchr::{memchr, memchr_iter, memrchr};

use crate::bad::Fault;
use crate::format::{Chunk, Context, Draft, Input, Opened, RECORD_BYTES, Source, Spec, Work};
use crate::scan;
use crate::sniff::Look;
use crate::stream::Stream;

/// Size of a block of lines.
pub(crate) const BLOCK_BYTES: usize = 1 << 20;
/// Most lines of a chunk. A block may hold a million bad ones, each with its own message.
const CHUNK_LINES: u64 = (BLOCK_BYTES / RECORD_BYTES) as u64;

pub(crate) static SPEC: Spec = Spec {
    endings: &["jsonl", "ndjson", "jsonlines"],
    input: Input::Utf8,
    is_collection: true,
    shows,
    open,
};

/// Returns whether the first line is an object, or begins one that is too long to see its end.
fn shows(look: &Look<'_>) -> bool {
    let (line, is_whole) = look.first_line();
    if is_whole {
        scan::is_object(line, u32::MAX)
    } else {
        // `{"` and a later `":`: a long first line. A `.json` file may be one object over many
        // lines and is left to the reader of JSON.
        look.ending != "json" && line.starts_with("{\"") && line.contains("\":")
    }
}

fn open(opened: Opened) -> Box<dyn Source> {
    let cut = Cutter::new(opened.stream, opened.context.limits().line_bytes);
    Box::new(Lines { cut, rest: None, context: opened.context, is_seekable: opened.is_seekable })
}

struct Lines {
    cut: Cutter,
    /// What is left of a block of very short lines.
    rest: Option<Block>,
    context: Arc<Context>,
    is_seekable: bool,
}

impl Source for Lines {
    fn next(&mut self) -> Option<Chunk> {
        let mut block = match self.rest.take() {
            Some(block) => block,
            None => match self.cut.next()? {
                Ok(block) => block,
                Err(fault) => return Some(Chunk::fault(fault)),
            },
        };
        self.rest = block.split_off(CHUNK_LINES);
        let (context, is_seekable) = (Arc::clone(&self.context), self.is_seekable);
        Some(Chunk {
            records: block.lines,
            bytes: block.bytes.len(),
            work: Work::Later(Box::new(move |each| parse(&block, &context, is_seekable, each))),
        })
    }
}

/// Parses the lines of a block.
fn parse(
    block: &Block,
    context: &Context,
    is_seekable: bool,
    each: &mut dyn FnMut(Result<Draft, Fault>),
) {
    // One validation for all lines; only a block that fails it is looked at line by line.
    let text = simdutf8::basic::from_utf8(&block.bytes).ok();
    let has_nul = memchr(0, &block.bytes).is_some();
    let limits = context.limits();
    for (record, line) in block.iter() {
        let offset = block.offset + line.start as u64;
        let bytes = &block.bytes[line.clone()];
        let fault = |at: usize, reason: String| {
            Err(Fault { record: Some(record), offset: Some(offset + at as u64), reason })
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if bytes.len() as u64 > limits.line_bytes {
            each(fault(0, too_long(limits.line_bytes)));
            continue;
        }
        if has_nul && let Some(at) = memchr(0, bytes) {
            each(fault(at, "a NUL byte stands in the line".to_owned()));
            continue;
        }
        let json = match text {
            Some(text) => &text[line.clone()],
            None => match std::str::from_utf8(bytes) {
                Ok(json) => json,
                Err(error) => {
                    each(fault(error.valid_up_to(), "the line is not UTF-8".to_owned()));
                    continue;
                }
            },
        };
        each(match scan::document(json, &context.names, limits.json_depth) {
            Ok(document) => {
                let again = is_seekable.then(|| offset..block.offset + line.end as u64);
                Ok(Draft { document, record, is_whole: false, part: None, again })
            }
            Err(error) => fault(error.at, error.reason),
        });
    }
}

/// Returns the reason for refusing a line.
pub(crate) fn too_long(line_bytes: u64) -> String {
    format!("line longer than the limit of {line_bytes} bytes (`line_bytes`)")
}

/// Some whole lines of a stream.
pub(crate) struct Block {
    /// The lines with their ends; the last line of a stream may lack its end.
    pub(crate) bytes: Vec<u8>,
    /// Byte of the stream the block begins at.
    pub(crate) offset: u64,
    /// Number of lines.
    pub(crate) lines: u64,
}

impl Block {
    /// Cuts off what follows the first `lines` lines, if anything does.
    fn split_off(&mut self, lines: u64) -> Option<Self> {
        if self.lines <= lines {
            return None;
        }
        let last = usize::try_from(lines).ok()?.checked_sub(1)?;
        let end = memchr_iter(b'\n', &self.bytes).nth(last)? + 1;
        let rest = Self {
            bytes: self.bytes.split_off(end),
            offset: self.offset + end as u64,
            lines: self.lines - lines,
        };
        self.lines = lines;
        Some(rest)
    }

    /// Returns the lines with their numbers, without their ends.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
        let mut start = 0;
        let ends = memchr_iter(b'\n', &self.bytes).chain(std::iter::once(self.bytes.len()));
        (0..self.lines).zip(ends).map(move |(number, end)| {
            let line = start..end;
            start = end + 1;
            (number, line)
        })
    }
}

/// Cuts a stream into blocks of whole lines.
pub(crate) struct Cutter {
    stream: Stream,
    /// Bytes read after the last line end.
    tail: Vec<u8>,
    longest: u64,
    /// The error at which reading stopped.
    broken: Option<Fault>,
    is_done: bool,
}

impl Cutter {
    pub(crate) fn new(stream: Stream, longest: u64) -> Self {
        Self { stream, tail: Vec::new(), longest, broken: None, is_done: false }
    }

    /// Returns the next block; a fault for a line past the limit counts as one record.
    ///
    /// A line may pass the limit by less than a block; the parser checks each line once more.
    pub(crate) fn next(&mut self) -> Option<Result<Block, Fault>> {
        if self.is_done {
            return self.broken.take().map(Err);
        }
        let mut bytes = std::mem::take(&mut self.tail);
        let offset = self.stream.position() - bytes.len() as u64;
        bytes.reserve(BLOCK_BYTES.saturating_sub(bytes.len()));
        loop {
            // A tail holds no line end: only new bytes are searched.
            let searched = bytes.len();
            let wanted = BLOCK_BYTES.saturating_sub(searched).max(BLOCK_BYTES / 4);
            match self.stream.append(&mut bytes, wanted) {
                Ok(read) => self.is_done = read < wanted,
                Err(error) => {
                    self.is_done = true;
                    self.broken = Some(Fault::unreadable(self.stream.position(), &error));
                    // The line that broke off is part of what cannot be read.
                    bytes.truncate(memrchr(b'\n', &bytes).map_or(0, |end| end + 1));
                }
            }
            if self.is_done {
                if bytes.is_empty() {
                    return self.broken.take().map(Err);
                }
                let lines = count_lines(&bytes) + u64::from(!bytes.ends_with(b"\n"));
                return Some(Ok(Block { bytes, offset, lines }));
            }
            if let Some(end) = memrchr(b'\n', &bytes[searched..]) {
                self.tail = bytes.split_off(searched + end + 1);
                let lines = count_lines(&bytes);
                return Some(Ok(Block { bytes, offset, lines }));
            }
            if bytes.len() as u64 > self.longest {
                drop(bytes);
                self.skip_line();
                let reason = too_long(self.longest);
                return Some(Err(Fault { record: Some(0), offset: Some(offset), reason }));
            }
        }
    }

    /// Reads on to the next line end without keeping anything before it.
    fn skip_line(&mut self) {
        let mut bytes = Vec::with_capacity(BLOCK_BYTES);
        loop {
            bytes.clear();
            let read = self.stream.append(&mut bytes, BLOCK_BYTES);
            if let Some(end) = memchr(b'\n', &bytes) {
                self.tail = bytes.split_off(end + 1);
                return;
            }
            match read {
                Ok(BLOCK_BYTES) => {}
                Ok(_) => {
                    self.is_done = true;
                    return;
                }
                Err(error) => {
                    self.is_done = true;
                    self.broken = Some(Fault::unreadable(self.stream.position(), &error));
                    return;
                }
            }
        }
    }
}

fn count_lines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}
