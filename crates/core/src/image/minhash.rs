//! MinHash: for each of `n` permutations the smallest value over a document's features.
//!
//! Two images agree in one place with the probability of the resemblance of the two sets
//! (Broder 1997). Permutations are multiply-add on 64 bits with odd multipliers, taken at the
//! high 32 bits: fast, and min-wise enough for sets of hashes (`the_estimate_is_near_the_truth`).

use crate::hash::Random;

/// A family of permutations.
#[derive(Clone, Debug)]
pub struct MinHash {
    multiply: Vec<u64>,
    add: Vec<u64>,
}

impl MinHash {
    /// Draws `n` permutations.
    pub fn new(n: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let multiply = (0..n).map(|_| random.next_u64() | 1).collect();
        let add = (0..n).map(|_| random.next_u64()).collect();
        Self { multiply, add }
    }

    /// Returns the smallest value per permutation; `u32::MAX` everywhere for no features.
    pub fn image(&self, features: impl IntoIterator<Item = u64>) -> Vec<u32> {
        let mut image = vec![u32::MAX; self.multiply.len()];
        for feature in features {
            let rows = self.multiply.iter().zip(&self.add);
            for (smallest, (multiply, add)) in image.iter_mut().zip(rows) {
                let value = (feature.wrapping_mul(*multiply).wrapping_add(*add) >> 32) as u32;
                *smallest = (*smallest).min(value);
            }
        }
        image
    }
}

/// Returns the share of places where two images agree: an estimate of resemblance with standard
/// error √(s(1-s)/n).
pub fn agreement(a: &[u32], b: &[u32]) -> f64 {
    let n_equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
    n_equal as f64 / a.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn equal_sets_have_equal_images_whatever_the_order() {
        let family = MinHash::new(64, 1);
        let set: Vec<u64> = (0..50).map(mix).collect();
        assert_eq!(
            family.image(set.iter().copied()),
            family.image(set.iter().rev().copied().chain(set.iter().copied()))
        );
    }

    #[test]
    fn the_estimate_is_near_the_truth() {
        // 20 pairs per resemblance, 512 permutations each: the mean error stays within three
        // standard errors of the mean.
        for (shared, own) in [(100, 50), (50, 100), (180, 10)] {
            let truth = shared as f64 / (shared + 2 * own) as f64;
            let mut sum = 0.0;
            for round in 0..20u64 {
                let family = MinHash::new(512, round);
                let code = |i: u64| mix(i + 1_000_000 * round);
                let a = family.image((0..shared + own).map(code));
                let b = family.image((0..shared).chain(1000..1000 + own).map(code));
                sum += agreement(&a, &b);
            }
            let error = (sum / 20.0 - truth).abs();
            let bound = 3.0 * (truth * (1.0 - truth) / (512.0 * 20.0)).sqrt();
            assert!(error < bound, "{truth}: off by {error}, bound {bound}");
        }
    }
}
