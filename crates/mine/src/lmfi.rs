//! Known maximal sets, cut to those that matter at a node: progressive focusing.
//!
//! A search takes one item after the other as its first item. Below a first item, [`Focus`] holds
//! the known sets with that item, cut to the items that may still join it. These items are numbered
//! from 0, and a set is a bitmap over the numbers.

use std::ops::ControlFlow;

use crate::halt::Halt;
use crate::table::Rows;
use crate::task::Cut;

const BITS: usize = u64::BITS as usize;

/// An item without a number.
const NONE: u32 = u32::MAX;

/// The maximal sets known so far, as they are seen below one first item.
#[derive(Debug)]
pub(crate) struct Focus {
    found: Found,
    known: Known,
    /// Number of each item below the first item.
    numbers: Vec<u32>,
    /// Items by their numbers.
    items: Vec<u32>,
}

impl Focus {
    pub(crate) fn new(n_items: usize) -> Self {
        Self {
            found: Found::new(n_items),
            known: Known::default(),
            numbers: vec![NONE; n_items],
            items: Vec::new(),
        }
    }

    /// Gives an item the next number.
    pub(crate) fn add(&mut self, item: u32) -> u32 {
        let number = self.items.len() as u32;
        self.numbers[item as usize] = number;
        self.items.push(item);
        number
    }

    /// Returns the number of an item; `None` if it has none.
    pub(crate) fn number(&self, item: u32) -> Option<u32> {
        Some(self.numbers[item as usize]).filter(|&number| number != NONE)
    }

    /// Returns the item of a number.
    pub(crate) fn item(&self, number: u32) -> u32 {
        self.items[number as usize]
    }

    /// Returns how many items have numbers.
    pub(crate) fn n_items(&self) -> usize {
        self.items.len()
    }

    /// Looks up the sets with the first item of `head`, when all items below it have numbers.
    /// Returns where the sets with the whole head start.
    pub(crate) fn start(&mut self, head: &[u32], halt: Halt<'_>) -> ControlFlow<Cut, usize> {
        let Self { found, known, numbers, items } = self;
        known.clear(items.len());
        for set in found.of(head[0]) {
            halt.look()?;
            let numbers = set.iter().map(|&item| numbers[item as usize]);
            known.push(numbers.filter(|&number| number != NONE));
        }
        let mut from = 0;
        for &item in &head[1..] {
            from = known.narrow(from, numbers[item as usize]);
        }
        ControlFlow::Continue(from)
    }

    /// Moves the sets from `from` on that hold the item of a number to the end; returns where they
    /// start.
    pub(crate) fn narrow(&mut self, from: usize, number: u32) -> usize {
        self.known.narrow(from, number)
    }

    /// Returns whether a set from `from` on holds all items of some numbers.
    pub(crate) fn covers(&mut self, from: usize, numbers: impl Iterator<Item = u32>) -> bool {
        self.known.covers(from, numbers)
    }

    /// Like [`narrow`](Self::narrow), by an item that has a number.
    pub(crate) fn narrow_to_item(&mut self, from: usize, item: u32) -> usize {
        self.known.narrow(from, self.numbers[item as usize])
    }

    /// Like [`covers`](Self::covers), by items that have numbers.
    pub(crate) fn covers_items(&mut self, from: usize, items: impl Iterator<Item = u32>) -> bool {
        self.known.covers(from, items.map(|item| self.numbers[item as usize]))
    }

    /// Returns whether there is no set from `from` on.
    pub(crate) fn is_empty_from(&self, from: usize) -> bool {
        from == self.known.len()
    }

    /// Keeps a head as a known set; returns the bytes it takes.
    pub(crate) fn keep(&mut self, head: &[u32]) -> usize {
        let Self { found, known, numbers, .. } = self;
        known.push(head[1..].iter().map(|&item| numbers[item as usize]));
        found.push(&head[1..]) + known.set_bytes()
    }

