//! Hamming distance: bit images that differ in few places.
//!
//! An image is cut into blocks. Of two images that differ in at most `d` places, some block
//! differs in at most one if there are (d + 1) / 2 blocks, rounded up; so a document is looked up
//! block by block, as it stands and with each bit of the block flipped, and whoever answers is
//! compared whole. Blocks of equal bits are the idea of Manku et al. 2007; allowing a flip, as in
//! the multi-index hashing of Norouzi et al. 2012, keeps the blocks twice as long and the buckets
//! short: 66 look-ups for a distance of 2 in 64 bits, 68 for one of 6, in buckets of which most
//! are empty.
//!
//! # What it may miss
//! Nothing, except in buckets larger than `most_bucket`: those answer with their first documents,
//! and what they hold back is counted.

use super::buckets::Buckets;
use super::index::{Found, Index, Partner};
use crate::document::Ordinal;
use crate::hash::{self, Prehashed};
use crate::relation::{Kind, Score, Scores};

/// Bit images by their blocks.
#[derive(Clone, Debug)]
pub struct Hamming {
    n_bits: u32,
    most_distance: u32,
    most_bucket: usize,
    tables: Vec<Table>,
}

/// Documents by the bits of one block; each entry has its image with it.
#[derive(Clone, Debug)]
struct Table {
    first: u32,
    len: u32,
    buckets: Buckets<u64, u64, Prehashed>,
}

impl Table {
    fn bits(&self, image: u64) -> u64 {
        let mask = if self.len == 64 { u64::MAX } else { (1 << self.len) - 1 };
        image >> self.first & mask
    }
}

/// Returns the key of a block's bits. The function is a bijection, so keys are as different as
/// the bits.
fn key(bits: u64) -> u64 {
    hash::mix(bits)
}

impl Hamming {
    /// Makes an empty index of images of `n_bits` bits (1 to 64) that finds those at a distance
    /// of at most `most_distance`; a bucket answers with at most `most_bucket` documents.
    pub fn new(n_bits: u32, most_distance: u32, most_bucket: usize) -> Self {
        debug_assert!((1..=64).contains(&n_bits), "an image has 1 to 64 bits");
        // More blocks than bits would be empty; then everybody is within the distance anyway.
        let n_blocks = (most_distance + 1).div_ceil(2).min(n_bits);
        let border = |block: u32| block * n_bits / n_blocks;
        let table = |block: u32| Table {
            first: border(block),
            len: border(block + 1) - border(block),
            buckets: Buckets::new(),
        };
        Self { n_bits, most_distance, most_bucket, tables: (0..n_blocks).map(table).collect() }
    }
}

impl Index<u64> for Hamming {
    fn insert(&mut self, ordinal: Ordinal, image: &u64) {
        for table in &mut self.tables {
            let bits = table.bits(*image);
            table.buckets.insert(key(bits), ordinal, *image);
        }
    }

    fn remove(&mut self, ordinal: Ordinal, image: &u64) {
        for table in &mut self.tables {
            let bits = table.bits(*image);
            table.buckets.remove(&key(bits), ordinal);
        }
    }

    fn ask(&self, image: &u64, before: Ordinal, found: &mut Found) {
        let mut answers: Vec<(Ordinal, u32)> = Vec::new();
        for table in &self.tables {
            let bits = table.bits(*image);
            // With no place to differ there is nothing to flip.
            let n_flips = if self.most_distance == 0 { 0 } else { table.len };
            for flip in std::iter::once(0).chain((0..n_flips).map(|bit| 1 << bit)) {
                let Found { cuts, n_values, .. } = found;
                let most = self.most_bucket;
                table.buckets.each_before(&key(bits ^ flip), before, most, cuts, |who, other| {
                    let distance = (image ^ other).count_ones();
                    *n_values += 1;
                    if distance <= self.most_distance {
                        answers.push((who, distance));
                    }
                });
            }
        }
        answers.sort_unstable();
        answers.dedup();
        found.partners.extend(answers.into_iter().map(|(ordinal, distance)| {
            let same = Score::share((self.n_bits - distance) as usize, self.n_bits as usize);
            let scores = Scores { resemblance: same, a_in_b: same, b_in_a: same };
            Partner { ordinal, kind: Kind::NearDuplicate, scores }
        }));
    }

    fn held_bytes(&self) -> usize {
        self.tables.iter().map(|table| table.buckets.held_bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn partners(index: &Hamming, image: u64, before: u32) -> Vec<(u32, u32)> {
        let mut found = Found::default();
        index.ask(&image, Ordinal(before), &mut found);
        let distance = |partner: &Partner| {
            let differ = (1.0 - partner.scores.resemblance.get()) * f64::from(index.n_bits);
            format!("{differ:.0}").parse().expect("a whole number")
        };
        found.partners.iter().map(|partner| (partner.ordinal.0, distance(partner))).collect()
    }

    #[test]
    fn distances_of_0_1_and_2_match_and_3_does_not() {
        // T-SIM, last part.
        let mut index = Hamming::new(8, 2, 100);
        for (i, image) in [0b1011_0010, 0b1011_0011, 0b1111_0011, 0b1111_0111].iter().enumerate() {
            index.insert(Ordinal(i as u32), image);
        }
        assert_eq!(partners(&index, 0b1011_0010, 4), [(0, 0), (1, 1), (2, 2)]);
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
            let mut index = Hamming::new(n_bits, most_distance, usize::MAX);
            for (i, image) in images.iter().enumerate() {
                index.insert(Ordinal(i as u32), image);
            }
            for (i, image) in images.iter().enumerate() {
                let expected: Vec<(u32, u32)> = images[..i].iter().enumerate()
                    .map(|(j, other)| (j as u32, (image ^ other).count_ones()))
                    .filter(|&(_, distance)| distance <= most_distance)
                    .collect();
                prop_assert_eq!(partners(&index, *image, i as u32), expected);
            }
        }

        #[test]
        fn a_removed_document_is_as_if_it_had_never_come(images in prop::collection::vec(0u64..64, 2..20)) {
            let mut index = Hamming::new(16, 2, usize::MAX);
            let mut without = Hamming::new(16, 2, usize::MAX);
            for (i, image) in images.iter().enumerate() {
                index.insert(Ordinal(i as u32), image);
                if i % 2 == 0 {
                    without.insert(Ordinal(i as u32), image);
                }
            }
            for (i, image) in images.iter().enumerate().filter(|(i, _)| i % 2 == 1) {
                index.remove(Ordinal(i as u32), image);
            }
            for image in &images {
                prop_assert_eq!(partners(&index, *image, 99), partners(&without, *image, 99));
            }
        }
    }

    #[test]
    fn a_bucket_beyond_its_limit_is_cut_and_counted() {
        let mut index = Hamming::new(64, 2, 3);
        (0..10).for_each(|i| index.insert(Ordinal(i), &7));
        let mut found = Found::default();
        index.ask(&7, Ordinal(10), &mut found);
        assert_eq!(found.partners.len(), 3);
        assert_eq!((found.cuts.n_stop_features, found.cuts.n_candidates_cut), (2, 14));
    }
}
