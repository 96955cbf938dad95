//! What a miner is asked for, and what it returns.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::halt::Halt;

/// Which sets are wanted. A set is frequent if it lies in at least `min_support` transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// Every frequent set but the empty one.
    All,
    /// Frequent sets that no larger set equals in support.
    Closed,
    /// Frequent sets that no larger set holds.
    #[default]
    Maximal,
    /// Some of the maximal sets: enough that any two items which make a frequent set stand
    /// together in one of them. At most one set for each such pair, where all maximal sets may be
    /// exponentially many.
    Cover,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::All, Self::Closed, Self::Maximal, Self::Cover];

    /// Its name, as given to `--target`.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Closed => "closed",
            Self::Maximal => "maximal",
            Self::Cover => "cover",
        }
    }
}

/// What a run may use. What is not limited is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Sets given out.
    pub sets: Option<u64>,
    /// Sets given out of each component, where the search goes by components.
    pub component_sets: Option<u64>,
    /// Steps of the search, in each component where it goes by components.
    pub steps: Option<u64>,
    /// Bytes a miner holds at a time, beside the context.
    pub bytes: Option<usize>,
    /// Time since the start.
    pub time: Option<Duration>,
}

/// What is done with the transactions before a miner sees them. The sets it finds are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preparation {
    /// The [`Table`](crate::Table) is reduced as far as the target allows.
    #[default]
    Reduced,
    /// Items that are not frequent are left out, as every published algorithm does in its first
    /// pass, and nothing else is done: every transaction stays a row of its own. For comparison
    /// with published times.
    Raw,
}

/// A job for a miner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Which sets are wanted.
    pub target: Target,
    /// Transactions a set must lie in; at least 1.
    pub min_support: u32,
    /// Items a set must have to be given out. The default is 1.
    pub min_size: usize,
    /// What is done with the transactions first. The default is `Reduced`.
    pub preparation: Preparation,
    /// What it may use.
    pub budget: Budget,
}

impl Task {
    /// Returns the job of finding all maximal sets, without limits.
    pub fn maximal(min_support: u32) -> Self {
        Self::new(Target::Maximal, min_support)
    }

    /// Returns a job without limits.
    pub fn new(target: Target, min_support: u32) -> Self {
        Self {
            target,
            min_support: min_support.max(1),
            min_size: 1,
            preparation: Preparation::default(),
            budget: Budget::default(),
        }
    }
}

/// Which limit ended a search before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cut {
    /// [`Budget::sets`].
    Sets,
    /// [`Budget::steps`].
    Steps,
    /// [`Budget::bytes`].
    Bytes,
    /// [`Budget::time`].
    Time,
    /// Whoever takes the sets wants no more, or asked the run to stop.
    Stopped,
}

impl Cut {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sets => "sets",
            Self::Steps => "steps",
            Self::Bytes => "bytes",
            Self::Time => "time",
            Self::Stopped => "stopped",
        }
    }
}

/// Whether a search continues, or the limit that ended it.
pub type Flow = ControlFlow<Cut>;

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Sets given out.
    pub n_sets: u64,
    /// The limit that ended the whole run early; the sets given out are true but not all.
    pub cut: Option<Cut>,
    /// Parts of the search that ended early, where it goes by parts.
    pub cut_parts: Vec<CutPart>,
}

impl Outcome {
    /// Returns whether nothing was left out.
    pub fn is_complete(&self) -> bool {
        self.cut.is_none() && self.cut_parts.is_empty()
    }
}

/// A component of which not all sets were given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutPart {
    /// The smallest item in it.
    pub first_item: u32,
    /// Items in it.
    pub n_items: u64,
    /// Sets of it that were given out.
    pub n_sets: u64,
    /// Why it ended.
    pub cut: Cut,
}

/// Counts what a run has used of its budget.
pub(crate) struct Meter<'a> {
    budget: Budget,
    halt: Halt<'a>,
    start: Instant,
    n_sets: u64,
    n_steps: u64,
    held_bytes: usize,
}

/// Steps between two looks at the clock; a step takes from nanoseconds to microseconds.
const STEPS_PER_LOOK: u64 = 1024;

impl<'a> Meter<'a> {
    pub(crate) fn new(budget: Budget, halt: Halt<'a>) -> Self {
        Self { budget, halt, start: Instant::now(), n_sets: 0, n_steps: 0, held_bytes: 0 }
    }

    pub(crate) fn halt(&self) -> Halt<'a> {
        self.halt
    }

    pub(crate) fn n_sets(&self) -> u64 {
        self.n_sets
    }

    pub(crate) fn is_full(&self) -> bool {
        self.budget.sets.is_some_and(|most| self.n_sets >= most)
    }

    /// Counts a set that is about to be given out.
    pub(crate) fn set(&mut self) -> Flow {
        if self.is_full() {
            return Flow::Break(Cut::Sets);
        }
        self.halt.look()?;
        self.n_sets += 1;
        Flow::Continue(())
    }

    /// Counts a step. Steps may be long, so each looks whether the run is to stop.
    pub(crate) fn step(&mut self) -> Flow {
        self.halt.look()?;
        self.n_steps += 1;
        if self.budget.steps.is_some_and(|most| self.n_steps > most) {
            return Flow::Break(Cut::Steps);
        }
        if self.n_steps % STEPS_PER_LOOK == 1 { self.look() } else { Flow::Continue(()) }
    }

    pub(crate) fn look(&self) -> Flow {
        self.halt.look()?;
        if self.budget.time.is_some_and(|most| self.start.elapsed() >= most) {
            return Flow::Break(Cut::Time);
        }
        Flow::Continue(())
    }

    pub(crate) fn hold(&mut self, bytes: usize) -> Flow {
        self.held_bytes += bytes;
        if self.budget.bytes.is_some_and(|most| self.held_bytes > most) {
            return Flow::Break(Cut::Bytes);
        }
        Flow::Continue(())
    }

    pub(crate) fn release(&mut self, bytes: usize) {
        self.held_bytes = self.held_bytes.saturating_sub(bytes);
    }
}
