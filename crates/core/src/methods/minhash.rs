//! MinHash with banding: the workhorse of web-scale deduplication.
//!
//! # What it finds
//! Near-duplicates of high resemblance. Containment of a small document in a large one has a low
//! resemblance and is mostly missed, by design.
//! # How it works
//! `bands` × `rows` permutations of the runs of `k` words, the smallest value of each
//! ([`minhash`](crate::image::minhash)); documents that agree on a whole band are candidates
//! ([`banding`](crate::candidates::banding)) and are then aligned
//! ([`align`](crate::verify::align)) like those of any other method.
//! # Parameters
//! `k` = 5 words, `bands` = 16, `rows` = 8: half of the pairs of resemblance 0.71 are found.
//! `containment` = 0.6, `passage_words` = 40, `most_bucket` = 1000 documents of one band that
//! answer.
//! # Cost
//! `bands` × `rows` operations a word, 16 bytes a band and document; linear.
//! # Where we differ from the papers
//! Permutations are multiply-add on 64 bits instead of random matrices; candidates are verified
//! on the documents, so estimates are never reported.
//! # Reference
//! Broder: On the resemblance and containment of documents, SEQUENCES 1997; Indyk, Motwani:
//! Approximate nearest neighbors, STOC 1998 (banding).

use serde_json::{Map, Value};

use super::tuning::setting;
use super::{Method, Recall, Skip, Spec};
use crate::candidates::banding::{Banding, Minima};
use crate::features::Places;
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::image;
use crate::parameters::parameters;
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "minhash",
    title: "k permutations with banding",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some(
        "candidates: a pair of resemblance s is missed with probability (1 - s^rows)^bands. \
         Scores and passages are exact.",
    ),
    recall: Recall { percent: 50, why: "by resemblance" },
    skips: &[
        Skip::kinds(
            &[Kind::Contains, Kind::Contained, Kind::Partial],
            "candidates by resemblance; a text that holds another one, or one passage of it, \
             resembles it little",
        ),
        Skip::cases(
            &[
                "every second sentence moved to the end",
                "eight words in a hundred replaced",
                "turkish agency copy with edits",
                "russian with edits",
            ],
            "resemblance below 0.7: 16 bands of 8 rows find fewer than half of such pairs",
        ),
    ],
    ..Spec::of::<MinHash>(include_str!("minhash.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words in a run
        k: usize = 5, in 1..=64;
        /// bands of an image
        bands: usize = 16, in 1..=1024;
        /// permutations in a band
        rows: usize = 8, in 1..=64;
        /// documents in a bucket before it becomes a star
        most_bucket: usize = 1000, in 2..;
    }
}

/// Permutations of a setting that is made for a similarity: twice those of the default.
const MOST_PERMUTATIONS: usize = 256;

/// Returns the probability that documents of a similarity agree on a whole band.
fn chance(similarity: f64, bands: usize, rows: usize) -> f64 {
    1.0 - (1.0 - similarity.powf(rows as f64)).powf(bands as f64)
}

/// The method.
pub(super) struct MinHash {
    config: Config,
    shingles: Shingles,
    family: image::minhash::MinHash,
}

impl Method for MinHash {
    type Config = Config;
    type Image = Vec<u32>;
    type Meeting = Banding<Minima>;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;
    const DECIDES: bool = false;

    fn new(config: Config, seed: u64) -> Self {
        let shingles = Shingles::new(config.k);
        let family = image::minhash::MinHash::new(config.bands * config.rows, seed);
        Self { config, shingles, family }
    }

    fn shingles(&self) -> Shingles {
        self.shingles
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Vec<u32>> {
        let shingles = self.shingles.of(&reading.words.hashes);
        (!shingles.is_empty()).then(|| self.family.image(shingles))
    }

    fn settings(similarity: f64, recall: f64) -> Vec<Map<String, Value>> {
        // The more rows, the fewer strangers meet, and the more bands are needed.
        let of_rows = |rows: usize| {
            let mut bands = 1..=MOST_PERMUTATIONS / rows;
            let bands = bands.find(|&bands| chance(similarity, bands, rows) >= recall)?;
            Some(setting([("bands", bands.into()), ("rows", rows.into())]))
        };
        (1..=32).rev().filter_map(of_rows).collect()
    }

    fn chance(&self, similarity: f64) -> Option<f64> {
        let Config { bands, rows, .. } = self.config;
        Some(chance(similarity, bands, rows))
    }

    fn meeting(&self, _: Rule) -> Banding<Minima> {
        let Config { bands, rows, most_bucket, .. } = self.config;
        Banding::new(Minima, bands, rows, most_bucket)
    }
}
