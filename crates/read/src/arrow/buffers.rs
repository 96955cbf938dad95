//! Buffers of a batch, each a stream that is decompressed on the way.

use std::io::{self, BufReader, Read};
use std::ops::Range;

use arrow_ipc::{CompressionType, RecordBatch};
use lz4_flex::frame::FrameDecoder;

use crate::access::Access;
use crate::compress::{Counted, Inflated, Ratio};

/// Bytes read ahead of each buffer.
const AHEAD: usize = 64 << 10;
/// Largest zstd window, as a power of two: 128 MiB, as for whole files.
const ZSTD_WINDOW_LOG: u32 = 27;

/// What the buffers of a batch have in common.
pub(super) struct Buffers<'a> {
    access: &'a Access,
    ranges: Vec<Range<u64>>,
    codec: Option<CompressionType>,
    ratio: u64,
}

/// A buffer, decompressed, in order.
pub(super) type Bytes = Box<dyn Read + Send>;

/// A buffer of which any part may be asked for.
pub(super) enum Held {
    File(Access, Range<u64>),
    Memory(Vec<u8>),
}

impl<'a> Buffers<'a> {
    /// Takes the buffers of a batch after checking that they lie within its body.
    pub(super) fn of(
        access: &'a Access,
        body: &Range<u64>,
        batch: &RecordBatch<'_>,
        ratio: u64,
    ) -> Result<Self, String> {
        let codec = batch.compression().map(|compression| compression.codec());
        if !matches!(codec, None | Some(CompressionType::LZ4_FRAME | CompressionType::ZSTD)) {
            return Err("a batch is compressed in a way that is not known".to_owned());
        }
        let mut ranges = Vec::new();
        for buffer in batch.buffers().iter().flatten() {
            let lies = u64::try_from(buffer.offset()).ok().zip(u64::try_from(buffer.length()).ok());
            let range = lies.and_then(|(offset, length)| {
                let start = body.start.checked_add(offset)?;
                let end = start.checked_add(length)?;
                (end <= body.end).then_some(start..end)
            });
            ranges.push(range.ok_or("a buffer lies outside of its batch")?);
        }
        Ok(Self { access, ranges, codec, ratio })
    }

    /// Returns how many there are.
    pub(super) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Returns whether a buffer was left out, as that of a column without missing values.
    pub(super) fn is_empty(&self, number: usize) -> bool {
        self.ranges.get(number).is_none_or(Range::is_empty)
    }

    /// Opens a buffer.
    pub(super) fn open(&self, number: usize) -> Result<Bytes, String> {
        let (packed, range) = self.packed(number)?;
        let section = self.access.section(range.start, range.end);
        let Some((codec, length)) = packed else {
            return Ok(Box::new(BufReader::with_capacity(AHEAD, section)));
        };
        let (counted, taken) = Counted::new(section);
        let cannot = |error: io::Error| error.to_string();
        let decoder: Bytes = if codec == CompressionType::ZSTD {
            let mut decoder = zstd::stream::read::Decoder::new(counted).map_err(cannot)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(cannot)?;
            Box::new(decoder)
        } else {
            Box::new(FrameDecoder::new(counted))
        };
        let inflated = Inflated::new(decoder, taken, Ratio::new(self.ratio));
        Ok(Box::new(BufReader::with_capacity(AHEAD, inflated.take(length))))
    }

    /// Opens a buffer of which any part may be asked for. If that takes memory, it is taken off `left`.
    pub(super) fn hold(&self, number: usize, left: &mut u64) -> Result<Held, String> {
        let (packed, range) = self.packed(number)?;
        let Some((_, length)) = packed else {
            return Ok(Held::File(self.access.clone(), range));
        };
        *left = left.checked_sub(length).ok_or_else(too_much)?;
        let mut memory = Vec::new();
        self.open(number)?.read_to_end(&mut memory).map_err(|error| error.to_string())?;
        Ok(Held::Memory(memory))
    }

    /// Returns how a buffer is compressed and its length when it is not, and where its bytes lie.
    #[expect(clippy::type_complexity, reason = "one caller takes it apart, two lines on")]
    fn packed(
        &self,
        number: usize,
    ) -> Result<(Option<(CompressionType, u64)>, Range<u64>), String> {
        let range = self.ranges.get(number).cloned();
        let range = range.ok_or_else(|| "a batch has too few buffers".to_owned())?;
        let Some(codec) = self.codec.filter(|_| !range.is_empty()) else {
            return Ok((None, range));
        };
        let mut prefix = [0; 8];
        let rest = range.start + prefix.len() as u64..range.end;
        if rest.end < rest.start {
            return Err("a compressed buffer has no length".to_owned());
        }
        let read = self.access.read_exact_at(&mut prefix, range.start);
        read.map_err(|error| error.to_string())?;
        match i64::from_le_bytes(prefix) {
            // Compression would have made it longer.
            -1 => Ok((None, rest)),
            length => {
                let length = u64::try_from(length).map_err(|_| "a buffer of negative length")?;
                Ok((Some((codec, length)), rest))
            }
        }
    }
}

/// Says that more would have to be held than a file may ask for.
pub(super) fn too_much() -> String {
    "its dictionaries and strings by reference take more memory than a file of its size may"
        .to_owned()
}

impl Held {
    /// Checks that bytes lie within the buffer.
    pub(super) fn check(&self, offset: u64, bytes: u64) -> Result<(), String> {
        let all = match self {
            Self::File(_, range) => range.end - range.start,
            Self::Memory(memory) => memory.len() as u64,
        };
        let is_inside = offset.checked_add(bytes).is_some_and(|end| end <= all);
        is_inside.then_some(()).ok_or_else(|| "a string lies outside of its buffer".to_owned())
    }

    /// Reads bytes that lie within the buffer.
    pub(super) fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), String> {
        match self {
            Self::File(access, range) => {
                access.read_exact_at(bytes, range.start + offset).map_err(|error| error.to_string())
            }
            Self::Memory(memory) => {
                let start = offset as usize;
                bytes.copy_from_slice(&memory[start..start + bytes.len()]);
                Ok(())
            }
        }
    }
}
