//! What is true of a set, made ready for comparison.

use std::rc::Rc;

use retold::{Document, Kind, Relation};
use retold_core::features::{Featurizer, TextSettings, Words};

use super::bench::Ran;
use super::design::{By, Counts, Truth};
use super::measure::Measure;
use super::sets::{Planted, Set};
use crate::measures::pairs::{Direction, PairSet};
use crate::reference::ExactOverlap;

/// What is true of a set.
pub(super) struct Known {
    pub(super) pairs: PairSet,
    pub(super) counts: Counts,
    pub(super) planted: Vec<Planted>,
    /// How documents that one of two methods found are judged, where these are compared.
    pub(super) judge: Option<Judge>,
    /// Figures about the reference itself.
    pub(super) figures: Vec<(Measure, f64)>,
    /// Hash of the words of each document; none for one without words.
    identities: Vec<Option<u128>>,
}

/// Judges documents by how much they resemble others.
pub(super) struct Judge {
    pub(super) runs: Rc<ExactOverlap>,
    /// Documents that resemble another one of the set, with the largest resemblance.
    pub(super) known: Vec<(u32, f64)>,
}

impl Judge {
    /// Makes a judge for documents that resemble another by at least `least`.
    fn new(runs: Rc<ExactOverlap>, least: f64) -> Self {
        let mut best = vec![0.0_f64; runs.len()];
        for pair in runs.pairs(|overlap| overlap.resemblance() >= least) {
            for document in [pair.a, pair.b] {
                let best = &mut best[document as usize];
                *best = best.max(pair.resemblance());
            }
        }
        let known = (0..).zip(best).filter(|(_, best)| *best >= least).collect();
        Self { runs, known }
    }
}

/// What truths of some kinds are made of, besides the set.
#[derive(Default)]
pub(super) struct Sources {
    /// Pairs that a method found.
    pub(super) by_method: Option<Rc<Ran<Vec<Relation>>>>,
    /// Runs of words, counted exactly.
    pub(super) runs: Option<Rc<ExactOverlap>>,
    /// Ordered pairs that methods nominated.
    pub(super) nominated: Option<Rc<PairSet>>,
}

impl Known {
    /// Makes it from a set and the sources that the truth asks for.
    pub(super) fn new(truth: &Truth, set: &Set, sources: Sources) -> Self {
        let mut known = Self {
            pairs: PairSet::default(),
            counts: Counts::Near,
            planted: set.planted.clone(),
            judge: None,
            figures: Vec::new(),
            identities: identities(&set.documents),
        };
        let Sources { by_method, runs, nominated } = sources;
        match truth {
            Truth::Planted { counts, least } => {
                known.counts = *counts;
                known.pairs = planted_pairs(&set.planted, *counts, *least);
            }
            Truth::Method { counts, .. } => {
                known.counts = *counts;
                let relations = by_method.as_ref().map_or(&[][..], |ran| ran.result.as_slice());
                known.pairs = pairs_of(relations, *counts);
            }
            Truth::Exact { by, least, .. } | Truth::Pool { by, least, .. } => {
                known.counts = counts_of(*by);
                let runs = runs.expect("the runs of an exact truth were counted");
                known.pairs = exact_pairs(&runs, *by, *least);
                if let Some(nominated) = nominated {
                    known.restrict(&nominated);
                }
            }
            Truth::Difference { judges, .. } => {
                let runs = runs.expect("the runs of judged documents were counted");
                let least = judges.iter().copied().fold(1.0, f64::min);
                known.judge = Some(Judge::new(runs, least));
            }
            Truth::Question { .. } | Truth::Counted | Truth::None => known.counts = Counts::Any,
        }
        known
    }

    /// Keeps only the pairs that were nominated.
    fn restrict(&mut self, nominated: &PairSet) {
        let n_all = self.pairs.len();
        let pooled = nominated.clone().directed(direction(self.counts));
        self.pairs = self.pairs.filtered(|a, b| pooled.contains(a, b));
        self.figures = vec![
            (Measure::Pooled, pooled.len() as f64),
            (Measure::PooledPositives, self.pairs.len() as f64),
            (Measure::AllPositives, n_all as f64),
        ];
    }

    /// Returns the pairs that are not word-for-word copies.
    pub(super) fn changed(&self, pairs: &PairSet) -> PairSet {
        pairs.filtered(|a, b| {
            let [a, b] = [a, b].map(|document| self.identities[document as usize]);
            a.is_none() || a != b
        })
    }
}

/// Returns the hash of the words of each document.
fn identities(documents: &[Document]) -> Vec<Option<u128>> {
    let featurizer = Featurizer::new(TextSettings::default(), 0);
    let mut words = Words::default();
    let identity = |document: &Document| {
        featurizer.words(document, &mut words);
        words.identity()
    };
    documents.iter().map(identity).collect()
}

/// Returns which relations of a method are compared with an exact reference.
fn counts_of(by: By) -> Counts {
    match by {
        By::Containment => Counts::Containment,
        By::Resemblance | By::Edit => Counts::Near,
    }
}

