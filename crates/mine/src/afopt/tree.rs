//! The AFOPT-tree: transactions by ascending frequency, read from the top.

use crate::halt::Halt;
use crate::ranks::{IN_ALL, NONE};
use crate::task::Flow;

/// Weighted transactions over items ranked by ascending count, as a prefix tree with one root per
/// first rank. A branch that never parts is an array, the *tail* of its first node.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The table's item of each rank.
    pub(super) items: Vec<u32>,
    /// Transactions that hold each rank.
    pub(super) counts: Vec<u32>,
    /// The node of each rank that begins transactions.
    roots: Vec<u32>,
    nodes: Vec<Node>,
    tails: Vec<u32>,
    /// Nodes to be used again.
    free: Vec<u32>,
    to_merge: Vec<(u32, u32)>,
}

/// A node has children or a tail or neither.
#[derive(Clone, Copy, Debug)]
struct Node {
    rank: u32,
    count: u32,
    /// The first child, and the next of the same parent; ranks ascend.
    child: u32,
    next: u32,
    /// Where the tail lies, and the transactions that have it.
    tail: (u32, u32),
    tail_count: u32,
}

/// Weighted transactions on their way into a tree.
#[derive(Debug, Default)]
pub(super) struct Paths {
    /// Where they lie in `ranks`, and their weights.
    spans: Vec<(u32, u32, u32)>,
    ranks: Vec<u32>,
}

impl Paths {
    pub(super) fn clear(&mut self) {
        self.spans.clear();
        self.ranks.clear();
    }

    /// Adds a transaction, ranks in any order.
    pub(super) fn push(&mut self, ranks: impl Iterator<Item = u32>, weight: u32) {
        let start = self.ranks.len();
        self.ranks.extend(ranks);
        if self.ranks.len() > start {
            self.ranks[start..].sort_unstable();
            self.spans.push((start as u32, self.ranks.len() as u32, weight));
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u32], u32)> {
        self.spans
            .iter()
            .map(|&(start, end, weight)| (&self.ranks[start as usize..end as usize], weight))
    }

    /// Brings the transactions into order and makes equal ones one.
    fn sort(&mut self, halt: Halt<'_>) -> Flow {
        let ranks = &self.ranks;
        let row = |span: &(u32, u32, u32)| &ranks[span.0 as usize..span.1 as usize];
        halt.sort_by(&mut self.spans, |a, b| row(a).cmp(row(b)))?;
        self.spans.dedup_by(|next, kept| {
            let is_same = row(next) == row(kept);
            kept.2 += u32::from(is_same) * next.2;
            is_same
        });
        Flow::Continue(())
    }

    /// Bytes held, room for growth included.
    pub(super) fn held_bytes(&self) -> usize {
        self.spans.capacity() * 12 + self.ranks.capacity() * 4
    }
}

impl Tree {
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Bytes held, room for growth included.
    pub(super) fn held_bytes(&self) -> usize {
        let numbers = self.items.capacity()
            + self.counts.capacity()
            + self.roots.capacity()
            + self.tails.capacity()
            + self.free.capacity();
        numbers * 4 + self.nodes.capacity() * size_of::<Node>()
    }

