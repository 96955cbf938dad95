//! Writes a part of documents that are in memory.

use std::collections::HashMap;

use super::footer::{Footer, MethodFooter};
use super::method::{KeptRow, upper};
use super::{DOCUMENT_BYTES, DocumentRow, SMALL_BLOCK_BYTES, TEXT_BLOCK_BYTES, View, id_hash};
use crate::bitmap::Bitmap;
use crate::document::{Mark, Put, Settings};
use crate::error::Result;
use crate::filter::Filter;
use crate::format::Sink;
use crate::heap::{Heap, HeapWriter, Place};
use crate::lists::ListsWriter;
use crate::sorted::{Sorted, write_sorted};
use crate::table::{Table, TableWriter, write_numbers};

/// A document that is not in a part yet.
#[derive(Clone, Debug)]
pub(crate) struct Fresh {
    pub(crate) put: Put,
    pub(crate) seq: u64,
    /// Hash of the content.
    pub(crate) content: u128,
    /// What tells its entries from others, for each method.
    pub(crate) marks: Vec<Option<Mark>>,
}

/// Writes a part of at least one document. Copies of documents in `earlier` parts are marked.
pub(crate) fn build(
    docs: &[&Fresh],
    settings: &Settings,
    earlier: &[View],
    sink: &mut Sink,
) -> Result<()> {
    let mut texts = HeapWriter::new(sink, TEXT_BLOCK_BYTES);
    let mut content_bytes = 0;
    for doc in docs {
        texts.push(&[&doc.put.text], sink)?;
        content_bytes += (doc.put.text.len() + doc.put.id.len() + doc.put.record.len()) as u64;
    }
    let texts = texts.finish(sink)?;
    let mut records = HeapWriter::new(sink, SMALL_BLOCK_BYTES);
    for doc in docs {
        let id = doc.put.id.as_bytes();
        records.push(&[&(id.len() as u32).to_le_bytes(), id, &doc.put.record], sink)?;
    }
    let records = records.finish(sink)?;
    let mut table = DocumentsWriter::new(sink);
    for doc in docs {
        let row = DocumentRow { content: doc.content, time: doc.put.time, seq: doc.seq };
        table.push(&row, sink)?;
    }
    let ids = docs.iter().map(|doc| id_hash(&doc.put.id)).collect();
    let mut footer = table.finish(ids, (texts, records, content_bytes), settings, sink)?;
    for method in 0..settings.n_methods {
        footer.methods.push(build_method(docs, method, earlier, sink)?);
    }
    footer.write(sink)
}

/// Writes the table of documents and gathers what the footer says about it.
#[derive(Debug)]
pub(super) struct DocumentsWriter {
    table: TableWriter,
    times: Option<(i64, i64)>,
    n_timeless: u32,
    seqs: Option<(u64, u64)>,
}

impl DocumentsWriter {
    pub(super) fn new(sink: &Sink) -> Self {
        let table = TableWriter::new(sink, DOCUMENT_BYTES);
        Self { table, times: None, n_timeless: 0, seqs: None }
    }

    pub(super) fn push(&mut self, row: &DocumentRow, sink: &mut Sink) -> Result<()> {
        self.table.push(&row.write(), sink)?;
        match row.time {
            Some(time) => {
                let (oldest, newest) = self.times.unwrap_or((time, time));
                self.times = Some((oldest.min(time), newest.max(time)));
            }
            None => self.n_timeless += 1,
        }
        self.seqs = Some((self.seqs.map_or(row.seq, |seqs| seqs.0), row.seq));
        Ok(())
    }

    /// Writes the table of ids as well, from the hash of each. Returns the footer, without methods;
    /// `contents` are texts, records and the bytes of both.
    pub(super) fn finish(
        self,
        ids: Vec<u64>,
        contents: (Heap, Heap, u64),
        settings: &Settings,
        sink: &mut Sink,
    ) -> Result<Footer> {
        let n_documents = ids.len() as u32;
        let documents = self.table.finish(sink)?;
        let (ids, id_filter) = write_filtered(ids.into_iter().zip(0..).collect(), sink)?;
        let (texts, records, content_bytes) = contents;
        Ok(Footer {
            settings: settings.clone(),
            n_documents,
            n_timeless: self.n_timeless,
            times: self.times,
            seqs: self.seqs.unwrap_or_default(),
            content_bytes,
            texts,
            records,
            documents,
            ids,
            id_filter,
            methods: Vec::new(),
        })
    }
}

/// Sorts numbers with documents and writes them with a filter.
fn write_filtered(mut rows: Vec<(u64, u32)>, sink: &mut Sink) -> Result<(Sorted, Table)> {
    rows.sort_unstable();
    let mut filter = Filter::new(rows.len());
    for row in &rows {
        filter.insert(row.0);
    }
    let sorted = write_sorted(rows.into_iter().map(Ok), sink)?;
    Ok((sorted, filter.write(sink)?))
}

/// Writes who is the same as whom, behind the table of what is kept. Returns the footer of a method
/// without the sections that follow.
pub(super) fn write_identities(
    kept: Table,
    identities: Vec<(u64, u32)>,
    followed: &Bitmap,
    later: &Bitmap,
    sink: &mut Sink,
) -> Result<MethodFooter> {
    let mut footer = MethodFooter { kept: Some(kept), ..MethodFooter::default() };
    if !identities.is_empty() {
        let (sorted, filter) = write_filtered(identities, sink)?;
        (footer.identities, footer.identity_filter) = (Some(sorted), Some(filter));
    }
    footer.followed = write_bits(followed, sink)?;
    footer.later = write_bits(later, sink)?;
    Ok(footer)
}

