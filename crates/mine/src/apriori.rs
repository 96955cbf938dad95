//! Apriori: all frequent sets, one size after another.
//!
//! # What it finds
//! All frequent sets; closed sets; maximal sets.
//! # How it works
//! Two frequent sets of j items that differ in their last item only make a candidate of j + 1
//! items. It stays one if all its sets of j items are frequent. The candidates stand in a prefix
//! tree; every transaction is led down the tree and counted at the candidates it holds. A set is
//! maximal if no frequent set of one more item holds it, and closed if none of its own support
//! does; both are known once the next size is counted.
//!
//! Items that are in no frequent set of a size are taken out of the transactions, and transactions
//! that have become too short are forgotten.
//! # Cost
//! All frequent sets of two sizes are in memory at a time, and a maximal set of 200 items has 2^200
//! frequent ones. On documents that come in large groups it ends at its budget; it failed in the
//! comparison of Ignatov, Jánosi-Rancz, Kuznetsov (2009) too.
//! # Where we differ from the paper
//! A prefix tree takes the place of the hash tree. Pairs are counted for one first item at a time,
//! so that nothing of the size of all pairs is needed.
//! # Reference
//! Agrawal, Srikant: Fast algorithms for mining association rules, VLDB 1994, section 2.1.

use std::cmp::Ordering;
use std::ops::{ControlFlow, Range};

use crate::halt::Halt;
use crate::table::{Output, Table};
use crate::task::{Cut, Flow, Target, Task};
use crate::{Miner, Spec};

/// The miner.
pub(crate) struct Apriori;

impl Miner for Apriori {
    fn spec(&self) -> &'static Spec {
        &Spec {
            name: "apriori",
            title: "Apriori",
            source: "Agrawal, Srikant 1994",
            targets: &[Target::All, Target::Closed, Target::Maximal],
        }
    }

    fn mine(&self, table: &Table, task: &Task, out: &mut Output<'_>) -> Flow {
        let k = task.min_support;
        let mut rows = Transactions::of(table, out.halt())?;
        let mut level = Level::of_items(table);
        out.hold(rows.held_bytes() + level.held_bytes())?;
        loop {
            let next = if level.size == 1 {
                Level::of_pairs(table, k, out)?
            } else {
                let mut next = level.candidates(out)?;
                for i in 0..rows.weights.len() {
                    next.count(rows.row(i), rows.weights[i], out)?;
                }
                next.keep_frequent(k, out)?;
                next
            };
            level.compare(&next, task.target, out.halt())?;
            for i in 0..level.len() {
                if !level.is_outdone[i] {
                    out.set(level.set(i), level.counts[i])?;
                }
            }
            out.release(level.held_bytes());
            if next.len() == 0 {
                return Flow::Continue(());
            }
            level = next;
            rows.trim(&level, table.n_items(), out.halt())?;
        }
    }
}

/// What is left of the transactions.
struct Transactions {
    starts: Vec<usize>,
    items: Vec<u32>,
    weights: Vec<u32>,
}

impl Transactions {
    fn of(table: &Table, halt: Halt<'_>) -> ControlFlow<Cut, Self> {
        let mut rows = Self { starts: vec![0], items: Vec::new(), weights: Vec::new() };
        for (at, (row, weight)) in table.rows().enumerate() {
            halt.look_at(at)?;
            rows.items.extend_from_slice(row);
            rows.starts.push(rows.items.len());
            rows.weights.push(weight);
        }
        ControlFlow::Continue(rows)
    }

    fn held_bytes(&self) -> usize {
        self.starts.len() * size_of::<usize>() + (self.items.len() + self.weights.len()) * 4
    }

    fn row(&self, i: usize) -> &[u32] {
        &self.items[self.starts[i]..self.starts[i + 1]]
    }

    /// Takes out items that no set of `level` has, and transactions no longer than its sets.
    fn trim(&mut self, level: &Level, n_items: usize, halt: Halt<'_>) -> Flow {
        let mut is_used = vec![false; n_items];
        for &item in &level.items {
            is_used[item as usize] = true;
        }
        let (mut n_kept, mut end, mut from) = (0, 0, 0);
        for i in 0..self.weights.len() {
            halt.look_at(i)?;
            let (start, to) = (end, self.starts[i + 1]);
            for at in from..to {
                let item = self.items[at];
                if is_used[item as usize] {
                    self.items[end] = item;
                    end += 1;
                }
            }
            if end - start > level.size {
                self.weights[n_kept] = self.weights[i];
                n_kept += 1;
                self.starts[n_kept] = end;
            } else {
                end = start;
            }
            from = to;
        }
        self.weights.truncate(n_kept);
        self.starts.truncate(n_kept + 1);
        self.items.truncate(end);
        Flow::Continue(())
    }
}

