//! What holds where an option is not given: the library's defaults, as a person would write them.

use retold::mine::Target;
use retold::{MOST_CONCEPTS, Mining, Settings};
use serde::Serialize;
use serde_json::Value;

use super::values::size_text;

/// Returns the values of the settings by the names of their options, as a person would write them.
pub(super) fn written(settings: &Settings) -> Vec<(&'static str, String)> {
    let text = &settings.text;
    let limits = &settings.read.limits;
    let fields = &settings.read.fields;
    vec![
        ("method", settings.method.clone()),
        ("profile", name(&settings.profile)),
        ("containment", rule("containment")),
        ("passage-words", rule("passage_words")),
        ("seed", settings.seed.to_string()),
        ("clusters", name(&settings.grouping)),
        ("min-common", name(&settings.min_common)),
        ("sets", name(&settings.closed_sets)),
        ("join", name(&settings.joining)),
        ("keep", name(&settings.keep)),
        ("pairs", name(&settings.pairs)),
        ("pairs-per-document", settings.pairs_per_document.to_string()),
        ("passages-per-pair", settings.passages_per_pair.to_string()),
        ("cover", settings.cover.to_string()),
        ("format", name(&settings.format)),
        ("html", name(&text.clean.html)),
        ("form", name(&text.clean.form)),
        ("case", name(&text.case)),
        ("stop-words", name(&text.stop_words)),
        ("stem", name(&text.stem)),
        ("max-words", text.most_words.to_string()),
        ("max-document", size_text(limits.document_bytes)),
        ("max-line", size_text(limits.line_bytes)),
        ("max-archive", size_text(limits.archive_bytes)),
        ("max-members", limits.entries.to_string()),
        ("max-ratio", limits.ratio.to_string()),
        ("id-field", fields.id.join(",")),
        ("text-field", fields.text.join(",")),
        ("title-field", fields.title.join(",")),
        ("time-field", fields.time.join(",")),
        ("source-field", fields.source.join(",")),
        ("url-field", fields.url.join(",")),
        ("language-field", fields.language.join(",")),
        ("threads", settings.threads.to_string()),
        ("memory", size_text(settings.memory_bytes)),
        ("color", "auto".to_owned()),
        ("algorithm", "auto".to_owned()),
        ("target", Target::default().name().to_owned()),
        ("min-size", "1".to_owned()),
        ("component-sets", Mining::COMPONENT_SETS.to_string()),
        ("steps", Mining::STEPS.to_string()),
        ("most-memory", size_text(Mining::BYTES as u64)),
        ("most-concepts", MOST_CONCEPTS.to_string()),
    ]
}

/// Returns the default of a parameter that all methods share.
fn rule(parameter: &str) -> String {
    Settings::default()
        .detector()
        .map(|detector| detector.parameters()[parameter].to_string())
        .unwrap_or_default()
}

/// Returns the name of a value that is written as one word.
fn name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}
