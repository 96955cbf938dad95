//! What an experiment needs of the rest of the program: to run methods.

use std::collections::BTreeMap;

use retold_core::document::Document;
use retold_core::methods::Profile;
use retold_core::relation::Relation;
use serde_json::{Map, Value};

use super::error::ExperimentError;

/// A method with everything it is told.
#[derive(Clone, Debug, PartialEq)]
pub struct CellJob {
    /// Name of a method or of a form.
    pub method: String,
    /// Whose setting.
    pub profile: Profile,
    /// Parameters that differ from the defaults of the profile.
    pub parameters: Map<String, Value>,
    /// Seed of the method.
    pub seed: u64,
    /// Whether statistics of words come from a table made before, so that their time is not
    /// counted.
    pub is_idf_frozen: bool,
}

/// What came of a run within a collection.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Relations; documents are numbered in the order given.
    pub relations: Vec<Relation>,
    /// Other figures by name, such as `candidates`; the same on every machine.
    pub counters: BTreeMap<String, f64>,
    /// Seconds by the clock.
    pub seconds: f64,
    /// Seconds of processors; 0 if unknown.
    pub cpu_seconds: f64,
}

/// What came of a question.
#[derive(Clone, Debug, Default)]
pub struct Answered {
    /// Documents, best first.
    pub ranking: Vec<u32>,
    /// Other figures by name, such as `vectors`.
    pub counters: BTreeMap<String, f64>,
    /// Seconds by the clock.
    pub seconds: f64,
    /// Seconds of processors; 0 if unknown.
    pub cpu_seconds: f64,
}

/// Runs methods.
pub trait Workbench {
    /// Checks a job without running it.
    fn check(&self, job: &CellJob) -> Result<(), ExperimentError>;

    /// Returns up to `most` documents of a named collection of the user's, or none if the user gave
    /// no collections.
    fn documents(
        &self,
        collection: &str,
        most: usize,
    ) -> Result<Option<Vec<Document>>, ExperimentError>;

    /// Finds relations among documents.
    fn relations(&self, job: &CellJob, documents: &[Document]) -> Result<Ran, ExperimentError>;

    /// Ranks documents by how much of a question they hold.
    fn answers(
        &self,
        job: &CellJob,
        documents: &[Document],
        question: &Document,
    ) -> Result<Answered, ExperimentError>;
}
