//! Methods: recipes that wire the stages together, one published idea each.
//!
//! [`METHODS`] is the only list. An author implements [`Method`], typed; everybody else holds a
//! [`Detector`], erased, through one blanket implementation. Dispatch happens per document,
//! never per feature.

mod anchor;
mod exact;
mod exhaustive;
mod full_fingerprint;
mod minhash;

use std::any::Any;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::candidates::{Candidate, Candidates, Cuts};
use crate::document::Ordinal;
use crate::error::ConfigError;
use crate::executor::Executor;
use crate::features::shingles::Shingles;
use crate::relation::Kind;
use crate::verify::Profile;
use crate::verify::align::{self, Comparison};
use crate::verify::rule::Rule;

/// All methods, in the order shown to users; the first is the default.
pub const METHODS: &[&Spec] =
    &[&anchor::SPEC, &exhaustive::SPEC, &exact::SPEC, &full_fingerprint::SPEC, &minhash::SPEC];

/// What is known of a method before it is built.
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
    /// Parameters in the order shown to users.
    pub parameters: &'static [Parameter],
    /// Source of the method's file; its module documentation is the method's page.
    pub source: &'static str,
    /// Makes the method from parameters; those not given have their defaults.
    pub build: Build,
}

/// Makes a method from parameters and a seed.
pub type Build = fn(&Map<String, Value>, u64) -> Result<Box<dyn Detector>, ConfigError>;

impl Spec {
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

/// A parameter as users see it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name in `--set NAME=VALUE` and in configuration files.
    pub name: &'static str,
    /// What it does, what is accepted.
    pub about: &'static str,
}

/// Parameters of verification that all methods share.
pub(crate) const RULE_PARAMETERS: [Parameter; 2] = [
    Parameter {
        name: "containment",
        about: "share of a document's word runs found in the other from which it counts as \
                contained, above 0 up to 1",
    },
    Parameter {
        name: "passage_words",
        about: "words of a common passage from which two documents count as partial copies, if it \
                is also at least 1 % of the shorter",
    },
];

/// Returns the method of that name.
pub fn find(name: &str) -> Result<&'static Spec, ConfigError> {
    METHODS.iter().copied().find(|spec| spec.name == name).ok_or_else(|| {
        let known: Vec<&str> = METHODS.iter().map(|spec| spec.name).collect();
        ConfigError::UnknownMethod { name: name.to_owned(), known: known.join(", ") }
    })
}

/// What an author implements.
pub trait Method: Send + Sync + 'static {
    /// The parameters, with their defaults.
    type Config: Serialize + DeserializeOwned + Default + Clone + Send + Sync;
    /// What is kept of a document.
    type Image: Send + 'static;
    /// What proposes candidates.
    type Candidates: Candidates<Self::Image> + 'static;

    /// The static description.
    const SPEC: &'static Spec;

    /// Checks the parameters and makes the method.
    fn new(config: Self::Config, seed: u64) -> Result<Self, ConfigError>
    where
        Self: Sized;

    /// Returns the parameters.
    fn config(&self) -> &Self::Config;

    /// Returns the runs of words that documents are compared by.
    fn shingles(&self) -> Shingles;

    /// Returns when two documents count as related.
    fn rule(&self) -> Rule;

    /// Makes the image of a word sequence of at least one shingle.
    fn image(&self, words: &[u64]) -> Self::Image;

    /// Makes an empty candidate structure for a collection.
    fn candidates(&self) -> Self::Candidates;
}

/// Builds a typed method from loose parameters: what [`Spec::build`] points to.
pub(crate) fn build<M: Method>(
    given: &Map<String, Value>,
    seed: u64,
) -> Result<Box<dyn Detector>, ConfigError> {
    let defaults = serde_json::to_value(M::Config::default()).expect("a config is plain data");
    let Value::Object(mut merged) = defaults else { unreachable!("a config is a struct") };
    for (name, value) in given {
        let Some(slot) = merged.get_mut(name) else {
            return Err(ConfigError::UnknownParameter {
                method: M::SPEC.name.to_owned(),
                name: name.clone(),
                known: merged.keys().cloned().collect::<Vec<_>>().join(", "),
            });
        };
        let error = |accepted: &str| Err(ConfigError::value(name, accepted, &value));
        match (&slot, value) {
            (Value::Number(slot), Value::Number(value)) if slot.is_u64() && !value.is_u64() => {
                return error("a whole number of at least 0");
            }
            (Value::Number(_), Value::Number(_))
            | (Value::String(_), Value::String(_))
            | (Value::Bool(_), Value::Bool(_)) => *slot = value.clone(),
            (Value::Number(_), _) => return error("a number"),
            (Value::Bool(_), _) => return error("true or false"),
            _ => return error("text"),
        }
    }
    let config = serde_json::from_value(Value::Object(merged))
        .map_err(|error| ConfigError::value(M::SPEC.name, "usable parameters", &error))?;
    Ok(Box::new(M::new(config, seed)?))
}

