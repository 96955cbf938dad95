//! AFOPT: maximal sets from prefix trees read from the top, rarest items first.
//!
//! # What it finds
//! Maximal sets.
//! # How it works
//! Items are ranked by ascending frequency, and a [tree](tree) holds the transactions in this
//! order, so the transactions of the rarest item are one branch. Items are taken from the rarest
//! on. For item i, the frequent items among the transactions that begin with i are counted, and
//! these transactions are searched in turn, ranked anew. Then i is taken off them: each subtree
//! moves *right*, to the item it begins with, so the next item finds all of its transactions in
//! one branch as well.
//!
//! Sets [found before](existing) are kept in lists, each at the next of its items, and move right
//! in the same way. If one holds all items still to come, the call ends; if one holds i and all it
//! can be joined with, i is passed over. If the transactions that hold all items still to come are
//! enough, these are an answer and the call ends. Items in all transactions join the head. Eight
//! items or fewer are counted in an array of all their subsets.
//! # Cost
//! Little memory beside the answers. Lists of sets are searched from end to end, which is slow
//! where there are many answers.
//! # Where we differ from the paper
//! The paper keeps rare items as plain arrays and the twenty most frequent as a tree; here a branch
//! that never parts is an array everywhere, and is unfolded when something is merged into it. Lists
//! are freed of repeats and carry signatures. Ranks have 32 bits; the original, with 16, fails on
//! more than 32,767 documents. A set found by looking ahead has the count of the last node of its
//! path, also where this lies in an array; the original gives some supports wrong. The call stack
//! is a list.
//! # Reference
//! Liu, Lu, Lou, Xu, Yu: Efficient mining of frequent patterns using ascending frequency ordered
//! prefix-tree, DMKD 9(3), 2004; AFOPT: an efficient implementation of pattern growth approach,
//! FIMI 2003.

mod existing;
mod tree;

use std::ops::ControlFlow;

use crate::ranks::{CallerRanks, IN_ALL, NONE};
use crate::table::{Output, Table};
use crate::task::{Cut, Flow, Target, Task};
use crate::{Miner, Spec};
use existing::Existing;
use tree::{Paths, Tree};

/// Items whose subsets are all counted at once.
const FEW_ITEMS: usize = 8;

/// The miner.
pub(crate) struct Afopt;

impl Miner for Afopt {
    fn spec(&self) -> &'static Spec {
        &Spec {
            name: "afopt",
            title: "AFOPT",
            source: "Liu, Lu, Lou, Xu, Yu 2003",
            targets: &[Target::Maximal],
        }
    }

    fn mine(&self, table: &Table, task: &Task, out: &mut Output<'_>) -> Flow {
        let mut search = Search::new(task, out);
        search.start(table)?;
        search.run()
    }
}

/// A call of the search.
#[derive(Debug, Default)]
struct Call {
    tree: Tree,
    existing: Existing,
    caller_ranks: CallerRanks,
    /// Items of the head.
    head_len: usize,
    /// Rank of the current item; those of lower rank are done.
    at: u32,
    /// Whether the current item is done too, but still has to be taken off its transactions.
    is_done: bool,
    held_bytes: usize,
}

struct Search<'a, 'o> {
    k: u32,
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
    stack: Vec<u32>,
    tail: Vec<u32>,
    kept: Vec<u32>,
    new: Vec<u32>,
    set: Vec<u32>,
    set_above: Vec<u32>,
}

impl<'a, 'o> Search<'a, 'o> {
    fn new(task: &Task, out: &'a mut Output<'o>) -> Self {
        Self {
            k: task.min_support,
            out,
            calls: vec![Call::default()],
            depth: 0,
            head: Vec::new(),
            paths: Paths::default(),
            paths_bytes: 0,
            counts: Vec::new(),
            stack: Vec::new(),
            tail: Vec::new(),
            kept: Vec::new(),
            new: Vec::new(),
            set: Vec::new(),
            set_above: Vec::new(),
        }
    }

