//! A set of numbers that is emptied often.

/// A set of numbers, emptied at the cost of one addition.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The mark that each number got last; it is in the set if that is the mark in use.
    marks: Vec<u32>,
    mark: u32,
}

impl Marks {
    /// Makes room for numbers below `n`.
    pub(crate) fn reserve(&mut self, n: usize) {
        if self.marks.len() < n {
            self.marks.resize(n, 0);
        }
    }

    pub(crate) fn clear(&mut self) {
        if self.mark == u32::MAX {
            self.marks.fill(0);
            self.mark = 0;
        }
        self.mark += 1;
    }

    pub(crate) fn set(&mut self, numbers: &[u32]) {
        for &number in numbers {
            self.marks[number as usize] = self.mark;
        }
    }

    pub(crate) fn has(&self, number: u32) -> bool {
        self.marks[number as usize] == self.mark
    }
}
