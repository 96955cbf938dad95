//! Two methods, of which only the difference is judged.
//!
//! What both methods put into a cluster is taken as a duplicate, what neither does as unique;
//! documents that one of them found are judged by three people, and the majority decides. So both
//! get their four numbers at the price of a short list.
//!
//! What the protocol cannot see: a duplicate that both miss, and a document that both put into a
//! cluster wrongly. It compares two methods; it does not measure one.
//!
//! Uyar: Near-duplicate news detection using named entities, 2009, section 6.1.

use thiserror::Error;

use super::pool::Pool;
use super::question::Question;
use crate::measures::DocumentCounts;

/// Documents by which of two methods found them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Documents that both found.
    pub n_both: u64,
    /// Documents that neither found.
    pub n_neither: u64,
    /// Documents that only the first found, and those that only the second did.
    pub only: [Vec<u32>; 2],
}

/// Documents of the difference that nothing was decided about.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} documents that one method found are not decided yet", documents.len())]
pub struct Unjudged {
    /// Which.
    pub documents: Vec<u32>,
}

impl Difference {
    /// Compares what two methods found of `n_documents` documents, numbered from 0. Numbers beyond
    /// are passed over.
    pub fn of(n_documents: u32, first: &[u32], second: &[u32]) -> Self {
        let mut found = vec![[false; 2]; n_documents as usize];
        for (which, documents) in [first, second].into_iter().enumerate() {
            for &document in documents {
                if let Some(slot) = found.get_mut(document as usize) {
                    slot[which] = true;
                }
            }
        }
        let mut difference = Self::default();
        for (document, by) in (0..).zip(found) {
            match by {
                [true, true] => difference.n_both += 1,
                [false, false] => difference.n_neither += 1,
                [true, false] => difference.only[0].push(document),
                [false, true] => difference.only[1].push(document),
            }
        }
        difference
    }

    /// Takes the difference of a pool that is about one; documents are numbers of its entries.
    /// None for other pools.
    pub fn of_pool(pool: &Pool) -> Option<Self> {
        let between = pool.header.between.as_ref()?;
        debug_assert_eq!(pool.header.question, Question::Duplicate);
        let mut only = [Vec::new(), Vec::new()];
        for (entry, held) in (0..).zip(pool.entries()) {
            for (method, only) in between.methods.iter().zip(&mut only) {
                if held.by.contains(method) {
                    only.push(entry);
                }
            }
        }
        Some(Self { n_both: between.n_both, n_neither: between.n_neither, only })
    }

    /// Returns the documents that have to be judged, in order.
    pub fn to_judge(&self) -> Vec<u32> {
        let mut documents = self.only.concat();
        documents.sort_unstable();
        documents
    }

    /// Returns the four numbers of both methods. `judged` returns whether a document of the
    /// difference is a duplicate.
    ///
    /// # Errors
    /// If something of the difference is not judged.
    ///
    /// ```
    /// use retold_lab::judging::Difference;
    /// let difference = Difference::of(5, &[0, 1, 2], &[1, 2, 3]);
    /// assert_eq!(difference.to_judge(), [0, 3]);
    /// let [first, second] = difference.settle(|document| Some(document == 3)).unwrap();
    /// assert_eq!((first.a, first.b, first.c, first.d), (2, 1, 1, 1));
    /// assert_eq!((second.a, second.b, second.c, second.d), (3, 0, 0, 2));
    /// ```
    pub fn settle(
        &self,
        judged: impl Fn(u32) -> Option<bool>,
    ) -> Result<[DocumentCounts; 2], Unjudged> {
        let open: Vec<u32> =
            self.to_judge().into_iter().filter(|&document| judged(document).is_none()).collect();
        if !open.is_empty() {
            return Err(Unjudged { documents: open });
        }
        let count = |which: usize, is_duplicate: bool| {
            let of = &self.only[which];
            of.iter().filter(|&&document| judged(document) == Some(is_duplicate)).count() as u64
        };
        Ok([0, 1].map(|own| DocumentCounts {
            a: self.n_both + count(own, true),
            b: count(own, false),
            c: count(1 - own, true),
            d: self.n_neither + count(1 - own, false),
        }))
    }
}
