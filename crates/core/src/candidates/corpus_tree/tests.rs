//! The vectors of CoDet, and what the tree must show. [`tree_paths`](super::super::tree_paths) is
//! compared with it.

mod properties;

use std::collections::{BTreeMap, BTreeSet};

pub(in crate::candidates) use self::properties::{aggregates, collections, shapes};
use super::*;
use crate::features::counts::Counts;
use crate::image::sentence_tree::{Sentences, Shape, WordOrder};

pub(in crate::candidates) const INFINITE: usize = usize::MAX;
pub(in crate::candidates) const PLAIN: Shape =
    Shape { order: WordOrder::Text, suffixes: 1, depth: INFINITE };
const ALL_BEFORE: Ordinal = Ordinal(u32::MAX);

/// A document as lists of words.
pub(in crate::candidates) type Text = Vec<Vec<String>>;

pub(in crate::candidates) fn parse(text: &str) -> Text {
    let words = |sentence: &str| sentence.split_whitespace().map(str::to_lowercase).collect();
    text.split('.').map(words).filter(|words: &Vec<String>| !words.is_empty()).collect()
}

fn hashed(word: &str) -> u64 {
    hash::word(word.as_bytes(), 1)
}

/// A collection, its words' names and their weights.
pub(in crate::candidates) struct Collection {
    pub(in crate::candidates) documents: Vec<Text>,
    weights: BTreeMap<u64, f64>,
    names: BTreeMap<u64, String>,
}

impl Collection {
    /// Weights are ln(N / n), counted in the documents themselves.
    pub(in crate::candidates) fn new(documents: Vec<Text>) -> Self {
        let mut counts = Counts::default();
        for document in &documents {
            let words: BTreeSet<u64> = document.iter().flatten().map(|word| hashed(word)).collect();
            counts.add(words);
        }
        Self::weighted(documents, |word| counts.idf(word))
    }

    pub(in crate::candidates) fn weighted(
        documents: Vec<Text>,
        weight: impl Fn(u64) -> f64,
    ) -> Self {
        let words = documents.iter().flatten().flatten();
        let names: BTreeMap<u64, String> = words.map(|word| (hashed(word), word.clone())).collect();
        let weights = names.keys().map(|&word| (word, weight(word))).collect();
        Self { documents, weights, names }
    }

    fn sentences(&self, document: usize, shape: Shape) -> Sentences {
        let mut out = Sentences::new(shape);
        for sentence in &self.documents[document] {
            let words = sentence.iter().map(|word| (hashed(word), self.weights[&hashed(word)]));
            out.push(words, |place| sentence[place].clone());
        }
        out
    }

    pub(in crate::candidates) fn image(&self, document: usize, shape: Shape) -> SentenceTree {
        self.sentences(document, shape).finish()
    }

    /// The sentences after sorting, suffixes and cutting, as words.
    fn paths(&self, document: usize, shape: Shape) -> Vec<String> {
        let name = |word: u64| self.names[&word].as_str();
        let path = |path: Vec<u64>| path.into_iter().map(name).collect::<Vec<_>>().join(" ");
        self.sentences(document, shape).paths().map(path).collect()
    }

    /// cs of two paths, word for word as defined: Σ k · idf over the common prefix.
    fn cs(&self, a: &[u64], b: &[u64]) -> f64 {
        let common = a.iter().zip(b).take_while(|(x, y)| x == y);
        (1u32..).zip(common).map(|(k, (word, _))| f64::from(k) * self.weights[word]).sum()
    }

    /// CS(a, b) word for word as defined.
    fn common(&self, a: usize, b: usize, shape: Shape, aggregate: Aggregate) -> f64 {
        let paths = |d: usize| self.sentences(d, shape).paths().collect::<Vec<_>>();
        let theirs = paths(b);
        let row = |mine: Vec<u64>| {
            let values = theirs.iter().map(|path| self.cs(&mine, path));
            match aggregate {
                Aggregate::Sum => values.sum::<f64>(),
                Aggregate::Max => values.fold(0.0, f64::max),
            }
        };
        paths(a).into_iter().map(row).sum()
    }

