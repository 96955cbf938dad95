//! The documents once more: read again by place, made ready for comparison, kept while useful.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering as Memory};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retold_core::document::{Document, Ordinal};
use retold_core::features::Featurizer;
use retold_core::features::shingles::Shingles;
use retold_core::verify::{Profile, Profiler};
use retold_read::{Again, BadRecord};

use super::collection::{Collection, Entry};
use super::spool::Spool;

/// Where texts come from the second time.
pub(crate) enum Texts {
    /// Files and a scratch file.
    Files { again: Box<Again>, spool: Spool },
    /// The caller's memory.
    Memory(Vec<Document>),
}

impl Texts {
    /// Reads a document again.
    pub(crate) fn document(&self, entry: &Entry, ordinal: Ordinal) -> Result<Document, BadRecord> {
        match self {
            Self::Memory(documents) => Ok(documents[ordinal.index()].clone()),
            Self::Files { again, spool } => match entry.spooled {
                None => again.document(&entry.place, &entry.id),
                Some(at) => Ok(Document {
                    id: entry.id.to_string(),
                    text: spool.read(at).map_err(|error| BadRecord {
                        file: entry.id.to_string(),
                        record: Some(entry.place.record),
                        offset: None,
                        reason: format!("cannot read the scratch file: {error}"),
                    })?,
                    markup: entry.markup,
                    language: entry.named_language().map(ToOwned::to_owned),
                    ..Document::default()
                }),
            },
        }
    }
}

/// Documents and their profiles.
pub(crate) struct Library<'a> {
    pub(crate) collection: &'a Collection,
    texts: &'a Texts,
    featurizer: &'a Featurizer,
    shingles: Shingles,
    cache: Cache,
    /// Profilers at rest.
    profilers: Mutex<Vec<Profiler>>,
}

/// Profiles at hand. Each document has its own lock, so threads meet only at the same document.
struct Cache {
    slots: Vec<Mutex<Slot>>,
    /// Grows with every profile made; tells how long ago a profile was used.
    clock: AtomicU64,
    bytes: AtomicUsize,
    budget_bytes: usize,
    /// Held by whoever makes room.
    sweeping: Mutex<()>,
}

#[derive(Default)]
struct Slot {
    profile: Option<Arc<Profile>>,
    used: u64,
}

impl Cache {
    fn new(n_documents: usize, budget_bytes: usize) -> Self {
        Self {
            slots: (0..n_documents).map(|_| Mutex::default()).collect(),
            clock: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
            budget_bytes,
            sweeping: Mutex::default(),
        }
    }

    fn slot(&self, index: usize) -> MutexGuard<'_, Slot> {
        self.slots[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, ordinal: Ordinal) -> Option<Arc<Profile>> {
        let mut slot = self.slot(ordinal.index());
        slot.used = self.clock.load(Memory::Relaxed);
        slot.profile.clone()
    }

    fn put(&self, ordinal: Ordinal, profile: &Arc<Profile>) {
        let now = self.clock.fetch_add(1, Memory::Relaxed) + 1;
        let n_bytes = profile.held_bytes();
        let held = self.bytes.fetch_add(n_bytes, Memory::Relaxed) + n_bytes;
        {
            let mut slot = self.slot(ordinal.index());
            slot.used = now;
            if slot.profile.is_some() {
                // Another thread made it meanwhile.
                self.bytes.fetch_sub(n_bytes, Memory::Relaxed);
                return;
            }
            slot.profile = Some(Arc::clone(profile));
        }
        if held > self.budget_bytes {
            self.make_room();
        }
    }

    /// Drops the profiles not used for longest, until a quarter of the budget is free.
    fn make_room(&self) {
        // Whoever finds it held may go on: room is being made.
        let Ok(_sweeping) = self.sweeping.try_lock() else { return };
        let mut held: Vec<(u64, usize)> = Vec::new();
        for index in 0..self.slots.len() {
            let slot = self.slot(index);
            if slot.profile.is_some() {
                held.push((slot.used, index));
            }
        }
        held.sort_unstable();
        held.pop(); // The newest is about to be used.
        for (_, index) in held {
            if self.bytes.load(Memory::Relaxed) <= self.budget_bytes / 4 * 3 {
                break;
            }
            if let Some(dropped) = self.slot(index).profile.take() {
                self.bytes.fetch_sub(dropped.held_bytes(), Memory::Relaxed);
            }
        }
    }
}

impl<'a> Library<'a> {
    pub(crate) fn new(
        collection: &'a Collection,
        texts: &'a Texts,
        featurizer: &'a Featurizer,
        shingles: Shingles,
        budget_bytes: usize,
    ) -> Self {
        Self {
            collection,
            texts,
            featurizer,
            shingles,
            cache: Cache::new(collection.len(), budget_bytes),
            profilers: Mutex::default(),
        }
    }

    /// Reads a document again.
    pub(crate) fn document(&self, ordinal: Ordinal) -> Result<Document, BadRecord> {
        self.texts.document(self.collection.entry(ordinal), ordinal)
    }

    /// Returns a document made ready for comparison.
    pub(crate) fn profile(&self, ordinal: Ordinal) -> Result<Arc<Profile>, BadRecord> {
        if let Some(found) = self.cache.get(ordinal) {
            return Ok(found);
        }
        let mut profiler = self.profilers().pop().unwrap_or_default();
        let made = if let Texts::Memory(documents) = self.texts {
            profiler.profile(&documents[ordinal.index()], self.featurizer, self.shingles)
        } else {
            profiler.profile(&self.document(ordinal)?, self.featurizer, self.shingles)
        };
        self.profilers().push(profiler);
        let made = Arc::new(made);
        self.cache.put(ordinal, &made);
        Ok(made)
    }

    fn profilers(&self) -> MutexGuard<'_, Vec<Profiler>> {
        self.profilers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use retold_core::document::Span;
    use retold_core::features::Words;

    use super::*;

    fn profile(n_words: u32) -> Arc<Profile> {
        let hashes = (0..u64::from(n_words)).collect();
        let spans = (0..n_words).map(|i| Span::new(i, i + 1)).collect();
        Arc::new(Profile::new(Words { hashes, spans, ..Words::default() }, Shingles::new(5)))
    }

    #[test]
    fn profiles_not_used_for_longest_make_room() {
        let one = profile(100);
        let cache = Cache::new(6, 4 * one.held_bytes());
        for doc in 0..4 {
            cache.put(Ordinal(doc), &one);
        }
        cache.get(Ordinal(0)).expect("all fit so far");
        cache.put(Ordinal(4), &one);
        let kept: Vec<bool> = (0..6).map(|doc| cache.get(Ordinal(doc)).is_some()).collect();
        assert_eq!(kept, [true, false, false, true, true, false]);
        assert_eq!(cache.bytes.load(Memory::Relaxed), 3 * one.held_bytes());
    }

    #[test]
    fn a_profile_beyond_the_budget_is_kept_while_it_is_the_newest() {
        let cache = Cache::new(2, 1);
        cache.put(Ordinal(0), &profile(1000));
        assert!(cache.get(Ordinal(0)).is_some());
        cache.put(Ordinal(1), &profile(1000));
        assert!(cache.get(Ordinal(0)).is_none() && cache.get(Ordinal(1)).is_some());
    }

    #[test]
    fn a_profile_made_twice_counts_once() {
        let cache = Cache::new(1, 1 << 20);
        let one = profile(100);
        cache.put(Ordinal(0), &one);
        cache.put(Ordinal(0), &one);
        assert_eq!(cache.bytes.load(Memory::Relaxed), one.held_bytes());
    }
}
