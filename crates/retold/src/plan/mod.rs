//! What a search will cost, from a sample: time, memory, disk, and the copies to expect.
//!
//! One pass counts the documents and draws two samples. Of the one, drawn *evenly*, every pair of
//! documents is in the sample with the square of the share drawn: pairs and the cost of comparing
//! them are found in it, in half and in a quarter of it, and carried on by a n + b n² ([`Growth`]). Of
//! the other, drawn *by content*, copies come together or not at all: clusters and copies are found
//! in it and carried on in proportion. Limits that count documents are cut down with the sample, so
//! that what they leave out of the collection they leave out of the sample.

mod growth;
mod memory;

use std::fs;
use std::path::Path;

use retold_core::document::Document;
use retold_core::hash;
use retold_core::methods;
use retold_core::relation::Kind;
use retold_report::TableFormat;
use serde::Serialize;
use serde_json::Value;

use self::growth::Growth;
use crate::error::Error;
use crate::find::Find;
use crate::index::{IndexOptions, IndexWriter};
use crate::job::Job;
use crate::pipeline::budget::Budget;
use crate::pipeline::run::Outcome;
use crate::progress::Silent;
use crate::resources::{Resources, common_settings};
use crate::sampling::{ByContent, Drawing, cpu_seconds, read_for_sample};
use crate::sink::Tables;
use crate::source::{Documents, Source};

/// Documents and bytes of text of a sample at most.
const MOST_DOCUMENTS: usize = 200_000;
const MOST_BYTES: usize = 48 << 20;
/// Bytes of files that are read to draw samples.
const MOST_READ_BYTES: u64 = 8 << 30;
/// Parameters that count documents.
const LIMITS: [&str; 4] = ["stop", "most_bucket", "most_partners", "most_candidates"];

/// Plans a search.
///
/// ```
/// use retold::{Document, Documents, Plan};
///
/// let documents: Vec<_> = (0..300)
///     .map(|n| Document::plain(n.to_string(), format!("story {} told again and again, {}", n / 2, n / 2)))
///     .collect();
/// let plan = Plan::new(Documents::new(documents)).run()?;
/// assert_eq!(plan.n_documents, 300);
/// assert_eq!(plan.exact_copies.expected, 150.0);
/// # Ok::<(), retold::Error>(())
/// ```
#[must_use = "nothing is done before it is run"]
pub struct Plan {
    source: Box<dyn Source>,
    job: Job,
    resources: Resources,
}

common_settings!(Plan);

/// A number that is expected, and how far off it was where it could be checked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Expected {
    /// The number.
    pub expected: f64,
    /// Largest error on the development sets of 16 MB of text or more: 0.3 means that the plan was at
    /// most 30 % above or below what was measured. `None` if it was never checked.
    pub error: Option<f64>,
}

/// What a search will cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlanReport {
    /// The method.
    pub method: String,
    /// Documents; counted, unless `is_cut` is set.
    pub n_documents: u64,
    /// Bytes of their texts.
    pub n_bytes: u64,
    /// Whether only the first 8 GiB of the files were read, and the rest is taken to be like them.
    pub is_cut: bool,
    /// Documents of the sample that is drawn evenly.
    pub n_sampled: u64,
    /// Documents with the same words as one before them.
    pub exact_copies: Expected,
    /// Documents that repeat another one, exact copies included.
    pub copies: Expected,
    /// Clusters.
    pub clusters: Expected,
    /// Pairs in the tables.
    pub pairs: Expected,
    /// CPU seconds by stage, in order.
    pub stages: Vec<StagePlan>,
    /// CPU seconds of all stages.
    pub cpu_seconds: Expected,
    /// Seconds on the threads given, if all are busy all the time.
    pub seconds: Expected,
    /// Most bytes of memory at a time.
    pub memory_bytes: Expected,
    /// Bytes of scratch files.
    pub scratch_bytes: Expected,
    /// Bytes of the tables as JSON Lines.
    pub table_bytes: Expected,
    /// Bytes of a stored index of the documents.
    pub index_bytes: Expected,
}

