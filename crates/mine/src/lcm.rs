//! LCM: linear time closed itemset miner, for all, closed and maximal sets.
//!
//! # What it finds
//! All frequent sets, closed sets, or maximal sets.
//! # How it works
//! A search over sets, depth first. A node has a head P, the set it stands for; *open* items,
//! which may still be added; and *shut* items, which stay frequent with P but whose sets were all
//! found before. It holds a database of its own: the transactions of P, cut to open and shut
//! items.
//!
//! *Occurrence deliver.* One pass over the database hands each row to every item in it. The rows
//! of an item are what its child is made of; one pass over them counts all items at once. Items
//! below the minimum support are dropped, and open items in all rows go into the head.
//!
//! *Merged rows.* Rows that agree in their open items become one with the sum of their weights.
//! The shut items of such a row carry their own weights; for closed sets only those in all the
//! merged rows are kept, as only they can come to be in all transactions of a larger set.
//!
//! *Closed sets, by prefix-preserving extension.* The child's head with all items found in all its
//! rows is closed. If a shut item is among those, the set and all above it were met before, and
//! the child is left. So each closed set is met once and none is stored.
//!
//! *Maximal sets, by a local test.* A head without open and shut items is maximal. If all open
//! items together are frequent with the head, this is the one set left below the node, and it is
//! maximal if no shut item fits.
//!
//! *Pruning by the largest set met.* When a child is done, let K be the largest set met in it.
//! What lies in K is found, or lies in something that is. What is still to be found has an item
//! outside of K, so items of K need no child of their own. This is the pivot of Bron and Kerbosch.
//!
//! *All sets, by hypercubes.* Items in all rows double the number of sets; they are kept apart and
//! their subsets are counted out when a node's set is given out.
//! # Cost
//! For closed sets the time of a node is that of counting its database, and each node but the
//! pruned ones gives out a set. Memory is the databases on one path, whose sizes fall quickly.
//! # Where we differ from the paper
//! Items of a node are ordered anew by their support there instead of once for all; the argument
//! for meeting a closed set once does not depend on the order. Equal rows are found by hashing
//! instead of by radix sort. The set K may also be one that turned out not to be maximal, as what
//! it lies in was given out before, and it is replaced whenever a better one is met. There is no
//! special table for the few most frequent items.
//! # Reference
//! Uno, Kiyomi, Arimura: LCM ver. 2: Efficient Mining Algorithms for Frequent/Closed/Maximal
//! Itemsets, FIMI 2004; LCM ver. 3, OSDM 2005.

use std::ops::ControlFlow;

use crate::counts::Counts;
use crate::halt::Halt;
use crate::hypercube::subsets;
use crate::table::{Output, Table};
use crate::task::{Cut, Flow, Target, Task};
use crate::{Miner, Spec};

/// The miner.
pub(crate) struct Lcm;

const SPEC: Spec = Spec {
    name: "lcm",
    title: "LCM",
    source: "Uno, Kiyomi, Arimura 2004",
    targets: &[Target::All, Target::Closed, Target::Maximal],
};

impl Miner for Lcm {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn mine(&self, table: &Table, task: &Task, out: &mut Output<'_>) -> Flow {
        let mut search = Search::new(table, task, out.halt())?;
        let flow = search.run(out);
        out.release(search.held_bytes);
        flow
    }
}

/// Weighted rows of a node's items. Open items are ascending; shut items carry their own weights.
#[derive(Debug, Default)]
struct Database {
    weights: Vec<u32>,
    starts: Vec<usize>,
    open: Vec<u32>,
    shut_starts: Vec<usize>,
    shut: Vec<(u32, u32)>,
}

impl Database {
    fn clear(&mut self) {
        self.weights.clear();
        self.starts.clear();
        self.starts.push(0);
        self.open.clear();
        self.shut_starts.clear();
        self.shut_starts.push(0);
        self.shut.clear();
    }

    fn open(&self, row: usize) -> &[u32] {
        &self.open[self.starts[row]..self.starts[row + 1]]
    }

    fn shut(&self, row: usize) -> &[(u32, u32)] {
        &self.shut[self.shut_starts[row]..self.shut_starts[row + 1]]
    }
}

