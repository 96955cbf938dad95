//! Minimal elements: a bounded number of word runs, chosen by random permutations.
//!
//! # What it finds
//! Near-duplicates: documents whose images have at least `common` units in common, or at least the
//! `share` of them. A passage copied into a long document is missed, because the image of the long
//! document is spread over all of its text.
//! # How it works
//! The runs of `k` words that start every `offset` words are hashed to codes of 64 bits, and
//! permutations decide which codes are kept ([`minimal`](crate::image::minimal)). Form b
//! (`minimal-b`), "n minimal elements in a permutation", keeps the `size` codes that come first in
//! one permutation; form m (`minimal-m`), "minimal elements in n permutations", keeps the first
//! code of each of `size` permutations. A permutation is the product of the code, as a vector of
//! bits, with a random binary matrix ([`permutation`](crate::image::permutation)). Units in common
//! are counted in posting lists ([`overlap`](crate::candidates::overlap)).
//! # Parameters
//! In the paper `k` = 10 (10 and 20 were tried; 10 agreed best with the reference), `offset` = 1,
//! `size` = 100 (100 to 200 were tried) and `common` = 85 (tried were 85 to 100 of 100 units, and
//! 125 or 135 to 150 of 150). Here `k` = 5 and the threshold is a `share` of 0.4 of the larger
//! image, because a short document may have fewer units than an absolute threshold asks for. Form b
//! keeps another number of codes with `subset` = `logarithmic`, which keeps `factor` × ⌈log₂ n⌉ of
//! n codes, or `subset` = `every`, which keeps one code in `every` in the order of the text.
//! `permutation` is `matrix`, `affine` or `mixed`. With `units` = `untagged`, the units of form m
//! do not say which permutation a code came from. `stop` and `most_partners` limit the work for
//! runs that very many documents have.
//! # Cost
//! Form b applies one permutation to all codes, and form m applies `size` of them. For each code
//! this takes eight table look-ups with `matrix` or `affine`, and two multiplications with `mixed`.
//! A unit takes 8 bytes in the image and about as many in the posting lists.
//! # Where we differ from the papers
//! A singular matrix is no permutation, so another one is drawn; a random matrix is non-singular
//! with probability 0.2888. A matrix sends code 0 to 0, so this code would be minimal in every
//! permutation: `affine` avoids this by adding a random vector, and `mixed`, our default, is faster
//! still. The paper writes both "more than k common" and "at least k": at least k is meant, as its
//! threshold of 150 of 150 shows, and the "≤ k" of its definition of frequent sets is a misprint.
//! The title of its Table 3 says "n minimal elements in n permutations" where "minimal elements in
//! n permutations" is meant. Form m keeps pairs of permutation and code, so that the number of
//! common units estimates the resemblance. The closed sets of the paper are made when clusters are
//! made, not by this method. In profile `retold`, the pairs found are then verified on the
//! documents themselves.
//! # Reference
//! Ignatov, Jánosi-Rancz, Kuznetsov: Towards a framework for near-duplicate detection in document
//! collections based on closed sets of attributes, 2009, section 2.1; Broder: On the resemblance
//! and containment of documents, SEQUENCES 1997.

use serde_json::{Map, Value};

