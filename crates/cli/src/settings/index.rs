//! `retold index`, resolved.

use std::io::BufRead as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use retold::{Filter, IndexOptions, Job, Resources, TextStorage};

use super::{Talk, detecting, filter_of, resources_of, talk, with_input};
use crate::args::{Index, IndexAction};
use crate::failure::Failure;

/// Something to do with an index.
#[derive(Debug)]
pub(crate) struct IndexTask {
    /// Where it lies.
    pub(crate) index: PathBuf,
    /// What to do.
    pub(crate) action: Indexing,
    /// What to do it with.
    pub(crate) resources: Resources,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// What to do with an index.
#[derive(Debug)]
pub(crate) enum Indexing {
    Create { jobs: Vec<Job>, options: IndexOptions },
    Add { paths: Vec<PathBuf>, reading: Box<Job> },
    AddMethod { job: Box<Job> },
    List { filter: Filter },
    Get { ids: Vec<String> },
    Remove { ids: Vec<String>, is_purged: bool },
    Expire { before: i64 },
    Refresh,
    Stats,
    Check,
    Repair,
    Merge,
    Export { output: Option<PathBuf>, overwrite: bool, filter: Filter },
    Backup { to: PathBuf },
    Restore { to: PathBuf },
    Upgrade,
}

/// Resolves `retold index`.
pub(crate) fn index(args: Index) -> Result<IndexTask, Failure> {
    let mut resources = Resources::new();
    let (index, action, manner) = match args.action {
        IndexAction::Create(args) => {
            let job = detecting(args.detect)?;
            let mut jobs = vec![job.clone()];
            for method in args.also {
                let also = Job::of(&method, job.profile())?.with_read(job.read().clone());
                jobs.push(also.with_seed(job.seed()));
            }
            let texts =
                if args.by_reference { TextStorage::ByReference } else { TextStorage::Stored };
            let options = IndexOptions { texts };
            (args.index, Indexing::Create { jobs, options }, args.manner)
        }
        IndexAction::Add(args) => {
            resources = resources_of(args.resources);
            let reading = Box::new(with_input(args.input, Job::default()));
            (args.index, Indexing::Add { paths: args.paths, reading }, args.manner)
        }
        IndexAction::AddMethod(args) => {
            resources = resources_of(args.resources);
            let job = Box::new(detecting(args.detect)?);
            (args.index, Indexing::AddMethod { job }, args.manner)
        }
        IndexAction::List(args) => {
            (args.index, Indexing::List { filter: filter_of(args.filter) }, args.manner)
        }
        IndexAction::Get(args) => (args.index, Indexing::Get { ids: args.ids }, args.manner),
        IndexAction::Remove(args) => {
            let ids = ids_of(args.ids)?;
            (args.index, Indexing::Remove { ids, is_purged: args.purge }, args.manner)
        }
        IndexAction::Expire(args) => {
            let back = |span: i64| now().saturating_sub(span);
            let before = args.before.or(args.older_than.map(back)).unwrap_or(i64::MIN);
            (args.index, Indexing::Expire { before }, args.manner)
        }
        IndexAction::Refresh(args) => {
            resources = resources_of(args.resources);
            (args.index, Indexing::Refresh, args.manner)
        }
        IndexAction::Stats(args) => (args.index, Indexing::Stats, args.manner),
        IndexAction::Check(args) => (args.index, Indexing::Check, args.manner),
        IndexAction::Repair(args) => (args.index, Indexing::Repair, args.manner),
        IndexAction::Merge(args) => (args.index, Indexing::Merge, args.manner),
        IndexAction::Upgrade(args) => (args.index, Indexing::Upgrade, args.manner),
        IndexAction::Export(args) => {
            let filter = filter_of(args.filter);
            let action =
                Indexing::Export { output: args.output, overwrite: args.overwrite, filter };
            (args.index, action, args.manner)
        }
        IndexAction::Backup(args) => (args.from, Indexing::Backup { to: args.to }, args.manner),
        IndexAction::Restore(args) => (args.from, Indexing::Restore { to: args.to }, args.manner),
    };
    Ok(IndexTask { index, action, resources, talk: talk(manner) })
}

/// Reads ids from standard input where `-` stands for them.
fn ids_of(given: Vec<String>) -> Result<Vec<String>, Failure> {
    let mut ids = Vec::new();
    for id in given {
        if id == "-" {
            for line in std::io::stdin().lock().lines() {
                let line =
                    line.map_err(|error| Failure::usage(format!("cannot read ids: {error}")))?;
                if !line.is_empty() {
                    ids.push(line);
                }
            }
        } else {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// Returns the seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
