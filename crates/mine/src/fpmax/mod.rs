//! `FPmax*` and `FPclose`: a search down conditional FP-trees that never meets a set before its
//! supersets.
//!
//! # What it finds
//! Maximal sets; closed sets.
//! # How it works
//! An [FP-tree](tree) holds the transactions with their items by descending frequency. Items are
//! taken from the rarest to the most frequent. For item i, the *tail* are the more frequent items
//! that are frequent together with i and the head. If a [known set](known) holds i and its tail,
//! nothing new can come of i. Otherwise the tree of the transactions with i is built over the tail
//! and searched in turn, with i added to the head. A set is thus met after every set that holds it
//! and a rarer item, so what is met first is an answer for good: sets are compared, never taken
//! back. Every call has its own tree of known sets: those that hold its head, cut down to its
//! items.
//!
//! The search ends early where it can: a tail that is empty, an item in all transactions (it
//! joins the head), transactions in the tree's first branch that hold the whole tail often enough
//! (head and tail are one answer), a known set that holds all items still to come.
//!
//! For closed sets, every head is an answer unless a known set of the same support holds it; then
//! nothing below it is an answer either.
//! # Cost
//! Time grows with the number of answers and the length of known sets. Memory: a tree and known
//! sets for every item of the head; in the first call, all answers.
//! # Where we differ from the paper
//! Pair counts, which spare the first of two walks over a tree, are kept for trees that are not
//! too large; the original takes a square of all items, 80 GB for 200,000. Trees are built from
//! sorted transactions and known sets through a hash table, where the original looks through
//! linked siblings. Items in all transactions leave the tree, and a known set is cut down to
//! the items still to come, so that many become one. The test for a tree of one branch is widened:
//! other branches do no harm if the first is frequent. The call stack is a list.
//! # Reference
//! Grahne, Zhu: Efficiently using prefix-trees in mining frequent itemsets, FIMI 2003; Fast
//! algorithms for frequent itemset mining using FP-trees, TKDE 17(10), 2005.

mod known;
mod tree;

use crate::ranks::{CallerRanks, IN_ALL, NONE};
use crate::table::{Output, Table};
use crate::task::{Flow, Target, Task};
use crate::{Miner, Spec};
use known::Known;
use tree::{Paths, Tree};

/// The miner.
pub(crate) struct FpMax;

impl Miner for FpMax {
    fn spec(&self) -> &'static Spec {
        &Spec {
            name: "fpmax",
            title: "FPmax*",
            source: "Grahne, Zhu 2003",
            targets: &[Target::Maximal, Target::Closed],
        }
    }

    fn mine(&self, table: &Table, task: &Task, out: &mut Output<'_>) -> Flow {
        let mut search = Search::new(task, table, out);
        search.start(table)?;
        search.run()
    }
}

/// A call of the search.
#[derive(Debug, Default)]
struct Call {
    tree: Tree,
    known: Known,
    caller_ranks: CallerRanks,
    /// Items of the head.
    head_len: usize,
    /// Rank of the current item; those of higher rank are done.
    at: u32,
    held_bytes: usize,
}

struct Search<'a, 'o> {
    k: u32,
    is_closed: bool,
    out: &'a mut Output<'o>,
    /// The stack of calls, outermost first. Calls that have ended stay behind the others, so that
    /// their memory is used again.
    calls: Vec<Call>,
    depth: usize,
    head: Vec<u32>,
    paths: Paths,
    paths_bytes: usize,
    // Buffers that are overwritten at each use.
    counts: Vec<u32>,
    tail: Vec<u32>,
    kept: Vec<u32>,
    new: Vec<u32>,
    set: Vec<u32>,
    set_above: Vec<u32>,
}

impl<'a, 'o> Search<'a, 'o> {
    fn new(task: &Task, table: &Table, out: &'a mut Output<'o>) -> Self {
        Self {
            k: task.min_support,
            is_closed: task.target == Target::Closed,
            out,
            calls: vec![Call::default()],
            depth: 0,
            head: Vec::new(),
            paths: Paths::default(),
            paths_bytes: 0,
            counts: Vec::new(),
            tail: Vec::new(),
            kept: Vec::new(),
            new: vec![NONE; table.n_items()],
            set: Vec::new(),
            set_above: Vec::new(),
        }
    }

