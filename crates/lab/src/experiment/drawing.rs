//! Which documents of a collection make up each set.
//!
//! Sets are disjoint as long as the collection gives any: they are independent samples, and a test
//! over them means what it says. Further sets are drawn anew from the whole collection, each
//! without repeats; they overlap with others, and tests that count them see more certainty than
//! there is. Every set says which it is.

use retold_core::hash::{self, Random};
use serde::{Deserialize, Serialize};

use super::design::Draw;
use super::families::Families;

/// Whether a set shares documents with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetKind {
    /// No document is in another set of this kind.
    #[default]
    Disjoint,
    /// It was drawn anew from the whole collection and shares documents with other sets.
    Redrawn,
}

/// The documents chosen for a set, in the order of the collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) kind: SetKind,
    pub(super) documents: Vec<u32>,
}

/// How sets are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawing {
    pub(super) draw: Draw,
    pub(super) n_sets: usize,
    /// Documents of a set.
    pub(super) size: usize,
    pub(super) seed: u64,
}

/// A category from which families are taken; each once.
struct Urn {
    /// In random order.
    families: Vec<Vec<u32>>,
    n_documents: usize,
    n_taken: usize,
}

impl Urn {
    fn new(families: &[Vec<u32>], seed: u64) -> Self {
        let mut families = families.to_vec();
        let mut random = Random::new(seed);
        for last in (1..families.len()).rev() {
            families.swap(last, random.below(last + 1));
        }
        let n_documents = families.iter().map(Vec::len).sum();
        Self { families, n_documents, n_taken: 0 }
    }

    /// Takes families until `most` documents are reached. A family that does not fit stays for a
    /// later set.
    fn take(&mut self, most: usize, into: &mut Vec<u32>) {
        let mut left = most;
        self.families.retain(|family| {
            let fits = family.len() <= left;
            if fits {
                left -= family.len();
                into.extend(family);
            }
            !fits
        });
        self.n_taken += most - left;
    }
}

impl Drawing {
    /// Slices of the collection, as many as there are; at least one, of what there is.
    pub(super) fn in_order(&self, n_documents: usize) -> Vec<Chosen> {
        let n_sets = self.n_sets.min((n_documents / self.size).max(1));
        let slice = |number: usize| {
            let (from, to) = (number * self.size, ((number + 1) * self.size).min(n_documents));
            Chosen { kind: SetKind::Disjoint, documents: (from as u32..to as u32).collect() }
        };
        (0..n_sets).map(slice).collect()
    }

    /// Sets with documents of every category, in proportion to its share.
    pub(super) fn by_quota(&self, families: &Families) -> Vec<Chosen> {
        let n_disjoint = self.n_sets.min((families.n_documents / self.size).max(1));
        let mut urns = self.urns(families, 0);
        let disjoint = (1..=n_disjoint).map(|number| Chosen {
            kind: SetKind::Disjoint,
            documents: self.one_by_quota(&mut urns, families.n_documents, number),
        });
        let mut sets: Vec<Chosen> = disjoint.collect();
        sets.extend((n_disjoint..self.n_sets).map(|number| Chosen {
            kind: SetKind::Redrawn,
            documents: {
                let mut urns = self.urns(families, number as u64);
                self.one_by_quota(&mut urns, families.n_documents, 1)
            },
        }));
        sets
    }

    /// Takes one set. `number` counts the sets taken from these urns, from 1: what a category lacks
    /// to its share of all of them is what it gives now.
    fn one_by_quota(&self, urns: &mut [Urn], n_documents: usize, number: usize) -> Vec<u32> {
        let mut documents = Vec::with_capacity(self.size);
        let due = |urn: &Urn| {
            let share = urn.n_documents as f64 / n_documents.max(1) as f64;
            share * (number * self.size) as f64 - urn.n_taken as f64
        };
        // The whole parts of what is due first, then one more for the largest fractions.
        #[expect(clippy::cast_sign_loss, reason = "it is at least 0")]
        let mut quotas: Vec<usize> = urns.iter().map(|urn| due(urn).max(0.0) as usize).collect();
        let mut by_fraction: Vec<usize> = (0..urns.len()).collect();
        by_fraction.sort_by(|&x, &y| due(&urns[y]).fract().total_cmp(&due(&urns[x]).fract()));
        let missing = self.size.saturating_sub(quotas.iter().sum());
        for &urn in by_fraction.iter().cycle().take(if urns.is_empty() { 0 } else { missing }) {
            quotas[urn] += 1;
        }
        for (urn, &quota) in urns.iter_mut().zip(&quotas) {
            urn.take(quota.min(self.size - documents.len()), &mut documents);
        }
        // What a category could not give, as its families are too large, others do.
        for &urn in &by_fraction {
            urns[urn].take(self.size - documents.len(), &mut documents);
        }
        documents.sort_unstable();
        documents
    }

