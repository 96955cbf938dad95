//! Findings: tables, charts and verdicts, for whoever prints or draws them.

mod charts;
mod fits;
mod paired;
mod per_set;
mod tables;

use std::collections::BTreeMap;
use std::mem::take;

use retold_report::grouped;

pub use self::charts::NamedChart;
use self::charts::Shown;
pub(super) use self::fits::Fit;
use self::fits::{fit_table, fits};
pub(super) use self::paired::{PairedResult, p_text, paired_by};
use self::paired::{paired, paired_table};
use self::per_set::per_set_tables;
#[cfg(test)]
pub(super) use self::tables::Printed as PrintedTable;
pub use self::tables::{Column, Side, Table};
use self::tables::{Printed, main_table, pivot_table};
use super::advice::{Advice, advise};
use super::checks::Measured;
use super::claims::{Verdict, verdicts};
use super::design::{Design, Extent};
use super::drawing::SetKind;
use super::examples::Example;
use super::outcome::Record;
use super::rows::rows;

/// All results of an experiment.
#[derive(Clone, Debug)]
pub struct Findings {
    /// Name of the design.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The question that it answers.
    pub question: String,
    /// The paper it repeats; empty for none.
    pub paper: String,
    /// On which documents and sets it was run.
    pub setting: String,
    /// Remarks that are needed to interpret the numbers.
    pub notes: Vec<String>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The charts.
    pub charts: Vec<NamedChart>,
    /// The claims, checked.
    pub verdicts: Vec<Verdict>,
    /// Which method to take, if the design asks for it.
    pub advice: Option<Advice>,
    /// Pairs that two methods judge differently.
    pub examples: Vec<Example>,
    /// All cells.
    pub records: Vec<Record>,
    /// Seconds by the clock, over all attempts: reading, making sets, the reference, and all cells.
    /// Different on every machine.
    pub clock_seconds: f64,
}

impl Findings {
    /// Returns the seconds of all cells together.
    pub fn cell_seconds(&self) -> f64 {
        self.records.iter().map(|record| record.time.seconds).sum()
    }
}

/// Puts everything together.
pub(super) fn findings(
    design: &Design,
    extent: Extent,
    base: &str,
    records: Vec<Record>,
) -> Findings {
    let mut kept = records.clone();
    // They are shown once, and kept out of the results, which hold no text.
    let examples = kept.iter_mut().flat_map(|record| take(&mut record.cell.examples)).collect();
    let clusters = kept.iter_mut().find_map(|record| take(&mut record.cell.clusters));
    let rows = rows(design, records);
    let printed = design.published.as_ref().map(Printed::of);
    let paired = paired(design, &rows);
    let fits = fits(design, &rows);
    let mut tables = vec![match design.pivot {
        None => main_table(design, &rows, printed.as_ref()),
        Some(measure) => pivot_table(design, measure, &rows),
    }];
    tables.extend(paired_table(design, &paired));
    tables.extend(per_set_tables(design, &rows));
    tables.extend(clusters.map(|clusters| clusters.table()));
    tables.extend(fit_table(design, &fits));
    let shown = Shown { design, rows: &rows, printed: printed.as_ref(), fits: &fits };
    let measured = Measured { design, rows: &rows, paired: &paired, fits: &fits };
    let data = data(extent, base, &kept);
    let mut notes = design.notes.clone();
    if let Some(method) = design.judges_its_reference() {
        notes.push(format!(
            "the reference was made by a judged method, {method}: claims are withdrawn"
        ));
    }
    notes.extend(few_sets(design, extent, &kept));
    notes.extend(too_large(design, extent, &kept));
    Findings {
        name: design.name.clone(),
        title: design.title.clone(),
        question: design.question.clone(),
        paper: design.paper.clone(),
        setting: setting(extent, base, &kept),
        notes,
        tables,
        charts: shown.charts(),
        verdicts: verdicts(&measured, &data),
        advice: design.advice.as_ref().map(|plan| advise(design, plan, &rows)),
        examples,
        records: kept,
        clock_seconds: 0.0,
    }
}

/// Says on which documents and sets claims were checked.
fn data(extent: Extent, base: &str, records: &[Record]) -> String {
    let sizes = records.iter().map(|record| record.cell.n_documents as u64);
    let (least, most) = (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0));
    let size = if least == most {
        grouped(most)
    } else {
        format!("{} to {}", grouped(least), grouped(most))
    };
    let sets = match sets_told(records) {
        Some(sets) => format!("{sets} of {size} documents"),
        None => format!("one set of {size} documents"),
    };
    let quick = if extent == Extent::Quick { ", quick version" } else { "" };
    format!("{base}: {sets}{quick}")
}

/// Says how many sets there are and of which kind; none for a single one.
fn sets_told(records: &[Record]) -> Option<String> {
    let sets: BTreeMap<usize, SetKind> =
        records.iter().map(|record| (record.cell.set, record.cell.kind)).collect();
    let n_redrawn = sets.values().filter(|kind| **kind == SetKind::Redrawn).count();
    match (sets.len(), n_redrawn) {
        (0 | 1, _) => None,
        (n, 0) => Some(format!("{n} sets")),
        (n, redrawn) => Some(format!("{} disjoint and {redrawn} redrawn sets", n - redrawn)),
    }
}

fn setting(extent: Extent, base: &str, records: &[Record]) -> String {
    let version = match extent {
        Extent::Quick => "quick version",
        Extent::Full => "full version",
    };
    let sizes = records.iter().map(|record| record.cell.n_documents);
    let (least, most) = (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0));
    let size = if least == most { format!("{most}") } else { format!("{least} to {most}") };
    let sets = sets_told(records).map(|sets| format!("{sets} of ")).unwrap_or_default();
    format!("{version}: {sets}{size} documents ({base}), {} cells", records.len())
}

/// Returns a remark if there are too few sets for firm conclusions.
fn few_sets(design: &Design, extent: Extent, records: &[Record]) -> Option<String> {
    let full = design.size(Extent::Full).sets;
    let done = records.iter().map(|record| record.cell.set).max().unwrap_or(0);
    (done < full).then(|| {
        let why = if extent == Extent::Quick { "the quick version has" } else { "there were" };
        format!("{why} {done} of {full} sets: intervals are wide and tests weak")
    })
}

/// Returns a remark about sizes for which the collection has too few documents.
fn too_large(design: &Design, extent: Extent, records: &[Record]) -> Option<String> {
    let mut names = Vec::new();
    for axis in &design.data.axes {
        let is_there = |name: &String| {
            records.iter().any(|record| record.cell.at.get(&axis.name) == Some(name))
        };
        let sizes = axis.values(extent).iter().filter(|value| value.documents.is_some());
        names.extend(sizes.map(|value| &value.name).filter(|name| !is_there(name)).cloned());
    }
    (!names.is_empty())
        .then(|| format!("the collection is too small for sizes of {}", names.join(", ")))
}
