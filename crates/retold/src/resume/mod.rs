//! What is kept of a run so that it can go on after it was interrupted.
//!
//! A run that is to be resumed writes down, in a folder of its own, what it made of each portion of the
//! documents as soon as that portion has had its turn: entries, images, bad records, and how far the
//! files were read. A later run of the same job takes that up as if it had just read it, and goes on
//! with the first portion that is missing. So its result is the same to the byte, whenever and however
//! the first one ended.
//!
//! - **Which run.** `job.json` says what the folder belongs to: program, settings, limits, and name,
//!   size, time and identity of every file ([`belonging`]). A run with anything else is refused.
//! - **What was made.** `log` holds one frame behind the other, each with a checksum ([`frames`]). A
//!   portion counts once its last frame is there; what stands behind the last whole portion is cut off.
//!   So neither a killed process nor a power cut can leave anything that is taken for true.
//! - **What is not kept.** Word runs at hand are made anew from the texts of candidates, as they are
//!   where memory is short. The search begins anew, and so does the copying of what stays; what `dedup`
//!   decided is kept.
//!
//! The folder is locked while a run is at it, and removed once the result is complete. The manifest of the
//! result says which run it was, so that one more run of the same job has nothing left to do
//! ([`is_finished`]).

mod belonging;
mod frames;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use retold_core::hash;
use retold_read::{BadRecord, FileDigest, ReadMark};
use retold_report::{Manifest, grouped};
use serde_json::Value;

pub(crate) use self::belonging::belonging;
use self::frames::Frames;
use crate::error::Error;
use crate::pipeline::bytes::{Taking, put_number, put_some_text, put_text};
use crate::pipeline::sources::{Mark, PortionEnd, Sources};
use crate::progress::{Progress, Stop};

/// Frames of the log.
mod kind {
    /// Items of a portion that has more.
    pub(super) const PART: u8 = 1;
    /// The last items of a portion, behind how far the files were read.
    pub(super) const END: u8 = 2;
    /// All was read.
    pub(super) const READ: u8 = 3;
    /// Some of what was decided.
    pub(super) const DECISIONS: u8 = 4;
    /// All was decided.
    pub(super) const DECIDED: u8 = 5;
}

/// How hard items are compressed: texts of compressed files are among them.
const ZSTD_LEVEL: i32 = 1;

/// What a portion is made of, as bytes.
pub(crate) trait Resumable: Sized {
    /// Writes it down.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads it back.
    fn take(taking: &mut Taking<'_>) -> Result<Self, Error>;
}

/// Takes the kind of a frame and its payload.
type Each<'a> = dyn FnMut(u8, &[u8]) -> Result<(), Error> + 'a;

/// What was made of a document, or a record that could not be read.
type Item<T> = Result<T, BadRecord>;

/// A portion, ready to be written down.
pub(crate) struct Written {
    items: Vec<u8>,
    end: PortionEnd,
}

/// How far an earlier run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Reading,
    Read,
    Decided,
}

/// The folder of a run that is to be resumed.
pub(crate) struct Resume {
    folder: PathBuf,
    /// What stands for the run.
    job: String,
    frames: Frames,
    stage: Stage,
    n_portions: u64,
    end: Mark,
    /// Of the files that were read to their end, in order.
    digests: Vec<FileDigest>,
}

