//! The sources of a run, one after the other, cut into batches that many threads may take.

use std::borrow::Cow;
use std::sync::Arc;

use retold_core::document::Document;
use retold_read::{
    Again, BadRecord, Batch, Digests, FileDigest, InputFile, Place, ReadMark, ReadOptions, Reader,
};

use super::collection::Collection;
use super::library::Kept;
use crate::progress::Stop;
use crate::source::{Content, Opened, Records};

/// Documents of a batch that come from memory or from the caller's own source.
const BATCH_DOCUMENTS: usize = 256;
/// Bytes of text after which such a batch ends.
const BATCH_BYTES: usize = 1 << 20;

/// The sources of a run.
pub(crate) struct Sources {
    parts: Vec<Part>,
    /// The part that is being read.
    at: usize,
    n_batches: u64,
    second: Option<Second>,
    /// What was read of the files of each part that has any, behind the number of its first file.
    digests: Arc<Vec<(u32, Digests)>>,
}

/// How far sources were read: up to the end of a portion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Number of the source.
    pub(crate) part: u32,
    /// How far that was read.
    pub(crate) at: ReadMark,
}

/// Where a portion ends, and what was read of the files before.
pub(crate) struct PortionEnd {
    pub(crate) mark: Mark,
    /// Files that end before it.
    n_files: u32,
    digests: Arc<Vec<(u32, Digests)>>,
}

impl PortionEnd {
    /// Returns what was read of the files that end before it, from one on. All portions up to this one
    /// were parsed.
    pub(crate) fn complete_from(&self, file: usize) -> Vec<FileDigest> {
        let digest = |file: u32| {
            let (first, digests) = self.digests.iter().rev().find(|(first, _)| *first <= file)?;
            Some(FileDigest { file, ..digests.get(file - first)? })
        };
        (file as u32..self.n_files).map_while(digest).collect()
    }
}

/// A second collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Second {
    /// Its first file.
    pub(crate) file: u32,
    /// Whether the first collection is compared with itself as well, and only the second is not.
    pub(crate) is_archive: bool,
}

impl Second {
    /// Says that the documents that follow are its own.
    pub(super) fn begin(self, collection: &mut Collection) {
        if self.is_archive {
            collection.begin_joined();
        } else {
            collection.begin_second();
        }
    }
}

/// One source.
struct Part {
    name: String,
    /// Number of its first file in the run.
    first_file: u32,
    body: Body,
}

enum Body {
    Files { reader: Box<Reader>, again: Arc<Again> },
    Memory { documents: Arc<[Document]>, n_taken: usize },
    Records { records: Records, n_taken: u64 },
}

/// A document and where it stands.
pub(crate) type Placed<'a> = (Cow<'a, Document>, Place);

/// Documents to be looked at by one thread.
pub(crate) struct Portion {
    /// Its place in the order of the run.
    pub(crate) sequence: u64,
    first_file: u32,
    load: Load,
    end: PortionEnd,
}

enum Load {
    Batch(Batch),
    Memory(Arc<[Document]>, std::ops::Range<usize>),
    Records(Vec<Result<Document, BadRecord>>, u64),
}

impl Sources {
    /// Takes up a source and, if there is one, a second, and whether that is an
    /// archive: else it is the other of two that are compared.
    pub(crate) fn new(
        first: Opened,
        second: Option<(Opened, bool)>,
        options: &ReadOptions,
        stop: &Stop,
    ) -> Self {
        let digests = Arc::default();
        let mut sources = Self { parts: Vec::new(), at: 0, n_batches: 0, second: None, digests };
        sources.add(first, options, stop);
        if let Some((second, is_archive)) = second {
            sources.second = Some(Second { file: sources.names().len() as u32, is_archive });
            sources.add(second, options, stop);
        }
        sources
    }

    /// Takes up documents that join a run after the others were read; they are kept where records of
    /// a caller's own source are.
    pub(crate) fn join(&mut self, opened: Opened) {
        self.add(opened, &ReadOptions::default(), &Stop::new());
    }

