//! Which lines of lists count, and as what.

use retold::Kind;

use super::clusters::LastCell;
use super::pairs::{PairLine, ScoreOf, is_negative};
use crate::measures::Direction;

/// Which lines of lists count, and as what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counting<'a> {
    /// Whether the order of pairs matters.
    pub(crate) direction: Direction,
    /// Which score of a pair counts.
    pub(crate) score: ScoreOf,
    /// What the last cell of a line of a cluster is.
    pub(crate) last_cell: LastCell,
    /// Relations that count as found; empty takes all.
    pub(crate) relations: &'a [Kind],
    /// Least score of a pair that counts as found.
    pub(crate) min_score: Option<f64>,
    /// Labels of the truth that count as true; empty takes all but those that say no.
    pub(crate) labels: &'a [String],
    /// Labels that say no, beside the usual ones.
    pub(crate) negative: &'a [String],
    /// Labels whose lines are passed over.
    pub(crate) ignored: &'a [String],
}

/// What a line of the truth claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The pair is related.
    Related,
    /// It is not.
    Unrelated,
    /// The line is passed over.
    Nothing,
}

impl Counting<'_> {
    /// Returns whether every line counts.
    pub(crate) fn counts_all(&self) -> bool {
        self.finds_all() && self.labels.is_empty() && self.ignored.is_empty()
    }

    /// Returns whether every line of a result counts as found.
    pub(crate) fn finds_all(&self) -> bool {
        self.relations.is_empty() && self.min_score.is_none()
    }

    /// Returns the pairs of a line of a result that count as found, with their scores.
    pub(crate) fn found<'l>(
        &self,
        line: &'l PairLine<'_>,
    ) -> impl Iterator<Item = (&'l str, &'l str, f64)> {
        let is_taken = self.takes(line);
        let pairs = line.pairs(self.direction, self.score).into_iter().flatten();
        pairs.filter(move |&(_, _, score)| is_taken && self.is_enough(score))
    }

    /// Returns whether a score is enough; one that is not known is.
    pub(crate) fn is_enough(&self, score: f64) -> bool {
        self.min_score.is_none_or(|least| score.is_nan() || score >= least)
    }

    /// Returns whether the relation of a line of a result counts.
    pub(crate) fn takes(&self, line: &PairLine<'_>) -> bool {
        self.relations.is_empty()
            || line.relation.is_some_and(|relation| self.relations.contains(&relation))
    }

    /// Returns what a line of the truth claims.
    pub(crate) fn claim(&self, line: &PairLine<'_>) -> Claim {
        let Some(label) = line.label.as_deref() else {
            // Without a label a number is a grade.
            let is_zero = line.score.is_some_and(|score| score <= 0.0);
            return if is_zero { Claim::Unrelated } else { Claim::Related };
        };
        let has = |list: &[String]| list.iter().any(|name| name == label);
        if has(self.ignored) {
            Claim::Nothing
        } else if has(self.negative) {
            Claim::Unrelated
        } else if has(self.labels) {
            Claim::Related
        } else if is_negative(label) {
            Claim::Unrelated
        } else if self.labels.is_empty() {
            Claim::Related
        } else {
            Claim::Nothing
        }
    }
}
