//! What the page and the comparison show: plain data, filled by whoever has the documents.
//!
//! Texts are not kept in memory by a run, so a view holds only [`Window`]s of them: stretches of
//! the original around the passages, bounded by [`WINDOW_BYTES`] a side.

use std::collections::BTreeMap;

use retold_core::document::{Markup, Span};
use retold_core::relation::{Kind, Passage, Score, Scores};
use serde_json::{Value, json};

use crate::manifest::{Cut, Manifest};

/// Bytes of original text shown of one document in one pair.
pub const WINDOW_BYTES: usize = 20 << 10;

/// Members of a cluster that are listed on the page.
pub const MAX_MEMBERS: usize = 50;

/// Bytes shown before and after a passage.
const CONTEXT_BYTES: usize = 240;

/// The figures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Command that ran: `find` or `dedup`.
    pub command: String,
    /// Name of the method.
    pub method: String,
    /// Files read.
    pub n_files: u64,
    /// Documents read, without those of an archive.
    pub n_documents: u64,
    /// Documents of an archive that `dedup` compared with and left as it is.
    pub n_archive: u64,
    /// Bytes of text read.
    pub n_bytes: u64,
    /// Words read, without those of an archive.
    pub n_words: u64,
    /// Records that could not be read.
    pub n_bad: u64,
    /// Documents with too few words to judge.
    pub n_too_short: u64,
    /// Verified pairs by kind, in the order of [`Kind::ALL`].
    pub pairs_by_kind: [u64; 5],
    /// Groups of documents with the same words.
    pub n_exact_groups: u64,
    /// Documents in those groups beyond the first of each.
    pub n_exact_copies: u64,
    /// Clusters of two or more documents.
    pub n_clusters: u64,
    /// Documents in those clusters.
    pub n_clustered: u64,
    /// Documents that stand for a cluster.
    pub n_kept: u64,
    /// Documents in several clusters; where clusters overlap, sizes add up to more than documents.
    pub n_in_several: u64,
    /// Sizes of all clusters, in any order.
    pub cluster_sizes: Vec<u64>,
    /// The largest clusters, largest first: what they are about, and their size.
    pub largest: Vec<(String, u64)>,
    /// Verified pairs by the larger of their containments, in tenths: 0 to 0.1 comes first.
    pub containment_histogram: [u64; 10],
    /// Documents taken out, if the command takes any out.
    pub n_removed: Option<u64>,
    /// Whether nothing was compared but what decides what goes: there are no pairs and no clusters.
    pub decides_only: bool,
    /// Documents left to a person to decide, if the command decides.
    pub n_review: Option<u64>,
    /// What a limit or a budget left out.
    pub cuts: Vec<Cut>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Folder the results are in.
    pub output: Option<String>,
}

impl Summary {
    /// Returns the number of verified pairs.
    pub fn n_pairs(&self) -> u64 {
        self.pairs_by_kind.iter().sum()
    }

    /// Returns the number of documents that repeat a kept document: clustered, not kept.
    pub fn n_copies(&self) -> u64 {
        self.n_clustered.saturating_sub(self.n_kept)
    }

    /// Counts a verified pair.
    pub fn count_pair(&mut self, kind: Kind, scores: Scores) {
        self.pairs_by_kind[kind as usize] += 1;
        #[expect(clippy::cast_sign_loss, reason = "a containment is never below 0")]
        let tenth = (scores.containment() * 10.0) as usize;
        self.containment_histogram[tenth.min(9)] += 1;
    }

    /// Returns the figures as JSON: what `--json` prints. The names are stable.
    pub fn to_json(&self) -> Value {
        let pairs: BTreeMap<&str, u64> =
            Kind::ALL.iter().map(|kind| kind.name()).zip(self.pairs_by_kind).collect();
        json!({
            "command": self.command,
            "method": self.method,
            "n_files": self.n_files,
            "n_documents": self.n_documents,
            "n_archive": self.n_archive,
            "n_bytes": self.n_bytes,
            "n_words": self.n_words,
            "n_bad": self.n_bad,
            "n_too_short": self.n_too_short,
            "n_pairs": self.n_pairs(),
            "pairs": pairs,
            "n_exact_groups": self.n_exact_groups,
            "n_exact_copies": self.n_exact_copies,
            "n_clusters": self.n_clusters,
            "n_clustered": self.n_clustered,
            "n_kept": self.n_kept,
            "n_in_several_clusters": self.n_in_several,
            "n_copies": self.n_copies(),
            "containment_histogram": self.containment_histogram,
            "n_removed": self.n_removed,
            "n_review": self.n_review,
            "cuts": self.cuts,
            "seconds": self.seconds,
            "output": self.output,
        })
    }
}

/// Everything `report.html` shows.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// The figures.
    pub summary: Summary,
    /// How they came about.
    pub manifest: &'a Manifest,
    /// The clusters worth showing, largest first.
    pub clusters: Vec<ClusterView>,
    /// Partial copies worth showing, strongest first.
    pub partials: Vec<PairView>,
}

/// One cluster on the page.
#[derive(Clone, Debug, Default)]
pub struct ClusterView {
    /// Number of the cluster in `clusters.jsonl`.
    pub id: u32,
    /// Number of its documents.
    pub size: u64,
    /// Id of the kept document.
    pub representative: String,
    /// How well the members hold together, between 0 and 1.
    pub cohesion: f64,
    /// Units that the images of all members have in common, if that made the cluster.
    pub n_common: Option<u32>,
    /// The longest text that stands in all members, and the words they share in all.
    pub shared: Option<(String, u32)>,
    /// Its first [`MAX_MEMBERS`] documents, the kept one among them.
    pub members: Vec<MemberView>,
    /// Some of its pairs with their passages.
    pub pairs: Vec<PairView>,
}

