//! The randomisation test for figures that are no means, such as F1.
//!
//! If two methods were alike, it would not matter which result of a unit belongs to which: swap
//! the two results of every unit by chance and see how often the figures differ as much as they
//! do. A unit is whatever hangs together, as for [`Bootstrap`](super::Bootstrap).
//!
//! Noreen: Computer-intensive methods for testing hypotheses, 1989; Yeh: More accurate tests for
//! the statistical significance of result differences, 2000.

use std::ops::AddAssign;

use retold_core::hash::Random;

use super::bootstrap::{MOST_UNITS, groups};

/// Returns how probable it is that figures of two methods that are alike differ by at least as
/// much as those of the units given, in either direction.
///
/// `units` hold what one and what the other method adds to the counts. The p-value is
/// (1 + samples that differ as much) / (1 + samples), so it is never 0. None without units or
/// repeats, or where a figure is not a number. More than 20,000 units are first put into so many
/// groups by chance, and groups are swapped.
pub fn randomisation<S>(
    units: &[(S, S)],
    figure: impl Fn(&S) -> f64,
    repeats: usize,
    seed: u64,
) -> Option<f64>
where
    S: Clone + Default + for<'a> AddAssign<&'a S>,
{
    if units.is_empty() || repeats == 0 {
        return None;
    }
    let mut random = Random::new(seed);
    let grouped;
    let units = if units.len() > MOST_UNITS {
        let (ones, others): (Vec<S>, Vec<S>) = units.iter().cloned().unzip();
        // The same order by chance for both, so that the two of a unit stay together.
        let (ones, others) = (groups(&ones, &mut random.clone()), groups(&others, &mut random));
        grouped = ones.into_iter().zip(others).collect::<Vec<_>>();
        &grouped
    } else {
        units
    };
    let difference = |swaps: &mut dyn FnMut() -> bool| {
        let (mut one, mut other) = (S::default(), S::default());
        for (a, b) in units {
            let (a, b) = if swaps() { (b, a) } else { (a, b) };
            one += a;
            other += b;
        }
        (figure(&one) - figure(&other)).abs()
    };
    let seen = difference(&mut || false);
    if seen.is_nan() {
        return None;
    }
    // A swap of all units gives the same difference; rounding must not tell the two apart.
    let enough = seen - 1e-12;
    let n_more = (0..repeats)
        .filter(|_| {
            let (mut bits, mut left) = (0, 0);
            let mut swaps = || {
                if left == 0 {
                    (bits, left) = (random.next_u64(), 64);
                }
                left -= 1;
                let swap = bits & 1 == 1;
                bits >>= 1;
                swap
            };
            difference(&mut swaps) >= enough
        })
        .count();
    Some((1 + n_more) as f64 / (1 + repeats) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_methods_do_not_differ() {
        let units: Vec<(f64, f64)> = (0..50).map(|i| (f64::from(i), f64::from(i))).collect();
        assert_eq!(randomisation(&units, |sum| *sum, 200, 1), Some(1.0));
    }

    #[test]
    fn a_method_that_is_always_better_differs() {
        let units: Vec<(f64, f64)> = (0..50).map(|i| (f64::from(i % 3) + 1.0, 0.0)).collect();
        let p = randomisation(&units, |sum| *sum, 999, 1).expect("units");
        assert!((p - 0.001).abs() < 1e-12, "{p}");
    }

    #[test]
    fn many_units_are_swapped_in_groups() {
        // Which is better changes from unit to unit; in sum both are alike.
        let units: Vec<(f64, f64)> =
            (0..50_000).map(|i| if i % 2 == 0 { (1.0, 0.0) } else { (0.0, 1.0) }).collect();
        assert_eq!(randomisation(&units, |sum| *sum, 100, 1), Some(1.0));
        let better: Vec<(f64, f64)> = units.iter().map(|&(x, y)| (x + 0.1, y)).collect();
        let p = randomisation(&better, |sum| *sum, 100, 1).expect("units");
        assert!(p < 0.02, "{p}");
    }

    #[test]
    fn few_units_cannot_say_much() {
        // Of the four ways to swap two units, two differ as much as what was seen.
        let p = randomisation(&[(1.0, 0.0), (1.0, 0.0)], |sum| *sum, 4_000, 1).expect("units");
        assert!((p - 0.5).abs() < 0.03, "{p}");
        assert_eq!(randomisation::<f64>(&[], |sum| *sum, 10, 1), None);
    }
}
