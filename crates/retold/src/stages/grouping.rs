//! What becomes of relations that hang together: clusters, and what goes.

use retold_core::candidates::Judgement;
use retold_core::cluster::disjoint_sets::DisjointSets;
use retold_core::cluster::{Clusters, Edge, Grouping, cluster};
use retold_core::document::{Markup, Ordinal, Span};
use retold_core::executor::Inline;
use retold_core::relation::{Kind, Scores};
use retold_read::Place;

use super::Stages;
use super::verifying::candidate;
use crate::error::Error;
use crate::pipeline::collection::Collection;
use crate::pipeline::decisions::{Deciding, Decision};
use crate::pipeline::entry::{Entry, Ranks};
use crate::pipeline::group::{self, Group, Related};

/// A document of a group.
#[derive(Clone, Copy, Debug)]
pub struct GroupDocument {
    /// Its number.
    pub number: u64,
    /// Number of the first document with its words.
    pub first: u64,
    /// Its rank by the policy: smaller is kept rather. No two documents have the same.
    pub rank: u64,
}

/// A relation of a group.
#[derive(Clone, Copy, Debug)]
pub struct GroupRelation {
    /// The earlier document, first of its words.
    pub a: u64,
    /// The later document, first of its words.
    pub b: u64,
    /// How they relate, seen from `a`.
    pub kind: Kind,
    /// How strongly.
    pub scores: Scores,
    /// Whether the pair is not reported, because of the limit per document.
    pub is_dropped: bool,
}

/// A cluster.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StageCluster {
    /// Its documents, by number.
    pub members: Vec<u64>,
    /// The one that is kept.
    pub representative: u64,
    /// Share of all pairs of members that are related.
    pub cohesion: f64,
    /// Relations by kind.
    pub kind_counts: [u64; 5],
    /// Pairs that were not compared, but follow from how near both are to the kept one.
    pub n_derived: u64,
    /// Whether its documents are related to no others; such clusters are counted behind all others.
    pub is_of_copies: bool,
}

/// What happens to a document that another one holds.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GroupDecision {
    /// The document.
    pub doc: u64,
    /// The one that holds it.
    pub covered_by: u64,
    /// How they relate.
    pub kind: Kind,
    /// Share of it that stands there.
    pub covered: f64,
}

/// What a group came to.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Grouped {
    /// Its clusters, by their members.
    pub clusters: Vec<StageCluster>,
    /// Pairs that are reported although the limit is reached: with the kept document of a cluster.
    pub starred: Vec<(u64, u64)>,
    /// What goes, by document.
    pub removed: Vec<GroupDecision>,
    /// What a person should look at, by document.
    pub review: Vec<GroupDecision>,
}

/// Returns each document of some pairs with the smallest one that it hangs together with through them, and
/// leaves those out that are it themselves: a forest that says the same as the pairs.
///
/// ```
/// use retold::stages::forest;
/// assert_eq!(forest(&[(7, 3), (3, 9), (5, 4)]), [(5, 4), (7, 3), (9, 3)]);
/// ```
pub fn forest(pairs: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut nodes: Vec<i64> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let place = |node: i64| nodes.partition_point(|&other| other < node) as u32;
    let mut sets = DisjointSets::new(nodes.len());
    for &(a, b) in pairs {
        sets.join(place(a), place(b));
    }
    let rooted = (0..).zip(&nodes).map(|(at, &node)| (node, nodes[sets.root(at) as usize]));
    rooted.filter(|(node, root)| node != root).collect()
}

/// Returns the entry of a document of which little is known.
fn entry() -> Entry {
    Entry {
        id: "".into(),
        place: Place { file: 0, record: 0, again: None },
        spooled: None,
        markup: Markup::Plain,
        language: None,
        is_language_detected: false,
        n_words: 0,
        extent: Span::new(0, 0),
        text_hash: 0,
        is_cut: false,
        copy_of: None,
        is_too_short: false,
        ranks: Ranks::default(),
    }
}

