//! What `report.html` shows: the largest clusters and the longest partial copies.

use retold_core::candidates::Judgement;
use retold_core::document::Ordinal;
use retold_core::relation::{Kind, Scores};
use retold_report::{ClusterView, MAX_MEMBERS, MemberView, PairView};

use super::clusters::ClusterLog;
use super::group::{Group, Grouped};
use super::side::side;
use super::tables::whole;
use super::verifying::{Verified, Verifying};
use crate::error::Error;

/// Clusters shown.
const MOST_CLUSTERS: usize = 12;
/// Pairs shown of each.
const MOST_PAIRS: usize = 3;
/// Partial copies shown.
const MOST_PARTIALS: usize = 8;

/// Remembers what the page shows.
#[derive(Default)]
pub(super) struct Picker {
    /// The partial copies with the longest passages.
    partials: Vec<(u32, Ordinal, Ordinal, Judgement)>,
    /// The largest clusters, largest first.
    clusters: Vec<Picked>,
    /// Clusters seen so far.
    n_seen: usize,
}

/// A cluster that may be shown.
struct Picked {
    /// Clusters are shown, and numbered, by these: size, first member, order of coming.
    key: (usize, Ordinal, usize),
    /// The documents listed, the kept one first, and how each relates to it, seen from it.
    listed: Vec<(Ordinal, Option<Judgement>)>,
    /// The documents set side by side with the kept one.
    paired: Vec<(Ordinal, Option<Judgement>)>,
}

impl Picker {
    /// Looks at a verified pair.
    pub(super) fn offer(&mut self, found: &Verified<'_>) {
        if found.kind != Kind::Partial {
            return;
        }
        let longest = found.comparison.shared.longest_words;
        if self.partials.len() == MOST_PARTIALS {
            if self.partials.last().is_some_and(|last| last.0 >= longest) {
                return;
            }
            self.partials.pop();
        }
        let at = self.partials.partition_point(|entry| entry.0 >= longest);
        self.partials.insert(at, (longest, found.a, found.b, found.judgement()));
    }

    /// Looks at a cluster, which was made of a group unless it is one of copies.
    pub(super) fn offer_cluster(
        &mut self,
        cluster: &Grouped,
        group: Option<&Group>,
        verifying: &Verifying<'_>,
    ) {
        let collection = verifying.library.collection;
        let key = (usize::MAX - cluster.members.len(), cluster.members[0], self.n_seen);
        self.n_seen += 1;
        let at = self.clusters.partition_point(|picked| picked.key < key);
        if at == MOST_CLUSTERS {
            return;
        }
        let kept = cluster.representative;
        let of_kept = collection.first_of(kept);
        let relation = |doc: Ordinal| {
            let first = collection.first_of(doc);
            if first == of_kept {
                return (doc, Some(Judgement { kind: Kind::Exact, scores: Scores::EQUAL }));
            }
            (doc, group.and_then(|group| group.relation(first, of_kept)))
        };
        let others = || cluster.members.iter().copied().filter(|&doc| doc != kept);
        // Pairs that differ say more than copies; copies are shown where there is nothing else.
        let is_edited = |doc: &Ordinal| collection.first_of(*doc) != of_kept;
        let mut paired: Vec<Ordinal> = others().filter(is_edited).take(MOST_PAIRS).collect();
        if paired.is_empty() {
            paired.extend(others().next());
        }
        let picked = Picked {
            key,
            listed: std::iter::once((kept, None))
                .chain(others().map(relation))
                .take(MAX_MEMBERS)
                .collect(),
            paired: paired.into_iter().map(relation).collect(),
        };
        self.clusters.insert(at, picked);
        self.clusters.truncate(MOST_CLUSTERS);
    }

