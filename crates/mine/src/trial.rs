//! Checks that the unit tests of every miner use.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::context::Context;
use crate::oracle::oracle;
use crate::task::{Cut, Preparation, Task};
use crate::{Flow, Miner, mine, mine_while};

/// Miners give the same whichever it is.
const PREPARATIONS: [Preparation; 2] = [Preparation::Reduced, Preparation::Raw];

/// A small seeded generator (`SplitMix64`).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Returns a random context of at most 12 transactions and 12 items.
pub(crate) fn small_context(random: &mut Random) -> Context {
    let n_rows = random.below(13);
    let n_items = 1 + random.below(12) as u32;
    let tenths = 1 + random.below(9);
    let row = |random: &mut Random| (0..n_items).filter(|_| random.below(10) < tenths).collect();
    let mut rows: Vec<Vec<u32>> = (0..n_rows).map(|_| row(random)).collect();
    // Equal transactions and equal items are what reductions are about.
    if n_rows > 2 && random.below(3) == 0 {
        rows[1] = rows[0].clone();
    }
    if n_items > 1 && random.below(3) == 0 {
        for row in &mut rows {
            row.retain(|&item| item != 1);
            if row.first() == Some(&0) {
                row.push(1);
            }
        }
    }
    Context::of(&rows)
}

/// Returns what a miner gives out, in ascending order.
pub(crate) fn found(miner: &dyn Miner, context: &Context, task: &Task) -> Vec<(Vec<u32>, u32)> {
    let mut sets = Vec::new();
    let outcome =
        mine(miner, context, task, &mut |set, support| sets.push((set.to_vec(), support)));
    assert!(outcome.is_complete());
    assert_eq!(outcome.n_sets, sets.len() as u64);
    sets.sort_unstable();
    sets
}

/// Compares a miner with the definition on random contexts, at every support, for every target.
pub(crate) fn agrees_with_the_oracle(miner: &dyn Miner, n_contexts: u64) {
    for seed in 0..n_contexts {
        let context = small_context(&mut Random::new(seed));
        for &target in miner.spec().targets {
            for min_support in 1..=context.n_transactions().max(1) as u32 + 1 {
                let mut task = Task::new(target, min_support);
                task.min_size = 1 + (seed % 3) as usize;
                let wanted = oracle(&context, &task);
                for preparation in PREPARATIONS {
                    let task = Task { preparation, ..task };
                    assert_eq!(
                        found(miner, &context, &task),
                        wanted,
                        "{seed} {task:?} {context:?}"
                    );
                }
            }
        }
    }
}

/// Returns as many transactions as items, each lacking another item. At a support of half of the
/// items, every half of them is a maximal set.
fn bomb(n_items: u32) -> Context {
    let rows: Vec<Vec<u32>> =
        (0..n_items).map(|lacks| (0..n_items).filter(|&item| item != lacks).collect()).collect();
    Context::of(&rows)
}

/// Checks that a miner ends as soon as it sees that it is to stop, wherever that is.
pub(crate) fn stops_when_asked(miner: &dyn Miner) {
    let context = bomb(12);
    for &target in miner.spec().targets {
        let task = Task::new(target, 6);
        // Takes the looks before the run is to stop; returns looks in all and sets given out.
        let run = |most_looks: u64| {
            let (n_looks, mut n_sets) = (AtomicU64::new(0), 0);
            let is_stopped = || n_looks.fetch_add(1, Ordering::Relaxed) >= most_looks;
            let outcome = mine_while(miner, &context, &task, &is_stopped, &mut |_, _| {
                n_sets += 1;
                Flow::Continue(())
            });
            assert_eq!(outcome.n_sets, n_sets);
            (outcome.cut, n_looks.into_inner(), n_sets)
        };
        let (cut, n_looks, n_sets) = run(u64::MAX);
        assert!(cut.is_none() && n_looks > 30, "{target:?} {n_looks}");
        assert_eq!(run(0), (Some(Cut::Stopped), 1, 0), "{target:?}");
        for most in [1, 2, 5, 10, 20, n_looks / 10, n_looks / 3, n_looks / 2, n_looks - 1] {
            let (cut, n_looks, n_given) = run(most);
            assert_eq!(cut, Some(Cut::Stopped), "{target:?} {most}");
            // A piece of work that sees it ends, and whoever waits for it looks once more.
            assert!(n_looks <= most + 2, "{target:?} {most} {n_looks}");
            assert!(n_given <= n_sets, "{target:?} {most}");
        }
    }
}

/// Checks that a miner stops at each limit, and that what it gave out until then is true.
pub(crate) fn keeps_to_its_budget(miner: &dyn Miner) {
    let context = bomb(20);
    for (&target, preparation) in
        miner.spec().targets.iter().flat_map(|target| PREPARATIONS.map(|how| (target, how)))
    {
        let unlimited = Task { preparation, ..Task::new(target, 10) };
        let mut task = unlimited;
        task.budget.sets = Some(100);
        let mut n_given = 0;
        let outcome = mine(miner, &context, &task, &mut |set, support| {
            n_given += 1;
            assert_eq!(support as usize, 20 - set.len());
        });
        assert_eq!((outcome.n_sets, outcome.cut, n_given), (100, Some(Cut::Sets), 100));
        let mut task = unlimited;
        task.budget.time = Some(std::time::Duration::ZERO);
        let outcome = mine(miner, &context, &task, &mut |_, _| {});
        assert_eq!(outcome.cut, Some(Cut::Time));
    }
}
