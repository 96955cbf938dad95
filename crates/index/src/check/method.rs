//! The check of what a part holds for one method.

use std::collections::HashMap;

use super::Problem;
use super::part::HeapReader;
use crate::bitmap::Bitmap;
use crate::document::Mark;
use crate::error::{Error, Result};
use crate::part::{KeptRow, NOBODY, Part, View, upper};

/// Checks holders, lists, facts, images, codes and code sets.
pub(super) fn check_method(part: &Part, method: usize) -> Result<()> {
    let footer = &part.footer.methods[method];
    let Some(kept) = &footer.kept else {
        if footer == &crate::part::MethodFooter::default() {
            return Ok(());
        }
        return Err(part.file.damaged(0, "entries of documents of which nothing is kept"));
    };
    let damaged = |what: &str| part.file.damaged(kept.offset, what);
    let n = part.n_documents();
    let mut holders = Vec::with_capacity(n as usize);
    let mut has_entry = Bitmap::new(n);
    let mut identities = Vec::new();
    let mut followed = Bitmap::new(n);
    let mut first: HashMap<Mark, u32> = HashMap::new();
    kept.each(&part.file, |doc, row| {
        let (doc, row) = (doc as u32, KeptRow::read(row));
        if row.holder != NOBODY {
            let mut holder = doc;
            if let Some(identity) = row.mark.identity {
                identities.push((upper(identity), doc));
                holder = *first.entry(row.mark).or_insert(doc);
            }
            if row.holder != holder {
                return Err(damaged("a document has the wrong holder"));
            }
            if holder != doc {
                followed.set(holder);
            }
            if row.mark.entry.is_some() {
                has_entry.set(doc);
            }
        }
        holders.push(row.holder);
        Ok(())
    })?;
    drop(first);
    let is_holder = |doc: u32| holders.get(doc as usize) == Some(&doc) && has_entry.has(doc);
    if part.followed(method)?.unwrap_or(&Bitmap::new(n)) != &followed {
        return Err(damaged("the marks of holders that are followed are wrong"));
    }
    if let Some(later) = part.later(method)?
        && (0..n).any(|doc| later.has(doc) && holders[doc as usize] != doc)
    {
        return Err(damaged("a document is marked as a later copy that is no holder"));
    }
    check_identities(part, method, identities)?;
    for doc in 0..n {
        if !part.facts(method, doc)?.is_empty() && !has_entry.has(doc) {
            return Err(damaged("a document without entry has facts"));
        }
    }
    check_lists(part, method, is_holder)?;
    if let Some(tiny) = &footer.tiny {
        let mut last = None;
        tiny.each(&part.file, |code, doc| {
            if last >= Some((code, doc)) || !is_holder(doc) {
                return Err(part.file.damaged(tiny.rows.offset, "the codes are not in order"));
            }
            last = Some((code, doc));
            Ok(())
        })?;
        tiny.check_first(&part.file)?;
    }
    for heap in [&footer.images, &footer.code_sets].into_iter().flatten() {
        let mut strings = HeapReader::new(part, heap);
        let mut of_holder = heap.places(&part.file);
        for doc in 0..n {
            let Some(place) = strings.check(doc)? else { continue };
            let holder = holders[doc as usize];
            if !has_entry.has(doc) || of_holder.get(holder)? != place {
                return Err(damaged("a follower has another image than its holder"));
            }
        }
        strings.finish()?;
    }
    Ok(())
}

fn check_identities(part: &Part, method: usize, mut expected: Vec<(u64, u32)>) -> Result<()> {
    expected.sort_unstable();
    let Some(identities) = &part.footer.methods[method].identities else {
        if expected.is_empty() {
            return Ok(());
        }
        return Err(part.file.damaged(0, "there is no table of identities"));
    };
    let wrong = || {
        let offset = identities.rows.offset;
        part.file.damaged(offset, "the table of identities is not that of the documents")
    };
    let filter = part.identity_filter(method)?.ok_or_else(wrong)?;
    if identities.rows.n_rows != expected.len() as u64 {
        return Err(wrong());
    }
    let mut expected = expected.iter();
    identities.each(&part.file, |upper, doc| match expected.next() {
        Some(row) if *row == (upper, doc) && filter.may_have(upper) => Ok(()),
        _ => Err(wrong()),
    })?;
    identities.check_first(&part.file)
}

fn check_lists(part: &Part, method: usize, is_holder: impl Fn(u32) -> bool) -> Result<()> {
    let Some(mut cursor) = part.lists(method)? else { return Ok(()) };
    let lists = part.footer.methods[method].lists.as_ref();
    let (offset, expected) = lists.map_or((0, 0), |lists| (lists.offset, lists.n_postings));
    let damaged = |what: &str| -> Result<()> { Err(part.file.damaged(offset, what)) };
    let (mut last, mut n_postings) = (None, 0);
    while let Some(posting) = cursor.peek()? {
        cursor.advance();
        n_postings += 1;
        if last >= Some(posting) {
            return damaged("the lists are not in order");
        }
        if !is_holder(posting.1) {
            return damaged("a list has a document that is no holder");
        }
        last = Some(posting);
    }
    if n_postings == expected { Ok(()) } else { damaged("there are more or fewer postings") }
}

/// Checks that every holder that has a copy in an earlier part is marked.
pub(super) fn check_later(views: &[View], i: usize, problems: &mut Vec<Problem>) -> Result<()> {
    let part = &views[i].part;
    for (method, footer) in part.footer.methods.iter().enumerate() {
        let Some(kept) = &footer.kept else { continue };
        let later = part.later(method)?;
        let result = kept.each(&part.file, |doc, row| {
            let row = KeptRow::read(row);
            if row.holder != doc as u32 || later.is_some_and(|later| later.has(doc as u32)) {
                return Ok(());
            }
            for view in &views[..i] {
                if view.first_with(method, row.mark)?.is_some() {
                    return Err(part.file.damaged(kept.offset, "a later copy is not marked"));
                }
            }
            Ok(())
        });
        match result {
            Ok(()) => {}
            Err(error @ Error::Damaged { .. }) => problems.push(Problem::of(error)?),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
