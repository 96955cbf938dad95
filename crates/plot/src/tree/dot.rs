//! The diagram as text in the language of Graphviz.

use std::fmt::Write as _;

use retold_svg::is_plain;

use super::{NodeMark, TreeDiagram};

pub(super) fn write(diagram: &TreeDiagram) -> String {
    let mut out = format!(
        "digraph tree {{\n  label=\"{}\";\n  labelloc=t;\n  rankdir=LR;\n  fontname=\"sans-serif\";\n  \
         node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  edge [dir=none];\n",
        escape(&diagram.title)
    );
    for (at, panel) in diagram.panels.iter().enumerate() {
        // Writing to a string cannot fail.
        let title: Vec<String> =
            [&panel.title].into_iter().chain(&panel.notes).map(|line| escape(line)).collect();
        let _ = writeln!(out, "  subgraph cluster_{at} {{\n  label=\"{}\";", title.join("\\n"));
        let _ = writeln!(out, "  p{at}r [shape=point, label=\"\"];");
        for (number, node) in panel.nodes.iter().enumerate() {
            let lines: Vec<String> =
                [&node.label].into_iter().chain(&node.details).map(|line| escape(line)).collect();
            let style = match node.mark {
                NodeMark::Left => ", color=gray, style=\"rounded,dashed\"",
                NodeMark::Revisited => ", color=\"#d55e00\", penwidth=3",
                NodeMark::New => ", color=\"#0072b2\"",
            };
            let _ = writeln!(out, "  p{at}n{number} [label=\"{}\"{style}];", lines.join("\\n"));
        }
        for (number, node) in panel.nodes.iter().enumerate() {
            let parent = node.parent.map_or("r".to_owned(), |parent| {
                assert!(parent < number, "a parent stands before its children");
                format!("n{parent}")
            });
            let _ = writeln!(out, "  p{at}{parent} -> p{at}n{number};");
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

/// Makes text safe between quotation marks.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            _ if is_plain(letter) => out.push(letter),
            _ => out.push(' '),
        }
    }
    out
}
