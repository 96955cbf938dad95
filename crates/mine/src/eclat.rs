//! Eclat and dEclat: depth first over vertical lists.
//!
//! # What it finds
//! All frequent sets, closed sets, or maximal sets.
//! # How it works
//! A node is a head P with members: items that stay frequent with P. *Open* members may still be
//! added; *shut* ones had their turn at an ancestor, and all sets with them are known. Each member
//! x has a list, either the rows of P that hold x (a tid-list) or those that do not (a diffset);
//! rows have weights, and a support is a sum of weights ([`vertical`](crate::vertical)). A node of
//! tid-lists is turned into one of diffsets when these are shorter in sum; diffsets only shrink
//! from there.
//!
//! The first level is counted along rows instead of by pairs of items: one pass over the rows of
//! an item finds its partners, and rows are numbered anew within it.
//!
//! *Perfect extensions.* An open member in all rows of P goes into the head; for all sets it is
//! kept aside and doubles what is given out below.
//!
//! *Closed* is a head without a shut member in all its rows; with one, the node is left, as all its
//! sets are known. With diffsets, one row that a shut member lacks is enough to know, so its list
//! is not made anew: it stays where it was made, and is walked on from the last such row when that
//! row is lost. *Maximal* is a head without members. Both tests are local; no sets are stored.
//!
//! *Look-ahead.* If the head with all open members is frequent, it is the one maximal set below.
//! If a child reached all that was open at its parent, the parent's other children are in it.
//! # Cost
//! A walk over the lists of all members per node. Memory is the lists on one path.
//! # Where we differ from the paper
//! The papers find all sets, and closed or maximal ones by other algorithms; the local test with
//! shut members is ours, in the manner of LCM. Rows are weighted.
//! # Reference
//! Zaki: Scalable Algorithms for Association Mining, TKDE 2000; Zaki, Gouda: Fast Vertical Mining
//! Using Diffsets, KDD 2003.

use std::ops::ControlFlow;

use crate::counts::Counts;
use crate::halt::Halt;
use crate::hypercube::subsets;
use crate::marks::Marks;
use crate::table::{Output, Rows, Table};
use crate::task::{Cut, Flow, Target, Task};
use crate::vertical::{Form, Lists, Member, Places, Walk};
use crate::{Miner, Spec};

/// The miner.
pub(crate) struct Eclat;

const SPEC: Spec = Spec {
    name: "eclat",
    title: "dEclat",
    source: "Zaki, Gouda 2003",
    targets: &[Target::All, Target::Closed, Target::Maximal],
};

impl Miner for Eclat {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn mine(&self, table: &Table, task: &Task, out: &mut Output<'_>) -> Flow {
        Search::new(table, task, out.halt())?.run(table, out)
    }
}

/// A node of the search.
#[derive(Debug, Default)]
struct Node {
    support: u32,
    lists: Lists,
    /// Ascending by support.
    open: Vec<Member>,
    shut: Vec<Member>,
    next: usize,
    head_len: usize,
    free_len: usize,
    held_bytes: usize,
}

impl Node {
    fn clear(&mut self, form: Form, support: u32) {
        self.support = support;
        self.lists.clear(form);
        self.open.clear();
        self.shut.clear();
        self.next = 0;
    }

    fn arrange(&mut self) {
        self.open.sort_unstable_by_key(|member| (member.support, member.item));
    }

    fn bytes(&self) -> usize {
        self.lists.bytes() + size_of::<Member>() * (self.open.capacity() + self.shut.capacity())
    }
}

/// What became of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Child {
    /// A shut item is in all its rows; nothing in it is new.
    Known,
    /// Its head has all items it can have.
    Leaf,
    /// Its members have children of their own.
    Open,
}

