//! Two methods over the same sets: paired tests.

use std::collections::BTreeMap;

use super::tables::{Side, Table, column};
use crate::experiment::design::{Design, Paired};
use crate::experiment::measure::Measure;
use crate::experiment::rows::Row;
use crate::statistics::{Alternative, Level, PairedT, paired_t, wilcoxon};

/// Two methods compared by a measure.
#[derive(Clone, Debug)]
pub(in crate::experiment) struct PairedResult {
    pub(in crate::experiment) measure: Measure,
    pub(in crate::experiment) test: PairedT,
    pub(in crate::experiment) wilcoxon_p: Option<f64>,
    pub(in crate::experiment) alternative: Alternative,
}

/// Compares two methods over the same sets, by every measure that the design names.
pub(super) fn paired(design: &Design, rows: &[Row]) -> Vec<PairedResult> {
    let Some(plan) = &design.paired else { return Vec::new() };
    let find = |name: &str| rows.iter().find(|row| row.name == name);
    let (Some(first), Some(second)) = (find(&plan.first), find(&plan.second)) else {
        return Vec::new();
    };
    let measures = plan.greater.iter().chain(&plan.less);
    measures.filter_map(|&measure| paired_by(plan, first, second, measure)).collect()
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
    let values = |row: &Row| row.values(measure).into_iter().collect::<BTreeMap<_, _>>();
    let (first, second) = (values(first), values(second));
    let both = first.iter().filter_map(|(set, value)| Some((*value, *second.get(set)?)));
    let (first, second): (Vec<f64>, Vec<f64>) = both.unzip();
    let test = paired_t(&first, &second, alternative, Level::default())?;
    let wilcoxon_p = wilcoxon(&first, &second, alternative).map(|test| test.p);
    Some(PairedResult { measure, test, wilcoxon_p, alternative })
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

/// A row for every measure by which two methods are compared.
pub(super) fn paired_table(
    design: &Design,
    rows: &[Row],
    paired: &[PairedResult],
) -> Option<Table> {
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
    let mean = |name: &str, measure: Measure| {
        let row = rows.iter().find(|row| row.name == name);
        row.and_then(|row| row.mean(measure)).map(|mean| measure.figure(mean)).unwrap_or_default()
    };
    let published = design.published.as_ref();
    let lines = paired.iter().map(|result| {
        let theirs = published.and_then(|p| p.p_values.get(&result.measure));
        vec![
            result.measure.title(),
            mean(&plan.first, result.measure),
            mean(&plan.second, result.measure),
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
