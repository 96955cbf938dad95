//! What `dedup` does with what was decided: lists of what goes, and copies of what stays.

use retold_read::{Copying, FileDigest, WasRead};
use retold_report::{RemovalRow, Summary};

use super::decisions::{Decided, Decision};
use super::entry::Entry;
use super::run::Run;
use crate::error::Error;
use crate::progress::{Stage, Stop};
use crate::sink::{Removal, Sink};

/// Which records are copied.
struct Records<'a> {
    /// File and number of those that are not.
    removed: &'a [(u32, u64)],
    stop: &'a Stop,
    shard_bytes: Option<u64>,
}

impl Copying for Records<'_> {
    fn keeps(&self, file: u32, record: u64) -> bool {
        // Nothing more is written once the run is to stop.
        !self.stop.is_set() && self.removed.binary_search(&(file, record)).is_err()
    }

    fn shard_bytes(&self) -> Option<u64> {
        self.shard_bytes
    }
}

impl Run<'_> {
    /// Hands on what was decided, and copies the documents that stay if the sink has a folder.
    pub(super) fn remove(
        &self,
        decided: &Decided,
        summary: &mut Summary,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let collection = &self.intake.collection;
        let mut removed: Vec<(u32, u64)> = Vec::new();
        for (name, list) in [("removed", &decided.removed), ("review", &decided.review)] {
            for decision in list {
                self.check_stop(Stage::Report)?;
                let Decision { doc, covered_by, kind, covered } =
                    decision.map_err(|error| self.scratch.failed(error))?.taken();
                let (document, kept) = (collection.entry(doc)?, collection.entry(covered_by)?);
                let file = |entry: &Entry| &*self.intake.files[entry.place.file as usize];
                let row = RemovalRow {
                    id: &document.id,
                    file: file(&document),
                    record: document.place.record,
                    covered_by: &kept.id,
                    covered_in: collection.is_joined(covered_by).then(|| file(&kept)),
                    relation: kind,
                    covered,
                    words: document.n_words,
                    decision: name,
                };
                let is_removed = name == "removed";
                sink.removal(&Removal { row, document: doc, covered_by, is_removed })?;
                if is_removed {
                    removed.push((document.place.file, document.place.record));
                }
            }
        }
        summary.n_removed = Some(decided.removed.len());
        summary.n_review = Some(decided.review.len());
        removed.sort_unstable();
        match sink.folder() {
            Some(folder) if !self.files.is_empty() => {
                self.copy_kept(&folder.join("documents"), &removed)
            }
            _ => Ok(()),
        }
    }

    /// Copies the records of all files but some, given by file and number; those of an archive are
    /// nobody's to copy.
    fn copy_kept(&self, folder: &std::path::Path, removed: &[(u32, u64)]) -> Result<(), Error> {
        let n_files = self.intake.first_of_archive.map_or(self.files.len(), |file| file as usize);
        let files = &self.files[..n_files];
        let total = files.iter().map(|file| file.bytes).sum();
        self.progress.begin(Stage::Copy, total);
        let n_documents = self.intake.collection.len() as u64;
        std::fs::create_dir(folder).map_err(Error::io("create", folder))?;
        let was_read = |digest: &FileDigest| WasRead {
            digest: digest.clone(),
            n_documents: self.intake.n_per_file[digest.file as usize],
            is_sound: self.intake.n_bad == 0,
        };
        let digests = self.intake.digests.iter().filter(|digest| (digest.file as usize) < n_files);
        let was_read: Vec<WasRead> = digests.map(was_read).collect();
        let records = Records { removed, stop: self.stop, shard_bytes: self.job.shard_size };
        retold_read::copy_kept(files, &was_read, &self.read_options, folder, &records, &|bytes| {
            self.progress.at(bytes, n_documents);
        })?;
        self.check_stop(Stage::Copy)
    }
}