    /// Returns the partial copies side by side, longest first.
    pub(super) fn partials(&self, verifying: &Verifying<'_>) -> Result<Vec<PairView>, Error> {
        let views = self.partials.iter();
        let views = views.map(|&(_, a, b, said)| pair(a, b, Some(said), verifying));
        views.filter_map(Result::transpose).collect()
    }

    /// Returns the largest clusters with some of their pairs.
    pub(super) fn clusters(
        &self,
        clusters: &ClusterLog,
        verifying: &Verifying<'_>,
    ) -> Result<Vec<ClusterView>, Error> {
        let shown = clusters.largest(MOST_CLUSTERS);
        let views = shown.into_iter().zip(&self.clusters);
        views.map(|(id, picked)| view(id, &clusters.get(id)?, picked, verifying)).collect()
    }
}

fn view(
    id: usize,
    cluster: &Grouped,
    picked: &Picked,
    verifying: &Verifying<'_>,
) -> Result<ClusterView, Error> {
    let collection = verifying.library.collection;
    debug_assert_eq!(picked.key.1, cluster.members[0], "the largest are those that were picked");
    let member = |&(doc, related): &(Ordinal, Option<Judgement>)| -> Result<MemberView, Error> {
        let document = verifying.library.document(doc).unwrap_or_default();
        Ok(MemberView {
            id: collection.id(doc)?,
            title: document.title,
            source: document.source,
            time: document.time,
            n_words: collection.n_words(doc),
            relation: related.map(|found| found.kind),
            scores: related.map(|found| found.scores),
        })
    };
    let kept = cluster.representative;
    let beside = |&(doc, said): &(Ordinal, Option<Judgement>)| {
        // What is said of a member is seen from it; here the kept one comes first.
        let said = said.map(|Judgement { kind, scores }| Judgement {
            kind: kind.flipped(),
            scores: scores.flipped(),
        });
        pair(kept, doc, said, verifying).transpose()
    };
    Ok(ClusterView {
        id: id as u32,
        size: cluster.members.len() as u64,
        representative: collection.id(kept)?,
        cohesion: cluster.cohesion,
        n_common: cluster.n_common,
        shared: cluster.shared.as_ref().map(|shared| (shared.text.clone(), shared.n_words)),
        members: picked.listed.iter().map(member).collect::<Result<_, Error>>()?,
        pairs: picked.paired.iter().filter_map(beside).collect::<Result<_, Error>>()?,
    })
}

/// Returns two documents side by side; `None` if they cannot be read again or are not related.
fn pair(
    a: Ordinal,
    b: Ordinal,
    said: Option<Judgement>,
    verifying: &Verifying<'_>,
) -> Result<Option<PairView>, Error> {
    let library = verifying.library;
    let collection = library.collection;
    let (Ok(da), Ok(db)) = (library.document(a), library.document(b)) else { return Ok(None) };
    let (kind, scores, evidence) = if collection.first_of(a) == collection.first_of(b) {
        let (of_a, of_b) = (collection.entry(a)?, collection.entry(b)?);
        let evidence = whole((of_a.n_words, of_a.extent), (of_b.n_words, of_b.extent));
        (Kind::Exact, Scores::EQUAL, evidence)
    } else {
        let (Ok(pa), Ok(pb)) = (library.profile(a), library.profile(b)) else { return Ok(None) };
        let Some((kind, comparison)) = verifying.decide(said, &pa, &pb) else { return Ok(None) };
        let evidence = comparison.evidence(&pa, &pb, verifying.passages_per_pair);
        (kind, comparison.scores, evidence)
    };
    let passages = evidence.passages;
    let n_words = |doc| collection.n_words(doc) as usize;
    Ok(Some(PairView {
        a: side(&da, n_words(a), passages.iter().map(|passage| passage.a)),
        b: side(&db, n_words(b), passages.iter().map(|passage| passage.b)),
        relation: Some(kind),
        scores,
        passages,
        quoted: Vec::new(),
        vocabulary: None,
        n_cut: evidence.n_cut,
    }))
}