    /// Builds the first tree.
    fn start(&mut self, table: &Table) -> Flow {
        let n = table.n_items();
        let tree = &mut self.calls[0].tree;
        tree.items.extend((0..n as u32).rev());
        tree.counts.extend((0..n as u32).rev().map(|item| table.support(item)));
        for (at, (row, weight)) in table.rows().enumerate() {
            self.out.halt().look_at(at)?;
            self.paths.push(row.iter().rev().map(|&item| n as u32 - 1 - item), weight, n);
        }
        self.out.hold(self.paths.held_bytes())?;
        tree.build(&mut self.paths, self.out.halt())?;
        self.out.release(self.paths.held_bytes());
        self.paths = Paths::default();
        self.calls[0].known.reset(n);
        self.calls[0].at = n as u32;
        self.account()
    }

    fn run(&mut self) -> Flow {
        loop {
            let call = &mut self.calls[self.depth];
            self.head.truncate(call.head_len);
            if call.at == 0 || (!self.is_closed && call.known.holds_all_to(call.at - 1)) {
                if self.depth == 0 {
                    return Flow::Continue(());
                }
                self.depth -= 1;
                continue;
            }
            call.at -= 1;
            self.out.step()?;
            self.item()?;
        }
    }

    /// Searches the sets of the head, the current item and more frequent ones.
    fn item(&mut self) -> Flow {
        let call = &self.calls[self.depth];
        let at = call.at;
        let count = call.tree.counts[at as usize];
        call.tree.count_with(at, &mut self.counts, self.out.halt())?;
        // If a known set holds the item and `tail`, nothing new comes of the item; the next call is
        // made of `kept`.
        self.tail.clear();
        self.kept.clear();
        let mut n_in_all = 0;
        for (rank, &with) in self.counts.iter().enumerate() {
            self.new[rank] = NONE;
            if with == count {
                self.new[rank] = IN_ALL;
                n_in_all += 1;
                self.tail.push(rank as u32);
            } else if with >= self.k {
                self.kept.push(rank as u32);
                if !self.is_closed {
                    self.tail.push(rank as u32);
                }
            }
        }
        let least = if self.is_closed { count } else { 0 };
        if call.known.holds(at, &self.tail, least, self.out.halt())? {
            return Flow::Continue(());
        }
        self.head.push(call.tree.items[at as usize]);
        for &rank in &self.tail {
            if self.new[rank as usize] == IN_ALL {
                self.head.push(call.tree.items[rank as usize]);
            }
        }
        if self.is_closed {
            self.out.set(&self.head, count)?;
            self.set.clone_from(&self.tail);
            self.learn(count)?;
        }
        match self.kept[..] {
            [] if self.is_closed => return Flow::Continue(()),
            [] => {
                self.out.set(&self.head, count)?;
                self.set.clone_from(&self.tail);
                return self.learn(count);
            }
            [rank] if !self.is_closed => {
                let count = self.counts[rank as usize];
                self.head.push(self.calls[self.depth].tree.items[rank as usize]);
                self.out.set(&self.head, count)?;
                self.set.clone_from(&self.tail);
                return self.learn(count);
            }
            _ => {}
        }
        self.descend(n_in_all)
    }

    /// Builds the tree of the transactions with the current item, and makes it the next call
    /// unless it is an answer.
    fn descend(&mut self, n_in_all: usize) -> Flow {
        if self.calls.len() == self.depth + 1 {
            self.calls.push(Call::default());
        }
        let (callers, rest) = self.calls.split_at_mut(self.depth + 1);
        let (caller, call) = (&callers[self.depth], &mut rest[0]);
        let counts = &self.counts;
        self.kept.sort_unstable_by_key(|&rank| (u32::MAX - counts[rank as usize], rank));
        call.tree.items.clear();
        call.tree.counts.clear();
        for (new, &rank) in self.kept.iter().enumerate() {
            self.new[rank as usize] = new as u32;
            call.tree.items.push(caller.tree.items[rank as usize]);
            call.tree.counts.push(counts[rank as usize]);
        }
        let halt = self.out.halt();
        caller.tree.project(caller.at, &self.new, self.kept.len(), &mut self.paths, halt)?;
        call.tree.build(&mut self.paths, halt)?;
        if !self.is_closed && call.tree.count_of_all >= self.k {
            self.head.extend_from_slice(&call.tree.items);
            let count = call.tree.count_of_all;
            self.out.set(&self.head, count)?;
            self.set.clone_from(&self.tail);
            return self.learn(count);
        }
        let in_all = (0..caller.at).filter(|&rank| self.new[rank as usize] == IN_ALL);
        call.caller_ranks.set(&self.kept, in_all);
        call.known.reset(self.kept.len());
        let from = (caller.at, &self.new[..], n_in_all);
        caller.known.project(from, &mut call.known, &mut self.set, halt)?;
        call.head_len = self.head.len();
        call.at = self.kept.len() as u32;
        self.depth += 1;
        self.account()
    }

