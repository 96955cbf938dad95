//! The tree of sets already found (MFI-tree, CFI-tree).

use std::ops::ControlFlow;

use crate::halt::Halt;
use crate::ranks::{NONE, cut_down};
use crate::task::{Cut, Flow};

/// Slots of the smallest hash table of nodes; a power of two.
const FEWEST_SLOTS: usize = 64;

/// Up to so many nodes, those no longer needed are not looked for.
const MANY_NODES: usize = 1 << 20;

/// Sets found so far that hold the head of a call, cut down to the items still to come in it.
///
/// A set is a path from the root, ranks ascending.
#[derive(Debug, Default)]
pub(super) struct Known {
    nodes: Vec<Node>,
    /// The first node of each rank; others follow by `next`.
    heads: Vec<u32>,
    /// The deepest level of a node of each rank.
    deepest: Vec<u32>,
    /// Hash table of nodes by parent and rank, with linear probing; at least half of it is empty.
    slots: Vec<u32>,
    /// The ranks and nodes of the set added last.
    last: Vec<(u32, u32)>,
    /// When there are more nodes than this, those no longer needed are removed.
    most_nodes: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    rank: u32,
    parent: u32,
    next: u32,
    /// Nodes from the root to here, without the root.
    level: u32,
    /// The largest support of a set that passes here.
    support: u32,
}

impl Known {
    /// Empties the tree for sets over `n` ranks.
    pub(super) fn reset(&mut self, n: usize) {
        self.nodes.clear();
        self.nodes.push(Node { rank: NONE, parent: NONE, next: NONE, level: 0, support: 0 });
        self.heads.clear();
        self.heads.resize(n, NONE);
        self.deepest.clear();
        self.deepest.resize(n, 0);
        self.slots.clear();
        self.slots.resize(FEWEST_SLOTS, NONE);
        self.last.clear();
        self.most_nodes = MANY_NODES;
    }

    /// Bytes held, room for growth included.
    pub(super) fn held_bytes(&self) -> usize {
        let numbers = self.heads.capacity() + self.deepest.capacity() + self.slots.capacity();
        numbers * 4 + self.nodes.capacity() * size_of::<Node>()
    }

    /// Adds a set, ranks ascending. From now on only ranks less than `below` are asked for.
    pub(super) fn insert(&mut self, ranks: &[u32], support: u32, below: u32) {
        if self.nodes.len() > self.most_nodes {
            self.compact(below);
        }
        // Sets found one after another begin alike.
        let alike = self.last.iter().zip(ranks).take_while(|(last, rank)| last.0 == **rank).count();
        self.last.truncate(alike);
        let mut at = self.last.last().map_or(0, |last| last.1);
        for &rank in &ranks[alike..] {
            at = self.child(at, rank);
            self.last.push((rank, at));
        }
        if support > 0 {
            for &(_, node) in &self.last {
                let node = &mut self.nodes[node as usize];
                node.support = node.support.max(support);
            }
        }
    }

    /// Removes the nodes of ranks not less than `below`.
    fn compact(&mut self, below: u32) {
        let mut new = vec![0; self.nodes.len()];
        let mut n_kept = 1;
        for old in 1..self.nodes.len() {
            let node = self.nodes[old];
            if node.rank < below {
                // Parents come first and have lesser ranks, so they were kept.
                let parent = new[node.parent as usize];
                let next = if node.next == NONE { NONE } else { new[node.next as usize] };
                self.nodes[n_kept] = Node { parent, next, ..node };
                new[old] = n_kept as u32;
                n_kept += 1;
            }
        }
        self.nodes.truncate(n_kept);
        let n_asked = self.heads.len().min(below as usize);
        for head in &mut self.heads[..n_asked] {
            *head = if *head == NONE { NONE } else { new[*head as usize] };
        }
        self.last.clear();
        self.most_nodes = MANY_NODES.max(2 * n_kept);
        let mut len = FEWEST_SLOTS;
        while len < 2 * n_kept {
            len *= 4;
        }
        self.place_all(len);
    }