    /// Builds the first tree. The table numbers its items by ascending support already, as ranks
    /// are here.
    fn start(&mut self, table: &Table) -> Flow {
        let items = 0..table.n_items() as u32;
        let call = &mut self.calls[0];
        call.tree.items.extend(items.clone());
        call.tree.counts.extend(items.map(|item| table.support(item)));
        for (at, (row, weight)) in table.rows().enumerate() {
            self.out.halt().look_at(at)?;
            self.paths.push(row.iter().copied(), weight);
        }
        call.tree.build(&mut self.paths, self.out.halt())?;
        call.existing.reset(table.n_items());
        self.account()
    }

    fn run(&mut self) -> Flow {
        loop {
            let call = &mut self.calls[self.depth];
            self.head.truncate(call.head_len);
            if std::mem::take(&mut call.is_done) {
                call.tree.push_right(call.at, self.out.halt())?;
                call.existing.push_right(call.at);
                call.at += 1;
            }
            if call.at == call.tree.len() as u32 || self.is_settled()? {
                if self.depth == 0 {
                    return Flow::Continue(());
                }
                self.depth -= 1;
                continue;
            }
            self.out.step()?;
            self.calls[self.depth].is_done = true;
            self.item()?;
        }
    }

    /// Returns whether one set, found before or found now, holds all items still to come.
    fn is_settled(&mut self) -> ControlFlow<Cut, bool> {
        let call = &mut self.calls[self.depth];
        call.existing.tidy(call.at, self.out.halt())?;
        if call.existing.holds_all_from(call.at) {
            return ControlFlow::Continue(true);
        }
        let n = call.tree.len() as u32;
        let is_last = call.at + 1 == n;
        let count = if is_last {
            call.tree.counts[call.at as usize]
        } else {
            call.tree.count_of_all_from(call.at)
        };
        if count < self.k {
            return ControlFlow::Continue(false);
        }
        self.head.extend_from_slice(&call.tree.items[call.at as usize..]);
        self.set.clear();
        self.set.extend(call.at + 1..n);
        self.out.set(&self.head, count)?;
        self.learn()?;
        ControlFlow::Continue(true)
    }

    /// Searches the sets of the head, the current item and more frequent ones.
    fn item(&mut self) -> Flow {
        let call = &self.calls[self.depth];
        let at = call.at;
        let count = call.tree.counts[at as usize];
        call.tree.count_with(at, &mut self.counts, &mut self.stack, self.out.halt())?;
        self.tail.clear();
        self.kept.clear();
        self.new.clear();
        self.new.resize(self.counts.len(), NONE);
        let mut n_in_all = 0;
        for (rank, (&with, new)) in (at + 1..).zip(self.counts.iter().zip(&mut self.new)) {
            if with >= self.k {
                self.tail.push(rank);
                if with == count {
                    *new = IN_ALL;
                    n_in_all += 1;
                } else {
                    self.kept.push(rank);
                }
            }
        }
        if call.existing.holds(at, &self.tail) {
            return Flow::Continue(());
        }
        self.head.push(call.tree.items[at as usize]);
        for &rank in &self.tail {
            if self.new[(rank - at - 1) as usize] == IN_ALL {
                self.head.push(call.tree.items[rank as usize]);
            }
        }
        if let [] | [_] = self.kept[..] {
            let last = self.kept.first();
            let count = last.map_or(count, |&rank| self.counts[(rank - at - 1) as usize]);
            self.head.extend(last.map(|&rank| call.tree.items[rank as usize]));
            self.out.set(&self.head, count)?;
            self.set.clone_from(&self.tail);
            return self.learn();
        }
        let counts = &self.counts;
        self.kept.sort_unstable_by_key(|&rank| (counts[(rank - at - 1) as usize], rank));
        for (new, &rank) in (0..).zip(&self.kept) {
            self.new[(rank - at - 1) as usize] = new;
        }
        call.tree.project(at, &self.new, &mut self.paths, self.out.halt())?;
        if self.kept.len() <= FEW_ITEMS { self.few_items() } else { self.descend(n_in_all) }
    }

