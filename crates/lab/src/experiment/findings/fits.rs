//! How cost grows with the number of documents.

use super::tables::{Side, Table, column};
use crate::experiment::design::{Design, MethodPlan};
use crate::experiment::measure::Measure;
use crate::experiment::rows::Row;
use crate::statistics::{Level, PowerLaw};

/// A power law fitted to the cost of a method.
#[derive(Clone, Debug)]
pub(in crate::experiment) struct Fit {
    pub(in crate::experiment) method: usize,
    pub(in crate::experiment) label: String,
    pub(in crate::experiment) law: PowerLaw,
}

/// Fits the cost of every method to the number of documents.
pub(super) fn fits(design: &Design, rows: &[Row]) -> Vec<Fit> {
    let Some(measure) = design.fitted else { return Vec::new() };
    let of = |(method, plan): (usize, &MethodPlan)| {
        let points: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| row.method == method)
            .filter_map(|row| Some((row.mean(Measure::Documents)?, row.mean(measure)?)))
            .collect();
        let law = PowerLaw::fit(&points, Level::default())?;
        Some(Fit { method, label: plan.label.clone(), law })
    };
    design.methods.iter().enumerate().filter_map(of).collect()
}

/// A row for every fitted exponent.
pub(super) fn fit_table(design: &Design, fits: &[Fit]) -> Option<Table> {
    let measure = design.fitted?.name();
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
