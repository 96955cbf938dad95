//! From scores to a kind of relation.

use serde::{Deserialize, Serialize};

use crate::parameters::{Parameters, Profile, SHARE, parameters};
use crate::relation::{Kind, Scores};

parameters! {
    /// When two documents count as related.
    #[derive(Copy, PartialEq)]
    #[serde(default)]
    pub struct Rule {
        /// share of a document's word runs found in the other from which it counts as contained
        pub containment: f64 = 0.6, in SHARE, permissive down to 0.3;
        /// words of a common passage from which two documents count as partial copies, if it is
        /// also at least 1 % of the shorter; or words of all common passages together, if these are
        /// also at least the share `shared` of the shorter
        pub passage_words: u32 = 40, in 1.., permissive down to 20;
        /// share of the words of the shorter document that must lie in common passages of at least 8
        /// words before these, none of which is long enough by itself, make a partial copy
        pub shared: f64 = 0.2, in SHARE;
        /// share of the word runs of both documents that they have in common from which they count
        /// as near-duplicates; other relations are not reported then. 0 reports all relations
        pub similarity: f64 = 0.0, in 0.0..=1.0;
        /// edits that a passage may have: none (its words are equal), light (a few words at a time are
        /// replaced, put in or left out) or heavy (words are replaced, reordered, translated or
        /// summarised throughout)
        pub edits: Edits = Edits::Light;
    }
}

/// How much the words of a passage may differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edits {
    /// Not at all: a passage is a run of equal words.
    None,
    /// A little: runs of equal words that follow each other closely are one passage.
    #[default]
    Light,
    /// Much: also stretches that have enough of their content words in common, in any order
    /// ([`edited`](super::edited)).
    Heavy,
}

/// Share of the shorter document that a passage must make up: a stock phrase that two books have
/// in common makes neither a copy of the other.
pub const PASSAGE_SHARE: f64 = 0.01;

/// Words of the shortest passage that counts beside others. Shorter agreements are phrases.
pub const LEAST_COUNTED: u32 = 8;

/// What two documents have in common in passages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Equal words of the longest passage.
    pub longest_words: u32,
    /// Equal words of all passages of at least [`LEAST_COUNTED`] words.
    pub all_words: u32,
}

impl Shared {
    /// No passage.
    pub const NOTHING: Self = Self { longest_words: 0, all_words: 0 };

    /// Counts the words of passages, given the equal words of each.
    pub fn of_passages(words: impl Iterator<Item = u32>) -> Self {
        words.fold(Self::NOTHING, Self::with)
    }

    /// Returns what is in common with one passage more.
    #[must_use]
    pub fn with(self, words: u32) -> Self {
        Self {
            longest_words: self.longest_words.max(words),
            all_words: self.all_words + if words >= LEAST_COUNTED { words } else { 0 },
        }
    }
}

impl Default for Rule {
    fn default() -> Self {
        Self::defaults(Profile::Retold)
    }
}

/// Words of a passage that no document has.
const NO_PASSAGE: u32 = 1 << 28;

impl Rule {
    /// Returns the rule with thresholds that a wanted similarity implies: documents that have so much
    /// in common contain each other to that share, and passages do not count.
    #[must_use]
    pub(crate) fn settled(self) -> Self {
        if self.similarity > 0.0 {
            Self { containment: self.similarity, passage_words: NO_PASSAGE, ..self }
        } else {
            self
        }
    }

    /// Returns the kind of relation, seen from `a`, or `None` if there is none.
    ///
    /// Equal word sequences are [`Kind::Exact`]; that is for the caller to know, since equal sets
    /// of shingles do not prove it.
    pub fn decide(self, scores: Scores, shared: Shared, shorter_words: usize) -> Option<Kind> {
        if self.similarity > 0.0 {
            return (scores.resemblance.get() >= self.similarity).then_some(Kind::NearDuplicate);
        }
        let is_in = |share: f64| share >= self.containment;
        match (is_in(scores.a_in_b.get()), is_in(scores.b_in_a.get())) {
            (true, true) => Some(Kind::NearDuplicate),
            (true, false) => Some(Kind::Contained),
            (false, true) => Some(Kind::Contains),
            (false, false) => self.is_partial(shared, shorter_words).then_some(Kind::Partial),
        }
    }

    /// Returns whether passages make a partial copy of a document and one of at least as many words:
    /// the longest of them alone, or all together.
    pub fn is_partial(self, shared: Shared, shorter_words: usize) -> bool {
        let is_enough = |n_words: u32, share: f64| {
            n_words >= self.passage_words && f64::from(n_words) >= share * shorter_words as f64
        };
        let Shared { longest_words, all_words } = shared;
        is_enough(longest_words, PASSAGE_SHARE) || is_enough(all_words, self.shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_follows_from_which_side_is_covered() {
        let rule = Rule::default();
        let kind = |n_a, n_b, n_common, passage| {
            let shared = Shared::of_passages([passage].into_iter());
            rule.decide(Scores::of_sets(n_a, n_b, n_common), shared, n_a.min(n_b))
        };
        assert_eq!(kind(10, 10, 6, 0), Some(Kind::NearDuplicate));
        assert_eq!(kind(10, 100, 6, 0), Some(Kind::Contained));
        assert_eq!(kind(100, 10, 6, 0), Some(Kind::Contains));
        assert_eq!(kind(100, 100, 59, 40), Some(Kind::Partial));
        assert_eq!(kind(100, 100, 59, 39), None);
        assert_eq!(kind(5000, 9000, 100, 49), None, "too little of both");
        assert_eq!(kind(5000, 9000, 100, 50), Some(Kind::Partial));
    }

    #[test]
    fn short_passages_count_together_if_they_are_much_of_the_shorter_document() {
        let rule = Rule::default();
        let kind = |n_words, passages: &[u32]| {
            let shared = Shared::of_passages(passages.iter().copied());
            rule.decide(Scores::of_sets(n_words, 2 * n_words, 1), shared, n_words)
        };
        assert_eq!(kind(200, &[20, 20]), Some(Kind::Partial));
        assert_eq!(kind(200, &[20, 19]), None, "too few words");
        assert_eq!(kind(201, &[20, 20]), None, "too little of the shorter document");
        assert_eq!(kind(201, &[20, 14, 7]), None, "a phrase does not count");
        assert_eq!(kind(201, &[20, 14, 8]), Some(Kind::Partial));
    }

    #[test]
    fn with_a_wanted_similarity_only_near_duplicates_count() {
        let rule = Rule { similarity: 0.8, ..Rule::default() }.settled();
        let kind = |n_a, n_b, n_common| {
            let shared = Shared { longest_words: 1_000_000, all_words: 1_000_000 };
            rule.decide(Scores::of_sets(n_a, n_b, n_common), shared, n_a.min(n_b))
        };
        assert_eq!(kind(100, 100, 89), Some(Kind::NearDuplicate));
        assert_eq!(kind(100, 100, 88), None, "88 of 112");
        assert_eq!(kind(10, 100, 10), None);
    }

    #[test]
    fn thresholds_outside_their_range_are_refused_by_name() {
        let error = Rule { containment: 1.8, ..Rule::default() }.check().expect_err("too large");
        assert_eq!(error.to_string(), "containment must be above 0 and at most 1, got 1.8");
    }
}
