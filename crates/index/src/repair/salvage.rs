//! A manifest made anew from the files that are there.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::attachment::{Attachment, AttachmentEntry};
use crate::disk::Disk;
use crate::error::{Doing as _, Error, Result};
use crate::format::{HEADER_BYTES, Kind, read_header};
use crate::manifest::{Manifest, PartEntry, Written};
use crate::part::{Part, View, id_hash};
use crate::removed::read_removed;

/// Makes a manifest of the files that are there; `None` if there is no part that could say how
/// the index was made.
pub(super) fn salvage_manifest(disk: &dyn Disk) -> Result<Option<Manifest>> {
    let mut files = BTreeMap::new();
    for name in disk.list().doing(|| "list the folder".to_owned())? {
        if let Some((kind, number)) = Kind::of_name(&name)
            && let Some(index) = index_of(disk, &name, kind)?
        {
            files.insert((number, kind as u8), (kind, index));
        }
    }
    // The newest file decides which index it is.
    let Some(&(_, index)) = files.values().next_back() else { return Ok(None) };
    let numbers = |wanted: Kind| {
        files
            .iter()
            .rev()
            .filter(move |(_, (kind, of))| *kind == wanted && *of == index)
            .map(|((number, _), _)| *number)
    };
    // A merged part is newer than its sources, and has their sequence numbers.
    let mut parts: Vec<Part> = Vec::new();
    for number in numbers(Kind::Part) {
        let Some(part) = readable(Part::open(disk, index, number))? else { continue };
        let (from, to) = part.footer.seqs;
        if parts.iter().all(|other| to < other.footer.seqs.0 || from > other.footer.seqs.1) {
            parts.push(part);
        }
    }
    let Some(newest) = parts.first() else { return Ok(None) };
    let settings = newest.settings().clone();
    parts.sort_by_key(|part| part.footer.seqs);
    let mut removed = BTreeMap::new();
    for number in numbers(Kind::Removed) {
        if let Some((part, bits)) = readable(read_removed(disk, index, number))? {
            removed.entry(part).or_insert((number, bits.n_set()));
        }
    }
    let mut attachments = BTreeMap::new();
    for number in numbers(Kind::Attachment) {
        if let Some(found) = readable(Attachment::open(disk, index, number))? {
            let entry = AttachmentEntry { number, n_bytes: found.n_bytes };
            attachments.entry(found.name).or_insert(entry);
        }
    }
    let next_file = files.keys().next_back().map_or(1, |key| key.0 + 1);
    // Without a log the next number stands for one that is missing.
    let log = numbers(Kind::Log).next().unwrap_or(next_file);
    let entries = parts.iter().map(|part| {
        let (removed, n_removed) = removed.get(&part.number).copied().unzip();
        PartEntry {
            number: part.number,
            n_documents: part.n_documents(),
            removed,
            n_removed: n_removed.unwrap_or(0),
        }
    });
    Ok(Some(Manifest {
        index,
        generation: 1 << 32,
        settings,
        epoch: 1 << 32,
        parts: entries.collect(),
        attachments,
        log,
        next_file: next_file.max(log + 1),
        next_seq: parts.last().map_or(0, |part| part.footer.seqs.1 + 1),
        written: Written::default(),
    }))
}

/// Returns the index to which a file belongs, if its header can be read.
fn index_of(disk: &dyn Disk, name: &str, kind: Kind) -> Result<Option<u128>> {
    let mut header = [0; HEADER_BYTES as usize];
    let read = disk.open(name).and_then(|file| file.read_at(0, &mut header));
    match read {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(Error::io(format!("read `{name}`"), error)),
        Ok(()) => Ok(readable(read_header(name, kind, &header))?.map(|(index, _)| index)),
    }
}

/// Turns damage into nothing; other errors stay.
fn readable<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::Damaged { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes documents of which there is a newer one with the same id, from parts of which it is
/// not known what was removed.
pub(super) fn remove_twins(views: &mut [View], is_unknown: &[bool]) -> Result<()> {
    for i in 0..views.len() {
        if !is_unknown[i] {
            continue;
        }
        for doc in views[i].live().collect::<Vec<_>>() {
            let id = views[i].part.record(doc)?.0;
            let hash = id_hash(&id);
            let mut is_twin = false;
            for (j, other) in views.iter().enumerate() {
                if j > i {
                    is_twin |= other.find(&id, hash)?.is_some();
                }
            }
            // In the same part the last one is the newest.
            let mut last = doc;
            let view = &views[i];
            view.part.each_with_id(&id, hash, |twin| {
                if view.is_live(twin) {
                    last = last.max(twin);
                }
                true
            })?;
            if is_twin || last > doc {
                Arc::make_mut(&mut views[i].removed).set(doc);
            }
        }
    }
    Ok(())
}
