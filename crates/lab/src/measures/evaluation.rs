//! Everything that can be said of a result against a list of what is true, with intervals.
//!
//! Pairs as they were reported and pairs joined by clusters are both measured: closing pairs into
//! clusters hides some mistakes and makes others. Intervals come from a bootstrap over what hangs
//! together ([`Bootstrap`]).

use retold_core::hash::Random;
use serde::{Deserialize, Serialize};

use super::clusters::{self, ClusterSums, Partition, Removal, SizeDistribution};
use super::curves::{CurvePoint, PrecisionRecall, Scored};
use super::documents::{Costs, DocumentCounts};
use super::pairs::{self, FiveNumbers, OfCluster, PairCounts, PairSet};
use super::union::Union;
use crate::statistics::{
    Alternative, Bootstrap, Interval, PairedT, Permutation, Wilcoxon, holm, paired_t, permutation,
    randomisation, wilcoxon,
};

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

/// A figure and its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The figure.
    pub value: f64,
    /// Its interval, where one can be given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
}

impl Figure {
    fn new(value: f64, interval: Option<Interval>) -> Self {
        Self { value, interval }
    }
}

/// Precision, recall and F1 with intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoreFigures {
    /// Share of what was found that is true.
    pub precision: Figure,
    /// Share of what is true that was found.
    pub recall: Figure,
    /// Their harmonic mean.
    pub f1: Figure,
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
    /// True pairs by what the list says of them.
    pub labels: Vec<(String, PairSet)>,
    /// True clusters; none if only pairs are listed.
    pub clusters: Option<Vec<Vec<u32>>>,
}

/// How a result is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Evaluating {
    /// Documents in all; all numbers are below it.
    pub n_documents: usize,
    /// Whether these are really all, or only those that were named.
    pub knows_all: bool,
    /// Costs of mistakes.
    pub costs: Costs,
    /// Whether the share of duplicates to reckon with is estimated from the truth.
    pub estimates_p_dup: bool,
    /// How intervals are drawn.
    pub bootstrap: Bootstrap,
}

/// Pairs against pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairFigures {
    /// The five numbers.
    pub counts: FiveNumbers,
    /// Over pairs.
    #[serde(flatten)]
    pub scores: ScoreFigures,
    /// Over clusters of the truth.
    pub by_cluster: Option<ByCluster>,
}

/// Means over clusters of the truth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ByCluster {
    /// How many clusters.
    pub n_clusters: u64,
    /// The means.
    #[serde(flatten)]
    pub scores: ScoreFigures,
}

/// True pairs of one label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelFigures {
    /// The label.
    pub label: String,
    /// Pairs that have it.
    pub n_pairs: u64,
    /// Those that were found.
    pub n_found: u64,
    /// Their share.
    pub recall: Figure,
}

/// All thresholds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurveFigures {
    /// Area below the curve of precision and recall.
    pub average_precision: f64,
    /// The threshold of the highest F1.
    pub best: Option<CurvePoint>,
    /// Points of the curve, highest threshold first.
    #[serde(skip)]
    pub curve: PrecisionRecall,
    /// False pairs there are in all, for a DET curve; none if not all documents are known.
    pub n_false: Option<u64>,
}

/// Documents that stand in clusters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DocumentFigures {
    /// The counts; `d` is of documents that were named if not all are known.
    pub counts: DocumentCounts,
    /// Share of duplicates that were missed.
    pub miss: Figure,
    /// Share of duplicates that were found.
    pub recall: Figure,
    /// Share of found documents that are duplicates.
    pub precision: Figure,
    /// Harmonic mean of both.
    pub f1: Figure,
    /// What needs all documents.
    #[serde(flatten)]
    pub costs: Option<CostFigures>,
}

/// What mistakes cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CostFigures {
    /// Share of other documents that were found.
    pub false_alarm: Figure,
    /// Cost of a decision.
    pub c_dup: Figure,
    /// Cost over that of always saying the same.
    pub c_norm: Figure,
    /// Costs and the share of duplicates that they are computed with.
    pub costs: Costs,
    /// Whether that share was estimated from the truth.
    pub is_p_dup_estimated: bool,
}

