//! Lineage: the most likely tree of versions of a cluster, who copied from whom.
//!
//! # How it works
//! Every document but one gets a parent, so that the whole tree costs least. What a step from a
//! parent to a child costs is counted in words (`costs.rs`):
//!
//! - a word that the child adds costs 1, one that it drops costs ½: dropping needs no author. Words
//!   that stand in one document only say nothing about its relatives and are not counted;
//! - with times, a parent is not later than its child, and each doubling of the number of documents
//!   that came between them costs as much as 2 % of the words, at most 30: the version before is a
//!   likelier parent than an older one;
//! - without times, a step whose changes bring in later years ("2019" becomes "2021") costs half as
//!   much less, and one that takes them out half as much more;
//! - the first document is written from nothing, so all its words are added. Of two trees with the
//!   same changes the one that grows from a short text is therefore cheaper than one that shrinks.
//!
//! The tree is the cheapest spanning arborescence (Chu and Liu 1965, Edmonds 1967;
//! `arborescence.rs`). The confidence of a step comes from how much dearer the trees without it are
//! (`support.rs`): a step whose rival costs the same is a tie and says so.
//!
//! # What it may miss
//! A document that was made from two others gets one parent. Without times the direction of a chain is
//! often a guess; `bench/README.md` has measured shares. Beyond [`MOST_COMPARED`] documents only the
//! nearest of each, by a sketch of their words, and those just before it in time are compared.
//! Beyond [`MOST_DOCUMENTS`] the earliest are taken.

mod arborescence;
mod changes;
mod cluster;
mod costs;
mod support;

#[cfg(test)]
mod tests;

use retold_core::document::Document;
use retold_core::features::{Featurizer, Words};
use serde::Serialize;

pub use self::changes::{Change, Changes};
use self::costs::{Costs, Version};
use crate::compare::compare;
use crate::error::Error;
use crate::job::Job;
use crate::pipeline::parallel::Pool;
use crate::resources::Resources;
use crate::time::seconds;

/// Documents of which every two are compared.
pub const MOST_COMPARED: usize = 1_000;

/// Documents that a tree has at most.
pub const MOST_DOCUMENTS: usize = 5_000;

/// The most likely tree of versions of some documents.
///
/// ```
/// use retold::{Document, Job, Lineage, Resources};
///
/// let dated = |id: &str, time: &str, text: &str| Document {
///     time: Some(time.to_owned()),
///     ..Document::plain(id, text)
/// };
/// let documents = [
///     dated("c", "2026-03-01", "The quay will be closed for repairs from Monday until Saturday."),
///     dated("a", "2026-01-01", "The quay will be closed from Monday until Friday."),
///     dated("b", "2026-02-01", "The quay will be closed from Monday until Saturday."),
/// ];
/// let lineage = Lineage::of(&documents, &Job::default(), &Resources::new())?;
/// let steps: Vec<_> = lineage.steps.iter().map(|step| (&*step.parent, &*step.child)).collect();
/// assert_eq!(steps, [("a", "b"), ("b", "c")]);
/// assert_eq!(lineage.steps[1].changes.added[0].text, "for repairs");
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Lineage {
    /// The documents: first the root, and every parent before its children.
    pub documents: Vec<LineageDocument>,
    /// The steps, one for each document but the first, in the order of their children.
    pub steps: Vec<LineageStep>,
    /// How sure the root is: as [`LineageStep::confidence`].
    pub root_confidence: f64,
    /// Whether every two documents were compared; otherwise only near ones were.
    pub is_complete: bool,
    /// Documents that were left out because there were more than [`MOST_DOCUMENTS`].
    pub n_left_out: usize,
}

/// A document of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LineageDocument {
    /// Its id.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// When it was published, as its record says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Who published it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its words.
    pub n_words: usize,
    /// Place of its parent in the list; none for the root.
    pub parent: Option<usize>,
}

