//! `dedup` without pairs and clusters: candidates are searched and decided about, nothing else.

use std::sync::atomic::{AtomicU64, Ordering as Memory};
use std::time::Instant;

use retold_core::candidates::sealed::Searched;
use retold_core::candidates::{Candidate, Judgement};
use retold_core::image::images::Images;
use retold_core::relation::Scores;
use retold_report::Summary;

use super::bits::Bits;
use super::budget::{Budget, give_back};
use super::clusters::ClusterLog;
use super::decisions::Deciding;
use super::intake;
use super::library::Library;
use super::manifest::search_report;
use super::proposals::{Proposals, Proposing};
use super::rounds::leader;
use super::run::{Detected, Run};
use super::turns::Turns;
use crate::error::Error;
use crate::progress::Stage;

/// What a candidate takes while it is decided about: itself, and its places in the lists of its
/// documents.
const BYTES_PER_CANDIDATE: usize = size_of::<Candidate>() + 40;

impl Run<'_> {
    /// Searches for candidates and decides what goes.
    pub(crate) fn decide(&mut self) -> Result<Detected, Error> {
        let images = std::mem::replace(&mut self.intake.images, Images::new(0));
        let searching = Instant::now();
        let (candidates, searched) = self.candidates(&images)?;
        drop(images);
        give_back();
        self.time("2 search", searching);
        let comparing = Instant::now();
        let collection = &self.intake.collection;
        let library = Library::new(
            collection,
            &self.intake.texts,
            &self.featurizer,
            self.detector.shingles(),
            self.budget.runs_made(),
        );
        let turns = Turns {
            collection,
            preference: &self.preference,
            rule: self.rule,
            job: self.job,
            run_sets: &self.intake.run_sets,
            library: &library,
            lending: self.intake.run_sets.lending(&library, self.budget.runs_made()),
            pool: &self.pool,
            stop: self.stop,
            progress: self.progress,
            n_compared: AtomicU64::new(0),
            n_gone: AtomicU64::new(collection.n_copies()),
        };
        self.progress.begin(Stage::Verify, candidates.len());
        let mut deciding = Deciding::new(self.job, &self.budget, &self.scratch);
        let (mut lost, mut n_lost) = (Vec::new(), 0);
        let mut lose = |bad: retold_read::BadRecord| {
            n_lost += 1;
            self.progress.bad(&bad);
            if lost.len() < intake::MOST_BAD {
                lost.push(bad);
            }
        };
        let mut has_turn = Bits::new(collection.len());
        let mut n_done = 0;
        candidates.each_batch(self.most_at_once(), &self.budget, &mut |pairs, said| {
            for doc in pairs.iter().flat_map(|pair| [pair.a, pair.b]) {
                has_turn.insert(doc);
            }
            turns.decide(pairs, said, &mut deciding, &mut lose)?;
            n_done += pairs.len() as u64;
            self.progress.at(n_done, collection.len() as u64);
            Ok(())
        })?;
        drop(candidates);
        let mut summary = Summary { decides_only: true, ..Summary::default() };
        for first in collection.firsts_with_copies() {
            if !collection.is_wanted(first, first) {
                continue;
            }
            summary.n_exact_groups += 1;
            summary.n_exact_copies += collection.group_len(first) as u64 - 1;
            if !has_turn.contains(first) {
                deciding.copies(first, collection, &self.preference)?;
            }
        }
        let n_compared = turns.n_compared.load(Memory::Relaxed);
        let decided = Some(deciding.finish()?);
        drop(turns);
        drop(library);
        self.intake.n_bad += n_lost;
        self.intake.bad.extend(lost);
        self.intake.bad.truncate(intake::MOST_BAD);
        self.time("3 compare", comparing);
        let n = self.intake.collection.len();
        let mut clusters = ClusterLog::new(0, &self.scratch);
        clusters.seal();
        Ok(Detected {
            clusters,
            decided,
            n_pairs: vec![0; n],
            n_partial: vec![0; n],
            is_cut: Bits::new(n),
            summary,
            cuts: search_report(&searched.cuts),
            n_candidates: n_compared,
            n_similarities: searched.n_compared,
            page: Vec::new(),
            partials: Vec::new(),
        })
    }

    /// Returns how many candidates are decided about at a time, if they hang together in groups.
    fn most_at_once(&self) -> usize {
        self.budget.turns() / BYTES_PER_CANDIDATE
    }

    /// Searches for the candidates that may decide something.
    fn candidates(&self, images: &Images) -> Result<(Candidates, Searched), Error> {
        let (collection, run_sets) = (&self.intake.collection, &self.intake.run_sets);
        let mut ranks = self.preference.clone();
        for first in collection.firsts_with_copies() {
            let leader = leader(collection, &self.preference, first);
            ranks[first.index()] = self.preference[leader.index()];
        }
        let is_judged = self.is_judged();
        let rule = self.rule;
        // A pair is of no use if the document that may go is too large to stand in the other.
        let may_decide = |pair: Candidate| {
            let is_a_first = ranks[pair.a.index()] < ranks[pair.b.index()];
            let (one, other) = if is_a_first { (pair.b, pair.a) } else { (pair.a, pair.b) };
            let (n_one, n_other) = (run_sets.n_runs(one), run_sets.n_runs(other));
            let most = Scores::of_sets(n_one, n_other, n_one.min(n_other));
            is_judged || rule.similarity > 0.0 || most.a_in_b.get() >= rule.containment
        };
        let mut held = Vec::new();
        let mut listed = None;
        let propose = |proposing: &mut Option<Proposing>, pair: Candidate, said| {
            let new = || Proposing::new(collection.len(), is_judged, &self.budget, &self.scratch);
            proposing.get_or_insert_with(new).push(pair, said)
        };
        let searched = self.search_all(images, !is_judged, &mut |pair, said| {
            if !may_decide(pair) {
                return Ok(());
            }
            if !is_judged && listed.is_none() && held.len() < self.most_at_once() {
                held.push(pair);
                return Ok(());
            }
            for pair in std::mem::take(&mut held) {
                propose(&mut listed, pair, Judgement::UNKNOWN)?;
            }
            propose(&mut listed, pair, said)
        })?;
        let candidates = match listed {
            None => Candidates::Held(held),
            Some(listed) => {
                let ordered = listed.ordered(collection, self.stop)?;
                self.check_stop(Stage::Search)?;
                let missing = || Error::Internal("candidates are missing".to_owned());
                Candidates::Listed(ordered.ok_or_else(missing)?)
            }
        };
        Ok((candidates, searched))
    }
}

