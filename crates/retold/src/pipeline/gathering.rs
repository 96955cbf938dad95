//! What becomes of the relations: group by group they make clusters, and decide what goes.

use retold_core::cluster::{Clusters, Grouping, cluster, of_sets};
use retold_core::document::Ordinal;
use retold_report::Cut;

use super::bits::Bits;
use super::budget::Budget;
use super::closed_sets::FoundSets;
use super::clusters::ClusterLog;
use super::collection::Collection;
use super::decisions::{Decided, Deciding};
use super::group::{Group, Grouped, Related};
use super::linked::Links;
use super::page::Picker;
use super::run::Wanted;
use super::scratch::ScratchDir;
use super::shared::shared;
use super::tables::Pairs;
use super::verifying::Verifying;
use crate::error::Error;
use crate::job::Job;
use crate::progress::Stage;

/// Members of clusters that wait until they are described together, on all threads.
const MOST_WAITING: usize = 4_096;

/// Makes clusters.
pub(super) struct Gathering<'a> {
    verifying: &'a Verifying<'a>,
    collection: &'a Collection,
    job: &'a Job,
    budget: Budget,
    preference: &'a [u32],
    clusters: ClusterLog,
    /// Clusters without a description, and the number of their members.
    waiting: Vec<Grouped>,
    n_waiting: usize,
    /// Whether the text that the members of a cluster share is looked for.
    is_described: bool,
    /// Firsts that are in a cluster.
    is_clustered: Bits,
    /// Firsts that have a relation.
    is_related: Bits,
    deciding: Option<Deciding>,
    /// Documents around which not all clusters were listed.
    n_cut: u64,
}

/// What relations came to.
pub(super) struct Gathered {
    pub(super) clusters: ClusterLog,
    pub(super) decided: Option<Decided>,
    pub(super) cuts: Vec<Cut>,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(
        verifying: &'a Verifying<'a>,
        job: &'a Job,
        (budget, scratch): (Budget, &ScratchDir),
        preference: &'a [u32],
        wanted: Wanted,
    ) -> Self {
        let collection = verifying.library.collection;
        let is_deciding = wanted >= Wanted::Decisions;
        Self {
            verifying,
            collection,
            job,
            budget,
            preference,
            clusters: ClusterLog::new(budget.clusters(), scratch),
            waiting: Vec::new(),
            n_waiting: 0,
            is_described: false,
            is_clustered: Bits::new(collection.len()),
            is_related: Bits::new(collection.len()),
            deciding: is_deciding.then(|| Deciding::new(job, &budget, scratch)),
            n_cut: 0,
        }
    }

    /// Says whether clusters are described by the text that their members share.
    pub(super) fn describing(self, is_described: bool) -> Self {
        Self { is_described, ..self }
    }

    /// Gathers nothing.
    pub(super) fn nothing(self) -> Gathered {
        Gathered { clusters: self.clusters, decided: None, cuts: Vec::new() }
    }

    /// Takes all relations; pairs of a star that were not written because of the limit are.
    pub(super) fn run(
        mut self,
        links: Links<Related>,
        closed_sets: Option<FoundSets>,
        pairs: &mut Pairs<'_>,
        picker: &mut Picker,
    ) -> Result<Gathered, Error> {
        let ordered = links.ordered(|a, b| (a, b), self.verifying.stop)?;
        let ordered = ordered.ok_or_else(|| self.stopped())?;
        let mut relations = ordered.iter().peekable();
        let mut cuts = Vec::new();
        if let Some(found) = closed_sets {
            cuts = found.cuts;
            let group = Group::next(&mut relations, &self.budget)?;
            let group = group.unwrap_or_else(|| Group::new(Vec::new(), Vec::new(), []));
            let group = group.with(found.sets.iter().flat_map(|(set, _)| set.iter().copied()));
            let place = |doc: Ordinal| group.place(doc).expect("the group was made of the sets");
            let numbered =
                |(set, n): (Vec<Ordinal>, u32)| (set.into_iter().map(place).collect(), n);
            let sets = found.sets.into_iter().map(numbered).collect();
            let best = group.best(self.collection, self.preference);
            let clusters =
                group.grouped(&of_sets(sets, &best), self.collection, self.preference, None);
            self.take(group, clusters, pairs, picker)?;
        } else {
            let containment = self.verifying.rule.containment;
            let near =
                (self.job.clusters == Grouping::Star).then_some(1.0 - (1.0 - containment) / 2.0);
            while let Some(group) = Group::next(&mut relations, &self.budget)? {
                let best = group.best(self.collection, self.preference);
                let (grouping, joining) = (self.job.clusters, self.job.join);
                let Clusters { clusters, n_cut } = cluster(
                    &group.edges,
                    &best,
                    grouping,
                    joining,
                    containment,
                    self.verifying.pool,
                );
                if self.verifying.stop.is_set() {
                    return Err(self.stopped());
                }
                self.n_cut += n_cut;
                let clusters = group.grouped(&clusters, self.collection, self.preference, near);
                self.take(group, clusters, pairs, picker)?;
            }
        }
        drop(relations);
        drop(ordered);
        self.take_copies(picker)?;
        self.describe()?;
        self.clusters.seal();
        if self.n_cut > 0 {
            cuts.push(Cut {
                what: "documents with too many cliques around them to list them all; every \
                       related pair still stands in one"
                    .to_owned(),
                limit: None,
                count: self.n_cut,
            });
        }
        let decided = self.deciding.map(Deciding::finish).transpose()?;
        Ok(Gathered { clusters: self.clusters, decided, cuts })
    }

