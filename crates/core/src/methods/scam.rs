//! SCAM: how much of a document's words another has about as often.
//!
//! # What it finds
//! Containment in both directions by words: a document that is a subset of another, and
//! near-duplicates. Order of words does not count.
//! # How it works
//! The relative frequency model: a word counts only if both documents have it about equally
//! often, that is ε - (F(d₁)/F(d₂) + F(d₂)/F(d₁)) > 0 for its frequencies F. These words are the
//! closeness set c, and subset(d₁, d₂) = Σ α²F(d₁)F(d₂) over c,
//! divided by Σ α²F(d₁)² over all words of d₁. A document whose subset
//! value reaches `threshold` is contained in the other; the resemblance reported is the larger of
//! the two values, cut at 1, as are the values themselves. Bags of words
//! ([`bag`](crate::image::bag)) meet in words ([`weighted`](crate::candidates::weighted)) and are
//! compared only if they share a word that matters to one of them.
//! # Parameters
//! `epsilon` = 2.5: one frequency may be up to twice the other, exclusively. `threshold` = 0.6.
//! `alpha` = `idf` weighs words by rarity, as profile `paper` does not (`one`); `idf` = `smooth`
//! is ln(1 + N/n) for a word that n of the N documents hold, `plain` ln(N/n). `stop` = 1000
//! documents that one word answers with, `most_reads` = 200,000 list entries and `most_partners` =
//! 1000 scored documents in one search; profile `paper` knows no limits.
//! # Cost
//! Without limits the cost grows with the square of the collection: with α = 1 the commonest
//! words weigh most, and all documents share them. With the limits of profile `retold` it is
//! linear.
//! # Where we differ from the papers
//! A subset value can exceed 1, for a frequency against a larger one; it is cut there. A ratio at
//! the limit is not close: `abc` and `aabbcc` have 2 + ½ = 2.5 and so nothing in common, while
//! their cosine is 1. The value of ε is the one usually cited; the threshold is ours.
//! # Reference
//! Shivakumar, Garcia-Molina: SCAM: a copy detection mechanism for digital documents, DL 1995;
//! described as related work in Uyar, thesis, 2009.

use std::ops::Bound;

use serde::{Deserialize, Serialize};

use super::{Method, Recall, Skip, Spec};
use crate::candidates::Judgement;
use crate::candidates::weighted::{Limits, Measure, Reach, Weighted};
use crate::features::Places;
use crate::features::reading::Reading;
use crate::image::bag::{Bag, Mass, Prefix, largest_ratio};
use crate::image::terms::Idf;
use crate::parameters::{SHARE, parameters};
use crate::relation::{Kind, Score, Scores};
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "scam",
    title: "words that both have about as often (SCAM)",
    finds: &[Kind::Exact, Kind::NearDuplicate, Kind::Contains, Kind::Contained],
    approximate: Some(
        "candidates: where a limit of work is reached, pairs are left out and counted; profile \
         paper has no limits.",
    ),
    is_quadratic: true,
    recall: Recall { percent: 75, why: "a passage is too small a part" },
    skips: &[
        Skip::cases(
            &["one word five hundred times against two hundred times"],
            "the frequencies of the one word lie further apart than epsilon allows",
        ),
        Skip::cases(
            &["a note with two changed words inside an article"],
            "two changed words in a short note leave too few words of like frequency",
        ),
        Skip::cases(
            &[
                "a passage just long enough",
                "one paragraph in two unlike turkish articles",
                "two paragraphs taken over in the opposite order",
            ],
            "compares whole vocabularies; one common passage is too little of them",
        ),
    ],
    ..Spec::of::<Scam>(include_str!("scam.rs"))
};

/// What a word weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Alpha {
    One,
    Idf,
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// how far frequencies may differ
        epsilon: f64 = 2.5, in (Bound::Excluded(2.0), Bound::Included(1000.0));
        /// subset value that makes a containment
        threshold: f64 = 0.6, in SHARE, permissive down to 0.3;
        /// weight of a word
        alpha: Alpha = Alpha::Idf, paper Alpha::One;
        /// plain, ln(N/n), or smooth, ln(1 + N/n)
        idf: Idf = Idf::Smooth, paper Idf::Plain;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct Scam {
    config: Config,
}

impl Method for Scam {
    type Config = Config;
    type Image = Bag;
    type Meeting = Weighted<Subsets>;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn new(config: Config, _: u64) -> Self {
        Self { config }
    }

