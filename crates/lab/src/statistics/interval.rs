//! Intervals of confidence, and Wilson's for shares.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, Normal};

/// How sure an interval is: a share above 0 and below 1. The default is 0.95.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Level(f64);

impl Level {
    /// Makes a level; none outside the open interval from 0 to 1.
    pub fn new(level: f64) -> Option<Self> {
        (level > 0.0 && level < 1.0).then_some(Self(level))
    }

    /// Returns the level as a number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns the share that lies outside on each side.
    pub fn tail(self) -> f64 {
        (1.0 - self.0) / 2.0
    }
}

impl Default for Level {
    fn default() -> Self {
        Self(0.95)
    }
}

/// Two borders between which a figure lies with some confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Lower border.
    pub low: f64,
    /// Upper border.
    pub high: f64,
    /// How sure it is.
    pub level: Level,
}

impl Interval {
    /// Returns whether `value` lies inside, borders included.
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// Returns Wilson's interval of the share `n_hits` of `n`, for independent draws.
///
/// Nothing drawn leaves everything open: from 0 to 1. Pairs of one cluster are not independent;
/// for them see [`Bootstrap`](super::Bootstrap).
///
/// Wilson: Probable inference, the law of succession, and statistical inference, 1927.
///
/// ```
/// use retold_lab::statistics::{Level, wilson};
/// let interval = wilson(950, 1_900, Level::default());
/// assert!((interval.high - interval.low) / 2.0 < 0.023);
/// ```
pub fn wilson(n_hits: u64, n: u64, level: Level) -> Interval {
    if n == 0 {
        return Interval { low: 0.0, high: 1.0, level };
    }
    let (n_draws, share) = (n as f64, n_hits.min(n) as f64 / n as f64);
    let z = normal_deviate(1.0 - level.tail());
    let below = 1.0 + z * z / n_draws;
    let centre = (share + z * z / (2.0 * n_draws)) / below;
    let half =
        z / below * (share * (1.0 - share) / n_draws + z * z / (4.0 * n_draws * n_draws)).sqrt();
    // At the ends the border is the end itself; rounding must not move it.
    let low = if n_hits == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if n_hits >= n { 1.0 } else { (centre + half).min(1.0) };
    Interval { low, high, level }
}

/// Returns the standard normal distribution.
pub(crate) fn normal() -> Normal {
    Normal::new(0.0, 1.0).expect("0 and 1 are a mean and a deviation")
}

/// Returns the value below which a standard normal number stays with probability `p`.
pub(crate) fn normal_deviate(p: f64) -> f64 {
    normal().inverse_cdf(p)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "shares of small counts are exact")]
mod tests {
    use super::*;

    #[test]
    fn nineteen_hundred_judged_pairs_give_two_points() {
        let interval = wilson(950, 1_900, Level::default());
        assert!(((interval.high - interval.low) / 2.0 - 0.0224).abs() < 0.0002);
        assert!(interval.holds(0.5));
    }

    #[test]
    fn ends_are_kept_and_nothing_leaves_all_open() {
        let level = Level::default();
        assert_eq!(wilson(0, 10, level).low, 0.0);
        assert_eq!(wilson(10, 10, level).high, 1.0);
        assert!(wilson(10, 10, level).low < 0.75);
        assert_eq!(wilson(0, 0, level), Interval { low: 0.0, high: 1.0, level });
    }

    #[test]
    fn a_level_is_a_share() {
        assert_eq!([0.0, 1.0, -0.5, f64::NAN].map(Level::new), [None; 4]);
        assert_eq!(Level::new(0.9).map(Level::get), Some(0.9));
    }
}
