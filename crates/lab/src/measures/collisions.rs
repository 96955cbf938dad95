//! Features that more than one document has.

use serde::Serialize;

use super::share;

/// How much features collide between documents (Wang and Chang 2009, table 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Collisions {
    /// Pairs of a feature and a document that has it.
    pub n_pairs: u64,
    /// Different features.
    pub n_distinct: u64,
    /// Those that two documents or more have.
    pub n_shared: u64,
}

impl Collisions {
    /// Counts features from the number of documents that have each of them.
    ///
    /// ```
    /// use retold_lab::measures::collisions::Collisions;
    /// assert_eq!(Collisions::of([1, 1, 3]).rate(), 0.4);
    /// ```
    pub fn of(document_frequencies: impl IntoIterator<Item = u64>) -> Self {
        let mut counts = Self::default();
        for frequency in document_frequencies.into_iter().filter(|&frequency| frequency > 0) {
            counts.n_pairs += frequency;
            counts.n_distinct += 1;
            counts.n_shared += u64::from(frequency > 1);
        }
        counts
    }

    /// Returns the collision rate: 1 - different features / pairs of feature and document; 0
    /// without features.
    pub fn rate(&self) -> f64 {
        share(self.n_pairs - self.n_distinct, self.n_pairs, 0.0)
    }

    /// Returns the share of different features that two documents or more have.
    pub fn share_shared(&self) -> f64 {
        share(self.n_shared, self.n_distinct, 0.0)
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "shares of small counts are exact")]
mod tests {
    use super::*;

    #[test]
    fn features_of_one_document_do_not_collide() {
        let none = Collisions::of([1, 1, 1]);
        assert_eq!((none.rate(), none.share_shared()), (0.0, 0.0));
        let all = Collisions::of([4, 4, 0]);
        assert_eq!((all.rate(), all.share_shared(), all.n_distinct), (0.75, 1.0, 2));
        assert_eq!(Collisions::of([]).rate(), 0.0);
    }
}
