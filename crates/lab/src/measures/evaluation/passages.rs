//! Passages, with intervals over the documents that hold copies.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Figure, ScoreFigures};
use crate::measures::pairs::Scores;
use crate::measures::passages::{Passage, PassageSums, by_copy, measure, of_cases, shortest_found};
use crate::statistics::Bootstrap;

/// Passages that share a label.
pub type LabelledPassages = (String, Vec<Passage>);

/// What can be said of passages that were found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassageFigures {
    /// Passages that should be found.
    pub n_cases: u64,
    /// Those that were detected at all.
    pub n_detected: u64,
    /// Passages that were found.
    pub n_detections: u64,
    /// Precision, recall and F1 of characters, averaged over passages.
    #[serde(flatten)]
    pub scores: ScoreFigures,
    /// The same with all characters taken together.
    pub micro: Scores,
    /// Mean number of detections of a detected case.
    pub granularity: Figure,
    /// Plagdet: the F1 averaged over passages, divided by log2(1 + granularity).
    pub plagdet: Figure,
    /// Mean number of characters by which a border of a detected case is missed.
    pub border_error: Option<f64>,
    /// Least length in the copy such that nine tenths of all cases at least that long were
    /// detected; none if even the longest were not.
    pub shortest_found: Option<u64>,
    /// By label of the cases.
    pub labels: Vec<PassageLabel>,
}

/// Cases of one label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassageLabel {
    /// The label.
    pub label: String,
    /// Cases that have it.
    pub n_cases: u64,
    /// Those that were detected.
    pub n_detected: u64,
    /// Mean share of their characters that was found.
    pub recall: f64,
    /// Passages that were found in pairs of documents that have such a case.
    pub n_detections: u64,
    /// Mean share of the characters of these that is true.
    pub precision: f64,
    /// Mean number of detections of a detected case.
    pub granularity: f64,
    /// Plagdet of these cases and these detections.
    pub plagdet: f64,
}

impl PassageFigures {
    /// Measures passages; `labels` divide the cases.
    pub fn of(
        cases: &[Passage],
        detections: &[Passage],
        labels: &[LabelledPassages],
        bootstrap: &Bootstrap,
    ) -> Self {
        let scores = measure(cases, detections);
        let copies = by_copy(cases, detections);
        let values = |sums: &PassageSums| {
            let scores = sums.scores();
            [scores.precision, scores.recall, scores.f1, sums.granularity(), sums.plagdet()]
        };
        let intervals = bootstrap.intervals(&copies, values).unwrap_or_default();
        let figure = |value: f64, i: usize| Figure { value, interval: intervals[i] };
        let lengths: Vec<(u64, bool)> = cases
            .iter()
            .zip(of_cases(cases, detections))
            .map(|(case, of)| (case.in_copy.len(), of.n_detections > 0))
            .collect();
        let label = |(label, cases): &LabelledPassages| {
            let pairs: BTreeSet<(u32, u32)> =
                cases.iter().map(|case| (case.copy, case.source)).collect();
            let is_theirs = |found: &&Passage| pairs.contains(&(found.copy, found.source));
            let theirs: Vec<Passage> = detections.iter().filter(is_theirs).copied().collect();
            let scores = measure(cases, &theirs);
            PassageLabel {
                label: label.clone(),
                n_cases: scores.n_cases,
                n_detected: scores.n_detected,
                recall: scores.of_passages.recall,
                n_detections: scores.n_detections,
                precision: scores.of_passages.precision,
                granularity: scores.granularity,
                plagdet: scores.plagdet,
            }
        };
        Self {
            n_cases: scores.n_cases,
            n_detected: scores.n_detected,
            n_detections: scores.n_detections,
            scores: ScoreFigures {
                precision: figure(scores.of_passages.precision, 0),
                recall: figure(scores.of_passages.recall, 1),
                f1: figure(scores.of_passages.f1, 2),
            },
            micro: scores.of_characters,
            granularity: figure(scores.granularity, 3),
            plagdet: figure(scores.plagdet, 4),
            border_error: scores.border_error,
            shortest_found: shortest_found(&lengths, 0.9),
            labels: labels.iter().map(label).collect(),
        }
    }
}
