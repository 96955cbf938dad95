//! Byte strings of any length, several in a compressed block.

use std::borrow::Cow;
use std::io::Read as _;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::format::{SUM_BYTES, Sink, Stored, u32_at, u64_at};
use crate::table::{Table, TableCursor, TableWriter, write_numbers};

/// Bytes in front of a block: how it is stored, and its length when it is not compressed.
const HEAD_BYTES: usize = 5;
/// Bytes of a row of places.
const PLACE_BYTES: usize = 12;
/// The length in a place that says that there is nothing.
const NOTHING: u32 = u32::MAX;
/// No block is longer than this when it is not compressed.
const MOST_BLOCK_BYTES: u32 = 1 << 30;
/// How hard is tried to compress.
const LEVEL: i32 = 1;
/// Blocks whose uncompressed length is given as more than this are decompressed step by step, so
/// that a length that lies takes no memory.
const TRUSTED_BYTES: usize = 1 << 20;

/// Where some byte strings are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Heap {
    pub(crate) offset: u64,
    pub(crate) n_bytes: u64,
    /// Where each block starts, from `offset` on, and where the last one ends.
    pub(crate) starts: Table,
    /// Block, place in the block and length of every string.
    pub(crate) places: Table,
}

/// Where one byte string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) block: u32,
    at: u32,
    len: u32,
}

impl Place {
    pub(crate) const NOTHING: Self = Self { block: 0, at: 0, len: NOTHING };

    pub(crate) fn len(self) -> u64 {
        u64::from(self.len)
    }

    pub(crate) fn is_something(self) -> bool {
        self.len != NOTHING
    }

    fn read(row: &[u8]) -> Self {
        Self { block: u32_at(row, 0), at: u32_at(row, 4), len: u32_at(row, 8) }
    }

    fn write(self) -> [u8; PLACE_BYTES] {
        let mut row = [0; PLACE_BYTES];
        row[..4].copy_from_slice(&self.block.to_le_bytes());
        row[4..8].copy_from_slice(&self.at.to_le_bytes());
        row[8..].copy_from_slice(&self.len.to_le_bytes());
        row
    }

    /// Returns whether a block with so many bytes holds the string.
    pub(crate) fn is_in(self, n_bytes: usize) -> bool {
        u64::from(self.at) + u64::from(self.len) <= n_bytes as u64
    }

    /// Returns the string in its block, or `None` if the block is shorter.
    pub(crate) fn of(self, block: &[u8]) -> Option<&[u8]> {
        block.get(self.at as usize..(self.at as usize).checked_add(self.len as usize)?)
    }
}

/// Reads places.
#[derive(Debug)]
pub(crate) struct Places<'a>(TableCursor<'a>);

impl Places<'_> {
    /// Returns where a string is.
    pub(crate) fn get(&mut self, i: u32) -> Result<Place> {
        self.0.row(u64::from(i)).map(Place::read)
    }
}

/// A block as it is stored, to be copied as it is.
#[derive(Debug)]
pub(crate) struct RawBlock<'a>(Cow<'a, [u8]>);

impl RawBlock<'_> {
    /// Returns the length of its content when it is not compressed.
    pub(crate) fn n_bytes(&self) -> usize {
        u32_at(&self.0, 1) as usize
    }

    fn is_compressed(&self) -> bool {
        self.0[0] == 1
    }

    /// Returns whether it is worth copying: long enough, and compressed if it can be.
    pub(crate) fn is_worth_copying(&self, target: usize) -> bool {
        self.is_compressed() && self.n_bytes() >= target / 2
    }
}

impl Heap {
    pub(crate) fn is_within(&self, end: u64) -> bool {
        self.offset.checked_add(self.n_bytes).is_some_and(|last| last <= end)
            && self.starts.is_within(end)
            && self.starts.width == 8
            && self.starts.n_rows > 0
            && self.places.is_within(end)
            && self.places.width as usize == PLACE_BYTES
    }

    pub(crate) fn all_bytes(&self) -> u64 {
        self.n_bytes + self.starts.n_bytes().unwrap_or(0) + self.places.n_bytes().unwrap_or(0)
    }

    /// Returns the number of blocks.
    pub(crate) fn n_blocks(&self) -> u64 {
        self.starts.n_rows - 1
    }

    /// Returns where a string is.
    pub(crate) fn place(&self, i: u32, file: &Stored) -> Result<Place> {
        self.places.row(u64::from(i), file, Place::read)
    }

