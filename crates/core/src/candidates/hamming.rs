//! Hamming distance: bit images that differ in few places.
//!
//! An image is cut into blocks. Of two images that differ in at most `d` places, some block
//! differs in at most one if there are (d + 1) / 2 blocks, rounded up. So a document is held under
//! its blocks as they stand, and asks with them as they stand and with each bit flipped. Blocks of
//! equal bits are the idea of Manku et al. 2007, whose permuted tables are here key functions;
//! allowing a flip, as in the multi-index hashing of Norouzi et al. 2012, keeps the blocks twice as
//! long and the lists short: 66 look-ups for a distance of 2 in 64 bits, 68 for one of 6.
//!
//! # What it may miss
//! Nothing, except where more than `most_bucket` documents share a block: then the first of them
//! answer, and what is held back is counted.

use super::Judgement;
use super::meeting::{Limits, Meeting, Met, Tag, Weighed};
use crate::hash;
use crate::relation::{Kind, Score, Scores};

/// Bit images meet in their blocks.
#[derive(Clone, Copy, Debug)]
pub struct Hamming {
    n_bits: u32,
    most_distance: u32,
    most_bucket: usize,
}

impl Hamming {
    /// Images of `n_bits` bits (1 to 64) meet at a distance of at most `most_distance`; at most
    /// `most_bucket` documents answer to one block.
    pub fn new(n_bits: u32, most_distance: u32, most_bucket: usize) -> Self {
        debug_assert!((1..=64).contains(&n_bits), "an image has 1 to 64 bits");
        Self { n_bits, most_distance, most_bucket }
    }

    fn relate(&self, one: u64, other: u64) -> Option<Judgement> {
        let distance = (one ^ other).count_ones();
        (distance <= self.most_distance).then(|| {
            let same = Score::share((self.n_bits - distance) as usize, self.n_bits as usize);
            let scores = Scores { resemblance: same, a_in_b: same, b_in_a: same };
            Judgement { kind: Kind::NearDuplicate, scores }
        })
    }
}

impl Meeting for Hamming {
    type Image = u64;
    type Payload = Tag;
    type Facts = u64;

    fn facts(&self, image: &u64) -> u64 {
        *image
    }

    fn keys(&self, image: &u64, mut each: impl FnMut(u64, Tag)) {
        // More blocks than bits would be empty; then everybody is within the distance anyway.
        let n_blocks = (self.most_distance + 1).div_ceil(2).min(self.n_bits);
        let border = |block: u32| block * self.n_bits / n_blocks;
        for block in 0..n_blocks {
            let (first, len) = (border(block), border(block + 1) - border(block));
            let mask = if len == 64 { u64::MAX } else { (1 << len) - 1 };
            let bits = image >> first & mask;
            let key = |bits: u64| hash::mix(hash::mix(bits) ^ u64::from(block + 1));
            each(key(bits), Tag::both(0));
            // With no place to differ there is nothing to flip.
            let n_flips = if self.most_distance == 0 { 0 } else { len };
            for bit in 0..n_flips {
                each(key(bits ^ 1 << bit), Tag::asked(0));
            }
        }
    }

    fn limits(&self) -> Limits {
        Limits::first(self.most_bucket)
    }

    fn weigh(&self, asker: &u64, other: &u64, _: Met) -> Weighed {
        self.relate(*asker, *other).map_or(Weighed::No, Weighed::Yes)
    }

    fn judge(&self, asker: &u64, other: &u64, _: Met) -> Option<Judgement> {
        self.relate(*asker, *other)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::both::{found_by_all, ordinals};
    use super::*;

    #[test]
    fn distances_of_0_1_and_2_match_and_3_does_not() {
        let images = [0b1011_0010, 0b1011_0011, 0b1111_0011, 0b1111_0111, 0b1011_0010];
        let (found, _) = found_by_all(|| Hamming::new(8, 2, 100), &images, None);
        assert_eq!(ordinals(&found)[4], [0, 1, 2]);
        assert!((found[4][2].scores.resemblance.get() - 0.75).abs() < 1e-9);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn looking_up_blocks_finds_what_comparing_all_pairs_finds(
            n_bits in prop::sample::select(vec![1u32, 7, 8, 31, 32, 33, 48, 63, 64]),
            most_distance in 0u32..=8,
            seeds in prop::collection::vec((0u64..4, prop::collection::vec(0u32..64, 0..9)), 1..40),
        ) {
            let mask = u64::MAX >> (64 - n_bits);
            // A few centres with some bits flipped, so that all distances occur.
            let images: Vec<u64> = seeds.iter().map(|(centre, flips)| {
                flips.iter().fold(hash::mix(*centre), |image, bit| image ^ 1 << bit) & mask
            }).collect();
            let meeting = || Hamming::new(n_bits, most_distance, usize::MAX);
            let (found, _) = found_by_all(meeting, &images, None);
            for (i, image) in images.iter().enumerate() {
                let expected: Vec<u32> = (0..i as u32)
                    .filter(|&j| (image ^ images[j as usize]).count_ones() <= most_distance)
                    .collect();
                prop_assert_eq!(&ordinals(&found)[i], &expected);
            }
        }
    }

    #[test]
    fn a_crowd_beyond_the_limit_answers_with_its_first_and_is_counted() {
        let (found, cuts) = found_by_all(|| Hamming::new(64, 2, 3), &[7; 5], None);
        assert_eq!(found[4].len(), 3);
        assert_eq!((cuts.n_stop_features, cuts.n_candidates_cut), (2, 2));
    }
}
