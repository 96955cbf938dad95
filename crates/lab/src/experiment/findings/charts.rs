//! Charts of the rows of an experiment.

use std::collections::BTreeSet;

use retold_plot::{Axis, Bar, Chart, Group, Look, Point, Scale, Series};

use super::fits::Fit;
use super::tables::{Printed, short_name};
use crate::experiment::design::{ChartKind, ChartPlan, Design};
use crate::experiment::measure::{Measure, Unit};
use crate::experiment::outcome::Record;
use crate::experiment::rows::Row;

/// A chart and the name of its file.
#[derive(Clone, Debug)]
pub struct NamedChart {
    /// Name of its file, without an ending.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The chart.
    pub chart: Chart,
}

/// Everything that charts are made of.
pub(super) struct Shown<'a> {
    pub(super) design: &'a Design,
    pub(super) rows: &'a [Row],
    pub(super) printed: Option<&'a Printed>,
    pub(super) fits: &'a [Fit],
}

impl Shown<'_> {
    /// Makes all charts of the design.
    pub(super) fn charts(&self) -> Vec<NamedChart> {
        let plans = self.design.charts.iter().zip(1..);
        plans.flat_map(|(plan, number)| self.charts_of(plan, number)).collect()
    }

    /// Makes the charts of a plan: one, or one for every value of the axis that it is split by.
    fn charts_of(&self, plan: &ChartPlan, number: usize) -> Vec<NamedChart> {
        let is_kept = |row: &&Row| {
            plan.filter.iter().all(|(axis, values)| {
                let value = if axis == "method" { Some(&row.label) } else { row.at.get(axis) };
                value.is_some_and(|value| values.contains(value))
            })
        };
        let rows: Vec<&Row> = self.rows.iter().filter(is_kept).collect();
        let id = format!("{}-{number}", self.design.name);
        if plan.split.is_empty() {
            let chart = self.chart(plan, &rows, &plan.title);
            return vec![NamedChart { id, title: plan.title.clone(), chart }];
        }
        let of_part = |value: &str| {
            let of_value = |row: &&Row| row.at.get(&plan.split).is_some_and(|at| at == value);
            let part: Vec<&Row> = rows.iter().copied().filter(of_value).collect();
            let title = format!("{}: {value}", plan.title);
            let chart = self.chart(plan, &part, &title);
            NamedChart { id: format!("{id}-{}", slug(value)), title, chart }
        };
        values_of(&plan.split, &rows).into_iter().map(of_part).collect()
    }

    fn chart(&self, plan: &ChartPlan, rows: &[&Row], title: &str) -> Chart {
        let scale = |is_log: bool| if is_log { Scale::Log } else { Scale::Linear };
        let mut x = Axis { scale: scale(plan.log_x), ..Axis::default() };
        let mut y = Axis { scale: scale(plan.log_y), range: plan.range, ..Axis::default() };
        y.label = label(&plan.y_label, &plan.y.title());
        let of_x = match plan.kind {
            ChartKind::Paired => "set".to_owned(),
            ChartKind::TopK => "first k answers".to_owned(),
            _ => plan.x.replace('_', " "),
        };
        x.label = label(&plan.x_label, &of_x);
        let series = match plan.kind {
            ChartKind::Venn => return self.venn(plan, rows, title),
            ChartKind::Bars => {
                (x.label, x.range) = (y.label, plan.range);
                return self.bars(plan, rows, title).x_axis(x);
            }
            ChartKind::Lines | ChartKind::Scaling => {
                x.ticks = ticks(plan, rows);
                self.along(plan, rows, &x.ticks)
            }
            ChartKind::Paired => {
                let mut values = rows.iter().flat_map(|row| row.values(plan.y));
                if plan.y.unit() == Unit::Share && values.all(|(_, value)| value == 0.0) {
                    y.range = Some((0.0, 1.0));
                }
                over_sets(plan.y, rows)
            }
            ChartKind::TopK => first_answers(plan.y, rows),
            ChartKind::Tradeoff => {
                if !plan.log_x {
                    x.range = Some((0.0, 1.0));
                }
                tradeoff(plan, rows)
            }
            ChartKind::Scatter => scatter(plan, rows),
        };
        let chart = Chart::lines(title).note(&plan.note).x_axis(x).y_axis(y);
        series.into_iter().fold(chart, Chart::with)
    }

    fn bars(&self, plan: &ChartPlan, rows: &[&Row], title: &str) -> Chart {
        let group = |name: &str, bars| Group { name: name.to_owned(), bars, tint: None };
        let bar = |value: Option<f64>, interval| Bar { value: value.unwrap_or(f64::NAN), interval };
        let names = rows.iter().map(|row| row.name.clone());
        let ours = rows.iter().map(|row| bar(row.mean(plan.y), row.interval(plan.y))).collect();
        let chart = Chart::bars(title, names).note(&plan.note);
        let chart = chart.group(group("ours, on an open substitute", ours));
        let Some(printed) = self.printed else { return chart };
        let column = printed.columns.iter().position(|column| column.title == plan.published);
        let Some(column) = column else { return chart };
        let theirs = rows.iter().map(|row| {
            let cells = printed.rows.get(&row.name);
            bar(cells.and_then(|cells| cells.get(column)?.parse().ok()), None)
        });
        chart.group(group("paper, on its own corpus", theirs.collect()))
    }

    /// Two circles: documents in clusters of the first row only, of both, of the second only, over
    /// all sets.
    fn venn(&self, plan: &ChartPlan, rows: &[&Row], title: &str) -> Chart {
        let named = |name: &String| rows.iter().copied().find(|row| row.name == *name);
        let paired = self.design.paired.as_ref();
        let paired = paired.and_then(|paired| named(&paired.first).zip(named(&paired.second)));
        let first_two = rows.first().copied().zip(rows.get(1).copied());
        let Some((first, second)) = paired.or(first_two) else {
            return Chart::venn(title, ["", ""], [0; 3]).note(&plan.note);
        };
        let flagged = |row: &Row| -> BTreeSet<(usize, u32)> {
            let of = |record: &Record| {
                let set = record.cell.set;
                record.cell.flagged.iter().map(|&document| (set, document)).collect::<Vec<_>>()
            };
            row.records.iter().flat_map(of).collect()
        };
        let (a, b) = (flagged(first), flagged(second));
        let both = a.intersection(&b).count() as u64;
        let counts = [a.len() as u64 - both, both, b.len() as u64 - both];
        Chart::venn(title, [first, second].map(|row| short_name(row, rows)), counts)
            .note(&plan.note)
    }

    /// Lines along an axis.
    fn along(&self, plan: &ChartPlan, rows: &[&Row], ticks: &[(f64, String)]) -> Vec<Series> {
        let x_of = |row: &Row| {
            if plan.x == Measure::Documents.name() {
                return row.mean(Measure::Documents);
            }
            let value = row.at.get(&plan.x)?;
            ticks.iter().find(|(_, name)| name == value).map(|(x, _)| *x)
        };
        let mut lines: Vec<Series> = Vec::new();
        for row in rows {
            let mut name = row.label.clone();
            for axis in &plan.by {
                if let Some(value) = row.at.get(axis) {
                    name = format!("{name}, {axis} {value}");
                }
            }
            let (Some(x), Some(y)) = (x_of(row), row.mean(plan.y)) else { continue };
            let is_reference = self.design.methods[row.method].is_reference;
            let look = if is_reference { Look::Reference } else { Look::Line };
            add_point(&mut lines, row, &name, point(x, y, row.interval(plan.y)), look);
        }
        if !plan.by.is_empty() {
            // A method may have several lines, so each line has a colour of its own.
            for (index, line) in lines.iter_mut().enumerate() {
                line.tint = Some(index);
            }
        }
        if plan.kind == ChartKind::Scaling {
            return lines.into_iter().flat_map(|line| self.with_fit(line)).collect();
        }
        lines
    }

    /// Returns a line, followed by the power law that was fitted to its method.
    fn with_fit(&self, mut line: Series) -> Vec<Series> {
        let fit = self.fits.iter().find(|fit| Some(fit.method) == line.tint);
        let Some(fit) = fit else { return vec![line] };
        line.name = format!("{} ∝ n^{:.2}", line.name, fit.law.exponent);
        let points: Vec<Point> =
            line.points.iter().map(|p| point(p.x, fit.law.at(p.x), None)).collect();
        let fitted = Series { points, look: Look::Fitted, name: String::new(), tint: line.tint };
        vec![line, fitted]
    }
}