/// Partition against partition.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClusterFigures {
    /// Agreement beyond chance.
    pub adjusted_rand: Figure,
    /// Clusters of documents.
    pub b3: ScoreFigures,
    /// Whether found clusters hold one true cluster only.
    pub homogeneity: Figure,
    /// Whether true clusters lie in one found cluster.
    pub completeness: Figure,
    /// Harmonic mean of both.
    pub v_measure: Figure,
    /// Pairs joined by clusters.
    pub pairs: ScoreFigures,
    /// How those pairs meet.
    pub pair_counts: FiveNumbers,
}

/// Everything that can be said of a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// Documents in all.
    pub n_documents: u64,
    /// Whether these are really all, or only those that were named.
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
        let ours = Ours::of(found, how.n_documents, &mut notes);
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

/// A result made ready.
struct Ours {
    pairs: Option<PairSet>,
    /// None if clusters overlap.
    partition: Option<Partition>,
    /// Clusters of two or more, with the document that stays.
    kept: Vec<(u32, Vec<u32>)>,
    /// Whether a document stands in a cluster of two or more.
    is_clustered: Vec<bool>,
}

impl Ours {
    fn of(found: &Found, n_documents: usize, notes: &mut Vec<String>) -> Self {
        let clusters: Vec<FoundCluster> = match (&found.clusters, &found.pairs) {
            (Some(clusters), _) => clusters.clone(),
            (None, Some(pairs)) => {
                notes.push(
                    "no clusters were given: what hangs together through pairs is taken for one"
                        .to_owned(),
                );
                members(&Partition::from_pairs(n_documents, pairs))
            }
            (None, None) => Vec::new(),
        };
        let mut kept = Vec::new();
        let mut is_clustered = vec![false; n_documents];
        for cluster in &clusters {
            let mut all = cluster.members.clone();
            all.extend(cluster.kept);
            all.sort_unstable();
            all.dedup();
            if all.len() < 2 {
                continue;
            }
            for &member in &all {
                is_clustered[member as usize] = true;
            }
            let first = cluster.members.first().copied();
            kept.push((cluster.kept.or(first).unwrap_or(all[0]), all));
        }
        let members: Vec<&Vec<u32>> = kept.iter().map(|(_, members)| members).collect();
        let partition = Partition::from_clusters(n_documents, &members);
        if partition.is_err() {
            notes.push(
                "clusters overlap: figures that need every document in one cluster are left out"
                    .to_owned(),
            );
        }
        let pairs = found.pairs.clone().or_else(|| {
            let pairs = PairSet::from_clusters(&members, MOST_PAIRS);
            if pairs.is_err() {
                notes.push("the clusters stand for too many pairs to compare".to_owned());
            }
            pairs.ok()
        });
        Self { pairs, partition: partition.ok(), kept, is_clustered }
    }
}

/// Returns the clusters of two or more of a partition.
fn members(partition: &Partition) -> Vec<FoundCluster> {
    let mut clusters = vec![FoundCluster::default(); partition.sizes().len()];
    for (document, &label) in partition.labels().iter().enumerate() {
        if partition.sizes()[label as usize] > 1 {
            clusters[label as usize].members.push(document as u32);
        }
    }
    clusters.retain(|cluster| !cluster.members.is_empty());
    clusters
}

/// Returns which documents belong together. Overlapping true clusters are joined.
fn truth_partition(truth: &Truth, n_documents: usize, notes: &mut Vec<String>) -> Partition {
    let Some(clusters) = &truth.clusters else {
        let none = PairSet::default();
        return Partition::from_pairs(n_documents, truth.pairs.as_ref().unwrap_or(&none));
    };
    Partition::from_clusters(n_documents, clusters).unwrap_or_else(|_| {
        notes.push("true clusters overlap and are joined where one is needed".to_owned());
        let mut union = Union::new(n_documents);
        for cluster in clusters {
            cluster.windows(2).for_each(|pair| union.join(pair[0], pair[1]));
        }
        Partition::from_labels(&union.labels())
    })
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
    let n_pairs = n * n.saturating_sub(1) / 2;
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
    let mut union = Union::new(how.n_documents);
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

/// One figure of two results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Which figure.
    pub figure: &'static str,
    /// Of the first result.
    pub first: f64,
    /// Of the second result.
    pub second: f64,
    /// First minus second, with the interval of the bootstrap over both together.
    pub difference: Figure,
    /// How probable a difference as large is if both are alike (randomisation test, both sides).
    pub p: Option<f64>,
    /// The same, corrected for the number of figures (Holm).
    pub p_corrected: Option<f64>,
}

