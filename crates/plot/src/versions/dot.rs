//! The tree as text in the language of Graphviz.

use std::fmt::Write as _;

use super::{VersionNode, VersionTree};
use crate::tree::escape;

/// Confidence below which a step is drawn as a guess.
pub(super) const GUESS: f64 = 0.5;

/// Characters of a changed text that a label shows.
const SHOWN: usize = 60;

pub(super) fn write(tree: &VersionTree) -> String {
    let mut out = format!(
        "digraph versions {{\n  label=\"{}\";\n  labelloc=t;\n  fontname=\"sans-serif\";\n  \
         node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  \
         edge [fontname=\"sans-serif\", fontsize=10];\n",
        lines(&[&tree.title, &tree.note])
    );
    for (number, node) in tree.documents.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  n{number} [label=\"{}\"];", lines(&[&node.name, &node.details]));
    }
    for (number, node) in tree.documents.iter().enumerate() {
        if let Some(parent) = node.parent {
            assert!(parent < number, "a parent stands before its children");
            let (added, dropped) = changed(node);
            let label = lines(&[&node.step, &added, &dropped]);
            let style = if node.confidence < GUESS { ", style=dashed" } else { "" };
            let _ = writeln!(out, "  n{parent} -> n{number} [label=\"{label}\"{style}];");
        }
    }
    out.push_str("}\n");
    out
}

/// Returns what was added and dropped, each with its sign and cut short.
fn changed(node: &VersionNode) -> (String, String) {
    let short = |sign: char, text: &str| {
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        if text.is_empty() { String::new() } else { format!("{sign} {shown}") }
    };
    (short('+', &node.added), short('−', &node.dropped))
}

fn lines(lines: &[&str]) -> String {
    let lines = lines.iter().filter(|line| !line.is_empty()).map(|line| escape(line));
    lines.collect::<Vec<String>>().join("\\n")
}