    /// Finds the answers of few items by counting all their subsets.
    fn few_items(&mut self) -> Flow {
        let n = self.kept.len();
        let mut supports = [0; 1 << FEW_ITEMS];
        for (path, weight) in self.paths.iter() {
            supports[path.iter().fold(0, |bits, rank| bits | 1 << rank)] += weight;
        }
        for bit in (0..n).map(|rank| 1 << rank) {
            for set in (0..1 << n).filter(|set| set & bit == 0) {
                supports[set] += supports[set | bit];
            }
        }
        let head_len = self.head.len();
        for set in 1..1usize << n {
            let larger = || (0..n).filter(|rank| set >> rank & 1 == 0).map(|rank| set | 1 << rank);
            if supports[set] < self.k || larger().any(|larger| supports[larger] >= self.k) {
                continue;
            }
            let call = &self.calls[self.depth];
            let place = |rank: u32| (rank - call.at - 1) as usize;
            self.set.clear();
            let ranks = self.tail.iter().filter(|&&rank| match self.new[place(rank)] {
                IN_ALL => true,
                new => set >> new & 1 == 1,
            });
            self.set.extend(ranks);
            if call.existing.holds(call.at, &self.set) {
                continue;
            }
            self.head.truncate(head_len);
            let named = self.set.iter().filter(|&&rank| self.new[place(rank)] != IN_ALL);
            self.head.extend(named.map(|&rank| call.tree.items[rank as usize]));
            self.out.set(&self.head, supports[set])?;
            self.learn()?;
        }
        Flow::Continue(())
    }

    /// Makes the projected transactions the next call.
    fn descend(&mut self, n_in_all: usize) -> Flow {
        if self.calls.len() == self.depth + 1 {
            self.calls.push(Call::default());
        }
        let (callers, rest) = self.calls.split_at_mut(self.depth + 1);
        let (caller, call) = (&callers[self.depth], &mut rest[0]);
        let first = caller.at + 1;
        call.tree.items.clear();
        call.tree.counts.clear();
        for &rank in &self.kept {
            call.tree.items.push(caller.tree.items[rank as usize]);
            call.tree.counts.push(self.counts[(rank - first) as usize]);
        }
        let halt = self.out.halt();
        call.tree.build(&mut self.paths, halt)?;
        let in_all = |&rank: &u32| self.new[(rank - first) as usize] == IN_ALL;
        call.caller_ranks.set(&self.kept, self.tail.iter().copied().filter(in_all));
        call.existing.reset(self.kept.len());
        let from = (caller.at, &self.new[..], n_in_all);
        caller.existing.project(from, &mut call.existing, &mut self.set, halt)?;
        call.head_len = self.head.len();
        call.at = 0;
        call.is_done = false;
        self.depth += 1;
        self.account()
    }

    /// Makes a set known to all calls of the stack. `set` holds its ranks in the innermost call,
    /// without that of the current item.
    fn learn(&mut self) -> Flow {
        for depth in (0..=self.depth).rev() {
            let call = &mut self.calls[depth];
            call.existing.insert(&self.set);
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
        self.tree.held_bytes() + self.existing.held_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::mine;
    use crate::trial::{agrees_with_the_oracle, keeps_to_its_budget};

    #[test]
    fn it_agrees_with_the_definition() {
        agrees_with_the_oracle(&Afopt, 200);
    }

    #[test]
    fn it_keeps_to_its_budget() {
        keeps_to_its_budget(&Afopt);
    }

    #[test]
    fn sets_found_are_counted_as_memory() {
        // Forty items, each transaction lacking one of them.
        let rows: Vec<Vec<u32>> =
            (0..40).map(|lacks| (0..40).filter(|&item| item != lacks).collect()).collect();
        let mut task = Task::maximal(20);
        task.budget.bytes = Some(1_000_000);
        let outcome = mine(&Afopt, &Context::of(&rows), &task, &mut |_, _| {});
        assert_eq!(outcome.cut, Some(Cut::Bytes));
    }
}