    /// Ends the search below a first item: no item has a number any more.
    pub(crate) fn end(&mut self, first: u32) {
        for item in self.items.drain(..) {
            self.numbers[item as usize] = NONE;
        }
        self.found.forget(first);
    }
}

/// All sets found, each listed for every item it holds.
#[derive(Debug, Default)]
struct Found {
    sets: Rows,
    of: Vec<Vec<u32>>,
}

impl Found {
    fn new(n_items: usize) -> Self {
        Self { sets: Rows::default(), of: vec![Vec::new(); n_items] }
    }

    /// Keeps a set, given without its first item; returns the bytes it takes.
    fn push(&mut self, items: &[u32]) -> usize {
        let number = self.sets.len() as u32;
        self.sets.push(items.iter().copied());
        for &item in items {
            self.of[item as usize].push(number);
        }
        8 * (items.len() + 1)
    }

    /// Sets that hold an item.
    fn of(&self, item: u32) -> impl Iterator<Item = &[u32]> {
        self.of[item as usize].iter().map(|&set| self.sets.row(set as usize))
    }

    /// Forgets which sets hold an item that will not be asked for again.
    fn forget(&mut self, item: u32) {
        self.of[item as usize] = Vec::new();
    }
}

/// Known maximal sets of the first item, as bitmaps over the numbers of its items.
#[derive(Debug, Default)]
struct Known {
    n_words: usize,
    words: Vec<u64>,
    /// Their numbers. The sets that hold a head are the last ones in this order.
    order: Vec<u32>,
    /// Items asked for.
    mask: Vec<u64>,
}

impl Known {
    /// Forgets all sets; those to come are of numbers below `n_items`.
    fn clear(&mut self, n_items: usize) {
        self.n_words = n_items.div_ceil(BITS);
        self.words.clear();
        self.order.clear();
    }

    /// Adds a set, given by numbers below the first item.
    fn push(&mut self, items: impl Iterator<Item = u32>) {
        let start = self.words.len();
        self.order.push(self.order.len() as u32);
        self.words.resize(start + self.n_words, 0);
        for item in items {
            self.words[start + item as usize / BITS] |= 1 << (item as usize % BITS);
        }
    }

    /// Moves the sets from `from` on that hold `item` to the end; returns where they start.
    fn narrow(&mut self, from: usize, item: u32) -> usize {
        let (word, bit) = (item as usize / BITS, item as usize % BITS);
        let Self { order, words, n_words, .. } = self;
        let has = |set: u32| words[set as usize * *n_words + word] >> bit & 1 == 1;
        let mut start = order.len();
        let mut at = order.len();
        while at > from {
            at -= 1;
            if has(order[at]) {
                start -= 1;
                order.swap(at, start);
            }
        }
        start
    }

    /// Returns whether a set from `from` on holds all of some items.
    fn covers(&mut self, from: usize, items: impl Iterator<Item = u32>) -> bool {
        if from == self.order.len() {
            return false;
        }
        self.mask.clear();
        self.mask.resize(self.n_words, 0);
        for item in items {
            self.mask[item as usize / BITS] |= 1 << (item as usize % BITS);
        }
        self.order[from..].iter().any(|&set| {
            let start = set as usize * self.n_words;
            let words = &self.words[start..start + self.n_words];
            self.mask.iter().zip(words).all(|(items, words)| items & !words == 0)
        })
    }

    /// Number of sets.
    fn len(&self) -> usize {
        self.order.len()
    }

    /// Bytes a set takes.
    fn set_bytes(&self) -> usize {
        8 * self.n_words + 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_of_known_sets_is_narrowed_in_place() {
        let mut known = Known::default();
        known.clear(3);
        for set in [&[0, 1][..], &[2], &[1, 2], &[0]] {
            known.push(set.iter().copied());
        }
        let from = known.narrow(0, 1);
        assert_eq!(known.len() - from, 2);
        assert!(known.covers(from, [2].into_iter()) && known.covers(from, [0].into_iter()));
        assert!(!known.covers(from, [0, 2].into_iter()));
        assert_eq!(known.len() - known.narrow(from, 2), 1);
    }
}
