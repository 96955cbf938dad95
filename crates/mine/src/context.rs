//! Transactions in memory.

use std::ops::ControlFlow;

use thiserror::Error;

use crate::halt::Halt;
use crate::task::Cut;

/// A collection of transactions, each a set of items; items are numbers below `n_items`.
///
/// In the problem this crate was made for, a transaction is a unit of text and its items are the
/// documents that have it. Most units then stand in one document only. Such transactions are kept
/// as a count ([`alone`](Self::alone)), which is all a miner can learn from them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    starts: Vec<usize>,
    items: Vec<u32>,
    alone: Vec<u32>,
    n_transactions: u64,
}

impl Context {
    /// Returns an empty context.
    pub fn new() -> Self {
        Self { starts: vec![0], ..Self::default() }
    }

    /// Returns the context of some transactions.
    ///
    /// ```
    /// use retold_mine::Context;
    /// let context = Context::of(&[vec![2, 0, 2], vec![1], vec![]]);
    /// assert_eq!(context.n_transactions(), 3);
    /// assert_eq!(context.rows().collect::<Vec<_>>(), [[0, 2]]);
    /// assert_eq!(context.alone(), [0, 1, 0]);
    /// ```
    pub fn of(transactions: &[Vec<u32>]) -> Self {
        let mut context = Self::new();
        let mut row = Vec::new();
        for transaction in transactions {
            row.clone_from(transaction);
            context.push(&mut row);
        }
        context
    }

    /// Adds a transaction; `items` is sorted on the way, and items named twice count once.
    pub fn push(&mut self, items: &mut Vec<u32>) {
        if !items.is_sorted_by(|a, b| a < b) {
            items.sort_unstable();
            items.dedup();
        }
        self.n_transactions += 1;
        let Some(&last) = items.last() else { return };
        if self.alone.len() <= last as usize {
            self.alone.resize(last as usize + 1, 0);
        }
        if items.len() == 1 {
            self.alone[last as usize] += 1;
        } else {
            self.items.extend_from_slice(items);
            self.starts.push(self.items.len());
        }
    }

    /// Adds a transaction of one item.
    pub fn push_alone(&mut self, item: u32) {
        self.n_transactions += 1;
        if self.alone.len() <= item as usize {
            self.alone.resize(item as usize + 1, 0);
        }
        self.alone[item as usize] += 1;
    }

    /// Number of transactions, empty ones and those of one item among them.
    pub fn n_transactions(&self) -> u64 {
        self.n_transactions
    }

    /// One more than the largest item.
    pub fn n_items(&self) -> usize {
        self.alone.len()
    }

    /// Transactions of at least two items, each ascending.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.starts.windows(2).map(|pair| &self.items[pair[0]..pair[1]])
    }

    /// For each item, the number of transactions that hold nothing else.
    pub fn alone(&self) -> &[u32] {
        &self.alone
    }

    /// Returns, for each item, the number of transactions that hold it.
    pub fn supports(&self) -> Vec<u32> {
        let mut supports = self.alone.clone();
        for &item in &self.items {
            supports[item as usize] += 1;
        }
        supports
    }

    /// Bytes held.
    pub fn held_bytes(&self) -> usize {
        self.starts.len() * size_of::<usize>() + (self.items.len() + self.alone.len()) * 4
    }

    /// Returns the context with every item replaced by its rank among the items that occur, and
    /// those items ascending. Made for files that name few items by large numbers.
    pub(crate) fn renumber(
        mut rows: Vec<u64>,
        starts: &[usize],
        n_transactions: u64,
        halt: Halt<'_>,
    ) -> ControlFlow<Cut, (Self, Vec<u64>)> {
        let mut names: Vec<u64> = rows.clone();
        halt.sort_by(&mut names, Ord::cmp)?;
        names.dedup();
        for (at, name) in rows.iter_mut().enumerate() {
            halt.look_at(at)?;
            *name = names.binary_search(name).expect("every name was collected") as u64;
        }
        let mut context = Self::new();
        let mut row = Vec::new();
        for (at, pair) in starts.windows(2).enumerate() {
            halt.look_at(at)?;
            row.clear();
            row.extend(rows[pair[0]..pair[1]].iter().map(|&name| name as u32));
            context.push(&mut row);
        }
        context.n_transactions = n_transactions;
        ControlFlow::Continue((context, names))
    }
}

/// How many transactions a set must lie in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MinSupport {
    /// This number of transactions.
    Absolute(u32),
    /// This share of all transactions, rounded up.
    Relative(f64),
}

/// A minimum support that is out of range.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SupportError {
    /// Zero transactions.
    #[error("minimum support must be at least 1, got 0: every set would count")]
    Zero,
    /// Not a share.
    #[error("relative minimum support must be above 0 and at most 1, got {0}")]
    Share(f64),
}

impl MinSupport {
    /// Returns the number of transactions it means in a context of `n_transactions`; at least 1.
    pub fn resolve(self, n_transactions: u64) -> Result<u32, SupportError> {
        match self {
            Self::Absolute(0) => Err(SupportError::Zero),
            Self::Absolute(count) => Ok(count),
            Self::Relative(share) if share > 0.0 && share <= 1.0 => {
                // A little is taken off before rounding up: as a binary fraction 0.1 is more than a
                // tenth, but 0.1 of 10 transactions must be 1 and not 2.
                let exact = share * n_transactions as f64;
                #[expect(clippy::cast_sign_loss, reason = "a product of positive numbers")]
                let count = (exact - 1e-9 * exact).ceil() as u32;
                Ok(count.max(1))
            }
            Self::Relative(share) => Err(SupportError::Share(share)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_up_to_whole_transactions() {
        assert_eq!(MinSupport::Relative(0.1).resolve(8_124), Ok(813));
        assert_eq!(MinSupport::Relative(0.1).resolve(10), Ok(1));
        assert_eq!(MinSupport::Relative(1.0).resolve(7), Ok(7));
        assert_eq!(MinSupport::Relative(0.5).resolve(0), Ok(1));
    }

    #[test]
    fn supports_that_mean_nothing_are_refused() {
        assert_eq!(MinSupport::Absolute(0).resolve(5), Err(SupportError::Zero));
        for share in [0.0, -0.5, 1.5] {
            assert_eq!(MinSupport::Relative(share).resolve(5), Err(SupportError::Share(share)));
        }
        assert!(MinSupport::Relative(f64::NAN).resolve(5).is_err());
    }

    #[test]
    fn supports_count_transactions_of_every_size() {
        let context = Context::of(&[vec![0, 1], vec![1], vec![1, 2, 0], vec![]]);
        assert_eq!(context.supports(), [2, 3, 1]);
        assert_eq!(context.n_transactions(), 4);
    }
}
