//! How far people agree beyond chance.
//!
//! The confusion is always given with a coefficient: where nearly all answers are the same, a
//! coefficient says little.

use std::collections::BTreeMap;

use serde::Serialize;
use thiserror::Error;

use crate::statistics::{Interval, Level, normal_deviate};

/// Ratings from which no agreement can be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AgreementError {
    /// Rows of a table differ in length, or a confusion is not square.
    #[error("row {row} has {got} columns, expected {expected}")]
    Shape {
        /// Row, from 0.
        row: usize,
        /// Its columns.
        got: usize,
        /// Columns it should have.
        expected: usize,
    },
    /// A unit with another number of raters than the first.
    #[error("unit {unit} has {got} ratings, the first has {expected}; use Krippendorff's alpha")]
    Raters {
        /// Unit, from 0.
        unit: usize,
        /// Its ratings.
        got: u64,
        /// Ratings it should have.
        expected: u64,
    },
}

/// Agreement of two or more raters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// Units that were rated.
    pub n: u64,
    /// Share of agreeing ratings.
    pub observed: f64,
    /// Share that would agree by chance.
    pub expected: f64,
    /// (observed - expected) / (1 - expected): 1 is full agreement, 0 chance. None if all ratings
    /// are the same, since chance would do as well.
    pub kappa: Option<f64>,
    /// Interval of kappa for many units; none where there is no theory for it or no kappa.
    pub interval: Option<Interval>,
}

/// Returns Cohen's kappa of two raters from their confusion: rows are answers of the first,
/// columns those of the second. Without units kappa is none.
///
/// The interval takes the standard error of Fleiss, Cohen and Everitt (1969).
///
/// ```
/// use retold_lab::measures::agreement::cohen;
/// use retold_lab::statistics::Level;
/// let agreement = cohen(&[[40, 5], [8, 47]], Level::default()).expect("it is square");
/// assert!((agreement.kappa.expect("answers differ") - 0.738956).abs() < 1e-6);
/// ```
pub fn cohen<R: AsRef<[u64]>>(confusion: &[R], level: Level) -> Result<Agreement, AgreementError> {
    let k = confusion.len();
    for (row, counts) in confusion.iter().enumerate() {
        let got = counts.as_ref().len();
        if got != k {
            return Err(AgreementError::Shape { row, got, expected: k });
        }
    }
    let n: u64 = confusion.iter().flat_map(AsRef::as_ref).sum();
    let share = |i: usize, j: usize| confusion[i].as_ref()[j] as f64 / n.max(1) as f64;
    let of_first: Vec<f64> = (0..k).map(|i| (0..k).map(|j| share(i, j)).sum()).collect();
    let of_second: Vec<f64> = (0..k).map(|j| (0..k).map(|i| share(i, j)).sum()).collect();
    let observed: f64 = (0..k).map(|i| share(i, i)).sum();
    let expected: f64 = (0..k).map(|i| of_first[i] * of_second[i]).sum();
    let kappa = coefficient(n, observed, expected);
    let interval = kappa.map(|kappa| {
        let rest = 1.0 - kappa;
        let mut variance = -(kappa - expected * rest).powi(2);
        for i in 0..k {
            for j in 0..k {
                variance += share(i, j)
                    * if i == j {
                        (1.0 - (of_first[i] + of_second[i]) * rest).powi(2)
                    } else {
                        (rest * (of_second[i] + of_first[j])).powi(2)
                    };
            }
        }
        let error = variance.max(0.0).sqrt() / ((1.0 - expected) * (n as f64).sqrt());
        let half = normal_deviate(1.0 - level.tail()) * error;
        Interval { low: (kappa - half).max(-1.0), high: (kappa + half).min(1.0), level }
    });
    Ok(Agreement { n, observed, expected, kappa, interval })
}

/// Returns Fleiss' kappa from a table with a row for each unit: how many raters gave each answer.
///
/// # Errors
/// If units were rated by different numbers of people; then [`krippendorff`] serves.
pub fn fleiss<R: AsRef<[u64]>>(table: &[R]) -> Result<Agreement, AgreementError> {
    let mut first: Option<(usize, u64)> = None;
    let (mut agreeing, mut answers) = (0.0, Vec::new());
    for (unit, row) in table.iter().enumerate() {
        let row = row.as_ref();
        let raters: u64 = row.iter().sum();
        let (k, expected) = *first.get_or_insert((row.len(), raters));
        if row.len() != k {
            return Err(AgreementError::Shape { row: unit, got: row.len(), expected: k });
        }
        if raters != expected {
            return Err(AgreementError::Raters { unit, got: raters, expected });
        }
        answers.resize(k, 0u64);
        answers.iter_mut().zip(row).for_each(|(sum, n)| *sum += n);
        let pairs = (raters * raters.saturating_sub(1)) as f64;
        let alike: u64 = row.iter().map(|&n| n * n.saturating_sub(1)).sum();
        agreeing += if pairs > 0.0 { alike as f64 / pairs } else { 0.0 };
    }
    let n = table.len() as u64;
    let total: u64 = answers.iter().sum();
    let observed = agreeing / n.max(1) as f64;
    let expected = answers.iter().map(|&n| (n as f64 / total.max(1) as f64).powi(2)).sum();
    let kappa = coefficient(n, observed, expected);
    Ok(Agreement { n, observed, expected, kappa, interval: None })
}

