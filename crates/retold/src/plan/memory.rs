//! How much memory and scratch a search takes.
//!
//! The constants were chosen by the peaks of the development sets; `bench/README.md` has the errors.

use crate::pipeline::budget::{Budget, DOCUMENT_BYTES};

/// What the memory depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    pub(super) n_documents: f64,
    pub(super) n_bytes: f64,
    pub(super) image_bytes: f64,
    /// Bytes of texts of documents that are compared with others.
    pub(super) related_bytes: f64,
    pub(super) candidates: f64,
    pub(super) pairs: f64,
}

/// What is planned for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub(super) resident: f64,
    pub(super) scratch: f64,
}

/// The process and what it reads at a time.
const BASE_BYTES: f64 = 30e6;
/// Bytes of a profile for each byte of text: hashes, places and runs of words.
const PROFILE_BYTES: f64 = 3.3;
/// Bytes of a posting list for each byte of image.
const LIST_BYTES: f64 = 0.6;
/// Bytes held of a candidate.
const CANDIDATE_BYTES: f64 = 60.0;
/// Bytes held of a related pair.
const PAIR_BYTES: f64 = 40.0;

/// Plans memory and scratch files.
pub(super) fn planned(needs: &Needs, budget: &Budget) -> Memory {
    let share = |n: f64, most: usize| n.min(most as f64);
    let images = share(needs.image_bytes, budget.images());
    let lists = share(needs.image_bytes * LIST_BYTES, budget.search());
    let most_profiles = budget.profiles(super::whole(needs.n_bytes));
    let profiles = share(needs.related_bytes * PROFILE_BYTES, most_profiles);
    let candidates =
        share(needs.candidates * CANDIDATE_BYTES, budget.pairs() + budget.ordered_pairs());
    let round = share(needs.pairs * PAIR_BYTES, budget.round());
    let held = needs.n_documents * DOCUMENT_BYTES as f64;
    // Images and lists are there while documents are searched, profiles while they are compared.
    let searching = images + lists;
    let comparing = profiles + candidates + round;
    let scratch = (needs.image_bytes - images)
        + (needs.image_bytes * LIST_BYTES - lists)
        + (needs.candidates * CANDIDATE_BYTES - candidates);
    Memory { resident: BASE_BYTES + held + searching.max(comparing), scratch }
}
