//! What methods keep of documents.
//!
//! Of documents with the same identity and the same entry only one, the *holder*, shows in lists,
//! codes and code sets: the first one that is there. Each part knows one of its own for every
//! such group. When that one was removed, the next of the group in the part stands in for it; and
//! when a part before has one, it does not show.

use std::io;
use std::sync::PoisonError;

use super::Snapshot;
use crate::document::Mark;
use crate::error::{Error, Result};

impl Snapshot {
    /// Appends the documents that hold a key, with their payloads, in ascending order. Of copies
    /// only the first one shows; see [`copies`](Self::copies).
    pub fn list(&self, method: usize, key: u64, out: &mut Vec<(u32, u32)>) -> Result<()> {
        self.check_method(method)?;
        let mut odd = Vec::new();
        for (i, (view, &start)) in self.views.iter().zip(&self.starts).enumerate() {
            let first = out.len();
            let later = view.part.later(method)?;
            view.part.list(method, key, |doc, payload| {
                if view.removed.has(doc) || later.is_some_and(|later| later.has(doc)) {
                    odd.push((doc, payload));
                } else {
                    out.push((start + doc, payload));
                }
            })?;
            if !odd.is_empty() {
                for (doc, payload) in odd.drain(..) {
                    if let Some(doc) = self.shown(i, method, doc)? {
                        out.push((start + doc, payload));
                    }
                }
                out[first..].sort_unstable();
            }
        }
        Ok(())
    }

    /// Returns the document of a part that shows for one of its holders: itself, or a follower;
    /// `None` if all of them are gone or a part before has a copy.
    fn shown(&self, part: usize, method: usize, holder: u32) -> Result<Option<u32>> {
        let view = &self.views[part];
        let is_later = view.part.later(method)?.is_some_and(|later| later.has(holder));
        if !is_later && view.is_live(holder) {
            return Ok(Some(holder));
        }
        let key = (part as u32, method as u32, holder);
        if let Some(&known) =
            self.stand_ins.lock().unwrap_or_else(PoisonError::into_inner).get(&key)
        {
            return Ok(known);
        }
        let mut shown = view.stand_in(method, holder)?;
        if is_later
            && shown.is_some()
            && let Some(row) = view.part.kept(method, holder)?
            && self.is_before(part, method, row.mark)?
        {
            shown = None;
        }
        self.stand_ins.lock().unwrap_or_else(PoisonError::into_inner).insert(key, shown);
        Ok(shown)
    }

    /// Returns whether a part before another has a document with a mark.
    fn is_before(&self, part: usize, method: usize, mark: Mark) -> Result<bool> {
        for view in &self.views[..part] {
            if view.first_with(method, mark)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the facts of a document; nothing if it has no entry.
    pub fn facts(&self, method: usize, ordinal: u32) -> Result<&[u8]> {
        self.check_method(method)?;
        let (part, doc) = self.locate(ordinal)?;
        self.views[part].part.facts(method, doc)
    }

    /// Puts the image of a document into `out`, which then holds nothing else. Returns `false` if
    /// it has none.
    pub fn image(&self, method: usize, ordinal: u32, out: &mut Vec<u8>) -> Result<bool> {
        self.check_method(method)?;
        let (part, doc) = self.locate(ordinal)?;
        let part = &self.views[part].part;
        out.clear();
        let Some(images) = &part.footer.methods[method].images else { return Ok(false) };
        match images.get(doc, &part.file)? {
            Some(image) => *out = image,
            None => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the identity of a document, if it has one.
    pub fn identity(&self, method: usize, ordinal: u32) -> Result<Option<u128>> {
        self.check_method(method)?;
        let (part, doc) = self.locate(ordinal)?;
        Ok(self.views[part].part.kept(method, doc)?.and_then(|row| row.mark.identity))
    }

    /// Returns whether a method has an entry of a document.
    pub fn has_entry(&self, method: usize, ordinal: u32) -> Result<bool> {
        self.check_method(method)?;
        let (part, doc) = self.locate(ordinal)?;
        Ok(self.views[part].part.kept(method, doc)?.is_some_and(|row| row.mark.entry.is_some()))
    }

    /// Calls `each` with the codes of tiny documents from `from` to `to`, both included, and the
    /// documents that have them. Of copies only the first one shows. The codes ascend in each
    /// part, not in all of the index.
    pub fn tiny(
        &self,
        method: usize,
        from: u64,
        to: u64,
        each: &mut dyn FnMut(u64, u32),
    ) -> Result<()> {
        self.check_method(method)?;
        for (i, (view, &start)) in self.views.iter().zip(&self.starts).enumerate() {
            view.part.tiny(method, from, to, |code, holder| {
                if let Some(doc) = self.shown(i, method, holder)? {
                    each(code, start + doc);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Calls `each` with every code set and its document. Of copies only the first one shows.
    pub fn code_sets(
        &self,
        method: usize,
        each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>,
    ) -> Result<()> {
        self.check_method(method)?;
        for (i, (view, &start)) in self.views.iter().zip(&self.starts).enumerate() {
            let (part, file) = (&view.part, &view.part.file);
            let footer = &part.footer.methods[method];
            let (Some(sets), Some(kept)) = (&footer.code_sets, &footer.kept) else { continue };
            let mut rows = kept.cursor(file);
            let mut held = None;
            sets.each_place(file, |doc, place| {
                // Followers share the set of their holder.
                let row = crate::part::KeptRow::read(rows.row(u64::from(doc))?);
                if !place.is_something() || row.holder != doc {
                    return Ok(());
                }
                let Some(shown) = self.shown(i, method, doc)? else { return Ok(()) };
                if held.as_ref().is_none_or(|(block, _)| *block != place.block) {
                    held = Some((place.block, sets.block(place.block, file)?));
                }
                let block = held.as_ref().map_or(&[][..], |held| &held.1);
                let set = place.of(block).ok_or_else(|| sets.outside(file))?;
                each(start + shown, set).map_err(|source| Error::io("take a code set", source))
            })?;
        }
        Ok(())
    }

    /// Puts all documents with the same identity and the same entry as a document, itself
    /// included, into `out`, ascending. A document without identity has no copies.
    pub fn copies(&self, method: usize, ordinal: u32, out: &mut Vec<u32>) -> Result<()> {
        self.check_method(method)?;
        let (part, doc) = self.locate(ordinal)?;
        out.clear();
        match self.views[part].part.kept(method, doc)?.map(|row| row.mark) {
            Some(mark) if mark.identity.is_some() => {
                self.each_like(method, mark.identity, |found| found == mark, out)
            }
            _ => {
                out.push(ordinal);
                Ok(())
            }
        }
    }

    /// Puts all documents with an identity into `out`, ascending.
    pub fn same_words(&self, method: usize, identity: u128, out: &mut Vec<u32>) -> Result<()> {
        self.check_method(method)?;
        out.clear();
        self.each_like(method, Some(identity), |_| true, out)
    }

    fn each_like(
        &self,
        method: usize,
        identity: Option<u128>,
        is_wanted: impl Fn(Mark) -> bool,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let Some(identity) = identity else { return Ok(()) };
        for (view, &start) in self.views.iter().zip(&self.starts) {
            view.part.each_like(method, identity, |doc, row| {
                if view.is_live(doc) && is_wanted(row.mark) {
                    out.push(start + doc);
                }
                Ok(true)
            })?;
        }
        Ok(())
    }
}
