//! Banding: documents that agree on all rows of at least one band of their images.
//!
//! # What it may miss
//! A pair whose images agree in one place with probability `s` is missed with probability
//! (1 - s^rows)^bands. Buckets larger than `most_bucket` are joined to their first document only.

use super::{Candidate, Candidates, Cuts};
use crate::document::Ordinal;
use crate::executor::Executor;
use crate::hash;

/// Buckets of equal bands.
#[derive(Debug)]
pub struct Banding {
    bands: usize,
    rows: usize,
    most_bucket: usize,
    keys: Vec<(u64, Ordinal)>,
}

impl Banding {
    /// Makes an empty structure for images of `bands * rows` values.
    pub fn new(bands: usize, rows: usize, most_bucket: usize) -> Self {
        Self { bands, rows, most_bucket, keys: Vec::new() }
    }
}

impl Candidates<Vec<u32>> for Banding {
    fn insert(&mut self, ordinal: Ordinal, image: Vec<u32>) {
        for (band, rows) in image.chunks_exact(self.rows).take(self.bands).enumerate() {
            let key = rows.iter().fold(hash::mix(band as u64), |key, &row| {
                hash::fold(key ^ u64::from(row), 0xd6e8_feb8_6659_fd93)
            });
            self.keys.push((key, ordinal));
        }
    }

    fn held_bytes(&self) -> usize {
        self.keys.len() * size_of::<(u64, Ordinal)>()
    }

    fn propose(mut self: Box<Self>, _: &dyn Executor) -> (Vec<Candidate>, Cuts) {
        self.keys.sort_unstable();
        let mut out = Vec::new();
        let mut cuts = Cuts::default();
        for bucket in self.keys.chunk_by(|x, y| x.0 == y.0) {
            let is_large = bucket.len() > self.most_bucket;
            cuts.n_stop_features += u64::from(is_large);
            let n_centres = if is_large { 1 } else { bucket.len() };
            for (i, &(_, a)) in bucket[..n_centres].iter().enumerate() {
                out.extend(
                    bucket[i + 1..].iter().filter(|x| x.1 != a).map(|x| Candidate::new(a, x.1)),
                );
            }
        }
        out.sort_unstable();
        out.dedup();
        (out, cuts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Inline;

    #[test]
    fn one_equal_band_is_enough_and_half_a_band_is_not() {
        let mut banding = Box::new(Banding::new(2, 2, 100));
        banding.insert(Ordinal(0), vec![1, 2, 3, 4]);
        banding.insert(Ordinal(1), vec![1, 2, 9, 9]);
        banding.insert(Ordinal(2), vec![8, 2, 3, 8]);
        let (pairs, _) = banding.propose(&Inline);
        assert_eq!(pairs, [Candidate::new(Ordinal(0), Ordinal(1))]);
    }

    #[test]
    fn a_large_bucket_becomes_a_star_and_is_counted() {
        let mut banding = Box::new(Banding::new(1, 1, 3));
        (0..10).for_each(|i| banding.insert(Ordinal(i), vec![7]));
        let (pairs, cuts) = banding.propose(&Inline);
        assert_eq!(pairs.len(), 9);
        assert!(pairs.iter().all(|pair| pair.a == Ordinal(0)));
        assert_eq!(cuts.n_stop_features, 1);
    }
}