use super::overlaps::Threshold;
use super::tuning::{at_least, setting};
use super::{Form, Method, Recall, Skip, Spec};
use crate::candidates::overlap::{By, Limits, Overlap};
use crate::error::ConfigError;
use crate::features::Places;
use crate::features::grams::Short;
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::image::feature_set::FeatureSet;
use crate::image::minimal::{self, Minimal, MinimalForm, Subset, Units};
use crate::image::permutation::Family;
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "minimal-elements",
    title: "word runs that come first in random permutations",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some(
        "images are samples: the common units of two documents vary around what their \
         resemblance would give, by about √n of n units.",
    ),
    forms: &[
        Form {
            name: "minimal-b",
            about: "n minimal elements in a permutation",
            parameters: &[("form", "\"b\"")],
        },
        Form {
            name: "minimal-m",
            about: "minimal elements in n permutations",
            parameters: &[("form", "\"m\"")],
        },
    ],
    recall: Recall { percent: 50, why: "by resemblance" },
    skips: &[
        Skip::kinds(
            &[Kind::Contains, Kind::Contained],
            "images are spread over the whole text; a small text in a large one has few units of it",
        ),
        Skip::kinds(
            &[Kind::Partial],
            "images are spread over the whole text; one passage has few units of them",
        ),
    ],
    ..Spec::of::<MinimalElements>(include_str!("minimal_elements.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// b (one permutation) or m (one unit per permutation)
        form: MinimalForm = MinimalForm::B;
        /// words in a run
        k: usize = 5, paper 10, in 1..=64;
        /// words from the start of a run to the next
        offset: usize = 1, in 1..=64;
        /// units of an image
        size: usize = 100, in 1..=4096;
        /// how many codes form b keeps
        subset: Subset = Subset::Fixed;
        /// with logarithmic: times ⌈log₂ n⌉ codes
        factor: usize = 10, in 1..=4096;
        /// with every: one code in so many
        every: usize = 25, in 1..;
        /// how codes are permuted
        permutation: Family = Family::Mixed, paper Family::Matrix;
        /// whether form m keeps permutations apart
        units: Units = Units::Tagged;
        /// how texts shorter than a run are treated
        short: Short = Short::Whole, paper Short::None;
        /// whether a number (`common`) or a share (`share`) of units decides
        threshold: Threshold = Threshold::Relative, paper Threshold::Absolute;
        /// common units from which documents are related
        common: usize = 85, in 1..=u32::MAX as usize, permissive down to 40;
        /// common share of the larger image
        share: f64 = 0.4, paper 0.85, in SHARE, permissive down to 0.4;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct MinimalElements {
    config: Config,
    shingles: Shingles,
    minimal: Minimal,
}

impl Method for MinimalElements {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Overlap;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn check(config: &Config) -> Result<(), ConfigError> {
        if config.form == MinimalForm::M && config.subset != Subset::Fixed {
            let given = format!("{:?}", config.subset).to_lowercase();
            return Err(ConfigError::value("subset", "fixed with form m", &given));
        }
        Ok(())
    }

    fn new(config: Config, seed: u64) -> Self {
        let shingles = Shingles::new(config.k);
        let rule = match config.subset {
            Subset::Fixed => minimal::Rule::Fixed(config.size),
            Subset::Logarithmic => minimal::Rule::Logarithmic(config.factor),
            Subset::Every => minimal::Rule::Every(config.every),
        };
        let minimal = match config.form {
            MinimalForm::B => Minimal::in_one(config.permutation, rule, seed),
            MinimalForm::M => Minimal::in_each(config.permutation, config.size, config.units, seed),
        };
        Self { config, shingles, minimal }
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let words = &reading.words.hashes;
        let mut codes = Vec::with_capacity(words.len() / self.config.offset + 1);
        let mut place = 0;
        self.shingles.each(words, |code| {
            if place % self.config.offset == 0 {
                codes.push(code);
            }
            place += 1;
        });
        if codes.is_empty() && self.config.short == Short::Whole && !words.is_empty() {
            Shingles::new(words.len()).each(words, |code| codes.push(code));
        }
        (!codes.is_empty()).then(|| FeatureSet::new(self.minimal.units(codes)))
    }

    fn settings(similarity: f64, _: f64) -> Vec<Map<String, Value>> {
        let steps = (1..=50).rev().map(|step| f64::from(step) / 50.0);
        let shares = steps.filter(|&share| share <= similarity);
        shares.map(|share| setting([("share", share.into())])).collect()
    }

    /// A unit of an image is in the other with the probability of the similarity.
    fn chance(&self, similarity: f64) -> Option<f64> {
        let Config { size, threshold, common, share, .. } = self.config;
        let needed = match threshold {
            Threshold::Relative => {
                (0..size).find(|&n| n as f64 >= share * size as f64).unwrap_or(size)
            }
            Threshold::Absolute => common,
        };
        Some(at_least(size, similarity, needed))
    }

    fn meeting(&self, _: Rule) -> Overlap {
        let Config { threshold, common, share, limits, .. } = self.config;
        Overlap::new(threshold.reached(common, Kind::NearDuplicate, By::Mutual, share), limits)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::{Trial, sentences};
    use super::*;
    use crate::methods::{Profile, make};

    fn copies() -> [String; 4] {
        let original = sentences(1, 400);
        let edited = original.replacen(". ", " and so on. ", 2);
        [original, sentences(2, 400), edited, sentences(1, 200)]
    }

    fn pairs(profile: Profile, given: &[(&str, serde_json::Value)]) -> Vec<(u32, u32, Kind)> {
        Trial::new("minimal-elements", profile, given, &copies()).kinds()
    }

    #[test]
    fn near_copies_have_enough_units_in_common_in_every_form() {
        let expected = [(0, 2, Kind::NearDuplicate)];
        for permutation in ["matrix", "affine", "mixed"] {
            for form in ["b", "m"] {
                let given = [("form", json!(form)), ("permutation", json!(permutation))];
                assert_eq!(pairs(Profile::Paper, &given), expected, "{form} {permutation}");
            }
        }
        let logarithmic = [("subset", json!("logarithmic")), ("threshold", json!("relative"))];
        assert_eq!(pairs(Profile::Paper, &logarithmic), expected);
    }

    #[test]
    fn every_nth_run_finds_equal_beginnings_and_an_insertion_shifts_the_rest() {
        let given = [("subset", json!("every")), ("common", json!(3))];
        assert_eq!(pairs(Profile::Paper, &given), [(0, 3, Kind::NearDuplicate)]);
    }

    #[test]
    fn half_of_a_document_is_a_near_duplicate_by_a_low_share_only() {
        // The resemblance of 0 and 3 is one half.
        let with =
            |share: f64| pairs(Profile::Retold, &[("form", json!("m")), ("share", json!(share))]);
        assert!(with(0.3).contains(&(0, 3, Kind::NearDuplicate)));
        assert!(!with(0.7).contains(&(0, 3, Kind::NearDuplicate)));
        assert!(with(0.7).contains(&(0, 2, Kind::NearDuplicate)));
    }

    #[test]
    fn equal_documents_have_equal_images_of_at_most_n_units() {
        let texts = [sentences(5, 300), sentences(5, 300), sentences(6, 30)];
        for (form, n_short) in [("b", 21), ("m", 100)] {
            for profile in Profile::ALL {
                let given = [("form", json!(form)), ("k", json!(10))];
                let trial = Trial::new("minimal-elements", profile, &given, &texts);
                let images = trial.images::<FeatureSet>();
                let n: Vec<usize> = images.iter().flatten().map(FeatureSet::len).collect();
                assert_eq!(n, [100, 100, n_short], "{form}");
                assert_eq!(images[0], images[1]);
            }
        }
    }

    #[test]
    fn a_document_shorter_than_a_run_counts_whole_or_not_at_all() {
        let texts = ["two words", "Two words!"];
        for (profile, n) in [(Profile::Retold, 1), (Profile::Paper, 0)] {
            let trial = Trial::new("minimal-elements", profile, &[], &texts);
            assert_eq!(trial.pairs().len(), n);
        }
    }

    #[test]
    fn runs_start_every_so_many_words() {
        let words = sentences(3, 40);
        let given = [("offset", json!(4)), ("k", json!(10))];
        let trial = Trial::new("minimal-elements", Profile::Paper, &given, &[&words]);
        let image: FeatureSet = trial.image(&words).expect("there are words");
        assert_eq!(image.len(), 8, "starts 0, 4, … 28 of 31");
    }

    #[test]
    fn a_subset_rule_that_form_m_does_not_have_is_refused() {
        let given = json!({ "form": "m", "subset": "every" });
        let given = given.as_object().expect("a map");
        let made = make("minimal-elements", Profile::Paper, given, 1);
        let error = made.err().expect("form m keeps a fixed number");
        assert_eq!(error.to_string(), "subset must be fixed with form m, got every");
    }
}
