//! What is remembered of every document of a run: little at hand, the rest in a log, never its
//! text.

use retold_core::candidates::Candidate;
use retold_core::document::Ordinal;
use retold_core::scratch::Log;

use super::bytes::Taking;
use super::entry::{Entry, Ranks};
use super::same_words::SameWords;
use super::scratch::ScratchDir;
use crate::error::Error;
use crate::keep::Keep;

/// What is at hand of a document.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Place of its entry in the log in the lower 56 bits, flags above.
    place: u64,
    n_words: u32,
    /// The first document with the same words; itself if it is the first.
    first: u32,
}

/// Bits of a slot that are the place.
const PLACE: u64 = (1 << 56) - 1;
/// Not all of its words were read.
const IS_CUT: u64 = 1 << 56;
/// Too little text to be judged.
const IS_TOO_SHORT: u64 = 1 << 57;
/// Others have the same words.
const HAS_COPIES: u64 = 1 << 58;

/// The documents of a run, by ordinal.
#[derive(Debug)]
pub(crate) struct Collection {
    slots: Vec<Slot>,
    /// Entries, one behind the other.
    log: Log,
    scratch: ScratchDir,
    same_words: SameWords,
    /// First and copy, by first and then by copy; made when the collection is sealed.
    copies: Vec<(u32, u32)>,
    /// First document of the second collection, if two are compared.
    pub(crate) border: Option<Ordinal>,
    /// First of the documents that joined from an index or an archive, if there are any: pairs of two
    /// of them are not wanted.
    pub(crate) joined: Option<Ordinal>,
    /// Firsts of the second collection that have the words of a first of the other.
    pub(crate) across: Vec<Candidate>,
    pub(crate) n_bytes: u64,
    pub(crate) n_words: u64,
    record: Vec<u8>,
}

impl Collection {
    /// Makes an empty collection that keeps at most about `log_bytes` of entries in memory.
    pub(crate) fn new(log_bytes: usize, scratch: ScratchDir) -> Self {
        Self {
            slots: Vec::new(),
            log: Log::new(log_bytes),
            scratch,
            same_words: SameWords::default(),
            copies: Vec::new(),
            border: None,
            joined: None,
            across: Vec::new(),
            n_bytes: 0,
            n_words: 0,
            record: Vec::new(),
        }
    }

    /// Adds a document whose word sequence has this hash; returns its ordinal and whether it is
    /// the first of its words, in its own collection if two are compared. Documents without words
    /// have no hash, and no copies.
    pub(crate) fn add(
        &mut self,
        entry: &Entry,
        words_hash: Option<u128>,
    ) -> Result<(Ordinal, bool), Error> {
        let ordinal = Ordinal(self.slots.len() as u32);
        let first = words_hash.map_or(ordinal, |words_hash| self.first(ordinal, words_hash));
        self.add_with_first(entry, first)?;
        Ok((ordinal, first == ordinal))
    }

    /// Adds a document whose first is known: itself, or one before it.
    pub(crate) fn add_with_first(&mut self, entry: &Entry, first: Ordinal) -> Result<(), Error> {
        self.record.clear();
        entry.put(&mut self.record);
        let at = self.log.push(&self.record, &self.scratch);
        let at = at.map_err(|error| self.scratch.failed(error))?;
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        self.slots.push(Slot {
            place: at | flag(entry.is_cut, IS_CUT) | flag(entry.is_too_short, IS_TOO_SHORT),
            n_words: entry.n_words,
            first: first.0,
        });
        self.n_words += u64::from(entry.n_words);
        Ok(())
    }

    /// Returns the first document of these words, in the collection of `ordinal`.
    fn first(&mut self, ordinal: Ordinal, words_hash: u128) -> Ordinal {
        let mut first = Ordinal(self.same_words.first(words_hash, ordinal.0));
        if self.border.is_some_and(|border| first < border) {
            let there = first;
            first = Ordinal(self.same_words.first(!words_hash, ordinal.0));
            if first == ordinal {
                self.across.push(Candidate::new(there, ordinal));
            }
        }
        first
    }

    /// Begins the second collection.
    pub(crate) fn begin_second(&mut self) {
        self.border.get_or_insert(Ordinal(self.slots.len() as u32));
    }

    /// Returns what copies of a first document share, before the collection is sealed.
    pub(crate) fn words_key(&self, doc: Ordinal) -> Option<u128> {
        self.same_words.key(doc.0)
    }

