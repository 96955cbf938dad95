//! The collection without some of its records, or without parts of their texts, written file by file
//! into a directory.
//!
//! JSON Lines are copied line by line as they stand, tables row by row, Parquet with all columns;
//! every other format becomes JSON Lines of its documents. Inputs are read a second time with the
//! same numbering of records as the first, and what is read is compared with what was read then: a
//! file that changed meanwhile, before or during the copy, is an error.

mod columns;
mod cutting;
mod output;
mod restoring;

pub(crate) use self::cutting::without;
pub use self::output::shard_path;
use self::output::{Output, Shards};
pub use self::restoring::CopiedLines;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use retold_core::document::Span;
use thiserror::Error;

use crate::bad::escape;
use crate::compress::Compression;
use crate::csv::Rows;
use crate::file::{FileReader, Raw, drain};
use crate::format::{Context, Format, Opened};
use crate::input::InputFile;
use crate::jsonl::Cutter;
use crate::names::Namer;
use crate::options::ReadOptions;
use crate::pack::Documents;
use crate::reader::{FileDigest, Shared};
use crate::scan;
use crate::stream::Tally;

/// What the first reading saw of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WasRead {
    /// Its bytes.
    pub digest: FileDigest,
    /// Documents found in it.
    pub n_documents: u64,
    /// Whether all its records were documents. Lines are then copied without being parsed once more:
    /// the bytes are compared in any case.
    pub is_sound: bool,
}

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Index of the file.
    pub file: u32,
    /// Where its records were written; nothing lies there if none was kept. Shards have numbers
    /// before the endings of this name.
    pub path: PathBuf,
    /// Files written.
    pub n_shards: u32,
    /// Records written.
    pub kept: u64,
    /// Records left out because they were not to be kept.
    pub dropped: u64,
    /// Records, or rests of files, left out because they could not be read.
    pub unreadable: u64,
}

/// Which records are copied, and what is left out of their texts. A function that says which are kept
/// copies them as they are.
pub trait Copying {
    /// Returns whether a record is copied, given the index of its file and its number in it, as in
    /// [`Place`](crate::Place).
    fn keeps(&self, file: u32, record: u64) -> bool;

    /// Returns what is cut out of the text of a document that is copied: bytes of its text, on borders
    /// of characters, ascending and apart. Everything else of the record stays as it is.
    fn cuts(&self, _file: u32, _record: u64) -> Vec<Span> {
        Vec::new()
    }

    /// Takes what was cut out of a line of JSON, as it stood there: with its escapes.
    fn left_out(&self, _file: u32, _record: u64, _raw: &[&str]) {}

    /// Returns the bytes beyond which the records of a file go on in another one, before they are
    /// compressed. The default is `None`: one file each.
    fn shard_bytes(&self) -> Option<u64> {
        None
    }
}

impl<F: Fn(u32, u64) -> bool> Copying for F {
    fn keeps(&self, file: u32, record: u64) -> bool {
        self(file, record)
    }
}

/// Why a collection could not be copied.
#[derive(Debug, Error)]
pub enum CopyError {
    /// Standard input is gone after it was read once.
    #[error("standard input cannot be read a second time; save it to a file first")]
    Stdin,
    /// A file is gone or has changed since it was read.
    #[error("cannot copy `{file}`: {reason}")]
    Unreadable {
        /// Its label.
        file: String,
        /// Why.
        reason: String,
    },
    /// An output file cannot be written.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// Where.
        path: String,
        /// What the system says.
        source: io::Error,
    },
}

