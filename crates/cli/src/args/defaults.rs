//! What holds where an option is not given: the library's defaults, as a person would write them.

use retold::{Job, METHODS, Profile};
use retold_core::methods;
use retold_lab::{MOST_CONCEPTS, Mining};
use retold_mine::Target;
use serde_json::{Map, Value};

use super::values::size_text;

/// Options whose value is a size, and is written as one.
const SIZES: [&str; 3] = ["max-document", "max-line", "max-archive"];

/// Returns the values of the settings by the names of their options, as a person would write them.
pub(super) fn written() -> Vec<(String, String)> {
    let stored = serde_json::to_value(Job::default()).unwrap_or_default();
    let of_job = stored.as_object().into_iter().flatten();
    let of_job = of_job.filter_map(|(name, value)| Some((name.clone(), one(name, value)?)));
    let others = [
        ("containment", rule("containment")),
        ("passage-words", rule("passage_words")),
        ("similarity", rule("similarity")),
        ("edits", rule("edits").trim_matches('"').to_owned()),
        ("threads", "0".to_owned()),
        ("memory", "0".to_owned()),
        ("color", "auto".to_owned()),
        ("algorithm", "auto".to_owned()),
        ("target", Target::default().name().to_owned()),
        ("min-size", "1".to_owned()),
        ("component-sets", Mining::COMPONENT_SETS.to_string()),
        ("steps", Mining::STEPS.to_string()),
        ("most-memory", size_text(Mining::BYTES as u64)),
        ("most-concepts", MOST_CONCEPTS.to_string()),
    ];
    of_job.chain(others.map(|(name, value)| (name.to_owned(), value))).collect()
}

/// Returns a value of a stored job as a person would write it; nothing for switches and for what is
/// not set.
fn one(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) if SIZES.contains(&name) => Some(size_text(number.as_u64()?)),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(list) => {
            let names: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            Some(names.join(","))
        }
        _ => None,
    }
}

/// Returns the default of a parameter that all methods share.
fn rule(parameter: &str) -> String {
    methods::make(METHODS[0].name, Profile::default(), &Map::new(), 1)
        .map(|detector| detector.parameters()[parameter].to_string())
        .unwrap_or_default()
}
