//! The workbench of the laboratory: methods run by this library, in memory.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;

use retold::{
    Document, Documents, Find, Found, IdfBuilder, Job, PairsWritten, Resources, Silent, Stage,
    rank_sources,
};
use retold_core::features::length_windows::{Jumping, Windows, lengths};
use retold_core::features::shingles::Shingles;
use retold_core::features::{Featurizer, Places, Words};
use retold_core::methods;
use retold_core::segment::sentence::Delimiters;
use retold_read::{ReadOptions, Reader, discover};
use retold_report::WorkDir;
use serde_json::Value;

use crate::error::Error;
use crate::experiment::{Answered, CellJob, ExperimentError, Ran, Workbench};
use crate::measures::collisions::Collisions;

/// Runs methods for experiments.
pub(super) struct Bench<'a> {
    data: Option<&'a Path>,
    resources: Resources,
    /// What the library said where the laboratory keeps only its words.
    said: RefCell<Option<Error>>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(data: Option<&'a Path>, resources: &Resources) -> Self {
        let resources = resources.clone().progress(Silent);
        Self { data, resources, said: RefCell::new(None) }
    }

    /// Returns an error of the laboratory as ours, or the one of ours behind it.
    pub(super) fn told(&self, error: ExperimentError) -> Error {
        match (error, self.said.take()) {
            (ExperimentError::Workbench(_), Some(ours)) => ours,
            (error, _) => error.into(),
        }
    }

    fn keep(&self, error: Error) -> ExperimentError {
        let told = ExperimentError::Workbench(error.to_string());
        self.said.replace(Some(error));
        told
    }

    fn job(&self, cell: &CellJob) -> Result<Job, ExperimentError> {
        let job = Job::of(&cell.method, cell.profile).map_err(|error| self.keep(error.into()))?;
        // Passages are not measured here, and every pair is.
        let job = job.with_passages_per_pair(1_usize).with_pairs(PairsWritten::All);
        Ok(job.with_parameters(cell.parameters.clone()).with_seed(cell.seed))
    }

    /// Makes a table of word statistics from the documents, for runs that shall not count.
    fn freeze(&self, job: Job, documents: &[Document]) -> Result<(Job, WorkDir), Error> {
        let parent = std::env::temp_dir();
        let folder = WorkDir::create(&parent, "retold-experiment-tmp-")
            .map_err(Error::io("create", &parent))?;
        let table = folder.path().join("idf");
        let builder = IdfBuilder::new(Documents::new(documents)).job(job.clone());
        builder.resources(self.resources.clone()).write(&table)?;
        Ok((job.with_idf(table), folder))
    }

    fn read(&self, path: &Path, collection: &str, most: usize) -> Result<Vec<Document>, Error> {
        let files = discover(&[chosen(path, collection)])?.files;
        let mut reader = Reader::new(files, ReadOptions::default());
        let mut documents = Vec::new();
        while documents.len() < most
            && let Some(batch) = reader.next_batch()
        {
            self.check_stop(documents.len())?;
            batch.parse(&mut |record| {
                if let Ok(record) = record
                    && documents.len() < most
                {
                    documents.push(record.document);
                }
            });
        }
        if documents.is_empty() {
            return Err(retold::Error::Empty(format!("`{}`", path.display())).into());
        }
        Ok(documents)
    }

    /// Counts what methods of features put into their index, and how much of it collides.
    fn features(&self, job: &Job, documents: &[Document]) -> Result<BTreeMap<String, f64>, Error> {
        let (spec, _) = methods::find(job.method())?;
        let parameters = job.all_parameters()?;
        let number = |name: &str| {
            parameters.get(name).and_then(Value::as_u64).map_or(1, |n| n.max(1) as usize)
        };
        let word = |name: &str| parameters.get(name).and_then(Value::as_str).unwrap_or_default();
        let splitter = Delimiters::ALL.into_iter().find(|set| set.name() == word("splitter"));
        let splitter = splitter.unwrap_or(Delimiters::Wide);
        let jumping = if word("jumping") == "dynamic" { Jumping::Dynamic } else { Jumping::Static };
        let windows = Windows { size: number("window"), step: number("step"), jumping };
        if !["sentence-lengths", "sl-fp", "sg"].contains(&spec.name) {
            return Ok(BTreeMap::new());
        }
        let featurizer = Featurizer::new(job.text().clone(), job.seed());
        let mut words = Words::default();
        let mut frequencies: HashMap<u64, u64> = HashMap::new();
        let mut n_vectors = 0_u64;
        for (n_documents, document) in documents.iter().enumerate() {
            self.check_stop(n_documents)?;
            let mut made: Vec<u64> =
                featurizer.read(document, Places::Kept, None, &mut words, |reading, _| match spec
                    .name
                {
                    "sentence-lengths" => {
                        let lengths = lengths(&reading.sentences(splitter));
                        windows.starts(&lengths).map(|at| windows.key(&lengths, at)).collect()
                    }
                    "sl-fp" => {
                        let hash = |range: std::ops::Range<usize>| {
                            reading.words.hashes[range]
                                .iter()
                                .fold(0_u64, |sum, &word| retold_core::hash::mix(sum ^ word))
                        };
                        reading.sentences(splitter).into_iter().map(hash).collect()
                    }
                    _ => {
                        let runs = Shingles::new(number("k")).of(&reading.words.hashes);
                        runs.into_iter().step_by(number("every")).collect()
                    }
                });
            n_vectors += made.len() as u64;
            made.sort_unstable();
            made.dedup();
            for feature in made {
                *frequencies.entry(feature).or_default() += 1;
            }
        }
        let collisions = Collisions::of(frequencies.into_values());
        Ok(BTreeMap::from([
            ("vectors".to_owned(), n_vectors as f64),
            ("collision_rate".to_owned(), collisions.rate()),
            ("shared_features".to_owned(), collisions.share_shared()),
        ]))
    }

    fn check_stop(&self, n_documents: usize) -> Result<(), Error> {
        Error::if_stopped(self.resources.stop_wish(), Stage::Read, n_documents)
    }
}