    /// Makes a set known to all calls of the stack. `set` holds its ranks in the innermost call,
    /// without that of the current item.
    fn learn(&mut self, support: u32) -> Flow {
        // Only closed sets are compared by support.
        let support = if self.is_closed { support } else { 0 };
        for depth in (0..=self.depth).rev() {
            let call = &mut self.calls[depth];
            call.known.insert(&self.set, support, call.at);
            self.out.hold_up_to(call.bytes(), &mut call.held_bytes)?;
            if depth > 0 {
                call.caller_ranks.lift(&mut self.set, call.at, &mut self.set_above);
            }
        }
        Flow::Continue(())
    }

    /// Reports the memory of the innermost call. It is kept for later calls.
    fn account(&mut self) -> Flow {
        let call = &mut self.calls[self.depth];
        self.out.hold_up_to(call.bytes(), &mut call.held_bytes)?;
        self.out.hold_up_to(self.paths.held_bytes(), &mut self.paths_bytes)
    }
}

impl Call {
    fn bytes(&self) -> usize {
        self.tree.held_bytes() + self.known.held_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::mine;
    use crate::task::Cut;
    use crate::trial::{Random, agrees_with_the_oracle, found, keeps_to_its_budget};

    #[test]
    fn it_agrees_with_the_definition() {
        agrees_with_the_oracle(&FpMax, 200);
    }

    #[test]
    fn it_keeps_to_its_budget() {
        keeps_to_its_budget(&FpMax);
    }

    #[test]
    fn known_sets_are_counted_as_memory() {
        // Forty items, each transaction lacking one of them: more maximal sets than fit anywhere.
        let rows: Vec<Vec<u32>> =
            (0..40).map(|lacks| (0..40).filter(|&item| item != lacks).collect()).collect();
        let mut task = Task::maximal(20);
        task.budget.bytes = Some(1_000_000);
        let outcome = mine(&FpMax, &Context::of(&rows), &task, &mut |_, _| {});
        assert_eq!(outcome.cut, Some(Cut::Bytes));
    }

    /// Rows of documents that lack few of many items, so that trees are wide.
    #[test]
    fn trees_of_many_items_give_the_same_as_trees_of_few() {
        let mut random = Random::new(7);
        for _ in 0..5 {
            let rows: Vec<Vec<u32>> =
                (0..10).map(|_| (0..100).filter(|_| random.below(8) > 0).collect()).collect();
            let context = Context::of(&rows);
            let n_sets = |set: &[u32]| rows.iter().filter(|row| is_subset(set, row)).count();
            for target in [Target::Maximal, Target::Closed] {
                for (set, support) in found(&FpMax, &context, &Task::new(target, 6)) {
                    assert_eq!(n_sets(&set), support as usize);
                }
            }
            let maximal = found(&FpMax, &context, &Task::maximal(6));
            let closed = found(&FpMax, &context, &Task::new(Target::Closed, 6));
            let is_maximal = |set: &&(Vec<u32>, u32)| {
                closed.iter().all(|other| other.0 == set.0 || !is_subset(&set.0, &other.0))
            };
            assert!(closed.iter().filter(is_maximal).eq(&maximal));
        }
    }

    fn is_subset(set: &[u32], of: &[u32]) -> bool {
        set.iter().all(|item| of.binary_search(item).is_ok())
    }
}
