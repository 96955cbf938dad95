//! SL-FP: fingerprints of sentences, ranked by how rare they are.
//!
//! # What it finds
//! Documents that share whole sentences with another, best first: near-duplicates, containments and
//! partial copies. A sentence in which one word was changed is another sentence.
//! # How it works
//! Every sentence is one fingerprint. In profile `paper`, `sl-fp` splits at nearly all punctuation
//! (`wide`), so its pieces are short and many stand in unrelated documents; `sl-fp-sd` splits at
//! `. ; ! ?` only (`sd`). A document's score for a query is the share of the query's distinct
//! fingerprints that it holds, each weighted by idf: score(d) = Σ bᵢ·idfᵢ / Σ idfᵢ
//! ([`overlap`](crate::candidates::overlap)).
//! # Parameters
//! `splitter` = `wide` in profile `paper`; with `sd` the paper had the better results. Profile
//! `retold` has `natural`, which does not split at abbreviations, initials and decimals. `repeats` =
//! `once`: a sentence that a document repeats counts once, or `kept`: every time. `weights` = idf,
//! ln(N / max(df, 1)) over the documents of the collection or of a table, or `uniform`. The paper ranks all
//! documents with a fingerprint in common, so in its setting they are all reported, as partial
//! copies (`partial_from` = 1), and as containments from a score of `threshold` = 0.6, which is
//! ours. The product's setting has `weights` = uniform, because in a small collection what
//! documents share is not rare, and looks at documents from a `threshold` of 0.1 or with
//! `partial_from` = 3 sentences in common.
//! # Cost
//! One hash for every sentence, 8 bytes each, twice.
//! # Where we differ from the papers
//! Fingerprints are 64-bit hashes of a sentence's words instead of SHA-1: they are only compared.
//! The formulas are reconstructed: a fingerprint that no document holds has df 1 and counts in the
//! denominator with its full weight, and vectors are binary, so repeats count once. With repeats
//! kept, a line that a query made of many documents has in all of them outweighs what is its own.
//! The delimiters beyond those named are their typographic and
//! Chinese forms; pieces without a word are skipped. In the product's setting pairs are then
//! aligned on the documents.
//! # Reference
//! Wang, Chang: Exploiting sentence-level features for near-duplicate document detection, AIRS
//! 2009, as SL-FP and SL-FP-SD, formula 3.

