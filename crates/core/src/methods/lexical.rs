//! Lexical images: the words of a document that are neither too rare nor too common.
//!
//! # What it finds
//! Near-duplicates: documents with nearly the same vocabulary, whatever its order. Texts of one
//! kind, say reports of the same office, resemble each other too.
//! # How it works
//! Stop words are left out, and of the other words those are kept whose frequency in the collection
//! lies in an interval; the interval is narrowed to make the dictionary smaller. The kept words are
//! the units of the image, and documents are compared by the units they have in common
//! ([`overlap`](crate::candidates::overlap)), as with images of word runs.
//! # Parameters
//! A word is kept if at least `least_df` = 2 documents and at most `most_df_share` = 0.1 of them
//! hold it (up to 100 documents are never too many). `frequency` = collection counts occurrences
//! instead of documents, in the same interval. `threshold` = relative: `share` = 0.85 of the larger
//! vocabulary in the paper's setting, 0.6 here; `absolute` asks for `common` words.
//! # Cost
//! One pass to count words and one to make images; 8 bytes for every kept word, twice.
//! # Where we differ from the papers
//! The frequency is that of documents: the paper does not say which. Its list of stop words, some
//! thirty articles, prepositions and pronouns, is not given: ours is the list of the document's
//! language, and can be set; the product's setting has none, since stop words are too common anyway
//! and documents are aligned with all their words. Interval and thresholds are ours. With a table
//! of frequencies made beforehand, words that the table does not hold are too rare.
//! # Reference
//! Ignatov, Jánosi-Rancz, Kuznetsov: Towards a framework for near-duplicate detection in document
//! collections based on closed sets of attributes, 2009, section 2.1.

use serde::{Deserialize, Serialize};

use super::overlaps::Threshold;
use super::{Method, Profile, Recall, Skip, Spec, text};
use crate::candidates::overlap::{By, Limits, Overlap};
use crate::features::reading::Reading;
use crate::features::{Places, TextSettings};
use crate::image::feature_set::FeatureSet;
use crate::parameters::{SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// A word that so many documents hold is never too common: of few documents a share says nothing.
const FEW_DOCUMENTS: u32 = 100;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "lexical",
    title: "words of middling frequency in common",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some("words too rare or too common are not looked at."),
    recall: Recall { percent: 50, why: "by similarity of whole documents" },
    skips: &[Skip::kinds(
        &[Kind::Contains, Kind::Contained, Kind::Partial],
        "compares whole vocabularies",
    )],
    ..Spec::of::<Lexical>(include_str!("lexical.rs"))
};

/// What is counted of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Frequency {
    /// Documents that hold it.
    Document,
    /// Occurrences in all documents.
    Collection,
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// what is counted of a word
        frequency: Frequency = Frequency::Document;
        /// smallest frequency of a kept word
        least_df: usize = 2, in 1..=u32::MAX as usize;
        /// largest frequency, as a share of the documents; 100 is never too much
        most_df_share: f64 = 0.1, in SHARE;
        /// whether a number (`common`) or a share (`share`) of words decides
        threshold: Threshold = Threshold::Relative;
        /// common words from which documents are related
        common: usize = 85, in 1..=u32::MAX as usize, permissive down to 40;
        /// common share of the larger image
        share: f64 = 0.6, paper 0.85, in SHARE, permissive down to 0.4;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct Lexical {
    config: Config,
}

impl Method for Lexical {
    type Config = Config;
    type Image = FeatureSet;
    type Meeting = Overlap;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn text(profile: Profile) -> TextSettings {
        text::without_stop_words(profile)
    }

    fn new(config: Config, _: u64) -> Self {
        Self { config }
    }

    fn needs_counts(&self) -> bool {
        true
    }

    fn counts_words(&self) -> bool {
        self.config.frequency == Frequency::Document
    }

    fn count(&self, reading: &Reading<'_>, each: &mut dyn FnMut(u64)) {
        let mut words = reading.words.hashes.clone();
        words.sort_unstable();
        // A word handed over as often as it stands here is counted as often.
        if self.config.frequency == Frequency::Document {
            words.dedup();
        }
        words.into_iter().for_each(each);
    }

    fn image(&self, reading: &Reading<'_>) -> Option<FeatureSet> {
        let counts = reading.counts();
        let most = self.config.most_df_share * counts.n_documents() as f64;
        let mut words = reading.words.hashes.clone();
        words.sort_unstable();
        words.dedup();
        words.retain(|&word| {
            let n = counts.df(word);
            n as usize >= self.config.least_df && (n <= FEW_DOCUMENTS || f64::from(n) <= most)
        });
        (!words.is_empty()).then(|| FeatureSet::new(words))
    }

    fn meeting(&self, _: Rule) -> Overlap {
        let Config { threshold, common, share, limits, .. } = self.config;
        Overlap::new(threshold.reached(common, Kind::NearDuplicate, By::Mutual, share), limits)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::trial::{Trial, sentences};
    use super::*;

    fn n_kept(texts: &[impl AsRef<str>], given: &[(&str, Value)]) -> Vec<usize> {
        let images = Trial::new("lexical", Profile::Paper, given, texts).images::<FeatureSet>();
        images.iter().map(|image| image.as_ref().map_or(0, FeatureSet::len)).collect()
    }

    #[test]
    fn stop_words_and_words_of_one_document_are_left_out() {
        let texts = [
            "The ships were in the harbour, and they waited for the wind.",
            "The harbour was full of ships, and it rained.",
        ];
        // Common to both, and no stop words: ships, harbour.
        assert_eq!(n_kept(&texts, &[]), [2, 2]);
        let words_of_one = n_kept(&texts, &[("least_df", json!(1))]);
        assert!(words_of_one[0] > 2 && words_of_one[1] > 2);
    }

    #[test]
    fn the_frequency_is_of_documents_or_of_the_collection() {
        let texts = ["harbour harbour ships", "wind"];
        assert_eq!(n_kept(&texts, &[]), [0, 0]);
        assert_eq!(n_kept(&texts, &[("frequency", json!("collection"))]), [1, 0]);
    }

    #[test]
    fn words_that_too_many_documents_hold_are_left_out() {
        let texts: Vec<String> = (0..300)
            .map(|i| format!("harbour {}", if i % 2 == 0 { "tide" } else { "dune" }))
            .collect();
        assert_eq!(n_kept(&texts, &[("most_df_share", json!(0.6))])[0], 1);
        assert_eq!(n_kept(&texts, &[("most_df_share", json!(1.0))])[0], 2);
        assert_eq!(n_kept(&texts[..100], &[])[0], 2, "100 documents are never too many");
    }

    #[test]
    fn documents_of_the_same_words_in_any_order_are_near_duplicates() {
        let one = sentences(1, 200);
        let mut moved: Vec<&str> = one.split_inclusive(". ").collect();
        moved.reverse();
        let texts = [one.clone(), moved.concat(), sentences(1, 100)];
        let pairs =
            |given: &[(&str, Value)]| Trial::new("lexical", Profile::Paper, given, &texts).kinds();
        assert_eq!(pairs(&[]), [(0, 1, Kind::NearDuplicate)]);
        let absolute = [("threshold", json!("absolute")), ("common", json!(50))];
        assert_eq!(pairs(&absolute).len(), 3);
    }
}
