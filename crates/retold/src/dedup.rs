//! `dedup`: the collection without its copies, and a list of what went and why.

use retold_core::error::ConfigError;
use retold_core::relations::Relations;

use crate::error::Error;
use crate::index::Index;
use crate::job::Job;
use crate::pipeline::joining::JoinedIndex;
use crate::pipeline::run::{Outcome, Run, Started, Wanted};
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
    against: Option<Box<dyn Source>>,
    index: Option<(Index, usize)>,
    job: Job,
    resources: Resources,
}

common_settings!(Dedup);

impl Dedup {
    /// Looks for copies among the documents of a source.
    pub fn new(source: impl Source + 'static) -> Self {
        Self {
            source: Box::new(source),
            against: None,
            index: None,
            job: Job::default(),
            resources: Resources::new(),
        }
    }

    /// Also removes what the documents of another source hold. These stay whatever the policy, and
    /// are not copied; what they do not hold is deduplicated among itself.
    ///
    /// ```
    /// use retold::{Dedup, Document, Documents, Found};
    ///
    /// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// let new = vec![Document::plain("a", format!("{text}, again")), Document::plain("b", "other")];
    /// let archive = Documents::new(vec![Document::plain("old", text)]);
    /// let mut found = Found::new();
    /// Dedup::new(Documents::new(new)).against(archive).run(&mut found)?;
    /// let gone = &found.removals()[0];
    /// assert_eq!((found.removals().len(), gone.document(), gone.covered_by()), (1, 0, 2));
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn against(self, source: impl Source + 'static) -> Self {
        Self { against: Some(Box::new(source)), ..self }
    }

    /// Also removes what the documents of an index hold, by a method of the index: the one of that
    /// name, or the first. What may change an image or a verdict is taken from the index, not from the
    /// job. The index is only read.
    ///
    /// *Errors* if the index has no such method.
    ///
    /// ```
    /// # use retold::*;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("archive.idx");
    /// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// let mut writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
    /// writer.add(Documents::new(vec![Document::plain("old", text)]), &Resources::new())?;
    /// let new = Documents::new(vec![Document::plain("new", format!("{text}, again."))]);
    /// let mut found = Found::new();
    /// Dedup::new(new).against_index(Index::open(&path)?, None)?.run(&mut found)?;
    /// assert!(found.removals()[0].is_removed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn against_index(self, index: Index, method: Option<&str>) -> Result<Self, Error> {
        let number = index.method_number(method)?;
        Ok(Self { index: Some((index, number)), ..self })
    }

    /// Runs it and hands what is found and decided to `sink`.
    pub fn run(self, sink: &mut dyn Sink) -> Result<Outcome, Error> {
        let Self { source, against, index, mut job, resources } = self;
        if job.relations != Relations::ALL {
            let accepted = "left out for `dedup`, which looks for what decides";
            return Err(ConfigError::value("relations", accepted, &job.relations).into());
        }
        if let Some(boilerplate) = job.boilerplate {
            let accepted = "left out for `dedup` of whole documents";
            return Err(ConfigError::value("boilerplate", accepted, &boilerplate).into());
        }
        if let Some((index, number)) = &index {
            job = index.job(*number, &job);
        }
        let index = index.map(|(index, number)| JoinedIndex::new(index, number));
        let dedup = |sink: &mut dyn Sink| {
            let (sources, index) = ((source, against), index.as_ref());
            let started = Run::start("dedup", sources, sink, true, &job, &resources, index)?;
            let mut run = match started {
                Started::Run(run) => run,
                Started::Finished(outcome) => return Ok(*outcome),
            };
            let detected = if job.decides_only(true) {
                run.decide()?
            } else {
                run.detect(Wanted::Decisions, sink)?
            };
            run.report(&detected, sink)
        };
        let outcome = resources.resumable(dedup(sink))?;
        resources.progress.end();
        Ok(outcome)
    }
}
