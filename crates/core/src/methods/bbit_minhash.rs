//! b-bit MinHash: MinHash that keeps the lowest few bits of every minimum.
//!
//! # What it finds
//! Near-duplicates of high resemblance, with sketches several times smaller than those of MinHash.
//! Containment of a small document in a large one has a low resemblance and is mostly missed, by
//! design.
//! # How it works
//! `bands` × `rows` permutations of the runs of `k` words, the smallest value of each
//! ([`minhash`](crate::image::minhash)), and of that the lowest `b` bits, packed without a gap
//! ([`packed_rows`](crate::image::packed_rows)). Two rows agree with probability P = C + (1 - C) · R,
//! where R is the resemblance: either the minima are the same, or their lowest bits agree by chance,
//! C = 2^-b. So (P - C) / (1 - C) of the observed share P of equal rows estimates R without bias,
//! with variance P (1 - P) / (n (1 - C)²) over n rows. Documents that agree on a whole band meet
//! ([`banding`](crate::candidates::banding)); those whose estimate reaches `threshold` are related,
//! or are then aligned ([`align`](crate::verify::align)) where the documents decide.
//! # Parameters
//! `b` = 4 bits with `bands` = 16 and `rows` = 8: a chance agreement of a whole band takes 32 equal
//! bits, and a band of two documents with resemblance 0.7 agrees with probability 0.07, a little more
//! often than with all bits. In profile `paper` `b` = 1 with `bands` = 40 and `rows` = 12: more rows
//! of fewer bits estimate better for the same storage, but one band in 4096 agrees by chance.
//! `k` = 5 words. `threshold` = 0.3 leaves room for the error of the estimate, which is 0.05 at a
//! resemblance of 0.5, before the documents are compared; 0.5 in profile `paper`. `most_bucket` = 1000
//! documents of one band that answer, `none` in profile `paper`.
//! # Cost
//! `bands` × `rows` operations a word; `b` bits for each of them in the image, 64 bytes a document
//! where MinHash keeps 512; 16 bytes a band and document in the search. Linear, with `b` · `rows` of
//! 24 bits or more; with 12, about one pair of documents in 100 meets by chance and is compared by
//! its images.
//! # Where we differ from the papers
//! The terms C of the paper depend on the sizes of the sets as shares of all possible features; with
//! hashes of 32 bits these shares are next to nothing, and both terms are 2^-b. The paper compares all
//! pairs; here documents meet in bands, and a pair of resemblance R is missed with probability
//! (1 - P^rows)^bands. Permutations are multiply-add on 64 bits. Where the documents decide, estimates
//! are not reported.
//! # Reference
//! Li, König: b-Bit minwise hashing, WWW 2010, theorem 1 and equation 8; Broder: On the resemblance
//! and containment of documents, SEQUENCES 1997; Indyk, Motwani: Approximate nearest neighbors, STOC
//! 1998 (banding).

use super::{Method, Recall, Skip, Spec};
use crate::candidates::banding::{Banding, Sketches};
use crate::features::Places;
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::image::minhash::MinHash;
use crate::image::packed_rows::PackedRows;
use crate::parameters::{Limit, SHARE, parameters};
use crate::relation::{Kind, Score};
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "bbit-minhash",
    title: "MinHash of a few bits a row",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some(
        "candidates: a pair of resemblance s is missed with probability (1 - p^rows)^bands, where p \
         = 2^-b + (1 - 2^-b) s, or if its estimated resemblance is below the threshold. Scores and \
         passages are exact where the documents decide, and estimates where the method does.",
    ),
    recall: Recall { percent: 50, why: "by resemblance" },
    skips: &[
        Skip::kinds(
            &[Kind::Contains, Kind::Contained, Kind::Partial],
            "candidates by resemblance; a text that holds another one, or one passage of it, \
             resembles it little",
        ),
        Skip::cases(
            &["eight words in a hundred replaced", "russian with edits"],
            "resemblance below 0.7: 16 bands of 8 rows find about half of such pairs",
        ),
    ],
    ..Spec::of::<BbitMinHash>(include_str!("bbit_minhash.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words in a run
        k: usize = 5, in 1..=64;
        /// bits kept of the smallest value of a permutation
        b: u32 = 4, paper 1, in 1..=32;
        /// bands of an image
        bands: usize = 16, paper 40, in 1..=1024;
        /// permutations in a band
        rows: usize = 8, paper 12, in 1..=64;
        /// estimated resemblance from which documents match
        threshold: f64 = 0.3, paper 0.5, in SHARE, permissive down to 0.25;
        /// documents of one band that answer
        most_bucket: Limit = Limit::at(1000), paper Limit::NONE, in 2..;
    }
}

/// The method.
pub(super) struct BbitMinHash {
    config: Config,
    shingles: Shingles,
    permutations: MinHash,
}

impl Method for BbitMinHash {
    type Config = Config;
    type Image = PackedRows;
    type Meeting = Banding<LowestBits>;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn new(config: Config, seed: u64) -> Self {
        let shingles = Shingles::new(config.k);
        let permutations = MinHash::new(config.bands * config.rows, seed);
        Self { config, shingles, permutations }
    }

