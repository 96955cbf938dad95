//! The context reduced for miners, and the translation of their answers back.
//!
//! What no miner needs is taken out first, for all of them alike. On the contexts of document
//! collections this is most of the work: of 20,000 documents some 1,800 items are left, and
//! algorithms that gave up on the files as they are end in seconds.
//!
//! # What is done
//! Let k be the minimum support and a *class* a group of items that no answer tells apart; at
//! first every frequent item is a class of its own. Three steps are repeated until nothing
//! changes.
//!
//! 1. *Alone.* A transaction that holds one class only says nothing about sets of several
//!    classes. It is counted for its class and taken out.
//! 2. *Peel.* A class that shares fewer than k transactions with all others together is in no
//!    frequent set with any of them. It is an answer by itself and taken out.
//! 3. *Merge.* Two classes that stand in the same transactions, those of step 1 left out, are
//!    made one, with the number of these transactions as their support.
//!
//! Last, equal transactions are kept once, with their number as weight.
//!
//! # Why nothing is lost
//! Step 1: the transactions common to two classes or more never include one that holds one class.
//! Step 2: a set of the class and another lies only in transactions they share, fewer than k; so
//! the class alone is maximal, closed, and the only frequent set with it. Step 3, for maximal
//! sets: let c and d be merged, with support s; s is at least k, or step 2 would have taken both.
//! A frequent set of c and others lies only in transactions of several classes, all of which hold
//! d too, so it stays frequent with d; and c alone is not maximal, as {c, d} is frequent. So every
//! maximal set with c holds d. For closed sets this needs more: c and d must stand in the very same
//! transactions, so classes with a count of step 1 are not merged. For all frequent sets nothing is
//! merged.
//!
//! The number of rounds is limited; a context that is not quite reduced is still the same context.
//!
//! [`Preparation::Raw`] skips all three steps: frequent items are numbered by support, and each
//! transaction of two or more is a row of weight 1, equal ones included.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::{ControlFlow, Range};

use crate::context::Context;
use crate::halt::Halt;
use crate::task::{Cut, Flow, Preparation, Target, Task};

/// Rounds of merging; real contexts need two to five.
const MOST_ROUNDS: usize = 24;

/// A context prepared for miners: weighted transactions of at least two items, and how often each
/// item stands alone. Items here are classes of the context's items, numbered from 0 by ascending
/// support.
#[derive(Clone, Debug, Default)]
pub struct Table {
    rows: Rows,
    weights: Vec<u32>,
    alone: Vec<u32>,
    supports: Vec<u32>,
    members: Rows,
    /// Classes that are answers by themselves, with their supports.
    peeled: Rows,
    peeled_supports: Vec<u32>,
}

/// Lists of numbers, stored one after another.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { starts: vec![0], items: Vec::new() }
    }
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn range(&self, i: usize) -> Range<usize> {
        self.starts[i]..self.starts[i + 1]
    }

    pub(crate) fn row(&self, i: usize) -> &[u32] {
        &self.items[self.range(i)]
    }

    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.items.extend(row);
        self.starts.push(self.items.len());
    }

    /// Returns, for each number below `n`, the rows that hold it, ascending.
    pub(crate) fn transposed(&self, n: usize, halt: Halt<'_>) -> ControlFlow<Cut, Self> {
        let mut starts = vec![0; n + 1];
        for row in 0..self.len() {
            halt.look_at(row)?;
            for &item in self.row(row) {
                starts[item as usize + 1] += 1;
            }
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut items = vec![0; self.items.len()];
        for row in 0..self.len() {
            halt.look_at(row)?;
            for &item in self.row(row) {
                items[next[item as usize]] = row as u32;
                next[item as usize] += 1;
            }
        }
        ControlFlow::Continue(Self { starts, items })
    }
}

