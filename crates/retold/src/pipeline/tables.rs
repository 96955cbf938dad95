//! Which pairs are written: every verified one, up to a limit per document.
//!
//! Copies were collapsed before the search, so a pair of firsts stands for all pairs of their
//! copies. They are written out here, while the limit allows it; beyond it the firsts stand
//! alone and the cut is counted. Of a large group of copies only the pairs with the kept one are
//! written, unless [all](PairsWritten::All) are asked for.

use retold_core::candidates::Judgement;
use retold_core::document::Ordinal;
use retold_core::relation::{Counted, Evidence, Kind, Passage, Scores};
use retold_core::verify::align;
use retold_core::verify::rule::Edits;
use retold_report::{Cut, PairRow, PairsWriter, Summary};

use super::bits::Bits;
use super::collection::Collection;
use super::crowds::MOST_IN_FULL;
use super::entry::Entry;
use super::library::Library;
use super::verifying::Verified;
use crate::error::Error;
use crate::job::{Job, PairsWritten};
use crate::progress::Stop;
use crate::sink::{Form, Pair, Sink};

/// Entries of a group of copies that are held while its pairs are written.
const ENTRIES_AT_HAND: usize = 4_096;

/// Writes pairs and counts them.
pub(crate) struct Pairs<'a> {
    collection: &'a Collection,
    library: &'a Library<'a>,
    preference: &'a [u32],
    sink: &'a mut dyn Sink,
    form: Form,
    written: PairsWritten,
    per_document: u32,
    passages_per_pair: usize,
    edits: Edits,
    /// The line that is being encoded.
    line: Vec<u8>,
    pub(crate) n_written: Vec<u32>,
    pub(crate) n_partial: Vec<u32>,
    pub(crate) is_cut: Bits,
    n_not_written: u64,
    /// Pairs of copies that a star leaves out.
    n_beyond_stars: u64,
    /// Kinds and scores, counted over what was written.
    pub(crate) summary: Summary,
}

impl<'a> Pairs<'a> {
    pub(crate) fn new(
        library: &'a Library<'a>,
        preference: &'a [u32],
        sink: &'a mut dyn Sink,
        job: &Job,
    ) -> Self {
        let collection = library.collection;
        let n = collection.len();
        Self {
            collection,
            library,
            preference,
            form: sink.wants().pairs,
            sink,
            written: job.pairs.unwrap_or_default(),
            per_document: match job.pairs {
                Some(PairsWritten::All) => u32::MAX,
                _ => job.pairs_per_document,
            },
            passages_per_pair: job.passages_per_pair,
            edits: job.edits(),
            line: Vec::new(),
            n_written: vec![0; n],
            n_partial: vec![0; n],
            is_cut: Bits::new(n),
            n_not_written: 0,
            n_beyond_stars: 0,
            summary: Summary::default(),
        }
    }

    /// Writes the pairs among the documents with the words of `first`: all, or a star around the
    /// one that is kept. Writes no more when it is asked to stop.
    pub(crate) fn exact_group(&mut self, first: Ordinal, stop: &Stop) -> Result<(), Error> {
        let Some(group) = self.count_group(first) else { return Ok(()) };
        let n = group.len() as u64;
        let fits = n <= u64::from(self.per_document) + 1;
        let is_small = group.len() <= MOST_IN_FULL || self.written == PairsWritten::All;
        if fits && is_small {
            // As many at a time as take little room; every one is read once for all before it.
            for block in group.chunks(ENTRIES_AT_HAND) {
                let entries: Vec<Entry> = block
                    .iter()
                    .map(|&doc| self.collection.entry(doc))
                    .collect::<Result<_, _>>()?;
                for &a in &group {
                    if stop.is_set() {
                        return Ok(());
                    }
                    let of_a = self.collection.entry(a)?;
                    for (&b, of_b) in block.iter().zip(&entries).filter(|(b, _)| **b > a) {
                        self.exact(a, &of_a, b, of_b)?;
                    }
                }
            }
            return Ok(());
        }
        let n_left_out = n * (n - 1) / 2 - (n - 1);
        if fits {
            self.n_beyond_stars += n_left_out;
        } else {
            self.n_not_written += n_left_out;
        }
        let kept = group.iter().copied().min_by_key(|doc| self.preference[doc.index()]);
        let kept = kept.expect("a group has its first");
        let entry = self.collection.entry(kept)?;
        for doc in group {
            self.is_cut.insert(doc);
            if doc == kept || stop.is_set() {
                continue;
            }
            let other = self.collection.entry(doc)?;
            if doc < kept {
                self.exact(doc, &other, kept, &entry)?;
            } else {
                self.exact(kept, &entry, doc, &other)?;
            }
        }
        Ok(())
    }

