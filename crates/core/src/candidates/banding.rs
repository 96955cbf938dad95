//! Banding: documents that agree on all rows of at least one band of their images.
//!
//! # What it may miss
//! A pair whose images agree in one place with probability `s` is missed with probability
//! (1 - s^rows)^bands. Where more than `most_bucket` documents share a band, the first of them
//! answer, and what is held back is counted.

use super::Judgement;
use super::meeting::{Limits, Meeting, Met, Weighed};
use crate::encode::Encoded;
use crate::hash;
use crate::image::minhash::agreement;
use crate::relation::{Kind, Score, Scores};

/// Sketches of equally many rows for every document, and how alike two of them are.
pub trait Sketches: Clone + Send + Sync + 'static {
    /// The sketch of a document.
    type Image: Encoded;

    /// Returns the rows of a sketch in order.
    fn rows(&self, image: &Self::Image) -> impl Iterator<Item = u32>;

    /// Returns the resemblance that two sketches speak for, or `None` if it is too small.
    fn resemblance(&self, a: &Self::Image, b: &Self::Image) -> Option<Score>;
}

/// Sketches of MinHash: a row is the smallest value of a permutation, and the share of equal rows
/// estimates the resemblance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Minima;

impl Sketches for Minima {
    type Image = Vec<u32>;

    fn rows(&self, image: &Vec<u32>) -> impl Iterator<Item = u32> {
        image.iter().copied()
    }

    fn resemblance(&self, a: &Vec<u32>, b: &Vec<u32>) -> Option<Score> {
        Score::new(agreement(a, b)).filter(|share| *share > Score::ZERO)
    }
}

/// Sketches of `bands * rows` rows meet in their bands.
#[derive(Clone, Debug)]
pub struct Banding<S> {
    sketches: S,
    bands: usize,
    rows: usize,
    most_bucket: usize,
}

impl<S> Banding<S> {
    /// Sketches have `bands * rows` rows; at most `most_bucket` documents answer to one band.
    pub fn new(sketches: S, bands: usize, rows: usize, most_bucket: usize) -> Self {
        Self { sketches, bands, rows, most_bucket }
    }
}

impl<S: Sketches> Meeting for Banding<S> {
    type Image = S::Image;
    type Payload = ();
    type Facts = ();

    fn facts(&self, _: &S::Image) {}

    fn keys(&self, image: &S::Image, mut each: impl FnMut(u64, ())) {
        let mut rows = self.sketches.rows(image);
        for band in 0..self.bands {
            let mut key = hash::mix(band as u64);
            for _ in 0..self.rows {
                let Some(row) = rows.next() else { return };
                key = hash::fold(key ^ u64::from(row), 0xd6e8_feb8_6659_fd93);
            }
            each(key, ());
        }
    }

    fn limits(&self) -> Limits {
        Limits::first(self.most_bucket)
    }

    fn weigh(&self, (): &(), (): &(), _: Met) -> Weighed {
        Weighed::Look
    }

    fn judge(&self, asker: &S::Image, other: &S::Image, _: Met) -> Option<Judgement> {
        let resemblance = self.sketches.resemblance(asker, other)?;
        // A sketch does not tell how large its document is, nor then what share of it is common.
        let scores = Scores { resemblance, a_in_b: resemblance, b_in_a: resemblance };
        Some(Judgement { kind: Kind::NearDuplicate, scores })
    }
}

#[cfg(test)]
mod tests {
    use super::super::both::{found_by_all, ordinals};
    use super::*;

    #[test]
    fn one_equal_band_is_enough_and_half_a_band_is_not() {
        let images = [vec![1, 2, 3, 4], vec![1, 2, 9, 9], vec![8, 2, 3, 8]];
        let (found, _) = found_by_all(|| Banding::new(Minima, 2, 2, 100), &images, None);
        assert_eq!(ordinals(&found), [vec![], vec![0], vec![]]);
        assert!((found[1][0].scores.resemblance.get() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_crowd_beyond_the_limit_answers_with_its_first_and_is_counted() {
        let (found, cuts) =
            found_by_all(|| Banding::new(Minima, 1, 1, 3), &vec![vec![7]; 10], None);
        assert_eq!(ordinals(&found)[9], [0, 1, 2]);
        assert_eq!((cuts.n_stop_features, cuts.n_candidates_cut), (6, 21));
    }
}
