//! Winnowing: local fingerprints that guarantee to meet in every long enough common passage.
//!
//! # What it finds
//! Documents that share passages, in whole or in part: any passage of at least `window` + `k` - 1
//! units is found, none shorter than `k` is seen.
//! # How it works
//! Every run of `k` units is hashed and of every `window` hashes in a row the smallest is kept, the
//! rightmost among equals ([`winnow`](crate::image::winnow)). Kept hashes are looked up in inverted
//! lists ([`overlap`](crate::candidates::overlap)).
//! # Parameters
//! In the paper setting `unit` = solid: characters in lower case without white space and
//! punctuation; `k` = 50, the noise threshold, and `window` = 100, as in the paper's experiment on
//! web pages; one common fingerprint (`partial_from` = 1) is reported as a partial copy, and from
//! `threshold` = 0.6 of a document's fingerprints on as a containment. The last is ours: the paper
//! reports matches, not relations. The product's setting counts words, `k` = 5 and `window` = 4, so
//! that 8 equal words in a row are never missed; it asks for 0.3 of the fingerprints or
//! `partial_from` = 5 and aligns what it finds.
//! # Cost
//! One pass; about 2 / (`window` + 1) of the hashes are kept.
//! # Where we differ from the papers
//! Positions are not kept with the fingerprints: passages are found on the documents. A document of
//! less than a window keeps its smallest hash. Hashes have 64 bits, spread after rolling.
//! # Reference
//! Schleimer, Wilkerson, Aiken: Winnowing: local algorithms for document fingerprinting, SIGMOD
//! 2003, section 3.

use super::overlaps;
use super::{Method, Spec};
use crate::candidates::overlap::{Decision, Limits, Overlap};
use crate::features::grams::{Grams, Short, Unit};
use crate::features::reading::Reading;
use crate::image::feature_set::FeatureSet;
use crate::image::winnow::{MOST_WINDOW, Winnow};
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "winnowing",
    title: "smallest hashes of windows of runs (winnowing)",
    finds: &Kind::ALL,
    approximate: Some(
        "passages of less than `window` + `k` - 1 units may be missed; shares of fingerprints are \
         estimates.",
    ),
    ..Spec::of::<Winnowing>(include_str!("winnowing.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words, or characters with one space between words (char) or none (solid)
        unit: Unit = Unit::Word, paper Unit::Solid;
        /// units in a run: shorter matches are noise
        k: usize = 5, paper 50, in 1..=1024;
        /// runs of which one at least is kept
        window: usize = 4, paper 100, in 1..=MOST_WINDOW;
        /// share of fingerprints found
        threshold: f64 = 0.3, paper 0.6, in SHARE, permissive down to 0.3;
        /// common features from which documents below the threshold count as partial copies, 0 for
        /// never
        partial_from: usize = 5, paper 1, in 0..=u32::MAX as usize;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct Winnowing {
    config: Config,
    grams: Grams,
}

impl Method for Winnowing {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Overlap;
    const SPEC: &'static Spec = &SPEC;

    fn new(config: Config, _: u64) -> Self {
        let grams = Grams::new(config.k, 1, config.unit, Short::None);
        Self { config, grams }
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let mut kept = Vec::new();
        let mut winnow = Winnow::new(self.config.window);
        for hash in self.grams.of(reading) {
            winnow.push(hash, |hash| kept.push(hash));
        }
        winnow.finish(|hash| kept.push(hash));
        (!kept.is_empty()).then(|| FeatureSet::new(kept))
    }

    fn meeting(&self, rule: Rule) -> Overlap {
        let Config { window, threshold, partial_from, limits, .. } = self.config;
        let partial_from = overlaps::partial_from(partial_from, rule, window);
        Overlap::new(Decision::containment(threshold).partial_from(partial_from), limits)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::{Trial, numbered};
    use super::*;
    use crate::methods::Profile;

    #[test]
    fn a_passage_of_the_guaranteed_length_is_always_found() {
        // 8 words in a row: window 4 and runs of 5.
        let given = [("partial_from", json!(1))];
        for at in 0..40 {
            let a = numbered(0..200);
            let b = numbered(1000..1000 + at) + &numbered(at..at + 8) + &numbered(2000..2100);
            let trial = Trial::new("winnowing", Profile::Retold, &given, &[a, b]);
            assert_eq!(trial.pairs().len(), 1, "at {at}");
        }
    }

    #[test]
    fn white_space_and_case_are_noise() {
        let a = numbered(0..300);
        let b = a.to_uppercase().replace(' ', " - ");
        let kinds = |b: &str| Trial::new("winnowing", Profile::Paper, &[], &[&a, b]).kinds();
        assert_eq!(kinds(&b), [(0, 1, Kind::NearDuplicate)]);
        let solid = format!("{} {}", a.replace(' ', ""), numbered(900..1200));
        assert_eq!(kinds(&solid), [(0, 1, Kind::Contained)]);
    }

    #[test]
    fn shorter_matches_than_the_noise_threshold_are_not_seen() {
        let texts = [numbered(0..300), numbered(1000..1300) + &numbered(5..12)];
        let given = [("window", json!(1)), ("k", json!(100))];
        assert!(Trial::new("winnowing", Profile::Paper, &given, &texts).pairs().is_empty());
    }
}
