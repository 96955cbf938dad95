//! Two methods over the same sets: paired tests.

use std::collections::BTreeMap;

use super::tables::{Side, Table, column};
use crate::experiment::design::{Design, Paired};
use crate::experiment::measure::Measure;
use crate::experiment::rows::Row;
use crate::statistics::{Alternative, Level, PairedT, paired_t, wilcoxon};

/// Two rows compared by a measure.
#[derive(Clone, Debug)]
pub(in crate::experiment) struct PairedResult {
    /// Names of the rows.
    pub(in crate::experiment) rows: [String; 2],
    /// Values of the axes that both rows have; empty if there are none.
    pub(in crate::experiment) at: String,
    pub(in crate::experiment) measure: Measure,
    pub(in crate::experiment) means: [f64; 2],
    pub(in crate::experiment) test: PairedT,
    pub(in crate::experiment) wilcoxon_p: Option<f64>,
    pub(in crate::experiment) alternative: Alternative,
}

/// Compares two methods over the same sets, by every measure that the design names. Where `[paired]`
/// names methods and not rows, they are compared at every combination of axes.
pub(super) fn paired(design: &Design, rows: &[Row]) -> Vec<PairedResult> {
    let Some(plan) = &design.paired else { return Vec::new() };
    let named = |name: &str| rows.iter().find(|row| row.name == name);
    let pairs: Vec<(&Row, &Row)> = if let Some(pair) = named(&plan.first).zip(named(&plan.second)) {
        vec![pair]
    } else {
        let partner =
            |first: &Row| rows.iter().find(|row| row.label == plan.second && row.at == first.at);
        let first = rows.iter().filter(|row| row.label == plan.first);
        first.filter_map(|first| Some((first, partner(first)?))).collect()
    };
    let measures: Vec<Measure> = plan.greater.iter().chain(&plan.less).copied().collect();
    let of = |(first, second): (&Row, &Row)| {
        let each = measures.iter().filter_map(|&measure| paired_by(plan, first, second, measure));
        each.collect::<Vec<_>>()
    };
    pairs.into_iter().flat_map(of).collect()
}

/// Compares two rows over the same sets by a measure that the plan names.
pub(in crate::experiment) fn paired_by(
    plan: &Paired,
    first: &Row,
    second: &Row,
    measure: Measure,
) -> Option<PairedResult> {
    let alternative = if plan.greater.contains(&measure) {
        Alternative::Greater
    } else if plan.less.contains(&measure) {
        Alternative::Less
    } else {
        return None;
    };
    let rows = [first.name.clone(), second.name.clone()];
    let at = if first.at == second.at {
        first.at.values().cloned().collect::<Vec<_>>().join(", ")
    } else {
        String::new()
    };
    let means = [first.mean(measure)?, second.mean(measure)?];
    let values = |row: &Row| row.values(measure).into_iter().collect::<BTreeMap<_, _>>();
    let (first, second) = (values(first), values(second));
    let both = first.iter().filter_map(|(set, value)| Some((*value, *second.get(set)?)));
    let (first, second): (Vec<f64>, Vec<f64>) = both.unzip();
    let test = paired_t(&first, &second, alternative, Level::default())?;
    let wilcoxon_p = wilcoxon(&first, &second, alternative).map(|test| test.p);
    Some(PairedResult { rows, at, measure, means, test, wilcoxon_p, alternative })
}

/// Writes a p-value.
pub(in crate::experiment) fn p_text(p: f64) -> String {
    if !p.is_finite() {
        "–".to_owned()
    } else if p < 0.001 {
        format!("{p:.2e}")
    } else {
        format!("{p:.3}")
    }
}

/// A row for every measure by which two methods are compared, at every combination of axes.
pub(super) fn paired_table(design: &Design, paired: &[PairedResult]) -> Option<Table> {
    let plan = design.paired.as_ref()?;
    let is_apart = paired.iter().any(|result| result.at != paired[0].at);
    paired.first()?;
    let mut columns = vec![column("measure", Side::Name)];
    if is_apart {
        columns.push(column("at", Side::Name));
    }
    let ours =
        ["sets", &plan.first, &plan.second, "mean difference", "p (paired t)", "p (Wilcoxon)"];
    columns.extend(ours.map(|title| column(title, Side::Ours)));
    columns.push(column("p (paired t), paper", Side::Paper));
    let published = design.published.as_ref();
    let lines = paired.iter().map(|result| {
        let theirs = published.and_then(|p| p.p_values.get(&result.measure));
        let mut line = vec![result.measure.title()];
        if is_apart {
            line.push(result.at.clone());
        }
        line.push(result.test.n.to_string());
        line.extend(result.means.map(|mean| result.measure.figure(mean)));
        line.push(format!("{:.4}", result.test.mean_difference));
        line.push(p_text(result.test.p));
        line.push(result.wilcoxon_p.map(p_text).unwrap_or_default());
        line.push(theirs.map(|p| p_text(*p)).unwrap_or_default());
        line
    });
    Some(Table {
        title: format!("{} against {} over sets, one-sided", plan.first, plan.second),
        place: published.map(|p| p.place.clone()).unwrap_or_default(),
        rows: lines.collect(),
        columns,
    })
}
