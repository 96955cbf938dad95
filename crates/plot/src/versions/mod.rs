//! Trees of versions: a row for every document, joined by lines as in a graph of commits.
//!
//! The child with the most descendants stands below its parent, the others one column to the right. Beside it stand its name, what the step cost and what it changed. Steps that
//! are a guess have dashed lines. Long chains stay readable: the picture grows downwards only.

mod dot;
mod draw;

use crate::png_file;
use crate::svg;

/// A tree of versions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VersionTree {
    /// What it shows.
    pub title: String,
    /// A line below the title.
    pub note: String,
    /// The documents; a parent stands before its children.
    pub documents: Vec<VersionNode>,
}

/// A document of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VersionNode {
    /// Place of its parent; none for a root.
    pub parent: Option<usize>,
    /// Its name.
    pub name: String,
    /// What is known of it, such as its time and its words.
    pub details: String,
    /// What the step to it came to, such as how sure it is.
    pub step: String,
    /// Text that the step added, if any.
    pub added: String,
    /// Text that the step dropped, if any.
    pub dropped: String,
    /// How sure the step is, from 0 (a guess) to 1.
    pub confidence: f64,
}

impl VersionTree {
    /// Returns the tree as text in the language of Graphviz.
    ///
    /// *Panics*: if a document stands before its parent.
    pub fn to_dot(&self) -> String {
        dot::write(self)
    }

    /// Returns the tree as an SVG picture; the same tree gives the same bytes.
    ///
    /// *Panics*: as [`to_dot`](Self::to_dot).
    pub fn to_svg(&self) -> String {
        let told = self.documents.iter().map(|node| match node.parent {
            Some(parent) => format!("{} from {}", node.name, self.documents[parent].name),
            None => format!("{} first", node.name),
        });
        let told: Vec<String> = told.collect();
        svg::write(&draw::draw(self), &self.title, &told.join(", "))
    }

    /// Returns the tree as a PNG file, `width` dots wide (64 to 4,096), on white.
    ///
    /// *Panics*: as [`to_dot`](Self::to_dot).
    pub fn to_png(&self, width: u32) -> Vec<u8> {
        png_file::write(&draw::draw(self), width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> VersionTree {
        let node = |parent, name: &str, confidence| VersionNode {
            parent,
            name: name.to_owned(),
            details: "2026-01-01 · 120 words".to_owned(),
            step: "3 words added, 2 dropped".to_owned(),
            added: "from <Monday> \"on\"".to_owned(),
            dropped: "from \\ Tuesday".to_owned(),
            confidence,
        };
        VersionTree {
            title: "Cluster 3".to_owned(),
            note: "with times".to_owned(),
            documents: vec![
                node(None, "first", 1.0),
                node(Some(0), "second", 0.9),
                node(Some(1), "third", 0.3),
                node(Some(0), "other", 0.8),
            ],
        }
    }

    #[test]
    fn every_document_is_a_dot_with_a_line_to_its_parent() {
        let svg = tree().to_svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<circle ").count(), 4);
        assert_eq!(svg.matches("<polyline ").count(), 3);
        assert_eq!(svg.matches("stroke-dasharray").count(), 1, "one is a guess");
        assert!(svg.contains("from &lt;Monday&gt;"), "{svg}");
        assert!(svg.contains("third from second"));
        assert_eq!(svg, tree().to_svg());
        assert!(tree().to_png(640).starts_with(b"\x89PNG"));
    }

    #[test]
    fn the_child_with_most_below_it_stays_in_the_column() {
        assert_eq!(draw::rows(&tree().documents), [(0, 0), (3, 1), (1, 0), (2, 0)]);
        let node = |parent| VersionNode { parent, ..VersionNode::default() };
        let star: Vec<VersionNode> =
            (0..50).map(|number| node((number > 0).then_some(0))).collect();
        let columns = draw::rows(&star).into_iter().map(|(_, column)| column).max();
        assert_eq!(columns, Some(1), "a star needs two columns");
    }

    #[test]
    fn graphviz_gets_a_node_for_every_document() {
        let dot = tree().to_dot();
        assert!(dot.contains("  n1 -> n2 [") && dot.contains("  n0 -> n3 ["), "{dot}");
        assert!(dot.contains("from <Monday> \\\"on\\\""), "{dot}");
        assert!(dot.contains("style=dashed"), "{dot}");
    }
}
