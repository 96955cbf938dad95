//! A group of documents that hang together through relations: what clusters are made of.
//!
//! Clusters, and what `dedup` decides, depend on the relations of one group alone, so that no more
//! than one is held at a time.

use std::iter::Peekable;

use retold_core::candidates::Judgement;
use retold_core::cluster::{Cluster, Edge};
use retold_core::document::Ordinal;
use retold_core::relation::Kind;
use retold_core::scratch::Record;

use super::budget::Budget;
use super::collection::Collection;
use super::linked::Reading;
use super::proposals::Said;
use super::shared::Shared;
use crate::error::Error;

/// What a relation takes while its group is clustered: itself, and its places in the lists of its
/// documents.
const BYTES_PER_RELATION: usize = size_of::<Edge>() + 8;

/// What is kept of a verified relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Related {
    said: Said,
    /// Whether the pair was not written, because of the limit per document.
    is_dropped: bool,
}

impl Related {
    pub(crate) fn new(judgement: Judgement, is_dropped: bool) -> Self {
        Self { said: Said::new(judgement), is_dropped }
    }
}

impl Record for Related {
    const BYTES: usize = Said::BYTES + 1;

    fn put(&self, out: &mut Vec<u8>) {
        self.said.put(out);
        out.push(u8::from(self.is_dropped));
    }

    fn get(bytes: &[u8]) -> Self {
        Self { said: Said::get(&bytes[..Said::BYTES]), is_dropped: bytes[Said::BYTES] == 1 }
    }
}

/// A cluster of documents, copies included.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grouped {
    pub(crate) members: Vec<Ordinal>,
    pub(crate) representative: Ordinal,
    pub(crate) cohesion: f64,
    pub(crate) kind_counts: [u64; 5],
    /// Pairs that were not compared, but follow from how near both are to the representative.
    pub(crate) n_derived: u64,
    /// Units that all images have in common, if that made the cluster.
    pub(crate) n_common: Option<u32>,
    /// The text that all members have, if it was looked for and there is any.
    pub(crate) shared: Option<Shared>,
}

impl Grouped {
    /// Makes a cluster of the documents with the words of `first`.
    pub(crate) fn of_copies(first: Ordinal, collection: &Collection, preference: &[u32]) -> Self {
        Self::of(&[first], None, [0; 5], collection, preference)
    }

    /// Makes a cluster of firsts, whose relations were counted, and their copies.
    fn of(
        firsts: &[Ordinal],
        n_common: Option<u32>,
        mut kind_counts: [u64; 5],
        collection: &Collection,
        preference: &[u32],
    ) -> Self {
        let mut members = Vec::new();
        for &first in firsts {
            let group = collection.group(first);
            let n = group.len() as u64;
            kind_counts[Kind::Exact as usize] += n * (n - 1) / 2;
            members.extend(group);
        }
        members.sort_unstable();
        let representative = *members
            .iter()
            .min_by_key(|doc| preference[doc.index()])
            .expect("a cluster has members");
        let n = members.len() as u64;
        let n_related: u64 = kind_counts.iter().sum();
        let cohesion = n_related as f64 / (n * (n - 1) / 2) as f64;
        let n_derived = 0;
        Self { members, representative, cohesion, kind_counts, n_derived, n_common, shared: None }
    }
}

/// Documents that hang together, and their relations.
pub(crate) struct Group {
    /// All of them first of their words, ascending.
    pub(crate) firsts: Vec<Ordinal>,
    /// Relations by their documents, which are numbered by their places in `firsts`.
    pub(crate) edges: Vec<Edge>,
    /// Places of relations that were not written, ascending, and whether they have been since.
    dropped: Vec<(u32, bool)>,
}