/// The cost of a stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StagePlan {
    /// Its name.
    pub name: String,
    /// CPU seconds.
    pub cpu_seconds: f64,
}

/// Largest errors on the development sets of 16 MB of text or more; see `bench/README.md`.
mod errors {
    pub(super) const CPU: f64 = 0.56;
    pub(super) const MEMORY: f64 = 0.17;
    pub(super) const TABLES: f64 = 0.24;
    pub(super) const INDEX: f64 = 0.09;
    pub(super) const COPIES: f64 = 0.24;
    pub(super) const PAIRS: f64 = 0.45;
}

impl Plan {
    /// Plans a search for copies among the documents of a source. The source is read once for that.
    pub fn new(source: impl Source + 'static) -> Self {
        Self { source: Box::new(source), job: Job::default(), resources: Resources::new() }
    }

    /// Draws samples, searches them and says what the whole will take.
    pub fn run(self) -> Result<PlanReport, Error> {
        let Self { source, job, resources } = self;
        job.check()?;
        let (mut even, mut together) = (
            Drawing::new(MOST_DOCUMENTS, MOST_BYTES),
            Drawing::new(MOST_DOCUMENTS, MOST_BYTES / 2),
        );
        let by_content = ByContent::new(&job)?;
        let mut number = 0;
        let read =
            read_for_sample(source, &job, &resources, MOST_READ_BYTES, |documents, pool| {
                let draws = pool.map(&documents, |document| by_content.draw(document));
                for (document, draw) in documents.into_iter().zip(draws) {
                    number += 1;
                    // Those without words are in the other sample only.
                    if let Some(draw) = draw {
                        together.push(draw, document.clone());
                    }
                    even.push((hash::mix(number), u128::from(number)), document);
                }
            })?;
        let (even, together) = (even.into_documents(), together.into_documents());
        let scale =
            if read.is_cut { read.stored.0 as f64 / read.stored.1.max(1) as f64 } else { 1.0 };
        let n_all = read.n_documents as f64 * scale;
        let trial = Trial { job: &job, n_all, resources: &resources };

        let mut runs = Vec::new();
        for part in [4, 2, 1] {
            let n = even.len() / part;
            if n > 0 && (runs.is_empty() || even.len() >= 16) {
                runs.push(trial.run(&even[..n])?);
            }
        }
        let of_content = trial.run(&together)?;
        let index_bytes = trial.index(&even)?;
        report(&trial, &read, scale, &runs, &of_content, index_bytes, &resources)
    }
}

/// Searches samples.
struct Trial<'a> {
    job: &'a Job,
    n_all: f64,
    resources: &'a Resources,
}

/// What a search of a sample came to.
struct Tried {
    n: f64,
    /// CPU seconds by stage.
    stages: Vec<(String, f64)>,
    outcome: Outcome,
    /// Bytes of the tables of pairs, clusters and documents.
    tables: [u64; 3],
    /// Bytes of texts of documents that have a relative, as a share of all.
    related: f64,
    n_bytes: u64,
}

impl Tried {
    fn count(&self, name: &str) -> f64 {
        self.outcome.manifest().counts.get(name).copied().unwrap_or(0) as f64
    }

    fn n_pairs(&self) -> f64 {
        self.outcome.summary().n_pairs() as f64
    }
}

