//! CoDet: containment of news stories, found sentence by sentence while they arrive.
//!
//! # What it finds
//! Stories that are wholly or mostly contained in another story, whether the later one is longer or
//! shorter. Two stories that contain each other are near-duplicates. Stories are compared by the
//! beginnings of their sentences, after the words of each sentence are sorted, the rarest first. So
//! a sentence that was moved is found, and one whose rare words changed is not.
//! # How it works
//! The sentences of all documents share one tree of words
//! ([`tree_paths`](crate::candidates::tree_paths)). On each node that its sentences pass through, a
//! document meets the documents with sentences of the same beginning. The node of the k-th word
//! adds k · idf of the word, so cs(sᵢ, sⱼ) = Σ k · idf over the common beginning of two sentences,
//! and CS is the sum of cs over all pairs of sentences. A document A is contained in C if
//! CS(A, C) / SCS(A) exceeds θ, where SCS(A) = CS(A, A). The image of a document is its own small
//! tree ([`sentence_tree`](crate::image::sentence_tree)), and the trees of documents that share
//! enough nodes are compared. A document that leaves a time window is removed from the nodes it
//! visited.
//! # Parameters
//! `threshold` (θ) = 0.6 in profile `paper`, and 0.2 in profile `retold`, where the documents are
//! compared afterwards; `depth` (DT) = 5 words of a sentence count; `suffixes` (PSC) = 1: with 2 or
//! more, a sentence also counts from its second word on, and so forth; `order` (WS) = `idf`, the
//! rarest words first and equally rare ones by spelling, or `text`; `aggregate` = `sum` as
//! published, or `max`; `idf` = `plain`, ln(N / n), or `smooth`, ln(1 + N / n); `splitter` =
//! `natural`: sentences end at `. ! ? …` and at the end of a paragraph, but not after abbreviations,
//! initials and ordinals or inside numbers; with `codet` they end at every one of these characters;
//! `min_words` = 3: sentences that have fewer words, stop words not counted, are left out; `stop` =
//! 1000, or `none` as published: a node that more documents visit counts for its first eight only.
//! In profile `paper`, stop words are left out and words are cut to their first five letters.
//! # Cost
//! A sentence has at most `depth` × `suffixes` nodes, each with about 11 bytes in the image and one
//! posting. Sorting the words makes meetings rare: on its 5,000 stories, the paper reports 341
//! computed similarity values a document without sorting and 3.53 with it. n equal documents of c
//! nodes share these c nodes and have n(n−1)/2 meetings; n wholly different ones have n·c nodes and
//! no meeting.
//! # Where we differ from the papers
//! The copy of the paper at hand lacks the formulas and θ. The formulas were rebuilt from its
//! words: «impact is depth times idf», «sum over visited nodes», «longest common prefix»; 0.6 is
//! the value that the paper gives to the methods it compares with. The sum over all pairs of
//! sentences may exceed SCS if a document repeats sentence beginnings, so scores are limited to 1.
//! `max`, our default, counts only the best match of every sentence, Σᵢ maxⱼ cs, which never
//! exceeds SCS. If all words have weight 0, documents with equal sets of sentences are
//! near-duplicates and others are unrelated. `smooth`, our default, gives words that stand in all
//! documents a weight above 0; without it, two near-duplicates alone in a collection would be
//! compared only by the words in which they differ. Words are sorted before suffixes are taken, and
//! suffixes are cut to `depth` last. The paper does not name its delimiters and stop words. Natural
//! sentences and `min_words` are ours: pieces of one or two words, such as the end of an agency's
//! address, stand in documents that have nothing else in common. On 5,000 Turkish stories we count
//! 278 similarity values a document without sorting and 17.9 with it; pieces of one and two words
//! included, 298 and 30.9, and split at every full stop besides, 335 and 46.0. One of the paper's
//! figures writes «starts the day» in the caption and «starts day» in the tree.
//! # Reference
//! Varol, Can, Aykanat, Kaya: CoDet: sentence-based containment detection in news corpora, CIKM
//! 2011.

