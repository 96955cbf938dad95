//! Records without what is struck, file by file as they were.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use retold_core::document::Span;
use retold_read::{Copied, Copying, FileDigest, InputFile, ReadOptions, WasRead};
use serde::{Deserialize, Serialize};

use super::repeats::Looking;
use super::telling::Cuts;
use crate::error::Error;
use crate::progress::{Progress, Stage};

/// How a struck text stood in its line of JSON, where it did not stand there as JSON is written here: one
/// line of `escapes.jsonl`. Those of documents that are dropped come last.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EscapeRow {
    pub(super) file: String,
    pub(super) record: u64,
    /// Number of the strike in the document.
    pub(super) strike: u32,
    /// Whether the document is dropped.
    pub(super) dropped: bool,
    pub(super) raw: String,
}

impl EscapeRow {
    /// Name of the file, which is there only if it has rows.
    pub(super) const FILE_NAME: &'static str = "escapes.jsonl";
}

/// Returns a text as it stands in JSON that is written here, without the quotes.
pub(super) fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// Returns whether a stretch of JSON stands there as it would be written here.
fn is_as_escaped(raw: &str) -> bool {
    serde_json::from_str::<String>(&format!("\"{raw}\"")).is_ok_and(|text| escaped(&text) == raw)
}

/// Writes rows once there is one.
struct Escapes {
    path: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl Escapes {
    fn put(&mut self, row: &EscapeRow) -> io::Result<()> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(BufWriter::new(File::create(&self.path)?)),
        };
        serde_json::to_writer(&mut *writer, row)?;
        writer.write_all(b"\n")
    }
}

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
    escapes: &'a Mutex<Escapes>,
    failure: Mutex<Option<io::Error>>,
}

impl Records<'_> {
    fn fail(&self, error: io::Error) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
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
            self.fail(error);
            Vec::new()
        })
    }

    fn left_out(&self, file: u32, record: u64, raw: &[&str]) {
        let mut escapes = self.escapes.lock().unwrap_or_else(PoisonError::into_inner);
        for (strike, raw) in (0..).zip(raw).filter(|(_, raw)| !is_as_escaped(raw)) {
            let put = escapes.put(&EscapeRow {
                file: self.copier.looking.taken.files[file as usize].clone(),
                record,
                strike,
                dropped: self.is_of_dropped,
                raw: (*raw).to_owned(),
            });
            if let Err(error) = put {
                self.fail(error);
            }
        }
    }
}

impl Copier<'_> {
    /// Copies the records that stay to `documents/` and those that are dropped to `dropped/`; returns the
    /// name of each file there.
    pub(super) fn run(&self, folder: &Path) -> Result<Vec<String>, Error> {
        let path = folder.join(EscapeRow::FILE_NAME);
        let escapes = Mutex::new(Escapes { path: path.clone(), writer: None });
        let names = self.copy(&folder.join("documents"), false, &escapes)?;
        if !self.cuts.dropped.is_empty() {
            self.copy(&folder.join("dropped"), true, &escapes)?;
        }
        let Escapes { writer, .. } = escapes.into_inner().unwrap_or_else(PoisonError::into_inner);
        let flushed = writer.map_or(Ok(()), |mut writer| writer.flush());
        flushed.map_err(Error::io("write", &path))?;
        Ok(names)
    }

    fn copy(
        &self,
        folder: &Path,
        is_of_dropped: bool,
        escapes: &Mutex<Escapes>,
    ) -> Result<Vec<String>, Error> {
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
        let failure = Mutex::default();
        let records = Records { copier: self, is_of_dropped, escapes, failure };
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
        if let Some(error) = failure.unwrap_or_else(PoisonError::into_inner) {
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
