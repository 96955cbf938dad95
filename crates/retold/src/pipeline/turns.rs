//! Only what decides: documents take their turn, and each is compared until a kept one covers it.
//!
//! What goes and what stays depends on few of the relations that a collection has. A document is
//! compared with those before it in the order of preference, and of these with the kept ones alone,
//! the likeliest first; once one covers it, it goes. No alignment is needed: the numbers of word runs
//! decide, and sizes rule most documents out before ([`RunSets`](super::run_sets::RunSets)). Partial
//! copies and passages are not looked at.
//!
//! Documents are taken by preference, a batch of them at a time, and a batch in rounds. In each round,
//! whoever hears that a document before it stays is compared with it, all of them at once on all
//! threads; whoever waits for nobody any more stays. Last, the strongest reason is found for what goes
//! and for what is left to a person. Neither batches nor rounds depend on threads or memory, and the
//! result is that of comparing all candidates ([`decisions`](super::decisions) has the rule).

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering as Memory};

use retold_core::candidates::Judgement;
use retold_core::relation::{Kind, Scores};
use retold_core::verify::rule::{Rule, Shared};
use retold_core::verify::runs::Marks;

use super::collection::Collection;
use super::decisions::{Deciding, Decision};
use super::large_sets::{Common, LookedUp};
use super::library::Library;
use super::losses::Lost;
use super::parallel::Pool;
use super::rounds::{Batch, Numbers, Order, Place, Reason, Rounds, State, Turn, leader};
use super::run_sets::{Lending, RunSets, Runs};
use crate::error::Error;
use crate::job::{Copies, Job};
use crate::progress::{Progress, Stage, Stop};

/// Runs of a document that say about how much of it another holds.
pub(super) const SAMPLE: usize = 8;

/// What a comparison of one document with some others came to.
#[derive(Default)]
struct Tried {
    strongest: Option<Reason>,
    /// Others that were compared, from the first on.
    n: usize,
    lost: Vec<Lost>,
}

impl Tried {
    fn add(&mut self, batch: &Batch, other: Self) {
        self.strongest = stronger(batch, self.strongest, other.strongest);
        self.n += other.n;
        self.lost.extend(other.lost);
    }
}

/// What decides.
pub(super) struct Turns<'a> {
    pub(super) collection: &'a Collection,
    pub(super) preference: &'a [u32],
    pub(super) order: &'a Order,
    pub(super) rule: Rule,
    pub(super) job: &'a Job,
    pub(super) run_sets: &'a RunSets,
    pub(super) library: &'a Library<'a>,
    pub(super) lending: Lending<'a>,
    pub(super) pool: &'a Pool,
    pub(super) stop: &'a Stop,
    pub(super) progress: &'a dyn Progress,
    /// Pairs of documents that were compared.
    pub(super) n_compared: AtomicU64,
    /// Documents that go, as far as it is known.
    pub(super) n_gone: AtomicU64,
}