    /// Takes the clusters of a group.
    fn take(
        &mut self,
        mut group: Group,
        clusters: Vec<Grouped>,
        pairs: &mut Pairs<'_>,
        picker: &mut Picker,
    ) -> Result<(), Error> {
        for cluster in clusters {
            if self.verifying.stop.is_set() {
                return Err(self.stopped());
            }
            let centre = self.collection.first_of(cluster.representative);
            for &member in &cluster.members {
                let member = self.collection.first_of(member);
                self.is_clustered.insert(member);
                if member != centre
                    && let Some(said) = group.take_dropped(centre, member)
                {
                    let pair = retold_core::candidates::Candidate::new(centre, member);
                    if let Some(found) = self.verifying.pair(pair, said)? {
                        pairs.star(&found)?;
                    }
                }
            }
            picker.offer_cluster(&cluster, Some(&group), self.verifying);
            self.wait(cluster)?;
        }
        if let Some(deciding) = &mut self.deciding {
            group.firsts.iter().for_each(|&first| {
                self.is_related.insert(first);
            });
            deciding.group(&group, self.collection, self.preference)?;
        }
        Ok(())
    }

    /// Takes the documents that are related to nothing but their copies.
    fn take_copies(&mut self, picker: &mut Picker) -> Result<(), Error> {
        let collection = self.collection;
        let firsts = collection.firsts_with_copies();
        for first in firsts.filter(|&first| collection.is_wanted(first, first)) {
            if self.verifying.stop.is_set() {
                return Err(self.stopped());
            }
            if !self.is_clustered.contains(first) {
                let cluster = Grouped::of_copies(first, self.collection, self.preference);
                picker.offer_cluster(&cluster, None, self.verifying);
                self.wait(cluster)?;
            }
            if let Some(deciding) = &mut self.deciding
                && !self.is_related.contains(first)
            {
                deciding.copies(first, self.collection, self.preference)?;
            }
        }
        Ok(())
    }

    fn wait(&mut self, cluster: Grouped) -> Result<(), Error> {
        self.n_waiting += cluster.members.len();
        self.waiting.push(cluster);
        if self.n_waiting >= MOST_WAITING { self.describe() } else { Ok(()) }
    }

    /// Describes the clusters that wait, and writes them down.
    fn describe(&mut self) -> Result<(), Error> {
        let verifying = self.verifying;
        let mut waiting = std::mem::take(&mut self.waiting);
        self.n_waiting = 0;
        if self.is_described {
            let shingles = verifying.detector.shingles();
            let found = verifying.pool.map(&waiting, |cluster| {
                if verifying.stop.is_set() {
                    return None;
                }
                shared(verifying.library, &cluster.members, cluster.representative, shingles)
            });
            for (cluster, shared) in waiting.iter_mut().zip(found) {
                cluster.shared = shared;
            }
            if verifying.stop.is_set() {
                return Err(self.stopped());
            }
        }
        waiting.iter().try_for_each(|cluster| self.clusters.push(cluster))
    }

    fn stopped(&self) -> Error {
        let n_documents = self.collection.len() as u64;
        Error::Stopped { stage: Stage::Verify.name(), n_documents }
    }
}
