//! Two methods over the same sets: is one better, or was it chance?

use retold_core::hash::Random;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::interval::{Interval, Level, normal};
use super::summary::{Summary, mean};

/// What is claimed of the first column against the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alternative {
    /// They differ.
    #[default]
    TwoSided,
    /// The first is greater.
    Greater,
    /// The first is less.
    Less,
}

/// The paired t-test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairedT {
    /// How many pairs.
    pub n: usize,
    /// Mean of first minus second.
    pub mean_difference: f64,
    /// Interval of that mean.
    pub interval: Interval,
    /// Mean difference over the sample deviation of the differences (Cohen's d for pairs).
    pub effect: f64,
    /// The statistic, with n - 1 degrees of freedom.
    pub t: f64,
    /// How probable a statistic as far out is if the claim is false.
    pub p: f64,
}

/// Tests whether the mean of `first` - `second` is what `claim` says.
///
/// None with fewer than two pairs, columns of different lengths, or differences that do not vary:
/// then there is nothing to test.
pub fn paired_t(
    first: &[f64],
    second: &[f64],
    claim: Alternative,
    level: Level,
) -> Option<PairedT> {
    let differences = differences(first, second)?;
    let summary = Summary::of(&differences)?;
    let deviation = summary.sample_sd.filter(|&deviation| deviation > 0.0)?;
    let n = differences.len();
    let error = deviation / (n as f64).sqrt();
    let student = StudentsT::new(0.0, 1.0, (n - 1) as f64).expect("there are two pairs or more");
    let t = summary.mean / error;
    let p = match claim {
        Alternative::TwoSided => (2.0 * student.sf(t.abs())).min(1.0),
        Alternative::Greater => student.sf(t),
        Alternative::Less => student.cdf(t),
    };
    let half = student.inverse_cdf(1.0 - level.tail()) * error;
    let interval = Interval { low: summary.mean - half, high: summary.mean + half, level };
    let (mean_difference, effect) = (summary.mean, summary.mean / deviation);
    Some(PairedT { n, mean_difference, interval, effect, t, p })
}

/// The signed-rank test of Wilcoxon.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Wilcoxon {
    /// Pairs that differ; the others are left out.
    pub n: usize,
    /// Sum of the ranks of pairs whose first is greater.
    pub rank_sum: f64,
    /// Probability of a rank sum at least as extreme if there is no difference.
    pub p: f64,
    /// Whether p was counted exactly; otherwise it comes from the normal distribution.
    pub is_exact: bool,
}

/// Pairs up to which ranks are counted out, if no two differences are equal and none is 0.
const MOST_EXACT: usize = 50;
/// Pairs up to which ranks are counted out in any case.
const MOST_EXACT_TIES: usize = 13;

/// Tests whether `first` - `second` lies as `claim` says, by the ranks of the differences.
///
/// Up to 50 pairs that all differ, and by different amounts, p is exact; up to 13 pairs in any
/// case. Else it is that of the normal distribution with the variance corrected for ties, without
/// correction for continuity. Pairs that do not differ are left out. None if nothing is left or
/// columns differ in length.
pub fn wilcoxon(first: &[f64], second: &[f64], claim: Alternative) -> Option<Wilcoxon> {
    let mut differences = differences(first, second)?;
    let n_pairs = differences.len();
    differences.retain(|&difference| difference != 0.0);
    let n = differences.len();
    if n == 0 {
        return None;
    }
    differences.sort_unstable_by(|x, y| x.abs().total_cmp(&y.abs()));
    // Twice the ranks: those of equal differences lie between two whole numbers.
    let mut ranks: Vec<usize> = Vec::with_capacity(n);
    let (mut twice_sum, mut ties) = (0, 0.0);
    for equal in differences.chunk_by(|x, y| x.abs().total_cmp(&y.abs()).is_eq()) {
        let rank = 2 * ranks.len() + equal.len() + 1;
        ranks.extend(std::iter::repeat_n(rank, equal.len()));
        twice_sum += rank * equal.iter().filter(|&&difference| difference > 0.0).count();
        ties += (equal.len() as f64).powi(3) - equal.len() as f64;
    }
    let rank_sum = twice_sum as f64 / 2.0;
    let all_differ = n == n_pairs && ties == 0.0;
    let is_exact = n_pairs <= if all_differ { MOST_EXACT } else { MOST_EXACT_TIES };
    let p = if is_exact {
        exact_rank_p(&ranks, twice_sum, claim)
    } else {
        let n = n as f64;
        let centre = n * (n + 1.0) / 4.0;
        let spread = ((n * (n + 1.0) * (2.0 * n + 1.0) - ties / 2.0) / 24.0).sqrt();
        let z = (rank_sum - centre) / spread;
        match claim {
            Alternative::TwoSided => (2.0 * normal().sf(z.abs())).min(1.0),
            Alternative::Greater => normal().sf(z),
            Alternative::Less => normal().cdf(z),
        }
    };
    Some(Wilcoxon { n, rank_sum, p, is_exact })
}

/// Counts the ways to give signs to ranks, all numbers doubled, with sums as far out as this.
fn exact_rank_p(ranks: &[usize], sum: usize, claim: Alternative) -> f64 {
    let most: usize = ranks.iter().sum();
    let mut ways = vec![0.0; most + 1];
    ways[0] = 1.0;
    for &rank in ranks {
        for sum in (rank..=most).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let all: f64 = ways.iter().sum();
    let below = ways[..=sum].iter().sum::<f64>() / all;
    let above = ways[sum..].iter().sum::<f64>() / all;
    match claim {
        Alternative::TwoSided => (2.0 * below.min(above)).min(1.0),
        Alternative::Greater => above,
        Alternative::Less => below,
    }
}

/// The permutation test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Permutation {
    /// How many pairs.
    pub n: usize,
    /// Mean of first minus second.
    pub mean_difference: f64,
    /// Share of all ways to swap first and second whose mean lies as far out.
    pub p: f64,
    /// Whether all ways were tried; else `repeats` of them.
    pub is_exact: bool,
}

