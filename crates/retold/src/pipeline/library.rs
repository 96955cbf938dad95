//! The documents once more: read again by place, made ready for comparison, kept while useful.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retold_core::document::{Document, Ordinal};
use retold_core::features::Featurizer;
use retold_core::features::shingles::Shingles;
use retold_core::scratch::Log;
use retold_core::verify::{Profile, Profiler};
use retold_read::{Again, BadRecord, Place};

use super::boilerplate::Boilerplate;
use super::cache::Cache;
use super::collection::Collection;
use super::entry::Entry;
use super::losses::Lost;

/// Where the texts of one source are kept.
pub(crate) enum Kept {
    /// In files; those that cannot be read again there, in the scratch file.
    Files { again: Arc<Again>, first_file: u32 },
    /// In the caller's memory.
    Memory(Arc<[Document]>),
    /// In the scratch file.
    Spooled,
}

/// Where texts come from the second time.
pub(crate) struct Texts {
    pub(crate) kept: Vec<Kept>,
    pub(crate) spooled: Log,
}

impl Texts {
    /// Returns a document that is in memory, if all are.
    fn held(&self, ordinal: Ordinal) -> Option<&Document> {
        let mut at = ordinal.index();
        for kept in &self.kept {
            let Kept::Memory(documents) = kept else { return None };
            if let Some(document) = documents.get(at) {
                return Some(document);
            }
            at -= documents.len();
        }
        None
    }

    /// Reads a document again.
    pub(crate) fn document(
        &self,
        collection: &Collection,
        ordinal: Ordinal,
    ) -> Result<Document, BadRecord> {
        if let Some(document) = self.held(ordinal) {
            return Ok(document.clone());
        }
        let entry = collection.entry(ordinal).map_err(|error| BadRecord {
            file: format!("document {ordinal}"),
            record: None,
            offset: None,
            reason: error.to_string(),
        })?;
        if let Some(at) = entry.spooled {
            return from_log(&self.spooled, at, entry);
        }
        // What joined from an index lies in the scratch file.
        let second = collection.border.or(collection.joined);
        let is_second = second.is_some_and(|second| ordinal >= second);
        match &self.kept[usize::from(is_second)] {
            Kept::Files { again, first_file } => {
                let place = Place { file: entry.place.file - first_file, ..entry.place };
                again.document(&place, &entry.id)
            }
            Kept::Memory(documents) => Ok(documents[entry.place.record as usize].clone()),
            Kept::Spooled => Err(BadRecord {
                file: entry.id.to_string(),
                record: Some(entry.place.record),
                offset: None,
                reason: "was not kept".to_owned(),
            }),
        }
    }
}

fn from_log(log: &Log, (at, len): (u64, u32), entry: Entry) -> Result<Document, BadRecord> {
    let mut bytes = Vec::new();
    let text = log.read(at, len as usize, &mut bytes).map_err(|error| error.to_string());
    let text = text.and_then(|()| String::from_utf8(bytes).map_err(|error| error.to_string()));
    Ok(Document {
        text: text.map_err(|reason| BadRecord {
            file: entry.id.to_string(),
            record: Some(entry.place.record),
            offset: None,
            reason: format!("cannot read the scratch file: {reason}"),
        })?,
        markup: entry.markup,
        language: entry.named_language().map(ToOwned::to_owned),
        source: entry.ranks.source.as_deref().map(ToOwned::to_owned),
        id: entry.id.into(),
        ..Document::default()
    })
}

/// Documents and their profiles.
pub(crate) struct Library<'a> {
    pub(crate) collection: &'a Collection,
    texts: &'a Texts,
    featurizer: &'a Featurizer,
    shingles: Shingles,
    /// What is left out of comparisons.
    boilerplate: Option<&'a Boilerplate>,
    cache: Cache,
    /// Profilers at rest.
    profilers: Mutex<Vec<Profiler>>,
    /// Documents that could not be read again.
    lost: Mutex<BTreeMap<Ordinal, BadRecord>>,
}

impl<'a> Library<'a> {
    pub(crate) fn new(
        collection: &'a Collection,
        texts: &'a Texts,
        featurizer: &'a Featurizer,
        shingles: Shingles,
        budget_bytes: usize,
    ) -> Self {
        let cache = Cache::new(budget_bytes);
        let (boilerplate, profilers, lost) = (None, Mutex::default(), Mutex::default());
        Self { collection, texts, featurizer, shingles, boilerplate, cache, profilers, lost }
    }

    /// Leaves boilerplate out of comparisons.
    pub(crate) fn without(self, boilerplate: Option<&'a Boilerplate>) -> Self {
        Self { boilerplate, ..self }
    }

    /// Drops what is kept.
    pub(crate) fn forget(&self) {
        self.cache.clear();
    }

    /// Reads a document again.
    pub(crate) fn document(&self, ordinal: Ordinal) -> Result<Document, BadRecord> {
        self.texts.document(self.collection, ordinal).inspect_err(|bad| {
            let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
            lost.entry(ordinal).or_insert_with(|| bad.clone());
        })
    }

    /// Returns the documents that could not be read again so far, whatever they were wanted for.
    pub(crate) fn lost(&self) -> Vec<Lost> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.iter().map(|(&doc, bad)| Lost { doc, bad: bad.clone() }).collect()
    }

    /// Returns a document made ready for comparison.
    pub(crate) fn profile(&self, ordinal: Ordinal) -> Result<Arc<Profile>, Lost> {
        if let Some(found) = self.cache.get(ordinal) {
            return Ok(found);
        }
        let made = self.made(ordinal)?;
        self.cache.put(ordinal, &made);
        Ok(made)
    }

    fn made(&self, ordinal: Ordinal) -> Result<Arc<Profile>, Lost> {
        self.read(ordinal, |profiler, document| {
            Arc::new(profiler.profile(document, self.featurizer, self.shingles))
        })
    }

    /// Makes a document ready for comparison, in the place of one that is no longer needed.
    pub(crate) fn profile_into(&self, ordinal: Ordinal, out: &mut Profile) -> Result<(), Lost> {
        self.read(ordinal, |profiler, document| {
            profiler.profile_into(document, self.featurizer, self.shingles, out);
        })
    }

    /// Returns the different runs of a document, ascending.
    pub(crate) fn runs(&self, ordinal: Ordinal) -> Result<Box<[u64]>, Lost> {
        self.read(ordinal, |profiler, document| {
            profiler.runs(document, self.featurizer, self.shingles)
        })
    }

    fn read<T>(
        &self,
        ordinal: Ordinal,
        make: impl FnOnce(&mut Profiler, &Document) -> T,
    ) -> Result<T, Lost> {
        let mut profiler = self.profilers().pop().unwrap_or_default();
        let mut document = if let Some(document) = self.texts.held(ordinal) {
            Cow::Borrowed(document)
        } else {
            Cow::Owned(self.document(ordinal).map_err(|bad| Lost { doc: ordinal, bad })?)
        };
        if let Some(boilerplate) = self.boilerplate {
            document = boilerplate.masked(document, self.featurizer).0;
        }
        let made = make(&mut profiler, &document);
        self.profilers().push(profiler);
        Ok(made)
    }

    fn profilers(&self) -> MutexGuard<'_, Vec<Profiler>> {
        self.profilers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
