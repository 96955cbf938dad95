//! Only what decides: documents take their turn, and each is compared until a kept one covers it.
//!
//! What goes and what stays depends on few of the relations that a collection has. A document is
//! compared with those before it in the order of preference, and of these with the kept ones alone,
//! the likeliest first; once one covers it, it goes. No alignment is needed: the numbers of word runs
//! decide, and sizes rule most documents out before ([`RunSets`](super::run_sets::RunSets)). Partial
//! copies and passages are not looked at.
//!
//! Documents that hang together through candidates are taken in rounds. In each round, whoever hears
//! that a document before it stays is compared with it, all of them at once on all threads; whoever
//! waits for nobody any more stays. Last, the strongest reason is found for what goes and for what is
//! left to a person. The rounds do not depend on threads, and the result is that of comparing all
//! candidates ([`decisions`](super::decisions) has the rule).

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering as Memory};

use retold_core::candidates::Judgement;
use retold_core::document::Ordinal;
use retold_core::relation::{Kind, Scores};
use retold_core::verify::rule::Rule;
use retold_core::verify::runs::n_common;
use retold_read::BadRecord;

use super::collection::Collection;
use super::decisions::{Deciding, Decision};
use super::library::Library;
use super::parallel::Pool;
use super::proposals::Proposal;
use super::run_sets::{Lending, RunSets, Runs};
use crate::error::Error;
use crate::job::{Copies, Job};
use crate::progress::{Stage, Stop};

/// The documents with the same words, which have one turn together: that of the most preferred.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The first of them that was read.
    first: Ordinal,
    /// The most preferred.
    leader: Ordinal,
    n_runs: usize,
    /// Whether it stays in any case, as part of an archive.
    stays: bool,
}

/// Why a document goes, or is left to a person.
#[derive(Clone, Copy, Debug)]
struct Reason {
    /// The place of the document that holds it.
    other: u32,
    goes: bool,
    covered: f64,
    kind: Kind,
    n_common: usize,
}

/// What is known of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Kept,
    Gone,
}

/// What a comparison of one document with some others came to.
#[derive(Default)]
struct Tried {
    strongest: Option<Reason>,
    /// Others that were compared, from the first on.
    n: usize,
    lost: Vec<BadRecord>,
}

/// What decides.
pub(super) struct Turns<'a> {
    pub(super) collection: &'a Collection,
    pub(super) preference: &'a [u32],
    pub(super) rule: Rule,
    pub(super) job: &'a Job,
    pub(super) run_sets: &'a RunSets,
    pub(super) library: &'a Library<'a>,
    pub(super) lending: Lending<'a>,
    pub(super) pool: &'a Pool,
    pub(super) stop: &'a Stop,
    /// Pairs of documents that were compared.
    pub(super) n_compared: AtomicU64,
}

