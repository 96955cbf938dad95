//! Retold as a server: an API over HTTP for collections, questions, jobs, results, judgements and
//! notices.
//!
//! [`Server::start`] opens what the data folder holds and begins to listen; [`Server::run`] serves until
//! somebody asks it to end. `api/` has one file for each group of addresses; all of them stand in one
//! table, from which the router and the OpenAPI document are made. A request passes `http/guard.rs`
//! (Host, Origin, key, pace), waits for its turn at the `gate`, and works on a thread of its own.
//!
//! | file | what it holds |
//! |---|---|
//! | `collections/` | collections: the thread that writes, the state that readers see, full text |
//! | `jobs/` | work that goes on after the answer, and survives the end of the server |
//! | `results.rs`, `pools.rs` | results of jobs as pages; pairs that people judge |
//! | `notices/` | posted texts that copy from watched documents, and who hears of it |
//! | `store.rs` | the database for small things that change |
//! | `keys.rs`, `gate.rs`, `limits.rs`, `problem.rs` | who may do what, how much, and what is told otherwise |

mod api;
mod app;
mod audit;
mod budget;
mod collections;
mod config;
mod cursor;
mod disk;
mod gate;
mod http;
mod jobs;
mod keys;
mod limits;
mod metrics;
mod notices;
mod pages;
mod pools;
mod problem;
mod reading;
mod results;
mod store;
mod time;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use retold::IndexOptions;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, watch};

use crate::api::Answered;
use crate::app::{App, Shared};
use crate::audit::Audit;
use crate::budget::Budget;
use crate::collections::Collections;
pub use crate::config::Config;
use crate::disk::FreeSpace;
use crate::gate::Gate;
use crate::jobs::Jobs;
use crate::keys::Keys;
pub use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::notices::Notices;
use crate::pools::Pools;
use crate::problem::Problem;
use crate::results::Results;
use crate::store::{ANSWERED, Store};
use crate::time::now;

/// The documents of `samples/news`.
const DEMO: &[u8] = include_bytes!("../demo/news.jsonl.zst");

/// How often archives are looked at for new states.
const LOOK: Duration = Duration::from_secs(1);

/// How often memory is given back while questions are answered.
const GIVING_BACK: Duration = Duration::from_secs(5);

/// How often answers that are too old are forgotten.
const FORGETTING: Duration = Duration::from_hours(1);

/// Seconds that answers to requests with an Idempotency-Key are remembered.
const REMEMBERED: i64 = 86_400;

/// Fewest characters of the first key.
const LEAST_TOKEN: usize = 16;

/// Why a server could not be started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// An address that others can reach, without a key.
    #[error("{0} can be reached by others, and there is no key")]
    NoToken(SocketAddr),
    /// A first key that is too easy to guess.
    #[error("the key has {0} characters; {LEAST_TOKEN} are needed")]
    ShortToken(usize),
    /// Another server uses the data folder.
    #[error("another server uses `{}`", .0.display())]
    InUse(PathBuf),
    /// The address cannot be listened on.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
    /// The data folder cannot be used.
    #[error("cannot use `{}`: {reason}", path.display())]
    Data {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// A server that listens.
pub struct Server {
    app: Shared,
    runtime: Runtime,
    listener: TcpListener,
    end: watch::Sender<bool>,
    /// Dies with the process.
    _lock: File,
}

/// Asks a server to end; clones ask the same one.
#[derive(Clone, Debug)]
pub struct End(watch::Sender<bool>);

impl End {
    /// Asks the server to end: requests that are being served are finished, jobs are put back.
    pub fn ask(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Opens what the data folder holds and begins to listen.
    pub fn start(config: Config) -> Result<Self, StartError> {
        let is_local = config.listen.ip().is_loopback();
        match &config.token {
            None if !is_local => return Err(StartError::NoToken(config.listen)),
            Some(token) if token.chars().count() < LEAST_TOKEN => {
                return Err(StartError::ShortToken(token.chars().count()));
            }
            _ => {}
        }
        let data = config.data.clone();
        let unusable = |reason: String| StartError::Data { path: data.clone(), reason };
        for folder in [data.clone(), data.join("uploads")] {
            fs::create_dir_all(&folder).map_err(|error| unusable(error.to_string()))?;
        }
        let lock = OpenOptions::new().create(true).append(true).open(data.join("lock"));
        let lock = lock.map_err(|error| unusable(error.to_string()))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StartError::InUse(data)),
            Err(TryLockError::Error(error)) => return Err(unusable(error.to_string())),
        }
        raise_file_limit();
        let runtime = Builder::new_multi_thread().enable_all().thread_name("http").build();
        let runtime = runtime.map_err(|error| unusable(error.to_string()))?;
        let listen = config.listen;
        let listener = runtime.block_on(TcpListener::bind(listen));
        let listener = listener.map_err(|error| StartError::Listen(listen, error))?;
        let address = listener.local_addr().unwrap_or(listen);
        let (end, ending) = watch::channel(false);
        let app = open(config, address, ending, &runtime)
            .map_err(|problem| unusable(problem.detail().to_owned()))?;
        Ok(Self { app: Arc::new(app), runtime, listener, end, _lock: lock })
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.app.address
    }

    /// Returns a way to end it.
    pub fn end(&self) -> End {
        End(self.end.clone())
    }

    /// Returns what could not be opened, and why.
    pub fn warnings(&self) -> &[String] {
        &self.app.collections.warnings
    }

    /// Returns the OpenAPI document of the server.
    pub fn openapi() -> &'static str {
        api::openapi_json()
    }

    /// Serves until somebody asks it to end, then finishes what was begun.
    pub fn run(self) {
        let Self { app, runtime, listener, end: _end, _lock } = self;
        let router = api::router(Arc::clone(&app));
        let looking = Arc::clone(&app);
        runtime.spawn(async move {
            let mut ending = looking.ending.clone();
            let (mut n_answered, mut given_back) = (0, Instant::now());
            let mut forgotten = Instant::now();
            loop {
                tokio::select! {
                    () = tokio::time::sleep(LOOK) => {}
                    () = crate::app::ended(&mut ending) => return,
                }
                let n_now = looking.metrics.questions.get();
                let gives_back = n_now != n_answered && given_back.elapsed() >= GIVING_BACK;
                if gives_back {
                    (n_answered, given_back) = (n_now, Instant::now());
                }
                let forgets = forgotten.elapsed() >= FORGETTING;
                if forgets {
                    forgotten = Instant::now();
                }
                let _ = looking
                    .wait(move |app| {
                        app.collections.refresh_archives();
                        if gives_back {
                            // Questions leave free memory in pieces of other sizes than the next ask for.
                            retold::give_back();
                        }
                        if forgets { forget_answers(&app.store) } else { Ok(()) }
                    })
                    .await;
            }
        });
        runtime.block_on(http::serve(Arc::clone(&app), router, listener));
        app.jobs.end();
        app.notices.webhooks.end();
        app.collections.close();
        runtime.shutdown_timeout(Duration::from_secs(5));
    }
}

