//! SG: runs of six words of which every third or sixth is indexed; Full-FP indexes all of them.
//!
//! # What it finds
//! Documents that share word runs with a query document, best first: near-duplicates, containments
//! and partial copies.
//! # How it works
//! Of the runs of `k` words every so many, by position, goes to the index; a document asks with all
//! its runs, so a shift does not matter. Candidates are all documents with a run in common. The
//! score of a document is the weighted share of the query's distinct runs that it holds:
//! score(d) = Σ bᵢ·idfᵢ / Σ idfᵢ with idfᵢ = ln(|D| / max(dfᵢ, 1)), formula 3 of the paper
//! as reconstructed ([`overlap`](crate::candidates::overlap)). Weights come from the statistics of
//! the collection, or from a table; runs that nobody holds count in the denominator with their full
//! weight; ties go by the order of documents.
//! # Parameters
//! `k` = 6 words (the mean length of a sentence in the paper's collection is 5.74), `every` = 3 and
//! `asks` = all is SG-63; `every` = 6 is SG-66; `asks` = kept is SG-63-Sym; `every` = 1 is Full-FP.
//! `measure` = score ranks as above with `weights` = idf or `uniform` and `repeats` = `once`, or
//! `kept`, which counts a run as often as the query has it; documents with at least one run
//! in common (`partial_from` = 1) are reported as partial copies, as containments if the score is
//! at least `threshold` = 0.6, divided by `every` where all runs ask, because a document that stands
//! whole in another finds only that part of its runs there. The product's setting has `k` = 5 and
//! `measure` = share, the share of a document's indexed runs found among all of the other, from 0.4
//! on or with `partial_from` = 7, and aligns what it finds.
//! # Cost
//! 1 / `every` of the runs is indexed.
//! # Where we differ from the papers
//! Runs are 64-bit hashes instead of SHA-1 values: they are only compared. That runs are sampled by
//! position follows from the query side being different. A collection compared with itself looks at
//! each pair once, in both directions, so the lists also hold the runs that are only asked with. A
//! stream takes its weights from a table.
//! # Reference
//! Wang, Chang: Exploiting sentence-level features for near-duplicate document detection, AIRS
//! 2009, as Full-FP, SG-63, SG-66 and SG-63-Sym.

use serde::{Deserialize, Serialize};

use super::overlaps::{self, Asks};
use super::{Form, Method, Spec};
use crate::candidates::overlap::{Decision, Limits, Overlap, ShareOf, Weights};
use crate::features::Places;
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::image::feature_set::{FeatureSet, Repeats};
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "sg",
    title: "every third run of six words, ranked (SG)",
    finds: &Kind::ALL,
    approximate: Some(
        "only every so many runs of a document are indexed: a common passage shorter than `every` \
         runs may be missed, and shares are estimates.",
    ),
    forms: &[
        Form {
            name: "sg-63",
            about: "every third run of six words is indexed, all ask",
            parameters: &[("k", "6"), ("every", "3"), ("asks", "\"all\"")],
        },
        Form {
            name: "sg-66",
            about: "every sixth run of six words is indexed, all ask",
            parameters: &[("k", "6"), ("every", "6"), ("asks", "\"all\"")],
        },
        Form {
            name: "sg-63-sym",
            about: "every third run of six words is indexed and asks",
            parameters: &[("k", "6"), ("every", "3"), ("asks", "\"kept\"")],
        },
        Form {
            name: "full-fp",
            about: "all runs of six words are indexed and ask",
            parameters: &[("k", "6"), ("every", "1"), ("asks", "\"all\"")],
        },
    ],
    ..Spec::of::<Sg>(include_str!("sg.rs"))
};

/// What is compared with the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Measure {
    /// The weighted share of the asked runs.
    Score,
    /// The share of the indexed runs found among those the other asks with.
    Share,
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words in a run
        k: usize = 5, paper 6, in 1..=64;
        /// positions from one indexed run to the next
        every: usize = 3, in 1..=1024;
        /// the runs a document looks others up with
        asks: Asks = Asks::All;
        /// score (weighted, of the asked runs) or share
        measure: Measure = Measure::Share, paper Measure::Score;
        /// what a run weighs in a score
        weights: Weights = Weights::Idf;
        /// how often a repeated run of a document counts in its score
        repeats: Repeats = Repeats::Once;
        /// what the measure must reach
        threshold: f64 = 0.4, paper 0.6, in SHARE, permissive down to 0.3;
        /// common features from which documents below the threshold count as partial copies, 0 for
        /// never
        partial_from: usize = 7, paper 1, in 0..=u32::MAX as usize;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct Sg {
    config: Config,
    runs: Shingles,
}

impl Method for Sg {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Overlap;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn new(config: Config, _: u64) -> Self {
        let runs = Shingles::new(config.k);
        Self { config, runs }
    }

    fn needs_counts(&self) -> bool {
        self.config.measure == Measure::Score && self.config.weights == Weights::Idf
    }

