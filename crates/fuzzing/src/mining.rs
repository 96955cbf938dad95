//! Miners, compared with the definition.

use retold_mine::oracle::Oracle;
use retold_mine::{Context, MINERS, Target, Task, mine};

/// Items and transactions, few enough for every subset to be looked at.
const MOST_ITEMS: usize = 12;
const MOST_TRANSACTIONS: usize = 24;

/// Mines the transactions that the bytes make, at the support that the first says: every two are the items of
/// one. `FPmax*` and the others find the maximal sets and the closed ones that the definition says.
pub(crate) fn maximal_sets(bytes: &[u8]) {
    let Some((&support, rest)) = bytes.split_first() else { return };
    let rows: Vec<Vec<u32>> = rest
        .chunks(2)
        .take(MOST_TRANSACTIONS)
        .map(|pair| pair.iter().fold(0, |bits, &byte| bits << 8 | usize::from(byte)))
        .map(|bits| {
            (0..MOST_ITEMS).filter(|item| bits >> item & 1 == 1).map(|item| item as u32).collect()
        })
        .collect();
    let context = Context::of(&rows);
    let oracle = Oracle::new(&context);
    for target in [Target::Maximal, Target::Closed] {
        let task = Task::new(target, u32::from(support % 8));
        let wanted = oracle.sets(&task);
        for miner in MINERS.iter().filter(|miner| miner.spec().targets.contains(&target)) {
            let mut found = Vec::new();
            let mut take = |set: &[u32], support: u32| found.push((set.to_vec(), support));
            assert!(mine(*miner, &context, &task, &mut take).is_complete());
            found.sort();
            assert_eq!(found, wanted, "{} at {support}", miner.spec().name);
        }
    }
}
