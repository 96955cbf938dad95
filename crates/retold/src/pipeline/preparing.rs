//! What a run needs before it reads, and the first pass over the documents.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use retold_core::error::ConfigError;
use retold_core::features::Featurizer;
use retold_core::methods::Detector;
use retold_core::verify::rule::Rule;
use retold_read::ReadOptions;
use serde_json::Value;

use super::boilerplate::{self, Boilerplate, Counting};
use super::budget::Budget;
use super::intake::{self, Counter, Examiner, Intake};
use super::joining::JoinedIndex;
use super::parallel::Pool;
use super::run::Run;
use super::run_sets::Room;
use super::scratch::ScratchDir;
use super::sources::Sources;
use crate::error::Error;
use crate::job::Job;
use crate::progress::{Progress, Stop};
use crate::resources::Resources;
use crate::resume::{Resume, belonging};
use crate::source::Opened;

/// What is ready before anything is read.
pub(crate) struct Prepared<'a> {
    job: &'a Job,
    pub(super) progress: &'a dyn Progress,
    pub(super) stop: &'a Stop,
    pub(crate) budget: Budget,
    pub(crate) scratch: ScratchDir,
    pub(super) detector: Box<dyn Detector>,
    pub(super) rule: Rule,
    pub(super) featurizer: Featurizer,
    pub(super) pool: Pool,
    /// What is left out of comparisons.
    pub(super) boilerplate: Option<Boilerplate>,
    pub(super) started: Instant,
    pub(super) timings: BTreeMap<String, f64>,
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(job: &'a Job, resources: &'a Resources) -> Result<Self, Error> {
        let asked = job.detector()?;
        Ok(Self {
            job,
            progress: &*resources.progress,
            stop: &resources.stop,
            started: Instant::now(),
            budget: Budget::new(resources)?,
            scratch: ScratchDir::new(resources.scratch.as_deref()),
            rule: asked.rule(),
            detector: job.searcher()?,
            featurizer: job.featurizer(&*asked),
            pool: Pool::new(resources)?,
            boilerplate: None,
            timings: BTreeMap::new(),
        })
    }

    /// Returns how files are read: no record is taken up that could not be held.
    pub(crate) fn read_options(&self) -> ReadOptions {
        let mut options = self.job.read_options();
        let most = self.budget.most_record_bytes();
        let limits = &mut options.limits;
        limits.document_bytes = limits.document_bytes.min(most);
        limits.line_bytes = limits.line_bytes.min(most);
        options
    }

    /// Says which run it is that is to be resumed.
    pub(super) fn belongs(
        &self,
        command: &str,
        options: &ReadOptions,
        sources: &[&Opened],
    ) -> Result<Value, Error> {
        let settings = serde_json::to_value(self.job).unwrap_or_default();
        let limits = (options, self.budget.most_document_bytes());
        let further: Vec<&Path> = self.job.idf.as_deref().into_iter().collect();
        belonging(command, &settings, limits, sources, &further)
    }

    /// Looks at all documents for boilerplate, if that is to be left out.
    pub(super) fn count_boilerplate(
        &mut self,
        options: &ReadOptions,
        sources: &[&Opened],
        has_index: bool,
    ) -> Result<(), Error> {
        let Some(most_documents) = self.job.boilerplate else { return Ok(()) };
        if has_index {
            let accepted = "left out where documents are compared with an index";
            return Err(ConfigError::value("boilerplate", accepted, &most_documents).into());
        }
        let mut again = sources.iter().map(|source| boilerplate::again(source));
        let first = again.next().expect("there is a source")?;
        let second = again.next().transpose()?;
        let sources = Sources::new(first, second.map(|second| (second, true)), options, self.stop);
        let counting = Counting {
            most_documents,
            featurizer: &self.featurizer,
            budget: &self.budget,
            scratch: &self.scratch,
            pool: &self.pool,
            progress: self.progress,
            stop: self.stop,
        };
        self.boilerplate = Some(counting.run(sources)?);
        Ok(())
    }

    /// Reads all documents.
    pub(super) fn read(
        self,
        command: &'static str,
        sources: Sources,
        read_options: ReadOptions,
        index: Option<&JoinedIndex>,
        keeps_runs: bool,
        resume: Option<Resume>,
    ) -> Result<Run<'a>, Error> {
        let Self { job, progress, stop, budget, .. } = self;
        let mut timings = self.timings.clone();
        let table = match index {
            Some(index) => index.counts(),
            None => job.counts(&*self.detector)?,
        };
        if table.is_some() {
            let seconds = self.started.elapsed().as_secs_f64();
            timings.insert("0 load statistics".to_owned(), seconds);
        }
        let needs_pass = self.detector.needs_counts() && table.is_none();
        if resume.is_some() && (index.is_some() || needs_pass) {
            let accepted = "left out where documents are compared with an index, and with methods that \
                            take statistics from the documents (`--idf` gives them)";
            return Err(ConfigError::value("resume", accepted, &job.method).into());
        }
        let counter = (self.detector.needs_counts() && table.is_none()).then(Counter::new);
        let mut examiner = Examiner {
            job,
            budget,
            scratch: &self.scratch,
            detector: &*self.detector,
            featurizer: &self.featurizer,
            counts: table.as_ref(),
            counter: counter.as_ref(),
            second: sources.second(),
            run_room: keeps_runs.then(|| Room::new(budget.run_sets())),
            is_resumable: resume.is_some(),
            boilerplate: self.boilerplate.as_ref(),
        };
        let reading = Instant::now();
        let files = sources.files();
        let mut intake =
            intake::take(sources, &examiner, &self.pool, progress, stop, index, resume)?;
        let stage = if counter.is_some() { "1 read and count" } else { "1 read" };
        timings.insert(stage.to_owned(), reading.elapsed().as_secs_f64());
        budget.check(intake.collection.len() as u64)?;
        if counter.is_some() {
            let imaging = Instant::now();
            examiner.counter = None;
            let counts = counter.as_ref().map(Counter::take);
            examiner.counts = counts.as_ref();
            for bad in intake::image_again(&mut intake, &examiner, &self.pool, progress, stop)? {
                progress.bad(&bad);
                intake.lose(bad);
            }
            timings.insert("1 image".to_owned(), imaging.elapsed().as_secs_f64());
        }
        let (n_files, n_image_bytes) = (files.len(), intake.images.n_bytes());
        let run = Self { timings, ..self }.taken(command, intake, n_image_bytes, read_options)?;
        Ok(Run { files, n_files, ..run })
    }

    /// Makes a run of documents that were taken up before, whose files are not to be read again.
    pub(crate) fn taken(
        self,
        command: &'static str,
        intake: Intake,
        n_image_bytes: u64,
        read_options: ReadOptions,
    ) -> Result<Run<'a>, Error> {
        let Self { job, progress, stop, budget, .. } = self;
        for note in intake.collection.unranked(&job.keep)? {
            progress.note(&note);
        }
        let preference = intake.collection.preference(&job.keep, budget.ranks())?;
        Ok(Run {
            command,
            job,
            progress,
            stop,
            budget,
            scratch: self.scratch,
            detector: self.detector,
            rule: self.rule,
            featurizer: self.featurizer,
            pool: self.pool,
            boilerplate: self.boilerplate,
            folder: None,
            preference,
            files: Vec::new(),
            n_files: intake.digests.len(),
            intake,
            read_options,
            tuning: None,
            n_image_bytes,
            started: self.started,
            timings: self.timings,
        })
    }
}
