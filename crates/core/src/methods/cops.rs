//! COPS: sentences registered by their hashes; a document that shares too many is a violation.
//!
//! # What it finds
//! Documents that have whole sentences in common, in any order: partial copies, containments and
//! near-duplicates. A sentence in which one word was changed is another sentence.
//! # How it works
//! The sentences of a document, its units, are put together to chunks
//! ([`chunks`](crate::features::chunks)): `cops-a` one unit each; `cops-b` `k` units without
//! overlap; `cops-c` `k` units from every start; `cops-d` from one hashed breakpoint to the next,
//! every `k` units on average. Chunks are hashed and counted in inverted lists, the registration
//! server ([`overlap`](crate::candidates::overlap)). It is a violation if more than a threshold
//! of the chunks of either document is in the other; how they relate follows from the shares
//! ([`graded`](crate::candidates::graded)).
//! # Parameters
//! `chunking` = a, `k` = 3 units for the others. `threshold` = relative with `share` = 0.05, the
//! example its authors give; `absolute` counts `common` chunks. Both have to be exceeded.
//! `splitter` = `sd` in profile `paper`: sentences end at `. ; ! ?` and their Chinese forms; profile
//! `retold` has `natural`, which does not split at abbreviations, initials and decimals. `containment` = 0.6 of the
//! chunks make a violation a containment.
//! # Cost
//! One hash for every chunk, 8 bytes each, twice.
//! # Where we differ from the papers
//! The delimiters, `k` and the number of common chunks are ours. The last chunk of b may be
//! short, and a document of fewer than `k` units is one chunk in c, otherwise it would have none.
//! Hashes have 64 bits and are not salted. In the product's setting pairs are then aligned on
//! the documents.
//! # Reference
//! Brin, Davis, Garcia-Molina: Copy detection mechanisms for digital documents, SIGMOD 1995.

use super::overlaps::Threshold;
use super::{Form, Method, Recall, Skip, Spec};
use crate::candidates::graded::Graded;
use crate::candidates::overlap::{By, Limits, Overlap};
use crate::features::chunks::{Chunking, sequence};
use crate::features::reading::Reading;
use crate::image::feature_set::FeatureSet;
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::segment::sentence::Delimiters;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "cops",
    title: "hashed sentences and chunks of sentences (COPS)",
    finds: &Kind::ALL,
    approximate: Some("a changed word hides its sentence, and its whole chunk."),
    forms: &[
        Form {
            name: "cops-a",
            about: "one sentence a chunk",
            parameters: &[("chunking", "\"a\"")],
        },
        Form {
            name: "cops-b",
            about: "k sentences a chunk, without overlap",
            parameters: &[("chunking", "\"b\"")],
        },
        Form {
            name: "cops-c",
            about: "k sentences a chunk, from every start",
            parameters: &[("chunking", "\"c\"")],
        },
        Form {
            name: "cops-d",
            about: "chunks between hashed breakpoints",
            parameters: &[("chunking", "\"d\"")],
        },
    ],
    recall: Recall { percent: 55, why: "whole sentences" },
    skips: &[Skip::cases(
        &[
            "one word five hundred times against two hundred times",
            "thai with the last phrase changed",
        ],
        "one sentence in each, and they differ",
    )],
    ..Spec::of::<Cops>(include_str!("cops.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// which sentences make a chunk
        chunking: Chunking = Chunking::A;
        /// sentences in a chunk; a has one
        k: usize = 3, in 1..=64;
        /// what ends a sentence
        splitter: Delimiters = Delimiters::Natural, paper Delimiters::Sd;
        /// whether a number (`common`) or a share (`share`) of chunks decides
        threshold: Threshold = Threshold::Relative;
        /// common chunks that have to be exceeded
        common: usize = 10, in 1..=u32::MAX as usize, permissive down to 5;
        /// share of a document's chunks that has to be exceeded
        share: f64 = 0.05, in SHARE, permissive down to 0.02;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct Cops {
    config: Config,
}

impl Method for Cops {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Graded<Overlap>;
    const SPEC: &'static Spec = &SPEC;

    fn new(config: Config, _: u64) -> Self {
        Self { config }
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let words = &reading.words.hashes;
        let sentences = reading.sentences(self.config.splitter);
        let units: Vec<u64> = sentences.into_iter().map(|range| sequence(&words[range])).collect();
        let chunks = self.config.chunking.of(&units, self.config.k);
        (!chunks.is_empty()).then(|| FeatureSet::new(chunks))
    }

    fn meeting(&self, rule: Rule) -> Graded<Overlap> {
        let Config { threshold, common, share, limits, .. } = self.config;
        let decision = threshold.reached(common, Kind::Partial, By::Containment, share).strictly();
        Graded::new(Overlap::new(decision, limits), rule.containment)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::Trial;
    use super::*;
    use crate::methods::Profile;

    fn pairs(texts: &[&str], given: &[(&str, serde_json::Value)]) -> Vec<(u32, u32, Kind)> {
        Trial::new("cops", Profile::Paper, given, texts).kinds()
    }

    const FIVE: &str = "Ships came in. Nobody saw them! Was it late? It was. All slept.";

    #[test]
    fn shared_sentences_are_found_in_any_order_and_form() {
        let moved = "All slept. Nobody saw them. SHIPS CAME IN? It was... Was it late";
        assert_eq!(pairs(&[FIVE, moved], &[]), [(0, 1, Kind::NearDuplicate)]);
        for chunking in ["b", "c"] {
            assert_eq!(pairs(&[FIVE, moved], &[("chunking", json!(chunking))]), [], "{chunking}");
        }
        for chunking in ["a", "b", "c", "d"] {
            let given = [("chunking", json!(chunking))];
            let found = pairs(&[FIVE, "ships came in, nobody", FIVE], &given);
            assert_eq!(found, [(0, 2, Kind::NearDuplicate)], "{chunking}");
        }
    }

    #[test]
    fn an_insertion_shifts_fixed_chunks_and_not_hashed_ones() {
        let sentences: Vec<String> = (0..60).map(|i| format!("sentence number {i}.")).collect();
        let (plain, longer) = (sentences.concat(), format!("New.{}", sentences.concat()));
        let with = |chunking: &str| pairs(&[&plain, &longer], &[("chunking", json!(chunking))]);
        assert_eq!(with("b"), []);
        assert_eq!(with("c"), [(0, 1, Kind::NearDuplicate)]);
        assert_eq!(with("d"), [(0, 1, Kind::NearDuplicate)]);
    }

    #[test]
    fn the_threshold_has_to_be_exceeded() {
        // One of twenty sentences is 5 %, one of nineteen is more.
        let text = |own: &str, n: usize| -> String {
            (1..n).map(|i| format!("{own} says {i}. ")).chain(["All agree.".to_owned()]).collect()
        };
        let (a, b) = (text("Ada", 20), text("Bob", 20));
        assert_eq!(pairs(&[&a, &b], &[]), []);
        assert_eq!(pairs(&[&a, &text("Bob", 19)], &[]), [(0, 1, Kind::Partial)]);
        let absolute = |n: u32| [("threshold", json!("absolute")), ("common", json!(n))];
        assert_eq!(pairs(&[FIVE, FIVE], &absolute(4)), [(0, 1, Kind::NearDuplicate)]);
        assert_eq!(pairs(&[FIVE, FIVE], &absolute(5)), []);
    }

    #[test]
    fn a_document_without_a_word_has_no_image() {
        let trial = Trial::new("cops", Profile::Retold, &[], &["...", ""]);
        assert_eq!(trial.images::<FeatureSet>(), [None, None]);
    }
}
