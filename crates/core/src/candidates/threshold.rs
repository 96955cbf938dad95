//! Thresholds that are a number of common units or a share of them.

use serde::{Deserialize, Serialize};

use crate::error::ConfigError;

/// How much two documents must have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Threshold {
    /// A number of units. A document with fewer units is related to nobody.
    Absolute,
    /// A share of a document's units.
    #[default]
    Relative,
}

/// Returns `n` as a number of units, or an error if it is 0 or beyond counting.
pub fn check_common(name: &str, n: usize) -> Result<u32, ConfigError> {
    let accepted = || ConfigError::value(name, format!("between 1 and {}", u32::MAX), &n);
    u32::try_from(n).ok().filter(|&n| n > 0).ok_or_else(accepted)
}

/// Returns `share`, or an error unless it is above 0 and at most 1.
pub fn check_share(name: &str, share: f64) -> Result<f64, ConfigError> {
    if share > 0.0 && share <= 1.0 {
        return Ok(share);
    }
    Err(ConfigError::value(name, "above 0 and at most 1", &share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_numbers_that_mean_nothing_are_refused() {
        assert_eq!(check_common("common", 85), Ok(85));
        assert!(check_common("common", 0).is_err());
        assert_eq!(check_share("share", 1.0), Ok(1.0));
        let error = check_share("share", f64::NAN).expect_err("not a share");
        assert_eq!(error.to_string(), "share must be above 0 and at most 1, got NaN");
        assert!(check_share("share", 0.0).is_err());
    }
}
