//! Records without what is struck, file by file as they were.

use std::io;
use std::path::Path;
use std::sync::Mutex;

use retold_core::document::Span;
use retold_read::{Copied, Copying, FileDigest, InputFile, ReadOptions, WasRead};

use super::repeats::Looking;
use super::telling::Cuts;
use crate::error::Error;
use crate::progress::{Progress, Stage};

/// Copies what is left of records.
pub(super) struct Copier<'a> {
    pub(super) looking: &'a Looking<'a>,
    pub(super) cuts: &'a Cuts,
    pub(super) files: &'a [InputFile],
    pub(super) options: &'a ReadOptions,
    pub(super) shard_bytes: Option<u64>,
    pub(super) progress: &'a dyn Progress,
}

/// Which records are copied, and without what.
struct Records<'a> {
    copier: &'a Copier<'a>,
    /// Whether those that are dropped are copied, or all others.
    is_of_dropped: bool,
    failure: Mutex<Option<io::Error>>,
}

impl Copying for Records<'_> {
    fn keeps(&self, file: u32, record: u64) -> bool {
        let Copier { looking, cuts, .. } = self.copier;
        let is_dropped = cuts.dropped.binary_search(&(file, record)).is_ok();
        // Nothing more is written once the run is to stop.
        !looking.stop.is_set() && is_dropped == self.is_of_dropped
    }

    fn shard_bytes(&self) -> Option<u64> {
        self.copier.shard_bytes
    }

    fn cuts(&self, file: u32, record: u64) -> Vec<Span> {
        self.copier.cuts.of(file, record).unwrap_or_else(|error| {
            *self.failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
            Vec::new()
        })
    }
}

impl Copier<'_> {
    /// Copies the records that stay to `documents/` and those that are dropped to `dropped/`; returns the
    /// name of each file there.
    pub(super) fn run(&self, folder: &Path) -> Result<Vec<String>, Error> {
        let names = self.copy(&folder.join("documents"), false)?;
        if !self.cuts.dropped.is_empty() {
            self.copy(&folder.join("dropped"), true)?;
        }
        Ok(names)
    }

    fn copy(&self, folder: &Path, is_of_dropped: bool) -> Result<Vec<String>, Error> {
        let taken = self.looking.taken;
        let total = self.files.iter().map(|file| file.bytes).sum();
        self.progress.begin(Stage::Copy, total);
        let n_documents = taken.collection.len() as u64;
        std::fs::create_dir(folder).map_err(Error::io("create", folder))?;
        let was_read = |digest: &FileDigest| WasRead {
            digest: digest.clone(),
            n_documents: taken.n_per_file[digest.file as usize],
            is_sound: taken.n_bad == 0,
        };
        let of_files = |digest: &&FileDigest| (digest.file as usize) < self.files.len();
        let was_read: Vec<WasRead> = taken.digests.iter().filter(of_files).map(was_read).collect();
        let records = Records { copier: self, is_of_dropped, failure: Mutex::default() };
        let copied = retold_read::copy_kept(
            self.files,
            &was_read,
            self.options,
            folder,
            &records,
            &|bytes| {
                self.progress.at(bytes, n_documents);
            },
        )?;
        let failure = records.failure.into_inner();
        if let Some(error) = failure.unwrap_or_else(std::sync::PoisonError::into_inner) {
            return Err(self.looking.failed(error));
        }
        if self.looking.stop.is_set() {
            return Err(Error::Stopped { stage: Stage::Copy.name(), n_documents });
        }
        let name = |copied: &Copied| {
            let path = copied.path.strip_prefix(folder).unwrap_or(&copied.path);
            let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
            parts.collect::<Vec<_>>().join("/")
        };
        Ok(copied.iter().map(name).collect())
    }
}
