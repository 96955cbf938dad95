//! Posting lists: who holds a key. The only kind there is.
//!
//! A list is a slice of [`Posting`]s by document. Where lists live is up to the engine: in one
//! array ([`sealed`](super::sealed)), in a table that grows and shrinks ([`Table`]), in blocks of
//! bytes on their way to or from a scratch file ([`put_list`], [`get_list`]).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::meeting::Payload;
use crate::encode::{Input, put_number};
use crate::hash::Prehashed;

/// A document that holds a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting<P> {
    /// Its ordinal.
    pub(super) doc: u32,
    /// What the key brings along.
    pub(super) payload: P,
}

/// Bits of a key that count.
pub const KEY_BITS: u32 = 40;

/// Returns the part of a key that counts.
#[inline]
pub(super) fn short_key(key: u64) -> u64 {
    key >> (64 - KEY_BITS)
}

/// Returns the number of entries of a list before a document.
#[inline]
pub(super) fn n_before<P>(list: &[Posting<P>], before: u32) -> usize {
    match list.last() {
        None => 0,
        Some(last) if last.doc < before => list.len(),
        Some(_) => list.partition_point(|posting| posting.doc < before),
    }
}

/// Lists by key, which grow and shrink document by document.
#[derive(Debug)]
pub(super) struct Table<P> {
    lists: HashMap<u64, List<P>, Prehashed>,
    n_postings: usize,
}

/// Most keys are held by one document, which then costs no allocation.
#[derive(Clone, Debug)]
enum List<P> {
    One([Posting<P>; 1]),
    /// Entries before `start` have left: a time window forgets the oldest.
    Many {
        entries: Vec<Posting<P>>,
        start: usize,
    },
}

impl<P> Default for Table<P> {
    fn default() -> Self {
        Self { lists: HashMap::default(), n_postings: 0 }
    }
}

/// Returns where a key stands in a table: all bits have to be spread.
#[inline]
fn place(short_key: u64) -> u64 {
    short_key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<P: Payload> Table<P> {
    /// Returns the list of a key.
    #[inline]
    pub(super) fn list(&self, short_key: u64) -> &[Posting<P>] {
        match self.lists.get(&place(short_key)) {
            None => &[],
            Some(List::One(one)) => one,
            Some(List::Many { entries, start }) => &entries[*start..],
        }
    }

    /// Adds an entry; quick at the end of the list, where new documents belong.
    pub(super) fn insert(&mut self, short_key: u64, posting: Posting<P>) {
        let list = match self.lists.entry(place(short_key)) {
            Entry::Vacant(slot) => {
                slot.insert(List::One([posting]));
                self.n_postings += 1;
                return;
            }
            Entry::Occupied(slot) => slot.into_mut(),
        };
        if let List::One([first]) = list {
            let mut entries = Vec::with_capacity(2);
            entries.push(*first);
            *list = List::Many { entries, start: 0 };
        }
        let List::Many { entries, start } = list else { unreachable!("made so above") };
        let at = *start + entries[*start..].partition_point(|other| *other < posting);
        if entries.get(at) != Some(&posting) {
            entries.insert(at, posting);
            self.n_postings += 1;
        }
    }

    /// Takes an entry out, if it is there.
    pub(super) fn remove(&mut self, short_key: u64, posting: Posting<P>) {
        let Entry::Occupied(mut slot) = self.lists.entry(place(short_key)) else { return };
        let is_empty = match slot.get_mut() {
            List::One([only]) => *only == posting,
            List::Many { entries, start } => {
                let Ok(at) = entries[*start..].binary_search(&posting) else { return };
                if at == 0 {
                    *start += 1;
                    // Half of the list has gone: the rest moves once, so a departure costs one move.
                    if *start * 2 > entries.len() {
                        entries.drain(..*start);
                        *start = 0;
                        entries.shrink_to(entries.len() * 2);
                    }
                } else {
                    entries.remove(*start + at);
                }
                self.n_postings -= 1;
                if entries.len() == *start {
                    slot.remove();
                }
                return;
            }
        };
        if is_empty {
            slot.remove();
            self.n_postings -= 1;
        }
    }

    /// Returns whether there are no lists.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Returns the number of bytes held, about.
    pub(super) fn held_bytes(&self) -> usize {
        self.lists.capacity() * (size_of::<(u64, List<P>)>() + 1)
            + self.n_postings.saturating_sub(self.lists.len()) * 2 * size_of::<Posting<P>>()
    }
}

/// Writes a list down: its key, its length, and every document by its distance from the last.
pub(super) fn put_list<P: Payload>(key: u32, list: &[Posting<P>], out: &mut Vec<u8>) {
    out.extend_from_slice(&key.to_le_bytes());
    put_number(list.len() as u64, out);
    let mut last = 0;
    for posting in list {
        put_number(u64::from(posting.doc - last), out);
        if P::BYTES > 0 {
            put_number(u64::from(posting.payload.to_bits()), out);
        }
        last = posting.doc;
    }
}

/// Reads a list back into `list` and returns its key; `None` at the end.
#[inline]
pub(super) fn get_list<P: Payload>(
    input: &mut Input<'_>,
    list: &mut Vec<Posting<P>>,
) -> Option<u32> {
    let key = u32::from_le_bytes(input.take(4)?.try_into().ok()?);
    let n = input.count()?;
    list.clear();
    let mut doc = 0;
    for _ in 0..n {
        doc += input.number()? as u32;
        let payload =
            if P::BYTES > 0 { P::from_bits(input.number()? as u32) } else { P::default() };
        list.push(Posting { doc, payload });
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::meeting::Tag;
    use super::*;

    proptest! {
        #[test]
        fn lists_are_what_was_put_in_and_not_taken_out(
            steps in prop::collection::vec((0u64..3, 0u32..12, 0u32..2, any::<bool>()), 0..80),
        ) {
            let mut table = Table::<Tag>::default();
            let mut expected = std::collections::BTreeSet::new();
            for (key, doc, value, comes) in steps {
                let posting = Posting { doc, payload: Tag::held(value) };
                if comes {
                    table.insert(key, posting);
                    expected.insert((key, posting));
                } else {
                    table.remove(key, posting);
                    expected.remove(&(key, posting));
                }
                for key in 0..3 {
                    let of_key: Vec<_> =
                        expected.iter().filter(|x| x.0 == key).map(|x| x.1).collect();
                    prop_assert_eq!(table.list(key), &of_key);
                    let mut bytes = Vec::new();
                    put_list(7, &of_key, &mut bytes);
                    let mut back = Vec::new();
                    prop_assert_eq!(get_list(&mut Input::new(&bytes), &mut back), Some(7));
                    prop_assert_eq!(back, of_key);
                }
                prop_assert_eq!(table.n_postings, expected.len());
            }
        }
    }
}