impl Turns<'_> {
    /// Returns the turn of a first and its copies.
    fn place(&self, first: Ordinal) -> Place {
        let leader = leader(self.collection, self.preference, first);
        let stays = self.collection.is_joined(leader);
        Place { first, leader, n_runs: self.run_sets.n_runs(first), stays }
    }

    fn rank(&self, place: &Place) -> u32 {
        self.preference[place.leader.index()]
    }

    /// Decides about documents that hang together, in one group or in several.
    pub(super) fn decide(
        &self,
        pairs: &[Proposal],
        deciding: &mut Deciding,
        lost: &mut dyn FnMut(BadRecord),
    ) -> Result<(), Error> {
        let batch = Batch::new(pairs, self);
        let mut going = Going::new(&batch);
        let mut decided: Vec<u32> = Vec::new();
        for (place, n_waiting) in (0..).zip(&going.n_waiting) {
            if *n_waiting == 0 {
                decided.push(place);
            }
        }
        while !decided.is_empty() {
            for &place in &decided {
                if going.states[place as usize] == State::Open {
                    going.states[place as usize] = State::Kept;
                }
            }
            let touched = going.tell(&batch, &decided);
            if self.stop.is_set() {
                return Err(self.stopped());
            }
            let tried = self.map(&touched, |&place| {
                self.compare(&batch, place, &going.ready[place as usize], None)
            });
            decided.clear();
            for (place, tried) in touched.into_iter().zip(tried) {
                tried.lost.into_iter().for_each(&mut *lost);
                let at = place as usize;
                let ready = std::mem::take(&mut going.ready[at]);
                going.compared[at].extend(&ready[..tried.n]);
                going.reasons[at] = self.stronger(&batch, going.reasons[at], tried.strongest);
                if going.reasons[at].is_some_and(|reason| reason.goes) {
                    going.states[at] = State::Gone;
                    decided.push(place);
                } else if going.n_waiting[at] == 0 {
                    decided.push(place);
                }
            }
        }
        self.find_strongest(&batch, &mut going, lost)?;
        for (at, place) in batch.places.iter().enumerate() {
            let reason = going.reasons[at].map(|reason| Decision {
                doc: place.leader,
                covered_by: batch.places[reason.other as usize].leader,
                kind: reason.kind,
                covered: reason.covered,
            });
            let is_gone = going.states[at] == State::Gone;
            deciding.turn(place.first, place.leader, reason, is_gone, self.collection)?;
        }
        Ok(())
    }

    /// Finds the strongest reason of every document among all that are kept.
    fn find_strongest(
        &self,
        batch: &Batch,
        going: &mut Going,
        lost: &mut dyn FnMut(BadRecord),
    ) -> Result<(), Error> {
        let all: Vec<u32> = (0..batch.places.len() as u32).collect();
        let found = self.map(&all, |&place| {
            let at = place as usize;
            if batch.places[at].stays || self.stop.is_set() {
                return Tried::default();
            }
            let is_gone = going.states[at] == State::Gone;
            let mut compared = going.compared[at].clone();
            compared.sort_unstable();
            let is_left = |&other: &u32| {
                going.states[other as usize] == State::Kept
                    && compared.binary_search(&other).is_err()
                    && (!is_gone || self.may_go(batch, place, other))
            };
            let others: Vec<u32> = batch.others(place).iter().copied().filter(is_left).collect();
            self.compare(batch, place, &others, Some((going.reasons[at], is_gone)))
        });
        if self.stop.is_set() {
            return Err(self.stopped());
        }
        for (at, tried) in found.into_iter().enumerate() {
            tried.lost.into_iter().for_each(&mut *lost);
            going.reasons[at] = self.stronger(batch, going.reasons[at], tried.strongest);
        }
        Ok(())
    }

    /// Compares a document with others, until one covers it; or, where it is decided whether it goes,
    /// with all that may be a stronger reason than the one that is known.
    fn compare(
        &self,
        batch: &Batch,
        place: u32,
        others: &[u32],
        decided: Option<(Option<Reason>, bool)>,
    ) -> Tried {
        let mut tried = Tried::default();
        let mut own: Option<Runs<'_>> = None;
        let (mut known, is_gone) = decided.unwrap_or((None, false));
        for &other in others {
            if self.stop.is_set() {
                break;
            }
            let least = known.filter(|known| known.goes == is_gone).map(|known| known.n_common);
            let found = if batch.is_judged() {
                Ok(self.said(batch, place, other))
            } else {
                self.related(batch, (place, &mut own), other, least)
            };
            tried.n += 1;
            match found {
                Ok(None) => continue,
                Ok(found) => tried.strongest = self.stronger(batch, tried.strongest, found),
                Err(bad) => {
                    tried.lost.push(bad);
                    continue;
                }
            }
            if decided.is_some() {
                known = self.stronger(batch, known, tried.strongest);
            } else if tried.strongest.is_some_and(|reason| reason.goes) {
                break;
            }
        }
        self.n_compared.fetch_add(tried.n as u64, Memory::Relaxed);
        tried
    }

    /// Compares two documents by their runs; `None` if the one does not stand in the other, or has
    /// fewer than `least` runs in common with it.
    fn related<'a>(
        &'a self,
        batch: &Batch,
        (place, own): (u32, &mut Option<Runs<'a>>),
        other: u32,
        least: Option<usize>,
    ) -> Result<Option<Reason>, BadRecord> {
        let (one, two) = (batch.places[place as usize], batch.places[other as usize]);
        if one.n_runs == 0 || two.n_runs == 0 {
            return Ok(None);
        }
        let least = least.unwrap_or(0).max(self.least_common(one.n_runs, two.n_runs));
        let runs = match own {
            Some(runs) => runs,
            none => none.insert(self.lending.runs(one.first)?),
        };
        let Some(n) = n_common(runs, &self.lending.runs(two.first)?, least) else {
            return Ok(None);
        };
        let mut reason = self.reason(other, one.n_runs, two.n_runs, n);
        if let Some(reason) = &mut reason
            && n == one.n_runs
            && n == two.n_runs
            && self.job.copies != Copies::Words
        {
            // The same runs may be the same words, which are not copies for everybody.
            let (one, two) = (self.library.profile(one.first)?, self.library.profile(two.first)?);
            if one.words.is_equal(&two.words) {
                *reason = self.as_reason(other, Kind::Exact, 1.0, n).unwrap_or(*reason);
            }
        }
        Ok(reason)
    }

    /// Returns what a method said of two documents, where its word counts.
    fn said(&self, batch: &Batch, place: u32, other: u32) -> Option<Reason> {
        let Judgement { kind, scores } = *batch.said.get(&(place, other))?;
        self.as_reason(other, kind, scores.a_in_b.get(), 0)
    }

    /// Returns what the sizes of two sets and of their common part say.
    fn reason(&self, other: u32, n_one: usize, n_two: usize, n_common: usize) -> Option<Reason> {
        let scores = Scores::of_sets(n_one, n_two, n_common);
        let kind = self.rule.decide(scores, 0, n_one.min(n_two))?;
        self.as_reason(other, kind, scores.a_in_b.get(), n_common)
    }

    /// Returns a relation as a reason, if it is one.
    fn as_reason(&self, other: u32, kind: Kind, covered: f64, n_common: usize) -> Option<Reason> {
        let goes = Deciding::goes(self.job, kind, covered)?;
        Some(Reason { other, goes, covered, kind, n_common })
    }

    /// Returns whether a document may go because of another, by their sizes or by what was said.
    fn may_go(&self, batch: &Batch, place: u32, other: u32) -> bool {
        if batch.is_judged() {
            return self.said(batch, place, other).is_some_and(|reason| reason.goes);
        }
        let (one, two) = (batch.places[place as usize].n_runs, batch.places[other as usize].n_runs);
        // The most that the smaller of two sets allows; less in common is never a stronger reason,
        // unless it makes a containment of a near-duplicate.
        let scores = Scores::of_sets(one, two, one.min(two));
        let covers = scores.a_in_b.get() >= self.job.cover;
        covers && self.reason(other, one, two, one.min(two)).is_some_and(|reason| reason.goes)
    }

    /// Returns a number of common runs that every relation needs.
    #[expect(clippy::cast_sign_loss, reason = "shares are not negative")]
    fn least_common(&self, n_one: usize, n_two: usize) -> usize {
        let Rule { containment, similarity, .. } = self.rule;
        let least = if similarity > 0.0 {
            similarity * (n_one + n_two) as f64 / (1.0 + similarity)
        } else {
            containment * n_one as f64
        };
        // One less, for what rounding does to either side.
        (least as usize).saturating_sub(1)
    }

    /// Returns the stronger of two reasons; among equals that of the preferred document.
    fn stronger(&self, batch: &Batch, x: Option<Reason>, y: Option<Reason>) -> Option<Reason> {
        let (Some(one), Some(other)) = (x, y) else { return x.or(y) };
        let by_share = (one.goes, one.covered).partial_cmp(&(other.goes, other.covered));
        let rank = |reason: Reason| self.rank(&batch.places[reason.other as usize]);
        let order = by_share.expect("shares are numbers").then(rank(other).cmp(&rank(one)));
        if order.is_lt() { y } else { x }
    }

    fn map<R: Send>(&self, places: &[u32], work: impl Fn(&u32) -> R + Sync + Send) -> Vec<R> {
        match places {
            // A chain of one after the other: nothing to be shared out.
            [place] => vec![work(place)],
            _ => self.pool.map(places, work),
        }
    }

    fn stopped(&self) -> Error {
        let n_documents = self.collection.len() as u64;
        Error::Stopped { stage: Stage::Verify.name(), n_documents }
    }
}

