//! Rows: cells that differ only in their set, taken together.

use std::collections::BTreeMap;

use super::design::{Design, Draw, Truth};
use super::differences::judge_differences;
use super::drawing::SetKind;
use super::measure::{Measure, Unit};
use super::outcome::{Record, interval_names};
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
                Measure::Sets => self.records.len() as f64,
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
        if measure == Measure::Sets {
            return None;
        }
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
    put_gains(design, &mut records);
    if let Truth::Difference { judges, .. } = &design.truth {
        records = judge_differences(&records, judges);
    }
    let records = apart_by_kind(design, records);
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

/// Tells the processor time that a method saves of another's, in percent:
/// `100 (theirs - ours) / theirs`.
fn put_gains(design: &Design, records: &mut [Record]) {
    for plan in design.methods.iter().filter(|plan| !plan.gain_over.is_empty()) {
        let theirs: BTreeMap<_, f64> = records
            .iter()
            .filter(|record| record.cell.method == plan.gain_over)
            .map(|record| ((record.cell.at.clone(), record.cell.set), record.time.cpu_seconds))
            .collect();
        for record in records.iter_mut().filter(|record| record.cell.method == plan.label) {
            if let Some(seconds) = theirs.get(&(record.cell.at.clone(), record.cell.set)) {
                let gain = 100.0 * (seconds - record.time.cpu_seconds) / seconds;
                record.cell.put(Measure::PercentGain, gain);
            }
        }
    }
}

/// Gives the disjoint sets rows of their own, and all sets together where some were redrawn, under
/// the axis `sets`. Only designs that draw their sets have it.
fn apart_by_kind(design: &Design, records: Vec<Record>) -> Vec<Record> {
    if design.data.draw == Draw::Order {
        return records;
    }
    let with = |record: &Record, sets: &str| {
        let mut record = record.clone();
        record.cell.at.insert("sets".to_owned(), sets.to_owned());
        record
    };
    let is_disjoint = |record: &&Record| record.cell.kind == SetKind::Disjoint;
    let disjoint = records.iter().filter(is_disjoint).map(|record| with(record, "disjoint"));
    let is_redrawn = records.iter().any(|record| record.cell.kind == SetKind::Redrawn);
    let all = records.iter().filter(|_| is_redrawn).map(|record| with(record, "with redrawn"));
    disjoint.chain(all).collect()
}
