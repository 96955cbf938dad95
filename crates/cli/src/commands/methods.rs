//! `retold methods`: what there is, and the story of each.

use retold::{ConfigError, Kind, METHODS, Profile, Spec};
use retold_core::features::TextSettings;
use retold_core::methods::{self, Form};
use retold_report::Style;
use serde_json::{Map, Value};

use super::pages;
use crate::args::Methods;
use crate::failure::Failure;
use crate::markdown::{self, Ink, paint};
use crate::terminal;

/// Columns of text that is not printed on a terminal.
const WIDTH: u16 = 80;

/// Widest text: longer lines are harder to read.
const WIDEST: u16 = 92;

/// Columns of the list, which fits 80: what is found, how pairs are looked for, whether any may be
/// missed.
const COLUMNS: [(&str, usize); 7] = [
    ("method", 18),
    ("exact", 7),
    ("near-duplicate", 16),
    ("contained", 11),
    ("partial", 9),
    ("compares", 12),
    ("misses", 6),
];

/// Prints the list, the story of one or schemas, or writes the pages of all.
pub(crate) fn methods(args: &Methods) -> Result<(), Failure> {
    let Methods { name, pages, overwrite, json, schema, profile, color } = args;
    if let Some(folder) = pages {
        return pages::write(folder, *overwrite);
    }
    if *schema {
        let schema = schema_of(name.as_deref(), profile.unwrap_or_default())?;
        return terminal::print(&format!("{schema:#}\n"));
    }
    let mut style = terminal::style(color.unwrap_or_default(), WIDTH);
    style.width = style.width.clamp(40, WIDEST);
    let text = match (name, json) {
        (None, false) => list(style),
        (None, true) => {
            let all = METHODS.iter().map(|spec| spec.describe()).collect();
            format!("{:#}\n", Value::Array(all))
        }
        (Some(name), false) => story(methods::find(name)?.0, style),
        (Some(name), true) => format!("{:#}\n", methods::find(name)?.0.describe()),
    };
    terminal::print(&text)
}

/// Returns all methods as a table, each with its title below.
fn list(style: Style) -> String {
    let mut out = String::new();
    let head = COLUMNS.map(|(name, width)| format!("{name:<width$}")).concat();
    out.push_str(&paint(style, Ink::Strong, head.trim_end()));
    out.push('\n');
    for spec in METHODS {
        let mark = |kind| match (spec.finds.contains(&kind), style.unicode) {
            (true, true) => "✓",
            (true, false) => "x",
            (false, _) => "",
        };
        let cells = [
            spec.name,
            mark(Kind::Exact),
            mark(Kind::NearDuplicate),
            mark(Kind::Contains),
            mark(Kind::Partial),
            if spec.is_quadratic { "all pairs" } else { "candidates" },
            if spec.approximate.is_some() { "some" } else { "none" },
        ];
        let row: Vec<String> =
            cells.iter().zip(COLUMNS).map(|(cell, (_, width))| format!("{cell:<width$}")).collect();
        out.push_str(&paint(style, Ink::Code, &row[0]));
        out.push_str(row[1..].concat().trim_end());
        out.push('\n');
        out.push_str(&markdown::wrapped_faint(spec.title, style, 2));
    }
    out.push_str("\n`retold methods NAME` tells how one works and what `--set` can change.\n");
    out
}

/// Returns what is to be known of one method.
fn story(spec: &Spec, style: Style) -> String {
    let mut out = markdown::plain(&spec.story(), style);
    out.push('\n');
    heading(&mut out, "Relations", style);
    out.push_str(&markdown::wrapped(&finds(spec), style, 2, "  "));
    heading(&mut out, "May miss", style);
    let misses = spec.approximate.unwrap_or("nothing: every pair is looked at");
    out.push_str(&markdown::wrapped(misses, style, 2, "  "));
    if !spec.forms.is_empty() {
        heading(&mut out, "Forms", style);
        for form in spec.forms {
            let set = same_as(spec, form);
            let option = format!("--method {}", form.name);
            out.push_str("  ");
            out.push_str(&paint(style, Ink::Code, &option));
            out.push('\n');
            let about = format!("{}; the same as {}", form.about, set.join(" "));
            out.push_str(&markdown::wrapped(&about, style, 6, "      "));
        }
    }
    heading(&mut out, "Options", style);
    for parameter in (spec.parameters)() {
        let [ours, papers] = Profile::ALL.map(|profile| parameter.default(profile).to_string());
        let option = format!("--set {}={ours}", parameter.name);
        out.push_str("  ");
        out.push_str(&paint(style, Ink::Code, &option));
        if ours != papers {
            out.push_str(&paint(style, Ink::Faint, &format!("  (paper: {papers})")));
        }
        out.push('\n');
        let about = format!("{}; {}", parameter.about, parameter.accepts());
        out.push_str(&markdown::wrapped(&about, style, 6, "      "));
    }
    let text = text_of_paper(spec);
    if !text.is_empty() {
        heading(&mut out, "Text in profile paper", style);
        out.push_str(&markdown::wrapped(&text, style, 2, "  "));
    }
    out
}

/// Returns the text settings of the profile `paper` that differ from the usual, as options.
pub(super) fn text_of_paper(spec: &Spec) -> String {
    differing(&(spec.text)(Profile::Retold), &(spec.text)(Profile::Paper)).join(" ")
}

/// Returns the options that a form stands for. Those of its text hold in profile `paper`.
pub(super) fn same_as(spec: &Spec, form: &Form) -> Vec<String> {
    let set = |(name, value): &(&str, &str)| format!("--set {name}={}", value.trim_matches('"'));
    let text = (spec.text_of_form)(form.name, Profile::Paper);
    let text = differing(&(spec.text)(Profile::Paper), &text);
    form.parameters.iter().map(set).chain(text).collect()
}

/// Returns the text settings that differ from the usual, as options.
fn differing(usual: &TextSettings, settings: &TextSettings) -> Vec<String> {
    let value = |settings: &TextSettings| match serde_json::to_value(settings) {
        Ok(Value::Object(settings)) => settings,
        _ => Map::new(),
    };
    let usual = value(usual);
    value(settings)
        .into_iter()
        .filter(|(name, set)| usual.get(name) != Some(set))
        .map(|(name, set)| {
            format!("--{} {}", name.replace('_', "-"), set.as_str().unwrap_or_default())
        })
        .collect()
}

fn heading(out: &mut String, name: &str, style: Style) {
    out.push_str(&paint(style, Ink::Strong, name));
    out.push('\n');
}

pub(super) fn finds(spec: &Spec) -> String {
    let names: Vec<&str> = spec.finds.iter().map(|kind| kind.name()).collect();
    names.join(", ")
}

/// Returns the schema of one method or form, or of all methods by their names.
fn schema_of(name: Option<&str>, profile: Profile) -> Result<Value, ConfigError> {
    let Some(name) = name else {
        let all = METHODS.iter().map(|spec| {
            methods::schema(spec.name, profile).map(|schema| (spec.name.to_owned(), schema))
        });
        return all.collect::<Result<Map<_, _>, _>>().map(Value::Object);
    };
    methods::schema(name, profile)
}
