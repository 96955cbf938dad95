//! Rows: cells that differ only in their set, taken together.

use std::collections::{BTreeMap, BTreeSet};

use super::design::{Design, Truth};
use super::outcome::Record;
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
    pub(super) fn values(&self, measure: &str) -> Vec<(usize, f64)> {
        let of = |record: &Record| {
            let n = record.cell.n_documents.max(1) as f64;
            let value = match measure {
                "seconds" => record.time.seconds,
                "cpu_seconds" => record.time.cpu_seconds,
                "milliseconds" => 1000.0 * record.time.seconds,
                "ms_per_document" => 1000.0 * record.time.seconds / n,
                "ms_per_thousand" => 1e6 * record.time.seconds / n,
                "documents" => n,
                name => *record.cell.measures.get(name)?,
            };
            Some((record.cell.set, value))
        };
        self.records.iter().filter_map(of).collect()
    }

    /// Returns the mean over sets.
    pub(super) fn mean(&self, measure: &str) -> Option<f64> {
        let values = self.values(measure);
        let sum: f64 = values.iter().map(|(_, value)| value).sum();
        (!values.is_empty()).then(|| sum / values.len() as f64)
    }

    /// Returns an interval: over sets if there are several, else within the one.
    pub(super) fn interval(&self, measure: &str) -> Option<(f64, f64)> {
        let values: Vec<f64> = self.values(measure).into_iter().map(|(_, value)| value).collect();
        if values.len() > 1 {
            let drawn = Bootstrap { repeats: 500, ..Bootstrap::default() };
            return drawn.mean(&values).map(|interval| (interval.low, interval.high));
        }
        let end = |name: &str| self.mean(&format!("{measure}_{name}"));
        end("low").zip(end("high"))
    }
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
    // Axes that a method does not have leave nothing behind.
    while let Some((from, to)) = name.find('{').zip(name.find('}')).filter(|(from, to)| from < to) {
        name.replace_range(from..=to, "");
    }
    name.trim().to_owned()
}

/// Decides what is a duplicate by the protocol of the thesis, and counts.
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
            let measures = &mut records[index].cell.measures;
            for (name, value) in [
                ("a", counts.a as f64),
                ("b", counts.b as f64),
                ("c", counts.c as f64),
                ("d", counts.d as f64),
                ("judged", n_judged as f64),
                ("miss", counts.miss()),
                ("false_alarm", counts.false_alarm()),
                ("precision", counts.precision()),
                ("recall", counts.recall()),
                ("f1", counts.f1()),
                ("c_dup", counts.cost(&costs)),
                ("c_norm", counts.normalised_cost(&costs)),
            ] {
                measures.insert(name.to_owned(), value);
            }
            for name in ["precision", "recall", "f1"] {
                measures.remove(&format!("{name}_low"));
                measures.remove(&format!("{name}_high"));
            }
        }
    }
}