    /// Sets of one category each. A category gives as many disjoint sets as it has documents for;
    /// what is left of it is one more, if it is at least half of a set, or if the category is smaller
    /// than that as a whole. Redrawn sets are of the categories that have more than a whole set.
    pub(super) fn by_category(&self, families: &Families) -> Vec<Chosen> {
        let mut urns = self.urns(families, 0);
        let mut sets = Vec::new();
        // One set of every category before a second of any.
        for round in 0.. {
            let mut is_any = false;
            for urn in &mut urns {
                let left = urn.n_documents - urn.n_taken;
                if left > 0 && (round == 0 || 2 * left >= self.size) {
                    let mut documents = Vec::new();
                    urn.take(self.size, &mut documents);
                    documents.sort_unstable();
                    is_any |= !documents.is_empty();
                    if !documents.is_empty() {
                        sets.push(Chosen { kind: SetKind::Disjoint, documents });
                    }
                }
            }
            if !is_any || sets.len() >= self.n_sets {
                break;
            }
        }
        sets.truncate(self.n_sets);
        let is_large =
            |families: &&Vec<Vec<u32>>| families.iter().map(Vec::len).sum::<usize>() > self.size;
        let large: Vec<_> = families.categories.iter().filter(is_large).collect();
        for (number, families) in (sets.len()..self.n_sets).zip(large.iter().cycle()) {
            let mut documents = Vec::new();
            Urn::new(families, self.seed_of(number as u64, 0)).take(self.size, &mut documents);
            documents.sort_unstable();
            sets.push(Chosen { kind: SetKind::Redrawn, documents });
        }
        sets
    }

    fn urns(&self, families: &Families, number: u64) -> Vec<Urn> {
        let categories = (0..).zip(&families.categories);
        categories.map(|(i, families)| Urn::new(families, self.seed_of(number, i))).collect()
    }

    fn seed_of(&self, number: u64, category: u64) -> u64 {
        hash::mix(self.seed ^ hash::mix(hash::mix(number) ^ category))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Three categories of 60, 30 and 10 documents; families of one, two and five.
    fn families() -> Families {
        let mut next = 0_u32;
        let mut category = |n: u32| {
            let mut families = Vec::new();
            let end = next + n;
            for size in [1, 1, 2, 1, 5].into_iter().cycle() {
                if next == end {
                    break;
                }
                let to = (next + size).min(end);
                families.push((next..to).collect());
                next = to;
            }
            families
        };
        let categories = vec![category(60), category(30), category(10)];
        Families { categories, n_documents: 100 }
    }

    fn drawing(draw: Draw, n_sets: usize, size: usize) -> Drawing {
        Drawing { draw, n_sets, size, seed: 3 }
    }

    /// Returns how many disjoint sets there are, having checked that no document is in two of them
    /// and none twice in any.
    fn n_disjoint(sets: &[Chosen]) -> usize {
        let mut seen = BTreeSet::new();
        for set in sets {
            let own: BTreeSet<u32> = set.documents.iter().copied().collect();
            assert_eq!(own.len(), set.documents.len(), "no document stands in a set twice");
            if set.kind == SetKind::Disjoint {
                assert!(own.is_disjoint(&seen));
                seen.extend(own);
            }
        }
        sets.iter().filter(|set| set.kind == SetKind::Disjoint).count()
    }

    fn is_whole(families: &Families, set: &Chosen) -> bool {
        let own: BTreeSet<u32> = set.documents.iter().copied().collect();
        families.categories.iter().flatten().all(|family| {
            let n = family.iter().filter(|document| own.contains(document)).count();
            n == 0 || n == family.len()
        })
    }

    #[test]
    fn sets_by_quota_are_disjoint_as_long_as_there_are_documents() {
        let families = families();
        let sets = drawing(Draw::Quota, 7, 20).by_quota(&families);
        assert_eq!((sets.len(), n_disjoint(&sets)), (7, 5));
        for set in &sets {
            assert!(is_whole(&families, set), "{set:?}");
            let of = |from, to| set.documents.iter().filter(|d| (from..to).contains(*d)).count();
            assert!(set.documents.len() >= 15 && of(0, 60) >= 8 && of(60, 90) >= 3, "{set:?}");
        }
        assert!(sets[..4].iter().all(|set| set.documents.len() == 20));
        assert_ne!(sets[5].documents, sets[6].documents);
        assert_eq!(sets, drawing(Draw::Quota, 7, 20).by_quota(&families));
    }

    #[test]
    fn a_set_of_one_category_has_documents_of_no_other() {
        let families = families();
        let sets = drawing(Draw::OneCategory, 8, 25).by_category(&families);
        let category = |document: u32| usize::from(document >= 60) + usize::from(document >= 90);
        for set in &sets {
            let of: BTreeSet<usize> = set.documents.iter().map(|&d| category(d)).collect();
            assert_eq!(of.len(), 1);
            assert!(is_whole(&families, set));
        }
        // 25 + 25 of the first, 25 of the second, 10 of the third.
        assert_eq!((sets.len(), n_disjoint(&sets)), (8, 4));
        let sizes: Vec<usize> = sets.iter().map(|set| set.documents.len()).collect();
        assert_eq!(sizes, [25, 25, 10, 25, 25, 25, 25, 25]);
    }

    #[test]
    fn sets_in_order_are_slices() {
        let sets = drawing(Draw::Order, 5, 30).in_order(100);
        assert_eq!((sets.len(), n_disjoint(&sets)), (3, 3));
        assert_eq!(sets[1].documents, (30..60).collect::<Vec<u32>>());
        assert_eq!(drawing(Draw::Order, 5, 300).in_order(100)[0].documents.len(), 100);
    }
}