    fn add(&mut self, opened: Opened, options: &ReadOptions, stop: &Stop) {
        let body = match opened.content {
            Content::Files { files, .. } => {
                let again = Arc::new(Again::new(&files, options));
                let reader = Reader::stopped_by(files, options.clone(), stop.flag());
                let reader = Box::new(reader);
                Body::Files { reader, again }
            }
            Content::Memory(documents) => Body::Memory { documents: documents.into(), n_taken: 0 },
            Content::Records(records) => Body::Records { records, n_taken: 0 },
        };
        let first_file = self.names().len() as u32;
        if let Body::Files { reader, .. } = &body {
            Arc::make_mut(&mut self.digests).push((first_file, reader.shared_digests()));
        }
        self.parts.push(Part { name: opened.name, first_file, body });
    }

    /// Returns the names of all files; a source that is none counts as one.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = |part: &Part| match &part.body {
            Body::Files { reader, .. } => {
                reader.files().iter().map(|file| file.name.clone()).collect()
            }
            Body::Memory { .. } | Body::Records { .. } => vec![part.name.clone()],
        };
        self.parts.iter().flat_map(names).collect()
    }

    /// Returns the files of all sources that have any.
    pub(crate) fn files(&self) -> Vec<InputFile> {
        self.readers().flat_map(|reader| reader.files().to_vec()).collect()
    }

    fn readers(&self) -> impl Iterator<Item = &Reader> {
        self.parts.iter().filter_map(|part| match &part.body {
            Body::Files { reader, .. } => Some(&**reader),
            Body::Memory { .. } | Body::Records { .. } => None,
        })
    }

    /// Returns where the second collection begins.
    pub(crate) fn second(&self) -> Option<Second> {
        self.second
    }

    /// Returns the length of the whole: bytes of files and documents in memory.
    pub(crate) fn total(&self) -> u64 {
        let of_part = |part: &Part| match &part.body {
            Body::Files { reader, .. } => reader.files().iter().map(|file| file.bytes).sum(),
            Body::Memory { documents, .. } => documents.len() as u64,
            Body::Records { .. } => 0,
        };
        self.parts.iter().map(of_part).sum()
    }

    /// Returns how much of the [whole](Self::total) was taken.
    pub(crate) fn done(&self) -> u64 {
        let of_part = |part: &Part| match &part.body {
            Body::Files { reader, .. } => reader.bytes_read(),
            Body::Memory { n_taken, .. } => *n_taken as u64,
            Body::Records { .. } => 0,
        };
        self.parts.iter().map(of_part).sum()
    }

    /// Returns what was read of each file, once it was.
    pub(crate) fn digests(&self) -> Vec<FileDigest> {
        let of_part = |part: &Part| match &part.body {
            Body::Files { reader, .. } => {
                let shift = |digest: FileDigest| FileDigest {
                    file: digest.file + part.first_file,
                    ..digest
                };
                reader.digests().into_iter().map(shift).collect()
            }
            Body::Memory { .. } | Body::Records { .. } => Vec::new(),
        };
        self.parts.iter().flat_map(of_part).collect()
    }

    /// Goes on behind portions that were read before; `digests` says what was read of the files that
    /// end there.
    pub(crate) fn go_on(&mut self, n_portions: u64, end: Mark, digests: &[FileDigest]) {
        self.n_batches = n_portions;
        self.at = end.part as usize;
        for (number, part) in self.parts.iter_mut().enumerate() {
            let Body::Files { reader, .. } = &mut part.body else { continue };
            let (first, n_files) = (part.first_file, reader.files().len() as u32);
            let own =
                digests.iter().filter(|digest| (first..first + n_files).contains(&digest.file));
            let own = own.map(|digest| FileDigest { file: digest.file - first, ..digest.clone() });
            let at = match number.cmp(&self.at) {
                std::cmp::Ordering::Less => ReadMark { file: n_files, n_batches: 0 },
                std::cmp::Ordering::Equal => end.at,
                std::cmp::Ordering::Greater => ReadMark::default(),
            };
            reader.go_on(at, own.collect());
        }
    }

    /// Goes to the end: all was read before.
    pub(crate) fn go_to_end(&mut self, digests: &[FileDigest]) {
        let end = Mark { part: self.parts.len() as u32, at: ReadMark::default() };
        self.go_on(self.n_batches, end, digests);
    }

    /// Returns the next documents, or `None` after the last.
    pub(crate) fn next(&mut self) -> Option<Portion> {
        while let Some(part) = self.parts.get_mut(self.at) {
            let load = match &mut part.body {
                Body::Files { reader, .. } => reader.next_batch().map(Load::Batch),
                Body::Memory { documents, n_taken } => {
                    let start = *n_taken;
                    let mut n_bytes = 0;
                    let fits = |document: &&Document| {
                        let is_room = n_bytes < BATCH_BYTES;
                        n_bytes += document.text.len();
                        is_room
                    };
                    let rest = documents[start..].iter().take(BATCH_DOCUMENTS);
                    *n_taken += rest.take_while(fits).count();
                    let load = Load::Memory(Arc::clone(documents), start..*n_taken);
                    (*n_taken > start).then_some(load)
                }
                Body::Records { records, n_taken } => {
                    let (start, mut n_bytes) = (*n_taken, 0);
                    let mut batch = Vec::new();
                    while batch.len() < BATCH_DOCUMENTS
                        && n_bytes < BATCH_BYTES
                        && let Some(record) = records.next()
                    {
                        n_bytes += record.as_ref().map_or(0, |document| document.text.len());
                        batch.push(record);
                    }
                    *n_taken += batch.len() as u64;
                    (!batch.is_empty()).then_some(Load::Records(batch, start))
                }
            };
            if let Some(load) = load {
                let first_file = part.first_file;
                let at = match &load {
                    Load::Batch(batch) => batch.end(),
                    Load::Memory(..) | Load::Records(..) => ReadMark::default(),
                };
                let mark = Mark { part: self.at as u32, at };
                let n_files = first_file + at.file;
                let end = PortionEnd { mark, n_files, digests: Arc::clone(&self.digests) };
                let portion = Portion { sequence: self.n_batches, first_file, load, end };
                self.n_batches += 1;
                return Some(portion);
            }
            self.at += 1;
        }
        None
    }

    /// Returns where the texts of each source are kept.
    pub(crate) fn kept(&self) -> Vec<Kept> {
        let of_part = |part: &Part| match &part.body {
            Body::Files { again, .. } => {
                Kept::Files { again: Arc::clone(again), first_file: part.first_file }
            }
            Body::Memory { documents, .. } => Kept::Memory(Arc::clone(documents)),
            Body::Records { .. } => Kept::Spooled,
        };
        self.parts.iter().map(of_part).collect()
    }
}

impl Portion {
    /// Returns whether the documents are held by the caller anyway, whatever their size.
    pub(crate) fn is_in_memory(&self) -> bool {
        matches!(self.load, Load::Memory(..))
    }

    /// Hands over every record in order, documents with their places; returns where it ends.
    pub(crate) fn parse(self, each: &mut dyn FnMut(Result<Placed<'_>, BadRecord>)) -> PortionEnd {
        let file = self.first_file;
        match self.load {
            Load::Batch(batch) => batch.parse(&mut |record| {
                each(record.map(|record| {
                    let place = Place { file: record.place.file + file, ..record.place };
                    (Cow::Owned(record.document), place)
                }));
            }),
            Load::Memory(documents, range) => {
                for at in range {
                    let place = Place { file, record: at as u64, again: Some(0..0) };
                    each(Ok((Cow::Borrowed(&documents[at]), place)));
                }
            }
            Load::Records(records, first) => {
                for (record, number) in records.into_iter().zip(first..) {
                    let place = Place { file, record: number, again: None };
                    each(record.map(|document| (Cow::Owned(document), place)));
                }
            }
        }
        self.end
    }
}
