//! The diagram of a concept lattice: every way in which some documents agree.
//!
//! A concept is a set of documents and the number of units that all of them have in common.
//! Concepts of fewer documents stand above those of more, and neighbours are joined by a line. A
//! box names only the documents that no box above it has; all documents of a concept are found on the
//! ways up from its box.
//!
//! The boxes are put in layers, as in Sugiyama, Tagawa, Toda: Methods for visual understanding of
//! hierarchical system structures, IEEE Transactions on Systems, Man and Cybernetics, 1981.

mod dot;
mod label;
mod layout;
mod svg;
#[cfg(test)]
mod tests;

/// A concept lattice to be drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LatticeDiagram {
    /// Names of the documents. Concepts refer to them by their places here.
    pub names: Vec<String>,
    /// The concepts, those of fewer documents first.
    pub concepts: Vec<DiagramConcept>,
    /// Neighbours as places in `concepts`: the upper one, which has fewer documents, and the lower.
    pub covers: Vec<(usize, usize)>,
}

/// One concept of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiagramConcept {
    /// Its documents.
    pub items: Vec<usize>,
    /// Those of its documents that no concept above it has.
    pub first_items: Vec<usize>,
    /// Number of units that all its documents have.
    pub n_units: u64,
}

impl LatticeDiagram {
    /// Returns the diagram as text in the language of Graphviz.
    ///
    /// *Panics*: if a concept refers to a document or a cover to a concept that is not there.
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
