//! The front door: methods nominate pairs of a collection, which are dealt into groups.
//!
//! Every method runs on the collection, and the union of what they claim goes into a file that only
//! grows. A difference asks instead about the documents that only one of two methods found.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use retold::{
    BadRecord, ConfigError, Files, Find, Found, Job, Kind, PairsWritten, Resources, Stage,
};
use retold_core::hash;
use retold_report::ManifestInput;
use serde::Serialize;

use super::difference::Difference;
use super::files::{append, read_pool, refuse_existing, write_new};
use super::pool::{Between, Entry, Header, Nominations, Pool, PoolRun, Subject};
use super::question::Question;
use crate::error::Error;

/// What is asked of nominations, and how they are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolPlan {
    /// What is asked. The default is containment.
    pub question: Question,
    /// Groups of about equal size. The default is 20.
    pub n_groups: u32,
    /// Seed by which nominations are dealt. The default is 1.
    pub seed: u64,
    /// Whether pairs of documents with the same words go in. The default is yes.
    pub with_exact: bool,
    /// Whether the jobs were made permissive; it is written down. The default is no.
    pub is_permissive: bool,
}

impl Default for PoolPlan {
    fn default() -> Self {
        Self {
            question: Question::default(),
            n_groups: 20,
            seed: 1,
            with_exact: true,
            is_permissive: false,
        }
    }
}

/// What a pool was made of.
#[derive(Clone, Debug)]
pub struct PoolMade {
    /// The pool as it is now.
    pub pool: Pool,
    /// The methods that nominated this time.
    pub runs: Vec<PoolRun>,
    /// Nominations that the pool did not have.
    pub n_new: usize,
    /// Nominations it had.
    pub n_known: usize,
}

/// Makes pools and adds to them.
///
/// ```no_run
/// use retold::{Job, Profile};
/// use retold_lab::{PoolBuilder, permissive};
///
/// let mut methods = Vec::new();
/// for name in ["codet", "imatch"] {
///     let (job, _) = permissive(&Job::of(name, Profile::Paper)?)?;
///     methods.push(job);
/// }
/// let made = PoolBuilder::new(methods).paths(["news.jsonl"]).write("pool.jsonl")?;
/// println!("{} pairs to be judged", made.pool.entries().len());
/// # Ok::<(), retold_lab::Error>(())
/// ```
#[must_use = "nothing is done before it is written"]
pub struct PoolBuilder {
    methods: Vec<Job>,
    paths: Vec<PathBuf>,
    plan: PoolPlan,
    resources: Resources,
}

impl PoolBuilder {
    /// Lets methods nominate; each is the job of one run.
    pub fn new(methods: impl Into<Vec<Job>>) -> Self {
        Self {
            methods: methods.into(),
            paths: Vec::new(),
            plan: PoolPlan::default(),
            resources: Resources::new(),
        }
    }

