//! `GenMax`: maximal sets by backtracking over combine sets.
//!
//! # What it finds
//! Maximal sets.
//! # How it works
//! A node is a head P and its *combine set*: the items that stay frequent with P and come later.
//! For each of them in order the head grows by one, and the new combine set is found by walking
//! lists of rows, which are diffsets where these are shorter ([`vertical`](crate::vertical)).
//!
//! *Order.* Items are taken by the size of their combine sets, smallest first, then by support:
//! an item with few partners makes a small subtree. Below, combine sets are ordered by support.
//!
//! *Progressive focusing.* A node knows the maximal sets found that hold its head, and only these
//! ([`lmfi`](crate::lmfi)). If one of them holds the head and all that is left of the combine set,
//! the node and all its later siblings are left. A head with an empty combine set is maximal if
//! none of them holds it.
//!
//! *Diffset propagation.* Supports come from the lists of the parent, never from the rows.
//! # Cost
//! A walk over the lists of the combine set per node. Memory is that of the lists on one path and
//! all sets found.
//! # Where we differ from the paper
//! An item in all rows of the head joins it at once, which the paper does not do: heads of
//! hundreds of items are common in our contexts. Rows are weighted. Pairs are counted along rows
//! instead of in a triangle over all items.
//! # Reference
//! Gouda, Zaki: `GenMax`: An Efficient Algorithm for Mining Maximal Frequent Itemsets, Data Mining
//! and Knowledge Discovery 11, 2005.

use std::ops::ControlFlow;

use crate::counts::Counts;
use crate::halt::Halt;
use crate::lmfi::Focus;
use crate::marks::Marks;
use crate::table::{Output, Rows, Table};
use crate::task::{Cut, Flow, Target, Task};
use crate::vertical::{Form, Lists, Member, Places, Walk};
use crate::{Miner, Spec};

/// The miner.
pub(crate) struct GenMax;

const SPEC: Spec = Spec {
    name: "genmax",
    title: "GenMax",
    source: "Gouda, Zaki 2005",
    targets: &[Target::Maximal],
};

impl Miner for GenMax {
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
    /// The combine set; ascending by support.
    combine: Vec<Member>,
    next: usize,
    head_len: usize,
    /// Where the known sets that hold the head start in the order of [`Focus`].
    known_from: usize,
    held_bytes: usize,
}

impl Node {
    fn clear(&mut self, form: Form, support: u32) {
        self.support = support;
        self.lists.clear(form);
        self.combine.clear();
        self.next = 0;
    }

    fn bytes(&self) -> usize {
        self.lists.bytes() + size_of::<Member>() * self.combine.capacity()
    }
}

/// What became of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Child {
    /// All in it is known.
    Known,
    /// Its head cannot grow.
    Leaf,
    /// It has children of its own.
    Open,
}

/// The state of a search.
struct Search {
    min_support: u32,
    columns: Rows,
    /// Place of each item in the order of the first level.
    ranks: Vec<u32>,
    nodes: Vec<Node>,
    depth: usize,
    head: Vec<u32>,
    focus: Focus,
    /// Weights of the rows of the first item, as they are numbered within it.
    weights: Vec<u32>,
    marks: Marks,
    counts: Counts,
    places: Places,
    spare: Vec<u32>,
}

impl Search {
    fn new(table: &Table, task: &Task, halt: Halt<'_>) -> ControlFlow<Cut, Self> {
        let n_items = table.n_items();
        let mut counts = Counts::default();
        counts.reserve(n_items);
        ControlFlow::Continue(Self {
            min_support: task.min_support,
            columns: table.columns(halt)?,
            ranks: vec![0; n_items],
            nodes: vec![Node::default()],
            depth: 0,
            head: Vec::new(),
            focus: Focus::new(n_items),
            weights: Vec::new(),
            marks: Marks::default(),
            counts,
            places: Places::new(n_items),
            spare: Vec::new(),
        })
    }

    fn run(&mut self, table: &Table, out: &mut Output<'_>) -> Flow {
        let n_entries: usize = table.rows().map(|(row, _)| row.len()).sum();
        out.hold(4 * n_entries + 60 * table.n_items())?;
        for item in self.order(table, out)? {
            out.step()?;
            let child = self.first(table, item, out.halt())?;
            if self.enter(child, out)? == Child::Open {
                self.depth = 1;
                self.descend(out)?;
            }
            self.focus.end(item);
        }
        Flow::Continue(())
    }

    /// Returns the items by the size of their combine sets, then by support.
    fn order(&mut self, table: &Table, out: &mut Output<'_>) -> ControlFlow<Cut, Vec<u32>> {
        let mut order: Vec<(usize, u32)> = Vec::with_capacity(table.n_items());
        for item in 0..table.n_items() as u32 {
            out.step()?;
            self.counts.add_rows(table, self.columns.row(item as usize), out.halt())?;
            let Counts { sums, touched } = &self.counts;
            let is_frequent = |&&other: &&u32| sums[other as usize] >= self.min_support;
            order.push((touched.iter().filter(is_frequent).count(), item));
            self.counts.forget();
        }
        // Items are numbered by support.
        order.sort_unstable();
        for (rank, &(_, item)) in order.iter().enumerate() {
            self.ranks[item as usize] = rank as u32;
        }
        ControlFlow::Continue(order.into_iter().map(|(_, item)| item).collect())
    }