/// Returns the most preferred of the documents with the words of `first`.
pub(super) fn leader(collection: &Collection, preference: &[u32], first: Ordinal) -> Ordinal {
    if !collection.has_copies(first) {
        return first;
    }
    let copies = collection.group(first).into_iter();
    copies.min_by_key(|doc| preference[doc.index()]).expect("a group has its first")
}

/// Documents that hang together, and for each the ones before it that it may go because of.
struct Batch {
    places: Vec<Place>,
    /// Where the others of each place start; one more at the end.
    starts: Vec<u32>,
    /// Places before it in the order of preference, the likeliest first.
    others: Vec<u32>,
    /// What the method said of a place and another, seen from the one that may go, if its word counts.
    said: HashMap<(u32, u32), Judgement>,
    /// Where those start that may go because of a place; one more at the end.
    after_starts: Vec<u32>,
    after: Vec<u32>,
}

impl Batch {
    fn new(pairs: &[Proposal], turns: &Turns<'_>) -> Self {
        let mut firsts: Vec<Ordinal> =
            pairs.iter().flat_map(|pair| [pair.long, pair.short]).collect();
        firsts.sort_unstable();
        firsts.dedup();
        let places: Vec<Place> = firsts.iter().map(|&first| turns.place(first)).collect();
        let place_of = |first: Ordinal| firsts.partition_point(|&other| other < first) as u32;
        let mut both: Vec<(u32, u32, Option<Judgement>)> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            // What was said is seen from the earlier document.
            let (a, b) = (pair.long.min(pair.short), pair.long.max(pair.short));
            let (a, b) = (place_of(a), place_of(b));
            let is_a_kept_rather =
                turns.rank(&places[a as usize]) < turns.rank(&places[b as usize]);
            let (one, other, said) = if is_a_kept_rather {
                (b, a, pair.said.map(Judgement::flipped))
            } else {
                (a, b, pair.said)
            };
            if !places[one as usize].stays {
                both.push((one, other, said));
            }
        }
        // The likeliest first: of about the same size, or said to hold most.
        both.sort_unstable_by(|x, y| {
            let share = |said: Option<Judgement>| {
                said.map_or(0.0, |said| 1.0 - said.scores.a_in_b.get())
            };
            let size = |place: u32| places[place as usize].n_runs;
            let far = |x: &(u32, u32, _)| size(x.0).abs_diff(size(x.1));
            let rank = |x: &(u32, u32, _)| turns.rank(&places[x.1 as usize]);
            let by_share = share(x.2).total_cmp(&share(y.2));
            x.0.cmp(&y.0)
                .then(by_share)
                .then_with(|| (far(x), rank(x)).cmp(&(far(y), rank(y))))
        });
        let starts = starts_of(both.iter().map(|pair| pair.0), places.len());
        let others = both.iter().map(|pair| pair.1).collect();
        let said =
            both.iter().filter_map(|&(one, other, said)| Some(((one, other), said?))).collect();
        let (after_starts, after) = (Vec::new(), Vec::new());
        let mut batch = Self { places, starts, others, said, after_starts, after };
        let mut after: Vec<(u32, u32)> = Vec::new();
        for place in 0..batch.places.len() as u32 {
            let others = batch.others(place).iter();
            let others = others.filter(|&&other| turns.may_go(&batch, place, other));
            after.extend(others.map(|&other| (other, place)));
        }
        after.sort_unstable();
        batch.after_starts = starts_of(after.iter().map(|pair| pair.0), batch.places.len());
        batch.after = after.into_iter().map(|pair| pair.1).collect();
        batch
    }

    fn is_judged(&self) -> bool {
        !self.said.is_empty()
    }

    fn others(&self, place: u32) -> &[u32] {
        let at = place as usize;
        &self.others[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Returns the places that may go because of one.
    fn after(&self, place: u32) -> &[u32] {
        let at = place as usize;
        &self.after[self.after_starts[at] as usize..self.after_starts[at + 1] as usize]
    }
}

/// Returns where each of `n` numbers starts in an ascending list, and where the list ends.
fn starts_of(list: impl Iterator<Item = u32>, n: usize) -> Vec<u32> {
    let mut starts = vec![0; n + 1];
    for number in list {
        starts[number as usize + 1] += 1;
    }
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    starts
}

/// How far the deciding is.
struct Going {
    states: Vec<State>,
    /// Documents before each one that may cover it and are not decided.
    n_waiting: Vec<u32>,
    /// Kept ones that each has to be compared with next.
    ready: Vec<Vec<u32>>,
    /// Those that it was compared with.
    compared: Vec<Vec<u32>>,
    reasons: Vec<Option<Reason>>,
}

impl Going {
    fn new(batch: &Batch) -> Self {
        let n = batch.places.len();
        let mut n_waiting = vec![0; n];
        for &place in &batch.after {
            n_waiting[place as usize] += 1;
        }
        Self {
            states: vec![State::Open; n],
            n_waiting,
            ready: vec![Vec::new(); n],
            compared: vec![Vec::new(); n],
            reasons: vec![None; n],
        }
    }

    /// Tells everybody who waits what was decided; returns who has heard of it.
    fn tell(&mut self, batch: &Batch, decided: &[u32]) -> Vec<u32> {
        let mut touched = Vec::new();
        for &place in decided {
            let is_kept = self.states[place as usize] == State::Kept;
            for &waits in batch.after(place) {
                let at = waits as usize;
                if self.states[at] == State::Open {
                    self.n_waiting[at] -= 1;
                    if is_kept {
                        self.ready[at].push(place);
                    }
                    touched.push(waits);
                }
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for &place in &touched {
            // The likeliest first, as in the list of all.
            let size = |place: u32| batch.places[place as usize].n_runs;
            self.ready[place as usize]
                .sort_by_key(|&other| (size(other).abs_diff(size(place)), other));
        }
        touched
    }
}