impl Table {
    /// Prepares a context as the task says.
    pub(crate) fn prepare(
        context: &Context,
        task: &Task,
        halt: Halt<'_>,
    ) -> ControlFlow<Cut, Self> {
        let k = task.min_support;
        let mut supports = context.alone().to_vec();
        for (at, row) in context.rows().enumerate() {
            halt.look_at(at)?;
            for &item in row {
                supports[item as usize] += 1;
            }
        }
        let frequent: Vec<u32> =
            (0..supports.len() as u32).filter(|&item| supports[item as usize] >= k).collect();
        let mut class_of = vec![u32::MAX; supports.len()];
        for (class, &item) in frequent.iter().enumerate() {
            class_of[item as usize] = class as u32;
        }
        let mut alone: Vec<u32> =
            frequent.iter().map(|&item| context.alone()[item as usize]).collect();
        let mut distinct = Distinct::default();
        let mut row = Vec::new();
        for (at, items) in context.rows().enumerate() {
            halt.look_at(at)?;
            row.clear();
            row.extend(
                items.iter().map(|&item| class_of[item as usize]).filter(|&c| c != u32::MAX),
            );
            match row[..] {
                [] => {}
                [class] => alone[class as usize] += 1,
                _ => match task.preparation {
                    Preparation::Reduced => distinct.add(&row, 1),
                    Preparation::Raw => distinct.push(&row, 1),
                },
            }
        }
        let supports = frequent.iter().map(|&item| supports[item as usize]).collect();
        let mut reduction = Reduction::new(distinct, alone, supports, k, halt)?;
        if task.preparation == Preparation::Reduced {
            reduction.run(task.target, halt)?;
        }
        reduction.into_table(&frequent, task.preparation, halt)
    }

    /// Number of items.
    pub fn n_items(&self) -> usize {
        self.supports.len()
    }

    /// Number of transactions an item lies in.
    pub fn support(&self, item: u32) -> u32 {
        self.supports[item as usize]
    }

    /// Different transactions of at least two items, ascending, with their numbers.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&[u32], u32)> {
        (0..self.rows.len()).map(|i| (self.rows.row(i), self.weights[i]))
    }

    /// All transactions: [`rows`](Self::rows), then those of one item.
    pub fn transactions(&self) -> impl Iterator<Item = (Vec<u32>, u32)> {
        let rows = self.rows().map(|(row, weight)| (row.to_vec(), weight));
        let alone = self.alone.iter().enumerate().filter(|&(_, &count)| count > 0);
        rows.chain(alone.map(|(item, &count)| (vec![item as u32], count)))
    }

    /// Transactions that hold this item and nothing else.
    pub fn alone(&self, item: u32) -> u32 {
        self.alone[item as usize]
    }

    /// Number of different transactions of at least two items.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Returns, for each item, the numbers of the rows that hold it.
    pub(crate) fn columns(&self, halt: Halt<'_>) -> ControlFlow<Cut, Rows> {
        self.rows.transposed(self.n_items(), halt)
    }

    pub(crate) fn weight(&self, row: u32) -> u32 {
        self.weights[row as usize]
    }

    pub(crate) fn row(&self, row: u32) -> &[u32] {
        self.rows.row(row as usize)
    }

    /// The context's items behind an item.
    pub(crate) fn members(&self, item: u32) -> &[u32] {
        self.members.row(item as usize)
    }

    /// Answers that were found while reducing, as items of the context, with their supports.
    pub(crate) fn peeled(&self) -> impl Iterator<Item = (&[u32], u32)> {
        (0..self.peeled.len()).map(|i| self.peeled.row(i)).zip(self.peeled_supports.iter().copied())
    }

    /// Returns the table of some of its items, ascending: each row that holds two of them or more,
    /// and all others as counts of their items alone.
    pub(crate) fn part(&self, items: &[u32], halt: Halt<'_>) -> ControlFlow<Cut, Self> {
        let mut part = Self::default();
        let mut shared = vec![0; items.len()];
        let mut distinct = Distinct::default();
        let mut row = Vec::new();
        for (at, (whole, weight)) in self.rows().enumerate() {
            halt.look_at(at)?;
            row.clear();
            let numbers = whole.iter().map(|item| items.binary_search(item));
            row.extend(numbers.filter_map(|found| found.ok().map(|at| at as u32)));
            if row.len() > 1 {
                distinct.add(&row, weight);
                for &item in &row {
                    shared[item as usize] += weight;
                }
            }
        }
        part.rows = distinct.rows;
        part.weights = distinct.weights;
        for (&item, shared) in items.iter().zip(shared) {
            part.alone.push(self.support(item) - shared);
            part.supports.push(self.support(item));
            part.members.push(self.members(item).iter().copied());
        }
        ControlFlow::Continue(part)
    }
}