/// An item of a node.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Its number in the table.
    item: u32,
    support: u32,
    /// Its children are done: it is shut for those to come.
    is_done: bool,
    /// It lies in the largest set met, and needs no child.
    is_covered: bool,
}

/// A node of the search.
#[derive(Debug, Default)]
struct Node {
    database: Database,
    candidates: Vec<Candidate>,
    n_shut: usize,
    /// Rows of each candidate, by occurrence deliver.
    starts: Vec<usize>,
    rows: Vec<u32>,
    /// Candidates in the order of their children.
    order: Vec<u32>,
    next: usize,
    /// Candidates that wait for their child, covered ones left out.
    n_waiting: usize,
    head_len: usize,
    free_len: usize,
    /// The largest set met below, for maximal sets.
    largest: Vec<u32>,
    held_bytes: usize,
}

impl Node {
    /// Hands each row to its items.
    fn deliver(&mut self, halt: Halt<'_>) -> Flow {
        self.starts.clear();
        self.starts.resize(self.candidates.len() + 1, 0);
        for &item in &self.database.open {
            self.starts[item as usize + 1] += 1;
        }
        for i in 0..self.candidates.len() {
            self.starts[i + 1] += self.starts[i];
        }
        self.rows.clear();
        self.rows.resize(self.database.open.len(), 0);
        for row in (0..self.database.weights.len()).rev() {
            halt.look_at(row)?;
            for at in self.database.starts[row]..self.database.starts[row + 1] {
                // Filled from behind, so that `starts[item + 1]` ends as the start of the item.
                let end = &mut self.starts[self.database.open[at] as usize + 1];
                *end -= 1;
                self.rows[*end] = row as u32;
            }
        }
        // What is now at `i + 1` is the start of `i`.
        self.starts.remove(0);
        self.starts.push(self.rows.len());
        Flow::Continue(())
    }

    fn rows(&self, candidate: usize) -> &[u32] {
        &self.rows[self.starts[candidate]..self.starts[candidate + 1]]
    }

    /// Puts candidates in order: rare ones first, as their databases are small.
    // PERF: 9x over the most frequent first, which was to meet a large set early, for maximal sets
    //       of chess at 1598 (0.04 s and 0.36 s; 2026-11).
    fn arrange(&mut self) {
        let Self { order, candidates, .. } = self;
        order.clear();
        order.extend(0..candidates.len() as u32);
        order.sort_unstable_by_key(|&at| (candidates[at as usize].support, at));
        self.next = 0;
        self.n_waiting = order.len();
    }

    /// Returns the row of all candidates if it is frequent. There is one at most, as equal rows are
    /// merged.
    fn row_of_all(&self, min_support: u32) -> Option<usize> {
        let Database { weights, .. } = &self.database;
        let n = self.candidates.len();
        (0..weights.len())
            .find(|&row| weights[row] >= min_support && self.database.open(row).len() == n)
    }

    /// Returns the candidate whose child is next.
    fn take_next(&mut self) -> Option<usize> {
        while let Some(&at) = self.order.get(self.next) {
            self.next += 1;
            let candidate = &self.candidates[at as usize];
            if !candidate.is_done && !candidate.is_covered {
                return Some(at as usize);
            }
        }
        None
    }

    fn bytes(&self) -> usize {
        let Self { database, candidates, starts, rows, order, largest, .. } = self;
        let wide = database.starts.capacity() + database.shut_starts.capacity() + starts.capacity();
        let narrow = database.weights.capacity()
            + database.open.capacity()
            + 2 * database.shut.capacity()
            + rows.capacity()
            + order.capacity()
            + largest.capacity();
        wide * size_of::<usize>() + narrow * 4 + candidates.capacity() * size_of::<Candidate>()
    }
}

/// What became of a child.
enum Child {
    /// Nothing is left to do in it.
    Done,
    /// Its items have children of their own.
    Open,
}

/// The search at work.
struct Search {
    target: Target,
    min_support: u32,
    /// Nodes on the path; those beyond `depth` keep their memory for reuse.
    nodes: Vec<Node>,
    depth: usize,
    head: Vec<u32>,
    /// Items in all transactions of the head, for all sets.
    free: Vec<u32>,
    scratch: Scratch,
    held_bytes: usize,
}

