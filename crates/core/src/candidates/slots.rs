//! Lists of documents with a number each, most of them with one entry.
//!
//! Indexes of rare things hold a great many lists and nearly all have one entry, so a [`Slot`] of
//! eight bytes holds that entry in place; longer lists lie in a common arena. Lists are sorted by
//! document, and documents leave from the front without moving the rest.

/// A document and a number that belongs to it: a position, or how often it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Posting {
    /// The document.
    pub(crate) document: u32,
    /// The number, below `u32::MAX`.
    pub(crate) value: u32,
}

/// Marks a slot that names a list of the arena.
const LIST: u32 = u32::MAX;

/// Where the postings of one key are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot(Posting);

impl Slot {
    /// Makes a list of one entry.
    pub(crate) fn one(posting: Posting) -> Self {
        debug_assert!(posting.value != LIST, "values stay below the mark");
        Self(posting)
    }
}

/// What is left of a list after a document went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Left {
    /// Entries that were taken out.
    pub(crate) n_removed: usize,
    /// Whether nothing is left. The slot is then of no use any more.
    pub(crate) is_empty: bool,
}

/// The arena of longer lists.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    lists: Vec<List>,
    free: Vec<u32>,
}

#[derive(Debug, Default)]
struct List {
    entries: Vec<Posting>,
    /// Entries before this one have left.
    start: usize,
    n_documents: u32,
}

impl List {
    fn live(&self) -> &[Posting] {
        &self.entries[self.start..]
    }
}

impl Slots {
    /// Returns the entries of a list, by document and value.
    #[inline]
    pub(crate) fn get<'a>(&'a self, slot: &'a Slot) -> &'a [Posting] {
        if slot.0.value == LIST {
            self.lists[slot.0.document as usize].live()
        } else {
            std::slice::from_ref(&slot.0)
        }
    }

    /// Returns the number of different documents in a list.
    pub(crate) fn n_documents(&self, slot: Slot) -> usize {
        if slot.0.value == LIST {
            self.lists[slot.0.document as usize].n_documents as usize
        } else {
            1
        }
    }

    /// Adds an entry. Quick at the end of the list, where new documents belong.
    pub(crate) fn insert(&mut self, slot: &mut Slot, posting: Posting) {
        debug_assert!(posting.value != LIST, "values stay below the mark");
        if slot.0.value != LIST {
            let first = slot.0;
            let at = self.free.pop().unwrap_or_else(|| {
                self.lists.push(List::default());
                self.lists.len() as u32 - 1
            });
            let mut entries = Vec::with_capacity(2);
            entries.push(first);
            self.lists[at as usize] = List { entries, start: 0, n_documents: 1 };
            slot.0 = Posting { document: at, value: LIST };
        }
        let list = &mut self.lists[slot.0.document as usize];
        let at = match list.live().last() {
            Some(last) if *last >= posting => list.live().partition_point(|x| *x < posting),
            _ => list.live().len(),
        };
        let is_other = |x: Option<&Posting>| x.is_none_or(|x| x.document != posting.document);
        let is_new = is_other(list.live().get(at))
            && is_other(at.checked_sub(1).and_then(|before| list.live().get(before)));
        list.n_documents += u32::from(is_new);
        list.entries.insert(list.start + at, posting);
    }

    /// Takes all entries of a document out of a list.
    pub(crate) fn remove(&mut self, slot: &mut Slot, document: u32) -> Left {
        if slot.0.value != LIST {
            let is_it = slot.0.document == document;
            return Left { n_removed: usize::from(is_it), is_empty: is_it };
        }
        let at = slot.0.document;
        let list = &mut self.lists[at as usize];
        let first = list.live().partition_point(|x| x.document < document);
        let last = list.live().partition_point(|x| x.document <= document);
        let n_removed = last - first;
        list.n_documents -= u32::from(n_removed > 0);
        if first == 0 {
            list.start += n_removed;
            // Half of the list has gone: the rest moves once, so a departure costs one move.
            if list.start * 2 > list.entries.len() {
                list.entries.drain(..list.start);
                list.start = 0;
                if list.entries.len() * 4 < list.entries.capacity() {
                    list.entries.shrink_to(list.entries.len() * 2);
                }
            }
        } else {
            list.entries.drain(list.start + first..list.start + last);
        }
        let left = list.live();
        let is_empty = left.is_empty();
        if left.len() <= 1 {
            if let Some(&only) = left.first() {
                slot.0 = only;
            }
            self.lists[at as usize] = List::default();
            self.free.push(at);
        }
        Left { n_removed, is_empty }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::hash::Random;

    fn posting(document: u32, value: u32) -> Posting {
        Posting { document, value }
    }

    #[test]
    fn a_list_grows_in_order_and_falls_back_to_one_entry() {
        let mut slots = Slots::default();
        let mut slot = Slot::one(posting(5, 1));
        slots.insert(&mut slot, posting(9, 2));
        slots.insert(&mut slot, posting(3, 7));
        slots.insert(&mut slot, posting(9, 4));
        let expected = [posting(3, 7), posting(5, 1), posting(9, 2), posting(9, 4)];
        assert_eq!(slots.get(&slot), expected);
        assert_eq!(slots.n_documents(slot), 3);
        let left = slots.remove(&mut slot, 9);
        assert_eq!(left, Left { n_removed: 2, is_empty: false });
        slots.remove(&mut slot, 3);
        assert_eq!(slots.get(&slot), [posting(5, 1)]);
        assert_eq!(slots.free.len(), 1, "one entry needs no list");
        assert!(slots.remove(&mut slot, 5).is_empty);
    }

    #[test]
    fn any_coming_and_going_leaves_a_sorted_set() {
        let mut random = Random::new(3);
        for _ in 0..200 {
            let mut slots = Slots::default();
            let mut slot: Option<Slot> = None;
            let mut expected: BTreeSet<(u32, u32)> = BTreeSet::new();
            for _ in 0..60 {
                let document = random.below(8) as u32;
                if random.below(3) > 0 {
                    let value = random.below(1000) as u32;
                    if !expected.insert((document, value)) {
                        continue;
                    }
                    match &mut slot {
                        Some(slot) => slots.insert(slot, posting(document, value)),
                        None => slot = Some(Slot::one(posting(document, value))),
                    }
                } else if let Some(held) = &mut slot {
                    let n_before = expected.len();
                    expected.retain(|x| x.0 != document);
                    let left = slots.remove(held, document);
                    assert_eq!(left.n_removed, n_before - expected.len());
                    assert_eq!(left.is_empty, expected.is_empty());
                    if left.is_empty {
                        slot = None;
                    }
                }
                let found = slot.as_ref().map_or(&[][..], |slot| slots.get(slot));
                let found: Vec<(u32, u32)> = found.iter().map(|x| (x.document, x.value)).collect();
                assert_eq!(found, expected.iter().copied().collect::<Vec<_>>());
                let documents: BTreeSet<u32> = expected.iter().map(|x| x.0).collect();
                let n_documents = slot.map_or(0, |slot| slots.n_documents(slot));
                assert_eq!(n_documents, documents.len());
            }
        }
    }
}
