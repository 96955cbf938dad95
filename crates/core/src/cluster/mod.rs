//! Groups of documents that tell the same.
//!
//! Clusters are made from verified relations. [`components`] takes everything connected, which
//! may join unlike documents through a chain; [`star`] keeps to documents that agree with each
//! other, and is the default; [`cliques`] lists every largest group in which all agree. Closed sets
//! ([`Grouping::ClosedSets`]) are not made from relations but from what the images of documents
//! have in common, by whoever has the images; [`of_sets`] makes clusters of them. Cliques and
//! closed sets overlap.

pub mod cliques;
pub mod components;
pub mod disjoint_sets;
pub mod star;

use serde::{Deserialize, Serialize};

use crate::document::Ordinal;
use crate::executor::Executor;
use crate::relation::{Kind, Scores};

/// A verified relation without its passages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The earlier document.
    pub a: Ordinal,
    /// The later document.
    pub b: Ordinal,
    /// How they relate, seen from `a`.
    pub kind: Kind,
    /// How strongly.
    pub scores: Scores,
}

/// Edges that are looked at between two looks whether clusters are still wanted: microseconds.
const EDGES_PER_LOOK: usize = 4096;

/// How clusters are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// Documents around a representative, all of which agree with each other.
    #[default]
    Star,
    /// Everything connected.
    Components,
    /// The largest groups in which everybody is related to everybody.
    Cliques,
    /// The largest groups whose images have enough units in common, all together.
    ClosedSets,
}

/// Which relations join documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Joining {
    /// Near-duplicates: each contained in the other.
    #[default]
    NearDuplicate,
    /// Containment in either direction as well.
    Containment,
}

impl Joining {
    /// Returns whether a relation of this kind joins.
    pub fn joins(self, kind: Kind) -> bool {
        match kind {
            Kind::Exact | Kind::NearDuplicate => true,
            Kind::Contains | Kind::Contained => self == Self::Containment,
            Kind::Partial => false,
        }
    }
}

/// A group of documents and the one that stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// All members, the representative among them, in order.
    pub members: Vec<Ordinal>,
    /// The member that comes first in the order of preference.
    pub representative: Ordinal,
    /// Units that the images of all members have in common, if that is what made the cluster.
    pub n_common: Option<u32>,
}

impl Cluster {
    /// Makes a cluster of at least one document, in order; the one of the smallest preference
    /// represents it.
    pub fn of(members: Vec<Ordinal>, preference: &[u32]) -> Self {
        let representative = *members
            .iter()
            .min_by_key(|doc| preference[doc.index()])
            .expect("a cluster has members");
        Self { members, representative, n_common: None }
    }
}

/// Clusters, and how often the making of them was cut short.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// The clusters.
    pub clusters: Vec<Cluster>,
    /// Documents around which not all clusters were listed.
    pub n_cut: u64,
}

/// Makes clusters of at least two documents, ordered by their first member.
///
/// `preference[ordinal]` ranks the documents: the smallest of a cluster represents it.
/// `containment` is the threshold of the relations.
///
/// `executor` only tells whether clusters are still wanted; if not, some are given, or none.
///
/// *Panics* if asked for closed sets, which relations do not tell.
pub fn cluster(
    edges: &[Edge],
    preference: &[u32],
    grouping: Grouping,
    joining: Joining,
    containment: f64,
    executor: &dyn Executor,
) -> Clusters {
    let joined =
        || -> Vec<Edge> { edges.iter().filter(|edge| joining.joins(edge.kind)).copied().collect() };
    let all = |clusters| Clusters { clusters, n_cut: 0 };
    let mut found = match grouping {
        Grouping::Components => all(components::components(&joined(), preference, executor)),
        Grouping::Star => all(star::stars(edges, joining, preference, containment, executor)),
        Grouping::Cliques => cliques::cliques(&joined(), preference, executor),
        Grouping::ClosedSets => panic!("closed sets are made from images, not from relations"),
    };
    found.clusters.sort_by_key(|cluster| cluster.members[0]);
    found
}

/// Makes clusters of sets of documents, each in order, with the number of units they have in
/// common.
pub fn of_sets(sets: Vec<(Vec<Ordinal>, u32)>, preference: &[u32]) -> Vec<Cluster> {
    let cluster = |(members, n_common)| {
        let mut cluster = Cluster::of(members, preference);
        cluster.n_common = Some(n_common);
        cluster
    };
    let mut clusters: Vec<Cluster> = sets.into_iter().map(cluster).collect();
    clusters.sort_by(|x, y| x.members.cmp(&y.members));
    clusters
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::executor::Inline;

    /// Is stopped once it was asked so many times.
    struct Patient {
        most_looks: usize,
        n_looks: AtomicUsize,
    }

    impl Executor for Patient {
        fn run(&self, n_pieces: usize, piece: &(dyn Fn(usize) + Sync)) {
            Inline.run(n_pieces, piece);
        }

        fn is_stopped(&self) -> bool {
            self.n_looks.fetch_add(1, Ordering::Relaxed) >= self.most_looks
        }
    }

    /// Relates everybody but pairs of strangers: as many cliques as there can be.
    fn bomb(n_docs: u32) -> Vec<Edge> {
        let pairs = (0..n_docs).flat_map(|a| (a + 1..n_docs).map(move |b| (a, b)));
        pairs
            .filter(|&(a, b)| a / 2 != b / 2)
            .map(|(a, b)| Edge {
                a: Ordinal(a),
                b: Ordinal(b),
                kind: Kind::NearDuplicate,
                scores: Scores::of_sets(100, 100, 70),
            })
            .collect()
    }

    #[test]
    fn a_wish_to_stop_ends_every_grouping_within_a_few_looks() {
        // Components look once in so many edges, and take no time for all of them.
        let groupings =
            [(Grouping::Star, 60), (Grouping::Components, 400), (Grouping::Cliques, 60)];
        for (grouping, n_docs) in groupings {
            let edges = bomb(n_docs);
            let preference: Vec<u32> = (0..n_docs).collect();
            let looks = |most_looks| {
                let patient = Patient { most_looks, n_looks: AtomicUsize::new(0) };
                let joining = Joining::NearDuplicate;
                let found = cluster(&edges, &preference, grouping, joining, 0.6, &patient);
                (found.clusters.len(), patient.n_looks.into_inner())
            };
            let (n_clusters, n_looks) = looks(usize::MAX);
            assert!(n_clusters > 0 && n_looks > 10, "{grouping:?} {n_looks}");
            assert_eq!(looks(0), (0, 1), "{grouping:?}");
            for most in [n_looks / 3, n_looks / 2, n_looks - 2] {
                // A search that ends leaves its open nodes, each of which may look once more.
                let most_more = n_docs as usize / 2 + 2;
                assert!(looks(most).1 <= most + most_more, "{grouping:?} {most}");
            }
        }
    }
}
