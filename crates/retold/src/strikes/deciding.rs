//! What is struck: documents take their turn in the order of preference, and every strike finds its
//! kept twins.
//!
//! Repeats come by position. Those that follow each other, and whose first occurrences follow each
//! other, are one stretch of equal words, which is compared word by word. The union of all stretches of
//! a document is struck. Its *pieces* say, stretch by stretch, where the same words stand and are kept:
//! the pieces of all documents before are known, so a twin that is struck itself is replaced by its
//! own twin.

use std::io;
use std::iter::Peekable;
use std::vec::IntoIter;

use retold_core::document::Ordinal;
use retold_core::scratch::Log;

use super::StrikeKind;
use super::near::{Aligner, Block, Passage};
use super::pile::{N_PILES, Piles};
use super::repeats::{Lengths, Looking, Marks, NEAR};
use crate::error::Error;
use crate::progress::{Progress, Stage};

/// Repeats that are taken before it is told again how far the run is.
const TOLD: u64 = 4_096;

/// The twin of words that have none.
pub(super) const NO_TWIN: u64 = u64::MAX;

/// A stretch of words that is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StruckWords {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) kind: StrikeKind,
}

/// A part of a struck stretch whose twin is kept in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) start: u32,
    pub(super) n_words: u32,
    /// Position of the first word of the twin, or [`NO_TWIN`].
    pub(super) twin: u64,
}

impl Piece {
    fn end(self) -> u32 {
        self.start + self.n_words
    }
}

/// What was decided about all documents.
pub(super) struct Decided {
    strikes: Log,
    pieces: Log,
    /// Where the strikes and the pieces of each document lie, and how many there are.
    places: Vec<(u64, u64, u32, u32)>,
    pub(super) n_collisions: u64,
}

const STRIKE_BYTES: usize = 12;
const PIECE_BYTES: usize = 16;

impl Decided {
    fn new(n_documents: usize, most_bytes: usize) -> Self {
        Self {
            strikes: Log::new(most_bytes),
            pieces: Log::new(most_bytes),
            places: vec![(0, 0, 0, 0); n_documents],
            n_collisions: 0,
        }
    }

    /// Returns the number of strikes in a document.
    pub(super) fn n_strikes(&self, doc: Ordinal) -> u32 {
        self.places[doc.index()].2
    }

    /// Reads the strikes of a document, from left to right.
    pub(super) fn strikes(&self, doc: Ordinal) -> io::Result<Vec<StruckWords>> {
        let (at, _, n, _) = self.places[doc.index()];
        let mut bytes = Vec::new();
        if n > 0 {
            self.strikes.read(at, n as usize * STRIKE_BYTES, &mut bytes)?;
        }
        let strike = |bytes: &[u8]| StruckWords {
            start: small(bytes),
            end: small(&bytes[4..]),
            kind: match bytes[8] {
                0 => StrikeKind::Repeat,
                1 => StrikeKind::Near,
                _ => StrikeKind::Boilerplate,
            },
        };
        Ok(bytes.chunks_exact(STRIKE_BYTES).map(strike).collect())
    }

    /// Reads the pieces of a document, from left to right.
    pub(super) fn pieces(&self, doc: Ordinal) -> io::Result<Vec<Piece>> {
        let (_, at, _, n) = self.places[doc.index()];
        let mut bytes = Vec::new();
        if n > 0 {
            self.pieces.read(at, n as usize * PIECE_BYTES, &mut bytes)?;
        }
        Ok(bytes.chunks_exact(PIECE_BYTES).map(piece).collect())
    }

