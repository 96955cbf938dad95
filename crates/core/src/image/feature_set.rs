//! A set of features: sorted, each once; the image of every method that compares what documents
//! have in common.
//!
//! Some methods keep fewer features of a document than they search with. Then all features that
//! the document *asks* with are in the set, and those that are *stored*, where other documents
//! find them, are marked. Where scores count how often a feature stands in the asking document,
//! the set remembers that too. What is not needed costs nothing.

use serde::{Deserialize, Serialize};

use crate::encode::{Encoded, Input, put_number};
use crate::features::counts::Counts;
use crate::hash;

/// How often a feature that a document has several times counts in its scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repeats {
    /// Once.
    Once,
    /// Every time.
    Kept,
}

/// The features of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet {
    features: Box<[u64]>,
    /// One bit per feature: whether it is stored. Empty if all are.
    is_stored: Box<[u64]>,
    /// How often each feature stands in the document. Empty if each counts once.
    times: Box<[u32]>,
    /// What each feature weighs in a score, in units of 2^-32: sums of whole numbers are the same in
    /// whatever order. Empty if all weigh the same.
    weights: Box<[u64]>,
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
            weights: Box::default(),
            n_stored,
            length: 0,
        }
    }

    /// Returns the set without the counts of repeats.
    #[must_use]
    pub fn uncounted(self) -> Self {
        Self { times: Box::default(), ..self }
    }

    /// Returns the set with the counts of repeats, or without them.
    #[must_use]
    pub fn with_repeats(self, repeats: Repeats) -> Self {
        match repeats {
            Repeats::Once => self.uncounted(),
            Repeats::Kept => self,
        }
    }

    /// Returns the set with the length of its document, for rules that compare lengths. The
    /// default is 0.
    #[must_use]
    pub fn with_length(self, n_words: usize) -> Self {
        Self { length: n_words.min(u32::MAX as usize) as u32, ..self }
    }

    /// Returns the set with the weights of its features in a collection: ln(N / max(df, 1)).
    #[must_use]
    pub fn weighed(self, counts: &Counts) -> Self {
        #[expect(clippy::cast_sign_loss, reason = "weights are not negative")]
        let weight = |&feature: &u64| (counts.idf(feature) * UNITS).round() as u64;
        let weights = self.features.iter().map(weight).collect();
        Self { weights, ..self }
    }

    /// Hands over the stored features, ascending.
    pub fn each_stored(&self, each: &mut dyn FnMut(u64)) {
        for (place, &feature) in self.features.iter().enumerate() {
            if self.is_stored(place) {
                each(feature);
            }
        }
    }

    fn weight(&self, place: usize) -> u64 {
        self.weights.get(place).copied().unwrap_or(ONE)
    }

    /// Returns the sum of the weights of all features, repeats counted.
    pub fn total_weight(&self) -> u64 {
        (0..self.len()).map(|place| u64::from(self.times(place)) * self.weight(place)).sum()
    }

    /// Returns what two sets have in common.
    pub fn common(&self, other: &Self) -> InCommon {
        let mut common = InCommon::default();
        let (mut i, mut j) = (0, 0);
        while i < self.features.len() && j < other.features.len() {
            let (x, y) = (self.features[i], other.features[j]);
            if x == y {
                if other.is_stored(j) {
                    common.forward += 1;
                    common.forward_weight += u64::from(self.times(i)) * self.weight(i);
                }
                if self.is_stored(i) {
                    common.backward += 1;
                    common.backward_weight += u64::from(other.times(j)) * other.weight(j);
                }
            }
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        common
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

    /// Returns whether this can be a set: what is read back may be anything.
    fn is_sound(&self) -> bool {
        let n_in_last = (self.len() % 64) as u32;
        let n_marked = match self.is_stored.last() {
            None => self.len(),
            // No mark stands behind the last feature.
            Some(&last) if n_in_last > 0 && last >> n_in_last > 0 => return false,
            Some(_) => self.is_stored.iter().map(|bits| bits.count_ones() as usize).sum(),
        };
        // Sums of weights fit.
        let total = (0..self.weights.len()).try_fold(0u64, |total, place| {
            total.checked_add(u64::from(self.times(place)).checked_mul(self.weights[place])?)
        });
        let n_times: u64 = self.times.iter().map(|&times| u64::from(times)).sum();
        self.features.is_sorted_by(|x, y| x < y)
            && n_marked == self.n_stored()
            && u32::try_from(n_times).is_ok()
            && total.is_some()
    }

    /// Returns the length of the document, if it was given.
    pub fn length(&self) -> u32 {
        self.length
    }
}

/// What two sets have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InCommon {
    /// Features that the first asks with and the second stores.
    pub forward: u32,
    /// Features that the second asks with and the first stores.
    pub backward: u32,
    /// Weight of the former in the first, repeats counted.
    pub forward_weight: u64,
    /// Weight of the latter in the second, repeats counted.
    pub backward_weight: u64,
}

/// A weight of 1, in units.
const ONE: u64 = 1 << 32;
/// How many units a weight of 1 has.
const UNITS: f64 = ONE as f64;

impl Encoded for FeatureSet {
    fn encode(&self, out: &mut Vec<u8>) {
        let has = |part: bool, bit: u8| u8::from(part) << bit;
        out.push(
            has(!self.is_stored.is_empty(), 0)
                | has(!self.times.is_empty(), 1)
                | has(!self.weights.is_empty(), 2),
        );
        put_number(self.features.len() as u64, out);
        put_number(u64::from(self.n_stored), out);
        put_number(u64::from(self.length), out);
        for values in [&self.features, &self.is_stored, &self.weights] {
            values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        }
        self.times.iter().for_each(|&times| put_number(u64::from(times), out));
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let parts = *input.take(1)?.first()?;
        let n = input.count()?;
        let n_stored = u32::try_from(input.number()?).ok()?;
        let length = u32::try_from(input.number()?).ok()?;
        let mut numbers = |n: usize| -> Option<Box<[u64]>> {
            let bytes = input.take(n.checked_mul(8)?)?;
            let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            Some(bytes.chunks_exact(8).map(number).collect())
        };
        let has = |bit: u8, n: usize| if parts >> bit & 1 == 1 { n } else { 0 };
        let features = numbers(n)?;
        let is_stored = numbers(has(0, n.div_ceil(64)))?;
        let weights = numbers(has(2, n))?;
        let n_times = if parts >> 1 & 1 == 1 { n } else { 0 };
        let times: Option<Box<[u32]>> =
            (0..n_times).map(|_| u32::try_from(input.number()?).ok()).collect();
        let set = Self { features, is_stored, times: times?, weights, n_stored, length };
        (parts < 8 && set.is_sound()).then_some(set)
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
        assert_eq!((a.len(), b.len(), a.common(&b).forward), (5, 4, 3));
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