fn open(
    config: Config,
    address: SocketAddr,
    ending: watch::Receiver<bool>,
    runtime: &Runtime,
) -> Result<App, Problem> {
    let data = config.data.clone();
    // Uploads that an earlier server did not finish.
    for entry in fs::read_dir(data.join("uploads"))?.flatten() {
        let _ = fs::remove_dir_all(entry.path());
    }
    let store = Store::open(&data.join("state.redb")).map_err(Problem::internal)?;
    let store = Arc::new(store);
    let limits = config.limits.clone();
    let is_needed = !address.ip().is_loopback();
    let pace = limits.requests_per_second;
    let keys = Keys::open(&store, config.token.as_deref(), is_needed, pace)?;
    let free = Arc::new(FreeSpace::new(data.clone(), limits.free_bytes));
    let folder = data.join("collections");
    let collections = Arc::new(Collections::open(&folder, &store, &config.archives, &free)?);
    let metrics = Arc::new(Metrics::new());
    let notices = Arc::new(Notices::new(&store, &collections, &metrics, &config.webhooks)?);
    if config.demo {
        load_demo(&config, &store, &collections, runtime)?;
    }
    notices.follow_all()?;
    forget_answers(&store)?;
    let jobs =
        Jobs::start(&config, &store, &collections, &metrics, &notices, runtime.handle().clone())?;
    let gate = Gate::new(&limits);
    Ok(App {
        results: Results::new(data.join("results")),
        pools: Pools::open(data.join("pools"), &store)?,
        audit: Audit::open(&data.join("audit.jsonl"))?,
        streams: Arc::new(Semaphore::new(limits.streams as usize)),
        n_connections: AtomicUsize::default(),
        busy: Mutex::default(),
        bodies: Budget::new(limits.bodies_bytes),
        config,
        store,
        keys,
        collections,
        jobs,
        notices,
        metrics,
        gate,
        free,
        ending,
        address,
    })
}

/// Makes the collection `demo` of the sample news, if it is not there yet.
fn load_demo(
    config: &Config,
    store: &Store,
    collections: &Collections,
    runtime: &Runtime,
) -> Result<(), Problem> {
    if collections.get("demo").is_some() {
        return Ok(());
    }
    let record = collections::Record {
        name: "demo".to_owned(),
        title: Some("Sample news".to_owned()),
        created: now(),
        window: None,
        forgets: false,
        check_against: Vec::new(),
        archive: None,
    };
    let job = config.job.clone();
    let demo = collections.create(store, &record, &[job], &IndexOptions::default())?;
    let folder = tempfile::tempdir_in(config.data.join("uploads"))?;
    let news = folder.path().join("news.jsonl.zst");
    fs::write(&news, DEMO)?;
    reading::each_batch(&news, Some("news"), &config.read, 1_000, &retold::Silent, |documents| {
        Ok(runtime.block_on(demo.put(documents, true))?.done)
    })?;
    Ok(())
}

/// Forgets answers that are older than a day.
fn forget_answers(store: &Store) -> Result<(), Problem> {
    let answers = store.list::<Answered>(ANSWERED, "", None, usize::MAX)?;
    let is_old = |answered: &Answered| answered.time < now() - REMEMBERED;
    let old: Vec<String> =
        answers.into_iter().filter(|(_, answered)| is_old(answered)).map(|(key, _)| key).collect();
    if old.is_empty() {
        return Ok(());
    }
    store.change(|changes| old.iter().try_for_each(|key| changes.remove(ANSWERED, key).map(drop)))
}

/// Lets the process have as many files and connections open as the system allows.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let _ = setrlimit(Resource::Nofile, wanted);
}
