//! Pairs found against pairs listed.
//!
//! A pair of a document with itself is never counted, and a pair given twice, or in both orders
//! where order does not matter, counts once.

use std::ops::AddAssign;

use retold_core::cluster::disjoint_sets::DisjointSets;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{harmonic_mean, share};

/// Whether the order of a pair matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// `a b` is the same pair as `b a`: near-duplicates, partial copies.
    #[default]
    Unordered,
    /// `a b` means that `a` is contained in `b`.
    Ordered,
}

impl Direction {
    /// Returns a pair as one number by which pairs are sorted; none for a document with itself.
    pub fn pack(self, a: u32, b: u32) -> Option<u64> {
        let (a, b) = match self {
            Self::Unordered => (a.min(b), a.max(b)),
            Self::Ordered => (a, b),
        };
        (a != b).then_some(u64::from(a) << 32 | u64::from(b))
    }
}

/// Returns the two documents of a packed pair.
pub(crate) fn unpack(packed: u64) -> (u32, u32) {
    ((packed >> 32) as u32, packed as u32)
}

/// Clusters that stand for more pairs than may be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("clusters stand for more than {most} pairs; compare them as clusters instead")]
pub struct TooManyPairs {
    /// The limit.
    pub most: usize,
}

/// A set of pairs of documents.
///
/// ```
/// use retold_lab::measures::{Direction, PairCounts, PairSet};
/// let found = PairSet::new(Direction::Unordered, [(1, 2), (2, 1), (3, 3), (2, 4)]);
/// let listed = PairSet::new(Direction::Unordered, [(2, 1), (5, 6)]);
/// let counts = PairCounts::of(&found, &listed);
/// assert_eq!((counts.common, counts.only_found, counts.only_reference), (1, 1, 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairSet {
    direction: Direction,
    /// Sorted, distinct.
    packed: Vec<u64>,
}

impl PairSet {
    /// Makes a set of pairs.
    pub fn new(direction: Direction, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        Self::from_packed(
            direction,
            pairs.into_iter().filter_map(|(a, b)| direction.pack(a, b)).collect(),
        )
    }

    /// Makes a set of pairs packed by [`Direction::pack`], in any order and with repeats.
    pub fn from_packed(direction: Direction, mut packed: Vec<u64>) -> Self {
        packed.sort_unstable();
        packed.dedup();
        Self { direction, packed }
    }

    /// Makes the set of unordered pairs of documents that share a cluster; clusters may overlap,
    /// and a pair in several of them counts once.
    ///
    /// # Errors
    /// If clusters stand for more than `most` pairs before repeats are taken out.
    pub fn from_clusters<C: AsRef<[u32]>>(
        clusters: &[C],
        most: usize,
    ) -> Result<Self, TooManyPairs> {
        let pairs_of = |n: usize| n.saturating_mul(n.saturating_sub(1)) / 2;
        let n_pairs = clusters
            .iter()
            .fold(0usize, |sum, cluster| sum.saturating_add(pairs_of(cluster.as_ref().len())));
        if n_pairs > most {
            return Err(TooManyPairs { most });
        }
        let mut packed = Vec::with_capacity(n_pairs);
        for cluster in clusters {
            let members = cluster.as_ref();
            for (i, &a) in members.iter().enumerate() {
                let with = |&b: &u32| Direction::Unordered.pack(a, b);
                packed.extend(members[i + 1..].iter().filter_map(with));
            }
        }
        Ok(Self::from_packed(Direction::Unordered, packed))
    }

    /// Returns whether the order of its pairs matters.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns how many pairs it holds.
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    /// Returns whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// Returns whether it holds a pair.
    pub fn contains(&self, a: u32, b: u32) -> bool {
        self.direction.pack(a, b).is_some_and(|pair| self.packed.binary_search(&pair).is_ok())
    }

