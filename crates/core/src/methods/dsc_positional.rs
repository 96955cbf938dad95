//! DSC by position: every third run of four words, as the CoDet paper compared it.
//!
//! # What it finds
//! Containments and near-duplicates, as long as nothing moves: one word more in front of a copy and
//! the two documents keep different runs. In the CoDet paper it came out last, with an F1 of 0.30.
//! The product's setting repairs this by asking with all runs.
//! # How it works
//! Of the runs of `k` words the first, the fourth, the seventh and so on are kept. A document is
//! contained in another if at least `threshold` of its kept runs are found there, counted in
//! inverted lists ([`overlap`](crate::candidates::overlap)). With `asks` = all they are looked up
//! among all runs of the other.
//! # Parameters
//! `k` = 4 words, `every` = 3 positions, `threshold` = 0.6, `asks` = kept: the other's kept runs. The
//! product's setting has `k` = 5, `asks` = all, `threshold` = 0.4, since a third of the runs is a
//! sample, and `partial_from` = 7 kept runs in common for a partial copy.
//! # Cost
//! A third of the runs; with `asks` = all the lists hold the others too.
//! # Where we differ from the papers
//! "Every three overlapping substrings of size four" is read as runs of four words, every third by
//! position; the low F1 supports it. "60 %" is taken as at least 0.60. Runs are 64-bit hashes.
//! `dsc` is the method as its authors published it.
//! # Reference
//! Varol, Can, Aykanat, Kaya: CoDet, CIKM 2011, as DSC.

use super::overlaps::{self, Asks};
use super::{Method, Profile, Spec, text};
use crate::candidates::overlap::{Decision, Limits, Overlap, ShareOf};
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::features::{Places, TextSettings};
use crate::image::feature_set::FeatureSet;
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "dsc-positional",
    title: "every third run of four words (DSC as compared with CoDet)",
    finds: &Kind::ALL,
    approximate: Some(
        "kept runs are a sample by position: with `asks` = kept a shift by one word hides \
         everything, with `asks` = all shares are estimates.",
    ),
    ..Spec::of::<DscPositional>(include_str!("dsc_positional.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words in a run
        k: usize = 5, paper 4, in 1..=64;
        /// positions from one kept run to the next
        every: usize = 3, in 1..=1024;
        /// the runs of the other that are looked at
        asks: Asks = Asks::All, paper Asks::Kept;
        /// share of kept runs found
        threshold: f64 = 0.4, paper 0.6, in SHARE, permissive down to 0.3;
        /// common features from which documents below the threshold count as partial copies, 0 for
        /// never
        partial_from: usize = 7, paper 0, in 0..=u32::MAX as usize;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct DscPositional {
    config: Config,
    runs: Shingles,
}

impl Method for DscPositional {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Overlap;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn text(profile: Profile) -> TextSettings {
        text::as_in_codet(profile)
    }

    fn new(config: Config, _: u64) -> Self {
        let runs = Shingles::new(config.k);
        Self { config, runs }
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let runs = self.runs.of(&reading.words.hashes);
        let Config { every, asks, .. } = self.config;
        (!runs.is_empty()).then(|| asks.image(runs, every).uncounted())
    }

    fn meeting(&self, rule: Rule) -> Overlap {
        let Config { threshold, partial_from, every, limits, .. } = self.config;
        let decision = Decision::containment(threshold)
            .share_of(ShareOf::Stored)
            .partial_from(overlaps::partial_from(partial_from, rule, every));
        Overlap::new(decision, limits)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::trial::{Pair, Trial};
    use super::*;

    const A: &str = "w1 w2 w3 w4 w5 w6 w7 w8 w9 w10";

    /// Returns the pair of `A` and the same with words in front.
    fn pair(name: &str, profile: Profile, given: &[(&str, Value)], front: &str) -> Option<Pair> {
        let shifted = format!("{front} {A}");
        let pairs = Trial::new(name, profile, given, &[A, &shifted]).pairs();
        pairs.first().copied()
    }

    #[test]
    fn one_word_in_front_hides_a_copy_and_three_do_not() {
        // T-DSC: kept at 0, 3 and 6; one word in front shares 0 of 3, three words in front 3 of 3.
        let found = |front: &str| {
            pair("dsc-positional", Profile::Paper, &[("threshold", json!(0.01))], front)
        };
        assert!(found("v1").is_none());
        let shares = found("v1 v2 v3").expect("a pair").scores;
        assert!((shares.a_in_b.get() - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn all_runs_find_the_shifted_copy() {
        // FFP keeps all runs and finds 7 of 7; so does asking with all runs.
        for (name, profile) in [("ffp", Profile::Paper), ("dsc-positional", Profile::Retold)] {
            let found = pair(name, profile, &[], "v1").expect("a pair");
            assert_eq!(found.kind, Kind::NearDuplicate, "{name}");
            assert!((found.scores.a_in_b.get() - 1.0).abs() < f64::EPSILON, "{name}");
        }
    }
}