    fn child(&mut self, parent: u32, rank: u32) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot = place(parent, rank) & mask;
        while self.slots[slot] != NONE {
            let found = self.slots[slot];
            let node = &self.nodes[found as usize];
            if node.parent == parent && node.rank == rank {
                return found;
            }
            slot = (slot + 1) & mask;
        }
        let new = self.nodes.len() as u32;
        let level = self.nodes[parent as usize].level + 1;
        let next = self.heads[rank as usize];
        self.nodes.push(Node { rank, parent, next, level, support: 0 });
        self.heads[rank as usize] = new;
        let deepest = &mut self.deepest[rank as usize];
        *deepest = level.max(*deepest);
        self.slots[slot] = new;
        if self.nodes.len() * 2 > self.slots.len() {
            self.place_all(self.slots.len() * 4);
        }
        new
    }

    /// Makes the hash table anew, with `len` slots.
    fn place_all(&mut self, len: usize) {
        self.slots.clear();
        self.slots.resize(len, NONE);
        for (number, node) in self.nodes.iter().enumerate().skip(1) {
            let mut slot = place(node.parent, node.rank) & (len - 1);
            while self.slots[slot] != NONE {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = number as u32;
        }
    }

    /// Returns whether a known set holds every rank up to `rank`.
    pub(super) fn holds_all_to(&self, rank: u32) -> bool {
        self.deepest[rank as usize] == rank + 1
    }

    /// Returns whether a known set of at least this support holds `rank` and `above`, all less
    /// than `rank`, ascending.
    pub(super) fn holds(
        &self,
        rank: u32,
        above: &[u32],
        support: u32,
        halt: Halt<'_>,
    ) -> ControlFlow<Cut, bool> {
        let len = above.len() as u32 + 1;
        if self.deepest[rank as usize] < len {
            return ControlFlow::Continue(false);
        }
        let mut node = self.heads[rank as usize];
        while node != NONE {
            halt.look_at(node as usize)?;
            let Node { level, next, parent, support: its_support, .. } = self.nodes[node as usize];
            if level >= len && its_support >= support && self.is_above(parent, above) {
                return ControlFlow::Continue(true);
            }
            node = next;
        }
        ControlFlow::Continue(false)
    }

    /// Returns whether the path to `node` holds all of `ranks`, ascending.
    fn is_above(&self, mut node: u32, ranks: &[u32]) -> bool {
        let mut left = ranks.len();
        while left > 0 {
            let at = &self.nodes[node as usize];
            if (at.level as usize) < left || at.rank < ranks[left - 1] {
                return false;
            }
            left -= usize::from(at.rank == ranks[left - 1]);
            node = at.parent;
        }
        true
    }

    /// Adds to `child` every known set with `rank` and the `n_in_all` ranks that `new` marks as
    /// `IN_ALL`, cut down to the ranks that `new` names.
    pub(super) fn project(
        &self,
        (rank, new, n_in_all): (u32, &[u32], usize),
        child: &mut Self,
        path: &mut Vec<u32>,
        halt: Halt<'_>,
    ) -> Flow {
        let mut node = self.heads[rank as usize];
        while node != NONE {
            halt.look_at(node as usize)?;
            let Node { next, mut parent, support, .. } = self.nodes[node as usize];
            let new_ranks = std::iter::from_fn(|| {
                let above = &self.nodes[parent as usize];
                (parent != 0).then(|| {
                    parent = above.parent;
                    new[above.rank as usize]
                })
            });
            if cut_down(new_ranks, n_in_all, path) && !path.is_empty() {
                child.insert(path, support, u32::MAX);
            }
            node = next;
        }
        Flow::Continue(())
    }
}

fn place(parent: u32, rank: u32) -> usize {
    let key = u64::from(parent) << 32 | u64::from(rank);
    let mixed = (key ^ key >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 24) as usize
}
