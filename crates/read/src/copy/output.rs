//! Output files: compressed as their inputs were, and cut into shards where that is asked for.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use bzip2::write::BzEncoder;
use liblzma::write::XzEncoder;

use super::{CopyError, write_error};
use crate::compress::{Compression, uncompressed_name};

/// Bytes written at a time. Small, because each output file gets a buffer of its own.
const WRITE_BYTES: usize = 64 << 10;
/// How hard xz tries; what the program of that name does unless it is told otherwise.
const XZ_LEVEL: u32 = 6;
/// How hard brotli tries, of 11: less than the program of that name, which takes some fifty times as long
/// for a tenth less.
const BROTLI_LEVEL: u32 = 6;
/// The window of brotli, as a power of two; what the program of that name takes.
const BROTLI_WINDOW: u32 = 22;

/// Creates a file that was not there, and the directories above it up to `out`.
pub(super) fn create(out: &Path, path: &Path) -> Result<File, CopyError> {
    let create = || File::options().write(true).create_new(true).open(path);
    let created = match create() {
        // Most directories exist already, made for a file before this one.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().unwrap_or(out)).and_then(|()| create())
        }
        other => other,
    };
    created.map_err(|error| write_error(path, error))
}

/// The files that the records of one input go to: one, or shards of at most so many bytes.
///
/// Shards have the name of the one file with a number of five digits before its endings, counted from
/// 1: `news-00001.jsonl.gz`. The number is always there, so that no two inputs can meet in a name.
pub(super) struct Shards<'a> {
    path: &'a Path,
    most_bytes: Option<u64>,
    /// Bytes in the shard that is being written, before they are compressed.
    n_bytes: u64,
    n_begun: u32,
}

impl<'a> Shards<'a> {
    pub(super) fn new(path: &'a Path, most_bytes: Option<u64>) -> Self {
        Self { path, most_bytes, n_bytes: 0, n_begun: 0 }
    }

    /// Counts a record; returns whether it has to go to the next shard. A record is never cut, so one
    /// that is too large has a shard of its own.
    pub(super) fn is_next_for(&mut self, record_bytes: u64) -> bool {
        let n_bytes = self.n_bytes.saturating_add(record_bytes);
        let is_next = self.most_bytes.is_some_and(|most| self.n_bytes > 0 && n_bytes > most);
        self.n_bytes = if is_next { record_bytes } else { n_bytes };
        is_next
    }

    /// Returns the path of the next file.
    pub(super) fn next_path(&mut self) -> PathBuf {
        self.n_begun += 1;
        match self.most_bytes {
            None => self.path.to_owned(),
            Some(_) => shard_path(self.path, self.n_begun),
        }
    }

    /// Returns how many files there are.
    pub(super) fn n_begun(&self) -> u32 {
        self.n_begun
    }
}

/// Returns the path of a shard, counted from 1, of a file that was [copied](super::copy_kept) in shards.
///
/// ```
/// use std::path::Path;
/// let shard = retold_read::shard_path(Path::new("news.jsonl.gz"), 3);
/// assert_eq!(shard, Path::new("news-00003.jsonl.gz"));
/// ```
pub fn shard_path(path: &Path, number: u32) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let inner = uncompressed_name(&name);
    let end = inner.rfind('.').unwrap_or(inner.len());
    path.with_file_name(format!("{}-{number:05}{}", &name[..end], &name[end..]))
}

/// Output of one input, created when the first record is written: without records there is none.
pub(super) struct Output<'a> {
    out: &'a Path,
    shards: Shards<'a>,
    compression: Option<Compression>,
    /// What every file begins with.
    header: Vec<u8>,
    /// The file being written, and its path.
    current: Option<(Writer, PathBuf)>,
}

enum Writer {
    Plain(BufWriter<File>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
    Xz(XzEncoder<BufWriter<File>>),
    Bzip2(BzEncoder<BufWriter<File>>),
    Brotli(Box<brotli::CompressorWriter<Noting>>),
}

/// A file that remembers what went wrong: the end of a brotli stream tells nobody.
struct Noting {
    file: BufWriter<File>,
    failure: Option<io::Error>,
}

impl Write for Noting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).inspect_err(|error| {
            // The first counts; what cannot be cloned is told by its words.
            self.failure.get_or_insert_with(|| io::Error::new(error.kind(), error.to_string()));
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(writer) => writer.write_all(bytes),
            Self::Gzip(writer) => writer.write_all(bytes),
            Self::Zstd(writer) => writer.write_all(bytes),
            Self::Xz(writer) => writer.write_all(bytes),
            Self::Bzip2(writer) => writer.write_all(bytes),
            Self::Brotli(writer) => writer.write_all(bytes),
        }
    }

    /// Writes out what is still held back.
    fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut writer) => writer.flush(),
            Self::Gzip(writer) => writer.finish().and_then(|mut writer| writer.flush()),
            Self::Zstd(writer) => writer.finish().and_then(|mut writer| writer.flush()),
            Self::Xz(writer) => writer.finish().and_then(|mut writer| writer.flush()),
            Self::Bzip2(writer) => writer.finish().and_then(|mut writer| writer.flush()),
            Self::Brotli(writer) => {
                let Noting { mut file, failure } = writer.into_inner();
                failure.map_or_else(|| file.flush(), Err)
            }
        }
    }
}

