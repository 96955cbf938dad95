//! Results and truths made ready to be measured.

use retold_core::cluster::disjoint_sets::DisjointSets;

use super::{Found, FoundCluster, MOST_PAIRS, Truth};
use crate::measures::clusters::Partition;
use crate::measures::pairs::PairSet;

/// A result made ready.
pub(super) struct Ours {
    pub(super) pairs: Option<PairSet>,
    /// None if clusters overlap.
    pub(super) partition: Option<Partition>,
    /// Clusters of two or more, with the document that stays.
    pub(super) kept: Vec<(u32, Vec<u32>)>,
    /// Whether a document stands in a cluster of two or more.
    pub(super) is_clustered: Vec<bool>,
}

impl Ours {
    pub(super) fn of(
        found: &Found,
        truth: &Truth,
        n_documents: usize,
        notes: &mut Vec<String>,
    ) -> Self {
        let clusters: Vec<FoundCluster> = match (&found.clusters, &found.pairs) {
            (Some(clusters), _) => clusters.clone(),
            (None, Some(pairs)) => {
                notes.push(
                    "no clusters were given: what hangs together through pairs is taken for one"
                        .to_owned(),
                );
                members(&Partition::from_pairs(n_documents, pairs))
            }
            (None, None) => Vec::new(),
        };
        let mut kept = Vec::new();
        let mut is_clustered = vec![false; n_documents];
        for cluster in &clusters {
            let mut all = cluster.members.clone();
            all.extend(cluster.kept);
            all.sort_unstable();
            all.dedup();
            if all.len() < 2 {
                continue;
            }
            for &member in &all {
                is_clustered[member as usize] = true;
            }
            let first = cluster.members.first().copied();
            kept.push((cluster.kept.or(first).unwrap_or(all[0]), all));
        }
        let members: Vec<&Vec<u32>> = kept.iter().map(|(_, members)| members).collect();
        let partition = Partition::from_clusters(n_documents, &members);
        if partition.is_err() {
            notes.push(
                "clusters overlap: figures that need every document in one cluster are left out"
                    .to_owned(),
            );
        }
        let pairs = found.pairs.clone().or_else(|| {
            // Clusters join, they do not order: their pairs hold in both directions.
            let direction = truth.pairs.as_ref().map(PairSet::direction).unwrap_or_default();
            let pairs =
                PairSet::from_clusters(&members, MOST_PAIRS).map(|pairs| pairs.directed(direction));
            if pairs.is_err() {
                notes.push("the clusters stand for too many pairs to compare".to_owned());
            }
            pairs.ok()
        });
        Self { pairs, partition: partition.ok(), kept, is_clustered }
    }
}

/// Returns the clusters of two or more of a partition.
pub(super) fn members(partition: &Partition) -> Vec<FoundCluster> {
    let mut clusters = vec![FoundCluster::default(); partition.sizes().len()];
    for (document, &label) in partition.labels().iter().enumerate() {
        if partition.sizes()[label as usize] > 1 {
            clusters[label as usize].members.push(document as u32);
        }
    }
    clusters.retain(|cluster| !cluster.members.is_empty());
    clusters
}

/// Returns which documents belong together. Overlapping true clusters are joined.
pub(super) fn truth_partition(
    truth: &Truth,
    n_documents: usize,
    notes: &mut Vec<String>,
) -> Partition {
    let Some(clusters) = &truth.clusters else {
        let none = PairSet::default();
        return Partition::from_pairs(n_documents, truth.pairs.as_ref().unwrap_or(&none));
    };
    Partition::from_clusters(n_documents, clusters).unwrap_or_else(|_| {
        notes.push("true clusters overlap and are joined where one is needed".to_owned());
        let mut union = DisjointSets::new(n_documents);
        for cluster in clusters {
            cluster.windows(2).for_each(|pair| union.join(pair[0], pair[1]));
        }
        Partition::from_labels(&union.labels())
    })
}
