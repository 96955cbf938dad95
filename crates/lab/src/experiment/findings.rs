//! Findings: tables, charts and verdicts as plain data, for whoever prints or draws them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::advice::{Advice, advise};
use super::claims::{Verdict, verdicts};
use super::design::{ChartPlan, ColumnPlan, Design, Extent, Published};
use super::fixtures;
use super::outcome::Record;
use super::rows::{Row, rows};
use crate::statistics::{Alternative, Level, PairedT, PowerLaw, paired_t, wilcoxon};

/// Everything an experiment came to.
#[derive(Clone, Debug)]
pub struct Findings {
    /// Name of the design.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What it wants to know.
    pub question: String,
    /// The paper it repeats; empty for none.
    pub paper: String,
    /// On what it was run.
    pub setting: String,
    /// What must be known to read the numbers.
    pub notes: Vec<String>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The charts.
    pub charts: Vec<ChartData>,
    /// The claims, checked.
    pub verdicts: Vec<Verdict>,
    /// Which method to take, if the design asks for it.
    pub advice: Option<Advice>,
    /// All cells.
    pub records: Vec<Record>,
}

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

/// Kinds of charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartKind {
    /// A bar for every row.
    Bars,
    /// Lines along an axis.
    Lines,
    /// A line for every row along the sets.
    Paired,
    /// Figures of the first k answers.
    TopK,
    /// Points of two measures.
    Scatter,
    /// Points of two measures joined along a sweep: precision and recall, miss and false alarm.
    Tradeoff,
    /// Lines by ratio with a fitted power law.
    Scaling,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineLook {
    /// With markers.
    Line,
    /// Without.
    Curve,
    /// Points alone.
    Points,
    /// To compare with.
    Reference,
    /// Fitted to the line before it.
    Fitted,
}

/// A point of a line: across, up, and an interval.
pub type LinePoint = (f64, f64, Option<(f64, f64)>);

/// A bar: its value and interval, where there are any.
pub type BarValue = (Option<f64>, Option<(f64, f64)>);

/// A line of a chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineData {
    /// What it is called.
    pub name: String,
    /// Across, up, and an interval.
    pub points: Vec<LinePoint>,
    /// How it is drawn.
    pub look: LineLook,
    /// Number of the method in the design: its colour.
    pub tint: usize,
}

/// A chart in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChartData {
    /// Name of its file.
    pub id: String,
    /// How it is drawn.
    pub kind: ChartKind,
    /// What it shows.
    pub title: String,
    /// How its numbers came about.
    pub note: String,
    /// The horizontal axis.
    pub x_label: String,
    /// The vertical axis.
    pub y_label: String,
    /// Whether axes grow by ratio.
    pub log: (bool, bool),
    /// Ends of the axis of values.
    pub range: Option<(f64, f64)>,
    /// Marks of the horizontal axis; empty for round numbers.
    pub ticks: Vec<(f64, String)>,
    /// Lines and points.
    pub lines: Vec<LineData>,
    /// Names of rows of bars.
    pub rows: Vec<String>,
    /// Groups of bars: name, values, intervals.
    pub groups: Vec<(String, Vec<BarValue>)>,
}

/// A published table made ready: row name to cells.
pub(super) struct Printed {
    pub(super) columns: Vec<ColumnPlan>,
    pub(super) rows: BTreeMap<String, Vec<String>>,
}

/// Puts everything together.
pub(super) fn findings(
    design: &Design,
    extent: Extent,
    base: &str,
    records: Vec<Record>,
) -> Findings {
    let kept = records.clone();
    let rows = rows(design, records);
    let printed = design.published.as_ref().map(printed);
    let paired = paired(design, &rows);
    let fits = fits(design, &rows);
    let mut tables = Vec::new();
    if design.pivot.is_empty() {
        tables.push(main_table(design, &rows, printed.as_ref()));
    } else {
        tables.push(pivot_table(design, &rows));
    }
    tables.extend(paired_table(design, &rows, &paired));
    tables.extend(fit_table(design, &fits));
    let charts =
        design.charts.iter().flat_map(|plan| charts(design, plan, &rows, printed.as_ref(), &fits));
    let mut notes = design.notes.clone();
    notes.extend(few_sets(design, extent, &kept));
    notes.extend(too_large(design, extent, &kept));
    Findings {
        name: design.name.clone(),
        title: design.title.clone(),
        question: design.question.clone(),
        paper: design.paper.clone(),
        setting: setting(design, extent, base, &kept),
        notes,
        tables,
        charts: charts.collect(),
        verdicts: verdicts(design, &rows, &paired, &fits),
        advice: design.advice.as_ref().map(|plan| advise(design, plan, &rows)),
        records: kept,
    }
}