/// The state of a search.
struct Search {
    target: Target,
    min_support: u32,
    columns: Rows,
    nodes: Vec<Node>,
    depth: usize,
    head: Vec<u32>,
    /// Items in all rows of the head, for all sets.
    free: Vec<u32>,
    /// Weights of the rows of the first item, as they are numbered within it.
    weights: Vec<u32>,
    marks: Marks,
    counts: Counts,
    /// Whether a row of the first item was lost on the path, since lists are diffsets.
    is_lost: Vec<bool>,
    places: Places,
    spare: Vec<u32>,
}

impl Search {
    fn new(table: &Table, task: &Task, halt: Halt<'_>) -> ControlFlow<Cut, Self> {
        let mut counts = Counts::default();
        counts.reserve(table.n_items());
        ControlFlow::Continue(Self {
            target: task.target,
            min_support: task.min_support,
            columns: table.columns(halt)?,
            nodes: vec![Node::default()],
            depth: 0,
            head: Vec::new(),
            free: Vec::new(),
            weights: Vec::new(),
            marks: Marks::default(),
            counts,
            is_lost: Vec::new(),
            places: Places::new(table.n_items()),
            spare: Vec::new(),
        })
    }

    fn run(&mut self, table: &Table, out: &mut Output<'_>) -> Flow {
        let n_entries: usize = table.rows().map(|(row, _)| row.len()).sum();
        out.hold(4 * n_entries + 24 * table.n_items())?;
        for item in 0..table.n_items() as u32 {
            out.step()?;
            self.head.clear();
            self.free.clear();
            self.head.push(item);
            let child = self.first(table, item, out.halt())?;
            if self.enter(child, out)? == Child::Open {
                self.depth = 1;
                self.descend(out)?;
            }
        }
        Flow::Continue(())
    }

    /// Searches below the node at depth 1.
    fn descend(&mut self, out: &mut Output<'_>) -> Flow {
        while self.depth > 0 {
            let node = &mut self.nodes[self.depth - 1];
            let at = node.next;
            if at == node.open.len() {
                self.depth -= 1;
                self.lose(false);
                continue;
            }
            node.next += 1;
            out.step()?;
            self.head.truncate(node.head_len);
            self.free.truncate(node.free_len);
            self.head.push(node.open[at].item);
            let reach = node.head_len + node.open.len() - at;
            let child = self.child(at, out.halt())?;
            match self.enter(child, out)? {
                Child::Open => {
                    self.lose(true);
                    self.depth += 1;
                }
                Child::Leaf if self.target == Target::Maximal && self.head.len() == reach => {
                    self.nodes[self.depth - 1].next = self.nodes[self.depth - 1].open.len();
                }
                Child::Leaf | Child::Known => {}
            }
        }
        Flow::Continue(())
    }

    /// Notes that the rows lost by the last member taken at the end of the path are lost, or not.
    fn lose(&mut self, is_lost: bool) {
        if self.depth == 0 || self.target != Target::Closed {
            return;
        }
        let node = &self.nodes[self.depth - 1];
        if node.lists.form == Form::Diffs {
            for &row in node.lists.of(&node.open[node.next - 1]) {
                self.is_lost[row as usize] = is_lost;
            }
        }
    }

    /// Gives out what there is to give at the node below the path, and says whether to go on in it.
    fn enter(&mut self, child: Child, out: &mut Output<'_>) -> ControlFlow<Cut, Child> {
        if child == Child::Known {
            return ControlFlow::Continue(child);
        }
        let node = &mut self.nodes[self.depth];
        out.hold_up_to(node.bytes(), &mut node.held_bytes)?;
        node.head_len = self.head.len();
        node.free_len = self.free.len();
        match self.target {
            Target::All => subsets(&mut self.head, &self.free, node.support, out)?,
            Target::Closed => out.set(&self.head, node.support)?,
            Target::Maximal | Target::Cover if node.open.is_empty() => {
                if node.shut.is_empty() {
                    out.set(&self.head, node.support)?;
                }
            }
            Target::Maximal | Target::Cover => {
                if let Some(support) = self.all_together() {
                    let node = &self.nodes[self.depth];
                    self.head.extend(node.open.iter().map(|member| member.item));
                    if !self.a_shut_one_fits(support) {
                        out.set(&self.head, support)?;
                    }
                    return ControlFlow::Continue(Child::Leaf);
                }
            }
        }
        let node = &mut self.nodes[self.depth];
        if node.open.is_empty() {
            return ControlFlow::Continue(Child::Leaf);
        }
        node.arrange();
        if self.nodes.len() == self.depth + 1 {
            self.nodes.push(Node::default());
        }
        ControlFlow::Continue(Child::Open)
    }