/// Two results against one list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Units that hang together; what is drawn and swapped.
    pub n_units: u64,
    /// Figures over pairs.
    pub differences: Vec<Difference>,
    /// Tests over the F1 of each true cluster, both sides; none with too few.
    pub t: Option<PairedT>,
    /// By ranks.
    pub wilcoxon: Option<Wilcoxon>,
    /// By swaps.
    pub permutation: Option<Permutation>,
}

impl Comparison {
    /// Compares two results by their pairs; none if one of them has no pairs, or the truth.
    ///
    /// *Panics* if a document is not below `n_documents`.
    pub fn of(found: [&Found; 2], truth: &Truth, how: &Evaluating) -> Option<Self> {
        let mut unused = Vec::new();
        let [one, two] = found.map(|found| Ours::of(found, how.n_documents, &mut unused).pairs);
        let (one, two, listed) = (one?, two?, truth.pairs.as_ref()?);
        let [first, second] = pairs::units_of([&one, &two], listed, how.n_documents);
        let units: Vec<Both> = first.into_iter().zip(second).map(|(x, y)| Both(x, y)).collect();
        let whole = Both(PairCounts::of(&one, listed), PairCounts::of(&two, listed));
        let Bootstrap { repeats, seed, level } = how.bootstrap;
        let intervals = how
            .bootstrap
            .intervals(&units, |both| {
                let (x, y) = (of_counts(&both.0), of_counts(&both.1));
                [x[0] - y[0], x[1] - y[1], x[2] - y[2]]
            })
            .unwrap_or_default();
        // Another stream of chance than that of the bootstrap.
        let seed_of_swaps = Random::new(seed).next_u64();
        let pairs_of_units: Vec<(PairCounts, PairCounts)> =
            units.iter().map(|both| (both.0, both.1)).collect();
        let (x, y) = (of_counts(&whole.0), of_counts(&whole.1));
        let mut differences: Vec<Difference> = ["precision", "recall", "f1"]
            .into_iter()
            .enumerate()
            .map(|(i, figure)| Difference {
                figure,
                first: x[i],
                second: y[i],
                difference: Figure::new(x[i] - y[i], intervals[i]),
                p: randomisation(
                    &pairs_of_units,
                    |counts| of_counts(counts)[i],
                    repeats,
                    seed_of_swaps,
                ),
                p_corrected: None,
            })
            .collect();
        let known: Vec<f64> = differences.iter().filter_map(|difference| difference.p).collect();
        let mut corrected = holm(&known).into_iter();
        for difference in differences.iter_mut().filter(|difference| difference.p.is_some()) {
            difference.p_corrected = corrected.next();
        }
        let [first, second] = [&one, &two].map(|ours| {
            let clusters = pairs::by_cluster(ours, listed, how.n_documents);
            clusters.iter().map(|cluster| cluster.scores().f1).collect::<Vec<f64>>()
        });
        let claim = Alternative::TwoSided;
        Some(Self {
            n_units: units.len() as u64,
            differences,
            t: paired_t(&first, &second, claim, level),
            wilcoxon: wilcoxon(&first, &second, claim),
            permutation: permutation(&first, &second, claim, repeats, seed_of_swaps),
        })
    }
}

/// What a unit adds to the counts of two results.
#[derive(Clone, Copy, Debug, Default)]
struct Both(PairCounts, PairCounts);