use super::{Form, Method, Profile, Recall, Skip, Spec, text};
use crate::candidates::tree_paths::{Containment, TreePaths};
use crate::features::TextSettings;
use crate::features::reading::Reading;
use crate::image::sentence_tree::{Aggregate, SentenceTree, Sentences, Shape, WordOrder};
use crate::image::terms::Idf;
use crate::parameters::{Limit, parameters};
use crate::relation::Kind;
use crate::segment::sentence::Delimiters;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "codet",
    title: "sentence beginnings in a corpus tree (CoDet)",
    finds: &[Kind::Exact, Kind::NearDuplicate, Kind::Contains, Kind::Contained],
    approximate: Some(
        "candidates: a document whose sentences changed in their rarest words is missed, and so is \
         one that shares only nodes of more than `stop` documents. Scores and passages are exact.",
    ),
    forms: &[
        Form {
            name: "codet-permissive",
            about: "for pooling: θ = 0.3",
            parameters: &[("threshold", "0.3")],
        },
        Form {
            name: "codet-unsorted",
            about: "without word sorting",
            parameters: &[("order", "\"text\"")],
        },
    ],
    recall: Recall { percent: 65, why: "by similarity of whole documents" },
    skips: &[
        Skip::kinds(
            &[Kind::Partial],
            "finds containment only: a common passage is no large share of either text",
        ),
        Skip::cases(
            &["eight words in a hundred replaced"],
            "nearly every sentence has a changed word among its five rarest",
        ),
        Skip::cases(
            &[
                "chinese with a changed figure",
                "japanese with a sentence shortened",
                "thai with the last phrase changed",
            ],
            "one or two sentences, and the change is among the five rarest words",
        ),
    ],
    ..Spec::of::<CoDet>(include_str!("codet.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// share of its self-similarity that a contained document has more than
        threshold: f64 = 0.2, paper 0.6, in 0.0..1.0, permissive down to 0.3;
        /// words of a sentence that count
        depth: usize = 5, in 1..=u32::MAX as usize;
        /// starts in a sentence
        suffixes: usize = 1, in 1..=64;
        /// words of a sentence by `idf` or as in the `text`
        order: WordOrder = WordOrder::Idf;
        /// `sum` of all matches of a sentence or the best, `max`
        aggregate: Aggregate = Aggregate::Max, paper Aggregate::Sum;
        /// `plain`, ln(N / n), or `smooth`, ln(1 + N / n)
        idf: Idf = Idf::Smooth, paper Idf::Plain;
        /// what ends a sentence
        splitter: Delimiters = Delimiters::Natural;
        /// words of the shortest sentence that counts
        min_words: usize = 3, in 1..=u32::MAX as usize;
        /// documents of a node beyond which only the first 8 are looked at
        stop: Limit = Limit::at(1000), paper Limit::NONE, in 1..;
    }
}

/// The method.
pub(super) struct CoDet {
    config: Config,
    shape: Shape,
}

impl Method for CoDet {
    type Config = Config;
    type Image = SentenceTree;
    type Meeting = TreePaths;
    const SPEC: &'static Spec = &SPEC;

    fn text(profile: Profile) -> TextSettings {
        text::as_in_codet(profile)
    }

    fn new(config: Config, _: u64) -> Self {
        let Config { order, suffixes, depth, .. } = config;
        let shape = Shape { order, suffixes, depth };
        Self { config, shape }
    }

    fn needs_counts(&self) -> bool {
        true
    }

