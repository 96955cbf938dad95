//! What a cell comes to: measures of one method in one setting on one set.

use std::collections::BTreeMap;

use retold::{Kind, Relation};
use serde::{Deserialize, Serialize};

use super::bench::Ran;
use super::clusters::ClustersBeside;
use super::design::Counts;
use super::drawing::SetKind;
use super::examples::Example;
use super::known::{Judge, Known, pairs_of};
use super::measure::Measure;
use crate::measures::clusters::{ClusterSums, Partition, SizeDistribution};
use crate::measures::pairs::{Direction, PairCounts, PairSet, units};
use crate::statistics::Bootstrap;

/// What a cell found. The same on every machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Hash of everything it depends on; no two cells have the same.
    pub key: String,
    /// The method.
    pub method: String,
    /// Values of all axes.
    pub at: BTreeMap<String, String>,
    /// Number of the set, from 1.
    pub set: usize,
    /// Whether the set shares documents with others.
    #[serde(default)]
    pub kind: SetKind,
    /// Documents of the set.
    pub n_documents: usize,
    /// Measures by name.
    pub measures: BTreeMap<String, f64>,
    /// Precision, recall and F1 of the first k answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<(u64, f64, f64, f64)>,
    /// Documents that were put into a cluster, where they are compared between methods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flagged: Vec<u32>,
    /// Of each of them, the largest resemblance to a mate of its cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mate: Vec<f64>,
    /// Documents that resemble any other of the set, with the largest resemblance of each; counted
    /// exactly, whatever the method found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<(u32, f64)>,
    /// Pairs that only one of two methods found, to be shown; in one cell of a design.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// The clusters of two methods, to be shown; in one cell of a design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<ClustersBeside>,
}

impl Cell {
    /// Sets a measure; one that is not finite is left out.
    pub(super) fn put(&mut self, measure: Measure, value: f64) {
        if value.is_finite() {
            self.measures.insert(measure.name().to_owned(), value);
        }
    }

    /// Sets the ends of the interval around a measure.
    pub(super) fn put_interval(&mut self, measure: Measure, low: f64, high: f64) {
        for (name, value) in interval_names(measure).into_iter().zip([low, high]) {
            if value.is_finite() {
                self.measures.insert(name, value);
            }
        }
    }
}

/// Returns the names under which the ends of an interval are stored beside its measure.
pub(super) fn interval_names(measure: Measure) -> [String; 2] {
    ["low", "high"].map(|end| format!("{}_{end}", measure.name()))
}

/// How long a cell took. Different on every machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// The cell.
    pub key: String,
    /// Seconds by the clock.
    pub seconds: f64,
    /// Seconds of processors.
    pub cpu_seconds: f64,
    /// Seconds of single stages, by the name of their measure, where these are timed apart.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stages: BTreeMap<String, f64>,
}

/// A line of a work file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was found.
    pub cell: Cell,
    /// How long it took.
    pub time: Time,
}

/// Measures a run within a collection.
pub(super) fn of_run(cell: &mut Cell, ran: &Ran<Vec<Relation>>, known: &Known, is_compared: bool) {
    let relations = &ran.result;
    let pairs = pairs_of(relations, known.counts);
    for (measure, value) in &ran.figures {
        cell.put(*measure, *value);
    }
    cell.put(Measure::Relations, relations.len() as f64);
    let joined = PairSet::new(Direction::Unordered, pairs.iter());
    let partition = Partition::from_pairs(cell.n_documents, &joined);
    let sizes = SizeDistribution::of(partition.sizes().iter().map(|&size| u64::from(size)));
    cell.put(Measure::Clusters, sizes.n_clusters as f64);
    cell.put(Measure::Clustered, sizes.n_clustered as f64);
    cell.put(Measure::LargestCluster, sizes.largest as f64);
    if !is_compared {
        return;
    }
    if let Some(judge) = &known.judge {
        of_mates(cell, &partition, judge);
        return;
    }
    of_pairs(cell, &pairs, known);
    let reference = PairSet::new(Direction::Unordered, known.pairs.iter());
    let reference = Partition::from_pairs(cell.n_documents, &reference);
    cell.put(Measure::Ari, ClusterSums::of(&partition, &reference).scores().adjusted_rand);
    of_planted(cell, relations, known);
    for (measure, value) in &known.figures {
        cell.put(*measure, *value);
    }
}

/// Notes the documents in clusters, and how much each resembles a mate.
fn of_mates(cell: &mut Cell, partition: &Partition, judge: &Judge) {
    let mut clusters: Vec<Vec<u32>> = vec![Vec::new(); partition.sizes().len()];
    for (document, &label) in (0..).zip(partition.labels()) {
        clusters[label as usize].push(document);
    }
    let mut mates: BTreeMap<u32, f64> = BTreeMap::new();
    for members in clusters.iter().filter(|members| members.len() > 1) {
        for (i, &a) in members.iter().enumerate() {
            for &b in &members[i + 1..] {
                let resemblance = judge.runs.of(a, b).resemblance();
                for document in [a, b] {
                    let best = mates.entry(document).or_default();
                    *best = best.max(resemblance);
                }
            }
        }
    }
    (cell.flagged, cell.mate) = mates.into_iter().unzip();
    cell.known.clone_from(&judge.known);
}

