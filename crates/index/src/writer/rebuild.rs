//! All documents anew: with other statistics, other methods, or from a source that is the truth.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::flush::{Made, entry_of, first_group, take_number};
use super::{States, Writer, check_state};
use crate::attachment::{Attached, AttachmentEntry, AttachmentWriter, check_name, open_attachment};
use crate::document::{Put, PutOutcome, Settings};
use crate::error::Result;
use crate::format::{Kind, Sink};
use crate::live::{Live, Measured};
use crate::log::LogWriter;
use crate::manifest::{step, sync_failed};
use crate::part::{Part, View};

/// A set of documents that takes the place of all documents of an index when it is complete, with
/// the states and attachments that belong to it.
///
/// Until [`finish`](Self::finish) the index stays as it is; dropped before, nothing has happened.
#[derive(Debug)]
pub struct Rebuild<'a> {
    writer: &'a mut Writer,
    live: Live,
    states: States,
    attachments: BTreeMap<String, AttachmentEntry>,
    attached: Attached,
    made: Made,
    written: u64,
}

impl Writer {
    /// Commits, and starts to put all documents anew, under other settings. States and attachments
    /// stay as they are if nothing else is said.
    pub fn rebuild(&mut self, settings: Settings) -> Result<Rebuild<'_>> {
        self.ready()?;
        settings.check()?;
        self.commit()?;
        let live = Live::new(Arc::new(settings), Vec::new(), self.live.next_seq);
        Ok(Rebuild {
            live,
            states: self.states.clone(),
            attachments: self.manifest.attachments.clone(),
            attached: Attached::clone(&self.attached),
            made: Made::default(),
            written: 0,
            writer: self,
        })
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

    /// Sets a state of the new set, or takes it away.
    pub fn set_state(&mut self, name: &str, value: Option<&[u8]>) -> Result<()> {
        check_state(name, value)?;
        match value {
            Some(value) => self.states.insert(name.to_owned(), value.to_vec()),
            None => self.states.remove(name),
        };
        Ok(())
    }

    /// Attaches a value to the new set under a name, in the place of one with the same name. `write`
    /// hands the value over, all at once or in pieces; it goes to a file of its own, which is written
    /// now and once.
    pub fn attach(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut AttachmentWriter) -> Result<()>,
    ) -> Result<()> {
        self.writer.ready()?;
        check_name("an attachment", name)?;
        let disk = self.writer.disk.clone();
        let disk = disk.as_ref();
        let number = take_number(&mut self.writer.manifest);
        let index = self.writer.manifest.index;
        self.made.push(Kind::Attachment, number);
        let mut writer = AttachmentWriter::create(disk, index, number, name)?;
        write(&mut writer)?;
        let entry = AttachmentEntry { number, n_bytes: writer.finish(disk)? };
        let attachment = open_attachment(disk, index, name, entry)?;
        self.detach(name);
        self.attachments.insert(name.to_owned(), entry);
        self.attached.insert(name.to_owned(), attachment);
        Ok(())
    }

    /// Leaves an attachment out of the new set; returns whether it was there.
    pub fn detach(&mut self, name: &str) -> bool {
        self.attached.remove(name);
        let Some(entry) = self.attachments.remove(name) else { return false };
        if self.writer.manifest.attachments.get(name) != Some(&entry) {
            // It was attached to the new set only. It is no loss if that fails: it is removed when
            // the index is opened.
            let _ = self.writer.disk.remove(&Kind::Attachment.name(entry.number));
        }
        true
    }

    /// Returns a number that is greater than that of every document that was put so far, and not
    /// greater than that of any document to come.
    pub fn next_seq(&self) -> u64 {
        self.live.next_seq
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
            self.writer.states = std::mem::take(&mut self.states);
            self.writer.committed_states = Arc::new(self.writer.states.clone());
            self.writer.attached = Arc::new(std::mem::take(&mut self.attached));
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
        manifest.attachments = self.attachments.clone();
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
        let group = first_group(&self.states);
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
