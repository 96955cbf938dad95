//! Methods: recipes that wire the stages together, one published idea each.
//!
//! [`METHODS`] is the only list. An author implements [`Method`], typed; everybody else holds a
//! [`Detector`], which hides the types. Dispatch happens per document, never per feature.

mod detector;
mod edited;
mod method;
mod overlaps;
mod schema;
mod spec;
mod text;

mod anchor;
mod bbit_minhash;
mod codet;
mod conrad_schriber;
mod cops;
mod cosine;
mod descriptive_words;
mod dsc;
mod dsc_positional;
mod dsc_ss;
mod edit_distance;
mod exact;
mod exhaustive;
mod full_fingerprint;
mod imatch;
mod koala;
mod lexical;
mod minhash;
mod minimal_elements;
mod scam;
mod sentence_lengths;
mod sg;
mod shingling;
mod sif;
mod simhash;
mod sl_fp;
mod spotsigs;
mod tuning;
mod tweezer;
mod winnowing;

#[cfg(test)]
mod trial;

use serde_json::{Map, Value};

pub use self::detector::Detector;
pub use self::method::Method;
pub use self::schema::schema;
pub use self::spec::{Build, Form, Recall, Skip, Spec};
use crate::error::ConfigError;
use crate::features::TextSettings;
pub use crate::parameters::{Accepts, Parameter, Parameters, Profile};

/// All methods, in the order shown to users; the first is the default.
pub const METHODS: &[&Spec] = &[
    &anchor::SPEC,
    &exhaustive::SPEC,
    &exact::SPEC,
    &full_fingerprint::SPEC,
    &minhash::SPEC,
    &bbit_minhash::SPEC,
    &codet::SPEC,
    &sentence_lengths::SPEC,
    &shingling::SPEC,
    &dsc::SPEC,
    &dsc_positional::SPEC,
    &dsc_ss::SPEC,
    &sg::SPEC,
    &winnowing::SPEC,
    &conrad_schriber::SPEC,
    &imatch::SPEC,
    &simhash::SPEC,
    &cosine::SPEC,
    &scam::SPEC,
    &edit_distance::SPEC,
    &spotsigs::SPEC,
    &tweezer::SPEC,
    &minimal_elements::SPEC,
    &lexical::SPEC,
    &descriptive_words::SPEC,
    &cops::SPEC,
    &sl_fp::SPEC,
    &sif::SPEC,
    &koala::SPEC,
];

/// Returns the method that a name stands for, and the form if it is a form's name.
pub fn find(name: &str) -> Result<(&'static Spec, Option<&'static Form>), ConfigError> {
    for spec in METHODS {
        if spec.name == name {
            return Ok((spec, None));
        }
        if let Some(form) = spec.forms.iter().find(|form| form.name == name) {
            return Ok((spec, Some(form)));
        }
    }
    Err(ConfigError::UnknownMethod { name: name.to_owned(), known: names().join(", ") })
}

/// Returns all names of methods and forms, in the order shown to users.
pub fn names() -> Vec<&'static str> {
    let of = |spec: &&'static Spec| {
        std::iter::once(spec.name).chain(spec.forms.iter().map(|form| form.name))
    };
    METHODS.iter().flat_map(of).collect()
}

/// Returns how documents become words in a profile, for the method or form that a name stands for.
pub fn text_settings(name: &str, profile: Profile) -> Result<TextSettings, ConfigError> {
    let (spec, form) = find(name)?;
    Ok(form.map_or_else(|| (spec.text)(profile), |form| (spec.text_of_form)(form.name, profile)))
}

/// Makes the method that a name stands for. `given` goes before the parameters of a form.
pub fn make(
    name: &str,
    profile: Profile,
    given: &Map<String, Value>,
    seed: u64,
) -> Result<Box<dyn Detector>, ConfigError> {
    let (spec, form) = find(name)?;
    let mut parameters = form.map(Form::values).unwrap_or_default();
    parameters.extend(given.clone());
    (spec.build)(profile, &parameters, seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_builds_with_its_defaults_and_names_its_parameters() {
        for spec in METHODS {
            for profile in Profile::ALL {
                let detector = (spec.build)(profile, &Map::new(), 1).expect("defaults are valid");
                let Value::Object(values) = detector.parameters() else { panic!("not a struct") };
                let mut named: Vec<_> =
                    (spec.parameters)().iter().map(|p| p.name.to_owned()).collect();
                named.sort();
                assert_eq!(named, values.keys().cloned().collect::<Vec<_>>(), "{}", spec.name);
            }
        }
    }

    #[test]
    fn every_form_builds_by_its_name() {
        for name in names() {
            for profile in Profile::ALL {
                let built = make(name, profile, &Map::new(), 1);
                assert!(built.is_ok(), "{name}: {:?}", built.err());
            }
        }
    }

    #[test]
    fn a_form_has_the_text_of_its_method_unless_it_brings_its_own() {
        let text = |name, profile| text_settings(name, profile).expect("the name is known");
        for profile in Profile::ALL {
            assert_eq!(text("codet-unsorted", profile), text("codet", profile));
            // Uyar's thesis cuts words by idf alone, the CoDet paper by a list and to five letters.
            assert_eq!(text("imatch-interval", profile), TextSettings::default());
        }
        assert_ne!(text("imatch", Profile::Paper), TextSettings::default());
        assert!(text_settings("imatch-oval", Profile::Paper).is_err());
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
    fn every_method_says_what_it_is_and_what_it_finds() {
        for spec in METHODS {
            assert!(!spec.name.is_empty() && !spec.title.is_empty() && !spec.finds.is_empty());
            let names: Vec<&str> = (spec.parameters)().iter().map(|p| p.name).collect();
            assert!(spec.decides_with.iter().all(|name| names.contains(name)), "{}", spec.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut unique = names();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names().len());
    }

    #[test]
    fn an_unknown_parameter_is_refused_with_the_known_ones() {
        let given = Map::from_iter([("colour".to_owned(), Value::from(1))]);
        let error = (METHODS[0].build)(Profile::Retold, &given, 1)
            .err()
            .expect("there is no such parameter");
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
            let error =
                (METHODS[0].build)(Profile::Retold, &given, 1).err().expect("not a run length");
            assert_eq!(error.to_string(), message);
        }
    }
}
