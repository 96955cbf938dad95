//! Word runs that many documents have: what templates are told by.
//!
//! A look at all documents counts in how many of them every run stands, documents with the same words
//! once. Of an index those are counted that may be related to a new document. Runs go to scratch and are sorted, so that no more is held than those that are common. What two
//! documents share beside these is their own: their distinctive runs.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use retold_core::document::Ordinal;
use retold_core::relation::Kind;
use retold_core::scratch::Sorter;
use retold_report::Cut;

use super::library::Library;
use super::run::Run;
use crate::error::Error;
use crate::progress::Stage;

/// Documents that a run may stand in and still be distinctive.
pub(crate) const MOST_HOLDERS: u64 = 5;
/// Documents that a thread takes at a time.
const DOCUMENTS_PER_PIECE: usize = 64;

/// Tells distinctive runs from common ones, and pairs that have too few of them.
#[derive(Debug)]
pub(crate) struct CommonRuns {
    /// Ascending.
    runs: Vec<u64>,
    least: u32,
    n_left_out: AtomicU64,
}

impl CommonRuns {
    /// Counts the runs of all documents of a library; partial copies are wanted from `least`
    /// distinctive ones on.
    pub(super) fn of(run: &Run<'_>, library: &Library<'_>, least: u32) -> Result<Self, Error> {
        let collection = library.collection;
        let firsts: Vec<Ordinal> =
            collection.documents().filter(|&doc| collection.is_first(doc)).collect();
        run.progress.begin(Stage::Search, firsts.len() as u64);
        let (progress, stop, scratch) = (run.progress, run.stop, &run.scratch);
        let sorter = Mutex::new((Sorter::new(run.budget.search()), None));
        let n_taken = AtomicUsize::new(0);
        run.pool.on_all(|| {
            let mut all = Vec::new();
            while !stop.is_set() {
                let start = n_taken.fetch_add(DOCUMENTS_PER_PIECE, Ordering::Relaxed);
                let end = (start + DOCUMENTS_PER_PIECE).min(firsts.len());
                let Some(piece) = firsts.get(start..end).filter(|piece| !piece.is_empty()) else {
                    break;
                };
                all.clear();
                for &doc in piece {
                    // What cannot be read again is told when it is compared.
                    if let Ok(runs) = library.runs(doc) {
                        all.extend_from_slice(&runs);
                    }
                }
                let mut sorter = sorter.lock().unwrap_or_else(PoisonError::into_inner);
                let (sorter, failure) = &mut *sorter;
                for &key in &all {
                    if let Err(error) = sorter.push(key, scratch) {
                        failure.get_or_insert(error);
                        return;
                    }
                }
                progress.at(end as u64, firsts.len() as u64);
            }
        });
        run.check_stop(Stage::Search)?;
        let (sorter, failure) = sorter.into_inner().unwrap_or_else(PoisonError::into_inner);
        let failed = |error| scratch.failed(error);
        failure.map_or(Ok(()), |error| Err(failed(error)))?;
        let sorted = sorter.finish(scratch).map_err(failed)?;
        let (mut runs, mut last, mut n_equal) = (Vec::new(), None, 0);
        for key in &sorted {
            let key = key.map_err(failed)?;
            n_equal = if last == Some(key) { n_equal + 1 } else { 1 };
            last = Some(key);
            if n_equal == MOST_HOLDERS + 1 {
                runs.push(key);
                run.budget.check_runs("common word runs", runs.len() as u64)?;
            }
        }
        Ok(Self { runs, least, n_left_out: AtomicU64::new(0) })
    }

    /// Returns whether a run is distinctive.
    pub(super) fn is_distinctive(&self, run: u64) -> bool {
        self.runs.binary_search(&run).is_err()
    }

    /// Returns whether a pair is reported that shares so many distinctive runs; otherwise it is counted.
    pub(super) fn lets_pass(&self, kind: Kind, n_distinctive: u32) -> bool {
        let passes = kind != Kind::Partial || n_distinctive >= self.least;
        if !passes {
            self.n_left_out.fetch_add(1, Ordering::Relaxed);
        }
        passes
    }

    /// Tells how many pairs were left out.
    pub(super) fn cut(&self) -> Option<Cut> {
        cut(self.least, self.n_left_out.load(Ordering::Relaxed))
    }
}

/// How it ends what is told of pairs that were left out.
const DISTINCTIVE: &str = "distinctive runs";

/// Returns whether pairs were left out for having too few distinctive runs.
pub(crate) fn is_cut(cut: &Cut) -> bool {
    cut.what.ends_with(DISTINCTIVE)
}

/// Tells how many pairs were left out for having fewer than `least` distinctive runs.
pub(super) fn cut(least: u32, count: u64) -> Option<Cut> {
    let what = format!("partial copies left out, with fewer than {least} {DISTINCTIVE}");
    (count > 0).then_some(Cut { what, limit: None, count })
}
