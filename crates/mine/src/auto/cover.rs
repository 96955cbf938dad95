//! Enough maximal sets to hold every related pair.
//!
//! For each pair of neighbours d and e that no set holds yet: start with what e lacks of d, go
//! once over all neighbours of d, those that lack least first, and take each that fits. One pass is
//! enough for the set to be maximal, as a neighbour that does not fit will not fit a larger union
//! either. So there is at most one set for each pair, and all are true maximal sets.

use super::graph::Graph;
use super::mask::Mask;
use super::seed::{Lacks, Seed};
use super::{Order, Width};
use crate::halt::Halt;
use crate::task::Flow;

/// Takes the sets of a cover.
type Give<'a> = &'a mut dyn FnMut(&[u32], u32) -> Flow;

/// Gives the sets of a cover of one component to `give`, items in the order of seeds, with their
/// supports.
pub(super) fn cover(
    graph: &Graph,
    order: &Order,
    component: &[u32],
    k: u32,
    halt: Halt<'_>,
    give: Give<'_>,
) -> Flow {
    let (is_covered, starts) = (Vec::new(), Vec::new());
    let mut covering = Covering { graph, order, k, halt, is_covered, starts };
    covering.open(component);
    for &item in component {
        let lacks = Lacks::new(graph, item, halt)?;
        match Width::of(lacks.n_bits) {
            Width::One => covering.seeded::<u64>(item, &lacks, give)?,
            Width::Two => covering.seeded::<u128>(item, &lacks, give)?,
            Width::Four => covering.seeded::<[u64; 4]>(item, &lacks, give)?,
            Width::Sixteen => covering.seeded::<[u64; 16]>(item, &lacks, give)?,
            Width::TooWide => covering.pair_by_pair(item, give)?,
        }
    }
    Flow::Continue(())
}

struct Covering<'a> {
    graph: &'a Graph,
    order: &'a Order,
    k: u32,
    halt: Halt<'a>,
    /// One for each neighbour of each item of the component, items in the order of seeds.
    is_covered: Vec<bool>,
    /// Where the neighbours of an item begin in it, by the item's place in the component.
    starts: Vec<usize>,
}

impl Covering<'_> {
    fn open(&mut self, component: &[u32]) {
        let mut start = 0;
        for &item in component {
            self.starts.push(start);
            start += self.graph.neighbours.row(item as usize).len();
        }
        self.is_covered = vec![false; start];
    }

    fn start(&self, item: u32) -> usize {
        self.starts[self.order.place(item)]
    }

    fn seeded<M: Mask>(&mut self, item: u32, lacks: &Lacks, give: Give<'_>) -> Flow {
        // All neighbours count, those of earlier seeds too: a set is maximal among all.
        let seed: Seed<M> = Seed::new(self.graph, item, lacks, self.k, |_| false);
        let mut by_size = seed.after.clone();
        by_size.sort_by_key(|&(mask, other)| (mask.len(), self.order.rank(other)));
        for (at, &(mask, other)) in seed.after.iter().enumerate() {
            let is_later = self.order.rank(other) > self.order.rank(item);
            if !is_later || self.is_covered[self.start(item) + at] {
                continue;
            }
            self.halt.look()?;
            let union = seed.grown(mask, &by_size);
            let inside = seed.after.iter().filter(|(mask, _)| mask.is_in(union));
            let mut set: Vec<u32> = inside.map(|&(_, other)| other).chain([item]).collect();
            set.sort_by_key(|&item| self.order.rank(item));
            self.mark(&set);
            give(&set, self.graph.shared[item as usize] - union.len())?;
        }
        Flow::Continue(())
    }

    /// The same on the rows themselves, for items with too many rows for masks.
    fn pair_by_pair(&mut self, item: u32, give: Give<'_>) -> Flow {
        let neighbours = self.graph.neighbours.row(item as usize);
        for (at, &other) in neighbours.iter().enumerate() {
            let is_later = self.order.rank(other) > self.order.rank(item);
            if !is_later || self.is_covered[self.start(item) + at] {
                continue;
            }
            let image = |item: u32| self.graph.images.row(item as usize);
            let weigh = |rows: &[u32]| {
                rows.iter().map(|&row| self.graph.weights[row as usize]).sum::<u32>()
            };
            let mut common = intersection(image(item), image(other));
            let mut set = vec![item, other];
            for &third in neighbours.iter().filter(|&&third| third != other) {
                self.halt.look()?;
                let smaller = intersection(&common, image(third));
                if weigh(&smaller) >= self.k {
                    common = smaller;
                    set.push(third);
                }
            }
            set.sort_by_key(|&item| self.order.rank(item));
            let support = weigh(&common);
            self.mark(&set);
            give(&set, support)?;
        }
        Flow::Continue(())
    }

    fn mark(&mut self, set: &[u32]) {
        let mut ascending = set.to_vec();
        ascending.sort_unstable();
        for &item in set {
            let start = self.start(item);
            let mut at = 0;
            let neighbours = self.graph.neighbours.row(item as usize);
            for &other in ascending.iter().filter(|&&other| other != item) {
                at += neighbours[at..].partition_point(|&neighbour| neighbour < other);
                self.is_covered[start + at] = true;
            }
        }
    }
}

fn intersection(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut j = 0;
    let mut both = Vec::new();
    for &row in a {
        while j < b.len() && b[j] < row {
            j += 1;
        }
        if j < b.len() && b[j] == row {
            both.push(row);
        }
    }
    both
}
