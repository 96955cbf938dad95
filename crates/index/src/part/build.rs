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
use crate::heap::{HeapWriter, Place};
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
    let (documents, times, n_timeless, seqs) = table.finish(sink)?;
    let (ids, id_filter) = write_ids(ids, sink)?;
    let methods = (0..settings.n_methods)
        .map(|method| build_method(docs, method, earlier, sink))
        .collect::<Result<_>>()?;
    let footer = Footer {
        settings: settings.clone(),
        n_documents: docs.len() as u32,
        n_timeless,
        times,
        seqs,
        content_bytes,
        texts,
        records,
        documents,
        ids,
        id_filter,
        methods,
    };
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

    #[expect(clippy::type_complexity, reason = "taken apart at once by its two callers")]
    pub(super) fn finish(
        self,
        sink: &mut Sink,
    ) -> Result<(Table, Option<(i64, i64)>, u32, (u64, u64))> {
        let table = self.table.finish(sink)?;
        Ok((table, self.times, self.n_timeless, self.seqs.unwrap_or_default()))
    }
}

/// Writes the table of ids and its filter, from the hash of each document's id.
pub(super) fn write_ids(hashes: Vec<u64>, sink: &mut Sink) -> Result<(Sorted, Table)> {
    let rows = hashes.into_iter().zip(0..).collect();
    write_filtered(rows, sink)
}

/// Sorts numbers with documents and writes them with a filter.
pub(super) fn write_filtered(
    mut rows: Vec<(u64, u32)>,
    sink: &mut Sink,
) -> Result<(Sorted, Table)> {
    rows.sort_unstable();
    let mut filter = Filter::new(rows.len());
    for row in &rows {
        filter.insert(row.0);
    }
    let sorted = write_sorted(rows.into_iter().map(Ok), sink)?;
    Ok((sorted, filter.write(sink)?))
}

/// Writes bits, if any is set.
pub(super) fn write_bits(bits: &Bitmap, sink: &mut Sink) -> Result<Option<Table>> {
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
    let (identities, identity_filter) = if identities.is_empty() {
        (None, None)
    } else {
        let (sorted, filter) = write_filtered(identities, sink)?;
        (Some(sorted), Some(filter))
    };
    let followed = write_bits(&followed, sink)?;
    let later = write_bits(&later, sink)?;

    let most_facts = (0..n).filter_map(entry_of).map(|entry| entry.facts.len()).max();
    let facts = match most_facts {
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
    let lists = {
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

    let images = build_heap(&holders, sink, SMALL_BLOCK_BYTES, |doc| {
        entry_of(doc).and_then(|entry| entry.image.as_deref())
    })?;
    let mut tiny: Vec<(u64, u32)> = held()
        .filter_map(|doc| entry_of(doc).map(|entry| (doc, entry)))
        .flat_map(|(doc, entry)| entry.codes.iter().map(move |code| (*code, doc)))
        .collect();
    let tiny = if tiny.is_empty() {
        None
    } else {
        tiny.sort_unstable();
        Some(write_sorted(tiny.into_iter().map(Ok), sink)?)
    };
    let code_sets = build_heap(&holders, sink, TEXT_BLOCK_BYTES, |doc| {
        entry_of(doc).and_then(|entry| entry.code_set.as_deref())
    })?;
    Ok(MethodFooter {
        kept: Some(kept),
        identities,
        identity_filter,
        followed,
        later,
        facts,
        lists,
        images,
        tiny,
        code_sets,
    })
}

/// Writes a string of each holder, if there are any; followers share it.
fn build_heap<'a>(
    holders: &[u32],
    sink: &mut Sink,
    target: usize,
    string: impl Fn(u32) -> Option<&'a [u8]>,
) -> Result<Option<crate::heap::Heap>> {
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
