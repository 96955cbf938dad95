//! The front door: makes a test collection of files and writes it with all that is known of it.
//!
//! What is made is written as it is made; only where its words are from is kept until the pairs are
//! known.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rayon::ThreadPool;
use rayon::prelude::*;
use retold::{Document, Job, Resources, Stage};
use retold_report::{Manifest, ManifestRun, OutputDir};

use super::counts::Counts;
use super::folder::{Files, Wanted};
use super::generated::Generated;
use super::inputs::Inputs;
use super::log::Log;
use super::make::{Finished, Maker};
use super::plan::{Plan, Related};
use super::truth::Reference;
use crate::error::Error;

/// Makes test collections: documents with planted copies, and all that is known of them.
///
/// ```no_run
/// use retold_lab::{Generate, read_plan};
///
/// let plan = read_plan("plan.toml".as_ref())?;
/// let made = Generate::new(["news.jsonl"]).plan(plan).write("made")?;
/// assert!(made.n_pairs > 0);
/// # Ok::<(), retold_lab::Error>(())
/// ```
#[must_use = "nothing is done before it is written"]
pub struct Generate {
    paths: Vec<PathBuf>,
    orders: Orders,
    overwrite: bool,
    log: bool,
    job: Job,
    resources: Resources,
}

/// What is to be made.
enum Orders {
    /// Whatever a plan asks for.
    Plan(Plan),
    /// What was made before, by its log.
    Log(PathBuf),
}

impl Generate {
    /// Makes copies of the documents under these paths.
    pub fn new(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            paths: paths.into_iter().map(Into::into).collect(),
            orders: Orders::Plan(Plan::default()),
            overwrite: false,
            log: true,
            job: Job::default(),
            resources: Resources::new(),
        }
    }

    /// Sets what is made of the documents. The default plan makes nothing.
    pub fn plan(self, plan: Plan) -> Self {
        Self { orders: Orders::Plan(plan), ..self }
    }

    /// Makes a collection again from its log, and from the documents it was made of. The folder is
    /// the one that the log is of, byte for byte, its manifest apart.
    pub fn replay(self, log: impl Into<PathBuf>) -> Self {
        Self { orders: Orders::Log(log.into()), ..self }
    }

    /// Sets whether an earlier collection is replaced. The default is no.
    pub fn overwrite(self, overwrite: bool) -> Self {
        Self { overwrite, ..self }
    }

    /// Sets whether it is written down how each document was made, which takes several times the room
    /// of the documents where much is changed. The default is yes; without it nothing can be replayed.
    pub fn log(self, log: bool) -> Self {
        Self { log, ..self }
    }

    /// Sets how files become documents; nothing else of a job matters here.
    pub fn job(self, job: Job) -> Self {
        Self { job, ..self }
    }

    /// Sets what it is done with.
    pub fn resources(self, resources: Resources) -> Self {
        Self { resources, ..self }
    }

    /// Makes the collection and writes it to a folder.
    ///
    /// The folder holds `collection.jsonl`, `queries.jsonl` if there are any, the reference
    /// `pairs.tsv` and `spans.tsv` unless the plan lists none, the log as `log.jsonl` and `log.txt` if
    /// it is wanted, and `manifest.json`. It appears under its name only when it is complete.
    pub fn write(self, output: impl AsRef<Path>) -> Result<Generated, Error> {
        match &self.orders {
            Orders::Plan(plan) => self.by_plan(plan, output.as_ref()),
            Orders::Log(log) => self.by_log(log, output.as_ref()),
        }
    }

    fn by_plan(&self, plan: &Plan, output: &Path) -> Result<Generated, Error> {
        plan.check()?;
        let run = Run::start(self, output)?;
        let stop = self.resources.stop_wish();
        let maker = Maker::new(plan, &run.inputs.collection)?;
        maker.prepare(&|| stop.is_set());
        let make = |i: usize| maker.make(&maker.tasks()[i]).map_err(Error::from);
        let n = maker.tasks().len();
        let figures = run.write(plan, n, "generate", &make)?;
        run.finish(figures)
    }

    fn by_log(&self, path: &Path, output: &Path) -> Result<Generated, Error> {
        let unusable = |source| Error::Log { path: path.to_owned(), source };
        let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
        let Log { plan, entries } = Log::parse(&text).map_err(unusable)?;
        drop(text);
        let run = Run::start(self, output)?;
        let make = |i: usize| {
            let unusable = |source| Error::Log { path: path.to_owned(), source };
            Finished::again(entries[i].clone(), &run.inputs.collection).map_err(unusable)
        };
        let figures = run.write(&plan, entries.len(), "generate --replay", &make)?;
        run.finish(figures)
    }
}

/// Reads a plan from a TOML file.
pub fn read_plan(path: &Path) -> Result<Plan, Error> {
    let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
    Plan::parse(&text).map_err(|source| Error::Plan { path: path.to_owned(), source })
}