    /// Returns the pairs, sorted; the lesser document first where order does not matter.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.packed.iter().copied().map(unpack)
    }

    /// Returns the packed pairs, sorted.
    pub fn as_packed(&self) -> &[u64] {
        &self.packed
    }

    /// Returns the pairs for which `keep` returns true.
    #[must_use]
    pub fn filtered(&self, mut keep: impl FnMut(u32, u32) -> bool) -> Self {
        let packed = self.packed.iter().copied().filter(|&pair| {
            let (a, b) = unpack(pair);
            keep(a, b)
        });
        Self { direction: self.direction, packed: packed.collect() }
    }

    /// Returns the set under another direction: a pair without order stands for both orders.
    #[must_use]
    pub fn directed(self, direction: Direction) -> Self {
        match (self.direction, direction) {
            (Direction::Unordered, Direction::Ordered) => {
                Self::new(direction, self.iter().flat_map(|(a, b)| [(a, b), (b, a)]))
            }
            (Direction::Ordered, Direction::Unordered) => Self::new(direction, self.iter()),
            _ => self,
        }
    }

    /// Returns the pairs of both sets; the direction is that of this one.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let both = self.packed.iter().chain(&other.packed).copied().collect();
        Self::from_packed(self.direction, both)
    }
}

/// Precision, recall and F1, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// Share of what was found that is true.
    pub precision: f64,
    /// Share of what is true that was found.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

impl Scores {
    /// Makes scores of precision and recall.
    pub fn new(precision: f64, recall: f64) -> Self {
        Self { precision, recall, f1: harmonic_mean(precision, recall) }
    }
}

/// How two sets of pairs meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PairCounts {
    /// Pairs in both.
    pub common: u64,
    /// Pairs found that the reference does not have.
    pub only_found: u64,
    /// Pairs of the reference that were not found.
    pub only_reference: u64,
}

impl PairCounts {
    /// Counts pairs; both sets must have the same direction.
    pub fn of(found: &PairSet, reference: &PairSet) -> Self {
        debug_assert_eq!(found.direction, reference.direction, "pairs of different kinds");
        let mut counts = Self::default();
        merge(&found.packed, &reference.packed, |_, is_found, is_listed| {
            counts.add(is_found, is_listed);
        });
        counts
    }

    /// Counts one pair that is in the one set, the other, or both.
    pub(crate) fn add(&mut self, is_found: bool, is_listed: bool) {
        match (is_found, is_listed) {
            (true, true) => self.common += 1,
            (true, false) => self.only_found += 1,
            (false, true) => self.only_reference += 1,
            (false, false) => {}
        }
    }

    /// Returns how many pairs were found.
    pub fn n_found(&self) -> u64 {
        self.common + self.only_found
    }

    /// Returns how many pairs the reference has.
    pub fn n_reference(&self) -> u64 {
        self.common + self.only_reference
    }

    /// Returns precision, recall and F1. If nothing was found precision is 1, if nothing is listed
    /// recall is 1.
    pub fn scores(&self) -> Scores {
        Scores::new(
            share(self.common, self.n_found(), 1.0),
            share(self.common, self.n_reference(), 1.0),
        )
    }

    /// Returns the five numbers.
    pub fn five(&self) -> FiveNumbers {
        FiveNumbers {
            all_ref: self.n_reference(),
            all_ours: self.n_found(),
            only_ref: self.only_reference,
            only_ours: self.only_found,
            common: self.common,
        }
    }
}

impl AddAssign<&Self> for PairCounts {
    fn add_assign(&mut self, other: &Self) {
        self.common += other.common;
        self.only_found += other.only_found;
        self.only_reference += other.only_reference;
    }
}

/// The comparison with a list of pairs in the order in which it was published.
///
/// Ignatov, Jánosi-Rancz, Kuznetsov: Towards a framework for near-duplicate detection in document
/// collections based on closed sets of attributes, 2009, tables 2 and 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FiveNumbers {
    /// Pairs of the list.
    pub all_ref: u64,
    /// Pairs of ours.
    pub all_ours: u64,
    /// Pairs of the list that we do not have.
    pub only_ref: u64,
    /// Pairs of ours that the list does not have.
    pub only_ours: u64,
    /// Pairs of both.
    pub common: u64,
}

/// What one cluster of the reference got.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OfCluster {
    /// Documents of the cluster.
    pub n_documents: u64,
    /// Pairs the reference has in it.
    pub n_pairs: u64,
    /// Those that were found.
    pub n_common: u64,
    /// Pairs found that have a document of the cluster.
    pub n_touching: u64,
}

impl OfCluster {
    /// Returns precision (of the pairs found that touch it), recall and F1.
    pub fn scores(&self) -> Scores {
        Scores::new(
            share(self.n_common, self.n_touching, 1.0),
            share(self.n_common, self.n_pairs, 1.0),
        )
    }
}

