//! Posting lists in blocks of 1 KiB, keys ascending.
//!
//! A block holds bits, lowest first, in 127 words, and a checksum. It starts with the number of
//! its keys, the parameter of the codes of key distances, and the widths of documents and
//! payloads. Its first key stands in a table of first keys, which is held in memory. Then for
//! every key: its distance from the key before in a Rice code, one bit that says whether there
//! is only one posting, otherwise their number in an Elias gamma code, and the postings, document
//! and payload, in fixed widths. A list that does not fit goes on in the next block, whose first
//! key is then the same.

mod held;
mod write;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use self::held::Held;
pub(crate) use self::write::ListsWriter;
use crate::bits::BitReader;
use crate::error::Result;
use crate::format::{SUM_BYTES, Stored};
use crate::table::Table;

/// Bytes of a block, with its checksum.
const BLOCK_BYTES: usize = 1024;
const WORDS: usize = (BLOCK_BYTES - SUM_BYTES) / 8;
/// Bits in front of a block: number of keys, Rice parameter, widths of document and payload.
const HEAD_BITS: usize = 16 + 6 + 6 + 6;
/// Zeros in a Rice code that say that the whole distance follows in 64 bits.
const MOST_ZEROS: u32 = 20;
/// Places that are marked in a block that is held in memory.
const N_MARKS: usize = 8;

/// One posting: key, document and payload.
pub(crate) type Posting = (u64, u32, u32);

/// Where the lists of a part are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lists {
    pub(crate) offset: u64,
    pub(crate) n_blocks: u64,
    pub(crate) n_postings: u64,
    /// The first key of every block.
    pub(crate) first_keys: Table,
}

impl Lists {
    /// Returns the bytes of the blocks.
    pub(crate) fn n_bytes(&self) -> u64 {
        self.n_blocks.saturating_mul(BLOCK_BYTES as u64)
    }

    pub(crate) fn is_within(&self, end: u64) -> bool {
        self.offset.checked_add(self.n_bytes()).is_some_and(|last| last <= end)
            && self.first_keys.is_within(end)
            && self.first_keys.n_rows == self.n_blocks
            && self.first_keys.width == 8
    }
}

#[inline]
fn get_rice(plain: u32, bits: &mut BitReader<'_>) -> u64 {
    let zeros = bits.zeros(MOST_ZEROS);
    if zeros == MOST_ZEROS {
        return bits.get(64);
    }
    u64::from(zeros) << plain | bits.get(plain)
}

/// Reads the number of several postings.
#[inline]
fn get_more(bits: &mut BitReader<'_>) -> usize {
    let width = bits.zeros(32);
    1 + (1u64 << width | bits.get(width)) as usize
}

/// The bits of a block that is being read.
#[derive(Debug)]
struct Block<'a> {
    bytes: &'a [u8],
}

/// Parameters of a block.
#[derive(Clone, Copy, Debug)]
struct Head {
    n_keys: u32,
    plain: u32,
    doc_bits: u32,
    payload_bits: u32,
}

/// A place in a block from which it can be read.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// The key before it; the first key at the beginning.
    key: u64,
    /// Number of keys before it.
    i: u32,
    /// Bits before it.
    at: u32,
}

impl Mark {
    /// No place: no key is behind it.
    const NONE: Self = Self { key: u64::MAX, i: 0, at: 0 };

    /// Returns the beginning of a block.
    fn first(key: u64) -> Self {
        Self { key, i: 0, at: HEAD_BITS as u32 }
    }
}

