//! Postings: which documents have a feature, in lists that grow and shrink.
//!
//! Most features stand in one document only; they cost one entry of a hash table. Features of
//! some documents have a short list. Long lists are cut into classes by the size of the document
//! (sizes from 2^c to 2^(c+1) - 1 are class c), so that a search can pass over documents that are
//! too large or too small for what it still hopes to find.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use crate::document::Ordinal;
use crate::hash::Prehashed;

/// Number of documents from which a list is cut into classes.
pub(crate) const LONG: usize = 64;

/// Number of documents below which it is one list again; lower, so that a list at the border does
/// not change its form with every document.
const SHORT: usize = 32;

/// Largest number of documents: one bit tells lists from documents, one marks postings.
const MOST_DOCUMENTS: u32 = 1 << 30;

/// Set in a table entry that names a list.
const IS_LIST: u32 = 1 << 31;

/// A document in a list, and whether the feature is stored there or only asked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Posting(u32);

impl Posting {
    /// Makes a posting.
    pub(crate) fn new(ordinal: Ordinal, is_stored: bool) -> Self {
        assert!(ordinal.0 < MOST_DOCUMENTS, "a thousand million documents at most");
        Self(ordinal.0 << 1 | u32::from(!is_stored))
    }

    /// Returns the smallest posting that a document can have: what comes before it belongs to
    /// earlier documents.
    pub(crate) fn first_of(ordinal: Ordinal) -> Self {
        Self(ordinal.0.min(MOST_DOCUMENTS) << 1)
    }

    /// Returns the document.
    #[inline]
    pub(crate) fn ordinal(self) -> Ordinal {
        Ordinal(self.0 >> 1)
    }

    /// Returns whether the feature is stored, so that others find the document by it.
    #[inline]
    pub(crate) fn is_stored(self) -> bool {
        self.0 & 1 == 0
    }
}

/// Returns the class of a document of that many features.
pub(crate) fn class(n_features: u32) -> usize {
    n_features.max(1).ilog2() as usize
}

/// The postings of one feature.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Listed<'a> {
    /// Few documents, ascending.
    Short(&'a [Posting]),
    /// Many documents.
    Long(&'a Long),
}

impl Listed<'_> {
    /// Returns the number of documents that store the feature.
    pub(crate) fn n_stored(self) -> usize {
        match self {
            Self::Short(list) => list.iter().filter(|posting| posting.is_stored()).count(),
            Self::Long(long) => long.n_stored,
        }
    }
}

/// Many documents that have a feature, by size class and then ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Long {
    classes: Vec<(u8, VecDeque<Posting>)>,
    n: usize,
    n_stored: usize,
}

impl Long {
    /// Returns the documents of each class that has any, smallest documents first.
    pub(crate) fn classes(&self) -> impl Iterator<Item = (usize, &VecDeque<Posting>)> {
        self.classes.iter().map(|(class, list)| (usize::from(*class), list))
    }

    fn insert(&mut self, posting: Posting, class: usize) {
        let class = class as u8;
        let at = self.classes.partition_point(|&(other, _)| other < class);
        if self.classes.get(at).is_none_or(|&(other, _)| other != class) {
            self.classes.insert(at, (class, VecDeque::new()));
        }
        let list = &mut self.classes[at].1;
        // Documents come in order; a late one is put in its place.
        let at = match list.back() {
            Some(&last) if last >= posting => list.partition_point(|&other| other < posting),
            _ => list.len(),
        };
        list.insert(at, posting);
        self.n += 1;
        self.n_stored += usize::from(posting.is_stored());
    }

    fn remove(&mut self, posting: Posting) -> bool {
        for i in 0..self.classes.len() {
            let list = &mut self.classes[i].1;
            // The oldest goes first where a window moves on.
            let Ok(at) = list.binary_search(&posting) else { continue };
            list.remove(at);
            if list.is_empty() {
                self.classes.remove(i);
            }
            self.n -= 1;
            self.n_stored -= usize::from(posting.is_stored());
            return true;
        }
        false
    }
}

#[derive(Clone, Debug)]
enum List {
    Short(Vec<Posting>),
    Long(Long),
}

/// All postings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Postings {
    /// A feature's only posting, or the number of its list.
    heads: HashMap<u64, Head, Prehashed>,
    lists: Vec<List>,
    /// Lists that are not in use.
    free: Vec<u32>,
    n_listed: usize,
}

#[derive(Clone, Copy, Debug)]
struct Head(Posting);

impl Head {
    fn of_list(number: usize) -> Self {
        debug_assert!(number < IS_LIST as usize, "there are fewer lists than postings");
        Self(Posting(number as u32 | IS_LIST))
    }

    fn list(self) -> Option<usize> {
        let Posting(bits) = self.0;
        (bits & IS_LIST != 0).then_some((bits & !IS_LIST) as usize)
    }
}

