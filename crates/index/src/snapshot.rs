//! The index as it was at one commit.

mod holders;
mod stats;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

pub use self::stats::{PartStats, Sections, Stats};
use crate::attachment::{Attached, AttachmentReader};
use crate::disk::Disk;
use crate::document::Settings;
use crate::error::{Error, Result};
use crate::format::Kind;
use crate::manifest::Manifest;
use crate::part::{View, id_hash};
use crate::writer::{Loaded, States, load, missing_is_damaged};

/// A document as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its id.
    pub id: String,
    /// Its time.
    pub time: Option<i64>,
    /// What the caller keeps of it beside the text.
    pub record: Vec<u8>,
    /// Its text; empty where it was not asked for.
    pub text: Vec<u8>,
    /// Its place in the order in which documents came. One that is replaced gets a new one.
    pub seq: u64,
}

/// The index as it was at one commit. It never changes, and reads from the disk what it needs.
///
/// Documents have *ordinals*, from 0 to below [`n_ordinals`](Self::n_ordinals), in the order in
/// which they came; those of removed documents are left out everywhere. Ordinals of another
/// snapshot are other numbers.
#[derive(Debug)]
pub struct Snapshot {
    settings: Arc<Settings>,
    views: Vec<View>,
    /// The first ordinal of every part, and the number of all.
    starts: Vec<u32>,
    states: Arc<States>,
    attached: Arc<Attached>,
    commit: u64,
    log_bytes: u64,
    manifest: Manifest,
    /// Who stands for holders that were removed or have copies before them: found once.
    stand_ins: Mutex<HashMap<(u32, u32, u32), Option<u32>>>,
}

/// Tries to open an index whose files change meanwhile, before it is given up.
const TRIES: usize = 100;

impl Snapshot {
    pub(crate) fn new(
        views: Vec<View>,
        manifest: &Manifest,
        settings: Arc<Settings>,
        states: Arc<States>,
        attached: Arc<Attached>,
        commit: u64,
        log_bytes: u64,
    ) -> Self {
        let mut starts = Vec::with_capacity(views.len() + 1);
        let mut n = 0;
        for view in &views {
            starts.push(n);
            n += view.part.n_documents();
        }
        starts.push(n);
        Self {
            settings,
            views,
            starts,
            states,
            attached,
            commit,
            log_bytes,
            manifest: manifest.clone(),
            stand_ins: Mutex::default(),
        }
    }

    /// Opens an index as it is now, to read it. A writer, in this process or another, is not
    /// disturbed, and what it does later does not show.
    pub fn open(disk: &dyn Disk) -> Result<Self> {
        let (manifest, loaded) = load_stable(disk, load)?;
        let Loaded { mut live, states, attached, commit, end, .. } = loaded;
        let views = live.snapshot()?;
        let settings = live.settings.clone();
        let (states, attached) = (Arc::new(states), Arc::new(attached));
        Ok(Self::new(views, &manifest, settings, states, attached, commit, end.committed))
    }

    /// Returns the settings of the index.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the number of documents.
    pub fn n_documents(&self) -> u32 {
        self.views.iter().map(View::n_live).sum()
    }

    /// Returns a number greater than every ordinal.
    pub fn n_ordinals(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Returns the number of the commit.
    pub fn commit(&self) -> u64 {
        self.commit
    }

    /// Returns the latest time of all documents, those included that were removed since.
    pub fn newest(&self) -> Option<i64> {
        self.views.iter().filter_map(|view| view.part.footer.times).map(|(_, newest)| newest).max()
    }

    /// Returns how often all documents were put anew.
    pub fn epoch(&self) -> u64 {
        self.manifest.epoch
    }

    /// Returns the states.
    pub fn states(&self) -> &States {
        &self.states
    }

    /// Starts to read the value that is attached under a name, if there is one.
    pub fn attachment(&self, name: &str) -> Option<AttachmentReader<'_>> {
        self.attached.get(name).map(|attachment| AttachmentReader::new(attachment))
    }