/// What a child is made with.
#[derive(Debug, Default)]
struct Scratch {
    /// Weight of each candidate of the parent, and of each of its shut items.
    open_counts: Counts,
    shut_counts: Counts,
    /// New numbers of the parent's candidates and shut items.
    new_open: Vec<u32>,
    new_shut: Vec<u32>,
    merged: Merged,
    row_shut: Counts,
    /// Marks of items of the table that lie in the largest set.
    marks: Vec<u32>,
    n_marks: u32,
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

    /// Makes the items behind `database`'s last row a row, or adds its weight to an equal one.
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

impl Search {
    fn new(table: &Table, task: &Task, halt: Halt<'_>) -> ControlFlow<Cut, Self> {
        let mut root = Node::default();
        root.database.clear();
        let mut push = |row: &[u32], weight| {
            root.database.open.extend_from_slice(row);
            root.database.starts.push(root.database.open.len());
            root.database.shut_starts.push(0);
            root.database.weights.push(weight);
        };
        for (at, (row, weight)) in table.rows().enumerate() {
            halt.look_at(at)?;
            push(row, weight);
        }
        // The root's set is empty and never given out, so its items need not be looked for in all
        // rows: as if there were one more transaction, without items.
        for item in 0..table.n_items() as u32 {
            if table.alone(item) > 0 {
                push(&[item], table.alone(item));
            }
            let support = table.support(item);
            let candidate = Candidate { item, support, is_done: false, is_covered: false };
            root.candidates.push(candidate);
        }
        root.deliver(halt)?;
        root.arrange();
        let scratch = Scratch { marks: vec![0; table.n_items()], ..Scratch::default() };
        ControlFlow::Continue(Self {
            target: task.target,
            min_support: task.min_support,
            nodes: vec![root],
            depth: 1,
            head: Vec::new(),
            free: Vec::new(),
            scratch,
            held_bytes: 0,
        })
    }

    fn run(&mut self, out: &mut Output<'_>) -> Flow {
        self.account(0, out)?;
        while self.depth > 0 {
            let node = &mut self.nodes[self.depth - 1];
            let Some(at) = node.take_next() else {
                self.leave();
                continue;
            };
            out.step()?;
            let (head_len, free_len) = (self.head.len(), self.free.len());
            if self.nodes.len() == self.depth {
                self.nodes.push(Node::default());
            }
            let child = self.child(at, out)?;
            self.nodes[self.depth - 1].candidates[at].is_done = true;
            self.nodes[self.depth - 1].n_waiting -= 1;
            match child {
                Child::Open => {
                    self.account(self.depth, out)?;
                    self.depth += 1;
                }
                Child::Done => {
                    if self.target == Target::Maximal {
                        self.met(self.depth - 1, None);
                    }
                    self.head.truncate(head_len);
                    self.free.truncate(free_len);
                }
            }
        }
        Flow::Continue(())
    }

    /// Accounts for what a node has grown by.
    fn account(&mut self, at: usize, out: &mut Output<'_>) -> Flow {
        let node = &mut self.nodes[at];
        let bytes = node.bytes();
        let grown = bytes.saturating_sub(node.held_bytes);
        node.held_bytes += grown;
        self.held_bytes += grown;
        if grown > 0 { out.hold(grown) } else { Flow::Continue(()) }
    }

    /// Ends the last node of the path.
    fn leave(&mut self) {
        self.depth -= 1;
        let node = &mut self.nodes[self.depth];
        let (head_len, free_len) = (node.head_len, node.free_len);
        if self.depth > 0 && self.target == Target::Maximal {
            let largest = std::mem::take(&mut node.largest);
            self.met(self.depth - 1, Some(&largest));
            self.nodes[self.depth].largest = largest;
        }
        self.head.truncate(head_len);
        self.free.truncate(free_len);
    }

