//! Groups of documents that tell the same.
//!
//! Clusters are made from verified relations. [`components`] takes everything connected, which
//! may join unlike documents through a chain; [`star`] keeps to documents that agree with each
//! other, and is the default.

pub mod components;
pub mod star;

use serde::{Deserialize, Serialize};

use crate::document::Ordinal;
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

/// How clusters are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// Documents around a representative, all of which agree with each other.
    #[default]
    Star,
    /// Everything connected.
    Components,
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
}

/// Makes clusters of at least two documents, ordered by their first member.
///
/// `preference[ordinal]` ranks the documents: the smallest of a cluster represents it.
/// `containment` is the threshold of the relations.
pub fn cluster(
    edges: &[Edge],
    preference: &[u32],
    grouping: Grouping,
    joining: Joining,
    containment: f64,
) -> Vec<Cluster> {
    let joined: Vec<Edge> = edges.iter().filter(|edge| joining.joins(edge.kind)).copied().collect();
    let mut clusters = match grouping {
        Grouping::Components => components::components(&joined, preference),
        Grouping::Star => star::stars(&joined, preference, containment),
    };
    clusters.sort_by_key(|cluster| cluster.members[0]);
    clusters
}
