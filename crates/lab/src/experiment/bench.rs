//! The bench: runs the methods of the library on documents in memory, and times them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use retold::{
    ConfigError, Copies, Document, Documents, Find, Found, IdfBuilder, Job, PairsWritten, Profile,
    ReadOptions, Relation, Resources, Stage, Stop,
};
use retold_core::features::TextSettings;
use retold_read::{Reader, discover};
use retold_report::WorkDir;
use serde_json::{Map, Value};

use super::design::Data;
use super::measure::Measure;
use crate::error::Error;

/// A method with its parameters and seed, ready to run.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) job: Job,
    /// Whether statistics of words come from a table made before, so that their time is not
    /// counted.
    pub(super) is_idf_frozen: bool,
}

impl Trial {
    /// Makes the trial of a method, with parameters that differ from the defaults of the profile.
    pub(super) fn new(
        method: &str,
        profile: Profile,
        parameters: &Map<String, Value>,
        seed: u64,
    ) -> Result<Self, ConfigError> {
        // All pairs are measured; passages are not, so one per pair is enough.
        let job = Job::of(method, profile)?
            .with_parameters(parameters.clone())
            .with_seed(seed)
            .with_passages_per_pair(1_usize)
            .with_pairs(PairsWritten::All);
        // Where the method decides, it also decides about documents that differ in case or
        // punctuation only, which a search would find without it.
        let job = match profile {
            Profile::Paper => job.with_copies(Copies::Text),
            Profile::Retold => job,
        };
        job.check()?;
        Ok(Self { job, is_idf_frozen: false })
    }

    /// Changes how documents become words: `settings` are names and values of the command's
    /// options.
    pub(super) fn with_text(self, settings: &Map<String, Value>) -> Result<Self, ConfigError> {
        let text = serde_json::to_value(self.job.text()).expect("text settings are plain data");
        let mut all = text.as_object().cloned().unwrap_or_default();
        for (name, value) in settings {
            if all.insert(name.clone(), value.clone()).is_none() {
                all.remove(name);
                let known = all.keys().cloned().collect::<Vec<_>>().join(", ");
                return Err(ConfigError::value("text", format!("settings of {known}"), name));
            }
        }
        let given = Value::Object(settings.clone());
        let text: TextSettings = serde_json::from_value(Value::Object(all)).map_err(|error| {
            ConfigError::value("text", format!("settings with good values ({error})"), &given)
        })?;
        Ok(Self { job: self.job.with_text(text), ..self })
    }

    /// Returns everything the result of a run depends on, as one line.
    pub(super) fn key(&self) -> String {
        let job = serde_json::to_string(&self.job).expect("a job is plain data");
        format!("{job} {}", self.is_idf_frozen)
    }
}

/// The result of a trial, with its figures and times.
#[derive(Clone, Debug)]
pub(super) struct Ran<T> {
    pub(super) result: T,
    /// Figures beside the result; the same on every machine.
    pub(super) figures: Vec<(Measure, f64)>,
    /// Seconds by the clock.
    pub(super) seconds: f64,
    /// Seconds of processors; 0 if unknown.
    pub(super) cpu_seconds: f64,
}

/// Runs methods for experiments.
pub(super) struct Bench<'a> {
    /// Folder or file of the user's collections.
    pub(super) data: Option<&'a Path>,
    pub(super) resources: Resources,
}

impl Bench<'_> {
    /// Returns the signal that asks runs to stop.
    pub(super) fn stop(&self) -> &Stop {
        self.resources.stop_wish()
    }

    /// Returns up to `most` documents of a named collection of the user's, or of several joined by
    /// `+`, that have as many words as the design asks for; none if the user gave no collections. The usual collection of the design is read as the design says; if it names a
    /// field for categories, these become the documents' sources.
    pub(super) fn documents(
        &self,
        data: &Data,
        collection: &str,
        most: usize,
    ) -> Result<Option<Vec<Document>>, Error> {
        let Some(path) = self.data else { return Ok(None) };
        let paths: Vec<PathBuf> = collection.split('+').map(|name| chosen(path, name)).collect();
        let files = discover(&paths)?.files;
        let n_words = data.n_words();
        let is_fit =
            |document: &Document| n_words.contains(&document.text.split_whitespace().count());
        let mut options = ReadOptions::default();
        if collection == data.collection {
            options.headline = data.headline;
            if let Some(field) = &data.category_field {
                options.fields.source = vec![field.clone()];
            }
        }
        let mut reader = Reader::new(files, options);
        let mut documents = Vec::new();
        while documents.len() < most
            && let Some(batch) = reader.next_batch()
        {
            Error::if_stopped(self.stop(), Stage::Read, documents.len())?;
            batch.parse(&mut |record| {
                if let Ok(record) = record
                    && documents.len() < most
                    && is_fit(&record.document)
                {
                    documents.push(record.document);
                }
            });
        }
        if documents.is_empty() {
            return Err(retold::Error::Empty(format!("`{}`", path.display())).into());
        }
        Ok(Some(documents))
    }

    /// Finds relations among documents, which are numbered in the order given.
    pub(super) fn relations(
        &self,
        trial: &Trial,
        documents: &[Document],
    ) -> Result<Ran<Vec<Relation>>, Error> {
        let mut job = trial.job.clone();
        let mut folder = None;
        if trial.is_idf_frozen {
            let (frozen, made) = self.freeze(job, documents)?;
            (job, folder) = (frozen, Some(made));
        }
        let find = Find::new(Documents::new(documents)).job(job).resources(self.resources.clone());
        let mut found = Found::only_pairs();
        let clock = Clock::start();
        let outcome = find.run(&mut found)?;
        let (seconds, cpu_seconds) = clock.read();
        drop(folder);
        let n = documents.len().max(1) as f64;
        let count =
            |name: &str| outcome.manifest().counts.get(name).copied().unwrap_or_default() as f64;
        let figures = vec![
            (Measure::Candidates, count("candidates")),
            (Measure::ValuesPerDocument, count("similarity_values") / n),
        ];
        Ok(Ran { result: found.into_pairs(), figures, seconds, cpu_seconds })
    }

    /// Makes a table of word statistics from the documents, so that the timed run need not count
    /// them. The table exists as long as its folder.
    fn freeze(&self, job: Job, documents: &[Document]) -> Result<(Job, WorkDir), Error> {
        let parent = std::env::temp_dir();
        let folder = WorkDir::create(&parent, "retold-experiment-tmp-")
            .map_err(Error::io("create", &parent))?;
        let table = folder.path().join("idf");
        let builder = IdfBuilder::new(Documents::new(documents)).job(job.clone());
        builder.resources(self.resources.clone()).write(&table)?;
        Ok((job.with_idf(table), folder))
    }
}