    /// Builds the tree of `paths` for the items whose counts were put into `items` and `counts`.
    pub(super) fn build(&mut self, paths: &mut Paths, halt: Halt<'_>) -> Flow {
        paths.sort(halt)?;
        self.roots.clear();
        self.roots.resize(self.items.len(), NONE);
        self.nodes.clear();
        self.tails.clear();
        self.free.clear();
        let mut branch: Vec<u32> = Vec::new();
        let mut shared = 0;
        let mut rows = paths.iter().peekable();
        while let Some((row, weight)) = rows.next() {
            halt.look_at(self.nodes.len())?;
            let shared_with_next = rows
                .peek()
                .map_or(0, |(next, _)| row.iter().zip(*next).take_while(|(a, b)| a == b).count());
            for &node in &branch[..shared] {
                self.nodes[node as usize].count += weight;
            }
            let n_nodes = row.len().min(shared.max(shared_with_next) + 1);
            for (depth, &rank) in row.iter().enumerate().take(n_nodes).skip(shared) {
                let node = self.node(rank, weight);
                match depth {
                    0 => self.roots[rank as usize] = node,
                    // A node left in the branch at this depth is the sibling before, unless its
                    // parent was left as well.
                    _ if depth == shared && depth < branch.len() => {
                        self.nodes[branch[depth] as usize].next = node;
                    }
                    _ => self.nodes[branch[depth - 1] as usize].child = node,
                }
                branch.truncate(depth);
                branch.push(node);
            }
            branch.truncate(n_nodes);
            if let (Some(&last), true) = (branch.last(), row.len() > n_nodes) {
                let start = self.tails.len() as u32;
                self.tails.extend_from_slice(&row[n_nodes..]);
                let node = &mut self.nodes[last as usize];
                node.tail = (start, self.tails.len() as u32);
                node.tail_count = weight;
            }
            shared = shared_with_next;
        }
        Flow::Continue(())
    }

