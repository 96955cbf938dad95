//! The documents once more: read again by place, made ready for comparison, kept while useful.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use retold_core::document::{Document, Ordinal};
use retold_core::features::Featurizer;
use retold_core::features::shingles::Shingles;
use retold_core::verify::Profile;
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
                    language: entry.language.as_deref().map(ToOwned::to_owned),
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
    cache: Mutex<Cache>,
    budget_bytes: usize,
}

/// Profiles by last use; the one not used for longest goes first.
#[derive(Default)]
struct Cache {
    profiles: HashMap<Ordinal, (u64, Arc<Profile>)>,
    by_use: BTreeMap<u64, Ordinal>,
    n_uses: u64,
    bytes: usize,
}

impl Cache {
    fn get(&mut self, ordinal: Ordinal) -> Option<Arc<Profile>> {
        let (used, profile) = self.profiles.get_mut(&ordinal)?;
        self.n_uses += 1;
        self.by_use.remove(used);
        self.by_use.insert(self.n_uses, ordinal);
        *used = self.n_uses;
        Some(Arc::clone(profile))
    }

    fn put(&mut self, ordinal: Ordinal, profile: &Arc<Profile>, budget_bytes: usize) {
        if self.get(ordinal).is_some() {
            return; // Another thread made it meanwhile.
        }
        self.n_uses += 1;
        self.bytes += profile.held_bytes();
        self.by_use.insert(self.n_uses, ordinal);
        self.profiles.insert(ordinal, (self.n_uses, Arc::clone(profile)));
        while self.bytes > budget_bytes
            && self.by_use.len() > 1
            && let Some((_, oldest)) = self.by_use.pop_first()
            && let Some((_, dropped)) = self.profiles.remove(&oldest)
        {
            self.bytes -= dropped.held_bytes();
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
        Self { collection, texts, featurizer, shingles, cache: Mutex::default(), budget_bytes }
    }

    /// Reads a document again.
    pub(crate) fn document(&self, ordinal: Ordinal) -> Result<Document, BadRecord> {
        self.texts.document(self.collection.entry(ordinal), ordinal)
    }

    /// Returns a document made ready for comparison.
    pub(crate) fn profile(&self, ordinal: Ordinal) -> Result<Arc<Profile>, BadRecord> {
        if let Some(found) = self.cache().get(ordinal) {
            return Ok(found);
        }
        let made = if let Texts::Memory(documents) = self.texts {
            Profile::of(&documents[ordinal.index()], self.featurizer, self.shingles)
        } else {
            Profile::of(&self.document(ordinal)?, self.featurizer, self.shingles)
        };
        let made = Arc::new(made);
        self.cache().put(ordinal, &made, self.budget_bytes);
        Ok(made)
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
