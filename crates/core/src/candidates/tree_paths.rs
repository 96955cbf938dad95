//! Paths of the corpus tree: documents meet in the beginnings of their sentences.
//!
//! The sentences of all documents share one tree of words, and a document passes through the
//! nodes of its own (Varol, Can, Aykanat, Kaya: CoDet, 2011). A node is named by the words on the
//! path to it, so its key is their hash, and the tree itself need not be built: the list of the
//! key holds the node's visitors. What two documents have in common, depth × idf of each common
//! node, is then added up from their own trees ([`SentenceTree::common`]).
//!
//! A document is looked at only if it shares so many nodes that the heaviest of them would make
//! one of the two contained.
//!
//! # What it may miss
//! If more than `stop` documents visit a node, only the first [`CROWD`] are looked at, which is
//! counted: copies of one story still meet in the first of them, and a sentence that closes half
//! of all stories costs no more than a rare one. Without that limit nothing is missed: the sums
//! are those of the definition.

use super::meeting::{Common, Limits, Met, Weighed};
use super::{Judgement, Meeting};
use crate::encode::encoded_fields;
use crate::image::sentence_tree::{Aggregate, SentenceTree, Step};
use crate::relation::{Kind, Score, Scores};

/// When a document counts as contained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Containment {
    /// How several matches of one sentence count.
    pub aggregate: Aggregate,
    /// θ: a document is contained if it shares more than this share of its self-similarity.
    pub threshold: f64,
    /// If more documents than this visit a node, only the first [`CROWD`] are looked at.
    pub stop: usize,
}

/// Documents that a node visited by too many still speaks for.
pub const CROWD: usize = 8;

/// Trees of sentences that meet in their nodes.
#[derive(Clone, Debug)]
pub struct TreePaths {
    containment: Containment,
}

/// What is known of a tree while another one asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nodes {
    /// Nodes that a document shares at least with one that it stands in, if no more than one
    /// sentence of that passes through any of them or if only the best match counts.
    least_shared: u64,
    /// Sentences that pass through a node, at most.
    most_visits: u32,
}

encoded_fields!(Nodes { least_shared, most_visits });

/// Sums in different orders differ in their last digits; a filter leaves that much room.
const SLACK: f64 = 1e-9;

impl TreePaths {
    /// Makes the meeting.
    pub fn new(containment: Containment) -> Self {
        Self { containment }
    }

    /// Returns the number of nodes below which even the heaviest do not exceed the threshold.
    fn least_shared(&self, image: &SentenceTree) -> u64 {
        let Containment { aggregate, threshold, .. } = self.containment;
        let needed = threshold * image.self_similarity(aggregate) * (1.0 - SLACK);
        let value = |step: &Step| f64::from(step.visits) * step.impact();
        let mut values: Vec<f64> = image.steps().iter().map(value).collect();
        values.sort_unstable_by(|x, y| y.total_cmp(x));
        let mut sum = 0.0;
        let is_enough = |value: &f64| {
            sum += value;
            sum >= needed
        };
        values.iter().position(is_enough).map_or(u64::MAX, |place| place as u64 + 1)
    }

    /// Returns the share of the first document's self-similarity that it has in common with the
    /// second. Where every word weighs nothing, equal sets of sentences share everything.
    fn ratio(&self, common: f64, of: &SentenceTree, other: &SentenceTree) -> f64 {
        let own = of.self_similarity(self.containment.aggregate);
        if own > 0.0 {
            common / own
        } else {
            f64::from(u8::from(of.sentences() == other.sentences()))
        }
    }
}

impl Meeting for TreePaths {
    type Image = SentenceTree;
    type Payload = ();
    type Facts = Nodes;

    fn facts(&self, image: &SentenceTree) -> Nodes {
        let most_visits = image.steps().iter().map(|step| step.visits).max().unwrap_or(0);
        Nodes { least_shared: self.least_shared(image), most_visits }
    }

    fn keys(&self, image: &SentenceTree, mut each: impl FnMut(u64, ())) {
        image.paths().for_each(|path| each(path, ()));
    }

    fn limits(&self) -> Limits {
        let stop = self.containment.stop;
        Limits { stop, common: Common::First(stop.min(CROWD)), ..Limits::NONE }
    }

