//! The desk: the set that is worked on, and what was made or run for it.
//!
//! Several cells may be about the same documents: judged by different references, or with
//! parameters that come from an axis. The documents, exact overlaps, pools and runs are then made
//! once. A run that is used again counts with the time it took.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use retold::Relation;

use super::base::Base;
use super::bench::{Bench, Ran, Trial};
use super::design::{Counts, Design, Truth};
use super::known::{Known, Sources, pairs_of};
use super::sets::{Planned, Set};
use crate::error::Error;
use crate::judging::permissive;
use crate::measures::pairs::{Direction, PairSet};
use crate::reference::ExactOverlap;

/// Relations that are kept for all runs of a set together; runs beyond are done again.
const MOST_KEPT: usize = 5_000_000;

/// The set that is worked on.
pub(super) struct Desk<'a> {
    design: &'a Design,
    pub(super) bench: &'a Bench<'a>,
    set: Option<Set>,
    runs: HashMap<usize, Rc<ExactOverlap>>,
    nominated: Option<Rc<PairSet>>,
    ran: HashMap<String, Rc<Ran<Vec<Relation>>>>,
    n_kept: usize,
}

impl<'a> Desk<'a> {
    pub(super) fn new(design: &'a Design, bench: &'a Bench<'a>) -> Self {
        let (runs, ran) = (HashMap::new(), HashMap::new());
        Self { design, bench, set: None, runs, nominated: None, ran, n_kept: 0 }
    }

    /// Clears the desk for other documents.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.design, self.bench);
    }

    /// Returns the set on the desk.
    pub(super) fn set(&self) -> &Set {
        self.set.as_ref().expect("what is true of a set is asked for before cells are run")
    }

    /// Makes the set, unless it is there, and what is true of it.
    pub(super) fn known(&mut self, planned: &Planned, base: &Base) -> Result<Known, Error> {
        if self.set.is_none() {
            let stop = self.bench.stop();
            self.set = Some(planned.make(self.design, base, &|| stop.is_set())?);
        }
        let mut sources = Sources::default();
        match &planned.truth {
            Truth::Method { method, profile, parameters, .. } => {
                let seed = self.design.data.seed;
                let trial = Trial::new(method, *profile, parameters, seed)?;
                sources.by_method = Some(self.relations(&trial)?);
            }
            Truth::Exact { k, .. } | Truth::Difference { k, .. } => {
                sources.runs = Some(self.runs(*k));
            }
            Truth::Pool { k, .. } => {
                sources.runs = Some(self.runs(*k));
                sources.nominated = Some(self.nominated()?);
            }
            Truth::Planted { .. } | Truth::Question { .. } | Truth::Counted | Truth::None => {}
        }
        Ok(Known::new(&planned.truth, self.set(), sources))
    }

    /// Runs a method on the documents, or returns what it found before.
    pub(super) fn relations(&mut self, trial: &Trial) -> Result<Rc<Ran<Vec<Relation>>>, Error> {
        let key = trial.key();
        if let Some(ran) = self.ran.get(&key) {
            return Ok(Rc::clone(ran));
        }
        let ran = Rc::new(self.bench.relations(trial, &self.set().documents)?);
        if self.n_kept + ran.result.len() <= MOST_KEPT {
            self.n_kept += ran.result.len();
            self.ran.insert(key, Rc::clone(&ran));
        }
        Ok(ran)
    }

    /// Returns the runs of `k` words of the documents.
    pub(super) fn runs(&mut self, k: usize) -> Rc<ExactOverlap> {
        if let Some(runs) = self.runs.get(&k) {
            return Rc::clone(runs);
        }
        let runs = Rc::new(ExactOverlap::new(&self.set().documents, k));
        self.runs.insert(k, Rc::clone(&runs));
        runs
    }

    /// Returns the ordered pairs that any method of the design nominates with permissive
    /// parameters.
    fn nominated(&mut self) -> Result<Rc<PairSet>, Error> {
        if let Some(nominated) = &self.nominated {
            return Ok(Rc::clone(nominated));
        }
        let mut pooled = PairSet::new(Direction::Ordered, []);
        let mut done = BTreeSet::new();
        for plan in &self.design.methods {
            let seed = self.design.data.seed;
            let trial = Trial::new(&plan.method, plan.profile, &plan.parameters, seed)?;
            let trial = trial.with_text(&plan.text)?;
            let (job, _) = permissive(&trial.job)?;
            let trial = Trial { job, ..trial };
            if done.insert(trial.key()) {
                let ran = self.bench.relations(&trial, &self.set().documents)?;
                pooled = pooled.union(&pairs_of(&ran.result, Counts::Containment));
            }
        }
        let nominated = Rc::new(pooled);
        self.nominated = Some(Rc::clone(&nominated));
        Ok(nominated)
    }
}
