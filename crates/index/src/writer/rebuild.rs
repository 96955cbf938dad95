//! All documents anew: with other statistics, other methods, or from a source that is the truth.

use std::sync::Arc;

use super::Writer;
use super::flush::{Made, entry_of, first_group, take_number};
use crate::document::{Put, PutOutcome, Settings};
use crate::error::Result;
use crate::format::{Kind, Sink};
use crate::live::{Live, Measured};
use crate::log::LogWriter;
use crate::manifest::{step, sync_failed};
use crate::part::{Part, View};

/// A set of documents that takes the place of all documents of an index when it is complete.
///
/// Until [`finish`](Self::finish) the index stays as it is; dropped before, nothing has happened.
#[derive(Debug)]
pub struct Rebuild<'a> {
    writer: &'a mut Writer,
    live: Live,
    made: Made,
    written: u64,
}

impl Writer {
    /// Commits, and starts to put all documents anew, under other settings. States stay.
    pub fn rebuild(&mut self, settings: Settings) -> Result<Rebuild<'_>> {
        self.ready()?;
        settings.check()?;
        self.commit()?;
        let live = Live::new(Arc::new(settings), Vec::new(), self.live.next_seq);
        Ok(Rebuild { writer: self, live, made: Made::default(), written: 0 })
    }
}

impl Rebuild<'_> {
    /// Puts a document into the new set, in the place of one with the same id.
    pub fn put(&mut self, put: Put) -> Result<PutOutcome> {
        self.writer.ready()?;
        put.check(self.live.settings.n_methods)?;
        let measured = Measured::new(&put);
        let found = self.live.find(&put.id)?;
        if let Some(at) = found {
            if self.live.is_same(at, &measured)? {
                return Ok(PutOutcome::Unchanged);
            }
            self.live.remove(at);
        }
        self.live.check_room()?;
        self.live.insert(put, measured);
        self.live.commit();
        if self.live.n_put_bytes > self.live.settings.limits.most_bytes {
            self.flush()?;
        }
        Ok(if found.is_some() { PutOutcome::Replaced } else { PutOutcome::Added })
    }

    /// Returns the documents of the index as it is, to be put anew from them.
    pub fn snapshot(&mut self) -> Result<Arc<crate::Snapshot>> {
        self.writer.snapshot()
    }

    /// Writes what was put as a part that is not yet named by the manifest.
    fn flush(&mut self) -> Result<()> {
        if !self.live.has_unflushed() {
            return Ok(());
        }
        let disk = self.writer.disk.clone();
        let disk = disk.as_ref();
        step(disk, "rebuild: before a part is written")?;
        let number = take_number(&mut self.writer.manifest);
        let index = self.writer.manifest.index;
        self.made.push(Kind::Part, number);
        let mut sink = Sink::create(disk, Kind::Part, index, number)?;
        self.live.write_part(&mut sink)?;
        step(disk, "rebuild: before a part is synced")?;
        self.written += sink.sync()?;
        let view = View::new(Part::open(disk, index, number)?);
        self.live.flushed(Some(view));
        Ok(())
    }

    /// Puts the new set in the place of all documents of the index, in one step.
    pub fn finish(mut self) -> Result<()> {
        self.writer.ready()?;
        let mut replaced = false;
        let result = self.write_finish(&mut replaced);
        let made = std::mem::take(&mut self.made);
        if result.is_ok() {
            let settings = self.live.settings.clone();
            let empty = Live::new(settings, Vec::new(), self.live.next_seq);
            self.writer.live = std::mem::replace(&mut self.live, empty);
        }
        self.writer.settle(result, made, replaced)
    }

    fn write_finish(&mut self, replaced: &mut bool) -> Result<()> {
        self.flush()?;
        self.live.parts.retain(|view| view.n_live() > 0);
        let disk = self.writer.disk.clone();
        let disk = disk.as_ref();
        let mut manifest = self.writer.manifest.clone();
        manifest.parts = Vec::new();
        step(disk, "rebuild: before removals are written")?;
        for view in &self.live.parts {
            let entry = entry_of(view, None);
            let entry = self.writer.with_removed(entry, view, &mut manifest, &mut self.made)?;
            manifest.parts.push(entry);
        }
        step(disk, "rebuild: before the new log is written")?;
        manifest.log = take_number(&mut manifest);
        self.made.push(Kind::Log, manifest.log);
        manifest.next_seq = self.live.next_seq;
        manifest.epoch += 1;
        manifest.settings = Settings::clone(&self.live.settings);
        manifest.written.log += self.writer.log.n_bytes();
        manifest.written.flushed += self.written;
        let group = first_group(&self.writer.states);
        let commit = self.writer.commit + 1;
        let log = LogWriter::create(disk, manifest.index, manifest.log, &group, commit)?;
        step(disk, "rebuild: before the folder is synced")?;
        disk.sync().map_err(|source| sync_failed("the folder", source))?;
        step(disk, "rebuild: before the manifest is written")?;
        self.writer.change_manifest(manifest, replaced)?;
        self.writer.commit = commit;
        self.writer.log_base = log.n_bytes();
        self.writer.log = log;
        step(disk, "rebuild: done")
    }
}

impl Drop for Rebuild<'_> {
    fn drop(&mut self) {
        std::mem::take(&mut self.made).remove(self.writer.disk.as_ref());
    }
}
