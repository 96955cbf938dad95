//! Which kinds of relation are looked for.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::ConfigError;
use crate::relation::Kind;

/// Kinds of relation that are asked for.
///
/// A kind brings those along that say the same: whoever asks for near-duplicates gets exact copies as
/// well, and `contained` and `contains` are one relation seen from either document.
///
/// ```
/// use retold_core::relation::Kind;
/// use retold_core::relations::Relations;
///
/// let asked: Relations = "near-duplicate,contained".parse()?;
/// assert!(asked.has(Kind::Exact) && asked.has(Kind::Contains) && !asked.has(Kind::Partial));
/// assert_eq!(asked.to_string(), "exact,near-duplicate,contains,contained");
/// assert!("near".parse::<Relations>().is_err());
/// # Ok::<(), retold_core::error::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Relations {
    /// By the places in [`Kind::ALL`].
    asked: [bool; Kind::ALL.len()],
}

impl Relations {
    /// All of them.
    pub const ALL: Self = Self { asked: [true; Kind::ALL.len()] };

    /// Makes a set of some kinds and of those that they bring along.
    ///
    /// ```
    /// use retold_core::relation::Kind;
    /// use retold_core::relations::Relations;
    /// assert!(Relations::of(&[Kind::NearDuplicate]).has(Kind::Exact));
    /// assert!(!Relations::of(&[Kind::Exact]).has(Kind::NearDuplicate));
    /// ```
    pub fn of(kinds: &[Kind]) -> Self {
        let mut asked = [false; Kind::ALL.len()];
        for &kind in kinds {
            asked[kind as usize] = true;
            asked[kind.flipped() as usize] = true;
            asked[Kind::Exact as usize] |= kind == Kind::NearDuplicate;
        }
        Self { asked }
    }

    /// Returns whether a kind is asked for.
    pub fn has(self, kind: Kind) -> bool {
        self.asked[kind as usize]
    }

    /// Returns the set with what another has, too.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self { asked: std::array::from_fn(|at| self.asked[at] || other.asked[at]) }
    }
}

impl Default for Relations {
    fn default() -> Self {
        Self::ALL
    }
}

impl FromStr for Relations {
    type Err = ConfigError;

    fn from_str(names: &str) -> Result<Self, ConfigError> {
        let kind = |name: &str| Kind::ALL.into_iter().find(|kind| kind.name() == name.trim());
        let kinds: Option<Vec<Kind>> = names.split(',').map(kind).collect();
        let known = Kind::ALL.map(Kind::name).join(", ");
        let accepted = format!("one or more of {known}, with commas between");
        let kinds = kinds.ok_or_else(|| ConfigError::value("relations", accepted, &names))?;
        Ok(Self::of(&kinds))
    }
}

impl fmt::Display for Relations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            Kind::ALL.into_iter().filter(|&kind| self.has(kind)).map(Kind::name).collect();
        f.pad(&names.join(","))
    }
}

impl TryFrom<String> for Relations {
    type Error = ConfigError;

    fn try_from(names: String) -> Result<Self, ConfigError> {
        names.parse()
    }
}

impl From<Relations> for String {
    fn from(relations: Relations) -> Self {
        relations.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for kind in Kind::ALL {
            let asked = Relations::of(&[kind]);
            assert_eq!(asked.to_string().parse(), Ok(asked), "{kind}");
            assert!(asked.has(kind) && asked.has(kind.flipped()));
        }
        assert_eq!(Relations::ALL.to_string().parse(), Ok(Relations::ALL));
    }

    #[test]
    fn a_name_that_is_not_known_is_refused_with_those_that_are() {
        for wrong in ["", "near-duplicate,", "copies"] {
            let told = wrong.parse::<Relations>().expect_err("no kind").to_string();
            assert!(
                told.contains("relations must be one or more of exact, near-duplicate"),
                "{told}"
            );
        }
    }
}