/// Measures how many of the pairs that two methods found are the same.
pub(super) fn of_agreement(cell: &mut Cell, one: &[Relation], other: &[Relation]) {
    let [one, other] = [one, other].map(|relations| pairs_of(relations, Counts::Any));
    let five = PairCounts::of(&one, &other).five();
    let n_either = five.common + five.only_ours + five.only_ref;
    cell.put(Measure::Agreement, five.common as f64 / n_either as f64);
}

/// Measures the pairs that were found against those that are true.
fn of_pairs(cell: &mut Cell, pairs: &PairSet, known: &Known) {
    const SCORES: [Measure; 3] = [Measure::Precision, Measure::Recall, Measure::F1];
    const CHANGED: [Measure; 3] =
        [Measure::PrecisionChanged, Measure::RecallChanged, Measure::F1Changed];
    let figures = |sum: &PairCounts| {
        let scores = sum.scores();
        [scores.precision, scores.recall, scores.f1]
    };
    let counts = PairCounts::of(pairs, &known.pairs);
    for (measure, value) in SCORES.into_iter().zip(figures(&counts)) {
        cell.put(measure, value);
    }
    let changed = PairCounts::of(&known.changed(pairs), &known.changed(&known.pairs));
    for (measure, value) in CHANGED.into_iter().zip(figures(&changed)) {
        cell.put(measure, value);
    }
    cell.put(Measure::Copies, (counts.five().all_ref - changed.five().all_ref) as f64);
    let five = counts.five();
    let n = cell.n_documents as f64;
    let n_pairs = match known.counts {
        Counts::Containment => n * (n - 1.0),
        Counts::Near | Counts::Any => n * (n - 1.0) / 2.0,
    };
    let n_untrue = (n_pairs - five.all_ref as f64).max(1.0);
    cell.put(Measure::FalseAlarms, five.only_ours as f64);
    cell.put(Measure::PairMiss, 1.0 - counts.scores().recall);
    cell.put(Measure::PairFalseAlarm, five.only_ours as f64 / n_untrue);
    cell.put(Measure::AllRef, five.all_ref as f64);
    cell.put(Measure::AllOurs, five.all_ours as f64);
    cell.put(Measure::OnlyRef, five.only_ref as f64);
    cell.put(Measure::OnlyOurs, five.only_ours as f64);
    cell.put(Measure::Common, five.common as f64);
    let drawn = Bootstrap { repeats: 300, ..Bootstrap::default() };
    if let Some(all) = drawn.intervals(&units(pairs, &known.pairs, cell.n_documents), figures) {
        for (measure, interval) in SCORES.into_iter().zip(all) {
            if let Some(interval) = interval {
                cell.put_interval(measure, interval.low, interval.high);
            }
        }
    }
}

/// Measures what was found of each kind that was planted, and how near scores are to the truth.
fn of_planted(cell: &mut Cell, relations: &[Relation], known: &Known) {
    const KINDS: [Measure; 3] =
        [Measure::RecallNear, Measure::RecallContained, Measure::RecallPartial];
    let by_pair: BTreeMap<(u32, u32), &Relation> =
        relations.iter().map(|relation| ((relation.a.0, relation.b.0), relation)).collect();
    let mut kinds = [Share::default(); 3];
    let (mut detected, mut reported, mut passages) =
        (Share::default(), Share::default(), Share::default());
    let (mut n_scored, mut sum, mut bias) = (0_u64, 0.0, 0.0);
    for pair in &known.planted {
        let relation = by_pair.get(&(pair.a.min(pair.b), pair.a.max(pair.b)));
        if pair.is_made_of {
            let kind = relation.map(|relation| relation.kind);
            detected.count(relation.is_some());
            reported.count(matches!(kind, Some(Kind::Exact | Kind::NearDuplicate)));
        } else {
            passages.count(relation.is_some());
        }
        let slot = match pair.relation {
            Some(Kind::Exact | Kind::NearDuplicate) => 0,
            Some(Kind::Contains | Kind::Contained) => 1,
            Some(Kind::Partial) => 2,
            None => continue,
        };
        kinds[slot].count(relation.is_some());
        if let Some(relation) = relation {
            let error = relation.scores.containment() - pair.scores.containment();
            (n_scored, sum, bias) = (n_scored + 1, sum + error.abs(), bias + error);
        }
    }
    // A share of nothing is not finite and is left out.
    cell.put(Measure::Detected, detected.get());
    cell.put(Measure::Reported, reported.get());
    cell.put(Measure::PassagesFound, passages.get());
    for (measure, share) in KINDS.into_iter().zip(kinds) {
        cell.put(measure, share.get());
    }
    cell.put(Measure::ScoreError, sum / n_scored as f64);
    cell.put(Measure::ScoreBias, bias / n_scored as f64);
}

/// Counts how many things out of all have a property.
#[derive(Clone, Copy, Default)]
struct Share {
    n: u64,
    n_all: u64,
}

impl Share {
    fn count(&mut self, is_wanted: bool) {
        self.n += u64::from(is_wanted);
        self.n_all += 1;
    }

    fn get(self) -> f64 {
        self.n as f64 / self.n_all as f64
    }
}
