//! Writes one part of several neighbouring ones, without the documents that were removed.

mod holders;

use self::holders::{Holders, find_holders, merge_kept};
use super::build::{DocumentsWriter, push_facts, write_codes, write_identities};
use super::footer::{Footer, MethodFooter};
use super::method::NOBODY;
use super::{SMALL_BLOCK_BYTES, TEXT_BLOCK_BYTES, View};
use crate::document::Settings;
use crate::error::Result;
use crate::format::Sink;
use crate::heap::{Heap, HeapWriter, Place};
use crate::lists::{Lists, ListsWriter};
use crate::sorted::Sorted;
use crate::table::{Table, TableWriter};

/// A part that goes into another one.
#[derive(Debug)]
struct Source<'a> {
    view: &'a View,
    /// The number of its first document in the new part.
    first: u32,
    /// The new number of each document; `NOBODY` if it was removed.
    new: Vec<u32>,
}

/// Writes the documents that are left of some parts, in order, as one part; at least one must be.
pub(crate) fn merge(views: &[View], settings: &Settings, sink: &mut Sink) -> Result<()> {
    let mut n = 0;
    let sources: Vec<Source<'_>> = views
        .iter()
        .map(|view| {
            let first = n;
            let mut new = vec![NOBODY; view.part.n_documents() as usize];
            for doc in view.live() {
                new[doc as usize] = n;
                n += 1;
            }
            Source { view, first, new }
        })
        .collect();
    let mut content_bytes = 0;
    let all = |_: u32| Some(Own::Itself);
    let mut count = |place: Place| content_bytes += place.len();
    let texts = merge_heap(&sources, TEXT_BLOCK_BYTES, |f| Some(f.texts), all, &mut count, sink)?;
    let records =
        merge_heap(&sources, SMALL_BLOCK_BYTES, |f| Some(f.records), all, &mut count, sink)?;

    let mut table = DocumentsWriter::new(sink);
    let mut hashes = vec![0; n as usize];
    for source in &sources {
        source.view.part.each_row(|doc, row| {
            if source.new[doc as usize] != NOBODY {
                table.push(&row, sink)?;
            }
            Ok(())
        })?;
        let part = &source.view.part;
        part.footer.ids.each(&part.file, |hash, doc| {
            match source.new.get(doc as usize) {
                Some(&NOBODY) => {}
                Some(&new) => hashes[new as usize] = hash,
                None => return Err(part.file.damaged(0, "an id of a document that is not")),
            }
            Ok(())
        })?;
    }
    let mut footer = table.finish(hashes, (texts, records, content_bytes), settings, sink)?;
    for method in 0..settings.n_methods {
        footer.methods.push(merge_method(&sources, n, method, sink)?);
    }
    footer.write(sink)
}

/// Where the string of a document comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    /// From itself.
    Itself,
    /// It is the string of another document, with this new number.
    Of(u32),
}

