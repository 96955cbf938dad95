//! What a cell comes to: measures of one method in one setting on one set.

use std::collections::{BTreeMap, BTreeSet};

use retold_core::relation::{Kind, Relation};
use serde::{Deserialize, Serialize};

use super::design::{Counts, Truth};
use super::sets::{Planted, Set};
use super::workbench::{Answered, Ran};
use crate::measures::clusters::{ClusterSums, Partition, SizeDistribution};
use crate::measures::pairs::{Direction, PairCounts, PairSet, units};
use crate::measures::retrieval::Retrieval;
use crate::statistics::Bootstrap;

/// What a cell found. The same on every machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What tells it from every other: a hash of settings and data.
    pub key: String,
    /// The method.
    pub method: String,
    /// Values of all axes.
    pub at: BTreeMap<String, String>,
    /// Number of the set, from 1.
    pub set: usize,
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
    /// Documents that belong into one by what was planted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub planted: Vec<u32>,
}

/// What a cell took. Different on every machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// The cell.
    pub key: String,
    /// Seconds by the clock.
    pub seconds: f64,
    /// Seconds of processors.
    pub cpu_seconds: f64,
}

/// A line of a work file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was found.
    pub cell: Cell,
    /// What it took.
    pub time: Time,
}

/// What is true of a set, made ready for comparison.
pub(super) struct Known {
    pairs: PairSet,
    counts: Counts,
    planted: Vec<Planted>,
    /// Documents of which another stands in the set.
    duplicates: Vec<u32>,
    keeps_flagged: bool,
}

impl Known {
    /// Makes it from what was planted, or from what a method said.
    pub(super) fn new(truth: &Truth, set: &Set, said: Option<&[Relation]>) -> Self {
        let (counts, least) = match truth {
            Truth::Planted { counts, least } => (*counts, *least),
            Truth::Method { counts, .. } => (*counts, 0.0),
            Truth::Difference { least } => (Counts::Near, *least),
            Truth::Question | Truth::None => (Counts::Any, 0.0),
        };
        let pairs = match said {
            Some(relations) => found(relations, counts),
            None => PairSet::new(
                direction(counts),
                set.planted.iter().flat_map(|pair| {
                    let in_b = pair.scores.a_in_b.get() >= least;
                    let in_a = pair.scores.b_in_a.get() >= least;
                    let is_true = match counts {
                        Counts::Near => [in_a && in_b, false],
                        Counts::Containment => [in_b, in_a],
                        Counts::Any => [pair.relation.is_some(), false],
                    };
                    let both = [(pair.a, pair.b), (pair.b, pair.a)];
                    both.into_iter().zip(is_true).filter(|(_, is_true)| *is_true).map(|(p, _)| p)
                }),
            ),
        };
        let duplicates: BTreeSet<u32> = pairs.iter().flat_map(|(a, b)| [a, b]).collect();
        Self {
            pairs,
            counts,
            planted: set.planted.clone(),
            duplicates: duplicates.into_iter().collect(),
            keeps_flagged: matches!(truth, Truth::Difference { .. }),
        }
    }
}

fn direction(counts: Counts) -> Direction {
    match counts {
        Counts::Containment => Direction::Ordered,
        Counts::Near | Counts::Any => Direction::Unordered,
    }
}

/// Returns the pairs that relations stand for.
fn found(relations: &[Relation], counts: Counts) -> PairSet {
    let pairs = relations.iter().flat_map(|relation| {
        let (a, b) = (relation.a.0, relation.b.0);
        let stands = match (counts, relation.kind) {
            (Counts::Any, _) | (Counts::Near, Kind::Exact | Kind::NearDuplicate) => {
                [Some((a, b)), None]
            }
            (Counts::Containment, Kind::Exact | Kind::NearDuplicate) => {
                [Some((a, b)), Some((b, a))]
            }
            (Counts::Containment, Kind::Contained) => [Some((a, b)), None],
            (Counts::Containment, Kind::Contains) => [Some((b, a)), None],
            _ => [None, None],
        };
        stands.into_iter().flatten()
    });
    PairSet::new(direction(counts), pairs)
}