fn setting(design: &Design, extent: Extent, base: &str, records: &[Record]) -> String {
    let version = match extent {
        Extent::Quick => "quick version",
        Extent::Full => "full version",
    };
    let sizes = records.iter().map(|record| record.cell.n_documents);
    let (least, most) = (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0));
    let size = if least == most { format!("{most}") } else { format!("{least} to {most}") };
    let n_sets = design.size(extent).sets;
    let sets = records.iter().map(|record| record.cell.set).max().unwrap_or(0).max(1);
    let sets = if n_sets > 1 { format!("{sets} sets of ") } else { String::new() };
    format!("{version}: {sets}{size} documents ({base}), {} cells", records.len())
}

/// Says that there are too few sets to conclude much.
fn few_sets(design: &Design, extent: Extent, records: &[Record]) -> Option<String> {
    let full = design.size(Extent::Full).sets;
    let done = records.iter().map(|record| record.cell.set).max().unwrap_or(0);
    (done < full).then(|| {
        let why = if extent == Extent::Quick { "the quick version has" } else { "there were" };
        format!("{why} {done} of {full} sets: intervals are wide and tests weak")
    })
}

/// Says which sizes the collection does not reach.
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

/// Writes a figure with as many digits as its measure deserves.
pub fn figure(measure: &str, value: f64) -> String {
    const COUNTS: [&str; 22] = [
        "all_ref",
        "all_ours",
        "only_ref",
        "only_ours",
        "common",
        "clusters",
        "clustered",
        "recognition",
        "total",
        "vectors",
        "lcr",
        "relevant",
        "candidates",
        "relations",
        "a",
        "b",
        "c",
        "d",
        "judged",
        "documents",
        "largest_cluster",
        "false_alarms",
    ];
    if !value.is_finite() {
        return String::new();
    }
    if measure.contains("seconds") || measure.starts_with("ms_") {
        let decimals = match value.abs() {
            size if size >= 100.0 => 0,
            size if size >= 10.0 => 1,
            size if size >= 1.0 => 2,
            size if size >= 0.01 => 3,
            _ => 5,
        };
        return grouped(value, decimals);
    }
    if COUNTS.contains(&measure) || measure.ends_with("_per_document") {
        let decimals = usize::from((value - value.round()).abs() > 1e-9);
        return grouped(value, decimals);
    }
    format!("{value:.3}")
}

fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::from(if value < 0.0 { "-" } else { "" });
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 && whole.len() > 4 {
            out.push(',');
        }
        out.push(digit);
    }
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    out
}

fn shown(measure: &str, row: &Row) -> String {
    let Some(mean) = row.mean(measure) else { return String::new() };
    let text = figure(measure, mean);
    match row.interval(measure) {
        Some((low, high)) if row.records.len() == 1 || row.records.len() > 2 => {
            format!("{text} [{}, {}]", figure(measure, low), figure(measure, high))
        }
        _ => text,
    }
}

fn column(title: &str, side: Side) -> Column {
    Column { title: title.to_owned(), side }
}

fn main_table(design: &Design, rows: &[Row], printed: Option<&Printed>) -> Table {
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
            line.extend(design.columns.iter().map(|plan| shown(&plan.measure, row)));
            let theirs = printed.and_then(|printed| printed.rows.get(&row.name));
            line.extend(theirs.cloned().unwrap_or_else(|| vec![String::new(); n_paper]));
            line
        })
        .collect();
    // What the paper has and this version does not is shown too.
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
fn pivot_table(design: &Design, rows: &[Row]) -> Table {
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
        let mean = row.mean(&design.pivot);
        lines[index].1[row.method + 1] =
            mean.map(|mean| figure(&design.pivot, mean)).unwrap_or_default();
    }
    let title = format!("{}: {}", design.title, design.pivot.replace('_', " "));
    let rows = lines.into_iter().map(|(_, line)| line).collect();
    Table { title, place: String::new(), columns, rows }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Reads what a paper printed.
