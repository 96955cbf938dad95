//! Cosine: documents as vectors of word weights, compared by their angle.
//!
//! # What it finds
//! Near-duplicates: documents that use the same words in the same proportion. Order does not
//! count, and neither does length: a document written out twice is equal to itself.
//! # How it works
//! Words are weighed by how often they come, and with `weights` = `tf-idf` by how rare they are
//! in the collection ([`bag`](crate::image::bag)). The cosine d₁·d₂ / (‖d₁‖ ‖d₂‖) is computed for
//! pairs that share a word among the rare ones that make the difference
//! ([`weighted`](crate::candidates::weighted)), and given up as soon as what is left cannot reach
//! `threshold`.
//! # Parameters
//! `threshold` = 0.6 and `weights` = `tf-idf`; in profile `paper` 0.8 and `tf`. `idf` = `smooth`
//! weighs a word by ln(1 + N/n), where n of the N documents hold it, and `plain`, the value of
//! profile `paper`, by ln(N/n). `stop` = 1000 documents that one word answers with, `most_reads` =
//! 200,000 list entries and `most_partners` = 1000 scored documents in one search; profile `paper`
//! knows no limits. Forms: `cosine-tf`, `cosine-tfidf`.
//! # Cost
//! By definition every pair has an angle, and without limits the cost grows with the square of
//! the collection as soon as many documents share words that weigh much. With the limits of
//! profile `retold` it is linear.
//! # Where we differ from the papers
//! The result without limits is that of comparing all pairs; only those that cannot reach the
//! threshold are skipped. The measure is named there without threshold or weights; both defaults
//! are ours. With `plain` idf a word that all documents hold has no weight, and a document of
//! such words only has no direction and is not compared.
//! # Reference
//! Salton: The SMART retrieval system, 1971; Bayardo, Ma, Srikant: Scaling up all pairs
//! similarity search, WWW 2007 (the bounds); described as related work in Uyar, thesis, 2009.

use serde::{Deserialize, Serialize};

use super::{Form, Method, Recall, Skip, Spec};
use crate::candidates::Judgement;
use crate::candidates::weighted::{Limits, Measure, Reach, Weighted};
use crate::features::Places;
use crate::features::reading::Reading;
use crate::image::bag::{Bag, Mass, Prefix};
use crate::image::terms::Idf;
use crate::parameters::{SHARE, parameters};
use crate::relation::{Kind, Score, Scores};
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "cosine",
    title: "angle between vectors of word weights",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some(
        "candidates: where a limit of work is reached, pairs are left out and counted; profile \
         paper has no limits.",
    ),
    is_quadratic: true,
    forms: &[
        Form {
            name: "cosine-tf",
            about: "cosine of word frequencies",
            parameters: &[("weights", "\"tf\"")],
        },
        Form {
            name: "cosine-tfidf",
            about: "cosine of word frequencies times inverse document frequencies",
            parameters: &[("weights", "\"tf-idf\"")],
        },
    ],
    recall: Recall { percent: 70, why: "by similarity of whole documents" },
    skips: &[Skip::kinds(
        &[Kind::Contains, Kind::Contained, Kind::Partial],
        "the angle is over all words of both; a small part turns it far",
    )],
    ..Spec::of::<Cosine>(include_str!("cosine.rs"))
};

/// What a word weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Weights {
    Tf,
    TfIdf,
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// cosine from which documents match
        threshold: f64 = 0.6, paper 0.8, in SHARE, permissive down to 0.6;
        /// weight of a word
        weights: Weights = Weights::TfIdf, paper Weights::Tf;
        /// plain, ln(N/n), or smooth, ln(1 + N/n)
        idf: Idf = Idf::Smooth, paper Idf::Plain;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct Cosine {
    config: Config,
}

impl Method for Cosine {
    type Config = Config;
    type Image = Bag;
    type Meeting = Weighted<AtLeast>;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn new(config: Config, _: u64) -> Self {
        Self { config }
    }

    fn needs_counts(&self) -> bool {
        true // For plain tf too: rare words are looked up first.
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Bag> {
        let counts = reading.counts();
        let Config { threshold, weights, idf, .. } = self.config;
        let weight = |n: u32, df: u32| match weights {
            Weights::Tf => f64::from(n),
            Weights::TfIdf => f64::from(n) * idf.weight(counts, df),
        };
        let prefix = Prefix::of_cosine(threshold);
        let words = reading.words.hashes.clone();
        Bag::count(words, Mass::Square, prefix, |hash| counts.df(hash), weight)
    }

    fn meeting(&self, _: Rule) -> Weighted<AtLeast> {
        Weighted::new(AtLeast(self.config.threshold), self.config.limits)
    }
}

/// The measure: a cosine of at least this much.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtLeast(f64);

impl Measure for AtLeast {
    type Image = Bag;

    fn bag<'a>(&self, bag: &'a Bag) -> &'a Bag {
        bag
    }

    fn reach(&self) -> Reach {
        Reach::Mutual
    }

    fn judge(&self, a: &Bag, b: &Bag) -> Option<Judgement> {
        let cosine = Score::new(a.cosine(b, self.0)?).expect("it is cut at 1");
        let scores = Scores { resemblance: cosine, a_in_b: cosine, b_in_a: cosine };
        Some(Judgement { kind: Kind::NearDuplicate, scores })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::trial::{Trial, copies};
    use super::*;
    use crate::methods::Profile;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn lists_find_what_comparing_all_pairs_finds(
            seed in any::<u64>(),
            threshold in 0.1f64..1.0,
            weights in prop::sample::select(vec!["tf", "tf-idf"]),
        ) {
            let given = [("threshold", json!(threshold)), ("weights", json!(weights))];
            let trial = Trial::new("cosine", Profile::Paper, &given, &copies(12, 20, seed));
            let expected = trial.compared(|a: &Bag, b| a.cosine(b, threshold).is_some());
            prop_assert_eq!(trial.numbers(), expected);
        }
    }

    #[test]
    fn a_text_written_out_twice_has_the_same_direction() {
        // T-SCAM, the cosine of its second row.
        let both = ["a b c", "a a b b c c"];
        let pairs =
            Trial::new("cosine", Profile::Paper, &[("threshold", json!(1.0))], &both).pairs();
        assert_eq!(pairs.len(), 1);
        assert_eq!(pairs[0].scores, Scores::EQUAL);
    }

    #[test]
    fn words_that_all_documents_hold_weigh_nothing_unless_smoothed() {
        let both = ["ferry island storm", "ferry island repairs"];
        let image = |idf: &str| {
            let given = [("weights", json!("tf-idf")), ("idf", json!(idf))];
            Trial::new("cosine", Profile::Paper, &given, &both).image::<Bag>("ferry island")
        };
        assert!(image("plain").is_none());
        assert!(image("smooth").is_some());
    }
}
