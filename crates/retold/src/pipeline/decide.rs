//! `dedup` without pairs and clusters: candidates are searched and decided about, nothing else.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering as Memory};
use std::time::Instant;

use retold_core::candidates::Judgement;
use retold_core::candidates::sealed::Searched;
use retold_core::image::images::Images;
use retold_core::scratch::{Sorted, Sorter};
use retold_report::Summary;

use super::bits::Bits;
use super::budget::{Budget, give_back};
use super::clusters::ClusterLog;
use super::decided_before::Bad;
use super::decisions::{Decided, Deciding};
use super::library::Library;
use super::losses::{Losses, Lost};
use super::manifest::search_report;
use super::proposals::Said;
use super::rounds::{Numbers, Order, Turn, leader};
use super::run::{Detected, Run};
use super::scratch::ScratchDir;
use super::turns::Turns;
use crate::error::Error;
use crate::progress::Stage;

/// Pairs by which documents take their turn at a time, and a whole turn more. What is compared, not
/// what comes of it, depends on the number, so it is none of the budget's.
const PAIRS_AT_ONCE: usize = 1 << 17;

impl Run<'_> {
    /// Searches for candidates and decides what goes.
    pub(crate) fn decide(&mut self) -> Result<Detected, Error> {
        if let Some(resume) = &self.intake.resume
            && resume.is_decided()
        {
            let (detected, Bad { n_bad, bad }) = self.decided_before(resume)?;
            (self.intake.n_bad, self.intake.bad) = (n_bad, bad);
            return Ok(detected);
        }
        let images = std::mem::replace(&mut self.intake.images, Images::new(0));
        let began = Instant::now();
        let collection = &self.intake.collection;
        let order = Order::new(collection, &self.preference);
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
            order: &order,
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
        let mut taking = Taking {
            turns: &turns,
            numbers: Numbers::new(collection.len()),
            has_turn: Bits::new(collection.len()),
            deciding: Deciding::new(self.job, &self.budget, &self.scratch),
            losses: Losses::new(collection.len()),
            seconds: 0.0,
        };
        // On a thread of the pool, which then need not be woken for every round.
        let searched = self.pool.run_in(|| {
            let searched = self.search_in_turns(&images, &mut taking)?;
            searched.map_or_else(|| self.search_first(images, &mut taking), Ok)
        })?;
        let Taking { has_turn, mut deciding, losses, seconds, .. } = taking;
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
        give_back();
        losses.count(&mut self.intake.n_bad, &mut self.intake.bad);
        self.timings.insert("2 search".to_owned(), began.elapsed().as_secs_f64() - seconds);
        self.timings.insert("3 compare".to_owned(), seconds);
        let detected = Detected {
            summary,
            cuts: search_report(&searched.cuts),
            n_candidates: n_compared,
            n_similarities: searched.n_compared,
            ..self.undecided(decided)
        };
        self.check_stop(Stage::Verify)?;
        self.write_decided(&detected)?;
        Ok(detected)
    }

    /// Searches while documents take their turn, so that those that are gone are found by nobody any
    /// more. `None` where that cannot be: the method does not search so or its word counts, or there
    /// are two collections.
    fn search_in_turns(
        &self,
        images: &Images,
        taking: &mut Taking<'_>,
    ) -> Result<Option<Searched>, Error> {
        let collection = &self.intake.collection;
        let is_one = collection.border.is_none() && collection.joined.is_none();
        if self.is_judged() || !is_one || self.needs_no_search() {
            return Ok(None);
        }
        let n_documents = collection.len() as u64;
        self.progress.begin(Stage::Search, n_documents);
        let turns = taking.turns;
        let mut failed = None;
        let mut useful = Vec::new();
        let found = self.detector.search_in_turns(
            images,
            turns.order.asking(),
            &self.search_setup(true),
            &mut |pairs, n_asked| {
                useful.clear();
                useful.extend(pairs.iter().copied().filter(|&turn| turns.is_of_use(turn)));
                self.progress.at(u64::from(n_asked), n_documents);
                taking.take(&useful, &[]).map_err(|error| {
                    failed = Some(error);
                    io::ErrorKind::Other.into()
                })
            },
        );
        if let Some(error) = failed {
            return Err(error);
        }
        self.check_stop(Stage::Search)?;
        found.map_err(|error| self.search_failed(error))
    }

    /// Searches for all candidates, and then lets documents take their turn.
    fn search_first(&self, images: Images, taking: &mut Taking<'_>) -> Result<Searched, Error> {
        let turns = taking.turns;
        let (collection, order) = (turns.collection, turns.order);
        let is_judged = self.is_judged();
        // What an archive holds stays.
        let stays = |one| {
            collection.joined.is_some()
                && collection.is_joined(leader(collection, &self.preference, one))
        };
        let mut coming = Coming::new(is_judged, &self.budget);
        let searched = self.search_all(&images, !is_judged, &mut |pair, said| {
            let is_a_first = order.rank_of(pair.a) < order.rank_of(pair.b);
            let (one, other) = if is_a_first { (pair.b, pair.a) } else { (pair.a, pair.b) };
            let turn = (order.rank_of(one), order.rank_of(other));
            if stays(one) || !(is_judged || turns.is_of_use(turn)) {
                return Ok(());
            }
            let said = if is_a_first { said.flipped() } else { said };
            coming.push(turn, said, &self.scratch).map_err(|error| self.scratch.failed(error))
        })?;
        drop(images);
        give_back();
        let sorted = coming.sorted(&self.scratch).map_err(|error| self.scratch.failed(error))?;
        let candidates = Candidates { sorted, scratch: &self.scratch };
        self.progress.begin(Stage::Verify, candidates.len());
        let mut is_gone = Bits::new(collection.len());
        let (mut pairs, mut said) = (Vec::new(), Vec::new());
        let mut n_done = 0;
        let mut waiting = candidates.iter();
        loop {
            let next = waiting.next().transpose()?;
            let is_end = match (next, pairs.last()) {
                (Some(next), Some(&(one, _))) => pairs.len() >= PAIRS_AT_ONCE && next.turn.0 != one,
                (None, Some(_)) => true,
                (_, None) => false,
            };
            if is_end {
                for rank in taking.take(&pairs, &said)? {
                    is_gone.insert(order.first_of(rank));
                }
                pairs.clear();
                said.clear();
                self.progress.at(n_done, collection.len() as u64);
            }
            let Some(next) = next else { return Ok(searched) };
            n_done += 1;
            if !is_gone.contains(order.first_of(next.turn.1)) {
                pairs.push(next.turn);
                said.extend(next.said);
            }
        }
    }

    /// Returns what was found where nothing was but what goes.
    pub(super) fn undecided(&self, decided: Option<Decided>) -> Detected {
        let n = self.intake.collection.len();
        let mut clusters = ClusterLog::new(0, &self.scratch);
        clusters.seal();
        Detected {
            clusters,
            decided,
            n_pairs: vec![0; n],
            n_partial: vec![0; n],
            is_cut: Bits::new(n),
            summary: Summary::default(),
            cuts: Vec::new(),
            n_candidates: 0,
            n_similarities: 0,
            page: Vec::new(),
            partials: Vec::new(),
        }
    }
}

