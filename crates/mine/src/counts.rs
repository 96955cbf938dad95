//! Sums per number, for counting in small parts of large ranges.

use crate::halt::Halt;
use crate::table::Table;
use crate::task::Flow;

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

    /// Adds, for each item, the weight of those of some rows of a table that hold it.
    pub(crate) fn add_rows(&mut self, table: &Table, rows: &[u32], halt: Halt<'_>) -> Flow {
        for (at, &row) in rows.iter().enumerate() {
            halt.look_at(at)?;
            let weight = table.weight(row);
            for &item in table.row(row) {
                self.add(item, weight);
            }
        }
        Flow::Continue(())
    }

    /// Sets all sums to 0.
    pub(crate) fn forget(&mut self) {
        for &number in &self.touched {
            self.sums[number as usize] = 0;
        }
        self.touched.clear();
    }
}
