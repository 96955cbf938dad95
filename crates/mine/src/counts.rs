//! Sums per number, for counting in small parts of large ranges.

/// Sums per number, forgotten at a cost of the numbers that have one.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) sums: Vec<u32>,
    /// Numbers that have a sum, in the order they came.
    pub(crate) touched: Vec<u32>,
}

impl Counts {
    /// Makes room for numbers below `n`.
    pub(crate) fn reserve(&mut self, n: usize) {
        if self.sums.len() < n {
            self.sums.resize(n, 0);
        }
    }

    /// Adds a weight of at least 1.
    pub(crate) fn add(&mut self, number: u32, weight: u32) {
        let sum = &mut self.sums[number as usize];
        if *sum == 0 {
            self.touched.push(number);
        }
        *sum += weight;
    }

    /// Sets all sums to 0.
    pub(crate) fn forget(&mut self) {
        for &number in &self.touched {
            self.sums[number as usize] = 0;
        }
        self.touched.clear();
    }
}
