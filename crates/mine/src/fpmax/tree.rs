//! The FP-tree: transactions that begin alike share the nodes of their beginning.

use crate::halt::Halt;
use crate::ranks::{IN_ALL, NONE};
use crate::task::Flow;

/// Pair counts are kept for trees of at most so many items: four megabytes.
const MOST_PAIRED_ITEMS: usize = 1_448;

/// Pair counts are kept for trees of at most so many items per transaction.
const ITEMS_PER_PATH: usize = 8;

/// A tree of weighted transactions over items ranked by descending count: rank 0 is the most
/// frequent and stands nearest to the root.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The table's item of each rank.
    pub(super) items: Vec<u32>,
    /// Transactions that hold each rank.
    pub(super) counts: Vec<u32>,
    /// The first node of each rank; others follow by `next`.
    heads: Vec<u32>,
    /// The root, then all others, each after its parent.
    nodes: Vec<Node>,
    /// Count of each pair of ranks i > j at i (i - 1) / 2 + j; empty if not kept.
    pairs: Vec<u32>,
    /// Transactions that hold all ranks.
    pub(super) count_of_all: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    rank: u32,
    count: u32,
    parent: u32,
    next: u32,
}

/// Weighted transactions on their way into a tree.
#[derive(Debug, Default)]
pub(super) struct Paths {
    /// Transactions over at most 64 ranks: the highest bit is rank 0.
    narrow: Vec<(u64, u32)>,
    /// Others: where they lie in `ranks`, and their weights.
    wide: Vec<(u32, u32, u32)>,
    ranks: Vec<u32>,
    branch: Vec<u32>,
    row: Vec<u32>,
}

