//! Everything that can be said of a result against a list of what is true, with intervals.
//!
//! Pairs as they were reported and pairs joined by clusters are both measured: closing pairs into
//! clusters hides some mistakes and makes others. Intervals come from a bootstrap over connected
//! components ([`Bootstrap`]). [`RankingFigures`] and [`PassageFigures`] do the same for answers to
//! questions and for passages; [`Comparison`] and [`PairedTests`] set two results side by side.

mod comparison;
mod figures;
mod passages;
mod ranking;
mod ready;

use retold_core::cluster::disjoint_sets::DisjointSets;
use serde::{Deserialize, Serialize};

pub use self::comparison::{Comparison, Difference, PairedTests};
pub use self::figures::{
    ByCluster, ClusterFigures, CostFigures, CurveFigures, DocumentFigures, Figure, LabelFigures,
    PairFigures, ScoreFigures,
};
pub use self::passages::{LabelledPassages, PassageFigures, PassageLabel};
pub use self::ranking::{AtKFigures, RankingFigures};
use self::ready::{Ours, members, truth_partition};
use super::clusters::{self, ClusterSums, Partition, Removal, SizeDistribution};
use super::curves::{PrecisionRecall, Scored};
use super::documents::{Costs, DocumentCounts};
use super::pairs::{self, Direction, OfCluster, PairCounts, PairSet};
use crate::statistics::{Bootstrap, Interval};

/// What a list of truth holds, which decides what its recall may be called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TruthOf {
    /// Pairs that somebody lists; others may be true as well.
    #[default]
    Listed,
    /// All true pairs of the collection.
    Complete,
    /// True pairs among those that some methods nominated.
    Pooled,
    /// Copies that were planted.
    Planted,
    /// Pairs whose exact overlap reaches the threshold.
    Exhaustive,
}

impl TruthOf {
    /// The names of the choices.
    pub const NAMES: &'static [&'static str] =
        &["listed", "complete", "pooled", "planted", "exhaustive"];

    /// Returns what recall is called.
    pub fn recall_name(self) -> &'static str {
        match self {
            Self::Listed => "recall of the list",
            Self::Complete => "recall",
            Self::Pooled => "pooled recall",
            Self::Planted => "recall of planted copies",
            Self::Exhaustive => "recall of exact overlap",
        }
    }

    /// Returns what precision is called.
    pub fn precision_name(self) -> &'static str {
        match self {
            Self::Complete | Self::Exhaustive => "precision",
            Self::Listed => "precision against the list",
            Self::Pooled => "precision against the pool",
            Self::Planted => "precision against planted copies",
        }
    }

    /// Returns why precision may be too low, if it may.
    pub fn caution(self) -> Option<&'static str> {
        match self {
            Self::Complete | Self::Exhaustive => None,
            Self::Listed => Some("true pairs that are not listed count as wrong"),
            Self::Pooled => Some("true pairs that no pooled method nominated count as wrong"),
            Self::Planted => Some("true pairs that were not planted count as wrong"),
        }
    }
}

/// A cluster that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundCluster {
    /// The document that would be kept; the first member if none is named.
    pub kept: Option<u32>,
    /// All members.
    pub members: Vec<u32>,
}

/// A result, in numbers.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Pairs that were reported; none if only clusters were.
    pub pairs: Option<PairSet>,
    /// Their scores, in the order of the set; empty if there are none.
    pub scores: Vec<f64>,
    /// Clusters; none if only pairs were reported.
    pub clusters: Option<Vec<FoundCluster>>,
}

/// What is true, in numbers.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// True pairs; none where clusters stand for too many to list.
    pub pairs: Option<PairSet>,
    /// Pairs that were judged and are not true.
    pub negatives: PairSet,
    /// True pairs by their label in the list.
    pub labels: Vec<(String, PairSet)>,
    /// True clusters; none if only pairs are listed.
    pub clusters: Option<Vec<Vec<u32>>>,
}

/// How a result is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Evaluating {
    /// Documents in all; all numbers are below it.
    pub n_documents: usize,
    /// Whether `n_documents` is the size of the whole collection. If not, only documents that the
    /// lists name are counted.
    pub knows_all: bool,
    /// Costs of mistakes.
    pub costs: Costs,
    /// Whether the share of duplicates to reckon with is estimated from the truth.
    pub estimates_p_dup: bool,
    /// How intervals are drawn.
    pub bootstrap: Bootstrap,
}

