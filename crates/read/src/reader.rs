//! The files of a run, cut into batches that many threads may take and parse.
//!
//! Threads share one [`Reader`] behind a lock; each takes the next [`Batch`], which costs little
//! more than the read itself, and parses it outside the lock. Batches come in the order of the
//! files and carry increasing numbers, so that results can be put back into order.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use retold_core::document::Document;

use crate::bad::BadRecord;
use crate::file::FileReader;
use crate::format::{Chunk, Context};
use crate::input::InputFile;
use crate::jsonl::BLOCK_BYTES;
use crate::options::ReadOptions;

/// Most small files that go into one batch.
const BATCH_FILES: usize = 256;

/// A document and where it was read.
#[derive(Clone, Debug)]
pub struct Record {
    /// The document.
    pub document: Document,
    /// Where it stands.
    pub place: Place,
}

/// Where a record stands in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the file.
    pub file: u32,
    /// Number of the record in its file, counted from 0 in file order, bad ones included.
    /// Records of line formats are numbered by line, blank lines included.
    pub record: u64,
    /// Bytes of an uncompressed regular file from which [`Again`](crate::Again) makes the document
    /// once more; `None` if that is not possible.
    pub again: Option<Range<u64>>,
}

/// What was read of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// Index of the file.
    pub file: u32,
    /// Its label.
    pub name: String,
    /// Bytes read, as they lie on disk.
    pub bytes: u64,
    /// BLAKE3 of those bytes in hexadecimal digits.
    pub blake3: String,
    /// What the file was found to be, such as `jsonl+zstd`.
    pub kind: String,
    /// Records passed over because they hold no text, such as images in a web archive.
    pub skipped: u64,
    /// Whether the file was read to its end.
    pub is_complete: bool,
}

/// What the reader and its batches share.
pub(crate) struct Shared {
    pub(crate) files: Vec<InputFile>,
    pub(crate) context: Arc<Context>,
    pub(crate) bytes_read: Arc<AtomicU64>,
    digests: Mutex<Vec<Option<FileDigest>>>,
}

impl Shared {
    pub(crate) fn new(
        files: Vec<InputFile>,
        options: ReadOptions,
        stop: Arc<AtomicBool>,
    ) -> Arc<Self> {
        let digests = Mutex::new(vec![None; files.len()]);
        let context = Arc::new(Context::new(options, stop));
        Arc::new(Self { files, context, bytes_read: Arc::default(), digests })
    }

    pub(crate) fn note(&self, digest: FileDigest) {
        let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        let place = digest.file as usize;
        digests[place] = Some(digest);
    }

    /// Returns what was read of a file, once it was read to its end.
    pub(crate) fn digest(&self, file: u32) -> Option<FileDigest> {
        self.digests.lock().unwrap_or_else(PoisonError::into_inner)[file as usize].clone()
    }
}

/// How far files were read: up to the end of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadMark {
    /// Index of the file in which the next batch begins; those before it were read to their end.
    pub file: u32,
    /// Batches that were taken of that file.
    pub n_batches: u32,
}

/// What was read of the files of a [`Reader`], for whoever does not hold it.
#[derive(Clone)]
pub struct Digests(Arc<Shared>);

impl Digests {
    /// Returns what was read of a file, once it was read to its end.
    pub fn get(&self, file: u32) -> Option<FileDigest> {
        self.0.digest(file)
    }
}

/// Reads files into batches.
pub struct Reader {
    shared: Arc<Shared>,
    next_file: usize,
    current: Option<FileReader>,
    /// Batches taken of the current file.
    n_taken: u32,
    sequence: u64,
}

impl Reader {
    /// Makes a reader over files in order.
    pub fn new(files: Vec<InputFile>, options: ReadOptions) -> Self {
        Self::stopped_by(files, options, Arc::default())
    }

    /// Makes a reader that no longer waits for slow files, such as PDF, once `stop` is true. Their
    /// documents are then left out, and no bad record says so.
    pub fn stopped_by(files: Vec<InputFile>, options: ReadOptions, stop: Arc<AtomicBool>) -> Self {
        let shared = Shared::new(files, options, stop);
        Self { shared, next_file: 0, current: None, n_taken: 0, sequence: 0 }
    }

    /// Goes on where another reader of the same files was, which gave out the batches before. What it
    /// read to the end is not opened again: `digests` says what was read of these files. Of the file in
    /// which it was, the part before is passed over unparsed.
    pub fn go_on(&mut self, mark: ReadMark, digests: Vec<FileDigest>) {
        for digest in digests {
            self.shared.bytes_read.fetch_add(digest.bytes, Ordering::Relaxed);
            self.shared.note(digest);
        }
        (self.next_file, self.current) = (mark.file as usize, None);
        if mark.n_batches > 0 && self.next_file < self.shared.files.len() {
            let mut reader = FileReader::open(&self.shared, mark.file);
            for _ in 0..mark.n_batches {
                take_pieces(&mut reader);
            }
            self.current = Some(reader);
            self.n_taken = mark.n_batches;
            self.next_file += 1;
        }
    }