/// Copies the records of `files` that `copying` names into the directory `out`.
///
/// `before` says what was read of the files when that was decided; a file
/// that is not among them is not compared. `progress` gets the bytes read so far over all files.
///
/// Outputs have the names of the inputs, without the directories that all inputs share, and always
/// lie inside `out`; if two names would be equal, one gets a number. What was compressed as a whole is
/// compressed again in the same way, and the columns of Parquet as theirs were. With
/// [shards](Copying::shard_bytes) a file `news.jsonl.gz` becomes `news-00001.jsonl.gz`,
/// `news-00002.jsonl.gz` and so on; no record is cut.
pub fn copy_kept(
    files: &[InputFile],
    before: &[WasRead],
    options: &ReadOptions,
    out: &Path,
    copying: &dyn Copying,
    progress: &dyn Fn(u64),
) -> Result<Vec<Copied>, CopyError> {
    if files.iter().any(|file| file.path.is_none()) {
        return Err(CopyError::Stdin);
    }
    let shared = Shared::new(files.to_vec(), options.clone(), Arc::default());
    let mut namer = Namer::new(files);
    let mut copied = Vec::with_capacity(files.len());
    let before: HashMap<u32, &WasRead> =
        before.iter().map(|before| (before.digest.file, before)).collect();
    for file in 0..files.len() as u32 {
        let label = &files[file as usize].name;
        is_as_before(&files[file as usize])?;
        let raw = FileReader::open_raw(&shared, file);
        let is_sound = before.get(&file).is_some_and(|before| before.is_sound);
        let (kept, dropped, unreadable, n_shards) = (0, 0, 0, 0);
        let mut target =
            Target { out, file, copying, is_sound, kept, dropped, unreadable, n_shards };
        let report = || progress(shared.bytes_read.load(Ordering::Relaxed));
        let now = |tally: &Tally| Some((tally.bytes(), tally.hex()));
        let (path, now) = match raw {
            // A file whose format is not known has nothing to copy.
            Err(_) => {
                target.unreadable = 1;
                (out.join(namer.name(label, "")), None)
            }
            Ok(Some(Raw { format: Format::Jsonl, opened, compression, tally, .. })) => {
                let path = out.join(namer.compressed(
                    label,
                    compression,
                    &["jsonl", "ndjson", "jsonlines"],
                ));
                target.lines(opened, &path, compression, &report)?;
                (path, now(&tally))
            }
            Ok(Some(Raw {
                format: format @ (Format::Csv | Format::Tsv),
                opened,
                compression,
                tally,
                ..
            })) => {
                let path = out.join(namer.compressed(label, compression, &["csv", "tsv", "tab"]));
                let delimiter = (format == Format::Tsv).then_some(b'\t');
                target.rows(Rows::new(opened, delimiter), &path, compression, &report)?;
                (path, now(&tally))
            }
            Ok(Some(Raw { format: Format::Parquet, opened, tally, unread, .. })) => {
                let path = out.join(namer.name(label, "parquet"));
                target.columns(opened, &path, label, &report)?;
                unread.into_iter().for_each(drain);
                (path, now(&tally))
            }
            Ok(other) => {
                let compression = other.and_then(|raw| raw.compression);
                let path = out.join(namer.compressed(label, compression, &["jsonl"]));
                target.documents(FileReader::open(&shared, file), &path, compression, &report)?;
                let digest = shared.digest(file);
                (path, digest.map(|digest| (digest.bytes, digest.blake3)))
            }
        };
        report();
        let Target { kept, dropped, unreadable, n_shards, .. } = target;
        if let Some(before) = before.get(&file) {
            is_what_was_read(label, before, now, kept + dropped)?;
        }
        copied.push(Copied { file, path, n_shards, kept, dropped, unreadable });
    }
    Ok(copied)
}

/// Checks that a file is still there and has the size it had. A file that became shorter would be
/// copied without some of its documents.
fn is_as_before(file: &InputFile) -> Result<(), CopyError> {
    let unreadable = |reason: String| CopyError::Unreadable { file: escape(&file.name), reason };
    let Some(path) = &file.path else { return Err(CopyError::Stdin) };
    let bytes = path.metadata().map_err(|error| unreadable(error.to_string()))?.len();
    if file.bytes > 0 && bytes != file.bytes {
        return Err(unreadable(format!(
            "it has changed: it had {} bytes and has {bytes}",
            file.bytes
        )));
    }
    Ok(())
}

/// Checks that what was copied is what was read before: the same bytes, the same documents.
///
/// The size alone does not tell: a file may be overwritten in place, or cut while it is copied.
fn is_what_was_read(
    label: &str,
    before: &WasRead,
    now: Option<(u64, String)>,
    n_documents: u64,
) -> Result<(), CopyError> {
    let changed = |how: String| {
        let reason = format!("it has changed since it was read: {how}");
        Err(CopyError::Unreadable { file: escape(label), reason })
    };
    let FileDigest { bytes, blake3, is_complete, .. } = &before.digest;
    match now {
        // How much of an incomplete file is read before the error may differ between two readings.
        Some((n_bytes, _)) if *is_complete && n_bytes != *bytes => {
            return changed(format!("{bytes} bytes were read then and {n_bytes} now"));
        }
        Some((n_bytes, hash)) if n_bytes == *bytes && hash != *blake3 => {
            return changed("its bytes are others".to_owned());
        }
        _ => {}
    }
    if n_documents != before.n_documents {
        let before = before.n_documents;
        return changed(format!("it had {before} documents and has {n_documents}"));
    }
    Ok(())
}

/// What is made of one input.
struct Target<'a> {
    out: &'a Path,
    file: u32,
    copying: &'a dyn Copying,
    is_sound: bool,
    kept: u64,
    dropped: u64,
    unreadable: u64,
    n_shards: u32,
}

