//! Which documents may be related.
//!
//! A candidate is a suspicion, not a relation: only [`verify`](crate::verify) makes relations.
//!
//! There is one search, whatever the method. A method says under which keys a document is held and
//! asks, and how two images are judged ([`Meeting`]); the engines hold postings (key, document,
//! payload) and walk the lists that a document's keys name:
//!
//! | engine | where lists live |
//! |---|---|
//! | [`sealed`] | sorted in memory, and beyond the budget in sorted parts on scratch |
//! | `growing` | in a table that grows and shrinks |
//! | [`stored`] | in an index on disk |
//! | [`block`] | brought by a shuffle to some of the documents |
//!
//! All run the same `ask`, so they give the same answers. The other files say where the images
//! of one family of methods meet: [`overlap`], [`equal`], [`hamming`], [`banding`], [`weighted`],
//! [`tree_paths`], [`diagonal`], [`samples`], [`close_pairs`], [`all_pairs`].

pub mod all_pairs;
mod ask;
pub mod banding;
pub mod block;
pub mod close_pairs;
pub mod diagonal;
pub mod equal;
pub mod graded;
pub(crate) mod growing;
pub mod hamming;
mod lists;
pub mod meeting;
pub mod overlap;
pub mod probe;
pub mod samples;
pub mod sealed;
pub mod stored;
mod tiny_pairs;
pub mod tree_paths;
pub mod weighted;

#[cfg(test)]
pub(crate) mod both;
#[cfg(test)]
mod corpus_tree;
#[cfg(test)]
mod diagonal_index;
#[cfg(test)]
mod slots;

use std::io;

pub use self::lists::KEY_BITS;
pub use self::meeting::Meeting;
use crate::document::Ordinal;
use crate::relation::{Kind, Scores};

/// Why a lock can be had.
const NO_PANIC: &str = "no piece panics while it holds a lock";

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
    /// Documents whose search was thinned or stopped at its limit of work.
    pub n_searches_cut: u64,
    /// Lists that were too long to be read, counted once for every document that asked them.
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
    /// How the documents relate, seen from the first.
    pub kind: Kind,
    /// How strongly, by the method's own measure.
    pub scores: Scores,
}

impl Judgement {
    /// Nothing is known before the documents are compared.
    pub const UNKNOWN: Self = Self { kind: Kind::Partial, scores: Scores::NOTHING };

    /// Returns the judgement as seen from the other document.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { kind: self.kind.flipped(), scores: self.scores.flipped() }
    }
}

/// A document that the method itself takes for a relative of the one that asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partner {
    /// Which document.
    pub ordinal: Ordinal,
    /// How they relate, seen from the one that asked: `Contained` means it stands in the partner.
    pub kind: Kind,
    /// How strongly, by the method's own measure; `a` is the one that asked.
    pub scores: Scores,
}

/// What a document finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Relatives, by ordinal.
    pub partners: Vec<Partner>,
    /// What had to be left out.
    pub cuts: Cuts,
    /// Documents that a similarity was computed with, whether related or not: a measure of the work.
    pub n_compared: u64,
}

/// Documents that come and go, and can be asked at any time. Images are encoded.
pub trait Window: Send + Sync {
    /// Takes a document.
    ///
    /// *Errors* if the bytes are no image of the method.
    fn insert(&mut self, ordinal: Ordinal, image: &[u8]) -> io::Result<()>;

    /// Forgets a document: then all is as if it had never come.
    fn remove(&mut self, ordinal: Ordinal) -> io::Result<()>;

    /// Adds the documents before `before` that the method takes for relatives, by ordinal. Both
    /// directions of an asymmetric rule are looked at.
    fn ask(&self, image: &[u8], before: Ordinal, found: &mut Found) -> io::Result<()>;

    /// Returns the number of bytes held.
    fn held_bytes(&self) -> usize;
}
