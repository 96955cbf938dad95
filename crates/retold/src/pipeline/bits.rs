//! One bit for every document.

use retold_core::document::Ordinal;

/// A set of documents.
#[derive(Clone, Debug)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// Makes an empty set for documents with ordinals below `n_documents`.
    pub(crate) fn new(n_documents: usize) -> Self {
        Self(vec![0; n_documents.div_ceil(64)])
    }

    /// Adds a document; returns whether it was new.
    pub(crate) fn insert(&mut self, doc: Ordinal) -> bool {
        let is_new = !self.contains(doc);
        self.0[doc.index() / 64] |= 1 << (doc.index() % 64);
        is_new
    }

    /// Returns whether a document is in the set.
    pub(crate) fn contains(&self, doc: Ordinal) -> bool {
        self.0[doc.index() / 64] >> (doc.index() % 64) & 1 == 1
    }

    /// Returns the number of documents in the set.
    pub(crate) fn len(&self) -> u64 {
        self.0.iter().map(|bits| u64::from(bits.count_ones())).sum()
    }
}
