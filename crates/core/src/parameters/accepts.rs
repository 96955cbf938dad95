//! What a parameter accepts: checked, written for people, written as JSON Schema.

use std::fmt;
use std::ops::{Bound, RangeBounds};

use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde_json::{Map, Value, json};

use super::Limit;

/// Which values a parameter accepts. As text it is written for help: "1 to 64".
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accepts {
    /// Whole numbers.
    Whole {
        /// The smallest.
        least: u64,
        /// The largest, if there is one.
        most: Option<u64>,
    },
    /// A limit of work: a whole number, or the word `none`.
    Limit {
        /// The smallest number.
        least: u64,
    },
    /// Numbers.
    Number {
        /// Where they begin.
        low: Bound<f64>,
        /// Where they end.
        high: Bound<f64>,
    },
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// True or false.
    Switch,
    /// Any text.
    Text,
}

/// Above 0 and at most 1.
pub(crate) const SHARE: (Bound<f64>, Bound<f64>) = (Bound::Excluded(0.0), Bound::Included(1.0));

/// The largest number of the smallest type that parameters have.
const MOST: u64 = u32::MAX as u64;

impl Accepts {
    /// Returns what a type accepts as a whole.
    pub(crate) fn all_of<T: DeserializeOwned>() -> Self {
        match T::deserialize(Probe) {
            Err(ProbeAnswer(accepts)) => accepts,
            Ok(_) => unreachable!("a probe gives no value"),
        }
    }

    /// Returns what would have been accepted instead of a value, or `None` if it is accepted.
    pub(super) fn refusal(self, value: &Value) -> Option<String> {
        let is_accepted = match (self, value) {
            (Self::Whole { least, most }, Value::Number(n)) => match n.as_u64() {
                Some(n) => n >= least && most.is_none_or(|most| n <= most),
                None => return Some("a whole number of at least 0".to_owned()),
            },
            (Self::Number { low, high }, Value::Number(n)) => {
                n.as_f64().is_some_and(|n| (low, high).contains(&n))
            }
            (Self::Limit { least }, value) => {
                value.as_u64().is_some_and(|n| n >= least) || *value == *Limit::WORD
            }
            (Self::Whole { .. } | Self::Number { .. }, _) => return Some("a number".to_owned()),
            (Self::OneOf(names), value) => {
                value.as_str().is_some_and(|given| names.contains(&given))
            }
            (Self::Switch, value) => value.is_boolean(),
            (Self::Text, value) => value.is_string(),
        };
        (!is_accepted).then(|| match self.bounds() {
            Some((Bound::Included(low), Bound::Included(high))) => {
                format!("between {low} and {high}")
            }
            _ => self.to_string(),
        })
    }

    /// Returns the bounds of numbers, written.
    fn bounds(self) -> Option<(Bound<String>, Bound<String>)> {
        match self {
            Self::Whole { least, most } => {
                let most = most.map_or(Bound::Unbounded, |most| Bound::Included(most.to_string()));
                Some((Bound::Included(least.to_string()), most))
            }
            Self::Number { low, high } => {
                Some((low.map(|low| low.to_string()), high.map(|high| high.to_string())))
            }
            Self::Limit { .. } | Self::OneOf(_) | Self::Switch | Self::Text => None,
        }
    }

    /// Returns the JSON Schema of the values.
    pub(super) fn schema(self) -> Map<String, Value> {
        let mut schema = Map::new();
        let mut put = |name: &str, value: Value| schema.insert(name.to_owned(), value);
        match self {
            Self::Whole { least, most } => {
                put("type", "integer".into());
                put("minimum", least.into());
                if let Some(most) = most {
                    put("maximum", most.into());
                }
            }
            Self::Limit { least } => {
                let number = json!({ "type": "integer", "minimum": least });
                put("anyOf", json!([number, { "const": Limit::WORD }]));
            }
            Self::Number { low, high } => {
                put("type", "number".into());
                match low {
                    Bound::Included(low) => drop(put("minimum", low.into())),
                    Bound::Excluded(low) => drop(put("exclusiveMinimum", low.into())),
                    Bound::Unbounded => {}
                }
                match high {
                    Bound::Included(high) => drop(put("maximum", high.into())),
                    Bound::Excluded(high) => drop(put("exclusiveMaximum", high.into())),
                    Bound::Unbounded => {}
                }
            }
            Self::OneOf(names) => {
                put("type", "string".into());
                put("enum", json!(names));
            }
            Self::Switch => drop(put("type", "boolean".into())),
            Self::Text => drop(put("type", "string".into())),
        }
        schema
    }
}

