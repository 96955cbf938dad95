//! The bootstrap over units that do not depend on each other.
//!
//! Pairs of one cluster stand or fall together, so clusters are drawn, not pairs: a unit is
//! whatever hangs together, with what it adds to the counts. A figure is computed from the sum of
//! the units drawn. The interval lies between the percentiles of those figures.
//!
//! Efron: Bootstrap methods, another look at the jackknife, 1979; Field and Welsh: Bootstrapping
//! clustered data, 2007.

use std::ops::AddAssign;

use retold_core::hash::Random;

use super::interval::{Interval, Level};
use super::summary::quantile;

/// Units beyond this number are first put into so many groups by chance: the sum of a group is
/// drawn as one. The spread of a sum stays the same, and a draw of a million units costs no more
/// than one of these.
pub(super) const MOST_UNITS: usize = 20_000;

/// How intervals are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// How many samples are drawn. The default is 1,000.
    pub repeats: usize,
    /// Seed of the draws. The default is 0.
    pub seed: u64,
    /// How sure the interval is. The default is 0.95.
    pub level: Level,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self { repeats: 1_000, seed: 0, level: Level::default() }
    }
}

impl Bootstrap {
    /// Returns intervals of `N` figures that follow from the sum of the units.
    ///
    /// None with fewer than two units or without repeats: one unit says nothing about spread. A
    /// figure that is not a number in some sample (a share of nothing) is left out of that sample;
    /// one that is never a number has no interval.
    ///
    /// ```
    /// use retold_lab::statistics::Bootstrap;
    /// let heights = [1.0, 2.0, 3.0, 4.0];
    /// let mean = |sum: &f64| [sum / 4.0];
    /// let [interval] = Bootstrap::default().intervals(&heights, mean).expect("four units");
    /// assert!(interval.expect("it is a number").holds(2.5));
    /// ```
    pub fn intervals<S, const N: usize>(
        &self,
        units: &[S],
        figures: impl Fn(&S) -> [f64; N],
    ) -> Option<[Option<Interval>; N]>
    where
        S: Clone + Default + for<'a> AddAssign<&'a S>,
    {
        if units.len() < 2 || self.repeats == 0 {
            return None;
        }
        let mut random = Random::new(self.seed);
        let grouped;
        let units = if units.len() > MOST_UNITS {
            grouped = groups(units, &mut random);
            &grouped
        } else {
            units
        };
        let mut seen: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(self.repeats));
        for _ in 0..self.repeats {
            let mut sum = S::default();
            for _ in 0..units.len() {
                sum += &units[random.below(units.len())];
            }
            for (seen, figure) in seen.iter_mut().zip(figures(&sum)) {
                if !figure.is_nan() {
                    seen.push(figure);
                }
            }
        }
        Some(seen.map(|figures| self.percentiles(figures)))
    }

    /// Returns the interval of the mean of some numbers; none with fewer than two.
    pub fn mean(&self, values: &[f64]) -> Option<Interval> {
        let n = values.len() as f64;
        let [interval] = self.intervals(values, |sum| [sum / n])?;
        interval
    }

    /// Returns the interval of a figure computed from the numbers of the units that were drawn,
    /// for figures that do not follow from sums; none with fewer than two units.
    pub fn interval(
        &self,
        n_units: usize,
        mut figure: impl FnMut(&[usize]) -> f64,
    ) -> Option<Interval> {
        if n_units < 2 {
            return None;
        }
        let mut random = Random::new(self.seed);
        let mut drawn = vec![0; n_units];
        let mut seen = Vec::with_capacity(self.repeats);
        for _ in 0..self.repeats {
            drawn.fill_with(|| random.below(n_units));
            let value = figure(&drawn);
            if !value.is_nan() {
                seen.push(value);
            }
        }
        self.percentiles(seen)
    }

    fn percentiles(&self, mut seen: Vec<f64>) -> Option<Interval> {
        if seen.is_empty() {
            return None;
        }
        seen.sort_unstable_by(f64::total_cmp);
        let tail = self.level.tail();
        Some(Interval {
            low: quantile(&seen, tail),
            high: quantile(&seen, 1.0 - tail),
            level: self.level,
        })
    }
}

/// Returns [`MOST_UNITS`] sums of units, each unit in one of them by chance.
pub(super) fn groups<S: Clone + Default + for<'a> AddAssign<&'a S>>(
    units: &[S],
    random: &mut Random,
) -> Vec<S> {
    let mut groups = vec![S::default(); MOST_UNITS];
    for (place, unit) in shuffled(units.len(), random).into_iter().enumerate() {
        groups[place % MOST_UNITS] += &units[unit];
    }
    groups
}

/// Returns the numbers below `n` in an order by chance.
fn shuffled(n: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for last in (1..n).rev() {
        order.swap(last, random.below(last + 1));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_mean_is_as_wide_as_theory_says() {
        let mut random = Random::new(3);
        let values: Vec<f64> = (0..400).map(|_| random.below(1_000) as f64 / 1_000.0).collect();
        let interval = Bootstrap::default().mean(&values).expect("many numbers");
        // A uniform number has a deviation of 0.289; the mean of 400 one of 0.0144.
        assert!(((interval.high - interval.low) / (2.0 * 1.96 * 0.0144) - 1.0).abs() < 0.1);
        assert!(interval.holds(values.iter().sum::<f64>() / 400.0));
    }

    #[test]
    fn grouping_many_units_keeps_the_width() {
        let mut random = Random::new(9);
        let values: Vec<f64> = (0..100_000).map(|_| random.below(1_000) as f64 / 1_000.0).collect();
        let interval = Bootstrap { repeats: 300, ..Bootstrap::default() }.mean(&values);
        let interval = interval.expect("many numbers");
        let width = (interval.high - interval.low) / (2.0 * 1.96 * 0.289 / 100_000f64.sqrt());
        assert!((width - 1.0).abs() < 0.15, "{width}");
    }

    #[test]
    fn equal_seeds_give_equal_intervals() {
        let values = [1.0, 5.0, 2.0, 8.0];
        let of = |seed| Bootstrap { seed, ..Bootstrap::default() }.mean(&values);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn one_unit_says_nothing_about_spread() {
        assert_eq!(Bootstrap::default().mean(&[1.0]), None);
        assert_eq!(Bootstrap::default().interval(1, |_| 0.0), None);
        let never = Bootstrap::default().intervals(&[1.0, 2.0], |_| [f64::NAN]);
        assert_eq!(never, Some([None]));
    }

    #[test]
    fn drawing_places_and_drawing_sums_agree() {
        let values = [1.0, 5.0, 2.0, 8.0, 3.0];
        let bootstrap = Bootstrap::default();
        let by_place = bootstrap
            .interval(5, |drawn| drawn.iter().map(|&unit| values[unit]).sum::<f64>() / 5.0);
        assert_eq!(by_place, bootstrap.mean(&values));
    }
}
