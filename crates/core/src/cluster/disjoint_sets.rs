//! Disjoint sets (union-find) of the numbers below a bound.

/// Sets of numbers that are joined until no more joins come.
///
/// ```
/// use retold_core::cluster::disjoint_sets::DisjointSets;
/// let mut sets = DisjointSets::new(5);
/// sets.join(4, 2);
/// sets.join(1, 4);
/// assert_eq!((sets.root(4), sets.root(3)), (1, 3));
/// assert_eq!(sets.labels(), [0, 1, 1, 2, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Puts each of the numbers below `n` into a set of its own.
    pub fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect() }
    }

    /// Returns the smallest number of the set that `x` is in.
    pub fn root(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            let above = self.parent[self.parent[x as usize] as usize];
            self.parent[x as usize] = above;
            x = above;
        }
        x
    }

    /// Makes one set of the two that `x` and `y` are in.
    pub fn join(&mut self, x: u32, y: u32) {
        let (x, y) = (self.root(x), self.root(y));
        // The smaller number becomes the root: no ranks are needed, as paths are halved on the way.
        self.parent[x.max(y) as usize] = x.min(y);
    }

    /// Returns for every number the number of its set; sets are counted from 0 by their smallest
    /// members.
    pub fn labels(mut self) -> Vec<u32> {
        let mut labels = Vec::with_capacity(self.parent.len());
        let mut n_sets = 0;
        for x in 0..self.parent.len() as u32 {
            let root = self.root(x);
            if root == x {
                labels.push(n_sets);
                n_sets += 1;
            } else {
                // A root is the smallest of its set, so it has its label already.
                labels.push(labels[root as usize]);
            }
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_have_a_label_in_common_if_joins_lead_from_one_to_the_other(
            joins in prop::collection::vec((0u32..12, 0u32..12), 0..14),
        ) {
            let mut sets = DisjointSets::new(12);
            // By relabelling everybody at each join.
            let mut plain: Vec<u32> = (0..12).collect();
            for (x, y) in joins {
                sets.join(x, y);
                let (from, to) = (plain[x as usize], plain[y as usize]);
                plain.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
            }
            for x in 0..12 {
                let smallest = (0..12).find(|&y| plain[y as usize] == plain[x as usize]);
                prop_assert_eq!(Some(sets.root(x)), smallest);
            }
            let labels = sets.labels();
            for x in 0..12 {
                for y in 0..12 {
                    prop_assert_eq!(labels[x] == labels[y], plain[x] == plain[y]);
                }
            }
        }
    }
}
