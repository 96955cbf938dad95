//! JSON documents: an array of objects, one object, or objects one after another.
//!
//! The stream is cut into elements by counting brackets outside strings, so an array of any
//! length streams; each element is then parsed like a line of JSON Lines.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr2;

use crate::bad::Fault;
use crate::format::{Chunk, Context, Draft, Input, Opened, RECORD_BYTES, Source, Spec, Work};
use crate::jsonl::BLOCK_BYTES;
use crate::scan;
use crate::sniff::Look;
use crate::stream::Stream;
use crate::text::too_large;

pub(crate) static SPEC: Spec =
    Spec { endings: &["json"], input: Input::Utf8, is_collection: true, shows, open };

/// Most elements of a chunk. A block may hold half a million bad ones, each with its own message.
const CHUNK_ELEMENTS: usize = BLOCK_BYTES / RECORD_BYTES;

/// Returns whether the text begins an array of objects, or an object that goes on over lines.
fn shows(look: &Look<'_>) -> bool {
    let start = look.start();
    if let Some(rest) = start.strip_prefix('[') {
        let rest = rest.trim_start();
        // `[]` alone proves nothing, since a text may begin with it. The name of the file decides.
        return rest.starts_with('{') && rest[1..].trim_start().starts_with(['"', '}']);
    }
    let Some(rest) = start.strip_prefix('{') else { return false };
    let rest = rest.trim_start();
    let Some(key) = rest.strip_prefix('"') else { return false };
    key.split_once('"').is_some_and(|(_, rest)| rest.trim_start().starts_with(':'))
}

fn open(opened: Opened) -> Box<dyn Source> {
    Box::new(Elements {
        stream: opened.stream,
        context: opened.context,
        is_seekable: opened.is_seekable,
        bytes: Vec::new(),
        scanned: 0,
        state: State::Start,
        depth: 0,
        is_in_string: false,
        start: None,
        dropped: None,
        broken: None,
        is_done: false,
    })
}

/// Where in the outermost value the scan stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Array,
    Sequence,
    AfterArray,
}

struct Elements {
    stream: Stream,
    context: Arc<Context>,
    is_seekable: bool,
    /// Bytes not yet handed on.
    bytes: Vec<u8>,
    /// How many of them were looked at.
    scanned: usize,
    state: State,
    depth: u64,
    is_in_string: bool,
    /// Where in `bytes` the current element begins.
    start: Option<usize>,
    /// Where in the stream an element begins that is too long to keep.
    dropped: Option<u64>,
    /// The error at which reading stopped.
    broken: Option<Fault>,
    is_done: bool,
}

/// Elements found in some bytes, in order.
type Found = Vec<Result<Range<usize>, Fault>>;

impl Source for Elements {
    fn next(&mut self) -> Option<Chunk> {
        let mut found: Found = Vec::new();
        while found.is_empty() && !(self.is_done && self.is_scanned()) {
            if self.is_scanned() {
                match self.stream.append(&mut self.bytes, BLOCK_BYTES) {
                    Ok(read) => self.is_done = read < BLOCK_BYTES,
                    Err(error) => {
                        self.is_done = true;
                        self.broken = Some(Fault::unreadable(self.stream.position(), &error));
                    }
                }
            }
            self.scan(&mut found);
            if self.is_done && self.is_scanned() {
                match self.broken.take() {
                    Some(fault) => found.push(Err(fault)),
                    None => self.end(&mut found),
                }
            }
            self.drop_long();
            if found.is_empty() {
                self.let_go();
            }
        }
        self.hand_on(found)
    }
}

impl Elements {
    /// Returns whether all bytes that were read were looked at.
    fn is_scanned(&self) -> bool {
        self.scanned >= self.bytes.len()
    }

    /// Returns the position in the stream of a byte of the buffer.
    fn offset(&self, at: usize) -> u64 {
        self.stream.position() - (self.bytes.len() - at) as u64
    }

    /// Finds the ends of elements in bytes that are new.
    fn scan(&mut self, found: &mut Found) {
        let mut at = self.scanned;
        while at < self.bytes.len() && found.len() < CHUNK_ELEMENTS {
            if self.is_in_string {
                match memchr2(b'"', b'\\', &self.bytes[at..]) {
                    None => at = self.bytes.len(),
                    Some(n) if self.bytes[at + n] == b'"' => {
                        self.is_in_string = false;
                        at += n + 1;
                    }
                    // The escaped byte is stepped over even if it is still to come.
                    Some(n) => at += n + 2,
                }
                continue;
            }
            let byte = self.bytes[at];
            at += 1;
            if !self.step(byte, at, found) {
                let reason = "not JSON: something follows the end of the array";
                found.push(Err(Fault::rest(Some(self.offset(at - 1)), reason)));
                self.is_done = true;
                self.start = None;
                at = self.bytes.len();
            }
        }
        self.scanned = at;
    }