impl Target<'_> {
    /// Counts a readable record and returns whether it is to be written.
    fn takes(&mut self, record: u64) -> bool {
        let is_kept = self.copying.keeps(self.file, record);
        if is_kept {
            self.kept += 1;
        } else {
            self.dropped += 1;
        }
        is_kept
    }

    /// Returns what is cut out of the text of a record.
    fn cuts(&self, record: u64) -> Vec<Span> {
        self.copying.cuts(self.file, record)
    }

    /// Returns where the records go.
    fn output<'p>(&self, path: &'p Path, compression: Option<Compression>) -> Output<'p>
    where
        Self: 'p,
    {
        Output::new(self.out, Shards::new(path, self.copying.shard_bytes()), compression)
    }

    /// Copies lines as they stand.
    fn lines(
        &mut self,
        opened: Opened,
        path: &Path,
        compression: Option<Compression>,
        report: &dyn Fn(),
    ) -> Result<(), CopyError> {
        let context = opened.context;
        let mut output = self.output(path, compression);
        let mut cutter = Cutter::new(opened.stream, context.limits().line_bytes);
        let mut first = 0;
        while let Some(block) = cutter.next() {
            let Ok(block) = block.inspect_err(|fault| first += u64::from(fault.record.is_some()))
            else {
                self.unreadable += 1;
                continue;
            };
            for (number, line) in block.iter() {
                let line = block.bytes[line].trim_ascii_end();
                if line.trim_ascii_start().is_empty() {
                    continue;
                }
                if !self.is_sound && !is_readable(line, &context) {
                    self.unreadable += 1;
                } else if self.takes(first + number) {
                    let cuts = self.cuts(first + number);
                    if cuts.is_empty() {
                        output.write(&[line, b"\n"])?;
                    } else {
                        let (left, raw) = cutting::line_without(line, &cuts, &context);
                        self.copying.left_out(self.file, first + number, &raw);
                        output.write(&[&left, b"\n"])?;
                    }
                }
            }
            first += block.lines;
            report();
        }
        self.n_shards = output.finish()?;
        Ok(())
    }

    /// Copies rows of a table with its header.
    fn rows(
        &mut self,
        mut rows: Rows,
        path: &Path,
        compression: Option<Compression>,
        report: &dyn Fn(),
    ) -> Result<(), CopyError> {
        let delimiter = rows.delimiter();
        let header = rows.names().map_or(Vec::new(), |names| csv_line(&names, delimiter));
        let mut output = self.output(path, compression).with_header(header);
        let mut record = 0;
        while let Some(row) = rows.next() {
            match row {
                Ok(document) => {
                    if self.takes(record) {
                        let cuts = self.cuts(record);
                        if cuts.is_empty() {
                            output.write(&[&csv_line(rows.row(), delimiter)])?;
                        } else {
                            let row = rows.row_without(&document, &cuts);
                            output.write(&[&csv_line(&row, delimiter)])?;
                        }
                    }
                }
                Err(_) => self.unreadable += 1,
            }
            record += 1;
            if record % 1024 == 0 {
                report();
            }
        }
        self.n_shards = output.finish()?;
        Ok(())
    }

    /// Writes documents as JSON Lines.
    fn documents(
        &mut self,
        mut reader: FileReader,
        path: &Path,
        compression: Option<Compression>,
        report: &dyn Fn(),
    ) -> Result<(), CopyError> {
        let mut output = self.output(path, compression);
        let mut failure = None;
        while let Some(piece) = reader.next() {
            piece.parse(&mut |record| match record {
                Err(_) => self.unreadable += 1,
                Ok(mut record) => {
                    if self.takes(record.place.record) && failure.is_none() {
                        let cuts = self.cuts(record.place.record);
                        if !cuts.is_empty() {
                            record.document.text = without(&record.document.text, &cuts);
                        }
                        #[expect(
                            clippy::expect_used,
                            reason = "it has only strings and names for keys"
                        )]
                        let mut line = serde_json::to_vec(&record.document)
                            .expect("a document has only strings and names for keys");
                        line.push(b'\n');
                        failure = output.write(&[&line]).err();
                    }
                }
            });
            if let Some(error) = failure {
                return Err(error);
            }
            report();
        }
        self.n_shards = output.finish()?;
        Ok(())
    }
}

/// Returns whether a line was a document the first time.
fn is_readable(line: &[u8], context: &Context) -> bool {
    let limits = context.limits();
    line.len() as u64 <= limits.line_bytes
        && memchr::memchr(0, line).is_none()
        && simdutf8::basic::from_utf8(line)
            .is_ok_and(|json| scan::document(json, &context.names, limits.json_depth).is_ok())
}

#[expect(clippy::expect_used, reason = "memory can be written")]
fn csv_line(row: &csv::ByteRecord, delimiter: u8) -> Vec<u8> {
    let mut writer =
        csv::WriterBuilder::new().delimiter(delimiter).flexible(true).from_writer(Vec::new());
    writer.write_byte_record(row).expect("memory can be written");
    writer.into_inner().expect("memory can be written")
}

fn write_error(path: &Path, source: io::Error) -> CopyError {
    CopyError::Write { path: escape(&path.to_string_lossy()), source }
}
