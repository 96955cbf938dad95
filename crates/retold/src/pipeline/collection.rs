//! What is remembered of every document of a run: little, and never its text.

use std::cmp::Ordering;
use std::collections::HashMap;

use retold_core::candidates::Candidate;
use retold_core::document::{Document, Markup, Ordinal, Span};
use retold_read::Place;

use crate::settings::Keep;

/// One document.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) id: Box<str>,
    pub(crate) place: Place,
    /// Where its text lies in the scratch file, if it cannot be read again from its own.
    pub(crate) spooled: Option<(u64, u32)>,
    pub(crate) markup: Markup,
    /// The language that is reported: named by the record, or detected.
    pub(crate) language: Option<Box<str>>,
    pub(crate) is_language_detected: bool,
    pub(crate) n_words: u32,
    /// From its first to its last word, in bytes of the original.
    pub(crate) extent: Span,
    /// Hash of the original text: equal texts have equal spans.
    pub(crate) text_hash: u64,
    pub(crate) is_cut: bool,
    /// The first document with the same words in the same order, if it is not this one.
    pub(crate) copy_of: Option<Ordinal>,
    /// Whether the document has too little text for the method to judge it.
    pub(crate) is_too_short: bool,
    /// What [`Keep`] ranks by, where it is not the words or the order.
    pub(crate) rank: Option<Box<str>>,
}

impl Entry {
    /// Returns the language that the record names. A detected one is only reported: words are
    /// folded on the second look as they were on the first.
    pub(crate) fn named_language(&self) -> Option<&str> {
        self.language.as_deref().filter(|_| !self.is_language_detected)
    }
}

/// The documents of a run, by ordinal.
#[derive(Debug, Default)]
pub(crate) struct Collection {
    pub(crate) entries: Vec<Entry>,
    /// Copies of each document that has any, itself not among them, in order.
    pub(crate) copies: HashMap<Ordinal, Vec<Ordinal>>,
    by_words: HashMap<u128, Ordinal>,
    /// First document of the second collection, if two are compared.
    pub(crate) border: Option<Ordinal>,
    /// Firsts of the second collection that have the words of a first of the other.
    pub(crate) across: Vec<Candidate>,
    pub(crate) n_bytes: u64,
    pub(crate) n_words: u64,
}

impl Collection {
    /// Adds a document whose word sequence has this hash; returns its ordinal and whether it is
    /// the first of its words, in its own collection if two are compared. Documents without words
    /// have no hash, and no copies.
    pub(crate) fn add(&mut self, mut entry: Entry, words_hash: Option<u128>) -> (Ordinal, bool) {
        let ordinal = Ordinal(self.entries.len() as u32);
        let first = words_hash.map_or(ordinal, |words_hash| self.first(ordinal, words_hash));
        if first != ordinal {
            entry.copy_of = Some(first);
            self.copies.entry(first).or_default().push(ordinal);
        }
        self.n_words += u64::from(entry.n_words);
        self.entries.push(entry);
        (ordinal, first == ordinal)
    }

    /// Returns the first document of these words, in the collection of `ordinal`.
    fn first(&mut self, ordinal: Ordinal, words_hash: u128) -> Ordinal {
        let mut first = *self.by_words.entry(words_hash).or_insert(ordinal);
        if self.border.is_some_and(|border| first < border) {
            let there = first;
            first = *self.by_words.entry(!words_hash).or_insert(ordinal);
            if first == ordinal {
                self.across.push(Candidate::new(there, ordinal));
            }
        }
        first
    }

    /// Begins the second collection.
    pub(crate) fn begin_second(&mut self) {
        self.border.get_or_insert(Ordinal(self.entries.len() as u32));
    }

    /// Forgets what only the collapse of copies needs.
    pub(crate) fn seal(&mut self) {
        self.by_words = HashMap::new();
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn entry(&self, ordinal: Ordinal) -> &Entry {
        &self.entries[ordinal.index()]
    }

    /// Returns the documents with the words of `first`, itself first.
    pub(crate) fn group(&self, first: Ordinal) -> Vec<Ordinal> {
        let mut group = vec![first];
        group.extend(self.copies.get(&first).into_iter().flatten());
        group
    }

    /// Returns the first documents that have copies, in order.
    pub(crate) fn firsts_with_copies(&self) -> Vec<Ordinal> {
        let mut firsts: Vec<Ordinal> = self.copies.keys().copied().collect();
        firsts.sort_unstable();
        firsts
    }

    /// Ranks all documents by a policy: `preference[ordinal]`, smaller is better, no ties.
    pub(crate) fn preference(&self, keep: &Keep) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        let entry = |i: &u32| &self.entries[*i as usize];
        match keep {
            Keep::First => {}
            Keep::Longest => order.sort_by_key(|i| u32::MAX - entry(i).n_words),
            Keep::Oldest | Keep::Field(_) => {
                order.sort_by(|x, y| by_rank(entry(x), entry(y), Ordering::Less));
            }
            Keep::Newest | Keep::FieldDescending(_) => {
                order.sort_by(|x, y| by_rank(entry(x), entry(y), Ordering::Greater));
            }
            Keep::Source(list) => order.sort_by_key(|i| {
                let source = entry(i).rank.as_deref();
                list.iter().position(|known| Some(known.as_str()) == source).unwrap_or(list.len())
            }),
        }
        let mut preference = vec![0; self.len()];
        for (rank, doc) in order.into_iter().enumerate() {
            preference[doc as usize] = rank as u32;
        }
        preference
    }
}

/// Returns what a policy ranks a document by, if it is a field of the record.
pub(crate) fn rank_of(document: &Document, keep: &Keep) -> Option<Box<str>> {
    let value = match keep {
        Keep::Oldest | Keep::Newest => &document.time,
        Keep::Source(_) => &document.source,
        Keep::Field(_) | Keep::FieldDescending(_) => &document.rank,
        Keep::Longest | Keep::First => return None,
    };
    value.as_deref().map(Into::into)
}

/// Compares two ranks: those that come `first` before the others, missing ones last; numbers as
/// numbers where both are.
fn by_rank(x: &Entry, y: &Entry, first: Ordering) -> Ordering {
    let (Some(x), Some(y)) = (&x.rank, &y.rank) else {
        return y.rank.is_some().cmp(&x.rank.is_some());
    };
    let order = match (x.parse::<f64>(), y.parse::<f64>()) {
        (Ok(x), Ok(y)) => x.total_cmp(&y),
        _ => x.cmp(y),
    };
    if first == Ordering::Less { order } else { order.reverse() }
}
