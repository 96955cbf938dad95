//! The one writer of an index.

mod expire;
mod flush;
mod merge;
mod open;
mod rebuild;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::expire::{Expired, Purged};
use self::merge::Planned;
pub use self::merge::{MergeJob, MergedPart};
pub(crate) use self::open::{
    Loaded, files, load, lock, missing_is_damaged, open_part, refuse_parts, remove_orphans, replay,
};
pub use self::rebuild::Rebuild;
use crate::attachment::{Attached, check_name};
use crate::disk::Disk;
use crate::document::{MOST_STATE_BYTES, Put, PutOutcome, Settings, content_hash};
use crate::error::{Error, Result};
use crate::live::{Live, Measured};
use crate::log::{LogWriter, Record};
use crate::manifest::{Manifest, step};
use crate::snapshot::Snapshot;

/// Bytes of a group that are written to the log at a time.
const PIECE_BYTES: usize = 4 << 20;

/// The states of an index: small values under names.
pub(crate) type States = BTreeMap<String, Vec<u8>>;

/// Puts documents into an index and removes them.
///
/// Whatever is put, removed or set since the last [`commit`](Self::commit) forms a group. A
/// group is there as a whole after its commit, and as if it had never been before it, whatever
/// happens to the process or the machine.
///
/// If a write fails in a way after which it is not known what is on the disk, the writer is
/// *poisoned*: every later call that writes gives [`Error::Poisoned`], and the index must be
/// opened again. [`snapshot`](Self::snapshot) goes on working. [`Error::NoSpace`] does not poison:
/// nothing is lost, and the call can be repeated when there is space.
pub struct Writer {
    disk: Arc<dyn Disk>,
    manifest: Manifest,
    live: Live,
    log: LogWriter,
    /// Bytes of the log when it was new.
    log_base: u64,
    states: States,
    committed_states: Arc<States>,
    attached: Arc<Attached>,
    /// Number of the last commit.
    commit: u64,
    /// Whether anything happened since the last commit.
    has_group: bool,
    /// Ids of documents that were removed or replaced since the last commit.
    removed_ids: Vec<String>,
    /// Documents before this time were removed since the last commit.
    expired_before: Option<i64>,
    poison: Option<String>,
    /// A flush that found no space is tried again when the log has this length.
    retry_flush_at: u64,
    planned: Vec<Planned>,
    snapshot: Option<Arc<Snapshot>>,
    /// Held for its drop, after everything else.
    lock: Arc<dyn Send + Sync>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("commit", &self.commit)
            .field("generation", &self.manifest.generation)
            .field("poison", &self.poison)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Returns the settings of the index.
    pub fn settings(&self) -> &Settings {
        &self.live.settings
    }

    /// Returns the number of the last commit.
    pub fn last_commit(&self) -> u64 {
        self.commit
    }

    /// Returns the number of documents, those that are not committed included.
    pub fn n_documents(&self) -> u64 {
        self.live.n_documents()
    }

    /// Returns whether anything was put, removed or set since the last commit.
    pub fn has_uncommitted(&self) -> bool {
        self.has_group
    }

    /// Returns whether so much was put since the last flush, committed or not, that the next commit
    /// will be one.
    pub fn is_full(&self) -> bool {
        let n_bytes = self.log.n_bytes().max(self.live.n_put_bytes);
        n_bytes > self.live.settings.limits.most_bytes && n_bytes >= self.retry_flush_at
    }

    /// Returns why the writer is poisoned, if it is.
    pub fn poisoned(&self) -> Option<&str> {
        self.poison.as_deref()
    }

    /// Returns whether a document with this id and content, committed or not, is there: then a
    /// caller whose methods have not changed need not make its entries again.
    pub fn is_unchanged(&self, id: &str, content_hash: u128) -> Result<bool> {
        match self.live.find(id)? {
            Some(at) => Ok(self.live.content(at)? == Some(content_hash)),
            None => Ok(false),
        }
    }

    /// Returns whether a document with this id, committed or not, is there.
    pub fn has(&self, id: &str) -> Result<bool> {
        Ok(self.live.find(id)?.is_some())
    }

    /// Puts a document into the index, in the place of one with the same id.
    ///
    /// One that is there already with the same content and the same entries stays as it is, and
    /// nothing is written.
    pub fn put(&mut self, put: Put) -> Result<PutOutcome> {
        self.ready()?;
        put.check(self.live.settings.n_methods)?;
        let measured = Measured::new(&put);
        let found = self.live.find(&put.id)?;
        if let Some(at) = found
            && self.live.is_same(at, &measured)?
        {
            return Ok(PutOutcome::Unchanged);
        }
        self.live.check_room()?;
        self.has_group = true;
        if let Some(at) = found {
            // Should the new one go again before the commit, the old one is gone all the same.
            self.removed_ids.push(put.id.clone());
            self.live.remove(at);
        }
        self.live.insert(put, measured);
        Ok(if found.is_some() { PutOutcome::Replaced } else { PutOutcome::Added })
    }

    /// Removes a document and returns whether it was there.
    pub fn remove(&mut self, id: &str) -> Result<bool> {
        self.ready()?;
        let Some(at) = self.live.find(id)? else { return Ok(false) };
        self.removed_ids.push(id.to_owned());
        self.has_group = true;
        self.live.remove(at);
        Ok(true)
    }

