//! Maximal cliques: groups in which every document is related to every other, as large as they
//! can be. They overlap.
//!
//! The search of Bron and Kerbosch with pivots (Tomita, Tanaka, Takahashi 2006), from each
//! document over the later ones of its order, fewest neighbours first. A graph may have
//! exponentially many maximal cliques; beyond 1,000 cliques from one document, or
//! 100,000 steps of work, one clique is grown for each pair that no clique holds yet, so that
//! every relation still stands in one. This is counted.

use std::collections::BTreeSet;

use super::{Cluster, Clusters, EDGES_PER_LOOK, Edge};
use crate::document::Ordinal;
use crate::executor::Executor;

/// Cliques listed that start with one document.
const MOST_CLIQUES: usize = 1_000;
/// Steps of the search from one document.
const MOST_STEPS: u64 = 100_000;

/// Returns the maximal cliques of at least two documents.
pub(super) fn cliques(edges: &[Edge], preference: &[u32], executor: &dyn Executor) -> Clusters {
    let Some(graph) = Graph::new(edges, preference.len(), executor) else {
        return Clusters::default();
    };
    let mut order: Vec<u32> =
        (0..preference.len() as u32).filter(|&d| !graph.of(d).is_empty()).collect();
    order.sort_by_key(|&doc| (graph.of(doc).len(), doc));
    let mut rank = vec![u32::MAX; preference.len()];
    for (place, &doc) in order.iter().enumerate() {
        rank[doc as usize] = place as u32;
    }
    let mut found: BTreeSet<Vec<u32>> = BTreeSet::new();
    let mut n_cut = 0;
    for &doc in &order {
        if executor.is_stopped() {
            return Clusters::default();
        }
        let is_later = |other: &u32| rank[*other as usize] > rank[doc as usize];
        let (later, earlier): (Vec<u32>, Vec<u32>) =
            graph.of(doc).iter().partition(|o| is_later(o));
        let mut search = Search { graph: &graph, executor, found: Vec::new(), n_steps: 0 };
        let is_whole = search.go(&mut vec![doc], later.clone(), earlier);
        found.extend(search.found);
        n_cut += u64::from(!is_whole);
    }
    if n_cut > 0 {
        graph.cover(&mut found, executor);
    }
    let clusters = found.into_iter().map(|set| {
        let members = set.into_iter().map(Ordinal).collect();
        Cluster::of(members, preference)
    });
    Clusters { clusters: clusters.collect(), n_cut }
}

/// Related documents of each document, ascending.
struct Graph {
    starts: Vec<usize>,
    list: Vec<u32>,
}

impl Graph {
    /// Returns `None` if it is no longer wanted.
    fn new(edges: &[Edge], n_docs: usize, executor: &dyn Executor) -> Option<Self> {
        let mut ends = vec![0; n_docs + 1];
        for some in edges.chunks(EDGES_PER_LOOK) {
            if executor.is_stopped() {
                return None;
            }
            for doc in some.iter().flat_map(|edge| [edge.a, edge.b]) {
                ends[doc.index() + 1] += 1;
            }
        }
        for i in 0..n_docs {
            ends[i + 1] += ends[i];
        }
        // Filled from behind, so that each end becomes a start.
        let mut list = vec![0; 2 * edges.len()];
        for some in edges.chunks(EDGES_PER_LOOK) {
            if executor.is_stopped() {
                return None;
            }
            for (from, to) in some.iter().flat_map(|edge| [(edge.a, edge.b), (edge.b, edge.a)]) {
                ends[from.index() + 1] -= 1;
                list[ends[from.index() + 1]] = to.0;
            }
        }
        let mut graph = Self { starts: vec![0], list: Vec::with_capacity(list.len()) };
        for doc in 0..n_docs {
            if executor.is_stopped() {
                return None;
            }
            let end = ends.get(doc + 2).copied().unwrap_or(list.len());
            let related = &mut list[ends[doc + 1]..end];
            related.sort_unstable();
            graph.list.extend(related.chunk_by(|x, y| x == y).map(|same| same[0]));
            graph.starts.push(graph.list.len());
        }
        Some(graph)
    }

    fn of(&self, doc: u32) -> &[u32] {
        &self.list[self.starts[doc as usize]..self.starts[doc as usize + 1]]
    }

    fn are_related(&self, a: u32, b: u32) -> bool {
        self.of(a).binary_search(&b).is_ok()
    }

    /// Returns the neighbours of `doc` among some documents, in their order.
    fn among(&self, doc: u32, some: &[u32]) -> Vec<u32> {
        some.iter().copied().filter(|&other| self.are_related(doc, other)).collect()
    }

    /// Adds a clique for each related pair that none of `found` holds.
    fn cover(&self, found: &mut BTreeSet<Vec<u32>>, executor: &dyn Executor) {
        let n_docs = self.starts.len() - 1;
        let mut sets: Vec<Vec<u32>> = found.iter().cloned().collect();
        let mut with: Vec<Vec<usize>> = vec![Vec::new(); n_docs];
        for (number, set) in sets.iter().enumerate() {
            for &doc in set {
                with[doc as usize].push(number);
            }
        }
        for a in 0..n_docs as u32 {
            for &b in self.of(a).iter().filter(|&&b| b > a) {
                if executor.is_stopped() {
                    return;
                }
                let mut of_a = with[a as usize].iter();
                if of_a.any(|number| with[b as usize].binary_search(number).is_ok()) {
                    continue;
                }
                let grown = self.grown(a, b);
                for &doc in &grown {
                    with[doc as usize].push(sets.len());
                }
                sets.push(grown);
            }
        }
        found.extend(sets);
    }

