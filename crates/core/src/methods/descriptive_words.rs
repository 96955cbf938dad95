//! Descriptive words: a few words of the collection give every document a signature.
//!
//! # What it finds
//! Near-duplicates: documents in which the same words of a small lexicon are frequent. The order of
//! words does not matter.
//! # How it works
//! A lexicon of few words that together cover most documents is chosen from the collection. Each
//! word has a threshold of its own, which is a share of a document's words. The threshold is put
//! where few documents lie near it, because near it a change of one word flips the bit
//! ([`descriptive`](crate::image::descriptive)). The signature of a document has one bit for each
//! word of the lexicon: whether the word reaches its threshold. Documents with equal signatures are
//! near-duplicates ([`equal`](crate::candidates::equal)).
//! # Parameters
//! The lexicon has at most `words` = 3000 words. Words are added, those whose bits flip least often
//! first, until documents have `mean_bits` = 4 set bits on average: more bits tell documents apart
//! better, but flip more often. A word's bit has to be set in at least `least_share` = 0.0005 of
//! the documents, and at least in two; and in at most `most_share` = 0.5 of them, where up to 100
//! documents are never too many. Documents with fewer than `least_bits` = 1 set bits have no
//! signature. `most_bucket` limits how many documents of one signature answer.
//! # Cost
//! One pass counts how every word of a document stands to the thresholds, and a second makes the
//! signatures, 8 bytes a document. Linear in the collection.
//! # Where we differ from the papers
//! The paper describes a signature made of N chosen words of the index. The thresholds of the
//! words, the shares to choose them from (one word in 512, 256, 128, 64 or 32), what counts as
//! near, and all numbers are ours. In profile `paper`, the stop words of the document's language
//! are left out; in profile `retold`, `most_share` keeps frequent words out of the lexicon. The
//! lexicon is chosen from the documents of the run, or from an idf table made for the method. In
//! profile `retold`, the pairs found are then verified on the documents themselves.
//! # Reference
//! Ilyinsky, Kuzmin, Melkov, Segalovich: An efficient method to detect duplicates of Web documents
//! with the use of inverted index, WWW 2002.

use std::ops::Bound;

use super::{Method, Profile, Recall, Skip, Spec, text};
use crate::candidates::equal::{Equal, Signatures};
use crate::features::derived::Derived;
use crate::features::reading::Reading;
use crate::features::{Places, TextSettings};
use crate::image::descriptive::{Choice, Lexicon, each_standing};
use crate::parameters::{Limit, SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "descriptive-words",
    title: "signatures of a few descriptive words",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some(
        "one turned bit hides a pair; documents with few descriptive words have no signature.",
    ),
    recall: Recall { percent: 40, why: "one signature of a few words" },
    skips: &[Skip::kinds(
        &[Kind::Contains, Kind::Contained, Kind::Partial],
        "documents of the same frequent words only, by definition",
    )],
    ..Spec::of::<DescriptiveWords>(include_str!("descriptive_words.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words in the lexicon at most
        words: usize = 3000, in 1..=1 << 16;
        /// bits of documents on average
        mean_bits: f64 = 4.0, in (Bound::Excluded(0.0), Bound::Unbounded);
        /// share of the documents that must have a word's bit
        least_share: f64 = 0.0005, in SHARE;
        /// share of the documents that may have a word's bit
        most_share: f64 = 0.5, in SHARE;
        /// bits a signature has at least
        least_bits: usize = 1, in 1..=1 << 16;
        /// documents of one signature that answer
        most_bucket: Limit = Limit::at(1000), paper Limit::NONE, in 1..;
    }
}

/// The method.
pub(super) struct DescriptiveWords {
    config: Config,
    choice: Choice,
    lexicon: Derived<Lexicon>,
}

impl Method for DescriptiveWords {
    type Config = Config;
    type Image = Signatures;
    type Meeting = Equal;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn text(profile: Profile) -> TextSettings {
        text::without_stop_words(profile)
    }

    fn new(config: Config, _: u64) -> Self {
        let Config { words: n_words, mean_bits, least_share, most_share, .. } = config;
        let choice = Choice { n_words, mean_bits, least_share, most_share };
        Self { config, choice, lexicon: Derived::default() }
    }

    fn needs_counts(&self) -> bool {
        true
    }

    fn counts_words(&self) -> bool {
        false
    }

    fn count(&self, reading: &Reading<'_>, each: &mut dyn FnMut(u64)) {
        each_standing(&reading.words.hashes, each);
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Signatures> {
        let counts = reading.counts();
        let lexicon = self.lexicon.get(counts, || Lexicon::choose(counts, self.choice));
        let signature = lexicon.signature(&reading.words.hashes, self.config.least_bits)?;
        Some(Signatures::one(&signature.to_le_bytes()))
    }

    fn meeting(&self, _: Rule) -> Equal {
        Equal::new(self.config.most_bucket.get())
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, sentences};
    use super::*;

    /// A text of some words again and again among words of its own.
    fn about(topics: &[&str], number: u64) -> String {
        let own = sentences(number, 90);
        let words = own.split(' ').zip(topics.iter().cycle());
        words.flat_map(|(word, topic)| [word, " ", topic, " "]).collect()
    }

    #[test]
    fn near_copies_have_equal_signatures_and_other_documents_have_others() {
        let ships = about(&["harbour", "vessel", "cargo", "crew"], 1);
        let edited = ships.replacen("harbour", "quay", 1) + "cargo came late";
        let mills = about(&["flour", "cargo", "wheel", "river"], 2);
        let texts = [ships.as_str(), &mills, &edited, &about(&["flour", "wheel", "miller"], 3)];
        for profile in Profile::ALL {
            let trial = Trial::new("descriptive-words", profile, &[], &texts);
            assert_eq!(trial.kinds(), [(0, 2, Kind::NearDuplicate)], "{profile:?}");
        }
    }

    #[test]
    fn equal_words_have_equal_signatures_whatever_their_order() {
        let one = about(&["harbour", "vessel", "cargo"], 1);
        let mut words: Vec<&str> = one.split_whitespace().collect();
        words.reverse();
        let texts = [one.clone(), words.join(" "), one];
        let trial = Trial::new("descriptive-words", Profile::Paper, &[], &texts);
        let images = trial.images::<Signatures>();
        assert!(images[0].is_some() && images.windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn a_method_used_for_another_collection_chooses_anew() {
        let first =
            [about(&["harbour", "vessel", "cargo"], 1), about(&["harbour", "vessel", "cargo"], 2)];
        let second =
            [about(&["flour", "wheel", "river"], 3), about(&["flour", "wheel", "river"], 4)];
        let trial = Trial::new("descriptive-words", Profile::Paper, &[], &first);
        assert_eq!(trial.numbers(), [(0, 1)]);
        assert_eq!(trial.on(&second).numbers(), [(0, 1)]);
    }
}