    /// Returns whether a document joined from an index or an archive.
    pub(crate) fn is_joined(&self, doc: Ordinal) -> bool {
        self.joined.is_some_and(|joined| doc >= joined)
    }

    /// Begins the documents that join from an index or an archive.
    pub(crate) fn begin_joined(&mut self) {
        self.joined.get_or_insert(Ordinal(self.slots.len() as u32));
    }

    /// Returns whether a pair is wanted: one of its documents was not in the index before.
    pub(crate) fn is_wanted(&self, a: Ordinal, b: Ordinal) -> bool {
        self.joined.is_none_or(|joined| a.min(b) < joined)
    }

    /// Forgets what only the collapse of copies needs, and puts copies beside their firsts.
    pub(crate) fn seal(&mut self) {
        self.same_words = SameWords::default();
        self.slots.shrink_to_fit();
        let is_copy = |(doc, slot): &(u32, &Slot)| slot.first != *doc;
        let n = (0..).zip(&self.slots).filter(is_copy).count();
        self.copies = Vec::with_capacity(n);
        let copies = (0..).zip(&self.slots).filter(is_copy);
        self.copies.extend(copies.map(|(doc, slot)| (slot.first, doc)));
        self.copies.sort_unstable();
        for &(first, _) in &self.copies {
            self.slots[first as usize].place |= HAS_COPIES;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns all documents.
    pub(crate) fn documents(&self) -> impl Iterator<Item = Ordinal> + use<> {
        (0..self.slots.len() as u32).map(Ordinal)
    }

    pub(crate) fn n_words(&self, doc: Ordinal) -> u32 {
        self.slots[doc.index()].n_words
    }

    /// Returns the first document with the words of this one.
    pub(crate) fn first_of(&self, doc: Ordinal) -> Ordinal {
        Ordinal(self.slots[doc.index()].first)
    }

    /// Returns whether a document is the first with its words.
    pub(crate) fn is_first(&self, doc: Ordinal) -> bool {
        self.first_of(doc) == doc
    }

    pub(crate) fn is_too_short(&self, doc: Ordinal) -> bool {
        self.slots[doc.index()].place & IS_TOO_SHORT != 0
    }

    /// Says whether a document has too little text to be judged.
    pub(crate) fn set_too_short(&mut self, doc: Ordinal, is_too_short: bool) {
        let place = &mut self.slots[doc.index()].place;
        *place = if is_too_short { *place | IS_TOO_SHORT } else { *place & !IS_TOO_SHORT };
    }

    /// Returns whether others have the words of this first document.
    pub(crate) fn has_copies(&self, first: Ordinal) -> bool {
        self.slots[first.index()].place & HAS_COPIES != 0
    }

    /// Reads what is known of a document.
    pub(crate) fn entry(&self, doc: Ordinal) -> Result<Entry, Error> {
        let slot = self.slots[doc.index()];
        let mut entry = Entry::take(&self.read(doc)?)?;
        entry.n_words = slot.n_words;
        entry.is_cut = slot.place & IS_CUT != 0;
        entry.is_too_short = slot.place & IS_TOO_SHORT != 0;
        entry.copy_of = Some(Ordinal(slot.first)).filter(|&first| first != doc);
        Ok(entry)
    }

    /// Reads the name of a document.
    pub(crate) fn id(&self, doc: Ordinal) -> Result<String, Error> {
        Ok(Taking(&self.read(doc)?).text()?.to_owned())
    }

    /// Reads what one of the policies of `keep` ranks a document by.
    pub(super) fn rank(
        &self,
        doc: Ordinal,
        keep: &Keep,
        step: &Keep,
    ) -> Result<Option<Box<str>>, Error> {
        Ok(self.ranks(doc)?.by(keep, step))
    }

    /// Reads what a policy may rank a document by.
    pub(super) fn ranks(&self, doc: Ordinal) -> Result<Ranks, Error> {
        let record = self.read(doc)?;
        let mut taking = Taking(&record);
        taking.text()?;
        Ranks::take(&mut taking)
    }

    fn read(&self, doc: Ordinal) -> Result<Vec<u8>, Error> {
        let at = |slot: &Slot| slot.place & PLACE;
        let start = at(&self.slots[doc.index()]);
        let end = self.slots.get(doc.index() + 1).map_or(self.log.len(), at);
        let mut record = Vec::new();
        let read = self.log.read(start, (end - start) as usize, &mut record);
        read.map_err(|error| self.scratch.failed(error))?;
        Ok(record)
    }

    /// Returns the documents with the words of `first`, itself first, in order.
    pub(crate) fn group(&self, first: Ordinal) -> Vec<Ordinal> {
        let mut group = vec![first];
        if self.has_copies(first) {
            let from = self.copies.partition_point(|copy| copy.0 < first.0);
            let copies = self.copies[from..].iter().take_while(|copy| copy.0 == first.0);
            group.extend(copies.map(|copy| Ordinal(copy.1)));
        }
        group
    }

    /// Returns the number of documents with the words of `first`.
    pub(crate) fn group_len(&self, first: Ordinal) -> usize {
        if !self.has_copies(first) {
            return 1;
        }
        let from = self.copies.partition_point(|copy| copy.0 < first.0);
        1 + self.copies[from..].partition_point(|copy| copy.0 == first.0)
    }

    /// Returns the number of documents with the words of one before them.
    pub(crate) fn n_copies(&self) -> u64 {
        self.copies.len() as u64
    }

    /// Returns the first documents that have copies, in order.
    pub(crate) fn firsts_with_copies(&self) -> impl Iterator<Item = Ordinal> {
        self.copies.chunk_by(|x, y| x.0 == y.0).map(|copies| Ordinal(copies[0].0))
    }

    /// Returns the number of bytes at hand, the log not counted.
    #[cfg(test)]
    fn held_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.same_words.held_bytes()
            + self.copies.capacity() * 8
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use retold_core::document::{Markup, Span};
    use retold_read::Place;

    use super::*;

    /// Returns an entry with a name and a rank.
    pub(crate) fn entry(id: &str, rank: Option<&str>, n_words: u32) -> Entry {
        Entry {
            id: id.into(),
            place: Place { file: 3, record: 70_000, again: Some(9_000_000_000..9_000_000_500) },
            spooled: None,
            markup: Markup::Html,
            language: Some("tr".into()),
            is_language_detected: false,
            n_words,
            extent: Span::new(3, 490),
            text_hash: u64::MAX - 5,
            is_cut: true,
            copy_of: None,
            is_too_short: false,
            ranks: Ranks { time: rank.map(Into::into), source: None, field: rank.map(Into::into) },
        }
    }

    /// Returns an empty collection that spills early.
    pub(crate) fn empty() -> Collection {
        Collection::new(1 << 10, ScratchDir::new(None))
    }

    #[test]
    fn an_entry_comes_back_as_it_was() {
        let mut collection = empty();
        let mut entries = vec![entry("a", None, 7), entry("", Some("käse"), 0)];
        entries[1].place.again = None;
        entries[1].spooled = Some((5_000_000_000, 77));
        entries[1].language = None;
        entries[0].is_language_detected = true;
        for (n, entry) in entries.iter().enumerate() {
            collection.add(entry, Some(n as u128)).expect("there is room");
        }
        collection.add(&entries[0], Some(1)).expect("there is room");
        collection.seal();
        for (doc, entry) in collection.documents().zip(&entries) {
            assert_eq!(collection.entry(doc).expect("it is there"), *entry);
        }
        assert_eq!(collection.entry(Ordinal(2)).expect("it is there").copy_of, Some(Ordinal(1)));
        assert_eq!(collection.id(Ordinal(2)).expect("it is there"), "a");
        assert_eq!(collection.group(Ordinal(1)), [Ordinal(1), Ordinal(2)]);
        assert_eq!((collection.group_len(Ordinal(0)), collection.group_len(Ordinal(1))), (1, 2));
    }

    #[test]
    fn a_hundred_thousand_documents_take_forty_bytes_each() {
        let mut collection = empty();
        for n in 0..100_000 {
            let key = u128::from(retold_core::hash::bytes(&u32::to_le_bytes(n / 2), 1)) << 32;
            let id = format!("a name that is as long as names are {n}");
            collection.add(&entry(&id, None, 300), Some(key)).expect("there is room");
        }
        // A vector that has just grown holds twice what it needs.
        assert!(collection.held_bytes() <= 2 * 40 * 100_000, "{}", collection.held_bytes());
        collection.seal();
        assert!(collection.held_bytes() <= 20 * 100_000, "{}", collection.held_bytes());
        assert!(collection.log.held_bytes() <= 1 << 19, "{}", collection.log.held_bytes());
    }
}
