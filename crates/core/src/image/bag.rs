//! Bags: the features of a document with weights, in one order that all documents share.
//!
//! Rare features come first. That serves two purposes. A pair that is similar enough must agree
//! early, so only the first features of a document have to be looked up ([`Bag::kept`]: the
//! prefix filter of Chaudhuri et al. 2006, by weight as in Bayardo et al. 2007). And two bags
//! that have nothing rare in common are told apart before their common features are reached.

use crate::encode::{Encoded, Input, put_ascending, put_number};

/// Features with weights, rare ones first.
#[derive(Clone, Debug, PartialEq)]
pub struct Bag {
    keys: Box<[u64]>,
    weights: Box<[f32]>,
    mass: Mass,
    total: f64,
    n_kept: usize,
    least: f64,
}

/// What a feature counts for in the total of a bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mass {
    /// Its weight: bags are compared by what they have in common.
    Weight,
    /// The square of its weight: bags are compared as vectors.
    Square,
}

impl Mass {
    fn of(self, weight: f64) -> f64 {
        match self {
            Self::Weight => weight,
            Self::Square => weight * weight,
        }
    }

    fn total(self, weights: &[f32]) -> f64 {
        weights.iter().map(|&weight| self.of(f64::from(weight))).sum()
    }
}

/// How much of a bag is kept, and how much of that similar bags have in common.
///
/// What is left must not be enough alone. The less is left, the more lists are read, and the more
/// must be shared in them, so that fewer chance answers are compared.
// PERF: of 0.95, 0.85, 0.7 and 0.5 of what is needed left, one of the first two was fastest for
//       shares and the third for cosines, on 20,000 texts of 150 words by Zipf's law. From the
//       first to the best, comparisons fell from 4.3 million to 21,000 for `scam` and from 8.9
//       million to 152,000 for `cosine`.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    /// What is not kept makes up less than this share of the total.
    left: f64,
    /// Similar bags agree in kept features that make up at least this share of the total.
    least: f64,
}

impl Prefix {
    /// For bags that count as similar if they share at least `share` of the total of each.
    pub fn of_share(share: f64) -> Self {
        Self { left: 0.9 * share, least: 0.1 * share }
    }

    /// For vectors that count as similar from this cosine on. A part of a vector adds at most its own
    /// length to the product with another vector of length 1 (Cauchy–Schwarz).
    pub fn of_cosine(cosine: f64) -> Self {
        let square = |length: f64| length * length;
        Self { left: square(0.7 * cosine), least: square(0.3 * cosine) }
    }
}

/// Sums in different orders differ in their last digits; a filter leaves that much room.
const SLACK: f64 = 1e-9;

/// Returns the key of a feature that `df` documents hold: keys of rarer features are smaller.
///
/// The first eight bits are the frequency to an eighth of its size, the others those of the hash.
pub fn key(hash: u64, df: u32) -> u64 {
    let df = u64::from(df.max(1));
    let exponent = u64::from(df.ilog2());
    let fraction = (df << 3 >> exponent) & 7;
    (exponent << 3 | fraction) << 56 | hash >> 8
}

impl Bag {
    /// Makes a bag of keys with weights, each key once, in any order; `None` if nothing in it
    /// has any weight.
    ///
    /// `prefix` says how much is [kept](Self::kept).
    pub fn new(features: Vec<(u64, f32)>, mass: Mass, prefix: Prefix) -> Option<Self> {
        let mut features = features;
        features.retain(|&(_, weight)| weight > 0.0 && weight.is_finite());
        features.sort_unstable_by_key(|&(key, _)| key);
        let (keys, weights): (Vec<u64>, Vec<f32>) = features.into_iter().unzip();
        let (keys, weights) = (keys.into_boxed_slice(), weights.into_boxed_slice());
        let total = mass.total(&weights);
        let mut n_kept = weights.len();
        let mut left = 0.0;
        while n_kept > 1 {
            left += mass.of(f64::from(weights[n_kept - 1]));
            if left >= prefix.left * total * (1.0 - SLACK) {
                break;
            }
            n_kept -= 1;
        }
        let least = prefix.least * total * (1.0 - SLACK);
        (total > 0.0).then_some(Self { keys, weights, mass, total, n_kept, least })
    }