impl Resume {
    /// Takes up a folder, or makes it. `belongs` says what run it is.
    ///
    /// *Errors* if it belongs to another run, or another one is at it.
    pub(crate) fn open(folder: &Path, belongs: &Value) -> Result<Self, Error> {
        let refused = |reason: String| Error::Resume { folder: folder.to_owned(), reason };
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        let path = folder.join("log");
        let opened =
            File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(Error::io("open", &path))?;
        if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            return Err(refused("another run is at it".to_owned()));
        }
        if let Some(stored) = belonging::stored(folder)? {
            belonging::check(&stored, belongs).map_err(refused)?;
        } else {
            file.set_len(0).map_err(Error::io("write", &path))?;
            belonging::store(folder, belongs)?;
        }
        let mut known = Known::default();
        let frames = Frames::open(file, &mut |kind, payload| known.take(kind, payload));
        let frames = frames.map_err(Error::io("read", &path))?;
        let Known { stage, n_portions, end, digests } = known;
        let (folder, job) = (folder.to_owned(), digest(belongs));
        Ok(Self { folder, job, frames, stage, n_portions, end, digests })
    }

    /// Returns what stands for the run in the manifest of its result.
    pub(crate) fn job(&self) -> String {
        self.job.clone()
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::io("write", &self.folder.join("log"))(error)
    }

    /// Returns whether an earlier run read everything.
    pub(crate) fn is_read(&self) -> bool {
        self.stage >= Stage::Read
    }

    /// Returns whether an earlier run decided everything.
    pub(crate) fn is_decided(&self) -> bool {
        self.stage >= Stage::Decided
    }

    /// Returns how many portions an earlier run read.
    pub(crate) fn n_portions(&self) -> u64 {
        self.n_portions
    }

    /// Returns what is said of an earlier run that read so many documents.
    pub(crate) fn told(&self, n_documents: u64) -> String {
        let n_documents = grouped(n_documents);
        match self.stage {
            Stage::Reading => {
                format!("goes on behind {n_documents} documents that were read before")
            }
            Stage::Read => format!("all {n_documents} documents were read before"),
            Stage::Decided => {
                format!("all {n_documents} documents were read and decided upon before")
            }
        }
    }

    /// Hands over the items of an earlier run in order, and lets the sources go on behind them.
    pub(crate) fn replay<T: Resumable>(
        &self,
        sources: &mut Sources,
        stop: &Stop,
        add: &mut dyn FnMut(Vec<Item<T>>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.each(&mut |kind, payload| {
            if stop.is_set() {
                return Ok(());
            }
            let items = match kind {
                kind::PART => payload,
                kind::END => {
                    let mut taking = Taking(payload);
                    take_end(&mut taking)?;
                    taking.0
                }
                _ => return Ok(()),
            };
            add(unpacked(items)?)
        })?;
        if self.is_read() {
            sources.go_to_end(&self.digests);
        } else {
            sources.go_on(self.n_portions, self.end, &self.digests);
        }
        Ok(())
    }

    fn each(&self, each: &mut Each<'_>) -> Result<(), Error> {
        let mut ended = Ok(());
        let read = self.frames.each(&mut |kind, payload| {
            ended = each(kind, payload);
            ended.is_ok()
        });
        read.map_err(|error| self.failed(error))?;
        ended
    }

    /// Writes down items of a portion that has more.
    pub(crate) fn part(&mut self, items: &[u8]) -> Result<(), Error> {
        self.frames.append(kind::PART, items).map_err(|error| self.failed(error))
    }

    /// Writes down the last items of a portion.
    pub(crate) fn portion(&mut self, written: &Written) -> Result<(), Error> {
        let mut payload = Vec::with_capacity(written.items.len() + 64);
        let new = written.end.complete_from(self.digests.len());
        self.end = written.end.mark;
        put_end(&mut payload, self.end, &new);
        payload.extend_from_slice(&written.items);
        self.digests.extend(new);
        self.frames.append(kind::END, &payload).map_err(|error| self.failed(error))
    }

    /// Writes down that all was read.
    pub(crate) fn all_read(&mut self, digests: &[FileDigest]) -> Result<(), Error> {
        if self.is_read() {
            return Ok(());
        }
        let mut payload = Vec::new();
        put_end(&mut payload, self.end, digests.get(self.digests.len()..).unwrap_or_default());
        self.stage = Stage::Read;
        let appended = self.frames.append(kind::READ, &payload);
        appended.and_then(|()| self.frames.sync()).map_err(|error| self.failed(error))
    }

    /// Writes down some of what was decided.
    pub(crate) fn decisions(&mut self, decisions: &[u8]) -> Result<(), Error> {
        self.frames.append(kind::DECISIONS, decisions).map_err(|error| self.failed(error))
    }

    /// Writes down that all was decided, and what is said of it.
    pub(crate) fn all_decided(&mut self, figures: &[u8]) -> Result<(), Error> {
        let appended = self.frames.append(kind::DECIDED, figures);
        appended.and_then(|()| self.frames.sync()).map_err(|error| self.failed(error))
    }

    /// Hands over what an earlier run decided, part by part; returns what it said of it.
    pub(crate) fn decided(
        &self,
        each: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<Vec<u8>, Error> {
        let mut figures = Vec::new();
        self.each(&mut |kind, payload| match kind {
            kind::DECISIONS => each(payload),
            kind::DECIDED => {
                payload.clone_into(&mut figures);
                Ok(())
            }
            _ => Ok(()),
        })?;
        Ok(figures)
    }

    /// Removes the folder: the result is complete.
    pub(crate) fn remove(self) -> Result<(), Error> {
        let Self { folder, frames, .. } = self;
        // Nobody else may take the folder up while it goes.
        let removed = fs::remove_dir_all(&folder).map_err(Error::io("remove", &folder));
        drop(frames);
        removed
    }
}

/// Returns what stands for a run.
pub(crate) fn digest(belongs: &Value) -> String {
    let text = belongs.to_string();
    let [high, low] = [1, 2].map(|seed| hash::bytes(text.as_bytes(), seed));
    format!("{high:016x}{low:016x}")
}

/// Says that the run that `belongs` describes came to its end before, if its result, in the folder of
/// this manifest, is complete. What a run left behind that ended right after it is removed.
pub(crate) fn is_finished(
    folder: &Path,
    belongs: &Value,
    manifest: &Manifest,
    progress: &dyn Progress,
) -> Result<bool, Error> {
    if !manifest.finished || manifest.run.job.as_deref() != Some(&*digest(belongs)) {
        return Ok(false);
    }
    if folder.exists() {
        Resume::open(folder, belongs)?.remove()?;
    }
    progress.note("an earlier run of the same job came to its end; its result stays as it is");
    Ok(true)
}

/// Writes items down, on the thread that made them.
pub(crate) fn packed<T: Resumable>(items: &[Item<T>]) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    put_number(&mut out, items.len() as u64);
    for item in items {
        match item {
            Ok(made) => {
                out.push(1);
                made.put(&mut out);
            }
            Err(bad) => {
                out.push(0);
                put_bad(&mut out, bad);
            }
        }
    }
    zstd::stream::encode_all(&*out, ZSTD_LEVEL).map_err(|error| Error::Internal(error.to_string()))
}

