//! Parameters: each is declared once, with its help, type, defaults and range.
//!
//! `parameters!` makes a plain struct of declarations. Fields, defaults of both profiles, checks,
//! help, pages and JSON Schema come from the same line, so they cannot say different things:
//!
//! ```text
//! parameters! {
//!     pub(super) struct Config {
//!         /// words in a run
//!         k: usize = 5, paper 4, in 1..=64;
//!         /// what ends a sentence
//!         splitter: Delimiters = Delimiters::Wide;
//!         ..limits: Limits;
//!     }
//! }
//! ```
//!
//! The comment of a field is its help. A default for the profile `paper` is given where it differs.
//! Numbers have a range, which is anything that bounds the type; of an enum its variants are accepted.
//! `permissive down to 0.3` or `permissive up to 7` gives the value with which a method nominates
//! pairs generously: see [`Parameter::permissive`].
//! `..` takes in the parameters of another declaration, before or after one's own.

mod accepts;
mod limit;

pub use accepts::Accepts;
pub(crate) use accepts::{Ranged, SHARE};
pub use limit::Limit;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ConfigError;

/// Whose setting of a method is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The product's: the method proposes pairs, and the documents decide.
    #[default]
    Retold,
    /// The paper's, to the letter: the method decides.
    Paper,
}

impl Profile {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Retold, Self::Paper];

    /// Returns the name used in files and flags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Retold => "retold",
            Self::Paper => "paper",
        }
    }

    /// Returns the one of two values that belongs to the profile.
    pub(crate) fn of<T>(self, retold: T, paper: T) -> T {
        match self {
            Self::Retold => retold,
            Self::Paper => paper,
        }
    }
}

/// A struct of parameters.
pub trait Parameters: Serialize + DeserializeOwned + Clone + Send + Sync {
    /// Returns the declarations, in the order shown to users.
    fn parameters() -> Vec<Parameter>;

    /// Returns the defaults of a profile.
    fn defaults(profile: Profile) -> Self;

    /// Returns an error that names the first parameter outside its range.
    fn check(&self) -> Result<(), ConfigError> {
        let values = serde_json::to_value(self).expect("parameters are plain data");
        Self::parameters().iter().try_for_each(|parameter| parameter.check(&values[parameter.name]))
    }
}

/// A parameter as it was declared.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name in `--set NAME=VALUE` and in configuration files.
    pub name: &'static str,
    /// What it does. What is accepted is told by [`Parameter::accepts`].
    pub about: &'static str,
    accepts: fn() -> Accepts,
    default: fn(Profile) -> Value,
    permissive: Option<Permissive>,
}

/// A value that lets more pairs through, and on which side of it the stricter ones lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Permissive {
    /// Smaller values let more through.
    Down(fn() -> Value),
    /// Larger values let more through.
    Up(fn() -> Value),
}

impl Parameter {
    /// Makes a declaration; `about` is the text of a comment.
    pub(crate) const fn new(
        name: &'static str,
        about: &'static str,
        accepts: fn() -> Accepts,
        default: fn(Profile) -> Value,
    ) -> Self {
        Self { name, about: about.trim_ascii(), accepts, default, permissive: None }
    }

    /// Adds the value with which a method nominates pairs generously.
    pub(crate) const fn with_permissive(mut self, permissive: Permissive) -> Self {
        self.permissive = Some(permissive);
        self
    }

    /// Returns which values are accepted.
    pub fn accepts(&self) -> Accepts {
        (self.accepts)()
    }

    /// Returns the default of a profile.
    pub fn default(&self, profile: Profile) -> Value {
        (self.default)(profile)
    }

