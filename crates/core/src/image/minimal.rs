//! Minimal elements: the codes of a document that come first in random permutations.
//!
//! The image has a bounded number of units whatever the size of the document, and two documents
//! have the more units in common the more their sets of codes resemble each other: of `n` units
//! of [`MinimalForm::M`] about `n` × resemblance.

use serde::{Deserialize, Serialize};

use super::permutation::{self, Family, Permutation};
use crate::hash;

/// Where minimal elements are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MinimalForm {
    /// The first `n` codes in one permutation.
    #[default]
    B,
    /// The first code in each of `n` permutations.
    M,
}

/// How many codes are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subset {
    /// A fixed number.
    #[default]
    Fixed,
    /// A number that grows with the logarithm of the document: ⌈log₂ n⌉ times a factor.
    Logarithmic,
    /// Every so many-th code in the order of the text, the first one included; no permutation.
    Every,
}

/// Whether a unit of form `m` says which permutation it comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Units {
    /// Pairs of permutation and code: always `n` units, and the number of common ones estimates
    /// the resemblance.
    #[default]
    Tagged,
    /// Plain codes: a code that comes first in several permutations is one unit.
    Untagged,
}

/// Makes images of minimal elements.
#[derive(Clone, Debug)]
pub struct Minimal {
    permutations: Vec<Permutation>,
    form: MinimalForm,
    rule: Rule,
    units: Units,
}

/// A subset rule with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// At most this many codes.
    Fixed(usize),
    /// ⌈log₂ n⌉ times this many, at least one.
    Logarithmic(usize),
    /// Every so many-th.
    Every(usize),
}

impl Minimal {
    /// Keeps the first codes in one permutation, as many as `rule` says.
    pub fn in_one(family: Family, rule: Rule, seed: u64) -> Self {
        let permutations = permutation::draw(family, 1, seed);
        Self { permutations, form: MinimalForm::B, rule, units: Units::Untagged }
    }

    /// Keeps the first code in each of `n` permutations.
    pub fn in_each(family: Family, n: usize, units: Units, seed: u64) -> Self {
        let permutations = permutation::draw(family, n, seed);
        Self { permutations, form: MinimalForm::M, rule: Rule::Fixed(n), units }
    }

    /// Returns the units of a document, given its codes in the order of the text (repeats are
    /// looked at once).
    ///
    /// *Order*: ascending, each unit once.
    pub fn units(&self, codes: Vec<u64>) -> Vec<u64> {
        let mut units = match (self.form, self.rule) {
            (MinimalForm::B, Rule::Every(every)) => {
                distinct_in_order(codes).into_iter().step_by(every.max(1)).collect()
            }
            (MinimalForm::B, Rule::Fixed(n)) => self.permutations[0].first_n(&distinct(codes), n),
            (MinimalForm::B, Rule::Logarithmic(factor)) => {
                let codes = distinct(codes);
                let n = logarithmic(codes.len(), factor);
                self.permutations[0].first_n(&codes, n)
            }
            (MinimalForm::M, _) => self.first_of_each(&distinct(codes)),
        };
        units.sort_unstable();
        units.dedup();
        units
    }

    fn first_of_each(&self, codes: &[u64]) -> Vec<u64> {
        let firsts = self.permutations.iter().enumerate();
        firsts
            .filter_map(|(i, permutation)| {
                let code = permutation.first(codes)?;
                Some(match self.units {
                    // Two tagged units meet by chance with probability 2^-64.
                    Units::Tagged => hash::mix(code ^ hash::mix(i as u64 + 1)),
                    Units::Untagged => code,
                })
            })
            .collect()
    }
}

/// Returns ⌈log₂ n⌉ × `factor`, at least 1.
fn logarithmic(n: usize, factor: usize) -> usize {
    let log = n.checked_next_power_of_two().map_or(usize::BITS, usize::ilog2);
    (log as usize).saturating_mul(factor).max(1)
}

