//! Ranked answers to a question against the documents that should be among them.
//!
//! The names are those of Wang and Chang (2009) and Chang and Wang (2007): a question is a text
//! put together from parts of known documents, *valid results* are all documents that came back,
//! *recognition* is how many of the known ones are among them, *LCR* the rank of the last of those.
//! Ranks count from 1. A document that comes back twice counts where it came first.

use std::collections::BTreeSet;

use serde::Serialize;

use super::pairs::Scores;
use super::share;

/// One ranked answer, measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Retrieval {
    /// Documents that should be found.
    pub n_relevant: u64,
    /// Documents that came back.
    pub valid_results: u64,
    /// Those that should.
    pub recognition: u64,
    /// Rank of the last of those (LCR); none if there is none.
    pub last_correct_rank: Option<u64>,
    /// Rank of the first of those; none if there is none.
    pub first_correct_rank: Option<u64>,
    /// Mean over relevant documents of the precision at their ranks, 0 for those not found; 1 if
    /// none is relevant.
    pub average_precision: f64,
    /// Ranks of the documents that should be found, ascending.
    #[serde(skip)]
    ranks: Vec<u64>,
}

/// Figures of the first k results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AtK {
    /// How many results are looked at.
    pub k: u64,
    /// Documents among them that should be found.
    pub n_correct: u64,
    /// Precision (of k results, also where fewer came back), recall and F1.
    #[serde(flatten)]
    pub scores: Scores,
}

impl Retrieval {
    /// Measures one ranking, best first.
    ///
    /// ```
    /// use retold_lab::measures::retrieval::Retrieval;
    /// let answer = Retrieval::of([9, 4, 7, 2], [4, 2, 1]);
    /// assert_eq!((answer.recognition, answer.last_correct_rank), (2, Some(4)));
    /// assert_eq!(answer.at(2).scores.precision, 0.5);
    /// ```
    pub fn of(
        ranking: impl IntoIterator<Item = u32>,
        relevant: impl IntoIterator<Item = u32>,
    ) -> Self {
        let relevant: BTreeSet<u32> = relevant.into_iter().collect();
        let mut seen = BTreeSet::new();
        let mut ranks: Vec<u64> = Vec::new();
        for document in ranking {
            if seen.insert(document) && relevant.contains(&document) {
                ranks.push(seen.len() as u64);
            }
        }
        let precisions = ranks.iter().zip(1..).map(|(&rank, n)| share(n, rank, 0.0));
        let n_relevant = relevant.len() as u64;
        Self {
            n_relevant,
            valid_results: seen.len() as u64,
            recognition: ranks.len() as u64,
            last_correct_rank: ranks.last().copied(),
            first_correct_rank: ranks.first().copied(),
            average_precision: if relevant.is_empty() {
                1.0
            } else {
                precisions.sum::<f64>() / n_relevant as f64
            },
            ranks,
        }
    }

    /// Returns precision (1 if nothing came back), recall (1 if nothing should) and F1 of all that
    /// came back.
    pub fn scores(&self) -> Scores {
        Scores::new(
            share(self.recognition, self.valid_results, 1.0),
            share(self.recognition, self.n_relevant, 1.0),
        )
    }

    /// Returns one over the rank of the first correct document; 0 if there is none.
    pub fn reciprocal_rank(&self) -> f64 {
        self.first_correct_rank.map_or(0.0, |rank| 1.0 / rank as f64)
    }

    /// Returns the figures of the first `k` results.
    pub fn at(&self, k: u64) -> AtK {
        let n_correct = self.ranks.partition_point(|&rank| rank <= k) as u64;
        let scores = Scores::new(share(n_correct, k, 1.0), share(n_correct, self.n_relevant, 1.0));
        AtK { k, n_correct, scores }
    }

    /// Returns the figures at each of `ks`, for a top-k curve.
    pub fn curve(&self, ks: impl IntoIterator<Item = u64>) -> Vec<AtK> {
        ks.into_iter().map(|k| self.at(k)).collect()
    }
}

/// Means over several questions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Means {
    /// How many questions.
    pub n_questions: u64,
    /// Mean reciprocal rank (MRR).
    pub reciprocal_rank: f64,
    /// Mean average precision (MAP).
    pub average_precision: f64,
    /// Mean recall of all that came back.
    pub recall: f64,
    /// Mean precision of all that came back.
    pub precision: f64,
    /// Mean number of documents that came back.
    pub valid_results: f64,
}

impl Means {
    /// Returns the means; none without questions.
    pub fn of(answers: &[Retrieval]) -> Option<Self> {
        if answers.is_empty() {
            return None;
        }
        let mean = |of: &dyn Fn(&Retrieval) -> f64| {
            answers.iter().map(of).sum::<f64>() / answers.len() as f64
        };
        Some(Self {
            n_questions: answers.len() as u64,
            reciprocal_rank: mean(&Retrieval::reciprocal_rank),
            average_precision: mean(&|answer| answer.average_precision),
            recall: mean(&|answer| answer.scores().recall),
            precision: mean(&|answer| answer.scores().precision),
            valid_results: mean(&|answer| answer.valid_results as f64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_comes_twice_counts_where_it_came_first() {
        let answer = Retrieval::of([5, 3, 5, 1], [1, 5]);
        assert_eq!((answer.valid_results, answer.recognition), (3, 2));
        assert_eq!((answer.first_correct_rank, answer.last_correct_rank), (Some(1), Some(3)));
        assert!((answer.average_precision - f64::midpoint(1.0, 2.0 / 3.0)).abs() < 1e-15);
    }

    #[test]
    fn the_curve_falls_in_precision_and_rises_in_recall() {
        let answer = Retrieval::of(0..100, (0..100).filter(|i| i % 3 == 0));
        let curve = answer.curve((5..=225).step_by(5));
        assert_eq!(curve.len(), 45);
        assert!(curve.windows(2).all(|at| at[0].scores.recall <= at[1].scores.recall));
        let last = curve.last().expect("it has points");
        assert_eq!((last.n_correct, last.scores.recall), (34, 1.0));
        assert!((last.scores.precision - 34.0 / 225.0).abs() < 1e-15);
    }

    /// Table 4 of Chang and Wang: 26 of 27 among 570 documents.
    #[test]
    fn known_items_are_measured_as_published() {
        let answer = Retrieval::of(0..570, (0..26).chain([9_999]));
        let scores = answer.scores();
        assert_eq!((answer.recognition, answer.valid_results), (26, 570));
        assert!((scores.recall - 26.0 / 27.0).abs() < 1e-15);
        assert!((scores.precision - 26.0 / 570.0).abs() < 1e-15);
    }

    #[test]
    fn an_answer_without_a_hit_has_no_rank() {
        let answer = Retrieval::of([1, 2], [3]);
        assert_eq!((answer.last_correct_rank, answer.reciprocal_rank()), (None, 0.0));
        let means = Means::of(&[answer, Retrieval::of([3], [3])]).expect("two questions");
        assert_eq!((means.reciprocal_rank, means.valid_results), (0.5, 1.5));
        assert_eq!(Means::of(&[]), None);
    }
}
