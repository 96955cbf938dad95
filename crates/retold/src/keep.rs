//! Which document is kept: the policy behind `--keep`.

use std::str::FromStr;

use retold_core::error::ConfigError;
use serde::{Deserialize, Serialize};

/// What stands between two policies of which the second decides where the first does not.
const THEN: &str = " then ";

/// Which document of a cluster is kept.
///
/// ```
/// use retold::Keep;
/// assert_eq!("source:ap,afp".parse(), Ok(Keep::Source(vec!["ap".into(), "afp".into()])));
/// assert_eq!("field:-score".parse(), Ok(Keep::FieldDescending("score".into())));
/// let both = Keep::Then(vec![Keep::Score("quality".into()), Keep::Newest]);
/// assert_eq!("score:quality then newest".parse(), Ok(both));
/// assert!("tallest".parse::<Keep>().is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Keep {
    /// The one with most words.
    #[default]
    Longest,
    /// The one with the earliest time; documents without one come last.
    Oldest,
    /// The one with the latest time; documents without one come last.
    Newest,
    /// The one read first.
    First,
    /// The one whose source comes first in this list; others come last.
    Source(Vec<String>),
    /// The one with the smallest value of a field; numbers are compared as numbers.
    Field(String),
    /// The one with the largest value of a field.
    FieldDescending(String),
    /// The one with the largest number in a field; documents whose value is no number come last.
    Score(String),
    /// The first policy, and where it finds documents equal, the next ones.
    Then(Vec<Self>),
}

impl Keep {
    /// Returns the policies in the order in which they decide.
    pub(crate) fn steps(&self) -> &[Self] {
        match self {
            Self::Then(steps) => steps,
            one => std::slice::from_ref(one),
        }
    }

    /// Returns the field that a single policy ranks by.
    fn field(&self) -> Option<&str> {
        match self {
            Self::Field(name) | Self::FieldDescending(name) | Self::Score(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the fields that the policies rank by, each once.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let mut fields: Vec<&str> = Vec::new();
        for name in self.steps().iter().filter_map(Self::field) {
            if !fields.contains(&name) {
                fields.push(name);
            }
        }
        fields
    }

    /// Returns which of the [fields](Self::fields) one of the policies ranks by.
    pub(crate) fn place_of(&self, step: &Self) -> Option<usize> {
        let name = step.field()?;
        self.fields().iter().position(|&field| field == name)
    }

    /// Reads a single policy.
    fn one(text: &str) -> Option<Self> {
        let named = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        match text.split_once(':') {
            None => match text {
                "longest" => Some(Self::Longest),
                "oldest" => Some(Self::Oldest),
                "newest" => Some(Self::Newest),
                "first" => Some(Self::First),
                _ => None,
            },
            Some(("source", list)) => {
                let list: Vec<String> =
                    list.split(',').filter(|s| !s.is_empty()).map(ToOwned::to_owned).collect();
                (!list.is_empty()).then_some(Self::Source(list))
            }
            Some(("field", name)) => match name.strip_prefix('-') {
                Some(name) => named(name).map(Self::FieldDescending),
                None => named(name).map(Self::Field),
            },
            Some(("score", name)) => named(name).map(Self::Score),
            Some(_) => None,
        }
    }
}

impl FromStr for Keep {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let steps: Option<Vec<Self>> =
            text.split(THEN).map(|step| Self::one(step.trim())).collect();
        let accepted = "longest, oldest, newest, first, source:A,B,C, field:NAME, field:-NAME, \
                        score:NAME, or several of them with `then` between";
        let steps = steps.ok_or_else(|| ConfigError::value("keep", accepted, &text))?;
        Ok(match <[Self; 1]>::try_from(steps) {
            Ok([one]) => one,
            Err(steps) => Self::Then(steps),
        })
    }
}

impl TryFrom<String> for Keep {
    type Error = ConfigError;

    fn try_from(text: String) -> Result<Self, ConfigError> {
        text.parse()
    }
}

impl From<Keep> for String {
    fn from(keep: Keep) -> Self {
        match keep {
            Keep::Longest => "longest".into(),
            Keep::Oldest => "oldest".into(),
            Keep::Newest => "newest".into(),
            Keep::First => "first".into(),
            Keep::Source(list) => format!("source:{}", list.join(",")),
            Keep::Field(name) => format!("field:{name}"),
            Keep::FieldDescending(name) => format!("field:-{name}"),
            Keep::Score(name) => format!("score:{name}"),
            Keep::Then(steps) => steps.into_iter().map(Self::from).collect::<Vec<_>>().join(THEN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_read_as_it_is_written() {
        for text in [
            "longest",
            "oldest",
            "source:reuters,ap",
            "field:rank",
            "field:-score",
            "score:quality",
            "source:reuters,ap then score:quality then newest then first",
        ] {
            let keep: Keep = text.parse().expect("a policy");
            assert_eq!(String::from(keep), text);
        }
        for text in ["field:", "tallest", "score:", "longest then", "longest then tallest", ""] {
            assert!(text.parse::<Keep>().is_err(), "{text}");
        }
    }

    #[test]
    fn fields_are_listed_once() {
        let keep: Keep = "score:a then field:b then field:-a".parse().expect("a policy");
        assert_eq!(keep.fields(), ["a", "b"]);
        let places: Vec<Option<usize>> =
            keep.steps().iter().map(|step| keep.place_of(step)).collect();
        assert_eq!(places, [Some(0), Some(1), Some(0)]);
    }
}