    /// Returns a maximal clique with two related documents.
    fn grown(&self, a: u32, b: u32) -> Vec<u32> {
        let mut clique = vec![a, b];
        for other in self.among(b, self.of(a)) {
            if clique.iter().all(|&member| self.are_related(member, other)) {
                clique.push(other);
            }
        }
        clique.sort_unstable();
        clique
    }
}

struct Search<'a> {
    graph: &'a Graph,
    executor: &'a dyn Executor,
    found: Vec<Vec<u32>>,
    n_steps: u64,
}

impl Search<'_> {
    /// Lists the maximal cliques made of `clique` and some of `takers`, none of which `blockers`
    /// could join; returns whether all were listed.
    ///
    /// The recursion is as deep as documents are taken one by one, at most [`MOST_STEPS`] in all;
    /// a group in which all are related is taken at once.
    fn go(&mut self, clique: &mut Vec<u32>, mut takers: Vec<u32>, mut blockers: Vec<u32>) -> bool {
        self.n_steps += 1 + takers.len() as u64 / 64;
        if self.n_steps > MOST_STEPS || self.found.len() >= MOST_CLIQUES {
            return false;
        }
        let is_stopped = || self.executor.is_stopped();
        let n_related =
            |doc: u32| takers.iter().filter(|&&taker| self.graph.are_related(doc, taker)).count();
        // Whatever is taken, this blocker could join: nothing here is maximal.
        for &doc in &blockers {
            if is_stopped() {
                return false;
            }
            if n_related(doc) == takers.len() {
                return true;
            }
        }
        let mut counts: Vec<usize> = Vec::with_capacity(takers.len());
        for &doc in &takers {
            if is_stopped() {
                return false;
            }
            counts.push(n_related(doc));
        }
        if counts.iter().all(|&count| count + 1 == takers.len()) {
            let mut set = [clique.as_slice(), &takers].concat();
            set.sort_unstable();
            self.found.push(set);
            return true;
        }
        let most = counts.iter().zip(&takers).max_by_key(|&(&count, &doc)| (count, u32::MAX - doc));
        let pivot = *most.expect("no takers are all related to each other").1;
        let open: Vec<u32> =
            takers.iter().copied().filter(|&doc| !self.graph.are_related(pivot, doc)).collect();
        for doc in open {
            clique.push(doc);
            let (inside, outside) =
                (self.graph.among(doc, &takers), self.graph.among(doc, &blockers));
            let is_whole = self.go(clique, inside, outside);
            clique.pop();
            if !is_whole {
                return false;
            }
            takers.retain(|&other| other != doc);
            blockers.push(doc);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Inline;
    use crate::hash::Random;
    use crate::relation::{Kind, Scores};

    fn edges(pairs: &[(u32, u32)]) -> Vec<Edge> {
        let edge = |&(a, b): &(u32, u32)| Edge {
            a: Ordinal(a),
            b: Ordinal(b),
            kind: Kind::NearDuplicate,
            scores: Scores::EQUAL,
        };
        pairs.iter().map(edge).collect()
    }

    fn sets(found: &Clusters) -> Vec<Vec<u32>> {
        found.clusters.iter().map(|c| c.members.iter().map(|m| m.0).collect()).collect()
    }

    #[test]
    fn a_chain_is_its_pairs_and_a_triangle_one_clique() {
        let found = cliques(&edges(&[(0, 1), (1, 2), (2, 3), (3, 4), (2, 4)]), &[0; 5], &Inline);
        assert_eq!(sets(&found), [vec![0, 1], vec![1, 2], vec![2, 3, 4]]);
        assert_eq!(found.n_cut, 0);
    }

    #[test]
    fn cliques_are_those_of_the_definition() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let n = 2 + random.below(9) as u32;
            let all: Vec<(u32, u32)> =
                (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
            let pairs: Vec<(u32, u32)> =
                all.into_iter().filter(|_| random.below(10) < 1 + seed as usize % 9).collect();
            let related = |a: u32, b: u32| pairs.contains(&(a.min(b), a.max(b)));
            let is_clique = |set: u32| {
                let docs: Vec<u32> = (0..n).filter(|doc| set >> doc & 1 == 1).collect();
                docs.iter().all(|&a| docs.iter().all(|&b| a == b || related(a, b)))
            };
            let mut wanted: Vec<Vec<u32>> = (1..1u32 << n)
                .filter(|set| set.count_ones() > 1 && is_clique(*set))
                .filter(|set| (0..n).all(|doc| set >> doc & 1 == 1 || !is_clique(set | 1 << doc)))
                .map(|set| (0..n).filter(|doc| set >> doc & 1 == 1).collect())
                .collect();
            wanted.sort();
            assert_eq!(
                sets(&cliques(&edges(&pairs), &vec![0; n as usize], &Inline)),
                wanted,
                "{seed}"
            );
        }
    }

    #[test]
    fn too_many_cliques_still_hold_every_pair() {
        // Thirty pairs of strangers, everybody else related: 2^30 maximal cliques.
        let n = 60;
        let pairs: Vec<(u32, u32)> = (0..n)
            .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
            .filter(|&(a, b)| a / 2 != b / 2)
            .collect();
        let found = cliques(&edges(&pairs), &vec![0; n as usize], &Inline);
        assert!(found.n_cut > 0);
        let sets = sets(&found);
        for (a, b) in pairs {
            assert!(sets.iter().any(|set| set.contains(&a) && set.contains(&b)), "{a} {b}");
        }
        assert!(sets.iter().all(|set| set.len() == 30));
    }
}
