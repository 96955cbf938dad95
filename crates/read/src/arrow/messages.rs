//! Messages of a file or stream: metadata, and the bytes that it describes.
//!
//! A stream is messages one after another, the first a schema. A file has a footer, too, with the schema and
//! where each message begins: what lies between is up to who wrote it. A file that breaks off has none, and is
//! read like a stream behind its magic number.

use std::collections::VecDeque;
use std::ops::Range;

use arrow_ipc::{
    Footer, Message, MetadataVersion, root_as_footer_with_opts, root_as_message_with_opts,
};
use flatbuffers::VerifierOptions;

use crate::access::Access;
use crate::arrow::schema::Schema;
use crate::fields::Names;

/// What a file begins and ends with.
const MAGIC: &[u8] = b"ARROW1";
/// The magic number and what fills it up to eight bytes.
const START: u64 = 8;
/// Where the first message stands if what was written is aligned to 64 bytes.
const ALIGNED_START: u64 = 64;
/// What stands in front of the length of metadata since version 0.15.
const CONTINUES: u32 = u32::MAX;
/// Largest metadata of a message. A schema of ten thousand columns takes about a megabyte.
const METADATA_BYTES: u64 = 16 << 20;

/// Returns whether the first bytes are those of a file or of a stream.
pub(super) fn shows(head: &[u8]) -> bool {
    if head.starts_with(MAGIC) || head.starts_with(b"FEA1") {
        return true;
    }
    let Some((prefix, rest)) = head.split_first_chunk::<8>() else { return false };
    let (marker, length) = (number(&prefix[..4]), u64::from(number(&prefix[4..])));
    // What a stream begins with is a schema, and a schema a table near its start.
    marker == CONTINUES
        && (16..=METADATA_BYTES).contains(&length)
        && length.is_multiple_of(8)
        && rest.get(..4).is_some_and(|root| (4..64).contains(&number(root)))
}

/// A message.
pub(super) struct Read {
    metadata: Vec<u8>,
    /// Where what it describes lies in the file.
    pub(super) body: Range<u64>,
}

impl Read {
    /// Returns the verified metadata.
    pub(super) fn header(&self) -> Result<Message<'_>, String> {
        let message = root_as_message_with_opts(&limits(), &self.metadata)
            .map_err(|_| "the metadata of a message contradicts itself".to_owned())?;
        check(message.version())?;
        Ok(message)
    }
}

/// What metadata may hold. Tables that are named many times count each time, here and in the time they
/// take.
fn limits() -> VerifierOptions {
    VerifierOptions {
        max_depth: 128,
        max_tables: 1 << 17,
        max_apparent_size: 1 << 26,
        ..VerifierOptions::default()
    }
}

fn check(version: MetadataVersion) -> Result<(), String> {
    match version {
        MetadataVersion::V4 | MetadataVersion::V5 => Ok(()),
        _ => Err("it is of a version before 1.0 that nothing writes any more".to_owned()),
    }
}

/// What a file says at its end.
struct End {
    metadata: Vec<u8>,
    /// Where the messages lie that were not read yet, dictionaries first.
    places: VecDeque<Range<u64>>,
}

impl End {
    fn new(metadata: Vec<u8>, end: u64) -> Result<Self, String> {
        let mut end_of_file = Self { metadata, places: VecDeque::new() };
        let footer = end_of_file.footer()?;
        let n_dictionaries = footer.dictionaries().map_or(0, |blocks| blocks.len());
        let blocks = [footer.dictionaries(), footer.recordBatches()];
        let places = blocks.into_iter().flatten().flatten().zip(0..).map(|(block, number)| {
            let place = u64::try_from(block.offset()).ok();
            Some((place.filter(|place| (START..end).contains(place))?, number))
        });
        let mut places: Vec<(u64, usize)> = places
            .collect::<Option<_>>()
            .ok_or("is broken Arrow: its footer names places outside of the file")?;
        places.sort_unstable();
        // A message ends where the next one begins, at the latest, so that none is read twice.
        let ends = places.iter().skip(1).map(|(place, _)| *place).chain([end]);
        let ends: Vec<u64> = ends.collect();
        let ranges = places.iter().zip(ends).map(|(&(place, number), end)| (place..end, number));
        let (first, then): (Vec<_>, Vec<_>) =
            ranges.partition(|(_, number)| *number < n_dictionaries);
        end_of_file.places = first.into_iter().chain(then).map(|(range, _)| range).collect();
        Ok(end_of_file)
    }

    fn footer(&self) -> Result<Footer<'_>, String> {
        let footer = root_as_footer_with_opts(&limits(), &self.metadata)
            .map_err(|_| "is broken Arrow: its footer contradicts itself".to_owned())?;
        check(footer.version())?;
        Ok(footer)
    }
}

/// The messages of a file or stream, one after another.
pub(super) struct Messages {
    access: Access,
    at: u64,
    /// Where the messages end, or the one that is read next: at the end of a stream, or what the footer says.
    end: u64,
    /// What stands at the end of a file.
    footer: Option<End>,
    /// Whether it has the magic number of a file, but not at its end.
    is_cut: bool,
}