/// Returns what each cluster of the reference got, so that one giant cluster cannot outweigh the
/// others; a cluster is a connected component of the pairs of the reference.
///
/// *Order* is that of the least documents of the clusters.
pub fn by_cluster(found: &PairSet, reference: &PairSet, n_documents: usize) -> Vec<OfCluster> {
    let mut union = DisjointSets::new(n_documents);
    reference.iter().for_each(|(a, b)| union.join(a, b));
    let labels = union.labels();
    let mut of: Vec<OfCluster> = Vec::new();
    for &label in &labels {
        if label as usize == of.len() {
            of.push(OfCluster { n_documents: 0, n_pairs: 0, n_common: 0, n_touching: 0 });
        }
        of[label as usize].n_documents += 1;
    }
    merge(&found.packed, &reference.packed, |pair, is_found, is_listed| {
        let (a, b) = unpack(pair);
        let (a, b) = (labels[a as usize] as usize, labels[b as usize] as usize);
        of[a].n_pairs += u64::from(is_listed);
        of[a].n_common += u64::from(is_listed && is_found);
        if is_found {
            of[a].n_touching += 1;
            of[b].n_touching += u64::from(a != b);
        }
    });
    of.retain(|cluster| cluster.n_pairs > 0);
    of
}

/// Returns the means of precision, recall and F1 over clusters; all 1 if there are none.
pub fn macro_scores(clusters: &[OfCluster]) -> Scores {
    if clusters.is_empty() {
        return Scores::new(1.0, 1.0);
    }
    let mean = |of: &dyn Fn(Scores) -> f64| {
        clusters.iter().map(|cluster| of(cluster.scores())).sum::<f64>() / clusters.len() as f64
    };
    Scores { precision: mean(&|s| s.precision), recall: mean(&|s| s.recall), f1: mean(&|s| s.f1) }
}

/// Returns what each connected component of the pairs of both sets adds to the counts: the units of
/// a bootstrap.
///
/// *Order* is that of the least documents of the units.
pub fn units(found: &PairSet, reference: &PairSet, n_documents: usize) -> Vec<PairCounts> {
    let [units] = units_of([found], reference, n_documents);
    units
}

/// Returns the units of several results against one reference: unit by unit the same documents
/// for each of them, so that they can be compared in pairs.
pub fn units_of<const N: usize>(
    found: [&PairSet; N],
    reference: &PairSet,
    n_documents: usize,
) -> [Vec<PairCounts>; N] {
    let mut union = DisjointSets::new(n_documents);
    for set in found.iter().copied().chain([reference]) {
        set.iter().for_each(|(a, b)| union.join(a, b));
    }
    let labels = union.labels();
    // Documents without any pair would only be empty units.
    let mut unit_of = vec![u32::MAX; labels.len()];
    let mut n_units = 0;
    let mut has_pair = vec![false; labels.len()];
    for set in found.iter().copied().chain([reference]) {
        set.iter().for_each(|(a, _)| has_pair[labels[a as usize] as usize] = true);
    }
    for (label, has_pair) in has_pair.into_iter().enumerate() {
        if has_pair {
            unit_of[label] = n_units;
            n_units += 1;
        }
    }
    found.map(|found| {
        let mut units = vec![PairCounts::default(); n_units as usize];
        merge(&found.packed, &reference.packed, |pair, is_found, is_listed| {
            let (a, _) = unpack(pair);
            let unit = unit_of[labels[a as usize] as usize];
            units[unit as usize].add(is_found, is_listed);
        });
        units
    })
}

