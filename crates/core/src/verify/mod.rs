//! Looks at two documents again: exact resemblance, containment both ways, matching passages.
//!
//! Everything here is exact for the words as they were folded: scores are those of the sets of
//! word shingles, and passages are runs of equal words, joined across small gaps.

pub mod align;
pub mod rule;
pub mod table;

use self::table::Table;
use crate::document::{Document, Span};
use crate::features::shingles::Shingles;
use crate::features::{Featurizer, Words};

/// A document made ready for comparison.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its words.
    pub words: Words,
    /// Hash of the shingle that starts at each word, as far as there is one.
    pub shingles: Vec<u64>,
    /// Where each shingle stands.
    pub table: Table,
}

impl Profile {
    /// Makes the profile of a document's words.
    pub fn new(words: Words, shingles: Shingles) -> Self {
        let shingles = shingles.of(&words.hashes);
        let table = Table::new(&shingles);
        Self { words, shingles, table }
    }

    /// Reads a document.
    pub fn of(document: &Document, featurizer: &Featurizer, shingles: Shingles) -> Self {
        let mut words = Words::default();
        featurizer.words(document, &mut words);
        Self::new(words, shingles)
    }

    /// Returns the number of words.
    pub fn n_words(&self) -> usize {
        self.words.hashes.len()
    }

    /// Returns the stretch of the original from the first to the last of some words.
    pub fn span(&self, start: u32, end: u32) -> Span {
        let spans = &self.words.spans[start as usize..end as usize];
        match (spans.first(), spans.last()) {
            (Some(first), Some(last)) => Span::new(first.start, last.end),
            _ => Span::new(0, 0),
        }
    }

    /// Returns the number of bytes held.
    pub fn held_bytes(&self) -> usize {
        self.words.hashes.len() * 8
            + self.words.spans.len() * 8
            + self.shingles.len() * 8
            + self.table.held_bytes()
    }
}
