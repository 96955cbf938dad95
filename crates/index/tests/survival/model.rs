//! What is expected of an index while operations are done to it, and the doing of them.

use std::sync::Arc;

use retold_index::{Error, Result, Snapshot, Writer, disk::Disk};

use crate::{
    contents::{Contents, Difference},
    script::{Change, Op, attachments, document, name_of, settings},
};

/// What an index holds at a commit.
pub(crate) type Expected = Arc<Contents>;

/// What is committed, and what waits for a commit.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) committed: Expected,
    working: Contents,
}

impl Model {
    /// An empty index with the settings of a generation.
    pub(crate) fn new(generation: u64) -> Self {
        let working = Contents::new(generation);
        Self { committed: Arc::new(working.clone()), working }
    }

    /// What an index holds, as far as its documents say themselves.
    pub(crate) fn read(snapshot: &Snapshot) -> Self {
        let working = Contents::read(snapshot);
        Self { committed: Arc::new(working.clone()), working }
    }

    /// The operation was acknowledged.
    pub(crate) fn done(&mut self, op: &Op) {
        if let Op::Wait(changes) = op {
            apply(changes, &mut self.working);
        } else if let Some(last) = self.outcomes(op).pop() {
            self.found(last);
        }
    }

    /// The index was opened and holds this; what waited is gone.
    pub(crate) fn found(&mut self, contents: Expected) {
        self.working = (*contents).clone();
        self.committed = contents;
    }

    /// What an operation may leave if it stops on the way, beside what is committed: in order, and
    /// last what it leaves if it ends.
    pub(crate) fn outcomes(&self, op: &Op) -> Vec<Expected> {
        let mut next = self.working.clone();
        let waiting = Arc::new(next.clone());
        match op {
            Op::Wait(_) => return Vec::new(),
            Op::RollBack | Op::Reopen => return vec![self.committed.clone()],
            Op::Batch(changes) | Op::Merge(changes) => {
                apply(changes, &mut next);
                return vec![Arc::new(next)];
            }
            Op::Commit | Op::Flush | Op::MergeAll => {}
            Op::Expire(before) => next.expire(*before),
            Op::Purge(ids) => ids.iter().for_each(|&id| next.remove(id)),
            Op::Rebuild(generation) => next.rebuild(*generation),
        }
        vec![waiting, Arc::new(next)]
    }
}

fn apply(changes: &[Change], contents: &mut Contents) {
    for change in changes {
        match change {
            Change::Put { id, version } => contents.put(*id, *version),
            Change::Remove { id } => contents.remove(*id),
            Change::State { name, value } => contents.set_state(name, value.clone()),
        }
    }
}

/// A writer on a disk that can be closed and opened.
#[derive(Debug)]
pub(crate) struct Hands {
    disk: Arc<dyn Disk>,
    writer: Option<Writer>,
}

impl Hands {
    pub(crate) fn create(disk: Arc<dyn Disk>, generation: u64) -> Result<Self> {
        let writer = Some(Writer::create(disk.clone(), settings(generation))?);
        Ok(Self { disk, writer })
    }

    pub(crate) fn open(disk: Arc<dyn Disk>) -> Result<Self> {
        let writer = Some(Writer::open(disk.clone())?);
        Ok(Self { disk, writer })
    }

    /// Opens the index, or makes it if there is none.
    pub(crate) fn open_or_create(disk: Arc<dyn Disk>, generation: u64) -> Result<Self> {
        match Self::open(disk.clone()) {
            Err(Error::NotAnIndex) => Self::create(disk, generation),
            opened => opened,
        }
    }

    /// The writer; opened if an earlier opening failed.
    pub(crate) fn writer(&mut self) -> Result<&mut Writer> {
        if self.writer.is_none() {
            self.writer = Some(Writer::open(self.disk.clone())?);
        }
        Ok(self.writer.as_mut().expect("it was opened"))
    }

    /// Does an operation. It can be done again if it fails and the writer is not poisoned.
    pub(crate) fn act(&mut self, op: &Op, model: &Model) -> Result<()> {
        match op {
            Op::Wait(changes) => self.change(changes, model)?,
            Op::Batch(changes) => {
                self.change(changes, model)?;
                self.writer()?.commit()?;
            }
            Op::Commit => drop(self.writer()?.commit()?),
            Op::RollBack => drop(self.writer()?.roll_back()?),
            Op::Flush => drop(self.writer()?.flush()?),
            Op::Merge(changes) => {
                let job = self.writer()?.plan_merge();
                self.change(changes, model)?;
                self.writer()?.commit()?;
                if let Some(job) = job {
                    let merged = job.run()?;
                    self.writer()?.install(merged)?;
                }
            }
            Op::MergeAll => drop(self.writer()?.merge_all()?),
            Op::Expire(before) => drop(self.writer()?.expire(*before)?),
            Op::Purge(ids) => {
                let names: Vec<String> = ids.iter().map(|&id| name_of(id)).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                self.writer()?.purge(&names)?;
            }
            Op::Rebuild(generation) => {
                let contents = model.outcomes(op).pop().expect("a rebuild has an outcome");
                let mut rebuild = self.writer()?.rebuild(settings(*generation))?;
                for put in contents.documents() {
                    rebuild.put(put.clone())?;
                }
                for (name, value) in attachments(*generation) {
                    match value {
                        // In pieces, as one that does not fit memory would come.
                        Some(value) => rebuild.attach(name, |writer| {
                            value.chunks(40_000).try_for_each(|piece| writer.put(piece))
                        })?,
                        None => drop(rebuild.detach(name)),
                    }
                }
                rebuild.finish()?;
            }
            Op::Reopen => {
                self.writer = None;
                self.writer()?;
            }
        }
        Ok(())
    }

    fn change(&mut self, changes: &[Change], model: &Model) -> Result<()> {
        let generation = model.committed.generation;
        let writer = self.writer()?;
        for change in changes {
            match change {
                Change::Put { id, version } => {
                    writer.put(document(*id, *version, generation))?;
                }
                Change::Remove { id } => {
                    writer.remove(&name_of(*id))?;
                }
                Change::State { name, value } => writer.set_state(name, value.as_deref())?,
            }
        }
        Ok(())
    }
}

/// Returns which of the allowed contents it is.
pub(crate) fn which(snapshot: &Snapshot, allowed: &[Expected], what: &str) -> usize {
    let differences: Vec<Difference> =
        allowed.iter().map_while(|contents| contents.difference(snapshot)).collect();
    if differences.len() < allowed.len() {
        return differences.len();
    }
    panic!("{what}: it is none of what it may be: {differences:#?}");
}
