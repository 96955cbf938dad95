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

mod child;
mod node;

use std::ops::ControlFlow;

use crate::halt::Halt;
use crate::hypercube::subsets;
use crate::marks::Marks;
use crate::table::{Output, Table};
use crate::task::{Cut, Flow, Target, Task};
use crate::{Miner, Spec};
use child::Scratch;
use node::{Candidate, Node};

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
        Search::new(table, task, out.halt())?.run(out)
    }
}

/// What became of a child.
enum Child {
    /// Nothing is left to do in it.
    Done,
    /// Its items have children of their own.
    Open,
}

/// The state of a search.
struct Search {
    target: Target,
    min_support: u32,
    /// Nodes on the path; those beyond `depth` keep their memory for reuse.
    nodes: Vec<Node>,
    depth: usize,
    head: Vec<u32>,
    /// Items in all transactions of the head; used if all sets are wanted.
    free: Vec<u32>,
    scratch: Scratch,
    /// Items of the table that lie in the largest set met.
    marks: Marks,
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
        let mut marks = Marks::default();
        marks.reserve(table.n_items());
        ControlFlow::Continue(Self {
            target: task.target,
            min_support: task.min_support,
            nodes: vec![root],
            depth: 1,
            head: Vec::new(),
            free: Vec::new(),
            scratch: Scratch::default(),
            marks,
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
        out.hold_up_to(node.bytes(), &mut node.held_bytes)
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
        self.marks.clear();
        self.marks.set(set);
        let is_in_set = |candidate: &Candidate| self.marks.has(candidate.item);
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