    fn needs_counts(&self) -> bool {
        true // With α = 1 too: rare words are looked up first.
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Bag> {
        let counts = reading.counts();
        let Config { epsilon, threshold, alpha, idf, .. } = self.config;
        // α cancels out of the ratios of frequencies, so it can be part of the weights.
        let weight = |n: u32, df: u32| match alpha {
            Alpha::One => f64::from(n),
            Alpha::Idf => f64::from(n) * idf.weight(counts, df),
        };
        // A close word adds at most the largest ratio times the square of its own weight.
        let prefix = Prefix::of_share(threshold / largest_ratio(epsilon));
        let words = reading.words.hashes.clone();
        Bag::count(words, Mass::Square, prefix, |hash| counts.df(hash), weight)
    }

    fn meeting(&self, _: Rule) -> Weighted<Subsets> {
        let Config { epsilon, threshold, limits, .. } = self.config;
        Weighted::new(Subsets { epsilon, threshold }, limits)
    }
}

/// The measure: one document a subset of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subsets {
    epsilon: f64,
    threshold: f64,
}

impl Measure for Subsets {
    type Image = Bag;

    fn bag<'a>(&self, bag: &'a Bag) -> &'a Bag {
        bag
    }

    fn reach(&self) -> Reach {
        Reach::OneSided
    }

    fn judge(&self, a: &Bag, b: &Bag) -> Option<Judgement> {
        let (a_in_b, b_in_a) = a.subsets(b, self.epsilon, self.threshold)?;
        let kind = Kind::of(a_in_b >= self.threshold, b_in_a >= self.threshold)?;
        let score = |value: f64| Score::new(value.min(1.0)).expect("it is cut at 1");
        let resemblance = score(a_in_b.max(b_in_a));
        let scores = Scores { resemblance, a_in_b: score(a_in_b), b_in_a: score(b_in_a) };
        Some(Judgement { kind, scores })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::trial::{Pair, Trial, copies};
    use super::*;
    use crate::methods::Profile;

    fn pairs(threshold: f64, texts: &[&str]) -> Vec<Pair> {
        Trial::new("scam", Profile::Paper, &[("threshold", json!(threshold))], texts).pairs()
    }

    #[test]
    fn texts_relate_as_in_the_specification() {
        // T-SCAM: subset values of the second text in the first and of the first in the second,
        // both cut at 1, with a threshold that lets all of them through.
        for (first, second, second_in_first, first_in_second, resemblance) in [
            ("a b c", "a b", 1.0, 0.666_667, 1.0),
            ("a a b b c d", "a a b", 0.8, 0.4, 0.8),
            ("a b c c", "a b c c c", 0.727_273, 1.0, 1.0),
        ] {
            let related = pairs(0.01, &[first, second]);
            assert_eq!(related.len(), 1, "{first} / {second}");
            let scores = related[0].scores;
            for (score, expected) in [
                (scores.b_in_a, second_in_first),
                (scores.a_in_b, first_in_second),
                (scores.resemblance, resemblance),
            ] {
                assert!((score.get() - expected).abs() < 5e-7, "{first} / {second}: {scores:?}");
            }
        }
        assert!(pairs(0.01, &["a b c", "a a b b c c"]).is_empty(), "2 + 1/2 is not below 2.5");
    }

    #[test]
    fn the_smaller_text_is_contained_in_the_larger() {
        let both = ["a b c d", "a b"];
        assert_eq!(pairs(0.6, &both)[0].kind, Kind::Contains);
        assert_eq!(pairs(0.5, &both)[0].kind, Kind::NearDuplicate);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn lists_find_what_comparing_all_pairs_finds(
            seed in any::<u64>(),
            threshold in 0.1f64..1.0,
            epsilon in 2.1f64..6.0,
        ) {
            let mut collection = copies(12, 24, seed);
            // Parts of texts, for containment.
            let part = |text: &String| text.split(' ').take(9).collect::<Vec<_>>().join(" ");
            collection.extend(collection.clone().iter().map(part));
            let given = [("threshold", json!(threshold)), ("epsilon", json!(epsilon))];
            let trial = Trial::new("scam", Profile::Paper, &given, &collection);
            let expected = trial.compared(|a: &Bag, b| a.subsets(b, epsilon, threshold).is_some());
            prop_assert_eq!(trial.numbers(), expected);
        }
    }
}
