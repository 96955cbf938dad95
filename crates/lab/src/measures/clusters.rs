//! One partition of documents against another.
//!
//! Documents without a cluster count as clusters of one. Every figure follows from sums over the
//! connected components of both partitions ([`ClusterSums`]), so the same sums serve the figures
//! and their intervals.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use retold_core::cluster::disjoint_sets::DisjointSets;
use serde::Serialize;
use thiserror::Error;

use super::pairs::{PairCounts, PairSet, Scores};
use super::{harmonic_mean, share};

/// A document in two clusters, where each may be in one only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("document {document} stands in more than one cluster")]
pub struct Overlap {
    /// The document.
    pub document: u32,
}

/// Documents divided into clusters, each in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Cluster of each document, counted from 0 by first documents.
    labels: Vec<u32>,
    sizes: Vec<u32>,
}

impl Partition {
    /// Makes a partition from any labels, one a document.
    pub fn from_labels(labels: &[u32]) -> Self {
        let mut known: BTreeMap<u32, u32> = BTreeMap::new();
        let mut sizes: Vec<u32> = Vec::new();
        let renumbered = labels.iter().map(|&label| {
            let next = sizes.len() as u32;
            let label = *known.entry(label).or_insert(next);
            if label == next {
                sizes.push(0);
            }
            sizes[label as usize] += 1;
            label
        });
        let labels = renumbered.collect();
        Self { labels, sizes }
    }

    /// Makes a partition of the documents below `n_documents` from clusters; who is in none is
    /// alone. A document named twice in one cluster counts once.
    ///
    /// # Errors
    /// If a document stands in two clusters.
    ///
    /// *Panics* if a document is not below `n_documents`.
    pub fn from_clusters<C: AsRef<[u32]>>(
        n_documents: usize,
        clusters: &[C],
    ) -> Result<Self, Overlap> {
        let mut labels = vec![u32::MAX; n_documents];
        for (label, cluster) in clusters.iter().enumerate() {
            for &document in cluster.as_ref() {
                let place = &mut labels[document as usize];
                if *place != u32::MAX && *place != label as u32 {
                    return Err(Overlap { document });
                }
                *place = label as u32;
            }
        }
        let alone = labels.iter_mut().filter(|label| **label == u32::MAX);
        alone.zip(clusters.len() as u32..).for_each(|(label, own)| *label = own);
        Ok(Self::from_labels(&labels))
    }

    /// Makes the partition into the connected components of pairs.
    ///
    /// *Panics* if a document is not below `n_documents`.
    pub fn from_pairs(n_documents: usize, pairs: &PairSet) -> Self {
        let mut union = DisjointSets::new(n_documents);
        pairs.iter().for_each(|(a, b)| union.join(a, b));
        Self::from_labels(&union.labels())
    }

    /// Returns the cluster of each document, counted from 0 by first documents.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Returns how many documents each cluster has.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Returns how many documents there are.
    pub fn n_documents(&self) -> usize {
        self.labels.len()
    }

    /// Returns whether two documents stand in one cluster.
    pub fn joins(&self, a: u32, b: u32) -> bool {
        self.labels[a as usize] == self.labels[b as usize]
    }

    /// Returns how many pairs of documents stand in one cluster.
    pub fn n_pairs(&self) -> u64 {
        self.sizes.iter().map(|&size| pairs_of(u64::from(size))).sum()
    }
}

/// Returns how many pairs `n` documents make.
fn pairs_of(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// What a connected component adds to the figures of two partitions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClusterSums {
    /// Documents.
    pub n_documents: u64,
    /// Pairs joined by both, by the found one only, by the reference only.
    pub pairs: PairCounts,
    /// Sum over documents of the share of their found cluster that is theirs in truth.
    pub b3_precision: f64,
    /// Sum over documents of the share of their true cluster that was found with them.
    pub b3_recall: f64,
    /// Sum of n · ln n over common parts, found clusters and true clusters.
    pub n_log_n: [f64; 3],
}

