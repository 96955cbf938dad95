//! Stars: documents around a representative, all of which agree with each other.
//!
//! Documents take their turn in the order of preference. One that is free becomes a centre; its
//! free neighbours join, most alike first, if they agree with every member so far. Agreement is
//! a verified relation, or follows from the centre: 1 - resemblance is a distance, so two
//! documents that each resemble the centre by at least 1 - (1 - t) / 2 resemble each other by at
//! least t. Chains of unlike documents cannot form.

use super::{Cluster, EDGES_PER_LOOK, Edge, Joining};
use crate::document::Ordinal;
use crate::executor::Executor;

/// Returns the stars of at least two documents.
pub(super) fn stars(
    edges: &[Edge],
    joining: Joining,
    preference: &[u32],
    containment: f64,
    executor: &dyn Executor,
) -> Vec<Cluster> {
    let near = 1.0 - (1.0 - containment) / 2.0;
    let Some(neighbours) = Neighbours::new(edges, joining, preference.len(), executor) else {
        return Vec::new();
    };
    let mut turns: Vec<u32> =
        (0..preference.len() as u32).filter(|&doc| neighbours.has_any(doc)).collect();
    turns.sort_unstable_by_key(|&doc| preference[doc as usize]);
    let mut is_taken = vec![false; preference.len()];
    let mut clusters = Vec::new();
    for centre in turns {
        if is_taken[centre as usize] {
            continue;
        }
        let mut free: Vec<(u32, f64)> =
            neighbours.of(centre).filter(|(doc, _)| !is_taken[*doc as usize]).collect();
        free.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
        let mut members = vec![centre];
        for (doc, resemblance) in free {
            if executor.is_stopped() {
                return clusters;
            }
            if resemblance >= near
                || members.iter().all(|&member| neighbours.are_related(doc, member))
            {
                members.push(doc);
            }
        }
        if members.len() > 1 {
            for &member in &members {
                is_taken[member as usize] = true;
            }
            members.sort_unstable();
            let members = members.into_iter().map(Ordinal).collect();
            clusters.push(Cluster { members, representative: Ordinal(centre), n_common: None });
        }
    }
    clusters
}

/// Related documents of each document, sorted: as places of relations, which take less than the
/// documents with their resemblance.
struct Neighbours<'a> {
    edges: &'a [Edge],
    starts: Vec<usize>,
    list: Vec<u32>,
}

impl<'a> Neighbours<'a> {
    /// Returns `None` if they are no longer wanted.
    fn new(
        edges: &'a [Edge],
        joining: Joining,
        n_docs: usize,
        executor: &dyn Executor,
    ) -> Option<Self> {
        let mut starts = vec![0; n_docs + 1];
        for some in edges.chunks(EDGES_PER_LOOK) {
            if executor.is_stopped() {
                return None;
            }
            for edge in some.iter().filter(|edge| joining.joins(edge.kind)) {
                starts[edge.a.index() + 1] += 1;
                starts[edge.b.index() + 1] += 1;
            }
        }
        for i in 0..n_docs {
            starts[i + 1] += starts[i];
        }
        let mut list = vec![0; starts[n_docs]];
        let mut next = starts.clone();
        for (at, edge) in (0..).zip(edges).filter(|(_, edge)| joining.joins(edge.kind)) {
            for doc in [edge.a, edge.b] {
                list[next[doc.index()]] = at;
                next[doc.index()] += 1;
            }
        }
        for doc in 0..n_docs as u32 {
            if executor.is_stopped() {
                return None;
            }
            let of_doc = &mut list[starts[doc as usize]..starts[doc as usize + 1]];
            of_doc.sort_unstable_by_key(|&at| other(&edges[at as usize], doc));
        }
        Some(Self { edges, starts, list })
    }

    fn places(&self, doc: u32) -> &[u32] {
        &self.list[self.starts[doc as usize]..self.starts[doc as usize + 1]]
    }

    fn has_any(&self, doc: u32) -> bool {
        !self.places(doc).is_empty()
    }

    /// Returns the related documents, and how much they resemble this one.
    fn of(&self, doc: u32) -> impl Iterator<Item = (u32, f64)> {
        let edges = self.places(doc).iter().map(|&at| &self.edges[at as usize]);
        edges.map(move |edge| (other(edge, doc), edge.scores.resemblance.get()))
    }

    fn are_related(&self, one: u32, two: u32) -> bool {
        let at_other = |&at: &u32| other(&self.edges[at as usize], one);
        self.places(one).binary_search_by_key(&two, at_other).is_ok()
    }
}

/// Returns the other document of a relation.
fn other(edge: &Edge, doc: u32) -> u32 {
    if edge.a.0 == doc { edge.b.0 } else { edge.a.0 }
}

#[cfg(test)]
mod tests {
    use super::super::{Grouping, cluster};
    use super::*;
    use crate::executor::Inline;
    use crate::relation::{Kind, Scores};

    fn edge(a: u32, b: u32, n_common: usize) -> Edge {
        Edge {
            a: Ordinal(a),
            b: Ordinal(b),
            kind: Kind::NearDuplicate,
            scores: Scores::of_sets(100, 100, n_common),
        }
    }

    fn members(edges: &[Edge], n: u32, grouping: Grouping) -> Vec<Vec<u32>> {
        let preference: Vec<u32> = (0..n).collect();
        cluster(edges, &preference, grouping, Joining::NearDuplicate, 0.6, &Inline)
            .clusters
            .into_iter()
            .map(|cluster| cluster.members.into_iter().map(|doc| doc.0).collect())
            .collect()
    }

    #[test]
    fn a_chain_is_one_component_but_no_star() {
        let chain = [edge(0, 1, 65), edge(1, 2, 65), edge(2, 3, 65)];
        assert_eq!(members(&chain, 4, Grouping::Components), [vec![0, 1, 2, 3]]);
        assert_eq!(members(&chain, 4, Grouping::Star), [vec![0, 1], vec![2, 3]]);
    }

    #[test]
    fn documents_near_the_centre_need_not_be_compared_with_each_other() {
        let alike = [edge(0, 1, 95), edge(0, 2, 95)];
        assert_eq!(members(&alike, 3, Grouping::Star), [vec![0, 1, 2]]);
    }

    #[test]
    fn the_preferred_document_represents_its_cluster() {
        let edges = [edge(0, 1, 95), edge(0, 2, 95), edge(1, 2, 95)];
        for grouping in [Grouping::Star, Grouping::Components] {
            let found = cluster(&edges, &[2, 1, 0], grouping, Joining::NearDuplicate, 0.6, &Inline);
            assert_eq!(found.clusters[0].representative, Ordinal(2));
        }
    }

    #[test]
    fn containment_joins_only_on_request() {
        let mut inside = edge(0, 1, 60);
        inside.kind = Kind::Contains;
        let make = |joining| {
            cluster(&[inside], &[0, 1], Grouping::Star, joining, 0.6, &Inline).clusters.len()
        };
        assert_eq!(make(Joining::NearDuplicate), 0);
        assert_eq!(make(Joining::Containment), 1);
    }
}