/// Reads items back.
fn unpacked<T: Resumable>(packed: &[u8]) -> Result<Vec<Item<T>>, Error> {
    let bytes =
        zstd::stream::decode_all(packed).map_err(|error| Error::Internal(error.to_string()))?;
    let mut taking = Taking(&bytes);
    let mut items = Vec::new();
    for _ in 0..taking.number()? {
        items.push(match taking.byte()? {
            0 => Err(take_bad(&mut taking)?),
            _ => Ok(T::take(&mut taking)?),
        });
    }
    Ok(items)
}

/// Makes a portion ready to be written down once it is its turn.
pub(crate) fn written<T: Resumable>(items: &[Item<T>], end: PortionEnd) -> Result<Written, Error> {
    Ok(Written { items: packed(items)?, end })
}

/// What a log says of the run.
struct Known {
    stage: Stage,
    n_portions: u64,
    end: Mark,
    digests: Vec<FileDigest>,
}

impl Default for Known {
    fn default() -> Self {
        Self { stage: Stage::Reading, n_portions: 0, end: Mark::default(), digests: Vec::new() }
    }
}

impl Known {
    /// Takes a frame; returns whether all that stands so far counts.
    fn take(&mut self, kind: u8, payload: &[u8]) -> bool {
        match kind {
            kind::END | kind::READ => {
                let Ok((end, digests)) = take_end(&mut Taking(payload)) else { return false };
                self.end = end;
                self.digests.extend(digests);
                if kind == kind::END {
                    self.n_portions += 1;
                } else {
                    self.stage = Stage::Read;
                }
                true
            }
            kind::DECIDED => {
                self.stage = Stage::Decided;
                true
            }
            _ => false,
        }
    }
}

fn put_end(out: &mut Vec<u8>, end: Mark, digests: &[FileDigest]) {
    let Mark { part, at: ReadMark { file, n_batches } } = end;
    for number in [part, file, n_batches] {
        put_number(out, u64::from(number));
    }
    put_number(out, digests.len() as u64);
    for digest in digests {
        let FileDigest { file, name, bytes, blake3, kind, skipped, is_complete } = digest;
        put_number(out, u64::from(*file));
        for text in [name, blake3, kind] {
            put_text(out, text);
        }
        put_number(out, *bytes);
        put_number(out, *skipped);
        out.push(u8::from(*is_complete));
    }
}

fn take_end(taking: &mut Taking<'_>) -> Result<(Mark, Vec<FileDigest>), Error> {
    let (part, file, n_batches) = (taking.small()?, taking.small()?, taking.small()?);
    let end = Mark { part, at: ReadMark { file, n_batches } };
    let mut digests = Vec::new();
    for _ in 0..taking.number()? {
        let file = taking.small()?;
        let [name, blake3, kind] = [taking.text()?, taking.text()?, taking.text()?];
        digests.push(FileDigest {
            file,
            name: name.to_owned(),
            blake3: blake3.to_owned(),
            kind: kind.to_owned(),
            bytes: taking.number()?,
            skipped: taking.number()?,
            is_complete: taking.byte()? == 1,
        });
    }
    Ok((end, digests))
}

/// Writes a bad record down.
pub(crate) fn put_bad(out: &mut Vec<u8>, bad: &BadRecord) {
    let BadRecord { file, record, offset, reason } = bad;
    put_text(out, file);
    for number in [record, offset] {
        put_some_text(out, number.map(|number| number.to_string()).as_deref());
    }
    put_text(out, reason);
}

/// Reads a bad record back.
pub(crate) fn take_bad(taking: &mut Taking<'_>) -> Result<BadRecord, Error> {
    let file = taking.text()?.to_owned();
    let mut number = || Ok::<_, Error>(taking.some_text()?.and_then(|number| number.parse().ok()));
    let (record, offset) = (number()?, number()?);
    Ok(BadRecord { file, record, offset, reason: taking.text()?.to_owned() })
}
