//! Edit distance: how few words must change to turn one document into another.
//!
//! # What it finds
//! Near-duplicates among small documents, in the order of their words: the strictest reading of
//! "the same with small changes". A moved paragraph costs its whole length.
//! # How it works
//! Levenshtein's distance d over words, inserted, left out or replaced
//! ([`edit`](crate::image::edit)); the similarity is 1 - d / max(length) and must reach
//! `threshold`. A pair that reaches it shares that much of the longer one's words, repeats
//! included and whatever their order ([`bag`](crate::image::bag)), and its lengths differ little;
//! documents are looked up by rare words to find such pairs
//! ([`weighted`](crate::candidates::weighted)). Only they are compared, and a comparison ends
//! where the distance gets too large.
//! # Parameters
//! `threshold` = 0.6, in profile `paper` 0.8. `most_words` = 2000: longer documents are not judged.
//! `stop` = 1000 documents of similar length that one word answers with, `most_reads` = 200,000
//! list entries and `most_partners` = 1000 compared documents in one search; profile `paper` knows
//! no limits.
//! # Cost
//! A comparison of n words at distance d takes n + d² steps in most cases. Without limits,
//! documents that share many words make it grow with the square of the collection.
//! # Where we differ from the papers
//! The papers name the measure for small pairs without giving a threshold or a size; these are
//! ours. Filters skip only pairs that cannot reach the threshold.
//! # Reference
//! Levenshtein, 1966; Ukkonen: Algorithms for approximate string matching, 1985; named by Wang,
//! Chang: Exploiting sentence-level features for near-duplicate document detection, AIRS 2009.

use super::{Method, Recall, Skip, Spec};
use crate::candidates::Judgement;
use crate::candidates::weighted::{Limits, Measure, Reach, Weighted};
use crate::encode::{Encoded, Input, put_number};
use crate::features::Places;
use crate::features::reading::Reading;
use crate::image::bag::{self, Bag, Mass, Prefix};
use crate::image::edit;
use crate::parameters::{SHARE, parameters};
use crate::relation::{Kind, Score, Scores};
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "edit-distance",
    title: "words to change, for small documents",
    finds: &[Kind::Exact, Kind::NearDuplicate],
    approximate: Some(
        "candidates: documents of more than most_words words are not judged; where a limit of \
         work is reached, pairs are left out and counted.",
    ),
    recall: Recall { percent: 50, why: "by similarity of whole documents" },
    skips: &[
        Skip::kinds(
            &[Kind::Contains, Kind::Contained, Kind::Partial],
            "the distance is over the longer text; a part is far from the whole",
        ),
        Skip::cases(
            &[
                "all sentences in the opposite order",
                "every second sentence moved to the end",
                "one paragraph moved to the end",
            ],
            "moved text counts as removed and added: the distance knows no moves",
        ),
        Skip::cases(
            &["one word five hundred times against two hundred times"],
            "three hundred words more or less are a large distance",
        ),
    ],
    ..Spec::of::<EditDistance>(include_str!("edit_distance.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// share of the longer document that stays, from which documents match
        threshold: f64 = 0.6, paper 0.8, in SHARE, permissive down to 0.4;
        /// words of the longest document judged
        most_words: usize = 2000, in 1..=20_000;
        ..limits: Limits;
    }
}

/// The method.
pub(super) struct EditDistance {
    config: Config,
}

/// A document: its words in order, by their keys in the bag, and the bag.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sequence {
    words: Box<[u64]>,
    bag: Bag,
}

/// The bag, and for every word its place in there.
impl Encoded for Sequence {
    fn encode(&self, out: &mut Vec<u8>) {
        self.bag.encode(out);
        put_number(self.words.len() as u64, out);
        for word in &self.words {
            let place = self.bag.keys().partition_point(|key| key < word);
            put_number(place as u64, out);
        }
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let bag = Bag::decode(input)?;
        let n = input.count()?;
        let mut word = || bag.keys().get(usize::try_from(input.number()?).ok()?).copied();
        let words = (0..n).map(|_| word()).collect::<Option<_>>()?;
        Some(Self { words, bag })
    }
}

