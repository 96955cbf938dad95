//! Makes and opens an index: what is found is read, replayed and put in order.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use super::{States, Writer};
use crate::attachment::{Attached, open_attachments};
use crate::disk::Disk;
use crate::document::Settings;
use crate::error::{Doing as _, Error, Result};
use crate::format::{Kind, MANIFEST, NEW_MANIFEST};
use crate::live::{Live, Measured};
use crate::log::{LogEnd, LogReader, LogWriter, Record};
use crate::manifest::{Manifest, PartEntry, Written, step, sync_failed};
use crate::part::{Part, View};
use crate::removed::read_removed;

impl Writer {
    /// Makes a new index in a folder that holds none.
    pub fn create(disk: Arc<dyn Disk>, settings: Settings) -> Result<Self> {
        let index = random_id();
        Self::create_with_id(disk, settings, index)
    }

    /// Makes a new index with a given id, for tests that compare bytes. The ids of indexes that
    /// may meet must differ.
    pub fn create_with_id(disk: Arc<dyn Disk>, settings: Settings, index: u128) -> Result<Self> {
        settings.check()?;
        let lock = lock(disk.as_ref())?;
        match Manifest::read(disk.as_ref()) {
            Err(Error::NotAnIndex) => {}
            Ok(_) | Err(Error::Damaged { .. } | Error::Version { .. }) => {
                return Err(Error::Exists);
            }
            Err(error) => return Err(error),
        }
        refuse_parts(disk.as_ref())?;
        // Left by a process that died while it made an index here.
        step(disk.as_ref(), "create: before what was left is removed")?;
        let next_file = remove_orphans(disk.as_ref(), &BTreeSet::new())?.max(1);
        step(disk.as_ref(), "create: before the log is written")?;
        let log = LogWriter::create(disk.as_ref(), index, next_file, &[], 0)?;
        step(disk.as_ref(), "create: before the folder is synced")?;
        disk.sync().map_err(|source| sync_failed("the folder", source))?;
        let manifest = Manifest {
            index,
            generation: 1,
            settings,
            epoch: 0,
            parts: Vec::new(),
            attachments: BTreeMap::new(),
            log: next_file,
            next_file: next_file + 1,
            next_seq: 0,
            written: Written::default(),
        };
        step(disk.as_ref(), "create: before the manifest is written")?;
        manifest.write(disk.as_ref(), &mut false)?;
        let live = Live::new(Arc::new(manifest.settings.clone()), Vec::new(), 0);
        Ok(Self::new(disk, manifest, live, log, States::new(), 0, lock))
    }

    /// Opens an index to write to it, as it was at the last commit.
    ///
    /// What a process left behind that died while it wrote is put in order: the log is replayed,
    /// a group that was not committed is cut off, and files that are not part of the index are
    /// removed.
    pub fn open(disk: Arc<dyn Disk>) -> Result<Self> {
        let lock = lock(disk.as_ref())?;
        let mut manifest = Manifest::read(disk.as_ref())?;
        step(disk.as_ref(), "open: before the files are read")?;
        let loaded = load(disk.as_ref(), &manifest).map_err(missing_is_damaged)?;
        // The process that put the manifest in place may have died before it synced the folder;
        // files of the manifest before it may go only after that.
        step(disk.as_ref(), "open: before the folder is synced")?;
        disk.sync().map_err(|source| sync_failed("the folder", source))?;
        step(disk.as_ref(), "open: before orphans are removed")?;
        let next_file = remove_orphans(disk.as_ref(), &files(&manifest))?;
        manifest.next_file = manifest.next_file.max(next_file);
        let Loaded { live, states, attached, commit, first_group, end, reader } = loaded;
        step(disk.as_ref(), "open: before the log is cut")?;
        let mut log = LogWriter::go_on(reader, manifest.log, end.unmarked)?;
        log.mark_synced(commit)?;
        step(disk.as_ref(), "open: done")?;
        let mut writer = Self::new(disk, manifest, live, log, states, commit, lock);
        writer.attached = Arc::new(attached);
        writer.log_base = first_group;
        Ok(writer)
    }