    /// Reads the pieces of a document that reach beyond a word, one after the other, as long as `each`
    /// wants more.
    fn pieces_from(
        &self,
        doc: Ordinal,
        word: u32,
        mut each: impl FnMut(Piece) -> bool,
    ) -> io::Result<()> {
        let (_, at, _, n) = self.places[doc.index()];
        let mut bytes = Vec::new();
        let mut read = |number: u32| {
            let at = at + u64::from(number) * PIECE_BYTES as u64;
            self.pieces.read(at, PIECE_BYTES, &mut bytes)?;
            Ok::<_, io::Error>(piece(&bytes))
        };
        let (mut low, mut high) = (0, n);
        while low < high {
            let middle = low + (high - low) / 2;
            if read(middle)?.end() <= word {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        while low < n && each(read(low)?) {
            low += 1;
        }
        Ok(())
    }

    fn put(
        &mut self,
        doc: Ordinal,
        strikes: &[StruckWords],
        pieces: &[Piece],
        looking: &Looking<'_>,
    ) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(strikes.len() * STRIKE_BYTES);
        for strike in strikes {
            bytes.extend_from_slice(&strike.start.to_le_bytes());
            bytes.extend_from_slice(&strike.end.to_le_bytes());
            bytes.extend_from_slice(&(strike.kind as u32).to_le_bytes());
        }
        let at = self.strikes.push(&bytes, looking.scratch)?;
        bytes.clear();
        for piece in pieces {
            bytes.extend_from_slice(&piece.start.to_le_bytes());
            bytes.extend_from_slice(&piece.n_words.to_le_bytes());
            bytes.extend_from_slice(&piece.twin.to_le_bytes());
        }
        let pieces_at = self.pieces.push(&bytes, looking.scratch)?;
        self.places[doc.index()] = (at, pieces_at, strikes.len() as u32, pieces.len() as u32);
        Ok(())
    }
}

fn small(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn piece(bytes: &[u8]) -> Piece {
    let twin = u64::from_le_bytes(bytes[8..16].try_into().expect("a piece has sixteen bytes"));
    Piece { start: small(bytes), n_words: small(&bytes[4..]), twin }
}

/// Repeats that follow each other, and whose first occurrences do.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    start: u32,
    /// All its words.
    n_words: u32,
    /// Word behind the beginning of its last repeat.
    last: u32,
    first: u64,
}

/// Decides document by document.
pub(super) struct Deciding<'a> {
    looking: &'a Looking<'a>,
    marks: Option<&'a Marks>,
    progress: &'a dyn Progress,
    lengths: Lengths<'a>,
    decided: Decided,
    n_strikes: u64,
    /// The document whose repeats come, and the position behind its last word.
    doc: Option<Ordinal>,
    end: u64,
    repeats: Vec<(u32, u64)>,
    samples: Vec<(u32, u64)>,
    words: Vec<u64>,
    other: Vec<u64>,
    bytes: Vec<u8>,
}

