//! Comparisons with large sets of runs on scratch, all of a batch together.
//!
//! Items of a day of proceedings are compared with the whole day, notices with the licence that quotes them.
//! If such a large set does not fit the budget, reading it for each of these comparisons would take most of the
//! time. So before a batch is decided about, every large set for which enough documents of it are waiting is
//! read once, and all of them are looked up in it. What is found is what each comparison alone would find.

use std::collections::HashMap;

use retold_core::hash::{Prehashed, mix};
use retold_core::verify::runs::is_much_larger;

use super::filed_runs::RUNS_PER_READ;
use super::rounds::Batch;
use super::turns::{SAMPLE, Turns};

/// What was found of a document in a large set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looked {
    pub(super) common: Common,
    /// How many runs of a sample are there.
    pub(super) n_sampled: u8,
}

/// What is known of the runs in common.
#[derive(Clone, Copy, Debug)]
pub(super) enum Common {
    /// Nothing: sets of like size take long to compare, and few such comparisons are needed.
    NotAsked,
    /// They are fewer than any relation needs.
    TooFew,
    /// So many.
    Runs(u32),
}

/// What was found of the documents of a batch in large sets.
#[derive(Default)]
pub(super) struct LookedUp(HashMap<u64, Looked, Prehashed>);

impl LookedUp {
    /// Looks the documents of a batch up in the large sets on scratch.
    pub(super) fn new(turns: &Turns<'_>, batch: &Batch) -> Self {
        let mut waiting: Vec<(u32, u32)> = Vec::new();
        for (place, one) in (0..).zip(&batch.places) {
            let is_large = |&other: &u32| {
                one.n_runs > 0 && turns.lending.is_on_scratch(batch.places[other as usize].first)
            };
            let others = batch.others(place).iter().copied().filter(is_large);
            waiting.extend(others.map(|other| (other, place)));
        }
        waiting.sort_unstable();
        let n_runs = |place: u32| batch.places[place as usize].n_runs;
        let is_enough = |same: &&[(u32, u32)]| {
            let n_looked_up: usize = same.iter().map(|&(_, place)| n_runs(place)).sum();
            n_looked_up * RUNS_PER_READ >= n_runs(same[0].0)
        };
        let groups: Vec<&[(u32, u32)]> =
            waiting.chunk_by(|x, y| x.0 == y.0).filter(is_enough).collect();
        let found = turns.map(&groups, |same| Self::in_one(turns, batch, same));
        let mut all = HashMap::with_hasher(Prehashed);
        for (same, found) in groups.into_iter().zip(found) {
            let each = same.iter().zip(found);
            all.extend(each.filter_map(|(&(other, place), found)| {
                found.map(|found| (key(place, other), found))
            }));
        }
        Self(all)
    }

    /// Looks up all that wait for one large set; `None` where something could not be read, which is told
    /// where it is compared.
    fn in_one(turns: &Turns<'_>, batch: &Batch, same: &[(u32, u32)]) -> Vec<Option<Looked>> {
        let two = batch.places[same[0].0 as usize];
        let Some(set) = turns.lending.read_once(two.first) else { return vec![None; same.len()] };
        let mut passed = Vec::new();
        let look = |&(_, place): &(u32, u32)| {
            if turns.stop.is_set() {
                return None;
            }
            let one = batch.places[place as usize];
            let sampled = |own: &[u64]| set.n_sampled(own, SAMPLE) as u8;
            let n_sampled = turns.lending.with_first(one.first, SAMPLE, sampled)?;
            let common = if is_much_larger(two.n_runs, one.n_runs) {
                let least = turns.least_common(one.n_runs, two.n_runs);
                let own = turns.lending.runs(one.first).ok()?;
                let n_common = set.n_common(&own, least, &mut passed);
                n_common.map_or(Common::TooFew, |n| Common::Runs(n as u32))
            } else {
                Common::NotAsked
            };
            Some(Looked { common, n_sampled })
        };
        same.iter().map(look).collect()
    }

    /// Returns what was found of a place in another.
    pub(super) fn get(&self, place: u32, other: u32) -> Option<Looked> {
        self.0.get(&key(place, other)).copied()
    }
}

fn key(place: u32, other: u32) -> u64 {
    mix(u64::from(place) << 32 | u64::from(other))
}
