//! Which documents may be related.
//!
//! A candidate is a suspicion, not a relation: only [`verify`](crate::verify) makes relations.
//! Each structure says what it may miss.

pub mod all_pairs;
pub mod banding;
pub mod inverted;
pub mod tiny;

use crate::document::Ordinal;
use crate::executor::Executor;

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

/// Collects images and then proposes candidates.
pub trait Candidates<Image>: Send + Sync {
    /// Takes the image of a document; documents come in the order of their ordinals.
    fn insert(&mut self, ordinal: Ordinal, image: Image);

    /// Returns the number of bytes held.
    fn held_bytes(&self) -> usize;

    /// Returns all candidates, sorted and each once, and what was left out.
    fn propose(self: Box<Self>, executor: &dyn Executor) -> (Vec<Candidate>, Cuts);
}