impl AddAssign<&Self> for ClusterSums {
    fn add_assign(&mut self, other: &Self) {
        self.n_documents += other.n_documents;
        self.pairs += &other.pairs;
        self.b3_precision += other.b3_precision;
        self.b3_recall += other.b3_recall;
        for (sum, more) in self.n_log_n.iter_mut().zip(other.n_log_n) {
            *sum += more;
        }
    }
}

/// How well one partition agrees with another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClusterScores {
    /// Share of agreeing pairs beyond chance (Hubert and Arabie 1985): 1 is equality, 0 chance.
    pub adjusted_rand: f64,
    /// Precision and recall of each document's cluster, averaged over documents (Bagga and Baldwin
    /// 1998).
    pub b3: Scores,
    /// Whether found clusters hold one true cluster only (Rosenberg and Hirschberg 2007).
    pub homogeneity: f64,
    /// Whether true clusters lie in one found cluster.
    pub completeness: f64,
    /// Harmonic mean of homogeneity and completeness.
    pub v_measure: f64,
    /// Precision and recall of pairs joined by clusters.
    pub pairs: Scores,
}

impl ClusterSums {
    /// Sums over all documents.
    ///
    /// *Panics* if the partitions are of different numbers of documents.
    pub fn of(found: &Partition, reference: &Partition) -> Self {
        let mut sum = Self::default();
        for unit in &units(found, reference) {
            sum += unit;
        }
        sum
    }

    /// Returns the figures. Where there is nothing to tell apart they are 1.
    pub fn scores(&self) -> ClusterScores {
        let n = self.n_documents as f64;
        let mean = |sum: f64| if self.n_documents == 0 { 1.0 } else { sum / n };
        let [common, found, reference] = self.n_log_n;
        let all = if self.n_documents == 0 { 0.0 } else { n * n.ln() };
        // Entropies times n: of the true clusters, of the found ones, of the one given the other.
        let given = |conditional: f64, whole: f64| {
            if whole <= 1e-9 { 1.0 } else { (1.0 - conditional / whole).clamp(0.0, 1.0) }
        };
        let homogeneity = given(found - common, all - reference);
        let completeness = given(reference - common, all - found);
        ClusterScores {
            adjusted_rand: self.adjusted_rand(),
            b3: Scores::new(mean(self.b3_precision), mean(self.b3_recall)),
            homogeneity,
            completeness,
            v_measure: harmonic_mean(homogeneity, completeness),
            pairs: self.pairs.scores(),
        }
    }

    fn adjusted_rand(&self) -> f64 {
        let PairCounts { common, only_found, only_reference } = self.pairs;
        if only_found == 0 && only_reference == 0 {
            return 1.0;
        }
        let apart = pairs_of(self.n_documents) - common - only_found - only_reference;
        let [both, found, reference, apart] =
            [common, only_found, only_reference, apart].map(|n| n as f64);
        2.0 * (both * apart - found * reference)
            / ((both + reference) * (reference + apart) + (both + found) * (found + apart))
    }
}

