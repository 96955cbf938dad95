//! Limits of work, which may be absent.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A limit of work, or none. Its value is a whole number or the word `none`.
///
/// ```
/// use retold_core::parameters::Limit;
/// assert_eq!(serde_json::to_string(&[Limit::at(1000), Limit::NONE])?, r#"[1000,"none"]"#);
/// assert_eq!(serde_json::from_str::<Limit>(r#""none""#)?, Limit::NONE);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Limit(usize);

impl Limit {
    /// No limit.
    pub const NONE: Self = Self(u32::MAX as usize);

    /// The word for no limit.
    pub(super) const WORD: &'static str = "none";

    /// Makes a limit of so many. What no collection reaches is none.
    pub const fn at(n: usize) -> Self {
        if n < Self::NONE.0 { Self(n) } else { Self::NONE }
    }

    /// Returns the limit as a number. No limit is a number that no collection reaches, because
    /// documents are counted with 32 bits.
    pub const fn get(self) -> usize {
        self.0
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::NONE => serializer.serialize_str(Self::WORD),
            Self(n) => n.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Value {
            Number(usize),
            Word(String),
        }
        match Value::deserialize(deserializer)? {
            Value::Number(n) => Ok(Self::at(n)),
            Value::Word(word) if word == Self::WORD => Ok(Self::NONE),
            Value::Word(word) => Err(D::Error::custom(format!("a number or none, not `{word}`"))),
        }
    }
}
