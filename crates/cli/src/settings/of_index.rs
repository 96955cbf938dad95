//! Options of a method where an index is asked: they have to be what it was made with.

use std::path::Path;

use retold::{Index, Job};
use serde_json::{Value, json};

use crate::args::MethodArgs;
use crate::failure::Failure;

/// Refuses options of a method that differ from what an index was made with. `--method` alone chooses
/// between the methods of an index.
pub(crate) fn check(args: &MethodArgs, path: &Path) -> Result<(), Failure> {
    let MethodArgs {
        method,
        profile,
        decide,
        copies,
        idf,
        containment,
        similarity,
        passage_words,
        edits,
        set,
    } = args;
    // Options of the job, then parameters of the method.
    let options = [
        ("profile", profile.map(|given| json!(given))),
        ("decide", decide.map(|given| json!(given))),
        ("copies", copies.map(|given| json!(given))),
        ("idf", idf.as_ref().map(|given| json!(given))),
    ];
    let named = [
        ("containment", containment.map(Value::from)),
        ("similarity", similarity.map(Value::from)),
        ("passage_words", passage_words.map(Value::from)),
        ("edits", edits.map(|given| json!(given))),
    ];
    let options = options.into_iter().filter_map(|(name, given)| Some((name, given?)));
    let named = named.into_iter().filter_map(|(name, given)| Some((name, given?)));
    let options: Vec<(&str, Value)> = options.collect();
    let given = named.map(|(name, given)| (name, given, true));
    let set = set.iter().map(|(name, given)| (name.as_str(), given.clone(), false));
    let given: Vec<(&str, Value, bool)> = given.chain(set).collect();
    if options.is_empty() && given.is_empty() {
        return Ok(());
    }
    let index = Index::open(path)?;
    let is_meant = |job: &&Job| method.as_deref().is_none_or(|method| job.method() == method);
    // A method that is not there is refused where the index is asked.
    let Some(job) = index.jobs().find(is_meant) else { return Ok(()) };
    let of_job = serde_json::to_value(job).unwrap_or_default();
    for (name, given) in options {
        differs(path, &format!("--{name}"), &given, of_job.get(name))?;
    }
    let parameters = job.all_parameters()?;
    for (name, given, is_option) in given {
        let option = if is_option {
            format!("--{}", name.replace('_', "-"))
        } else {
            format!("--set {name}")
        };
        differs(path, &option, &given, parameters.get(name))?;
    }
    Ok(())
}

/// Fails if what was given for an option is not what the index has.
fn differs(path: &Path, option: &str, given: &Value, held: Option<&Value>) -> Result<(), Failure> {
    let is_same = held.is_some_and(|held| match (held.as_f64(), given.as_f64()) {
        (Some(held), Some(given)) => held.to_bits() == given.to_bits(),
        _ => held == given,
    });
    if is_same {
        return Ok(());
    }
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    let equals = if option.starts_with("--set") { "=" } else { " " };
    let option = format!("{option}{equals}{}", shown(given));
    let held = held.filter(|held| !held.is_null()).map_or_else(|| "none".to_owned(), shown);
    Err(Failure::hinted(
        format!(
            "an index is asked with the settings it was made with: `{option}` was given, and `{}` has {held}",
            path.display()
        ),
        format!(
            "leave it out (`retold index stats {}` shows what the index has), or make one with \
             `retold index create {option}`",
            path.display()
        ),
    ))
}
