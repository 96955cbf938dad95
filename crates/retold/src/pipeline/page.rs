//! What `report.html` shows: the largest clusters and the longest partial copies.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use retold_core::candidates::Candidate;
use retold_core::cluster::Edge;
use retold_core::document::Ordinal;
use retold_core::relation::{Kind, Scores};
use retold_report::{
    ClusterView, MAX_MEMBERS, Manifest, MemberView, Page, PairView, Summary, write_page,
};

use super::compare::side;
use super::find::{Grouped, first_of, largest};
use super::tables::whole;
use super::verifying::{Verified, Verifying};

/// Clusters shown.
const MOST_CLUSTERS: usize = 12;
/// Pairs shown of each.
const MOST_PAIRS: usize = 3;
/// Partial copies shown.
const MOST_PARTIALS: usize = 8;

/// Remembers the partial copies with the longest passages.
#[derive(Default)]
pub(super) struct Picker {
    best: Vec<(u32, Ordinal, Ordinal)>,
}

impl Picker {
    /// Looks at a verified pair.
    pub(super) fn offer(&mut self, found: &Verified<'_>) {
        if found.kind != Kind::Partial {
            return;
        }
        let key = (found.comparison.longest_words, found.a, found.b);
        if self.best.len() == MOST_PARTIALS {
            if self.best.last().is_some_and(|last| last.0 >= key.0) {
                return;
            }
            self.best.pop();
        }
        let at = self.best.partition_point(|entry| entry.0 >= key.0);
        self.best.insert(at, key);
    }

    /// Returns them side by side, longest first.
    pub(super) fn views(&self, verifying: &Verifying<'_>) -> Vec<PairView> {
        self.best.iter().filter_map(|&(_, a, b)| pair(a, b, verifying)).collect()
    }
}

/// Returns the largest clusters with some of their pairs.
pub(super) fn clusters(
    clusters: &[Grouped],
    verifying: &Verifying<'_>,
    edges: &[Edge],
) -> Vec<ClusterView> {
    let collection = verifying.library.collection;
    let of_edge: HashMap<(Ordinal, Ordinal), &Edge> =
        edges.iter().map(|edge| ((edge.a, edge.b), edge)).collect();
    let relation = |member: Ordinal, kept: Ordinal| -> Option<(Kind, Scores)> {
        let (x, y) = (first_of(collection, member), first_of(collection, kept));
        if x == y {
            return Some((Kind::Exact, Scores::EQUAL));
        }
        let edge = of_edge.get(&(x.min(y), x.max(y)))?;
        let is_straight = x < y;
        Some(if is_straight {
            (edge.kind, edge.scores)
        } else {
            (edge.kind.flipped(), edge.scores.flipped())
        })
    };
    let view = |id: usize| {
        let cluster = &clusters[id];
        let kept = cluster.representative;
        let shown = std::iter::once(kept)
            .chain(cluster.members.iter().copied().filter(|&doc| doc != kept))
            .take(MAX_MEMBERS);
        let members: Vec<MemberView> = shown
            .map(|doc| {
                let entry = collection.entry(doc);
                let document = verifying.library.document(doc).unwrap_or_default();
                let related = (doc != kept).then(|| relation(doc, kept)).flatten();
                MemberView {
                    id: entry.id.to_string(),
                    title: document.title,
                    source: document.source,
                    time: document.time,
                    n_words: entry.n_words,
                    relation: related.map(|found| found.0),
                    scores: related.map(|found| found.1),
                }
            })
            .collect();
        // Pairs that differ say more than copies; copies are shown where there is nothing else.
        let others = cluster.members.iter().copied().filter(|&doc| doc != kept);
        let (mut edited, copies): (Vec<Ordinal>, Vec<Ordinal>) =
            others.partition(|&doc| first_of(collection, doc) != first_of(collection, kept));
        edited.truncate(MOST_PAIRS);
        if edited.is_empty() {
            edited.extend(copies.first());
        }
        ClusterView {
            id: id as u32,
            size: cluster.members.len() as u64,
            representative: collection.entry(kept).id.to_string(),
            cohesion: cluster.cohesion,
            n_common: cluster.n_common,
            shared: cluster.shared.as_ref().map(|shared| (shared.text.clone(), shared.n_words)),
            members,
            pairs: edited.into_iter().filter_map(|doc| pair(kept, doc, verifying)).collect(),
        }
    };
    largest(clusters, MOST_CLUSTERS).into_iter().map(view).collect()
}

/// Returns two documents side by side; `None` if they cannot be read again or are not related.
fn pair(a: Ordinal, b: Ordinal, verifying: &Verifying<'_>) -> Option<PairView> {
    let library = verifying.library;
    let collection = library.collection;
    let (ea, eb) = (collection.entry(a), collection.entry(b));
    let (da, db) = (library.document(a).ok()?, library.document(b).ok()?);
    let (kind, scores, evidence) = if first_of(collection, a) == first_of(collection, b) {
        (Kind::Exact, Scores::EQUAL, whole(ea, eb))
    } else {
        let pa = library.profile(a).ok()?;
        let pb = library.profile(b).ok()?;
        let firsts = Candidate::new(first_of(collection, a), first_of(collection, b));
        let (mut kind, mut comparison) = verifying.decide(firsts, &pa, &pb)?;
        if verifying.judged.is_some() && first_of(collection, a) != firsts.a {
            kind = kind.flipped();
            comparison.scores = comparison.scores.flipped();
        }
        let evidence = comparison.evidence(&pa, &pb, verifying.passages_per_pair);
        (kind, comparison.scores, evidence)
    };
    let passages = evidence.passages;
    Some(PairView {
        a: side(&da, ea.n_words as usize, passages.iter().map(|passage| passage.a)),
        b: side(&db, eb.n_words as usize, passages.iter().map(|passage| passage.b)),
        relation: Some(kind),
        scores,
        passages,
        n_cut: evidence.n_cut,
    })
}

/// Writes `report.html`.
pub(super) fn write(
    dir: &Path,
    summary: &Summary,
    manifest: &Manifest,
    clusters: &[ClusterView],
    partials: &[PairView],
) -> io::Result<()> {
    let page = Page {
        summary: summary.clone(),
        manifest,
        clusters: clusters.to_vec(),
        partials: partials.to_vec(),
    };
    let mut out = BufWriter::new(File::create(dir.join("report.html"))?);
    write_page(&page, &mut out)?;
    out.flush()
}