    /// Counts the documents with the words of `first`, and returns them unless their pairs are not
    /// wanted.
    pub(super) fn count_group(&mut self, first: Ordinal) -> Option<Vec<Ordinal>> {
        if !self.collection.is_wanted(first, first) {
            return None;
        }
        let group = self.collection.group(first);
        self.summary.n_exact_groups += 1;
        self.summary.n_exact_copies += group.len() as u64 - 1;
        Some(group)
    }

    /// Hands on pairs that were written before, as rows or as their encoded lines, and counts them.
    pub(super) fn stored(
        &mut self,
        pairs: impl Iterator<Item = ((Ordinal, Ordinal), Judgement)>,
        lines: &[u8],
    ) -> Result<(), Error> {
        let mut n_pairs = 0;
        for (pair, Judgement { kind, scores }) in pairs {
            self.count(pair, kind, scores);
            n_pairs += 1;
        }
        match self.form {
            Form::Lines => self.sink.pair_lines(lines, n_pairs),
            Form::Nothing | Form::Rows => Ok(()),
        }
    }

    /// Hands on a pair that was written before and [counted](Self::stored).
    pub(super) fn stored_row(&mut self, pair: &Pair<'_>) -> Result<(), Error> {
        if self.form == Form::Rows { self.sink.pair(pair) } else { Ok(()) }
    }

    fn exact(&mut self, a: Ordinal, of_a: &Entry, b: Ordinal, of_b: &Entry) -> Result<(), Error> {
        if !self.collection.is_wanted(a, b) {
            return Ok(());
        }
        self.count((a, b), Kind::Exact, Scores::EQUAL);
        if self.form == Form::Nothing {
            return Ok(());
        }
        let row = PairRow {
            a: &of_a.id,
            b: &of_b.id,
            relation: Kind::Exact,
            scores: Scores::EQUAL,
            evidence: &whole(of_a, of_b),
        };
        self.hand_on(&Pair { row, a, b })
    }

    /// Writes a verified pair and the pairs of the exact copies of its documents. If these are more
    /// than the limit per document allows, only the pair itself is written, and if that is one too
    /// many, none. A pair of a star whose documents have no copies is written whatever the limit.
    /// Returns whether any pair was written.
    pub(crate) fn verified(
        &mut self,
        found: &Verified<'_>,
        is_in_star: bool,
    ) -> Result<bool, Error> {
        let (a, b) = (found.a, found.b);
        let room = |pairs: &Self, doc: Ordinal, n: usize| {
            pairs.n_written[doc.index()] as usize + n <= pairs.per_document as usize
        };
        if !self.collection.has_copies(a) && !self.collection.has_copies(b) {
            if is_in_star || room(self, a, 1) && room(self, b, 1) {
                self.copy(found, a, b)?;
                return Ok(true);
            }
            for doc in [a, b] {
                self.is_cut.insert(doc);
            }
            self.n_not_written += 1;
            return Ok(false);
        }
        let (group_a, group_b) = (self.collection.group(a), self.collection.group(b));
        if room(self, a, group_b.len()) && room(self, b, group_a.len()) {
            for &x in &group_a {
                for &y in &group_b {
                    self.copy(found, x, y)?;
                }
            }
            return Ok(true);
        }
        let n_all = (group_a.len() * group_b.len()) as u64;
        for &doc in group_a.iter().chain(&group_b) {
            self.is_cut.insert(doc);
        }
        if room(self, a, 1) && room(self, b, 1) {
            self.n_not_written += n_all - 1;
            self.copy(found, a, b)?;
            return Ok(true);
        }
        self.n_not_written += n_all;
        Ok(false)
    }

    /// Writes a pair of a cluster's star although the limit is reached.
    pub(crate) fn star(&mut self, found: &Verified<'_>) -> Result<(), Error> {
        self.n_not_written -= 1;
        self.copy(found, found.a, found.b)
    }