/// Everything that can be said of a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// Documents in all.
    pub n_documents: u64,
    /// Whether `n_documents` is the size of the whole collection. If not, only documents that the
    /// lists name are counted.
    pub knows_all: bool,
    /// Pairs that were reported; those of clusters if only clusters were.
    pub pairs: Option<PairFigures>,
    /// The same, of pairs that were judged.
    pub judged: Option<PairFigures>,
    /// By label of the truth.
    pub labels: Vec<LabelFigures>,
    /// Over all thresholds.
    pub curve: Option<CurveFigures>,
    /// Documents.
    pub documents: DocumentFigures,
    /// Clusters; none if they overlap.
    pub clusters: Option<ClusterFigures>,
    /// What would be removed.
    pub removal: Removal,
    /// Sizes of the clusters that were found.
    pub found_sizes: SizeDistribution,
    /// Sizes of the true clusters.
    pub true_sizes: SizeDistribution,
    /// What a reader has to know.
    pub notes: Vec<String>,
}

/// Pairs that clusters may stand for before they are no longer listed.
pub const MOST_PAIRS: usize = 50_000_000;

impl Evaluation {
    /// Evaluates a result.
    ///
    /// *Panics* if a document is not below `n_documents`.
    pub fn of(found: &Found, truth: &Truth, how: &Evaluating) -> Self {
        let mut notes = Vec::new();
        let ours = Ours::of(found, truth, how.n_documents, &mut notes);
        let truths = truth_partition(truth, how.n_documents, &mut notes);
        let bootstrap = how.bootstrap;
        let listed = truth.pairs.as_ref();
        if listed.is_none() {
            notes.push("the clusters of the list stand for too many pairs to compare".to_owned());
        }
        let reported = ours.pairs.as_ref().filter(|_| listed.is_some());
        let both = reported.zip(listed);
        let pairs = both.map(|(ours, listed)| pair_figures(ours, listed, how));
        let judged = both.filter(|_| !truth.negatives.is_empty()).map(|(ours, listed)| {
            let judged =
                ours.filtered(|a, b| listed.contains(a, b) || truth.negatives.contains(a, b));
            pair_figures(&judged, listed, how)
        });
        let labels = reported.map(|ours| {
            truth.labels.iter().map(|(label, of)| label_figures(ours, label, of, how)).collect()
        });
        let curve = both.and_then(|(ours, listed)| curve_figures(found, ours, listed, how));
        let documents = document_figures(&ours, &truths, how);
        let clusters =
            ours.partition.as_ref().map(|ours| cluster_figures(ours, &truths, &bootstrap));
        Self {
            n_documents: how.n_documents as u64,
            knows_all: how.knows_all,
            pairs,
            judged,
            labels: labels.unwrap_or_default(),
            curve,
            documents,
            clusters,
            removal: Removal::of(&ours.kept, &truths),
            found_sizes: SizeDistribution::of(ours.kept.iter().map(|(_, m)| m.len() as u64)),
            true_sizes: SizeDistribution::of(truths.sizes().iter().map(|&n| u64::from(n))),
            notes,
        }
    }
}

fn score_figures(values: [f64; 3], intervals: [Option<Interval>; 3]) -> ScoreFigures {
    let figure = |i: usize| Figure::new(values[i], intervals[i]);
    ScoreFigures { precision: figure(0), recall: figure(1), f1: figure(2) }
}

fn of_counts(counts: &PairCounts) -> [f64; 3] {
    let scores = counts.scores();
    [scores.precision, scores.recall, scores.f1]
}

fn pair_figures(ours: &PairSet, listed: &PairSet, how: &Evaluating) -> PairFigures {
    let counts = PairCounts::of(ours, listed);
    let units = pairs::units(ours, listed, how.n_documents);
    let intervals = how.bootstrap.intervals(&units, of_counts).unwrap_or_default();
    let clusters = pairs::by_cluster(ours, listed, how.n_documents);
    let by_cluster = (!clusters.is_empty()).then(|| {
        let scores = pairs::macro_scores(&clusters);
        let interval = |of: &dyn Fn(&OfCluster) -> f64| {
            how.bootstrap.mean(&clusters.iter().map(of).collect::<Vec<_>>())
        };
        ByCluster {
            n_clusters: clusters.len() as u64,
            scores: score_figures(
                [scores.precision, scores.recall, scores.f1],
                [
                    interval(&|cluster| cluster.scores().precision),
                    interval(&|cluster| cluster.scores().recall),
                    interval(&|cluster| cluster.scores().f1),
                ],
            ),
        }
    });
    PairFigures {
        counts: counts.five(),
        scores: score_figures(of_counts(&counts), intervals),
        by_cluster,
    }
}