/// Documents that take their turn.
struct Taking<'a> {
    turns: &'a Turns<'a>,
    numbers: Numbers,
    has_turn: Bits,
    deciding: Deciding,
    losses: Losses,
    /// How long it took to decide.
    seconds: f64,
}

impl Taking<'_> {
    /// Lets the first documents of pairs take their turn ([`Turns::decide`]); returns which of them are
    /// gone.
    fn take(&mut self, pairs: &[Turn], said: &[Judgement]) -> Result<Vec<u32>, Error> {
        let comparing = Instant::now();
        for &(one, _) in pairs {
            self.has_turn.insert(self.turns.order.first_of(one));
        }
        let mut lose = |lost: Lost| self.losses.take(lost, self.turns.progress);
        let gone = self.turns.decide(pairs, said, &mut self.numbers, &mut self.deciding, &mut lose);
        self.seconds += comparing.elapsed().as_secs_f64();
        gone
    }
}

/// Candidates as they come.
enum Coming {
    Plain(Sorter<Turn>),
    Judged(Sorter<(Turn, Said)>),
}

impl Coming {
    fn new(is_judged: bool, budget: &Budget) -> Self {
        if is_judged {
            Self::Judged(Sorter::new(budget.turns()))
        } else {
            Self::Plain(Sorter::new(budget.turns()))
        }
    }

    /// Adds a pair, with what the method says of it, seen from the document that may go.
    fn push(&mut self, turn: Turn, said: Judgement, scratch: &ScratchDir) -> io::Result<()> {
        match self {
            Self::Plain(sorter) => sorter.push(turn, scratch),
            Self::Judged(sorter) => sorter.push((turn, Said::new(said)), scratch),
        }
    }

    fn sorted(self, scratch: &ScratchDir) -> io::Result<Waiting> {
        Ok(match self {
            Self::Plain(sorter) => Waiting::Plain(sorter.finish(scratch)?),
            Self::Judged(sorter) => Waiting::Judged(sorter.finish(scratch)?),
        })
    }
}

/// Candidates in the order in which documents take their turn.
enum Waiting {
    Plain(Sorted<Turn>),
    Judged(Sorted<(Turn, Said)>),
}

/// A candidate, and what the method says of it if its word counts.
#[derive(Clone, Copy)]
struct Next {
    turn: Turn,
    said: Option<Judgement>,
}

/// The candidates that may decide something.
struct Candidates<'a> {
    sorted: Waiting,
    scratch: &'a ScratchDir,
}

impl Candidates<'_> {
    /// Returns about how many there are.
    fn len(&self) -> u64 {
        match &self.sorted {
            Waiting::Plain(sorted) => sorted.len(),
            Waiting::Judged(sorted) => sorted.len(),
        }
    }

    /// Reads all of them, each once. Of several judgements on a pair an exact one counts, which is the
    /// first of them.
    fn iter(&self) -> Box<dyn Iterator<Item = Result<Next, Error>> + '_> {
        let failed = |error| self.scratch.failed(error);
        let mut last = None;
        let is_other = move |next: &Result<Next, Error>| {
            next.as_ref().map_or(true, |next| last.replace(next.turn) != Some(next.turn))
        };
        match &self.sorted {
            Waiting::Plain(sorted) => {
                let next = |turn| Next { turn, said: None };
                Box::new(sorted.iter().map(move |x| x.map(next).map_err(failed)).filter(is_other))
            }
            Waiting::Judged(sorted) => {
                let next = |(turn, said): (Turn, Said)| Next { turn, said: Some(said.judgement()) };
                Box::new(sorted.iter().map(move |x| x.map(next).map_err(failed)).filter(is_other))
            }
        }
    }
}
