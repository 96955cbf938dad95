//! Banding: documents that agree on all rows of at least one band of their images.
//!
//! # What it may miss
//! A pair whose images agree in one place with probability `s` is missed with probability
//! (1 - s^rows)^bands. Buckets larger than `most_bucket` are joined to their first document only.

use std::collections::HashMap;

use super::index::{Found, Index, Partner};
use super::{Candidate, Candidates, Cuts, Proposed};
use crate::document::Ordinal;
use crate::executor::Executor;
use crate::hash::{self, Prehashed};
use crate::relation::{Kind, Score, Scores};

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
        each_band(&image, self.bands, self.rows, |key| self.keys.push((key, ordinal)));
    }

    fn held_bytes(&self) -> usize {
        self.keys.len() * size_of::<(u64, Ordinal)>()
    }

    fn propose(mut self: Box<Self>, border: Option<Ordinal>, _: &dyn Executor) -> Proposed {
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
        Proposed::unjudged(out, cuts).across(border)
    }
}

/// Calls `each` with the key of every band of an image.
fn each_band(image: &[u32], bands: usize, rows: usize, mut each: impl FnMut(u64)) {
    for (band, rows) in image.chunks_exact(rows).take(bands).enumerate() {
        each(rows.iter().fold(hash::mix(band as u64), |key, &row| {
            hash::fold(key ^ u64::from(row), 0xd6e8_feb8_6659_fd93)
        }));
    }
}

/// The same as a living index. Its scores are estimates: the share of equal values.
#[derive(Debug)]
pub struct LivingBands {
    bands: usize,
    rows: usize,
    most_bucket: usize,
    buckets: HashMap<u64, Vec<Ordinal>, Prehashed>,
    images: HashMap<Ordinal, Vec<u32>>,
}

impl LivingBands {
    /// Makes an empty index for images of `bands * rows` values.
    pub fn new(bands: usize, rows: usize, most_bucket: usize) -> Self {
        let (buckets, images) = (HashMap::default(), HashMap::new());
        Self { bands, rows, most_bucket, buckets, images }
    }
}

impl Index<Vec<u32>> for LivingBands {
    fn insert(&mut self, ordinal: Ordinal, image: &Vec<u32>) {
        each_band(image, self.bands, self.rows, |key| {
            self.buckets.entry(key).or_default().push(ordinal);
        });
        self.images.insert(ordinal, image.clone());
    }

    fn remove(&mut self, ordinal: Ordinal, image: &Vec<u32>) {
        each_band(image, self.bands, self.rows, |key| {
            if let Some(bucket) = self.buckets.get_mut(&key) {
                bucket.retain(|&other| other != ordinal);
                if bucket.is_empty() {
                    self.buckets.remove(&key);
                }
            }
        });
        self.images.remove(&ordinal);
    }

    fn ask(&self, image: &Vec<u32>, before: Ordinal, found: &mut Found) {
        let mut answers = Vec::new();
        each_band(image, self.bands, self.rows, |key| {
            let Some(bucket) = self.buckets.get(&key) else { return };
            found.cuts.n_stop_features += u64::from(bucket.len() > self.most_bucket);
            let asked = bucket.iter().take(self.most_bucket);
            answers.extend(asked.take_while(|&&other| other < before));
        });
        answers.sort_unstable();
        answers.dedup();
        found.n_values += answers.len() as u64;
        found.partners.extend(answers.into_iter().map(|ordinal| {
            let n_equal = image.iter().zip(&self.images[&ordinal]).filter(|(x, y)| x == y).count();
            let share = Score::share(n_equal, image.len());
            let scores = Scores { resemblance: share, a_in_b: share, b_in_a: share };
            Partner { ordinal, kind: Kind::NearDuplicate, scores }
        }));
    }

    fn held_bytes(&self) -> usize {
        self.images.len() * (self.bands * (self.rows * 4 + 8) + 64) + self.buckets.len() * 40
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
        let Proposed { pairs, .. } = banding.propose(None, &Inline);
        assert_eq!(pairs, [Candidate::new(Ordinal(0), Ordinal(1))]);
    }

    #[test]
    fn a_large_bucket_becomes_a_star_and_is_counted() {
        let mut banding = Box::new(Banding::new(1, 1, 3));
        (0..10).for_each(|i| banding.insert(Ordinal(i), vec![7]));
        let Proposed { pairs, cuts, .. } = banding.propose(None, &Inline);
        assert_eq!(pairs.len(), 9);
        assert!(pairs.iter().all(|pair| pair.a == Ordinal(0)));
        assert_eq!(cuts.n_stop_features, 1);
    }
}