    /// Every document asks and then goes in.
    pub(in crate::candidates) fn tree(
        &self,
        shape: Shape,
        containment: Containment,
    ) -> (CorpusTree, Vec<Found>) {
        let mut tree = CorpusTree::new(containment);
        let mut answers = Vec::new();
        for document in 0..self.documents.len() {
            let image = self.image(document, shape);
            let mut found = Found::default();
            tree.ask(&image, Ordinal(document as u32), &mut found);
            tree.insert(Ordinal(document as u32), &image);
            answers.push(found);
        }
        (tree, answers)
    }

    fn show(&self, tree: &CorpusTree) -> String {
        tree.to_text(|word| self.names[&word].clone())
    }
}

pub(in crate::candidates) fn rule(aggregate: Aggregate) -> Containment {
    Containment { aggregate, threshold: 0.6, stop: INFINITE }
}

pub(in crate::candidates) fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 5e-7, "{found} is not {expected}");
}

/// T-COD: the three documents of the example.
pub(in crate::candidates) fn shares() -> Collection {
    Collection::new(vec![
        parse("NASDAQ starts day with an increase. Shares gain 2%."),
        parse("NASDAQ starts day with a decrease. Shares lose 2%."),
        parse("Shares lose 2%."),
    ])
}

/// Compares the containment of one document of [`shares`] in another, by shape and numbers, with T-COD.
pub(in crate::candidates) fn check_ratios(ratio: impl Fn(Shape, usize, usize) -> f64) {
    let (a, b, c) = (0, 1, 2);
    near(ratio(PLAIN, a, b), 0.221_123);
    near(ratio(PLAIN, b, a), 0.239_208);
    near(ratio(PLAIN, c, b), 1.0);
    near(ratio(PLAIN, b, c), 0.047_842);
    let sorted = Shape { order: WordOrder::Idf, ..PLAIN };
    near(ratio(sorted, c, b), 1.0);
    near(ratio(Shape { depth: 5, ..sorted }, c, b), 1.0);
    near(ratio(Shape { depth: 3, ..PLAIN }, a, b), 0.525_439);
    near(ratio(Shape { depth: 3, ..PLAIN }, b, a), 0.75);
    near(ratio(Shape { suffixes: 3, ..PLAIN }, a, b), 0.189_459);
}

#[test]
fn the_common_beginning_of_two_sentences_counts_by_depth() {
    // T-JOHN, with idf(john) = 2 and idf(is) = 3.
    let documents = vec![parse("John is happy"), parse("John is sad")];
    let weight = |word: u64| if word == hashed("john") { 2.0 } else { 3.0 };
    let both = Collection::weighted(documents, weight);
    let (tree, _) = both.tree(PLAIN, rule(Aggregate::Sum));
    let (found, _) = tree.similarities(&both.image(1, PLAIN), Ordinal(1));
    assert_eq!(found.len(), 1);
    near(found[0].a_in_b, 2.0 + 2.0 * 3.0);
    assert_eq!(both.paths(0, PLAIN), ["john is happy"]);
    near(both.cs(&["john", "is", "happy"].map(hashed), &["john", "is", "sad"].map(hashed)), 8.0);
}