impl<'a> Output<'a> {
    pub(super) fn new(out: &'a Path, shards: Shards<'a>, compression: Option<Compression>) -> Self {
        Self { out, shards, compression, header: Vec::new(), current: None }
    }

    /// Says what every file begins with.
    pub(super) fn with_header(self, header: Vec<u8>) -> Self {
        Self { header, ..self }
    }

    /// Writes one record, given in parts.
    pub(super) fn write(&mut self, parts: &[&[u8]]) -> Result<(), CopyError> {
        let n_bytes = parts.iter().map(|part| part.len() as u64).sum();
        if self.shards.is_next_for(n_bytes) {
            self.end_file()?;
        }
        if self.current.is_none() {
            self.current = Some(self.begin()?);
        }
        #[expect(clippy::expect_used, reason = "it is made above")]
        let (writer, path) = self.current.as_mut().expect("it was made above");
        let written = parts.iter().try_for_each(|part| writer.write(part));
        written.map_err(|error| write_error(path, error))
    }

    /// Creates the next file.
    fn begin(&mut self) -> Result<(Writer, PathBuf), CopyError> {
        let path = self.shards.next_path();
        let file = BufWriter::with_capacity(WRITE_BYTES, create(self.out, &path)?);
        let mut writer = match self.compression {
            None => Writer::Plain(file),
            Some(Compression::Gzip) => {
                Writer::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default()))
            }
            Some(Compression::Zstd) => Writer::Zstd(
                zstd::stream::write::Encoder::new(file, 0)
                    .map_err(|error| write_error(&path, error))?,
            ),
            Some(Compression::Xz) => Writer::Xz(XzEncoder::new(file, XZ_LEVEL)),
            Some(Compression::Bzip2) => {
                Writer::Bzip2(BzEncoder::new(file, bzip2::Compression::best()))
            }
            Some(Compression::Brotli) => {
                let file = Noting { file, failure: None };
                Writer::Brotli(Box::new(brotli::CompressorWriter::new(
                    file,
                    WRITE_BYTES,
                    BROTLI_LEVEL,
                    BROTLI_WINDOW,
                )))
            }
        };
        writer.write(&self.header).map_err(|error| write_error(&path, error))?;
        Ok((writer, path))
    }

    fn end_file(&mut self) -> Result<(), CopyError> {
        match self.current.take() {
            None => Ok(()),
            Some((writer, path)) => writer.finish().map_err(|error| write_error(&path, error)),
        }
    }

    /// Ends the last file; returns how many there are.
    pub(super) fn finish(mut self) -> Result<u32, CopyError> {
        self.end_file()?;
        Ok(self.shards.n_begun())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_shard_stands_before_its_endings() {
        for (name, expected) in [
            ("a/news.jsonl.gz", "a/news-00003.jsonl.gz"),
            ("news.parquet", "news-00003.parquet"),
            ("b.tar.jsonl.zst", "b.tar-00003.jsonl.zst"),
            ("news", "news-00003"),
            ("x.gz", "x-00003.gz"),
            ("x.jsonl.bz2", "x-00003.jsonl.bz2"),
            ("x.csv.br", "x-00003.csv.br"),
        ] {
            assert_eq!(shard_path(Path::new(name), 3), Path::new(expected));
        }
        assert_eq!(shard_path(Path::new("n.csv"), 123_456), Path::new("n-123456.csv"));
    }

    #[test]
    fn a_shard_ends_before_the_record_that_would_be_too_much() {
        let begins = |most: Option<u64>, sizes: &[u64]| {
            let mut shards = Shards::new(Path::new("x"), most);
            sizes.iter().map(|&size| shards.is_next_for(size)).collect::<Vec<_>>()
        };
        assert_eq!(begins(Some(10), &[4, 6, 1, 30, 1]), [false, false, true, true, true]);
        assert_eq!(begins(None, &[4, 600, 1]), [false; 3]);
    }
}
