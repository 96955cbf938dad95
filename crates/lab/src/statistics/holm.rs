//! Holm's correction for many comparisons.

/// Returns p-values corrected so that among all of them a false alarm stays below the level that
/// each is compared with; in the order given.
///
/// The k-th smallest of m is multiplied by m - k + 1, never falls below the one before it, and
/// stays at most 1. Holm: A simple sequentially rejective multiple test procedure, 1979.
///
/// ```
/// let corrected = retold_lab::statistics::holm(&[0.01, 0.04, 0.03]);
/// assert_eq!(corrected, [0.03, 0.06, 0.06]);
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&x, &y| p_values[x].total_cmp(&p_values[y]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut before: f64 = 0.0;
    for (rank, place) in order.into_iter().enumerate() {
        before = before.max(p_values[place] * (p_values.len() - rank) as f64).min(1.0);
        corrected[place] = before;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrected_values_keep_the_order_and_stay_shares() {
        assert_eq!(holm(&[]), [0.0; 0]);
        assert_eq!(holm(&[0.2]), [0.2]);
        assert_eq!(holm(&[0.9, 0.8, 0.001]), [1.0, 1.0, 0.003]);
    }
}
