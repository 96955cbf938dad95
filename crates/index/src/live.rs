//! The documents of an index as they are now: in parts on the disk, in parts in memory, and those
//! that are in no part yet.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::document::{Mark, Put, Settings, content_hash, mark};
use crate::error::{Error, Result};
use crate::format::{IN_MEMORY, Sink};
use crate::part::{Fresh, NOBODY, Part, View, build, id_hash, merge};

/// A document that is in no part yet.
#[derive(Debug)]
struct Waiting {
    fresh: Fresh,
    /// Whether it was removed in a group that is not committed.
    is_removed: bool,
}

/// Where a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// In the part with this number, on the disk or in memory.
    Part { number: u64, doc: u32 },
    /// In no part yet; by its sequence number.
    Waiting(u64),
}

/// The documents of an index.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) settings: Arc<Settings>,
    /// Parts on the disk.
    pub(crate) parts: Vec<View>,
    /// Parts in memory, of documents that are not flushed.
    memory: Vec<View>,
    waiting: BTreeMap<u64, Waiting>,
    by_id: HashMap<String, u64>,
    pub(crate) next_seq: u64,
    /// Documents from this sequence number on are not committed.
    committed_seq: u64,
    /// What was removed since the last commit.
    removed: Vec<Where>,
    /// Bytes put since the last flush.
    pub(crate) n_put_bytes: u64,
    next_memory: u64,
}

/// What is known of a document that is to be put.
#[derive(Debug)]
pub(crate) struct Measured {
    content: u128,
    marks: Vec<Option<Mark>>,
}

impl Measured {
    pub(crate) fn new(put: &Put) -> Self {
        let mut scratch = Vec::new();
        let marks = put
            .methods
            .iter()
            .map(|kept| kept.as_ref().map(|kept| mark(kept, &mut scratch)))
            .collect();
        Self { content: content_hash(&put.record, &put.text, put.time), marks }
    }
}

impl Live {
    pub(crate) fn new(settings: Arc<Settings>, parts: Vec<View>, next_seq: u64) -> Self {
        Self {
            settings,
            parts,
            memory: Vec::new(),
            waiting: BTreeMap::new(),
            by_id: HashMap::new(),
            next_seq,
            committed_seq: next_seq,
            removed: Vec::new(),
            n_put_bytes: 0,
            next_memory: IN_MEMORY,
        }
    }

    fn views(&self) -> impl DoubleEndedIterator<Item = &View> {
        self.parts.iter().chain(&self.memory)
    }

    fn view(&self, number: u64) -> Option<&View> {
        self.views().find(|view| view.part.number == number)
    }

    fn view_mut(&mut self, number: u64) -> Option<&mut View> {
        let mut views = self.parts.iter_mut().chain(&mut self.memory);
        views.find(|view| view.part.number == number)
    }

    /// Returns the number of documents that are there, committed or not.
    pub(crate) fn n_documents(&self) -> u64 {
        self.views().map(|view| u64::from(view.n_live())).sum::<u64>() + self.by_id.len() as u64
    }

    /// Returns the number of ordinals that parts and waiting documents take.
    fn n_ordinals(&self) -> u64 {
        let in_parts: u64 = self.views().map(|view| u64::from(view.part.n_documents())).sum();
        in_parts + self.waiting.len() as u64
    }

    /// Returns whether nothing is left to be flushed.
    pub(crate) fn is_flushed(&self) -> bool {
        self.waiting.is_empty() && self.memory.is_empty()
    }

    /// Finds the document with an id, committed or not.
    pub(crate) fn find(&self, id: &str) -> Result<Option<Where>> {
        if let Some(&seq) = self.by_id.get(id) {
            return Ok(Some(Where::Waiting(seq)));
        }
        let hash = id_hash(id);
        for view in self.views().rev() {
            if let Some(doc) = view.find(id, hash)? {
                return Ok(Some(Where::Part { number: view.part.number, doc }));
            }
        }
        Ok(None)
    }