/// Returns Krippendorff's alpha for unordered answers from the answers each unit got; units with
/// fewer than two are left out. `observed` and `expected` are shares of agreeing pairs.
///
/// Krippendorff: Computing Krippendorff's alpha-reliability, 2011, section D.
pub fn krippendorff<R: AsRef<[u32]>>(units: &[R]) -> Agreement {
    let (mut n, mut total, mut agreeing) = (0, 0.0, 0.0);
    let mut answers: BTreeMap<u32, f64> = BTreeMap::new();
    for ratings in units.iter().map(AsRef::as_ref).filter(|ratings| ratings.len() > 1) {
        n += 1;
        total += ratings.len() as f64;
        let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
        for &answer in ratings {
            *counts.entry(answer).or_default() += 1.0;
        }
        for (answer, count) in counts {
            agreeing += count * (count - 1.0) / (ratings.len() - 1) as f64;
            *answers.entry(answer).or_default() += count;
        }
    }
    let observed = if n == 0 { 0.0 } else { agreeing / total };
    let alike: f64 = answers.values().map(|count| count * (count - 1.0)).sum();
    let expected = if n == 0 { 0.0 } else { alike / (total * (total - 1.0)) };
    let kappa = coefficient(n, observed, expected);
    Agreement { n, observed, expected, kappa, interval: None }
}

fn coefficient(n: u64, observed: f64, expected: f64) -> Option<f64> {
    (n > 0 && expected < 1.0 - 1e-12).then(|| (observed - expected) / (1.0 - expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vector T-KAP of testdata/VECTORS.md: Cohen's kappa of a small confusion matrix, by hand.
    #[test]
    fn two_raters_agree_as_computed_by_hand() {
        let agreement = cohen(&[[40, 5], [8, 47]], Level::default()).expect("square");
        assert_eq!(agreement.n, 100);
        assert!((agreement.observed - 0.87).abs() < 1e-12);
        assert!((agreement.expected - 0.502).abs() < 1e-12);
        assert!((agreement.kappa.expect("answers differ") - 0.738_956).abs() < 1e-6);
        assert!(agreement.interval.expect("answers differ").holds(0.73));
    }

    #[test]
    fn full_agreement_is_one_and_one_answer_tells_nothing() {
        let level = Level::default();
        assert_eq!(cohen(&[[4, 0], [0, 6]], level).map(|a| a.kappa), Ok(Some(1.0)));
        assert_eq!(cohen(&[[9, 0], [0, 0]], level).map(|a| a.kappa), Ok(None));
        assert_eq!(cohen::<[u64; 0]>(&[], level).map(|a| a.kappa), Ok(None));
        let crooked = cohen(&[vec![1, 2], vec![3]], level);
        assert_eq!(crooked, Err(AgreementError::Shape { row: 1, got: 1, expected: 2 }));
    }

    /// Fleiss 1971 as worked out in the usual textbook table: kappa 0.210.
    #[test]
    fn many_raters_agree_as_published() {
        let table = [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ];
        let kappa = fleiss(&table).expect("fourteen raters each").kappa.expect("answers differ");
        assert!((kappa - 0.210).abs() < 0.000_5, "{kappa}");
        let short = fleiss(&[[2, 1], [1, 1]]);
        assert_eq!(short, Err(AgreementError::Raters { unit: 1, got: 2, expected: 3 }));
    }

    /// Krippendorff 2011, section D: alpha of the nominal example is 0.743.
    #[test]
    fn missing_ratings_are_allowed_by_alpha() {
        let units: [&[u32]; 12] = [
            &[1, 1, 1],
            &[2, 2, 3, 2],
            &[3, 3, 3, 3],
            &[3, 3, 3, 3],
            &[2, 2, 2, 2],
            &[1, 2, 3, 4],
            &[4, 4, 4, 4],
            &[1, 1, 2, 1],
            &[2, 2, 2, 2],
            &[5, 5, 5],
            &[1, 1],
            &[3],
        ];
        let alpha = krippendorff(&units);
        assert_eq!(alpha.n, 11);
        assert!((alpha.kappa.expect("answers differ") - 0.743).abs() < 0.000_5);
    }
}
