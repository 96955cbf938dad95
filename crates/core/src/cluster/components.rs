//! Connected components: whatever hangs together through relations.

use super::disjoint_sets::DisjointSets;
use super::{Cluster, EDGES_PER_LOOK, Edge};
use crate::document::Ordinal;
use crate::executor::Executor;

/// Returns the components of at least two documents.
pub(super) fn components(
    edges: &[Edge],
    preference: &[u32],
    executor: &dyn Executor,
) -> Vec<Cluster> {
    let mut sets = DisjointSets::new(preference.len());
    for some in edges.chunks(EDGES_PER_LOOK) {
        if executor.is_stopped() {
            return Vec::new();
        }
        for edge in some {
            sets.join(edge.a.0, edge.b.0);
        }
    }
    let mut of_root: Vec<(u32, u32)> =
        (0..preference.len() as u32).map(|doc| (sets.root(doc), doc)).collect();
    of_root.sort_unstable();
    of_root
        .chunk_by(|x, y| x.0 == y.0)
        .filter(|members| members.len() > 1)
        .map(|members| {
            let members = members.iter().map(|&(_, doc)| Ordinal(doc)).collect();
            Cluster::of(members, preference)
        })
        .collect()
}
