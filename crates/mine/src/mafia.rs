//! MAFIA: maximal sets by vertical bitmaps.
//!
//! # What it finds
//! Maximal sets.
//! # How it works
//! A node of the search is a head P and a tail of items that may be added. Every item has a bitmap
//! over rows; the support of P and x is counted in the bits of both. Rows are sorted by weight and
//! laid out so that each word of a bitmap holds rows of one weight: a support is the sum over
//! words of the bits set times the weight of the word.
//!
//! *Parent equivalence (PEP).* An item in all rows of P goes into the head.
//!
//! *HUTMFI.* If the head and its whole tail lie in a known maximal set, nothing new is below. Known
//! sets that hold the head are a slice at the end of a list (*LMFI*): going down with x moves the
//! sets with x to the end of the slice, and a set found is put behind all others, where it belongs
//! to the slices of all heads on the path. In the slice only the tail is left to compare.
//!
//! *FHUT.* If the first way down from a node ends with the head and all its tail, this one set is
//! all there is below the node, and its other children are left out.
//!
//! *Dynamic order.* A tail is sorted by support, rare items first, so that bitmaps grow sparse
//! early and frequent items are in all tails.
//!
//! *Projected bitmaps.* When few of the rows are left in the head's bitmap, the bitmaps of the
//! tail are copied without the rest. Below a single item this is always done: its bitmaps are made
//! from its own rows, and no bitmap over all rows is needed.
//!
//! A head without a tail is maximal if no known set holds it: a larger frequent set would have an
//! item that had its turn before, and was found then.
//! # Cost
//! One pass over the words of the head's bitmap per item of the tail and node. Memory is that of
//! the bitmaps on one path, and all sets found.
//! # Where we differ from the paper
//! Rows are weighted. Known sets are listed for every item they hold, so that the first level
//! starts from its own slice, with bitmaps over the items of that slice only; the paper sorts the
//! whole list at each node. Projection depends on the share of rows left, not on an estimate of
//! the subtree.
//! # Reference
//! Burdick, Calimlim, Gehrke: MAFIA: A Maximal Frequent Itemset Algorithm for Transactional
//! Databases, ICDE 2001; with Flannick, Yiu: MAFIA, TKDE 2005.

use std::ops::ControlFlow;

use crate::counts::Counts;
use crate::halt::Halt;
use crate::lmfi::Focus;
use crate::table::{Output, Rows, Table};
use crate::task::{Cut, Flow, Target, Task};
use crate::{Miner, Spec};

/// The miner.
pub(crate) struct Mafia;

const SPEC: Spec = Spec {
    name: "mafia",
    title: "MAFIA",
    source: "Burdick, Calimlim, Gehrke 2001",
    targets: &[Target::Maximal],
};

impl Miner for Mafia {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn mine(&self, table: &Table, task: &Task, out: &mut Output<'_>) -> Flow {
        Search::new(table, task, out.halt())?.run(table, out)
    }
}

const BITS: usize = u64::BITS as usize;

/// Bitmaps of some items over some rows, each word of one weight.
#[derive(Debug, Default)]
struct Bitmaps {
    weights: Vec<u32>,
    words: Vec<u64>,
}

impl Bitmaps {
    fn n_words(&self) -> usize {
        self.weights.len()
    }

    fn of(&self, slot: u32) -> &[u64] {
        let start = slot as usize * self.n_words();
        &self.words[start..start + self.n_words()]
    }
}

/// An item of a tail.
#[derive(Clone, Copy, Debug)]
struct Tail {
    /// Its number below the first item, which is its bit in known sets.
    local: u32,
    /// Its place in the bitmaps in use.
    slot: u32,
    support: u32,
}

