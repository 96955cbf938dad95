//! Writes posting lists.

use super::{BLOCK_BYTES, HEAD_BITS, Lists, MOST_ZEROS, Posting, WORDS};
use crate::bits::BitWriter;
use crate::error::Result;
use crate::format::Sink;
use crate::table::write_numbers;

/// Postings from which the parameters of a block are taken.
const LOOK_AHEAD: usize = 320;
/// Postings gathered before blocks are made of them.
const GATHERED: usize = 1 << 14;

/// Writes lists, key after key.
#[derive(Debug)]
pub(crate) struct ListsWriter {
    offset: u64,
    doc_bits: u32,
    gathered: Vec<Posting>,
    first_keys: Vec<u64>,
    n_postings: u64,
    block: Vec<u8>,
}

/// Returns the number of bits that hold every number up to `most`.
fn width_of(most: u32) -> u32 {
    32 - most.leading_zeros()
}

impl ListsWriter {
    /// Starts to write lists of documents below `n_docs`.
    pub(crate) fn new(sink: &Sink, n_docs: u32) -> Self {
        Self {
            offset: sink.at(),
            doc_bits: width_of(n_docs.saturating_sub(1)),
            gathered: Vec::with_capacity(GATHERED),
            first_keys: Vec::new(),
            n_postings: 0,
            block: Vec::with_capacity(BLOCK_BYTES),
        }
    }

    /// Adds a posting; they come in ascending order.
    #[inline]
    pub(crate) fn push(&mut self, posting: Posting, sink: &mut Sink) -> Result<()> {
        debug_assert!(self.gathered.last().is_none_or(|last| *last < posting), "ascending");
        self.gathered.push(posting);
        if self.gathered.len() >= GATHERED {
            self.write_blocks(GATHERED / 4, sink)?;
        }
        Ok(())
    }

    /// Writes blocks until fewer than `n_left` postings are left, or none if it is 0.
    fn write_blocks(&mut self, n_left: usize, sink: &mut Sink) -> Result<()> {
        let mut at = 0;
        while at < self.gathered.len() && self.gathered.len() - at >= n_left {
            at += self.write_block(at, sink)?;
        }
        self.gathered.drain(..at);
        Ok(())
    }

    /// Writes a block of the postings from `from` on and returns how many it took.
    fn write_block(&mut self, from: usize, sink: &mut Sink) -> Result<usize> {
        let postings = &self.gathered[from..];
        let ahead = &postings[..postings.len().min(LOOK_AHEAD)];
        let span = ahead[ahead.len() - 1].0 - ahead[0].0;
        let n_keys = 1 + ahead.windows(2).filter(|pair| pair[0].0 != pair[1].0).count() as u64;
        // The best parameter is near the logarithm of ln 2 times the average distance.
        let plain = (u128::from(span) * 11 / 16 / u128::from(n_keys)).max(1).ilog2();
        let payload_bits = width_of(ahead.iter().map(|posting| posting.2).max().unwrap_or(0));
        let posting_bits = (self.doc_bits + payload_bits) as usize;

        let mut bits = BitWriter::<WORDS>::new();
        bits.skip(HEAD_BITS);
        let (mut at, mut n_keys) = (0, 0u64);
        let mut last = postings[0].0;
        while at < postings.len() && n_keys < u64::from(u16::MAX) {
            let key = postings[at].0;
            let list = &postings[at..];
            let n = list.iter().take_while(|posting| posting.0 == key).count();
            let fits = list[..n].iter().take_while(|p| width_of(p.2) <= payload_bits).count();
            let distance = if n_keys == 0 { None } else { Some(key - last - 1) };
            let head = distance.map_or(0, |distance| rice_bits(distance, plain)) + 1;
            let room = BitWriter::<WORDS>::BITS - bits.at();
            let whole = head + count_bits(n) + n * posting_bits;
            let is_whole = fits == n && whole <= room;
            let n = if is_whole {
                n
            } else {
                // Only a long list is cut; a short one starts the next block.
                let left = room.saturating_sub(head + count_bits(n));
                let some = (left / posting_bits.max(1)).min(fits);
                if n_keys > 0 && (some == 0 || n * posting_bits < BitWriter::<WORDS>::BITS / 8) {
                    break;
                }
                some.min(n).max(1)
            };
            if let Some(distance) = distance {
                put_rice(distance, plain, &mut bits);
            }
            put_count(n, &mut bits);
            for &(_, doc, payload) in &list[..n] {
                bits.put(u64::from(doc), self.doc_bits);
                bits.put(u64::from(payload), payload_bits);
            }
            last = key;
            at += n;
            n_keys += 1;
            if !is_whole {
                break;
            }
        }
        let head = n_keys
            | u64::from(plain) << 16
            | u64::from(self.doc_bits) << 22
            | u64::from(payload_bits) << 28;
        bits.put_first(head);
        self.first_keys.push(postings[0].0);
        self.n_postings += at as u64;
        self.block.clear();
        bits.take(&mut self.block);
        sink.put_block(&self.block)?;
        Ok(at)
    }

    /// Writes what is left and the table of first keys.
    pub(crate) fn finish(mut self, sink: &mut Sink) -> Result<Option<Lists>> {
        self.write_blocks(0, sink)?;
        if self.first_keys.is_empty() {
            return Ok(None);
        }
        let first_keys = write_numbers(&self.first_keys, sink)?;
        let Self { offset, n_postings, first_keys: keys, .. } = self;
        Ok(Some(Lists { offset, n_blocks: keys.len() as u64, n_postings, first_keys }))
    }
}

fn rice_bits(distance: u64, plain: u32) -> usize {
    let zeros = distance >> plain;
    if zeros >= u64::from(MOST_ZEROS) {
        MOST_ZEROS as usize + 64
    } else {
        zeros as usize + 1 + plain as usize
    }
}

#[inline]
fn put_rice(distance: u64, plain: u32, bits: &mut BitWriter<WORDS>) {
    let zeros = distance >> plain;
    if zeros >= u64::from(MOST_ZEROS) {
        bits.skip(MOST_ZEROS as usize);
        bits.put(distance, 64);
    } else {
        bits.skip(zeros as usize);
        bits.put(1, 1);
        bits.put(distance & ((1 << plain) - 1), plain);
    }
}

/// Bits behind the first one of a count.
fn count_bits(n: usize) -> usize {
    if n <= 1 { 0 } else { 2 * (n - 1).ilog2() as usize + 1 }
}

/// Writes a one if there is one posting, else a zero and the number less one in a gamma code.
fn put_count(n: usize, bits: &mut BitWriter<WORDS>) {
    bits.put(u64::from(n == 1), 1);
    if n > 1 {
        let value = (n - 1) as u64;
        let width = value.ilog2();
        bits.skip(width as usize);
        bits.put(1, 1);
        bits.put(value & ((1 << width) - 1), width);
    }
}
