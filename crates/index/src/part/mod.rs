//! A part: an immutable file of documents, sorted lists and tables.
//!
//! A part is written once, by [`build`] from documents or by [`merge`] from other parts, to a
//! file or to memory, and read by [`Part`]. Its documents are numbered from 0 in the order in
//! which they came.

mod build;
mod footer;
mod merge;
mod method;

use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::xxh3_64;

pub(crate) use self::build::{Fresh, build};
pub(crate) use self::footer::{Footer, MethodFooter};
pub(crate) use self::merge::merge;
use self::method::MethodTables;
pub(crate) use self::method::{KeptRow, NOBODY, upper};
use crate::bitmap::Bitmap;
use crate::disk::Disk;
use crate::document::Settings;
use crate::error::Result;
use crate::filter::{Filter, LazyFilter};
use crate::format::{IN_MEMORY, Kind, Sink, Stored, u32_at, u64_at, u128_at};
use crate::sorted::First;

/// Bytes of a row of the table of documents.
const DOCUMENT_BYTES: usize = 33;
/// Bytes at which a block of texts is written.
const TEXT_BLOCK_BYTES: usize = 32 << 10;
/// Bytes at which other blocks are written.
const SMALL_BLOCK_BYTES: usize = 8 << 10;

/// What is known of a document without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DocumentRow {
    pub(crate) content: u128,
    pub(crate) time: Option<i64>,
    pub(crate) seq: u64,
}

impl DocumentRow {
    fn read(row: &[u8]) -> Self {
        let time = (row[32] == 1).then_some(u64_at(row, 16).cast_signed());
        Self { content: u128_at(row, 0), time, seq: u64_at(row, 24) }
    }

    fn write(&self) -> [u8; DOCUMENT_BYTES] {
        let mut row = [0; DOCUMENT_BYTES];
        row[..16].copy_from_slice(&self.content.to_le_bytes());
        row[16..24].copy_from_slice(&self.time.unwrap_or(0).to_le_bytes());
        row[24..32].copy_from_slice(&self.seq.to_le_bytes());
        row[32] = u8::from(self.time.is_some());
        row
    }
}

/// Returns the hash by which an id is looked up.
pub(crate) fn id_hash(id: &str) -> u64 {
    xxh3_64(id.as_bytes())
}

/// An open part.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) number: u64,
    pub(crate) file: Stored,
    pub(crate) footer: Footer,
    first_ids: First,
    id_filter: LazyFilter,
    /// Times of all documents, the greatest number for none.
    times: OnceLock<Vec<i64>>,
    methods: Vec<MethodTables>,
}

impl Part {
    /// Opens a part on the disk.
    pub(crate) fn open(disk: &dyn Disk, index: u128, number: u64) -> Result<Self> {
        let file = Stored::open(disk, Kind::Part, index, number)?;
        Self::new(number, file)
    }

    /// Opens a part that was written to memory.
    pub(crate) fn in_memory(number: u64, sink: Sink) -> Result<Self> {
        let name = format!("memory-{}", number & !IN_MEMORY);
        Self::new(number, Stored::in_memory(name, sink.into_bytes()))
    }

    fn new(number: u64, file: Stored) -> Result<Self> {
        let footer = Footer::read(&file)?;
        let methods = footer.methods.iter().map(|_| MethodTables::default()).collect();
        Ok(Self {
            number,
            file,
            footer,
            first_ids: First::default(),
            id_filter: LazyFilter::default(),
            times: OnceLock::new(),
            methods,
        })
    }

    pub(crate) fn n_documents(&self) -> u32 {
        self.footer.n_documents
    }

    pub(crate) fn is_in_memory(&self) -> bool {
        self.number >= IN_MEMORY
    }

    /// Returns the settings it was written with.
    pub(crate) fn settings(&self) -> &Settings {
        &self.footer.settings
    }

    pub(crate) fn row(&self, doc: u32) -> Result<DocumentRow> {
        self.footer.documents.row(u64::from(doc), &self.file, DocumentRow::read)
    }

    /// Calls `each` with the row of every document.
    pub(crate) fn each_row(
        &self,
        mut each: impl FnMut(u32, DocumentRow) -> Result<()>,
    ) -> Result<()> {
        let documents = &self.footer.documents;
        documents.each(&self.file, |doc, row| each(doc as u32, DocumentRow::read(row)))
    }

