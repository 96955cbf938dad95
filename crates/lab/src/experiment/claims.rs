//! Claims: statements of a paper, checked against what was measured.

use serde::Serialize;

use super::design::{Check, Design, OneOrMore};
use super::findings::{Fit, PairedResult, p_text};
use super::measure::Measure;
use super::rows::Row;
use crate::statistics::Alternative;

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdicts {
    /// It holds here.
    Reproduced,
    /// It does not hold here.
    NotReproduced,
    /// This version of the experiment cannot tell.
    Open,
}

impl Verdicts {
    fn of(holds: bool) -> Self {
        if holds { Self::Reproduced } else { Self::NotReproduced }
    }

    /// Returns the words for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not reproduced",
            Self::Open => "cannot tell",
        }
    }
}

/// A claim, checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The claim.
    #[serde(rename = "says")]
    pub claim: String,
    /// Whether it holds.
    pub verdict: Verdicts,
    /// The numbers behind it.
    pub because: String,
}

/// Checks all claims of a design.
pub(super) fn verdicts(
    design: &Design,
    rows: &[Row],
    paired: &[PairedResult],
    fits: &[Fit],
) -> Vec<Verdict> {
    design
        .claims
        .iter()
        .map(|claim| {
            let (verdict, because) = check(&claim.check, rows, paired, fits).unwrap_or_else(|| {
                (Verdicts::Open, "this version has not all the rows it needs".to_owned())
            });
            Verdict { claim: claim.text.clone(), verdict, because }
        })
        .collect()
}

/// Returns whether a claim holds, and the numbers behind it; none if some are missing.
fn check(
    check: &Check,
    rows: &[Row],
    paired: &[PairedResult],
    fits: &[Fit],
) -> Option<(Verdicts, String)> {
    let mean = |name: &str, measure: Measure| {
        rows.iter().find(|row| row.name == name).and_then(|row| row.mean(measure))
    };
    let told = |names: &[&String], measure: Measure| -> Option<String> {
        let each: Option<Vec<String>> = names
            .iter()
            .map(|name| Some(format!("{name} {}", measure.figure(mean(name, measure)?))))
            .collect();
        Some(each?.join(", "))
    };
    match check {
        Check::Order { measure, rows } => {
            let means: Option<Vec<Vec<f64>>> = rows
                .iter()
                .map(|group| group.rows().iter().map(|row| mean(row, *measure)).collect())
                .collect();
            let holds = means?.windows(2).all(|two| {
                let least = two[0].iter().copied().fold(f64::INFINITY, f64::min);
                let most = two[1].iter().copied().fold(f64::NEG_INFINITY, f64::max);
                least > most
            });
            let names: Vec<&String> = rows.iter().flat_map(OneOrMore::rows).collect();
            Some((Verdicts::of(holds), format!("{}: {}", measure.title(), told(&names, *measure)?)))
        }
        Check::Within { measure, rows, most } => {
            let means: Option<Vec<f64>> = rows.iter().map(|row| mean(row, *measure)).collect();
            let means = means?;
            let high = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let low = means.iter().copied().fold(f64::INFINITY, f64::min);
            let told = format!(
                "{} lies between {} and {}",
                measure.title(),
                measure.figure(low),
                measure.figure(high)
            );
            Some((Verdicts::of(high - low <= *most), told))
        }
        Check::NoLess { measure, pairs, slack, equal } => {
            let mut holds = true;
            let mut differs = *equal;
            let mut parts = Vec::new();
            for (first, second) in pairs {
                let (x, y) = (mean(first, *measure)?, mean(second, *measure)?);
                holds &= x >= y - slack;
                differs |= (x - y).abs() > f64::EPSILON;
                let (x, y) = (measure.figure(x), measure.figure(y));
                parts.push(format!("{first} {x} against {second} {y}"));
            }
            let verdict = if differs { Verdicts::of(holds) } else { Verdicts::Open };
            Some((verdict, format!("{}: {}", measure.title(), parts.join("; "))))
        }
        Check::Levels { measure, rows, levels_at, most } => {
            let means: Option<Vec<f64>> = rows.iter().map(|row| mean(row, *measure)).collect();
            let means = means?;
            let from = rows.iter().position(|row| row == levels_at)?;
            let falls = means.windows(2).all(|two| two[1] <= two[0]);
            let last = means.last().copied()?;
            let change = (means[from] - last).abs() / means[from].abs().max(1e-12);
            let names: Vec<&String> = rows.iter().collect();
            let told = format!(
                "{}; after {levels_at} it changes by {:.1} %",
                told(&names, *measure)?,
                100.0 * change
            );
            Some((Verdicts::of(falls && change <= *most), told))
        }
        Check::AtLeast { measure, rows: named, value } => {
            let names: Vec<&String> = if named.is_empty() {
                rows.iter().map(|row| &row.name).collect()
            } else {
                named.iter().collect()
            };
            let means: Option<Vec<f64>> = names.iter().map(|row| mean(row, *measure)).collect();
            let least = means?.into_iter().fold(f64::INFINITY, f64::min);
            let told = format!(
                "the least {} is {}, wanted {}",
                measure.title(),
                measure.figure(least),
                measure.figure(*value)
            );
            Some((Verdicts::of(least >= *value), told))
        }
        Check::Saves { measure, pairs, least } => {
            let mut holds = true;
            let mut parts = Vec::new();
            for (smaller, larger) in pairs {
                let saved = 1.0 - mean(smaller, *measure)? / mean(larger, *measure)?.max(1e-12);
                holds &= saved >= *least;
                parts.push(format!("{smaller} {:.1} %", 100.0 * saved));
            }
            Some((Verdicts::of(holds), format!("fewer {}: {}", measure.title(), parts.join(", "))))
        }
        Check::Paired { measure } => {
            let result = paired.iter().find(|result| result.measure == *measure)?;
            let difference = result.test.mean_difference;
            let is_right = match result.alternative {
                Alternative::Greater => difference > 0.0,
                _ => difference < 0.0,
            };
            let told = format!(
                "mean difference {difference:.4} over {} sets, p = {}",
                result.test.n,
                p_text(result.test.p)
            );
            Some((Verdicts::of(is_right && result.test.p < 0.05), told))
        }
        Check::Exponent { methods, most } => {
            let mut holds = true;
            let mut parts = Vec::new();
            for method in methods {
                let fit = fits.iter().find(|fit| fit.label == *method)?;
                let law = &fit.law;
                // The claim fails only if the whole interval lies above the limit.
                holds &= law.interval.map_or(law.exponent, |interval| interval.low) <= *most;
                let interval = law
                    .interval
                    .map(|i| format!(" ({:.2} to {:.2})", i.low, i.high))
                    .unwrap_or_default();
                parts.push(format!("{method} {:.2}{interval}", law.exponent));
            }
            Some((Verdicts::of(holds), format!("exponents: {}", parts.join(", "))))
        }
    }
}