    /// Searches below the node at depth 1.
    fn descend(&mut self, out: &mut Output<'_>) -> Flow {
        while self.depth > 0 {
            let node = &mut self.nodes[self.depth - 1];
            let at = node.next;
            self.head.truncate(node.head_len);
            let rest = node.combine[at..].iter().map(|member| member.item);
            if at == node.combine.len() || self.focus.covers_items(node.known_from, rest) {
                self.depth -= 1;
                continue;
            }
            node.next += 1;
            out.step()?;
            let child = self.child(at, out.halt())?;
            if self.enter(child, out)? == Child::Open {
                self.depth += 1;
            }
        }
        Flow::Continue(())
    }

    /// Gives out what is maximal at the node below the path, and says whether to go on in it.
    fn enter(&mut self, child: Child, out: &mut Output<'_>) -> ControlFlow<Cut, Child> {
        let node = &mut self.nodes[self.depth];
        match child {
            Child::Known => {}
            Child::Leaf => {
                if self.focus.is_empty_from(node.known_from) {
                    out.set(&self.head, node.support)?;
                    out.hold(self.focus.keep(&self.head))?;
                }
            }
            Child::Open => {
                node.head_len = self.head.len();
                node.combine.sort_unstable_by_key(|member| (member.support, member.item));
                out.hold_up_to(node.bytes(), &mut node.held_bytes)?;
                if self.nodes.len() == self.depth + 1 {
                    self.nodes.push(Node::default());
                }
            }
        }
        ControlFlow::Continue(child)
    }

    /// Makes the node of a single item.
    fn first(&mut self, table: &Table, item: u32, halt: Halt<'_>) -> ControlFlow<Cut, Child> {
        let rows = self.columns.row(item as usize);
        self.counts.add_rows(table, rows, halt)?;
        self.weights.clear();
        self.weights.extend(rows.iter().map(|&row| table.weight(row)));
        if table.alone(item) > 0 {
            self.weights.push(table.alone(item));
        }
        self.marks.reserve(self.weights.len());
        self.head.clear();
        self.head.push(item);
        let node = &mut self.nodes[0];
        node.clear(Form::Tids, table.support(item));
        for &other in &self.counts.touched {
            let support = self.counts.sums[other as usize];
            if support < self.min_support || self.ranks[other as usize] <= self.ranks[item as usize]
            {
                continue;
            }
            self.focus.add(other);
            if support == node.support {
                self.head.push(other);
            } else {
                node.combine.push(Member { item: other, support, start: 0, end: 0, owner: 0 });
            }
        }
        self.counts.forget();

        node.known_from = self.focus.start(&self.head, halt)?;
        if node.combine.is_empty() {
            return ControlFlow::Continue(Child::Leaf);
        }
        let combine = node.combine.iter().map(|member| member.item);
        if self.focus.covers_items(node.known_from, combine) {
            return ControlFlow::Continue(Child::Known);
        }
        let Node { lists, combine, .. } = node;
        let mut none = Vec::new();
        lists.fill(
            table,
            rows,
            self.weights.len(),
            &mut self.places,
            [combine, &mut none],
            halt,
        )?;
        lists.shorten(&mut self.spare, [combine, &mut none], halt)?;
        ControlFlow::Continue(Child::Open)
    }

    /// Makes the node of an item of the last combine set of the path.
    fn child(&mut self, at: usize, halt: Halt<'_>) -> ControlFlow<Cut, Child> {
        let (path, below) = self.nodes.split_at_mut(self.depth);
        let (parent, child) = (&path[self.depth - 1], &mut below[0]);
        let taken = &parent.combine[at];
        self.head.push(taken.item);
        child.clear(parent.lists.form, taken.support);
        child.known_from = self.focus.narrow_to_item(parent.known_from, taken.item);
        self.marks.clear();
        self.marks.set(parent.lists.of(taken));
        let walk = Walk {
            lists: &parent.lists,
            support: taken.support,
            min_support: self.min_support,
            marks: &self.marks,
            owner: self.depth as u32,
        };
        for member in &parent.combine[at + 1..] {
            halt.look()?;
            let Some(new) = walk.member(member, &self.weights, &mut child.lists.rows) else {
                continue;
            };
            if new.support < child.support {
                child.combine.push(new);
            } else {
                child.lists.rows.truncate(new.start);
                self.head.push(new.item);
                child.known_from = self.focus.narrow_to_item(child.known_from, new.item);
            }
        }
        if child.combine.is_empty() {
            return ControlFlow::Continue(Child::Leaf);
        }
        let Node { lists, combine, .. } = child;
        lists.tids.extend_from_slice(parent.lists.tids_of(taken));
        lists.shorten(&mut self.spare, [combine, &mut Vec::new()], halt)?;
        ControlFlow::Continue(Child::Open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{agrees_with_the_oracle, keeps_to_its_budget};

    #[test]
    fn finds_what_the_definition_says() {
        agrees_with_the_oracle(&GenMax, 200);
    }

    #[test]
    fn ends_at_its_budget() {
        keeps_to_its_budget(&GenMax);
    }
}
