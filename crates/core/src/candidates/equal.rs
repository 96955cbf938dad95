//! Equal signatures: documents that share a key are near-duplicates, others are nothing.
//!
//! For methods that keep one value of a document (a digest, a checksum, a pattern of bits), or a
//! few of which one must agree.
//!
//! # What it may miss
//! Nothing of what the signatures say, except in buckets larger than `most_bucket`: those answer
//! with their first documents, and what they hold back is counted.

use std::hash::Hash;

use super::buckets::Buckets;
use super::index::{Found, Index, Partner};
use crate::document::Ordinal;
use crate::relation::{Kind, Scores};

/// Documents by signature. An image is one key, or a list of keys of which one must agree.
///
/// ```
/// use retold_core::candidates::equal::Equal;
/// use retold_core::candidates::index::{Found, Index};
/// use retold_core::document::Ordinal;
/// let mut index = Equal::<u64>::new(1000);
/// index.insert(Ordinal(0), &7);
/// let mut found = Found::default();
/// index.ask(&7, Ordinal(1), &mut found);
/// assert_eq!(found.partners[0].ordinal, Ordinal(0));
/// ```
#[derive(Clone, Debug)]
pub struct Equal<K> {
    most_bucket: usize,
    buckets: Buckets<K>,
}

impl<K: Hash + Eq> Equal<K> {
    /// Makes an empty index; a bucket answers with at most `most_bucket` documents.
    pub fn new(most_bucket: usize) -> Self {
        Self { most_bucket, buckets: Buckets::new() }
    }

    fn ask_keys(&self, keys: &[K], before: Ordinal, found: &mut Found) {
        let mut answers: Vec<Ordinal> = Vec::new();
        for key in keys {
            let Found { cuts, .. } = found;
            self.buckets.each_before(key, before, self.most_bucket, cuts, |ordinal, ()| {
                answers.push(ordinal);
            });
        }
        answers.sort_unstable();
        answers.dedup();
        found.n_values += answers.len() as u64;
        found.partners.extend(answers.into_iter().map(|ordinal| Partner {
            ordinal,
            kind: Kind::NearDuplicate,
            scores: Scores::EQUAL,
        }));
    }
}

impl<K: Hash + Eq + Clone + Send + Sync> Index<K> for Equal<K> {
    fn insert(&mut self, ordinal: Ordinal, key: &K) {
        self.buckets.insert(key.clone(), ordinal, ());
    }

    fn remove(&mut self, ordinal: Ordinal, key: &K) {
        self.buckets.remove(key, ordinal);
    }

    fn ask(&self, key: &K, before: Ordinal, found: &mut Found) {
        self.ask_keys(std::slice::from_ref(key), before, found);
    }

    fn held_bytes(&self) -> usize {
        self.buckets.held_bytes()
    }
}

impl<K: Hash + Eq + Clone + Send + Sync> Index<Vec<K>> for Equal<K> {
    fn insert(&mut self, ordinal: Ordinal, keys: &Vec<K>) {
        for key in keys {
            self.buckets.insert(key.clone(), ordinal, ());
        }
    }

    fn remove(&mut self, ordinal: Ordinal, keys: &Vec<K>) {
        for key in keys {
            self.buckets.remove(key, ordinal);
        }
    }

    fn ask(&self, keys: &Vec<K>, before: Ordinal, found: &mut Found) {
        self.ask_keys(keys, before, found);
    }

    fn held_bytes(&self) -> usize {
        self.buckets.held_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partners<I>(index: &impl Index<I>, image: &I, before: u32) -> Vec<u32> {
        let mut found = Found::default();
        index.ask(image, Ordinal(before), &mut found);
        assert!(found.partners.iter().all(|partner| {
            partner.kind == Kind::NearDuplicate && partner.scores == Scores::EQUAL
        }));
        found.partners.iter().map(|partner| partner.ordinal.0).collect()
    }

    #[test]
    fn equal_signatures_meet_and_different_ones_do_not() {
        let mut index = Equal::<[u8; 20]>::new(10);
        index.insert(Ordinal(0), &[1; 20]);
        index.insert(Ordinal(1), &[2; 20]);
        index.insert(Ordinal(2), &[1; 20]);
        assert_eq!(partners(&index, &[1; 20], 3), [0, 2]);
        assert_eq!(partners(&index, &[1; 20], 2), [0], "only documents before the one that asks");
        assert_eq!(partners(&index, &[3; 20], 3), [0; 0]);
    }

    #[test]
    fn one_key_of_several_is_enough_and_a_partner_comes_once() {
        let mut index = Equal::<u64>::new(10);
        index.insert(Ordinal(0), &vec![1, 2, 3]);
        index.insert(Ordinal(1), &vec![3, 4]);
        assert_eq!(partners(&index, &vec![1, 3], 2), [0, 1]);
        assert_eq!(partners(&index, &vec![9], 2), [0; 0]);
    }

    #[test]
    fn a_removed_document_is_as_if_it_had_never_come() {
        let mut index = Equal::<u64>::new(10);
        index.insert(Ordinal(0), &vec![1, 2]);
        index.insert(Ordinal(1), &vec![2]);
        index.remove(Ordinal(0), &vec![1, 2]);
        assert_eq!(partners(&index, &vec![1, 2], 2), [1]);
        index.remove(Ordinal(1), &vec![2]);
        assert!(index.buckets.is_empty());
    }

    #[test]
    fn a_bucket_beyond_its_limit_is_cut_and_counted() {
        let mut index = Equal::<u64>::new(2);
        (0..5).for_each(|i| index.insert(Ordinal(i), &7));
        let mut found = Found::default();
        index.ask(&7, Ordinal(5), &mut found);
        assert_eq!(found.partners.len(), 2);
        assert_eq!((found.cuts.n_stop_features, found.cuts.n_candidates_cut), (1, 3));
    }
}