fn distinct(mut codes: Vec<u64>) -> Vec<u64> {
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn distinct_in_order(codes: Vec<u64>) -> Vec<u64> {
    let mut placed: Vec<(u64, usize)> =
        codes.into_iter().enumerate().map(|(at, code)| (code, at)).collect();
    placed.sort_unstable();
    placed.dedup_by_key(|place| place.0);
    placed.sort_unstable_by_key(|place| place.1);
    placed.into_iter().map(|(code, _)| code).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    fn n_common(a: &[u64], b: &[u64]) -> usize {
        a.iter().filter(|unit| b.binary_search(unit).is_ok()).count()
    }

    #[test]
    fn common_units_of_both_forms_follow_the_resemblance() {
        // Union 3000, resemblance 0.8; 200 units: the standard error of the share is 0.028.
        // The code 0 is left out: a linear map always keeps it.
        let codes: Vec<u64> = (1..=3000).map(mix).collect();
        let common_share = |minimal: Minimal| {
            let one = minimal.units(codes[..2700].to_vec());
            let other = minimal.units(codes[300..].to_vec());
            assert_eq!((one.len(), other.len()), (200, 200));
            n_common(&one, &other) as f64 / 200.0
        };
        for family in Family::ALL {
            let in_each = common_share(Minimal::in_each(family, 200, Units::Tagged, 9));
            assert!((in_each - 0.8).abs() < 0.09, "{family:?}");
            // Of the n smallest of two sets about 2s/(1 + s) are common.
            let in_one = common_share(Minimal::in_one(family, Rule::Fixed(200), 9));
            assert!((in_one - 0.889).abs() < 0.09, "{family:?}");
        }
    }

    #[test]
    fn untagged_units_are_codes_of_the_document() {
        let codes: Vec<u64> = (0..20).map(mix).collect();
        let units = Minimal::in_each(Family::Mixed, 100, Units::Untagged, 1).units(codes.clone());
        assert!(units.len() <= 20 && units.iter().all(|unit| codes.contains(unit)));
        let tagged = Minimal::in_each(Family::Mixed, 100, Units::Tagged, 1).units(codes);
        assert_eq!(tagged.len(), 100);
    }

    #[test]
    fn subset_rules_keep_the_numbers_they_name() {
        let codes: Vec<u64> = (0..1000).map(mix).collect();
        let n = |rule| Minimal::in_one(Family::Affine, rule, 1).units(codes.clone()).len();
        assert_eq!(n(Rule::Fixed(100)), 100);
        assert_eq!(n(Rule::Fixed(5000)), 1000, "a short document has a smaller image");
        assert_eq!(n(Rule::Logarithmic(3)), 30, "the logarithm of 1000 is 9.97");
        assert_eq!(n(Rule::Every(25)), 40);
        assert_eq!([1, 2, 1024, 1025].map(|n| logarithmic(n, 4)), [1, 4, 40, 44]);
    }

    #[test]
    fn every_nth_counts_distinct_codes_in_the_order_of_the_text() {
        let minimal = Minimal::in_one(Family::Matrix, Rule::Every(2), 1);
        assert_eq!(minimal.units(vec![5, 3, 5, 9, 3, 1, 7]), [5, 7, 9]);
    }

    proptest! {
        #[test]
        fn an_image_has_at_most_n_units_and_depends_on_the_set_alone(
            mut codes in prop::collection::vec(0u64..500, 0..300), n in 1usize..50, seed: u64,
        ) {
            let families = [Family::Affine, Family::Mixed];
            let images = families.map(|family| [
                Minimal::in_one(family, Rule::Fixed(n), seed),
                Minimal::in_each(family, n, Units::Tagged, seed),
                Minimal::in_each(family, n, Units::Untagged, seed),
            ]);
            let first: Vec<_> = images.iter().flatten().map(|m| m.units(codes.clone())).collect();
            prop_assert!(first.iter().all(|units| units.len() <= n));
            codes.extend(codes.clone());
            codes.reverse();
            let again: Vec<_> = images.iter().flatten().map(|m| m.units(codes.clone())).collect();
            prop_assert_eq!(first, again);
        }
    }
}