/// Writes the strings of all documents. Blocks all of whose strings stay are copied.
fn merge_heap(
    sources: &[Source<'_>],
    target: usize,
    heap_of: impl Fn(&Footer) -> Option<Heap>,
    own: impl Fn(u32) -> Option<Own>,
    each: &mut dyn FnMut(Place),
    sink: &mut Sink,
) -> Result<Heap> {
    let mut out = HeapWriter::new(sink, target);
    for source in sources {
        let file = &source.view.part.file;
        let live = || source.new.iter().filter(|new| **new != NOBODY);
        let Some(heap) = heap_of(&source.view.part.footer) else {
            live().for_each(|_| out.push_place(Place::NOTHING));
            continue;
        };
        let mut places = Vec::with_capacity(source.new.len());
        // Strings of each block that do not stay as they are.
        let mut n_gone = vec![0u32; heap.n_blocks() as usize];
        heap.each_place(file, |doc, place| {
            places.push(place);
            if place.is_something() {
                let new = source.new[doc as usize];
                let stays = new != NOBODY && own(new) == Some(Own::Itself);
                let gone =
                    n_gone.get_mut(place.block as usize).ok_or_else(|| heap.outside(file))?;
                *gone += u32::from(!stays);
            }
            Ok(())
        })?;
        let mut copied: Option<(u32, u32)> = None;
        let mut blocks = heap.blocks(file);
        let mut is_held = None;
        for (&place, &new) in places.iter().zip(&source.new) {
            if new == NOBODY {
                continue;
            }
            match own(new) {
                Some(Own::Itself) if place.is_something() => {}
                Some(Own::Of(holder)) if place.is_something() => {
                    out.push_place(out.place_of(holder));
                    continue;
                }
                _ => {
                    out.push_place(Place::NOTHING);
                    continue;
                }
            }
            each(place);
            if let Some((_, block)) = copied.filter(|copied| copied.0 == place.block) {
                out.push_copied(place, block);
                continue;
            }
            if is_held != Some(place.block) {
                if n_gone[place.block as usize] == 0 && !sink.is_in_memory() {
                    let raw = blocks.raw(place.block)?;
                    if raw.is_worth_copying(target) {
                        let block = out.copy(&raw, sink)?;
                        copied = Some((place.block, block));
                        out.push_copied(place, block);
                        continue;
                    }
                }
                is_held = Some(place.block);
            }
            let block = blocks.get(place.block)?;
            out.push(&[place.of(block).ok_or_else(|| heap.outside(file))?], sink)?;
        }
    }
    out.finish(sink)
}

fn merge_method(
    sources: &[Source<'_>],
    n: u32,
    method: usize,
    sink: &mut Sink,
) -> Result<MethodFooter> {
    let footers: Vec<&MethodFooter> =
        sources.iter().map(|source| &source.view.part.footer.methods[method]).collect();
    if footers.iter().all(|footer| footer.kept.is_none()) {
        return Ok(MethodFooter::default());
    }
    let (holder, identities) = find_holders(sources, &footers, n)?;
    let mut holders = Holders { holder, takes_over: Vec::new() };
    let (kept, followed, later) = merge_kept(sources, &footers, n, method, &mut holders, sink)?;
    let mut footer = write_identities(kept, identities, &followed, &later, sink)?;
    footer.facts = merge_facts(sources, &footers, sink)?;
    footer.lists = merge_lists(sources, n, method, &holders, sink)?;
    let own = |new: u32| match holders.holder[new as usize] {
        NOBODY => None,
        holder if holder == new => Some(Own::Itself),
        holder => Some(Own::Of(holder)),
    };
    let ignore: &mut dyn FnMut(Place) = &mut |_| {};
    if footers.iter().any(|footer| footer.images.is_some()) {
        let heap = |f: &Footer| f.methods[method].images;
        footer.images = Some(merge_heap(sources, SMALL_BLOCK_BYTES, heap, own, ignore, sink)?);
    }
    footer.tiny = merge_tiny(sources, &footers, &holders, sink)?;
    if footers.iter().any(|footer| footer.code_sets.is_some()) {
        let heap = |f: &Footer| f.methods[method].code_sets;
        footer.code_sets = Some(merge_heap(sources, TEXT_BLOCK_BYTES, heap, own, ignore, sink)?);
    }
    Ok(footer)
}

fn merge_facts(
    sources: &[Source<'_>],
    footers: &[&MethodFooter],
    sink: &mut Sink,
) -> Result<Option<Table>> {
    let Some(width) = footers.iter().filter_map(|f| f.facts.map(|facts| facts.width)).max() else {
        return Ok(None);
    };
    let width = width as usize;
    let mut table = TableWriter::new(sink, width);
    for (source, footer) in sources.iter().zip(footers) {
        let Some(facts) = &footer.facts else {
            for _ in source.view.live() {
                push_facts(&[], width, &mut table, sink)?;
            }
            continue;
        };
        let mut row = vec![0; width];
        facts.each(&source.view.part.file, |doc, bytes| {
            if source.new[doc as usize] != NOBODY {
                row[..bytes.len()].copy_from_slice(bytes);
                table.push(&row, sink)?;
            }
            Ok(())
        })?;
    }
    table.finish(sink).map(Some)
}

fn merge_lists(
    sources: &[Source<'_>],
    n: u32,
    method: usize,
    holders: &Holders,
    sink: &mut Sink,
) -> Result<Option<Lists>> {
    let mut cursors = Vec::new();
    for (source, takes_over) in sources.iter().zip(&holders.takes_over) {
        if let Some(mut cursor) = source.view.part.lists(method)?
            && let Some(posting) = cursor.peek()?
        {
            cursors.push((posting.0, cursor, takes_over));
        }
    }
    let mut writer = ListsWriter::new(sink, n);
    let mut list: Vec<(u32, u32)> = Vec::new();
    // PERF: a plain search for the least of a few keys; a heap pays from about sixteen on.
    while let Some(key) = cursors.iter().map(|cursor| cursor.0).min() {
        list.clear();
        let mut has_ended = false;
        for (next, cursor, takes_over) in &mut cursors {
            if *next != key {
                continue;
            }
            loop {
                match cursor.peek()? {
                    Some((found, doc, payload)) if found == key => {
                        let new = takes_over[doc as usize];
                        if new != NOBODY {
                            list.push((new, payload));
                        }
                        cursor.advance();
                    }
                    Some((found, ..)) => {
                        *next = found;
                        break;
                    }
                    None => {
                        has_ended = true;
                        break;
                    }
                }
            }
        }
        if has_ended {
            cursors.retain_mut(|cursor| matches!(cursor.1.peek(), Ok(Some(_)) | Err(_)));
        }
        // Out of order only where a follower took over.
        if !list.is_sorted() {
            list.sort_unstable();
        }
        list.dedup();
        for &(doc, payload) in &list {
            writer.push((key, doc, payload), sink)?;
        }
    }
    writer.finish(sink)
}

fn merge_tiny(
    sources: &[Source<'_>],
    footers: &[&MethodFooter],
    holders: &Holders,
    sink: &mut Sink,
) -> Result<Option<Sorted>> {
    let mut codes = Vec::new();
    for ((source, footer), takes_over) in sources.iter().zip(footers).zip(&holders.takes_over) {
        let Some(tiny) = &footer.tiny else { continue };
        let file = &source.view.part.file;
        tiny.each(file, |code, doc| {
            match takes_over.get(doc as usize) {
                Some(&NOBODY) => {}
                Some(&new) => codes.push((code, new)),
                None => return Err(file.damaged(tiny.rows.offset, "a code of no document")),
            }
            Ok(())
        })?;
    }
    write_codes(codes, sink)
}