pub(super) fn printed(published: &Published) -> Printed {
    let plain = |title: &String| ColumnPlan { measure: title.clone(), title: title.clone() };
    let Some(table) = fixtures::table(&published.fixture) else {
        let rows = published.rows.iter().filter_map(|row| {
            let (name, cells) = row.split_first()?;
            Some((text_of(name), cells.iter().map(text_of).collect()))
        });
        let columns = published.columns.iter().map(plain).collect();
        return Printed { columns, rows: rows.collect() };
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
        let cells = shown.map(|plan| (*cells.get(&*plan.measure).unwrap_or(&"")).to_owned());
        (name, cells.collect())
    });
    Printed { rows: rows.collect(), columns: published.shown.clone() }
}

/// What came of comparing two methods by a measure.
#[derive(Clone, Debug)]
pub(super) struct PairedResult {
    pub(super) measure: String,
    pub(super) test: PairedT,
    pub(super) wilcoxon_p: Option<f64>,
    pub(super) says: Alternative,
}

fn paired(design: &Design, rows: &[Row]) -> Vec<PairedResult> {
    let Some(plan) = &design.paired else { return Vec::new() };
    let find = |name: &str| rows.iter().find(|row| row.name == name);
    let (Some(first), Some(second)) = (find(&plan.first), find(&plan.second)) else {
        return Vec::new();
    };
    let greater = plan.greater.iter().map(|measure| (measure, Alternative::Greater));
    let less = plan.less.iter().map(|measure| (measure, Alternative::Less));
    greater
        .chain(less)
        .filter_map(|(measure, says)| {
            let values = |row: &Row| row.values(measure).into_iter().collect::<BTreeMap<_, _>>();
            let (first, second) = (values(first), values(second));
            let both: Vec<(f64, f64)> =
                first.iter().filter_map(|(set, value)| Some((*value, *second.get(set)?))).collect();
            let (first, second): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
            let test = paired_t(&first, &second, says, Level::default())?;
            let wilcoxon_p = wilcoxon(&first, &second, says).map(|test| test.p);
            Some(PairedResult { measure: measure.clone(), test, wilcoxon_p, says })
        })
        .collect()
}

pub(super) fn p_text(p: f64) -> String {
    if !p.is_finite() {
        "–".to_owned()
    } else if p < 0.001 {
        format!("{p:.2e}")
    } else {
        format!("{p:.3}")
    }
}

fn paired_table(design: &Design, rows: &[Row], paired: &[PairedResult]) -> Option<Table> {
    let plan = design.paired.as_ref()?;
    let first = paired.first()?;
    let n = first.test.n;
    let mut columns = vec![column("measure", Side::Name)];
    for title in [
        plan.first.as_str(),
        plan.second.as_str(),
        "mean difference",
        "p (paired t)",
        "p (Wilcoxon)",
    ] {
        columns.push(column(title, Side::Ours));
    }
    columns.push(column("p (paired t), paper", Side::Paper));
    let mean = |name: &str, measure: &str| {
        let row = rows.iter().find(|row| row.name == name);
        row.and_then(|row| row.mean(measure)).map(|mean| figure(measure, mean)).unwrap_or_default()
    };
    let published = design.published.as_ref();
    let lines = paired.iter().map(|result| {
        let theirs = published.and_then(|p| p.p_values.get(&result.measure));
        vec![
            result.measure.replace('_', " "),
            mean(&plan.first, &result.measure),
            mean(&plan.second, &result.measure),
            format!("{:.4}", result.test.mean_difference),
            p_text(result.test.p),
            result.wilcoxon_p.map(p_text).unwrap_or_default(),
            theirs.map(|p| p_text(*p)).unwrap_or_default(),
        ]
    });
    Some(Table {
        title: format!("{} against {} over {n} sets, one-sided", plan.first, plan.second),
        place: published.map(|p| p.place.clone()).unwrap_or_default(),
        rows: lines.collect(),
        columns,
    })
}

/// A power law fitted to the cost of a method.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) method: usize,
    pub(super) label: String,
    pub(super) law: PowerLaw,
}

fn fits(design: &Design, rows: &[Row]) -> Vec<Fit> {
    let Some(measure) = &design.fitted else { return Vec::new() };
    let of = |(method, plan): (usize, &super::design::MethodPlan)| {
        let points: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| row.method == method)
            .filter_map(|row| Some((row.mean("documents")?, row.mean(measure)?)))
            .collect();
        let law = PowerLaw::fit(&points, Level::default())?;
        Some(Fit { method, label: plan.label.clone(), law })
    };
    design.methods.iter().enumerate().filter_map(of).collect()
}