/// Measures a run within a collection.
pub(super) fn of_run(cell: &mut Cell, ran: &Ran, known: &Known, is_compared: bool) {
    let pairs = found(&ran.relations, known.counts);
    let measures = &mut cell.measures;
    let mut put = |name: &str, value: f64| {
        if value.is_finite() {
            measures.insert(name.to_owned(), value);
        }
    };
    for (name, value) in &ran.counters {
        put(name, *value);
    }
    put("relations", ran.relations.len() as f64);
    let flagged: BTreeSet<u32> = pairs.iter().flat_map(|(a, b)| [a, b]).collect();
    let joined = PairSet::new(Direction::Unordered, pairs.iter());
    let partition = Partition::from_pairs(cell.n_documents, &joined);
    let sizes = SizeDistribution::of(partition.sizes().iter().map(|&size| u64::from(size)));
    put("clusters", sizes.n_clusters as f64);
    put("clustered", sizes.n_clustered as f64);
    put("largest_cluster", sizes.largest as f64);
    if !is_compared {
        return;
    }
    let counts = PairCounts::of(&pairs, &known.pairs);
    let scores = counts.scores();
    put("precision", scores.precision);
    put("recall", scores.recall);
    put("f1", scores.f1);
    let five = counts.five();
    put("false_alarms", five.only_ours as f64);
    let n = cell.n_documents as f64;
    let n_pairs = match known.counts {
        Counts::Containment => n * (n - 1.0),
        Counts::Near | Counts::Any => n * (n - 1.0) / 2.0,
    };
    put("pair_miss", 1.0 - scores.recall);
    put("pair_false_alarm", five.only_ours as f64 / (n_pairs - five.all_ref as f64).max(1.0));
    put("all_ref", five.all_ref as f64);
    put("all_ours", five.all_ours as f64);
    put("only_ref", five.only_ref as f64);
    put("only_ours", five.only_ours as f64);
    put("common", five.common as f64);
    let drawn = Bootstrap { repeats: 300, ..Bootstrap::default() };
    let figures = |sum: &PairCounts| {
        let scores = sum.scores();
        [scores.precision, scores.recall, scores.f1]
    };
    if let Some(all) = drawn.intervals(&units(&pairs, &known.pairs, cell.n_documents), figures) {
        for (name, interval) in ["precision", "recall", "f1"].into_iter().zip(all) {
            if let Some(interval) = interval {
                put(&format!("{name}_low"), interval.low);
                put(&format!("{name}_high"), interval.high);
            }
        }
    }
    let reference = PairSet::new(Direction::Unordered, known.pairs.iter());
    let reference = Partition::from_pairs(cell.n_documents, &reference);
    put("ari", ClusterSums::of(&partition, &reference).scores().adjusted_rand);
    of_planted(&mut put, ran, known);
    if known.keeps_flagged {
        cell.flagged = flagged.into_iter().collect();
        cell.planted.clone_from(&known.duplicates);
    }
}

/// Measures what was found of each kind that was planted, and how near scores are to the truth.
fn of_planted(put: &mut dyn FnMut(&str, f64), ran: &Ran, known: &Known) {
    if known.planted.is_empty() {
        return;
    }
    let by_pair: BTreeMap<(u32, u32), &Relation> =
        ran.relations.iter().map(|relation| ((relation.a.0, relation.b.0), relation)).collect();
    let mut kinds = [(0_u64, 0_u64); 3];
    let (mut n_scored, mut sum, mut bias) = (0_u64, 0.0, 0.0);
    // Documents with what was made of them: all, found, found as near-duplicates; and passages.
    let (mut copies, mut passages) = ([0_u64; 3], [0_u64; 2]);
    for pair in &known.planted {
        let relation = by_pair.get(&(pair.a.min(pair.b), pair.a.max(pair.b)));
        let is_found = u64::from(relation.is_some());
        if pair.is_made_of {
            let kind = relation.map(|relation| relation.kind);
            let is_near = matches!(kind, Some(Kind::Exact | Kind::NearDuplicate));
            copies = [copies[0] + 1, copies[1] + is_found, copies[2] + u64::from(is_near)];
        } else {
            passages = [passages[0] + 1, passages[1] + is_found];
        }
        let slot = match pair.relation {
            Some(Kind::Exact | Kind::NearDuplicate) => 0,
            Some(Kind::Contains | Kind::Contained) => 1,
            Some(Kind::Partial) => 2,
            None => continue,
        };
        kinds[slot].1 += 1;
        if let Some(relation) = relation {
            kinds[slot].0 += 1;
            let error = relation.scores.containment() - pair.scores.containment();
            (n_scored, sum, bias) = (n_scored + 1, sum + error.abs(), bias + error);
        }
    }
    if copies[0] > 0 {
        put("detected", copies[1] as f64 / copies[0] as f64);
        put("reported", copies[2] as f64 / copies[0] as f64);
    }
    if passages[0] > 0 {
        put("passages_found", passages[1] as f64 / passages[0] as f64);
    }
    for (name, (n, all)) in ["near", "contained", "partial"].into_iter().zip(kinds) {
        if all > 0 {
            put(&format!("recall_{name}"), n as f64 / all as f64);
        }
    }
    if n_scored > 0 {
        put("score_error", sum / n_scored as f64);
        put("score_bias", bias / n_scored as f64);
    }
}

/// Measures the answer to a question.
pub(super) fn of_answer(cell: &mut Cell, answered: &Answered, relevant: &[u32]) {
    let measured = Retrieval::of(answered.ranking.iter().copied(), relevant.iter().copied());
    let mut put = |name: &str, value: f64| {
        cell.measures.insert(name.to_owned(), value);
    };
    for (name, value) in &answered.counters {
        put(name, *value);
    }
    let scores = measured.scores();
    put("relevant", measured.n_relevant as f64);
    put("recognition", measured.recognition as f64);
    put("total", measured.valid_results as f64);
    put("precision", scores.precision);
    put("recall", scores.recall);
    put("f1", scores.f1);
    put("reciprocal_rank", measured.reciprocal_rank());
    if let Some(rank) = measured.last_correct_rank {
        put("lcr", rank as f64);
    }
    let top = measured.at(measured.n_relevant.max(1)).scores;
    put("top_precision", top.precision);
    put("top_recall", top.recall);
    put("top_f1", top.f1);
    let most = measured.n_relevant * 5 / 4;
    let step = (measured.n_relevant / 36).max(1);
    let ks = (1..).map(|i| i * step).take_while(|&k| k <= most.max(step));
    cell.curve = measured
        .curve(ks)
        .into_iter()
        .map(|at| (at.k, at.scores.precision, at.scores.recall, at.scores.f1))
        .collect();
}