impl Messages {
    /// Opens a file or stream.
    pub(super) fn open(access: Access) -> Result<Self, String> {
        let bytes = access.bytes();
        let mut head = [0; 6];
        let n = bytes.min(6) as usize;
        access.read_exact_at(&mut head[..n], 0).map_err(|error| error.to_string())?;
        if head.starts_with(b"FEA1") {
            let hint = "write it again with `pyarrow.feather.write_feather`";
            return Err(format!("is Feather of version 1, which is not read; {hint}"));
        }
        if head != MAGIC {
            return Ok(Self { access, at: 0, end: bytes, footer: None, is_cut: false });
        }
        let Some(place) = footer(&access)? else {
            let mut messages = Self { access, at: START, end: bytes, footer: None, is_cut: true };
            if bytes > ALIGNED_START && messages.number(START)? == 0 {
                messages.at = ALIGNED_START;
            }
            return Ok(messages);
        };
        let length = place.end - place.start;
        if length > METADATA_BYTES {
            let most = METADATA_BYTES;
            return Err(format!("is broken Arrow: a footer of {length} bytes, longer than {most}"));
        }
        let mut metadata = vec![0; length as usize];
        access.read_exact_at(&mut metadata, place.start).map_err(|error| error.to_string())?;
        let end = place.start;
        let footer = Some(End::new(metadata, end)?);
        Ok(Self { access, at: START, end, footer, is_cut: false })
    }

    /// Returns the columns; comes before [`Messages::next`].
    pub(super) fn schema(&mut self, names: &Names) -> Result<Schema, String> {
        if let Some(end) = &self.footer {
            let footer = end.footer()?;
            let schema = footer.schema().ok_or("its footer has no schema")?;
            return Schema::read(&schema, footer.version(), names);
        }
        let first = self.next()?.ok_or("it has no schema")?;
        let message = first.header()?;
        let schema = message.header_as_schema().ok_or("it does not begin with a schema")?;
        Schema::read(&schema, message.version(), names)
    }

    /// Returns the next message, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Read>, String> {
        if let Some(footer) = &mut self.footer {
            let Some(place) = footer.places.pop_front() else { return Ok(None) };
            if place.is_empty() {
                return Err("its footer names a message twice".to_owned());
            }
            (self.at, self.end) = (place.start, place.end);
        }
        let left = self.end.saturating_sub(self.at);
        if left == 0 {
            return if self.is_cut { Err("it breaks off".to_owned()) } else { Ok(None) };
        }
        if left < 4 {
            return Err("it breaks off within a message".to_owned());
        }
        let mut length = self.number(self.at)?;
        self.at += 4;
        if length == CONTINUES {
            if self.end - self.at < 4 {
                return Err("it breaks off within a message".to_owned());
            }
            length = self.number(self.at)?;
            self.at += 4;
        }
        if length == 0 {
            // The end of a stream, which files have before their footer.
            self.at = self.end;
            self.is_cut = false;
            return Ok(None);
        }
        let length = u64::from(length);
        if length > METADATA_BYTES {
            return Err(format!("metadata of {length} bytes is longer than {METADATA_BYTES}"));
        }
        if length > self.end - self.at {
            return Err("it breaks off within a message".to_owned());
        }
        let mut metadata = vec![0; length as usize];
        self.access.read_exact_at(&mut metadata, self.at).map_err(|error| error.to_string())?;
        self.at += length;
        let mut read = Read { metadata, body: self.at..self.at };
        let body = read.header()?.bodyLength();
        let body = u64::try_from(body).map_err(|_| format!("a body of {body} bytes"))?;
        let end = self.at.checked_add(body).filter(|&end| end <= self.end);
        let Some(end) = end else {
            return Err(format!("it breaks off within a body of {body} bytes"));
        };
        read.body.end = end;
        self.at = end;
        Ok(Some(read))
    }

    fn number(&self, at: u64) -> Result<u32, String> {
        let mut bytes = [0; 4];
        self.access.read_exact_at(&mut bytes, at).map_err(|error| error.to_string())?;
        Ok(u32::from_le_bytes(bytes))
    }
}

/// Returns where the footer of a file lies; `None` if the file does not end as files do.
fn footer(access: &Access) -> Result<Option<Range<u64>>, String> {
    const TAIL: usize = 10;
    let Some(end) = access.bytes().checked_sub(TAIL as u64) else { return Ok(None) };
    let mut tail = [0; TAIL];
    access.read_exact_at(&mut tail, end).map_err(|error| error.to_string())?;
    if &tail[4..] != MAGIC {
        return Ok(None);
    }
    let length = u64::from(number(&tail[..4]));
    let start = end.checked_sub(length).filter(|&start| start >= START);
    start
        .map(|start| Some(start..end))
        .ok_or_else(|| "is broken Arrow: its footer is longer than the file".to_owned())
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}
