//! The engine for documents that come and go: a stream, a window of time, questions.
//!
//! It holds the lists of all documents in a table, and their images. A document that asks reads
//! its lists as in [`sealed`](super::sealed), by the same search: what it finds among the documents
//! before it is the same.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::Mutex;

use super::ask::{Asked, Asker, Hidden, Known, Tally};
use super::lists::{Posting, Table, n_before, short_key};
use super::meeting::{Meeting, Payload, asked_keys};
use super::probe::{self, Looking};
use super::{Found, NO_PANIC, Window};
use crate::document::Ordinal;
use crate::encode::{Encoded, from_bytes};

/// Documents that come and go, and among which related ones can be searched at any time.
#[derive(Debug)]
pub(crate) struct Growing<M: Meeting> {
    meeting: M,
    table: Table<M::Payload>,
    /// Ordinal of the first document in `documents`.
    first: u32,
    documents: VecDeque<Option<Held<M::Facts>>>,
    /// Codes of tiny documents, with the documents.
    tiny: BTreeSet<(u64, u32)>,
    image_bytes: usize,
    tallies: Mutex<Vec<Tally>>,
}

/// What is known of a document beside its postings.
#[derive(Debug)]
struct Held<F> {
    facts: F,
    image: Box<[u8]>,
    n_codes: u32,
    has_code_set: bool,
}

fn decode<T: Encoded>(bytes: &[u8]) -> io::Result<T> {
    from_bytes(bytes)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "an image cannot be read back"))
}

impl<M: Meeting> Growing<M> {
    pub(crate) fn new(meeting: M) -> Self {
        Self {
            meeting,
            table: Table::default(),
            first: 0,
            documents: VecDeque::new(),
            tiny: BTreeSet::new(),
            image_bytes: 0,
            tallies: Mutex::default(),
        }
    }

    /// Returns whether nothing is held of any document.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty() && self.tiny.is_empty() && self.documents.is_empty()
    }

    fn held(&self, doc: u32) -> Option<&Held<M::Facts>> {
        self.documents.get(doc.checked_sub(self.first)? as usize)?.as_ref()
    }

    fn known(&self, doc: u32) -> &Held<M::Facts> {
        self.held(doc).expect("lists name documents that are held")
    }

    /// Adds the documents that are found by their codes.
    fn look_for_codes(
        &self,
        image: &M::Image,
        before: u32,
        start: usize,
        found: &mut Found,
    ) -> io::Result<()> {
        let stop = self.meeting.limits().stop;
        let codes = self.meeting.codes(image);
        let mut met = Vec::new();
        if !codes.is_empty() {
            let mut looking = Looking::new(&codes, stop);
            let needed = self.meeting.least_codes(codes.len()).max(1);
            for (doc, held) in (self.first..before).zip(&self.documents) {
                let Some(held) = held.as_ref().filter(|held| held.has_code_set) else { continue };
                let other: M::Image = decode(&held.image)?;
                let set = self.meeting.code_set(&other).expect("as it was when it came");
                if looking.in_set(set, &mut found.cuts) >= needed {
                    met.push(doc);
                }
            }
        } else if let Some(set) = self.meeting.code_set(image) {
            let is_enough = |doc: u32, n: usize| {
                n >= self.meeting.least_codes(self.known(doc).n_codes as usize).max(1)
            };
            met = probe::tiny_in(set, &self.tiny, before, stop, is_enough, &mut found.cuts);
        }
        probe::unite(found, start, &met);
        Ok(())
    }
}

impl<M: Meeting> Known<M> for Growing<M> {
    fn facts(&self, doc: u32) -> io::Result<M::Facts> {
        Ok(self.known(doc).facts)
    }

    fn image(&self, doc: u32) -> io::Result<M::Image> {
        decode(&self.known(doc).image)
    }
}

impl<M: Meeting> Window for Growing<M> {
    fn insert(&mut self, ordinal: Ordinal, image: &[u8]) -> io::Result<()> {
        let typed: M::Image = decode(image)?;
        let doc = ordinal.0;
        if self.documents.is_empty() {
            self.first = doc;
        }
        while doc < self.first {
            self.documents.push_front(None);
            self.first -= 1;
        }
        let at = (doc - self.first) as usize;
        if at >= self.documents.len() {
            self.documents.resize_with(at + 1, || None);
        }
        let Self { meeting, table, tiny, .. } = self;
        meeting.keys(&typed, |key, payload| {
            if payload.holds() {
                table.insert(short_key(key), Posting { doc, payload });
            }
        });
        let codes = meeting.codes(&typed);
        let n_codes = codes.len() as u32;
        tiny.extend(codes.into_iter().map(|code| (code, doc)));
        self.image_bytes += image.len();
        self.documents[at] = Some(Held {
            facts: self.meeting.facts(&typed),
            image: image.into(),
            n_codes,
            has_code_set: self.meeting.code_set(&typed).is_some(),
        });
        Ok(())
    }

    fn remove(&mut self, ordinal: Ordinal) -> io::Result<()> {
        let doc = ordinal.0;
        let Some(at) = doc.checked_sub(self.first) else { return Ok(()) };
        let Some(held) = self.documents.get_mut(at as usize).and_then(Option::take) else {
            return Ok(());
        };
        let typed: M::Image = decode(&held.image)?;
        let Self { meeting, table, tiny, .. } = self;
        meeting.keys(&typed, |key, payload| {
            if payload.holds() {
                table.remove(short_key(key), Posting { doc, payload });
            }
        });
        for code in meeting.codes(&typed) {
            tiny.remove(&(code, doc));
        }
        self.image_bytes -= held.image.len();
        while let Some(None) = self.documents.front() {
            self.documents.pop_front();
            self.first += 1;
        }
        Ok(())
    }

    fn ask(&self, image: &[u8], before: Ordinal, found: &mut Found) -> io::Result<()> {
        let typed: M::Image = decode(image)?;
        let start = found.partners.len();
        let mut asked: Vec<Asked<'_, M::Payload>> = asked_keys(&self.meeting, &typed)
            .into_iter()
            .map(|(short, payload)| {
                let list = self.table.list(short);
                let list = &list[..n_before(list, before.0)];
                Asked { key: short as u32, payload, list, hidden: Hidden::default() }
            })
            .collect();
        let idle = self.tallies.lock().expect(NO_PANIC).pop();
        let mut tally = idle.unwrap_or_default();
        let asker = Asker { facts: self.meeting.facts(&typed), image: &mut || decode(image) };
        let ordinals = (self.first, self.documents.len());
        tally.ask(&self.meeting, asker, &mut asked, ordinals, self, found)?;
        self.tallies.lock().expect(NO_PANIC).push(tally);
        if M::PROBES {
            self.look_for_codes(&typed, before.0, start, found)?;
        }
        Ok(())
    }

    fn held_bytes(&self) -> usize {
        self.table.held_bytes()
            + self.image_bytes
            + self.documents.len() * size_of::<Option<Held<M::Facts>>>()
            + self.tiny.len() * 24
    }
}