impl Group {
    /// Reads the next group; `None` if there is no more.
    ///
    /// *Errors* if it does not fit the budget.
    pub(crate) fn next(
        relations: &mut Peekable<Reading<'_, Related>>,
        budget: &Budget,
    ) -> Result<Option<Self>, Error> {
        let mut edges = Vec::new();
        let mut dropped = Vec::new();
        let mut group = None;
        let mut n = 0;
        while let Some(relation) = relations.next_if(|next| match (next, group) {
            (Ok(next), Some(group)) => next.group == group,
            _ => true,
        }) {
            let relation = relation?;
            group = Some(relation.group);
            n += 1;
            if budget.check_relations(n, BYTES_PER_RELATION).is_err() {
                // The rest is counted to name the budget that would do.
                edges = Vec::new();
                continue;
            }
            if relation.said.is_dropped {
                dropped.push((edges.len() as u32, false));
            }
            let Judgement { kind, scores } = relation.said.said.judgement();
            edges.push(Edge { a: relation.one, b: relation.other, kind, scores });
        }
        budget.check_relations(n, BYTES_PER_RELATION)?;
        Ok(group.map(|_| Self::new(edges, dropped, [])))
    }

    /// Makes a group of relations, sorted by their documents.
    pub(crate) fn of_related(relations: &[((Ordinal, Ordinal), Related)]) -> Self {
        let mut dropped = Vec::new();
        let mut edges = Vec::with_capacity(relations.len());
        for &((a, b), related) in relations {
            if related.is_dropped {
                dropped.push((edges.len() as u32, false));
            }
            let Judgement { kind, scores } = related.said.judgement();
            edges.push(Edge { a, b, kind, scores });
        }
        Self::new(edges, dropped, [])
    }

    /// Makes a group of relations, sorted by their documents, and of further documents.
    pub(crate) fn new(
        mut edges: Vec<Edge>,
        dropped: Vec<(u32, bool)>,
        more: impl IntoIterator<Item = Ordinal>,
    ) -> Self {
        let mut firsts: Vec<Ordinal> = more.into_iter().collect();
        firsts.reserve_exact(2 * edges.len());
        firsts.extend(edges.iter().flat_map(|edge| [edge.a, edge.b]));
        firsts.sort_unstable();
        firsts.dedup();
        firsts.shrink_to_fit();
        let place = |doc: Ordinal| Ordinal(firsts.partition_point(|&first| first < doc) as u32);
        for edge in &mut edges {
            (edge.a, edge.b) = (place(edge.a), place(edge.b));
        }
        Self { firsts, edges, dropped }
    }

    /// Adds documents.
    #[must_use]
    pub(crate) fn with(self, more: impl IntoIterator<Item = Ordinal>) -> Self {
        let Self { firsts, mut edges, dropped } = self;
        for edge in &mut edges {
            (edge.a, edge.b) = (firsts[edge.a.index()], firsts[edge.b.index()]);
        }
        Self::new(edges, dropped, more)
    }

    /// Returns the place of a document, if it is in the group.
    pub(crate) fn place(&self, first: Ordinal) -> Option<Ordinal> {
        self.firsts.binary_search(&first).ok().map(|place| Ordinal(place as u32))
    }

    /// Ranks the documents; a first is as good as the best of its copies.
    pub(crate) fn best(&self, collection: &Collection, preference: &[u32]) -> Vec<u32> {
        let rank = |doc: Ordinal| preference[doc.index()];
        let best = |&first: &Ordinal| {
            if collection.has_copies(first) {
                collection.group(first).into_iter().map(rank).min().unwrap_or_else(|| rank(first))
            } else {
                rank(first)
            }
        };
        self.firsts.iter().map(best).collect()
    }

