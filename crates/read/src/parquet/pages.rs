//! Pages of a Parquet file, checked before the library decodes them.
//!
//! A page says how large it becomes and how many values it holds, and the library believes it. So
//! each header is looked at when it is read: against the size of what it is packed into, against
//! the limits of the run, and, added up, against the size of the file. What a page holds is looked
//! at where its data states counts of their own.

use std::io::{self, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use crate::access::{Access, Section};
use crate::options::Limits;
use crate::parquet::delta;
use crate::parquet::header::{DELTA_BYTE_ARRAY, DICTIONARY, PageHeader};
use crate::stream::past;

/// Size below which no ratio is looked at.
const RATIO_FROM: u64 = 1 << 20;
/// Most bytes of a page, in documents of the largest size: pages hold many documents.
const PAGE_DOCUMENTS: u64 = 16;

/// Bytes that an entry of a dictionary takes in memory beside its text.
const ENTRY_BYTES: u64 = 32;

/// A file whose pages are checked.
pub(crate) struct CheckedFile {
    access: Access,
    metadata: Arc<ParquetMetaData>,
    bounds: Arc<Bounds>,
}

impl CheckedFile {
    pub(super) fn new(access: Access, metadata: Arc<ParquetMetaData>, limits: &Limits) -> Self {
        let bounds = Arc::new(Bounds::new(limits, access.bytes()));
        Self { access, metadata, bounds }
    }

    /// Returns what the footer says.
    pub(crate) fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }

    /// Returns the number of bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.access.bytes()
    }

    /// Returns the same file to be read a second time: pages read so far are not counted.
    pub(super) fn again(&self, limits: &Limits) -> Self {
        Self::new(self.access.clone(), Arc::clone(&self.metadata), limits)
    }

    /// Opens a column of a row group.
    pub(crate) fn column(&self, group: usize, leaf: usize) -> ParquetResult<ColumnReader> {
        let group = self.metadata.row_group(group);
        let Some(column) = group.columns().get(leaf) else {
            return Err(ParquetError::General("a row group lacks a column".to_owned()));
        };
        let descriptor = column.column_descr_ptr();
        let entry_bytes = match descriptor.physical_type() {
            Type::BOOLEAN => 1,
            // Its length stands before a text.
            Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            Type::FIXED_LEN_BYTE_ARRAY => u64::try_from(descriptor.type_length()).unwrap_or(0),
        };
        let chunk = Chunk {
            access: self.access.clone(),
            bounds: Arc::clone(&self.bounds),
            compression: column.compression(),
            has_prefixes: column.encodings_mask().is_set(Encoding::DELTA_BYTE_ARRAY),
            entry_bytes: entry_bytes.max(1),
            header: Arc::default(),
        };
        let n_rows = usize::try_from(group.num_rows()).unwrap_or(0);
        let pages = SerializedPageReader::new(Arc::new(chunk), column, n_rows, None)?;
        let levels = (descriptor.max_rep_level() > 0, descriptor.max_def_level() > 0);
        Ok(get_column_reader(descriptor, Box::new(Pages { pages, levels })))
    }
}

/// What the pages of a file may ask for.
struct Bounds {
    /// Most bytes of a page.
    page_bytes: u64,
    /// How many bytes one byte may become.
    ratio: u64,
    /// Bytes that all pages together still may become.
    left: AtomicU64,
}

impl Bounds {
    fn new(limits: &Limits, file_bytes: u64) -> Self {
        // As for other compressed collections.
        let ratio = limits.ratio.saturating_mul(10);
        Self {
            page_bytes: limits.document_bytes.saturating_mul(PAGE_DOCUMENTS),
            ratio,
            left: AtomicU64::new(file_bytes.saturating_mul(ratio).max(RATIO_FROM)),
        }
    }

