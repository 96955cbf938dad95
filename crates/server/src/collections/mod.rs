//! Collections: indexes that the server keeps, and archives that it only reads.
//!
//! A collection that is written has one thread that writes (`writing.rs`); everybody else reads the
//! state that was published last. Its full-text index (`full_text.rs`) follows a moment later and says
//! how far it is.

mod collection;
mod full_text;
#[cfg(test)]
mod tests;
mod writing;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use retold::{Index, IndexOptions, IndexWriter, Job};
use serde::{Deserialize, Serialize};

pub(crate) use self::collection::{Collection, Searched};
pub(crate) use self::full_text::Ranked;
pub(crate) use self::writing::{Done, Written};
use crate::disk::FreeSpace;
use crate::problem::{Code, Problem};
use crate::store::{CHECKED, COLLECTIONS, Store};
use crate::time::now;

/// What the server keeps of a collection, beside its index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) created: i64,
    /// Seconds of the time window, if it is a stream.
    pub(crate) window: Option<i64>,
    /// Whether documents leave the collection when they leave the window.
    pub(crate) forgets: bool,
    /// Collections that posted texts are checked against.
    pub(crate) check_against: Vec<String>,
    /// An index that lies elsewhere and is only read.
    pub(crate) archive: Option<PathBuf>,
}

/// How the folders of collections begin that are being removed.
const REMOVED: &str = ".removed-";

/// All collections.
pub(crate) struct Collections {
    folder: PathBuf,
    open: RwLock<BTreeMap<String, Arc<Collection>>>,
    /// Held while a collection is made or removed.
    changing: std::sync::Mutex<()>,
    free: Arc<FreeSpace>,
    /// What could not be opened, and why.
    pub(crate) warnings: Vec<String>,
}

/// Returns whether a collection, a result or a pool may have a name: it is part of addresses and of
/// paths.
pub(crate) fn is_name(name: &str) -> bool {
    let is_first = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_next = |byte: u8| is_first(byte) || matches!(byte, b'.' | b'_' | b'-');
    name.len() <= 64 && name.bytes().next().is_some_and(is_first) && name.bytes().all(is_next)
}

impl Collections {
    /// Opens the collections below a folder, and archives beside them.
    pub(crate) fn open(
        folder: &Path,
        store: &Store,
        archives: &[PathBuf],
        free: &Arc<FreeSpace>,
    ) -> Result<Self, Problem> {
        fs::create_dir_all(folder)?;
        // Left behind when removing a collection was cut short.
        for entry in fs::read_dir(folder)?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(REMOVED) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        let (mut open, mut warnings) = (BTreeMap::new(), Vec::new());
        for (name, record) in store.list::<Record>(COLLECTIONS, "", None, usize::MAX)? {
            match Collection::open(&folder.join(&name), record, free) {
                Ok(collection) => {
                    open.insert(name, Arc::new(collection));
                }
                // One that is damaged does not keep the others from being served.
                Err(problem) => {
                    warnings
                        .push(format!("collection `{name}` is not served: {}", problem.detail()));
                }
            }
        }
        for path in archives {
            let name = archive_name(path, &open)?;
            let record = Record {
                name: name.clone(),
                title: None,
                created: now(),
                window: None,
                forgets: false,
                check_against: Vec::new(),
                archive: Some(path.clone()),
            };
            let collection = Collection::open(&folder.join(&name), record, free)?;
            open.insert(name, Arc::new(collection));
        }
        let (folder, free) = (folder.to_owned(), Arc::clone(free));
        let changing = std::sync::Mutex::default();
        Ok(Self { folder, open: RwLock::new(open), changing, free, warnings })
    }

    /// Returns a collection by its name.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Collection>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Returns all collections, by name.
    pub(crate) fn all(&self) -> Vec<Arc<Collection>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Makes a collection.
    pub(crate) fn create(
        &self,
        store: &Store,
        record: &Record,
        jobs: &[Job],
        options: &IndexOptions,
    ) -> Result<Arc<Collection>, Problem> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let name = record.name.clone();
        if self.get(&name).is_some() {
            let detail = format!("there is a collection `{name}` already");
            return Err(Problem::new(Code::Conflict, detail));
        }
        self.free.check()?;
        let folder = self.folder.join(&name);
        if folder.exists() {
            // Left behind when making it was cut short, unless there are documents in it.
            let path = folder.join("index");
            let is_empty = !retold::is_index(&path)
                || Index::open(&path).is_ok_and(|index| index.n_documents() == 0);
            if !is_empty {
                let detail = format!(
                    "the data folder holds documents of a collection `{name}` that the server does \
                     not know; whoever runs it has to move them away first"
                );
                return Err(Problem::new(Code::Conflict, detail));
            }
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let made = IndexWriter::create(folder.join("index"), jobs, options).map(drop);
        if let Err(error) = made {
            let _ = fs::remove_dir_all(&folder);
            return Err(error.into());
        }
        let collection = match Collection::open(&folder, record.clone(), &self.free) {
            Ok(collection) => Arc::new(collection),
            Err(problem) => {
                let _ = fs::remove_dir_all(&folder);
                return Err(problem);
            }
        };
        store.put(COLLECTIONS, &name, record)?;
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        open.insert(name, Arc::clone(&collection));
        Ok(collection)
    }

    /// Removes a collection with everything it holds; returns whether it was there.
    pub(crate) fn remove(&self, store: &Store, name: &str) -> Result<bool, Problem> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(collection) = self.get(name) else { return Ok(false) };
        if collection.is_read_only() {
            let detail = format!("`{name}` is an archive that lies elsewhere");
            return Err(Problem::new(Code::ReadOnly, detail));
        }
        store.change(|changes| {
            changes.remove(CHECKED, name)?;
            changes.remove(COLLECTIONS, name)
        })?;
        self.open.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        collection.close();
        drop(collection);
        // Whoever still reads keeps its files open; the names go at once.
        let trash = self.folder.join(format!("{REMOVED}{name}-{}", crate::keys::random_name()?));
        fs::rename(self.folder.join(name), &trash)?;
        fs::remove_dir_all(&trash)?;
        Ok(true)
    }

    /// Looks for new states of archives that others write to.
    pub(crate) fn refresh_archives(&self) {
        for collection in self.all() {
            if collection.is_read_only() {
                collection.refresh();
            }
        }
    }

    /// Ends all writing, and waits for it.
    pub(crate) fn close(&self) {
        for collection in self.all() {
            collection.close();
        }
    }
}

/// Returns the name of an archive: that of its folder without the ending.
fn archive_name(
    path: &Path,
    others: &BTreeMap<String, Arc<Collection>>,
) -> Result<String, Problem> {
    Index::open(path)?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
    let letters = stem.unwrap_or_default();
    let is_kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = letters.chars().map(|c| if is_kept(c) { c } else { '-' }).collect();
    let name = name.trim_start_matches(['.', '_', '-']);
    let name: String = if name.is_empty() { "archive" } else { name }.chars().take(60).collect();
    let free = |name: &String| !others.contains_key(name);
    let mut numbered = (2..).map(|n| format!("{name}-{n}"));
    Ok(if free(&name) { name } else { numbered.find(free).expect("numbers do not end") })
}