/// Sorts codes of tiny documents and writes them, if there are any.
pub(super) fn write_codes(mut codes: Vec<(u64, u32)>, sink: &mut Sink) -> Result<Option<Sorted>> {
    if codes.is_empty() {
        return Ok(None);
    }
    codes.sort_unstable();
    write_sorted(codes.into_iter().map(Ok), sink).map(Some)
}

/// Writes bits, if any is set.
fn write_bits(bits: &Bitmap, sink: &mut Sink) -> Result<Option<Table>> {
    if bits.n_set() == 0 {
        return Ok(None);
    }
    write_numbers(bits.words(), sink).map(Some)
}

/// Writes facts as a row of a table: their length and as many bytes as the longest ones take.
pub(super) fn push_facts(
    facts: &[u8],
    width: usize,
    table: &mut TableWriter,
    sink: &mut Sink,
) -> Result<()> {
    let mut row = vec![0; width];
    row[..2].copy_from_slice(&(facts.len() as u16).to_le_bytes());
    row[2..2 + facts.len()].copy_from_slice(facts);
    table.push(&row, sink)
}

fn build_method(
    docs: &[&Fresh],
    method: usize,
    earlier: &[View],
    sink: &mut Sink,
) -> Result<MethodFooter> {
    if docs.iter().all(|doc| doc.marks[method].is_none()) {
        return Ok(MethodFooter::default());
    }
    let n = docs.len() as u32;
    let entry_of = |doc: u32| {
        docs[doc as usize].put.methods[method].as_ref().and_then(|kept| kept.entry.as_ref())
    };

    // Who holds whom.
    let mut first: HashMap<Mark, u32> = HashMap::new();
    let (mut followed, mut later) = (Bitmap::new(n), Bitmap::new(n));
    let mut identities = Vec::new();
    let mut holders = Vec::with_capacity(docs.len());
    let mut table = TableWriter::new(sink, super::method::KEPT_BYTES);
    for (doc, fresh) in (0..).zip(docs) {
        let row = match fresh.marks[method] {
            None => KeptRow::NOTHING,
            Some(mark) => {
                let mut holder = doc;
                if let Some(identity) = mark.identity {
                    identities.push((upper(identity), doc));
                    holder = *first.entry(mark).or_insert(doc);
                    if holder != doc {
                        followed.set(holder);
                    } else if is_in(earlier, method, mark)? {
                        later.set(doc);
                    }
                }
                KeptRow { mark, holder }
            }
        };
        table.push(&row.write(), sink)?;
        holders.push(row.holder);
    }
    drop(first);
    let kept = table.finish(sink)?;
    let mut footer = write_identities(kept, identities, &followed, &later, sink)?;

    let most_facts = (0..n).filter_map(entry_of).map(|entry| entry.facts.len()).max();
    footer.facts = match most_facts {
        None | Some(0) => None,
        Some(most) => {
            let mut table = TableWriter::new(sink, most + 2);
            for doc in 0..n {
                let facts = entry_of(doc).map_or(&[][..], |entry| &entry.facts);
                push_facts(facts, most + 2, &mut table, sink)?;
            }
            Some(table.finish(sink)?)
        }
    };

    let held = || (0..n).filter(|doc| holders[*doc as usize] == *doc);
    footer.lists = {
        let n_postings = held().filter_map(entry_of).map(|entry| entry.keys.len()).sum();
        let mut postings: Vec<u128> = Vec::with_capacity(n_postings);
        for doc in held() {
            let keys = entry_of(doc).map_or(&[][..], |entry| &entry.keys);
            postings.extend(keys.iter().map(|&(key, payload)| {
                u128::from(key) << 64 | u128::from(doc) << 32 | u128::from(payload)
            }));
        }
        postings.sort_unstable();
        let mut writer = ListsWriter::new(sink, n);
        for posting in postings {
            writer.push(((posting >> 64) as u64, (posting >> 32) as u32, posting as u32), sink)?;
        }
        writer.finish(sink)?
    };

    footer.images = build_heap(&holders, sink, SMALL_BLOCK_BYTES, |doc| {
        entry_of(doc).and_then(|entry| entry.image.as_deref())
    })?;
    let codes = held()
        .filter_map(|doc| entry_of(doc).map(|entry| (doc, entry)))
        .flat_map(|(doc, entry)| entry.codes.iter().map(move |code| (*code, doc)));
    footer.tiny = write_codes(codes.collect(), sink)?;
    footer.code_sets = build_heap(&holders, sink, TEXT_BLOCK_BYTES, |doc| {
        entry_of(doc).and_then(|entry| entry.code_set.as_deref())
    })?;
    Ok(footer)
}

/// Writes a string of each holder, if there are any; followers share it.
fn build_heap<'a>(
    holders: &[u32],
    sink: &mut Sink,
    target: usize,
    string: impl Fn(u32) -> Option<&'a [u8]>,
) -> Result<Option<Heap>> {
    if (0..holders.len() as u32).all(|doc| string(doc).is_none()) {
        return Ok(None);
    }
    let mut heap = HeapWriter::new(sink, target);
    for (doc, &holder) in (0..).zip(holders) {
        match string(doc) {
            None => heap.push_place(Place::NOTHING),
            Some(string) if holder == doc => {
                heap.push(&[string], sink)?;
            }
            Some(_) => heap.push_place(heap.place_of(holder)),
        }
    }
    heap.finish(sink).map(Some)
}

/// Returns whether one of the parts has, or had, a document with a mark.
fn is_in(parts: &[View], method: usize, mark: Mark) -> Result<bool> {
    let Some(identity) = mark.identity else { return Ok(false) };
    for view in parts {
        let mut found = false;
        view.part.each_like(method, identity, |_, row| {
            found = row.mark == mark;
            Ok(!found)
        })?;
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}
