//! All thresholds at once: precision against recall, miss against false alarm.
//!
//! Whatever has a score has it from 0 up or any other scale; only the order counts. Pairs of equal
//! score are taken together, since no threshold tells them apart. True pairs that never got a score
//! count as missed at every threshold.

use serde::Serialize;

use super::pairs::Scores;
use super::share;
use crate::statistics::normal_deviate;

/// Something with a score, and whether it is true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The score; higher is more certain. What is not a number is left out.
    pub score: f64,
    /// Whether it is true.
    pub is_true: bool,
}

/// What is found at a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Scores of at least this count as found.
    pub threshold: f64,
    /// How many are found.
    pub n_found: u64,
    /// True ones among them.
    pub n_common: u64,
    /// Precision, recall and F1.
    #[serde(flatten)]
    pub scores: Scores,
}

/// Precision and recall over all thresholds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PrecisionRecall {
    /// How many true ones there are, found or not.
    pub n_true: u64,
    /// A point for each different score, the highest first.
    pub points: Vec<CurvePoint>,
}

impl PrecisionRecall {
    /// Makes the curve; `n_true` is how many true ones there are in all, with and without a score.
    ///
    /// ```
    /// use retold_lab::measures::curves::{PrecisionRecall, Scored};
    /// let scored = [(0.9, true), (0.8, false), (0.7, true)];
    /// let scored = scored.map(|(score, is_true)| Scored { score, is_true });
    /// let curve = PrecisionRecall::of(&scored, 2);
    /// assert!((curve.average_precision() - (0.5 + 0.5 * 2.0 / 3.0)).abs() < 1e-12);
    /// ```
    pub fn of(scored: &[Scored], n_true: u64) -> Self {
        let (mut n_found, mut n_common) = (0, 0);
        let points = steps(scored).into_iter().map(|(threshold, n_trues, n_falses)| {
            n_found += n_trues + n_falses;
            n_common += n_trues;
            let scores = Scores::new(share(n_common, n_found, 1.0), share(n_common, n_true, 1.0));
            CurvePoint { threshold, n_found, n_common, scores }
        });
        Self { n_true, points: points.collect() }
    }

    /// Returns the area below the curve as a sum of steps: the gain in recall at each score times
    /// the precision there. 0 without points.
    pub fn average_precision(&self) -> f64 {
        let mut before = 0.0;
        let mut area = 0.0;
        for point in &self.points {
            area += (point.scores.recall - before) * point.scores.precision;
            before = point.scores.recall;
        }
        area
    }

    /// Returns the point of the highest F1; of equal ones that with the highest threshold.
    pub fn best(&self) -> Option<&CurvePoint> {
        let better = |x: &&CurvePoint, y: &&CurvePoint| {
            x.scores.f1.total_cmp(&y.scores.f1).then(x.threshold.total_cmp(&y.threshold))
        };
        self.points.iter().max_by(better)
    }
}

/// Miss and false alarm at a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DetPoint {
    /// Scores of at least this count as found.
    pub threshold: f64,
    /// Share of true ones that are missed.
    pub miss: f64,
    /// Share of false ones that are found.
    pub false_alarm: f64,
}

impl DetPoint {
    /// Returns false alarm and miss on the axes of a DET plot, as normal deviates. The ends, which
    /// lie infinitely far out, are taken half a case from the end.
    pub fn deviates(&self, n_true: u64, n_false: u64) -> (f64, f64) {
        let deviate = |rate: f64, n: u64| {
            let half = 0.5 / n.max(1) as f64;
            normal_deviate(rate.clamp(half, 1.0 - half))
        };
        (deviate(self.false_alarm, n_false), deviate(self.miss, n_true))
    }
}

/// Returns the detection error tradeoff, highest threshold first; `n_true` and `n_false` are how
/// many true and false ones there are in all, with and without a score.
///
/// Martin et al.: The DET curve in assessment of detection task performance, 1997.
pub fn detection_error(scored: &[Scored], n_true: u64, n_false: u64) -> Vec<DetPoint> {
    let (mut trues, mut falses) = (0, 0);
    let point = |(threshold, n_trues, n_falses)| {
        trues += n_trues;
        falses += n_falses;
        let miss = share(n_true.saturating_sub(trues), n_true, 0.0);
        DetPoint { threshold, miss, false_alarm: share(falses, n_false, 0.0) }
    };
    steps(scored).into_iter().map(point).collect()
}

/// Returns for each different score, highest first, how many true and false ones have it.
fn steps(scored: &[Scored]) -> Vec<(f64, u64, u64)> {
    let mut sorted: Vec<Scored> =
        scored.iter().copied().filter(|scored| !scored.score.is_nan()).collect();
    sorted.sort_unstable_by(|x, y| y.score.total_cmp(&x.score));
    let step = |equal: &[Scored]| {
        let n_trues = equal.iter().filter(|scored| scored.is_true).count();
        (equal[0].score, n_trues as u64, (equal.len() - n_trues) as u64)
    };
    // By `total_cmp` -0 is below 0; a threshold does not tell them apart.
    #[expect(clippy::float_cmp, reason = "equal scores are what is looked for")]
    sorted.chunk_by(|x, y| x.score == y.score).map(step).collect()
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "shares of small counts are exact")]
mod tests {
    use super::*;

    fn scored(values: &[(f64, bool)]) -> Vec<Scored> {
        values.iter().map(|&(score, is_true)| Scored { score, is_true }).collect()
    }

    #[test]
    fn equal_scores_are_one_point() {
        let curve = PrecisionRecall::of(
            &scored(&[(0.5, false), (0.5, true), (0.9, true), (f64::NAN, true)]),
            4,
        );
        let found: Vec<(u64, u64)> =
            curve.points.iter().map(|point| (point.n_found, point.n_common)).collect();
        assert_eq!(found, [(1, 1), (3, 2)]);
        assert_eq!(curve.points[1].scores.recall, 0.5);
        assert_eq!(curve.best().map(|point| point.threshold), Some(0.5));
    }

    #[test]
    fn a_perfect_order_has_the_whole_area() {
        let curve = PrecisionRecall::of(&scored(&[(0.9, true), (0.8, true), (0.1, false)]), 2);
        assert!((curve.average_precision() - 1.0).abs() < 1e-15);
        assert_eq!(PrecisionRecall::of(&[], 5).average_precision(), 0.0);
    }

    #[test]
    fn errors_trade_against_each_other() {
        let points = detection_error(&scored(&[(3.0, true), (2.0, false), (1.0, true)]), 4, 10);
        let errors: Vec<(f64, f64)> =
            points.iter().map(|point| (point.miss, point.false_alarm)).collect();
        assert_eq!(errors, [(0.75, 0.0), (0.75, 0.1), (0.5, 0.1)]);
        let (x, y) = points[0].deviates(4, 10);
        assert!((x + 1.645).abs() < 0.001 && (y - 0.674).abs() < 0.001, "{x} {y}");
    }
}
