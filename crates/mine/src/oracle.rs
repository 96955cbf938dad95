//! The definition itself, for tests: every subset of the items is looked at.

use crate::context::Context;
use crate::task::{Target, Task};

/// Returns the sets asked for with their supports, in ascending order. Limits are not kept.
///
/// *Panics*: as [`Oracle::new`] and [`Oracle::sets`] do.
pub fn oracle(context: &Context, task: &Task) -> Vec<(Vec<u32>, u32)> {
    Oracle::new(context).sets(task)
}

/// The supports of all sets of a small context.
#[derive(Clone, Debug)]
pub struct Oracle {
    n_items: usize,
    /// By the set as bits.
    supports: Vec<u32>,
}

impl Oracle {
    /// Counts the transactions that hold each set.
    ///
    /// *Panics*: with more than 20 items, as the time doubles with each.
    pub fn new(context: &Context) -> Self {
        let n_items = context.n_items();
        assert!(n_items <= 20, "2^{n_items} sets are too many to look at");
        let mut supports = vec![0; 1 << n_items];
        let mut count = |transaction: usize, n: u32| {
            // Every subset of the transaction, the empty one last.
            let mut set = transaction;
            loop {
                supports[set] += n;
                if set == 0 {
                    break;
                }
                set = (set - 1) & transaction;
            }
        };
        for row in context.rows() {
            count(row.iter().fold(0, |bits, item| bits | 1 << item), 1);
        }
        for (item, &n) in context.alone().iter().enumerate() {
            count(1 << item, n);
        }
        Self { n_items, supports }
    }

    /// Returns the sets asked for with their supports, in ascending order. Limits are not kept.
    ///
    /// *Panics*: for covers, of which there may be several.
    pub fn sets(&self, task: &Task) -> Vec<(Vec<u32>, u32)> {
        let bits = |set: usize| (0..self.n_items).filter(move |item| set >> item & 1 == 1);
        let wanted = |&set: &usize| {
            let own = self.supports[set];
            let missing = |item: &usize| set >> item & 1 == 0;
            let mut larger =
                (0..self.n_items).filter(missing).map(|item| self.supports[set | 1 << item]);
            own >= task.min_support
                && set.count_ones() as usize >= task.min_size.max(1)
                && match task.target {
                    Target::All => true,
                    Target::Closed => larger.all(|other| other < own),
                    Target::Maximal => larger.all(|other| other < task.min_support),
                    Target::Cover => panic!("a context may have several covers"),
                }
        };
        let named = |set: usize| (bits(set).map(|item| item as u32).collect(), self.supports[set]);
        let mut found: Vec<(Vec<u32>, u32)> =
            (1..self.supports.len()).filter(wanted).map(named).collect();
        found.sort_unstable();
        found
    }
}
