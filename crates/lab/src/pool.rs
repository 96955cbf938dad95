//! `pool`: what several methods nominate, dealt into groups for people to judge.
//!
//! Settings are made permissive by [`permissive`], every method runs on the collection, and the
//! union of what they claim goes into a file that only grows ([`make_pool`], [`add_to_pool`]).
//! [`make_difference`] asks instead about the documents that only one of two methods found.

mod files;
mod loosened;
mod shelf;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::judging::{
    Between, Difference, Entry, Header, Nominations, Pool, PoolRun, Question, Subject,
};
use retold_core::error::ConfigError;
use retold_core::hash;
use retold_core::relation::Kind;
use retold_read::BadRecord;
use retold_report::ManifestInput;
use serde::Serialize;

pub use self::files::{
    JudgementFile, judgement_path, judgements_beside, read_judgements, read_pool,
};
pub use self::loosened::{Loosened, permissive};
pub use self::shelf::Shelf;
use crate::error::Error;
use retold::internal::{Detected, Inputs, Run, Wanted};
use retold::{PairsWritten, Settings};
use retold::{Progress, Stage, Stop};

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
    /// Whether the settings were made permissive; it is written down. The default is no.
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

/// Runs methods on the documents under `paths` and writes what they nominate to `output`, which
/// must not be there yet. Each of `methods` is the settings of one run.
pub fn make_pool(
    paths: &[PathBuf],
    output: &Path,
    methods: &[Settings],
    plan: &PoolPlan,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<PoolMade, Error> {
    check(methods, plan)?;
    files::refuse_existing(output)?;
    let mut pool = empty(paths, methods, plan);
    let (nominations, runs) = nominate(paths, methods, plan, progress, stop)?;
    let taken = pool.take(nominations);
    pool.runs.clone_from(&runs);
    files::write_new(output, &lines(Some(&pool.header), &runs, &taken.entries))?;
    Ok(PoolMade { pool, runs, n_new: taken.n_new, n_known: taken.n_known })
}

/// Runs further methods on the collection of a pool and adds what nobody nominated before. The
/// collection is read as it was; `paths` says where it stands now if that is elsewhere.
pub fn add_to_pool(
    file: &Path,
    paths: &[PathBuf],
    methods: &[Settings],
    plan: &PoolPlan,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<PoolMade, Error> {
    let mut pool = read_pool(file)?;
    pool.bad.iter().for_each(|bad| progress.note(&format!("passed over {bad}")));
    let question = pool.header.question;
    if question == Question::Duplicate {
        let given = format!("`{}`, which is about two methods", file.display());
        return Err(ConfigError::value("pool", "one of pairs", &given).into());
    }
    let plan = PoolPlan { question, seed: pool.header.seed, ..*plan };
    check(methods, &plan)?;
    let stored: Vec<PathBuf> = pool.header.paths.iter().map(PathBuf::from).collect();
    let paths = if paths.is_empty() { &stored } else { paths };
    let mut methods = methods.to_vec();
    for settings in &mut methods {
        settings.read = shelf::options(&pool.header.read)?;
    }
    let (nominations, runs) = nominate(paths, &methods, &plan, progress, stop)?;
    for changed in changed_inputs(&pool.runs, &runs) {
        progress.note(&format!("`{changed}` is not what it was when the pool was made"));
    }
    let taken = pool.take(nominations);
    pool.runs.extend(runs.iter().cloned());
    files::append(file, &lines(None, &runs, &taken.entries))?;
    Ok(PoolMade { pool, runs, n_new: taken.n_new, n_known: taken.n_known })
}

/// Runs two methods and writes the documents that only one of them put into a cluster, beside the
/// others of that cluster.
pub fn make_difference(
    paths: &[PathBuf],
    output: &Path,
    methods: &[Settings; 2],
    plan: &PoolPlan,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<PoolMade, Error> {
    let plan = PoolPlan { question: Question::Duplicate, ..*plan };
    check(methods, &plan)?;
    files::refuse_existing(output)?;
    let mut pool = empty(paths, methods, &plan);
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut clusters: Vec<BTreeMap<u32, Vec<u32>>> = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    let mut runs = Vec::new();
    let methods = methods.each_ref().map(nominating);
    for settings in &methods {
        let (run, detected, record) = detect(paths, settings, &plan, progress, stop)?;
        let collection = &run.taken.collection;
        let now = collection.documents().map(|doc| collection.id(doc));
        let now: Vec<String> = now.collect::<Result<_, Error>>()?;
        if !ids.is_empty() && ids != now {
            return Err(Error::Input(BadRecord {
                file: pool.header.paths.join(", "),
                record: None,
                offset: None,
                reason: "the collection changed between two methods".to_owned(),
            }));
        }
        ids = now;
        let mut mates = BTreeMap::new();
        for cluster in detected.clusters.iter() {
            let cluster = cluster?;
            let members: Vec<u32> = cluster.members.iter().map(|member| member.0).collect();
            mates.extend(members.iter().map(|&member| (member, members.clone())));
        }
        found.push(mates.keys().copied().collect());
        clusters.push(mates);
        runs.push(PoolRun { n_nominated: found[runs.len()].len() as u64, ..record });
    }
    progress.end();
    let difference = Difference::of(ids.len() as u32, &found[0], &found[1]);
    let mut nominations = Nominations::default();
    for ((settings, only), clusters) in methods.iter().zip(&difference.only).zip(&clusters) {
        for document in only {
            let mates = clusters[document].iter().map(|&mate| &*ids[mate as usize]);
            let mates: Vec<&str> = mates.collect();
            nominations.add_document(&settings.method, &ids[*document as usize], &mates);
        }
    }
    pool.header.between = Some(Between {
        methods: [methods[0].method.clone(), methods[1].method.clone()],
        n_both: difference.n_both,
        n_neither: difference.n_neither,
    });
    let taken = pool.take(nominations);
    pool.runs.clone_from(&runs);
    files::write_new(output, &lines(Some(&pool.header), &runs, &taken.entries))?;
    Ok(PoolMade { pool, runs, n_new: taken.n_new, n_known: taken.n_known })
}

/// Checks what can be checked before anything is read.
fn check(methods: &[Settings], plan: &PoolPlan) -> Result<(), ConfigError> {
    if methods.is_empty() {
        return Err(ConfigError::value("methods", "at least one method", &"none"));
    }
    if !(1..=1_000).contains(&plan.n_groups) {
        return Err(ConfigError::value("groups", "from 1 to 1000", &plan.n_groups));
    }
    for (at, settings) in methods.iter().enumerate() {
        settings.detector()?;
        if methods[..at].iter().any(|other| other.method == settings.method) {
            let given = format!("`{}` twice", settings.method);
            return Err(ConfigError::value("methods", "different methods", &given));
        }
    }
    Ok(())
}

/// Makes a pool without nominations.
fn empty(paths: &[PathBuf], methods: &[Settings], plan: &PoolPlan) -> Pool {
    let mut pool = Pool::new(plan.question, plan.seed, plan.n_groups);
    pool.header.paths = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let read = methods.first().map(|settings| &settings.read);
    pool.header.read = serde_json::to_value(read).expect("options are plain data");
    pool
}

/// Runs methods one after the other and gathers what they claim.
fn nominate(
    paths: &[PathBuf],
    methods: &[Settings],
    plan: &PoolPlan,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<(Nominations, Vec<PoolRun>), Error> {
    let mut nominations = Nominations::default();
    let mut runs = Vec::new();
    let methods: Vec<Settings> = methods.iter().map(nominating).collect();
    for settings in &methods {
        let (mut run, _, record) = detect(paths, settings, plan, progress, stop)?;
        let relations = run.relations.take().unwrap_or_default();
        let collection = &run.taken.collection;
        if runs.is_empty() {
            let ids = collection.documents().map(|doc| collection.id(doc));
            let mut ids: Vec<String> = ids.collect::<Result<_, Error>>()?;
            ids.sort_unstable();
            let n_same = ids.windows(2).filter(|two| two[0] == two[1]).count();
            if n_same > 0 {
                progress.note(&format!(
                    "{n_same} documents have the id of another; nominations cannot tell them apart"
                ));
            }
        }
        let direction = plan.question.direction();
        let mut n_nominated = 0;
        let mut claim = |is_claimed: bool, a: &str, b: &str| {
            if let Some(subject) = Subject::pair(direction, a, b).filter(|_| is_claimed) {
                n_nominated += u64::from(nominations.add(&settings.method, subject));
            }
        };
        for relation in relations {
            check_stop(stop, collection.len())?;
            if relation.kind == Kind::Exact && !plan.with_exact {
                continue;
            }
            let (a, b) = (&collection.id(relation.a)?, &collection.id(relation.b)?);
            let (there, back) = plan.question.claimed(relation.kind);
            claim(there, a, b);
            claim(back, b, a);
        }
        runs.push(PoolRun { n_nominated, ..record });
    }
    progress.end();
    Ok((nominations, runs))
}

fn check_stop(stop: &Stop, n_documents: usize) -> Result<(), Error> {
    if stop.is_set() {
        let n_documents = n_documents as u64;
        return Err(Error::Stopped { stage: Stage::Report.name(), n_documents });
    }
    Ok(())
}

/// Runs one method and describes the run.
fn detect<'a>(
    paths: &[PathBuf],
    settings: &'a Settings,
    plan: &PoolPlan,
    progress: &'a dyn Progress,
    stop: &'a Stop,
) -> Result<(Run<'a>, Detected, PoolRun), Error> {
    let inputs = Inputs { paths, others: &[] };
    let mut run = Run::start("pool", inputs, None, settings, progress, stop)?;
    run.relations = Some(Vec::new());
    let detected = run.detect(Wanted::Clusters)?;
    let relations = run.relations.take();
    let outcome = run.report(&detected, |_, _| Ok(()))?;
    run.relations = relations;
    let manifest = outcome.manifest;
    let record = PoolRun {
        method: settings.method.clone(),
        profile: manifest.profile,
        is_permissive: plan.is_permissive,
        parameters: manifest.parameters,
        n_documents: outcome.summary.n_documents,
        n_nominated: 0,
        inputs: hashed(&manifest.inputs),
    };
    Ok((run, detected, record))
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

/// Returns the settings of a nominating run: every pair counts, and passages are not wanted.
fn nominating(settings: &Settings) -> Settings {
    Settings { pairs: PairsWritten::All, passages_per_pair: 1, page: false, ..settings.clone() }
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
