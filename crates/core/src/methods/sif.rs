//! SIF: fingerprints of runs of bytes, the way similar files were first found.
//!
//! # What it finds
//! Files with a good part of their text in common, in any order: containments, near-duplicates
//! and partial copies.
//! # How it works
//! All substrings of `length` characters are hashed as they slide by one
//! ([`characters`](crate::features::characters)), and those whose hash is divisible by `modulus`
//! are kept: the same ones in every copy, wherever it stands. Files that share enough of them are
//! similar ([`overlap`](crate::candidates::overlap)); how they relate follows from the shares
//! ([`graded`](crate::candidates::graded)).
//! # Parameters
//! In the paper `unit` = bytes, `length` = 50, `modulus` = 256. Here letters in lower case, so
//! that case, spaces and punctuation do not matter, 30 of them, and one substring in 8 is kept,
//! about one a word. `share` = 0.25 of the kept ones of a document, from which it is similar;
//! `containment` = 0.6 makes it a containment. `short` = whole keeps the smallest hash of a text
//! that would keep none, as a text shorter than a substring would.
//! # Cost
//! One multiplication a character, and 16 bytes for every kept substring. No more than 16 million
//! characters of a document are looked at.
//! # Where we differ from the papers
//! The numbers are those usually given for the tool; the papers that describe the method name
//! none. The share is ours. Bytes are those of the clean text: markup is taken out and Unicode
//! normalised first. In the product's setting pairs are then aligned on the documents.
//! # Reference
//! Manber: Finding similar files in a large file system, USENIX Winter 1994.

use serde::{Deserialize, Serialize};

use super::{Method, Recall, Spec};
use crate::candidates::graded::Graded;
use crate::candidates::overlap::{Decision, Limits, Overlap};
use crate::features::Places;
use crate::features::characters::{Letters, MOST_CHARACTERS, Substrings, letters};
use crate::features::grams::Short;
use crate::features::reading::Reading;
use crate::image::feature_set::FeatureSet;
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "sif",
    title: "runs of bytes, sampled by their hashes (SIF)",
    finds: &Kind::ALL,
    approximate: Some(
        "one substring in `modulus` is kept: shares are estimates, and short texts may keep none.",
    ),
    recall: Recall { percent: 80, why: "a passage is too small a part" },
    ..Spec::of::<Sif>(include_str!("sif.rs"))
};

/// What a substring is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Unit {
    /// Bytes of the clean text.
    Bytes,
    /// Letters in lower case.
    Letters,
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// what a substring is made of
        unit: Unit = Unit::Letters, paper Unit::Bytes;
        /// characters in a substring
        length: usize = 30, paper 50, in 1..=4096;
        /// one substring in so many is kept
        modulus: usize = 8, paper 256, in 1..;
        /// how texts are treated that keep no substring
        short: Short = Short::Whole, paper Short::None;
        /// share of a document's kept substrings
        share: f64 = 0.25, in SHARE, permissive down to 0.1;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct Sif {
    config: Config,
    substrings: Substrings,
}

impl Method for Sif {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Graded<Overlap>;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn new(config: Config, _: u64) -> Self {
        let substrings = Substrings::new(config.length);
        Self { config, substrings }
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let kept = match self.config.unit {
            Unit::Bytes => self.kept(reading.text.bytes().map(u32::from)),
            Unit::Letters => self.kept(letters(reading.text, Letters::All, reading.is_turkic())),
        };
        (!kept.is_empty()).then(|| FeatureSet::new(kept))
    }

    fn meeting(&self, rule: Rule) -> Graded<Overlap> {
        let Config { share, limits, .. } = self.config;
        Graded::new(Overlap::new(Decision::containment(share), limits), rule.containment)
    }
}

impl Sif {
    fn kept(&self, characters: impl Iterator<Item = u32> + Clone) -> Vec<u64> {
        let characters = characters.take(MOST_CHARACTERS);
        let mut smallest = u64::MAX;
        let mut kept = Vec::new();
        for hash in self.substrings.of(characters.clone()) {
            smallest = smallest.min(hash);
            if hash % self.config.modulus as u64 == 0 {
                kept.push(hash);
            }
        }
        if kept.is_empty() && self.config.short == Short::Whole {
            let n = characters.clone().take(self.config.length).count();
            if n == self.config.length {
                kept.push(smallest);
            } else if n > 0 {
                kept.extend(Substrings::new(n).of(characters));
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::{Trial, sentences};
    use super::*;
    use crate::methods::Profile;

    fn pairs(profile: Profile, texts: &[&str]) -> Vec<(u32, u32, Kind)> {
        Trial::new("sif", profile, &[], texts).kinds()
    }

    #[test]
    fn copies_are_found_whole_in_part_and_inside() {
        let (one, other) = (sentences(1, 2000), sentences(2, 2000));
        let half = format!("{}{}", sentences(1, 1000), sentences(3, 1000));
        let inside = format!("{}{one}{}", sentences(4, 3000), sentences(5, 3000));
        let expected = [(0, 2, Kind::Partial), (0, 3, Kind::Contained), (2, 3, Kind::Partial)];
        for profile in Profile::ALL {
            assert_eq!(pairs(profile, &[&one, &other, &half, &inside]), expected, "{profile:?}");
        }
    }

    #[test]
    fn about_one_substring_in_the_modulus_is_kept_and_all_with_modulus_1() {
        let words = sentences(1, 5000);
        let n = |modulus: usize| {
            let given = [("modulus", json!(modulus))];
            let trial = Trial::new("sif", Profile::Paper, &given, &[&words]);
            trial.image(&words).map_or(0, |image: FeatureSet| image.len())
        };
        assert_eq!(n(1), words.len() - 49);
        let expected = words.len() / 256;
        assert!((expected / 2..expected * 2).contains(&n(256)), "{} of {expected}", n(256));
    }

    #[test]
    fn letters_see_through_case_spaces_and_punctuation_and_bytes_do_not() {
        let plain = sentences(1, 300);
        let shouted = plain.to_uppercase().replace(". ", " — ");
        assert_eq!(pairs(Profile::Retold, &[&plain, &shouted]), [(0, 1, Kind::NearDuplicate)]);
        assert_eq!(pairs(Profile::Paper, &[&plain, &shouted]), []);
    }

    #[test]
    fn a_short_text_counts_whole_or_not_at_all() {
        let texts = ["Too short", "too short!", "an other", "12:30"];
        assert_eq!(pairs(Profile::Retold, &texts), [(0, 1, Kind::NearDuplicate)]);
        assert_eq!(pairs(Profile::Paper, &texts), []);
    }
}