    /// Makes the node of a single item, counting along its rows.
    fn first(&mut self, table: &Table, item: u32, halt: Halt<'_>) -> ControlFlow<Cut, Child> {
        let rows = self.columns.row(item as usize);
        let node = &mut self.nodes[0];
        let support = table.support(item);
        node.clear(Form::Tids, support);
        self.weights.clear();
        self.weights.extend(rows.iter().map(|&row| table.weight(row)));
        self.counts.add_rows(table, rows, halt)?;
        if table.alone(item) > 0 {
            self.weights.push(table.alone(item));
        }
        self.marks.reserve(self.weights.len());
        if self.is_lost.len() < self.weights.len() {
            self.is_lost.resize(self.weights.len(), false);
        }
        // Items are ascending by support: those before this one are done.
        let mut child = Child::Open;
        for &other in &self.counts.touched {
            let sum = self.counts.sums[other as usize];
            if sum < self.min_support || other == item {
                continue;
            }
            let is_shut = other < item;
            if is_shut && self.target == Target::All {
                continue;
            }
            if sum < support {
                let members = if is_shut { &mut node.shut } else { &mut node.open };
                members.push(Member { item: other, support: sum, start: 0, end: 0, owner: 0 });
            } else if is_shut {
                child = Child::Known;
            } else {
                let full = if self.target == Target::All { &mut self.free } else { &mut self.head };
                full.push(other);
            }
        }
        self.counts.forget();
        if child == Child::Known || node.open.is_empty() {
            return ControlFlow::Continue(child);
        }
        let Node { lists, open, shut, .. } = node;
        lists.fill(table, rows, self.weights.len(), &mut self.places, [open, shut], halt)?;
        lists.shorten(&mut self.spare, [open, shut], halt)?;
        ControlFlow::Continue(child)
    }

    /// Makes the node of an open member of the last node of the path.
    fn child(&mut self, at: usize, halt: Halt<'_>) -> ControlFlow<Cut, Child> {
        let (path, below) = self.nodes.split_at_mut(self.depth);
        let (parent, child) = (&path[self.depth - 1], &mut below[0]);
        let Member { support, .. } = parent.open[at];
        child.clear(parent.lists.form, support);
        self.marks.clear();
        self.marks.set(parent.lists.of(&parent.open[at]));
        let owner = self.depth as u32;
        let walk = Walk {
            lists: &parent.lists,
            support,
            min_support: self.min_support,
            marks: &self.marks,
            owner,
        };
        let has_witnesses = self.target == Target::Closed && parent.lists.form == Form::Diffs;
        if has_witnesses {
            for member in parent.shut.iter().chain(&parent.open[..at]) {
                let lists = path[member.owner as usize].lists.of(member);
                let is_left = |&row: &u32| !self.is_lost[row as usize] && !self.marks.has(row);
                let Some(n_lost) = lists.iter().position(is_left) else {
                    return ControlFlow::Continue(Child::Known);
                };
                child.shut.push(Member { start: member.start + n_lost, ..*member });
            }
        } else if self.target != Target::All {
            for member in parent.shut.iter().chain(&parent.open[..at]) {
                halt.look()?;
                if let Some(new) = walk.member(member, &self.weights, &mut child.lists.rows) {
                    if new.support == support {
                        return ControlFlow::Continue(Child::Known);
                    }
                    child.shut.push(new);
                }
            }
        }
        for member in &parent.open[at + 1..] {
            halt.look()?;
            if let Some(new) = walk.member(member, &self.weights, &mut child.lists.rows) {
                if new.support < support {
                    child.open.push(new);
                    continue;
                }
                child.lists.rows.truncate(new.start);
                match self.target {
                    Target::All => self.free.push(new.item),
                    Target::Closed | Target::Maximal | Target::Cover => self.head.push(new.item),
                }
            }
        }
        if !child.open.is_empty() {
            let Node { lists, open, shut, .. } = child;
            lists.tids.extend_from_slice(parent.lists.tids_of(&parent.open[at]));
            lists.shorten(&mut self.spare, [open, shut], halt)?;
        }
        ControlFlow::Continue(Child::Open)
    }