    /// Starts to read places, most of them one after the other.
    pub(crate) fn places<'a>(&self, file: &'a Stored) -> Places<'a> {
        Places(self.places.cursor(file))
    }

    /// Calls `each` with every place in order.
    pub(crate) fn each_place(
        &self,
        file: &Stored,
        mut each: impl FnMut(u32, Place) -> Result<()>,
    ) -> Result<()> {
        self.places.each(file, |i, row| each(i as u32, Place::read(row)))
    }

    /// Starts to read blocks, most of them one after the other.
    pub(crate) fn blocks<'a>(&self, file: &'a Stored) -> Blocks<'a> {
        Blocks {
            heap: *self,
            file,
            starts: self.starts.cursor(file),
            decompressor: None,
            held: None,
            content: Vec::new(),
        }
    }

    /// Returns a block as it is stored, from where it starts to where the next one does.
    fn raw_block<'a>(&self, from: u64, to: u64, file: &'a Stored) -> Result<RawBlock<'a>> {
        let len = to.saturating_sub(from);
        if to > self.n_bytes || len < (HEAD_BYTES + SUM_BYTES) as u64 {
            return Err(file.damaged(self.starts.offset, "a block starts where none can be"));
        }
        let offset = self.offset + from;
        let bytes = file.block(offset, len as usize)?;
        let n_bytes = u32_at(&bytes, 1);
        let is_right = match bytes[0] {
            0 => n_bytes as usize == bytes.len() - HEAD_BYTES,
            1 => n_bytes <= MOST_BLOCK_BYTES,
            _ => false,
        };
        if !is_right {
            return Err(file.damaged(offset, "a block is stored in a way that is not known"));
        }
        Ok(RawBlock(bytes))
    }

    /// Returns the content of a block.
    pub(crate) fn block<'a>(&self, block: u32, file: &'a Stored) -> Result<Cow<'a, [u8]>> {
        let start = |i: u64| self.starts.row(i, file, |row| u64_at(row, 0));
        let (from, to) = (start(u64::from(block))?, start(u64::from(block) + 1)?);
        let raw = self.raw_block(from, to, file)?;
        if !raw.is_compressed() {
            return Ok(match raw.0 {
                Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[HEAD_BYTES..]),
                Cow::Owned(mut bytes) => {
                    bytes.drain(..HEAD_BYTES);
                    Cow::Owned(bytes)
                }
            });
        }
        let n_bytes = raw.n_bytes();
        let out = decompress(&raw.0[HEAD_BYTES..], n_bytes);
        match out {
            Some(out) if out.len() == n_bytes => Ok(Cow::Owned(out)),
            _ => Err(self.broken(block, file)),
        }
    }

    fn broken(&self, block: u32, file: &Stored) -> crate::Error {
        file.damaged(self.offset, format!("block {block} cannot be decompressed"))
    }

    /// Returns a string; `None` if there is nothing at that place.
    pub(crate) fn get(&self, i: u32, file: &Stored) -> Result<Option<Vec<u8>>> {
        let place = self.place(i, file)?;
        if !place.is_something() {
            return Ok(None);
        }
        let block = self.block(place.block, file)?;
        let found = place.of(&block).ok_or_else(|| self.outside(file))?;
        Ok(Some(found.to_vec()))
    }

    /// The error for a string that is not in its block.
    pub(crate) fn outside(&self, file: &Stored) -> crate::Error {
        file.damaged(self.places.offset, "a string lies outside of its block")
    }
}

/// Reads blocks, most of them one after the other, and holds the content of the last.
pub(crate) struct Blocks<'a> {
    heap: Heap,
    file: &'a Stored,
    starts: TableCursor<'a>,
    /// Made when the first compressed block is read.
    decompressor: Option<zstd::bulk::Decompressor<'static>>,
    held: Option<u32>,
    content: Vec<u8>,
}

impl<'a> Blocks<'a> {
    /// Returns a block as it is stored.
    pub(crate) fn raw(&mut self, block: u32) -> Result<RawBlock<'a>> {
        let from = u64_at(self.starts.row(u64::from(block))?, 0);
        let to = u64_at(self.starts.row(u64::from(block) + 1)?, 0);
        self.heap.raw_block(from, to, self.file)
    }

    /// Returns the content of a block.
    pub(crate) fn get(&mut self, block: u32) -> Result<&[u8]> {
        if self.held != Some(block) {
            self.held = None;
            self.fill(block)?;
            self.held = Some(block);
        }
        Ok(&self.content)
    }

    fn fill(&mut self, block: u32) -> Result<()> {
        let raw = self.raw(block)?;
        let (n_bytes, bytes) = (raw.n_bytes(), &raw.0[HEAD_BYTES..]);
        self.content.clear();
        if !raw.is_compressed() {
            self.content.extend_from_slice(bytes);
            return Ok(());
        }
        if self.decompressor.is_none() {
            self.decompressor = zstd::bulk::Decompressor::new().ok();
        }
        match &mut self.decompressor {
            Some(decompressor) if n_bytes <= TRUSTED_BYTES => {
                self.content.reserve(n_bytes);
                let done = decompressor.decompress_to_buffer(bytes, &mut self.content);
                done.map_err(|_| self.heap.broken(block, self.file))?;
            }
            _ => {
                let content = decompress(bytes, n_bytes);
                self.content = content.ok_or_else(|| self.heap.broken(block, self.file))?;
            }
        }
        if self.content.len() == n_bytes { Ok(()) } else { Err(self.heap.broken(block, self.file)) }
    }
}

