//! A set of features: sorted, each once; the image of every method that compares what documents
//! have in common.
//!
//! Some methods keep fewer features of a document than they search with. Then all features that
//! the document *asks* with are in the set, and those that are *stored*, where other documents
//! find them, are marked. Where scores count how often a feature stands in the asking document,
//! the set remembers that too. What is not needed costs nothing.

use crate::hash;

/// The features of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet {
    features: Box<[u64]>,
    /// One bit per feature: whether it is stored. Empty if all are.
    is_stored: Box<[u64]>,
    /// How often each feature stands in the document. Empty if each counts once.
    times: Box<[u32]>,
    n_stored: u32,
    length: u32,
}

impl FeatureSet {
    /// Makes the set of some features; repeats are dropped.
    ///
    /// ```
    /// use retold_core::image::feature_set::FeatureSet;
    /// assert_eq!(FeatureSet::new(vec![3, 1, 3]).features(), [1, 3]);
    /// ```
    pub fn new(mut features: Vec<u64>) -> Self {
        features.sort_unstable();
        features.dedup();
        let n_stored = features.len() as u32;
        Self { features: features.into(), n_stored, ..Self::default() }
    }

    /// Makes the set of some features in which repeats are told apart by their number: the first
    /// `x`, the second `x` and so on (the labelled w-shinglings of Broder 1997, section 2).
    ///
    /// Common features are then counted as often as both documents have them.
    pub fn bag(mut features: Vec<u64>) -> Self {
        features.sort_unstable();
        for equal in features.chunk_by_mut(|x, y| x == y) {
            for (nth, feature) in equal.iter_mut().enumerate().skip(1) {
                *feature = hash::mix(feature.wrapping_add((nth as u64).wrapping_mul(STEP)));
            }
        }
        Self::new(features)
    }

    /// Makes the set of some features and remembers how often each stands there.
    pub fn counted(features: Vec<u64>) -> Self {
        Self::asking(features, None)
    }

    /// Makes the set of the features that a document asks with, of which only `stored` can be
    /// found by others; repeats of the former are counted. `None` stores all of them.
    ///
    /// A stored feature that is not among those asked with is added to them.
    pub fn asking(mut asked: Vec<u64>, stored: Option<Vec<u64>>) -> Self {
        asked.sort_unstable();
        let stored = stored.map(|mut stored| {
            stored.sort_unstable();
            stored.dedup();
            let missing: Vec<u64> =
                stored.iter().copied().filter(|x| asked.binary_search(x).is_err()).collect();
            asked.extend(missing);
            asked.sort_unstable();
            stored
        });
        let mut features = Vec::with_capacity(asked.len());
        let mut times = Vec::new();
        for run in asked.chunk_by(|x, y| x == y) {
            if run.len() > 1 && times.is_empty() {
                times.resize(features.len(), 1);
            }
            if run.len() > 1 || !times.is_empty() {
                times.push(run.len() as u32);
            }
            features.push(run[0]);
        }
        let n_stored = stored.as_ref().map_or(features.len(), Vec::len) as u32;
        let is_stored = match stored {
            Some(stored) if stored.len() < features.len() => bits(&features, &stored),
            _ => Vec::new(),
        };
        Self {
            features: features.into(),
            is_stored: is_stored.into(),
            times: times.into(),
            n_stored,
            length: 0,
        }
    }

    /// Returns the set without the counts of repeats.
    #[must_use]
    pub fn uncounted(self) -> Self {
        Self { times: Box::default(), ..self }
    }

    /// Returns the set with the length of its document, for rules that compare lengths. The
    /// default is 0.
    #[must_use]
    pub fn with_length(self, n_words: usize) -> Self {
        Self { length: n_words.min(u32::MAX as usize) as u32, ..self }
    }

    /// Returns all features, ascending.
    pub fn features(&self) -> &[u64] {
        &self.features
    }

    /// Returns whether the feature at a place is stored.
    #[inline]
    pub fn is_stored(&self, place: usize) -> bool {
        self.is_stored.is_empty() || self.is_stored[place / 64] >> (place % 64) & 1 == 1
    }

    /// Returns how often the feature at a place stands in the document, as far as it counts.
    #[inline]
    pub fn times(&self, place: usize) -> u32 {
        self.times.get(place).copied().unwrap_or(1)
    }

    /// Returns whether some feature counts more than once.
    pub fn has_repeats(&self) -> bool {
        !self.times.is_empty()
    }

    /// Returns the number of features the document asks with.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Returns whether there are no features.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Returns the number of stored features.
    pub fn n_stored(&self) -> usize {
        self.n_stored as usize
    }

    /// Returns the length of the document, if it was given.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Returns the number of features, stored or not, that stand in both sets.
    pub fn n_common(&self, other: &Self) -> usize {
        let (mut one, mut two) = (&*self.features, &*other.features);
        let mut n = 0;
        while let (Some(x), Some(y)) = (one.first(), two.first()) {
            n += usize::from(x == y);
            one = &one[usize::from(x <= y)..];
            two = &two[usize::from(y <= x)..];
        }
        n
    }

    /// Returns the number of bytes held.
    pub fn held_bytes(&self) -> usize {
        size_of::<Self>()
            + self.features.len() * 8
            + self.is_stored.len() * 8
            + self.times.len() * 4
    }
}

/// Distance between the numbers of repeats before they are mixed.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns one bit per feature: whether it is among `chosen`. Both are ascending.
fn bits(features: &[u64], mut chosen: &[u64]) -> Vec<u64> {
    let mut bits = vec![0; features.len().div_ceil(64)];
    for (place, feature) in features.iter().enumerate() {
        if chosen.first() == Some(feature) {
            bits[place / 64] |= 1 << (place % 64);
            chosen = &chosen[1..];
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bag_counts_common_features_as_often_as_both_have_them() {
        let a = FeatureSet::bag(vec![7, 7, 8, 7, 9]);
        let b = FeatureSet::bag(vec![7, 9, 7, 5]);
        assert_eq!((a.len(), b.len(), a.n_common(&b)), (5, 4, 3));
        assert!(FeatureSet::bag(Vec::new()).is_empty());
        assert_eq!(FeatureSet::bag(vec![4; 100]).len(), 100);
        assert_eq!(FeatureSet::bag(vec![4, 5, 6]), FeatureSet::new(vec![6, 5, 4]));
    }

    #[test]
    fn stored_features_are_marked_among_those_asked_with() {
        let set = FeatureSet::asking(vec![5, 3, 9, 3], Some(vec![3, 4, 3]));
        assert_eq!(set.features(), [3, 4, 5, 9]);
        let stored: Vec<bool> = (0..4).map(|place| set.is_stored(place)).collect();
        assert_eq!(stored, [true, true, false, false]);
        assert_eq!((set.n_stored(), set.times(0), set.times(1)), (2, 2, 1));
        assert!(!set.uncounted().has_repeats());
    }

    #[test]
    fn a_set_that_stores_all_it_asks_with_is_a_plain_set() {
        let plain = FeatureSet::new(vec![2, 1]);
        assert_eq!(FeatureSet::asking(vec![1, 2], Some(vec![1, 2])), plain);
        assert_eq!(FeatureSet::counted(vec![1, 2]), plain);
        assert_eq!(FeatureSet::counted(vec![1, 2, 2]).times(1), 2);
    }
}
