//! The truth in numbers: which pairs or clusters a list says are related.

use std::path::Path;

use serde::Serialize;

use super::counting::{Claim, Counting};
use super::found::{read_found_clusters, read_groups};
use super::kind::ListKind;
use super::names::Names;
use super::pairs::{Evidence, read_pairs};
use super::source::{Halt, open};
use crate::error::Error;
use crate::measures::PairSet;
use crate::measures::evaluation::{MOST_PAIRS, Truth};

/// What was read of the truth.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TruthFacts {
    /// Lines that say something.
    pub n_lines: u64,
    /// Different pairs, clusters, judgements or passages that are true.
    pub n_true: u64,
    /// Different pairs that are said not to be.
    pub n_negative: u64,
    /// Lines passed over because of their label.
    pub n_ignored: u64,
    /// Pairs of a document with itself, which are never counted.
    pub n_self: u64,
}

/// The truth in numbers, with what its details need.
#[derive(Debug, Default)]
pub(crate) struct ReadTruth {
    pub(crate) truth: Truth,
    pub(crate) facts: TruthFacts,
}

/// Reads a truth of pairs or clusters; `None` if it has more than `most` pairs.
pub(crate) fn read_truth(
    path: &Path,
    kind: ListKind,
    counting: &Counting<'_>,
    most: usize,
    names: &mut Names,
) -> Result<Option<ReadTruth>, Error> {
    let mut read = ReadTruth::default();
    let clusters = match kind {
        ListKind::Pairs => {
            return read_true_pairs(path, counting, most, names, &mut read)
                .map(|is_whole| is_whole.then_some(read));
        }
        ListKind::Members => read_groups(path, names)?,
        _ => {
            let found = read_found_clusters(path, counting.last_cell, names)?;
            found
                .into_iter()
                .map(|cluster| {
                    let mut members = cluster.members;
                    members.extend(cluster.kept);
                    members.sort_unstable();
                    members.dedup();
                    members
                })
                .collect()
        }
    };
    read.facts.n_lines = clusters.len() as u64;
    let clusters: Vec<Vec<u32>> =
        clusters.into_iter().filter(|members| members.len() > 1).collect();
    read.facts.n_true = clusters.len() as u64;
    // A cluster does not order its documents, so its pairs hold in both directions.
    let pairs = PairSet::from_clusters(&clusters, MOST_PAIRS).ok();
    read.truth.pairs = pairs.map(|pairs| pairs.directed(counting.direction));
    read.truth.clusters = Some(clusters);
    Ok(Some(read))
}

fn read_true_pairs(
    path: &Path,
    counting: &Counting<'_>,
    most: usize,
    names: &mut Names,
    read: &mut ReadTruth,
) -> Result<bool, Error> {
    let direction = counting.direction;
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    let mut label_names = Names::default();
    let mut labels: Vec<Vec<u64>> = Vec::new();
    let facts = &mut read.facts;
    let outcome = read_pairs(open(path)?, Evidence::Skipped, |line| {
        facts.n_lines += 1;
        let claim = counting.claim(line);
        if claim == Claim::Nothing {
            facts.n_ignored += 1;
            return Ok(());
        }
        for (a, b, _) in line.pairs(direction, counting.score).into_iter().flatten() {
            let Some(packed) = direction.pack(names.number(a), names.number(b)) else {
                facts.n_self += 1;
                continue;
            };
            if claim == Claim::Unrelated {
                negative.push(packed);
                continue;
            }
            positive.push(packed);
            if let Some(label) = line.label.as_deref() {
                let label = label_names.number(label) as usize;
                if label == labels.len() {
                    labels.push(Vec::new());
                }
                labels[label].push(packed);
            }
        }
        if positive.len() + negative.len() > most { Err(Halt::TooMany) } else { Ok(()) }
    });
    if let Err(halt) = outcome {
        return halt.named(path).map_or(Ok(false), Err);
    }
    let set = |packed: Vec<u64>| PairSet::from_packed(direction, packed);
    let positive = set(positive);
    // What is listed both ways is true.
    let negative = set(negative).filtered(|a, b| !positive.contains(a, b));
    facts.n_true = positive.len() as u64;
    facts.n_negative = negative.len() as u64;
    let labelled = labels.into_iter().zip(0..);
    read.truth.labels =
        labelled.map(|(packed, n)| (label_names.name(n).to_owned(), set(packed))).collect();
    read.truth.pairs = Some(positive);
    read.truth.negatives = negative;
    Ok(true)
}
