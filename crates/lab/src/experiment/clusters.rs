//! The clusters of two methods on one set, side by side.

use std::collections::BTreeMap;

use retold::Document;
use serde::{Deserialize, Serialize};

use super::examples::FoundBy;
use super::findings::{Column, Side, Table};
use crate::measures::clusters::Partition;
use crate::measures::pairs::{Direction, PairSet};

/// Groups of documents that are shown.
const MOST_GROUPS: usize = 15;

/// Names of documents that are shown of a cluster.
const MOST_NAMES: usize = 6;

/// The clusters of two methods on one set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClustersBeside {
    /// The methods.
    pub methods: [String; 2],
    /// Groups of documents that hang together through either method.
    pub n_groups: usize,
    /// Groups in which the methods have different clusters.
    pub n_differ: usize,
    /// Some of the groups: those that differ first, larger ones first.
    pub groups: Vec<GroupBeside>,
}

/// Documents that hang together through either of two methods.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupBeside {
    /// How many they are.
    pub n_documents: usize,
    /// The clusters that each method makes of them, by the names of documents; empty for none.
    pub clusters: [String; 2],
}

impl ClustersBeside {
    /// Returns them as a table.
    pub(super) fn table(&self) -> Table {
        let name = |title: &str| Column { title: title.to_owned(), side: Side::Name };
        let row = |group: &GroupBeside| {
            let [first, second] = group.clusters.clone();
            vec![group.n_documents.to_string(), first, second]
        };
        Table {
            title: format!(
                "Clusters of the first set: {} of {} groups differ, those first",
                self.n_differ, self.n_groups
            ),
            place: String::new(),
            columns: vec![name("documents"), name(&self.methods[0]), name(&self.methods[1])],
            rows: self.groups.iter().map(row).collect(),
        }
    }
}

/// Sets the clusters of two methods side by side.
pub(super) fn clusters_beside(documents: &[Document], found: &[FoundBy<'_>; 2]) -> ClustersBeside {
    let n = documents.len();
    let all = found.iter().flat_map(|by| by.pairs).copied();
    let both = clusters_of(n, all);
    let apart = [0, 1].map(|which| clusters_of(n, found[which].pairs.iter().copied()));
    let mut groups: Vec<(usize, [Vec<&Vec<u32>>; 2])> = both
        .iter()
        .map(|members| {
            let of = |which: usize| {
                let is_here = |cluster: &&Vec<u32>| members.contains(&cluster[0]);
                apart[which].iter().filter(is_here).collect::<Vec<_>>()
            };
            (members.len(), [of(0), of(1)])
        })
        .collect();
    let differs = |clusters: &[Vec<&Vec<u32>>; 2]| clusters[0] != clusters[1];
    groups.sort_by_key(|(n, clusters)| (!differs(clusters), usize::MAX - n));
    let shown = groups.iter().take(MOST_GROUPS).map(|(n_documents, clusters)| GroupBeside {
        n_documents: *n_documents,
        clusters: [0, 1].map(|which| told(&clusters[which], documents)),
    });
    ClustersBeside {
        methods: [0, 1].map(|which| found[which].label.to_owned()),
        n_groups: groups.len(),
        n_differ: groups.iter().filter(|(_, clusters)| differs(clusters)).count(),
        groups: shown.collect(),
    }
}

/// Returns the clusters that pairs make, of two documents and more.
fn clusters_of(n_documents: usize, pairs: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let pairs = PairSet::new(Direction::Unordered, pairs);
    let partition = Partition::from_pairs(n_documents, &pairs);
    let mut clusters: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (document, &label) in (0..).zip(partition.labels()) {
        clusters.entry(label).or_default().push(document);
    }
    clusters.into_values().filter(|members| members.len() > 1).collect()
}

/// Writes clusters by the names of their documents.
fn told(clusters: &[&Vec<u32>], documents: &[Document]) -> String {
    let cluster = |members: &&Vec<u32>| {
        let name = |&place: &u32| documents[place as usize].id.as_str();
        let text = members.iter().take(MOST_NAMES).map(name).collect::<Vec<_>>().join(" ");
        match members.len().saturating_sub(MOST_NAMES) {
            0 => format!("({text})"),
            n_more => format!("({text} and {n_more} more)"),
        }
    };
    clusters.iter().map(cluster).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_that_differ_come_first() {
        let documents: Vec<Document> =
            ["a", "b", "c", "d", "e", "f", "g", "h"].map(|id| Document::plain(id, "text")).into();
        let first = FoundBy { label: "A", pairs: &[(5, 6), (0, 1), (1, 2)] };
        let second = FoundBy { label: "B", pairs: &[(5, 6), (2, 3)] };
        let beside = clusters_beside(&documents, &[first, second]);
        assert_eq!((beside.n_groups, beside.n_differ), (2, 1));
        assert_eq!(beside.table().rows, [["4", "(a b c)", "(c d)"], ["2", "(f g)", "(f g)"]]);
        assert_eq!(told(&[&(0..8).collect()], &documents), "(a b c d e f and 2 more)");
    }
}
