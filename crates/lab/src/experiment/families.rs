//! Families: documents of a collection that are duplicates of each other, as they were found.
//!
//! Two documents are of one family if at least 0.3 of the runs of five words of either are in both
//! (resemblance), or half of the runs of one are in the other (containment), or if a chain of such
//! pairs leads from one to the other. Both bounds are generous, below every threshold from which on
//! a pair counts as true (0.3 is the least of the judges, 0.5 the least containment), so that no pair
//! that any judge calls a duplicate is torn apart between two sets.

use std::collections::BTreeMap;

use retold::Document;
use retold_core::cluster::disjoint_sets::DisjointSets;

use crate::reference::{ExactOverlap, Overlap};

/// Words of a run.
const K: usize = 5;
/// Resemblance from which on two documents are of one family.
const RESEMBLANCE: f64 = 0.3;
/// Containment from which on they are.
const CONTAINMENT: f64 = 0.5;

/// The families of a collection, by the category of their first document.
pub(super) struct Families {
    /// Categories by name; each has its families, and each family its documents in order.
    pub(super) categories: Vec<Vec<Vec<u32>>>,
    pub(super) n_documents: usize,
}

impl Families {
    /// Finds the families of documents. Documents without a category are one more category.
    pub(super) fn of(documents: &[Document]) -> Self {
        let related = |overlap: &Overlap| {
            overlap.resemblance() >= RESEMBLANCE || overlap.containment() >= CONTAINMENT
        };
        let mut sets = DisjointSets::new(documents.len());
        for pair in ExactOverlap::new(documents, K).pairs(related) {
            sets.join(pair.a, pair.b);
        }
        Self::joined(documents, sets)
    }

    fn joined(documents: &[Document], sets: DisjointSets) -> Self {
        let mut families: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (document, label) in (0..).zip(sets.labels()) {
            families.entry(label).or_default().push(document);
        }
        let mut categories: BTreeMap<&str, Vec<Vec<u32>>> = BTreeMap::new();
        for family in families.into_values() {
            let category = documents[family[0] as usize].source.as_deref().unwrap_or_default();
            categories.entry(category).or_default().push(family);
        }
        for families in categories.values_mut() {
            families.sort_unstable();
        }
        Self { categories: categories.into_values().collect(), n_documents: documents.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_resembles_each_other_is_one_family() {
        let texts = [
            ("a", "one two three four five six seven eight nine ten"),
            ("b", "one two three four five six seven eight other end"),
            ("a", "nothing of this stands in any other of these texts"),
            ("a", "four five six seven eight nine"),
        ];
        let documents: Vec<Document> = texts
            .iter()
            .map(|(category, text)| Document {
                source: Some((*category).to_owned()),
                ..Document::plain("d", *text)
            })
            .collect();
        let families = Families::of(&documents);
        assert_eq!(families.categories, [vec![vec![0, 1, 3], vec![2]]]);
        assert_eq!(families.n_documents, 4);
    }
}