impl Tree {
    /// Empties the tree for the items whose counts were put into `items` and `counts`.
    pub(super) fn reset(&mut self) {
        let n = self.items.len();
        self.heads.clear();
        self.heads.resize(n, NONE);
        self.nodes.clear();
        self.nodes.push(Node { rank: NONE, count: 0, parent: NONE, next: NONE });
        self.pairs.clear();
        self.count_of_all = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Bytes held, room for growth included.
    pub(super) fn held_bytes(&self) -> usize {
        let numbers = self.items.capacity()
            + self.counts.capacity()
            + self.heads.capacity()
            + self.pairs.capacity();
        numbers * 4 + self.nodes.capacity() * size_of::<Node>()
    }

    /// Builds the tree of `paths`, with its pair counts unless they would be many for the few
    /// transactions.
    ///
    /// Transactions are sorted, so each shares its first nodes with the one before it, and children
    /// need not be looked up.
    pub(super) fn build(&mut self, paths: &mut Paths, halt: Halt<'_>) -> Flow {
        let n = self.len();
        self.reset();
        if n <= MOST_PAIRED_ITEMS && n <= ITEMS_PER_PATH * paths.len() {
            self.pairs.resize(n * n.saturating_sub(1) / 2, 0);
        }
        let mut branch = std::mem::take(&mut paths.branch);
        branch.clear();
        if n <= 64 {
            halt.sort_by(&mut paths.narrow, |a, b| b.0.cmp(&a.0))?;
            let mut row = std::mem::take(&mut paths.row);
            let mut before = 0u64;
            let mut at = 0;
            while at < paths.narrow.len() {
                halt.look_at(at)?;
                let bits = paths.narrow[at].0;
                let mut weight = 0;
                while at < paths.narrow.len() && paths.narrow[at].0 == bits {
                    weight += paths.narrow[at].1;
                    at += 1;
                }
                row.clear();
                let mut left = bits;
                while left != 0 {
                    let rank = left.leading_zeros();
                    row.push(rank);
                    left ^= 1 << (63 - rank);
                }
                let shared_bits = (bits ^ before).leading_zeros();
                let shared = bits.checked_shr(64 - shared_bits).unwrap_or(0).count_ones();
                before = bits;
                self.add(&row, weight, shared as usize, &mut branch);
            }
            paths.row = row;
        } else {
            let ranks = &paths.ranks;
            let row = |&(start, end, _): &(u32, u32, u32)| &ranks[start as usize..end as usize];
            halt.sort_by(&mut paths.wide, |a, b| row(a).cmp(row(b)))?;
            let mut before: &[u32] = &[];
            for (at, span) in paths.wide.iter().enumerate() {
                halt.look_at(at)?;
                let path = row(span);
                let shared = path.iter().zip(before).take_while(|(a, b)| a == b).count();
                before = path;
                self.add(path, span.2, shared, &mut branch);
            }
        }
        if branch_is_full(&self.nodes, n) {
            self.count_of_all = self.nodes[n].count;
        }
        paths.branch = branch;
        Flow::Continue(())
    }

    /// Adds a transaction that shares its first `shared` ranks with the one before it, whose nodes
    /// are in `branch`.
    fn add(&mut self, path: &[u32], weight: u32, shared: usize, branch: &mut Vec<u32>) {
        branch.truncate(shared);
        for &node in branch.iter() {
            self.nodes[node as usize].count += weight;
        }
        for &rank in &path[shared..] {
            let parent = branch.last().copied().unwrap_or(0);
            branch.push(self.nodes.len() as u32);
            let next = self.heads[rank as usize];
            self.heads[rank as usize] = self.nodes.len() as u32;
            self.nodes.push(Node { rank, count: weight, parent, next });
        }
        if !self.pairs.is_empty() {
            for (i, &below) in path.iter().enumerate() {
                let start = below as usize * (below as usize).saturating_sub(1) / 2;
                let pairs = &mut self.pairs[start..start + below as usize];
                for &above in &path[..i] {
                    pairs[above as usize] += weight;
                }
            }
        }
    }

    /// Counts, for each rank above `rank`, the transactions with both, into `counts`.
    pub(super) fn count_with(&self, rank: u32, counts: &mut Vec<u32>, halt: Halt<'_>) -> Flow {
        counts.clear();
        if !self.pairs.is_empty() {
            let start = rank as usize * (rank as usize).saturating_sub(1) / 2;
            counts.extend_from_slice(&self.pairs[start..start + rank as usize]);
            return Flow::Continue(());
        }
        counts.resize(rank as usize, 0);
        let mut node = self.heads[rank as usize];
        while node != NONE {
            halt.look_at(node as usize)?;
            let Node { count, mut parent, next, .. } = self.nodes[node as usize];
            while parent != 0 {
                let above = &self.nodes[parent as usize];
                counts[above.rank as usize] += count;
                parent = above.parent;
            }
            node = next;
        }
        Flow::Continue(())
    }

    /// Puts the transactions with `rank` into `paths`, over the ranks `new` gives to those kept.
    pub(super) fn project(
        &self,
        rank: u32,
        new: &[u32],
        n_new: usize,
        paths: &mut Paths,
        halt: Halt<'_>,
    ) -> Flow {
        paths.clear();
        let mut node = self.heads[rank as usize];
        while node != NONE {
            halt.look_at(node as usize)?;
            let Node { count, mut parent, next, .. } = self.nodes[node as usize];
            let start = paths.ranks.len();
            let mut bits = 0;
            while parent != 0 {
                let above = &self.nodes[parent as usize];
                let new = new[above.rank as usize];
                if new < IN_ALL {
                    if n_new <= 64 {
                        bits |= 1 << (63 - new);
                    } else {
                        paths.ranks.push(new);
                    }
                }
                parent = above.parent;
            }
            if bits != 0 {
                paths.narrow.push((bits, count));
            }
            paths.end_wide(start, count);
            node = next;
        }
        Flow::Continue(())
    }
}

/// Whether the first branch, which is the least in the order of ranks, holds all of them.
fn branch_is_full(nodes: &[Node], n: usize) -> bool {
    let is_next = |i: usize| nodes[i + 1].rank == i as u32 && nodes[i + 1].parent == i as u32;
    nodes.len() > n && (0..n).all(is_next)
}

impl Paths {
    pub(super) fn clear(&mut self) {
        self.narrow.clear();
        self.wide.clear();
        self.ranks.clear();
    }

    /// Adds a transaction over `n` ranks, in any order.
    pub(super) fn push(&mut self, ranks: impl Iterator<Item = u32>, weight: u32, n: usize) {
        if n <= 64 {
            let bits = ranks.fold(0, |bits, rank| bits | 1 << (63 - rank));
            self.narrow.push((bits, weight));
        } else {
            let start = self.ranks.len();
            self.ranks.extend(ranks);
            self.end_wide(start, weight);
        }
    }

    fn end_wide(&mut self, start: usize, weight: u32) {
        if self.ranks.len() > start {
            self.ranks[start..].sort_unstable();
            self.wide.push((start as u32, self.ranks.len() as u32, weight));
        }
    }

    fn len(&self) -> usize {
        self.narrow.len() + self.wide.len()
    }

    /// Bytes held, room for growth included.
    pub(super) fn held_bytes(&self) -> usize {
        self.narrow.capacity() * 16 + self.wide.capacity() * 12 + self.ranks.capacity() * 4
    }
}
