//! Bags of words: how well two stretches agree, and where one of them should begin and end.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::agreement::common_words;
use super::{Range, Settings};
use crate::features::word_pairs::is_content;
use crate::hash;

/// Weight from which a word counts fully at a border: a word that makes up 2 % of both texts or less.
const FULL_WEIGHT: f32 = 4.0;

/// The different words of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabulary {
    /// Form of each, without the bit for content words, and how often it stands in the text; ascending.
    different: Vec<(u64, u32)>,
    /// Number of each word of the text among them.
    of: Vec<u32>,
    is_content: Vec<bool>,
}

impl Vocabulary {
    /// Takes the words of a text by their [content forms](crate::features::Words::content).
    pub(super) fn fill(&mut self, forms: &[u64]) {
        let Self { different, of, is_content: content } = self;
        different.clear();
        of.clear();
        content.clear();
        let mut numbers: HashMap<u64, u32, BuildHasherDefault<Given>> = HashMap::default();
        for &form in forms {
            // A word may be common in one text and not in the other.
            let number = *numbers.entry(form >> 1).or_insert_with(|| {
                different.push((form >> 1, 0));
                different.len() as u32 - 1
            });
            different[number as usize].1 += 1;
            of.push(number);
            content.push(is_content(form));
        }
        let mut order: Vec<u32> = (0..different.len() as u32).collect();
        order.sort_unstable_by_key(|&number| different[number as usize].0);
        let mut places = vec![0; order.len()];
        for (place, &number) in (0..).zip(&order) {
            places[number as usize] = place;
        }
        different.sort_unstable();
        for number in of {
            *number = places[*number as usize];
        }
    }

    /// Returns the number of bytes held.
    pub(super) fn held_bytes(&self) -> usize {
        self.different.len() * 16 + self.of.len() * 5
    }
}

/// The words of two texts by number, with weights: rare ones weigh more.
#[derive(Clone, Debug, Default)]
pub(super) struct Bags {
    /// Number of each word of both texts.
    of: [Vec<u32>; 2],
    /// Whether each is a content word.
    is_content: [Vec<bool>; 2],
    /// Weight of each number: ln(words of both texts / occurrences in both).
    weights: Vec<f32>,
    /// Sums of weights in one stretch and in another; 0 outside of a call.
    sums: [Vec<f32>; 2],
    touched: Vec<u32>,
    /// Number among the words of both texts of each different word of one.
    places: [Vec<u32>; 2],
}

impl Bags {
    /// Takes up two texts.
    pub(super) fn fill(&mut self, a: &Vocabulary, b: &Vocabulary) {
        let Self { of, is_content, weights, sums, touched: _, places } = self;
        weights.clear();
        places.iter_mut().for_each(Vec::clear);
        let n_words = (a.of.len() + b.of.len()) as f32;
        // Most words occur a few times, and logarithms take time.
        let known: [f32; 16] = std::array::from_fn(|count| (n_words / count as f32).ln());
        let weight = |count: u32| {
            known.get(count as usize).copied().unwrap_or_else(|| (n_words / count as f32).ln())
        };
        let (mut these, mut those) = (&a.different[..], &b.different[..]);
        loop {
            let (x, y) = match (these.first(), those.first()) {
                (None, None) => break,
                (Some(x), Some(y)) => (x.0 <= y.0, y.0 <= x.0),
                (x, y) => (x.is_some(), y.is_some()),
            };
            let mut count = 0;
            for (is_here, (side, places)) in
                [x, y].into_iter().zip([&mut these, &mut those].into_iter().zip(&mut *places))
            {
                if is_here {
                    count += side[0].1;
                    *side = &side[1..];
                    places.push(weights.len() as u32);
                }
            }
            weights.push(weight(count));
        }
        for (side, text) in [a, b].into_iter().enumerate() {
            of[side].clear();
            of[side].extend(text.of.iter().map(|&number| places[side][number as usize]));
            is_content[side].clear();
            is_content[side].extend_from_slice(&text.is_content);
        }
        for sums in sums {
            sums.clear();
            sums.resize(weights.len(), 0.0);
        }
    }

    /// Returns the number of words of a side.
    pub(super) fn n_words(&self, side: usize) -> u32 {
        self.of[side].len() as u32
    }

    /// Returns the cosine of the weighted word bags of two stretches.
    pub(super) fn cosine(&mut self, a: Range, b: Range) -> f64 {
        let Self { of, weights, sums, touched, .. } = self;
        touched.clear();
        for (side, range) in [a, b].into_iter().enumerate() {
            for &number in &of[side][range.0 as usize..range.1 as usize] {
                let at = number as usize;
                if sums[0][at] == 0.0 && sums[1][at] == 0.0 {
                    touched.push(number);
                }
                sums[side][at] += weights[at];
            }
        }
        let (mut product, mut squares) = (0.0, [0.0; 2]);
        for &number in touched.iter() {
            let [x, y] = [0, 1].map(|side| f64::from(sums[side][number as usize]));
            product += x * y;
            squares[0] += x * x;
            squares[1] += y * y;
            sums[0][number as usize] = 0.0;
            sums[1][number as usize] = 0.0;
        }
        if product > 0.0 { product / (squares[0] * squares[1]).sqrt() } else { 0.0 }
    }

    /// Returns how many words of two stretches are equal and in the same order.
    pub(super) fn in_order(&self, a: Range, b: Range) -> u32 {
        let words = |side: usize, range: Range| -> Vec<u64> {
            let of = &self.of[side][range.0 as usize..range.1 as usize];
            of.iter().map(|&number| hash::mix(u64::from(number))).collect()
        };
        common_words(&words(0, a), &words(1, b)).in_order
    }

    /// Returns where a stretch of one side should begin and end, given the stretch of the other side:
    /// the one with the largest sum of what its words gain, if the other side has them, or cost.
    pub(super) fn border(
        &mut self,
        side: usize,
        range: Range,
        other: Range,
        settings: &Settings,
    ) -> Range {
        let Self { of, is_content, weights, sums, .. } = self;
        let others = &of[1 - side][other.0 as usize..other.1 as usize];
        let is_there = &mut sums[0];
        for &number in others {
            is_there[number as usize] = 1.0;
        }
        let from = range.0.saturating_sub(settings.border_words);
        let to = (range.1 + settings.border_words).min(of[side].len() as u32);
        let (mut sum, mut start) = (0.0, from);
        let (mut best, mut best_range) = (f64::MIN, range);
        for at in from..to {
            let number = of[side][at as usize] as usize;
            let full = f64::from(weights[number].min(FULL_WEIGHT) / FULL_WEIGHT);
            let weight =
                if is_content[side][at as usize] { full } else { settings.common_weight * full };
            if sum <= 0.0 {
                (sum, start) = (0.0, at);
            }
            if is_there[number] > 0.0 {
                sum += weight;
                if sum > best {
                    (best, best_range) = (sum, (start, at + 1));
                }
            } else {
                sum -= settings.miss * weight;
            }
        }
        for &number in others {
            is_there[number as usize] = 0.0;
        }
        best_range
    }
}

/// Takes a number that is a hash already.
#[derive(Clone, Copy, Debug, Default)]
struct Given(u64);

impl Hasher for Given {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only numbers are hashed")
    }

    fn write_u64(&mut self, number: u64) {
        // The map looks at the highest bits, too, and the lowest bit of a form is not part of the hash.
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
