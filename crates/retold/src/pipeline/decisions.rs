//! Which documents go: what `dedup` decides.
//!
//! Documents take their turn in the order of preference. One goes if a document that stays
//! verifiably holds it: an exact copy, or a near-duplicate found there to at least `cover`.
//! Its exact copies go with it, because of the same document.
//! What is contained in something much longer, or covered a little less, is listed for review.
//! Documents of an archive that others are compared with stay, and come first.
//! A document has to do with those of its group alone, so groups are decided one by one.

use retold_core::document::Ordinal;
use retold_core::relation::Kind;
use retold_core::scratch::{Record, Sorted, Sorter};

use super::budget::Budget;
use super::collection::Collection;
use super::group::Group;
use super::scratch::ScratchDir;
use crate::error::Error;
use crate::job::Job;

/// What happens to a document, and because of which other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decision {
    pub(crate) doc: Ordinal,
    pub(crate) covered_by: Ordinal,
    pub(crate) kind: Kind,
    pub(crate) covered: f64,
}

/// A decision written down: the document, the other, the kind and the bits of the share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Written {
    doc: u32,
    covered_by: u32,
    covered: u64,
    kind: u8,
}

impl Written {
    fn new(decision: &Decision) -> Self {
        Self {
            doc: decision.doc.0,
            covered_by: decision.covered_by.0,
            covered: decision.covered.to_bits(),
            kind: decision.kind as u8,
        }
    }

    /// Reads it back.
    pub(crate) fn taken(self) -> Decision {
        Decision {
            doc: Ordinal(self.doc),
            covered_by: Ordinal(self.covered_by),
            kind: Kind::ALL[usize::from(self.kind) % Kind::ALL.len()],
            covered: f64::from_bits(self.covered),
        }
    }
}

impl Record for Written {
    const BYTES: usize = 17;

    fn put(&self, out: &mut Vec<u8>) {
        self.doc.put(out);
        self.covered_by.put(out);
        self.covered.put(out);
        out.push(self.kind);
    }

    fn get(bytes: &[u8]) -> Self {
        Self {
            doc: u32::get(&bytes[..4]),
            covered_by: u32::get(&bytes[4..8]),
            covered: u64::get(&bytes[8..16]),
            kind: bytes[16],
        }
    }
}

/// All that was decided, by document.
pub(crate) struct Decided {
    pub(crate) removed: Sorted<Written>,
    pub(crate) review: Sorted<Written>,
}

/// Decides group by group.
pub(crate) struct Deciding {
    removed: Sorter<Written>,
    review: Sorter<Written>,
    scratch: ScratchDir,
    cover: f64,
    remove_contained: bool,
}

impl Deciding {
    pub(crate) fn new(job: &Job, budget: &Budget, scratch: &ScratchDir) -> Self {
        Self {
            removed: Sorter::new(budget.decisions() / 2),
            review: Sorter::new(budget.decisions() / 2),
            scratch: scratch.clone(),
            cover: job.cover,
            remove_contained: job.remove_contained,
        }
    }

    /// Decides about the documents of a group and their copies.
    pub(crate) fn group(
        &mut self,
        group: &Group,
        collection: &Collection,
        preference: &[u32],
    ) -> Result<(), Error> {
        // Relations of each first, by their places.
        let mut starts = vec![0usize; group.firsts.len() + 1];
        for edge in &group.edges {
            starts[edge.a.index() + 1] += 1;
            starts[edge.b.index() + 1] += 1;
        }
        for i in 0..group.firsts.len() {
            starts[i + 1] += starts[i];
        }
        let mut list = vec![0u32; 2 * group.edges.len()];
        let mut next = starts.clone();
        for (at, edge) in (0..).zip(&group.edges) {
            for doc in [edge.a, edge.b] {
                list[next[doc.index()]] = at;
                next[doc.index()] += 1;
            }
        }
        let mut turns: Vec<(u32, Ordinal, u32)> = Vec::new();
        for (place, &first) in (0..).zip(&group.firsts) {
            let copies = collection.group(first).into_iter();
            turns.extend(copies.map(|doc| (preference[doc.index()], doc, place)));
        }
        turns.sort_unstable();
        // The kept one of the words of each first, or why it is gone.
        let mut kept_of: Vec<Option<Ordinal>> = vec![None; group.firsts.len()];
        let mut gone: Vec<Option<Decision>> = vec![None; group.firsts.len()];
        for (_, doc, place) in turns {
            if collection.is_joined(doc) {
                // An archive is only asked what it holds; its documents come first.
                kept_of[place as usize].get_or_insert(doc);
                continue;
            }
            if let Some(kept) = kept_of[place as usize] {
                self.remove(Decision { doc, covered_by: kept, kind: Kind::Exact, covered: 1.0 })?;
                continue;
            }
            if let Some(reason) = gone[place as usize] {
                self.remove(Decision { doc, ..reason })?;
                continue;
            }
            let related = &list[starts[place as usize]..starts[place as usize + 1]];
            let covers = related.iter().filter_map(|&at| {
                let edge = &group.edges[at as usize];
                let (other, kind, covered) = if edge.a.0 == place {
                    (edge.b, edge.kind, edge.scores.a_in_b.get())
                } else {
                    (edge.a, edge.kind.flipped(), edge.scores.b_in_a.get())
                };
                let goes = goes(self.cover, self.remove_contained, kind, covered)?;
                let kept = kept_of[other.index()]?;
                Some((goes, covered, kept, kind))
            });
            // The strongest reason; among equals the preferred document.
            let strongest = covers.max_by(|x, y| {
                (x.0, x.1).partial_cmp(&(y.0, y.1)).expect("shares are numbers").then_with(|| {
                    let rank = |doc: Ordinal| preference[doc.index()];
                    rank(y.2).cmp(&rank(x.2))
                })
            });
            let goes = strongest.is_some_and(|reason| reason.0);
            if !goes {
                kept_of[place as usize] = Some(doc);
            }
            if let Some((_, covered, covered_by, kind)) = strongest {
                let decision = Decision { doc, covered_by, kind, covered };
                if goes {
                    gone[place as usize] = Some(decision);
                    self.remove(decision)?;
                } else {
                    self.review(decision)?;
                }
            }
        }
        Ok(())
    }