/// A step from a parent to a child.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LineageStep {
    /// Id of the parent.
    pub parent: String,
    /// Id of the child.
    pub child: String,
    /// What the step costs, in words.
    pub cost: f64,
    /// How much dearer the best tree without this step is, in words; none if there is no other tree.
    pub margin: Option<f64>,
    /// The parent that the child has in the best other tree; none if that tree turns steps round
    /// instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rival: Option<String>,
    /// How sure the step is, from 0 to 1: its share of the likelihood of all trees that have another
    /// step in its place.
    pub confidence: f64,
    /// Whether another tree is exactly as good.
    pub is_tie: bool,
    /// Share of the parent's runs of words that stand in the child.
    pub parent_in_child: f64,
    /// Share of the child's runs of words that stand in the parent.
    pub child_in_parent: f64,
    /// What the child added and dropped.
    #[serde(flatten)]
    pub changes: Changes,
}

impl Lineage {
    /// Returns the most likely tree of some documents. Times are read as the library reads them
    /// ([`seconds`]); a document whose time cannot be read counts as one without. The order of the
    /// documents does not matter. `job` says how texts become words.
    ///
    /// *Errors* if there are no documents, or if somebody asks to stop.
    pub fn of(documents: &[Document], job: &Job, resources: &Resources) -> Result<Self, Error> {
        if documents.is_empty() {
            return Err(Error::Empty("the cluster".to_owned()));
        }
        let pool = Pool::new(resources)?;
        let mut order: Vec<&Document> = documents.iter().collect();
        let time = |document: &Document| document.time.as_deref().and_then(seconds);
        // Documents without a time come last; ids and texts make the order that of the documents alone.
        order.sort_by_cached_key(|document| {
            let time = time(document);
            (time.is_none(), time, document.id.clone(), document.text.clone())
        });
        let n_left_out = order.len().saturating_sub(MOST_DOCUMENTS);
        order.truncate(MOST_DOCUMENTS);
        let featurizer = Featurizer::new(job.text.clone(), job.seed);
        let versions: Vec<Version> = pool.map(&order, |document| {
            let mut words = Words::default();
            featurizer.words(document, &mut words);
            Version::new(words, &document.text, time(document))
        });
        let stopped = || Error::Stopped { stage: "lineage", n_documents: order.len() as u64 };
        if resources.stop.is_set() {
            return Err(stopped());
        }
        let costs = Costs::of(&versions, &pool);
        let parents = arborescence::cheapest(&costs.roots, &costs.steps);
        let supports = support::of(&costs, &parents, &pool);
        if resources.stop.is_set() {
            return Err(stopped());
        }
        let places = parents_first(&parents);
        let mut place_of = vec![0; order.len()];
        for (place, &number) in places.iter().enumerate() {
            place_of[number] = place;
        }
        let steps = pool.map(&places, |&child| {
            let parent = parents[child]?;
            let compared = compare(order[parent], order[child], job);
            let support = &supports.steps[child];
            let step = |compared: crate::compare::Comparison| LineageStep {
                parent: order[parent].id.clone(),
                child: order[child].id.clone(),
                cost: costs::in_words(costs.step(parent, child).unwrap_or_default()),
                margin: support.margin.map(costs::in_words),
                rival: support.rival.map(|rival| order[rival].id.clone()),
                confidence: support.confidence,
                is_tie: support.margin == Some(0),
                parent_in_child: compared.scores().a_in_b.get(),
                child_in_parent: compared.scores().b_in_a.get(),
                changes: Changes::between(
                    (&versions[parent].words, &order[parent].text),
                    (&versions[child].words, &order[child].text),
                ),
            };
            Some(compared.map(step))
        });
        let listed = places.iter().map(|&number| LineageDocument {
            id: order[number].id.clone(),
            title: order[number].title.clone(),
            time: order[number].time.clone(),
            source: order[number].source.clone(),
            n_words: versions[number].words.hashes.len(),
            parent: parents[number].map(|parent| place_of[parent]),
        });
        Ok(Self {
            documents: listed.collect(),
            steps: steps.into_iter().flatten().collect::<Result<_, _>>()?,
            root_confidence: supports.root,
            is_complete: costs.is_complete,
            n_left_out,
        })
    }
}

/// Returns the numbers of the documents with every parent before its children: a child follows its
/// parent at once, the first child with all its own before the second.
fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut open = Vec::new();
    for (child, parent) in parents.iter().enumerate().rev() {
        match parent {
            Some(parent) => children[*parent].push(child),
            None => open.push(child),
        }
    }
    let mut places = Vec::with_capacity(parents.len());
    while let Some(number) = open.pop() {
        places.push(number);
        // They were pushed from the last to the first.
        open.append(&mut children[number]);
    }
    places
}
