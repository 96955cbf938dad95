//! `regroup`: other thresholds, clusters and policies from a result that holds all pairs.

use std::path::Path;

use retold_core::cluster::{Grouping, Joining};
use retold_report::TableFormat;

use crate::error::Error;
use crate::job::Job;
use crate::keep::Keep;
use crate::pipeline::preparing::Prepared;
use crate::pipeline::run::{Outcome, Wanted};
use crate::pipeline::stored::StoredResult;
use crate::resources::Resources;
use crate::sink::{Beginning, Sink};

/// Cuts a result at other thresholds, clusters it in another way and decides by another policy what
/// goes, from the tables that [`Find`](crate::Find) or [`Dedup`](crate::Dedup) wrote with
/// [all pairs](crate::PairsWritten::All). No text is read.
///
/// What comes out is what a run with the [job](Self::job) gives: the same bytes in every table. Only
/// `command` and `run` of the manifest differ. Nothing is made that needs texts: no page, no text that
/// the members of a cluster share, no copies of documents that stay.
///
/// ```
/// use retold::{Document, Documents, Find, Found, Job, PairsWritten, Regroup, Tables};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path().join("found");
/// let note = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let documents = vec![
///     Document::plain("note", note),
///     Document::plain("news", format!("{note}, as was said.")),
/// ];
/// let job = Job::default().with_pairs(PairsWritten::All);
/// Find::new(Documents::new(documents)).job(job).run(&mut Tables::new(&folder))?;
///
/// let mut found = Found::new();
/// Regroup::open(&folder)?.run(&mut found)?;
/// assert_eq!(found.pairs()[0].kind.name(), "near-duplicate");
/// let mut found = Found::new();
/// Regroup::open(&folder)?.containment(0.8).run(&mut found)?;
/// assert_eq!(found.pairs()[0].kind.name(), "contained");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing is done before it is run"]
pub struct Regroup {
    stored: StoredResult,
    job: Job,
    is_deciding: bool,
    resources: Resources,
}

impl Regroup {
    /// Opens a result folder. Everything stays as it was there unless it is set.
    ///
    /// *Errors* if the folder does not hold all pairs, and says what to run.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, Error> {
        let stored = StoredResult::open(folder.as_ref())?;
        let job = stored.job.clone().with_no_page(true).with_no_shared_text(true);
        Ok(Self { stored, job, is_deciding: false, resources: Resources::new() })
    }

    /// Returns the job whose result this gives.
    pub fn job(&self) -> Result<Job, Error> {
        let mut job = self.job.clone();
        self.stored.check(&mut job)?;
        Ok(job)
    }

    /// Sets the share of a document that must stand in the other to count as contained. It must not
    /// be below the one that the folder was made with.
    pub fn containment(self, containment: f64) -> Self {
        Self { job: self.job.with_parameter("containment", containment), ..self }
    }

    /// Sets the words of a common passage from which two documents are partial copies. They must not
    /// be fewer than those that the folder was made with.
    pub fn passage_words(self, passage_words: u32) -> Self {
        Self { job: self.job.with_parameter("passage_words", passage_words), ..self }
    }

    /// Sets the share of the shorter document that shorter passages must have together. It must not be
    /// below the one that the folder was made with.
    pub fn shared(self, shared: f64) -> Self {
        Self { job: self.job.with_parameter("shared", shared), ..self }
    }

    /// Sets how many distinctive word runs a partial copy shares at least. The folder must have been
    /// made with 0, which counts them.
    pub fn distinctive(self, distinctive: u32) -> Self {
        Self { job: self.job.with_distinctive(distinctive), ..self }
    }

    /// Sets how clusters are made: all but closed sets, which are made of images.
    pub fn clusters(self, clusters: Grouping) -> Self {
        Self { job: self.job.with_clusters(clusters), ..self }
    }

    /// Sets which relations join documents to clusters.
    pub fn join(self, join: Joining) -> Self {
        Self { job: self.job.with_join(join), ..self }
    }

    /// Sets which document of a cluster is kept.
    pub fn keep(self, keep: Keep) -> Self {
        Self { job: self.job.with_keep(keep), ..self }
    }

    /// Sets the format of the tables that are written.
    pub fn format(self, format: TableFormat) -> Self {
        Self { job: self.job.with_format(format), ..self }
    }

    /// Says whether it is decided what goes, as [`Dedup`](crate::Dedup) does. The default is false.
    pub fn deciding(self, is_deciding: bool) -> Self {
        Self { is_deciding, ..self }
    }

    /// Sets the share of a document that a kept one must hold before it goes.
    pub fn cover(self, cover: f64) -> Self {
        Self { job: self.job.with_cover(cover), ..self }
    }

    /// Says whether documents also go that stand in a much longer one.
    pub fn remove_contained(self, remove_contained: bool) -> Self {
        Self { job: self.job.with_remove_contained(remove_contained), ..self }
    }

    /// Sets everything that it is done with.
    pub fn resources(self, resources: Resources) -> Self {
        Self { resources, ..self }
    }

    /// Runs it and hands what is found to `sink`.
    pub fn run(self, sink: &mut dyn Sink) -> Result<Outcome, Error> {
        let job = self.job()?;
        if self.is_deciding && self.stored.manifest.second_from.is_some() {
            return Err(self.stored.lacks(
                "two collections were compared with each other, and neither with itself",
                "run `retold dedup PATH --against ARCHIVE --pairs all -o DIR`",
            ));
        }
        let Self { stored, is_deciding, resources, .. } = self;
        let prepared = Prepared::new(&job, &resources)?;
        sink.begin(&Beginning { job: &job, is_deciding })?;
        let (intake, names) = stored.intake(&job.keep, &prepared.budget, &prepared.scratch)?;
        let n_image_bytes = stored.count("image_bytes");
        let read_options = prepared.read_options();
        let mut run = prepared.taken("regroup", intake, n_image_bytes, read_options)?;
        if is_deciding {
            run.prefer_archive();
        }
        let wanted = match (is_deciding, sink.wants().clusters) {
            (true, _) => Wanted::Decisions,
            (false, true) => Wanted::Clusters,
            (false, false) => Wanted::Relations,
        };
        let detected = run.regroup(&stored, &names, wanted, sink)?;
        let outcome = run.report(&detected, sink)?;
        resources.progress.end();
        Ok(outcome)
    }
}