#[test]
fn the_example_of_the_paper_has_its_values_in_all_settings() {
    // T-COD: nodes; SCS of A, B, C; CS(A,B), CS(C,B), CS(A,C).
    let sorted = Shape { order: WordOrder::Idf, ..PLAIN };
    let rows = [
        (PLAIN, 13, [18.336_611, 16.950_316, 0.810_930], [4.054_651, 0.810_930, 0.0]),
        (sorted, 18, [11.692_821, 10.999_674, 0.405_465], [0.0, 0.405_465, 0.0]),
        (
            Shape { depth: 5, ..sorted },
            16,
            [9.260_030, 8.566_883, 0.405_465],
            [0.0, 0.405_465, 0.0],
        ),
        (
            Shape { depth: 3, ..PLAIN },
            8,
            [4.630_015, 3.243_721, 0.810_930],
            [2.432_791, 0.810_930, 0.0],
        ),
        (
            Shape { suffixes: 3, ..PLAIN },
            31,
            [40.662_206, 38.582_764, 1.216_395],
            [7.703_837, 1.216_395, 0.0],
        ),
    ];
    let shares = shares();
    let starts =
        shares.image(0, PLAIN).steps().iter().find(|x| x.word == hashed("starts")).copied();
    near(starts.expect("it is there").impact(), 0.810_930);
    for (shape, n_nodes, own, common) in rows {
        let (tree, _) = shares.tree(shape, rule(Aggregate::Sum));
        assert_eq!(tree.statistics().n_nodes, n_nodes, "{shape:?}");
        let images: Vec<SentenceTree> = (0..3).map(|i| shares.image(i, shape)).collect();
        for (image, own) in images.iter().zip(own) {
            near(image.self_similarity(Aggregate::Sum), own);
        }
        let pairs = [(0, 1), (2, 1), (0, 2)];
        for ((a, b), common) in pairs.into_iter().zip(common) {
            let (found, _) = tree.similarities(&images[a], ALL_BEFORE);
            let found = found.iter().find(|x| x.ordinal.index() == b);
            near(found.map_or(0.0, |x| x.a_in_b), common);
            near(shares.common(a, b, shape, Aggregate::Sum), common);
        }
    }
}

#[test]
fn the_example_of_the_paper_has_its_ratios() {
    // T-COD, last column, by asking with every document as both sides.
    let ratio = |shape: Shape, a: usize, b: usize| {
        let shares = shares();
        let permissive = Containment { threshold: 0.0, ..rule(Aggregate::Sum) };
        let (tree, _) = shares.tree(shape, permissive);
        let mut found = Found::default();
        tree.ask(&shares.image(a, shape), ALL_BEFORE, &mut found);
        let partner = found.partners.iter().find(|x| x.ordinal.index() == b);
        partner.map_or(0.0, |x| x.scores.a_in_b.get())
    };
    check_ratios(ratio);
}

#[test]
fn sorted_sentences_start_with_their_rarest_words() {
    // T-COD: ties by spelling.
    let shares = shares();
    let sorted = Shape { order: WordOrder::Idf, ..PLAIN };
    let a = ["an increase day nasdaq starts with", "gain 2% shares"];
    let b = ["a decrease day nasdaq starts with", "lose 2% shares"];
    assert_eq!(shares.paths(0, sorted), a);
    assert_eq!(shares.paths(1, sorted), b);
}

#[test]
fn the_tree_grows_as_in_the_figure() {
    // T-COD and Fig. 1: 9, 13 and 13 nodes.
    let shares = shares();
    let mut tree = CorpusTree::new(rule(Aggregate::Sum));
    let mut panels = Vec::new();
    for document in 0..3 {
        tree.insert(Ordinal(document as u32), &shares.image(document, PLAIN));
        panels.push((tree.statistics().n_nodes, shares.show(&tree)));
    }
    let first = "\
nasdaq [0]
  starts [0]
    day [0]
      with [0]
        an [0]
          increase [0]
shares [0]
  gain [0]
    2% [0]
";
    let second = "\
nasdaq [0 1]
  starts [0 1]
    day [0 1]
      with [0 1]
        a [1]
          decrease [1]
        an [0]
          increase [0]
shares [0 1]
  gain [0]
    2% [0]
  lose [1]
    2% [1]
";
    let third = "\
nasdaq [0 1]
  starts [0 1]
    day [0 1]
      with [0 1]
        a [1]
          decrease [1]
        an [0]
          increase [0]
shares [0 1 2]
  gain [0]
    2% [0]
  lose [1 2]
    2% [1 2]
";
    assert_eq!(panels[0], (9, first.to_owned()));
    assert_eq!(panels[1], (13, second.to_owned()));
    assert_eq!(panels[2], (13, third.to_owned()));
}

