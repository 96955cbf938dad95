//! What a part holds for one method.

use std::sync::OnceLock;

use super::{Part, View};
use crate::bitmap::Bitmap;
use crate::document::Mark;
use crate::error::Result;
use crate::filter::{Filter, LazyFilter};
use crate::format::{u32_at, u64_at, u128_at};
use crate::lists::{FirstKeys, ListsCursor};
use crate::sorted::First;
use crate::table::Table;

/// The holder of a document of which the method keeps nothing.
pub(crate) const NOBODY: u32 = u32::MAX;
/// Bytes of a row of what is kept.
pub(crate) const KEPT_BYTES: usize = 29;

/// What is kept of a document, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeptRow {
    pub(crate) mark: Mark,
    /// The document of this part that stands in the lists for it: the first one with the same
    /// mark, or itself.
    pub(crate) holder: u32,
}

impl KeptRow {
    /// The row of a document of which nothing is kept.
    pub(crate) const NOTHING: Self =
        Self { mark: Mark { identity: None, entry: None }, holder: NOBODY };

    pub(crate) fn read(row: &[u8]) -> Self {
        let identity = (row[28] & 1 != 0).then(|| u128_at(row, 0));
        let entry = (row[28] & 2 != 0).then(|| u64_at(row, 16));
        Self { mark: Mark { identity, entry }, holder: u32_at(row, 24) }
    }

    pub(crate) fn write(&self) -> [u8; KEPT_BYTES] {
        let Mark { identity, entry } = self.mark;
        let mut row = [0; KEPT_BYTES];
        row[..16].copy_from_slice(&identity.unwrap_or(0).to_le_bytes());
        row[16..24].copy_from_slice(&entry.unwrap_or(0).to_le_bytes());
        row[24..28].copy_from_slice(&self.holder.to_le_bytes());
        row[28] = u8::from(identity.is_some()) | u8::from(entry.is_some()) << 1;
        row
    }
}

/// The part of an identity that is looked up.
pub(crate) fn upper(identity: u128) -> u64 {
    (identity >> 64) as u64
}

/// What is read of a method when it is first needed, and held.
#[derive(Debug, Default)]
pub(super) struct MethodTables {
    first_keys: FirstKeys,
    first_identities: First,
    first_tiny: First,
    filter: LazyFilter,
    followed: OnceLock<Bitmap>,
    later: OnceLock<Bitmap>,
    facts: OnceLock<Vec<u8>>,
}

impl Part {
    /// Returns what is kept of a document, in short; `None` if nothing is.
    pub(crate) fn kept(&self, method: usize, doc: u32) -> Result<Option<KeptRow>> {
        let Some(kept) = &self.footer.methods[method].kept else { return Ok(None) };
        let row = kept.row(u64::from(doc), &self.file, KeptRow::read)?;
        Ok((row.holder != NOBODY).then_some(row))
    }

    /// Calls `each` with every document that may have an identity, in order, until it returns
    /// `false`.
    pub(crate) fn each_like(
        &self,
        method: usize,
        identity: u128,
        each: impl FnMut(u32, &KeptRow) -> Result<bool>,
    ) -> Result<()> {
        let footer = &self.footer.methods[method];
        let (Some(identities), Some(filter), Some(kept)) =
            (&footer.identities, &footer.identity_filter, &footer.kept)
        else {
            return Ok(());
        };
        let tables = &self.methods[method];
        let upper = upper(identity);
        if !tables.filter.may_have(upper, filter, &self.file)? {
            return Ok(());
        }
        let mut each = each;
        let mut rows = kept.cursor(&self.file);
        identities.range(upper, upper, &tables.first_identities, &self.file, |_, doc| {
            let row = KeptRow::read(rows.row(u64::from(doc))?);
            if row.mark.identity == Some(identity) { each(doc, &row) } else { Ok(true) }
        })
    }

