//! Which pairs are reported of documents that have very many: the limit per document.
//!
//! Whether a pair is reported depends on how many were before it, in the order in which one machine
//! compares them. Documents that stay below the limit whatever happens never decide anything, so only the
//! pairs of the others, and only those that hang together through such documents, are gone through.

use std::collections::HashMap;

use retold_core::document::Span;
use retold_core::relation::Evidence;

use super::Stages;
use crate::job::PairsWritten;
pub use crate::pipeline::tables::Extent;
use crate::pipeline::tables::{self, extent};

/// A verified pair where a document may have too many.
#[derive(Clone, Copy, Debug)]
pub struct LimitedPair {
    /// The earlier document, and how many have its words.
    pub a: (u64, u64),
    /// The later document, and how many have its words.
    pub b: (u64, u64),
    /// Whether it is one of a member of a crowd with the kept one.
    pub is_in_star: bool,
}

/// Returns the evidence of two documents with the same words: one passage from the first to the last
/// word. Of each come the number of words and where they stand.
pub fn whole((n_a, a): (u32, Span), (n_b, b): (u32, Span)) -> Evidence {
    tables::whole((n_a, a), (n_b, b))
}

impl Stages {
    /// Returns which pairs of documents with the same words are reported, by their places: all, or those
    /// with the one of the smallest rank.
    pub fn pairs_of_copies(&self, ranks: &[u64]) -> Vec<(usize, usize)> {
        let (n, most) = (ranks.len(), u64::from(self.job.reported_per_document()));
        let are_all_wanted = self.job.pairs == Some(PairsWritten::All);
        if tables::star_of_copies(n, most, are_all_wanted).is_none() {
            return (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
        }
        let kept = (0..n).min_by_key(|&at| ranks[at]).unwrap_or(0);
        let others = (0..n).filter(|&at| at != kept);
        others.map(|at| (at.min(kept), at.max(kept))).collect()
    }

    /// Says of pairs, in the order in which they are compared, how much of them is reported.
    /// `n_before` has the pairs of exact copies that documents have already.
    pub fn limited(&self, pairs: &[LimitedPair], n_before: &HashMap<u64, u64>) -> Vec<Extent> {
        let most = u64::from(self.job.reported_per_document());
        let mut n_written = n_before.clone();
        let mut out = Vec::with_capacity(pairs.len());
        for &LimitedPair { a, b, is_in_star } in pairs {
            let n = |doc: u64| n_written.get(&doc).copied().unwrap_or(0);
            let extent = extent((n(a.0), a.1), (n(b.0), b.1), most, is_in_star);
            let (of_a, of_b) = match extent {
                Extent::All => (b.1, a.1),
                Extent::Firsts => (1, 1),
                Extent::Nothing => (0, 0),
            };
            *n_written.entry(a.0).or_default() += of_a;
            *n_written.entry(b.0).or_default() += of_b;
            out.push(extent);
        }
        out
    }
}