impl Trial<'_> {
    /// Makes a folder that goes when it is no longer needed.
    fn folder(&self) -> Result<tempfile::TempDir, Error> {
        let place = self.resources.scratch.clone().unwrap_or_else(std::env::temp_dir);
        tempfile::tempdir_in(&place).map_err(Error::io("make a folder in", &place))
    }

    /// Searches some documents with one thread, and limits cut down to their number.
    fn run(&self, documents: &[Document]) -> Result<Tried, Error> {
        let n = documents.len() as f64;
        let mut job = self.job.clone().with_no_page(true).with_format(TableFormat::Jsonl);
        let cut_down = |limit: u64| whole((limit as f64 * n / self.n_all.max(1.0)).max(2.0));
        let per_document = cut_down(job.pairs_per_document.into());
        job = job.with_pairs_per_document(u32::try_from(per_document).unwrap_or(u32::MAX));
        let (spec, form) = methods::find(job.method())?;
        let of_form = form.map(methods::Form::values).unwrap_or_default();
        for parameter in (spec.parameters)() {
            if !LIMITS.contains(&parameter.name) {
                continue;
            }
            let usual = parameter.default(job.profile);
            let value = job.parameters.get(parameter.name).or(of_form.get(parameter.name));
            if let Some(limit) = value.unwrap_or(&usual).as_u64() {
                job = job.with_parameter(parameter.name, Value::from(cut_down(limit)));
            }
        }
        let folder = self.folder()?;
        let output = folder.path().join("found");
        let resources =
            Resources { progress: std::sync::Arc::new(Silent), ..self.resources.clone() };
        let start = cpu_seconds();
        let outcome = Find::new(Documents::new(documents.to_vec()))
            .job(job)
            .resources(resources.threads(1))
            .run(&mut Tables::new(&output))?;
        let cpu = cpu_seconds() - start;
        let timings = &outcome.manifest().run.timings;
        let all: f64 = timings.values().sum();
        // A stage takes the share of the CPU that it has of the clock; there is one thread.
        let stages = timings.iter().map(|(name, wall)| (name.clone(), cpu * wall / all.max(1e-9)));
        let bytes = |table: &str| {
            let of = |entry: fs::DirEntry| {
                let is_table = entry.file_name().to_string_lossy().starts_with(table);
                is_table.then(|| entry.metadata().map_or(0, |about| about.len()))
            };
            let entries = fs::read_dir(&output).into_iter().flatten().flatten();
            entries.filter_map(of).sum::<u64>()
        };
        Ok(Tried {
            n,
            stages: stages.collect(),
            tables: ["pairs", "clusters", "documents"].map(bytes),
            related: related(&output, documents),
            n_bytes: documents.iter().map(|document| document.text.len() as u64).sum(),
            outcome,
        })
    }

    /// Returns the bytes of an index of some documents.
    fn index(&self, documents: &[Document]) -> Result<u64, Error> {
        let folder = self.folder()?;
        let path = folder.path().join("index");
        let resources =
            Resources { progress: std::sync::Arc::new(Silent), ..self.resources.clone() };
        let jobs = std::slice::from_ref(self.job);
        let mut writer = IndexWriter::create(&path, jobs, &IndexOptions::default())?;
        writer.add(Documents::new(documents.to_vec()), &resources)?;
        writer.merge()?;
        drop(writer);
        let entries = fs::read_dir(&path).map_err(Error::io("read", &path))?;
        Ok(entries
            .flatten()
            .filter_map(|entry| entry.metadata().ok())
            .map(|about| about.len())
            .sum())
    }
}

/// Returns the share of text that is in documents with a relative, from the table of documents.
fn related(folder: &Path, documents: &[Document]) -> f64 {
    #[derive(serde::Deserialize)]
    struct Row {
        n_pairs: u32,
        #[serde(default)]
        exact_copy_of: Option<Value>,
    }
    let rows = fs::read_to_string(folder.join("documents.jsonl")).unwrap_or_default();
    let rows = rows.lines().filter_map(|line| serde_json::from_str::<Row>(line).ok());
    let (mut has, mut all) = (0.0, 0.0);
    for (row, document) in rows.zip(documents) {
        let n = document.text.len() as f64;
        all += n;
        // Copies are not compared.
        has += if row.n_pairs > 0 && row.exact_copy_of.is_none() { n } else { 0.0 };
    }
    has / f64::max(all, 1.0)
}