/// A node of the search.
#[derive(Debug, Default)]
struct Node {
    support: u32,
    /// Rows of the head.
    rows: Vec<u64>,
    /// Bitmaps made at this node, if it is the one that has them.
    bitmaps: Bitmaps,
    /// Depth of the node whose bitmaps are in use.
    base: usize,
    tail: Vec<Tail>,
    next: usize,
    head_len: usize,
    /// Where the known sets that hold the head start in the order of [`Focus`].
    known_from: usize,
    held_bytes: usize,
}

impl Node {
    fn arrange(&mut self) {
        self.tail.sort_unstable_by_key(|item| (item.support, item.local));
        self.next = 0;
    }

    fn bytes(&self) -> usize {
        8 * (self.rows.capacity() + self.bitmaps.words.capacity())
            + 4 * self.bitmaps.weights.capacity()
            + size_of::<Tail>() * self.tail.capacity()
    }
}

/// What became of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Child {
    /// All in it is known.
    Known,
    /// So are all children of its parent behind it.
    AllKnown,
    /// Its head cannot grow.
    Leaf,
    /// Its tail has children of its own.
    Open,
}

/// The state of a search.
struct Search {
    min_support: u32,
    columns: Rows,
    nodes: Vec<Node>,
    depth: usize,
    /// Items of the table.
    head: Vec<u32>,
    focus: Focus,
    counts: Counts,
}

/// An item without bitmaps.
const NONE: u32 = u32::MAX;

impl Search {
    fn new(table: &Table, task: &Task, halt: Halt<'_>) -> ControlFlow<Cut, Self> {
        let n_items = table.n_items();
        let mut counts = Counts::default();
        counts.reserve(n_items);
        ControlFlow::Continue(Self {
            min_support: task.min_support,
            columns: table.columns(halt)?,
            nodes: vec![Node::default()],
            depth: 0,
            head: Vec::new(),
            focus: Focus::new(n_items),
            counts,
        })
    }