/// Rows without repeats, and how often each came.
#[derive(Debug, Default)]
struct Distinct {
    rows: Rows,
    weights: Vec<u32>,
    seen: HashMap<u64, u32, Prehashed>,
}

impl Distinct {
    fn add(&mut self, row: &[u32], weight: u32) {
        let hash = row.iter().fold(row.len() as u64, |hash, &item| mix(hash ^ u64::from(item)));
        match self.seen.entry(hash) {
            Entry::Occupied(seen) if self.rows.row(*seen.get() as usize) == row => {
                self.weights[*seen.get() as usize] += weight;
            }
            // A different row with the same hash. It is kept without an entry, so its repeats stay
            // separate rows, which costs a little time and changes no answer.
            Entry::Occupied(_) => self.push(row, weight),
            Entry::Vacant(place) => {
                place.insert(self.weights.len() as u32);
                self.push(row, weight);
            }
        }
    }

    fn push(&mut self, row: &[u32], weight: u32) {
        self.rows.push(row.iter().copied());
        self.weights.push(weight);
    }
}

/// The state of a reduction.
struct Reduction {
    k: u32,
    rows: Rows,
    weights: Vec<u32>,
    images: Rows,
    /// Classes that are still there, per row, and the exclusive or of their numbers: when one is
    /// left, that is its number.
    n_left: Vec<u32>,
    left: Vec<u32>,
    /// Weight of the rows a class shares.
    shared: Vec<u32>,
    alone: Vec<u32>,
    supports: Vec<u32>,
    state: Vec<State>,
    to_peel: Vec<u32>,
    peeled: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Here,
    Peeled,
    MergedInto(u32),
}

impl Reduction {
    fn new(
        distinct: Distinct,
        alone: Vec<u32>,
        supports: Vec<u32>,
        k: u32,
        halt: Halt<'_>,
    ) -> ControlFlow<Cut, Self> {
        let Distinct { rows, weights, .. } = distinct;
        let n = supports.len();
        let (mut n_left, mut left) = (Vec::new(), Vec::new());
        for i in 0..rows.len() {
            halt.look_at(i)?;
            n_left.push(rows.row(i).len() as u32);
            left.push(rows.row(i).iter().fold(0, |all, class| all ^ class));
        }
        let shared = supports.iter().zip(&alone).map(|(all, alone)| all - alone).collect();
        ControlFlow::Continue(Self {
            k,
            images: rows.transposed(n, halt)?,
            rows,
            weights,
            n_left,
            left,
            shared,
            alone,
            supports,
            state: vec![State::Here; n],
            to_peel: Vec::new(),
            peeled: Vec::new(),
        })
    }

    fn run(&mut self, target: Target, halt: Halt<'_>) -> Flow {
        for class in 0..self.state.len() as u32 {
            self.consider(class);
        }
        self.peel(halt)?;
        for _ in 0..MOST_ROUNDS {
            if target == Target::All || !self.merge(target, halt)? {
                break;
            }
            self.peel(halt)?;
        }
        Flow::Continue(())
    }

    /// Marks a class for peeling if it shares too little.
    fn consider(&mut self, class: u32) {
        let at = class as usize;
        if self.state[at] == State::Here && self.shared[at] < self.k {
            self.state[at] = State::Peeled;
            self.to_peel.push(class);
        }
    }

    fn peel(&mut self, halt: Halt<'_>) -> Flow {
        while let Some(class) = self.to_peel.pop() {
            halt.look()?;
            self.peeled.push(class);
            self.leave(class);
        }
        Flow::Continue(())
    }

    /// Takes a class out of all rows.
    fn leave(&mut self, class: u32) {
        for at in self.images.range(class as usize) {
            let row = self.images.items[at] as usize;
            if self.n_left[row] < 2 {
                continue;
            }
            self.n_left[row] -= 1;
            self.left[row] ^= class;
            if self.n_left[row] == 1 {
                let last = self.left[row];
                self.shared[last as usize] -= self.weights[row];
                self.alone[last as usize] += self.weights[row];
                self.consider(last);
            }
        }
    }

