//! How cost grows with size: a straight line through logarithms.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::interval::{Interval, Level};
use super::summary::mean;

/// cost = factor · size ^ exponent, fitted by least squares on logarithms.
///
/// "Linear" may be claimed when the whole interval of the exponent lies at or below 1.1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PowerLaw {
    /// How many points it is fitted to.
    pub n: usize,
    /// What the size is raised to.
    pub exponent: f64,
    /// Its interval by Student's t; none for two points, which every line meets.
    pub interval: Option<Interval>,
    /// Cost at size 1.
    pub factor: f64,
    /// Share of the variance of the logarithms that the line explains, 0 to 1.
    pub r_squared: f64,
}

impl PowerLaw {
    /// Fits a power law to (size, cost); none with fewer than two different sizes, or where a size
    /// or a cost is not above 0.
    ///
    /// ```
    /// use retold_lab::statistics::{Level, PowerLaw};
    /// let points = [(1.0, 3.0), (2.0, 6.0), (4.0, 12.0), (8.0, 24.0)];
    /// let law = PowerLaw::fit(&points, Level::default()).expect("four sizes");
    /// assert!((law.exponent - 1.0).abs() < 1e-12);
    /// ```
    pub fn fit(points: &[(f64, f64)], level: Level) -> Option<Self> {
        let is_usable = |&(size, cost): &(f64, f64)| {
            size > 0.0 && cost > 0.0 && size.is_finite() && cost.is_finite()
        };
        if points.len() < 2 || !points.iter().all(is_usable) {
            return None;
        }
        let sizes: Vec<f64> = points.iter().map(|(size, _)| size.ln()).collect();
        let costs: Vec<f64> = points.iter().map(|(_, cost)| cost.ln()).collect();
        let (mean_size, mean_cost) = (mean(&sizes), mean(&costs));
        let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
            sizes.iter().zip(&costs).map(|(x, y)| f(x - mean_size, y - mean_cost)).sum()
        };
        let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
        if xx <= 0.0 {
            return None;
        }
        let exponent = xy / xx;
        let left = sum(&|x, y| (y - exponent * x).powi(2));
        let freedom = points.len() - 2;
        let interval = (freedom > 0).then(|| {
            let error = (left / freedom as f64 / xx).sqrt();
            let t = StudentsT::new(0.0, 1.0, freedom as f64).expect("freedom is above 0");
            let half = t.inverse_cdf(1.0 - level.tail()) * error;
            Interval { low: exponent - half, high: exponent + half, level }
        });
        Some(Self {
            n: points.len(),
            exponent,
            interval,
            factor: (mean_cost - exponent * mean_size).exp(),
            r_squared: if yy > 0.0 { (1.0 - left / yy).clamp(0.0, 1.0) } else { 1.0 },
        })
    }

    /// Returns the cost the law gives for a size.
    pub fn at(&self, size: f64) -> f64 {
        self.factor * size.powf(self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_law_is_found_again() {
        let points: Vec<(f64, f64)> =
            (0..7).map(|i| f64::from(6_250 << i)).map(|n| (n, 0.5 * n.powf(1.5))).collect();
        let law = PowerLaw::fit(&points, Level::default()).expect("seven sizes");
        assert!((law.exponent - 1.5).abs() < 1e-9 && (law.factor - 0.5).abs() < 1e-6);
        assert!((law.at(100.0) - 500.0).abs() < 1e-3);
        let interval = law.interval.expect("more than two points");
        assert!(interval.high - interval.low < 1e-6);
    }

    #[test]
    fn two_points_have_no_interval_and_one_size_no_law() {
        let law = PowerLaw::fit(&[(1.0, 1.0), (2.0, 4.0)], Level::default()).expect("two sizes");
        assert_eq!(law.interval, None);
        assert_eq!(PowerLaw::fit(&[(2.0, 1.0), (2.0, 4.0)], Level::default()), None);
        assert_eq!(PowerLaw::fit(&[(1.0, 0.0), (2.0, 4.0)], Level::default()), None);
    }
}
