//! DSC: digital syntactic clustering, with sketches of the shingles whose fingerprint is a multiple
//! of 25.
//!
//! # What it finds
//! Near-duplicates by the resemblance of their sketches; with `measure` = containment also documents
//! that stand in larger ones.
//! # How it works
//! Every run of `w` words has a Rabin fingerprint of `bits` bits
//! ([`rabin`](crate::image::rabin)); those that are multiples of `modulus` are the document's
//! sketch. The rule looks at the fingerprint alone, so documents keep the same of what they have in
//! common, wherever it stands, and the shares of sketches estimate those of all runs. Sketches are
//! compared in inverted lists ([`overlap`](crate::candidates::overlap)); related documents are
//! joined to clusters.
//! # Parameters
//! `w` = 10 words, `bits` = 40, `modulus` = 25, `measure` = resemblance and `threshold` = 0.5 in the
//! paper setting; the last is ours, the thesis gives none. The product's setting keeps more of
//! shorter runs, `w` = 5 and `modulus` = 4, asks for containment of 0.3 of a sketch, because samples
//! are uneven, or for `partial_from` = 6 fingerprints in common, and aligns what it finds.
//! # Cost
//! Some table look-ups a word; a sketch has 1 / `modulus` of the runs.
//! # Where we differ from the papers
//! The polynomial is drawn from the seed. Fingerprints are taken of the 64-bit hashes of the words
//! instead of their letters. "Every 25th shingle by using mod 25" is read as the modulus rule of
//! Broder and others, not as every 25th position; `dsc-positional` is the latter. A
//! document whose sketch is empty, about one in four of 35 runs, is not judged; that is the known
//! weakness on short documents.
//! # Reference
//! Broder, Glassman, Manasse, Zweig: Syntactic clustering of the web, WWW 1997 (the year 1995 in a
//! note of the thesis is a slip); as described by Uyar: Near-duplicate news detection using named
//! entities, thesis, 2009.

use super::overlaps::{self, Measure};
use super::{Method, Spec};
use crate::candidates::overlap::{Limits, Overlap};
use crate::features::Places;
use crate::features::reading::Reading;
use crate::image::feature_set::FeatureSet;
use crate::image::rabin::{LEAST_BITS, MOST_BITS, Rabin};
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "dsc",
    title: "sketches of Rabin fingerprints, modulus 25 (DSC)",
    finds: &Kind::ALL,
    approximate: Some(
        "sketches are samples: shares are estimates, and a short document may have no sketch.",
    ),
    ..Spec::of::<Dsc>(include_str!("dsc.rs"))
};

parameters! {
    /// How documents are sketched.
    #[derive(Copy)]
    pub(super) struct Sketch {
        /// words in a run
        w: usize = 5, paper 10, in 1..=64;
        /// bits of a fingerprint
        bits: usize = 40, in LEAST_BITS..=MOST_BITS;
        /// fingerprints that are multiples of it are kept
        modulus: usize = 4, paper 25, in 1..;
    }
}

impl Sketch {
    /// Draws the polynomial.
    pub(super) fn rabin(self, seed: u64) -> Rabin {
        Rabin::new(self.bits, self.w, seed)
    }

    /// Returns the kept fingerprints of a word sequence, repeats and all.
    pub(super) fn kept(self, rabin: &Rabin, words: &[u64]) -> Vec<u64> {
        let mut kept = Vec::with_capacity(words.len() / self.modulus + 8);
        rabin.each(words, |fingerprint| {
            if fingerprint.is_multiple_of(self.modulus as u64) {
                kept.push(fingerprint);
            }
        });
        kept
    }
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        ..sketch: Sketch;
        /// which share of the sketches is compared
        measure: Measure = Measure::Containment, paper Measure::Resemblance;
        /// share from which it counts
        threshold: f64 = 0.3, paper 0.5, in SHARE, permissive down to 0.3;
        /// common features from which documents below the threshold count as partial copies, 0 for
        /// never
        partial_from: usize = 6, paper 0, in 0..=u32::MAX as usize;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct Dsc {
    config: Config,
    rabin: Rabin,
}

impl Method for Dsc {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Overlap;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn new(config: Config, seed: u64) -> Self {
        let rabin = config.sketch.rabin(seed);
        Self { config, rabin }
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let kept = self.config.sketch.kept(&self.rabin, &reading.words.hashes);
        (!kept.is_empty()).then(|| FeatureSet::new(kept))
    }

    fn meeting(&self, rule: Rule) -> Overlap {
        let Config { sketch, measure, threshold, partial_from, limits } = self.config;
        let partial_from = overlaps::partial_from(partial_from, rule, sketch.modulus);
        Overlap::new(measure.at_least(threshold).partial_from(partial_from), limits)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::{Trial, numbered};
    use super::*;
    use crate::methods::Profile;

    #[test]
    fn sketches_do_not_depend_on_where_a_passage_stands() {
        let inner = numbered(0..3000);
        let shifted = format!("one {}", numbered(0..3000));
        let found = Trial::new("dsc", Profile::Paper, &[], &[inner, shifted]).pairs();
        let [pair] = found[..] else { panic!("one pair") };
        assert_eq!(pair.kind, Kind::NearDuplicate);
        assert!(pair.scores.resemblance.get() > 0.95, "one word in front moves nothing");
    }

    #[test]
    fn shares_of_sketches_estimate_shares_of_runs() {
        // Half of the 3000 runs of each are common: resemblance 1/3, containment 1/2.
        let texts = [numbered(0..3000), numbered(1500..4500)];
        let given = [("threshold", json!(0.01))];
        let scores = Trial::new("dsc", Profile::Paper, &given, &texts).pairs()[0].scores;
        assert!((scores.resemblance.get() - 0.333).abs() < 0.1, "{scores:?}");
        assert!((scores.a_in_b.get() - 0.5).abs() < 0.1, "{scores:?}");
        assert!(Trial::new("dsc", Profile::Paper, &[], &texts).pairs().is_empty());
    }

    #[test]
    fn a_document_without_a_kept_fingerprint_is_not_judged() {
        let short = numbered(0..9);
        assert!(Trial::new("dsc", Profile::Paper, &[], &[&short, &short]).pairs().is_empty());
    }
}
