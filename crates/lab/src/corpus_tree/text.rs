//! The tree as text: a line for every node, indented by its depth.

use std::fmt::Write as _;

use retold_plot::NodeMark;
use retold_report::escape_terminal;

use super::{CorpusTree, letter, visitors};

/// Columns of the words of a panel, at least.
const LEAST_COLUMNS: usize = 24;

pub(super) fn write(tree: &CorpusTree, steps: impl IntoIterator<Item = usize>) -> String {
    let mut out = format!("Corpus tree: {}\n", tree.settings);
    for (document, name) in tree.names.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {} = {}", letter(document), escape_terminal(name));
    }
    out.push_str("+ new, * was there and is visited again; impact is depth × idf\n");
    for step in steps {
        let _ = writeln!(out, "\n{}", escape_terminal(&tree.heading(step)));
        put_nodes(&mut out, tree, step);
        let words = tree.revisited_words(step);
        if !words.is_empty() {
            let _ = writeln!(out, "  visited again: {}", words.join(", "));
        }
        for line in tree.pair_lines(step) {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

fn put_nodes(out: &mut String, tree: &CorpusTree, step: usize) {
    let shown: Vec<(String, &super::CorpusNode)> = tree
        .nodes
        .iter()
        .filter_map(|node| {
            let mark = match node.mark(step)? {
                NodeMark::New => '+',
                NodeMark::Revisited => '*',
                NodeMark::Left => ' ',
            };
            let indent = "  ".repeat(node.depth as usize - 1);
            Some((format!("{mark} {indent}{}", escape_terminal(&node.word)), node))
        })
        .collect();
    let columns = shown.iter().map(|(word, _)| word.chars().count()).max().unwrap_or(0);
    let columns = columns.max(LEAST_COLUMNS);
    let _ = writeln!(out, "  {:columns$}  depth     idf  impact  documents", "  word");
    for (word, node) in shown {
        let _ = writeln!(
            out,
            "  {word:columns$}  {:>5}  {:>6.4}  {:>6.4}  {}",
            node.depth,
            node.idf,
            node.impact(),
            visitors(node, step)
        );
    }
}