impl fmt::Display for Accepts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = match (self, self.bounds()) {
            // As much as 32 bits hold is as much as one likes.
            (Self::Whole { most: Some(most), .. }, Some((low, _))) if *most >= MOST => {
                (low, Bound::Unbounded)
            }
            (_, Some(bounds)) => bounds,
            (Self::Limit { least }, _) => {
                return write!(f, "at least {least}, or {}", Limit::WORD);
            }
            (Self::OneOf(names), _) => return write!(f, "one of {}", names.join(", ")),
            (Self::Switch, _) => return f.write_str("true or false"),
            _ => return f.write_str("text"),
        };
        let high = match (&low, high) {
            (Bound::Included(low), Bound::Included(high)) => return write!(f, "{low} to {high}"),
            (_, Bound::Included(high)) => Some(format!("at most {high}")),
            (_, Bound::Excluded(high)) => Some(format!("below {high}")),
            (_, Bound::Unbounded) => None,
        };
        let low = match low {
            Bound::Included(low) => Some(format!("at least {low}")),
            Bound::Excluded(low) => Some(format!("above {low}")),
            Bound::Unbounded => None,
        };
        match (low, high) {
            (Some(low), Some(high)) => write!(f, "{low} and {high}"),
            (Some(one), None) | (None, Some(one)) => f.write_str(&one),
            (None, None) => f.write_str("a number"),
        }
    }
}

/// Types of which a range can be accepted.
pub(crate) trait Ranged {
    /// What a range of them is bounded by.
    type Number;

    /// Returns that the values of a range are accepted.
    fn within(range: impl RangeBounds<Self::Number>) -> Accepts;
}

impl Ranged for Limit {
    type Number = usize;

    fn within(range: impl RangeBounds<usize>) -> Accepts {
        match usize::within(range) {
            Accepts::Whole { least, most: None } => Accepts::Limit { least },
            other => unreachable!("a limit can be as large as one likes, not {other}"),
        }
    }
}

impl Ranged for usize {
    type Number = Self;

    fn within(range: impl RangeBounds<Self>) -> Accepts {
        let [low, high] =
            [range.start_bound(), range.end_bound()].map(|bound| bound.map(|&x| x as u64));
        whole(low, high)
    }
}

impl Ranged for u32 {
    type Number = Self;

    fn within(range: impl RangeBounds<Self>) -> Accepts {
        let [low, high] =
            [range.start_bound(), range.end_bound()].map(|bound| bound.map(|&x| x.into()));
        let high = if high == Bound::Unbounded { Bound::Included(Self::MAX.into()) } else { high };
        whole(low, high)
    }
}

impl Ranged for f64 {
    type Number = Self;

    fn within(range: impl RangeBounds<Self>) -> Accepts {
        Accepts::Number { low: range.start_bound().cloned(), high: range.end_bound().cloned() }
    }
}

fn whole(low: Bound<u64>, high: Bound<u64>) -> Accepts {
    let least = match low {
        Bound::Included(low) => low,
        Bound::Excluded(low) => low + 1,
        Bound::Unbounded => 0,
    };
    let most = match high {
        Bound::Included(high) => Some(high),
        Bound::Excluded(high) => Some(high.saturating_sub(1)),
        Bound::Unbounded => None,
    };
    Accepts::Whole { least, most }
}

/// A deserializer that learns what a type accepts from the call the type makes to be read; the answer
/// is returned as the error.
struct Probe;

/// What a probe has learnt.
#[derive(Debug)]
struct ProbeAnswer(Accepts);

impl fmt::Display for ProbeAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ProbeAnswer {}

impl serde::de::Error for ProbeAnswer {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(Accepts::Text)
    }
}

impl<'de> Deserializer<'de> for Probe {
    type Error = ProbeAnswer;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ProbeAnswer> {
        panic!("a number is declared with its range, and nothing else is a parameter");
    }

    fn deserialize_string<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ProbeAnswer> {
        Err(ProbeAnswer(Accepts::Text))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ProbeAnswer> {
        Err(ProbeAnswer(Accepts::Switch))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, ProbeAnswer> {
        Err(ProbeAnswer(Accepts::OneOf(variants)))
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
