//! Jobs: work that goes on after the request has been answered.
//!
//! A job is stored before it is acknowledged. Threads take jobs in the order of their numbers; one that
//! the server's end cut short begins again from the start, because results appear only when they are
//! whole. After three tries it has failed.

mod progress;
mod regrouping;
mod running;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use retold::Stop;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use self::progress::Live;
pub(crate) use self::progress::{Event, Progress};
pub(crate) use self::regrouping::{Regrouping, refusal};
use self::running::Surroundings;
use crate::collections::Collections;
use crate::config::Config;
use crate::metrics::Metrics;
use crate::notices::Notices;
use crate::problem::{Code, Problem};
use crate::store::{JOBS, Store, key_of};
use crate::time::now;

/// Times that a job is begun, at most.
const MOST_TRIES: u32 = 3;

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Finds copies.
    Find,
    /// Decides which documents go.
    Dedup,
    /// Adds the documents of files to a collection.
    Import,
    /// Cuts and clusters a result otherwise.
    Regroup,
}

/// Where documents come from: one of the three.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Name of a collection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) collection: Option<String>,
    /// A file or folder below a folder that the server was started with (`--root`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// For `regroup`: the number of a result that holds all pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<u64>,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// It waits.
    Queued,
    /// It is being done.
    Running,
    /// It is done.
    Done,
    /// It could not be done.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

impl Status {
    pub(crate) fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What somebody wants done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wanted {
    pub(crate) kind: Kind,
    pub(crate) title: Option<String>,
    pub(crate) input: Input,
    /// What the input was found to be: files, if it is a path.
    pub(crate) files: Option<PathBuf>,
    pub(crate) against: Option<String>,
    /// The collection that documents are added to.
    pub(crate) into: Option<String>,
    pub(crate) settings: retold::Job,
    /// For `regroup`: what is to be otherwise.
    #[serde(default)]
    pub(crate) regrouping: Option<Regrouping>,
}

impl Wanted {
    /// Returns whether it is decided which documents go.
    pub(crate) fn decides(&self) -> bool {
        let regrouped = self.regrouping.as_ref().and_then(|other| other.dedup);
        self.kind == Kind::Dedup || regrouped.unwrap_or(false)
    }
}

/// A job as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) number: u64,
    pub(crate) wanted: Wanted,
    pub(crate) status: Status,
    pub(crate) by: String,
    pub(crate) created: i64,
    pub(crate) started: Option<i64>,
    pub(crate) ended: Option<i64>,
    /// Times it was begun.
    pub(crate) tries: u32,
    /// Why it failed.
    pub(crate) problem: Option<String>,
    /// What came of it.
    pub(crate) outcome: Option<serde_json::Value>,
}

/// All jobs.
pub(crate) struct Jobs {
    shared: Arc<SharedJobs>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    most_waiting: usize,
}

/// What the threads share.
struct SharedJobs {
    surroundings: Surroundings,
    queue: Mutex<Queue>,
    wake: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<u64>,
    live: BTreeMap<u64, Arc<Live>>,
    is_ending: bool,
}

impl SharedJobs {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Jobs {
    /// Loads what is to be done and begins with it.
    pub(crate) fn start(
        config: &Config,
        store: &Arc<Store>,
        collections: &Arc<Collections>,
        metrics: &Arc<Metrics>,
        notices: &Arc<Notices>,
        runtime: tokio::runtime::Handle,
    ) -> Result<Self, Problem> {
        let results = config.data.join("results");
        let mut waiting = VecDeque::new();
        for (key, mut record) in store.list::<Record>(JOBS, "", None, usize::MAX)? {
            match record.status {
                Status::Running if record.tries >= MOST_TRIES => {
                    record.status = Status::Failed;
                    record.ended = Some(now());
                    let tries = record.tries;
                    record.problem = Some(format!("the server ended {tries} times while it ran"));
                    store.put(JOBS, &key, &record)?;
                    metrics.job_finished(record.status.name());
                    let _ = std::fs::remove_dir_all(results.join(record.number.to_string()));
                }
                Status::Running | Status::Queued => waiting.push_back(record.number),
                _ => {}
            }
        }
        let surroundings = Surroundings {
            store: Arc::clone(store),
            collections: Arc::clone(collections),
            metrics: Arc::clone(metrics),
            notices: Arc::clone(notices),
            results,
            read: config.read.clone(),
            threads: config.job_threads,
            memory: config.job_memory,
            runtime,
        };
        std::fs::create_dir_all(&surroundings.results)?;
        let queue = Mutex::new(Queue { waiting, ..Queue::default() });
        let shared = Arc::new(SharedJobs { surroundings, queue, wake: Condvar::new() });
        let mut threads = Vec::new();
        for number in 0..config.n_jobs.max(1) {
            let shared = Arc::clone(&shared);
            let thread = Builder::new().name(format!("job {number}"));
            threads.push(thread.spawn(move || take_jobs(&shared))?);
        }
        let most_waiting = config.limits.waiting_jobs as usize;
        Ok(Self { shared, threads: Mutex::new(threads), most_waiting })
    }

    /// Takes a job; it is stored when this returns.
    pub(crate) fn add(&self, wanted: Wanted, by: &str) -> Result<Record, Problem> {
        if self.n_waiting() >= self.most_waiting {
            let detail = "too many jobs wait already";
            let problem = Problem::new(Code::Overloaded, detail);
            return Err(problem.limit("waiting_jobs", self.most_waiting as u64).retry_after(60));
        }
        let record = self.shared.surroundings.store.change(|changes| {
            let number = changes.next("job")?;
            let record = Record {
                number,
                wanted,
                status: Status::Queued,
                by: by.to_owned(),
                created: now(),
                started: None,
                ended: None,
                tries: 0,
                problem: None,
                outcome: None,
            };
            changes.put(JOBS, &key_of(number), &record)?;
            Ok(record)
        })?;
        let mut queue = self.shared.queue();
        // Numbers are given out before the lock is taken: the queue stays in their order.
        let at = queue.waiting.partition_point(|other| *other < record.number);
        queue.waiting.insert(at, record.number);
        self.shared.wake.notify_one();
        Ok(record)
    }

