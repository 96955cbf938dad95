//! Connected components by union-find.

/// Disjoint sets of the numbers below a bound.
#[derive(Clone, Debug)]
pub(crate) struct Union {
    parent: Vec<u32>,
}

impl Union {
    /// Every number in a set of its own.
    pub(crate) fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect() }
    }

    /// Returns the least number of the set of `x`.
    pub(crate) fn root(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            let above = self.parent[self.parent[x as usize] as usize];
            self.parent[x as usize] = above;
            x = above;
        }
        x
    }

    /// Makes one set of two.
    pub(crate) fn join(&mut self, x: u32, y: u32) {
        let (x, y) = (self.root(x), self.root(y));
        self.parent[x.max(y) as usize] = x.min(y);
    }

    /// Returns for every number the number of its set, counted from 0 by least members.
    pub(crate) fn labels(mut self) -> Vec<u32> {
        let mut labels = Vec::with_capacity(self.parent.len());
        let mut n_sets = 0;
        for x in 0..self.parent.len() as u32 {
            let root = self.root(x);
            if root == x {
                labels.push(n_sets);
                n_sets += 1;
            } else {
                // A root is the least of its set, so it has its label already.
                labels.push(labels[root as usize]);
            }
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_numbers_share_a_label() {
        let mut union = Union::new(6);
        union.join(5, 3);
        union.join(1, 5);
        union.join(0, 0);
        assert_eq!(union.labels(), [0, 1, 2, 1, 3, 1]);
    }
}