    pub(crate) fn new(
        disk: Arc<dyn Disk>,
        manifest: Manifest,
        live: Live,
        log: LogWriter,
        states: States,
        commit: u64,
        lock: Box<dyn Send + Sync>,
    ) -> Self {
        Self {
            disk,
            manifest,
            live,
            log_base: log.n_bytes(),
            log,
            committed_states: Arc::new(states.clone()),
            states,
            attached: Arc::default(),
            commit,
            has_group: false,
            removed_ids: Vec::new(),
            expired_before: None,
            poison: None,
            retry_flush_at: 0,
            planned: Vec::new(),
            snapshot: None,
            lock: Arc::from(lock),
        }
    }
}

/// Refuses a folder with parts but without a manifest: it was an index that could be repaired.
pub(crate) fn refuse_parts(disk: &dyn Disk) -> Result<()> {
    let names = disk.list().doing(|| "list the folder".to_owned())?;
    if names.iter().any(|name| matches!(Kind::of_name(name), Some((Kind::Part, _)))) {
        return Err(Error::damaged(MANIFEST, 0, "it is missing, but there are parts of an index"));
    }
    Ok(())
}

fn random_id() -> u128 {
    use std::hash::{BuildHasher as _, RandomState};
    // Each state has keys of its own, from the randomness of the system.
    let half = || u128::from(RandomState::new().hash_one(std::process::id()));
    half() << 64 | half()
}

pub(crate) fn lock(disk: &dyn Disk) -> Result<Box<dyn Send + Sync>> {
    disk.lock().doing(|| "lock the index".to_owned())?.ok_or(Error::Locked)
}

/// Returns the names of the files of an index.
pub(crate) fn files(manifest: &Manifest) -> BTreeSet<String> {
    let mut names = BTreeSet::from([MANIFEST.to_owned(), Kind::Log.name(manifest.log)]);
    names.extend(manifest.attachments.values().map(|entry| Kind::Attachment.name(entry.number)));
    for part in &manifest.parts {
        names.insert(Kind::Part.name(part.number));
        names.extend(part.removed.map(|number| Kind::Removed.name(number)));
    }
    names
}

/// Removes files that look like ours and are not part of the index; others are left alone.
/// Returns a number greater than that of any file that is or was there.
pub(crate) fn remove_orphans(disk: &dyn Disk, files: &BTreeSet<String>) -> Result<u64> {
    let mut next = 0;
    for name in disk.list().doing(|| "list the folder".to_owned())? {
        let number = Kind::of_name(&name).map(|(_, number)| number);
        next = next.max(number.map_or(0, |number| number.saturating_add(1)));
        let is_ours = number.is_some() || name == NEW_MANIFEST;
        if is_ours && !files.contains(&name) {
            match disk.remove(&name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::io(format!("remove `{name}`"), error));
                }
                _ => {}
            }
            step(disk, "open: an orphan is removed")?;
        }
    }
    Ok(next)
}

/// A file that the manifest names is missing: that is damage.
pub(crate) fn missing_is_damaged(error: Error) -> Error {
    match error {
        Error::Io { what, source } if source.kind() == io::ErrorKind::NotFound => {
            let file = what.split('`').nth(1).unwrap_or(&what).to_owned();
            Error::Damaged { file, offset: 0, what: "it is missing".to_owned() }
        }
        other => other,
    }
}

/// An index as its files say.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) live: Live,
    pub(crate) states: States,
    /// None where the log alone was replayed.
    pub(crate) attached: Attached,
    pub(crate) commit: u64,
    /// Where the first group ends.
    pub(crate) first_group: u64,
    pub(crate) end: LogEnd,
    pub(crate) reader: LogReader,
}

