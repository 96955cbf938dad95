//! The sets already found, each kept at the next of its items.

use crate::halt::Halt;
use crate::ranks::{NONE, cut_down};
use crate::task::Flow;

/// Sets found so far that hold the head of a call, cut down to the items still to come, each in
/// the list of its first.
#[derive(Debug, Default)]
pub(super) struct Existing {
    ranks: Vec<u32>,
    sets: Vec<Set>,
    /// The first set of each rank; others follow by `next`.
    heads: Vec<u32>,
    sorted: Vec<Set>,
    /// When more ranks than this are stored, those no longer needed are removed.
    most_ranks: usize,
}

#[derive(Clone, Copy, Debug)]
struct Set {
    start: u32,
    end: u32,
    next: u32,
    /// One bit for each rank modulo 64, those taken off by now included.
    signature: u64,
}

/// Up to so many stored ranks, sets that are no longer needed are not looked for.
const MANY_RANKS: usize = 1 << 22;

impl Existing {
    /// Forgets all sets; new ones are over `n` ranks.
    pub(super) fn reset(&mut self, n: usize) {
        self.ranks.clear();
        self.sets.clear();
        self.heads.clear();
        self.heads.resize(n, NONE);
        self.most_ranks = MANY_RANKS;
    }

    /// Bytes held, room for growth included.
    pub(super) fn held_bytes(&self) -> usize {
        let sets = self.sets.capacity() + self.sorted.capacity();
        (self.ranks.capacity() + self.heads.capacity()) * 4 + sets * size_of::<Set>()
    }

    /// Adds a set, ranks ascending.
    pub(super) fn insert(&mut self, ranks: &[u32]) {
        let Some(&first) = ranks.first() else { return };
        if self.ranks.len() > self.most_ranks {
            self.compact();
        }
        let start = self.ranks.len() as u32;
        self.ranks.extend_from_slice(ranks);
        let end = self.ranks.len() as u32;
        let set = Set { start, end, next: self.heads[first as usize], signature: signature(ranks) };
        self.heads[first as usize] = self.sets.len() as u32;
        self.sets.push(set);
    }

    fn compact(&mut self) {
        let mut kept = Self::default();
        kept.reset(self.heads.len());
        for rank in 0..self.heads.len() as u32 {
            for set in self.of(rank) {
                kept.insert(self.ranks_of(set));
            }
        }
        kept.most_ranks = MANY_RANKS.max(2 * kept.ranks.len());
        *self = kept;
    }

    fn of(&self, rank: u32) -> impl Iterator<Item = &Set> {
        let get = |at: u32| self.sets.get(at as usize);
        std::iter::successors(get(self.heads[rank as usize]), move |set| get(set.next))
    }

    fn ranks_of(&self, set: &Set) -> &[u32] {
        &self.ranks[set.start as usize..set.end as usize]
    }

    /// Drops repeats, and beginnings of other sets, from the list of `rank`.
    pub(super) fn tidy(&mut self, rank: u32, halt: Halt<'_>) -> Flow {
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.clear();
        sorted.extend(self.of(rank));
        halt.sort_by(&mut sorted, |a, b| self.ranks_of(b).cmp(self.ranks_of(a)))?;
        sorted.dedup_by(|next, kept| self.ranks_of(kept).starts_with(self.ranks_of(next)));
        // The entries of the list are overwritten with the sets that remain; the rest stay unused.
        let mut at = self.heads[rank as usize];
        let mut link = NONE;
        for set in &sorted {
            link = at;
            let next = self.sets[at as usize].next;
            self.sets[at as usize] = Set { next, ..*set };
            at = next;
        }
        if link != NONE {
            self.sets[link as usize].next = NONE;
        }
        self.sorted = sorted;
        Flow::Continue(())
    }

    /// Returns whether a set holds `rank` and all after it.
    pub(super) fn holds_all_from(&self, rank: u32) -> bool {
        let len = self.heads.len() as u32 - rank;
        self.of(rank).any(|set| set.end - set.start == len)
    }

    /// Returns whether a set holds `rank` and `after`, ascending.
    pub(super) fn holds(&self, rank: u32, after: &[u32]) -> bool {
        let wanted = signature(after);
        self.of(rank)
            .any(|set| wanted & !set.signature == 0 && is_subset(after, &self.ranks_of(set)[1..]))
    }

    /// Adds to `child` every set with `rank` and the `n_in_all` ranks that `new` marks as `IN_ALL`,
    /// cut down to the ranks that `new` names; `new` begins with the rank after `rank`.
    pub(super) fn project(
        &self,
        (rank, new, n_in_all): (u32, &[u32], usize),
        child: &mut Self,
        path: &mut Vec<u32>,
        halt: Halt<'_>,
    ) -> Flow {
        for (at, set) in self.of(rank).enumerate() {
            halt.look_at(at)?;
            let others = self.ranks_of(set)[1..].iter();
            let new_ranks = others.map(|&other| new[(other - rank - 1) as usize]);
            if cut_down(new_ranks, n_in_all, path) {
                child.insert(path);
            }
        }
        Flow::Continue(())
    }

    /// Takes `rank` off the sets that begin with it.
    pub(super) fn push_right(&mut self, rank: u32) {
        let mut at = std::mem::replace(&mut self.heads[rank as usize], NONE);
        while at != NONE {
            let set = &mut self.sets[at as usize];
            let next = set.next;
            set.start += 1;
            if set.start < set.end {
                let head = &mut self.heads[self.ranks[set.start as usize] as usize];
                set.next = std::mem::replace(head, at);
            }
            at = next;
        }
    }
}

fn signature(ranks: &[u32]) -> u64 {
    ranks.iter().fold(0, |bits, rank| bits | 1 << (rank % 64))
}

fn is_subset(a: &[u32], b: &[u32]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len() && a.iter().all(|x| rest.find(|y| *y >= x) == Some(x))
}