    /// Returns the hash of the content of a document.
    pub(crate) fn content(&self, at: Where) -> Result<Option<u128>> {
        match at {
            Where::Waiting(seq) => Ok(self.waiting.get(&seq).map(|it| it.fresh.content)),
            Where::Part { number, doc } => {
                self.view(number).map(|view| Ok(view.part.row(doc)?.content)).transpose()
            }
        }
    }

    /// Returns whether a document has the content and the entries of another.
    pub(crate) fn is_same(&self, at: Where, new: &Measured) -> Result<bool> {
        if self.content(at)? != Some(new.content) {
            return Ok(false);
        }
        match at {
            Where::Waiting(seq) => {
                Ok(self.waiting.get(&seq).is_some_and(|it| it.fresh.marks == new.marks))
            }
            Where::Part { number, doc } => {
                let Some(view) = self.view(number) else { return Ok(false) };
                for (method, mark) in new.marks.iter().enumerate() {
                    if view.part.kept(method, doc)?.map(|row| row.mark) != *mark {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// Checks that one more document can be numbered.
    pub(crate) fn check_room(&self) -> Result<()> {
        if self.n_ordinals() >= u64::from(u32::MAX) - 1 { Err(Error::Full) } else { Ok(()) }
    }

    /// Adds a document under the next sequence number; one with its id was removed before.
    pub(crate) fn insert(&mut self, put: Put, measured: Measured) {
        let Measured { content, marks } = measured;
        let seq = self.next_seq;
        self.next_seq += 1;
        self.n_put_bytes += put.n_bytes();
        self.by_id.insert(put.id.clone(), seq);
        let fresh = Fresh { put, seq, content, marks };
        self.waiting.insert(seq, Waiting { fresh, is_removed: false });
    }

    /// Removes a document.
    pub(crate) fn remove(&mut self, at: Where) {
        match at {
            Where::Waiting(seq) => {
                let Some(waiting) = self.waiting.get_mut(&seq) else { return };
                self.by_id.remove(&waiting.fresh.put.id);
                if seq < self.committed_seq {
                    // Snapshots show it until the group is committed.
                    waiting.is_removed = true;
                    self.removed.push(at);
                } else {
                    self.waiting.remove(&seq);
                }
            }
            Where::Part { number, doc } => {
                let Some(view) = self.view_mut(number) else { return };
                if Arc::make_mut(&mut view.removed).set(doc) {
                    self.removed.push(at);
                }
            }
        }
    }

    /// Removes all documents with a time before another and returns how many there were.
    pub(crate) fn expire(&mut self, before: i64) -> Result<u64> {
        let mut expired = Vec::new();
        for view in self.views() {
            if view.part.footer.times.is_none_or(|times| times.0 >= before) {
                continue;
            }
            let number = view.part.number;
            let times = view.part.times()?;
            let is_old = |doc: &u32| times.get(*doc as usize).is_some_and(|time| *time < before);
            expired.extend(view.live().filter(is_old).map(|doc| Where::Part { number, doc }));
        }
        for (seq, waiting) in &self.waiting {
            if !waiting.is_removed && waiting.fresh.put.time.is_some_and(|time| time < before) {
                expired.push(Where::Waiting(*seq));
            }
        }
        for at in &expired {
            self.remove(*at);
        }
        Ok(expired.len() as u64)
    }

    /// Says that all that was put and removed is committed.
    pub(crate) fn commit(&mut self) {
        for at in std::mem::take(&mut self.removed) {
            if let Where::Waiting(seq) = at {
                self.waiting.remove(&seq);
            }
        }
        self.committed_seq = self.next_seq;
    }

    /// Forgets all that was put and removed since the last commit.
    pub(crate) fn roll_back(&mut self) {
        for (_, waiting) in self.waiting.split_off(&self.committed_seq) {
            self.by_id.remove(&waiting.fresh.put.id);
            self.n_put_bytes = self.n_put_bytes.saturating_sub(waiting.fresh.put.n_bytes());
        }
        for at in std::mem::take(&mut self.removed) {
            match at {
                Where::Waiting(seq) => {
                    if let Some(waiting) = self.waiting.get_mut(&seq) {
                        waiting.is_removed = false;
                        self.by_id.insert(waiting.fresh.put.id.clone(), seq);
                    }
                }
                Where::Part { number, doc } => {
                    if let Some(view) = self.view_mut(number) {
                        Arc::make_mut(&mut view.removed).clear(doc);
                    }
                }
            }
        }
        self.next_seq = self.committed_seq;
    }

    /// Returns the documents that were put since the last commit, with their sequence numbers.
    pub(crate) fn uncommitted(&self) -> impl Iterator<Item = (&Put, u64)> {
        self.waiting.range(self.committed_seq..).map(|(&seq, waiting)| (&waiting.fresh.put, seq))
    }

    /// Returns a view as it was at the last commit.
    pub(crate) fn committed(&self, view: &View) -> View {
        let mut view = view.clone();
        for at in &self.removed {
            if let Where::Part { number, doc } = *at
                && number == view.part.number
            {
                Arc::make_mut(&mut view.removed).clear(doc);
            }
        }
        view
    }

    /// Puts committed documents that are in no part into parts in memory, and returns all parts as
    /// they were at the last commit.
    pub(crate) fn snapshot(&mut self) -> Result<Vec<View>> {
        self.gather()?;
        Ok(self.views().map(|view| self.committed(view)).collect())
    }

    /// Makes a part in memory of committed documents that wait, and merges parts that are small.
    fn gather(&mut self) -> Result<()> {
        let waiting: Vec<&Fresh> =
            self.waiting.range(..self.committed_seq).map(|(_, waiting)| &waiting.fresh).collect();
        if waiting.is_empty() {
            return Ok(());
        }
        let earlier: Vec<View> = self.views().cloned().collect();
        let mut sink = Sink::in_memory();
        build(&waiting, &self.settings, &earlier, &mut sink)?;
        let number = self.next_memory;
        let mut view = View::new(Part::in_memory(number, sink)?);

        // From now on they are found in the part.
        let later = self.waiting.split_off(&self.committed_seq);
        let gathered = std::mem::replace(&mut self.waiting, later);
        for (doc, waiting) in (0..).zip(gathered.values()) {
            if waiting.is_removed {
                Arc::make_mut(&mut view.removed).set(doc);
            } else {
                self.by_id.remove(&waiting.fresh.put.id);
            }
        }
        let docs: HashMap<u64, u32> = gathered.keys().copied().zip(0..).collect();
        for at in &mut self.removed {
            if let Where::Waiting(seq) = *at
                && let Some(&doc) = docs.get(&seq)
            {
                *at = Where::Part { number, doc };
            }
        }
        self.memory.push(view);
        self.next_memory += 1;
        self.merge_memory()
    }

    /// Merges parts in memory, the last two as long as the last one is not much smaller.
    fn merge_memory(&mut self) -> Result<()> {
        while let [.., one, last] = &self.memory[..]
            && last.part.file.len * 2 >= one.part.file.len
        {
            let views = [self.committed(one), self.committed(last)];
            let number = self.next_memory;
            self.next_memory += 1;
            let merged = if views.iter().all(|view| view.n_live() == 0) {
                None
            } else {
                let mut sink = Sink::in_memory();
                merge(&views, &self.settings, &mut sink)?;
                Some(View::new(Part::in_memory(number, sink)?))
            };
            self.memory.truncate(self.memory.len() - 2);
            let merged = merged.map(|view| self.carry_over(&views, view));
            self.memory.extend(merged);
        }
        Ok(())
    }

    /// Marks in a merged part what was removed from its sources since, and finds it there.
    fn carry_over(&mut self, sources: &[View], mut merged: View) -> View {
        let numbers = Numbers::new(sources, &self.removed);
        for at in &mut self.removed {
            if let Some(doc) = numbers.of(*at) {
                Arc::make_mut(&mut merged.removed).set(doc);
                *at = Where::Part { number: merged.part.number, doc };
            }
        }
        merged
    }

    /// Writes all that is in no part on the disk, committed or not, as one part; returns whether
    /// there was anything.
    pub(crate) fn write_part(&self, sink: &mut Sink) -> Result<bool> {
        let waiting = self.waiting.values().filter(|waiting| !waiting.is_removed);
        let waiting: Vec<&Fresh> = waiting.map(|waiting| &waiting.fresh).collect();
        let n_live: u64 = self.memory.iter().map(|view| u64::from(view.n_live())).sum();
        if n_live == 0 && waiting.is_empty() {
            return Ok(false);
        }
        if n_live == 0 {
            build(&waiting, &self.settings, &self.parts, sink)?;
            return Ok(true);
        }
        let mut sources = self.memory.clone();
        if !waiting.is_empty() {
            let earlier: Vec<View> = self.views().cloned().collect();
            let mut sink = Sink::in_memory();
            build(&waiting, &self.settings, &earlier, &mut sink)?;
            sources.push(View::new(Part::in_memory(self.next_memory, sink)?));
        }
        merge(&sources, &self.settings, sink)?;
        Ok(true)
    }

    /// Returns whether anything that is not on the disk as a part is there.
    pub(crate) fn has_unflushed(&self) -> bool {
        !self.by_id.is_empty() || self.memory.iter().any(|view| view.n_live() > 0)
    }

    /// Replaces all that is not on the disk by a part that holds it.
    pub(crate) fn flushed(&mut self, part: Option<View>) {
        self.memory.clear();
        self.waiting.clear();
        self.by_id.clear();
        self.n_put_bytes = 0;
        self.parts.extend(part);
    }

    /// Returns a merged part with what was removed from its neighbouring sources, which start at
    /// `at`, since they were merged, committed or not; and the part as it was at the last commit.
    pub(crate) fn caught_up(&self, at: usize, sources: &[View], merged: &View) -> (View, View) {
        let (mut now, mut committed) = (merged.clone(), merged.clone());
        let mut new = 0;
        for (source, current) in sources.iter().zip(&self.parts[at..]) {
            let at_commit = self.committed(current);
            for doc in source.live() {
                if current.removed.has(doc) {
                    Arc::make_mut(&mut now.removed).set(new);
                }
                if at_commit.removed.has(doc) {
                    Arc::make_mut(&mut committed.removed).set(new);
                }
                new += 1;
            }
        }
        (now, committed)
    }

    /// Puts a merged part that was [caught up](Self::caught_up) in the place of its sources.
    pub(crate) fn replace(&mut self, at: usize, sources: &[View], merged: Option<View>) {
        let merged = merged.map(|merged| self.carry_over(sources, merged));
        self.parts.splice(at..at + sources.len(), merged);
    }
}

/// The numbers that documents of some parts get in the part that is merged from them.
#[derive(Debug)]
struct Numbers(HashMap<u64, Vec<u32>>);

impl Numbers {
    /// Numbers the documents of those sources from which one of `places` is.
    fn new(sources: &[View], places: &[Where]) -> Self {
        let mut numbers = HashMap::new();
        let mut next = 0;
        for source in sources {
            let number = source.part.number;
            let is_asked = |at: &Where| matches!(at, Where::Part { number: n, .. } if *n == number);
            if !places.iter().any(is_asked) {
                next += source.n_live();
                continue;
            }
            let mut new = vec![NOBODY; source.part.n_documents() as usize];
            for doc in source.live() {
                new[doc as usize] = next;
                next += 1;
            }
            numbers.insert(number, new);
        }
        Self(numbers)
    }

    fn of(&self, at: Where) -> Option<u32> {
        let Where::Part { number, doc } = at else { return None };
        let new = *self.0.get(&number)?.get(doc as usize)?;
        (new != NOBODY).then_some(new)
    }
}
