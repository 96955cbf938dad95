//! Only images that were made alike may meet.

use std::fmt::Display;

use retold_core::features::TextSettings;
use retold_core::features::counts::Counts;
use retold_core::features::stem::Stem;
use retold_core::image::recipe::Recipe;
use retold_core::methods::{Profile, make, names};
use serde_json::{Map, Value, json};

fn recipe(name: &str, given: &[(&str, Value)]) -> Recipe {
    let given: Map<String, Value> =
        given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let detector = make(name, Profile::Retold, &given, 1).expect("usable parameters");
    detector.recipe(&TextSettings::default(), 1, None)
}

/// Returns what two recipes are said to differ in; both sides say the same.
fn difference(here: &Recipe, there: &Recipe) -> (String, String, String) {
    let error = here.check(there).expect_err("they differ");
    let back = there.check(here).expect_err("they differ");
    assert_eq!((&error.what, &error.here, &error.there), (&back.what, &back.there, &back.here));
    assert!(error.to_string().contains(&error.what), "{error}");
    assert_ne!(here.fingerprint(), there.fingerprint());
    (error.what, error.here, error.there)
}

fn told(what: &str, here: impl Display, there: impl Display) -> (String, String, String) {
    (what.to_owned(), format!("{here}"), format!("{there}"))
}

#[test]
fn images_made_alike_may_meet() {
    for name in names() {
        let (here, there) = (recipe(name, &[]), recipe(name, &[]));
        here.check(&there).expect("made alike");
        assert_eq!(here.fingerprint(), there.fingerprint());
        let json = serde_json::to_string(&here).expect("plain data");
        let back: Recipe = serde_json::from_str(&json).expect("as just written");
        here.check(&back).expect("written and read back");
        assert_eq!(here.fingerprint(), back.fingerprint());
    }
}

#[test]
fn other_parameters_are_refused_by_name() {
    let here = recipe("anchor", &[]);
    let k = here.parameters["k"].as_u64().expect("a run length");
    let there = recipe("anchor", &[("k", json!(k + 1))]);
    assert_eq!(difference(&here, &there), told("parameters.k", k, k + 1));
}

#[test]
fn every_parameter_of_every_method_counts() {
    for name in names() {
        let here = recipe(name, &[]);
        for (parameter, value) in here.parameters.as_object().expect("a struct") {
            let mut there = here.clone();
            there.parameters[parameter] = json!("something else");
            let told = told(&format!("parameters.{parameter}"), value, "\"something else\"");
            assert_eq!(difference(&here, &there), told, "{name}");
        }
    }
}

#[test]
fn other_methods_are_refused_by_name() {
    let here = recipe("winnowing", &[]);
    let there = Recipe { method: "anchor".to_owned(), ..here.clone() };
    assert_eq!(difference(&here, &there), told("method", "\"winnowing\"", "\"anchor\""));
    // Also where parameters differ, too.
    assert!(here.check(&recipe("anchor", &[])).is_err());
}

#[test]
fn other_words_are_refused_by_name() {
    let detector = make("anchor", Profile::Retold, &Map::new(), 1).expect("defaults are valid");
    let plain = TextSettings::default();
    let here = detector.recipe(&plain, 1, None);
    let stemmed = TextSettings { stem: Stem::FirstFive, ..plain.clone() };
    assert_ne!(stemmed.stem, plain.stem);
    let (what, ..) = difference(&here, &detector.recipe(&stemmed, 1, None));
    assert_eq!(what, "text.stem");
    let turkish = TextSettings { language: "tr".to_owned(), ..plain.clone() };
    let (what, _, there) = difference(&here, &detector.recipe(&turkish, 1, None));
    assert_eq!((what.as_str(), there.as_str()), ("text.language", "\"tr\""));
}

#[test]
fn other_seeds_are_refused_by_name() {
    let detector = make("minhash", Profile::Retold, &Map::new(), 1).expect("defaults are valid");
    let text = TextSettings::default();
    let (here, there) = (detector.recipe(&text, 1, None), detector.recipe(&text, 2, None));
    assert_eq!(difference(&here, &there), told("seed", 1, 2));
}

#[test]
fn other_statistics_are_refused_by_name() {
    let detector = make("imatch", Profile::Retold, &Map::new(), 1).expect("defaults are valid");
    let text = TextSettings::default();
    let (mut one, mut other) = (Counts::default(), Counts::default());
    one.add([1, 2]);
    one.add([2]);
    // Of as many documents, and with the same features.
    other.add([1, 2]);
    other.add([1]);
    let with = |counts| detector.recipe(&text, 1, counts);
    let (here, there) = (with(Some(&one)), with(Some(&other)));
    let (what, ..) = difference(&here, &there);
    assert_eq!(what, "statistics");
    let (what, _, there) = difference(&here, &with(None));
    assert_eq!((what.as_str(), there.as_str()), ("statistics", "null"));
    // The order of counting does not matter.
    let mut reversed = Counts::default();
    reversed.add([2]);
    reversed.add([2, 1]);
    here.check(&with(Some(&reversed))).expect("the same statistics");
    // Nor do statistics at all where images do not depend on them.
    let exact = make("exact", Profile::Retold, &Map::new(), 1).expect("defaults are valid");
    let with = |counts| exact.recipe(&text, 1, counts);
    with(Some(&one)).check(&with(Some(&other))).expect("made alike");
}

#[test]
fn other_forms_of_writing_are_refused_by_name() {
    let here = recipe("anchor", &[]);
    let there = Recipe { format: here.format + 1, ..here.clone() };
    assert_eq!(difference(&here, &there), told("format", here.format, here.format + 1));
}

#[test]
fn a_parameter_that_only_one_side_has_is_refused_by_name() {
    let here = recipe("anchor", &[]);
    let mut there = here.clone();
    there.parameters.as_object_mut().expect("a struct").insert("colour".to_owned(), json!(3));
    assert_eq!(difference(&here, &there), told("parameters.colour", "null", 3));
}