/// Takes candidates, with what a method says of each, if its word counts.
type EachBatch<'a> = dyn FnMut(&[Candidate], &[Judgement]) -> Result<(), Error> + 'a;

/// Candidates that may decide something.
enum Candidates {
    /// All of them, in no order.
    Held(Vec<Candidate>),
    /// By what hangs together through them.
    Listed(Proposals),
}

impl Candidates {
    fn len(&self) -> u64 {
        match self {
            Self::Held(held) => held.len() as u64,
            Self::Listed(listed) => listed.len(),
        }
    }

    /// Hands over candidates in batches: whatever hangs together is in one of them. What a method says
    /// of each pair comes along if its word counts.
    fn each_batch(
        &self,
        most_at_once: usize,
        budget: &Budget,
        each: &mut EachBatch<'_>,
    ) -> Result<(), Error> {
        let listed = match self {
            Self::Held(held) => return each(held, &[]),
            Self::Listed(listed) => listed,
        };
        let (mut pairs, mut said) = (Vec::new(), Vec::new());
        let mut proposed = listed.iter().peekable();
        while let Some(pair) = proposed.next() {
            let pair = pair?;
            pairs.push(Candidate::new(pair.long, pair.short));
            said.extend(pair.said);
            let is_end = match proposed.peek() {
                Some(Ok(next)) => next.group != pair.group && pairs.len() >= most_at_once,
                _ => true,
            };
            if is_end {
                budget.check_relations(pairs.len() as u64, BYTES_PER_CANDIDATE)?;
                each(&pairs, &said)?;
                pairs.clear();
                said.clear();
            }
        }
        Ok(())
    }
}