    /// Merges classes of equal shared rows; returns whether there were any.
    fn merge(&mut self, target: Target, halt: Halt<'_>) -> ControlFlow<Cut, bool> {
        let is_open = |class: usize| {
            self.state[class] == State::Here && (self.alone[class] == 0 || target != Target::Closed)
        };
        let mut keyed: Vec<(u64, u32)> = Vec::new();
        for class in (0..self.state.len()).filter(|&class| is_open(class)) {
            halt.look()?;
            keyed.push((self.shared_rows(class as u32).fold(0, sum_of_rows), class as u32));
        }
        halt.sort_by(&mut keyed, Ord::cmp)?;
        let mut is_changed = false;
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            for (i, &(_, first)) in group.iter().enumerate() {
                if self.state[first as usize] != State::Here {
                    continue;
                }
                let mut merged = Vec::new();
                for &(_, other) in &group[i + 1..] {
                    halt.look()?;
                    let is_here = self.state[other as usize] == State::Here;
                    if is_here && self.shared_rows(first).eq(self.shared_rows(other)) {
                        self.state[other as usize] = State::MergedInto(first);
                        merged.push(other);
                    }
                }
                if !merged.is_empty() {
                    is_changed = true;
                    self.supports[first as usize] = self.shared[first as usize];
                    self.alone[first as usize] = 0;
                    for other in merged {
                        self.leave(other);
                    }
                }
            }
        }
        ControlFlow::Continue(is_changed)
    }

    fn shared_rows(&self, class: u32) -> impl Iterator<Item = u32> {
        let rows = self.images.row(class as usize);
        rows.iter().copied().filter(|&row| self.n_left[row as usize] >= 2)
    }

    fn into_table(
        self,
        items: &[u32],
        preparation: Preparation,
        halt: Halt<'_>,
    ) -> ControlFlow<Cut, Table> {
        let n = self.state.len();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (class, &item) in items.iter().enumerate() {
            let mut at = class;
            while let State::MergedInto(other) = self.state[at] {
                at = other as usize;
            }
            members[at].push(item);
        }
        let mut table = Table::default();
        let mut peeled = self.peeled;
        peeled.sort_unstable_by_key(|&class| members[class as usize][0]);
        for class in peeled {
            table.peeled.push(members[class as usize].iter().copied());
            table.peeled_supports.push(self.supports[class as usize]);
        }
        let mut order: Vec<u32> =
            (0..n as u32).filter(|&class| self.state[class as usize] == State::Here).collect();
        order.sort_by_key(|&class| (self.supports[class as usize], members[class as usize][0]));
        let mut new = vec![u32::MAX; n];
        for (number, &class) in order.iter().enumerate() {
            new[class as usize] = number as u32;
            table.supports.push(self.supports[class as usize]);
            table.alone.push(self.alone[class as usize]);
            table.members.push(members[class as usize].iter().copied());
        }
        let mut distinct = Distinct::default();
        let mut row = Vec::new();
        for at in 0..self.rows.len() {
            halt.look_at(at)?;
            if self.n_left[at] < 2 {
                continue;
            }
            row.clear();
            let classes = self.rows.row(at).iter().map(|&class| new[class as usize]);
            row.extend(classes.filter(|&number| number != u32::MAX));
            row.sort_unstable();
            match preparation {
                Preparation::Reduced => distinct.add(&row, self.weights[at]),
                Preparation::Raw => distinct.push(&row, self.weights[at]),
            }
        }
        table.rows = distinct.rows;
        table.weights = distinct.weights;
        ControlFlow::Continue(table)
    }
}

/// The finaliser of `SplitMix64`.
pub(crate) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn sum_of_rows(sum: u64, row: u32) -> u64 {
    sum.wrapping_add(mix(u64::from(row)))
}

/// Takes keys that are hashes already as they are.
#[derive(Clone, Copy, Debug, Default)]
struct Prehashed;

impl std::hash::BuildHasher for Prehashed {
    type Hasher = Taken;

    fn build_hasher(&self) -> Taken {
        Taken(0)
    }
}

struct Taken(u64);

impl std::hash::Hasher for Taken {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only whole numbers are keys here");
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