    /// Returns the support of the head with all open members if that is frequent, with the rows
    /// that decide marked: those that hold all, or those that lack one.
    fn all_together(&mut self) -> Option<u32> {
        let node = &self.nodes[self.depth];
        match node.lists.form {
            Form::Diffs => {
                let mut spare = node.support - self.min_support;
                self.marks.clear();
                for member in &node.open {
                    for &row in node.lists.of(member) {
                        if !self.marks.has(row) {
                            spare = spare.checked_sub(self.weights[row as usize])?;
                            self.marks.set(&[row]);
                        }
                    }
                }
                Some(self.min_support + spare)
            }
            Form::Tids => {
                let mut support = 0;
                self.spare.clear();
                self.spare.extend_from_slice(&node.lists.tids);
                for member in &node.open {
                    self.marks.clear();
                    self.marks.set(node.lists.of(member));
                    self.spare.retain(|&row| self.marks.has(row));
                    support = self.spare.iter().map(|&row| self.weights[row as usize]).sum();
                    if support < self.min_support {
                        return None;
                    }
                }
                self.marks.clear();
                self.marks.set(&self.spare);
                Some(support)
            }
        }
    }

    /// Returns whether a shut member can be added to the set `all_together` found.
    fn a_shut_one_fits(&self, support: u32) -> bool {
        let node = &self.nodes[self.depth];
        let weight = |&row: &u32| self.weights[row as usize];
        node.shut.iter().any(|member| {
            let rows = node.lists.of(member).iter();
            let both = match node.lists.form {
                Form::Tids => rows.filter(|&&row| self.marks.has(row)).map(weight).sum::<u32>(),
                Form::Diffs => {
                    let lost: u32 = rows.filter(|&&row| !self.marks.has(row)).map(weight).sum();
                    support.saturating_sub(lost)
                }
            };
            both >= self.min_support
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::trial::{agrees_with_the_oracle, found, keeps_to_its_budget};

    #[test]
    fn finds_what_the_definition_says() {
        agrees_with_the_oracle(&Eclat, 200);
    }

    #[test]
    fn ends_at_its_budget() {
        keeps_to_its_budget(&Eclat);
    }

    #[test]
    fn a_bomb_of_sets_ends_at_its_steps() {
        let rows: Vec<Vec<u32>> =
            (0..60).map(|lacks| (0..60).filter(|&item| item != lacks).collect()).collect();
        let mut task = Task::new(Target::Closed, 30);
        task.budget.steps = Some(10_000);
        let outcome = crate::mine(&Eclat, &Context::of(&rows), &task, &mut |_, _| {});
        assert_eq!(outcome.cut, Some(crate::Cut::Steps));
    }

    #[test]
    fn a_long_chain_of_sets_does_not_exhaust_the_stack() {
        let rows: Vec<Vec<u32>> = (0..1_000).map(|last| (0..=last).collect()).collect();
        let sets = found(&Eclat, &Context::of(&rows), &Task::new(Target::Closed, 1));
        assert_eq!(sets.len(), 1_000);
    }
}