    fn counts_words(&self) -> bool {
        false
    }

    fn count(&self, reading: &Reading<'_>, each: &mut dyn FnMut(u64)) {
        let runs = self.runs.of(&reading.words.hashes);
        self.config.asks.image(runs, self.config.every).each_stored(each);
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let runs = self.runs.of(&reading.words.hashes);
        let Config { every, asks, measure, repeats, .. } = self.config;
        (!runs.is_empty()).then(|| match measure {
            Measure::Score => {
                let set = asks.image(runs, every).with_repeats(repeats);
                overlaps::weighed(set, self.needs_counts(), reading)
            }
            Measure::Share => asks.image(runs, every).uncounted(),
        })
    }

    fn meeting(&self, rule: Rule) -> Overlap {
        let Config { every, asks, measure, weights, threshold, partial_from, limits, .. } =
            self.config;
        let decision = match (measure, asks) {
            (Measure::Share, _) => Decision::containment(threshold).share_of(ShareOf::Stored),
            (Measure::Score, Asks::Kept) => Decision::score(threshold, weights),
            (Measure::Score, Asks::All) => Decision::score(threshold / every as f64, weights),
        };
        let partial_from = overlaps::partial_from(partial_from, rule, every);
        Overlap::new(decision.partial_from(partial_from), limits)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::{Trial, numbered};
    use super::*;
    use crate::methods::Profile;

    #[test]
    fn a_shift_matters_only_where_both_sides_keep_a_third() {
        // Of 300 runs one side indexes 100; the copy starts one word later.
        let texts = [numbered(0..305), numbered(1..305)];
        let scores = |form: &str| {
            let given = [("weights", json!("uniform"))];
            let pair = Trial::new(form, Profile::Paper, &given, &texts).pairs().pop()?;
            Some((pair.kind, pair.scores.a_in_b.get(), pair.scores.b_in_a.get()))
        };
        // a asks with 300 runs; b indexed 100 of its 299, all of them in a.
        let (kind, a_in_b, b_in_a) = scores("sg-63").expect("a pair");
        assert_eq!(kind, Kind::NearDuplicate);
        assert!((a_in_b - 100.0 / 300.0).abs() < 1e-9 && (b_in_a - 99.0 / 299.0).abs() < 1e-9);
        assert_eq!(scores("sg-63-sym"), None);
        assert_eq!(scores("full-fp").map(|pair| pair.0), Some(Kind::NearDuplicate));
        let (_, a_in_b, _) = scores("sg-66").expect("a pair");
        assert!((a_in_b - 50.0 / 300.0).abs() < 1e-9);
    }

    #[test]
    fn a_run_that_the_query_repeats_counts_once_unless_repeats_are_kept() {
        // The second text has the six words of the first three times, with others between them.
        let (six, others) = (numbered(0..6), [numbered(20..26), numbered(30..36)]);
        let texts = [six.clone(), format!("{six}{}{six}{}{six}", others[0], others[1])];
        let share = |repeats: &str| {
            let given = [("weights", json!("uniform")), ("repeats", json!(repeats))];
            Trial::new("full-fp", Profile::Paper, &given, &texts).pairs()[0].scores.b_in_a.get()
        };
        // It has 25 runs, of which 23 are different.
        assert!((share("once") - 1.0 / 23.0).abs() < 1e-9, "{}", share("once"));
        assert!((share("kept") - 3.0 / 25.0).abs() < 1e-9, "{}", share("kept"));
    }

    #[test]
    fn one_common_run_makes_a_valid_result() {
        let texts = [numbered(0..300), numbered(1000..1300) + &numbered(100..110)];
        let kinds = |profile| Trial::new("sg-63", profile, &[], &texts).kinds();
        assert_eq!(kinds(Profile::Paper), [(0, 1, Kind::Partial)]);
        assert_eq!(kinds(Profile::Retold), []);
    }

    #[test]
    fn rare_runs_weigh_more_and_unseen_ones_weigh_in_full() {
        // Three documents share the first runs, two of them the next; idf ln(4/3) and ln 2.
        let texts = [
            numbered(0..6),
            numbered(0..6) + &numbered(20..26),
            numbered(20..26) + "end",
            numbered(50..60),
        ];
        let given = [("every", json!(1))];
        let found = Trial::new("sg", Profile::Paper, &given, &texts).pairs();
        let scores = found.iter().find(|x| (x.a, x.b) == (0, 1)).expect("a pair").scores;
        // Document 0 has one run, which documents 0 and 1 hold: it is found whole.
        assert!((scores.a_in_b.get() - 1.0).abs() < 1e-9);
        // Document 1 has seven runs: that one and w20…w25 are held by two of four documents, the
        // five between them by itself alone.
        let (two, one) = (2f64.ln(), 4f64.ln());
        let expected = two / (2.0 * two + 5.0 * one);
        assert!((scores.b_in_a.get() - expected).abs() < 1e-8, "{}", scores.b_in_a);
    }
}
