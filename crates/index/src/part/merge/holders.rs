//! Who stands for whom in a merged part.

use std::collections::HashMap;

use super::Source;
use crate::bitmap::Bitmap;
use crate::document::Mark;
use crate::error::Result;
use crate::format::Sink;
use crate::part::footer::MethodFooter;
use crate::part::method::{KEPT_BYTES, KeptRow, NOBODY, upper};
use crate::table::{Table, TableWriter};

/// Who stands for whom in the new part.
#[derive(Debug)]
pub(super) struct Holders {
    /// The holder of each document of the new part.
    pub(super) holder: Vec<u32>,
    /// For each holder of each source, the document of the new part that takes over its entry;
    /// `NOBODY` if none does.
    pub(super) takes_over: Vec<Vec<u32>>,
}

/// Finds the holder of each document, and the upper halves of identities with documents.
#[expect(clippy::type_complexity, reason = "taken apart at once by its one caller")]
pub(super) fn find_holders(
    sources: &[Source<'_>],
    footers: &[&MethodFooter],
    n: u32,
) -> Result<(Vec<u32>, Vec<(u64, u32)>)> {
    let mut holder = vec![NOBODY; n as usize];
    let mut identities = Vec::new();
    for (source, footer) in sources.iter().zip(footers) {
        let Some(kept) = &footer.kept else { continue };
        kept.each(&source.view.part.file, |doc, row| {
            let (new, row) = (source.new[doc as usize], KeptRow::read(row));
            if new != NOBODY && row.holder != NOBODY {
                holder[new as usize] = new;
                if let Some(identity) = row.mark.identity {
                    identities.push((upper(identity), new));
                }
            }
            Ok(())
        })?;
    }
    identities.sort_unstable();
    // Rows are read again only where several documents may be copies of each other.
    let mut rows: Vec<_> = sources
        .iter()
        .zip(footers)
        .map(|(source, footer)| {
            footer.kept.as_ref().map(|kept| kept.cursor(&source.view.part.file))
        })
        .collect();
    let olds: Vec<Vec<u32>> = sources.iter().map(|source| source.view.live().collect()).collect();
    let mut first: HashMap<Mark, u32> = HashMap::new();
    for alike in identities.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
        first.clear();
        for &(_, new) in alike {
            let i = sources.partition_point(|source| source.first <= new) - 1;
            let old = olds[i][(new - sources[i].first) as usize];
            let Some(rows) = &mut rows[i] else { continue };
            let mark = KeptRow::read(rows.row(u64::from(old))?).mark;
            holder[new as usize] = *first.entry(mark).or_insert(new);
        }
    }
    Ok((holder, identities))
}

/// Writes what is kept of each document, and finds who takes over whose entry.
pub(super) fn merge_kept(
    sources: &[Source<'_>],
    footers: &[&MethodFooter],
    n: u32,
    method: usize,
    holders: &mut Holders,
    sink: &mut Sink,
) -> Result<(Table, Bitmap, Bitmap)> {
    let (mut followed, mut later) = (Bitmap::new(n), Bitmap::new(n));
    let mut table = TableWriter::new(sink, KEPT_BYTES);
    for (source, footer) in sources.iter().zip(footers) {
        let part = &source.view.part;
        // Whoever is found first of a group in its source speaks for the group.
        let mut takes_over = vec![NOBODY; source.new.len()];
        let mut is_found = Bitmap::new(part.n_documents());
        let Some(kept) = &footer.kept else {
            for _ in source.view.live() {
                table.push(&KeptRow::NOTHING.write(), sink)?;
            }
            holders.takes_over.push(takes_over);
            continue;
        };
        let source_later = part.later(method)?;
        kept.each(&part.file, |doc, row| {
            let (new, row) = (source.new[doc as usize], KeptRow::read(row));
            if new == NOBODY {
                return Ok(());
            }
            let holder = holders.holder[new as usize];
            table.push(&KeptRow { holder, ..row }.write(), sink)?;
            if holder == NOBODY {
                return Ok(());
            }
            if row.holder >= part.n_documents() {
                return Err(part.file.damaged(kept.offset, "a holder that is no document"));
            }
            if holder != new {
                followed.set(holder);
            } else if source_later.is_some_and(|later| later.has(row.holder)) {
                later.set(new);
            }
            if is_found.set(row.holder) && holder == new {
                takes_over[row.holder as usize] = new;
            }
            Ok(())
        })?;
        holders.takes_over.push(takes_over);
    }
    Ok((table.finish(sink)?, followed, later))
}