/// Counts the paragraphs, sentences and words of each document under `paths`.
///
/// The counts are of the clean text: what [`Generate`] would edit.
pub fn count(
    paths: &[PathBuf],
    job: &Job,
    resources: &Resources,
) -> Result<Vec<(String, Counts)>, Error> {
    let inputs = Inputs::read(paths, job, resources)?;
    let documents: Vec<&Document> = inputs.collection.documents().collect();
    let (pool, stop) = (resources.thread_pool()?, resources.stop_wish());
    let counted = map(&pool, &documents, |document| {
        if stop.is_set() { Counts::default() } else { Counts::of(&document.text) }
    });
    Error::if_stopped(stop, Stage::Read, documents.len())?;
    resources.progress_listener().end();
    Ok(documents.iter().map(|document| document.id.clone()).zip(counted).collect())
}

/// A run under way.
struct Run<'a> {
    asked: &'a Generate,
    output: OutputDir,
    inputs: Inputs,
    pool: Arc<ThreadPool>,
    started: Instant,
}

/// Documents that are made at a time: between two slices the run may be stopped.
const SLICE: usize = 256;

impl<'a> Run<'a> {
    fn start(asked: &'a Generate, output: &Path) -> Result<Self, Error> {
        let started = Instant::now();
        let output = OutputDir::create(output, asked.overwrite)?;
        let inputs = Inputs::read(&asked.paths, &asked.job, &asked.resources)?;
        let pool = asked.resources.thread_pool()?;
        Ok(Self { asked, output, inputs, pool, started })
    }

    /// Makes `n` documents and writes them and all that is known of them.
    fn write(
        &self,
        plan: &Plan,
        n: usize,
        command: &str,
        make: &(dyn Fn(usize) -> Result<Finished, Error> + Sync),
    ) -> Result<Generated, Error> {
        let collection = &self.inputs.collection;
        let output = self.output.final_path().display().to_string();
        let mut figures = Generated::new(plan, &self.inputs, output);
        let dir = self.output.path().to_owned();
        let faulty = |error| Error::io("write", &dir)(error);
        let progress = self.asked.resources.progress_listener();
        progress.begin(Stage::Make, n as u64);
        let is_listed = plan.related != Related::None;
        let wanted =
            Wanted { queries: !plan.queries.is_empty(), reference: is_listed, log: self.asked.log };
        let mut files = Files::create(&dir, wanted).map_err(faulty)?;
        files.head(plan).map_err(faulty)?;
        if plan.originals {
            for document in collection.documents() {
                self.check_stop(0)?;
                files.original(document).map_err(faulty)?;
            }
        }
        let (mut n_made, mut traces) = (0, Vec::new());
        let numbers: Vec<usize> = (0..n).collect();
        for slice in numbers.chunks(SLICE) {
            self.check_stop(n_made)?;
            let made = map(&self.pool, slice, |&i| {
                self.check_stop(i)?;
                make(i)
            });
            for finished in made {
                let Finished { document, entry, trace } = finished?;
                figures.count(&entry);
                files.made(&document, &entry).map_err(faulty)?;
                traces.extend(is_listed.then_some(trace));
                n_made += 1;
            }
            progress.at(n_made as u64, n_made as u64);
        }
        let is_stopped = || self.asked.resources.stop_wish().is_set();
        let reference = Reference::new(collection, &traces, plan.related, &is_stopped);
        for (i, slice) in numbers[..reference.len()].chunks(SLICE).enumerate() {
            self.check_stop(n)?;
            let compared = map(&self.pool, slice, |&made| {
                self.check_stop(n)?;
                Ok::<_, Error>(reference.compare(made))
            });
            for compared in compared {
                let (pairs, spans) = compared?;
                figures.count_truth(&pairs, &spans);
                files.truth(&pairs, &spans).map_err(faulty)?;
            }
            progress.at((n + i * SLICE + slice.len()) as u64, n as u64);
        }
        files.finish().map_err(faulty)?;
        figures.seconds = self.started.elapsed().as_secs_f64();
        self.manifest(plan, command, &figures).write(&dir).map_err(faulty)?;
        Ok(figures)
    }

    /// Puts the folder into place.
    fn finish(self, figures: Generated) -> Result<Generated, Error> {
        self.check_stop(figures.n_made as usize)?;
        self.output.commit()?;
        self.asked.resources.progress_listener().end();
        Ok(figures)
    }

    fn check_stop(&self, n_documents: usize) -> Result<(), Error> {
        Error::if_stopped(self.asked.resources.stop_wish(), Stage::Make, n_documents)
    }

    fn manifest(&self, plan: &Plan, command: &str, figures: &Generated) -> Manifest {
        let mut manifest = Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.to_owned(),
            settings: serde_json::json!({ "plan": plan, "read": self.asked.job.read() }),
            seed: plan.seed,
            hashes: [("texts", "xxh3-64"), ("inputs", "blake3")]
                .map(|(role, name)| (role.to_owned(), name.to_owned()))
                .into(),
            counts: figures.by_name(),
            finished: true,
            run: ManifestRun {
                threads: self.pool.current_num_threads() as u32,
                timings: BTreeMap::from([("total".to_owned(), figures.seconds)]),
                ..ManifestRun::default()
            },
            ..Manifest::default()
        };
        self.inputs.describe(&mut manifest);
        manifest
    }
}

/// Maps a slice on all threads of a pool; results stand in the order of the slice.
fn map<T: Sync, R: Send>(
    pool: &ThreadPool,
    items: &[T],
    work: impl Fn(&T) -> R + Sync + Send,
) -> Vec<R> {
    pool.install(|| items.par_iter().map(work).collect())
}
