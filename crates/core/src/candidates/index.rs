//! A structure that grows and shrinks document by document and can be asked at any time.
//!
//! One structure serves all ways of running: a collection against itself, two collections, one
//! document against a collection, and a stream.

use super::Cuts;
use crate::document::Ordinal;
use crate::relation::{Kind, Scores};

/// Images of documents, ready to be asked which of them are related to another.
pub trait Index<Image>: Send + Sync {
    /// Takes the image of a document; ordinals only grow.
    fn insert(&mut self, ordinal: Ordinal, image: &Image);

    /// Forgets a document; `image` is what was inserted.
    fn remove(&mut self, ordinal: Ordinal, image: &Image);

    /// Adds the documents before `before` that the method takes for relatives of `image`.
    ///
    /// Both directions of an asymmetric rule are looked at. *Order*: partners come by ordinal.
    fn ask(&self, image: &Image, before: Ordinal, found: &mut Found);

    /// Returns the number of bytes held.
    fn held_bytes(&self) -> usize;
}

/// A document that the method itself takes for a relative of the one that asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partner {
    /// Which document.
    pub ordinal: Ordinal,
    /// How they relate, seen from the one that asked: `Contained` means it stands in the partner.
    pub kind: Kind,
    /// How strongly, by the method's own measure; `a` is the one that asked.
    pub scores: Scores,
}

/// What an [`Index`] answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Relatives, by ordinal.
    pub partners: Vec<Partner>,
    /// What had to be left out.
    pub cuts: Cuts,
    /// Documents a similarity was computed with, related or not: the work that was done.
    pub n_values: u64,
}
