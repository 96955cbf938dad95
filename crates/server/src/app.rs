//! What all requests share.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use crate::audit::Audit;
use crate::budget::Budget;
use crate::collections::{Collection, Collections};
use crate::config::Config;
use crate::disk::FreeSpace;
use crate::gate::Gate;
use crate::jobs::Jobs;
use crate::keys::{Caller, Keys, Scope};
use crate::limits::Limits;
use crate::metrics::{Metrics, Now};
use crate::notices::Notices;
use crate::pools::Pools;
use crate::problem::{Code, Problem};
use crate::results::Results;
use crate::store::Store;

/// What all requests share.
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) store: Arc<Store>,
    pub(crate) keys: Keys,
    pub(crate) collections: Arc<Collections>,
    pub(crate) jobs: Jobs,
    pub(crate) results: Results,
    pub(crate) pools: Pools,
    pub(crate) notices: Arc<Notices>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) gate: Gate,
    pub(crate) audit: Audit,
    pub(crate) free: Arc<FreeSpace>,
    /// Places for streams of events.
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) n_connections: AtomicUsize,
    /// Memory for the bodies of requests.
    pub(crate) bodies: Arc<Budget>,
    /// Idempotency-Keys of requests that are being done.
    pub(crate) busy: Mutex<HashSet<String>>,
    /// Becomes true when the server ends.
    pub(crate) ending: watch::Receiver<bool>,
    /// The address that it listens on.
    pub(crate) address: SocketAddr,
}

/// Shared by all requests.
pub(crate) type Shared = Arc<App>;

impl App {
    pub(crate) fn limits(&self) -> &Limits {
        &self.config.limits
    }

    /// Does a piece of work on a thread of its own, when it is the client's turn.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        caller: &Caller,
        work: impl FnOnce(&App) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let pass = self.gate.enter(&caller.client).await?;
        let app = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || {
            let _pass = pass;
            work(&app)
        });
        done.await.map_err(|_| Problem::internal("a piece of work ended in panic"))?
    }

    /// Does a piece of work that waits for the disk and not for the processor.
    pub(crate) async fn wait<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&App) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let app = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&app));
        done.await.map_err(|_| Problem::internal("a piece of work ended in panic"))?
    }

    /// Returns a collection that the caller may see. Those of others and those that are not there are
    /// refused alike.
    pub(crate) fn collection(
        &self,
        caller: &Caller,
        name: &str,
    ) -> Result<Arc<Collection>, Problem> {
        let found = if caller.may_see(name) { self.collections.get(name) } else { None };
        found.ok_or_else(|| Problem::not_found("collection"))
    }

    /// Returns a path below one of the configured folders.
    pub(crate) fn path(&self, given: &str) -> Result<PathBuf, Problem> {
        let refused = || {
            let detail = "the path is not below a folder that the server was started with (--root)";
            Problem::new(Code::NotAccepted, detail)
        };
        let given = PathBuf::from(given);
        for root in &self.config.roots {
            let Ok(root) = root.canonicalize() else { continue };
            let joined = if given.is_absolute() { given.clone() } else { root.join(&given) };
            if let Ok(path) = joined.canonicalize()
                && path.starts_with(&root)
            {
                return Ok(path);
            }
        }
        Err(refused())
    }

    /// Refuses a caller that lacks a scope.
    pub(crate) fn require(caller: &Caller, scope: Scope) -> Result<(), Problem> {
        if caller.has(scope) {
            return Ok(());
        }
        let detail = format!("this needs a key with the scope `{}`", scope.name());
        Err(Problem::new(Code::Forbidden, detail))
    }

    pub(crate) fn is_ending(&self) -> bool {
        *self.ending.borrow()
    }

    pub(crate) fn query_time(&self) -> Duration {
        Duration::from_millis(self.config.limits.query_ms)
    }

    /// Measures what is told to Prometheus.
    pub(crate) fn now(&self) -> Now {
        let standing = self.gate.standing();
        let collections = self.collections.all();
        Now {
            documents: collections.iter().map(|c| (c.name(), c.index().n_documents())).collect(),
            n_connections: self.n_connections.load(Ordering::Relaxed),
            n_running: standing.n_running,
            n_waiting: standing.n_waiting,
            n_jobs_waiting: self.jobs.n_waiting(),
            free_bytes: self.free.bytes(),
        }
    }
}

/// Waits until the server ends.
pub(crate) async fn ended(ending: &mut watch::Receiver<bool>) {
    let _ = ending.wait_for(|is_ending| *is_ending).await;
}
