//! The check of one part.

use super::Problem;
use super::method::check_method;
use crate::document::content_hash;
use crate::error::Result;
use crate::format::HEADER_BYTES;
use crate::heap::{Blocks, Heap, Place, Places};
use crate::lists::Lists;
use crate::part::{Footer, Part, View, id_hash};
use crate::sorted::Sorted;
use crate::table::Table;

/// Reads all of a part and checks it; the first problem is returned.
pub(crate) fn check_part(view: &View) -> Result<Option<Problem>> {
    let part = &view.part;
    let result = check_extents(part)
        .and_then(|()| check_documents(part))
        .and_then(|()| (0..part.footer.methods.len()).try_for_each(|m| check_method(part, m)));
    match result {
        Ok(()) => Ok(None),
        Err(error) => Problem::of(error).map(Some),
    }
}

/// Checks that the sections fill the file: no byte is in none of them.
fn check_extents(part: &Part) -> Result<()> {
    let mut extents = Vec::new();
    let Footer { texts, records, documents, ids, id_filter, methods, .. } = &part.footer;
    let table = |table: &Table, extents: &mut Vec<(u64, u64)>| {
        extents.push((table.offset, table.n_bytes().unwrap_or(u64::MAX)));
    };
    let heap = |heap: &Heap, extents: &mut Vec<(u64, u64)>| {
        extents.push((heap.offset, heap.n_bytes));
        table(&heap.starts, extents);
        table(&heap.places, extents);
    };
    let sorted = |sorted: &Sorted, extents: &mut Vec<(u64, u64)>| {
        table(&sorted.rows, extents);
        table(&sorted.first, extents);
    };
    let lists = |lists: &Lists, extents: &mut Vec<(u64, u64)>| {
        extents.push((lists.offset, lists.n_bytes()));
        table(&lists.first_keys, extents);
    };
    heap(texts, &mut extents);
    heap(records, &mut extents);
    table(documents, &mut extents);
    sorted(ids, &mut extents);
    table(id_filter, &mut extents);
    for method in methods {
        let tables = [method.kept, method.identity_filter, method.followed, method.later];
        tables.iter().flatten().for_each(|it| table(it, &mut extents));
        method.facts.iter().for_each(|it| table(it, &mut extents));
        [method.identities, method.tiny].iter().flatten().for_each(|it| sorted(it, &mut extents));
        method.lists.iter().for_each(|it| lists(it, &mut extents));
        [method.images, method.code_sets].iter().flatten().for_each(|it| heap(it, &mut extents));
    }
    extents.retain(|extent| extent.1 > 0);
    extents.sort_unstable();
    let mut at = HEADER_BYTES;
    for (offset, len) in extents {
        if offset != at {
            return Err(part.file.damaged(at, "bytes that belong to no section, or to two"));
        }
        at = offset.saturating_add(len);
    }
    if at == part.footer_offset()? {
        Ok(())
    } else {
        Err(part.file.damaged(at, "bytes that belong to no section"))
    }
}

/// Checks documents, texts, records and ids.
fn check_documents(part: &Part) -> Result<()> {
    let (footer, file) = (&part.footer, &part.file);
    let mut rows = Vec::with_capacity(part.n_documents() as usize);
    part.each_row(|_, row| {
        rows.push(row);
        Ok(())
    })?;
    let documents = footer.documents.offset;
    if !rows.is_sorted_by(|a, b| a.seq < b.seq)
        || rows.first().map(|row| row.seq) != Some(footer.seqs.0)
        || rows.last().map(|row| row.seq) != Some(footer.seqs.1)
    {
        return Err(file.damaged(documents, "the documents are not in order"));
    }
    let times = || rows.iter().filter_map(|row| row.time);
    let range = times().min().zip(times().max());
    if range != footer.times || rows.len() - times().count() != footer.n_timeless as usize {
        return Err(file.damaged(documents, "the times are others than the footer says"));
    }

    let mut ids = Vec::with_capacity(rows.len());
    let mut texts = HeapReader::new(part, &footer.texts);
    let mut records = HeapReader::new(part, &footer.records);
    for (doc, row) in (0..).zip(&rows) {
        let text = texts.get(doc)?;
        let bytes = records.get(doc)?;
        let (id, record) = crate::part::split_record(bytes)
            .ok_or_else(|| file.damaged(footer.records.offset, "a record has no id"))?;
        if content_hash(record, text, row.time) != row.content {
            let what = format!("the content of document {doc} is not what was put");
            return Err(file.damaged(footer.texts.offset, what));
        }
        ids.push((id_hash(id), doc));
    }
    texts.finish()?;
    records.finish()?;
    ids.sort_unstable();
    let filter = part.id_filter()?;
    let mut expected = ids.iter();
    let offset = footer.ids.rows.offset;
    footer.ids.each(file, |hash, doc| match expected.next() {
        Some(row) if *row == (hash, doc) && filter.may_have(hash) => Ok(()),
        _ => Err(file.damaged(offset, "the table of ids is not that of the documents")),
    })?;
    footer.ids.check_first(file)
}

/// Reads the strings of a heap one after the other, and every block once.
pub(super) struct HeapReader<'a> {
    part: &'a Part,
    heap: &'a Heap,
    places: Places<'a>,
    blocks: Blocks<'a>,
    /// The last block that was looked at, and how long it is.
    seen: Option<(u32, usize)>,
    is_read: Vec<bool>,
}

impl<'a> HeapReader<'a> {
    pub(super) fn new(part: &'a Part, heap: &'a Heap) -> Self {
        let is_read = vec![false; heap.n_blocks() as usize];
        let (places, blocks) = (heap.places(&part.file), heap.blocks(&part.file));
        Self { part, heap, places, blocks, seen: None, is_read }
    }

    /// Returns the place of a string, if there is one, and notes that its block is needed.
    fn place(&mut self, doc: u32) -> Result<Option<Place>> {
        let place = self.places.get(doc)?;
        if !place.is_something() {
            return Ok(None);
        }
        let is_read = self.is_read.get_mut(place.block as usize);
        *is_read.ok_or_else(|| self.heap.outside(&self.part.file))? = true;
        Ok(Some(place))
    }

    /// Returns a string; none is empty.
    pub(super) fn get(&mut self, doc: u32) -> Result<&[u8]> {
        let Some(place) = self.place(doc)? else { return Ok(&[]) };
        let outside = || self.heap.outside(&self.part.file);
        place.of(self.blocks.get(place.block)?).ok_or_else(outside)
    }

    /// Returns where a string is, if there is one. Its block is proved by its checksum, and is not
    /// decompressed.
    pub(super) fn check(&mut self, doc: u32) -> Result<Option<Place>> {
        let Some(place) = self.place(doc)? else { return Ok(None) };
        let n_bytes = match self.seen {
            Some((block, n_bytes)) if block == place.block => n_bytes,
            _ => self.blocks.raw(place.block)?.n_bytes(),
        };
        self.seen = Some((place.block, n_bytes));
        if place.is_in(n_bytes) { Ok(Some(place)) } else { Err(self.heap.outside(&self.part.file)) }
    }

    /// Checks that every block was needed.
    pub(super) fn finish(self) -> Result<()> {
        if self.is_read.iter().all(|is_read| *is_read) {
            return Ok(());
        }
        Err(self.part.file.damaged(self.heap.offset, "a block holds nothing that is needed"))
    }
}
