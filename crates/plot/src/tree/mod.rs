//! Trees that grow: panels one below the other, each with the tree after one more step.
//!
//! A panel is read from left to right: the root is a dot, and every node a box with its label and
//! some lines of detail. Frames tell what a step did: a box that is new, one that was there and was
//! visited again, and one that the step left alone differ in colour, width and dash at once.

mod dot;
mod svg;

pub(crate) use self::dot::escape;

/// A tree, drawn after every step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeDiagram {
    /// What it shows.
    pub title: String,
    /// The steps.
    pub panels: Vec<TreePanel>,
}

/// The tree after one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreePanel {
    /// Which step.
    pub title: String,
    /// What it came to, shown below the tree.
    pub notes: Vec<String>,
    /// The nodes; a parent stands before its children, and children in the order in which they are
    /// drawn.
    pub nodes: Vec<TreeNode>,
}

/// A node of a panel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeNode {
    /// Place of its parent in the panel; none for a child of the root.
    pub parent: Option<usize>,
    /// What stands in its box.
    pub label: String,
    /// Smaller lines below that.
    pub details: Vec<String>,
    /// What the step did with it.
    pub mark: NodeMark,
}

/// What a step did with a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeMark {
    /// Nothing.
    #[default]
    Left,
    /// It was there and was visited again.
    Revisited,
    /// It was made.
    New,
}

impl TreeDiagram {
    /// Returns the diagram as text in the language of Graphviz, a cluster for every panel.
    ///
    /// *Panics*: if a node stands before its parent.
    pub fn to_dot(&self) -> String {
        dot::write(self)
    }

    /// Returns the diagram as an SVG picture; the same diagram gives the same bytes.
    ///
    /// *Panics*: as [`to_dot`](Self::to_dot).
    pub fn to_svg(&self) -> String {
        svg::write(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(parent: Option<usize>, label: &str, mark: NodeMark) -> TreeNode {
        TreeNode { parent, label: label.to_owned(), details: vec!["A".to_owned()], mark }
    }

    fn diagram() -> TreeDiagram {
        let nodes = vec![
            node(None, "shares", NodeMark::Revisited),
            node(Some(0), "gain <2>", NodeMark::Left),
            node(Some(0), "lose", NodeMark::New),
        ];
        let panel = TreePanel {
            title: "after B: \"b\"".to_owned(),
            notes: vec!["3 nodes".to_owned()],
            nodes,
        };
        TreeDiagram { title: "Corpus tree".to_owned(), panels: vec![panel.clone(), panel] }
    }

    #[test]
    fn every_node_is_a_box_with_a_line_to_its_parent() {
        let svg = diagram().to_svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<rect ").count(), 2 * 3 + 3, "boxes, and three of the legend");
        assert_eq!(svg.matches("<path ").count(), 2 * 3);
        assert!(svg.contains("gain &lt;2&gt;") && svg.contains("3 nodes"));
        assert_eq!(svg, diagram().to_svg());
    }

    #[test]
    fn children_stand_right_of_their_parent_and_boxes_do_not_overlap() {
        let places = svg::places(&diagram().panels[0].nodes);
        assert!(places.boxes[1].x >= places.boxes[0].x + places.boxes[0].width);
        assert!(places.boxes[2].y >= places.boxes[1].y + places.boxes[1].height);
        let middle = |at: usize| places.boxes[at].y + places.boxes[at].height / 2.0;
        assert!((middle(0) - f64::midpoint(middle(1), middle(2))).abs() < 0.6);
    }

    #[test]
    fn graphviz_gets_a_cluster_for_every_panel() {
        let dot = diagram().to_dot();
        assert_eq!(dot.matches("subgraph cluster_").count(), 2);
        assert!(dot.contains("  p1n0 -> p1n2;\n"), "{dot}");
        assert!(dot.contains("label=\"after B: \\\"b\\\""), "{dot}");
    }
}
