//! `retold methods`: what there is, and the story of each.

use retold::core::methods;
use retold::core::relation::Kind;
use retold::report::Style;
use retold::{METHODS, Spec};
use serde_json::{Map, Value, json};

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

/// Prints the list, or the story of one.
pub(crate) fn methods(args: &Methods) -> Result<(), Failure> {
    let Methods { name, json, color } = args;
    let mut style = terminal::style(color.unwrap_or_default(), WIDTH);
    style.width = style.width.clamp(40, WIDEST);
    let text = match (name, json) {
        (None, false) => list(style),
        (None, true) => {
            let all = METHODS.iter().map(|spec| json_of(spec)).collect::<Result<Vec<_>, _>>()?;
            format!("{:#}\n", Value::Array(all))
        }
        (Some(name), false) => story(methods::find(name)?, style)?,
        (Some(name), true) => format!("{:#}\n", json_of(methods::find(name)?)?),
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
fn story(spec: &Spec, style: Style) -> Result<String, Failure> {
    let mut out = markdown::plain(&spec.story(), style);
    out.push('\n');
    heading(&mut out, "Relations", style);
    out.push_str(&markdown::wrapped(&finds(spec), style, 2, "  "));
    heading(&mut out, "May miss", style);
    let misses = spec.approximate.unwrap_or("nothing: every pair is looked at");
    out.push_str(&markdown::wrapped(misses, style, 2, "  "));
    heading(&mut out, "Options", style);
    let defaults = defaults(spec)?;
    for parameter in spec.parameters {
        let default = defaults.get(parameter.name).map(ToString::to_string).unwrap_or_default();
        let option = format!("--set {}={default}", parameter.name);
        out.push_str("  ");
        out.push_str(&paint(style, Ink::Code, &option));
        out.push('\n');
        out.push_str(&markdown::wrapped(parameter.about, style, 6, "      "));
    }
    Ok(out)
}

fn heading(out: &mut String, name: &str, style: Style) {
    out.push_str(&paint(style, Ink::Strong, name));
    out.push('\n');
}

fn finds(spec: &Spec) -> String {
    let names: Vec<&str> = spec.finds.iter().map(|kind| kind.name()).collect();
    names.join(", ")
}

fn defaults(spec: &Spec) -> Result<Map<String, Value>, Failure> {
    match (spec.build)(&Map::new(), 1)?.parameters() {
        Value::Object(values) => Ok(values),
        _ => Ok(Map::new()),
    }
}

fn json_of(spec: &Spec) -> Result<Value, Failure> {
    let defaults = defaults(spec)?;
    let parameters: Vec<Value> = spec
        .parameters
        .iter()
        .map(|parameter| {
            json!({
                "name": parameter.name,
                "default": defaults.get(parameter.name),
                "about": parameter.about,
            })
        })
        .collect();
    Ok(json!({
        "name": spec.name,
        "title": spec.title,
        "finds": spec.finds,
        "approximate": spec.approximate,
        "is_quadratic": spec.is_quadratic,
        "parameters": parameters,
        "story": spec.story(),
    }))
}