fn fit_table(design: &Design, fits: &[Fit]) -> Option<Table> {
    let measure = design.fitted.as_ref()?;
    let columns = ["method", "exponent", "95 % interval", "R²", "sizes"];
    let lines = fits.iter().map(|fit| {
        let law = &fit.law;
        let interval = law.interval.map(|i| format!("{:.2} to {:.2}", i.low, i.high));
        vec![
            fit.label.clone(),
            format!("{:.2}", law.exponent),
            interval.unwrap_or_default(),
            format!("{:.3}", law.r_squared),
            law.n.to_string(),
        ]
    });
    Some(Table {
        title: format!("How {measure} grow with the number of documents: fitted exponents"),
        place: String::new(),
        rows: lines.collect(),
        columns: columns
            .iter()
            .enumerate()
            .map(|(i, title)| column(title, if i == 0 { Side::Name } else { Side::Ours }))
            .collect(),
    })
}

fn charts(
    design: &Design,
    plan: &ChartPlan,
    rows: &[Row],
    printed: Option<&Printed>,
    fits: &[Fit],
) -> Vec<ChartData> {
    let is_kept = |row: &&Row| {
        plan.filter.iter().all(|(axis, values)| {
            let value = if axis == "method" { Some(&row.label) } else { row.at.get(axis) };
            value.is_some_and(|value| values.contains(value))
        })
    };
    let rows: Vec<&Row> = rows.iter().filter(is_kept).collect();
    if plan.split.is_empty() {
        return vec![chart(design, plan, &rows, printed, fits, "")];
    }
    let mut values: Vec<&String> = Vec::new();
    for value in rows.iter().filter_map(|row| row.at.get(&plan.split)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
        .into_iter()
        .map(|value| {
            let part: Vec<&Row> =
                rows.iter().copied().filter(|row| row.at.get(&plan.split) == Some(value)).collect();
            chart(design, plan, &part, printed, fits, value)
        })
        .collect()
}

fn slug(text: &str) -> String {
    let parts = text
        .to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(ToOwned::to_owned)
        .collect::<Vec<_>>();
    parts.join("-")
}

fn chart(
    design: &Design,
    plan: &ChartPlan,
    rows: &[&Row],
    printed: Option<&Printed>,
    fits: &[Fit],
    part: &str,
) -> ChartData {
    let title = match part {
        "" => plan.title.clone(),
        part => format!("{}: {part}", plan.title),
    };
    let index = design.charts.iter().position(|one| std::ptr::eq(one, plan)).unwrap_or(0) + 1;
    let part = if part.is_empty() { String::new() } else { format!("-{}", slug(part)) };
    let label = |given: &str, or: &str| {
        if given.is_empty() { or.replace('_', " ") } else { given.to_owned() }
    };
    let mut data = ChartData {
        id: format!("{}-{index}{part}", design.name),
        kind: plan.kind,
        title,
        note: plan.note.clone(),
        x_label: label(&plan.x_label, &plan.x),
        y_label: label(&plan.y_label, &plan.y),
        log: (plan.log_x, plan.log_y),
        range: plan.range,
        ticks: Vec::new(),
        lines: Vec::new(),
        rows: Vec::new(),
        groups: Vec::new(),
    };
    match plan.kind {
        ChartKind::Bars => bars(&mut data, plan, rows, printed),
        ChartKind::Lines | ChartKind::Scaling => along(&mut data, design, plan, rows, fits),
        ChartKind::Paired => {
            data.x_label = label(&plan.x_label, "set");
            for row in rows {
                let values = row.values(&plan.y).into_iter();
                let points = values.map(|(set, value)| (set as f64, value, None)).collect();
                data.lines.push(line(row, &row.name, points, LineLook::Line));
            }
        }
        ChartKind::TopK => {
            data.x_label = label(&plan.x_label, "first k answers");
            for row in rows {
                let Some(record) = row.records.first() else { continue };
                let points = record.cell.curve.iter().map(|(k, p, r, f1)| {
                    let y = match plan.y.as_str() {
                        "precision" => p,
                        "recall" => r,
                        _ => f1,
                    };
                    (*k as f64, *y, None)
                });
                data.lines.push(line(row, &row.name, points.collect(), LineLook::Curve));
            }
        }
        ChartKind::Tradeoff => {
            for row in rows {
                let Some((x, y)) = row.mean(&plan.x).zip(row.mean(&plan.y)) else { continue };
                if let Some(known) = data.lines.iter_mut().find(|line| line.name == row.label) {
                    known.points.push((x, y, None));
                } else {
                    data.lines.push(line(row, &row.label, vec![(x, y, None)], LineLook::Line));
                }
            }
        }
        ChartKind::Scatter => {
            for row in rows {
                let Some(point) = row.mean(&plan.x).zip(row.mean(&plan.y)) else { continue };
                let points = vec![(point.0, point.1, row.interval(&plan.y))];
                data.lines.push(line(row, &row.name, points, LineLook::Points));
            }
        }
    }
    data
}

fn line(row: &Row, name: &str, points: Vec<LinePoint>, look: LineLook) -> LineData {
    LineData { name: name.to_owned(), points, look, tint: row.method }
}

fn bars(data: &mut ChartData, plan: &ChartPlan, rows: &[&Row], printed: Option<&Printed>) {
    data.x_label.clone_from(&data.y_label);
    data.rows = rows.iter().map(|row| row.name.clone()).collect();
    let ours = rows.iter().map(|row| (row.mean(&plan.y), row.interval(&plan.y))).collect();
    data.groups.push(("ours, on an open substitute".to_owned(), ours));
    let column =
        printed.and_then(|p| p.columns.iter().position(|column| column.title == plan.published));
    if let (Some(printed), Some(column)) = (printed, column) {
        let theirs = rows.iter().map(|row| {
            let cells = printed.rows.get(&row.name);
            (cells.and_then(|cells| cells.get(column)?.parse().ok()), None)
        });
        data.groups.push(("paper, on its own corpus".to_owned(), theirs.collect()));
    }
}

/// Lines along an axis: numbers where all its values are numbers, else places in order.
fn along(data: &mut ChartData, design: &Design, plan: &ChartPlan, rows: &[&Row], fits: &[Fit]) {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if let Some(value) = row.at.get(&plan.x)
            && !names.contains(&value.as_str())
        {
            names.push(value);
        }
    }
    let numbers: Option<Vec<f64>> = names.iter().map(|name| number(name)).collect();
    let is_size = plan.x == "documents";
    if !is_size {
        let places = numbers.unwrap_or_else(|| (1..=names.len()).map(|i| i as f64).collect());
        data.ticks = places.into_iter().zip(names.iter().map(|&name| name.to_owned())).collect();
    }
    let x_of = |row: &Row| {
        if is_size {
            return row.mean("documents");
        }
        let value = row.at.get(&plan.x)?;
        data.ticks.iter().find(|(_, name)| name == value).map(|(x, _)| *x)
    };
    let mut lines: Vec<LineData> = Vec::new();
    for row in rows {
        let mut name = row.label.clone();
        for axis in &plan.by {
            if let Some(value) = row.at.get(axis) {
                name = format!("{name}, {axis} {value}");
            }
        }
        let (Some(x), Some(y)) = (x_of(row), row.mean(&plan.y)) else { continue };
        let point = (x, y, row.interval(&plan.y));
        if let Some(known) = lines.iter_mut().find(|line| line.name == name) {
            known.points.push(point);
        } else {
            let is_reference = design.methods[row.method].is_reference;
            let look = if is_reference { LineLook::Reference } else { LineLook::Line };
            lines.push(line(row, &name, vec![point], look));
        }
    }
    if !plan.by.is_empty() {
        // Several lines a method: colours follow the lines.
        for (index, line) in lines.iter_mut().enumerate() {
            line.tint = index;
        }
    }
    if plan.kind == ChartKind::Scaling {
        let mut with_fits = Vec::new();
        for mut one in lines {
            let fit = fits.iter().find(|fit| fit.method == one.tint);
            let mut fitted = None;
            if let Some(fit) = fit {
                one.name = format!("{} ∝ n^{:.2}", one.name, fit.law.exponent);
                let points = one.points.iter().map(|p| (p.0, fit.law.at(p.0), None)).collect();
                fitted = Some(LineData {
                    name: String::new(),
                    points,
                    look: LineLook::Fitted,
                    tint: one.tint,
                });
            }
            with_fits.push(one);
            with_fits.extend(fitted);
        }
        lines = with_fits;
    }
    data.lines = lines;
}

fn number(text: &str) -> Option<f64> {
    let text = text.strip_prefix("1:").unwrap_or(text);
    text.trim_end_matches(" %").parse().ok()
}
