//! Bags of words: how well two stretches agree, and where one of them should begin and end.

use super::agreement::Agreement;
use super::{Range, Room, Settings};
use crate::features::word_pairs::is_content;
use crate::hash;

/// Weight from which a word counts fully at a border: a word that makes up 2 % of both texts or less.
const FULL_WEIGHT: f32 = 4.0;

/// Marks a word of the second text that the first one has not.
const NEW: u32 = u32::MAX;

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
    pub(super) fn fill(&mut self, forms: &[u64], room: &mut Room) {
        let Self { different, of, is_content: content } = self;
        let Room { numbers, sorted, sorting, .. } = room;
        numbers.clear(forms.len());
        of.clear();
        // A word may be common in one text and not in the other.
        of.extend(forms.iter().map(|&form| numbers.number(form >> 1)));
        content.clear();
        content.extend(forms.iter().map(|&form| is_content(form)));
        sorted.clear();
        sorted.extend(numbers.hashes().iter().copied().zip(0..));
        hash::sort_by_bits(sorted, sorting, |&(form, _)| form << 1);
        different.clear();
        different.extend(sorted.iter().map(|&(form, _)| (form, 0)));
        // From now on, what stands at a number is its place.
        sorting.resize(sorted.len(), (0, 0));
        for (place, &(_, number)) in (0..).zip(&*sorted) {
            sorting[number as usize].1 = place;
        }
        for number in of {
            *number = sorting[*number as usize].1;
            different[*number as usize].1 += 1;
        }
    }

    /// Returns the number of bytes held.
    pub(super) fn held_bytes(&self) -> usize {
        self.different.len() * 16 + self.of.len() * 5
    }
}

/// The words of two texts by number, with weights: rare ones weigh more. Words of the first text have the
/// numbers of its vocabulary.
#[derive(Clone, Debug, Default)]
pub(super) struct Bags {
    /// Number of each word of the second text.
    of_b: Vec<u32>,
    /// Number of each different word of the second text.
    places: Vec<u32>,
    /// Weight of each number: ln(words of both texts / occurrences in both).
    weights: Vec<f32>,
    /// Sums of weights in one stretch and in another; 0 outside of a call.
    sums: [Vec<f32>; 2],
    touched: Vec<u32>,
}

impl Bags {
    /// Takes up two texts.
    pub(super) fn both<'a>(&'a mut self, a: &'a Vocabulary, b: &'a Vocabulary) -> Both<'a> {
        Both { bags: self, texts: [a, b], is_filled: false }
    }

    /// Gives numbers and weights to the words of two texts.
    fn fill(&mut self, a: &Vocabulary, b: &Vocabulary) {
        let Self { of_b, places, weights, sums, touched: _ } = self;
        let n_words = (a.of.len() + b.of.len()) as f32;
        // Most words occur a few times, and logarithms take time.
        let known: [f32; 16] = std::array::from_fn(|count| (n_words / count as f32).ln());
        let weight = |count: u32| {
            known.get(count as usize).copied().unwrap_or_else(|| (n_words / count as f32).ln())
        };
        weights.clear();
        weights.extend(a.different.iter().map(|&(_, count)| weight(count)));
        places.clear();
        places.resize(b.different.len(), NEW);
        let (mut i, mut j) = (0, 0);
        while let (Some(x), Some(y)) = (a.different.get(i), b.different.get(j)) {
            if x.0 == y.0 {
                places[j] = i as u32;
                weights[i] = weight(x.1 + y.1);
            }
            i += usize::from(x.0 <= y.0);
            j += usize::from(y.0 <= x.0);
        }
        for (place, &(_, count)) in places.iter_mut().zip(&b.different) {
            if *place == NEW {
                *place = weights.len() as u32;
                weights.push(weight(count));
            }
        }
        of_b.clear();
        of_b.extend(b.of.iter().map(|&number| places[number as usize]));
        for sums in sums {
            sums.clear();
            sums.resize(weights.len(), 0.0);
        }
    }
}

/// Two texts whose stretches are compared. Their words are looked at only when that is needed: many pairs
/// of texts have no seeds that lie close together.
#[derive(Debug)]
pub(super) struct Both<'a> {
    bags: &'a mut Bags,
    texts: [&'a Vocabulary; 2],
    is_filled: bool,
}

impl Both<'_> {
    /// Returns the number of words of a side.
    pub(super) fn n_words(&self, side: usize) -> u32 {
        self.texts[side].of.len() as u32
    }

    /// Makes the bags; the numbers of the words of each side, with weights and sums.
    fn ready(&mut self) -> Ready<'_> {
        let [a, b] = self.texts;
        if !self.is_filled {
            self.bags.fill(a, b);
            self.is_filled = true;
        }
        let Bags { of_b, weights, sums, touched, .. } = &mut *self.bags;
        Ready { of: [&a.of, of_b], weights, sums, touched }
    }

    /// Returns the cosine of the weighted word bags of two stretches.
    pub(super) fn cosine(&mut self, a: Range, b: Range) -> f64 {
        let Ready { of, weights, sums, touched } = self.ready();
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
    pub(super) fn in_order(&mut self, a: Range, b: Range, agreement: &mut Agreement) -> u32 {
        let Ready { of, .. } = self.ready();
        let words = |side: usize, range: Range| -> Vec<u64> {
            let of = &of[side][range.0 as usize..range.1 as usize];
            of.iter().copied().map(u64::from).collect()
        };
        agreement.common_words(&words(0, a), &words(1, b)).in_order
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
        let is_content = self.texts.map(|text| &text.is_content[..]);
        let Ready { of, weights, sums, .. } = self.ready();
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

/// What stretches are compared by.
struct Ready<'a> {
    /// Number of each word of both sides.
    of: [&'a [u32]; 2],
    weights: &'a [f32],
    sums: &'a mut [Vec<f32>; 2],
    touched: &'a mut Vec<u32>,
}
