//! Making a child of a node: counting, choosing its items, and merging rows that became equal.

use super::node::{Candidate, Database, Node};
use crate::counts::Counts;
use crate::halt::Halt;
use crate::task::{Flow, Target};

/// Buffers for making a child.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Weight of each candidate of the parent, and of each of its shut items.
    open_counts: Counts,
    shut_counts: Counts,
    /// New numbers of the parent's candidates and shut items.
    new_open: Vec<u32>,
    new_shut: Vec<u32>,
    merged: Merged,
    row_shut: Counts,
}

const NONE: u32 = u32::MAX;

/// Finds equal rows: a table of hashes, and the members of each row as a chain.
#[derive(Debug, Default)]
struct Merged {
    slots: Vec<u32>,
    /// For each row of the child the last row of the parent that went into it.
    last: Vec<u32>,
    /// For each member the one before it, by place in the list of rows.
    previous: Vec<u32>,
}

impl Merged {
    fn start(&mut self, n_rows: usize) {
        let n_slots = (2 * n_rows).next_power_of_two();
        self.slots.clear();
        self.slots.resize(n_slots, NONE);
        self.last.clear();
        self.previous.clear();
        self.previous.resize(n_rows, NONE);
    }

    /// Makes the open items behind the last row of `database` a row; if there is an equal row, adds
    /// the weight to that one instead.
    fn push(&mut self, database: &mut Database, hash: u64, weight: u32, member: usize) {
        let start = *database.starts.last().expect("there is a start for each row and one more");
        let mask = self.slots.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        loop {
            let row = self.slots[at];
            if row == NONE {
                self.slots[at] = database.weights.len() as u32;
                database.weights.push(weight);
                database.starts.push(database.open.len());
                self.last.push(member as u32);
                return;
            }
            let row = row as usize;
            if database.open(row) == &database.open[start..] {
                database.open.truncate(start);
                database.weights[row] += weight;
                self.previous[member] = self.last[row];
                self.last[row] = member as u32;
                return;
            }
            at = (at + 1) & mask;
        }
    }
}

fn mix(hash: u64, item: u32) -> u64 {
    (hash.rotate_left(23) ^ u64::from(item)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Scratch {
    /// Sums the weights of all items in the rows of a candidate.
    pub(super) fn count(&mut self, parent: &Node, at: usize, halt: Halt<'_>) -> Flow {
        let n_open = parent.candidates.len();
        self.open_counts.reserve(n_open);
        self.shut_counts.reserve(parent.n_shut);
        if self.new_open.len() < n_open {
            self.new_open.resize(n_open, NONE);
        }
        if self.new_shut.len() < n_open + parent.n_shut {
            self.new_shut.resize(n_open + parent.n_shut, NONE);
        }
        for (round, &row) in parent.rows(at).iter().enumerate() {
            halt.look_at(round)?;
            let weight = parent.database.weights[row as usize];
            for &item in parent.database.open(row as usize) {
                self.open_counts.add(item, weight);
            }
            for &(item, weight) in parent.database.shut(row as usize) {
                self.shut_counts.add(item, weight);
            }
        }
        Flow::Continue(())
    }

    /// Chooses the items of a child by what was counted, and numbers them. Open items in all rows
    /// go to `full`. Returns whether a shut item is in all rows.
    pub(super) fn choose(
        &mut self,
        parent: &Node,
        child: &mut Node,
        at: usize,
        min_support: u32,
        full: &mut Vec<u32>,
    ) -> bool {
        let Self { open_counts, shut_counts, new_open, new_shut, .. } = self;
        let support = parent.candidates[at].support;
        child.candidates.clear();
        child.n_shut = 0;
        let mut is_met_before = false;
        // Ascending numbers stay ascending, so that rows need not be sorted.
        open_counts.touched.sort_unstable();
        for &number in &open_counts.touched {
            let sum = open_counts.sums[number as usize];
            let Candidate { item, is_done, .. } = parent.candidates[number as usize];
            new_open[number as usize] = NONE;
            new_shut[number as usize] = NONE;
            if sum < min_support || number as usize == at {
                continue;
            }
            if is_done {
                is_met_before |= sum == support;
                new_shut[number as usize] = child.n_shut as u32;
                child.n_shut += 1;
            } else if sum == support {
                full.push(item);
            } else {
                new_open[number as usize] = child.candidates.len() as u32;
                let candidate = Candidate { item, support: sum, is_done: false, is_covered: false };
                child.candidates.push(candidate);
            }
        }
        let from = parent.candidates.len();
        for &number in &shut_counts.touched {
            let sum = shut_counts.sums[number as usize];
            is_met_before |= sum == support;
            new_shut[from + number as usize] = NONE;
            if sum >= min_support {
                new_shut[from + number as usize] = child.n_shut as u32;
                child.n_shut += 1;
            }
        }
        open_counts.forget();
        shut_counts.forget();
        is_met_before
    }

    /// Makes the rows of a child; rows without open items are of no use to its children.
    pub(super) fn merge(
        &mut self,
        parent: &Node,
        child: &mut Node,
        at: usize,
        halt: Halt<'_>,
    ) -> Flow {
        let rows = parent.rows(at);
        let database = &mut child.database;
        database.clear();
        self.merged.start(rows.len());
        for (member, &row) in rows.iter().enumerate() {
            halt.look_at(member)?;
            let start = database.open.len();
            let mut hash = 0;
            for &item in parent.database.open(row as usize) {
                let new = self.new_open[item as usize];
                if new != NONE {
                    database.open.push(new);
                    hash = mix(hash, new);
                }
            }
            if database.open.len() > start {
                let weight = parent.database.weights[row as usize];
                self.merged.push(database, hash, weight, member);
            }
        }
        Flow::Continue(())
    }

    /// Sums up the shut items of each row of a child.
    pub(super) fn merge_shut(
        &mut self,
        parent: &Node,
        child: &mut Node,
        at: usize,
        target: Target,
        halt: Halt<'_>,
    ) -> Flow {
        let database = &mut child.database;
        if child.n_shut == 0 {
            database.shut_starts.resize(database.starts.len(), 0);
            return Flow::Continue(());
        }
        let Self { new_shut, merged, row_shut, .. } = self;
        let (rows, from) = (parent.rows(at), parent.candidates.len());
        row_shut.reserve(child.n_shut);
        for row in 0..database.weights.len() {
            halt.look_at(row)?;
            let mut member = merged.last[row];
            while member != NONE {
                let source = rows[member as usize] as usize;
                let weight = parent.database.weights[source];
                for &item in parent.database.open(source) {
                    if new_shut[item as usize] != NONE {
                        row_shut.add(new_shut[item as usize], weight);
                    }
                }
                for &(item, weight) in parent.database.shut(source) {
                    if new_shut[from + item as usize] != NONE {
                        row_shut.add(new_shut[from + item as usize], weight);
                    }
                }
                member = merged.previous[member as usize];
            }
            for &item in &row_shut.touched {
                let sum = row_shut.sums[item as usize];
                if target == Target::Maximal || sum == database.weights[row] {
                    database.shut.push((item, sum));
                }
            }
            row_shut.forget();
            database.shut_starts.push(database.shut.len());
        }
        Flow::Continue(())
    }
}