/// Opens the parts and the attachments of an index and replays its log.
pub(crate) fn load(disk: &dyn Disk, manifest: &Manifest) -> Result<Loaded> {
    let views = manifest
        .parts
        .iter()
        .map(|entry| open_part(disk, manifest, entry))
        .collect::<Result<_>>()?;
    let attached = open_attachments(disk, manifest)?;
    let mut loaded = replay(disk, manifest, views)?;
    match loaded.end.damage.take() {
        Some(damage) => Err(damage),
        None => Ok(Loaded { attached, ..loaded }),
    }
}

/// Replays the log of an index on its parts, as far as it can be read.
pub(crate) fn replay(disk: &dyn Disk, manifest: &Manifest, parts: Vec<View>) -> Result<Loaded> {
    let reader = LogReader::open(disk, manifest.index, manifest.log)?;
    let name = reader.name().to_owned();
    let live = Live::new(Arc::new(manifest.settings.clone()), parts, manifest.next_seq);
    let mut replay = Replay { live, states: States::new(), commit: 0, first_group: None, name };
    let (end, reader) = reader.groups(|group, commit, end| replay.group(group, commit, end))?;
    let Replay { live, states, commit, first_group, .. } = replay;
    let first_group = first_group.unwrap_or(end.committed);
    Ok(Loaded { live, states, attached: Attached::new(), commit, first_group, end, reader })
}

/// Opens a part and what was removed from it.
pub(crate) fn open_part(disk: &dyn Disk, manifest: &Manifest, entry: &PartEntry) -> Result<View> {
    let part = Part::open(disk, manifest.index, entry.number)?;
    if part.n_documents() != entry.n_documents
        || part.settings().n_methods != manifest.settings.n_methods
    {
        return Err(part.file.damaged(0, "it is another part than the manifest says"));
    }
    let mut view = View::new(part);
    if let Some(number) = entry.removed {
        let (part, removed) = read_removed(disk, manifest.index, number)?;
        let is_right = part == entry.number && removed.n_set() == entry.n_removed;
        if !is_right || removed.words().len() != view.removed.words().len() {
            let name = Kind::Removed.name(number);
            return Err(Error::damaged(&name, 0, "it is of another part than the manifest says"));
        }
        view.removed = Arc::new(removed);
    }
    Ok(view)
}

#[derive(Debug)]
struct Replay {
    live: Live,
    states: States,
    commit: u64,
    first_group: Option<u64>,
    name: String,
}

impl Replay {
    fn group(&mut self, group: Vec<Record<'static>>, commit: u64, end: u64) -> Result<()> {
        for record in group {
            match record {
                Record::Put(put, seq) => {
                    let put = put.into_owned();
                    if seq < self.live.next_seq || seq == u64::MAX {
                        return Err(self.damaged(end, "documents are not in order"));
                    }
                    put.check(self.live.settings.n_methods)
                        .map_err(|error| self.damaged(end, error.to_string()))?;
                    self.live.check_room()?;
                    if let Some(at) = self.live.find(&put.id)? {
                        self.live.remove(at);
                    }
                    self.live.next_seq = seq;
                    let measured = Measured::new(&put);
                    self.live.insert(put, measured);
                }
                Record::Remove(id) => {
                    if let Some(at) = self.live.find(&id)? {
                        self.live.remove(at);
                    }
                }
                Record::State(name, Some(value)) => {
                    self.states.insert(name.into_owned(), value.into_owned());
                }
                Record::State(name, None) => {
                    self.states.remove(name.as_ref());
                }
                Record::Expire(before) => {
                    self.live.expire(before)?;
                }
                Record::Commit(_) | Record::Synced(_) => {}
            }
        }
        self.live.commit();
        self.commit = commit;
        self.first_group.get_or_insert(end);
        Ok(())
    }

    fn damaged(&self, offset: u64, what: impl Into<String>) -> Error {
        Error::damaged(&self.name, offset, what)
    }
}
