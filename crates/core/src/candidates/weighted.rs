//! Weighted lists: documents whose features weigh enough together, by any measure that can say
//! what a pair must have in common.
//!
//! A document is posted under the features that its [`Bag`] keeps, rare ones first, and asks by
//! the same. A pair that is similar enough shares some weight that both keep, so the lists of
//! common features are never read, and whoever answers with too little is not looked at. The
//! others are compared whole, those with most weight in common first. Where one document may be
//! contained in another that shares only a small part of its own weight ([`Reach::OneSided`]),
//! all other features are posted apart: they answer to what the asker keeps, and the asker's
//! others ask for what documents keep.
//!
//! # What it may miss
//! Nothing, as long as no limit is reached: a list longer than `stop` answers with its first
//! documents only, a search ends after `most_reads` entries, and of the documents that shared
//! enough in what was read the best `most_partners` are compared. Each of these is counted.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::buckets::{Buckets, UNLIMITED};
use super::index::{Found, Index, Partner};
use crate::document::Ordinal;
use crate::hash::{self, Prehashed};
use crate::image::bag::Bag;
use crate::relation::{Kind, Scores};

/// How two documents are compared.
pub trait Measure: Send + Sync {
    /// What is kept of a document; cloned into the index, so it should be shared.
    type Image: Clone + Send + Sync;

    /// Returns what a document is posted under, and which sizes are in its reach.
    fn posts<'a>(&self, image: &'a Self::Image) -> Posts<'a>;

    /// Returns how two documents relate, seen from `a`, or `None` if they do not.
    fn judge(&self, a: &Self::Image, b: &Self::Image) -> Option<(Kind, Scores)>;

    /// Returns the number of bytes an image holds.
    fn held_bytes(&self, image: &Self::Image) -> usize;
}

/// What a document is posted under.
#[derive(Clone, Copy, Debug)]
pub struct Posts<'a> {
    /// Its features.
    pub bag: &'a Bag,
    /// Which documents may be similar to it; the same for all images.
    pub reach: Reach,
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
    /// Returns the number of the size class of a document of some total: those of documents in
    /// its reach differ by 1 at most.
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

/// How much work a search may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Documents that one list answers with. The default is 1000.
    pub stop: usize,
    /// List entries that one search reads. The default is 200,000.
    pub most_reads: usize,
    /// Documents that one search scores. The default is 1000.
    pub most_partners: usize,
}

impl Limits {
    /// As much as it takes.
    pub const NONE: Self =
        Self { stop: UNLIMITED, most_reads: UNLIMITED, most_partners: UNLIMITED };
}

impl Default for Limits {
    fn default() -> Self {
        Self { stop: 1000, most_reads: 200_000, most_partners: 1000 }
    }
}

/// Documents by kept feature, and their images.
#[derive(Clone, Debug)]
pub struct Weighted<M: Measure> {
    measure: M,
    limits: Limits,
    kept: Lists,
    rest: Lists,
    images: HashMap<Ordinal, M::Image, Prehashed>,
    image_bytes: usize,
}

type Lists = Buckets<u64, (), Prehashed>;