    /// Makes a bag that counts features given as hashes, in any order and with repeats.
    ///
    /// `df` says how many documents hold a feature, `weight` what one counts for that comes
    /// a number of times.
    pub fn count(
        mut hashes: Vec<u64>,
        mass: Mass,
        prefix: Prefix,
        mut df: impl FnMut(u64) -> u32,
        weight: impl Fn(u32, u32) -> f64,
    ) -> Option<Self> {
        hashes.sort_unstable();
        let feature = |same: &[u64]| {
            let df = df(same[0]);
            (key(same[0], df), weight(same.len() as u32, df) as f32)
        };
        Self::new(hashes.chunk_by(|x, y| x == y).map(feature).collect(), mass, prefix)
    }

    /// Returns the features to look the document up by, rare ones first: their keys and what they
    /// count for in the total.
    pub fn kept(&self) -> impl Iterator<Item = (u64, f64)> {
        self.features(0, self.n_kept)
    }

    /// Returns the other features.
    pub fn rest(&self) -> impl Iterator<Item = (u64, f64)> {
        self.features(self.n_kept, self.keys.len())
    }

    fn features(&self, from: usize, to: usize) -> impl Iterator<Item = (u64, f64)> {
        let weights = self.weights[from..to].iter();
        let mass = move |&weight: &f32| self.mass.of(f64::from(weight));
        self.keys[from..to].iter().copied().zip(weights.map(mass))
    }

    /// Returns how much of its total a similar bag shares with it at least in kept features.
    pub fn least_shared(&self) -> f64 {
        self.least
    }

    /// Returns the sum of all weights, or of their squares if the bag is a vector.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Returns the keys of all features, ascending.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Calls `step` with the weights of every feature of either bag, 0 where one lacks it, until
    /// it returns false; returns whether it got through.
    #[inline]
    fn merge(&self, other: &Self, mut step: impl FnMut(f64, f64) -> bool) -> bool {
        let (mut i, mut j) = (0, 0);
        loop {
            let goes_on = match (self.keys.get(i), other.keys.get(j)) {
                (Some(x), Some(y)) if x == y => {
                    (i, j) = (i + 1, j + 1);
                    step(f64::from(self.weights[i - 1]), f64::from(other.weights[j - 1]))
                }
                (Some(x), y) if y.is_none_or(|y| x < y) => {
                    i += 1;
                    step(f64::from(self.weights[i - 1]), 0.0)
                }
                (_, Some(_)) => {
                    j += 1;
                    step(0.0, f64::from(other.weights[j - 1]))
                }
                _ => return true,
            };
            if !goes_on {
                return false;
            }
        }
    }

    /// Returns the cosine of two bags, if both are vectors and it is at least `least`.
    pub fn cosine(&self, other: &Self, least: f64) -> Option<f64> {
        if self.mass != Mass::Square || other.mass != Mass::Square {
            return None;
        }
        let lengths = (self.total * other.total).sqrt();
        let needed = least * lengths * (1.0 - SLACK);
        let slack = SLACK * lengths;
        let (mut dot, mut a_left, mut b_left) = (0.0, self.total, other.total);
        let is_through = self.merge(other, |x, y| {
            dot += x * y;
            a_left -= x * x;
            b_left -= y * y;
            // What is left adds at most the product of the lengths that are left
            // (Cauchy–Schwarz).
            let missing = needed - dot - slack;
            missing <= 0.0 || missing * missing <= a_left * b_left
        });
        let cosine = (dot / lengths).min(1.0);
        (is_through && cosine >= least).then_some(cosine)
    }