    fn run(&mut self, table: &Table, out: &mut Output<'_>) -> Flow {
        let n_entries: usize = table.rows().map(|(row, _)| row.len()).sum();
        out.hold(4 * n_entries + 40 * table.n_items())?;
        for item in 0..table.n_items() as u32 {
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

    /// Searches below the node at depth 1.
    fn descend(&mut self, out: &mut Output<'_>) -> Flow {
        while self.depth > 0 {
            let node = &mut self.nodes[self.depth - 1];
            let at = node.next;
            if at == node.tail.len() {
                self.depth -= 1;
                continue;
            }
            node.next += 1;
            out.step()?;
            self.head.truncate(node.head_len);
            let child = self.child(at, out.halt())?;
            match self.enter(child, out)? {
                Child::Open => self.depth += 1,
                Child::AllKnown => {
                    let node = &mut self.nodes[self.depth - 1];
                    node.next = node.tail.len();
                }
                Child::Leaf => self.end_full_nodes(),
                Child::Known => {}
            }
        }
        Flow::Continue(())
    }

    /// Ends the nodes of the path whose head and remaining tail are the head found: FHUT.
    fn end_full_nodes(&mut self) {
        for node in self.nodes[..self.depth].iter_mut().rev() {
            // The child at hand is the one before `next`.
            if self.head.len() != node.head_len + node.tail.len() - (node.next - 1) {
                return;
            }
            node.next = node.tail.len();
        }
    }

    /// Gives out what is maximal at the node below the path, and says whether to go on in it.
    fn enter(&mut self, child: Child, out: &mut Output<'_>) -> ControlFlow<Cut, Child> {
        let node = &mut self.nodes[self.depth];
        match child {
            Child::Known | Child::AllKnown => {}
            Child::Leaf => {
                if self.focus.is_empty_from(node.known_from) {
                    out.set(&self.head, node.support)?;
                    out.hold(self.focus.keep(&self.head))?;
                }
            }
            Child::Open => {
                node.head_len = self.head.len();
                node.arrange();
                out.hold_up_to(node.bytes(), &mut node.held_bytes)?;
                if self.nodes.len() == self.depth + 1 {
                    self.nodes.push(Node::default());
                }
            }
        }
        ControlFlow::Continue(child)
    }

    /// Makes the node of a single item from its rows.
    fn first(&mut self, table: &Table, item: u32, halt: Halt<'_>) -> ControlFlow<Cut, Child> {
        self.head.clear();
        self.head.push(item);
        self.counts.add_rows(table, self.columns.row(item as usize), halt)?;
        let node = &mut self.nodes[0];
        node.support = table.support(item);
        node.base = 0;
        node.tail.clear();
        self.counts.touched.sort_unstable();
        for &other in &self.counts.touched {
            let support = self.counts.sums[other as usize];
            if support < self.min_support || other <= item {
                continue;
            }
            let local = self.focus.add(other);
            if support == node.support {
                self.head.push(other);
            } else {
                node.tail.push(Tail { local, slot: node.tail.len() as u32, support });
            }
        }
        self.counts.forget();

        node.known_from = self.focus.start(&self.head, halt)?;
        if node.tail.is_empty() {
            return ControlFlow::Continue(Child::Leaf);
        }
        if self.focus.covers(node.known_from, node.tail.iter().map(|item| item.local)) {
            return ControlFlow::Continue(Child::Known);
        }
        self.fill(table, item, halt)?;
        ControlFlow::Continue(Child::Open)
    }

    /// Makes the bitmaps of the first level.
    fn fill(&mut self, table: &Table, item: u32, halt: Halt<'_>) -> Flow {
        let mut rows: Vec<u32> = self.columns.row(item as usize).to_vec();
        rows.sort_by_key(|&row| table.weight(row));
        let node = &mut self.nodes[0];
        let bitmaps = &mut node.bitmaps;
        let places = places(rows.iter().map(|&row| table.weight(row)), &mut bitmaps.weights);
        let n_words = bitmaps.n_words();
        bitmaps.words.clear();
        bitmaps.words.resize(n_words * node.tail.len(), 0);
        node.rows.clear();
        node.rows.resize(n_words, 0);
        let mut slots = vec![NONE; self.focus.n_items()];
        for tail in &node.tail {
            slots[tail.local as usize] = tail.slot;
        }
        for (at, (&row, &place)) in rows.iter().zip(&places).enumerate() {
            halt.look_at(at)?;
            let (word, bit) = (place as usize / BITS, place as usize % BITS);
            node.rows[word] |= 1 << bit;
            for &other in table.row(row) {
                let slot = self.focus.number(other).map_or(NONE, |local| slots[local as usize]);
                if slot != NONE {
                    bitmaps.words[slot as usize * n_words + word] |= 1 << bit;
                }
            }
        }
        Flow::Continue(())
    }

    /// Makes the node of an item of the last tail of the path.
    fn child(&mut self, at: usize, halt: Halt<'_>) -> ControlFlow<Cut, Child> {
        let parent = &self.nodes[self.depth - 1];
        let Tail { local, slot, support } = parent.tail[at];
        let base = parent.base;
        self.head.push(self.focus.item(local));
        let mut from = self.focus.narrow(parent.known_from, local);
        if self.focus.covers(from, parent.tail[at + 1..].iter().map(|item| item.local)) {
            return ControlFlow::Continue(Child::AllKnown);
        }

        let (path, below) = self.nodes.split_at_mut(self.depth);
        let (parent, child) = (&path[self.depth - 1], &mut below[0]);
        let bitmaps = &path[base].bitmaps;
        child.support = support;
        child.base = base;
        child.tail.clear();
        child.rows.clear();
        child.rows.extend(parent.rows.iter().zip(bitmaps.of(slot)).map(|(a, b)| a & b));
        for item in &parent.tail[at + 1..] {
            halt.look()?;
            let support = weigh(&child.rows, bitmaps.of(item.slot), &bitmaps.weights);
            if support == child.support {
                self.head.push(self.focus.item(item.local));
                from = self.focus.narrow(from, item.local);
            } else if support >= self.min_support {
                child.tail.push(Tail { support, ..*item });
            }
        }
        child.known_from = from;
        if child.tail.is_empty() {
            return ControlFlow::Continue(Child::Leaf);
        }
        if self.focus.covers(from, child.tail.iter().map(|item| item.local)) {
            return ControlFlow::Continue(Child::Known);
        }
        self.project();
        ControlFlow::Continue(Child::Open)
    }

    /// Copies the bitmaps of the node below the path without the rows it lost, if most are lost.
    fn project(&mut self) {
        let (path, below) = self.nodes.split_at_mut(self.depth);
        let node = &mut below[0];
        let old = &path[node.base].bitmaps;
        let n_rows: usize = node.rows.iter().map(|word| word.count_ones() as usize).sum();
        if n_rows * PROJECT_BELOW >= old.n_words() * BITS || node.tail.len() < 2 {
            return;
        }
        let mut old_places = Vec::with_capacity(n_rows);
        for (word, &bits) in node.rows.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                old_places.push((word * BITS) as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        let weight = |&place: &u32| old.weights[place as usize / BITS];
        let new_places = places(old_places.iter().map(weight), &mut node.bitmaps.weights);
        let n_words = node.bitmaps.n_words();
        if n_words * 2 > old.n_words() {
            return;
        }
        node.bitmaps.words.clear();
        node.bitmaps.words.resize(n_words * node.tail.len(), 0);
        node.rows.clear();
        node.rows.resize(n_words, 0);
        for &place in &new_places {
            node.rows[place as usize / BITS] |= 1 << (place as usize % BITS);
        }
        for (slot, item) in node.tail.iter_mut().enumerate() {
            let from = old.of(item.slot);
            let to = &mut node.bitmaps.words[slot * n_words..(slot + 1) * n_words];
            for (&old, &new) in old_places.iter().zip(&new_places) {
                let bit = from[old as usize / BITS] >> (old as usize % BITS) & 1;
                to[new as usize / BITS] |= bit << (new as usize % BITS);
            }
            item.slot = slot as u32;
        }
        node.base = self.depth;
    }
}

/// Bitmaps are copied when fewer than one in so many bits of the head is set.
const PROJECT_BELOW: usize = 4;

/// Returns the places of rows of ascending weights, where a word holds rows of one weight; the
/// weights of the words go to `word_weights`.
fn places(weights: impl Iterator<Item = u32>, word_weights: &mut Vec<u32>) -> Vec<u32> {
    word_weights.clear();
    let mut next = 0;
    let place = |weight| {
        if next % BITS == 0 || word_weights.last() != Some(&weight) {
            next = next.next_multiple_of(BITS);
            word_weights.push(weight);
        }
        next += 1;
        (next - 1) as u32
    };
    weights.map(place).collect()
}

/// Returns the weight of the rows in both bitmaps.
fn weigh(a: &[u64], b: &[u64], weights: &[u32]) -> u32 {
    let pairs = a.iter().zip(b).zip(weights);
    pairs.map(|((a, b), weight)| (a & b).count_ones() * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{agrees_with_the_oracle, keeps_to_its_budget};

    #[test]
    fn finds_what_the_definition_says() {
        agrees_with_the_oracle(&Mafia, 200);
    }

    #[test]
    fn ends_at_its_budget() {
        keeps_to_its_budget(&Mafia);
    }

    #[test]
    fn a_word_holds_rows_of_one_weight() {
        let mut weights = Vec::new();
        let ones = std::iter::repeat_n(1, 65);
        let places = places(ones.chain([3, 3, 7]), &mut weights);
        assert_eq!(weights, [1, 1, 3, 7]);
        assert_eq!(places[63..], [63, 64, 128, 129, 192]);
    }
}
