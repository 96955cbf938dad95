//! Positions of words: documents in the order of preference, those of an archive before all others,
//! and in each document from left to right.

use retold_core::document::Ordinal;

use super::words::WordLog;

/// Bits of a position.
pub(super) const POSITION_BITS: u32 = 40;

/// All documents in order.
pub(super) struct Order {
    /// Documents by rank.
    documents: Vec<Ordinal>,
    /// Position of the first word by rank, and the number of all words behind it.
    starts: Vec<u64>,
    /// Ranks by document.
    ranks: Vec<u32>,
    /// Position behind the last word of the archive.
    archive_end: u64,
}

impl Order {
    /// Puts documents into the order of `preference`; those from `joined` on are an archive.
    ///
    /// `None` if there are more words than positions.
    pub(super) fn new(
        preference: &[u32],
        joined: Option<Ordinal>,
        words: &WordLog,
    ) -> Option<Self> {
        let is_new = |doc: Ordinal| joined.is_none_or(|joined| doc < joined);
        let mut documents: Vec<Ordinal> = (0..preference.len() as u32).map(Ordinal).collect();
        documents.sort_unstable_by_key(|&doc| (is_new(doc), preference[doc.index()]));
        let mut starts = Vec::with_capacity(documents.len() + 1);
        let mut ranks = vec![0; documents.len()];
        let (mut at, mut archive_end) = (0, 0);
        for (rank, &doc) in (0..).zip(&documents) {
            starts.push(at);
            ranks[doc.index()] = rank;
            at += u64::from(words.n_words(doc));
            if !is_new(doc) {
                archive_end = at;
            }
        }
        starts.push(at);
        (at < 1 << POSITION_BITS).then_some(Self { documents, starts, ranks, archive_end })
    }

    /// Returns the number of all words.
    pub(super) fn n_words(&self) -> u64 {
        self.starts[self.documents.len()]
    }

    /// Returns whether a word lies in the archive.
    pub(super) fn is_archive(&self, position: u64) -> bool {
        position < self.archive_end
    }

    /// Returns all documents in order.
    pub(super) fn documents(&self) -> &[Ordinal] {
        &self.documents
    }

    /// Returns the position of a document's first word.
    pub(super) fn start(&self, doc: Ordinal) -> u64 {
        self.starts[self.ranks[doc.index()] as usize]
    }

    /// Returns the document that a word stands in, and its number there.
    pub(super) fn place(&self, position: u64) -> (Ordinal, u32) {
        let rank = self.starts.partition_point(|&start| start <= position) - 1;
        (self.documents[rank], (position - self.starts[rank]) as u32)
    }

    /// Returns the position behind the last word of the document that a word stands in.
    pub(super) fn end(&self, position: u64) -> u64 {
        self.starts[self.starts.partition_point(|&start| start <= position)]
    }
}