    /// Returns how much of each bag of frequencies is a subset of the other, by the relative
    /// frequency model, if both are vectors and one of the two values is at least `least`. Values
    /// may exceed 1.
    ///
    /// A feature counts only where its two frequencies are close: their ratios x/y and y/x sum
    /// up to less than `epsilon`, which is above 2.
    pub fn subsets(&self, other: &Self, epsilon: f64, least: f64) -> Option<(f64, f64)> {
        if self.mass != Mass::Square || other.mass != Mass::Square {
            return None;
        }
        let most_ratio = largest_ratio(epsilon);
        let (mut close, mut a_left, mut b_left) = (0.0, self.total, other.total);
        let is_through = self.merge(other, |x, y| {
            if x > 0.0 && y > 0.0 && epsilon - (x / y + y / x) > 0.0 {
                close += x * y;
            }
            a_left -= x * x;
            b_left -= y * y;
            let reaches =
                |left: f64, total: f64| (close + most_ratio * left) >= (least - SLACK) * total;
            reaches(a_left, self.total) || reaches(b_left, other.total)
        });
        let (a_in_b, b_in_a) = (close / self.total, close / other.total);
        (is_through && a_in_b.max(b_in_a) >= least).then_some((a_in_b, b_in_a))
    }

    /// Returns what two bags have in common, each feature by the smaller of its weights, if neither
    /// is a vector and it is at least `needed`.
    pub fn common(&self, other: &Self, needed: f64) -> Option<f64> {
        if self.mass != Mass::Weight || other.mass != Mass::Weight {
            return None;
        }
        let enough = needed * (1.0 - SLACK);
        let (mut common, mut a_left, mut b_left) = (0.0, self.total, other.total);
        if a_left.min(b_left) < enough {
            return None;
        }
        let is_through = self.merge(other, |x, y| {
            common += x.min(y);
            a_left -= x;
            b_left -= y;
            common + a_left.min(b_left) >= enough
        });
        (is_through && common >= enough).then_some(common)
    }

    /// Returns what two bags have in common, if their resemblance is at least `least`.
    pub fn overlap(&self, other: &Self, least: f64) -> Option<f64> {
        let sum = self.total + other.total;
        // From c / (sum - c) >= least.
        let common = self.common(other, least / (1.0 + least) * sum)?;
        (common >= least * (sum - common)).then_some(common)
    }
}

/// Bits of a key below those of its frequency.
const HASH_BITS: u32 = 56;
/// What the first number of an encoded bag says, beside the number of kept features.
const IS_SQUARE: u64 = 1;
const IS_COUNTED: u64 = 2;

/// Keys are written by frequency, and weights that are small whole numbers as such.
impl Encoded for Bag {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { keys, weights, mass, total: _, n_kept, least } = self;
        let counts: Option<Vec<u32>> = weights.iter().map(|&weight| to_count(weight)).collect();
        let mut first = (*n_kept as u64) << 2;
        first |= if *mass == Mass::Square { IS_SQUARE } else { 0 };
        first |= if counts.is_some() { IS_COUNTED } else { 0 };
        put_number(first, out);
        out.extend_from_slice(&least.to_bits().to_le_bytes());
        let chunks = || keys.chunk_by(|x, y| x >> HASH_BITS == y >> HASH_BITS);
        put_number(chunks().count() as u64, out);
        for equals in chunks() {
            out.push((equals[0] >> HASH_BITS) as u8);
            let hash = |&key: &u64| key & ((1 << HASH_BITS) - 1);
            put_ascending(&equals.iter().map(hash).collect::<Vec<_>>(), HASH_BITS, out);
        }
        match counts {
            Some(counts) => counts.iter().for_each(|&n| put_number(u64::from(n), out)),
            None => weights.iter().for_each(|x| out.extend_from_slice(&x.to_bits().to_le_bytes())),
        }
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let first = input.number()?;
        let n_kept = usize::try_from(first >> 2).ok()?;
        let least = f64::from_bits(u64::from_le_bytes(input.take(8)?.try_into().ok()?));
        let mut keys = Vec::new();
        for _ in 0..input.count()? {
            let frequency = u64::from(*input.take(1)?.first()?) << HASH_BITS;
            let hashes = input.ascending(HASH_BITS)?;
            keys.extend(hashes.into_iter().map(|hash| frequency | hash));
        }
        let weight = |input: &mut Input<'_>| {
            if first & IS_COUNTED != 0 {
                return Some(input.number()? as f32);
            }
            Some(f32::from_bits(u32::from_le_bytes(input.take(4)?.try_into().ok()?)))
        };
        let weights: Box<[f32]> = keys.iter().map(|_| weight(input)).collect::<Option<_>>()?;
        let mass = if first & IS_SQUARE != 0 { Mass::Square } else { Mass::Weight };
        let total = mass.total(&weights);
        let is_bag = keys.is_sorted()
            && (1..=keys.len()).contains(&n_kept)
            && weights.iter().all(|&weight| weight > 0.0 && weight.is_finite())
            && least.is_finite();
        is_bag.then_some(Self { keys: keys.into(), weights, mass, total, n_kept, least })
    }
}

