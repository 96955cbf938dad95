//! The end of a part: what is where.

use serde::{Deserialize, Serialize};

use crate::document::{MOST_METHODS, Settings};
use crate::error::Result;
use crate::format::{HEADER_BYTES, SUM_BYTES, Sink, Stored, u64_at};
use crate::heap::Heap;
use crate::lists::Lists;
use crate::sorted::Sorted;
use crate::table::Table;

/// Bytes of the trailer: where the footer starts, its length, and a checksum.
const TRAILER_BYTES: usize = 16 + SUM_BYTES;
/// No footer is longer than this.
const MOST_FOOTER_BYTES: u64 = 64 << 20;

/// What a part holds, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Footer {
    pub(crate) settings: Settings,
    pub(crate) n_documents: u32,
    /// Documents without a time.
    pub(crate) n_timeless: u32,
    /// Oldest and newest of the other times.
    pub(crate) times: Option<(i64, i64)>,
    /// Sequence numbers of the first and the last document.
    pub(crate) seqs: (u64, u64),
    /// Bytes of ids, records and texts, not compressed.
    pub(crate) content_bytes: u64,
    pub(crate) texts: Heap,
    pub(crate) records: Heap,
    pub(crate) documents: Table,
    /// Hashes of ids, sorted, with documents.
    pub(crate) ids: Sorted,
    pub(crate) id_filter: Table,
    pub(crate) methods: Vec<MethodFooter>,
}

/// What a part holds for one method. A section that would be empty is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MethodFooter {
    /// Identity, hash of the entry and holder of every document.
    pub(crate) kept: Option<Table>,
    /// Upper halves of identities, sorted, with documents.
    pub(crate) identities: Option<Sorted>,
    pub(crate) identity_filter: Option<Table>,
    /// Holders that have followers, a bit for each document.
    pub(crate) followed: Option<Table>,
    /// Holders for which there may be copies in parts before this one.
    pub(crate) later: Option<Table>,
    pub(crate) facts: Option<Table>,
    pub(crate) lists: Option<Lists>,
    pub(crate) images: Option<Heap>,
    /// Codes of tiny documents, sorted, with documents.
    pub(crate) tiny: Option<Sorted>,
    pub(crate) code_sets: Option<Heap>,
}

impl Footer {
    /// Writes the footer and the trailer.
    pub(crate) fn write(&self, sink: &mut Sink) -> Result<()> {
        let bytes = serde_json::to_vec(self)
            .map_err(|error| crate::Error::invalid(format!("settings as JSON: {error}")))?;
        let at = sink.put_block(&bytes)?;
        let mut trailer = Vec::with_capacity(16);
        trailer.extend_from_slice(&at.to_le_bytes());
        trailer.extend_from_slice(&((bytes.len() + SUM_BYTES) as u64).to_le_bytes());
        sink.put_block(&trailer)?;
        Ok(())
    }

    /// Returns where the footer of a file is, and its length with the checksum.
    pub(crate) fn place(file: &Stored) -> Result<(u64, u64)> {
        let Some(end) = file.len.checked_sub(TRAILER_BYTES as u64) else {
            return Err(file.damaged(0, "it ends too early"));
        };
        let trailer = file.block(end, TRAILER_BYTES)?;
        let (at, len) = (u64_at(&trailer, 0), u64_at(&trailer, 8));
        if at < HEADER_BYTES || at.checked_add(len) != Some(end) || len > MOST_FOOTER_BYTES {
            return Err(file.damaged(end, "the trailer points outside of the file"));
        }
        Ok((at, len))
    }

    /// Reads the footer at the end of a file and checks that all it names can be there.
    pub(crate) fn read(file: &Stored) -> Result<Self> {
        let (at, len) = Self::place(file)?;
        let bytes = file.block(at, len as usize)?;
        let footer: Self = serde_json::from_slice(&bytes)
            .map_err(|error| file.damaged(at, format!("the footer cannot be read: {error}")))?;
        if !footer.is_within(at) {
            return Err(file.damaged(at, "the footer names sections that cannot be there"));
        }
        Ok(footer)
    }

    /// Returns whether all sections lie before `end` and have as many rows as they must.
    pub(crate) fn is_within(&self, end: u64) -> bool {
        let n = u64::from(self.n_documents);
        let table = |table: &Table, n_rows: u64, width: u32| {
            table.is_within(end) && table.n_rows == n_rows && table.width == width
        };
        let heap = |heap: &Heap| heap.is_within(end) && heap.places.n_rows == n;
        let numbers = |table: &Table| table.is_within(end) && table.width == 8;
        let bits = |bits: &Option<Table>| bits.is_none_or(|bits| table(&bits, n.div_ceil(64), 8));
        let sorted = |it: &Option<Sorted>| it.is_none_or(|it| it.is_within(end));
        n > 0
            && self.n_documents < u32::MAX
            && self.methods.len() == self.settings.n_methods
            && self.methods.len() <= MOST_METHODS
            && heap(&self.texts)
            && heap(&self.records)
            && table(&self.documents, n, super::DOCUMENT_BYTES as u32)
            && self.ids.is_within(end)
            && self.ids.rows.n_rows == n
            && numbers(&self.id_filter)
            && self.methods.iter().all(|method| {
                method.kept.is_none_or(|kept| table(&kept, n, super::method::KEPT_BYTES as u32))
                    && sorted(&method.identities)
                    && method.identity_filter.is_none_or(|filter| numbers(&filter))
                    && method.identities.is_some() == method.identity_filter.is_some()
                    && bits(&method.followed)
                    && bits(&method.later)
                    && method.facts.is_none_or(|f| table(&f, n, f.width) && f.width >= 2)
                    && method.lists.as_ref().is_none_or(|lists| lists.is_within(end))
                    && method.images.as_ref().is_none_or(heap)
                    && sorted(&method.tiny)
                    && method.code_sets.as_ref().is_none_or(heap)
            })
    }
}