    fn image(&self, reading: &Reading<'_>) -> Option<SentenceTree> {
        let counts = reading.counts();
        let weight = |word: u64| self.config.idf.weight(counts, counts.df(word));
        let mut sentences = Sentences::new(self.shape);
        for words in reading.sentences(self.config.splitter) {
            if words.len() < self.config.min_words {
                continue;
            }
            let start = words.start;
            let weighted = reading.words.hashes[words].iter().map(|&word| (word, weight(word)));
            sentences.push(weighted, |place| reading.word(start + place));
        }
        let image = sentences.finish();
        (!image.steps().is_empty()).then_some(image)
    }

    fn meeting(&self, _: Rule) -> TreePaths {
        let Config { aggregate, threshold, stop, .. } = self.config;
        TreePaths::new(Containment { aggregate, threshold, stop: stop.get() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::super::trial::Trial;
    use super::*;
    use crate::methods::make;

    const SHARES: [&str; 3] = [
        "NASDAQ starts day with an increase. Shares gain 2%.",
        "NASDAQ starts day with a decrease. Shares lose 2%.",
        "Shares lose 2%.",
    ];

    #[test]
    fn the_example_of_the_paper_runs_from_text_to_relation() {
        // T-COD in the published setting: words sorted, depth 5. All words count, so the language
        // is one without stop words.
        let pairs = Trial::in_language("zxx", "codet", Profile::Paper, &[], &SHARES).pairs();
        let [pair] = pairs[..] else { panic!("one pair") };
        assert_eq!((pair.a, pair.b, pair.kind), (1, 2, Kind::Contains));
        assert!((pair.scores.b_in_a.get() - 1.0).abs() < 1e-12);
        assert!((pair.scores.a_in_b.get() - 0.405_465 / 8.566_883).abs() < 1e-6);
    }

    #[test]
    fn sentences_of_one_or_two_words_are_left_out() {
        // Of the first two only the ends agree.
        let texts = [
            "The harbour board closes the east quay. He said. Ends.",
            "Prices of tomatoes rose on all markets. He said. Ends.",
            "Nobody saw the ferry to the island leave.",
        ];
        let found = |min_words: usize| {
            let given = [
                ("min_words", json!(min_words)),
                ("threshold", json!(0.0)),
                ("order", json!("text")),
            ];
            Trial::in_language("zxx", "codet", Profile::Paper, &given, &texts).numbers()
        };
        assert_eq!((found(1), found(3)), (vec![(0, 1)], vec![]));
        let trial = Trial::new("codet", Profile::Paper, &[], &texts);
        assert_eq!(trial.image::<SentenceTree>("Yes. No. Perhaps."), None);
    }

    #[test]
    fn an_abbreviation_ends_no_sentence() {
        // What stands behind the abbreviation is the beginning of no sentence.
        let texts =
            ["Yesterday the learned Dr. Miller sold houses here.", "Miller sold houses here."];
        let found = |splitter: &str| {
            let given = [("splitter", json!(splitter)), ("order", json!("text"))];
            Trial::new("codet", Profile::Retold, &given, &texts).numbers()
        };
        assert_eq!((found("codet"), found("natural")), (vec![(0, 1)], vec![]));
    }

    #[test]
    fn two_near_duplicates_alone_need_smooth_weights() {
        let texts = [
            "The harbour board closes the east quay. Ships wait outside today. Nobody aboard the \
             ferry was hurt.",
            "The harbour board closes the east quay. Ships wait outside today. Nobody aboard the \
             ferry was injured.",
        ];
        let kinds = |profile| Trial::new("codet", profile, &[], &texts).kinds();
        assert_eq!(kinds(Profile::Paper), [], "only the differences weigh");
        assert_eq!(kinds(Profile::Retold), [(0, 1, Kind::NearDuplicate)]);
    }

    #[test]
    fn a_threshold_of_one_is_refused_by_name() {
        let given = Map::from_iter([("threshold".to_owned(), json!(1.0))]);
        let error = make("codet", Profile::Paper, &given, 1).err().expect("no share exceeds 1");
        assert_eq!(error.to_string(), "threshold must be at least 0 and below 1, got 1.0");
    }
}
