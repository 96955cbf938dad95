//! Which items share enough transactions: the pairs, and the components they make.
//!
//! # All pairs, found by prefixes
//! Let the rows of an item stand in one order for all items, rarest row first, and let its
//! *prefix* end where the weight of the rows from there on falls below k. Two items that share
//! rows of weight k or more have a first row in common, in that order. All they share lies at or
//! behind it, so in both items the weight from it on is at least k, and it stands in both
//! prefixes. So only prefixes are compared; rows that most items have stand at the end and rarely
//! lie in a prefix.
//!
//! # Components are enough
//! If B is a frequent set of two items or more, any two items of B share at least the transactions
//! of B, k or more, so B is a clique of this graph and lies in one component. An item that could be
//! added to B is a neighbour of all of B, and lies in it too: whether B is maximal is settled
//! inside. So the answers of the components are the answer. They are not the answer themselves:
//! three items may pairwise share k transactions and have none in common.

use std::ops::ControlFlow;

use crate::halt::Halt;
use crate::table::{Output, Rows, Table};
use crate::task::Cut;

/// The items of a table with their rows, rarest row first, and the pairs that share enough.
pub(super) struct Graph {
    /// Rows of each item; rows are numbered by how many items have them.
    pub(super) images: Rows,
    /// Weight of each row, by that number.
    pub(super) weights: Vec<u32>,
    /// Weight of all rows of each item.
    pub(super) shared: Vec<u32>,
    /// For each item the items it shares enough with, ascending.
    pub(super) neighbours: Rows,
}

impl Graph {
    /// Finds all pairs of items that share rows of weight `k` or more. `out` is told of memory
    /// that grows with the pairs.
    pub(super) fn new(table: &Table, k: u32, out: &mut Output<'_>) -> ControlFlow<Cut, Self> {
        let halt = out.halt();
        let (images, weights) = images(table, halt)?;
        let n = table.n_items();
        let weigh = |rows: &[u32]| rows.iter().map(|&row| weights[row as usize]).sum::<u32>();
        let shared: Vec<u32> = (0..n).map(|item| weigh(images.row(item))).collect();
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); weights.len()];
        let mut stamps = vec![u32::MAX; n];
        for item in 0..n as u32 {
            let image = images.row(item as usize);
            let mut ahead = shared[item as usize];
            let n_pairs = pairs.len();
            for &row in image {
                halt.look()?;
                if ahead < k {
                    break;
                }
                ahead -= weights[row as usize];
                for &other in &lists[row as usize] {
                    if std::mem::replace(&mut stamps[other as usize], item) == item {
                        continue;
                    }
                    halt.look_at(other as usize)?;
                    let losses = [shared[item as usize] - k, shared[other as usize] - k];
                    if shares(image, images.row(other as usize), losses, &weights) {
                        pairs.push((other, item));
                    }
                }
                lists[row as usize].push(item);
            }
            out.hold((pairs.len() - n_pairs) * 16)?;
        }
        let neighbours = neighbours(n, &pairs, halt)?;
        ControlFlow::Continue(Self { images, weights, shared, neighbours })
    }

    /// Returns how often two items would be compared, at most.
    pub(super) fn estimate(table: &Table, k: u32, halt: Halt<'_>) -> ControlFlow<Cut, u64> {
        let (images, weights) = images(table, halt)?;
        let mut lengths = vec![0u64; weights.len()];
        for item in 0..table.n_items() {
            halt.look()?;
            let image = images.row(item);
            let mut ahead: u32 = image.iter().map(|&row| weights[row as usize]).sum();
            for &row in image {
                if ahead < k {
                    break;
                }
                ahead -= weights[row as usize];
                lengths[row as usize] += 1;
            }
        }
        ControlFlow::Continue(lengths.iter().map(|n| n * n / 2).sum())
    }

    /// Returns the components, each ascending, in the order of their first items.
    pub(super) fn components(&self, halt: Halt<'_>) -> ControlFlow<Cut, Vec<Vec<u32>>> {
        let n = self.images.len();
        let mut component = vec![u32::MAX; n];
        let mut found: Vec<Vec<u32>> = Vec::new();
        let mut to_visit = Vec::new();
        for start in 0..n as u32 {
            if component[start as usize] != u32::MAX {
                continue;
            }
            let number = found.len() as u32;
            let mut items = vec![start];
            component[start as usize] = number;
            to_visit.push(start);
            while let Some(item) = to_visit.pop() {
                halt.look()?;
                for &other in self.neighbours.row(item as usize) {
                    if component[other as usize] == u32::MAX {
                        component[other as usize] = number;
                        items.push(other);
                        to_visit.push(other);
                    }
                }
            }
            items.sort_unstable();
            found.push(items);
        }
        ControlFlow::Continue(found)
    }
}

/// Returns the rows of each item and the weights of the rows, numbered by ascending length.
fn images(table: &Table, halt: Halt<'_>) -> ControlFlow<Cut, (Rows, Vec<u32>)> {
    let mut order: Vec<u32> = (0..table.n_rows() as u32).collect();
    halt.sort_by(&mut order, |&a, &b| {
        let len = |row| table.row(row).len();
        len(a).cmp(&len(b)).then(a.cmp(&b))
    })?;
    let mut rows = Rows::default();
    for (at, &row) in order.iter().enumerate() {
        halt.look_at(at)?;
        rows.push(table.row(row).iter().copied());
    }
    let weights = order.iter().map(|&row| table.weight(row)).collect();
    ControlFlow::Continue((rows.transposed(table.n_items(), halt)?, weights))
}

/// Returns whether the rows of each image that the other lacks weigh no more than allowed.
fn shares(a: &[u32], b: &[u32], [mut loss_a, mut loss_b]: [u32; 2], weights: &[u32]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            i += 1;
            j += 1;
        } else {
            let (loss, row) = if a[i] < b[j] {
                i += 1;
                (&mut loss_a, a[i - 1])
            } else {
                j += 1;
                (&mut loss_b, b[j - 1])
            };
            match loss.checked_sub(weights[row as usize]) {
                Some(left) => *loss = left,
                None => return false,
            }
        }
    }
    let rest = |rows: &[u32]| rows.iter().map(|&row| weights[row as usize]).sum::<u32>();
    rest(&a[i..]) <= loss_a && rest(&b[j..]) <= loss_b
}

/// Returns the neighbours of each item, ascending. `pairs` is ascending by its second items.
fn neighbours(n: usize, pairs: &[(u32, u32)], halt: Halt<'_>) -> ControlFlow<Cut, Rows> {
    let mut earlier = Rows::default();
    let mut at = 0;
    for item in 0..n as u32 {
        halt.look_at(item as usize)?;
        let end = at + pairs[at..].iter().take_while(|pair| pair.1 == item).count();
        let mut row: Vec<u32> = pairs[at..end].iter().map(|pair| pair.0).collect();
        row.sort_unstable();
        earlier.push(row);
        at = end;
    }
    let later = earlier.transposed(n, halt)?;
    let mut both = Rows::default();
    for item in 0..n {
        halt.look_at(item)?;
        both.push(earlier.row(item).iter().chain(later.row(item)).copied());
    }
    ControlFlow::Continue(both)
}
