//! Banding: documents that agree on all rows of at least one band of their images.
//!
//! # What it may miss
//! A pair whose images agree in one place with probability `s` is missed with probability
//! (1 - s^rows)^bands. Where more than `most_bucket` documents share a band, the first of them
//! answer, and what is held back is counted.

use super::Judgement;
use super::meeting::{Limits, Meeting, Met, Weighed};
use crate::hash;
use crate::image::minhash::agreement;
use crate::relation::{Kind, Score, Scores};

/// Images of `bands * rows` values meet in their bands. Scores are estimates: the share of equal
/// values.
#[derive(Clone, Copy, Debug)]
pub struct Banding {
    bands: usize,
    rows: usize,
    most_bucket: usize,
}

impl Banding {
    /// Images have `bands * rows` values; at most `most_bucket` documents answer to one band.
    pub fn new(bands: usize, rows: usize, most_bucket: usize) -> Self {
        Self { bands, rows, most_bucket }
    }
}

impl Meeting for Banding {
    type Image = Vec<u32>;
    type Payload = ();
    type Facts = ();

    fn facts(&self, _: &Vec<u32>) {}

    fn keys(&self, image: &Vec<u32>, mut each: impl FnMut(u64, ())) {
        for (band, rows) in image.chunks_exact(self.rows).take(self.bands).enumerate() {
            let key = rows.iter().fold(hash::mix(band as u64), |key, &row| {
                hash::fold(key ^ u64::from(row), 0xd6e8_feb8_6659_fd93)
            });
            each(key, ());
        }
    }

    fn limits(&self) -> Limits {
        Limits::first(self.most_bucket)
    }

    fn weigh(&self, (): &(), (): &(), _: Met) -> Weighed {
        Weighed::Look
    }

    fn judge(&self, asker: &Vec<u32>, other: &Vec<u32>, _: Met) -> Option<Judgement> {
        let share = Score::new(agreement(asker, other)).unwrap_or(Score::ZERO);
        let scores = Scores { resemblance: share, a_in_b: share, b_in_a: share };
        (share > Score::ZERO).then_some(Judgement { kind: Kind::NearDuplicate, scores })
    }
}

#[cfg(test)]
mod tests {
    use super::super::both::{found_by_all, ordinals};
    use super::*;

    #[test]
    fn one_equal_band_is_enough_and_half_a_band_is_not() {
        let images = [vec![1, 2, 3, 4], vec![1, 2, 9, 9], vec![8, 2, 3, 8]];
        let (found, _) = found_by_all(|| Banding::new(2, 2, 100), &images, None);
        assert_eq!(ordinals(&found), [vec![], vec![0], vec![]]);
        assert!((found[1][0].scores.resemblance.get() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_crowd_beyond_the_limit_answers_with_its_first_and_is_counted() {
        let (found, cuts) = found_by_all(|| Banding::new(1, 1, 3), &vec![vec![7]; 10], None);
        assert_eq!(ordinals(&found)[9], [0, 1, 2]);
        assert_eq!((cuts.n_stop_features, cuts.n_candidates_cut), (6, 21));
    }
}
