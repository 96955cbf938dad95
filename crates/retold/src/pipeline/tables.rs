//! Which pairs are written: every verified one, up to a limit per document.
//!
//! Copies were collapsed before the search, so a pair of firsts stands for all pairs of their
//! copies. They are written out here, while the limit allows it; beyond it the firsts stand
//! alone and the cut is counted.

use std::collections::BTreeSet;

use retold_core::cluster::Edge;
use retold_core::document::Ordinal;
use retold_core::relation::{Evidence, Kind, Passage, Relation, Scores};
use retold_core::verify::align;
use retold_report::{Cut, PairRow, PairsWriter, Summary, TableFormat};

use super::collection::{Collection, Entry};
use super::library::Library;
use super::verifying::Verified;
use crate::error::Error;

/// Where pairs go.
pub(crate) enum PairSink {
    /// A table in the output folder.
    Table(PairsWriter, TableFormat),
    /// The caller's memory.
    Memory(Vec<Relation>),
    /// Nowhere: only counted.
    Nowhere,
}

/// Writes pairs and counts them.
pub(crate) struct Pairs<'a> {
    collection: &'a Collection,
    library: &'a Library<'a>,
    pub(crate) sink: PairSink,
    per_document: u32,
    passages_per_pair: usize,
    /// Verified relations between firsts, partial copies left out.
    pub(crate) edges: Vec<Edge>,
    pub(crate) n_written: Vec<u32>,
    pub(crate) n_partial: Vec<u32>,
    pub(crate) is_cut: Vec<bool>,
    has_copies: Vec<bool>,
    /// Pairs of firsts that were not written.
    dropped: BTreeSet<(Ordinal, Ordinal)>,
    n_not_written: u64,
    /// Kinds and scores, counted over what was written.
    pub(crate) summary: Summary,
}

impl<'a> Pairs<'a> {
    pub(crate) fn new(
        library: &'a Library<'a>,
        sink: PairSink,
        per_document: u32,
        passages_per_pair: usize,
    ) -> Self {
        let collection = library.collection;
        let n = collection.len();
        let mut has_copies = vec![false; n];
        for first in collection.firsts_with_copies() {
            has_copies[first.index()] = true;
        }
        Self {
            collection,
            library,
            sink,
            per_document,
            passages_per_pair,
            edges: Vec::new(),
            n_written: vec![0; n],
            n_partial: vec![0; n],
            is_cut: vec![false; n],
            has_copies,
            dropped: BTreeSet::new(),
            n_not_written: 0,
            summary: Summary::default(),
        }
    }

    /// Writes the pairs among exact copies: all of a group that fits the limit, else its star.
    pub(crate) fn exact_groups(&mut self) -> Result<(), Error> {
        for first in self.collection.firsts_with_copies() {
            let group = self.collection.group(first);
            self.summary.n_exact_groups += 1;
            self.summary.n_exact_copies += group.len() as u64 - 1;
            let fits = group.len() <= self.per_document as usize + 1;
            let n_centres = if fits { group.len() } else { 1 };
            if !fits {
                let n = group.len() as u64;
                self.n_not_written += n * (n - 1) / 2 - (n - 1);
                for doc in &group {
                    self.is_cut[doc.index()] = true;
                }
            }
            for (i, &a) in group[..n_centres].iter().enumerate() {
                for &b in &group[i + 1..] {
                    let evidence = whole(self.collection.entry(a), self.collection.entry(b));
                    self.write(a, b, Kind::Exact, Scores::EQUAL, &evidence, None)?;
                }
            }
        }
        Ok(())
    }

    /// Writes a verified pair of firsts, and those of their copies.
    pub(crate) fn verified(&mut self, found: &Verified<'_>) -> Result<(), Error> {
        let (a, b) = (found.a, found.b);
        if found.kind != Kind::Partial {
            let scores = found.comparison.scores;
            self.edges.push(Edge { a, b, kind: found.kind, scores });
        }
        let room = |pairs: &Self, doc: Ordinal, n: usize| {
            pairs.n_written[doc.index()] as usize + n <= pairs.per_document as usize
        };
        if !self.has_copies[a.index()] && !self.has_copies[b.index()] {
            if room(self, a, 1) && room(self, b, 1) {
                return self.copy(found, a, b);
            }
            for doc in [a, b] {
                self.is_cut[doc.index()] = true;
            }
            self.n_not_written += 1;
            self.dropped.insert((a, b));
            return Ok(());
        }
        let (group_a, group_b) = (self.collection.group(a), self.collection.group(b));
        if room(self, a, group_b.len()) && room(self, b, group_a.len()) {
            for &x in &group_a {
                for &y in &group_b {
                    self.copy(found, x, y)?;
                }
            }
            return Ok(());
        }
        let n_all = (group_a.len() * group_b.len()) as u64;
        for doc in group_a.iter().chain(&group_b) {
            self.is_cut[doc.index()] = true;
        }
        if room(self, a, 1) && room(self, b, 1) {
            self.n_not_written += n_all - 1;
            return self.copy(found, a, b);
        }
        self.n_not_written += n_all;
        self.dropped.insert((a, b));
        Ok(())
    }

