//! The word runs of a question, and how many of the documents that were compared with it have each.
//!
//! An index has no list of the documents of every run: it holds samples. But documents that share much
//! with a question are compared with it, so those tell the runs of a template from distinctive ones.
//! Documents that share only a little are not compared, and a run that stands in them besides may be
//! taken for distinctive.

use std::collections::BTreeSet;

use retold_core::features::shingles::Shingles;
use retold_core::verify::Profile;

use crate::pipeline::common_runs::MOST_HOLDERS;

/// The runs of a question.
pub(super) struct OwnRuns {
    shingles: Shingles,
    /// Ascending and each once.
    runs: Vec<u64>,
    /// Documents that have each of them, the question included; those with the same words count once.
    n_holders: Vec<u64>,
    /// Documents that were counted, copies by the one in whose name they stand in the index.
    counted: BTreeSet<u32>,
}

impl OwnRuns {
    pub(super) fn of(question: &Profile, shingles: Shingles) -> Self {
        let mut runs = Vec::new();
        shingles.each(&question.words.hashes, |run| runs.push(run));
        runs.sort_unstable();
        runs.dedup();
        let n_holders = vec![1; runs.len()];
        Self { shingles, runs, n_holders, counted: BTreeSet::new() }
    }

    /// Returns the numbers of the runs that a document has, each once, and counts it. A document with the
    /// words of the question, which has no holder, is counted already.
    pub(super) fn shared(&mut self, holder: Option<u32>, document: &Profile) -> Vec<u32> {
        let mut shared = Vec::new();
        self.shingles.each(&document.words.hashes, |run| {
            shared.extend(self.runs.binary_search(&run).map(|at| at as u32));
        });
        shared.sort_unstable();
        shared.dedup();
        if holder.is_some_and(|holder| self.counted.insert(holder)) {
            for &run in &shared {
                self.n_holders[run as usize] += 1;
            }
        }
        shared
    }

    /// Returns how many of these runs few documents have.
    pub(super) fn n_distinctive(&self, shared: &[u32]) -> u32 {
        let is_distinctive = |run: &&u32| self.n_holders[**run as usize] <= MOST_HOLDERS;
        shared.iter().filter(is_distinctive).count() as u32
    }
}
