//! `find`: copies in a collection, or between two.

use crate::error::Error;
use crate::index::Index;
use crate::job::Job;
use crate::pipeline::joining::JoinedIndex;
use crate::pipeline::run::{Outcome, Run, Started, Wanted};
use crate::resources::{Resources, common_settings};
use crate::sink::Sink;
use crate::source::Source;
use crate::tuning::{Tuned, TuningReport};

/// Finds exact copies, near-duplicates, containments and shared passages.
///
/// ```
/// use retold::{Document, Documents, Find, Found};
///
/// let note = "The harbour board will close the east quay for repairs from Monday until Friday.";
/// let article = format!("Ships will have to wait. {note} Ferries are not affected by it at all.");
/// let documents = vec![Document::plain("note", note), Document::plain("article", article)];
///
/// let mut found = Found::new();
/// let outcome = Find::new(Documents::new(documents)).method("anchor").run(&mut found)?;
/// assert_eq!(outcome.summary().n_documents, 2);
/// assert_eq!(found.pairs()[0].kind.name(), "contained");
/// # Ok::<(), retold::Error>(())
/// ```
#[must_use = "nothing is done before it is run"]
pub struct Find {
    source: Box<dyn Source>,
    against: Option<Box<dyn Source>>,
    command: &'static str,
    index: Option<(Index, usize)>,
    job: Job,
    tuning: Option<TuningReport>,
    resources: Resources,
}

common_settings!(Find);

impl Find {
    /// Looks for copies among the documents of a source.
    pub fn new(source: impl Source + 'static) -> Self {
        Self {
            source: Box::new(source),
            against: None,
            index: None,
            command: "find",
            job: Job::default(),
            tuning: None,
            resources: Resources::new(),
        }
    }

    /// Sets a job whose parameters were found for a wanted similarity and recall; the manifest tells
    /// how.
    pub fn tuned(self, tuned: Tuned) -> Self {
        let (job, report) = tuned.into_parts();
        Self { job, tuning: Some(report), ..self }
    }

    /// Compares with the documents of another source instead of among themselves: every pair has
    /// one document of each.
    ///
    /// ```
    /// use retold::{Document, Documents, Find, Found};
    ///
    /// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// let old = vec![Document::plain("a", text), Document::plain("b", text)];
    /// let new = vec![Document::plain("c", text)];
    /// let mut found = Found::new();
    /// Find::new(Documents::new(old)).against(Documents::new(new)).run(&mut found)?;
    /// let pairs: Vec<_> = found.pairs().iter().map(|pair| (pair.a.0, pair.b.0)).collect();
    /// assert_eq!(pairs, [(0, 2), (1, 2)]);
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn against(self, source: impl Source + 'static) -> Self {
        Self { against: Some(Box::new(source)), ..self }
    }

    /// Compares with all documents of an index, and among themselves, by a method of the index: the one
    /// of that name, or the first. Every pair has at least one document of the source. What may change
    /// an image or a verdict is taken from the index, not from the job.
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
    /// let new = Documents::new(vec![Document::plain("new", format!("{text}, as was said."))]);
    /// let mut found = Found::new();
    /// Find::new(new).against_index(Index::open(&path)?, None)?.run(&mut found)?;
    /// assert_eq!(found.pairs()[0].kind, Kind::NearDuplicate);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn against_index(self, index: Index, method: Option<&str>) -> Result<Self, Error> {
        let number = index.method_number(method)?;
        Ok(Self { index: Some((index, number)), ..self })
    }

    /// Sets the name of the command in the manifest, for whoever builds another one on this.
    pub fn command(self, command: &'static str) -> Self {
        Self { command, ..self }
    }

    /// Runs it and hands what is found to `sink`.
    pub fn run(self, sink: &mut dyn Sink) -> Result<Outcome, Error> {
        let Self { source, against, index, command, mut job, tuning, resources } = self;
        if let Some((index, number)) = &index {
            job = index.job(*number, &job);
        }
        let index = index.map(|(index, number)| JoinedIndex::new(index, number));
        let find = |sink: &mut dyn Sink| {
            let (sources, index) = ((source, against), index.as_ref());
            let started = Run::start(command, sources, sink, false, &job, &resources, index)?;
            let mut run = match started {
                Started::Run(run) => run,
                Started::Finished(outcome) => return Ok(*outcome),
            };
            run.tuning = tuning;
            let wanted = if sink.wants().clusters { Wanted::Clusters } else { Wanted::Relations };
            let detected = run.detect(wanted, sink)?;
            run.report(&detected, sink)
        };
        let outcome = resources.resumable(find(sink))?;
        resources.progress.end();
        Ok(outcome)
    }
}