    /// Checks the header of a page of a chunk.
    fn check(&self, header: &PageHeader, chunk: &Chunk) -> Result<(), String> {
        let size = |bytes: i64| u64::try_from(bytes).map_err(|_| "a size is negative".to_owned());
        let (bytes, packed) = (size(header.bytes)?, size(header.packed_bytes)?);
        let n_values = size(header.n_values)?;
        size(header.level_bytes)?;
        if bytes > self.page_bytes {
            return Err(format!(
                "a page of {bytes} bytes is larger than {PAGE_DOCUMENTS} documents may be \
                 (`document_bytes`)"
            ));
        }
        let ratio = most_ratio(chunk.compression).min(self.ratio);
        if bytes > packed.saturating_mul(ratio).max(RATIO_FROM) {
            return Err(self.too_much());
        }
        let left = &self.left;
        let take = |left: u64| left.checked_sub(bytes);
        if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            return Err(self.too_much());
        }
        // A dictionary is decoded as a whole. Other pages may state many values in few bytes, and
        // these are decoded some at a time.
        let unpacked = packed.saturating_mul(self.ratio).max(RATIO_FROM);
        let most = match header.kind {
            DICTIONARY => {
                (unpacked.min(self.page_bytes) / ENTRY_BYTES).min(bytes / chunk.entry_bytes)
            }
            _ => unpacked,
        };
        if n_values > most {
            return Err(format!("a page of {bytes} bytes states {n_values} values"));
        }
        if header.encoding == DELTA_BYTE_ARRAY && !chunk.has_prefixes {
            return Err("the encoding of a page is not among those of its column".to_owned());
        }
        Ok(())
    }

    fn too_much(&self) -> String {
        format!("decompresses to more than {} times its size (`ratio`)", self.ratio)
    }
}

/// Returns how much a format of compression can make of one byte at most.
///
/// Snappy copies up to 64 bytes by three, LZ4 adds 255 by one byte of length, deflate gives 258 for
/// two bits; the others have no such bound.
fn most_ratio(compression: Compression) -> u64 {
    match compression {
        Compression::UNCOMPRESSED => 1,
        Compression::SNAPPY => 22,
        Compression::LZ4 | Compression::LZ4_RAW => 256,
        _ => u64::MAX,
    }
}

/// The bytes of a chunk, as the library asks for them: headers as streams, pages by position.
struct Chunk {
    access: Access,
    bounds: Arc<Bounds>,
    compression: Compression,
    /// Whether the footer says that strings may be stored by prefixes.
    has_prefixes: bool,
    /// Bytes that an entry of its dictionary takes in the file, or more.
    entry_bytes: u64,
    /// The header that was read last.
    header: Arc<Mutex<PageHeader>>,
}

impl Clone for Chunk {
    fn clone(&self) -> Self {
        Self {
            access: self.access.clone(),
            bounds: Arc::clone(&self.bounds),
            header: Arc::clone(&self.header),
            ..*self
        }
    }
}

impl Length for Chunk {
    fn len(&self) -> u64 {
        self.access.bytes()
    }
}

impl ChunkReader for Chunk {
    type T = Header;

    fn get_read(&self, start: u64) -> ParquetResult<Header> {
        let section = BufReader::new(self.access.section(start, u64::MAX));
        Ok(Header { section, start, chunk: self.clone(), is_checked: false })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        let fits = start.checked_add(length as u64).is_some_and(|end| end <= self.access.bytes());
        if !fits {
            return Err(ParquetError::EOF(format!(
                "{length} bytes from byte {start} lie outside the file"
            )));
        }
        let mut buffer = vec![0; length];
        self.access
            .read_exact_at(&mut buffer, start)
            .map_err(|error| ParquetError::External(error.into()))?;
        let header = *self.header.lock().unwrap_or_else(PoisonError::into_inner);
        stays_inside(&header, &buffer, self.compression)
            .map_err(|reason| ParquetError::External(past(reason).into()))?;
        Ok(buffer.into())
    }
}