fn label_figures(ours: &PairSet, label: &str, of: &PairSet, how: &Evaluating) -> LabelFigures {
    let found = ours.filtered(|a, b| of.contains(a, b));
    let units = pairs::units(&found, of, how.n_documents);
    let recall = |counts: &PairCounts| [counts.scores().recall];
    let interval = how.bootstrap.intervals(&units, recall);
    let counts = PairCounts::of(&found, of);
    LabelFigures {
        label: label.to_owned(),
        n_pairs: of.len() as u64,
        n_found: counts.common,
        recall: Figure::new(counts.scores().recall, interval.and_then(|[interval]| interval)),
    }
}

fn curve_figures(
    found: &Found,
    ours: &PairSet,
    listed: &PairSet,
    how: &Evaluating,
) -> Option<CurveFigures> {
    if found.scores.len() != ours.len() || found.scores.iter().all(|score| score.is_nan()) {
        return None;
    }
    let scored: Vec<Scored> = ours
        .iter()
        .zip(&found.scores)
        .map(|((a, b), &score)| Scored { score, is_true: listed.contains(a, b) })
        .collect();
    let curve = PrecisionRecall::of(&scored, listed.len() as u64);
    let n = how.n_documents as u64;
    let n_pairs = match listed.direction() {
        Direction::Unordered => n * n.saturating_sub(1) / 2,
        Direction::Ordered => n * n.saturating_sub(1),
    };
    Some(CurveFigures {
        average_precision: curve.average_precision(),
        best: curve.best().copied(),
        n_false: how.knows_all.then(|| n_pairs.saturating_sub(listed.len() as u64)),
        curve,
    })
}

fn document_figures(ours: &Ours, truths: &Partition, how: &Evaluating) -> DocumentFigures {
    let is_duplicate = |document: usize| truths.sizes()[truths.labels()[document] as usize] > 1;
    // Units are what hangs together through clusters of either side.
    let mut union = DisjointSets::new(how.n_documents);
    for (_, members) in &ours.kept {
        members.windows(2).for_each(|pair| union.join(pair[0], pair[1]));
    }
    for cluster in members(truths) {
        cluster.members.windows(2).for_each(|pair| union.join(pair[0], pair[1]));
    }
    let unit_of = union.labels();
    let n_units = unit_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut units = vec![DocumentCounts::default(); n_units];
    let mut counts = DocumentCounts::default();
    for (document, &unit) in unit_of.iter().enumerate() {
        let one = DocumentCounts::of([(ours.is_clustered[document], is_duplicate(document))]);
        units[unit as usize] += &one;
        counts += &one;
    }
    let p_dup = if how.estimates_p_dup { counts.duplicates() } else { how.costs.p_dup };
    let costs = Costs { p_dup, ..how.costs };
    let values = |counts: &DocumentCounts| {
        [
            counts.miss(),
            counts.recall(),
            counts.precision(),
            counts.f1(),
            counts.false_alarm(),
            counts.cost(&costs),
            counts.normalised_cost(&costs),
        ]
    };
    let intervals = how.bootstrap.intervals(&units, values).unwrap_or_default();
    let value = values(&counts);
    let figure = |i: usize| Figure::new(value[i], intervals[i]);
    DocumentFigures {
        counts,
        miss: figure(0),
        recall: figure(1),
        precision: figure(2),
        f1: figure(3),
        costs: how.knows_all.then(|| CostFigures {
            false_alarm: figure(4),
            c_dup: figure(5),
            c_norm: figure(6),
            costs,
            is_p_dup_estimated: how.estimates_p_dup,
        }),
    }
}

fn cluster_figures(ours: &Partition, truths: &Partition, bootstrap: &Bootstrap) -> ClusterFigures {
    let units = clusters::units(ours, truths);
    let mut sum = ClusterSums::default();
    for unit in &units {
        sum += unit;
    }
    let values = |sums: &ClusterSums| {
        let scores = sums.scores();
        [
            scores.adjusted_rand,
            scores.homogeneity,
            scores.completeness,
            scores.v_measure,
            scores.b3.precision,
            scores.b3.recall,
            scores.b3.f1,
            scores.pairs.precision,
            scores.pairs.recall,
            scores.pairs.f1,
        ]
    };
    let intervals = bootstrap.intervals(&units, values).unwrap_or_default();
    let value = values(&sum);
    let figure = |i: usize| Figure::new(value[i], intervals[i]);
    let scores =
        |i: usize| ScoreFigures { precision: figure(i), recall: figure(i + 1), f1: figure(i + 2) };
    ClusterFigures {
        adjusted_rand: figure(0),
        homogeneity: figure(1),
        completeness: figure(2),
        v_measure: figure(3),
        b3: scores(4),
        pairs: scores(7),
        pair_counts: sum.pairs.five(),
    }
}

#[cfg(test)]
mod tests;
