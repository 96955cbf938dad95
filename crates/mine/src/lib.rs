//! Miners of frequent, closed and maximal itemsets; knows integers only.
//!
//! A [`Context`] holds transactions, a [`Task`] says which sets are wanted, and [`mine`] hands
//! them out one by one. All miners see the same prepared [`Table`]: infrequent items gone, items
//! that no set can tell apart merged, equal transactions counted once; [`Preparation::Raw`] leaves
//! that out. What a miner gives out is translated back on the way.
//!
//! ```
//! use retold_mine::{Context, Task, find, mine};
//! let context = Context::of(&[vec![0, 1, 2], vec![0, 1], vec![0, 3], vec![0, 1, 2]]);
//! let mut sets = Vec::new();
//! let outcome = mine(find("fpmax").unwrap(), &context, &Task::maximal(2), &mut |set, support| {
//!     sets.push((set.to_vec(), support));
//! });
//! assert!(outcome.is_complete());
//! assert_eq!(sets, [(vec![0, 1, 2], 2)]);
//! ```

pub mod oracle;

mod add_intent;
mod afopt;
mod apriori;
mod auto;
mod context;
mod counts;
mod eclat;
mod fimi;
mod fpmax;
mod genmax;
mod halt;
mod hypercube;
mod lattice;
mod lcm;
mod lmfi;
mod mafia;
mod marks;
mod output;
mod ranks;
mod table;
mod task;
#[cfg(test)]
mod trial;
mod vertical;

use std::ops::ControlFlow;

use halt::Halt;

pub use context::{Context, MinSupport, SupportError};
pub use fimi::{FimiError, Named, read, read_while, write_set};
pub use lattice::{Concept, Lattice, LatticeError, MOST_ITEMS};
pub use output::Output;
pub use table::Table;
pub use task::{Budget, Cut, CutPart, Flow, Outcome, Preparation, Target, Task};

/// What a miner says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Its name, as given to `--algorithm`.
    pub name: &'static str,
    /// Its published name.
    pub title: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What it can be asked for.
    pub targets: &'static [Target],
}

/// An algorithm that finds itemsets.
pub trait Miner: Sync {
    /// Returns what it says of itself.
    fn spec(&self) -> &'static Spec;

    /// Gives the sets of `table` that `task` asks for to `out`, each once.
    ///
    /// Breaks as soon as `out` does. The task's minimum size is the output's business.
    fn mine(&self, table: &Table, task: &Task, out: &mut Output<'_>) -> Flow;
}

/// All miners.
pub const MINERS: &[&dyn Miner] = &[
    &auto::Auto,
    &fpmax::FpMax,
    &afopt::Afopt,
    &mafia::Mafia,
    &add_intent::AddIntent,
    &apriori::Apriori,
    &eclat::Eclat,
    &lcm::Lcm,
    &genmax::GenMax,
];

/// Returns the miner of a name.
pub fn find(name: &str) -> Option<&'static dyn Miner> {
    MINERS.iter().find(|miner| miner.spec().name == name).copied()
}

/// Finds sets and hands each to `sink`, items ascending, with the number of transactions it lies
/// in.
///
/// *Order*: as the miner finds them; the same on every run.
///
/// *Panics*: if the miner cannot be asked for the task's target.
pub fn mine(
    miner: &dyn Miner,
    context: &Context,
    task: &Task,
    sink: &mut (dyn FnMut(&[u32], u32) + Send),
) -> Outcome {
    mine_while(miner, context, task, &|| false, &mut |items, support| {
        sink(items, support);
        Flow::Continue(())
    })
}

/// Finds sets like [`mine`], until `sink` breaks or `is_stopped` says so; either way with
/// [`Cut::Stopped`].
///
/// `is_stopped` is asked often, from all threads at work, so it should be quick. Once it has said
/// yes, it should not say no again. Sets given out until then are true.
///
/// *Panics*: if the miner cannot be asked for the task's target.
pub fn mine_while(
    miner: &dyn Miner,
    context: &Context,
    task: &Task,
    is_stopped: &(dyn Fn() -> bool + Sync),
    sink: &mut (dyn FnMut(&[u32], u32) -> Flow + Send),
) -> Outcome {
    assert!(
        miner.spec().targets.contains(&task.target),
        "{} does not find {:?} sets",
        miner.spec().name,
        task.target
    );
    let halt = Halt::new(is_stopped);
    let table = match Table::prepare(context, task, halt) {
        ControlFlow::Continue(table) => table,
        ControlFlow::Break(cut) => return Outcome { cut: Some(cut), ..Outcome::default() },
    };
    let mut out = Output::new(&table, task, halt, sink);
    let cut = match out.peeled() {
        Flow::Continue(()) => miner.mine(&table, task, &mut out).break_value(),
        Flow::Break(cut) => Some(cut),
    };
    out.finish(cut)
}

#[cfg(test)]
mod tests {
    use super::MINERS;
    use crate::trial::stops_when_asked;

    #[test]
    fn every_miner_stops_when_it_is_asked_to() {
        // On one thread, so that looks are counted the same on every run.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        pool.install(|| MINERS.iter().for_each(|miner| stops_when_asked(*miner)));
    }
}
