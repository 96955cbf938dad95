//! Which documents may be related.
//!
//! A candidate is a suspicion, not a relation: only [`verify`](crate::verify) makes relations.
//! Each structure says what it may miss.

pub mod all_pairs;
pub mod banding;
pub mod buckets;
pub mod collected;
pub mod corpus_tree;
pub mod diagonal;
pub mod equal;
pub mod graded;
pub mod hamming;
pub mod index;
pub mod inverted;
pub mod overlap;
mod postings;
mod slots;
pub mod tiny;
pub mod votes;
pub mod weighted;

use crate::document::Ordinal;
use crate::executor::Executor;
use crate::relation::{Kind, Scores};

/// Two documents that may be related; `a` comes before `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate {
    /// The earlier document.
    pub a: Ordinal,
    /// The later document.
    pub b: Ordinal,
}

impl Candidate {
    /// Makes a candidate of two different documents in either order.
    pub fn new(one: Ordinal, other: Ordinal) -> Self {
        debug_assert!(one != other, "a document is no candidate for itself");
        Self { a: one.min(other), b: one.max(other) }
    }
}

/// What a search had to leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cuts {
    /// Documents whose search stopped at its limit of work.
    pub n_searches_cut: u64,
    /// Features so common that they gave no candidates.
    pub n_stop_features: u64,
    /// Candidates not followed because a document had too many.
    pub n_candidates_cut: u64,
}

impl Cuts {
    /// Adds what another search left out.
    pub fn add(&mut self, other: &Self) {
        self.n_searches_cut += other.n_searches_cut;
        self.n_stop_features += other.n_stop_features;
        self.n_candidates_cut += other.n_candidates_cut;
    }
}

/// What a method itself says of a pair, before anybody looked at the documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// How the documents relate, seen from `a`.
    pub kind: Kind,
    /// How strongly, by the method's own measure.
    pub scores: Scores,
}

/// What a search proposes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposed {
    /// Candidates, sorted and each once.
    pub pairs: Vec<Candidate>,
    /// What the method says of each, in the same order; empty if only the documents can tell.
    pub says: Vec<Judgement>,
    /// What was left out.
    pub cuts: Cuts,
    /// Pairs a similarity was computed of.
    pub n_values: u64,
}

impl Proposed {
    /// Proposes pairs of which only the documents can tell whether they are related.
    pub fn unjudged(pairs: Vec<Candidate>, cuts: Cuts) -> Self {
        let n_values = pairs.len() as u64;
        Self { pairs, says: Vec::new(), cuts, n_values }
    }

    /// Sorts the pairs and takes their judgements along.
    fn sort(&mut self) {
        if self.pairs.is_sorted() {
            return;
        }
        let mut both: Vec<(Candidate, Judgement)> =
            self.pairs.drain(..).zip(self.says.drain(..)).collect();
        both.sort_by_key(|(pair, _)| *pair);
        (self.pairs, self.says) = both.into_iter().unzip();
    }

    /// Adds pairs of documents with the same words, which need no method to be found.
    pub fn add_exact(&mut self, pairs: &[Candidate]) {
        if pairs.is_empty() {
            return;
        }
        let exact = Judgement { kind: Kind::Exact, scores: Scores::EQUAL };
        if self.says.is_empty() && !self.pairs.is_empty() {
            self.pairs.extend(pairs);
            self.pairs.sort_unstable();
            self.pairs.dedup();
            return;
        }
        let both = pairs.iter().map(|&pair| (pair, exact));
        let mut both: Vec<(Candidate, Judgement)> =
            both.chain(self.pairs.drain(..).zip(self.says.drain(..))).collect();
        // Stable: of two judgements on a pair the exact one stays.
        both.sort_by_key(|(pair, _)| *pair);
        both.dedup_by_key(|(pair, _)| *pair);
        (self.pairs, self.says) = both.into_iter().unzip();
    }

    /// Keeps the pairs across a border: one document before it, one behind.
    fn across(mut self, border: Option<Ordinal>) -> Self {
        if let Some(border) = border {
            debug_assert!(self.says.is_empty(), "judged pairs are asked for across the border");
            self.pairs.retain(|pair| pair.a < border && pair.b >= border);
        }
        self
    }
}

/// Collects images and then proposes candidates.
pub trait Candidates<Image>: Send + Sync {
    /// Takes the image of a document; documents come in the order of their ordinals.
    fn insert(&mut self, ordinal: Ordinal, image: Image);

    /// Returns the number of bytes held.
    fn held_bytes(&self) -> usize;

    /// Returns all candidates and what was left out; with a `border`, only pairs of a document
    /// before it and one from it on.
    fn propose(self: Box<Self>, border: Option<Ordinal>, executor: &dyn Executor) -> Proposed;
}