/// Returns the label that is given, or else the default.
fn label(given: &str, or: &str) -> String {
    if given.is_empty() { or.to_owned() } else { given.to_owned() }
}

/// Returns the values of an axis, in the order of rows.
fn values_of<'a>(axis: &str, rows: &[&'a Row]) -> Vec<&'a str> {
    let mut values: Vec<&str> = Vec::new();
    for value in rows.iter().filter_map(|row| row.at.get(axis)) {
        if !values.contains(&value.as_str()) {
            values.push(value);
        }
    }
    values
}

/// Returns the marks of the horizontal axis: numbers where all its values are numbers, else places
/// in order. The numbers of documents need none.
fn ticks(plan: &ChartPlan, rows: &[&Row]) -> Vec<(f64, String)> {
    if plan.x == Measure::Documents.name() {
        return Vec::new();
    }
    let names = values_of(&plan.x, rows);
    let numbers: Option<Vec<f64>> = names.iter().map(|name| number(name)).collect();
    let places = numbers.unwrap_or_else(|| (1..=names.len()).map(|i| i as f64).collect());
    places.into_iter().zip(names.into_iter().map(ToOwned::to_owned)).collect()
}

/// Reads a number, a percentage or a ratio such as `1:4`.
fn number(text: &str) -> Option<f64> {
    let text = text.strip_prefix("1:").unwrap_or(text);
    text.trim_end_matches(" %").parse().ok()
}

