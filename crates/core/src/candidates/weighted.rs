//! Weighted keys: documents whose features weigh enough together, by any measure that can say
//! what a pair must have in common.
//!
//! A document is held under the features that its [`Bag`] keeps, rare ones first, and asks with
//! the same. A pair that is similar enough shares some weight that both keep, so the lists of
//! common features are never read, and whoever answers with too little is not looked at. The
//! others are compared whole. Where one document may be contained in another that shares only a
//! small part of its own weight ([`Reach::OneSided`]), all other features are held apart: they
//! answer to what the asker keeps, and the asker's others ask for what documents keep.
//!
//! # What it may miss
//! Nothing, as long as no limit is reached: a list longer than `stop` answers with its first
//! documents only, long lists beyond `most_reads` entries are thinned, and of the documents that
//! shared enough the first `most_partners` are compared. Each of these is counted.

use std::ops::RangeInclusive;

use super::meeting::{self, Met, Tag, Weighed};
use super::{Judgement, Meeting};
use crate::encode::{Encoded, encoded_fields};
use crate::hash;
use crate::image::bag::Bag;
use crate::parameters::{Limit, parameters};

/// How two documents are compared.
pub trait Measure: Send + Sync + 'static {
    /// What is kept of a document.
    type Image: Encoded;

    /// Returns the features of a document.
    fn bag<'a>(&self, image: &'a Self::Image) -> &'a Bag;

    /// Returns which documents may be similar to one.
    fn reach(&self) -> Reach;

    /// Returns how two documents relate, seen from `a`, or `None` if they do not.
    fn judge(&self, a: &Self::Image, b: &Self::Image) -> Option<Judgement>;
}

/// Which documents may be similar to one.
#[derive(Clone, Copy, Debug)]
pub enum Reach {
    /// Those that share much of its weight and of their own.
    Mutual,
    /// The same, and their totals differ by a factor of at most 1 / `least`, which is above 0 up
    /// to 1. Documents of other sizes do not answer.
    OfSize {
        /// Smallest share of a total that a similar document has.
        least: f64,
    },
    /// Those that share much of its weight, or of their own.
    OneSided,
}

impl Reach {
    /// Returns the number of the size class of a document with this total weight. The classes of
    /// two documents that may be similar differ by at most 1.
    fn class(self, total: f64) -> u64 {
        let Self::OfSize { least } = self else { return 1 };
        // A class is a little wider than it must be, so that rounding cannot make a step of two.
        let width = ((1.0 / least).ln() * (1.0 + 1e-9)).max(1e-9);
        #[expect(clippy::cast_sign_loss, reason = "the logarithm is of 1 or more")]
        let class = (total.max(1.0).ln() / width) as u64;
        class + 1
    }

    /// Returns the classes in the reach of a class.
    fn classes(self, class: u64) -> RangeInclusive<u64> {
        match self {
            Self::OfSize { .. } => class - 1..=class + 1,
            Self::Mutual | Self::OneSided => class..=class,
        }
    }
}

parameters! {
    /// How much work a search may do.
    #[derive(Copy, PartialEq, Eq)]
    pub struct Limits {
        /// documents that one list answers with
        pub stop: Limit = Limit::at(1000), paper Limit::NONE, in 1..;
        /// entries of long lists that one search reads
        pub most_reads: Limit = Limit::at(200_000), paper Limit::NONE, in 1..;
        /// documents that one search compares
        pub most_partners: Limit = Limit::at(1000), paper Limit::NONE, in 1..;
    }
}

impl Limits {
    /// As much as it takes.
    pub const NONE: Self =
        Self { stop: Limit::NONE, most_reads: Limit::NONE, most_partners: Limit::NONE };
}

/// Bags that meet in their features.
#[derive(Clone, Debug)]
pub struct Weighted<M> {
    measure: M,
    limits: Limits,
}

/// What is known of a bag while another one asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    total: f64,
    least_shared: f64,
}

encoded_fields!(Sizes { total, least_shared });

