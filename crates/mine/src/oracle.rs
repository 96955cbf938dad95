//! The definition itself, for tests: every subset of the items is looked at.

use crate::context::Context;
use crate::task::{Target, Task};

/// Returns the sets asked for with their supports, in ascending order. Limits are not kept.
///
/// *Panics*: with more than 20 items, as the time doubles with each; and for covers, of which there
/// may be several.
pub fn oracle(context: &Context, task: &Task) -> Vec<(Vec<u32>, u32)> {
    let n_items = context.n_items();
    assert!(n_items <= 20, "2^{n_items} sets are too many to look at");
    let full: u32 = if n_items == 0 { 0 } else { u32::MAX >> (32 - n_items) };
    let mut transactions: Vec<u32> =
        context.rows().map(|row| row.iter().fold(0, |bits, item| bits | 1 << item)).collect();
    for (item, &count) in context.alone().iter().enumerate() {
        transactions.extend(std::iter::repeat_n(1u32 << item, count as usize));
    }
    let support = |set: u32| transactions.iter().filter(|row| *row & set == set).count() as u32;
    let supports: Vec<u32> = (0..=full).map(support).collect();
    let one_more = |set: u32| (0..n_items).map(|item| 1 << item).filter(move |bit| set & bit == 0);
    let wanted = |&set: &u32| {
        let own = supports[set as usize];
        let larger = || one_more(set).map(|bit| supports[(set | bit) as usize]);
        own >= task.min_support
            && set.count_ones() as usize >= task.min_size.max(1)
            && match task.target {
                Target::All => true,
                Target::Closed => larger().all(|other| other < own),
                Target::Maximal => larger().all(|other| other < task.min_support),
                Target::Cover => unimplemented!("a context may have several covers"),
            }
    };
    let items = |set: u32| (0..n_items as u32).filter(|item| set >> item & 1 == 1).collect();
    let mut found: Vec<(Vec<u32>, u32)> =
        (1..=full).filter(wanted).map(|set| (items(set), supports[set as usize])).collect();
    found.sort_unstable();
    found
}