/// Returns the file of a collection in a folder; if there is none, the folder itself.
fn chosen(path: &Path, collection: &str) -> PathBuf {
    let endings = ["jsonl", "jsonl.zst", "jsonl.gz", "json", "parquet", "csv", "zip", "tar"];
    let file = |ending: &&str| path.join(format!("{collection}.{ending}"));
    endings.iter().map(file).find(|file| file.is_file()).unwrap_or_else(|| path.to_owned())
}

impl Workbench for Bench<'_> {
    fn check(&self, cell: &CellJob) -> Result<(), ExperimentError> {
        self.job(cell)?.check().map_err(|error| self.keep(error.into()))
    }

    fn documents(
        &self,
        collection: &str,
        most: usize,
    ) -> Result<Option<Vec<Document>>, ExperimentError> {
        let Some(path) = self.data else { return Ok(None) };
        self.read(path, collection, most).map(Some).map_err(|error| self.keep(error))
    }

    fn relations(&self, cell: &CellJob, documents: &[Document]) -> Result<Ran, ExperimentError> {
        let mut job = self.job(cell)?;
        let mut frozen = None;
        if cell.is_idf_frozen {
            let (with_table, folder) =
                self.freeze(job, documents).map_err(|error| self.keep(error))?;
            (job, frozen) = (with_table, Some(folder));
        }
        let find = Find::new(Documents::new(documents)).job(job).resources(self.resources.clone());
        let mut found = Found::only_pairs();
        let clock = Clock::start();
        let outcome = find.run(&mut found).map_err(|error| self.keep(error.into()))?;
        let (seconds, cpu_seconds) = clock.read();
        drop(frozen);
        let n = documents.len().max(1) as f64;
        let count =
            |name: &str| outcome.manifest().counts.get(name).copied().unwrap_or_default() as f64;
        let counters = BTreeMap::from([
            ("candidates".to_owned(), count("candidates")),
            ("values_per_document".to_owned(), count("similarity_values") / n),
        ]);
        Ok(Ran { relations: found.into_pairs(), counters, seconds, cpu_seconds })
    }

    fn answers(
        &self,
        cell: &CellJob,
        documents: &[Document],
        question: &Document,
    ) -> Result<Answered, ExperimentError> {
        let job = self.job(cell)?;
        let counters = self.features(&job, documents).map_err(|error| self.keep(error))?;
        let find = Find::new(Documents::new(documents))
            .against(Documents::new([question.clone()]))
            .job(job)
            .resources(self.resources.clone());
        let mut found = Found::only_pairs();
        let clock = Clock::start();
        find.run(&mut found).map_err(|error| self.keep(error.into()))?;
        let (seconds, cpu_seconds) = clock.read();
        let mut relations = found.into_pairs();
        rank_sources(&mut relations);
        let ranking = relations.into_iter().map(|relation| relation.a.0).collect();
        Ok(Answered { ranking, counters, seconds, cpu_seconds })
    }
}

/// Time by the clock and of processors.
struct Clock {
    began: Instant,
    cpu: f64,
}

impl Clock {
    fn start() -> Self {
        Self { cpu: cpu_seconds(), began: Instant::now() }
    }

    fn read(&self) -> (f64, f64) {
        (self.began.elapsed().as_secs_f64(), cpu_seconds() - self.cpu)
    }
}

#[cfg(unix)]
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    0.0
}

#[cfg(test)]
mod tests {
    use retold::{Family, Profile, Stop};
    use serde_json::Map;

    use super::*;
    use crate::experiment::{Drawn, draw};

    #[test]
    fn a_run_that_nobody_wants_any_more_has_no_result() {
        let one = Resources::new().threads(1);
        let bench = Bench::new(None, &one);
        let mut documents = draw(6, &Drawn::default(), 1);
        documents.push(documents[0].clone());
        for method in ["anchor", "imatch", "sentence-lengths"] {
            for is_idf_frozen in [false, true] {
                let job = CellJob {
                    method: method.to_owned(),
                    profile: Profile::Retold,
                    parameters: Map::new(),
                    seed: 1,
                    is_idf_frozen,
                };
                let stopped = Stop::new();
                stopped.set();
                assert!(bench.relations(&job, &documents).is_ok(), "{method}");
                let bench = Bench::new(None, &one.clone().stop(&stopped));
                assert!(bench.relations(&job, &documents).is_err(), "{method}");
                assert!(bench.answers(&job, &documents, &documents[0]).is_err(), "{method}");
                let told = bench.told(ExperimentError::Workbench(String::new()));
                assert_eq!(told.family(), Family::Stopped, "{told:?}");
            }
        }
    }
}