/// Returns the key of a feature, among documents of a size class that keep it.
fn list(feature: u64, class: u64) -> u64 {
    hash::mix(feature ^ class.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Returns the key of a feature among the documents that have it and do not keep it.
fn list_of_rest(feature: u64, class: u64) -> u64 {
    hash::mix(!list(feature, class))
}

/// The whole of a bag in votes. Shares are rounded up, so a million features add 3 % at most to
/// what a document seems to share, and nothing is ever missed.
const WHOLE: f64 = (1 << 25) as f64;

impl<M: Measure> Weighted<M> {
    /// Makes the meeting.
    pub fn new(measure: M, limits: Limits) -> Self {
        Self { measure, limits }
    }
}

impl<M: Measure> Meeting for Weighted<M> {
    type Image = M::Image;
    type Payload = Tag;
    type Facts = Sizes;

    fn facts(&self, image: &M::Image) -> Sizes {
        let bag = self.measure.bag(image);
        Sizes { total: bag.total(), least_shared: bag.least_shared() }
    }

    fn keys(&self, image: &M::Image, mut each: impl FnMut(u64, Tag)) {
        let (bag, reach) = (self.measure.bag(image), self.measure.reach());
        let class = reach.class(bag.total());
        #[expect(clippy::cast_sign_loss, reason = "features weigh more than nothing")]
        let vote = |mass: f64| (mass / bag.total() * WHOLE).ceil().clamp(1.0, WHOLE) as u32;
        let is_one_sided = matches!(reach, Reach::OneSided);
        for (feature, mass) in bag.kept() {
            let vote = vote(mass);
            for other in reach.classes(class) {
                let tag = if other == class { Tag::both(vote) } else { Tag::asked(vote) };
                each(list(feature, other), tag);
            }
            if is_one_sided {
                each(list_of_rest(feature, class), Tag::asked(vote));
            }
        }
        if is_one_sided {
            for (feature, mass) in bag.rest() {
                each(list_of_rest(feature, class), Tag::held(0));
                each(list(feature, class), Tag::asked(vote(mass)));
            }
        }
    }

    fn limits(&self) -> meeting::Limits {
        let Limits { stop, most_reads, most_partners } = self.limits;
        meeting::Limits {
            most_reads: most_reads.get(),
            most_looks: most_partners.get(),
            ..meeting::Limits::first(stop.get())
        }
    }

    /// Votes are shares of the asker's total.
    fn vote(&self, asked: Tag, _: Tag) -> u64 {
        u64::from(asked.value())
    }

    fn weigh(&self, asker: &Sizes, other: &Sizes, met: Met) -> Weighed {
        let shared = met.votes as f64 / WHOLE * asker.total;
        let is_one_sided = matches!(self.measure.reach(), Reach::OneSided);
        if shared >= asker.least_shared || (is_one_sided && shared >= other.least_shared) {
            Weighed::Look
        } else {
            Weighed::No
        }
    }

    fn judge(&self, asker: &M::Image, other: &M::Image, _: Met) -> Option<Judgement> {
        self.measure.judge(asker, other)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Cuts;
    use super::super::both::found_by_all;
    use super::*;
    use crate::image::bag::{Mass, Prefix, largest_ratio};
    use crate::relation::{Kind, Score, Scores};

    /// Three measures of bags, to try the three kinds of reach.
    #[derive(Clone, Copy, Debug)]
    enum Trial {
        Cosine,
        Subsets,
        Overlap,
    }

    const LEAST: f64 = 0.6;

    impl Trial {
        fn image(self, words: &[u64], df: impl Fn(u64) -> u32) -> Bag {
            let (mass, prefix) = match self {
                Self::Cosine => (Mass::Square, Prefix::of_cosine(LEAST)),
                Self::Subsets => (Mass::Square, Prefix::of_share(LEAST / largest_ratio(2.5))),
                Self::Overlap => (Mass::Weight, Prefix::of_share(LEAST)),
            };
            let bag = Bag::count(words.to_vec(), mass, prefix, df, |n, _| f64::from(n));
            bag.expect("there are words")
        }
    }

    impl Measure for Trial {
        type Image = Bag;

        fn bag<'a>(&self, bag: &'a Bag) -> &'a Bag {
            bag
        }

        fn reach(&self) -> Reach {
            match self {
                Self::Cosine => Reach::Mutual,
                Self::Subsets => Reach::OneSided,
                Self::Overlap => Reach::OfSize { least: LEAST },
            }
        }

        fn judge(&self, a: &Bag, b: &Bag) -> Option<Judgement> {
            let (a_in_b, b_in_a) = match self {
                Self::Cosine => a.cosine(b, LEAST).map(|score| (score, score))?,
                Self::Subsets => a.subsets(b, 2.5, LEAST)?,
                Self::Overlap => a.overlap(b, LEAST).map(|_| (LEAST, LEAST))?,
            };
            let score = |value: f64| Score::new(value.min(1.0)).expect("cut at 1");
            let (a_in_b, b_in_a) = (score(a_in_b), score(b_in_a));
            let kind = Kind::of(a_in_b.get() >= LEAST, b_in_a.get() >= LEAST)?;
            Some(Judgement { kind, scores: Scores { resemblance: a_in_b, a_in_b, b_in_a } })
        }
    }

    proptest! {
        #[test]
        fn lists_find_what_comparing_all_pairs_finds(
            documents in prop::collection::vec(prop::collection::vec(0u64..9, 1..16), 1..14),
            border in prop::option::of(0u32..14),
        ) {
            let df = |word| documents.iter().filter(|words| words.contains(&word)).count() as u32;
            let words: Vec<Vec<u64>> = documents.iter()
                .map(|words| words.iter().map(|&word| hash::mix(word)).collect()).collect();
            let df = |hash: u64| (0..9).find(|&word| hash::mix(word) == hash).map_or(0, df);
            let border = border.filter(|&border| (border as usize) < documents.len());
            for trial in [Trial::Cosine, Trial::Subsets, Trial::Overlap] {
                let images: Vec<_> = words.iter().map(|words| trial.image(words, df)).collect();
                let meeting = || Weighted::new(trial, Limits::NONE);
                let (found, cuts) = found_by_all(meeting, &images, border);
                prop_assert_eq!(cuts, Cuts::default());
                for (i, (image, found)) in images.iter().zip(found).enumerate() {
                    let n_before = border.map_or(i, |border| {
                        if i < border as usize { 0 } else { border as usize }
                    });
                    let expected: Vec<(usize, Judgement)> = images[..n_before].iter().enumerate()
                        .filter_map(|(j, other)| Some((j, trial.judge(image, other)?)))
                        .collect();
                    let found: Vec<(usize, Judgement)> = found.iter()
                        .map(|x| (x.ordinal.index(), Judgement { kind: x.kind, scores: x.scores }))
                        .collect();
                    prop_assert_eq!(found, expected, "{:?} {}", trial, i);
                }
            }
        }

        #[test]
        fn similar_sizes_are_at_most_one_class_apart(size in 1u32..100_000, least in 0.05f64..=1.0) {
            let class = |size: f64| Reach::OfSize { least }.class(size);
            let size = f64::from(size);
            prop_assert!(class(size) - class((size * least).max(1.0)) <= 1);
            prop_assert!(class(size) - class((size * least).ceil()) <= 1);
        }
    }

    #[test]
    fn limits_cut_a_search_and_are_counted() {
        let words: Vec<u64> = (0..10).map(hash::mix).collect();
        let images = vec![Trial::Cosine.image(&words, |_| 1); 41];
        // What the last document finds, and what was cut for all.
        let ask = |limits: Limits| {
            let (found, cuts) =
                found_by_all(|| Weighted::new(Trial::Cosine, limits), &images, None);
            (found[40].clone(), cuts)
        };
        let (found, cuts) = ask(Limits { most_partners: Limit::at(5), ..Limits::NONE });
        assert_eq!((found.len(), cuts.n_candidates_cut), (5, (1..=35).sum()));
        assert_eq!(found[4].ordinal.0, 4, "the earliest of equals");
        let (found, cuts) = ask(Limits { stop: Limit::at(3), ..Limits::NONE });
        assert_eq!(found.len(), 3);
        assert!(cuts.n_stop_features > 0);
        let (_, cuts) = ask(Limits { most_reads: Limit::at(30), ..Limits::NONE });
        assert_eq!(cuts.n_searches_cut, 8, "lists of up to 32 documents are always read");
    }

    #[test]
    fn features_that_everybody_has_are_not_read() {
        let n = 500u64;
        // Ten common words each, and twenty of its own.
        let image = |i: u64| {
            let words: Vec<u64> =
                (0..10).chain(1000 * (i + 1)..1000 * (i + 1) + 20).map(hash::mix).collect();
            Trial::Overlap.image(&words, |hash| {
                if (0..10).any(|word| hash::mix(word) == hash) { n as u32 } else { 1 }
            })
        };
        let meeting = Weighted::new(Trial::Overlap, Limits::NONE);
        let mut keys = std::collections::BTreeSet::new();
        for i in 0..n {
            meeting.keys(&image(i), |key, _| {
                assert!(keys.insert(key), "no two documents meet, whatever their class");
            });
        }
    }
}
