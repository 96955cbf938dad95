//! From the arguments of `retold pool` and `retold judge` to what is pooled and judged.

use std::path::PathBuf;

use retold::{Job, Profile, Resources};
use retold_lab::judging::Question;
use retold_lab::{Loosened, PoolPlan};

use super::{Talk, resources_of, talk, with_input, with_text};
use crate::args::{Judge, Pool};
use crate::failure::Failure;

/// Nominations to gather, resolved.
#[derive(Debug)]
pub(crate) struct Pooling {
    /// Which file, and what becomes of it.
    pub(crate) task: PoolTask,
    /// What to read.
    pub(crate) paths: Vec<PathBuf>,
    /// The methods, each with its job.
    pub(crate) methods: Vec<Job>,
    /// What it is done with.
    pub(crate) resources: Resources,
    /// What was loosened, by method.
    pub(crate) loosened: Vec<(String, Vec<Loosened>)>,
    /// What is asked, and how it is dealt.
    pub(crate) plan: PoolPlan,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// What `retold pool` does.
#[derive(Debug)]
pub(crate) enum PoolTask {
    /// Make a pool.
    New(PathBuf),
    /// Add to one.
    Add(PathBuf),
    /// Make one of the difference of two methods.
    Difference(PathBuf),
}

/// A pool to judge, resolved.
#[derive(Debug)]
pub(crate) struct Judging {
    /// The pool.
    pub(crate) pool: PathBuf,
    /// Files of judgements; empty means those beside the pool.
    pub(crate) judgements: Vec<PathBuf>,
    /// What to do.
    pub(crate) task: JudgeTask,
    /// Only this group.
    pub(crate) group: Option<u32>,
    /// What to ask, if not what the pool asks.
    pub(crate) question: Option<Question>,
    /// Where the collection stands; empty means where the pool says.
    pub(crate) paths: Vec<PathBuf>,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// What `retold judge` does.
#[derive(Debug)]
pub(crate) enum JudgeTask {
    /// Tell how far it has come, and write what is decided.
    Status(Option<Written>),
    /// List what is open, to one person or to anybody.
    List(Option<String>),
    /// Let a person judge.
    Sit {
        /// Who.
        name: String,
        /// Where answers go.
        to: PathBuf,
    },
}

/// A file to write.
#[derive(Debug)]
pub(crate) struct Written {
    /// Where.
    pub(crate) path: PathBuf,
    /// Whether it may take the place of another.
    pub(crate) overwrite: bool,
}

/// Resolves `retold pool`.
pub(crate) fn pool(args: Pool) -> Result<Pooling, Failure> {
    let Pool {
        mut paths,
        output,
        methods: names,
        permissive,
        profile,
        question,
        difference,
        without_exact,
        groups,
        text,
        input,
        resources,
        manner,
    } = args;
    // Every method reads the collection, and judges read it again.
    if paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::hinted(
            "standard input cannot be read once for every method and again by judges",
            "save it to a file first",
        ));
    }
    let seed = with_input(input.clone(), Job::default()).seed();
    let (mut methods, mut loosened) = (Vec::new(), Vec::new());
    for name in names {
        let job = Job::of(&name, profile.unwrap_or(Profile::Paper))?;
        let mut job = with_text(text.clone(), with_input(input.clone(), job))?;
        if permissive {
            let (loose, changed) = retold_lab::permissive(&job)?;
            job = loose;
            loosened.push((name, changed));
        }
        job.check()?;
        methods.push(job);
    }
    let plan = PoolPlan {
        question: question.unwrap_or_default(),
        n_groups: groups,
        seed,
        with_exact: !without_exact,
        is_permissive: permissive,
    };
    let task = if paths.first().is_some_and(|path| path.as_os_str() == "add") {
        if output.is_some() || difference || question.is_some() {
            return Err(Failure::hinted(
                "`retold pool add` writes behind what the pool holds and asks what it asks",
                "leave `-o`, `--question` and `--difference` out",
            ));
        }
        if paths.len() < 2 {
            return Err(Failure::hinted(
                "a pool to add to must be given",
                "`retold pool add pool.jsonl --methods NAMES`; a folder named `add` is `./add`",
            ));
        }
        paths.remove(0);
        PoolTask::Add(paths.remove(0))
    } else {
        let Some(output) = output else {
            return Err(Failure::hinted("a file for the pool must be given", "pass `-o FILE`"));
        };
        if difference {
            if methods.len() != 2 {
                let message = format!("a difference is one of two methods, got {}", methods.len());
                return Err(Failure::usage(message));
            }
            PoolTask::Difference(output)
        } else {
            PoolTask::New(output)
        }
    };
    let resources = resources_of(resources);
    Ok(Pooling { task, paths, methods, resources, loosened, plan, talk: talk(manner) })
}

/// Resolves `retold judge`.
pub(crate) fn judge(args: Judge) -> Result<Judging, Failure> {
    let Judge {
        pool,
        judgements,
        name,
        status,
        list,
        group,
        question,
        paths,
        to,
        output,
        overwrite,
        manner,
    } = args;
    let task = match (status, list, name) {
        (true, ..) => JudgeTask::Status(output.map(|path| Written { path, overwrite })),
        (false, true, name) => JudgeTask::List(name),
        (false, false, Some(name)) => {
            let beside = retold_lab::judgement_path(&pool, &name)?;
            JudgeTask::Sit { name, to: to.unwrap_or(beside) }
        }
        (false, false, None) => {
            return Err(Failure::hinted(
                "who judges must be given",
                "pass `--as NAME`, or `--status` to see how far it has come",
            ));
        }
    };
    Ok(Judging { pool, judgements, task, group, question, paths, talk: talk(manner) })
}
