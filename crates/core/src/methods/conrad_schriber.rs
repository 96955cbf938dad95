//! Conrad–Schriber: four fifths of the words in common and about the same length.
//!
//! # What it finds
//! Duplicates as librarians of a news archive defined them: documents that say the same in nearly
//! the same number of words, in any order.
//! # How it works
//! Two documents are duplicates iff at least `overlap` of their different words are common and
//! their lengths differ by at most `length`. Common words are counted in inverted lists, rare words
//! first ([`overlap`](crate::candidates::overlap)); a document with four fifths of the words must
//! have one of the rarest fifth.
//! # Parameters
//! `overlap` = 0.8, `length` = 0.2. `of` says whose words the overlap is a share of: those of the
//! `larger` vocabulary, so that it holds in both directions, of the `smaller`, or of `both` together.
//! `k` = 1 counts words; larger values count runs of words.
//! # Cost
//! 8 bytes for every different word of a document. Lists of common words are long but rarely read.
//! # Where we differ from the papers
//! The source says neither whose words the overlap is a share of nor whose length the difference:
//! here the larger vocabulary and the shorter document, so that 100 and 120 words still agree.
//! # Reference
//! Conrad, Schriber: Managing déjà vu: collection building for the identification of duplicate
//! documents, JASIST 2006; as described by Varol, Can, Aykanat, Kaya: CoDet, CIKM 2011.

use serde::{Deserialize, Serialize};

use super::{Method, Recall, Skip, Spec};
use crate::candidates::overlap::{By, Decision, Limits, Overlap};
use crate::features::Places;
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::image::feature_set::FeatureSet;
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "conrad-schriber",
    title: "80 % of the words in common, lengths within 20 %",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some(
        "documents whose common words all stand in more than `stop` documents are related to the \
         first of these only; without the limit nothing is missed.",
    ),
    recall: Recall { percent: 50, why: "documents of about the same length" },
    skips: &[
        Skip::kinds(
            &[Kind::Contains, Kind::Contained],
            "finds documents of about the same length, by definition",
        ),
        Skip::kinds(&[Kind::Partial], "four fifths of the words must be common, by definition"),
        Skip::cases(
            &["one sentence deleted", "one word five hundred times against two hundred times"],
            "lengths differ by more than a fifth",
        ),
    ],
    ..Spec::of::<ConradSchriber>(include_str!("conrad_schriber.rs"))
};

/// Whose features an overlap is a share of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Of {
    /// Of the larger set.
    Larger,
    /// Of the smaller set.
    Smaller,
    /// Of both together.
    Both,
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words in a feature
        k: usize = 1, in 1..=64;
        /// share of features in common
        overlap: f64 = 0.8, in SHARE, permissive down to 0.4;
        /// whose features the share is of
        of: Of = Of::Larger;
        /// difference of lengths over the shorter one
        length: f64 = 0.2, in 0.0.., permissive up to 0.5;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct ConradSchriber {
    config: Config,
    runs: Shingles,
}

impl Method for ConradSchriber {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Overlap;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn new(config: Config, _: u64) -> Self {
        let runs = Shingles::new(config.k);
        Self { config, runs }
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let words = &reading.words.hashes;
        let runs = self.runs.of(words);
        (!runs.is_empty()).then(|| FeatureSet::new(runs).with_length(words.len()))
    }

    fn meeting(&self, _: Rule) -> Overlap {
        let by = match self.config.of {
            Of::Larger => By::Mutual,
            Of::Smaller => By::Containment,
            Of::Both => By::Resemblance,
        };
        let decision = Decision::new(by, self.config.overlap).length_within(self.config.length);
        Overlap::new(decision, self.config.limits)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::{Trial, numbered};
    use super::*;
    use crate::methods::Profile;

    /// A text of `n` words, the different ones being those numbered by the range.
    fn text(numbers: std::ops::Range<u32>, n: usize) -> String {
        numbered(numbers.cycle().take(n))
    }

    #[test]
    fn overlap_and_length_decide_together() {
        // T-CS: overlap 0.80 and 100 against 120 words are duplicates, against 121 words not.
        let found = |n_words: usize, from: u32| {
            let texts = [text(0..10, 100), text(from..from + 10, n_words)];
            Trial::new("conrad-schriber", Profile::Paper, &[], &texts).kinds()
        };
        assert_eq!(found(120, 2), [(0, 1, Kind::NearDuplicate)]);
        assert!(found(121, 2).is_empty());
        assert!(found(100, 3).is_empty(), "seven of ten words");
    }

    #[test]
    fn whose_words_count_is_a_choice() {
        let texts = [text(0..8, 100), text(0..12, 100)];
        let kind = |of: &str| {
            let given = [("of", json!(of))];
            let trial = Trial::new("conrad-schriber", Profile::Paper, &given, &texts);
            trial.pairs().first().map(|pair| pair.kind)
        };
        assert_eq!(kind("smaller"), Some(Kind::Contained));
        assert_eq!((kind("larger"), kind("both")), (None, None));
    }
}