/// A line for every row along the sets.
fn over_sets(measure: Measure, rows: &[&Row]) -> Vec<Series> {
    let line = |row: &&Row| {
        let values = row.values(measure).into_iter();
        let points = values.map(|(set, value)| point(set as f64, value, None));
        Series::new(short_name(row, rows), points).look(Look::Line).tint(row.method)
    };
    rows.iter().map(line).collect()
}

/// A curve for every row over the first k answers.
fn first_answers(measure: Measure, rows: &[&Row]) -> Vec<Series> {
    let curve = |row: &&Row| {
        let points = row.records.first()?.cell.curve.iter().map(|&(k, precision, recall, f1)| {
            let y = match measure {
                Measure::Precision => precision,
                Measure::Recall => recall,
                _ => f1,
            };
            point(k as f64, y, None)
        });
        Some(Series::new(&row.name, points).look(Look::Curve).tint(row.method))
    };
    rows.iter().filter_map(curve).collect()
}

/// Returns the means of the two measures of a chart.
fn both(plan: &ChartPlan, row: &Row) -> Option<(f64, f64)> {
    row.mean(Measure::named(&plan.x)?).zip(row.mean(plan.y))
}

/// A line for every method through its points of two measures.
fn tradeoff(plan: &ChartPlan, rows: &[&Row]) -> Vec<Series> {
    let mut lines: Vec<Series> = Vec::new();
    for row in rows {
        if let Some((x, y)) = both(plan, row) {
            add_point(&mut lines, row, &row.label, point(x, y, None), Look::Line);
        }
    }
    lines
}

/// A point of two measures for every row.
fn scatter(plan: &ChartPlan, rows: &[&Row]) -> Vec<Series> {
    let point = |row: &&Row| {
        let (x, y) = both(plan, row)?;
        let point = point(x, y, row.interval(plan.y));
        Some(Series::new(&row.name, [point]).look(Look::Points).tint(row.method))
    };
    rows.iter().filter_map(point).collect()
}

fn point(x: f64, y: f64, interval: Option<(f64, f64)>) -> Point {
    Point { x, y, interval, name: String::new() }
}

/// Adds a point to the line of a name, or begins that line.
fn add_point(lines: &mut Vec<Series>, row: &Row, name: &str, point: Point, look: Look) {
    match lines.iter_mut().find(|line| line.name == name) {
        Some(line) => line.points.push(point),
        None => lines.push(Series::new(name, [point]).look(look).tint(row.method)),
    }
}

/// Returns a name that is safe in that of a file: small letters and digits, joined by hyphens.
fn slug(text: &str) -> String {
    let text = text.to_lowercase();
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(slug("1:4, Über 20 %"), "1-4-ber-20");
        assert_eq!((number("1:4"), number("20 %"), number("begin")), (Some(4.0), Some(20.0), None));
    }
}
