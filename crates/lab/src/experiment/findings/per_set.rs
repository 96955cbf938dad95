//! Tables with a row for every set, and what is said of their columns.

use std::collections::BTreeMap;

use retold_report::grouped;

use super::tables::{Side, Table, column, short_name};
use crate::experiment::design::{ColumnPlan, Design, PerSet, PrintedSets};
use crate::experiment::drawing::SetKind;
use crate::experiment::measure::{Measure, Unit};
use crate::experiment::published::printed_table;
use crate::experiment::rows::Row;
use crate::statistics::Summary;

/// A figure of a summary.
type Statistic = fn(&Summary) -> f64;

/// What is said of a column, in the order of the thesis' tables.
const SAID: [(&str, Statistic); 5] = [
    ("minimum", |of| of.min),
    ("maximum", |of| of.max),
    ("mean", |of| of.mean),
    ("median", |of| of.median),
    ("standard deviation (population)", |of| of.population_sd),
];

/// Makes the tables of all plans.
pub(super) fn per_set_tables(design: &Design, rows: &[Row]) -> Vec<Table> {
    let mut tables = Vec::new();
    for plan in &design.per_set {
        let is_shown = |row: &&Row| plan.rows.is_empty() || plan.rows.contains(&row.name);
        let shown: Vec<&Row> = rows.iter().filter(is_shown).collect();
        tables.push(sets(plan, &shown));
        if plan.summary {
            tables.push(summary(plan, &shown));
        }
    }
    tables
}

/// Lists the columns: every measure of every row.
fn columns<'a>(plan: &'a PerSet, rows: &[&'a Row]) -> Vec<(&'a Row, &'a ColumnPlan)> {
    rows.iter().flat_map(|row| plan.columns.iter().map(move |column| (*row, column))).collect()
}

fn title(row: &Row, column: &ColumnPlan, rows: &[&Row]) -> String {
    format!("{} {}", short_name(row, rows), column.title)
}

/// A row for every set: its number, kind and size, and every measure of every method.
fn sets(plan: &PerSet, rows: &[&Row]) -> Table {
    let each = columns(plan, rows);
    let mut known: BTreeMap<usize, (usize, SetKind)> = BTreeMap::new();
    for record in rows.iter().flat_map(|row| &row.records) {
        let cell = &record.cell;
        known.entry(cell.set).or_insert((cell.n_documents, cell.kind));
    }
    let values: Vec<BTreeMap<usize, f64>> =
        each.iter().map(|(row, plan)| row.values(plan.measure).into_iter().collect()).collect();
    let mut titles = vec![
        column("set", Side::Name),
        column("kind", Side::Ours),
        column("documents", Side::Ours),
    ];
    titles.extend(each.iter().map(|(row, plan)| column(&title(row, plan, rows), Side::Ours)));
    let lines = known.into_iter().map(|(set, (n_documents, kind))| {
        let kind = match kind {
            SetKind::Disjoint => "disjoint",
            SetKind::Redrawn => "redrawn",
        };
        let mut line = vec![set.to_string(), kind.to_owned(), grouped(n_documents as u64)];
        line.extend(each.iter().zip(&values).map(|((_, plan), values)| {
            values.get(&set).map(|value| plan.measure.figure(*value)).unwrap_or_default()
        }));
        line
    });
    Table {
        title: format!("{}, set by set", plan.title),
        place: String::new(),
        rows: lines.collect(),
        columns: titles,
    }
}

/// Least, greatest, mean, median and deviation of every column, with the paper's beside them.
fn summary(plan: &PerSet, rows: &[&Row]) -> Table {
    let each = columns(plan, rows);
    let ours = each.iter().map(|(row, column)| {
        let values: Vec<f64> = row.values(column.measure).into_iter().map(|(_, v)| v).collect();
        (title(row, column, rows), column.measure, Summary::of(&values), Side::Ours)
    });
    let printed = plan.published.as_ref();
    let theirs = each.iter().filter_map(|(row, column)| {
        let values = printed_values(printed?, &row.name, column.measure)?;
        Some((title(row, column, rows), column.measure, Summary::of(&values), Side::Paper))
    });
    let all: Vec<(String, Measure, Option<Summary>, Side)> = ours.chain(theirs).collect();
    let mut titles = vec![column("", Side::Name)];
    titles.extend(all.iter().map(|(title, _, _, side)| column(title, *side)));
    let n_sets = rows.iter().map(|row| row.records.len()).max().unwrap_or(0);
    let lines = SAID.into_iter().map(|(name, of)| {
        let mut line = vec![name.to_owned()];
        line.extend(all.iter().map(|(_, measure, summary, _)| {
            summary.as_ref().map(|summary| said(*measure, of(summary))).unwrap_or_default()
        }));
        line
    });
    Table {
        title: format!("{}, over {n_sets} sets", plan.title),
        place: printed.map(|printed| printed.place.clone()).unwrap_or_default(),
        rows: lines.collect(),
        columns: titles,
    }
}

/// Writes a figure; a share with four decimals, as false alarms are small.
fn said(measure: Measure, value: f64) -> String {
    match measure.unit() {
        Unit::Share => format!("{value:.4}"),
        _ => measure.figure(value),
    }
}

/// Returns what a paper printed of its sets; none if it has no such column.
fn printed_values(printed: &PrintedSets, row: &str, measure: Measure) -> Option<Vec<f64>> {
    let name = printed.columns.get(row)?.get(&measure)?;
    let mut lines = printed_table(&printed.table)?.lines();
    let at = lines.next()?.split('\t').position(|column| column == name)?;
    let scale = if name.ends_with("_pct") { 0.01 } else { 1.0 };
    let values = lines.filter_map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let set: u64 = cells.first()?.parse().ok()?;
        let is_meant = (printed.sets.0..=printed.sets.1).contains(&set);
        is_meant.then(|| cells.get(at)?.parse::<f64>().ok()).flatten().map(|value| scale * value)
    });
    Some(values.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thesis_own_sets_have_the_summary_that_it_prints() {
        let of = |sets, row: &str, measure, name: &str| {
            let measures = BTreeMap::from([(measure, name.to_owned())]);
            let columns = BTreeMap::from([(row.to_owned(), measures)]);
            let table = "s3_effectiveness".to_owned();
            let printed = PrintedSets { place: String::new(), table, sets, columns };
            Summary::of(&printed_values(&printed, row, measure).expect("a column")).expect("sets")
        };
        let cost = of((1, 30), "I-Match", Measure::CNorm, "im_cnorm");
        assert_eq!(cost.n, 30);
        assert!((cost.mean - 0.155).abs() < 5e-4, "{}", cost.mean);
        let miss = of((1, 30), "Tweezer", Measure::Miss, "tw_miss_pct");
        assert!((miss.mean - 0.0249).abs() < 5e-5, "{}", miss.mean);
        let f1 = of((31, 60), "Tweezer", Measure::F1, "tw_f1");
        assert!((f1.mean - 0.962).abs() < 5e-4, "{}", f1.mean);
    }
}
