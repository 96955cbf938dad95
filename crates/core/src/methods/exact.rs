//! Exact: the same words in the same order, nothing else.
//!
//! # What it finds
//! Copies that agree in every word after cleaning and folding: case, punctuation, white space
//! and markup may differ.
//! # How it works
//! Documents whose word sequences have the same 128-bit hash
//! ([`whole`](crate::features::shingles::whole)) are one group. Every run does this first,
//! whatever its method; this method stops there.
//! # Parameters
//! None that matter; `k`, `containment` and `passage_words` only say how scores are shown.
//! # Cost
//! One pass over the text, 16 bytes a document.
//! # Where we differ from the papers
//! The papers' checksum is taken of the bytes; ours of the folded words.
//! # Reference
//! Whole-document checksum, named as a baseline by Wang and Chang, AIRS 2009.

use super::{Method, Recall, Skip, Spec};
use crate::candidates::all_pairs::NoPairs;
use crate::features::Places;
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::parameters::parameters;
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "exact",
    title: "the same words in the same order",
    finds: &[Kind::Exact],
    recall: Recall { percent: 25, why: "exact copies only" },
    skips: &[Skip::kinds(
        &[Kind::NearDuplicate, Kind::Contains, Kind::Contained, Kind::Partial],
        "finds exact copies only, by definition",
    )],
    ..Spec::of::<Exact>(include_str!("exact.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words in a run
        k: usize = 5, in 1..=64;
    }
}

/// The method.
pub(super) struct Exact {
    shingles: Shingles,
}

impl Method for Exact {
    type Config = Config;
    type Image = ();
    type Meeting = NoPairs;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;
    const DECIDES: bool = false;

    fn new(config: Config, _: u64) -> Self {
        Self { shingles: Shingles::new(config.k) }
    }

    fn shingles(&self) -> Shingles {
        self.shingles
    }

    fn image(&self, reading: &Reading<'_>) -> Option<()> {
        (!reading.words.hashes.is_empty()).then_some(())
    }

    fn meeting(&self, _: Rule) -> NoPairs {
        NoPairs
    }
}