/// Returns what everything that hangs together through clusters of either partition adds: the
/// units of a bootstrap.
///
/// *Order* is that of the least documents of the units.
///
/// *Panics* if the partitions are of different numbers of documents.
pub fn units(found: &Partition, reference: &Partition) -> Vec<ClusterSums> {
    let n_documents = found.n_documents();
    assert_eq!(n_documents, reference.n_documents(), "partitions are of the same documents");
    // First documents of clusters join their clusters: one join a document, not one a pair.
    let mut union = DisjointSets::new(n_documents);
    for partition in [found, reference] {
        let mut first = vec![u32::MAX; partition.sizes.len()];
        for (document, &label) in partition.labels.iter().enumerate() {
            let first = &mut first[label as usize];
            if *first == u32::MAX {
                *first = document as u32;
            } else {
                union.join(*first, document as u32);
            }
        }
    }
    let unit_of = union.labels();
    let n_units = unit_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut units = vec![ClusterSums::default(); n_units];
    // Equal (found, reference) labels stand together when sorted: the parts common to both.
    let mut by_labels: Vec<(u32, u32, u32)> =
        (0..n_documents).map(|i| (found.labels[i], reference.labels[i], unit_of[i])).collect();
    by_labels.sort_unstable();
    for part in by_labels.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        let (of_found, of_reference, unit) = part[0];
        let unit = &mut units[unit as usize];
        let n = part.len() as u64;
        let n_found = u64::from(found.sizes[of_found as usize]);
        let n_reference = u64::from(reference.sizes[of_reference as usize]);
        unit.n_documents += n;
        unit.pairs.common += pairs_of(n);
        // Each document of the part meets the rest of its clusters; each such pair is met twice.
        unit.pairs.only_found += n * (n_found - n);
        unit.pairs.only_reference += n * (n_reference - n);
        let part = n as f64;
        unit.b3_precision += part * part / n_found as f64;
        unit.b3_recall += part * part / n_reference as f64;
        unit.n_log_n[0] += part * part.ln();
        unit.n_log_n[1] += part * (n_found as f64).ln();
        unit.n_log_n[2] += part * (n_reference as f64).ln();
    }
    for unit in &mut units {
        unit.pairs.only_found /= 2;
        unit.pairs.only_reference /= 2;
    }
    units
}

/// How many clusters of which size there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SizeDistribution {
    /// Clusters of two documents or more.
    pub n_clusters: u64,
    /// Documents in them.
    pub n_clustered: u64,
    /// Documents of the largest; 0 if there is none.
    pub largest: u64,
    /// Size and number of clusters, smallest first.
    pub sizes: Vec<(u64, u64)>,
}

impl SizeDistribution {
    /// Counts clusters by size; those of one document are left out.
    pub fn of(sizes: impl IntoIterator<Item = u64>) -> Self {
        let mut by_size: BTreeMap<u64, u64> = BTreeMap::new();
        for size in sizes.into_iter().filter(|&size| size >= 2) {
            *by_size.entry(size).or_default() += 1;
        }
        Self {
            n_clusters: by_size.values().sum(),
            n_clustered: by_size.iter().map(|(size, n)| size * n).sum(),
            largest: by_size.keys().next_back().copied().unwrap_or(0),
            sizes: by_size.into_iter().collect(),
        }
    }
}

/// What is removed if one document of every cluster is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Removal {
    /// All documents.
    pub n_documents: u64,
    /// Documents removed.
    pub n_removed: u64,
    /// Removed documents whose kept one is not a true mate of theirs.
    pub n_wrongly: u64,
}

impl Removal {
    /// Counts what goes with clusters of (kept document, all members), given which documents
    /// belong together in truth. A document in several clusters is kept if one of them keeps it;
    /// otherwise it is wrongly removed if none of its kept documents is a mate.
    pub fn of<C: AsRef<[u32]>>(clusters: &[(u32, C)], truth: &Partition) -> Self {
        let mut fate: BTreeMap<u32, bool> = BTreeMap::new();
        for (kept, members) in clusters {
            for &member in members.as_ref().iter().filter(|&member| member != kept) {
                *fate.entry(member).or_default() |= truth.joins(*kept, member);
            }
        }
        for (kept, _) in clusters {
            fate.remove(kept);
        }
        Self {
            n_documents: truth.n_documents() as u64,
            n_removed: fate.len() as u64,
            n_wrongly: fate.values().filter(|&&has_mate| !has_mate).count() as u64,
        }
    }

    /// Returns the share of all documents that is removed.
    pub fn share_removed(&self) -> f64 {
        share(self.n_removed, self.n_documents, 0.0)
    }

    /// Returns the share of removed documents that are removed wrongly.
    pub fn share_wrongly(&self) -> f64 {
        share(self.n_wrongly, self.n_removed, 0.0)
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "shares of small counts are exact")]
mod tests {
    use proptest::prelude::*;