impl<'a> Block<'a> {
    /// Takes a block, with its checksum or without.
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: &bytes[..BLOCK_BYTES - SUM_BYTES] }
    }

    /// Reads the parameters; `None` if they are impossible.
    fn head(&self) -> Option<(Head, BitReader<'a>)> {
        let mut bits = BitReader::new(self.bytes);
        let head = Head {
            n_keys: bits.get(16) as u32,
            plain: bits.get(6) as u32,
            doc_bits: bits.get(6) as u32,
            payload_bits: bits.get(6) as u32,
        };
        (head.n_keys > 0 && head.doc_bits <= 32 && head.payload_bits <= 32).then_some((head, bits))
    }

    /// Calls `each` for every posting of a key, or of all keys if `only` is `None`. Returns `None`
    /// if the block holds nonsense.
    #[inline]
    fn read(
        &self,
        first_key: u64,
        only: Option<u64>,
        n_docs: u32,
        each: impl FnMut(u64, u32, u32),
    ) -> Option<()> {
        self.read_from(Mark::first(first_key), only, n_docs, |_| (), each)
    }

    /// Marks places of the block, in order, so that a key can be read without all those before it.
    /// Returns `None` if the block holds nonsense.
    fn marks(&self, first_key: u64, n_docs: u32) -> Option<[Mark; N_MARKS]> {
        let mut marks = [Mark::NONE; N_MARKS];
        let n_keys = self.head()?.0.n_keys;
        let every = n_keys.div_ceil(N_MARKS as u32 + 1);
        let mark = |here: Mark| {
            if here.i.is_multiple_of(every) && here.i < n_keys {
                marks[(here.i / every) as usize - 1] = here;
            }
        };
        self.read_from(Mark::first(first_key), None, n_docs, mark, |_, _, _| ())?;
        Some(marks)
    }

    /// Reads from a place on. Calls `pass` behind every key that was read.
    #[inline]
    fn read_from(
        &self,
        from: Mark,
        only: Option<u64>,
        n_docs: u32,
        mut pass: impl FnMut(Mark),
        mut each: impl FnMut(u64, u32, u32),
    ) -> Option<()> {
        const END: usize = WORDS * 64;
        let (head, mut bits) = self.head()?;
        let posting_bits = (head.doc_bits + head.payload_bits) as usize;
        let plain_mask = (1u64 << head.plain) - 1;
        let doc_mask = (1u64 << head.doc_bits) - 1;
        let mut key = from.key;
        bits.skip(from.at as usize - HEAD_BITS);
        for i in from.i..head.n_keys {
            let mut n = 0;
            if i > 0 {
                // PERF: distance and count of nearly all keys come from one word.
                let word = bits.peek();
                let zeros = word.trailing_zeros();
                let n_bits = zeros + 2 + head.plain;
                let distance = if zeros < MOST_ZEROS && n_bits <= BitReader::MOST {
                    bits.skip(n_bits as usize);
                    let behind = word >> (zeros + 1);
                    n = usize::from(behind >> head.plain & 1 == 1);
                    if n == 0 {
                        n = get_more(&mut bits);
                    }
                    u64::from(zeros) << head.plain | behind & plain_mask
                } else {
                    get_rice(head.plain, &mut bits)
                };
                key = key.checked_add(distance)?.checked_add(1)?;
            }
            if n == 0 {
                n = if bits.get(1) == 1 { 1 } else { get_more(&mut bits) };
            }
            if only.is_some_and(|only| key < only) {
                bits.skip(n.saturating_mul(posting_bits));
                continue;
            }
            if only.is_some_and(|only| key > only) {
                break;
            }
            // All postings are there, and not more than a block can hold.
            let end = bits.at().saturating_add(n.saturating_mul(posting_bits));
            if end > END || n > END {
                return None;
            }
            for _ in 0..n {
                // PERF: document and payload of nearly all postings come from one word.
                let (doc, payload) = if posting_bits <= BitReader::MOST as usize {
                    let both = bits.get(posting_bits as u32);
                    (both & doc_mask, both >> head.doc_bits)
                } else {
                    (bits.get(head.doc_bits), bits.get(head.payload_bits))
                };
                let (doc, payload) = (doc as u32, payload as u32);
                if doc >= n_docs {
                    return None;
                }
                each(key, doc, payload);
            }
            pass(Mark { key, i: i + 1, at: end as u32 });
        }
        (bits.at() <= END).then_some(())
    }
}

/// The first keys of the blocks of one method, read when they are first needed, and blocks that
/// were looked at.
#[derive(Debug, Default)]
pub(crate) struct FirstKeys {
    keys: OnceLock<Vec<u64>>,
    held: OnceLock<Held>,
}

impl FirstKeys {
    fn get(&self, lists: &Lists, file: &Stored) -> Result<&[u64]> {
        if let Some(keys) = self.keys.get() {
            return Ok(keys);
        }
        let keys = lists.first_keys.numbers(file)?;
        if !keys.is_sorted() {
            return Err(file.damaged(lists.first_keys.offset, "the first keys do not ascend"));
        }
        Ok(self.keys.get_or_init(|| keys))
    }
}

