//! Full fingerprinting (FFP): every run of words of every document.
//!
//! # What it finds
//! Containment in both directions and near-duplicates: the most effective of the methods compared
//! by the CoDet paper, with an F1 of 0.85.
//! # How it works
//! All runs of `k` words go to inverted lists without sampling
//! ([`overlap`](crate::candidates::overlap)); a document is contained in another if enough of its
//! runs are found there.
//! # Parameters
//! `k` = 4 words and `containment` = 0.6, as compared in the CoDet paper (60 % is taken as at
//! least 0.60). There words are cut to their first five letters and stop words left out. In the
//! product's setting documents that share `partial_from` = 21 runs are looked at for passages of
//! `passage_words` = 40.
//! # Cost
//! 28 bytes for every different run of every document, and not linear: a run shared by n documents
//! is read up to n times. That is why it is a yardstick and not the default.
//! # Where we differ from the papers
//! The prefix filter skips lists that cannot change the outcome; nothing else is skipped, so the
//! result is that of comparing all pairs by their runs. Runs are 64-bit hashes. In the product's
//! setting pairs are aligned on the documents, and partial copies and passages are added. The form
//! with runs of six words, ranked by weighted shares, is `full-fp`, a form of `sg`.
//! # Reference
//! Varol, Can, Aykanat, Kaya: CoDet, CIKM 2011, as FFP.

use super::overlaps;
use super::{Form, Method, Profile, Spec, text};
use crate::candidates::overlap::{Decision, Limits, Overlap};
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::features::{Places, TextSettings};
use crate::image::feature_set::FeatureSet;
use crate::parameters::parameters;
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "full-fingerprint",
    title: "all word runs in inverted lists (FFP)",
    finds: &Kind::ALL,
    forms: &[Form {
        name: "ffp",
        about: "runs of four words, 60 % of one document found in the other",
        parameters: &[("k", "4"), ("containment", "0.6")],
    }],
    decides_with: &["containment"],
    ..Spec::of::<FullFingerprint>(include_str!("full_fingerprint.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words in a run
        k: usize = 4, in 1..=64;
        // Passages may have small gaps: half of the runs of the shortest one are enough to look.
        /// common features from which documents below the threshold count as partial copies, 0 for
        /// never
        partial_from: usize = 21, paper 0, in 0..=u32::MAX as usize;
    }
}

/// The method.
pub(super) struct FullFingerprint {
    config: Config,
    shingles: Shingles,
}

impl Method for FullFingerprint {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Overlap;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn text(profile: Profile) -> TextSettings {
        text::as_in_codet(profile)
    }

    fn new(config: Config, _: u64) -> Self {
        let shingles = Shingles::new(config.k);
        Self { config, shingles }
    }

    fn shingles(&self) -> Shingles {
        self.shingles
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let runs = self.shingles.of(&reading.words.hashes);
        (!runs.is_empty()).then(|| FeatureSet::new(runs))
    }

    fn meeting(&self, rule: Rule) -> Overlap {
        let partial_from = overlaps::partial_from(self.config.partial_from, rule, 1);
        let decision = Decision::containment(rule.containment).partial_from(partial_from);
        Overlap::new(decision, Limits::NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, numbered};
    use super::*;

    #[test]
    fn at_least_sixty_percent_is_contained() {
        // 7 runs each; 4 common are 57 %. With 9 and 10 runs, 6 are common: 67 % and 60 %.
        let kinds = |a: &str, b: &str| Trial::new("ffp", Profile::Paper, &[], &[a, b]).kinds();
        assert_eq!(kinds(&numbered(0..10), &numbered(3..13)), []);
        assert_eq!(kinds(&numbered(0..12), &numbered(3..16)), [(0, 1, Kind::NearDuplicate)]);
        assert_eq!(kinds(&numbered(0..12), &numbered(3..17)), [(0, 1, Kind::Contained)]);
    }

    #[test]
    fn permissive_settings_find_all_that_selective_ones_find() {
        let texts = |seed: u32| numbered((0..60).map(|i| (i * 7 + seed * (i / 20)) % 97));
        let texts: Vec<String> = (0..30).map(texts).collect();
        for name in ["ffp", "dsc-positional"] {
            let parameter = if name == "ffp" { "containment" } else { "threshold" };
            let pairs = |share: f64| {
                let given = [(parameter, serde_json::json!(share))];
                Trial::new(name, Profile::Paper, &given, &texts).numbers()
            };
            let (selective, permissive) = (pairs(0.6), pairs(0.3));
            assert!(!selective.is_empty() && selective.len() < permissive.len());
            assert!(selective.iter().all(|pair| permissive.contains(pair)), "{name}");
        }
    }
}
