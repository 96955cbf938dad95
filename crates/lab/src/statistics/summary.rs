//! What is said of a column of numbers.

use serde::Serialize;

/// Least, greatest, centre and spread of some numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many numbers there are.
    pub n: usize,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// The arithmetic mean.
    pub mean: f64,
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// Standard deviation with n below the line: these numbers are all there are.
    pub population_sd: f64,
    /// Standard deviation with n - 1 below the line: these numbers are a sample. None for a
    /// single number.
    pub sample_sd: Option<f64>,
}

impl Summary {
    /// Describes some numbers; none if there are none or one of them is not a number.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| value.is_nan()) {
            return None;
        }
        let n = values.len();
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let mean = mean(values);
        // Around the mean in a second pass: sums of squares would lose what small spreads need.
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self {
            n,
            min: sorted[0],
            max: sorted[n - 1],
            mean,
            median: quantile(&sorted, 0.5),
            population_sd: (squares / n as f64).sqrt(),
            sample_sd: (n > 1).then(|| (squares / (n - 1) as f64).sqrt()),
        })
    }
}

/// Returns the value below which the share `p` of the sorted numbers lies, between neighbours by
/// straight line (type 7 of Hyndman and Fan, the default of R and `NumPy`).
///
/// *Panics* if there are no numbers.
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let at = p.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    #[expect(clippy::cast_sign_loss, reason = "a place in a list is never below 0")]
    let below = at.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (at - below as f64)
}

/// Returns the arithmetic mean.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "shares of small counts are exact")]
mod tests {
    use super::*;

    #[test]
    fn both_deviations_have_their_names() {
        let summary = Summary::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).expect("numbers");
        assert_eq!((summary.min, summary.max, summary.mean), (2.0, 9.0, 5.0));
        assert!((summary.median - 4.5).abs() < 1e-15);
        assert!((summary.population_sd - 2.0).abs() < 1e-15);
        assert!((summary.sample_sd.expect("eight") - (32.0f64 / 7.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn one_number_has_no_sample_deviation_and_none_no_summary() {
        let one = Summary::of(&[3.0]).expect("a number");
        assert_eq!((one.population_sd, one.sample_sd), (0.0, None));
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let sorted = [10.0, 20.0, 30.0, 40.0];
        let at = [0.0, 0.25, 0.5, 1.0].map(|p| quantile(&sorted, p));
        assert_eq!(at, [10.0, 17.5, 25.0, 40.0]);
    }
}