impl Lists {
    fn nonsense(&self, block: usize, file: &Stored) -> crate::Error {
        file.damaged(self.block_offset(block), "a block of lists holds nonsense")
    }

    fn block_offset(&self, block: usize) -> u64 {
        self.offset + (block * BLOCK_BYTES) as u64
    }

    /// Calls `each` for every document and payload of a key.
    pub(crate) fn look_up(
        &self,
        key: u64,
        n_docs: u32,
        first_keys: &FirstKeys,
        file: &Stored,
        mut each: impl FnMut(u32, u32),
    ) -> Result<()> {
        let FirstKeys { held, .. } = first_keys;
        let first_keys = first_keys.get(self, file)?;
        // The last block that starts before the key may hold it, and all that start with it do.
        let after = first_keys.partition_point(|first| *first < key);
        let mut block = after.saturating_sub(1);
        while let Some(&first) = first_keys.get(block).filter(|first| **first <= key) {
            let mut read = |bytes: &[u8; BLOCK_BYTES], from| {
                let each = |_, doc, payload| each(doc, payload);
                Block::new(bytes).read_from(from, Some(key), n_docs, |_| (), each)
            };
            let offset = self.block_offset(block);
            let is_right = if let Some(bytes) = file.in_place(offset) {
                read(bytes, Mark::first(first))
            } else {
                let fill = |bytes: &mut [u8; BLOCK_BYTES]| {
                    file.fill_block(offset, bytes)?;
                    let marks = Block::new(bytes).marks(first, n_docs);
                    marks.ok_or_else(|| self.nonsense(block, file))
                };
                let held = held.get_or_init(|| Held::new(first_keys.len()));
                held.look(block, fill, |bytes, marks| {
                    let after = marks.partition_point(|mark| mark.key < key);
                    let from = after.checked_sub(1).map_or(Mark::first(first), |at| marks[at]);
                    read(bytes, from)
                })?
            };
            is_right.ok_or_else(|| self.nonsense(block, file))?;
            block += 1;
        }
        Ok(())
    }

    /// Starts to read all lists.
    pub(crate) fn cursor<'a>(
        &'a self,
        n_docs: u32,
        first_keys: &'a FirstKeys,
        file: &'a Stored,
    ) -> Result<ListsCursor<'a>> {
        let first_keys = first_keys.get(self, file)?;
        Ok(ListsCursor {
            lists: self,
            file,
            n_docs,
            first_keys,
            block: 0,
            ahead: Vec::new(),
            at: 0,
        })
    }
}

/// Blocks read at a time when all lists are read.
const BLOCKS_AT_ONCE: usize = 64;

/// Reads all postings of some lists in order.
#[derive(Debug)]
pub(crate) struct ListsCursor<'a> {
    lists: &'a Lists,
    file: &'a Stored,
    n_docs: u32,
    first_keys: &'a [u64],
    block: usize,
    ahead: Vec<Posting>,
    at: usize,
}

impl ListsCursor<'_> {
    /// Returns the next posting without reading it.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<Option<Posting>> {
        if self.at == self.ahead.len() {
            self.fill()?;
        }
        Ok(self.ahead.get(self.at).copied())
    }

    /// Reads the posting that was peeked at.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    fn fill(&mut self) -> Result<()> {
        let mut last = self.ahead.last().map_or(0, |posting| posting.0);
        self.ahead.clear();
        self.at = 0;
        let n = (self.first_keys.len() - self.block).min(BLOCKS_AT_ONCE);
        let offset = self.lists.block_offset(self.block);
        let bytes = self.file.read(offset, n * BLOCK_BYTES)?;
        for bytes in bytes.chunks_exact(BLOCK_BYTES) {
            if !self.file.is_in_memory() {
                self.file.verify(self.lists.block_offset(self.block), bytes)?;
            }
            let (ahead, first_key) = (&mut self.ahead, self.first_keys[self.block]);
            let read = Block::new(bytes).read(first_key, None, self.n_docs, |key, doc, payload| {
                ahead.push((key, doc, payload));
            });
            if read.is_none() || first_key < last {
                return Err(self.lists.nonsense(self.block, self.file));
            }
            last = ahead.last().map_or(0, |posting| posting.0);
            self.block += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