    /// Returns a job.
    pub(crate) fn get(&self, number: u64) -> Result<Option<Record>, Problem> {
        self.shared.surroundings.store.get(JOBS, &key_of(number))
    }

    /// Returns jobs of a status behind a number, in the order of their numbers.
    pub(crate) fn list(
        &self,
        status: Option<Status>,
        after: Option<u64>,
        limit: usize,
        is_wanted: impl Fn(&Record) -> bool,
    ) -> Result<Vec<Record>, Problem> {
        let store = &self.shared.surroundings.store;
        let (mut found, mut after) = (Vec::new(), after.map(key_of));
        loop {
            let some = store.list::<Record>(JOBS, "", after.as_deref(), 500)?;
            let Some((last, _)) = some.last() else { return Ok(found) };
            after = Some(last.clone());
            for (_, record) in some {
                if status.is_none_or(|status| status == record.status) && is_wanted(&record) {
                    found.push(record);
                    if found.len() == limit {
                        return Ok(found);
                    }
                }
            }
        }
    }

    /// Returns how far a running job is.
    pub(crate) fn progress(&self, number: u64) -> Option<Progress> {
        self.shared.queue().live.get(&number).map(|live| live.progress())
    }

    /// Hears of the progress of a job that is running.
    pub(crate) fn follow(&self, number: u64) -> Option<watch::Receiver<u64>> {
        self.shared.queue().live.get(&number).map(|live| live.subscribe())
    }

    /// Ends a job that waits or runs; returns how it stands then.
    pub(crate) fn cancel(&self, number: u64) -> Result<Option<Record>, Problem> {
        let store = &self.shared.surroundings.store;
        let mut queue = self.shared.queue();
        if let Some(live) = queue.live.get(&number) {
            live.stop.set();
            drop(queue);
            return self.get(number);
        }
        queue.waiting.retain(|other| *other != number);
        store.change(|changes| {
            let Some(mut record) = changes.get::<Record>(JOBS, &key_of(number))? else {
                return Ok(None);
            };
            if !record.status.is_over() {
                record.status = Status::Cancelled;
                record.ended = Some(now());
                changes.put(JOBS, &key_of(number), &record)?;
            }
            Ok(Some(record))
        })
    }

    /// Forgets a job that is over, with its result.
    pub(crate) fn forget(&self, number: u64) -> Result<(), Problem> {
        let Surroundings { store, results, .. } = &self.shared.surroundings;
        store.remove(JOBS, &key_of(number))?;
        match std::fs::remove_dir_all(results.join(number.to_string())) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    pub(crate) fn n_waiting(&self) -> usize {
        self.shared.queue().waiting.len()
    }

    /// Stops the jobs that run, so that they begin again when the server does, and waits for them.
    pub(crate) fn end(&self) {
        {
            let mut queue = self.shared.queue();
            queue.is_ending = true;
            queue.live.values().for_each(|live| live.stop.set());
            self.shared.wake.notify_all();
        }
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Takes jobs and does them, until the server ends.
fn take_jobs(shared: &SharedJobs) {
    loop {
        let (number, live) = {
            let mut queue = shared.queue();
            loop {
                if queue.is_ending {
                    return;
                }
                if let Some(number) = queue.waiting.pop_front() {
                    let live = Arc::new(Live::new(Stop::new()));
                    queue.live.insert(number, Arc::clone(&live));
                    break (number, live);
                }
                queue = shared.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
        };
        let done = do_job(shared, number, &live);
        let mut queue = shared.queue();
        queue.live.remove(&number);
        drop(queue);
        live.end();
        // A database that cannot be written: the job stays as it is stored and begins again later.
        let _ = done;
    }
}

fn do_job(shared: &SharedJobs, number: u64, live: &Arc<Live>) -> Result<(), Problem> {
    let surroundings = &shared.surroundings;
    let store = &surroundings.store;
    let key = key_of(number);
    let begun = store.change(|changes| {
        let Some(mut record) = changes.get::<Record>(JOBS, &key)? else { return Ok(None) };
        if record.status.is_over() {
            return Ok(None);
        }
        record.status = Status::Running;
        record.started = Some(now());
        record.tries += 1;
        changes.put(JOBS, &key, &record)?;
        Ok(Some(record))
    })?;
    let Some(mut record) = begun else { return Ok(()) };
    let worked =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| surroundings.run(&record, live)));
    let worked = worked
        .unwrap_or_else(|_| Err(Problem::internal("the job ended in panic; please report it")));
    let is_ending = shared.queue().is_ending;
    match worked {
        Ok(outcome) => {
            record.status = Status::Done;
            record.outcome = Some(outcome);
        }
        Err(_) if live.stop.is_set() && is_ending => {
            // It begins again with the server, and was not at fault.
            record.status = Status::Queued;
            record.tries -= 1;
        }
        Err(_) if live.stop.is_set() => record.status = Status::Cancelled,
        Err(problem) => {
            record.status = Status::Failed;
            record.problem = Some(problem.detail().to_owned());
        }
    }
    if record.status.is_over() {
        record.ended = Some(now());
        surroundings.metrics.job_finished(record.status.name());
    }
    store.put(JOBS, &key, &record)
}