    /// Sets where the collection stands. A pool that is added to knows where it stood.
    pub fn paths(self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { paths: paths.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets what is asked and how nominations are dealt.
    pub fn plan(self, plan: PoolPlan) -> Self {
        Self { plan, ..self }
    }

    /// Sets what it is done with.
    pub fn resources(self, resources: Resources) -> Self {
        Self { resources, ..self }
    }

    /// Runs the methods and writes what they nominate to a file, which must not be there yet.
    pub fn write(self, output: impl AsRef<Path>) -> Result<PoolMade, Error> {
        let output = output.as_ref();
        self.check()?;
        refuse_existing(output)?;
        let mut pool = self.empty_pool();
        let (nominations, runs) = self.nominate()?;
        let taken = pool.take(nominations);
        pool.runs.clone_from(&runs);
        write_new(output, &lines(Some(&pool.header), &runs, &taken.entries))?;
        Ok(PoolMade { pool, runs, n_new: taken.n_new, n_known: taken.n_known })
    }

    /// Runs the methods on the collection of a pool and adds what nobody nominated before. The
    /// collection is read as it was.
    pub fn add_to(mut self, file: impl AsRef<Path>) -> Result<PoolMade, Error> {
        let file = file.as_ref();
        let mut pool = read_pool(file)?;
        let progress = self.resources.progress_listener();
        pool.bad.iter().for_each(|bad| progress.note(&format!("passed over {bad}")));
        let question = pool.header.question;
        if question == Question::Duplicate {
            let given = format!("`{}`, which is about two methods", file.display());
            return Err(ConfigError::value("pool", "one of pairs", &given).into());
        }
        self.plan = PoolPlan { question, seed: pool.header.seed, ..self.plan };
        self.check()?;
        if self.paths.is_empty() {
            self.paths = pool.header.paths.iter().map(PathBuf::from).collect();
        }
        let read = pool.header.read_options()?;
        self.methods = self.methods.into_iter().map(|job| job.with_read(read.clone())).collect();
        let (nominations, runs) = self.nominate()?;
        let progress = self.resources.progress_listener();
        for changed in changed_inputs(&pool.runs, &runs) {
            progress.note(&format!("`{changed}` is not what it was when the pool was made"));
        }
        let taken = pool.take(nominations);
        pool.runs.extend(runs.iter().cloned());
        append(file, &lines(None, &runs, &taken.entries))?;
        Ok(PoolMade { pool, runs, n_new: taken.n_new, n_known: taken.n_known })
    }

    /// Runs two methods and writes the documents that only one of them put into a cluster, beside
    /// the others of that cluster.
    pub fn write_difference(mut self, output: impl AsRef<Path>) -> Result<PoolMade, Error> {
        let output = output.as_ref();
        self.plan.question = Question::Duplicate;
        self.check()?;
        let [one, two] = &self.methods[..] else {
            return Err(ConfigError::value("methods", "two", &self.methods.len()).into());
        };
        refuse_existing(output)?;
        let mut pool = self.empty_pool();
        let (one, two) = (self.mates(one)?, self.mates(two)?);
        self.resources.progress_listener().end();
        if one.ids != two.ids {
            let changed = BadRecord {
                file: pool.header.paths.join(", "),
                record: None,
                offset: None,
                reason: "the collection changed between two methods".to_owned(),
            };
            return Err(retold::Error::Input(changed).into());
        }
        let found = [&one, &two].map(|mates| mates.of.keys().copied().collect::<Vec<u32>>());
        let difference = Difference::of(one.ids.len() as u32, &found[0], &found[1]);
        let mut nominations = Nominations::default();
        for (mates, only) in [&one, &two].into_iter().zip(&difference.only) {
            for document in only {
                let others = mates.of[document].iter().map(|&mate| &*mates.ids[mate as usize]);
                let others: Vec<&str> = others.collect();
                let id = &mates.ids[*document as usize];
                nominations.add_document(&mates.run.method, id, &others);
            }
        }
        pool.header.between = Some(Between {
            methods: [one.run.method.clone(), two.run.method.clone()],
            n_both: difference.n_both,
            n_neither: difference.n_neither,
        });
        let taken = pool.take(nominations);
        let runs = vec![one.run, two.run];
        pool.runs.clone_from(&runs);
        write_new(output, &lines(Some(&pool.header), &runs, &taken.entries))?;
        Ok(PoolMade { pool, runs, n_new: taken.n_new, n_known: taken.n_known })
    }

    /// Checks what can be checked before anything is read.
    fn check(&self) -> Result<(), ConfigError> {
        if self.methods.is_empty() {
            return Err(ConfigError::value("methods", "at least one method", &"none"));
        }
        if !(1..=1_000).contains(&self.plan.n_groups) {
            return Err(ConfigError::value("groups", "from 1 to 1000", &self.plan.n_groups));
        }
        for (at, job) in self.methods.iter().enumerate() {
            job.check()?;
            if self.methods[..at].iter().any(|other| other.method() == job.method()) {
                let given = format!("`{}` twice", job.method());
                return Err(ConfigError::value("methods", "different methods", &given));
            }
        }
        Ok(())
    }

    /// Makes a pool without nominations.
    fn empty_pool(&self) -> Pool {
        let mut pool = Pool::new(self.plan.question, self.plan.seed, self.plan.n_groups);
        let paths = self.paths.iter().map(|path| path.to_string_lossy().into_owned());
        pool.header.paths = paths.collect();
        let read = self.methods.first().map(Job::read);
        pool.header.read = serde_json::to_value(read).expect("options are plain data");
        pool
    }

    /// Runs methods one after the other and gathers what they claim.
    fn nominate(&self) -> Result<(Nominations, Vec<PoolRun>), Error> {
        let PoolPlan { question, with_exact, .. } = self.plan;
        let progress = self.resources.progress_listener();
        let mut nominations = Nominations::default();
        let mut runs = Vec::new();
        for job in &self.methods {
            let mut found = Found::new();
            let run = self.run(job, &mut found)?;
            if runs.is_empty() {
                let n_same = n_same_ids(&found);
                if n_same > 0 {
                    progress.note(&format!(
                        "{n_same} documents have the id of another; nominations cannot tell them apart"
                    ));
                }
            }
            let mut n_nominated = 0;
            let mut claim = |is_claimed: bool, a: &str, b: &str| {
                let subject = Subject::pair(question.direction(), a, b);
                if let Some(subject) = subject.filter(|_| is_claimed) {
                    n_nominated += u64::from(nominations.add(job.method(), subject));
                }
            };
            for pair in found.pairs() {
                Error::if_stopped(self.resources.stop_wish(), Stage::Report, found.n_documents())?;
                if pair.kind == Kind::Exact && !with_exact {
                    continue;
                }
                let (a, b) = (found.id(pair.a.index()), found.id(pair.b.index()));
                let (there, back) = question.claimed(pair.kind);
                claim(there, a, b);
                claim(back, b, a);
            }
            runs.push(PoolRun { n_nominated, ..run });
        }
        progress.end();
        Ok((nominations, runs))
    }

    /// Runs one method and keeps for each document of a cluster who is in it.
    fn mates(&self, job: &Job) -> Result<Mates, Error> {
        let mut found = Found::new();
        let run = self.run(job, &mut found)?;
        let mut of = BTreeMap::new();
        for cluster in found.clusters() {
            let members: Vec<u32> = cluster.documents().iter().map(|&at| at as u32).collect();
            of.extend(members.iter().map(|&member| (member, members.clone())));
        }
        let ids = (0..found.n_documents()).map(|at| found.id(at).to_owned()).collect();
        let run = PoolRun { n_nominated: of.len() as u64, ..run };
        Ok(Mates { run, ids, of })
    }

    /// Runs one method and describes the run. Every pair counts, and passages are not wanted.
    fn run(&self, job: &Job, found: &mut Found) -> Result<PoolRun, Error> {
        let job = job.clone().with_pairs(PairsWritten::All).with_passages_per_pair(1_usize);
        let method = job.method().to_owned();
        let find = Find::new(Files::new(&self.paths)).command("pool").job(job);
        let outcome = find.resources(self.resources.clone()).run(found)?;
        let manifest = outcome.manifest();
        Ok(PoolRun {
            method,
            profile: manifest.profile.clone(),
            is_permissive: self.plan.is_permissive,
            parameters: manifest.parameters.clone(),
            n_documents: outcome.summary().n_documents,
            n_nominated: 0,
            inputs: hashed(&manifest.inputs),
        })
    }
}

/// Which documents a method put together.
struct Mates {
    run: PoolRun,
    ids: Vec<String>,
    /// All documents of its cluster, for each document that is in one.
    of: BTreeMap<u32, Vec<u32>>,
}

/// Returns how many documents have the id of another.
fn n_same_ids(found: &Found) -> usize {
    let mut ids: Vec<&str> = (0..found.n_documents()).map(|at| found.id(at)).collect();
    ids.sort_unstable();
    ids.windows(2).filter(|two| two[0] == two[1]).count()
}

/// Files whose hashes are written one by one.
const MOST_INPUTS: usize = 1_000;

/// Returns the hashes of what was read: of each file, or one of all where there are too many for a
/// line.
fn hashed(inputs: &[ManifestInput]) -> BTreeMap<String, String> {
    let named = |input: &ManifestInput| Some((input.name.clone(), input.blake3.clone()?));
    let each: BTreeMap<String, String> = inputs.iter().filter_map(named).collect();
    if each.len() <= MOST_INPUTS {
        return each;
    }
    let lines: Vec<String> = each.iter().map(|(name, hash)| format!("{hash} {name}")).collect();
    let all = format!("{:016x}", hash::bytes(lines.join("\n").as_bytes(), 0));
    BTreeMap::from([(format!("all {} files", each.len()), all)])
}

/// Returns the files that both read and that differ.
fn changed_inputs(before: &[PoolRun], now: &[PoolRun]) -> Vec<String> {
    let (Some(before), Some(now)) = (before.first(), now.first()) else { return Vec::new() };
    let differs = |(name, hash): &(&String, &String)| {
        before.inputs.get(*name).is_some_and(|other| other != *hash)
    };
    now.inputs.iter().filter(differs).map(|(name, _)| name.clone()).collect()
}

/// Returns the lines of a file or of an addition to one.
fn lines(head: Option<&Header>, runs: &[PoolRun], entries: &[Entry]) -> String {
    #[derive(Serialize)]
    struct RunLine<'a> {
        run: &'a PoolRun,
    }
    let plain = "headers, runs and entries are plain data";
    let head = head.map(|head| serde_json::to_string(head).expect(plain));
    let runs = runs.iter().map(|run| serde_json::to_string(&RunLine { run }).expect(plain));
    let entries = entries.iter().map(|entry| serde_json::to_string(entry).expect(plain));
    head.into_iter().chain(runs).chain(entries).map(|line| line + "\n").collect()
}