/// Returns the pairs that have enough in common.
fn exact_pairs(runs: &ExactOverlap, by: By, least: f64) -> PairSet {
    let direction = direction(counts_of(by));
    match by {
        By::Containment => {
            let pairs = runs.pairs(|overlap| overlap.containment() >= least);
            let both = pairs.iter().flat_map(|pair| {
                let a_in_b = (pair.a_in_b() >= least).then_some((pair.a, pair.b));
                let b_in_a = (pair.b_in_a() >= least).then_some((pair.b, pair.a));
                [a_in_b, b_in_a].into_iter().flatten()
            });
            PairSet::new(direction, both)
        }
        By::Resemblance => {
            let pairs = runs.pairs(|overlap| overlap.resemblance() >= least);
            PairSet::new(direction, pairs.iter().map(|pair| (pair.a, pair.b)))
        }
        By::Edit => {
            let pairs = runs
                .pairs(|overlap| runs.edit_similarity_from(overlap.a, overlap.b, least).is_some());
            PairSet::new(direction, pairs.iter().map(|pair| (pair.a, pair.b)))
        }
    }
}

/// Returns the pairs that were planted and count.
fn planted_pairs(planted: &[Planted], counts: Counts, least: f64) -> PairSet {
    let pairs = planted.iter().flat_map(|pair| {
        let in_b = pair.scores.a_in_b.get() >= least;
        let in_a = pair.scores.b_in_a.get() >= least;
        let is_true = match counts {
            Counts::Near => [in_a && in_b, false],
            Counts::Containment => [in_b, in_a],
            Counts::Any => [pair.relation.is_some(), false],
        };
        let both = [(pair.a, pair.b), (pair.b, pair.a)];
        both.into_iter().zip(is_true).filter(|(_, is_true)| *is_true).map(|(pair, _)| pair)
    });
    PairSet::new(direction(counts), pairs)
}

fn direction(counts: Counts) -> Direction {
    match counts {
        Counts::Containment => Direction::Ordered,
        Counts::Near | Counts::Any => Direction::Unordered,
    }
}

/// Returns the pairs that relations stand for.
pub(super) fn pairs_of(relations: &[Relation], counts: Counts) -> PairSet {
    let pairs = relations.iter().flat_map(|relation| {
        let (a, b) = (relation.a.0, relation.b.0);
        let stands = match (counts, relation.kind) {
            (Counts::Any, _) | (Counts::Near, Kind::Exact | Kind::NearDuplicate) => {
                [Some((a, b)), None]
            }
            (Counts::Containment, Kind::Exact | Kind::NearDuplicate) => {
                [Some((a, b)), Some((b, a))]
            }
            (Counts::Containment, Kind::Contained) => [Some((a, b)), None],
            (Counts::Containment, Kind::Contains) => [Some((b, a)), None],
            _ => [None, None],
        };
        stands.into_iter().flatten()
    });
    PairSet::new(direction(counts), pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(texts: &[&str]) -> Set {
        let documents = texts.iter().map(|text| Document::plain("d", *text)).collect();
        Set { documents, ..Set::default() }
    }

    fn known(truth: &Truth, set: &Set, nominated: Option<&[(u32, u32)]>) -> Known {
        let runs = Some(Rc::new(ExactOverlap::new(&set.documents, 2)));
        let nominated =
            nominated.map(|pairs| Rc::new(PairSet::new(Direction::Ordered, pairs.iter().copied())));
        Known::new(truth, set, Sources { runs, nominated, ..Sources::default() })
    }

    const TEXTS: [&str; 4] =
        ["one two three four five six", "one two three", "One, two three!", "other words are here"];

    #[test]
    fn containment_is_counted_in_each_direction() {
        let set = set(&TEXTS);
        let known = known(&Truth::Exact { by: By::Containment, least: 0.6, k: 2 }, &set, None);
        let pairs: Vec<_> = known.pairs.iter().collect();
        assert_eq!(pairs, [(1, 0), (1, 2), (2, 0), (2, 1)]);
        let changed: Vec<_> = known.changed(&known.pairs).iter().collect();
        assert_eq!(changed, [(1, 0), (2, 0)], "without word-for-word copies");
    }

    #[test]
    fn a_pool_hides_what_nobody_nominated() {
        let set = set(&TEXTS);
        let truth = Truth::Pool { by: By::Containment, least: 0.6, k: 2 };
        let known = known(&truth, &set, Some(&[(1, 2), (2, 1), (3, 0), (1, 0)]));
        assert_eq!(known.pairs.iter().collect::<Vec<_>>(), [(1, 0), (1, 2), (2, 1)]);
        let figures: Vec<f64> = known.figures.iter().map(|(_, value)| *value).collect();
        assert_eq!(figures, [4.0, 3.0, 4.0]);
    }

    #[test]
    fn edits_are_counted_over_the_longer_document() {
        let set = set(&TEXTS);
        let known = known(&Truth::Exact { by: By::Edit, least: 0.5, k: 2 }, &set, None);
        assert_eq!(known.pairs.iter().collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn a_judge_knows_who_resembles_anyone() {
        let set = set(&TEXTS);
        let truth = Truth::Difference { judges: vec![0.5, 0.3], k: 2 };
        let judge = known(&truth, &set, None).judge.expect("a judge");
        assert_eq!(judge.known, [(0, 0.4), (1, 1.0), (2, 1.0)]);
    }
}
