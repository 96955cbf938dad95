//! What is computed once from the statistics of a collection, for all its documents.

use std::sync::{Arc, PoisonError, RwLock};

use super::counts::Counts;

/// A value that follows from statistics, kept for those that were seen last. Statistics are told
/// apart by what they hold ([`Counts::fingerprint`]), not by where they lie.
#[derive(Debug)]
pub struct Derived<T> {
    last: RwLock<Option<(u64, Arc<T>)>>,
}

impl<T> Default for Derived<T> {
    fn default() -> Self {
        Self { last: RwLock::new(None) }
    }
}

impl<T> Derived<T> {
    /// Returns the value for some statistics; `make` computes it if they are not those seen last.
    ///
    /// ```
    /// use retold_core::features::{counts::Counts, derived::Derived};
    /// let n_words = Derived::default();
    /// let one = Counts::new(1, [(5, 1)]);
    /// assert_eq!(*n_words.get(&one, || one.len()), 1);
    /// assert_eq!(*n_words.get(&one, || unreachable!("it is known")), 1);
    /// ```
    pub fn get(&self, counts: &Counts, make: impl FnOnce() -> T) -> Arc<T> {
        let fingerprint = counts.fingerprint();
        if let Some((of, value)) = &*self.last.read().unwrap_or_else(PoisonError::into_inner)
            && *of == fingerprint
        {
            return Arc::clone(value);
        }
        let mut last = self.last.write().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            // Somebody else was faster.
            Some((of, value)) if *of == fingerprint => Arc::clone(value),
            _ => {
                let value = Arc::new(make());
                *last = Some((fingerprint, Arc::clone(&value)));
                value
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_documents_and_words_are_not_the_same_statistics() {
        let derived = Derived::default();
        let most = |counts: &Counts| {
            *derived.get(counts, || counts.iter_sorted().iter().map(|x| x.1).max().unwrap_or(0))
        };
        let (some, others) = (Counts::new(9, [(1, 2), (2, 3)]), Counts::new(9, [(1, 2), (2, 8)]));
        assert_eq!((most(&some), most(&others), most(&some.clone())), (3, 8, 3));
    }
}