impl std::ops::AddAssign<&Self> for Both {
    fn add_assign(&mut self, other: &Self) {
        self.0 += &other.0;
        self.1 += &other.1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measures::Direction;

    fn pairs(pairs: &[(u32, u32)]) -> PairSet {
        PairSet::new(Direction::Unordered, pairs.iter().copied())
    }

    fn how(n_documents: usize) -> Evaluating {
        Evaluating {
            n_documents,
            knows_all: true,
            costs: Costs::default(),
            estimates_p_dup: true,
            bootstrap: Bootstrap { repeats: 200, ..Bootstrap::default() },
        }
    }

    fn found(all: &[(u32, u32)]) -> Found {
        Found { pairs: Some(pairs(all)), ..Found::default() }
    }

    fn truth(all: &[(u32, u32)]) -> Truth {
        Truth { pairs: Some(pairs(all)), ..Truth::default() }
    }

    #[test]
    fn a_result_is_measured_in_every_way() {
        let ours = Found { scores: vec![0.9, 0.4], ..found(&[(0, 1), (2, 3)]) };
        let evaluation = Evaluation::of(&ours, &truth(&[(0, 1), (4, 5)]), &how(10));
        let figures = evaluation.pairs.expect("there are pairs");
        assert_eq!((figures.counts.common, figures.counts.only_ours), (1, 1));
        assert!((figures.scores.f1.value - 0.5).abs() < 1e-12);
        let counts = evaluation.documents.counts;
        assert_eq!(counts, DocumentCounts { a: 2, b: 2, c: 2, d: 4 });
        let costs = evaluation.documents.costs.expect("all documents are known");
        assert!((costs.costs.p_dup - 0.4).abs() < 1e-12);
        let curve = evaluation.curve.expect("there are scores");
        assert!((curve.average_precision - 0.5).abs() < 1e-12);
        assert_eq!(curve.n_false, Some(43));
        assert_eq!((evaluation.removal.n_removed, evaluation.removal.n_wrongly), (2, 1));
        assert_eq!(evaluation.notes.len(), 1);
    }

    #[test]
    fn judged_pairs_are_told_apart_from_unknown_ones() {
        let mut truth = truth(&[(0, 1)]);
        truth.negatives = pairs(&[(2, 3)]);
        truth.labels = vec![("light".to_owned(), pairs(&[(0, 1)]))];
        let evaluation = Evaluation::of(&found(&[(0, 1), (2, 3), (4, 5)]), &truth, &how(6));
        let all = evaluation.pairs.expect("pairs").scores.precision.value;
        let judged = evaluation.judged.expect("there are negatives").scores.precision.value;
        assert!((all - 1.0 / 3.0).abs() < 1e-12 && (judged - 0.5).abs() < 1e-12);
        assert_eq!((evaluation.labels[0].n_pairs, evaluation.labels[0].n_found), (1, 1));
    }

    #[test]
    fn overlapping_clusters_leave_out_what_needs_a_partition() {
        let cluster = |members: &[u32]| FoundCluster { kept: None, members: members.to_vec() };
        let ours = Found {
            clusters: Some(vec![cluster(&[1, 4]), cluster(&[3, 4]), cluster(&[1, 2, 3])]),
            ..Found::default()
        };
        let evaluation = Evaluation::of(&ours, &truth(&[(1, 2), (2, 4)]), &how(5));
        assert_eq!(evaluation.clusters, None);
        let five = evaluation.pairs.expect("pairs of clusters").counts;
        assert_eq!((five.all_ref, five.all_ours, five.common), (2, 5, 1));
        assert_eq!(evaluation.found_sizes.sizes, [(2, 2), (3, 1)]);
    }

    #[test]
    fn a_worse_result_is_told_from_a_better_one() {
        let all: Vec<(u32, u32)> = (0..40).map(|i| (2 * i, 2 * i + 1)).collect();
        let truth = truth(&all);
        let comparison = Comparison::of([&found(&all[..36]), &found(&all[..20])], &truth, &how(80));
        let comparison = comparison.expect("both have pairs");
        let recall = &comparison.differences[1];
        assert!((recall.difference.value - 0.4).abs() < 1e-12);
        assert!(recall.p.expect("there are units") < 0.01);
        assert!(recall.difference.interval.expect("many units").low > 0.2);
        assert!(comparison.wilcoxon.expect("clusters differ").p < 0.01);
        let same = Comparison::of([&found(&all), &found(&all)], &truth, &how(80)).expect("pairs");
        assert_eq!(same.t, None);
        assert_eq!(same.differences[2].p_corrected, Some(1.0));
    }

    #[test]
    fn pooled_recall_is_never_called_plain_recall() {
        for &name in TruthOf::NAMES {
            let truth: TruthOf =
                serde_json::from_value(serde_json::Value::String(name.to_owned())).expect("a name");
            assert_eq!(truth.recall_name() == "recall", truth == TruthOf::Complete, "{name}");
        }
    }
}
