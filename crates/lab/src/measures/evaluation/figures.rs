//! The figures of an evaluation, as plain data.

use serde::Serialize;

use crate::measures::curves::{CurvePoint, PrecisionRecall};
use crate::measures::documents::{Costs, DocumentCounts};
use crate::measures::pairs::FiveNumbers;
use crate::statistics::Interval;

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
    pub(super) fn new(value: f64, interval: Option<Interval>) -> Self {
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