    use super::super::pairs::Direction;
    use super::*;

    fn scores(found: &[u32], reference: &[u32]) -> ClusterScores {
        ClusterSums::of(&Partition::from_labels(found), &Partition::from_labels(reference)).scores()
    }

    #[test]
    fn equal_partitions_agree_whatever_their_labels() {
        let same = scores(&[0, 0, 1, 1, 2], &[7, 7, 3, 3, 9]);
        assert_eq!((same.adjusted_rand, same.v_measure, same.b3.f1), (1.0, 1.0, 1.0));
        assert_eq!(scores(&[], &[]).adjusted_rand, 1.0);
        assert_eq!(scores(&[0], &[0]).v_measure, 1.0);
    }

    #[test]
    fn one_cluster_for_all_is_complete_and_not_homogeneous() {
        let all = scores(&[0; 6], &[0, 0, 1, 1, 2, 2]);
        assert_eq!((all.homogeneity, all.completeness, all.adjusted_rand), (0.0, 1.0, 0.0));
        assert!((all.b3.precision - 1.0 / 3.0).abs() < 1e-12 && all.b3.recall == 1.0);
    }

    #[test]
    fn a_document_in_two_clusters_is_named() {
        let overlapping = Partition::from_clusters(4, &[vec![0, 1], vec![1, 2]]);
        assert_eq!(overlapping, Err(Overlap { document: 1 }));
        let good = Partition::from_clusters(4, &[vec![1, 3, 3]]).expect("one cluster");
        assert_eq!(good.labels(), [0, 1, 2, 1]);
        assert_eq!((good.n_pairs(), good.sizes()), (1, [1, 2, 1].as_slice()));
    }

    #[test]
    fn sizes_leave_out_documents_alone() {
        let sizes = SizeDistribution::of([1, 2, 5, 2, 1]);
        assert_eq!((sizes.n_clusters, sizes.n_clustered, sizes.largest), (3, 9, 5));
        assert_eq!(sizes.sizes, [(2, 2), (5, 1)]);
    }

    #[test]
    fn a_copy_of_something_else_is_removed_wrongly() {
        let truth = Partition::from_labels(&[0, 0, 1, 1, 2]);
        let removal = Removal::of(&[(0, vec![0, 1, 2]), (3, vec![3, 4])], &truth);
        assert_eq!((removal.n_removed, removal.n_wrongly), (3, 2));
        assert!((removal.share_removed() - 0.6).abs() < 1e-15);
        // In two clusters, one of which keeps a true mate.
        let removal = Removal::of(&[(0, vec![0, 1, 2]), (3, vec![3, 2])], &truth);
        assert_eq!((removal.n_removed, removal.n_wrongly), (2, 0));
        // Kept by one cluster, so it stays.
        let removal = Removal::of(&[(0, vec![0, 1]), (1, vec![1, 2])], &truth);
        assert_eq!((removal.n_removed, removal.n_wrongly), (1, 1));
    }

    proptest! {
        #[test]
        fn pair_counts_of_partitions_are_those_of_their_pairs(
            labels in prop::collection::vec((0u32..5, 0u32..5), 0..30),
        ) {
            let (found, reference): (Vec<u32>, Vec<u32>) = labels.iter().copied().unzip();
            let [found, reference] = [found, reference].map(|labels| Partition::from_labels(&labels));
            let n = found.n_documents() as u32;
            let pairs = |partition: &Partition| {
                let all = (0..n).flat_map(|a| (0..a).map(move |b| (a, b)));
                PairSet::new(Direction::Unordered, all.filter(|&(a, b)| partition.joins(a, b)))
            };
            let sums = ClusterSums::of(&found, &reference);
            prop_assert_eq!(sums.pairs, PairCounts::of(&pairs(&found), &pairs(&reference)));
            prop_assert_eq!(sums.n_documents, u64::from(n));
            prop_assert_eq!(Partition::from_pairs(n as usize, &pairs(&found)), found);
        }
    }
}
