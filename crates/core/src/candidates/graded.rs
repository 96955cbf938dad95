//! Graded answers: how documents relate is told by how much of each stands in the other.
//!
//! For methods whose threshold only says *that* documents have enough in common. With 5 % of the
//! sentences in common, neither contains the other.

use super::index::{Found, Index};
use crate::document::Ordinal;
use crate::relation::Kind;

/// An index whose partners are named by their shares.
#[derive(Clone, Debug)]
pub struct Graded<X> {
    index: X,
    containment: f64,
}

impl<X> Graded<X> {
    /// Partners of `index` contain each other from this share on, and are partial copies below.
    pub fn new(index: X, containment: f64) -> Self {
        Self { index, containment }
    }
}

impl<Image, X: Index<Image>> Index<Image> for Graded<X> {
    fn insert(&mut self, ordinal: Ordinal, image: &Image) {
        self.index.insert(ordinal, image);
    }

    fn remove(&mut self, ordinal: Ordinal, image: &Image) {
        self.index.remove(ordinal, image);
    }

    fn ask(&self, image: &Image, before: Ordinal, found: &mut Found) {
        let n_before = found.partners.len();
        self.index.ask(image, before, found);
        for partner in &mut found.partners[n_before..] {
            let scores = partner.scores;
            let is_in = |share: f64| share >= self.containment;
            let kind = Kind::of(is_in(scores.a_in_b.get()), is_in(scores.b_in_a.get()));
            partner.kind = kind.unwrap_or(Kind::Partial);
        }
    }

    fn held_bytes(&self) -> usize {
        self.index.held_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::index::Partner;
    use crate::relation::Scores;

    /// Answers with the number of common features it was given.
    struct Fixed(Vec<usize>);

    impl Index<()> for Fixed {
        fn insert(&mut self, _: Ordinal, (): &()) {}

        fn remove(&mut self, _: Ordinal, (): &()) {}

        fn ask(&self, (): &(), _: Ordinal, found: &mut Found) {
            found.partners.extend(self.0.iter().enumerate().map(|(i, &n_common)| Partner {
                ordinal: Ordinal(i as u32),
                kind: Kind::NearDuplicate,
                scores: Scores::of_sets(20, 10, n_common),
            }));
        }

        fn held_bytes(&self) -> usize {
            0
        }
    }

    #[test]
    fn the_kind_follows_from_the_shares() {
        let graded = Graded::new(Fixed(vec![1, 5, 10]), 0.5);
        let mut found = Found::default();
        graded.ask(&(), Ordinal(9), &mut found);
        let kinds: Vec<Kind> = found.partners.iter().map(|partner| partner.kind).collect();
        assert_eq!(kinds, [Kind::Partial, Kind::Contains, Kind::NearDuplicate]);
    }
}
