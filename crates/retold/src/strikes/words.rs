//! The words of all documents on scratch: hashes, places, and the units they make.
//!
//! Documents lie one behind the other in the order in which they were read. What is at hand of each
//! is where its words and units begin.

use std::io;
use std::ops::Range;

use retold_core::document::{Ordinal, Span};
use retold_core::features::units::Unit;
use retold_core::scratch::{Log, Scratch};

use crate::error::Error;
use crate::pipeline::bytes::{Taking, put_bytes};
use crate::resume::Resumable;

/// Bytes of a word's hash, and of its place.
const WORD_BYTES: u64 = 8;
/// Bytes of a unit.
const UNIT_BYTES: u64 = 16;

/// The words of one document, as bytes.
#[derive(Default)]
pub(super) struct WordBytes {
    hashes: Vec<u8>,
    places: Vec<u8>,
    units: Vec<u8>,
}

impl WordBytes {
    pub(super) fn new(hashes: &[u64], spans: &[Span], units: &[Unit]) -> Self {
        let mut out = Self {
            hashes: Vec::with_capacity(hashes.len() * WORD_BYTES as usize),
            places: Vec::with_capacity(spans.len() * WORD_BYTES as usize),
            units: Vec::with_capacity(units.len() * UNIT_BYTES as usize),
        };
        for hash in hashes {
            out.hashes.extend_from_slice(&hash.to_le_bytes());
        }
        for span in spans {
            put_span(&mut out.places, *span);
        }
        for unit in units {
            out.units.extend_from_slice(&unit.first.to_le_bytes());
            out.units.extend_from_slice(&unit.n_words.to_le_bytes());
            put_span(&mut out.units, unit.span);
        }
        out
    }
}

impl Resumable for WordBytes {
    fn put(&self, out: &mut Vec<u8>) {
        for bytes in [&self.hashes, &self.places, &self.units] {
            put_bytes(out, bytes);
        }
    }

    fn take(taking: &mut Taking<'_>) -> Result<Self, Error> {
        let mut bytes = || Ok::<_, Error>(taking.bytes()?.to_vec());
        Ok(Self { hashes: bytes()?, places: bytes()?, units: bytes()? })
    }
}

impl WordBytes {
    /// Returns the hashes of the words.
    pub(super) fn hashes(&self) -> Vec<u64> {
        hashes_of(&self.hashes).collect()
    }

    /// Returns the units.
    pub(super) fn units(&self) -> Vec<Unit> {
        units_of(&self.units).collect()
    }
}

fn hashes_of(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes
        .chunks_exact(WORD_BYTES as usize)
        .map(|hash| u64::from_le_bytes(hash.try_into().expect("chunks have the length asked for")))
}

fn units_of(bytes: &[u8]) -> impl Iterator<Item = Unit> {
    bytes.chunks_exact(UNIT_BYTES as usize).map(|unit| Unit {
        first: small(unit),
        n_words: small(&unit[4..]),
        span: span(&unit[8..]),
    })
}

fn put_span(out: &mut Vec<u8>, span: Span) {
    out.extend_from_slice(&span.start.to_le_bytes());
    out.extend_from_slice(&span.end.to_le_bytes());
}

fn small(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn span(bytes: &[u8]) -> Span {
    Span::from((small(bytes), small(&bytes[4..])))
}

/// The words of all documents.
pub(super) struct WordLog {
    hashes: Log,
    places: Log,
    units: Log,
    /// Where the words and the units of each document begin, and where the last ones end.
    starts: Vec<(u64, u64)>,
}

impl WordLog {
    /// Makes an empty one that holds about `most_bytes` in memory.
    pub(super) fn new(most_bytes: usize) -> Self {
        let (hashes, rest) = (most_bytes / 2, most_bytes / 4);
        Self {
            hashes: Log::new(hashes),
            places: Log::new(rest),
            units: Log::new(rest),
            starts: vec![(0, 0)],
        }
    }

    /// Adds the words of the next document.
    pub(super) fn push(&mut self, words: &WordBytes, scratch: &dyn Scratch) -> io::Result<()> {
        self.hashes.push(&words.hashes, scratch)?;
        self.places.push(&words.places, scratch)?;
        self.units.push(&words.units, scratch)?;
        let (n_words, n_units) = self.starts[self.starts.len() - 1];
        let n_words = n_words + words.hashes.len() as u64 / WORD_BYTES;
        self.starts.push((n_words, n_units + words.units.len() as u64 / UNIT_BYTES));
        Ok(())
    }

    /// Returns the number of words of a document.
    pub(super) fn n_words(&self, doc: Ordinal) -> u32 {
        (self.starts[doc.index() + 1].0 - self.starts[doc.index()].0) as u32
    }

    /// Reads the hashes of some words of a document; `bytes` is room to work in.
    pub(super) fn read(
        &self,
        doc: Ordinal,
        words: Range<u32>,
        bytes: &mut Vec<u8>,
        out: &mut Vec<u64>,
    ) -> io::Result<()> {
        let start = (self.starts[doc.index()].0 + u64::from(words.start)) * WORD_BYTES;
        out.clear();
        if words.is_empty() {
            return Ok(());
        }
        self.hashes.read(start, words.len() * WORD_BYTES as usize, bytes)?;
        out.extend(hashes_of(bytes));
        Ok(())
    }

    /// Reads the places of the first and the last of some words: the stretch from the one to the
    /// other. There is at least one.
    pub(super) fn extent(&self, doc: Ordinal, words: Range<u32>) -> io::Result<Span> {
        let start = self.starts[doc.index()].0;
        let mut bytes = Vec::new();
        let mut place = |word: u32| {
            let at = (start + u64::from(word)) * WORD_BYTES;
            self.places.read(at, WORD_BYTES as usize, &mut bytes)?;
            Ok::<_, io::Error>(span(&bytes))
        };
        let first = place(words.start)?;
        let last = place(words.end - 1)?;
        Ok(Span::new(first.start, last.end.max(first.start)))
    }

    /// Reads the units of a document.
    pub(super) fn units(&self, doc: Ordinal, out: &mut Vec<Unit>) -> io::Result<()> {
        out.clear();
        let (start, end) = (self.starts[doc.index()].1, self.starts[doc.index() + 1].1);
        if start == end {
            return Ok(());
        }
        let mut bytes = Vec::new();
        self.units.read(start * UNIT_BYTES, ((end - start) * UNIT_BYTES) as usize, &mut bytes)?;
        out.extend(units_of(&bytes));
        Ok(())
    }
}