/// Walks two sorted lists and names each pair once, with where it stands.
pub(crate) fn merge<T: Ord + Copy>(left: &[T], right: &[T], mut each: impl FnMut(T, bool, bool)) {
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        let order = match (left.get(i), right.get(j)) {
            (Some(x), Some(y)) => x.cmp(y),
            (Some(_), None) => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        };
        let pair = if order.is_le() { left[i] } else { right[j] };
        each(pair, order.is_le(), order.is_ge());
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unordered(pairs: &[(u32, u32)]) -> PairSet {
        PairSet::new(Direction::Unordered, pairs.iter().copied())
    }

    #[test]
    fn order_matters_for_containment_only() {
        let pairs = [(1, 2), (2, 1), (1, 1)];
        assert_eq!(unordered(&pairs).len(), 1);
        let ordered = PairSet::new(Direction::Ordered, pairs);
        assert_eq!(ordered.len(), 2);
        assert_eq!(unordered(&pairs).directed(Direction::Ordered), ordered);
        assert_eq!(ordered.directed(Direction::Unordered), unordered(&pairs));
        assert!(unordered(&pairs).contains(2, 1) && !unordered(&pairs).contains(1, 1));
    }

    #[test]
    fn shares_of_nothing_are_settled() {
        let none = PairSet::default();
        let some = unordered(&[(1, 2)]);
        let scores = |found, reference| PairCounts::of(found, reference).scores();
        assert_eq!(scores(&none, &none), Scores { precision: 1.0, recall: 1.0, f1: 1.0 });
        assert_eq!(scores(&none, &some), Scores { precision: 1.0, recall: 0.0, f1: 0.0 });
        assert_eq!(scores(&some, &none), Scores { precision: 0.0, recall: 1.0, f1: 0.0 });
    }

    #[test]
    fn overlapping_clusters_count_a_pair_once() {
        let clusters = [vec![1, 2, 3], vec![2, 3, 4], vec![7]];
        assert_eq!(PairSet::from_clusters(&clusters, 10).map(|set| set.len()), Ok(5));
        assert_eq!(PairSet::from_clusters(&clusters, 5), Err(TooManyPairs { most: 5 }));
    }

    #[test]
    fn a_giant_cluster_cannot_outweigh_small_ones() {
        // Ten documents all found; two couples missed.
        let giant: Vec<u32> = (0..10).collect();
        let reference = PairSet::from_clusters(&[giant.clone(), vec![10, 11], vec![12, 13]], 100);
        let reference = reference.expect("few pairs");
        let found = PairSet::from_clusters(&[giant], 100).expect("few pairs");
        let micro = PairCounts::of(&found, &reference).scores();
        let clusters = by_cluster(&found, &reference, 14);
        assert_eq!(clusters.len(), 3);
        assert!((micro.recall - 45.0 / 47.0).abs() < 1e-12);
        assert!((macro_scores(&clusters).recall - 1.0 / 3.0).abs() < 1e-12);
        assert!((macro_scores(&clusters).f1 - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_pair_between_two_clusters_touches_both() {
        let reference = unordered(&[(0, 1), (2, 3)]);
        let found = unordered(&[(0, 1), (1, 2)]);
        let touching: Vec<u64> =
            by_cluster(&found, &reference, 4).iter().map(|cluster| cluster.n_touching).collect();
        assert_eq!(touching, [2, 1]);
    }

    proptest! {
        #[test]
        fn five_numbers_keep_their_identities(
            found in prop::collection::vec((0u32..12, 0u32..12), 0..60),
            listed in prop::collection::vec((0u32..12, 0u32..12), 0..60),
        ) {
            for direction in [Direction::Unordered, Direction::Ordered] {
                let found = PairSet::new(direction, found.iter().copied());
                let listed = PairSet::new(direction, listed.iter().copied());
                let five = PairCounts::of(&found, &listed).five();
                prop_assert_eq!(five.all_ref, listed.len() as u64);
                prop_assert_eq!(five.all_ours, found.len() as u64);
                prop_assert_eq!(five.only_ref, five.all_ref - five.common);
                prop_assert_eq!(five.only_ours, five.all_ours - five.common);
                let by_hand = found.iter().filter(|&(a, b)| listed.contains(a, b)).count();
                prop_assert_eq!(five.common, by_hand as u64);
            }
        }

        #[test]
        fn units_sum_to_the_whole(
            found in prop::collection::vec((0u32..30, 0u32..30), 0..25),
            listed in prop::collection::vec((0u32..30, 0u32..30), 0..25),
        ) {
            let (found, listed) = (unordered(&found), unordered(&listed));
            let mut sum = PairCounts::default();
            let units = units(&found, &listed, 30);
            for unit in &units {
                prop_assert!(unit.n_found() + unit.n_reference() > 0);
                sum += unit;
            }
            prop_assert_eq!(sum, PairCounts::of(&found, &listed));
        }
    }
}
