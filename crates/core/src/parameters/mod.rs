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
//!         ..rule: Rule;
//!     }
//! }
//! ```
//!
//! The comment of a field is its help. A default for the profile `paper` is given where it differs.
//! Numbers have a range, which is anything that bounds the type; of an enum its variants are accepted.
//! `..` takes in the parameters of another declaration, before or after one's own.

mod accepts;

pub use accepts::Accepts;
pub(crate) use accepts::{Ranged, SHARE};

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
}

impl Parameter {
    /// Makes a declaration; `about` is the text of a comment.
    pub(crate) const fn new(
        name: &'static str,
        about: &'static str,
        accepts: fn() -> Accepts,
        default: fn(Profile) -> Value,
    ) -> Self {
        Self { name, about: about.trim_ascii(), accepts, default }
    }

    /// Returns which values are accepted.
    pub fn accepts(&self) -> Accepts {
        (self.accepts)()
    }

    /// Returns the default of a profile.
    pub fn default(&self, profile: Profile) -> Value {
        (self.default)(profile)
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
                    $default:expr $(, paper $paper:expr)? $(, in $range:expr)?;
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
                ));)*
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
    (@paper $default:expr) => { $default };
    (@paper $default:expr, $paper:expr) => { $paper };
}

pub(crate) use parameters;
