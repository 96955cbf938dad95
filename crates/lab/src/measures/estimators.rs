//! Estimates against exact values, and the S-curve of banding.

use serde::Serialize;

use crate::statistics::{Interval, Level, wilson};

/// How far estimates lie from the truth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EstimatorError {
    /// How many estimates.
    pub n: usize,
    /// Mean of |estimate - exact|.
    pub mean_absolute: f64,
    /// Mean of estimate - exact: above 0 if estimates are too high.
    pub bias: f64,
    /// Root of the mean square.
    pub root_mean_square: f64,
    /// The largest |estimate - exact|.
    pub worst: f64,
}

impl EstimatorError {
    /// Measures (estimate, exact); none without them.
    ///
    /// ```
    /// use retold_lab::measures::estimators::EstimatorError;
    /// let error = EstimatorError::of(&[(0.5, 0.4), (0.3, 0.4)]).expect("two estimates");
    /// assert!(error.bias.abs() < 1e-12 && (error.mean_absolute - 0.1).abs() < 1e-12);
    /// ```
    pub fn of(estimates: &[(f64, f64)]) -> Option<Self> {
        if estimates.is_empty() {
            return None;
        }
        let n = estimates.len();
        let mean = |of: &dyn Fn(f64) -> f64| {
            estimates.iter().map(|(estimate, exact)| of(estimate - exact)).sum::<f64>() / n as f64
        };
        let worst =
            estimates.iter().map(|(x, y)| (x - y).abs()).max_by(f64::total_cmp).unwrap_or(0.0);
        Some(Self {
            n,
            mean_absolute: mean(&f64::abs),
            bias: mean(&|error| error),
            root_mean_square: mean(&|error| error * error).sqrt(),
            worst,
        })
    }
}

/// Errors of estimates whose documents have a ratio of sizes from `ratio` up to the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AtRatio {
    /// Least ratio of the longer to the shorter document.
    pub ratio: f64,
    /// The errors; none where there are no estimates.
    pub error: Option<EstimatorError>,
}

/// Measures (ratio of sizes, estimate, exact) by the greatest of `ratios` that is not above the
/// ratio; what is below all of them is left out.
///
/// `ratios` ascend, such as 1, 10, 100, 1000.
pub fn by_ratio(estimates: &[(f64, f64, f64)], ratios: &[f64]) -> Vec<AtRatio> {
    let mut of: Vec<Vec<(f64, f64)>> = vec![Vec::new(); ratios.len()];
    for &(ratio, estimate, exact) in estimates {
        let n_below = ratios.partition_point(|&least| least <= ratio);
        if n_below > 0 {
            of[n_below - 1].push((estimate, exact));
        }
    }
    let at = |(&ratio, estimates): (&f64, &Vec<_>)| AtRatio {
        ratio,
        error: EstimatorError::of(estimates),
    };
    ratios.iter().zip(&of).map(at).collect()
}

/// Returns the probability that two documents of similarity `s` share a band of `rows` values
/// among `bands`: 1 - (1 - s^r)^b.
///
/// Broder et al. 2000; Leskovec, Rajaraman, Ullman: Mining of Massive Datasets, section 3.4.
pub fn s_curve(s: f64, bands: u32, rows: u32) -> f64 {
    // Through logarithms: where s^r is tiny, 1 - s^r would round to 1.
    let in_one = s.clamp(0.0, 1.0).powf(f64::from(rows));
    -(f64::from(bands) * (-in_one).ln_1p()).exp_m1()
}

/// Pairs of a range of similarities and how many of them became candidates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SPoint {
    /// Least similarity.
    pub low: f64,
    /// Greatest similarity; only the last range holds it.
    pub high: f64,
    /// Mean similarity of the pairs; none where there are none.
    pub mean: Option<f64>,
    /// How many pairs.
    pub n: u64,
    /// Those that became candidates.
    pub n_candidates: u64,
    /// Interval of the share of candidates.
    pub interval: Interval,
}

/// Counts (similarity, whether it became a candidate) in `n_ranges` equal ranges from 0 to 1.
pub fn empirical_s_curve(pairs: &[(f64, bool)], n_ranges: usize, level: Level) -> Vec<SPoint> {
    let mut sums = vec![(0u64, 0u64, 0.0); n_ranges];
    for &(similarity, is_candidate) in pairs {
        if !(0.0..=1.0).contains(&similarity) || n_ranges == 0 {
            continue;
        }
        #[expect(clippy::cast_sign_loss, reason = "checked to be at least 0")]
        let range = ((similarity * n_ranges as f64) as usize).min(n_ranges - 1);
        let (n, n_candidates, sum) = &mut sums[range];
        *n += 1;
        *n_candidates += u64::from(is_candidate);
        *sum += similarity;
    }
    let point = |(at, (n, n_candidates, sum)): (usize, (u64, u64, f64))| SPoint {
        low: at as f64 / n_ranges as f64,
        high: (at + 1) as f64 / n_ranges as f64,
        mean: (n > 0).then(|| sum / n as f64),
        n,
        n_candidates,
        interval: wilson(n_candidates, n, level),
    };
    sums.into_iter().enumerate().map(point).collect()
}

#[cfg(test)]
mod tests {
    use retold_core::hash::Random;

    use super::*;

    #[test]
    fn the_curve_is_steep_where_theory_says() {
        assert_eq!((s_curve(0.0, 20, 5), s_curve(1.0, 20, 5)), (0.0, 1.0));
        // Mining of Massive Datasets, figure 3.8: b = 20, r = 5.
        for (s, expected) in [(0.2, 0.006), (0.4, 0.186), (0.6, 0.802), (0.8, 0.9996)] {
            assert!((s_curve(s, 20, 5) - expected).abs() < 0.000_5, "{s}");
        }
        assert!((s_curve(0.01, 20, 9) / (20.0 * 1e-18) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn drawn_candidates_lie_on_the_curve() {
        let mut random = Random::new(5);
        let mut uniform = || random.below(1 << 30) as f64 / f64::from(1 << 30);
        let pairs: Vec<(f64, bool)> = (0..50_000)
            .map(|_| (uniform(), uniform()))
            .map(|(s, draw)| (s, draw < s_curve(s, 20, 5)))
            .collect();
        let points = empirical_s_curve(&pairs, 10, Level::new(0.9999).expect("a share"));
        assert_eq!(points.iter().map(|point| point.n).sum::<u64>(), 50_000);
        for point in points {
            // The curve bends inside a range, so its ends bound the share.
            let (low, high) = (s_curve(point.low, 20, 5), s_curve(point.high, 20, 5));
            assert!(point.interval.low <= high && low <= point.interval.high, "{point:?}");
        }
    }

    #[test]
    fn errors_are_told_by_ratio_of_sizes() {
        let at =
            by_ratio(&[(1.0, 0.5, 0.5), (50.0, 0.7, 0.5), (0.5, 0.0, 1.0)], &[1.0, 10.0, 100.0]);
        assert_eq!(
            at.iter().map(|at| at.error.map(|error| error.n)).collect::<Vec<_>>(),
            [Some(1), Some(1), None]
        );
        let error = at[1].error.expect("one estimate");
        assert!((error.bias - 0.2).abs() < 1e-12 && (error.worst - 0.2).abs() < 1e-12);
        assert_eq!(EstimatorError::of(&[]), None);
    }
}