#[test]
fn sorting_words_saves_similarity_values() {
    // T-COD: three pairs meet without sorting, one with it.
    let (plain, _) = shares().tree(PLAIN, rule(Aggregate::Sum));
    assert_eq!(plain.statistics().n_accumulators, 3);
    near(plain.statistics().similarity_values_per_document(), 1.0);
    let sorted = Shape { order: WordOrder::Idf, ..PLAIN };
    assert_eq!(shares().tree(sorted, rule(Aggregate::Sum)).0.statistics().n_accumulators, 1);
}

#[test]
fn a_contained_document_is_told_from_its_holder() {
    let (_, answers) = shares().tree(PLAIN, rule(Aggregate::Sum));
    let partners = &answers[2].partners;
    assert_eq!(partners.len(), 1);
    assert_eq!((partners[0].ordinal, partners[0].kind), (Ordinal(1), Kind::Contained));
    near(partners[0].scores.a_in_b.get(), 1.0);
    near(partners[0].scores.resemblance.get(), 0.047_842);
}

#[test]
fn the_sum_may_exceed_the_whole_and_the_best_match_may_not() {
    // T-CDX, all weights 1.
    let documents = vec![parse("alpha beta gamma. alpha beta delta."), parse("alpha beta gamma.")];
    let both = Collection::weighted(documents, |_| 1.0);
    let (x, y) = (both.image(0, PLAIN), both.image(1, PLAIN));
    near(x.self_similarity(Aggregate::Sum), 18.0);
    near(y.self_similarity(Aggregate::Sum), 6.0);
    let ask = |aggregate, image: &SentenceTree, before: u32, of: u32| {
        let (tree, _) = both.tree(PLAIN, rule(aggregate));
        let (found, _) = tree.similarities(image, Ordinal(before));
        let raw = found.into_iter().find(|x| x.ordinal == Ordinal(of)).expect("they meet");
        let mut found = Found::default();
        tree.ask(image, Ordinal(before), &mut found);
        let partner = found.partners.into_iter().find(|x| x.ordinal == Ordinal(of));
        (raw.a_in_b, raw.b_in_a, partner.expect("one stands in the other"))
    };
    // Y asks about X.
    let (y_in_x, x_in_y, partner) = ask(Aggregate::Sum, &y, 1, 0);
    near(y_in_x, 9.0);
    near(x_in_y, 9.0);
    near(y_in_x / 6.0, 1.5);
    near(partner.scores.a_in_b.get(), 1.0);
    near(partner.scores.b_in_a.get(), 0.5);
    assert_eq!(partner.kind, Kind::Contained);
    let (y_in_x, x_in_y, partner) = ask(Aggregate::Max, &y, 1, 0);
    near(y_in_x, 6.0);
    near(x_in_y, 9.0);
    near(x.self_similarity(Aggregate::Max), 12.0);
    near(partner.scores.a_in_b.get(), 1.0);
    near(partner.scores.b_in_a.get(), 0.75);
    assert_eq!(partner.kind, Kind::NearDuplicate);
    // X asks about Y.
    let (x_in_y, y_in_x, partner) = ask(Aggregate::Max, &x, 2, 1);
    near(x_in_y, 9.0);
    near(y_in_x, 6.0);
    near(partner.scores.a_in_b.get(), 0.75);
}

#[test]
fn equal_documents_share_all_nodes_and_different_ones_none() {
    // T-CPX.
    let words = |from: usize| (from..from + 20).map(|i| format!("w{i}")).collect::<Vec<_>>();
    let equal = Collection::weighted((0..100).map(|_| vec![words(0)]).collect(), |_| 1.0);
    let statistics = equal.tree(PLAIN, rule(Aggregate::Sum)).0.statistics();
    assert_eq!((statistics.n_nodes, statistics.n_ids), (20, 2000));
    assert_eq!(statistics.n_accumulators, 4950);
    let different = Collection::weighted((0..100).map(|i| vec![words(20 * i)]).collect(), |_| 1.0);
    let statistics = different.tree(PLAIN, rule(Aggregate::Sum)).0.statistics();
    assert_eq!((statistics.n_nodes, statistics.n_ids), (2000, 2000));
    assert_eq!(statistics.n_accumulators, 0);
}

