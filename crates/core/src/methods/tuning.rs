//! From a wanted similarity to parameters: what theory says before anything is measured.
//!
//! A method gives some settings, each finding more than the one before at more cost
//! ([`Method::settings`](super::Method::settings)), and says how likely it is with its parameters to
//! find a pair ([`Method::chance`](super::Method::chance)). Whoever wants a recall takes the first
//! setting that promises it and measures whether it keeps the promise.

use serde_json::{Map, Value};

/// Returns a setting: parameters with their values.
pub(super) fn setting<const N: usize>(values: [(&str, Value); N]) -> Map<String, Value> {
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the share of words that were replaced in one of two documents, if runs of `k` words are in
/// common to a share of those of both: a replaced word changes `k` runs.
pub(super) fn replaced(similarity: f64, k: usize) -> f64 {
    let kept = 2.0 * similarity / (1.0 + similarity);
    1.0 - kept.powf(1.0 / k as f64)
}

/// Returns the probability that at least `k` of `n` trials succeed that succeed with probability `p`
/// each.
pub(super) fn at_least(n: usize, p: f64, k: usize) -> f64 {
    if k == 0 {
        return 1.0;
    }
    if k > n || p <= 0.0 {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0;
    }
    // In logarithms: the single terms may be too small for a number.
    let odds = (p / (1.0 - p)).ln();
    let mut term = n as f64 * (1.0 - p).ln();
    let mut sum = 0.0;
    for i in 0..=n {
        if i >= k {
            sum += term.exp();
        }
        term += ((n - i) as f64 / (i + 1) as f64).ln() + odds;
    }
    sum.min(1.0)
}

/// Returns the probability that `k` of `n` trials in a row succeed.
pub(super) fn run_of(n: usize, p: f64, k: usize) -> f64 {
    // By the number of successes at the end, as long as there was no run.
    let mut open = vec![0.0; k.max(1)];
    open[0] = 1.0;
    let mut found = if k == 0 { 1.0 } else { 0.0 };
    for _ in 0..n {
        let all: f64 = open.iter().sum();
        found += open[open.len() - 1] * p;
        for i in (1..open.len()).rev() {
            open[i] = open[i - 1] * p;
        }
        open[0] = all * (1.0 - p);
    }
    found.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{METHODS, Profile, make};

    fn is_near(x: f64, y: f64) -> bool {
        (x - y).abs() < 1e-9
    }

    #[test]
    fn tails_are_those_of_the_binomial_distribution() {
        assert!(is_near(at_least(3, 0.5, 2), 0.5));
        assert!(is_near(at_least(4, 0.25, 1), 1.0 - 0.75_f64.powi(4)));
        assert!(is_near(at_least(100, 1.0, 100), 1.0) && is_near(at_least(9, 0.0, 1), 0.0));
        // From R: pbinom(79, 100, 0.85, lower.tail = FALSE).
        assert!((at_least(100, 0.85, 80) - 0.933_69).abs() < 1e-4, "{}", at_least(100, 0.85, 80));
    }

    #[test]
    fn a_run_is_as_likely_as_counting_all_outcomes_says() {
        for (n, k) in [(6, 2), (9, 3), (5, 5), (4, 6)] {
            let p = 0.7_f64;
            let mut expected = 0.0;
            for outcome in 0..1_u32 << n {
                let is_run =
                    (0..n).any(|at| at + k <= n && (at..at + k).all(|i| outcome >> i & 1 == 1));
                let n_hits = f64::from(outcome.count_ones());
                expected += f64::from(u8::from(is_run))
                    * p.powf(n_hits)
                    * (1.0 - p).powf(n as f64 - n_hits);
            }
            assert!(is_near(run_of(n, p, k), expected), "{n} {k}");
        }
    }

    #[test]
    fn settings_can_be_made_and_find_ever_more() {
        let mut n_methods = 0;
        for spec in METHODS {
            for similarity in [0.5, 0.8, 0.95] {
                let settings = (spec.settings)(similarity, 0.95);
                n_methods += usize::from(!settings.is_empty());
                let chances: Vec<Option<f64>> = settings
                    .iter()
                    .map(|given| {
                        let made = make(spec.name, Profile::Retold, given, 1);
                        made.unwrap_or_else(|error| panic!("{}: {error}", spec.name))
                            .chance(similarity)
                    })
                    .collect();
                if let Some(Some(_)) = chances.first() {
                    assert!(chances.iter().all(Option::is_some));
                    let is_reached =
                        |chance: &Option<f64>| chance.is_some_and(|chance| chance >= 0.95);
                    // Windows of sentence lengths are not for documents that differ much.
                    let can = similarity > 0.7 || spec.name != "sentence-lengths";
                    assert_eq!(chances.iter().any(is_reached), can, "{} {similarity}", spec.name);
                }
            }
        }
        assert_eq!(
            n_methods,
            3 * 5,
            "anchor, minhash, simhash, minimal elements, sentence windows"
        );
    }
}
