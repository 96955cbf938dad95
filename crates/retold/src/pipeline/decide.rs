//! `dedup` without pairs and clusters: candidates are searched and decided about, nothing else.

use std::sync::atomic::{AtomicU64, Ordering as Memory};
use std::time::Instant;

use retold_core::document::Ordinal;
use retold_core::image::images::Images;
use retold_core::relation::Scores;
use retold_report::Summary;

use super::bits::Bits;
use super::budget::give_back;
use super::clusters::ClusterLog;
use super::decisions::Deciding;
use super::intake;
use super::library::Library;
use super::manifest::search_report;
use super::proposals::Proposal;
use super::run::{Detected, Run};
use super::turns::{Turns, leader};
use crate::error::Error;
use crate::progress::Stage;

/// What a candidate takes while it is decided about: itself, and its places in the lists of its
/// documents.
const BYTES_PER_CANDIDATE: usize = size_of::<Proposal>() + 48;

impl Run<'_> {
    /// Searches for candidates and decides what goes.
    pub(crate) fn decide(&mut self) -> Result<Detected, Error> {
        let mut images = std::mem::replace(&mut self.intake.images, Images::new(0));
        let searching = Instant::now();
        let (proposals, searched) = {
            let is_judged = self.is_judged();
            let (collection, run_sets) = (&self.intake.collection, &self.intake.run_sets);
            let (rule, preference) = (self.rule, &self.preference);
            // A pair is of no use if the document that may go is too large to stand in the other.
            let may_decide = |a: Ordinal, b: Ordinal| {
                if is_judged {
                    return true;
                }
                let rank = |doc| preference[leader(collection, preference, doc).index()];
                let (one, other) = if rank(a) < rank(b) { (b, a) } else { (a, b) };
                let (n_one, n_other) = (run_sets.n_runs(one), run_sets.n_runs(other));
                let most = Scores::of_sets(n_one, n_other, n_one.min(n_other));
                most.a_in_b.get() >= rule.containment || rule.similarity > 0.0
            };
            self.search(&mut images, &[], !is_judged, &may_decide)?
        };
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
            n_compared: AtomicU64::new(0),
        };
        self.progress.begin(Stage::Verify, proposals.len());
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
        let most_at_once = self.budget.turns() / BYTES_PER_CANDIDATE;
        let mut n_candidates = 0;
        let mut batch: Vec<Proposal> = Vec::new();
        let mut proposed = proposals.iter().peekable();
        while let Some(pair) = proposed.next() {
            let pair = pair?;
            n_candidates += 1;
            for doc in [pair.long, pair.short] {
                has_turn.insert(doc);
            }
            batch.push(pair);
            let is_end = match proposed.peek() {
                Some(Ok(next)) => next.group != pair.group && batch.len() >= most_at_once,
                _ => true,
            };
            if is_end {
                self.budget.check_relations(batch.len() as u64, BYTES_PER_CANDIDATE)?;
                turns.decide(&batch, &mut deciding, &mut lose)?;
                self.progress.at(n_candidates, collection.len() as u64);
                batch.clear();
            }
        }
        drop(proposed);
        drop(proposals);
        let mut summary = Summary::default();
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
}