impl Stages {
    /// Makes clusters of documents that hang together through relations, or have the same words, and
    /// decides what goes. Documents come in the order of their numbers, all copies included.
    pub fn group(
        &self,
        documents: &[GroupDocument],
        relations: &[GroupRelation],
    ) -> Result<Grouped, Error> {
        let place = |number: u64| {
            Ordinal(documents.partition_point(|document| document.number < number) as u32)
        };
        let number = |place: Ordinal| documents[place.index()].number;
        let mut collection = Collection::new(self.budget.entries(), self.scratch.clone());
        let entry = entry();
        for document in documents {
            collection.add_with_first(&entry, place(document.first))?;
        }
        collection.seal();
        let mut ranks: Vec<u64> = documents.iter().map(|document| document.rank).collect();
        ranks.sort_unstable();
        let rank = |document: &GroupDocument| ranks.partition_point(|&r| r < document.rank) as u32;
        let preference: Vec<u32> = documents.iter().map(rank).collect();
        let mut linked: Vec<((Ordinal, Ordinal), Related)> = Vec::with_capacity(relations.len());
        for &GroupRelation { a, b, kind, scores, is_dropped } in relations {
            let pair = candidate(place(a).0, place(b).0);
            linked.push(((pair.a, pair.b), Related::new(Judgement { kind, scores }, is_dropped)));
        }
        linked.sort_unstable();
        let mut deciding = Deciding::new(&self.job, &self.budget, &self.scratch);
        let mut out = Grouped::default();
        let mut n_related = 0;
        let mut is_clustered = vec![false; documents.len()];
        let clusters = if linked.is_empty() {
            let first = Ordinal(0);
            deciding.copies(first, &collection, &preference)?;
            vec![group::Grouped::of_copies(first, &collection, &preference)]
        } else {
            let mut group = Group::of_related(&linked);
            let clusters = self.clusters_of(&group, &collection, &preference);
            for cluster in &clusters {
                let centre = collection.first_of(cluster.representative);
                for &member in &cluster.members {
                    let member = collection.first_of(member);
                    is_clustered[member.index()] = true;
                    if member != centre && group.take_dropped(centre, member).is_some() {
                        let pair = (number(centre.min(member)), number(centre.max(member)));
                        out.starred.push(pair);
                    }
                }
            }
            deciding.group(&group, &collection, &preference)?;
            // Copies of a document that is related and in no cluster are one of their own.
            let alone =
                collection.firsts_with_copies().filter(|first| !is_clustered[first.index()]);
            let of_copies =
                alone.map(|first| group::Grouped::of_copies(first, &collection, &preference));
            let of_copies: Vec<group::Grouped> = of_copies.collect();
            n_related = clusters.len();
            clusters.into_iter().chain(of_copies).collect()
        };
        out.clusters = clusters
            .into_iter()
            .enumerate()
            .map(|(at, cluster)| StageCluster {
                is_of_copies: at >= n_related,
                members: cluster.members.into_iter().map(number).collect(),
                representative: number(cluster.representative),
                cohesion: cluster.cohesion,
                kind_counts: cluster.kind_counts,
                n_derived: cluster.n_derived,
            })
            .collect();
        let decided = deciding.finish()?;
        let told = |decision: Decision| GroupDecision {
            doc: number(decision.doc),
            covered_by: number(decision.covered_by),
            kind: decision.kind,
            covered: decision.covered,
        };
        for (from, to) in [(&decided.removed, &mut out.removed), (&decided.review, &mut out.review)]
        {
            for written in from {
                let written = written.map_err(|error| self.scratch.failed(error))?;
                to.push(told(written.taken()));
            }
        }
        Ok(out)
    }

    fn clusters_of(
        &self,
        group: &Group,
        collection: &Collection,
        preference: &[u32],
    ) -> Vec<group::Grouped> {
        let containment = self.rule.containment;
        let near = (self.job.clusters == Grouping::Star).then_some(self.near());
        let best = group.best(collection, preference);
        let (grouping, joining) = (self.job.clusters, self.job.join);
        let edges: &[Edge] = &group.edges;
        let Clusters { clusters, .. } =
            cluster(edges, &best, grouping, joining, containment, &Inline);
        group.grouped(&clusters, collection, preference, near)
    }
}