/// Returns the name of a list: of a feature, among documents of a size class.
fn list(feature: u64, class: u64) -> u64 {
    hash::mix(feature ^ class.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

impl<M: Measure> Weighted<M> {
    /// Makes an empty index.
    pub fn new(measure: M, limits: Limits) -> Self {
        let (kept, rest) = (Lists::new(), Lists::new());
        Self { measure, limits, kept, rest, images: HashMap::default(), image_bytes: 0 }
    }

    /// Returns the documents that share enough to be compared, by ordinal.
    fn answers(&self, posts: Posts<'_>, before: Ordinal, found: &mut Found) -> Vec<Ordinal> {
        let Posts { bag, reach } = posts;
        let classes = reach.classes(reach.class(bag.total()));
        // Of each document that answers, how much of the asker's weight it answered to.
        let mut shared: HashMap<Ordinal, f64, Prehashed> = HashMap::default();
        let mut n_reads = 0;
        let Found { cuts, .. } = found;
        let mut read = |lists: &Lists, feature: u64, mass: f64| {
            for class in classes.clone() {
                let name = list(feature, class);
                lists.each_before(&name, before, self.limits.stop, cuts, |who, ()| {
                    *shared.entry(who).or_default() += mass;
                    n_reads += 1;
                });
            }
            n_reads < self.limits.most_reads || self.limits.most_reads == UNLIMITED
        };
        // Keys grow with frequency, so a search is cut where it would get expensive.
        let is_one_sided = matches!(reach, Reach::OneSided);
        let mut is_whole = bag.kept().all(|(feature, mass)| {
            read(&self.kept, feature, mass) && (!is_one_sided || read(&self.rest, feature, mass))
        });
        if is_one_sided {
            is_whole &= bag.rest().all(|(feature, mass)| read(&self.kept, feature, mass));
        }
        cuts.n_searches_cut += u64::from(!is_whole);

        let is_enough = |who: Ordinal, shared: f64| {
            let least = || self.measure.posts(&self.images[&who]).bag.least_shared();
            shared >= bag.least_shared() || (is_one_sided && shared >= least())
        };
        let mut answers: Vec<(Ordinal, f64)> =
            shared.into_iter().filter(|&(who, shared)| is_enough(who, shared)).collect();
        if answers.len() > self.limits.most_partners {
            answers.sort_unstable_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
            cuts.n_candidates_cut += (answers.len() - self.limits.most_partners) as u64;
            answers.truncate(self.limits.most_partners);
        }
        let mut answers: Vec<Ordinal> = answers.into_iter().map(|(who, _)| who).collect();
        answers.sort_unstable();
        answers
    }
}

impl<M: Measure> Index<M::Image> for Weighted<M> {
    fn insert(&mut self, ordinal: Ordinal, image: &M::Image) {
        let Posts { bag, reach } = self.measure.posts(image);
        let class = reach.class(bag.total());
        for (feature, _) in bag.kept() {
            self.kept.insert(list(feature, class), ordinal, ());
        }
        if let Reach::OneSided = reach {
            for (feature, _) in bag.rest() {
                self.rest.insert(list(feature, class), ordinal, ());
            }
        }
        self.image_bytes += self.measure.held_bytes(image);
        self.images.insert(ordinal, image.clone());
    }

    fn remove(&mut self, ordinal: Ordinal, image: &M::Image) {
        let Posts { bag, reach } = self.measure.posts(image);
        let class = reach.class(bag.total());
        for (feature, _) in bag.kept() {
            self.kept.remove(&list(feature, class), ordinal);
        }
        if let Reach::OneSided = reach {
            for (feature, _) in bag.rest() {
                self.rest.remove(&list(feature, class), ordinal);
            }
        }
        if self.images.remove(&ordinal).is_some() {
            self.image_bytes -= self.measure.held_bytes(image);
        }
    }

    fn ask(&self, image: &M::Image, before: Ordinal, found: &mut Found) {
        let answers = self.answers(self.measure.posts(image), before, found);
        found.n_values += answers.len() as u64;
        for ordinal in answers {
            if let Some((kind, scores)) = self.measure.judge(image, &self.images[&ordinal]) {
                found.partners.push(Partner { ordinal, kind, scores });
            }
        }
    }

    fn held_bytes(&self) -> usize {
        self.kept.held_bytes() + self.rest.held_bytes() + self.image_bytes + self.images.len() * 24
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::image::bag::{Mass, Prefix, largest_ratio};
    use crate::relation::Score;

    /// Three measures of bags, to try the three kinds of posting.
    #[derive(Clone, Copy, Debug)]
    enum Trial {
        Cosine,
        Subsets,
        Overlap,
    }

    const LEAST: f64 = 0.6;

    impl Trial {
        fn image(self, words: &[u64], df: impl Fn(u64) -> u32) -> Arc<Bag> {
            let (mass, prefix) = match self {
                Self::Cosine => (Mass::Square, Prefix::of_cosine(LEAST)),
                Self::Subsets => (Mass::Square, Prefix::of_share(LEAST / largest_ratio(2.5))),
                Self::Overlap => (Mass::Weight, Prefix::of_share(LEAST)),
            };
            let bag = Bag::count(words.to_vec(), mass, prefix, df, |n, _| f64::from(n));
            Arc::new(bag.expect("there are words"))
        }
    }

    impl Measure for Trial {
        type Image = Arc<Bag>;

        fn posts<'a>(&self, bag: &'a Arc<Bag>) -> Posts<'a> {
            let reach = match self {
                Self::Cosine => Reach::Mutual,
                Self::Subsets => Reach::OneSided,
                Self::Overlap => Reach::OfSize { least: LEAST },
            };
            Posts { bag, reach }
        }

        fn judge(&self, a: &Arc<Bag>, b: &Arc<Bag>) -> Option<(Kind, Scores)> {
            let (a_in_b, b_in_a) = match self {
                Self::Cosine => a.cosine(b, LEAST).map(|score| (score, score))?,
                Self::Subsets => a.subsets(b, 2.5, LEAST)?,
                Self::Overlap => a.overlap(b, LEAST).map(|_| (LEAST, LEAST))?,
            };
            let score = |value: f64| Score::new(value.min(1.0)).expect("cut at 1");
            let (a_in_b, b_in_a) = (score(a_in_b), score(b_in_a));
            let kind = Kind::of(a_in_b.get() >= LEAST, b_in_a.get() >= LEAST)?;
            Some((kind, Scores { resemblance: a_in_b, a_in_b, b_in_a }))
        }

        fn held_bytes(&self, bag: &Arc<Bag>) -> usize {
            bag.held_bytes()
        }
    }

    fn partners(index: &Weighted<Trial>, image: &Arc<Bag>, before: usize) -> Vec<(usize, Kind)> {
        let mut found = Found::default();
        index.ask(image, Ordinal(before as u32), &mut found);
        found.partners.iter().map(|partner| (partner.ordinal.index(), partner.kind)).collect()
    }

    proptest! {
        #[test]
        fn lists_find_what_comparing_all_pairs_finds(
            documents in prop::collection::vec(prop::collection::vec(0u64..9, 1..16), 1..14),
            removed in prop::collection::vec(any::<bool>(), 14),
        ) {
            let df = |word| documents.iter().filter(|words| words.contains(&word)).count() as u32;
            let words: Vec<Vec<u64>> = documents.iter()
                .map(|words| words.iter().map(|&word| hash::mix(word)).collect()).collect();
            let df = |hash: u64| (0..9).find(|&word| hash::mix(word) == hash).map_or(0, df);
            for trial in [Trial::Cosine, Trial::Subsets, Trial::Overlap] {
                let images: Vec<_> = words.iter().map(|words| trial.image(words, df)).collect();
                let mut index = Weighted::new(trial, Limits::NONE);
                for (i, image) in images.iter().enumerate() {
                    index.insert(Ordinal(i as u32), image);
                }
                for (i, image) in images.iter().enumerate().filter(|(i, _)| removed[*i]) {
                    index.remove(Ordinal(i as u32), image);
                }
                for (i, image) in images.iter().enumerate() {
                    let expected: Vec<(usize, Kind)> = images[..i].iter().enumerate()
                        .filter(|(j, _)| !removed[*j])
                        .filter_map(|(j, other)| Some((j, trial.judge(image, other)?.0)))
                        .collect();
                    prop_assert_eq!(partners(&index, image, i), expected, "{:?} {}", trial, i);
                }
                for (i, image) in images.iter().enumerate() {
                    index.remove(Ordinal(i as u32), image);
                }
                prop_assert!(index.kept.is_empty() && index.rest.is_empty());
                prop_assert_eq!(index.image_bytes, 0);
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
        let image = |first: u64| {
            let words: Vec<u64> = (first..first + 10).map(hash::mix).collect();
            Trial::Cosine.image(&words, |_| 1)
        };
        let ask = |limits: Limits| {
            let mut index = Weighted::new(Trial::Cosine, limits);
            (0..20).for_each(|i| index.insert(Ordinal(i), &image(0)));
            let mut found = Found::default();
            index.ask(&image(0), Ordinal(20), &mut found);
            found
        };
        let found = ask(Limits { most_partners: 5, ..Limits::NONE });
        assert_eq!((found.partners.len(), found.cuts.n_candidates_cut), (5, 15));
        assert_eq!(found.partners[4].ordinal, Ordinal(4), "the earliest of equals");
        let found = ask(Limits { stop: 3, ..Limits::NONE });
        assert_eq!(found.partners.len(), 3);
        assert!(found.cuts.n_stop_features > 0);
        let found = ask(Limits { most_reads: 30, ..Limits::NONE });
        assert_eq!((found.partners.len(), found.cuts.n_searches_cut), (20, 1));
    }

    #[test]
    fn features_that_everybody_has_are_not_read() {
        let n = 500u64;
        let mut index = Weighted::new(Trial::Overlap, Limits::NONE);
        // Ten common words each, and twenty of its own.
        let image = |i: u64| {
            let words: Vec<u64> =
                (0..10).chain(1000 * (i + 1)..1000 * (i + 1) + 20).map(hash::mix).collect();
            Trial::Overlap.image(&words, |hash| {
                if (0..10).any(|word| hash::mix(word) == hash) { n as u32 } else { 1 }
            })
        };
        (0..n).for_each(|i| index.insert(Ordinal(i as u32), &image(i)));
        let mut found = Found::default();
        let answers = index.answers(index.measure.posts(&image(n)), Ordinal(n as u32), &mut found);
        assert!(answers.is_empty(), "{} documents answered", answers.len());
    }
}
