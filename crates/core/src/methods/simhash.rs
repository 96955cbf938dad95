//! `SimHash`: a few dozen bits that similar documents nearly share.
//!
//! # What it finds
//! Near-duplicates whose words weigh nearly the same; order and repetition of words do not count.
//! # How it works
//! Every distinct word but the `drop` of highest idf is hashed to `bits` bits and votes on each
//! bit with its idf ([`simhash`](crate::image::simhash)). Documents whose images differ in fewer
//! than `distance` bits are near-duplicates; blocks of bits find them without comparing all pairs
//! ([`hamming`](crate::candidates::hamming)). The score is the share of equal bits.
//! # Parameters
//! `bits` = 64, in profile `paper` 32; `drop` = 2, `distance` = 3: images that differ in 0, 1 or 2 bits match (permissive:
//! 7). `idf` = `smooth` weighs a word by ln(1 + N/n), where n of the N documents hold it; profile
//! `paper` has `plain`, ln(N/n), with `distance` = 3, where profile `retold` has 4 and lets the
//! documents decide. `most_bucket` = 1000 documents of one block that answer, in profile `paper`
//! all.
//! # Cost
//! Linear in practice: `bits` additions a distinct word, some 70 look-ups a document.
//! # Where we differ from the papers
//! The CoDet paper, which compares with this form, does not give the width; 32 bits are ours. On
//! 10,000 Turkish stories, judged by the share of common runs of five words, they bring `SimHash` to
//! the place between CoDet and DSC that it has in the paper, level with I-Match (F1 0.72 and 0.71 at
//! a share of 0.6; in the paper I-Match is ahead); with 64 bits it is behind DSC (0.58 and 0.62). Of
//! words of equal idf the one that comes first in the order of Unicode is left out first. A vote
//! that ends at 0 clears the bit. A document of fewer than 3 distinct words has no image. With
//! `plain` weights a word that all documents hold has no vote; in a collection of a few documents
//! that leaves little, which is why `smooth` exists.
//! # Reference
//! Charikar: Similarity estimation techniques from rounding algorithms, STOC 2002; Manku, Jain,
//! Das Sarma: Detecting near-duplicates for web crawling, WWW 2007; Varol, Can, Aykanat, Kaya:
//! CoDet, CIKM 2011, which compares with it.

use serde_json::{Map, Value};