/// One document of a cluster.
#[derive(Clone, Debug, Default)]
pub struct MemberView {
    /// Id of the document.
    pub id: String,
    /// Its headline.
    pub title: Option<String>,
    /// Its publisher.
    pub source: Option<String>,
    /// Its time as it was written in the record.
    pub time: Option<String>,
    /// Words in its text.
    pub n_words: u32,
    /// How it relates to the kept document, seen from it; absent for the kept one itself and for
    /// members that were not compared with it.
    pub relation: Option<Kind>,
    /// How strongly; `a` is the member, `b` the kept document.
    pub scores: Option<Scores>,
}

/// Two documents side by side.
#[derive(Clone, Debug)]
pub struct PairView {
    /// The one.
    pub a: SideView,
    /// The other.
    pub b: SideView,
    /// How they relate, seen from `a`; absent if they are not related.
    pub relation: Option<Kind>,
    /// How strongly.
    pub scores: Scores,
    /// Shares of the different words of `a` that stand in `b`, and of those of `b` that stand in `a`, if
    /// they were counted.
    pub vocabulary: Option<[Score; 2]>,
    /// Matching passages in the order of `a`.
    pub passages: Vec<Passage>,
    /// Passages that are quoted, by their numbers from 0.
    pub quoted: Vec<usize>,
    /// Passages that are not listed.
    pub n_cut: u32,
}

/// One side of a [`PairView`].
#[derive(Clone, Debug, Default)]
pub struct SideView {
    /// Id of the document.
    pub id: String,
    /// Its headline.
    pub title: Option<String>,
    /// Its publisher.
    pub source: Option<String>,
    /// Its time as it was written in the record.
    pub time: Option<String>,
    /// Words in its text.
    pub n_words: u32,
    /// How its text is marked up; tags are not shown.
    pub markup: Markup,
    /// Length of the original text in bytes.
    pub n_bytes: usize,
    /// Parts of the original text, in order.
    pub windows: Vec<Window>,
}

/// A part of an original text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Byte of the original it starts at.
    pub start: usize,
    /// The text.
    pub text: String,
}

impl Window {
    /// Returns the byte of the original it ends before.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Returns the parts of `text` around `spans`, in order, apart from each other, and together
    /// at most `budget` bytes.
    ///
    /// A text that fits is returned whole. Without spans, and where the budget ends before the
    /// last span, it is the beginning that is shown.
    pub fn around(text: &str, spans: impl IntoIterator<Item = Span>, budget: usize) -> Vec<Self> {
        if text.len() <= budget {
            return vec![Self { start: 0, text: text.to_owned() }];
        }
        let mut stretches: Vec<(usize, usize)> = spans
            .into_iter()
            .map(|span| {
                let end = (span.end as usize).saturating_add(CONTEXT_BYTES).min(text.len());
                ((span.start as usize).saturating_sub(CONTEXT_BYTES).min(end), end)
            })
            .collect();
        stretches.sort_unstable();
        if stretches.is_empty() {
            stretches.push((0, budget));
        }
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for (start, end) in stretches {
            match merged.last_mut() {
                // A gap shorter than its own mark is not worth leaving out.
                Some(last) if start <= last.1 + CONTEXT_BYTES / 2 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        let mut left = budget;
        let mut windows = Vec::new();
        for (start, end) in merged {
            let start = border_after(text, start);
            let end = border_before(text, end.min(start + left));
            if start >= end {
                break;
            }
            left -= end - start;
            windows.push(Self { start, text: text[start..end].to_owned() });
        }
        windows
    }
}

/// Returns the last character border at or before `at`.
pub(crate) fn border_before(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the first character border at or after `at`.
pub(crate) fn border_after(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_shown_whole() {
        let windows = Window::around("short", [Span::new(1, 2)], 100);
        assert_eq!(windows, [Window { start: 0, text: "short".to_owned() }]);
    }

    #[test]
    fn windows_hold_the_passages_and_keep_to_the_budget() {
        let text = "ş".repeat(50_000);
        let spans = [Span::new(90_000, 90_100), Span::new(2_000, 2_100), Span::new(2_200, 2_300)];
        let windows = Window::around(&text, spans, 4_000);
        assert_eq!(windows.len(), 2);
        for span in spans {
            let holds = |w: &Window| w.start <= span.start as usize && span.end as usize <= w.end();
            assert!(windows.iter().any(holds));
        }
        assert!(windows.iter().map(|window| window.text.len()).sum::<usize>() <= 4_000);

        let cut = Window::around(&text, [Span::new(0, 100_000)], 1_001);
        assert_eq!(cut.iter().map(|window| window.text.len()).sum::<usize>(), 1_000);
    }

    #[test]
    fn a_pair_of_equal_documents_falls_into_the_last_tenth() {
        let mut summary = Summary::default();
        summary.count_pair(Kind::Exact, Scores::EQUAL);
        summary.count_pair(Kind::Partial, Scores::default());
        assert_eq!(summary.containment_histogram, [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(summary.pairs_by_kind, [1, 0, 0, 0, 1]);
    }
}