impl<'a> Deciding<'a> {
    pub(super) fn new(
        looking: &'a Looking<'a>,
        marks: Option<&'a Marks>,
        progress: &'a dyn Progress,
    ) -> Self {
        let n_documents = looking.taken.collection.len();
        Self {
            looking,
            marks,
            progress,
            n_strikes: 0,
            lengths: Lengths::new(looking),
            decided: Decided::new(n_documents, looking.budget.decisions()),
            doc: None,
            end: 0,
            repeats: Vec::new(),
            samples: Vec::new(),
            words: Vec::new(),
            other: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Takes all repeats and decides.
    pub(super) fn run(mut self, repeats: &Piles<'_>) -> Result<Decided, Error> {
        let looking = self.looking;
        let (mut n_taken, n_documents) = (0_u64, looking.taken.collection.len() as u64);
        for pile in 0..N_PILES {
            if looking.stop.is_set() {
                return Err(Error::Stopped { stage: Stage::Verify.name(), n_documents });
            }
            let sorted = repeats.sorted(pile, looking.budget.pairs());
            for record in &sorted.map_err(|error| looking.failed(error))? {
                let taken = record.and_then(|(position, first)| self.take(position, first));
                taken.map_err(|error| looking.failed(error))?;
                n_taken += 1;
                if n_taken.is_multiple_of(TOLD) {
                    self.progress.at(n_taken, n_documents);
                    self.progress.strikes(self.n_strikes);
                }
            }
            self.progress.at(n_taken, n_documents);
            self.progress.strikes(self.n_strikes);
        }
        self.finish().map_err(|error| looking.failed(error))
    }

    fn take(&mut self, position: u64, first: u64) -> io::Result<()> {
        if position >= self.end {
            self.decide()?;
            self.doc = Some(self.looking.order.place(position).0);
            self.end = self.looking.order.end(position);
        }
        let start = self.looking.order.start(self.doc.expect("it was set above"));
        let at = (position - start) as u32;
        if first & NEAR == 0 {
            self.repeats.push((at, first));
        } else {
            self.samples.push((at, first & !NEAR));
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<Decided> {
        self.decide()?;
        // Documents that have boilerplate and no repeats.
        if let Some(marks) = self.marks {
            for &doc in self.looking.order.documents() {
                if marks.has(doc) && self.decided.n_strikes(doc) == 0 {
                    self.doc = Some(doc);
                    self.decide()?;
                }
            }
        }
        Ok(self.decided)
    }

    /// Decides about the document whose repeats came.
    fn decide(&mut self) -> io::Result<()> {
        let Some(doc) = self.doc.take() else { return Ok(()) };
        let n_words = self.looking.taken.words.n_words(doc);
        let mut words = std::mem::take(&mut self.words);
        self.looking.taken.words.read(doc, 0..n_words, &mut self.bytes, &mut words)?;
        let stretches = self.stretches(doc, &words)?;
        let mut passages = Vec::new();
        if !self.samples.is_empty() {
            let samples = std::mem::take(&mut self.samples);
            let aligner = Aligner::new(self.looking, doc, &words, self.marks)?;
            passages = aligner.passages(&samples)?;
        }
        self.words = words;
        let (strikes, pieces) = self.strikes(doc, &stretches, &passages)?;
        self.n_strikes += strikes.len() as u64;
        if !strikes.is_empty() {
            self.decided.put(doc, &strikes, &pieces, self.looking)?;
        }
        self.repeats.clear();
        self.samples.clear();
        Ok(())
    }

    /// Joins repeats to stretches and compares their words.
    fn stretches(&mut self, doc: Ordinal, words: &[u64]) -> io::Result<Vec<Stretch>> {
        let mut joined: Vec<Stretch> = Vec::new();
        let is_passage = self.looking.sampling.is_some();
        for &(at, first) in &self.repeats {
            match joined.last_mut() {
                Some(last)
                    if is_passage
                        && at == last.last
                        && first == last.first + u64::from(at - last.start) =>
                {
                    last.n_words += 1;
                    last.last += 1;
                }
                _ => {
                    let n_words = self.lengths.of(doc, at)?;
                    joined.push(Stretch { start: at, n_words, last: at + 1, first });
                }
            }
        }
        let mut checked = Vec::with_capacity(joined.len());
        for stretch in joined {
            let (twin, at) = self.looking.order.place(stretch.first);
            let of_twin = at..at + stretch.n_words;
            self.looking.taken.words.read(twin, of_twin, &mut self.bytes, &mut self.other)?;
            let start = stretch.start as usize;
            let own = &words[start..start + stretch.n_words as usize];
            if own == self.other {
                checked.push(stretch);
            } else {
                self.split(&stretch, own, &mut checked);
            }
        }
        Ok(checked)
    }

    /// Takes what is equal of a stretch that is not: two runs of words have the same hash.
    fn split(&mut self, stretch: &Stretch, own: &[u64], checked: &mut Vec<Stretch>) {
        let n_before = checked.len();
        let n_repeats = stretch.last - stretch.start;
        let width = stretch.n_words - (n_repeats - 1);
        let is_equal = |at: u32| {
            let run = at as usize..(at + width) as usize;
            own[run.clone()] == self.other[run]
        };
        for at in (0..n_repeats).filter(|&at| is_equal(at)) {
            let start = stretch.start + at;
            match checked[n_before..].last_mut() {
                Some(last) if last.last == start => {
                    last.n_words += 1;
                    last.last += 1;
                }
                _ => checked.push(Stretch {
                    start,
                    n_words: width,
                    last: start + 1,
                    first: stretch.first + u64::from(at),
                }),
            }
        }
        let n_equal: u32 = checked[n_before..].iter().map(|s| s.last - s.start).sum();
        self.decided.n_collisions += u64::from(n_repeats - n_equal);
    }

    /// Makes strikes of stretches, near-equal passages and boilerplate, and finds twins.
    fn strikes(
        &self,
        doc: Ordinal,
        stretches: &[Stretch],
        passages: &[Passage],
    ) -> io::Result<(Vec<StruckWords>, Vec<Piece>)> {
        let is_passage = self.looking.sampling.is_some();
        let mut strikes: Vec<StruckWords> = Vec::new();
        let repeats = stretches.iter().map(|s| (s.start, s.start + s.n_words, StrikeKind::Repeat));
        let near = passages.iter().map(|p| (p.start, p.end, StrikeKind::Near));
        let mut all: Vec<_> = repeats.chain(near).collect();
        all.sort_by_key(|&(start, end, _)| (start, end));
        for (start, end, kind) in all {
            match strikes.last_mut() {
                Some(last) if is_passage && start <= last.end => {
                    // A passage that differs from its twin only outside of what is struck anyway
                    // changes nothing.
                    if kind == StrikeKind::Near && end > last.end {
                        last.kind = kind;
                    }
                    last.end = last.end.max(end);
                }
                _ => strikes.push(StruckWords { start, end, kind }),
            }
        }
        let mut blocks: Vec<Block> =
            passages.iter().flat_map(|passage| &passage.blocks).copied().collect();
        blocks.sort_by_key(|block| (block.start, block.twin));
        let mut twins = Twins {
            deciding: self,
            doc,
            pieces: Vec::new(),
            blocks: blocks.into_iter().peekable(),
            furthest: None,
        };
        for strike in &mut strikes {
            let mut at = strike.start;
            while at < strike.end {
                at = twins.extend(stretches, at, strike.end)?;
            }
            // What all of its words are kept of elsewhere is a repeat, and nothing else is.
            let pieces = &twins.pieces;
            let from = pieces.partition_point(|piece| piece.end() <= strike.start);
            let is_whole = pieces[from..].iter().all(|piece| piece.twin != NO_TWIN);
            let is_near = strike.kind == StrikeKind::Near || !is_whole;
            strike.kind = if is_near { StrikeKind::Near } else { StrikeKind::Repeat };
        }
        let pieces = twins.pieces;
        if let Some(marks) = self.marks {
            let kind = StrikeKind::Boilerplate;
            let marked = marks.of(doc)?.into_iter();
            strikes.extend(marked.map(|(start, end)| StruckWords { start, end, kind }));
            strikes.sort_by_key(|strike| strike.start);
        }
        Ok((strikes, pieces))
    }
}

/// Finds the twins of one document's words.
struct Twins<'a> {
    deciding: &'a Deciding<'a>,
    doc: Ordinal,
    pieces: Vec<Piece>,
    /// Equal words of near-equal passages that begin behind the words looked at so far.
    blocks: Peekable<IntoIter<Block>>,
    /// Of those that began before, the one that reaches furthest.
    furthest: Option<Block>,
}

impl Twins<'_> {
    /// Finds the twins of words from `at` on, and returns the first word that it did not look at.
    fn extend(&mut self, stretches: &[Stretch], at: u32, end: u32) -> io::Result<u32> {
        // Of repeats that hold a word, the one that begins last reaches furthest.
        let before = stretches.partition_point(|stretch| stretch.start <= at);
        if let Some(stretch) = before.checked_sub(1).map(|last| stretches[last])
            && stretch.start + stretch.n_words > at
        {
            let until = end.min(stretch.start + stretch.n_words);
            self.resolve(at, until, stretch.first + u64::from(at - stretch.start))?;
            return Ok(until);
        }
        let until = stretches.get(before).map_or(end, |stretch| stretch.start.min(end));
        while let Some(block) = self.blocks.next_if(|block| block.start <= at) {
            if self.furthest.is_none_or(|furthest| block.end() > furthest.end()) {
                self.furthest = Some(block);
            }
        }
        if let Some(block) = self.furthest.filter(|block| block.end() > at) {
            let until = until.min(block.end());
            self.resolve(at, until, block.twin + u64::from(at - block.start))?;
            return Ok(until);
        }
        let until = self.blocks.peek().map_or(until, |block| block.start.min(until));
        self.push(at, until - at, NO_TWIN);
        Ok(until)
    }

    /// Finds the kept twins of words whose equals begin at a position before them.
    fn resolve(&mut self, mut at: u32, end: u32, mut twin: u64) -> io::Result<()> {
        let looking = self.deciding.looking;
        while at < end {
            let (doc, word) = looking.order.place(twin);
            let mut n = end - at;
            if doc == self.doc {
                // What comes behind this is decided only now.
                n = n.min(at - word);
            }
            let mut found = Vec::new();
            let mut next = word;
            let mut take = |piece: Piece| {
                if piece.start >= word + n {
                    return false;
                }
                if piece.start > next {
                    found.push((next, piece.start - next, None));
                }
                let from = piece.start.max(word);
                let until = piece.end().min(word + n);
                let twin = match piece.twin {
                    NO_TWIN => NO_TWIN,
                    twin => twin + u64::from(from - piece.start),
                };
                found.push((from, until - from, Some(twin)));
                next = until;
                true
            };
            if doc == self.doc {
                let from = self.pieces.partition_point(|piece| piece.end() <= word);
                for &piece in &self.pieces[from..] {
                    if !take(piece) {
                        break;
                    }
                }
            } else {
                self.deciding.decided.pieces_from(doc, word, &mut take)?;
            }
            if next < word + n {
                found.push((next, word + n - next, None));
            }
            let start = looking.order.start(doc);
            for (from, n_words, twin) in found {
                let twin = twin.unwrap_or(start + u64::from(from));
                self.push(at + (from - word), n_words, twin);
            }
            at += n;
            twin += u64::from(n);
        }
        Ok(())
    }

    /// Adds a piece, or makes the last one longer.
    fn push(&mut self, start: u32, n_words: u32, twin: u64) {
        let order = self.deciding.looking.order;
        if let Some(last) = self.pieces.last_mut()
            && last.end() == start
        {
            let follows = if last.twin == NO_TWIN {
                twin == NO_TWIN
            } else {
                twin != NO_TWIN
                    && last.twin + u64::from(last.n_words) == twin
                    && order.end(last.twin) > twin
            };
            if follows {
                last.n_words += n_words;
                return;
            }
        }
        self.pieces.push(Piece { start, n_words, twin });
    }
}