    /// Sets a state, a small value under a name, or takes it away. It is committed with the
    /// documents of its group.
    pub fn set_state(&mut self, name: &str, value: Option<&[u8]>) -> Result<()> {
        self.ready()?;
        check_state(name, value)?;
        if self.states.get(name).map(Vec::as_slice) == value {
            return Ok(());
        }
        self.has_group = true;
        match value {
            Some(value) => self.states.insert(name.to_owned(), value.to_vec()),
            None => self.states.remove(name),
        };
        Ok(())
    }

    /// Returns a state, committed or not.
    pub fn state(&self, name: &str) -> Option<&[u8]> {
        self.states.get(name).map(Vec::as_slice)
    }

    /// Makes everything since the last commit durable, all or nothing, and returns the number of
    /// the commit. Without anything to commit it is the number of the last one.
    ///
    /// A group goes to the log; one that fills it goes to a part together with what is in the log.
    ///
    /// After [`Error::NoSpace`] the group is still there and can be committed again.
    pub fn commit(&mut self) -> Result<u64> {
        self.ready()?;
        if self.is_full() {
            match self.flush() {
                // A part takes more space than a group.
                Err(Error::NoSpace { .. }) => {
                    let n_bytes = self.log.n_bytes().max(self.live.n_put_bytes);
                    self.retry_flush_at = n_bytes + n_bytes / 4;
                }
                other => return other.map(|()| self.commit),
            }
        }
        if self.has_group {
            if let Err(error) = self.write_group() {
                let taken_back = self.log.take_back();
                self.judge(taken_back)?;
                return self.judge(Err(error));
            }
            self.committed();
        }
        Ok(self.commit)
    }

    /// Takes note that the group is durable.
    fn committed(&mut self) {
        self.live.commit();
        if *self.committed_states != self.states {
            self.committed_states = Arc::new(self.states.clone());
        }
        self.commit += u64::from(self.has_group);
        self.has_group = false;
        self.removed_ids.clear();
        self.expired_before = None;
        self.snapshot = None;
    }

    /// Forgets everything since the last commit: it is as if it had never been put, removed or set.
    pub fn roll_back(&mut self) -> Result<()> {
        self.ready()?;
        self.live.roll_back();
        self.states = States::clone(&self.committed_states);
        self.removed_ids.clear();
        self.expired_before = None;
        self.has_group = false;
        Ok(())
    }

    /// Writes the group and its commit record to the log and syncs it.
    fn write_group(&mut self) -> Result<()> {
        let disk = self.disk.as_ref();
        step(disk, "commit: before the group is written")?;
        let removed = self.removed_ids.iter().map(|id| Record::Remove(Cow::Borrowed(id)));
        let put = self.live.uncommitted().map(|(put, seq)| Record::Put(Cow::Borrowed(put), seq));
        let states = changed(&self.committed_states, &self.states);
        let expired = self.expired_before.map(Record::Expire);
        for record in removed.chain(put).chain(states).chain(expired) {
            self.log.push(&record);
            if self.log.n_buffered() >= PIECE_BYTES {
                step(disk, "commit: before a piece of a large group is written")?;
                self.log.write()?;
            }
        }
        self.log.push(&Record::Commit(self.commit + 1));
        self.log.write()?;
        step(disk, "commit: before the log is synced")?;
        self.log.sync()?;
        step(disk, "commit: synced")
    }

    /// Returns the index as it was at the last commit. It does not change any more.
    pub fn snapshot(&mut self) -> Result<Arc<Snapshot>> {
        if let Some(snapshot) = &self.snapshot {
            return Ok(snapshot.clone());
        }
        let views = self.live.snapshot()?;
        let snapshot = Snapshot::new(
            views,
            &self.manifest,
            self.live.settings.clone(),
            self.committed_states.clone(),
            self.attached.clone(),
            self.commit,
            self.log.committed(),
        );
        let snapshot = Arc::new(snapshot);
        self.snapshot = Some(snapshot.clone());
        Ok(snapshot)
    }

    /// Gives an error if the writer is poisoned.
    fn ready(&self) -> Result<()> {
        match &self.poison {
            Some(why) => Err(Error::Poisoned { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// Poisons the writer if an error leaves it unknown what is on the disk.
    fn judge<T>(&mut self, result: Result<T>) -> Result<T> {
        if let Err(error @ Error::Io { .. }) = &result {
            self.poison = Some(error.to_string());
        }
        result
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.poison.is_none() {
            // Whoever opens it next cuts off what there is of a mark.
            let _ = self.log.mark_synced(self.commit);
        }
    }
}

/// Checks that a state can be stored.
fn check_state(name: &str, value: Option<&[u8]>) -> Result<()> {
    check_name("a state", name)?;
    let n_bytes = value.map_or(0, <[u8]>::len);
    if n_bytes <= MOST_STATE_BYTES {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "a state has at most {MOST_STATE_BYTES} bytes, `{name}` has {n_bytes}; larger values are attached"
    )))
}

/// Returns the records that make other states of some.
fn changed<'a>(before: &'a States, now: &'a States) -> impl Iterator<Item = Record<'a>> {
    let gone = before.keys().filter(|name| !now.contains_key(*name)).map(|name| (name, None));
    let is_new = |(name, value): &(&'a String, &'a Vec<u8>)| before.get(*name) != Some(*value);
    let new = now.iter().filter(is_new).map(|(name, value)| (name, Some(value)));
    gone.chain(new).map(|(name, value)| {
        Record::State(Cow::Borrowed(name), value.map(|value| Cow::Borrowed(&value[..])))
    })
}

/// Returns the hash by which [`Writer::is_unchanged`] knows a document.
pub fn hash_of(put: &Put) -> u128 {
    content_hash(&put.record, &put.text, put.time)
}