/// Returns the file of a collection in a folder; if there is none, the folder itself.
fn chosen(path: &Path, collection: &str) -> PathBuf {
    let endings = ["jsonl", "jsonl.zst", "jsonl.gz", "json", "parquet", "csv", "zip", "tar"];
    let file = |ending: &&str| path.join(format!("{collection}.{ending}"));
    endings.iter().map(file).find(|file| file.is_file()).unwrap_or_else(|| path.to_owned())
}

/// Measures wall-clock time and processor time.
pub(super) struct Clock {
    began: Instant,
    cpu: f64,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self { cpu: cpu_seconds(), began: Instant::now() }
    }

    pub(super) fn read(&self) -> (f64, f64) {
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
    use retold::{Family, Kind, METHODS};

    use super::*;
    use crate::experiment::question::Question;
    use crate::experiment::{Drawn, draw};

    #[test]
    fn a_text_setting_has_the_name_of_its_option() {
        let trial = || Trial::new("ffp", Profile::Paper, &Map::new(), 1).expect("a method");
        let settings = |name: &str, value: &str| Map::from_iter([(name.to_owned(), value.into())]);
        let plain = trial().with_text(&settings("stop-words", "none")).expect("a setting");
        assert_ne!(plain.key(), trial().key());
        let refused = trial().with_text(&settings("stop_words", "none")).expect_err("no setting");
        assert!(refused.to_string().contains("stop-words"), "{refused}");
        let refused = trial().with_text(&settings("stem", "roots")).expect_err("no stem");
        assert!(refused.to_string().contains("roots"), "{refused}");
    }

    /// Returns how a run sees documents 2 and 6.
    fn kind_of_copy(method: &str, profile: Profile, documents: &[Document]) -> Option<Kind> {
        let bench = Bench { data: None, resources: Resources::new().threads(1) };
        let trial = Trial::new(method, profile, &Map::new(), 1).expect("a method");
        let found = bench.relations(&trial, documents).expect("a run").result;
        let is_copy = |relation: &&Relation| (relation.a.0, relation.b.0) == (2, 6);
        found.iter().find(is_copy).map(|relation| relation.kind)
    }

    #[test]
    fn copies_are_among_the_pairs_of_every_method_in_both_profiles() {
        let mut documents = draw(6, &Drawn::default(), 1);
        documents.push(documents[2].clone());
        for spec in METHODS {
            for profile in [Profile::Paper, Profile::Retold] {
                let kind = kind_of_copy(spec.name, profile, &documents);
                assert_eq!(kind, Some(Kind::Exact), "{} {profile:?}", spec.name);
            }
        }
        // The same words, set in another way.
        documents[6].text = format!("  {}", documents[2].text.replace(". ", ".\n"));
        for method in ["ffp", "codet", "imatch", "simhash", "dsc-positional", "tweezer"] {
            let kind = kind_of_copy(method, Profile::Paper, &documents);
            assert_eq!(
                kind,
                Some(Kind::NearDuplicate),
                "{method}: it is asked for its own opinion"
            );
        }
    }

    #[test]
    fn a_run_that_nobody_wants_any_more_has_no_result() {
        let resources = Resources::new().threads(1);
        let bench = Bench { data: None, resources: resources.clone() };
        let mut documents = draw(6, &Drawn::default(), 1);
        documents.push(documents[0].clone());
        for method in ["anchor", "imatch", "sentence-lengths"] {
            for is_idf_frozen in [false, true] {
                let trial = Trial::new(method, Profile::Retold, &Map::new(), 1).expect("a method");
                let trial = Trial { is_idf_frozen, ..trial };
                assert!(bench.relations(&trial, &documents).is_ok(), "{method}");
                let stop = Stop::new();
                stop.set();
                let bench = Bench { data: None, resources: resources.clone().stop(&stop) };
                let stopped = bench.relations(&trial, &documents).expect_err("it was stopped");
                assert_eq!(stopped.family(), Family::Stopped, "{method}");
                let question = Question::new(documents[0].clone(), vec![0]);
                let stopped = bench.ranking(&trial, &documents, &[question]);
                assert_eq!(stopped.expect_err("it was stopped").family(), Family::Stopped);
            }
        }
    }
}
