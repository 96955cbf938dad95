//! DSC-SS: super shingles, one common value is enough.
//!
//! # What it finds
//! Near-duplicates of high resemblance, with very little work.
//! # How it works
//! The sketch of `dsc` is sorted and shingled again: every `size` neighbours are one super
//! shingle ([`super_shingles`](crate::image::super_shingles)). Documents with one super shingle in
//! common resemble each other; who they are is read off inverted lists
//! ([`overlap`](crate::candidates::overlap)), the living form of the sorted list of pairs
//! (super shingle, document) in the paper.
//! # Parameters
//! `w` = 10 words, `bits` = 40, `modulus` = 25 as in DSC; `size` = 4, one start after the other, is
//! ours: the sources give none. The product's setting has `w` = 5, `modulus` = 4 and `size` = 2, and
//! aligns what it finds.
//! # Cost
//! As many values as the sketch has, less `size` - 1; one look-up each.
//! # Where we differ from the papers
//! As in `dsc`: fingerprints are taken of word hashes, the polynomial is drawn from the seed. A
//! document that keeps fewer than `size` fingerprints has no super shingle and is not judged: the
//! known weakness on short documents. Scores are shares of super shingles, not of shingles.
//! # Reference
//! Broder, Glassman, Manasse, Zweig: Syntactic clustering of the web, WWW 1997, section on super
//! shingles; as described by Uyar: Near-duplicate news detection using named entities, thesis, 2009.

use super::dsc::Sketch;
use super::{Method, Recall, Skip, Spec};
use crate::candidates::overlap::{Decision, Limits, Overlap};
use crate::features::Places;
use crate::features::reading::Reading;
use crate::image::feature_set::FeatureSet;
use crate::image::rabin::Rabin;
use crate::image::super_shingles::super_shingles;
use crate::parameters::parameters;
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "dsc-ss",
    title: "super shingles of DSC sketches",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some(
        "a pair is found only if `size` neighbours of both sorted sketches agree; documents with \
         smaller sketches are not judged.",
    ),
    recall: Recall { percent: 95, why: "a passage needs a whole super shingle" },
    skips: &[Skip::cases(
        &["one word five hundred times against two hundred times"],
        "one run of words is one fingerprint, and a super shingle needs two",
    )],
    ..Spec::of::<DscSs>(include_str!("dsc_ss.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        ..sketch: Sketch;
        /// kept fingerprints in a super shingle
        size: usize = 2, paper 4, in 1..=64;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct DscSs {
    config: Config,
    rabin: Rabin,
}

impl Method for DscSs {
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
        let values = super_shingles(kept, self.config.size);
        (!values.is_empty()).then(|| FeatureSet::new(values))
    }

    fn meeting(&self, _: Rule) -> Overlap {
        Overlap::new(Decision::common(1, Kind::NearDuplicate), self.config.limits)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, numbered};
    use super::*;
    use crate::methods::Profile;

    #[test]
    fn close_copies_share_a_super_shingle_and_halves_do_not() {
        let half = numbered(0..1000) + &numbered(5000..6000);
        let texts = [numbered(0..2000), numbered(20..2020), half];
        let pairs = Trial::new("dsc-ss", Profile::Paper, &[], &texts).kinds();
        assert!(pairs.contains(&(0, 1, Kind::NearDuplicate)), "{pairs:?}");
    }

    #[test]
    fn a_document_with_a_small_sketch_is_not_judged() {
        let short = numbered(0..30);
        assert!(Trial::new("dsc-ss", Profile::Paper, &[], &[&short, &short]).pairs().is_empty());
    }
}
