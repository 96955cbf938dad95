//! Known maximal sets, cut to those that matter at a node: progressive focusing.

use crate::table::Rows;

const BITS: usize = u64::BITS as usize;

/// All sets found, each listed for every item it holds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    sets: Rows,
    of: Vec<Vec<u32>>,
}

impl Found {
    pub(crate) fn new(n_items: usize) -> Self {
        Self { sets: Rows::default(), of: vec![Vec::new(); n_items] }
    }

    /// Keeps a set, without the items that had their turn; returns the bytes it takes.
    pub(crate) fn push(&mut self, items: &[u32]) -> usize {
        let number = self.sets.len() as u32;
        self.sets.push(items.iter().copied());
        for &item in items {
            self.of[item as usize].push(number);
        }
        8 * (items.len() + 1)
    }

    /// Sets that hold an item.
    pub(crate) fn of(&self, item: u32) -> impl Iterator<Item = &[u32]> {
        self.of[item as usize].iter().map(|&set| self.sets.row(set as usize))
    }

    /// Forgets which sets hold an item that had its turn.
    pub(crate) fn forget(&mut self, item: u32) {
        self.of[item as usize] = Vec::new();
    }
}

/// Known maximal sets of the first item, as bitmaps over the items of its tail.
#[derive(Debug, Default)]
pub(crate) struct Known {
    n_words: usize,
    words: Vec<u64>,
    /// Their numbers in the order slices are made of.
    order: Vec<u32>,
    /// Items asked for.
    mask: Vec<u64>,
}

impl Known {
    /// Forgets all sets; those to come are of numbers below `n_items`.
    pub(crate) fn clear(&mut self, n_items: usize) {
        self.n_words = n_items.div_ceil(BITS);
        self.words.clear();
        self.order.clear();
    }

    /// Adds a set, given by numbers below the first item.
    pub(crate) fn push(&mut self, items: impl Iterator<Item = u32>) {
        let start = self.words.len();
        self.order.push(self.order.len() as u32);
        self.words.resize(start + self.n_words, 0);
        for item in items {
            self.words[start + item as usize / BITS] |= 1 << (item as usize % BITS);
        }
    }

    /// Moves the sets from `from` on that hold `item` to the end; returns where they start.
    pub(crate) fn narrow(&mut self, from: usize, item: u32) -> usize {
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
    pub(crate) fn covers(&mut self, from: usize, items: impl Iterator<Item = u32>) -> bool {
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
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// Bytes a set takes.
    pub(crate) fn set_bytes(&self) -> usize {
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