    fn node(&mut self, rank: u32, count: u32) -> u32 {
        let node = Node { rank, count, child: NONE, next: NONE, tail: (0, 0), tail_count: 0 };
        if let Some(free) = self.free.pop() {
            self.nodes[free as usize] = node;
            return free;
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    fn tail(&self, node: &Node) -> &[u32] {
        &self.tails[node.tail.0 as usize..node.tail.1 as usize]
    }

    /// Counts, for each rank after `rank`, the transactions that begin with `rank` and hold it;
    /// the count of rank r is at r - `rank` - 1.
    pub(super) fn count_with(
        &self,
        rank: u32,
        counts: &mut Vec<u32>,
        stack: &mut Vec<u32>,
        halt: Halt<'_>,
    ) -> Flow {
        counts.clear();
        counts.resize(self.len() - rank as usize - 1, 0);
        stack.clear();
        let first = rank + 1;
        let mut below = self.roots[rank as usize];
        while below != NONE {
            halt.look_at(below as usize)?;
            let node = &self.nodes[below as usize];
            for &rank in self.tail(node) {
                counts[(rank - first) as usize] += node.tail_count;
            }
            let mut child = node.child;
            while child != NONE {
                let node = &self.nodes[child as usize];
                counts[(node.rank - first) as usize] += node.count;
                stack.push(child);
                child = node.next;
            }
            below = stack.pop().unwrap_or(NONE);
        }
        Flow::Continue(())
    }

    /// Returns the number of transactions that hold `rank` and all after it.
    pub(super) fn count_of_all_from(&self, rank: u32) -> u32 {
        let mut at = self.roots[rank as usize];
        let mut next = rank + 1;
        let end = self.len() as u32;
        while at != NONE {
            let node = &self.nodes[at as usize];
            if next == end {
                return node.count;
            }
            // Ranks ascend, so a tail of the right length is the right one.
            if node.tail.1 - node.tail.0 == end - next {
                return node.tail_count;
            }
            at = node.child;
            if at != NONE && self.nodes[at as usize].rank != next {
                return 0;
            }
            next += 1;
        }
        0
    }

    /// Puts the transactions that begin with `rank` into `paths`, over the ranks `new` gives to
    /// those kept; `new` begins with the rank after `rank`.
    pub(super) fn project(
        &self,
        rank: u32,
        new: &[u32],
        paths: &mut Paths,
        halt: Halt<'_>,
    ) -> Flow {
        paths.clear();
        if self.roots[rank as usize] == NONE {
            return Flow::Continue(());
        }
        let kept = |ranks: &[u32], path: &mut Vec<u32>| {
            let named = ranks.iter().map(|&other| new[(other - rank - 1) as usize]);
            path.extend(named.filter(|&new| new < IN_ALL));
        };
        let mut stack = vec![(self.roots[rank as usize], 0)];
        let mut path = Vec::new();
        while let Some((at, len)) = stack.pop() {
            halt.look_at(at as usize)?;
            path.truncate(len);
            let node = &self.nodes[at as usize];
            if node.rank != rank {
                kept(&[node.rank], &mut path);
            }
            let len = path.len();
            let mut n_left = node.count - node.tail_count;
            if node.tail_count > 0 {
                kept(self.tail(node), &mut path);
                paths.push(path.iter().copied(), node.tail_count);
                path.truncate(len);
            }
            let mut child = node.child;
            while child != NONE {
                stack.push((child, len));
                n_left -= self.nodes[child as usize].count;
                child = self.nodes[child as usize].next;
            }
            if n_left > 0 {
                paths.push(path.iter().copied(), n_left);
            }
        }
        Flow::Continue(())
    }

    /// Takes `rank` off the transactions that begin with it.
    pub(super) fn push_right(&mut self, rank: u32, halt: Halt<'_>) -> Flow {
        let root = std::mem::replace(&mut self.roots[rank as usize], NONE);
        if root == NONE {
            return Flow::Continue(());
        }
        self.unfold(root);
        let mut child = self.nodes[root as usize].child;
        self.free.push(root);
        while child != NONE {
            let next = std::mem::replace(&mut self.nodes[child as usize].next, NONE);
            let place = self.nodes[child as usize].rank as usize;
            if self.roots[place] == NONE {
                self.roots[place] = child;
            } else {
                self.merge(self.roots[place], child, halt)?;
            }
            child = next;
        }
        Flow::Continue(())
    }

    /// Turns the first rank of a node's tail into a child of the node.
    fn unfold(&mut self, node: u32) {
        let Node { tail: (start, end), tail_count, .. } = self.nodes[node as usize];
        if start < end {
            let child = self.node(self.tails[start as usize], tail_count);
            if start + 1 < end {
                self.nodes[child as usize].tail = (start + 1, end);
                self.nodes[child as usize].tail_count = tail_count;
            }
            let node = &mut self.nodes[node as usize];
            node.child = child;
            node.tail = (0, 0);
            node.tail_count = 0;
        }
    }

    /// Adds the transactions below `from` to those below `into`, a node of the same rank.
    fn merge(&mut self, into: u32, from: u32, halt: Halt<'_>) -> Flow {
        self.to_merge.push((into, from));
        while let Some((into, from)) = self.to_merge.pop() {
            halt.look_at(from as usize)?;
            let (a, b) = (self.nodes[into as usize], self.nodes[from as usize]);
            self.nodes[into as usize].count += b.count;
            self.free.push(from);
            if b.child == NONE && b.tail_count == 0 {
                continue;
            }
            if a.child == NONE && a.tail_count == 0 {
                let node = &mut self.nodes[into as usize];
                (node.child, node.tail, node.tail_count) = (b.child, b.tail, b.tail_count);
                continue;
            }
            if a.tail_count > 0 && b.tail_count > 0 && self.tail(&a) == self.tail(&b) {
                self.nodes[into as usize].tail_count += b.tail_count;
                continue;
            }
            // `from` is in the list of free nodes; it is not reused before it was read.
            self.free.pop();
            self.unfold(into);
            self.unfold(from);
            self.free.push(from);
            let (mut x, mut y) = (self.nodes[into as usize].child, self.nodes[from as usize].child);
            let mut last = NONE;
            while x != NONE || y != NONE {
                let rank = |node: u32| {
                    if node == NONE { NONE } else { self.nodes[node as usize].rank }
                };
                let (rank_x, rank_y) = (rank(x), rank(y));
                let taken = if rank_x <= rank_y { x } else { y };
                if rank_x == rank_y {
                    self.to_merge.push((x, y));
                }
                if rank_y <= rank_x {
                    y = self.nodes[y as usize].next;
                }
                if rank_x <= rank_y {
                    x = self.nodes[x as usize].next;
                }
                if last == NONE {
                    self.nodes[into as usize].child = taken;
                } else {
                    self.nodes[last as usize].next = taken;
                }
                last = taken;
            }
        }
        Flow::Continue(())
    }
}