    /// Writes a pair of a cluster's star although the limit is reached, unless it was written.
    pub(crate) fn star<'v>(
        &mut self,
        a: Ordinal,
        b: Ordinal,
        verify: impl FnOnce() -> Option<Verified<'v>>,
    ) -> Result<(), Error> {
        if self.dropped.remove(&(a.min(b), a.max(b)))
            && let Some(found) = verify()
        {
            self.n_not_written -= 1;
            self.copy(&found, found.a, found.b)?;
        }
        Ok(())
    }

    /// Writes the pair (x, y) of copies of a verified pair's documents.
    fn copy(&mut self, found: &Verified<'_>, x: Ordinal, y: Ordinal) -> Result<(), Error> {
        let scores = found.comparison.scores;
        if (x, y) == (found.a, found.b) {
            return self.write(x, y, found.kind, scores, &found.evidence, Some(&found.line));
        }
        let is_same_text = |one: Ordinal, other: Ordinal| {
            self.collection.entry(one).text_hash == self.collection.entry(other).text_hash
        };
        let evidence = if is_same_text(x, found.a) && is_same_text(y, found.b) {
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
                    align::compare(&px, &py, px.k()).evidence(&px, &py, self.passages_per_pair)
                }
                _ => Evidence::default(),
            }
        };
        // Rows name the earlier document first.
        if x < y {
            self.write(x, y, found.kind, scores, &evidence, None)
        } else {
            let mut passages: Vec<Passage> =
                evidence.passages.iter().map(|passage| passage.flipped()).collect();
            passages.sort_by_key(|passage| (passage.a, passage.b));
            let evidence = Evidence {
                passages,
                a_words: evidence.b_words,
                b_words: evidence.a_words,
                n_cut: evidence.n_cut,
            };
            self.write(y, x, found.kind.flipped(), scores.flipped(), &evidence, None)
        }
    }

    fn write(
        &mut self,
        a: Ordinal,
        b: Ordinal,
        kind: Kind,
        scores: Scores,
        evidence: &Evidence,
        line: Option<&[u8]>,
    ) -> Result<(), Error> {
        self.summary.count_pair(kind, scores);
        for doc in [a, b] {
            self.n_written[doc.index()] += 1;
            self.n_partial[doc.index()] += u32::from(kind == Kind::Partial);
        }
        match &mut self.sink {
            PairSink::Nowhere => Ok(()),
            PairSink::Memory(relations) => {
                relations.push(Relation { a, b, kind, scores, evidence: evidence.clone() });
                Ok(())
            }
            PairSink::Table(writer, format) => {
                let written = match line {
                    Some(line) if *format == TableFormat::Jsonl => writer.push_encoded(line, 1),
                    _ => writer.push(&PairRow {
                        a: &self.collection.entry(a).id,
                        b: &self.collection.entry(b).id,
                        relation: kind,
                        scores,
                        evidence,
                    }),
                };
                written.map_err(Error::io("write", "pairs".as_ref()))
            }
        }
    }

    /// Returns what the limit per document left out.
    pub(crate) fn cuts(&self) -> Vec<Cut> {
        if self.n_not_written == 0 {
            return Vec::new();
        }
        vec![Cut {
            what: "pairs beyond the limit per document".to_owned(),
            limit: Some(u64::from(self.per_document)),
            count: self.n_not_written,
        }]
    }
}

/// The evidence of an exact copy: one passage from the first to the last word.
pub(crate) fn whole(a: &Entry, b: &Entry) -> Evidence {
    let passages = if a.n_words == 0 {
        Vec::new()
    } else {
        vec![Passage { a: a.extent, b: b.extent, words: a.n_words, differ: 0 }]
    };
    Evidence { passages, a_words: a.n_words, b_words: b.n_words, n_cut: 0 }
}