fn decompress(bytes: &[u8], n_bytes: usize) -> Option<Vec<u8>> {
    if n_bytes <= TRUSTED_BYTES {
        return zstd::bulk::decompress(bytes, n_bytes).ok();
    }
    let mut out = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(bytes).ok()?.single_frame();
    decoder.take(n_bytes as u64 + 1).read_to_end(&mut out).ok()?;
    Some(out)
}

/// Writes byte strings.
pub(crate) struct HeapWriter {
    offset: u64,
    /// Bytes at which a block is written.
    target: usize,
    block: Vec<u8>,
    /// Whether a string, though it be empty, is in the block.
    is_open: bool,
    starts: Vec<u64>,
    places: Vec<Place>,
    compressor: Option<zstd::bulk::Compressor<'static>>,
}

impl std::fmt::Debug for HeapWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HeapWriter").field("places", &self.places.len()).finish_non_exhaustive()
    }
}

impl HeapWriter {
    /// Starts to write strings in blocks of about `target` bytes.
    pub(crate) fn new(sink: &Sink, target: usize) -> Self {
        // Without a compressor blocks are stored as they are.
        let compressor =
            if sink.is_in_memory() { None } else { zstd::bulk::Compressor::new(LEVEL).ok() };
        Self {
            offset: sink.at(),
            target,
            block: Vec::new(),
            is_open: false,
            starts: vec![0],
            places: Vec::new(),
            compressor,
        }
    }

    /// Adds a string of some pieces and returns its place.
    pub(crate) fn push(&mut self, pieces: &[&[u8]], sink: &mut Sink) -> Result<Place> {
        let len: usize = pieces.iter().map(|piece| piece.len()).sum();
        if self.is_open && self.block.len() + len > self.target {
            self.write(sink)?;
        }
        let block = (self.starts.len() - 1) as u32;
        let place = Place { block, at: self.block.len() as u32, len: len as u32 };
        for piece in pieces {
            self.block.extend_from_slice(piece);
        }
        self.places.push(place);
        self.is_open = true;
        Ok(place)
    }

    /// Adds a string that has its place already, or nothing.
    pub(crate) fn push_place(&mut self, place: Place) {
        self.places.push(place);
    }

    /// Copies a block and returns its number, under which its strings can be placed.
    pub(crate) fn copy(&mut self, block: &RawBlock<'_>, sink: &mut Sink) -> Result<u32> {
        if self.is_open {
            self.write(sink)?;
        }
        sink.put_block(&block.0)?;
        self.starts.push(sink.at() - self.offset);
        Ok((self.starts.len() - 2) as u32)
    }

    /// Adds a string of a block that was copied.
    pub(crate) fn push_copied(&mut self, place: Place, block: u32) {
        self.places.push(Place { block, ..place });
    }

    /// Returns the place of a string that was added.
    pub(crate) fn place_of(&self, i: u32) -> Place {
        self.places[i as usize]
    }

    fn write(&mut self, sink: &mut Sink) -> Result<()> {
        let compressed = match &mut self.compressor {
            Some(compressor) => compressor.compress(&self.block).ok(),
            None => None,
        };
        let (how, content) = match &compressed {
            Some(compressed) if compressed.len() < self.block.len() => (1, compressed),
            _ => (0, &self.block),
        };
        let mut out = Vec::with_capacity(content.len() + HEAD_BYTES);
        out.push(how);
        out.extend_from_slice(&(self.block.len() as u32).to_le_bytes());
        out.extend_from_slice(content);
        sink.put_block(&out)?;
        self.starts.push(sink.at() - self.offset);
        self.block.clear();
        self.is_open = false;
        Ok(())
    }

    /// Writes what is left, and where everything is.
    pub(crate) fn finish(mut self, sink: &mut Sink) -> Result<Heap> {
        if self.is_open {
            self.write(sink)?;
        }
        let n_bytes = sink.at() - self.offset;
        let starts = write_numbers(&self.starts, sink)?;
        let mut places = TableWriter::new(sink, PLACE_BYTES);
        for place in &self.places {
            places.push(&place.write(), sink)?;
        }
        Ok(Heap { offset: self.offset, n_bytes, starts, places: places.finish(sink)? })
    }
}