#[test]
fn the_threshold_itself_is_not_enough() {
    // Two sentences of equal weight, one of them in common: exactly half.
    let documents = vec![parse("a b. c d."), parse("a b. e f. g h.")];
    let both = Collection::weighted(documents, |_| 1.0);
    let at = |threshold: f64| {
        let containment = Containment { threshold, ..rule(Aggregate::Max) };
        both.tree(PLAIN, containment).1[1].partners.clone()
    };
    assert!(at(0.5).is_empty());
    assert_eq!(at(0.499)[0].kind, Kind::Contains);
}

#[test]
fn documents_of_weightless_words_are_equal_or_nothing() {
    // Every word stands in every document: all idf are 0.
    let documents = vec![parse("a b. c."), parse("c. a b."), parse("a b c.")];
    let all = Collection::new(documents);
    for aggregate in [Aggregate::Sum, Aggregate::Max] {
        let (_, answers) = all.tree(PLAIN, rule(aggregate));
        assert_eq!(answers[1].partners.len(), 1);
        assert_eq!(answers[1].partners[0].kind, Kind::NearDuplicate);
        assert_eq!(answers[1].partners[0].scores, Scores::EQUAL);
        assert!(answers[2].partners.is_empty());
    }
}

#[test]
fn a_crowded_node_speaks_for_its_first_documents_and_is_counted() {
    let documents = vec![parse("a b."); 20];
    let equal = Collection::weighted(documents, |_| 1.0);
    for (stop, n_heard) in [(3, 3), (10, CROWD), (18, CROWD), (19, 19)] {
        let (_, answers) = equal.tree(PLAIN, Containment { stop, ..rule(Aggregate::Max) });
        let ordinals: Vec<u32> = answers[19].partners.iter().map(|x| x.ordinal.0).collect();
        assert_eq!(ordinals, (0..n_heard as u32).collect::<Vec<_>>());
        assert_eq!(answers[19].cuts.n_stop_features, if stop < 19 { 2 } else { 0 });
        assert_eq!(answers[stop].cuts.n_stop_features, 0);
    }
}

#[test]
fn an_emptied_tree_is_a_new_tree() {
    let shares = shares();
    let (mut tree, _) = shares.tree(PLAIN, rule(Aggregate::Sum));
    for document in [1, 0, 2] {
        tree.remove(Ordinal(document as u32), &shares.image(document, PLAIN));
    }
    let statistics = tree.statistics();
    assert_eq!((statistics.n_documents, statistics.n_nodes, statistics.n_ids), (0, 0, 0));
    assert_eq!(tree.children.len, 0);
    assert_eq!(shares.show(&tree), "");
    tree.remove(Ordinal(1), &shares.image(1, PLAIN));
}

#[test]
fn a_sentence_of_a_hundred_thousand_words_is_walked_and_removed() {
    let long: Vec<(u64, f64)> = (0..100_000).map(|word| (hash::mix(word), 1.0)).collect();
    let mut sentences = Sentences::new(Shape { suffixes: 2, ..PLAIN });
    sentences.push(long.iter().copied(), |_| String::new());
    let image = sentences.finish();
    let mut tree = CorpusTree::new(rule(Aggregate::Sum));
    tree.insert(Ordinal(0), &image);
    tree.insert(Ordinal(1), &image);
    let mut found = Found::default();
    tree.ask(&image, Ordinal(1), &mut found);
    assert_eq!(found.partners[0].kind, Kind::NearDuplicate);
    tree.remove(Ordinal(0), &image);
    tree.remove(Ordinal(1), &image);
    assert_eq!(tree.statistics().n_nodes, 0);
}