    /// Returns what was read of the files, for whoever does not hold the reader.
    pub fn shared_digests(&self) -> Digests {
        Digests(Arc::clone(&self.shared))
    }

    /// Returns the next batch, or `None` at the end of the last file.
    ///
    /// Faults, of whole files too, come out of [`Batch::parse`]; none ends the run.
    pub fn next_batch(&mut self) -> Option<Batch> {
        loop {
            if let Some(reader) = &mut self.current {
                let pieces = take_pieces(reader);
                if !pieces.is_empty() {
                    self.n_taken += 1;
                    return Some(self.batch(Load::Pieces(pieces)));
                }
                self.current = None;
            }
            let small = self.small_files();
            if !small.is_empty() {
                let load = Load::Files(Arc::clone(&self.shared), small);
                return Some(self.batch(load));
            }
            if self.next_file >= self.shared.files.len() {
                return None;
            }
            self.current = Some(FileReader::open(&self.shared, self.next_file as u32));
            self.n_taken = 0;
            self.next_file += 1;
        }
    }

    /// Takes the next files that are small enough to be opened by whoever parses them.
    fn small_files(&mut self) -> Range<u32> {
        let start = self.next_file;
        let mut bytes = 0;
        while let Some(file) = self.shared.files.get(self.next_file) {
            bytes += file.bytes;
            let is_small = file.path.is_some() && file.bytes > 0 && bytes <= BLOCK_BYTES as u64;
            if !is_small || self.next_file - start == BATCH_FILES {
                break;
            }
            self.next_file += 1;
        }
        start as u32..self.next_file as u32
    }

    fn batch(&mut self, load: Load) -> Batch {
        let sequence = self.sequence;
        self.sequence += 1;
        let end = match load {
            Load::Pieces(_) => {
                ReadMark { file: self.next_file as u32 - 1, n_batches: self.n_taken }
            }
            Load::Files(..) => ReadMark { file: self.next_file as u32, n_batches: 0 },
        };
        Batch { sequence, end, load }
    }

    /// Returns the bytes read so far, as they lie on disk.
    pub fn bytes_read(&self) -> u64 {
        self.shared.bytes_read.load(Ordering::Relaxed)
    }

    /// Returns the files.
    pub fn files(&self) -> &[InputFile] {
        &self.shared.files
    }

    /// Returns what was read of each file, in order. Complete once every batch has been parsed;
    /// a file that was not reached has no entry.
    pub fn digests(&self) -> Vec<FileDigest> {
        let digests = self.shared.digests.lock().unwrap_or_else(PoisonError::into_inner);
        digests.iter().flatten().cloned().collect()
    }
}

/// Collects about a block of pieces of one file.
fn take_pieces(reader: &mut FileReader) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut bytes = 0;
    while bytes < BLOCK_BYTES {
        let Some(piece) = reader.next() else { break };
        bytes += piece.chunk.cost();
        pieces.push(piece);
    }
    pieces
}

/// Part of the run, to be parsed on any thread.
pub struct Batch {
    sequence: u64,
    end: ReadMark,
    load: Load,
}

enum Load {
    Pieces(Vec<Piece>),
    /// Whole small files, opened by whoever parses the batch.
    Files(Arc<Shared>, Range<u32>),
}

/// A chunk that knows its file.
pub(crate) struct Piece {
    pub(crate) file: u32,
    /// Label of the file or of the member of an archive.
    pub(crate) label: Arc<str>,
    /// Number of the first record.
    pub(crate) first: u64,
    pub(crate) chunk: Chunk,
}

impl Batch {
    /// Returns the place of the batch in the order of the run.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Returns where a reader [goes on](Reader::go_on) behind it.
    pub fn end(&self) -> ReadMark {
        self.end
    }

    /// Hands every record over, in file order, documents and bad records alike.
    pub fn parse(self, each: &mut dyn FnMut(Result<Record, BadRecord>)) {
        match self.load {
            Load::Pieces(pieces) => pieces.into_iter().for_each(|piece| piece.parse(each)),
            Load::Files(shared, files) => {
                for file in files {
                    let mut reader = FileReader::open(&shared, file);
                    while let Some(piece) = reader.next() {
                        piece.parse(each);
                    }
                }
            }
        }
    }
}
