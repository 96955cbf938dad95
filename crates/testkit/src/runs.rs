//! Running jobs in memory.

use retold::{Document, Documents, Find, Found, Job, PairsWritten, Relation};
use retold_core::methods::{self, Detector};

/// Returns all pairs that a job finds among documents, by their positions.
pub fn pairs(documents: &[Document], job: &Job) -> Vec<Relation> {
    pairs_of(Find::new(Documents::new(documents)), job)
}

/// Returns all pairs of one document each of two collections. Positions of `second` follow those of
/// `first`.
pub fn pairs_between(first: &[Document], second: &[Document], job: &Job) -> Vec<Relation> {
    pairs_of(Find::new(Documents::new(first)).against(Documents::new(second)), job)
}

/// Returns all pairs that a job finds in what `find` was given.
pub fn pairs_of(find: Find, job: &Job) -> Vec<Relation> {
    let mut found = Found::only_pairs();
    let job = job.clone().with_pairs(PairsWritten::All);
    find.job(job).run(&mut found).expect("the job is valid");
    found.into_pairs()
}

/// Returns the method of a job.
pub fn detector(job: &Job) -> Box<dyn Detector> {
    methods::make(job.method(), job.profile(), job.parameters(), job.seed())
        .expect("the job is valid")
}