    /// Iterates over the names of attachments, ascending.
    pub fn attachments(&self) -> impl Iterator<Item = &str> {
        self.attached.keys().map(String::as_str)
    }

    /// Returns the ordinal of the document with an id, if there is one.
    pub fn ordinal_of(&self, id: &str) -> Result<Option<u32>> {
        let hash = id_hash(id);
        for (view, start) in self.views.iter().zip(&self.starts).rev() {
            if let Some(doc) = view.find(id, hash)? {
                return Ok(Some(start + doc));
            }
        }
        Ok(None)
    }

    /// Iterates over the ordinals of all documents, ascending.
    pub fn ordinals(&self) -> impl Iterator<Item = u32> + '_ {
        self.views
            .iter()
            .zip(&self.starts)
            .flat_map(|(view, start)| view.live().map(move |doc| start + doc))
    }

    /// Returns whether there is a document with an ordinal.
    pub fn has(&self, ordinal: u32) -> bool {
        self.locate(ordinal).is_ok()
    }

    /// Returns a document.
    pub fn document(&self, ordinal: u32) -> Result<Stored> {
        let (part, doc) = self.locate(ordinal)?;
        let mut stored = self.record(ordinal)?;
        stored.text = self.views[part].part.text(doc)?;
        Ok(stored)
    }

    /// Returns a document without its text.
    pub fn record(&self, ordinal: u32) -> Result<Stored> {
        let (part, doc) = self.locate(ordinal)?;
        let part = &self.views[part].part;
        let (id, record) = part.record(doc)?;
        let row = part.row(doc)?;
        Ok(Stored { id, time: row.time, record, text: Vec::new(), seq: row.seq })
    }

    /// Returns the id of a document.
    pub fn id(&self, ordinal: u32) -> Result<String> {
        let (part, doc) = self.locate(ordinal)?;
        Ok(self.views[part].part.record(doc)?.0)
    }

    /// Returns the text of a document.
    pub fn text(&self, ordinal: u32) -> Result<Vec<u8>> {
        let (part, doc) = self.locate(ordinal)?;
        self.views[part].part.text(doc)
    }

    /// Returns the part and the number in it of a document that is there.
    fn locate(&self, ordinal: u32) -> Result<(usize, u32)> {
        let part = self.starts.partition_point(|start| *start <= ordinal).saturating_sub(1);
        match self.views.get(part) {
            Some(view) if view.is_live(ordinal - self.starts[part]) => {
                Ok((part, ordinal - self.starts[part]))
            }
            _ => Err(Error::invalid(format!("there is no document with ordinal {ordinal}"))),
        }
    }

    /// Checks that there is a method.
    fn check_method(&self, method: usize) -> Result<()> {
        if method < self.settings.n_methods {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the index has {} methods, numbered from 0; got number {method}",
            self.settings.n_methods
        )))
    }
}

/// Does something with an index whose files may be replaced at any time by a writer: tries again
/// if a file is gone because the manifest has changed.
pub(crate) fn load_stable<T>(
    disk: &dyn Disk,
    work: impl Fn(&dyn Disk, &Manifest) -> Result<T>,
) -> Result<(Manifest, T)> {
    let mut tried = 0;
    loop {
        let manifest = Manifest::read(disk)?;
        let error = match work(disk, &manifest) {
            Ok(done) => return Ok((manifest, done)),
            Err(error) => error,
        };
        tried += 1;
        let now = Manifest::read(disk)?;
        if tried == TRIES || now.generation == manifest.generation {
            return Err(missing_is_damaged(error));
        }
    }
}

/// Makes an error of the system of one of ours, for callbacks.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Io { source, .. } => source,
            other => Self::other(other),
        }
    }
}

/// Returns the name of a part.
fn name_of(view: &View) -> String {
    if view.part.is_in_memory() {
        view.part.file.name.clone()
    } else {
        Kind::Part.name(view.part.number)
    }
}