/// Returns a weight as a whole number, if it is one that comes back the same.
fn to_count(weight: f32) -> Option<u32> {
    #[expect(clippy::cast_sign_loss, reason = "weights are above 0")]
    let n = weight as u32;
    (n < 1 << 24 && (n as f32).to_bits() == weight.to_bits()).then_some(n)
}

/// Returns the ratio of frequencies below which they are close: r + 1/r = `epsilon`.
pub fn largest_ratio(epsilon: f64) -> f64 {
    f64::midpoint(epsilon, (epsilon * epsilon - 4.0).max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::encode::{from_bytes, to_bytes};
    use crate::hash;

    /// A bag of the letters of a text, all equally rare.
    fn letters(text: &str) -> Bag {
        let hashes = text.bytes().map(|byte| hash::mix(u64::from(byte))).collect();
        let prefix = Prefix::of_share(0.1);
        Bag::count(hashes, Mass::Square, prefix, |_| 1, |n, _| f64::from(n))
            .expect("there are letters")
    }

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 5e-7
    }

    #[test]
    fn the_relative_frequency_model_gives_the_values_of_the_specification() {
        // T-SCAM.
        for (one, other, one_in_other, other_in_one) in [
            ("abc", "ab", 0.666_667, 1.0),
            ("abc", "aabbcc", 0.0, 0.0),
            ("aabbcd", "aab", 0.4, 0.8),
            ("abcc", "abccc", 1.333_333, 0.727_273),
        ] {
            let (x, y) = letters(one).subsets(&letters(other), 2.5, 0.0).expect("no threshold");
            assert!(close(x, one_in_other) && close(y, other_in_one), "{one}/{other}: {x}, {y}");
        }
        let cosine =
            letters("abc").cosine(&letters("aabbcc"), 1.0).expect("the vectors are parallel");
        assert!(close(cosine, 1.0), "{cosine}");
    }

    #[test]
    fn a_ratio_at_the_limit_is_not_close() {
        assert!(close(largest_ratio(2.5), 2.0));
        let (one, two) = (letters("a"), letters("aa"));
        assert!(one.subsets(&two, 2.5, 0.01).is_none(), "2 + 1/2 is not below 2.5");
        assert!(one.subsets(&two, 2.500_001, 0.01).is_some());
    }

    #[test]
    fn rarer_features_have_smaller_keys() {
        let hashes = [u64::MAX, 0, u64::MAX, 0, u64::MAX, 0, u64::MAX];
        let keys: Vec<u64> = [0, 2, 3, 9, 100, 70_000, u32::MAX]
            .iter()
            .zip(hashes)
            .map(|(&df, hash)| key(hash, df))
            .collect();
        assert!(keys.is_sorted(), "{keys:x?}");
        assert_eq!(key(7 << 8, 0), key(7 << 8, 1));
    }

    #[test]
    fn nothing_of_weight_makes_no_bag() {
        let prefix = Prefix::of_share(0.5);
        assert!(Bag::new(vec![], Mass::Weight, prefix).is_none());
        assert!(Bag::new(vec![(1, 0.0), (2, f32::NAN)], Mass::Square, prefix).is_none());
    }

    fn bags() -> impl Strategy<Value = Vec<(u64, u32)>> {
        prop::collection::btree_map(0u64..12, 1u32..5, 1..10)
            .prop_map(|features| features.into_iter().collect())
    }

    fn bag(features: &[(u64, u32)], mass: Mass, prefix: Prefix) -> Bag {
        let weighted = features.iter().map(|&(key, n)| (key, n as f32)).collect();
        Bag::new(weighted, mass, prefix).expect("weights are at least 1")
    }

    fn weight(features: &[(u64, u32)], key: u64) -> f64 {
        features.iter().find(|feature| feature.0 == key).map_or(0.0, |feature| f64::from(feature.1))
    }

    proptest! {
        #[test]
        fn bags_come_back_to_the_last_bit(
            features in prop::collection::btree_map(any::<u64>(), (1u32..9, 0.0f64..3.0), 1..40),
            share in 0.05f64..=1.0,
            is_counted in any::<bool>(),
        ) {
            let weight = |(n, idf): (u32, f64)| {
                if is_counted { n as f32 } else { (f64::from(n) * idf) as f32 }
            };
            for (mass, prefix) in [
                (Mass::Weight, Prefix::of_share(share)),
                (Mass::Square, Prefix::of_cosine(share)),
            ] {
                let dfs = [1, 2, 700];
                let keys = (0..).zip(&features).map(|(i, (&hash, &x))| {
                    (key(hash, dfs[i % 3]), weight(x))
                });
                let Some(bag) = Bag::new(keys.collect(), mass, prefix) else { continue };
                let back: Bag = from_bytes(&to_bytes(&bag)).expect("what was written");
                prop_assert_eq!(back.total.to_bits(), bag.total.to_bits());
                prop_assert_eq!(back, bag);
            }
        }

        #[test]
        fn any_bytes_are_a_bag_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = Bag::decode(&mut Input::new(&bytes));
        }

        #[test]
        fn stopping_early_changes_no_decision(a in bags(), b in bags(), least in 0.05f64..1.0) {
            let both = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
                (0..12).map(|key| f(weight(&a, key), weight(&b, key))).sum()
            };
            let prefix = Prefix::of_share(least);
            let (x, y) = (bag(&a, Mass::Square, prefix), bag(&b, Mass::Square, prefix));
            let cosine = both(&|x, y| x * y) / (both(&|x, _| x * x) * both(&|_, y| y * y)).sqrt();
            prop_assert_eq!(x.cosine(&y, least).is_some(), cosine >= least);
            let close = both(&|x, y| {
                if x * y > 0.0 && x / y + y / x < 2.5 { x * y } else { 0.0 }
            });
            let subset = close / both(&|x, _| x * x).min(both(&|_, y| y * y));
            prop_assert_eq!(x.subsets(&y, 2.5, least).is_some(), subset >= least);
            let (x, y) = (bag(&a, Mass::Weight, prefix), bag(&b, Mass::Weight, prefix));
            let resemblance = both(&f64::min) / both(&f64::max);
            prop_assert_eq!(x.overlap(&y, least).is_some(), resemblance >= least);
        }

        #[test]
        fn similar_bags_share_enough_of_what_they_keep(
            a in bags(),
            b in bags(),
            least in 0.05f64..1.0,
        ) {
            // What x shares with y in features that x keeps and y holds, kept or not.
            let shared = |x: &Bag, y: &Bag, is_kept: bool| -> f64 {
                let n = if is_kept { y.n_kept } else { y.keys.len() };
                x.kept().filter(|(key, _)| y.keys[..n].contains(key)).map(|(_, mass)| mass).sum()
            };
            let prefix = Prefix::of_share(least);
            let (x, y) = (bag(&a, Mass::Weight, prefix), bag(&b, Mass::Weight, prefix));
            prop_assert!(x.overlap(&y, least).is_none() || shared(&x, &y, true) >= x.least_shared());
            let prefix = Prefix::of_cosine(least);
            let (x, y) = (bag(&a, Mass::Square, prefix), bag(&b, Mass::Square, prefix));
            prop_assert!(x.cosine(&y, least).is_none() || shared(&x, &y, true) >= x.least_shared());
            let prefix = Prefix::of_share(least / largest_ratio(2.5));
            let (x, y) = (bag(&a, Mass::Square, prefix), bag(&b, Mass::Square, prefix));
            if let Some((x_in_y, _)) = x.subsets(&y, 2.5, least) {
                prop_assert!(x_in_y < least || shared(&x, &y, false) >= x.least_shared());
            }
        }
    }
}
