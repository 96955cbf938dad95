//! Which pairs are written: every verified one, up to a limit per document.
//!
//! Copies were collapsed before the search, so a pair of firsts stands for all pairs of their
//! copies. They are written out here, while the limit allows it; beyond it the firsts stand
//! alone and the cut is counted. Of a large group of copies only the pairs with the kept one are
//! written, unless [all](PairsWritten::All) are asked for.

use retold_core::candidates::Judgement;
use retold_core::document::{Ordinal, Span};
use retold_core::relation::{Evidence, Kind, Passage, Scores};
use retold_core::verify::Profile;
use retold_core::verify::align::{self, Comparison};
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
            per_document: job.reported_per_document(),
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
        let per_document = u64::from(self.per_document);
        let star = star_of_copies(group.len(), per_document, self.written == PairsWritten::All);
        let Some(star) = star else {
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
        };
        let n_left_out = n * (n - 1) / 2 - (n - 1);
        match star {
            Star::OfMany => self.n_beyond_stars += n_left_out,
            Star::OfTooMany => self.n_not_written += n_left_out,
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
            evidence: &whole((of_a.n_words, of_a.extent), (of_b.n_words, of_b.extent)),
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
        let n_of = |doc: Ordinal| {
            let n_written = u64::from(self.n_written[doc.index()]);
            (n_written, self.collection.group_len(doc) as u64)
        };
        let (of_a, of_b) = (n_of(a), n_of(b));
        let extent = extent(of_a, of_b, u64::from(self.per_document), is_in_star);
        if extent == Extent::All && of_a.1 * of_b.1 > 1 {
            let (group_a, group_b) = (self.collection.group(a), self.collection.group(b));
            for &x in &group_a {
                for &y in &group_b {
                    self.copy(found, x, y)?;
                }
            }
            return Ok(true);
        }
        let is_written = extent != Extent::Nothing;
        if extent != Extent::All {
            for doc in self.collection.group(a).into_iter().chain(self.collection.group(b)) {
                self.is_cut.insert(doc);
            }
            self.n_not_written += of_a.1 * of_b.1 - u64::from(is_written);
        }
        if is_written {
            self.copy(found, a, b)?;
        }
        Ok(is_written)
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
            let profile = |doc| self.library.profile(doc).ok();
            match (profile(x), profile(y), profile(found.a), profile(found.b)) {
                (Some(px), Some(py), Some(pa), Some(pb)) => evidence_of_copies(
                    &found.comparison,
                    (&pa, &pb),
                    (&px, &py),
                    self.passages_per_pair,
                    self.edits,
                ),
                _ => Evidence::default(),
            }
        };
        // Scores and kind are those of the firsts, and so is what they were computed from.
        let evidence = Evidence { counted: found.comparison.counted, ..evidence };
        // Rows name the earlier document first.
        if x < y {
            self.write((x, y), found.kind, scores, &evidence, None)
        } else {
            let evidence = evidence.flipped();
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

/// Returns the evidence of two documents that have the words of two others, which were compared.
///
/// The same words at other places: the passages are the same words too, unless the documents name other
/// languages and so have other stems and stop words.
pub(crate) fn evidence_of_copies(
    found: &Comparison,
    (a, b): (&Profile, &Profile),
    (x, y): (&Profile, &Profile),
    most_passages: usize,
    edits: Edits,
) -> Evidence {
    if x.words.hashes == a.words.hashes && y.words.hashes == b.words.hashes {
        found.evidence(x, y, most_passages)
    } else {
        align::compare(x, y, x.k(), edits).evidence(x, y, most_passages)
    }
}

/// Why only pairs with the kept one are written of some copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Star {
    /// They are many, and not all pairs are asked for.
    OfMany,
    /// They are more than the limit per document.
    OfTooMany,
}

/// Says whether only pairs with the kept one are written of `n` documents with the same words.
pub(crate) fn star_of_copies(n: usize, most: u64, are_all_wanted: bool) -> Option<Star> {
    if n as u64 > most + 1 {
        Some(Star::OfTooMany)
    } else {
        (n > MOST_IN_FULL && !are_all_wanted).then_some(Star::OfMany)
    }
}

/// How much of a verified pair is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The pair, and the pairs of the exact copies of its documents.
    All,
    /// The pair alone.
    Firsts,
    /// Nothing.
    Nothing,
}

/// Says how much of a pair is written. `a` and `b` have the number of pairs written of the document, and
/// how many documents have its words; `most` is the limit per document. A pair of a star whose documents
/// have no copies is written whatever the limit.
pub(crate) fn extent(a: (u64, u64), b: (u64, u64), most: u64, is_in_star: bool) -> Extent {
    let fits = |of_a: u64, of_b: u64| a.0 + of_a <= most && b.0 + of_b <= most;
    if fits(b.1, a.1) || (is_in_star && a.1 * b.1 == 1) {
        Extent::All
    } else if fits(1, 1) {
        Extent::Firsts
    } else {
        Extent::Nothing
    }
}

/// The evidence of an exact copy: one passage from the first to the last word.
pub(crate) fn whole((a_words, a): (u32, Span), (b_words, b): (u32, Span)) -> Evidence {
    let passages = if a_words == 0 {
        Vec::new()
    } else {
        vec![Passage { a, b, words: a_words, differ: 0, moved: 0 }]
    };
    Evidence { passages, a_words, b_words, n_cut: 0, counted: None }
}