    fn shingles(&self) -> Shingles {
        self.shingles
    }

    fn image(&self, reading: &Reading<'_>) -> Option<PackedRows> {
        let shingles = self.shingles.of(&reading.words.hashes);
        let minima = (!shingles.is_empty()).then(|| self.permutations.image(shingles))?;
        Some(PackedRows::new(self.config.b, &minima))
    }

    fn meeting(&self, _: Rule) -> Banding<LowestBits> {
        let Config { b, bands, rows, threshold, most_bucket, .. } = self.config;
        Banding::new(LowestBits { b, threshold }, bands, rows, most_bucket.get())
    }
}

/// Sketches of the lowest `b` bits of minima, related from an estimated resemblance on.
#[derive(Clone, Copy, Debug)]
pub(super) struct LowestBits {
    b: u32,
    threshold: f64,
}

impl LowestBits {
    /// Returns the estimate of resemblance: (P - C) / (1 - C), where P is the share of equal rows and
    /// C the probability that rows of different minima are equal. It may be below 0 by chance.
    fn estimate(self, agreement: f64) -> f64 {
        let chance = (-f64::from(self.b)).exp2();
        (agreement - chance) / (1.0 - chance)
    }
}

impl Sketches for LowestBits {
    type Image = PackedRows;

    fn rows(&self, image: &PackedRows) -> impl Iterator<Item = u32> {
        image.iter()
    }

    fn resemblance(&self, a: &PackedRows, b: &PackedRows) -> Option<Score> {
        Score::new(self.estimate(a.agreement(b))).filter(|score| score.get() >= self.threshold)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::{Trial, numbered, sentences};
    use super::*;
    use crate::hash::mix;
    use crate::methods::Profile;

    #[test]
    fn the_estimate_is_unbiased_within_its_variance() {
        // 40 pairs for every number of bits and resemblance, 256 rows each: the mean lies within four
        // standard errors, and single estimates vary as the formula says.
        const ROUNDS: u64 = 40;
        const ROWS: usize = 256;
        for b in [1, 2, 4, 8, 32] {
            for (n_common, n_own) in [(100u64, 100u64), (100, 50), (180, 10)] {
                let truth = n_common as f64 / (n_common + 2 * n_own) as f64;
                let sketches = LowestBits { b, threshold: 0.0 };
                let estimates: Vec<f64> = (0..ROUNDS)
                    .map(|round| {
                        let permutations = MinHash::new(ROWS, round);
                        let feature = |i: u64| mix(i + 1_000_000 * round);
                        let image = |numbers: &mut dyn Iterator<Item = u64>| {
                            PackedRows::new(b, &permutations.image(numbers.map(feature)))
                        };
                        let one = image(&mut (0..n_common + n_own));
                        let other = image(&mut (0..n_common).chain(1000..1000 + n_own));
                        sketches.estimate(one.agreement(&other))
                    })
                    .collect();
                let chance = (-f64::from(b)).exp2();
                let equal = chance + (1.0 - chance) * truth;
                let variance = equal * (1.0 - equal) / (ROWS as f64 * (1.0 - chance).powi(2));
                let mean = estimates.iter().sum::<f64>() / ROUNDS as f64;
                let bound = 4.0 * (variance / ROUNDS as f64).sqrt();
                assert!((mean - truth).abs() < bound, "b = {b}, {truth}: {mean} ± {bound}");
                let squares = estimates.iter().map(|x| (x - truth).powi(2)).sum::<f64>();
                let spread = squares / ROUNDS as f64 / variance;
                assert!((0.4..2.0).contains(&spread), "b = {b}, {truth}: {spread} times as much");
            }
        }
    }

    #[test]
    fn an_image_has_b_bits_for_each_permutation() {
        let text = sentences(1, 100);
        for (b, n_bytes) in [(1, 18), (3, 54), (32, 576)] {
            let given = [("b", json!(b)), ("bands", json!(12)), ("rows", json!(12))];
            let trial = Trial::new("bbit-minhash", Profile::Retold, &given, &[&text]);
            let image: PackedRows = trial.image(&text).expect("there are words");
            assert_eq!((image.len(), image.as_bytes().len()), (144, n_bytes));
        }
    }

    #[test]
    fn near_copies_are_found_and_the_threshold_decides() {
        // The resemblance of the first two is 680/720, that of the first and the third 350/1050.
        let texts =
            [numbered(0..704), numbered(20..724), numbered(350..1054), numbered(5000..5704)];
        for profile in Profile::ALL {
            let found = |threshold: f64| {
                let given = [("threshold", json!(threshold))];
                Trial::new("bbit-minhash", profile, &given, &texts).kinds()
            };
            let near = (0, 1, Kind::NearDuplicate);
            assert_eq!(found(0.55), [near], "{profile:?}");
            assert_eq!(found(1.0), [], "{profile:?}");
        }
    }

    #[test]
    fn a_document_shorter_than_a_run_has_no_image() {
        let trial = Trial::new("bbit-minhash", Profile::Paper, &[], &["four words are few"]);
        assert_eq!(trial.images::<PackedRows>(), [None]);
    }
}
