//! Looks at two documents again: exact resemblance, containment both ways, matching passages.
//!
//! Everything here is exact for the words as they were folded: scores are those of the sets of
//! word shingles, and passages are runs of equal words, joined across small gaps.

pub mod align;
pub mod rule;
pub mod table;

use self::table::{Coder, Codes};
use crate::document::{Document, Span};
use crate::features::shingles::Shingles;
use crate::features::{Featurizer, Words};

/// A document made ready for comparison.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Its words.
    pub words: Words,
    /// The shingles that start at its words.
    shingles: Codes,
    k: usize,
}

impl Profile {
    /// Makes the profile of a document's words.
    pub fn new(words: Words, shingles: Shingles) -> Self {
        Self::made(words, shingles, &mut Coder::default())
    }

    /// Reads a document.
    pub fn of(document: &Document, featurizer: &Featurizer, shingles: Shingles) -> Self {
        Profiler::default().profile(document, featurizer, shingles)
    }

    fn made(words: Words, shingles: Shingles, coder: &mut Coder) -> Self {
        let k = shingles.k();
        let shingles = coder.codes(&words.hashes, shingles);
        Self { words, shingles, k }
    }

    /// Returns whether there is a shingle to compare by.
    pub fn has_shingles(&self) -> bool {
        self.n_words() >= self.k
    }

    /// Returns the number of words in a shingle.
    pub fn k(&self) -> usize {
        self.k
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
            + self.shingles.codes.len() * 4
            + self.shingles.repeated.len() * 4
    }
}

/// Makes profiles one after the other; what it needs on the way is kept for the next.
#[derive(Clone, Debug, Default)]
pub struct Profiler {
    words: Words,
    coder: Coder,
}

impl Profiler {
    /// Reads a document.
    pub fn profile(
        &mut self,
        document: &Document,
        featurizer: &Featurizer,
        shingles: Shingles,
    ) -> Profile {
        featurizer.words(document, &mut self.words);
        // A copy is as large as its contents.
        Profile::made(self.words.clone(), shingles, &mut self.coder)
    }

    /// Reads a document into a profile that is no longer needed.
    pub fn profile_into(
        &mut self,
        document: &Document,
        featurizer: &Featurizer,
        shingles: Shingles,
        out: &mut Profile,
    ) {
        featurizer.words(document, &mut out.words);
        out.k = shingles.k();
        self.coder.fill(&out.words.hashes, shingles, &mut out.shingles);
    }
}
