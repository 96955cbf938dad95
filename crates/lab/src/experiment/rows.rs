//! Rows: cells that differ only in their set, taken together.

use std::collections::{BTreeMap, BTreeSet};

use super::design::{Design, Truth};
use super::measure::{Measure, Unit};
use super::outcome::{Record, interval_names};
use crate::measures::documents::{Costs, DocumentCounts};
use crate::statistics::Bootstrap;

/// A line of the table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) name: String,
    /// Number and label of the method in the design.
    pub(super) method: usize,
    pub(super) label: String,
    pub(super) at: BTreeMap<String, String>,
    pub(super) records: Vec<Record>,
}

impl Row {
    /// Returns a measure of every set that has it, with the number of the set.
    pub(super) fn values(&self, measure: Measure) -> Vec<(usize, f64)> {
        let of = |record: &Record| {
            let n = record.cell.n_documents.max(1) as f64;
            let value = match measure {
                Measure::Seconds => record.time.seconds,
                Measure::CpuSeconds => record.time.cpu_seconds,
                Measure::Milliseconds => 1000.0 * record.time.seconds,
                Measure::MsPerDocument => 1000.0 * record.time.seconds / n,
                Measure::MsPerThousand => 1e6 * record.time.seconds / n,
                Measure::Documents => n,
                stage if stage.unit() == Unit::Time => *record.time.stages.get(stage.name())?,
                other => *record.cell.measures.get(other.name())?,
            };
            Some((record.cell.set, value))
        };
        self.records.iter().filter_map(of).collect()
    }

    /// Returns the mean over sets.
    pub(super) fn mean(&self, measure: Measure) -> Option<f64> {
        mean(self.values(measure).into_iter().map(|(_, value)| value))
    }

    /// Returns an interval: over sets if there are several, else within the one.
    pub(super) fn interval(&self, measure: Measure) -> Option<(f64, f64)> {
        let values: Vec<f64> = self.values(measure).into_iter().map(|(_, value)| value).collect();
        if values.len() > 1 {
            let drawn = Bootstrap { repeats: 500, ..Bootstrap::default() };
            return drawn.mean(&values).map(|interval| (interval.low, interval.high));
        }
        let [low, high] = interval_names(measure).map(|name| {
            mean(self.records.iter().filter_map(|record| record.cell.measures.get(&name).copied()))
        });
        low.zip(high)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (n, sum) = values.fold((0_usize, 0.0), |(n, sum), value| (n + 1, sum + value));
    (n > 0).then(|| sum / n as f64)
}

/// Puts cells together, in the order of methods and of their cells.
pub(super) fn rows(design: &Design, mut records: Vec<Record>) -> Vec<Row> {
    if matches!(design.truth, Truth::Difference { .. }) {
        judge_differences(&mut records);
    }
    let mut rows: Vec<Row> = Vec::new();
    for record in records {
        let cell = &record.cell;
        let known = rows.iter_mut().find(|row| row.label == cell.method && row.at == cell.at);
        if let Some(row) = known {
            row.records.push(record);
            continue;
        }
        let method = design.methods.iter().position(|plan| plan.label == cell.method);
        rows.push(Row {
            name: name(design, &cell.method, &cell.at),
            method: method.unwrap_or(0),
            label: cell.method.clone(),
            at: cell.at.clone(),
            records: vec![record],
        });
    }
    // Stable: within a method the order of the grid stays.
    rows.sort_by_key(|row| row.method);
    rows
}

fn name(design: &Design, label: &str, at: &BTreeMap<String, String>) -> String {
    if design.row.is_empty() {
        let axes = at.iter().map(|(axis, value)| format!("{axis} {value}"));
        return std::iter::once(label.to_owned()).chain(axes).collect::<Vec<_>>().join(", ");
    }
    let mut name = design.row.replace("{method}", label);
    for (axis, value) in at {
        name = name.replace(&format!("{{{axis}}}"), value);
    }
    // Placeholders of axes that a method does not have are removed.
    while let Some((from, to)) = name.find('{').zip(name.find('}')).filter(|(from, to)| from < to) {
        name.replace_range(from..=to, "");
    }
    name.trim().to_owned()
}

/// Decides which documents are duplicates by the protocol of the thesis, and counts them.
fn judge_differences(records: &mut [Record]) {
    let mut by_set: BTreeMap<(BTreeMap<String, String>, usize), Vec<usize>> = BTreeMap::new();
    for (index, record) in records.iter().enumerate() {
        by_set.entry((record.cell.at.clone(), record.cell.set)).or_default().push(index);
    }
    for members in by_set.into_values() {
        let flagged: Vec<BTreeSet<u32>> = members
            .iter()
            .map(|&index| records[index].cell.flagged.iter().copied().collect())
            .collect();
        let planted: BTreeSet<u32> = records[members[0]].cell.planted.iter().copied().collect();
        let n_documents = records[members[0]].cell.n_documents as u32;
        let is_duplicate = |document: u32| {
            let n_said = flagged.iter().filter(|said| said.contains(&document)).count();
            if n_said == flagged.len() { true } else { n_said > 0 && planted.contains(&document) }
        };
        let n_judged = (0..n_documents)
            .filter(|document| {
                let n_said = flagged.iter().filter(|said| said.contains(document)).count();
                n_said > 0 && n_said < flagged.len()
            })
            .count();
        for (&index, said) in members.iter().zip(&flagged) {
            let counts = DocumentCounts::of(
                (0..n_documents).map(|document| (said.contains(&document), is_duplicate(document))),
            );
            let costs = Costs::default();
            let cell = &mut records[index].cell;
            for (measure, value) in [
                (Measure::A, counts.a as f64),
                (Measure::B, counts.b as f64),
                (Measure::C, counts.c as f64),
                (Measure::D, counts.d as f64),
                (Measure::Judged, n_judged as f64),
                (Measure::Miss, counts.miss()),
                (Measure::FalseAlarm, counts.false_alarm()),
                (Measure::Precision, counts.precision()),
                (Measure::Recall, counts.recall()),
                (Measure::F1, counts.f1()),
                (Measure::CDup, counts.cost(&costs)),
                (Measure::CNorm, counts.normalised_cost(&costs)),
            ] {
                cell.measures.insert(measure.name().to_owned(), value);
            }
            for measure in [Measure::Precision, Measure::Recall, Measure::F1] {
                cell.forget_interval(measure);
            }
        }
    }
}