    /// Returns the permissive value of the parameter if it lets more through than `value` does.
    ///
    /// Such parameters are monotone: what is related with the stricter value is related with the
    /// permissive one too. The values of the methods in the CoDet paper (`codet`, `dsc`,
    /// `dsc-positional`, `full-fingerprint`, `imatch`, `simhash`) stand in for those of its pooling,
    /// which are lost. The others are about half the threshold of the paper; `cosine` stays at 0.6,
    /// because at 0.4 it relates most pairs of a collection.
    pub fn permissive(&self, value: &Value) -> Option<Value> {
        let (permissive, is_looser): (_, fn(&f64, &f64) -> bool) = match self.permissive? {
            Permissive::Down(permissive) => (permissive(), f64::lt),
            Permissive::Up(permissive) => (permissive(), f64::gt),
        };
        is_looser(&permissive.as_f64()?, &value.as_f64()?).then_some(permissive)
    }

    /// Returns an error unless a value is accepted.
    pub fn check(&self, value: &Value) -> Result<(), ConfigError> {
        match self.accepts().refusal(value) {
            None => Ok(()),
            Some(accepted) => Err(ConfigError::value(self.name, accepted, value)),
        }
    }

    /// Returns the JSON Schema of its values, with a default.
    pub fn schema(&self, default: Value) -> Value {
        let mut schema = self.accepts().schema();
        schema.insert("description".to_owned(), self.about.into());
        schema.insert("default".to_owned(), default);
        Value::Object(schema)
    }
}

/// Declares a struct of parameters: see the [module](self).
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Config:ident {
            $(..$first:ident: $First:ty;)*
            $(
                $(#[doc = $about:literal])+
                $field:vis $name:ident: $type:ty =
                    $default:expr $(, paper $paper:expr)? $(, in $range:expr)?
                    $(, permissive $side:ident to $permissive:expr)?;
            )+
            $(..$last:ident: $Last:ty;)*
        }
    ) => {
        #[derive(Clone, Debug, ::serde::Serialize, ::serde::Deserialize)]
        $(#[$meta])*
        $vis struct $Config {
            $(#[serde(flatten)] $first: $First,)*
            $(
                $(#[doc = $about])+
                #[doc = concat!("\n\n The default is `", stringify!($default), "`.")]
                $field $name: $type,
            )*
            $(#[serde(flatten)] $last: $Last,)*
        }

        impl $crate::parameters::Parameters for $Config {
            fn parameters() -> Vec<$crate::parameters::Parameter> {
                let mut all = Vec::new();
                $(all.extend(<$First as $crate::parameters::Parameters>::parameters());)*
                $(all.push($crate::parameters::Parameter::new(
                    stringify!($name),
                    concat!($($about),+),
                    || $crate::parameters::parameters!(@accepts $type $(, $range)?),
                    |profile| {
                        ::serde_json::to_value(Self::defaults(profile).$name)
                            .expect("a parameter is plain data")
                    },
                )$(.with_permissive(
                    $crate::parameters::parameters!(@permissive $side $type, $permissive)
                ))?);)*
                $(all.extend(<$Last as $crate::parameters::Parameters>::parameters());)*
                all
            }

            fn defaults(profile: $crate::parameters::Profile) -> Self {
                Self {
                    $($first: $crate::parameters::Parameters::defaults(profile),)*
                    $($name: profile.of(
                        $default,
                        $crate::parameters::parameters!(@paper $default $(, $paper)?),
                    ),)*
                    $($last: $crate::parameters::Parameters::defaults(profile),)*
                }
            }
        }
    };
    (@accepts $type:ty) => { $crate::parameters::Accepts::all_of::<$type>() };
    (@accepts $type:ty, $range:expr) => {
        <$type as $crate::parameters::Ranged>::within($range)
    };
    (@permissive down $type:ty, $value:expr) => {
        $crate::parameters::Permissive::Down(|| ::serde_json::json!($value as $type))
    };
    (@permissive up $type:ty, $value:expr) => {
        $crate::parameters::Permissive::Up(|| ::serde_json::json!($value as $type))
    };
    (@paper $default:expr) => { $default };
    (@paper $default:expr, $paper:expr) => { $paper };
}

pub(crate) use parameters;
