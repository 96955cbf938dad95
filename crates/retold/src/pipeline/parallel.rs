//! The only threads: a pool of the run's own, or one that is lent.

use std::num::NonZero;
use std::sync::Arc;

use rayon::ThreadPool;
use rayon::prelude::*;
use retold_core::executor::Executor;

use crate::error::Error;
use crate::progress::Stop;
use crate::resources::Resources;

/// Returns the most threads that a run starts, however many are asked for: four times as many as the
/// machine runs at once, and at least 64.
///
/// More than that only wait for each other: 5,000 threads took 317 s on the samples. Results do not
/// depend on the number.
///
/// ```
/// assert!(retold::most_threads() >= 64);
/// ```
pub fn most_threads() -> usize {
    let at_once = std::thread::available_parallelism().map_or(1, NonZero::get);
    (4 * at_once).max(64)
}

/// Threads of one run.
pub(crate) struct Pool {
    pool: Arc<ThreadPool>,
    stop: Stop,
}

impl Pool {
    /// Takes the threads of the [resources](Resources::thread_pool). Their work may look whether it
    /// is asked to stop.
    pub(crate) fn new(resources: &Resources) -> Result<Self, Error> {
        Ok(Self { pool: resources.thread_pool()?, stop: resources.stop.clone() })
    }

    /// Returns the number of threads.
    pub(crate) fn n_threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Runs `work` where its parallel parts use these threads.
    pub(crate) fn run_in<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Runs one copy of `work` on every thread.
    pub(crate) fn on_all(&self, work: impl Fn() + Sync) {
        self.pool.scope(|scope| {
            for _ in 0..self.n_threads() {
                scope.spawn(|_| work());
            }
        });
    }

    /// Maps a slice on all threads; results stand in the order of the slice.
    pub(crate) fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> R + Sync + Send,
    ) -> Vec<R> {
        self.pool.install(|| items.par_iter().map(work).collect())
    }

    /// Maps a slice on all threads, while one of them does something else first.
    pub(crate) fn map_beside<T: Sync, R: Send, O: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> R + Sync + Send,
        beside: impl FnOnce() -> O + Send,
    ) -> (Vec<R>, O) {
        let map = || items.par_iter().with_max_len(1).map(work).collect();
        self.pool.install(|| rayon::join(map, beside))
    }
}

impl Executor for Pool {
    fn run(&self, n_pieces: usize, piece: &(dyn Fn(usize) + Sync)) {
        self.pool.install(|| (0..n_pieces).into_par_iter().with_max_len(1).for_each(piece));
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_thousand_threads_were_started_because_they_were_asked_for() {
        assert!(most_threads() >= 64);
        let n_threads = |asked| {
            let pool = Pool::new(&Resources::new().threads(asked));
            pool.expect("threads").n_threads()
        };
        assert_eq!(n_threads(5_000), most_threads());
        assert_eq!(n_threads(3), 3);
        assert!(n_threads(0) <= most_threads());
    }
}
