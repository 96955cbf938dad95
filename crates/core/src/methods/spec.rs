//! What is known of a method before it is built, and what is expected of it in tests.

use serde_json::{Map, Value, json};

use super::detector::{build, parameters};
use super::{Detector, Method};
use crate::error::ConfigError;
use crate::features::TextSettings;
use crate::parameters::{Parameter, Profile};
use crate::relation::Kind;

/// What is known of a method before it is built. All that is said of a method stands here, in the
/// method's own file; `METHODS` is the only list of methods.
#[derive(Debug)]
pub struct Spec {
    /// Name used in flags, files and pages.
    pub name: &'static str,
    /// One line for lists.
    pub title: &'static str,
    /// The relations it can find.
    pub finds: &'static [Kind],
    /// How candidates may be missed, or `None` if none can.
    pub approximate: Option<&'static str>,
    /// Whether the cost grows with the square of the collection.
    pub is_quadratic: bool,
    /// Published forms of the method that have a name of their own.
    pub forms: &'static [Form],
    /// Parameters of the [`Rule`](crate::verify::rule::Rule) that the method's own decision uses
    /// too.
    pub decides_with: &'static [&'static str],
    /// What it finds at least of the pairs in the test collection.
    pub recall: Recall,
    /// Conformance cases that it does not take part in.
    pub skips: &'static [Skip],
    /// Returns the parameters in the order shown to users.
    pub parameters: fn() -> Vec<Parameter>,
    /// Source of the method's file; its module documentation is the method's page.
    pub source: &'static str,
    /// Makes the method from parameters; those not given have the defaults of the profile.
    pub build: Build,
    /// Returns how documents become words in a profile.
    pub text: fn(Profile) -> TextSettings,
    /// Returns how documents become words in a profile for a form, by its name.
    pub text_of_form: fn(&str, Profile) -> TextSettings,
    /// Returns settings for a wanted similarity and recall, each finding more than the one before at
    /// more cost; none if the method has nothing to be set.
    pub settings: fn(f64, f64) -> Vec<Map<String, Value>>,
}

/// Makes a method from a profile, parameters and a seed.
pub type Build = fn(Profile, &Map<String, Value>, u64) -> Result<Box<dyn Detector>, ConfigError>;

/// A published form of a method: its name stands for the method with some parameters set, and with
/// text settings of its own where [`Spec::text_of_form`] has some.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Name used in flags, beside those of the methods.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// Parameters with their values as JSON.
    pub parameters: &'static [(&'static str, &'static str)],
}

impl Form {
    /// Returns the parameters with their values.
    pub fn values(&self) -> Map<String, Value> {
        let value = |json| serde_json::from_str(json).expect("forms hold JSON; a test reads all");
        self.parameters.iter().map(|&(name, json)| (name.to_owned(), value(json))).collect()
    }
}

/// Share of the pairs found by `exhaustive` that a method finds at least. It was measured on the
/// collection of `crates/testkit/tests/agreement.rs` and rounded down: a quarter of the pairs there
/// are exact copies, a quarter edited copies, a quarter texts inside longer ones, a quarter texts
/// that share one passage.
#[derive(Clone, Copy, Debug)]
pub struct Recall {
    /// The share in percent.
    pub percent: usize,
    /// Why it is not all, or nothing if it is.
    pub why: &'static str,
}

/// Conformance cases (`testdata/cases`) that a method does not take part in, and why. The test
/// suite fails if an entry fits no case.
#[derive(Clone, Copy, Debug)]
pub struct Skip {
    /// All cases that expect one of these kinds.
    pub kinds: &'static [Kind],
    /// Cases by name.
    pub cases: &'static [&'static str],
    /// The reason.
    pub why: &'static str,
}

impl Skip {
    /// Leaves out the cases that expect one of some kinds.
    pub const fn kinds(kinds: &'static [Kind], why: &'static str) -> Self {
        Self { kinds, cases: &[], why }
    }

    /// Leaves out cases by name.
    pub const fn cases(cases: &'static [&'static str], why: &'static str) -> Self {
        Self { kinds: &[], cases, why }
    }
}

impl Spec {
    /// Returns everything that is to be known of the method, as JSON: name, title, relations, parameters
    /// with both defaults, forms and the story.
    pub fn describe(&self) -> Value {
        let forms: Vec<Value> = self
            .forms
            .iter()
            .map(|form| json!({ "name": form.name, "about": form.about, "parameters": form.values() }))
            .collect();
        let parameters: Vec<Value> = (self.parameters)()
            .iter()
            .map(|parameter| {
                json!({
                    "name": parameter.name,
                    "default": parameter.default(Profile::Retold),
                    "paper": parameter.default(Profile::Paper),
                    "about": parameter.about,
                    "accepts": parameter.accepts().to_string(),
                })
            })
            .collect();
        json!({
            "name": self.name,
            "title": self.title,
            "finds": self.finds,
            "approximate": self.approximate,
            "is_quadratic": self.is_quadratic,
            "parameters": parameters,
            "forms": forms,
            "story": self.story(),
        })
    }

    /// Returns the description of the method `M` without its name, title and relations, which the
    /// caller must set. The other fields follow from `M` or describe a method that misses nothing,
    /// is not quadratic, has no forms and takes part in all cases. `source` is the text of the
    /// method's file.
    pub(super) const fn of<M: Method>(source: &'static str) -> Self {
        Self {
            name: "",
            title: "",
            finds: &[],
            approximate: None,
            is_quadratic: false,
            forms: &[],
            decides_with: &[],
            recall: Recall { percent: 100, why: "" },
            skips: &[],
            parameters: parameters::<M>,
            source,
            build: build::<M>,
            text: M::text,
            text_of_form: M::text_of_form,
            settings: M::settings,
        }
    }

    /// Returns the method's story: the module documentation of its file, as Markdown.
    pub fn story(&self) -> String {
        self.source
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect::<Vec<_>>()
            .join("\n")
    }
}