impl Method for EditDistance {
    type Config = Config;
    type Image = Sequence;
    type Meeting = Weighted<Stays>;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;

    fn new(config: Config, _: u64) -> Self {
        Self { config }
    }

    fn needs_counts(&self) -> bool {
        true // Rare words are looked up first.
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Sequence> {
        let words = &reading.words.hashes;
        if words.len() > self.config.most_words {
            return None;
        }
        let df = |hash| reading.counts().df(hash);
        let prefix = Prefix::of_share(self.config.threshold);
        let bag = Bag::count(words.clone(), Mass::Weight, prefix, df, |n, _| f64::from(n))?;
        Some(Sequence { words: words.iter().map(|&hash| bag::key(hash, df(hash))).collect(), bag })
    }

    fn meeting(&self, _: Rule) -> Weighted<Stays> {
        Weighted::new(Stays(self.config.threshold), self.config.limits)
    }
}

/// The measure: at least this share of the longer document stays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stays(f64);

impl Measure for Stays {
    type Image = Sequence;

    fn bag<'a>(&self, image: &'a Sequence) -> &'a Bag {
        &image.bag
    }

    fn reach(&self) -> Reach {
        Reach::OfSize { least: self.0 }
    }

    fn judge(&self, a: &Sequence, b: &Sequence) -> Option<Judgement> {
        let longer = a.words.len().max(b.words.len());
        #[expect(clippy::cast_sign_loss, reason = "the threshold is at most 1")]
        let most = ((1.0 - self.0) * longer as f64 + 1e-6) as usize;
        // Every edit takes away one word that both have, at most.
        a.bag.common(&b.bag, (longer - most) as f64)?;
        let distance = edit::distance(&a.words, &b.words, most)?;
        let stays = Score::share(longer - distance, longer);
        let scores = Scores { resemblance: stays, a_in_b: stays, b_in_a: stays };
        (stays.get() >= self.0).then_some(Judgement { kind: Kind::NearDuplicate, scores })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::trial::{Trial, copies};
    use super::*;
    use crate::encode::{from_bytes, to_bytes};
    use crate::methods::Profile;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn filters_skip_only_pairs_that_cannot_match(seed in any::<u64>(), threshold in 0.05f64..=1.0) {
            let mut collection = copies(12, 20, seed);
            let part = |text: &String| text.split(' ').skip(3).collect::<Vec<_>>().join(" ");
            collection.extend(collection.clone().iter().step_by(3).map(part));
            let given = [("threshold", json!(threshold))];
            let trial = Trial::new("edit-distance", Profile::Paper, &given, &collection);
            let expected = trial.compared(|a: &Sequence, b| {
                let longer = a.words.len().max(b.words.len());
                let distance = edit::distance(&a.words, &b.words, longer).expect("no limit");
                (longer - distance) as f64 / longer as f64 >= threshold
            });
            prop_assert_eq!(trial.numbers(), expected);
        }
    }

    #[test]
    fn one_word_of_ten_leaves_nine_tenths() {
        let both = ["one two three four five six seven eight nine ten"; 2];
        let changed = both[1].replace("five", "cinq");
        let texts = [both[0], &changed];
        let given = [("threshold", json!(0.9))];
        let pairs = Trial::new("edit-distance", Profile::Paper, &given, &texts).pairs();
        assert_eq!(pairs.len(), 1, "the threshold itself is enough");
        assert!((pairs[0].scores.resemblance.get() - 0.9).abs() < 1e-12);
    }

    #[test]
    fn a_document_comes_back_as_it_was() {
        let trial = Trial::new("edit-distance", Profile::Paper, &[], &copies(6, 40, 5));
        for image in trial.images::<Sequence>() {
            let image = image.expect("there are words");
            assert_eq!(image.words.len(), 40);
            assert_eq!(from_bytes(&to_bytes(&image)), Some(image));
        }
    }

    #[test]
    fn long_documents_are_not_judged() {
        let given = [("most_words", json!(3))];
        let trial = Trial::new("edit-distance", Profile::Retold, &given, &["a b c d"]);
        let is_judged = |text: &str| trial.image::<Sequence>(text).is_some();
        assert!(!is_judged("a b c d") && !is_judged("") && is_judged("a b c"));
    }
}