    /// Tells the node at `at` of a set met below it, the head if none is given.
    fn met(&mut self, at: usize, set: Option<&[u32]>) {
        let set = set.unwrap_or(&self.head);
        let node = &mut self.nodes[at];
        if set.len() <= node.largest.len() {
            return;
        }
        node.largest.clear();
        node.largest.extend_from_slice(set);
        let Scratch { marks, n_marks, .. } = &mut self.scratch;
        if *n_marks == u32::MAX {
            marks.fill(0);
            *n_marks = 0;
        }
        *n_marks += 1;
        for &item in set {
            marks[item as usize] = *n_marks;
        }
        let is_in_set = |candidate: &Candidate| marks[candidate.item as usize] == *n_marks;
        let is_waiting = |candidate: &&Candidate| !candidate.is_done && !is_in_set(candidate);
        let n_waiting = node.candidates.iter().filter(is_waiting).count();
        if n_waiting < node.n_waiting {
            for candidate in &mut node.candidates {
                candidate.is_covered = is_in_set(candidate);
            }
            node.n_waiting = n_waiting;
            node.next = 0;
        }
    }

    /// Makes the child of a candidate, gives out what there is to give, and says whether to go on
    /// in it. Items of the child are added to the head.
    fn child(&mut self, at: usize, out: &mut Output<'_>) -> ControlFlow<Cut, Child> {
        let (path, below) = self.nodes.split_at_mut(self.depth);
        let (parent, child) = (&path[self.depth - 1], &mut below[0]);
        let support = parent.candidates[at].support;
        child.head_len = self.head.len();
        child.free_len = self.free.len();
        child.largest.clear();
        self.head.push(parent.candidates[at].item);

        self.scratch.count(parent, at, out.halt())?;
        let full = if self.target == Target::All { &mut self.free } else { &mut self.head };
        let is_met_before = self.scratch.choose(parent, child, at, self.min_support, full);
        if is_met_before && self.target != Target::All {
            return ControlFlow::Continue(Child::Done);
        }
        let is_leaf = child.candidates.is_empty();
        match self.target {
            Target::All => {
                child.n_shut = 0;
                subsets(&mut self.head, &self.free, support, out)?;
            }
            Target::Closed => out.set(&self.head, support)?,
            Target::Maximal if is_leaf && child.n_shut == 0 => out.set(&self.head, support)?,
            Target::Maximal | Target::Cover => {}
        }
        if is_leaf {
            return ControlFlow::Continue(Child::Done);
        }
        self.scratch.merge(parent, child, at, out.halt())?;
        self.scratch.merge_shut(parent, child, at, self.target, out.halt())?;
        if self.target == Target::Maximal {
            let database = &child.database;
            if let Some(row) = child.row_of_all(self.min_support) {
                self.head.extend(child.candidates.iter().map(|candidate| candidate.item));
                let fits = |&(_, weight): &(u32, u32)| weight >= self.min_support;
                if !database.shut(row).iter().any(fits) {
                    out.set(&self.head, database.weights[row])?;
                }
                return ControlFlow::Continue(Child::Done);
            }
        }
        child.deliver(out.halt())?;
        child.arrange();
        ControlFlow::Continue(Child::Open)
    }
}

impl Scratch {
    /// Sums the weights of all items in the rows of a candidate.
    fn count(&mut self, parent: &Node, at: usize, halt: Halt<'_>) -> Flow {
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
    fn choose(
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
    fn merge(&mut self, parent: &Node, child: &mut Node, at: usize, halt: Halt<'_>) -> Flow {
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
    fn merge_shut(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::trial::{agrees_with_the_oracle, found, keeps_to_its_budget};

    #[test]
    fn finds_what_the_definition_says() {
        agrees_with_the_oracle(&Lcm, 200);
    }

    #[test]
    fn ends_at_its_budget() {
        keeps_to_its_budget(&Lcm);
    }

    #[test]
    fn an_item_of_all_transactions_is_closed() {
        let context = Context::of(&[vec![0, 1], vec![0, 2], vec![0]]);
        let sets = found(&Lcm, &context, &Task::new(Target::Closed, 1));
        assert_eq!(sets, [(vec![0], 3), (vec![0, 1], 1), (vec![0, 2], 1)]);
    }

    #[test]
    fn a_long_chain_of_sets_does_not_exhaust_the_stack() {
        // Transaction i holds the items 0 to i: as many closed sets, each in the next.
        let rows: Vec<Vec<u32>> = (0..2_000).map(|last| (0..=last).collect()).collect();
        let sets = found(&Lcm, &Context::of(&rows), &Task::new(Target::Closed, 1));
        assert_eq!(sets.len(), 2_000);
    }
}
