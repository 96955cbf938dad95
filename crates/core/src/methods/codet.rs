//! CoDet: containment of news stories, found sentence by sentence while they arrive.
//!
//! # What it finds
//! Stories that stand wholly or mostly in another, the later one longer or shorter; both ways
//! round they are near-duplicates. A story counts through the beginnings of its sentences, each
//! sorted by how rare its words are, so a sentence that was moved is found, and one whose rare
//! words changed is not.
//! # How it works
//! The sentences of all documents share one tree of words
//! ([`tree_paths`](crate::candidates::tree_paths)): a document meets on every node of its sentences
//! the documents with the same beginning. The node of the k-th word adds k · idf of
//! the word, so cs(sᵢ, sⱼ) = Σ k · idf over the common beginning of two sentences, and CS is their
//! sum over all pairs of sentences. A document A stands in C if CS(A, C) / SCS(A) exceeds θ, where
//! SCS(A) = CS(A, A). What is kept of a document is its own small tree
//! ([`sentence_tree`](crate::image::sentence_tree)); those of documents that share enough nodes
//! are compared. Documents that leave a time window leave the nodes they visited.
//! # Parameters
//! `threshold` (θ) = 0.6, or 0.2 where the documents themselves decide afterwards; `depth` (DT) = 5
//! words of a sentence; `suffixes` (PSC) = 1, above which a sentence also counts from its second
//! word on, and so forth; `order` (WS) = `idf`, rarest words first and equals by spelling, or
//! `text`; `aggregate` = `sum` as published, or `max`; `idf` = `plain`, ln(N / n), or `smooth`,
//! ln(1 + N / n); `splitter` = `codet`, sentences end at `. ! ? …` and with paragraphs; a
//! node of more than `stop` documents counts for its first eight only: `stop` = 1000, and `none` as
//! published. In profile `paper`, stop words are left out and words are cut to their first five
//! letters.
//! # Cost
//! `depth` × `suffixes` nodes a sentence, some 11 bytes each in the image and a posting. Sorting words makes meetings rare:
//! the paper reports 341 similarity values a document without it and 3.53 with it, on 209,305
//! stories. n equal documents of c words make c nodes with n documents each and n(n−1)/2 meetings;
//! n wholly different ones make n·c nodes and no meeting.
//! # Where we differ from the papers
//! The formulas and θ are lost in the text at hand and were rebuilt from its words: «impact is depth
//! times idf», «sum over visited nodes», «longest common prefix». 0.6 is the value the paper gives
//! the methods it compares with. The sum over all pairs of sentences may exceed SCS where a document
//! repeats beginnings; scores are cut at 1. `max` counts the best match of every sentence instead,
//! Σᵢ maxⱼ cs, which is a share by itself; it is our default. Where all words weigh nothing, equal
//! sets of sentences are near-duplicates and others are unrelated. `smooth` keeps words that stand
//! in all documents from weighing nothing, without which two near-duplicates alone in a collection
//! have only their differences to be compared by. Words are sorted before suffixes are taken, and
//! suffixes are cut to the depth last. The paper does not name its delimiters and stop words. One of
//! its figures writes «starts the day» in the caption and «starts day» in the tree.
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

/// What is known of the method.
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
        splitter: Delimiters = Delimiters::Codet;
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
    fn two_near_duplicates_alone_need_smooth_weights() {
        let texts = [
            "The harbour board closes the east quay. Ships wait outside. Nobody was hurt.",
            "The harbour board closes the east quay. Ships wait outside. Nobody was injured.",
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
