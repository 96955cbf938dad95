//! A plain inverted index in memory: features, and the documents that have each.
//!
//! It is the same for all kinds of features, so that what is measured on it differs only by the
//! features. Methods themselves search in other ways; their answers are the same.

/// Sorted features with their lists of documents.
#[derive(Clone, Debug, Default)]
pub(super) struct PlainIndex {
    features: Vec<u64>,
    /// Where the list of each feature begins, and the end of the last.
    starts: Vec<u32>,
    documents: Vec<u32>,
    n_documents: usize,
}

impl PlainIndex {
    /// Makes the index of features and the documents that have them, in any order.
    pub(super) fn new(mut pairs: Vec<(u64, u32)>, n_documents: usize) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut index = Self { n_documents, ..Self::default() };
        for (feature, document) in pairs {
            if index.features.last() != Some(&feature) {
                index.features.push(feature);
                index.starts.push(index.documents.len() as u32);
            }
            index.documents.push(document);
        }
        index.starts.push(index.documents.len() as u32);
        index
    }

    /// Returns the bytes it takes: 12 for a feature with the place of its list, 4 for a document in
    /// a list.
    pub(super) fn n_bytes(&self) -> usize {
        8 * self.features.len() + 4 * self.starts.len() + 4 * self.documents.len()
    }

    /// Returns how many documents have each feature.
    pub(super) fn frequencies(&self) -> impl Iterator<Item = u64> {
        self.starts.windows(2).map(|two| u64::from(two[1] - two[0]))
    }

    /// Ranks the documents that have one of the features by the sum of idf of those they have,
    /// ln(documents / documents that have it); ties in the order of documents. Repeats among the
    /// features count once.
    pub(super) fn rank(&self, asked: &[u64]) -> Vec<u32> {
        let mut asked = asked.to_vec();
        asked.sort_unstable();
        asked.dedup();
        let mut scores = vec![0.0_f64; self.n_documents];
        let mut found = Vec::new();
        let mut is_found = vec![false; self.n_documents];
        for feature in asked {
            let Ok(at) = self.features.binary_search(&feature) else { continue };
            let list = &self.documents[self.starts[at] as usize..self.starts[at + 1] as usize];
            let weight = (self.n_documents as f64 / list.len() as f64).ln();
            for &document in list {
                let index = document as usize;
                scores[index] += weight;
                if !std::mem::replace(&mut is_found[index], true) {
                    found.push(document);
                }
            }
        }
        let score = |document: &u32| scores[*document as usize];
        found.sort_by(|x, y| score(y).total_cmp(&score(x)).then(x.cmp(y)));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_ranked_by_the_rarity_of_what_they_have() {
        // Feature 1 stands in three of four documents, 2 in two, 3 in one; 9 in none.
        let pairs = vec![(1, 0), (1, 1), (2, 1), (1, 2), (3, 2), (3, 2), (2, 3)];
        let index = PlainIndex::new(pairs, 4);
        assert_eq!(index.frequencies().collect::<Vec<_>>(), [3, 2, 1]);
        assert_eq!(index.n_bytes(), 3 * 8 + 4 * 4 + 6 * 4);
        // ln(4/3) + ln 4, ln(4/3) + ln 2, ln 2, ln(4/3).
        assert_eq!(index.rank(&[1, 2, 3, 9]), [2, 1, 3, 0]);
        assert_eq!(index.rank(&[1, 1, 1, 2]), [1, 3, 0, 2], "a repeat counts once");
        assert!(index.rank(&[9]).is_empty());
    }
}