    /// Returns the times of all documents, the greatest number for none.
    pub(crate) fn times(&self) -> Result<&[i64]> {
        if let Some(times) = self.times.get() {
            return Ok(times);
        }
        let mut times = Vec::with_capacity(self.n_documents() as usize);
        self.each_row(|_, row| {
            times.push(row.time.unwrap_or(i64::MAX));
            Ok(())
        })?;
        Ok(self.times.get_or_init(|| times))
    }

    /// Returns the text of a document.
    pub(crate) fn text(&self, doc: u32) -> Result<Vec<u8>> {
        Ok(self.footer.texts.get(doc, &self.file)?.unwrap_or_default())
    }

    /// Returns the id and the record of a document.
    pub(crate) fn record(&self, doc: u32) -> Result<(String, Vec<u8>)> {
        let bytes = self.footer.records.get(doc, &self.file)?.unwrap_or_default();
        let (id, record) = split_record(&bytes).ok_or_else(|| self.no_id())?;
        Ok((id.to_owned(), record.to_vec()))
    }

    /// The error for a record without an id.
    fn no_id(&self) -> crate::Error {
        self.file.damaged(self.footer.records.offset, "a record has no id")
    }

    /// Returns whether a document has an id.
    fn has_id(&self, doc: u32, id: &str) -> Result<bool> {
        let place = self.footer.records.place(doc, &self.file)?;
        let block = self.footer.records.block(place.block, &self.file)?;
        let found = place.of(&block).and_then(id_bytes).ok_or_else(|| self.no_id())?;
        Ok(found == id.as_bytes())
    }

    /// Calls `each` with every document that has an id, until it returns `false`.
    pub(crate) fn each_with_id(
        &self,
        id: &str,
        hash: u64,
        mut each: impl FnMut(u32) -> bool,
    ) -> Result<()> {
        let Footer { ids, id_filter, .. } = &self.footer;
        if !self.id_filter.may_have(hash, id_filter, &self.file)? {
            return Ok(());
        }
        ids.range(hash, hash, &self.first_ids, &self.file, |_, doc| {
            Ok(!self.has_id(doc, id)? || each(doc))
        })
    }

    /// Returns where the footer starts.
    pub(crate) fn footer_offset(&self) -> Result<u64> {
        Footer::place(&self.file).map(|place| place.0)
    }

    /// Returns the filter of ids, for the check of an index.
    pub(crate) fn id_filter(&self) -> Result<&Filter> {
        self.id_filter.get(&self.footer.id_filter, &self.file)
    }
}

/// Returns the id in front of a record.
fn id_bytes(bytes: &[u8]) -> Option<&[u8]> {
    let len = bytes.get(..4).map(|_| u32_at(bytes, 0) as usize)?;
    bytes.get(4..)?.get(..len)
}

/// Parts the id in front from a record.
pub(crate) fn split_record(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let id = id_bytes(bytes)?;
    Some((str::from_utf8(id).ok()?, &bytes[4 + id.len()..]))
}

/// A part with the documents that were removed from it.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) part: Arc<Part>,
    pub(crate) removed: Arc<Bitmap>,
}

impl View {
    /// Makes a view of a part from which nothing was removed.
    pub(crate) fn new(part: Part) -> Self {
        let removed = Arc::new(Bitmap::new(part.n_documents()));
        Self { part: Arc::new(part), removed }
    }

    /// Returns the number of documents that are there.
    pub(crate) fn n_live(&self) -> u32 {
        self.part.n_documents() - self.removed.n_set()
    }

    pub(crate) fn is_live(&self, doc: u32) -> bool {
        doc < self.part.n_documents() && !self.removed.has(doc)
    }

    /// Iterates over the documents that are there.
    pub(crate) fn live(&self) -> impl Iterator<Item = u32> + '_ {
        self.removed.clear_ones(self.part.n_documents())
    }

    /// Returns the document with an id, if it is there.
    pub(crate) fn find(&self, id: &str, hash: u64) -> Result<Option<u32>> {
        let mut found = None;
        self.part.each_with_id(id, hash, |doc| {
            if self.is_live(doc) {
                found = Some(doc);
            }
            found.is_none()
        })?;
        Ok(found)
    }
}
