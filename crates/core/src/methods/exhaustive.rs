//! Exhaustive: every document against every other, exactly; the reference for all others.
//!
//! # What it finds
//! All relations there are by the rule: exact copies, near-duplicates, containments, partial
//! copies.
//! # How it works
//! No image: every document meets every other one ([`all_pairs`](crate::candidates::all_pairs)), and
//! all pairs are aligned ([`align`](crate::verify::align)) and scored on the full sets of word runs.
//! # Parameters
//! `k` = 5 words, `containment` = 0.6, `passage_words` = 40, as in the default method.
//! # Cost
//! Quadratic in the number of documents. Meant for samples of some thousand documents.
//! # Where we differ from the papers
//! Nothing to differ from: this is the definition of resemblance and containment computed
//! without shortcuts.
//! # Reference
//! Broder: On the resemblance and containment of documents, SEQUENCES 1997, section 2.

use super::{Method, Spec};
use crate::candidates::all_pairs::AllPairs;
use crate::features::Places;
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::parameters::parameters;
use crate::relation::Kind;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "exhaustive",
    title: "all pairs, exact; the reference, quadratic",
    finds: &Kind::ALL,
    is_quadratic: true,
    ..Spec::of::<Exhaustive>(include_str!("exhaustive.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words in a run
        k: usize = 5, in 1..=64;
    }
}

/// The method.
pub(super) struct Exhaustive {
    shingles: Shingles,
}

impl Method for Exhaustive {
    type Config = Config;
    type Image = ();
    type Meeting = AllPairs;
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
        (reading.words.hashes.len() >= self.shingles.k()).then_some(())
    }

    fn meeting(&self, _: Rule) -> AllPairs {
        AllPairs
    }
}
