//! Pairs of documents that come in any order and are read group by group: whatever hangs together
//! through them.
//!
//! Pairs go to a log as they come, and their documents are joined to groups. When all are there,
//! the log is read once and the pairs are sorted by their group. Both happen in memory or in
//! scratch files, as the budget allows, with the same result.

use retold_core::candidates::Candidate;
use retold_core::cluster::disjoint_sets::DisjointSets;
use retold_core::document::Ordinal;
use retold_core::scratch::{Log, Merge, Record, Sorted, Sorter};

use super::budget::Budget;
use super::scratch::ScratchDir;
use crate::error::Error;
use crate::progress::Stop;

/// Bytes of pairs that go to the log at a time.
const BLOCK_BYTES: usize = 1 << 16;

/// A pair in its group, with what is said of it.
///
/// The order of the fields is the order of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Linked<S> {
    /// The smallest document of the group.
    pub(crate) group: u32,
    /// The document that the pairs of a group are sorted by.
    pub(crate) one: Ordinal,
    pub(crate) other: Ordinal,
    pub(crate) said: S,
}

impl<S: Record> Record for Linked<S> {
    const BYTES: usize = 12 + S::BYTES;

    fn put(&self, out: &mut Vec<u8>) {
        for number in [self.group, self.one.0, self.other.0] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        self.said.put(out);
    }

    fn get(bytes: &[u8]) -> Self {
        let number = |at: usize| u32::get(&bytes[at..at + 4]);
        Self {
            group: number(0),
            one: Ordinal(number(4)),
            other: Ordinal(number(8)),
            said: S::get(&bytes[12..]),
        }
    }
}

/// Nothing is said of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unsaid;

impl Record for Unsaid {
    const BYTES: usize = 0;

    fn put(&self, _: &mut Vec<u8>) {}

    fn get(_: &[u8]) -> Self {
        Self
    }
}

/// Pairs as they come.
pub(crate) struct Links<S> {
    log: Log,
    block: Vec<u8>,
    /// Place and length of the blocks in the log.
    blocks: Vec<(u64, u32)>,
    groups: Option<DisjointSets>,
    sorter_bytes: usize,
    scratch: ScratchDir,
    said: std::marker::PhantomData<S>,
}

impl<S: Record> Links<S> {
    /// Makes an empty list for so many documents.
    pub(crate) fn new(n_documents: usize, budget: &Budget, scratch: &ScratchDir) -> Self {
        Self {
            log: Log::new(budget.pairs()),
            block: Vec::new(),
            blocks: Vec::new(),
            groups: Some(DisjointSets::new(n_documents)),
            sorter_bytes: budget.ordered_pairs(),
            scratch: scratch.clone(),
            said: std::marker::PhantomData,
        }
    }

    /// Puts all pairs into one group.
    #[must_use]
    pub(crate) fn undivided(self) -> Self {
        Self { groups: None, ..self }
    }

    /// Adds a pair.
    pub(crate) fn push(&mut self, pair: Candidate, said: S) -> Result<(), Error> {
        if let Some(groups) = &mut self.groups {
            groups.join(pair.a.0, pair.b.0);
        }
        Linked { group: 0, one: pair.a, other: pair.b, said }.put(&mut self.block);
        if self.block.len() >= BLOCK_BYTES { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), Error> {
        let at = self.log.push(&self.block, &self.scratch);
        let at = at.map_err(|error| self.scratch.failed(error))?;
        self.blocks.push((at, self.block.len() as u32));
        self.block.clear();
        Ok(())
    }

    /// Sorts the pairs by group, and in it by what `key` makes of them. Returns `None` if it was
    /// asked to stop.
    pub(crate) fn ordered(
        mut self,
        key: impl Fn(Ordinal, Ordinal) -> (Ordinal, Ordinal),
        stop: &Stop,
    ) -> Result<Option<Ordered<S>>, Error> {
        self.end_block()?;
        let Self { log, blocks, mut groups, sorter_bytes, scratch, .. } = self;
        let failed = |error| scratch.failed(error);
        let mut sorter = Sorter::new(sorter_bytes);
        let mut block = Vec::new();
        for (at, len) in blocks {
            if stop.is_set() {
                return Ok(None);
            }
            log.read(at, len as usize, &mut block).map_err(failed)?;
            for record in block.chunks_exact(Linked::<S>::BYTES) {
                let Linked { one, other, said, .. } = Linked::get(record);
                let group = groups.as_mut().map_or(0, |groups| groups.root(one.0));
                let (one, other) = key(one, other);
                sorter.push(Linked { group, one, other, said }, &scratch).map_err(failed)?;
            }
        }
        drop(log);
        let sorted = sorter.finish(&scratch).map_err(failed)?;
        Ok(Some(Ordered { sorted, scratch }))
    }
}

/// Pairs by group.
pub(crate) struct Ordered<S> {
    sorted: Sorted<Linked<S>>,
    scratch: ScratchDir,
}

impl<S: Record> Ordered<S> {
    /// Returns the number of pairs, those said twice counted twice.
    pub(crate) fn len(&self) -> u64 {
        self.sorted.len()
    }

    /// Reads all pairs in order, each once: of several that differ only in what is said, the first.
    pub(crate) fn iter(&self) -> Reading<'_, S> {
        Reading { merge: self.sorted.iter(), scratch: &self.scratch, last: None }
    }
}

/// Pairs by group, being read.
pub(crate) struct Reading<'a, S> {
    merge: Merge<'a, Linked<S>>,
    scratch: &'a ScratchDir,
    last: Option<(Ordinal, Ordinal)>,
}

impl<S: Record> Iterator for Reading<'_, S> {
    type Item = Result<Linked<S>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let pair = match self.merge.next()? {
                Ok(pair) => pair,
                Err(error) => return Some(Err(self.scratch.failed(error))),
            };
            if self.last != Some((pair.one, pair.other)) {
                self.last = Some((pair.one, pair.other));
                return Some(Ok(pair));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::Resources;

    fn ordered(pairs: &[(u32, u32)], n_words: &[u32], spill_bytes: usize) -> Vec<(u32, u32, u32)> {
        let budget = Budget::new(&Resources::new().spill(spill_bytes)).expect("a good budget");
        let mut links: Links<Unsaid> = Links::new(n_words.len(), &budget, &ScratchDir::new(None));
        for &(a, b) in pairs {
            links.push(Candidate::new(Ordinal(a), Ordinal(b)), Unsaid).expect("there is room");
        }
        let longer = |a: Ordinal, b: Ordinal| {
            if n_words[b.index()] > n_words[a.index()] { (b, a) } else { (a, b) }
        };
        let ordered = links.ordered(longer, &Stop::new()).expect("there is room").expect("no stop");
        let pairs = ordered.iter().map(|pair| pair.expect("it is there"));
        pairs.map(|pair| (pair.group, pair.one.0, pair.other.0)).collect()
    }

    #[test]
    fn pairs_of_one_group_stand_together_in_order() {
        let pairs = [(0, 5), (1, 2), (1, 3), (5, 6), (1, 2)];
        for spill_bytes in [0, 30, 1 << 20] {
            let sorted = ordered(&pairs, &[10; 7], spill_bytes);
            assert_eq!(sorted, [(0, 0, 5), (0, 5, 6), (1, 1, 2), (1, 1, 3)]);
            let by_length = ordered(&pairs, &[0, 1, 2, 3, 4, 5, 6], spill_bytes);
            assert_eq!(by_length, [(0, 5, 0), (0, 6, 5), (1, 2, 1), (1, 3, 1)]);
        }
    }
}