    /// Writes the pair (x, y) of copies of a verified pair's documents.
    fn copy(&mut self, found: &Verified<'_>, x: Ordinal, y: Ordinal) -> Result<(), Error> {
        if !self.collection.is_wanted(x, y) {
            return Ok(());
        }
        let scores = found.comparison.scores;
        if (x, y) == (found.a, found.b) {
            return self.write((x, y), found.kind, scores, &found.evidence, Some(&found.line));
        }
        let is_same_text = |one: Ordinal, other: Ordinal| -> Result<bool, Error> {
            if one == other {
                return Ok(true);
            }
            let hash = |doc| self.collection.entry(doc).map(|entry| entry.text_hash);
            Ok(hash(one)? == hash(other)?)
        };
        let evidence = if self.form == Form::Nothing {
            Evidence::default()
        } else if is_same_text(x, found.a)? && is_same_text(y, found.b)? {
            found.evidence.clone()
        } else {
            // The same words at other places: the passages are the same words too, unless the
            // documents name other languages and so have other stems and stop words.
            let profile = |doc| self.library.profile(doc).ok();
            match (profile(x), profile(y), profile(found.a), profile(found.b)) {
                (Some(px), Some(py), Some(pa), Some(pb))
                    if px.words.hashes == pa.words.hashes && py.words.hashes == pb.words.hashes =>
                {
                    found.comparison.evidence(&px, &py, self.passages_per_pair)
                }
                (Some(px), Some(py), ..) => {
                    let compared = align::compare(&px, &py, px.k(), self.edits);
                    compared.evidence(&px, &py, self.passages_per_pair)
                }
                _ => Evidence::default(),
            }
        };
        // Scores and kind are those of the firsts, and so is what they were computed from.
        let evidence = Evidence { counted: found.comparison.counted, ..evidence };
        // Rows name the earlier document first.
        if x < y {
            self.write((x, y), found.kind, scores, &evidence, None)
        } else {
            let mut passages: Vec<Passage> =
                evidence.passages.iter().map(|passage| passage.flipped()).collect();
            passages.sort_by_key(|passage| (passage.a, passage.b));
            let evidence = Evidence {
                passages,
                a_words: evidence.b_words,
                b_words: evidence.a_words,
                n_cut: evidence.n_cut,
                counted: evidence.counted.map(Counted::flipped),
            };
            self.write((y, x), found.kind.flipped(), scores.flipped(), &evidence, None)
        }
    }

    fn count(&mut self, (a, b): (Ordinal, Ordinal), kind: Kind, scores: Scores) {
        self.summary.count_pair(kind, scores);
        for doc in [a, b] {
            self.n_written[doc.index()] += 1;
            self.n_partial[doc.index()] += u32::from(kind == Kind::Partial);
        }
    }

    fn write(
        &mut self,
        (a, b): (Ordinal, Ordinal),
        kind: Kind,
        scores: Scores,
        evidence: &Evidence,
        line: Option<&[u8]>,
    ) -> Result<(), Error> {
        self.count((a, b), kind, scores);
        match (self.form, line) {
            (Form::Nothing, _) => Ok(()),
            (Form::Lines, Some(line)) => self.sink.pair_lines(line, 1),
            (Form::Rows | Form::Lines, _) => {
                let (id_a, id_b) = (self.collection.id(a)?, self.collection.id(b)?);
                let row = PairRow { a: &id_a, b: &id_b, relation: kind, scores, evidence };
                self.hand_on(&Pair { row, a, b })
            }
        }
    }

    /// Hands a pair to the sink, encoded if it wants lines.
    fn hand_on(&mut self, pair: &Pair<'_>) -> Result<(), Error> {
        if self.form == Form::Rows {
            return self.sink.pair(pair);
        }
        self.line.clear();
        PairsWriter::encode(pair.row(), &mut self.line);
        self.sink.pair_lines(&self.line, 1)
    }

    /// Returns what was left out.
    pub(crate) fn cuts(&self) -> Vec<Cut> {
        let per_document = u64::from(self.per_document);
        let named = [
            ("pairs beyond the limit per document", per_document, self.n_not_written),
            (
                "pairs of exact copies in groups above the limit, written as a star around the kept one",
                MOST_IN_FULL as u64,
                self.n_beyond_stars,
            ),
        ];
        let cuts = named.into_iter().filter(|&(_, _, count)| count > 0);
        cuts.map(|(what, limit, count)| Cut { what: what.to_owned(), limit: Some(limit), count })
            .collect()
    }
}

/// The evidence of an exact copy: one passage from the first to the last word.
pub(crate) fn whole(a: &Entry, b: &Entry) -> Evidence {
    let passages = if a.n_words == 0 {
        Vec::new()
    } else {
        vec![Passage { a: a.extent, b: b.extent, words: a.n_words, differ: 0, moved: 0 }]
    };
    let (a_words, b_words) = (a.n_words, b.n_words);
    Evidence { passages, a_words, b_words, n_cut: 0, counted: None }
}
