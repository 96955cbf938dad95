//! The only threads: a pool of the run's own.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use retold_core::executor::Executor;

use crate::error::Error;
use crate::progress::Stop;

/// Threads of one run.
pub(crate) struct Pool {
    pool: ThreadPool,
    stop: Stop,
}

impl Pool {
    /// Starts `n_threads` threads; 0 means as many as the machine has.
    #[cfg(test)]
    pub(crate) fn new(n_threads: usize) -> Result<Self, Error> {
        Self::with_stop(n_threads, &Stop::new())
    }

    /// Starts `n_threads` threads, whose work may look whether it is asked to stop; 0 means as
    /// many as the machine has.
    pub(crate) fn with_stop(n_threads: usize, stop: &Stop) -> Result<Self, Error> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build()
            .map_err(|error| Error::Internal(error.to_string()))?;
        Ok(Self { pool, stop: stop.clone() })
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
