//! Charts and diagrams: plain data in, SVG and PNG out.
//!
//! A [`Chart`] is bars, lines and points over two axes, or two circles that overlap. It is laid out once, as a list of
//! shapes (`drawing.rs`); `svg` writes the shapes as text, `png` paints them. Both are the same on
//! every machine: the font that measures and paints text is part of the crate.
//!
//! A [`LatticeDiagram`] is boxes in layers, joined by lines, and a [`TreeDiagram`] a tree that grows
//! step by step; both are written as SVG or for Graphviz. A [`VersionTree`] shows which document came
//! from which, as SVG, PNG or for Graphviz.
//!
//! Series differ by colour, marker and dash at once, so a chart is read without colours too.
//!
//! ```
//! use retold_plot::{Chart, Series};
//! let points = [(1.0, 0.71), (5.0, 0.76), (9.0, 0.74)];
//! let chart = Chart::lines("F1 by depth").x("depth").y("F1").with(Series::new("CoDet", points));
//! assert!(chart.to_svg().starts_with("<svg"));
//! assert!(chart.to_png(720).starts_with(b"\x89PNG"));
//! ```

mod axis;
mod bars;
mod chart;
mod diagram;
mod drawing;
mod font;
mod lines;
mod palette;
mod png_file;
mod svg;
mod tree;
mod venn;
mod versions;

pub use self::axis::{Axis, Scale};
pub use self::chart::{Bar, Chart, Group, Look, Point, Series};
pub use self::diagram::{DiagramConcept, LatticeDiagram};
pub use self::tree::{NodeMark, TreeDiagram, TreeNode, TreePanel};
pub use self::versions::{VersionNode, VersionTree};