/// Pairs up to which all swaps are tried: two to the power of this.
const MOST_SWAPPED: usize = 16;

/// Tests whether the mean of `first` - `second` is what `claim` says, by swapping the two in any
/// pairs.
///
/// Up to 16 pairs all ways are tried; beyond, `repeats` drawn ones, and then p is
/// (1 + as far out) / (1 + repeats). The two-sided p is twice the smaller one. None without pairs
/// or with columns of different lengths.
pub fn permutation(
    first: &[f64],
    second: &[f64],
    claim: Alternative,
    repeats: usize,
    seed: u64,
) -> Option<Permutation> {
    let differences = differences(first, second)?;
    let n = differences.len();
    let seen: f64 = differences.iter().sum();
    // Sums in another order of rounding must still count as equal.
    let slack = 1e-12 * differences.iter().map(|difference| difference.abs()).sum::<f64>();
    let (mut below, mut above, mut tried) = (0u64, 0u64, 0u64);
    let mut count = |sum: f64| {
        below += u64::from(sum <= seen + slack);
        above += u64::from(sum >= seen - slack);
        tried += 1;
    };
    let sum_of = |signs: &mut dyn FnMut(usize) -> bool| -> f64 {
        differences.iter().enumerate().map(|(i, d)| if signs(i) { -d } else { *d }).sum()
    };
    let is_exact = n <= MOST_SWAPPED;
    if is_exact {
        (0..1u64 << n).for_each(|swapped| count(sum_of(&mut |i| swapped >> i & 1 == 1)));
    } else {
        let mut random = Random::new(seed);
        (0..repeats).for_each(|_| count(sum_of(&mut |_| random.next_u64() & 1 == 1)));
    }
    // What was seen is one of the ways; among drawn ones it is added.
    let extra = u64::from(!is_exact);
    let share = |n: u64| (n + extra) as f64 / (tried + extra) as f64;
    let p = match claim {
        Alternative::TwoSided => (2.0 * share(below.min(above))).min(1.0),
        Alternative::Greater => share(above),
        Alternative::Less => share(below),
    };
    Some(Permutation { n, mean_difference: mean(&differences), p, is_exact })
}

/// Returns first minus second; none if there are none, lengths differ, or one is not finite.
fn differences(first: &[f64], second: &[f64]) -> Option<Vec<f64>> {
    if first.is_empty() || first.len() != second.len() {
        return None;
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(x, y)| x - y).collect();
    differences.iter().all(|difference| difference.is_finite()).then_some(differences)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: [f64; 6] = [12.0, 15.0, 11.0, 18.0, 14.0, 16.0];
    const AFTER: [f64; 6] = [10.0, 14.0, 11.5, 13.0, 10.5, 13.5];

    #[test]
    fn claims_in_both_directions_share_the_whole() {
        let p = |claim| paired_t(&BEFORE, &AFTER, claim, Level::default()).expect("six pairs").p;
        assert!((p(Alternative::Greater) + p(Alternative::Less) - 1.0).abs() < 1e-12);
        assert!((2.0 * p(Alternative::Greater) - p(Alternative::TwoSided)).abs() < 1e-12);
    }

    #[test]
    fn swapping_the_columns_swaps_the_claims() {
        let one = wilcoxon(&BEFORE, &AFTER, Alternative::Greater).expect("six pairs");
        let other = wilcoxon(&AFTER, &BEFORE, Alternative::Less).expect("six pairs");
        assert!((one.p - other.p).abs() < 1e-12);
        // Only the least difference is below 0; of 64 ways to give signs 2 go as far.
        assert_eq!((one.rank_sum, one.is_exact), (20.0, true));
        assert!((one.p - 2.0 / 64.0).abs() < 1e-12);
    }

    #[test]
    fn drawn_swaps_come_near_to_all_swaps() {
        let first: Vec<f64> = (0..20).map(|i| f64::from(i * 7 % 11)).collect();
        let second: Vec<f64> = (0..20).map(|i| f64::from(i * 5 % 9)).collect();
        let drawn = permutation(&first, &second, Alternative::Greater, 20_000, 1).expect("pairs");
        let t = paired_t(&first, &second, Alternative::Greater, Level::default()).expect("pairs");
        assert!(!drawn.is_exact && (drawn.p - t.p).abs() < 0.02, "{} {}", drawn.p, t.p);
        let all = permutation(&first[..8], &second[..8], Alternative::Greater, 1, 1);
        assert!(all.expect("pairs").is_exact);
    }

    #[test]
    fn what_does_not_vary_is_not_tested() {
        let level = Level::default();
        assert_eq!(paired_t(&[1.0, 2.0], &[0.0, 1.0], Alternative::Greater, level), None);
        assert_eq!(paired_t(&[1.0], &[0.0], Alternative::Greater, level), None);
        assert_eq!(paired_t(&[1.0, 2.0], &[0.0], Alternative::Greater, level), None);
        assert_eq!(wilcoxon(&[1.0, 2.0], &[1.0, 2.0], Alternative::Greater), None);
        assert_eq!(permutation(&[f64::NAN], &[1.0], Alternative::Greater, 1, 1), None);
    }
}
