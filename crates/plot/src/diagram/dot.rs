//! The diagram as text in the language of Graphviz.

use std::fmt::Write as _;

use retold_svg::is_plain;

use super::LatticeDiagram;
use super::label::labels;

pub(super) fn write(diagram: &LatticeDiagram) -> String {
    let mut out = String::from(
        "digraph lattice {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  \
         edge [dir=none];\n",
    );
    for (number, label) in labels(diagram).iter().enumerate() {
        let lines = label.names.iter().chain([&label.units]);
        let lines: Vec<String> = lines.map(|line| escape(line)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "  c{number} [label=\"{}\", tooltip=\"{}\"];",
            lines.join("\\n"),
            escape(&label.whole)
        );
    }
    let concepts: Vec<(usize, usize)> =
        diagram.concepts.iter().map(|concept| concept.items.len()).enumerate().collect();
    for layer in concepts.chunk_by(|a, b| a.1 == b.1) {
        let numbers: Vec<String> = layer.iter().map(|(number, _)| format!("c{number};")).collect();
        let _ = writeln!(out, "  {{ rank=same; {} }}", numbers.join(" "));
    }
    for (upper, lower) in &diagram.covers {
        let _ = writeln!(out, "  c{upper} -> c{lower};");
    }
    out.push_str("}\n");
    out
}

/// Makes text safe between quotation marks.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if is_plain(c) => out.push(c),
            _ => out.push('\u{fffd}'),
        }
    }
    out
}
