//! All miners say what the definition says.

use rayon::prelude::*;
use retold_mine::oracle::Oracle;
use retold_mine::{Context, MINERS, Preparation, Target, Task, mine};

/// Random contexts looked at, each at every support.
const N_CONTEXTS: u64 = 10_000;

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % bound
    }
}

/// A context of at most 12 transactions and 12 items; density 0.1 to 0.9 by turns.
fn context(seed: u64) -> Context {
    let mut random = Random(seed);
    let (n_rows, n_items) = (random.below(13), 1 + random.below(12) as u32);
    let tenths = 1 + seed % 9;
    let mut row = || (0..n_items).filter(|_| random.below(10) < tenths).collect();
    Context::of(&(0..n_rows).map(|_| row()).collect::<Vec<Vec<u32>>>())
}

#[test]
fn all_miners_agree_with_the_definition_on_ten_thousand_contexts() {
    (0..N_CONTEXTS).into_par_iter().for_each(|seed| {
        let context = context(seed);
        let oracle = Oracle::new(&context);
        for target in [Target::All, Target::Closed, Target::Maximal] {
            for min_support in 1..=context.n_transactions() as u32 + 1 {
                let task = Task::new(target, min_support);
                let wanted = oracle.sets(&task);
                // Every other context is mined as it is, without the reduction.
                let preparation =
                    if seed % 2 == 0 { Preparation::Reduced } else { Preparation::Raw };
                let task = Task { preparation, ..task };
                for miner in MINERS.iter().filter(|m| m.spec().targets.contains(&target)) {
                    let mut found = Vec::new();
                    let outcome = mine(*miner, &context, &task, &mut |set, support| {
                        found.push((set.to_vec(), support));
                    });
                    found.sort();
                    assert!(outcome.is_complete());
                    assert_eq!(found, wanted, "{} {task:?} {seed}", miner.spec().name);
                }
            }
        }
    });
}