    fn bits<'a>(
        &self,
        table: Option<&Table>,
        held: &'a OnceLock<Bitmap>,
    ) -> Result<Option<&'a Bitmap>> {
        let Some(table) = table else { return Ok(None) };
        if let Some(bits) = held.get() {
            return Ok(Some(bits));
        }
        let bits = Bitmap::from_words(table.numbers(&self.file)?, self.n_documents())
            .ok_or_else(|| self.file.damaged(table.offset, "bits of documents that are not"))?;
        Ok(Some(held.get_or_init(|| bits)))
    }

    /// Returns the holders that have followers, if any.
    pub(crate) fn followed(&self, method: usize) -> Result<Option<&Bitmap>> {
        self.bits(self.footer.methods[method].followed.as_ref(), &self.methods[method].followed)
    }

    /// Returns the holders for which there may be copies in earlier parts, if any.
    pub(crate) fn later(&self, method: usize) -> Result<Option<&Bitmap>> {
        self.bits(self.footer.methods[method].later.as_ref(), &self.methods[method].later)
    }

    /// Returns the facts of a document; nothing if it has no entry.
    pub(crate) fn facts(&self, method: usize, doc: u32) -> Result<&[u8]> {
        let Some(table) = &self.footer.methods[method].facts else { return Ok(&[]) };
        let held = &self.methods[method].facts;
        let facts = if let Some(facts) = held.get() {
            facts
        } else {
            let bytes = table.bytes(&self.file)?;
            held.get_or_init(|| bytes)
        };
        let at = doc as usize * table.width as usize;
        facts
            .get(at..at + table.width as usize)
            .and_then(|row| row[2..].get(..usize::from(u16::from_le_bytes([row[0], row[1]]))))
            .ok_or_else(|| self.file.damaged(table.offset, "facts are longer than their row"))
    }

    /// Calls `each` for every holder and payload of a key.
    pub(crate) fn list(&self, method: usize, key: u64, each: impl FnMut(u32, u32)) -> Result<()> {
        let Some(lists) = &self.footer.methods[method].lists else { return Ok(()) };
        let first_keys = &self.methods[method].first_keys;
        lists.look_up(key, self.n_documents(), first_keys, &self.file, each)
    }

    /// Starts to read all lists; `None` if there are none.
    pub(crate) fn lists(&self, method: usize) -> Result<Option<ListsCursor<'_>>> {
        let Some(lists) = &self.footer.methods[method].lists else { return Ok(None) };
        let first_keys = &self.methods[method].first_keys;
        lists.cursor(self.n_documents(), first_keys, &self.file).map(Some)
    }

    /// Calls `each` for the codes from `from` to `to` of tiny documents, with their holders.
    pub(crate) fn tiny(
        &self,
        method: usize,
        from: u64,
        to: u64,
        mut each: impl FnMut(u64, u32) -> Result<()>,
    ) -> Result<()> {
        let Some(tiny) = &self.footer.methods[method].tiny else { return Ok(()) };
        let first = &self.methods[method].first_tiny;
        tiny.range(from, to, first, &self.file, |code, doc| each(code, doc).map(|()| true))
    }

    /// Returns the filter of identities, for the check of an index.
    pub(crate) fn identity_filter(&self, method: usize) -> Result<Option<&Filter>> {
        let Some(table) = &self.footer.methods[method].identity_filter else { return Ok(None) };
        self.methods[method].filter.get(table, &self.file).map(Some)
    }
}

impl View {
    /// Returns the first document that is there with a mark.
    pub(crate) fn first_with(&self, method: usize, mark: Mark) -> Result<Option<u32>> {
        let Some(identity) = mark.identity else { return Ok(None) };
        let mut found = None;
        self.part.each_like(method, identity, |doc, row| {
            if self.is_live(doc) && row.mark == mark {
                found = Some(doc);
            }
            Ok(found.is_none())
        })?;
        Ok(found)
    }

    /// Returns the document that stands for a holder: itself, or the first of its followers that
    /// is there.
    pub(crate) fn stand_in(&self, method: usize, holder: u32) -> Result<Option<u32>> {
        if self.is_live(holder) {
            return Ok(Some(holder));
        }
        if !self.part.followed(method)?.is_some_and(|followed| followed.has(holder)) {
            return Ok(None);
        }
        match self.part.kept(method, holder)? {
            Some(row) => self.first_with(method, row.mark),
            None => Ok(None),
        }
    }
}
