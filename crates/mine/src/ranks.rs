//! Ranks of items in nested calls, for searches down conditional trees (`fpmax`, `afopt`).
//!
//! Each call of such a search ranks its own items anew. Going down, a rank of the caller becomes
//! another rank, or [`IN_ALL`], or [`NONE`]. Coming back, the ranks of a set are turned into those
//! of the caller.

/// No rank, or no node of a tree.
pub(crate) const NONE: u32 = u32::MAX;

/// Stands for a rank of the caller whose item is in every transaction of the call.
pub(crate) const IN_ALL: u32 = u32::MAX - 1;

/// The items of a call as the caller ranks them.
#[derive(Debug, Default)]
pub(crate) struct CallerRanks {
    /// By the ranks of the call.
    ranks: Vec<u32>,
    /// Of the items in every transaction of the call.
    in_all: Vec<u32>,
}

impl CallerRanks {
    /// Sets the ranks of a new call.
    pub(crate) fn set(&mut self, ranks: &[u32], in_all: impl Iterator<Item = u32>) {
        self.ranks.clear();
        self.ranks.extend_from_slice(ranks);
        self.in_all.clear();
        self.in_all.extend(in_all);
    }

    /// Turns `set` with the item of rank `at` into the same set as the caller ranks it, ascending;
    /// `spare` is overwritten.
    #[inline]
    pub(crate) fn lift(&self, set: &mut Vec<u32>, at: u32, spare: &mut Vec<u32>) {
        spare.clear();
        spare.extend(set.iter().map(|&rank| self.ranks[rank as usize]));
        spare.push(self.ranks[at as usize]);
        spare.extend_from_slice(&self.in_all);
        spare.sort_unstable();
        std::mem::swap(set, spare);
    }
}

/// Cuts a known set down to the items of a call. `new_ranks` are what its ranks become; those that
/// remain go to `set`, ascending. Returns whether the set holds all `n_in_all` items that are in
/// every transaction of the call; if not, `set` means nothing.
#[inline]
pub(crate) fn cut_down(
    new_ranks: impl Iterator<Item = u32>,
    n_in_all: usize,
    set: &mut Vec<u32>,
) -> bool {
    set.clear();
    let mut n_met = 0;
    for new in new_ranks {
        match new {
            NONE => {}
            IN_ALL => n_met += 1,
            new => set.push(new),
        }
    }
    let holds_all = n_met == n_in_all;
    if holds_all {
        set.sort_unstable();
    }
    holds_all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_cut_down_only_if_it_has_what_is_in_all() {
        let mut set = Vec::new();
        assert!(cut_down([2, NONE, IN_ALL, 0].into_iter(), 1, &mut set));
        assert_eq!(set, [0, 2]);
        assert!(!cut_down([2, 0].into_iter(), 1, &mut set));
    }

    #[test]
    fn a_set_comes_back_in_the_ranks_of_the_caller() {
        let mut ranks = CallerRanks::default();
        ranks.set(&[7, 3, 9], [1].into_iter());
        let mut set = vec![0, 2];
        ranks.lift(&mut set, 1, &mut Vec::new());
        assert_eq!(set, [1, 3, 7, 9]);
    }
}
