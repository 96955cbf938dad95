//! Statistics of a collection: in how many documents each feature stands.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::encode::{Encoded, Input, put_number};
use crate::hash::{self, Prehashed};

/// Document frequencies. Features are hashes: of words, unless a method counts something else.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    n_documents: u64,
    by_feature: HashMap<u64, u32, Prehashed>,
    /// Computed when it is asked for, and forgotten when something is added.
    fingerprint: OnceLock<u64>,
}

impl PartialEq for Counts {
    fn eq(&self, other: &Self) -> bool {
        (self.n_documents, &self.by_feature) == (other.n_documents, &other.by_feature)
    }
}

impl Eq for Counts {}

impl Counts {
    /// Makes statistics of `n_documents` documents from features and the number of documents each
    /// stands in.
    pub fn new(n_documents: u64, features: impl IntoIterator<Item = (u64, u32)>) -> Self {
        let by_feature = features.into_iter().collect();
        Self { n_documents, by_feature, fingerprint: OnceLock::new() }
    }

    /// Adds a document by its features, each once.
    pub fn add(&mut self, features: impl IntoIterator<Item = u64>) {
        self.fingerprint.take();
        self.n_documents += 1;
        for feature in features {
            *self.by_feature.entry(feature).or_default() += 1;
        }
    }

    /// Adds the documents of another collection.
    pub fn merge(&mut self, other: Self) {
        self.fingerprint.take();
        self.n_documents += other.n_documents;
        #[expect(clippy::iter_over_hash_type, reason = "a sum does not depend on the order")]
        for (feature, n) in other.by_feature {
            *self.by_feature.entry(feature).or_default() += n;
        }
    }

    /// Returns the number of documents.
    pub fn n_documents(&self) -> u64 {
        self.n_documents
    }

    /// Returns the number of different features.
    pub fn len(&self) -> usize {
        self.by_feature.len()
    }

    /// Returns whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.by_feature.is_empty()
    }

    /// Returns the number of documents a feature stands in.
    pub fn df(&self, feature: u64) -> u32 {
        self.by_feature.get(&feature).copied().unwrap_or(0)
    }

    /// Returns ln(N / n), where n of the N documents hold the feature; a feature nobody has
    /// counts as if one had it. Never below 0, also if no document was counted.
    ///
    /// ```
    /// use retold_core::features::counts::Counts;
    /// let mut counts = Counts::default();
    /// counts.add([1, 2]);
    /// counts.add([1]);
    /// assert_eq!(counts.idf(1), 0.0);
    /// assert_eq!(counts.idf(2), 2f64.ln());
    /// assert_eq!(counts.idf(3), 2f64.ln());
    /// ```
    pub fn idf(&self, feature: u64) -> f64 {
        let n = f64::from(self.df(feature).max(1));
        (self.n_documents as f64 / n).ln().max(0.0)
    }

    /// Returns all features with their document frequencies, by feature.
    pub fn iter_sorted(&self) -> Vec<(u64, u32)> {
        let mut all: Vec<(u64, u32)> = self.by_feature.iter().map(|(&f, &n)| (f, n)).collect();
        all.sort_unstable();
        all
    }

    /// Returns a number that equal statistics share, whatever the order of counting.
    pub fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let features = self.by_feature.iter();
            let sum = features.fold(0u64, |sum, (&feature, &n)| {
                sum.wrapping_add(hash::mix(feature ^ hash::mix(u64::from(n))))
            });
            hash::mix(sum ^ hash::mix(self.n_documents))
        })
    }

    /// Returns the number of bytes held, about.
    pub fn held_bytes(&self) -> usize {
        self.by_feature.capacity() * 17
    }
}

impl Encoded for Counts {
    fn encode(&self, out: &mut Vec<u8>) {
        put_number(self.n_documents, out);
        let features = self.iter_sorted();
        put_number(features.len() as u64, out);
        let mut last = 0;
        for (feature, n) in features {
            put_number(feature - last, out);
            put_number(u64::from(n), out);
            last = feature;
        }
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let n_documents = input.number()?;
        let n = input.count()?;
        let mut feature = 0u64;
        let mut features = Vec::with_capacity(n);
        for _ in 0..n {
            feature = feature.checked_add(input.number()?)?;
            features.push((feature, u32::try_from(input.number()?).ok()?));
        }
        Some(Self::new(n_documents, features))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{from_bytes, to_bytes};

    #[test]
    fn merging_equals_counting_together() {
        let documents: [&[u64]; 3] = [&[1, 2, 3], &[2, 3], &[3, 9]];
        let mut together = Counts::default();
        for document in documents {
            together.add(document.iter().copied());
        }
        let mut parts = Counts::default();
        for document in documents {
            let mut one = Counts::default();
            one.add(document.iter().copied());
            parts.merge(one);
        }
        assert_eq!(together, parts);
        assert_eq!(together.iter_sorted(), [(1, 1), (2, 2), (3, 3), (9, 1)]);
        assert_eq!(from_bytes(&to_bytes(&together)), Some(together));
    }

    #[test]
    fn the_fingerprint_follows_what_is_added() {
        let mut counts = Counts::default();
        counts.add([1, 2]);
        let before = counts.fingerprint();
        counts.add([2]);
        assert_ne!(counts.fingerprint(), before);
        assert_eq!(counts.fingerprint(), Counts::new(2, [(1, 1), (2, 2)]).fingerprint());
    }

    #[test]
    fn nothing_counted_gives_zero_weights_and_no_nan() {
        assert!(Counts::default().idf(7).abs() < f64::EPSILON);
    }
}
