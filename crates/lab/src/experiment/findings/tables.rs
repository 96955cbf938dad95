//! Tables: our numbers, and beside them those that the paper printed.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::experiment::design::{Design, PrintedColumn, Published};
use crate::experiment::measure::Measure;
use crate::experiment::published::printed_table;
use crate::experiment::rows::Row;

/// Whose numbers a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Names.
    Name,
    /// What was measured here.
    Ours,
    /// What the paper printed.
    Paper,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// What stands over it.
    pub title: String,
    /// Whose numbers it holds.
    pub side: Side,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Where the paper's numbers stand; empty without any.
    pub place: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows; empty cells are unknown.
    pub rows: Vec<Vec<String>>,
}

/// What a paper printed: cells by the name of our row.
pub(in crate::experiment) struct Printed {
    pub(in crate::experiment) columns: Vec<PrintedColumn>,
    pub(in crate::experiment) rows: BTreeMap<String, Vec<String>>,
}

impl Printed {
    /// Reads what a paper printed.
    pub(in crate::experiment) fn of(published: &Published) -> Self {
        let plain = |title: &String| PrintedColumn { name: title.clone(), title: title.clone() };
        let Some(table) = printed_table(&published.table) else {
            let rows = published.rows.iter().filter_map(|row| {
                let (name, cells) = row.split_first()?;
                Some((text_of(name), cells.iter().map(text_of).collect()))
            });
            let columns = published.columns.iter().map(plain).collect();
            return Self { columns, rows: rows.collect() };
        };
        let mut lines = table.lines();
        let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        let rows = lines.map(|line| {
            let cells: BTreeMap<&str, &str> = names.iter().copied().zip(line.split('\t')).collect();
            let mut name = published.row.clone();
            for (column, cell) in &cells {
                name = name.replace(&format!("{{{column}}}"), cell);
            }
            let shown = published.shown.iter();
            let cells = shown.map(|plan| (*cells.get(&*plan.name).unwrap_or(&"")).to_owned());
            (name, cells.collect())
        });
        Self { rows: rows.collect(), columns: published.shown.clone() }
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Writes the mean of a measure, with its interval where there is one.
fn shown(measure: Measure, row: &Row) -> String {
    let Some(mean) = row.mean(measure) else { return String::new() };
    let text = measure.figure(mean);
    match row.interval(measure) {
        // Two sets give no interval, and one without width says nothing.
        Some((low, high)) if row.records.len() != 2 && low < high => {
            format!("{text} [{}, {}]", measure.figure(low), measure.figure(high))
        }
        _ => text,
    }
}

/// Returns the method of a row if no other of the rows has it, else the name of the row.
pub(super) fn short_name<'a>(row: &'a Row, rows: &[&Row]) -> &'a str {
    let n_same = rows.iter().filter(|other| other.label == row.label).count();
    if n_same > 1 { &row.name } else { &row.label }
}

pub(super) fn column(title: &str, side: Side) -> Column {
    Column { title: title.to_owned(), side }
}

/// A row for every setting; ours and the paper's columns side by side.
pub(super) fn main_table(design: &Design, rows: &[Row], printed: Option<&Printed>) -> Table {
    let mut columns = vec![column("", Side::Name)];
    columns.extend(design.columns.iter().map(|plan| column(&plan.title, Side::Ours)));
    if let Some(printed) = printed {
        columns.extend(printed.columns.iter().map(|plan| column(&plan.title, Side::Paper)));
    }
    let n_paper = printed.map_or(0, |printed| printed.columns.len());
    let mut lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let mut line = vec![row.name.clone()];
            line.extend(design.columns.iter().map(|plan| shown(plan.measure, row)));
            let theirs = printed.and_then(|printed| printed.rows.get(&row.name));
            line.extend(theirs.cloned().unwrap_or_else(|| vec![String::new(); n_paper]));
            line
        })
        .collect();
    // Rows that only the paper has are shown too.
    if let Some(printed) = printed {
        for (name, theirs) in &printed.rows {
            if !rows.iter().any(|row| row.name == *name) {
                let mut line = vec![name.clone()];
                line.extend(vec![String::new(); design.columns.len()]);
                line.extend(theirs.clone());
                lines.push(line);
            }
        }
    }
    let place = design.published.as_ref().map(|p| p.place.clone()).unwrap_or_default();
    Table { title: design.title.clone(), place, columns, rows: lines }
}

/// A row for every combination of axes, a column for every method.
pub(super) fn pivot_table(design: &Design, measure: Measure, rows: &[Row]) -> Table {
    let mut columns = vec![column("", Side::Name)];
    columns.extend(design.methods.iter().map(|method| column(&method.label, Side::Ours)));
    let mut lines: Vec<(BTreeMap<String, String>, Vec<String>)> = Vec::new();
    for row in rows {
        let index = lines.iter().position(|(at, _)| *at == row.at).unwrap_or_else(|| {
            let axes = design.data.axes.iter().filter_map(|axis| {
                row.at.get(&axis.name).map(|value| format!("{} {value}", axis.name))
            });
            let mut line = vec![axes.collect::<Vec<_>>().join(", ")];
            line.extend(vec![String::new(); design.methods.len()]);
            lines.push((row.at.clone(), line));
            lines.len() - 1
        });
        let mean = row.mean(measure).map(|mean| measure.figure(mean));
        lines[index].1[row.method + 1] = mean.unwrap_or_default();
    }
    let title = format!("{}: {}", design.title, measure.title());
    let rows = lines.into_iter().map(|(_, line)| line).collect();
    Table { title, place: String::new(), columns, rows }
}