/// Checks that a page does not become larger than it says.
///
/// The library decompresses these to their end before it compares; the others stop at the size.
// Such a page is decompressed twice: the library takes no decoder of others.
fn stays_inside(
    header: &PageHeader,
    buffer: &[u8],
    compression: Compression,
) -> Result<(), String> {
    let levels = usize::try_from(header.level_bytes).unwrap_or(usize::MAX).min(buffer.len());
    let packed = &buffer[levels..];
    let most = u64::try_from(header.bytes).unwrap_or(0).saturating_add(1);
    let decoder: Box<dyn Read> = match compression {
        _ if header.is_plain => return Ok(()),
        Compression::GZIP(_) => Box::new(flate2::read::MultiGzDecoder::new(packed)),
        Compression::BROTLI(_) => Box::new(brotli::Decompressor::new(packed, 64 << 10)),
        _ => return Ok(()),
    };
    // A broken page is left to the library to tell.
    match io::copy(&mut decoder.take(most), &mut io::sink()) {
        Ok(n) if n == most => Err("a page becomes larger than it says".to_owned()),
        _ => Ok(()),
    }
}

/// The header of a page, looked at when its first byte is asked for.
///
/// The library also opens, but does not read, a stream where the data of a page begins.
struct Header {
    section: BufReader<Section>,
    start: u64,
    chunk: Chunk,
    is_checked: bool,
}

impl Read for Header {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_checked {
            self.is_checked = true;
            let section = self.chunk.access.section(self.start, u64::MAX);
            let header = PageHeader::read(BufReader::with_capacity(256, section));
            let header = header.and_then(|header| {
                self.chunk.bounds.check(&header, &self.chunk)?;
                Ok(header)
            });
            let header = header.map_err(past)?;
            *self.chunk.header.lock().unwrap_or_else(PoisonError::into_inner) = header;
        }
        self.section.read(buffer)
    }
}

/// Pages of a chunk, decompressed.
struct Pages {
    pages: SerializedPageReader<Chunk>,
    /// Whether levels of repetition and of definition stand before the values.
    levels: (bool, bool),
}

impl Pages {
    /// Checks what the data of a page states about itself.
    fn check(&self, page: &Page) -> Result<(), String> {
        let n_lists = match page.encoding() {
            Encoding::DELTA_BINARY_PACKED | Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => return Ok(()),
        };
        let values = match page {
            Page::DictionaryPage { .. } => return Ok(()),
            Page::DataPage { buf, .. } => {
                let mut rest: &[u8] = buf;
                for _ in 0..u32::from(self.levels.0) + u32::from(self.levels.1) {
                    rest = after_levels(rest).ok_or("the levels of a page end too early")?;
                }
                rest
            }
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let start = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                usize::try_from(start)
                    .ok()
                    .and_then(|start| buf.get(start..))
                    .ok_or("the levels of a page end too early")?
            }
        };
        if values.is_empty() {
            return Ok(());
        }
        delta::check(values, u64::from(page.num_values()), n_lists)
    }
}

/// Returns what follows levels that say their length.
fn after_levels(bytes: &[u8]) -> Option<&[u8]> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.get(u32::from_le_bytes(*length) as usize..)
}

impl Iterator for Pages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            self.check(page).map_err(ParquetError::General)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> ParquetResult<bool> {
        self.pages.at_record_boundary()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_has_no_more_entries_than_its_bytes_can_hold() {
        let limits = Limits::default();
        let bounds = Arc::new(Bounds::new(&limits, 1 << 30));
        let chunk = Chunk {
            access: Access::Memory(Arc::default()),
            bounds: Arc::clone(&bounds),
            compression: Compression::SNAPPY,
            has_prefixes: false,
            entry_bytes: 4,
            header: Arc::default(),
        };
        let check = |bytes, packed_bytes, n_values| {
            let kind = DICTIONARY;
            let header = PageHeader { kind, bytes, packed_bytes, n_values, ..Default::default() };
            bounds.check(&header, &chunk)
        };
        assert!(check(400, 100, 100).is_ok());
        assert!(check(400, 100, 101).is_err());
        // 200,000 empty strings, 4 bytes of length each, take 6 MB in memory.
        assert!(check(800_000, 40_000, 200_000).is_ok());
        assert!(check(800_000, 4_000, 200_000).is_err());
    }
}