    fn weigh(&self, asker: &Nodes, other: &Nodes, met: Met) -> Weighed {
        let may_stand = |this: &Nodes, other: &Nodes| {
            let is_bound = match self.containment.aggregate {
                Aggregate::Sum => other.most_visits <= 1,
                Aggregate::Max => true,
            };
            !is_bound || met.votes >= this.least_shared
        };
        if may_stand(asker, other) || may_stand(other, asker) { Weighed::Look } else { Weighed::No }
    }

    fn judge(&self, asker: &SentenceTree, other: &SentenceTree, _: Met) -> Option<Judgement> {
        let Containment { aggregate, threshold, .. } = self.containment;
        let (here, there) = asker.common(other, aggregate);
        let a_in_b = self.ratio(here, asker, other);
        let b_in_a = self.ratio(there, other, asker);
        let kind = Kind::of(a_in_b > threshold, b_in_a > threshold)?;
        let score = |ratio: f64| Score::new(ratio.clamp(0.0, 1.0)).unwrap_or(Score::ZERO);
        let (a_in_b, b_in_a) = (score(a_in_b), score(b_in_a));
        // CoDet has no resemblance of its own; both stand in each other to the smaller of the two
        // shares.
        let resemblance = if a_in_b < b_in_a { a_in_b } else { b_in_a };
        Some(Judgement { kind, scores: Scores { resemblance, a_in_b, b_in_a } })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::both::{found_by_all, ordinals};
    use super::super::corpus_tree::tests::{
        Collection, INFINITE, PLAIN, aggregates, check_ratios, collections, near, parse, rule,
        shapes, shares,
    };
    use super::super::{Cuts, Partner};
    use super::*;
    use crate::hash;
    use crate::image::sentence_tree::{Sentences, Shape};

    fn images(all: &Collection, shape: Shape) -> Vec<SentenceTree> {
        (0..all.documents.len()).map(|document| all.image(document, shape)).collect()
    }

    fn found(all: &Collection, shape: Shape, containment: Containment) -> Vec<Vec<Partner>> {
        found_by_all(|| TreePaths::new(containment), &images(all, shape), None).0
    }

    #[test]
    fn the_example_of_the_paper_has_its_ratios() {
        // T-COD, last column.
        let permissive = Containment { threshold: 0.0, ..rule(Aggregate::Sum) };
        let ratio = |shape: Shape, a: usize, b: usize| {
            let images = images(&shares(), shape);
            let judgement =
                TreePaths::new(permissive).judge(&images[a], &images[b], Met::default());
            judgement.map_or(0.0, |x| x.scores.a_in_b.get())
        };
        check_ratios(ratio);
    }

    #[test]
    fn a_contained_document_is_told_from_its_holder() {
        let found = found(&shares(), PLAIN, rule(Aggregate::Sum));
        assert_eq!(ordinals(&found), [vec![], vec![], vec![1]]);
        let partner = found[2][0];
        assert_eq!(partner.kind, Kind::Contained);
        near(partner.scores.a_in_b.get(), 1.0);
        near(partner.scores.resemblance.get(), 0.047_842);
    }

    #[test]
    fn the_sum_may_exceed_the_whole_and_the_best_match_may_not() {
        // T-CDX, all weights 1.
        let documents =
            vec![parse("alpha beta gamma. alpha beta delta."), parse("alpha beta gamma.")];
        let both = Collection::weighted(documents, |_| 1.0);
        let (x, y) = (both.image(0, PLAIN), both.image(1, PLAIN));
        let (y_in_x, x_in_y) = y.common(&x, Aggregate::Sum);
        near(y_in_x, 9.0);
        near(x_in_y, 9.0);
        let partner = found(&both, PLAIN, rule(Aggregate::Sum))[1][0];
        near(partner.scores.a_in_b.get(), 1.0);
        near(partner.scores.b_in_a.get(), 0.5);
        assert_eq!(partner.kind, Kind::Contained);
        let (y_in_x, x_in_y) = y.common(&x, Aggregate::Max);
        near(y_in_x, 6.0);
        near(x_in_y, 9.0);
        let partner = found(&both, PLAIN, rule(Aggregate::Max))[1][0];
        near(partner.scores.a_in_b.get(), 1.0);
        near(partner.scores.b_in_a.get(), 0.75);
        assert_eq!(partner.kind, Kind::NearDuplicate);
        let meeting = TreePaths::new(rule(Aggregate::Max));
        let judgement = meeting.judge(&x, &y, Met::default()).expect("they are related");
        near(judgement.scores.a_in_b.get(), 0.75);
    }

    #[test]
    fn equal_documents_share_all_nodes_and_different_ones_none() {
        // T-CPX.
        let words = |from: usize| (from..from + 20).map(|i| format!("w{i}")).collect::<Vec<_>>();
        let equal = Collection::weighted((0..100).map(|_| vec![words(0)]).collect(), |_| 1.0);
        let found_equal = found(&equal, PLAIN, rule(Aggregate::Sum));
        assert_eq!(found_equal.iter().map(Vec::len).sum::<usize>(), 4950);
        assert!(found_equal.iter().flatten().all(|x| x.scores == Scores::EQUAL));
        let apart = Collection::weighted((0..100).map(|i| vec![words(20 * i)]).collect(), |_| 1.0);
        assert!(found(&apart, PLAIN, rule(Aggregate::Sum)).iter().all(Vec::is_empty));
    }

    #[test]
    fn documents_of_weightless_words_are_equal_or_nothing() {
        // Every word stands in every document: all idf are 0.
        let all = Collection::new(vec![parse("a b. c."), parse("c. a b."), parse("a b c.")]);
        for aggregate in [Aggregate::Sum, Aggregate::Max] {
            let found = found(&all, PLAIN, rule(aggregate));
            assert_eq!(ordinals(&found), [vec![], vec![0], vec![]]);
            assert_eq!(found[1][0].kind, Kind::NearDuplicate);
            assert_eq!(found[1][0].scores, Scores::EQUAL);
        }
    }

    #[test]
    fn a_crowded_node_speaks_for_its_first_documents_and_is_counted() {
        let equal = Collection::weighted(vec![parse("a b."); 20], |_| 1.0);
        let images = images(&equal, PLAIN);
        for (stop, n_heard) in [(3, 3), (10, CROWD), (18, CROWD), (19, 19)] {
            let meeting = || TreePaths::new(Containment { stop, ..rule(Aggregate::Max) });
            let (found, cuts) = found_by_all(meeting, &images, None);
            assert_eq!(ordinals(&found)[19], (0..n_heard as u32).collect::<Vec<_>>());
            assert_eq!(cuts.n_stop_features, 2 * (19 - stop) as u64);
        }
    }

    #[test]
    fn a_sentence_of_a_hundred_thousand_words_is_found_again() {
        let mut sentences = Sentences::new(Shape { suffixes: 2, ..PLAIN });
        sentences.push((0..100_000).map(|word| (hash::mix(word), 1.0)), |_| String::new());
        let image = sentences.finish();
        let meeting = || TreePaths::new(rule(Aggregate::Sum));
        let (found, _) = found_by_all(meeting, &[image.clone(), image], None);
        assert_eq!(found[1][0].kind, Kind::NearDuplicate);
    }

    proptest! {
        #[test]
        fn the_engines_find_what_the_tree_finds(
            documents in collections(), shape in shapes(), aggregate in aggregates(),
            threshold in 0.0..1.0f64, is_weighted in any::<bool>(),
        ) {
            let all = if is_weighted {
                Collection::new(documents)
            } else {
                Collection::weighted(documents, |_| 1.0)
            };
            let containment = Containment { aggregate, threshold, stop: INFINITE };
            let (_, expected) = all.tree(shape, containment);
            let meeting = || TreePaths::new(containment);
            let (found, cuts) = found_by_all(meeting, &images(&all, shape), None);
            prop_assert_eq!(cuts, Cuts::default());
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert_eq!(found.len(), expected.partners.len());
                for (x, y) in found.iter().zip(&expected.partners) {
                    prop_assert_eq!((x.ordinal, x.kind), (y.ordinal, y.kind));
                    let values = |x: &Partner| {
                        let Scores { resemblance, a_in_b, b_in_a } = x.scores;
                        [resemblance, a_in_b, b_in_a].map(Score::get)
                    };
                    let mut both = values(x).into_iter().zip(values(y));
                    prop_assert!(both.all(|(x, y)| (x - y).abs() < 1e-9), "{x:?} {y:?}");
                }
            }
        }
    }
}
