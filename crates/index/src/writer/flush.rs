//! Flush: documents go from the log to a part, and the log starts anew.

use std::borrow::Cow;
use std::sync::Arc;

use super::open::files;
use super::{States, Writer};
use crate::attachment::Attached;
use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::format::{Kind, Sink};
use crate::log::{LogWriter, Record};
use crate::manifest::{Manifest, PartEntry, step, sync_failed};
use crate::part::{Part, View};
use crate::removed::write_removed;

/// Files that were made for a manifest that is not yet in place.
#[derive(Debug, Default)]
pub(super) struct Made(Vec<String>);

impl Made {
    pub(super) fn push(&mut self, kind: Kind, number: u64) {
        self.0.push(kind.name(number));
    }

    /// Removes them. It is no loss if that fails: they are removed when the index is opened.
    pub(super) fn remove(self, disk: &dyn Disk) {
        for name in self.0 {
            let _ = disk.remove(&name);
        }
    }
}

/// Returns the first group of a log: all states.
pub(super) fn first_group(states: &States) -> Vec<Record<'_>> {
    states
        .iter()
        .map(|(name, value)| Record::State(Cow::Borrowed(name), Some(Cow::Borrowed(value))))
        .collect()
}

impl Writer {
    /// Commits by moving all documents, those in the log and those that are not committed, to a part
    /// on the disk.
    ///
    /// After [`Error::NoSpace`] they are where they were.
    pub fn flush(&mut self) -> Result<()> {
        self.ready()?;
        let is_new = self.log.n_bytes() == self.log_base;
        if is_new && self.live.is_flushed() && !self.has_group {
            return Ok(());
        }
        self.flush_always()
    }

    /// Writes a new manifest and a new log with the states, whether anything changed or not.
    pub(crate) fn flush_always(&mut self) -> Result<()> {
        let (mut made, mut replaced) = (Made::default(), false);
        let result = self.write_flush(&mut made, &mut replaced);
        self.settle(result, made, replaced)
    }

    /// Poisons the writer or removes new files, as is right after what happened.
    pub(super) fn settle<T>(&mut self, result: Result<T>, made: Made, replaced: bool) -> Result<T> {
        let result = match result {
            // Nobody knows which manifest is in place after a power cut.
            Err(Error::NoSpace { what, source }) if replaced => Err(Error::Io { what, source }),
            other => other,
        };
        if result.is_err() && !replaced {
            // Their numbers are not given out again, should one of them stay.
            self.manifest.next_file += made.0.len() as u64;
            made.remove(self.disk.as_ref());
        }
        self.judge(result)
    }

    fn write_flush(&mut self, made: &mut Made, replaced: &mut bool) -> Result<()> {
        let disk = self.disk.clone();
        let disk = disk.as_ref();
        let mut manifest = self.manifest.clone();
        let part = if self.live.has_unflushed() {
            step(disk, "flush: before the part is written")?;
            let number = take_number(&mut manifest);
            made.push(Kind::Part, number);
            let mut sink = Sink::create(disk, Kind::Part, manifest.index, number)?;
            self.live.write_part(&mut sink)?;
            step(disk, "flush: before the part is synced")?;
            manifest.written.flushed += sink.sync()?;
            Some(View::new(Part::open(disk, manifest.index, number)?))
        } else {
            None
        };
        step(disk, "flush: before removals are written")?;
        manifest.parts = Vec::new();
        for view in &self.live.parts {
            let before = self.manifest.parts.iter().find(|entry| entry.number == view.part.number);
            let entry = entry_of(view, before.copied());
            if view.n_live() > 0 {
                let entry = self.with_removed(entry, view, &mut manifest, made)?;
                manifest.parts.push(entry);
            }
        }
        manifest.parts.extend(part.as_ref().map(|view| entry_of(view, None)));
        step(disk, "flush: before the new log is written")?;
        manifest.log = take_number(&mut manifest);
        made.push(Kind::Log, manifest.log);
        manifest.next_seq = self.live.next_seq;
        manifest.written.log += self.log.n_bytes();
        let group = first_group(&self.states);
        let commit = self.commit + u64::from(self.has_group);
        let log = LogWriter::create(disk, manifest.index, manifest.log, &group, commit)?;
        step(disk, "flush: before the folder is synced")?;
        disk.sync().map_err(|source| sync_failed("the folder", source))?;
        step(disk, "flush: before the manifest is written")?;
        self.change_manifest(manifest, replaced)?;
        self.committed();
        self.live.flushed(part);
        self.live.parts.retain(|view| view.n_live() > 0);
        self.log_base = log.n_bytes();
        self.log = log;
        self.retry_flush_at = 0;
        step(disk, "flush: done")
    }

    /// Takes the attachments that the manifest names, open.
    pub(crate) fn set_attached(&mut self, attached: Attached) {
        self.attached = Arc::new(attached);
    }

    /// Returns the manifest that is in place.
    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Writes a file of removals if more was removed from a part than the manifest knows.
    pub(super) fn with_removed(
        &self,
        mut entry: PartEntry,
        view: &View,
        manifest: &mut Manifest,
        made: &mut Made,
    ) -> Result<PartEntry> {
        if view.removed.n_set() == entry.n_removed {
            return Ok(entry);
        }
        let number = take_number(manifest);
        made.push(Kind::Removed, number);
        let disk = self.disk.as_ref();
        let (part, n_documents) = (view.part.number, view.part.n_documents());
        write_removed(disk, manifest.index, number, part, n_documents, &view.removed)?;
        step(disk, "flush: a file of removals is written")?;
        entry.removed = Some(number);
        entry.n_removed = view.removed.n_set();
        Ok(entry)
    }

    /// Puts a manifest in place, and removes the files that are no longer part of the index.
    pub(super) fn change_manifest(
        &mut self,
        mut manifest: Manifest,
        replaced: &mut bool,
    ) -> Result<()> {
        manifest.generation = self.manifest.generation + 1;
        manifest.write(self.disk.as_ref(), replaced)?;
        let old = files(&self.manifest);
        let new = files(&manifest);
        self.manifest = manifest;
        self.snapshot = None;
        for name in old.difference(&new) {
            step(self.disk.as_ref(), "manifest: before an old file is removed")?;
            // It is no loss if that fails: they are removed when the index is opened.
            let _ = self.disk.remove(name);
        }
        Ok(())
    }
}

/// Returns what the manifest says of a part.
pub(super) fn entry_of(view: &View, before: Option<PartEntry>) -> PartEntry {
    before.unwrap_or(PartEntry {
        number: view.part.number,
        n_documents: view.part.n_documents(),
        removed: None,
        n_removed: 0,
    })
}

/// Takes the next number for a file.
pub(super) fn take_number(manifest: &mut Manifest) -> u64 {
    manifest.next_file += 1;
    manifest.next_file - 1
}
