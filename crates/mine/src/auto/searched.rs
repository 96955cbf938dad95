//! The sets that were found for a seed.

use std::collections::HashSet;

use super::mask::Mask;
use super::seed::{Found, Seed};
use crate::table::mix;
use crate::task::{Cut, Flow};

/// A seed that was searched, whatever the width of its masks.
pub(super) trait Searched: Send {
    fn n_sets(&self) -> u64;
    fn n_steps(&self) -> u64;
    fn cut(&self) -> Option<Cut>;

    /// Gives out the sets found within `steps`, at most `most`; `each` gets members and support.
    /// Returns how many were given out.
    fn give(
        &self,
        most: u64,
        steps: u64,
        each: &mut dyn FnMut(&[u32], u32) -> Flow,
    ) -> Result<u64, Cut>;

    /// Returns a hash of the items of each of the first `n` sets.
    fn item_hashes(&self, n: u64) -> HashSet<u64>;
}

/// A seed with the sets found for it.
pub(super) struct SearchedSeed<M> {
    pub(super) seed: Seed<M>,
    /// Support of the seed alone, and of the seed with others that lack nothing of it.
    pub(super) supports: [u32; 2],
    /// The context's items behind the seed and its later neighbours, ascending.
    pub(super) members: Vec<(u32, M)>,
    pub(super) found: Vec<Found<M>>,
    pub(super) n_steps: u64,
    pub(super) cut: Option<Cut>,
}

impl<M: Mask> Searched for SearchedSeed<M> {
    fn n_sets(&self) -> u64 {
        self.found.len() as u64
    }

    fn n_steps(&self) -> u64 {
        self.n_steps
    }

    fn cut(&self) -> Option<Cut> {
        self.cut
    }

    fn give(
        &self,
        most: u64,
        steps: u64,
        each: &mut dyn FnMut(&[u32], u32) -> Flow,
    ) -> Result<u64, Cut> {
        let mut items = Vec::new();
        let mut n_given = 0;
        for found in self.found.iter().take(most as usize) {
            if found.at_step > steps {
                break;
            }
            items.clear();
            let inside = self.members.iter().filter(|(_, mask)| mask.is_in(found.union));
            items.extend(inside.map(|&(member, _)| member));
            let is_alone = !self.seed.after.iter().any(|(mask, _)| mask.is_in(found.union));
            let support =
                if is_alone { self.supports[0] } else { self.supports[1] - found.union.len() };
            if let Flow::Break(cut) = each(&items, support) {
                return Err(cut);
            }
            n_given += 1;
        }
        Ok(n_given)
    }

    fn item_hashes(&self, n: u64) -> HashSet<u64> {
        let hash = |found: &Found<M>| {
            let inside = self.seed.after.iter().filter(|(mask, _)| mask.is_in(found.union));
            hash_of(inside.map(|&(_, item)| item).chain([self.seed.item]))
        };
        self.found.iter().take(n as usize).map(hash).collect()
    }
}

/// Returns a hash of a set, whatever the order of its items.
pub(super) fn hash_of(items: impl Iterator<Item = u32>) -> u64 {
    items.fold(0, |sum, item| sum.wrapping_add(mix(u64::from(item))))
}