fn report(
    trial: &Trial<'_>,
    read: &crate::sampling::ReadForSample,
    scale: f64,
    runs: &[Tried],
    of_content: &Tried,
    index_bytes: u64,
    resources: &Resources,
) -> Result<PlanReport, Error> {
    let n_all = trial.n_all;
    let n_bytes = read.n_bytes as f64 * scale;
    let Some(largest) = runs.last() else {
        return Err(Error::Internal("no sample was searched".to_owned()));
    };
    let carried = |of: &dyn Fn(&Tried) -> f64| {
        let points: Vec<(f64, f64)> = runs.iter().map(|run| (run.n, of(run))).collect();
        Growth::fit(&points).at(n_all)
    };
    // By bytes where long documents weigh more.
    let by_bytes = n_bytes / largest.n_bytes.max(1) as f64;
    let content_share = of_content.n / n_all.max(1.0);
    let together = |name: &str| of_content.count(name) / content_share.max(1e-12);
    let mut stages =
        vec![StagePlan { name: "0 parse".to_owned(), cpu_seconds: read.cpu_seconds * scale }];
    for (at, (name, seconds)) in largest.stages.iter().enumerate() {
        let of_stage = |run: &Tried| run.stages.get(at).map_or(0.0, |stage| stage.1);
        let cpu_seconds =
            if name.contains("read") { seconds * by_bytes } else { carried(&of_stage) };
        stages.push(StagePlan { name: name.clone(), cpu_seconds });
    }
    let cpu: f64 = stages.iter().map(|stage| stage.cpu_seconds).sum();
    // Pairs of copies and near-copies hang together; others meet by chance.
    let close = [Kind::Exact, Kind::NearDuplicate];
    let n_close = of_content.outcome.summary().pairs_by_kind;
    let close_pairs: f64 = close.iter().map(|&kind| n_close[kind as usize] as f64).sum::<f64>()
        / content_share.max(1e-12);
    let others = carried(&|run: &Tried| {
        let by_kind = run.outcome.summary().pairs_by_kind;
        Kind::ALL
            .iter()
            .filter(|kind| !close.contains(kind))
            .map(|&kind| by_kind[kind as usize] as f64)
            .sum()
    });
    let pairs = close_pairs + others;
    let per_pair = |run: &Tried| run.tables[0] as f64 / run.n_pairs().max(1.0);
    let table_bytes = close_pairs * per_pair(of_content)
        + others * per_pair(largest)
        + of_content.tables[1] as f64 / content_share.max(1e-12)
        + largest.tables[2] as f64 * n_all / largest.n.max(1.0);
    let image_bytes = largest.count("image_bytes") * by_bytes;
    let budget = Budget::new(resources)?;
    let needs = memory::Needs {
        n_documents: n_all,
        n_bytes,
        image_bytes,
        related_bytes: n_bytes
            * carried_share(largest.related, largest.n, n_all).max(of_content.related),
        candidates: carried(&|run: &Tried| run.count("candidates")),
        pairs,
    };
    let memory = memory::planned(&needs, &budget);
    let threads = crate::pipeline::parallel::Pool::new(resources)?.n_threads() as f64;
    let told = |expected: f64, error: f64| Expected { expected, error: Some(error) };
    let unchecked = |expected: f64| Expected { expected, error: None };
    Ok(PlanReport {
        method: trial.job.method().to_owned(),
        n_documents: whole(n_all),
        n_bytes: whole(n_bytes),
        is_cut: read.is_cut,
        n_sampled: whole(largest.n),
        exact_copies: told(together("exact_copies").round(), errors::COPIES),
        copies: unchecked(
            (of_content.outcome.summary().n_copies() as f64 / content_share.max(1e-12)).round(),
        ),
        clusters: told(together("clusters").round(), errors::COPIES),
        pairs: told(pairs.round(), errors::PAIRS),
        stages,
        cpu_seconds: told(cpu, errors::CPU),
        seconds: unchecked(cpu / threads),
        memory_bytes: told(memory.resident.round(), errors::MEMORY),
        scratch_bytes: unchecked(memory.scratch.round()),
        table_bytes: told(table_bytes.round(), errors::TABLES),
        index_bytes: told((index_bytes as f64 * by_bytes).round(), errors::INDEX),
    })
}

/// Returns a number that is not below 0 as a whole one.
#[expect(clippy::cast_sign_loss, reason = "it is not below 0")]
fn whole(number: f64) -> u64 {
    number.max(0.0).round() as u64
}

/// Returns the share of documents that have a relative among `n_all`, if a share of `n` has one among
/// these and relatives are spread evenly.
fn carried_share(share: f64, n: f64, n_all: f64) -> f64 {
    1.0 - (1.0 - share).powf(n_all / n.max(1.0))
}