impl Postings {
    /// Returns who has a feature.
    #[inline]
    pub(crate) fn of(&self, feature: u64) -> Listed<'_> {
        let Some(head) = self.heads.get(&key(feature)) else { return Listed::Short(&[]) };
        match head.list().map(|number| &self.lists[number]) {
            None => Listed::Short(std::slice::from_ref(&head.0)),
            Some(List::Short(list)) => Listed::Short(list),
            Some(List::Long(list)) => Listed::Long(list),
        }
    }

    /// Adds a document to a feature's list, once; `class_of` gives the class of any document held.
    pub(crate) fn insert(
        &mut self,
        feature: u64,
        posting: Posting,
        class_of: impl Fn(Ordinal) -> usize,
    ) {
        let mut head = match self.heads.entry(key(feature)) {
            Entry::Occupied(head) => head,
            Entry::Vacant(place) => {
                place.insert(Head(posting));
                return;
            }
        };
        let Some(number) = head.get().list() else {
            let Head(other) = *head.get();
            let pair = List::Short(vec![other.min(posting), other.max(posting)]);
            head.insert(Head::of_list(put(&mut self.lists, &mut self.free, pair)));
            self.n_listed += 2;
            return;
        };
        match &mut self.lists[number] {
            List::Short(list) if list.len() < LONG => {
                list.insert(list.partition_point(|&other| other < posting), posting);
            }
            List::Short(list) => {
                let mut long = Long::default();
                for posting in list.drain(..).chain([posting]) {
                    long.insert(posting, class_of(posting.ordinal()));
                }
                self.lists[number] = List::Long(long);
            }
            List::Long(long) => long.insert(posting, class_of(posting.ordinal())),
        }
        self.n_listed += 1;
    }

    /// Takes a document out of a feature's list.
    pub(crate) fn remove(&mut self, feature: u64, posting: Posting) {
        let Some(&head) = self.heads.get(&key(feature)) else { return };
        let Some(number) = head.list() else {
            if head.0 == posting {
                self.heads.remove(&key(feature));
            }
            return;
        };
        match &mut self.lists[number] {
            List::Short(list) => {
                let Ok(at) = list.binary_search(&posting) else { return };
                list.remove(at);
                if let [last] = list[..] {
                    self.heads.insert(key(feature), Head(last));
                    self.lists[number] = List::Short(Vec::new());
                    self.free.push(number as u32);
                    self.n_listed -= 1;
                }
            }
            List::Long(long) => {
                if !long.remove(posting) {
                    return;
                }
                if long.n < SHORT {
                    let mut list: Vec<Posting> =
                        long.classes.drain(..).flat_map(|(_, list)| list).collect();
                    list.sort_unstable();
                    self.lists[number] = List::Short(list);
                }
            }
        }
        self.n_listed -= 1;
    }

    /// Returns the number of bytes held, about: lists are taken to be three quarters full.
    pub(crate) fn held_bytes(&self) -> usize {
        // A table entry has 16 bytes and one of control; the table is at most 7/8 full.
        self.heads.capacity() * 20
            + self.lists.capacity() * size_of::<List>()
            + self.n_listed * size_of::<Posting>() * 4 / 3
    }
}

/// Puts a list where one is free and returns its number.
fn put(lists: &mut Vec<List>, free: &mut Vec<u32>, list: List) -> usize {
    if let Some(number) = free.pop() {
        lists[number as usize] = list;
        return number as usize;
    }
    lists.push(list);
    lists.len() - 1
}

/// Returns where a feature stands in the table. Kept features may all be small, or multiples of
/// something; the table needs all its bits to be spread.
#[inline]
fn key(feature: u64) -> u64 {
    let product = feature.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Random;

    fn ordinals(listed: Listed<'_>) -> Vec<u32> {
        let mut found: Vec<u32> = match listed {
            Listed::Short(list) => list.iter().map(|posting| posting.ordinal().0).collect(),
            Listed::Long(long) => {
                let all = long.classes().flat_map(|(_, list)| list);
                all.map(|posting| posting.ordinal().0).collect()
            }
        };
        found.sort_unstable();
        found
    }

    #[test]
    fn lists_hold_what_was_put_in_and_not_taken_out() {
        let mut random = Random::new(3);
        let mut postings = Postings::default();
        let mut expected = vec![std::collections::BTreeSet::new(); 3];
        for round in 0..4000 {
            let feature = random.below(3);
            // Lists first grow long, then shrink to nothing.
            let ordinal = random.below(300) as u32;
            let posting = Posting::new(Ordinal(ordinal), ordinal.is_multiple_of(2));
            if random.below(4000) > round {
                if expected[feature].insert(ordinal) {
                    let class_of = |ordinal: Ordinal| ordinal.index() % 3;
                    postings.insert(feature as u64, posting, class_of);
                }
            } else {
                expected[feature].remove(&ordinal);
                postings.remove(feature as u64, posting);
            }
            let listed = postings.of(feature as u64);
            assert_eq!(ordinals(listed), expected[feature].iter().copied().collect::<Vec<_>>());
            let n_stored =
                expected[feature].iter().filter(|&&ordinal| ordinal.is_multiple_of(2)).count();
            assert_eq!(listed.n_stored(), n_stored);
        }
        for (feature, left) in expected.iter().enumerate() {
            for &ordinal in left {
                let posting = Posting::new(Ordinal(ordinal), ordinal.is_multiple_of(2));
                postings.remove(feature as u64, posting);
            }
        }
        assert!(postings.heads.is_empty() && postings.n_listed == 0);
    }
}