impl Turns<'_> {
    /// Returns whether a document may go because of another: it is of no use to compare it with one in
    /// which it is too large to stand.
    pub(super) fn is_of_use(&self, (one, other): Turn) -> bool {
        let [n_one, n_other] =
            [one, other].map(|rank| self.run_sets.n_runs(self.order.first_of(rank)));
        let most = Scores::of_sets(n_one, n_other, n_one.min(n_other));
        self.rule.similarity > 0.0 || most.a_in_b.get() >= self.rule.containment
    }

    /// Returns the documents with the same words whose most preferred has a rank.
    fn place(&self, rank: u32) -> Place {
        let first = self.order.first_of(rank);
        let leader = leader(self.collection, self.preference, first);
        Place { first, leader, rank, n_runs: self.run_sets.n_runs(first) }
    }

    /// Lets the first documents of pairs take their turn. They come before all that had none yet, and
    /// what comes before them and is none of them is known to stay.
    pub(super) fn decide(
        &self,
        pairs: &[Turn],
        said: &[Judgement],
        numbers: &mut Numbers,
        deciding: &mut Deciding,
        lost: &mut dyn FnMut(Lost),
    ) -> Result<Vec<u32>, Error> {
        let mut batch = Batch::new(pairs, said, numbers, |rank| self.place(rank));
        batch.find_after(|batch, place, other| self.may_go(batch, place, other));
        if !batch.is_judged() {
            batch.looked_up = LookedUp::new(self, &batch);
        }
        let mut rounds = Rounds::new(&batch);
        let mut decided: Vec<u32> = Vec::new();
        for (place, n_waiting) in (0..).zip(&rounds.n_waiting) {
            if *n_waiting == 0 {
                decided.push(place);
            }
        }
        while !decided.is_empty() {
            for &place in &decided {
                if rounds.states[place as usize] == State::Open {
                    rounds.states[place as usize] = State::Kept;
                }
            }
            let touched = rounds.tell(&batch, &decided);
            if self.stop.is_set() {
                return Err(self.stopped());
            }
            let tried = self.map(&touched, |&place| {
                self.compare(&batch, place, &rounds.ready[place as usize], None)
            });
            decided.clear();
            for (place, tried) in touched.into_iter().zip(tried) {
                tried.lost.into_iter().for_each(&mut *lost);
                let at = place as usize;
                let ready = std::mem::take(&mut rounds.ready[at]);
                rounds.compared[at].extend(&ready[..tried.n]);
                rounds.reasons[at] = stronger(&batch, rounds.reasons[at], tried.strongest);
                if rounds.reasons[at].is_some_and(|reason| reason.goes) {
                    rounds.states[at] = State::Gone;
                    self.n_gone.fetch_add(1, Memory::Relaxed);
                    decided.push(place);
                } else if rounds.n_waiting[at] == 0 {
                    decided.push(place);
                }
            }
        }
        self.progress.duplicates(self.n_gone.load(Memory::Relaxed));
        self.find_strongest(&batch, &mut rounds, lost)?;
        let mut gone = Vec::new();
        for (at, place) in batch.places.iter().enumerate() {
            if batch.others(at as u32).is_empty() {
                continue;
            }
            let reason = rounds.reasons[at].map(|reason| Decision {
                doc: place.leader,
                covered_by: batch.places[reason.other as usize].leader,
                kind: reason.kind,
                covered: reason.covered,
            });
            let is_gone = rounds.states[at] == State::Gone;
            deciding.turn(place.first, place.leader, reason, is_gone, self.collection)?;
            if is_gone {
                gone.push(place.rank);
            }
        }
        Ok(gone)
    }

    /// Finds the strongest reason of every document among all that are kept.
    fn find_strongest(
        &self,
        batch: &Batch,
        rounds: &mut Rounds,
        lost: &mut dyn FnMut(Lost),
    ) -> Result<(), Error> {
        let all: Vec<u32> = (0..batch.places.len() as u32).collect();
        let found = self.map(&all, |&place| {
            let at = place as usize;
            if self.stop.is_set() {
                return Tried::default();
            }
            let is_gone = rounds.states[at] == State::Gone;
            let mut compared = rounds.compared[at].clone();
            compared.sort_unstable();
            let is_left = |&other: &u32| {
                rounds.states[other as usize] == State::Kept
                    && compared.binary_search(&other).is_err()
                    && (!is_gone || self.may_go(batch, place, other))
            };
            let mut others: Vec<u32> =
                batch.others(place).iter().copied().filter(is_left).collect();
            others.sort_unstable_by_key(|&other| batch.places[other as usize].rank);
            self.strongest(batch, place, &others, rounds.reasons[at], is_gone)
        });
        if self.stop.is_set() {
            return Err(self.stopped());
        }
        for (at, tried) in found.into_iter().enumerate() {
            tried.lost.into_iter().for_each(&mut *lost);
            rounds.reasons[at] = stronger(batch, rounds.reasons[at], tried.strongest);
        }
        Ok(())
    }

    /// Finds a stronger reason than the one that is known, among others by preference. Those of which
    /// a sample says that they hold all of a document come first: whoever comes after a strong reason
    /// is soon found to be a weaker one.
    fn strongest(
        &self,
        batch: &Batch,
        place: u32,
        others: &[u32],
        mut known: Option<Reason>,
        is_gone: bool,
    ) -> Tried {
        let at = |place: u32| batch.places[place as usize];
        let own = self.lending.runs(at(place).first);
        let (false, [_, _, ..], Ok(own)) = (batch.is_judged(), others, own) else {
            return self.compare(batch, place, others, Some((known, is_gone)));
        };
        let mut tried = Tried::default();
        let mut later = Vec::new();
        for &other in others {
            if self.stop.is_set() {
                break;
            }
            let is_weaker = known.is_some_and(|known| {
                known.goes == is_gone
                    && known.n_common == at(place).n_runs
                    && at(other).rank > at(known.other).rank
            });
            if is_weaker {
                continue;
            }
            // What cannot be read is told where it is compared.
            let looked = batch.looked_up.get(place, other);
            let n_held = looked.map_or_else(
                || self.lending.n_sampled(&own, SAMPLE, at(other).first).unwrap_or(0),
                |looked| usize::from(looked.n_sampled),
            );
            if n_held < SAMPLE.min(own.len()) {
                later.push((Reverse(n_held), other));
                continue;
            }
            tried.add(batch, self.compare(batch, place, &[other], Some((known, is_gone))));
            known = stronger(batch, known, tried.strongest);
        }
        later.sort_by_key(|later| later.0);
        let later: Vec<u32> = later.into_iter().map(|(_, other)| other).collect();
        tried.add(batch, self.compare(batch, place, &later, Some((known, is_gone))));
        tried
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
            let known_to_beat = known.filter(|known| known.goes == is_gone);
            let rank = |other: u32| batch.places[other as usize].rank;
            // Among equals the preferred document counts.
            let least = known_to_beat
                .map(|known| known.n_common + usize::from(rank(other) > rank(known.other)));
            let found = if batch.is_judged() {
                Ok(self.said(batch, place, other))
            } else {
                self.related(batch, (place, &mut own), other, least)
            };
            tried.n += 1;
            match found {
                Ok(None) => continue,
                Ok(found) => tried.strongest = stronger(batch, tried.strongest, found),
                Err(lost) => {
                    tried.lost.push(lost);
                    continue;
                }
            }
            if decided.is_some() {
                known = stronger(batch, known, tried.strongest);
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
    ) -> Result<Option<Reason>, Lost> {
        let (one, two) = (batch.places[place as usize], batch.places[other as usize]);
        if one.n_runs == 0 || two.n_runs == 0 {
            return Ok(None);
        }
        let least = least.unwrap_or(0).max(self.least_common(one.n_runs, two.n_runs));
        if one.n_runs.min(two.n_runs) < least {
            return Ok(None);
        }
        if let (Some(marks), Some(others)) = (self.marks(batch, place), self.marks(batch, other))
            && one.n_runs - marks.least_missing(others) < least
        {
            return Ok(None);
        }
        let looked = batch.looked_up.get(place, other);
        let found = match looked.map_or(Common::NotAsked, |looked| looked.common) {
            Common::TooFew => None,
            Common::Runs(n) => Some(n as usize).filter(|&n| n >= least),
            Common::NotAsked => {
                let runs = match own {
                    Some(runs) => runs,
                    none => none.insert(self.lending.runs(one.first)?),
                };
                self.lending.n_common(runs, two.first, least)?
            }
        };
        let Some(n) = found else { return Ok(None) };
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

    /// Returns the marks of the runs of a document, where so many comparisons are waiting that they save
    /// most of them. What cannot be read has none, which is told where it is compared.
    fn marks<'b>(&self, batch: &'b Batch, place: u32) -> Option<&'b Marks> {
        let Place { first, n_runs, .. } = batch.places[place as usize];
        let marks = batch.marks.get(place as usize).filter(|_| n_runs <= Marks::MOST_RUNS)?;
        let made = || self.lending.runs(first).ok().map(|runs| Box::new(Marks::new(&runs)));
        marks.get_or_init(made).as_deref()
    }

    /// Returns what a method said of two documents, where its word counts.
    fn said(&self, batch: &Batch, place: u32, other: u32) -> Option<Reason> {
        let Judgement { kind, scores } = batch.said(place, other)?;
        self.as_reason(other, kind, scores.a_in_b.get(), 0)
    }

    /// Returns what the sizes of two sets and of their common part say.
    fn reason(&self, other: u32, n_one: usize, n_two: usize, n_common: usize) -> Option<Reason> {
        let scores = Scores::of_sets(n_one, n_two, n_common);
        let kind = self.rule.decide(scores, Shared::NOTHING, n_one.min(n_two))?;
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
    pub(super) fn least_common(&self, n_one: usize, n_two: usize) -> usize {
        let Rule { containment, similarity, .. } = self.rule;
        let least = if similarity > 0.0 {
            similarity * (n_one + n_two) as f64 / (1.0 + similarity)
        } else {
            containment * n_one as f64
        };
        // One less, for what rounding does to either side.
        (least as usize).saturating_sub(1)
    }

    pub(super) fn map<T: Sync, R: Send>(
        &self,
        places: &[T],
        work: impl Fn(&T) -> R + Sync + Send,
    ) -> Vec<R> {
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

/// Returns the stronger of two reasons; among equals that of the preferred document.
fn stronger(batch: &Batch, x: Option<Reason>, y: Option<Reason>) -> Option<Reason> {
    let (Some(one), Some(other)) = (x, y) else { return x.or(y) };
    let by_share = (one.goes, one.covered).partial_cmp(&(other.goes, other.covered));
    let rank = |reason: Reason| batch.places[reason.other as usize].rank;
    let order = by_share.expect("shares are numbers").then(rank(other).cmp(&rank(one)));
    if order.is_lt() { y } else { x }
}
