//! Advice: which method to take on this collection, and why.
//!
//! The method with the highest quality is the best. Every method whose interval reaches that
//! quality counts as equally good, and the cheapest of those is recommended. Times vary by chance
//! as well, so all methods that cost at most [`SAME_COST`] times the least count as cheapest, and
//! the one that the design names first is taken.

use serde::Serialize;

use super::design::{AdvicePlan, ColumnPlan, Design};
use super::measure::Measure;
use super::rows::Row;

/// Which method to take.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The method recommended.
    pub method: String,
    /// Why, in sentences.
    pub because: Vec<String>,
    /// What the columns are called: quality, cost, and each need.
    pub columns: Vec<String>,
    /// All methods, best quality first.
    pub choices: Vec<Choice>,
    /// For each need, the cheapest of the methods that are best at it.
    pub by_need: Vec<(String, String, String)>,
}

/// A method with the figures by which it can be chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// The method.
    pub method: String,
    /// Quality, its interval, cost, and each need.
    pub figures: Vec<String>,
    /// Quality as a number.
    pub quality: f64,
    /// Whether its quality may be the best.
    pub is_as_good: bool,
    /// What it is good for.
    pub note: String,
}

/// A cost up to this many times the least one counts as the least.
const SAME_COST: f64 = 1.5;

/// Returns the first of the cheapest.
fn cheapest<'a>(rows: &[&'a Row], cost: impl Fn(&Row) -> f64) -> Option<&'a Row> {
    let least = rows.iter().map(|row| cost(row)).fold(f64::INFINITY, f64::min);
    rows.iter().copied().find(|row| cost(row) <= SAME_COST * least)
}

/// Finds the method to take.
pub(super) fn advise(design: &Design, plan: &AdvicePlan, rows: &[Row]) -> Advice {
    let quality = |row: &Row| row.mean(plan.quality).unwrap_or(0.0);
    let cost = |row: &Row| row.mean(plan.cost).unwrap_or(f64::INFINITY);
    let mut ranked: Vec<&Row> = rows.iter().collect();
    ranked.sort_by(|a, b| quality(b).total_cmp(&quality(a)).then(cost(a).total_cmp(&cost(b))));
    let best = ranked.first().map_or(0.0, |row| quality(row));
    let reaches = |row: &Row| {
        let high = row.interval(plan.quality).map_or(quality(row), |(_, high)| high);
        high >= best - 1e-9
    };
    let as_good: Vec<&Row> = rows.iter().filter(|row| reaches(row)).collect();
    let chosen = cheapest(&as_good, cost);
    let mut columns = vec![plan.quality.title(), told_cost(plan.cost)];
    columns.extend(plan.needs.iter().map(|need| need.title.clone()));
    let choices = ranked
        .iter()
        .map(|row| {
            let mut figures = vec![
                plan.quality.figure(quality(row)),
                plan.cost.figure(row.mean(plan.cost).unwrap_or(f64::NAN)),
            ];
            let need = |need: &ColumnPlan| {
                row.mean(need.measure).map(|mean| need.measure.figure(mean)).unwrap_or_default()
            };
            figures.extend(plan.needs.iter().map(need));
            Choice {
                method: row.name.clone(),
                figures,
                quality: quality(row),
                is_as_good: reaches(row),
                note: design.methods[row.method].note.clone(),
            }
        })
        .collect();
    let mut because = Vec::new();
    if let Some(chosen) = chosen {
        because = reasons(plan, &ranked, chosen, &reaches);
    }
    let by_need = plan
        .needs
        .iter()
        .filter_map(|need| {
            let of = |row: &Row| row.mean(need.measure);
            let most = rows.iter().filter_map(of).fold(f64::NEG_INFINITY, f64::max);
            let near = |row: &&Row| of(row).is_some_and(|value| value >= most - 0.01);
            let row = cheapest(&rows.iter().filter(near).collect::<Vec<_>>(), cost)?;
            let figures = format!(
                "{}, {} {}",
                need.measure.figure(of(row)?),
                plan.cost.figure(cost(row)),
                told_cost(plan.cost)
            );
            Some((need.title.clone(), row.name.clone(), figures))
        })
        .collect();
    Advice {
        method: chosen.map(|row| row.name.clone()).unwrap_or_default(),
        because,
        columns,
        choices,
        by_need,
    }
}

fn told_cost(measure: Measure) -> String {
    match measure {
        Measure::MsPerThousand => "ms per 1,000 documents".to_owned(),
        other => other.title(),
    }
}

fn reasons(
    plan: &AdvicePlan,
    ranked: &[&Row],
    chosen: &Row,
    reaches: &dyn Fn(&Row) -> bool,
) -> Vec<String> {
    let quality = |row: &Row| row.mean(plan.quality).unwrap_or(0.0);
    let cost = |row: &Row| row.mean(plan.cost).unwrap_or(f64::INFINITY);
    let name = plan.quality.title().to_uppercase();
    let mut out = Vec::new();
    let top = ranked[0];
    let interval = chosen
        .interval(plan.quality)
        .map(|(low, high)| {
            format!(" (95 % interval {} to {})", Measure::F1.figure(low), Measure::F1.figure(high))
        })
        .unwrap_or_default();
    let best = if quality(chosen) >= quality(top) {
        "the highest".to_owned()
    } else {
        format!(
            "not to be told from the highest, {} of {}",
            Measure::F1.figure(quality(top)),
            top.name
        )
    };
    out.push(format!("{name} {}{interval}: {best}.", Measure::F1.figure(quality(chosen))));
    let as_good: Vec<&&Row> =
        ranked.iter().filter(|row| reaches(row) && row.name != chosen.name).collect();
    let is_cheapest = as_good.iter().all(|row| cost(chosen) <= cost(row));
    if let Some(dearest) = as_good.iter().max_by(|a, b| cost(a).total_cmp(&cost(b))) {
        let names: Vec<&str> = as_good.iter().map(|row| row.name.as_str()).collect();
        out.push(format!(
            "It is {} of those as good ({}): {} {}, {} takes {:.1} times as much.",
            if is_cheapest { "the cheapest" } else { "among the cheapest" },
            names.join(", "),
            plan.cost.figure(cost(chosen)),
            told_cost(plan.cost),
            dearest.name,
            cost(dearest) / cost(chosen).max(1e-12)
        ));
    } else {
        let cost = plan.cost.figure(cost(chosen));
        out.push(format!(
            "It takes {cost} {}; none of the others is as good.",
            told_cost(plan.cost)
        ));
    }
    let cheaper = ranked
        .iter()
        .filter(|row| cost(row) < cost(chosen) && !reaches(row))
        .max_by(|a, b| quality(a).total_cmp(&quality(b)));
    if let Some(cheaper) = cheaper {
        out.push(format!(
            "The best of the cheaper ones, {}, takes {:.0} % of its time for {name} {}.",
            cheaper.name,
            100.0 * cost(cheaper) / cost(chosen).max(1e-12),
            Measure::F1.figure(quality(cheaper))
        ));
    }
    out
}
