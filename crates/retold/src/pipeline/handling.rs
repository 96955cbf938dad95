//! What becomes of verified pairs: they are written, and linked to groups.

use retold_core::candidates::Candidate;
use retold_core::document::Ordinal;
use retold_core::relation::Kind;

use super::crowds::Crowd;
use super::group::Related;
use super::linked::Links;
use super::losses::{Losses, Lost};
use super::page;
use super::run::{Run, Wanted};
use super::tables::Pairs;
use super::verifying::Verified;
use crate::error::Error;

/// Documents that go before the kept one of a crowd and are compared with all its members.
const MOST_BEFORE_KEPT: usize = 4;

/// Hears of verified pairs: they are written, and linked to groups.
pub(super) struct PairHandler<'a> {
    pub(super) run: &'a Run<'a>,
    pub(super) wanted: Wanted,
    pub(super) pairs: Pairs<'a>,
    pub(super) links: Links<Related>,
    pub(super) picker: page::Picker,
    pub(super) losses: Losses,
    pub(super) crowds: &'a [Crowd],
    /// Resemblance from which on a member is near the kept one of its crowd.
    pub(super) near: f64,
    /// Whether the pairs are those of crowds.
    pub(super) is_in_crowds: bool,
    /// The kept one of a crowd and a member that is near it.
    pub(super) members: Vec<(Ordinal, Ordinal)>,
    /// Documents that go before the kept one of a crowd, by the number of the crowd and preference.
    pub(super) before_kept: Vec<(usize, u32, Ordinal)>,
}

impl PairHandler<'_> {
    /// Takes a pair, or a document that could not be read again.
    pub(super) fn take(&mut self, found: Result<Verified<'_>, Lost>) -> Result<(), Error> {
        let found = match found {
            Ok(found) => found,
            Err(lost) => {
                self.losses.take(lost, self.run.progress);
                return Ok(());
            }
        };
        if !self.crowds.is_empty() && matches!(found.kind, Kind::NearDuplicate | Kind::Exact) {
            self.note_crowd(&found);
        }
        if !self.run.job.relations.has(found.kind) {
            return Ok(());
        }
        self.picker.offer(&found);
        let is_written = self.pairs.verified(&found, self.is_in_crowds)?;
        let is_linked = found.kind != Kind::Partial || !is_written;
        if self.wanted >= Wanted::Clusters && is_linked {
            let pair = Candidate::new(found.a, found.b);
            self.links.push(pair, Related::new(found.judgement(), !is_written))?;
        }
        Ok(())
    }

    /// Notes which documents are near the kept one of a crowd, and which go before it.
    fn note_crowd(&mut self, found: &Verified<'_>) {
        let rank = |doc: Ordinal| self.run.preference[doc.index()];
        let is_a_first = rank(found.a) < rank(found.b);
        let (first, second) = if is_a_first { (found.a, found.b) } else { (found.b, found.a) };
        let crowd = self.crowds.binary_search_by_key(&second, |crowd| crowd.kept);
        if self.is_in_crowds {
            if found.comparison.scores.resemblance.get() >= self.near {
                self.members.push((first, second));
            }
        } else if let Ok(crowd) = crowd {
            self.before_kept.push((crowd, rank(first), first));
        }
    }

    /// Pairs the members of a crowd with the documents that go before its kept one: one of these
    /// may be the one that stays.
    pub(super) fn with_earlier(&mut self) -> Vec<Candidate> {
        let mut before_kept = std::mem::take(&mut self.before_kept);
        before_kept.sort_unstable();
        before_kept.dedup();
        let mut out = Vec::new();
        for of_crowd in before_kept.chunk_by(|x, y| x.0 == y.0) {
            let members = &self.crowds[of_crowd[0].0].members;
            for &(_, _, first) in of_crowd.iter().take(MOST_BEFORE_KEPT) {
                let others = members.iter().filter(|&&member| member != first);
                out.extend(others.map(|&member| Candidate::new(first, member)));
            }
        }
        out
    }
}