use super::tuning::{at_least, replaced, setting};
use super::{Method, Profile, Recall, Skip, Spec, text};
use crate::candidates::hamming::Hamming;
use crate::features::TextSettings;
use crate::features::reading::Reading;
use crate::hash;
use crate::image;
use crate::image::simhash::MOST_BITS;
use crate::image::terms::{Idf, LEAST_WORDS, distinct, rarest_first};
use crate::parameters::{Limit, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "simhash",
    title: "bits voted on by words, few of which differ",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some(
        "candidates: the bits estimate the angle between the documents' weights; pairs near the \
         threshold are missed by chance.",
    ),
    recall: Recall { percent: 25, why: "one word in fifty turns more bits than may differ" },
    skips: &[
        Skip::kinds(
            &[Kind::Contains, Kind::Contained, Kind::Partial],
            "the bits are those of the whole; a part has others",
        ),
        Skip::cases(
            &[
                "another headline",
                "eight words in a hundred replaced",
                "german sharp s in capitals",
                "japanese with a sentence shortened",
                "one sentence deleted",
                "one sentence inserted",
                "russian with edits",
                "the last word differs",
                "three words in a hundred replaced",
                "turkish agency copy with edits",
            ],
            "in a text this short the changed words turn more bits than the distance allows",
        ),
        Skip::cases(
            &["one word five hundred times against two hundred times"],
            "two distinct words are too few for bits",
        ),
    ],
    ..Spec::of::<SimHash>(include_str!("simhash.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// bits of an image
        bits: usize = 64, paper 32, in 32..=MOST_BITS as usize;
        /// words of highest idf left out
        drop: usize = 2, in 0..=1000;
        /// bits from which images do not match
        distance: usize = 4, paper 3, in 1..=16, permissive up to 7;
        /// weight of a word: plain, ln(N/n), or smooth, ln(1 + N/n)
        idf: Idf = Idf::Smooth, paper Idf::Plain;
        /// documents of one block that answer
        most_bucket: Limit = Limit::at(1000), paper Limit::NONE, in 1..;
    }
}

/// The method.
pub(super) struct SimHash {
    config: Config,
}

impl Method for SimHash {
    type Config = Config;
    type Image = u64;
    type Meeting = Hamming;
    const SPEC: &'static Spec = &SPEC;

    fn text(profile: Profile) -> TextSettings {
        text::as_in_codet(profile)
    }

    fn new(config: Config, _: u64) -> Self {
        Self { config }
    }

    fn needs_counts(&self) -> bool {
        true
    }

    fn image(&self, reading: &Reading<'_>) -> Option<u64> {
        let counts = reading.counts();
        let mut terms = distinct(&reading.words.hashes, counts);
        if terms.len() < LEAST_WORDS.max(self.config.drop + 1) {
            return None;
        }
        let word = |term: &image::terms::Term| reading.word(term.at as usize);
        let n_dropped = rarest_first(&mut terms, self.config.drop, word);
        let voters = &mut terms[n_dropped..];
        // Sums depend on their order in the last digits, so it must not depend on the text's.
        voters.sort_unstable_by_key(|term| term.hash);
        let weighted = voters
            .iter()
            .map(|term| (hash::mix(term.hash), self.config.idf.weight(counts, term.df)));
        Some(image::simhash::simhash(weighted, self.config.bits as u32))
    }

    fn settings(_: f64, _: f64) -> Vec<Map<String, Value>> {
        let wide = (1..=16_usize).map(|distance| (64_usize, distance));
        // Fewer bits, of which as many may differ: more than a quarter of all at first, half of all at last.
        let narrow = (4..=7).rev().map(|eighth| (8 * eighth, 16));
        let both = |(bits, distance): (usize, usize)| {
            setting([("bits", bits.into()), ("distance", distance.into())])
        };
        wide.chain(narrow).map(both).collect()
    }

    /// A share of the words was replaced; vectors of words of equal weight have the cosine of the
    /// rest, and a bit differs with the probability of their angle over π.
    fn chance(&self, similarity: f64) -> Option<f64> {
        let Config { bits, distance, .. } = self.config;
        let cosine = 1.0 - replaced(similarity, Self::shingles(self).k());
        let differs = cosine.clamp(-1.0, 1.0).acos() / std::f64::consts::PI;
        Some(1.0 - at_least(bits, differs, distance))
    }

    fn meeting(&self, _: Rule) -> Hamming {
        let Config { bits, distance, most_bucket, .. } = self.config;
        Hamming::new(bits as u32, distance as u32 - 1, most_bucket.get())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::trial::{Trial, copies};
    use super::*;

    proptest! {
        #[test]
        fn order_and_repetition_of_words_do_not_matter(seed in any::<u64>()) {
            let collection = copies(6, 30, seed);
            for profile in Profile::ALL {
                let trial = Trial::new("simhash", profile, &[], &collection);
                for text in &collection {
                    let mut words: Vec<&str> = text.split(' ').collect();
                    words.sort_unstable();
                    words.extend(words.clone().iter().take(7));
                    let image = |text: &str| trial.image::<u64>(text);
                    prop_assert_eq!(image(&words.join(" ")), image(text));
                }
            }
        }

        #[test]
        fn a_larger_distance_finds_all_that_a_smaller_one_finds(seed in any::<u64>()) {
            let collection = copies(20, 60, seed);
            let pairs = |distance: usize| {
                let given = [("distance", json!(distance))];
                Trial::new("simhash", Profile::Paper, &given, &collection).numbers()
            };
            let permissive = pairs(7);
            prop_assert!(pairs(3).iter().all(|pair| permissive.contains(pair)));
        }
    }

    #[test]
    fn fewer_than_three_words_have_no_image() {
        let trial = Trial::new("simhash", Profile::Retold, &[], &["one two three"]);
        assert!(trial.image::<u64>("one two one two").is_none());
        assert!(trial.image::<u64>("one two three").is_some());
    }

    #[test]
    fn two_texts_alone_are_told_apart_by_smooth_weights() {
        let story = "the ferry to the island stays in the harbour until the storm has passed and \
                     the captain has said that the engine runs again as it did before the winter";
        let both = [story.to_owned(), format!("{story} today")];
        let other = "prices of tomatoes rose on all markets of the region by a fifth within weeks";
        let trial = Trial::new("simhash", Profile::Retold, &[], &both);
        let distance = |x: &str, y: &str| {
            let image = |text| trial.image::<u64>(text).expect("there are words enough");
            (image(x) ^ image(y)).count_ones()
        };
        assert!(distance(&both[0], &both[1]) < distance(&both[0], other));
    }
}