    /// Brings copies into clusters of this group, whose documents are places, and counts relations.
    pub(crate) fn grouped(
        &self,
        clusters: &[Cluster],
        collection: &Collection,
        preference: &[u32],
        near: Option<f64>,
    ) -> Vec<Grouped> {
        // A document may be in several; their numbers ascend.
        let mut clusters_of: Vec<(Ordinal, u32)> = Vec::new();
        for (number, cluster) in (0..).zip(clusters) {
            clusters_of.extend(cluster.members.iter().map(|&member| (member, number)));
        }
        clusters_of.sort_unstable();
        let of = |doc: Ordinal| {
            let from = clusters_of.partition_point(|entry| entry.0 < doc);
            let n = clusters_of[from..].partition_point(|entry| entry.0 == doc);
            &clusters_of[from..from + n]
        };
        let mut kinds = vec![[0u64; 5]; clusters.len()];
        for edge in self.edges.iter().filter(|edge| edge.kind != Kind::Partial) {
            let of_b = of(edge.b);
            for (_, x) in of(edge.a) {
                if of_b.binary_search_by_key(x, |entry| entry.1).is_ok() {
                    let n =
                        |place: Ordinal| collection.group_len(self.firsts[place.index()]) as u64;
                    kinds[*x as usize][edge.kind as usize] += n(edge.a) * n(edge.b);
                }
            }
        }
        let grouped = clusters.iter().zip(kinds).map(|(cluster, kinds)| {
            let firsts: Vec<Ordinal> =
                cluster.members.iter().map(|member| self.firsts[member.index()]).collect();
            let n_derived = near.map_or(0, |near| self.n_derived(cluster, near, collection));
            let grouped = Grouped::of(&firsts, cluster.n_common, kinds, collection, preference);
            Grouped { n_derived, ..grouped }
        });
        let mut grouped: Vec<Grouped> = grouped.collect();
        grouped.sort_by(|x, y| x.members.cmp(&y.members));
        grouped
    }

    /// Counts the pairs of a star that were not compared, but whose documents are both so near the
    /// centre that they are related: 1 - resemblance is a distance.
    fn n_derived(&self, cluster: &Cluster, near: f64, collection: &Collection) -> u64 {
        let n = |place: Ordinal| collection.group_len(self.firsts[place.index()]) as u64;
        let centre = cluster.representative;
        let mut is_near: Vec<Ordinal> = Vec::new();
        for &member in cluster.members.iter().filter(|&&member| member != centre) {
            let pair = (member.min(centre), member.max(centre));
            let at = self.edges.binary_search_by_key(&pair, |edge| (edge.a, edge.b));
            if at.is_ok_and(|at| self.edges[at].scores.resemblance.get() >= near) {
                is_near.push(member);
            }
        }
        let sum: u64 = is_near.iter().map(|&place| n(place)).sum();
        let squares: u64 = is_near.iter().map(|&place| n(place) * n(place)).sum();
        let of_near = |place: Ordinal| is_near.binary_search(&place).is_ok();
        let first = self.edges.partition_point(|edge| Some(&edge.a) < is_near.first());
        let compared =
            self.edges[first..].iter().take_while(|edge| Some(&edge.a) <= is_near.last());
        let n_compared: u64 = compared
            .filter(|edge| edge.kind != Kind::Partial && of_near(edge.a) && of_near(edge.b))
            .map(|edge| n(edge.a) * n(edge.b))
            .sum();
        (sum * sum - squares) / 2 - n_compared
    }

    /// Returns the place of the relation of two firsts, if there is one.
    fn edge_of(&self, x: Ordinal, y: Ordinal) -> Option<usize> {
        let (x, y) = (self.place(x)?, self.place(y)?);
        let pair = (x.min(y), x.max(y));
        self.edges.binary_search_by_key(&pair, |edge| (edge.a, edge.b)).ok()
    }

    /// Returns how a first relates to another, seen from it; partial copies do not count.
    pub(crate) fn relation(&self, x: Ordinal, y: Ordinal) -> Option<Judgement> {
        let Edge { kind, scores, .. } = self.edges[self.edge_of(x, y)?];
        if kind == Kind::Partial {
            return None;
        }
        Some(if x < y {
            Judgement { kind, scores }
        } else {
            Judgement { kind: kind.flipped(), scores: scores.flipped() }
        })
    }

    /// Returns what was found of a pair of firsts, if it was not written; the next time it counts
    /// as written.
    pub(crate) fn take_dropped(&mut self, x: Ordinal, y: Ordinal) -> Option<Judgement> {
        let edge = self.edge_of(x, y)?;
        let at = self.dropped.binary_search_by_key(&(edge as u32), |dropped| dropped.0).ok()?;
        if std::mem::replace(&mut self.dropped[at].1, true) {
            return None;
        }
        let Edge { kind, scores, .. } = self.edges[edge];
        Some(Judgement { kind, scores })
    }
}