use super::overlaps;
use super::{Form, Method, Recall, Skip, Spec};
use crate::candidates::overlap::{Decision, Limits, Overlap, Weights};
use crate::features::chunks::sequence;
use crate::features::reading::Reading;
use crate::image::feature_set::{FeatureSet, Repeats};
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::segment::sentence::Delimiters;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "sl-fp",
    title: "fingerprints of sentences, ranked (SL-FP)",
    finds: &Kind::ALL,
    approximate: Some("a changed word hides its sentence."),
    forms: &[Form {
        name: "sl-fp-sd",
        about: "sentences end at . ; ! ? only",
        parameters: &[("splitter", "\"sd\"")],
    }],
    recall: Recall { percent: 55, why: "whole sentences" },
    skips: &[Skip::cases(
        &[
            "one word five hundred times against two hundred times",
            "thai with the last phrase changed",
        ],
        "one sentence in each, and they differ",
    )],
    ..Spec::of::<SlFp>(include_str!("sl_fp.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// what ends a sentence
        splitter: Delimiters = Delimiters::Natural, paper Delimiters::Wide;
        /// how often a repeated sentence of a document counts in its score
        repeats: Repeats = Repeats::Once;
        /// what a sentence weighs
        weights: Weights = Weights::Uniform, paper Weights::Idf;
        /// score that makes a containment
        threshold: f64 = 0.1, paper 0.6, in SHARE, permissive down to 0.3;
        /// common features from which documents below the threshold count as partial copies, 0 for
        /// never
        partial_from: usize = 3, paper 1, in 0..=u32::MAX as usize;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct SlFp {
    config: Config,
}

impl Method for SlFp {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Overlap;
    const SPEC: &'static Spec = &SPEC;

    fn new(config: Config, _: u64) -> Self {
        Self { config }
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let fingerprints = self.fingerprints(reading);
        (!fingerprints.is_empty()).then(|| {
            let set = FeatureSet::counted(fingerprints).with_repeats(self.config.repeats);
            overlaps::weighed(set, self.needs_counts(), reading)
        })
    }

    fn needs_counts(&self) -> bool {
        self.config.weights == Weights::Idf
    }

    fn counts_words(&self) -> bool {
        false
    }

    fn count(&self, reading: &Reading<'_>, each: &mut dyn FnMut(u64)) {
        FeatureSet::new(self.fingerprints(reading)).each_stored(each);
    }

    fn meeting(&self, _: Rule) -> Overlap {
        let Config { threshold, weights, partial_from, limits, .. } = self.config;
        let decision = Decision::score(threshold, weights).partial_from(partial_from as u32);
        Overlap::new(decision, limits)
    }
}

impl SlFp {
    /// Returns the fingerprint of every sentence.
    fn fingerprints(&self, reading: &Reading<'_>) -> Vec<u64> {
        let words = &reading.words.hashes;
        let sentences = reading.sentences(self.config.splitter);
        sentences.into_iter().map(|range| sequence(&words[range])).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::trial::Trial;
    use super::*;
    use crate::methods::Profile;

    fn sentences(text: &str, splitter: &str) -> Vec<usize> {
        let trial = Trial::new("sl-fp", Profile::Paper, &[("splitter", json!(splitter))], &[text]);
        trial.images::<FeatureSet>().iter().flatten().map(FeatureSet::len).collect()
    }

    #[test]
    fn the_two_splitters_give_the_sentences_of_the_specification() {
        // The text of T-FS: five pieces, or three.
        let text = r#"Hello, world! This is a test; "quoted words here" end."#;
        assert_eq!(sentences(text, "wide"), [5]);
        assert_eq!(sentences(text, "sd"), [3]);
    }

    #[test]
    fn rare_sentences_weigh_more() {
        // The sentences of the last document stand in 3, 2, 1 and 1 documents.
        let texts =
            ["Once more. Night fell.", "Once more. Rain came.", "Once more. Night fell. Up. So."];
        let found = Trial::new("sl-fp", Profile::Paper, &[], &texts).pairs();
        // So they weigh 0, ln(3/2), ln 3 and ln 3.
        let (night, own) = (1.5f64.ln(), 3f64.ln());
        let kinds: Vec<_> = found.iter().map(|pair| (pair.a, pair.b, pair.kind)).collect();
        let expected = [(0, 1, Kind::Partial), (0, 2, Kind::Contained), (1, 2, Kind::Partial)];
        assert_eq!(kinds, expected, "all that have a sentence in common");
        assert!((found[1].scores.a_in_b.get() - 1.0).abs() < 1e-9);
        assert!((found[1].scores.b_in_a.get() - night / (night + 2.0 * own)).abs() < 1e-9);
        assert!(found[0].scores.a_in_b.get().abs() < 1e-9, "what everybody has weighs nothing");
        let given = [("weights", json!("uniform"))];
        let uniform = Trial::new("sl-fp", Profile::Paper, &given, &texts).pairs();
        let shares: Vec<f64> = uniform.iter().map(|x| x.scores.b_in_a.get()).collect();
        assert_eq!(shares, [0.5, 0.5, 0.25]);
    }

    #[test]
    fn repeats_in_a_query_count_once_unless_they_are_kept() {
        let texts = ["Yes. No.", "Yes. Yes. Yes. Perhaps."];
        for form in ["sl-fp", "sl-fp-sd"] {
            for (repeats, expected) in [("once", (0.5, 0.5)), ("kept", (0.5, 0.75))] {
                let given = [("weights", json!("uniform")), ("repeats", json!(repeats))];
                let found = Trial::new(form, Profile::Paper, &given, &texts).pairs();
                let scores = found[0].scores;
                assert_eq!(
                    (scores.a_in_b.get(), scores.b_in_a.get()),
                    expected,
                    "{form} {repeats}"
                );
            }
        }
    }

    #[test]
    fn a_few_sentences_in_long_documents_are_a_partial_copy() {
        let long = |name: &str| {
            let sentences: Vec<String> = (0..60).map(|i| format!("{name} writes {i}. ")).collect();
            sentences.concat()
        };
        let common = "It rained on. Nobody came to see it. The lamps went out.";
        let (a, b) = (long("Ada") + common, long("Bob") + common);
        for profile in Profile::ALL {
            let pairs = |given: &[_]| Trial::new("sl-fp", profile, given, &[&a, &b]).kinds();
            assert_eq!(pairs(&[]), [(0, 1, Kind::Partial)]);
            assert_eq!(pairs(&[("partial_from", json!(4))]), []);
        }
    }
}
