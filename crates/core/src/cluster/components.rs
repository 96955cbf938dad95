//! Connected components: whatever hangs together through relations.

use super::{Cluster, EDGES_PER_LOOK, Edge};
use crate::document::Ordinal;
use crate::executor::Executor;

/// Returns the components of at least two documents.
pub(super) fn components(
    edges: &[Edge],
    preference: &[u32],
    executor: &dyn Executor,
) -> Vec<Cluster> {
    let mut parent: Vec<u32> = (0..preference.len() as u32).collect();
    for some in edges.chunks(EDGES_PER_LOOK) {
        if executor.is_stopped() {
            return Vec::new();
        }
        for edge in some {
            let (a, b) = (root(&mut parent, edge.a.0), root(&mut parent, edge.b.0));
            // The smaller number becomes the root: no ranks needed, paths are halved on the way.
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut of_root: Vec<(u32, u32)> =
        (0..preference.len() as u32).map(|doc| (root(&mut parent, doc), doc)).collect();
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

fn root(parent: &mut [u32], mut doc: u32) -> u32 {
    while parent[doc as usize] != doc {
        let above = parent[parent[doc as usize] as usize];
        parent[doc as usize] = above;
        doc = above;
    }
    doc
}
