//! `dedup`: the collection without its copies, and a list of what went and why.

use crate::error::Error;
use crate::job::Job;
use crate::pipeline::run::{Outcome, Run, Wanted};
use crate::resources::{Resources, common_settings};
use crate::sink::Sink;
use crate::source::Source;

/// Finds copies and decides which documents go: those that a kept one holds.
///
/// With [`Tables`](crate::Tables) the folder also gets `documents/`: the kept records, file by file,
/// as they were. That needs [`Files`](crate::Files); from other sources the list of what is removed
/// says all.
///
/// ```
/// use retold::{Dedup, Document, Documents, Found};
///
/// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let documents = vec![Document::plain("a", text), Document::plain("b", text)];
/// let mut found = Found::new();
/// Dedup::new(Documents::new(documents)).run(&mut found)?;
/// let gone = &found.removals()[0];
/// assert_eq!((gone.document(), gone.covered_by(), gone.is_removed()), (1, 0, true));
/// # Ok::<(), retold::Error>(())
/// ```
#[must_use = "nothing is done before it is run"]
pub struct Dedup {
    source: Box<dyn Source>,
    job: Job,
    resources: Resources,
}

common_settings!(Dedup);

impl Dedup {
    /// Looks for copies among the documents of a source.
    pub fn new(source: impl Source + 'static) -> Self {
        Self { source: Box::new(source), job: Job::default(), resources: Resources::new() }
    }

    /// Runs it and hands what is found and decided to `sink`.
    pub fn run(self, sink: &mut dyn Sink) -> Result<Outcome, Error> {
        let Self { source, job, resources } = self;
        let mut run = Run::start("dedup", (source, None), sink, true, &job, &resources, None)?;
        let detected = run.detect(Wanted::Decisions, sink)?;
        let outcome = run.report(&detected, sink)?;
        resources.progress.end();
        Ok(outcome)
    }
}
