//! Answers to questions, with intervals over questions.

use serde::Serialize;

use super::{Figure, ScoreFigures};
use crate::measures::retrieval::{Means, Retrieval};
use crate::statistics::Bootstrap;

/// What can be said of the answers to some questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankingFigures {
    /// How many questions have relevant documents.
    pub n_questions: u64,
    /// Relevant documents of all questions.
    pub n_relevant: u64,
    /// Those that came back.
    pub recognition: u64,
    /// Documents that came back.
    pub valid_results: u64,
    /// Means over questions of precision, recall and F1 of all that came back.
    #[serde(flatten)]
    pub scores: ScoreFigures,
    /// Mean reciprocal rank (MRR).
    pub reciprocal_rank: Figure,
    /// Mean average precision (MAP).
    pub average_precision: Figure,
    /// Mean rank of the last correct document (LCR), over questions that have one.
    pub last_correct_rank: Option<f64>,
    /// The first k results.
    pub at: Vec<AtKFigures>,
}

/// Means over questions for the first k results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AtKFigures {
    /// How many results.
    pub k: u64,
    /// Mean precision at k.
    pub precision: Figure,
    /// Mean recall at k.
    pub recall: Figure,
    /// Mean F1 at k.
    pub f1: Figure,
}

impl RankingFigures {
    /// Measures answers; none without questions.
    pub fn of(answers: &[Retrieval], ks: &[u64], bootstrap: &Bootstrap) -> Option<Self> {
        let means = Means::of(answers)?;
        let figure = |of: &dyn Fn(&Retrieval) -> f64| {
            let values: Vec<f64> = answers.iter().map(of).collect();
            Figure {
                value: values.iter().sum::<f64>() / values.len() as f64,
                interval: bootstrap.mean(&values),
            }
        };
        let sum = |of: &dyn Fn(&Retrieval) -> u64| answers.iter().map(of).sum::<u64>();
        let last: Vec<u64> = answers.iter().filter_map(|answer| answer.last_correct_rank).collect();
        Some(Self {
            n_questions: means.n_questions,
            n_relevant: sum(&|answer| answer.n_relevant),
            recognition: sum(&|answer| answer.recognition),
            valid_results: sum(&|answer| answer.valid_results),
            scores: ScoreFigures {
                precision: figure(&|answer| answer.scores().precision),
                recall: figure(&|answer| answer.scores().recall),
                f1: figure(&|answer| answer.scores().f1),
            },
            reciprocal_rank: figure(&Retrieval::reciprocal_rank),
            average_precision: figure(&|answer| answer.average_precision),
            last_correct_rank: (!last.is_empty())
                .then(|| last.iter().sum::<u64>() as f64 / last.len() as f64),
            at: ks
                .iter()
                .map(|&k| AtKFigures {
                    k,
                    precision: figure(&|answer| answer.at(k).scores.precision),
                    recall: figure(&|answer| answer.at(k).scores.recall),
                    f1: figure(&|answer| answer.at(k).scores.f1),
                })
                .collect(),
        })
    }
}
