//! What a caller puts into an index, and the settings of an index.

use retold_core::candidates::stored::Entry;
use retold_core::encode::Encoded as _;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use crate::error::{Error, Result};

/// Longest id, in bytes.
pub const MOST_ID_BYTES: usize = 1 << 20;
/// Longest record, in bytes.
pub const MOST_RECORD_BYTES: usize = 1 << 28;
/// Longest text, in bytes.
pub const MOST_TEXT_BYTES: usize = 1 << 28;
/// Longest name of a state or an attachment, in bytes.
pub const MOST_STATE_NAME_BYTES: usize = 1 << 10;
/// Longest state, in bytes: states are written anew with every flush.
pub const MOST_STATE_BYTES: usize = 1 << 24;
/// Longest encoded entry of one method, in bytes.
pub const MOST_ENTRY_BYTES: usize = 1 << 28;
/// Longest document with all its entries, in bytes; each key counts as 16.
pub const MOST_DOCUMENT_BYTES: usize = 1 << 30;
/// Longest facts of one entry, in bytes.
pub const MOST_FACTS_BYTES: usize = u16::MAX as usize;
/// Most methods of an index.
pub const MOST_METHODS: usize = 64;

/// The settings of an index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// What the caller wants to remember of how entries are made; opaque here.
    pub about: serde_json::Value,
    /// Number of methods, each with an entry of its own per document.
    pub n_methods: usize,
    /// When documents go from the log to a part.
    #[serde(default)]
    pub limits: FlushLimits,
}

impl Settings {
    /// Makes settings with the usual limits.
    pub fn new(about: serde_json::Value, n_methods: usize) -> Self {
        Self { about, n_methods, limits: FlushLimits::default() }
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.n_methods > MOST_METHODS {
            return Err(Error::invalid(format!(
                "an index has at most {MOST_METHODS} methods, got {}",
                self.n_methods
            )));
        }
        Ok(())
    }
}

/// When documents go from the log to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlushLimits {
    /// A commit flushes if the unflushed documents take more bytes than this, in the log or in
    /// memory. The default is 64 MiB.
    pub most_bytes: u64,
}

impl Default for FlushLimits {
    fn default() -> Self {
        Self { most_bytes: 64 << 20 }
    }
}

/// A document to be stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Put {
    /// Its id; a document with the same id is replaced.
    pub id: String,
    /// Its time, in a unit of the caller's; [`Writer::expire`](crate::Writer::expire) goes by it.
    pub time: Option<i64>,
    /// What the caller keeps of it beside the text; opaque here.
    pub record: Vec<u8>,
    /// Its text.
    pub text: Vec<u8>,
    /// What each method keeps of it, in the order of the methods; `None` if a method has nothing
    /// to do with it.
    pub methods: Vec<Option<Kept>>,
}

/// What one method keeps of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Equal for documents with the same words, if the method says so.
    pub identity: Option<u128>,
    /// Its entry; `None` if it is too short to be judged.
    pub entry: Option<Entry>,
}

/// What became of a document that was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PutOutcome {
    /// There was none with its id.
    Added,
    /// It took the place of one with its id.
    Replaced,
    /// It is there already, with the same content and the same entries; nothing was written.
    Unchanged,
}

/// Returns the hash by which the content of a document is told from another.
pub fn content_hash(record: &[u8], text: &[u8], time: Option<i64>) -> u128 {
    let mut hash = Xxh3Default::new();
    hash.update(&(record.len() as u64).to_le_bytes());
    hash.update(record);
    hash.update(&(text.len() as u64).to_le_bytes());
    hash.update(text);
    match time {
        Some(time) => {
            hash.update(&[1]);
            hash.update(&time.to_le_bytes());
        }
        None => hash.update(&[0]),
    }
    hash.digest128()
}

/// What tells the entries of two documents apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mark {
    pub(crate) identity: Option<u128>,
    /// Hash of the encoded entry, if there is one.
    pub(crate) entry: Option<u64>,
}

/// Returns the hash of an encoded entry.
pub(crate) fn entry_hash(encoded: &[u8]) -> u64 {
    xxh3_64(encoded)
}

impl Put {
    /// Checks that the document can be stored in an index with so many methods.
    pub(crate) fn check(&self, n_methods: usize) -> Result<()> {
        let at_most = |what: &str, len: usize, most: usize| {
            if len <= most {
                return Ok(());
            }
            Err(Error::invalid(format!("{what} has at most {most} bytes, got {len}")))
        };
        at_most("an id", self.id.len(), MOST_ID_BYTES)?;
        at_most("a record", self.record.len(), MOST_RECORD_BYTES)?;
        at_most("a text", self.text.len(), MOST_TEXT_BYTES)?;
        let n_bytes = usize::try_from(self.n_bytes()).unwrap_or(usize::MAX);
        at_most("a document with all its entries", n_bytes, MOST_DOCUMENT_BYTES)?;
        if self.methods.len() != n_methods {
            return Err(Error::invalid(format!(
                "the index has {n_methods} methods, the document has {}",
                self.methods.len()
            )));
        }
        self.entries().try_for_each(check_entry)
    }

    /// Iterates over the entries there are.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.methods.iter().flatten().filter_map(|kept| kept.entry.as_ref())
    }

    /// Returns the bytes it takes in memory, about.
    pub(crate) fn n_bytes(&self) -> u64 {
        let entries: usize = self
            .entries()
            .map(|entry| {
                entry.keys.len() * 16
                    + entry.facts.len()
                    + entry.codes.len() * 8
                    + entry.image.as_ref().map_or(0, |image| image.len())
                    + entry.code_set.as_ref().map_or(0, |set| set.len())
            })
            .sum();
        (self.id.len() * 2 + self.record.len() + self.text.len() + entries + 200) as u64
    }
}

/// Checks that an entry can be stored.
pub(crate) fn check_entry(entry: &Entry) -> Result<()> {
    if !entry.keys.is_sorted_by(|a, b| a < b) {
        return Err(Error::invalid("the keys of an entry must ascend, each pair once"));
    }
    if !entry.codes.is_sorted_by(|a, b| a < b) {
        return Err(Error::invalid("the codes of an entry must ascend, each once"));
    }
    if entry.facts.len() > MOST_FACTS_BYTES {
        return Err(Error::invalid(format!(
            "the facts of an entry have at most {MOST_FACTS_BYTES} bytes, got {}",
            entry.facts.len()
        )));
    }
    let n_bytes = [&entry.image, &entry.code_set].into_iter().flatten().map(|b| b.len()).sum();
    let n_numbers = entry.keys.len().saturating_mul(15) + entry.codes.len().saturating_mul(8);
    if n_numbers.saturating_add(n_bytes) > MOST_ENTRY_BYTES {
        return Err(Error::invalid(format!("an entry has at most {MOST_ENTRY_BYTES} bytes")));
    }
    Ok(())
}

/// Encodes the entry of one method and returns its mark; `scratch` then holds its bytes.
pub(crate) fn mark(kept: &Kept, scratch: &mut Vec<u8>) -> Mark {
    scratch.clear();
    let entry = kept.entry.as_ref().map(|entry| {
        entry.encode(scratch);
        entry_hash(scratch)
    });
    Mark { identity: kept.identity, entry }
}