    /// Takes one byte outside strings; returns whether it may stand there.
    fn step(&mut self, byte: u8, after: usize, found: &mut Found) -> bool {
        let is_outside = self.start.is_none() && self.dropped.is_none();
        match (byte, self.state) {
            (b' ' | b'\t' | b'\r' | b'\n', _) if is_outside => return true,
            (b'[', State::Start) => {
                self.state = State::Array;
                return true;
            }
            (_, State::Start) => self.state = State::Sequence,
            (_, State::AfterArray) => return false,
            (b',', _) if self.depth == 0 => {
                self.close(after - 1, found);
                return true;
            }
            (b']', State::Array) if self.depth == 0 => {
                self.close(after - 1, found);
                self.state = State::AfterArray;
                return true;
            }
            _ => {}
        }
        if is_outside {
            self.start = Some(after - 1);
        }
        match byte {
            b'"' => self.is_in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 && self.state == State::Sequence {
                    self.close(after, found);
                }
            }
            _ => {}
        }
        true
    }

    /// Ends the current element, if there is one.
    fn close(&mut self, end: usize, found: &mut Found) {
        if let Some(start) = self.start.take() {
            found.push(Ok(start..end));
        } else if let Some(offset) = self.dropped.take() {
            let reason = too_large(self.context.limits().document_bytes);
            found.push(Err(Fault { record: Some(0), offset: Some(offset), reason }));
        }
    }

    /// Says what is missing at the end of the stream.
    fn end(&mut self, found: &mut Found) {
        let at = self.start.map(|start| self.offset(start)).or(self.dropped);
        if let Some(offset) = at {
            let reason = "not JSON: the end is missing".to_owned();
            found.push(Err(Fault { record: Some(0), offset: Some(offset), reason }));
            (self.start, self.dropped) = (None, None);
        } else if self.state == State::Array {
            let offset = Some(self.stream.position());
            found.push(Err(Fault::rest(offset, "not JSON: the end of the array is missing")));
        }
    }

    /// Drops the bytes of an element that is longer than a document may be.
    fn drop_long(&mut self) {
        let limit = self.context.limits().document_bytes;
        if let Some(start) = self.start
            && (self.bytes.len() - start) as u64 > limit
        {
            self.dropped = Some(self.offset(start));
            self.start = None;
        }
    }

    /// Cuts off and returns the bytes that no element still to come needs.
    fn let_go(&mut self) -> Vec<u8> {
        let keep = self.start.unwrap_or(self.scanned.min(self.bytes.len()));
        let rest = self.bytes.split_off(keep);
        self.scanned -= keep;
        self.start = self.start.map(|_| 0);
        std::mem::replace(&mut self.bytes, rest)
    }

    /// Makes a chunk of the elements found and keeps the bytes after them.
    fn hand_on(&mut self, found: Found) -> Option<Chunk> {
        let base = self.offset(0);
        let bytes = self.let_go();
        if found.is_empty() {
            return None;
        }
        let records = found.iter().filter(|element| !is_rest(element)).count() as u64;
        let (context, is_seekable, n_bytes) =
            (Arc::clone(&self.context), self.is_seekable, bytes.len());
        let parse = move |each: &mut dyn FnMut(Result<Draft, Fault>)| {
            let mut record = 0;
            for element in found {
                let is_rest = is_rest(&element);
                each(match element {
                    Ok(range) => document(&bytes, range, base, record, is_seekable, &context),
                    Err(fault) => Err(Fault { record: fault.record.map(|_| record), ..fault }),
                });
                record += u64::from(!is_rest);
            }
        };
        Some(Chunk { records, bytes: n_bytes, work: Work::Later(Box::new(parse)) })
    }
}

fn is_rest(element: &Result<Range<usize>, Fault>) -> bool {
    matches!(element, Err(Fault { record: None, .. }))
}

/// Parses one element.
fn document(
    bytes: &[u8],
    range: Range<usize>,
    base: u64,
    record: u64,
    is_seekable: bool,
    context: &Context,
) -> Result<Draft, Fault> {
    let offset = base + range.start as u64;
    let again = is_seekable.then(|| offset..base + range.end as u64);
    let fault = |at: usize, reason: &str| Fault {
        record: Some(record),
        offset: Some(offset + at as u64),
        reason: reason.to_owned(),
    };
    let bytes = &bytes[range];
    if bytes.len() as u64 > context.limits().document_bytes {
        return Err(fault(0, &too_large(context.limits().document_bytes)));
    }
    let json = std::str::from_utf8(bytes)
        .map_err(|error| fault(error.valid_up_to(), "the element is not UTF-8"))?;
    let document = scan::document(json, &context.names, context.limits().json_depth)
        .map_err(|error| fault(error.at, &error.reason))?;
    Ok(Draft { document, record, is_whole: false, part: None, again })
}