/// Sets of one size, in ascending order, and their prefix tree.
struct Level {
    size: usize,
    /// The items of all sets, one set after another.
    items: Vec<u32>,
    counts: Vec<u32>,
    /// Whether the set is no answer because of a larger frequent set.
    is_outdone: Vec<bool>,
    /// Nodes of each depth from the top; the last are the sets themselves.
    tree: Vec<Nodes>,
}

/// Nodes of one depth: their items, and where their children begin in the next.
#[derive(Clone, Default)]
struct Nodes {
    items: Vec<u32>,
    starts: Vec<u32>,
}

impl Level {
    fn new(size: usize) -> Self {
        let (items, counts, is_outdone) = (Vec::new(), Vec::new(), Vec::new());
        Self { size, items, counts, is_outdone, tree: vec![Nodes::default(); size] }
    }

    fn of_items(table: &Table) -> Self {
        let mut level = Self::new(1);
        for item in 0..table.n_items() as u32 {
            level.push(&[item], table.support(item));
        }
        level
    }

    fn of_pairs(table: &Table, k: u32, out: &mut Output<'_>) -> ControlFlow<Cut, Self> {
        let mut level = Self::new(2);
        let columns = table.columns(out.halt())?;
        let mut counts = vec![0; table.n_items()];
        for first in 0..table.n_items() as u32 {
            out.step()?;
            let held = level.held_bytes();
            counts[first as usize + 1..].fill(0);
            for (at, &row) in columns.row(first as usize).iter().enumerate() {
                out.halt().look_at(at)?;
                let items = table.row(row);
                let after = items.partition_point(|&item| item <= first);
                for &item in &items[after..] {
                    counts[item as usize] += table.weight(row);
                }
            }
            for second in first + 1..table.n_items() as u32 {
                if counts[second as usize] >= k {
                    level.push(&[first, second], counts[second as usize]);
                }
            }
            out.hold(level.held_bytes() - held)?;
        }
        ControlFlow::Continue(level)
    }

    fn len(&self) -> usize {
        self.counts.len()
    }

    fn set(&self, i: usize) -> &[u32] {
        &self.items[i * self.size..(i + 1) * self.size]
    }

    /// Bytes held, room for growth included.
    fn held_bytes(&self) -> usize {
        let nodes = self.tree.iter().map(|nodes| nodes.items.capacity() + nodes.starts.capacity());
        let numbers = self.items.capacity() + self.counts.capacity() + nodes.sum::<usize>();
        numbers * 4 + self.is_outdone.capacity()
    }

    /// Adds a set that comes after all others.
    fn push(&mut self, set: &[u32], count: u32) {
        let before = &self.items[self.items.len().saturating_sub(self.size)..];
        let shared = before.iter().zip(set).take_while(|(a, b)| a == b).count();
        for (depth, &item) in set.iter().enumerate().skip(shared) {
            let start = self.tree.get(depth + 1).map_or(0, |below| below.items.len() as u32);
            self.tree[depth].items.push(item);
            self.tree[depth].starts.push(start);
        }
        self.items.extend_from_slice(set);
        self.counts.push(count);
        self.is_outdone.push(false);
    }

    /// Returns the place of a set, given without one of its items.
    fn find_without(&self, set: &[u32], without: usize) -> Option<usize> {
        let mut range = 0..self.tree[0].items.len();
        let items = set[..without].iter().chain(&set[without + 1..]);
        let mut node = 0;
        for (depth, item) in items.enumerate() {
            node = range.start + self.tree[depth].items[range].binary_search(item).ok()?;
            range = if depth + 1 < self.size { children(&self.tree, depth, node) } else { 0..0 };
        }
        Some(node)
    }

