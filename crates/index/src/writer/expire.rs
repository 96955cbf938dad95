//! Documents that go because they are old, or because not a byte of them may stay.

use super::Writer;
use super::flush::Made;
use crate::error::{Doing as _, Error, Result};
use crate::format::Kind;
use crate::manifest::step;
use crate::part::id_hash;

/// What an [expiry](Writer::expire) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    /// Documents that went.
    pub n_documents: u64,
    /// Parts that went as a whole.
    pub n_parts_dropped: usize,
}

/// What a [purge](Writer::purge) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Documents that went; others had been removed before.
    pub n_documents: u64,
    /// Parts that were written anew, or went.
    pub n_parts: usize,
}

impl Writer {
    /// Removes all documents with a time before `before`, and commits. Documents without a time
    /// stay. Parts of which nothing is left go as files.
    pub fn expire(&mut self, before: i64) -> Result<Expired> {
        self.ready()?;
        let n_documents = self.live.expire(before)?;
        if n_documents > 0 {
            self.expired_before = self.expired_before.max(Some(before));
            self.has_group = true;
        }
        let n_parts_before = self.live.parts.len();
        self.commit()?;
        self.drop_empty()?;
        let n_parts_dropped = n_parts_before.saturating_sub(self.live.parts.len());
        Ok(Expired { n_documents, n_parts_dropped })
    }

    /// Drops parts of which nothing is left; everything is committed.
    fn drop_empty(&mut self) -> Result<()> {
        if self.live.parts.iter().all(|view| view.n_live() > 0) {
            return Ok(());
        }
        let mut replaced = false;
        let result = self.write_dropped(&mut replaced);
        self.settle(result, Made::default(), replaced)
    }

    fn write_dropped(&mut self, replaced: &mut bool) -> Result<()> {
        let disk = self.disk.clone();
        step(disk.as_ref(), "expire: before the manifest is written")?;
        let mut manifest = self.manifest.clone();
        let live = &self.live.parts;
        let is_left = |number| live.iter().any(|v| v.part.number == number && v.n_live() > 0);
        manifest.parts.retain(|entry| is_left(entry.number));
        self.change_manifest(manifest, replaced)?;
        self.live.parts.retain(|view| view.n_live() > 0);
        step(disk.as_ref(), "expire: done")
    }

    /// Removes documents so that their bytes are in no file of the index any more: commits,
    /// flushes, and writes every part anew that holds them, or held them before they were removed
    /// or replaced.
    ///
    /// A [`MergeJob`](crate::MergeJob) that runs meanwhile may still write them; its result is not
    /// installed, and its file goes when it is handed to [`install`](Self::install) or dropped.
    pub fn purge(&mut self, ids: &[&str]) -> Result<Purged> {
        let mut purged = Purged::default();
        for id in ids {
            purged.n_documents += u64::from(self.remove(id)?);
        }
        self.flush()?;
        step(self.disk.as_ref(), "purge: before parts are written anew")?;
        let mut at = 0;
        while at < self.live.parts.len() {
            if !self.holds(at, ids)? {
                at += 1;
                continue;
            }
            let n_before = self.live.parts.len();
            let job = self.job(at, at + 1);
            self.install(job.run()?)?;
            step(self.disk.as_ref(), "purge: a part is written anew")?;
            purged.n_parts += 1;
            // It is gone if nothing else was in it.
            at += usize::from(self.live.parts.len() == n_before);
        }
        self.remove_old_files()?;
        Ok(purged)
    }

    /// Returns whether a part has or had one of some documents.
    fn holds(&self, at: usize, ids: &[&str]) -> Result<bool> {
        let mut found = false;
        for id in ids {
            self.live.parts[at].part.each_with_id(id, id_hash(id), |_| {
                found = true;
                false
            })?;
        }
        Ok(found)
    }

    /// Removes files that could not be removed when they were replaced; an error if they cannot
    /// now.
    fn remove_old_files(&mut self) -> Result<()> {
        let files = super::files(&self.manifest);
        let merging = self.planned_numbers();
        for name in self.disk.list().doing(|| "list the folder".to_owned())? {
            let Some((kind, number)) = Kind::of_name(&name) else { continue };
            if files.contains(&name) || kind == Kind::Part && merging.contains(&number) {
                continue;
            }
            match self.disk.remove(&name) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io(format!("remove `{name}`"), error));
                }
                _ => {}
            }
        }
        self.disk.sync().map_err(|source| crate::manifest::sync_failed("the folder", source))
    }
}
