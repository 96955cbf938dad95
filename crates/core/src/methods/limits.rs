//! Parameters that limit the work of a search, and checks of shares; several methods have them.

use super::{Parameter, within};
use crate::candidates::weighted::Limits;
use crate::error::ConfigError;

/// Parameters of [`Limits`].
pub(super) const PARAMETERS: [Parameter; 3] = [
    Parameter { name: "stop", about: "documents that one list answers with" },
    Parameter { name: "most_reads", about: "entries of long lists that one search reads" },
    Parameter { name: "most_partners", about: "documents that one search compares" },
];

/// Returns an error unless every limit lets something through.
pub(super) fn check(limits: Limits) -> Result<Limits, ConfigError> {
    let Limits { stop, most_reads, most_partners } = limits;
    within("stop", stop, 1..=usize::MAX)?;
    within("most_reads", most_reads, 1..=usize::MAX)?;
    within("most_partners", most_partners, 1..=usize::MAX)?;
    Ok(limits)
}

/// Returns an error unless `value` is above 0 and at most 1.
pub(super) fn share(name: &str, value: f64) -> Result<f64, ConfigError> {
    if value > 0.0 && value <= 1.0 {
        return Ok(value);
    }
    Err(ConfigError::value(name, "above 0 and at most 1", &value))
}

/// Returns an error unless `value` is between two bounds.
pub(super) fn between(name: &str, value: f64, low: f64, high: f64) -> Result<f64, ConfigError> {
    if value.is_finite() && (low..=high).contains(&value) {
        return Ok(value);
    }
    let accepted = if high.is_finite() {
        format!("between {low} and {high}")
    } else {
        format!("at least {low}")
    };
    Err(ConfigError::value(name, accepted, &value))
}