    /// Returns the sets of one more item of which all parts are here; counts are 0.
    fn candidates(&self, out: &mut Output<'_>) -> ControlFlow<Cut, Self> {
        let mut next = Self::new(self.size + 1);
        let mut candidate = Vec::new();
        for parent in 0..self.tree[self.size - 2].items.len() {
            let siblings = children(&self.tree, self.size - 2, parent);
            for first in siblings.clone() {
                out.step()?;
                let held = next.held_bytes();
                for second in first + 1..siblings.end {
                    candidate.clear();
                    candidate.extend_from_slice(self.set(first));
                    candidate.push(self.items[(second + 1) * self.size - 1]);
                    // Without either of the last two it is one of the sets it was made of.
                    let is_frequent = |at| self.find_without(&candidate, at).is_some();
                    if (0..self.size - 1).all(is_frequent) {
                        next.push(&candidate, 0);
                    }
                }
                out.hold(next.held_bytes() - held)?;
            }
        }
        ControlFlow::Continue(next)
    }

    /// Counts a transaction at every set it holds.
    fn count(&mut self, row: &[u32], weight: u32, out: &mut Output<'_>) -> Flow {
        let top = 0..self.tree[0].items.len();
        descend(&self.tree, &mut self.counts, 0, top, row, weight, out)
    }

    fn keep_frequent(&mut self, k: u32, out: &mut Output<'_>) -> Flow {
        let mut kept = Self::new(self.size);
        for i in 0..self.len() {
            out.halt().look_at(i)?;
            if self.counts[i] >= k {
                kept.push(self.set(i), self.counts[i]);
            }
        }
        out.hold(kept.held_bytes())?;
        out.release(self.held_bytes());
        *self = kept;
        Flow::Continue(())
    }

    /// Marks the sets that are no answers, given the frequent sets of one more item.
    fn compare(&mut self, next: &Self, target: Target, halt: Halt<'_>) -> Flow {
        if target == Target::All {
            return Flow::Continue(());
        }
        for i in 0..next.len() {
            halt.look_at(i)?;
            for without in 0..next.size {
                let part = self.find_without(next.set(i), without);
                let part = part.expect("every part of a frequent set is frequent");
                self.is_outdone[part] |=
                    target == Target::Maximal || self.counts[part] == next.counts[i];
            }
        }
        Flow::Continue(())
    }
}

/// Returns the children, in the next depth, of a node.
fn children(tree: &[Nodes], depth: usize, node: usize) -> Range<usize> {
    let starts = &tree[depth].starts;
    let end = starts.get(node + 1).map_or(tree[depth + 1].items.len(), |&start| start as usize);
    starts[node] as usize..end
}

/// Follows the rest of a transaction down the tree.
///
/// Calls go as deep as sets are large; a frequent set of 50 items has more frequent parts than
/// fit into memory, so they never go deep.
fn descend(
    tree: &[Nodes],
    counts: &mut [u32],
    depth: usize,
    nodes: Range<usize>,
    row: &[u32],
    weight: u32,
    out: &mut Output<'_>,
) -> Flow {
    out.step()?;
    let items = &tree[depth].items;
    let n_more = tree.len() - depth;
    let (mut node, mut at) = (nodes.start, 0);
    while node < nodes.end && at + n_more <= row.len() {
        match items[node].cmp(&row[at]) {
            Ordering::Less => node += 1,
            Ordering::Greater => at += 1,
            Ordering::Equal => {
                if n_more == 1 {
                    counts[node] += weight;
                } else {
                    let children = children(tree, depth, node);
                    descend(tree, counts, depth + 1, children, &row[at + 1..], weight, out)?;
                }
                node += 1;
                at += 1;
            }
        }
    }
    Flow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::mine;
    use crate::trial::{agrees_with_the_oracle, keeps_to_its_budget};

    #[test]
    fn it_agrees_with_the_definition() {
        agrees_with_the_oracle(&Apriori, 200);
    }

    #[test]
    fn it_keeps_to_its_budget() {
        keeps_to_its_budget(&Apriori);
    }

    #[test]
    fn a_large_group_of_documents_ends_at_its_memory() {
        // Sixty items, each transaction lacking one of them.
        let rows: Vec<Vec<u32>> =
            (0..60).map(|lacks| (0..60).filter(|&item| item != lacks).collect()).collect();
        for target in [Target::All, Target::Closed, Target::Maximal] {
            let mut task = Task::new(target, 50);
            task.budget.bytes = Some(10_000_000);
            let outcome = mine(&Apriori, &Context::of(&rows), &task, &mut |_, _| {});
            assert_eq!(outcome.cut, Some(Cut::Bytes));
        }
    }
}