/// An image whose type only its method knows.
pub type AnyImage = Box<dyn Any + Send>;

/// A built method, erased.
pub trait Detector: Send + Sync {
    /// Returns the static description.
    fn spec(&self) -> &'static Spec;

    /// Returns all parameters with their values.
    fn parameters(&self) -> Value;

    /// Returns the runs of words that documents are compared by.
    fn shingles(&self) -> Shingles;

    /// Returns when two documents count as related.
    fn rule(&self) -> Rule;

    /// Makes the image of a word sequence of at least one shingle.
    fn image(&self, words: &[u64]) -> AnyImage;

    /// Makes an empty candidate structure for a collection.
    fn candidates(&self) -> Box<dyn Candidates<AnyImage>>;

    /// Compares two documents; `None` if they are not related.
    ///
    /// Documents with the same words in the same order are [`Kind::Exact`].
    fn verify(&self, a: &Profile, b: &Profile) -> Option<(Kind, Comparison)> {
        let found = align::compare(a, b, self.shingles().k());
        let kind = if a.words.hashes == b.words.hashes {
            Kind::Exact
        } else {
            let shorter = a.n_words().min(b.n_words());
            self.rule().decide(found.scores, found.longest_words, shorter)?
        };
        Some((kind, found))
    }

    /// Returns whether a document has too few words to be compared other than as a whole.
    fn is_too_short(&self, n_words: usize) -> bool {
        n_words < self.shingles().k()
    }
}

impl<M: Method> Detector for M {
    fn spec(&self) -> &'static Spec {
        M::SPEC
    }

    fn parameters(&self) -> Value {
        serde_json::to_value(self.config()).expect("a config is plain data")
    }

    fn shingles(&self) -> Shingles {
        Method::shingles(self)
    }

    fn rule(&self) -> Rule {
        Method::rule(self)
    }

    fn image(&self, words: &[u64]) -> AnyImage {
        Box::new(Method::image(self, words))
    }

    fn candidates(&self) -> Box<dyn Candidates<AnyImage>> {
        Box::new(Erased::<M::Candidates, M::Image> {
            typed: Box::new(Method::candidates(self)),
            image: PhantomData,
        })
    }
}

/// Candidates behind images of any type.
struct Erased<C, I> {
    typed: Box<C>,
    image: PhantomData<fn(I)>,
}

impl<C: Candidates<I>, I: 'static> Candidates<AnyImage> for Erased<C, I> {
    fn insert(&mut self, ordinal: Ordinal, image: AnyImage) {
        let image = image.downcast().expect("images come from the method that made the structure");
        self.typed.insert(ordinal, *image);
    }

    fn held_bytes(&self) -> usize {
        self.typed.held_bytes()
    }

    fn propose(self: Box<Self>, executor: &dyn Executor) -> (Vec<Candidate>, Cuts) {
        self.typed.propose(executor)
    }
}

/// Returns an error unless `value` is within `range`.
pub(crate) fn within(
    name: &str,
    value: usize,
    range: std::ops::RangeInclusive<usize>,
) -> Result<usize, ConfigError> {
    if range.contains(&value) {
        return Ok(value);
    }
    let accepted = format!("between {} and {}", range.start(), range.end());
    Err(ConfigError::value(name, accepted, &value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_builds_with_its_defaults_and_names_its_parameters() {
        for spec in METHODS {
            let detector = (spec.build)(&Map::new(), 1).expect("defaults are valid");
            let Value::Object(values) = detector.parameters() else { panic!("not a struct") };
            let mut named: Vec<_> = spec.parameters.iter().map(|p| p.name.to_owned()).collect();
            named.sort();
            assert_eq!(named, values.keys().cloned().collect::<Vec<_>>(), "{}", spec.name);
        }
    }

    #[test]
    fn every_method_tells_its_story_under_six_headings() {
        let headings = [
            "# What it finds",
            "# How it works",
            "# Parameters",
            "# Cost",
            "# Where we differ",
            "# Reference",
        ];
        for spec in METHODS {
            let story = spec.story();
            for heading in headings {
                assert!(story.contains(heading), "{}: {heading} is missing", spec.name);
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = METHODS.iter().map(|spec| spec.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), METHODS.len());
    }

    #[test]
    fn an_unknown_parameter_is_refused_with_the_known_ones() {
        let given = Map::from_iter([("colour".to_owned(), Value::from(1))]);
        let error = (METHODS[0].build)(&given, 1).err().expect("there is no such parameter");
        assert!(error.to_string().starts_with("method `anchor` has no parameter `colour`"));
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_refused_by_name() {
        for (value, message) in [
            (Value::from("x"), "k must be a number, got \"x\""),
            (Value::from(-1), "k must be a whole number of at least 0, got -1"),
            (Value::from(0), "k must be between 1 and 64, got 0"),
        ] {
            let given = Map::from_iter([("k".to_owned(), value)]);
            let error = (METHODS[0].build)(&given, 1).err().expect("not a run length");
            assert_eq!(error.to_string(), message);
        }
    }
}