    /// Returns whether a document goes of which another holds a share; `None` if it does not stand
    /// there.
    pub(crate) fn goes(job: &Job, kind: Kind, covered: f64) -> Option<bool> {
        goes(job.cover, job.remove_contained, kind, covered)
    }

    /// Takes down what becomes of the documents with the words of `first`, of which `leader` is the
    /// most preferred. If that one is gone, so are all the others, because of the same document.
    pub(crate) fn turn(
        &mut self,
        first: Ordinal,
        leader: Ordinal,
        reason: Option<Decision>,
        is_gone: bool,
        collection: &Collection,
    ) -> Result<(), Error> {
        let copy = Decision { doc: leader, covered_by: leader, kind: Kind::Exact, covered: 1.0 };
        let of_copies = reason.filter(|_| is_gone).unwrap_or(copy);
        let copies = collection.group(first).into_iter().filter(|&doc| doc != leader);
        for doc in copies.filter(|&doc| !collection.is_joined(doc)) {
            self.remove(Decision { doc, ..of_copies })?;
        }
        match reason {
            Some(reason) if is_gone => self.remove(reason),
            Some(reason) => self.review(reason),
            None => Ok(()),
        }
    }

    /// Decides about documents with the same words that have no other relations.
    pub(crate) fn copies(
        &mut self,
        first: Ordinal,
        collection: &Collection,
        preference: &[u32],
    ) -> Result<(), Error> {
        let copies = collection.group(first);
        let kept = copies.iter().copied().min_by_key(|doc| preference[doc.index()]);
        let kept = kept.expect("a group has its first");
        let goes = |doc: &Ordinal| *doc != kept && !collection.is_joined(*doc);
        for doc in copies.into_iter().filter(goes) {
            self.remove(Decision { doc, covered_by: kept, kind: Kind::Exact, covered: 1.0 })?;
        }
        Ok(())
    }

    /// Takes down what was decided before.
    pub(crate) fn again(&mut self, decision: Written, is_removed: bool) -> Result<(), Error> {
        let list = if is_removed { &mut self.removed } else { &mut self.review };
        list.push(decision, &self.scratch).map_err(|error| self.scratch.failed(error))
    }

    fn remove(&mut self, decision: Decision) -> Result<(), Error> {
        let pushed = self.removed.push(Written::new(&decision), &self.scratch);
        pushed.map_err(|error| self.scratch.failed(error))
    }

    fn review(&mut self, decision: Decision) -> Result<(), Error> {
        let pushed = self.review.push(Written::new(&decision), &self.scratch);
        pushed.map_err(|error| self.scratch.failed(error))
    }

    /// Ends the deciding.
    pub(crate) fn finish(self) -> Result<Decided, Error> {
        let Self { removed, review, scratch, .. } = self;
        let failed = |error| scratch.failed(error);
        Ok(Decided {
            removed: removed.finish(&scratch).map_err(failed)?,
            review: review.finish(&scratch).map_err(failed)?,
        })
    }
}

/// Returns whether a document goes of which another, that stays, holds a share; `None` if it does not
/// stand there.
fn goes(cover: f64, remove_contained: bool, kind: Kind, covered: f64) -> Option<bool> {
    let is_near = kind == Kind::NearDuplicate || kind == Kind::Exact;
    let is_inside = kind == Kind::Contained;
    (is_near || is_inside).then_some(covered >= cover && (is_near || remove_contained))
}
