//! Buckets: documents by key, each bucket in the order of the documents.
//!
//! The building block of indexes that look something up: documents come and go, and a bucket
//! that grew too large hands over its first documents only and says how many it held back.

use std::collections::hash_map::{Entry, RandomState};
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hash};

use super::Cuts;
use crate::document::Ordinal;

/// A limit that no collection reaches: ordinals are 32 bits wide.
pub const UNLIMITED: usize = u32::MAX as usize;

/// Documents by key; each entry may carry a value of its own.
#[derive(Clone, Debug, Default)]
pub struct Buckets<K, V = (), S = RandomState> {
    by_key: HashMap<K, Bucket<V>, S>,
    n_entries: usize,
}

/// The documents of one key, by ordinal. Most keys have one, which then costs no allocation.
#[derive(Clone, Debug)]
enum Bucket<V> {
    One((Ordinal, V)),
    // A time window forgets the oldest documents, so they leave at the front.
    Many(VecDeque<(Ordinal, V)>),
}

impl<K: Hash + Eq, V: Copy, S: BuildHasher + Default> Buckets<K, V, S> {
    /// Makes empty buckets.
    pub fn new() -> Self {
        Self { by_key: HashMap::default(), n_entries: 0 }
    }

    /// Puts a document into the bucket of `key`; once is enough, a second time changes nothing.
    pub fn insert(&mut self, key: K, ordinal: Ordinal, value: V) {
        let bucket = match self.by_key.entry(key) {
            Entry::Vacant(slot) => {
                slot.insert(Bucket::One((ordinal, value)));
                self.n_entries += 1;
                return;
            }
            Entry::Occupied(slot) => slot.into_mut(),
        };
        if let Bucket::One(first) = bucket {
            *bucket = Bucket::Many(VecDeque::from([*first]));
        }
        let Bucket::Many(entries) = bucket else { unreachable!("made so above") };
        // Ordinals grow, so the place is nearly always the end.
        if entries.back().is_some_and(|last| last.0 < ordinal) {
            entries.push_back((ordinal, value));
            self.n_entries += 1;
        } else if let Err(at) = entries.binary_search_by_key(&ordinal, |entry| entry.0) {
            entries.insert(at, (ordinal, value));
            self.n_entries += 1;
        }
    }

    /// Takes a document out of the bucket of `key`, if it is there.
    pub fn remove(&mut self, key: &K, ordinal: Ordinal) {
        let Some(bucket) = self.by_key.get_mut(key) else { return };
        let is_empty = match bucket {
            Bucket::One(only) => only.0 == ordinal,
            Bucket::Many(entries) => {
                let Ok(at) = entries.binary_search_by_key(&ordinal, |entry| entry.0) else {
                    return;
                };
                entries.remove(at);
                self.n_entries -= 1;
                if entries.is_empty() {
                    self.by_key.remove(key);
                }
                return;
            }
        };
        if is_empty {
            self.by_key.remove(key);
            self.n_entries -= 1;
        }
    }

    /// Hands over the documents of a bucket that come before `before`, by ordinal and at most
    /// the first `most`. A bucket that is cut counts as a stop feature in `cuts`, and the
    /// documents left out as candidates cut.
    ///
    /// Only documents before `before` count, so that asking after every document and asking
    /// when all are there give the same.
    pub fn each_before(
        &self,
        key: &K,
        before: Ordinal,
        most: usize,
        cuts: &mut Cuts,
        mut each: impl FnMut(Ordinal, V),
    ) {
        match self.by_key.get(key) {
            Some(&Bucket::One((ordinal, value))) if ordinal < before => each(ordinal, value),
            None | Some(Bucket::One(_)) => {}
            Some(Bucket::Many(entries)) => {
                let n = entries.partition_point(|entry| entry.0 < before);
                if n > most {
                    cuts.n_stop_features += 1;
                    cuts.n_candidates_cut += (n - most) as u64;
                }
                entries.range(..n.min(most)).for_each(|&(ordinal, value)| each(ordinal, value));
            }
        }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Returns whether there is no document in any bucket.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Returns the number of bytes held, about.
    pub fn held_bytes(&self) -> usize {
        self.by_key.capacity() * (size_of::<K>() + size_of::<Bucket<V>>() + 1)
            + self.n_entries.saturating_sub(self.by_key.len()) * 2 * size_of::<(Ordinal, V)>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn before(buckets: &Buckets<u64>, key: u64, before: u32, most: usize) -> (Vec<u32>, Cuts) {
        let mut cuts = Cuts::default();
        let mut out = Vec::new();
        buckets.each_before(&key, Ordinal(before), most, &mut cuts, |ordinal, ()| {
            out.push(ordinal.0);
        });
        (out, cuts)
    }

    #[test]
    fn a_large_bucket_hands_over_its_first_documents_and_counts_the_rest() {
        let mut buckets = Buckets::<u64>::new();
        (0..10).for_each(|i| buckets.insert(7, Ordinal(i), ()));
        let (found, cuts) = before(&buckets, 7, 8, 3);
        assert_eq!(found, [0, 1, 2]);
        assert_eq!((cuts.n_stop_features, cuts.n_candidates_cut), (1, 5));
        assert_eq!(before(&buckets, 7, 3, 3).1, Cuts::default(), "as when only three had come");
    }

    proptest! {
        #[test]
        fn buckets_are_what_was_put_in_and_not_taken_out(
            steps in prop::collection::vec((0u64..3, 0u32..12, any::<bool>()), 0..60),
        ) {
            let mut buckets = Buckets::<u64>::new();
            let mut expected = std::collections::BTreeSet::new();
            for (key, ordinal, comes) in steps {
                if comes {
                    buckets.insert(key, Ordinal(ordinal), ());
                    expected.insert((key, ordinal));
                } else {
                    buckets.remove(&key, Ordinal(ordinal));
                    expected.remove(&(key, ordinal));
                }
            }
            for key in 0..3 {
                let of_key: Vec<u32> =
                    expected.range((key, 0)..(key, 9)).map(|entry| entry.1).collect();
                prop_assert_eq!(before(&buckets, key, 9, 100).0, of_key);
            }
            prop_assert_eq!(buckets.n_entries, expected.len());
            prop_assert_eq!(buckets.is_empty(), expected.is_empty());
        }
    }
}
