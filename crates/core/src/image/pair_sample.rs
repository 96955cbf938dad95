//! A sample of a document's word pairs, with their places: what survives rewriting.
//!
//! Of the [word pairs](crate::features::word_pairs) of a text every fourth is kept, chosen by its key, so that
//! two texts keep the same ones. Beside each stands where it occurs first, counted in content words.

use crate::encode::{Encoded, Input, put_ascending, put_number};
use crate::features::word_pairs::{content_places, each_pair};
use crate::hash;

/// One of so many pairs is kept.
///
/// Measured on the training pairs of PAN 2013: with one in five 1 to 2 % fewer of the rewritten pairs are
/// candidates; with one in three there are 1 % more, and a third more postings.
const ONE_IN: u64 = 4;

/// Bits that are kept of the key of a pair.
pub const KEY_BITS: u32 = 40;
/// Bits of an entry that hold a place while pairs are sorted.
const PLACE_BITS: u32 = 64 - KEY_BITS;

/// The image: the first [`KEY_BITS`] bits of the kept pairs and their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairSample {
    /// Ascending and each once.
    keys: Vec<u64>,
    /// Where each pair occurs first: the number of its first content word.
    places: Vec<u32>,
}

impl PairSample {
    /// Makes the image of a text from the [content forms](crate::features::Words::content) of its words.
    pub fn new(forms: &[u64]) -> Self {
        let mut content = Vec::new();
        content_places(forms, &mut content);
        let mut pairs = Vec::with_capacity(content.len() + content.len() / 4);
        let most_place = (1 << PLACE_BITS) - 1;
        each_pair(forms, &content, |key, first, _| {
            if key.is_multiple_of(ONE_IN) {
                pairs.push(key >> PLACE_BITS << PLACE_BITS | (first as u64).min(most_place));
            }
        });
        hash::sort(&mut pairs, &mut Vec::new());
        // Of equal keys the first place stays.
        pairs.dedup_by_key(|pair| *pair >> PLACE_BITS);
        Self {
            keys: pairs.iter().map(|pair| pair >> PLACE_BITS).collect(),
            places: pairs.iter().map(|pair| (pair & most_place) as u32).collect(),
        }
    }

    /// Returns whether no pair was kept.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the kept pairs and their places, ascending by key.
    pub fn pairs(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.keys.iter().copied().zip(self.places.iter().copied())
    }

    /// Returns the sample without some of its pairs.
    #[must_use]
    pub fn only(&self, mut stays: impl FnMut(u64) -> bool) -> Self {
        let (keys, places) = self.pairs().filter(|&(key, _)| stays(key)).unzip();
        Self { keys, places }
    }
}

impl Encoded for PairSample {
    fn encode(&self, out: &mut Vec<u8>) {
        put_ascending(&self.keys, KEY_BITS, out);
        for &place in &self.places {
            put_number(u64::from(place), out);
        }
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let keys = input.ascending(KEY_BITS)?;
        let place =
            |_: &u64| u32::try_from(input.number()?).ok().filter(|place| place >> PLACE_BITS == 0);
        let places = keys.iter().map(place).collect::<Option<_>>()?;
        Some(Self { keys, places })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{from_bytes, to_bytes};
    use crate::hash::mix;

    fn forms(range: std::ops::Range<u64>) -> Vec<u64> {
        range.map(|word| mix(word) | 1).collect()
    }

    #[test]
    fn a_sample_comes_back_as_it_was() {
        for n in [0, 1, 2, 30, 3_000] {
            let sample = PairSample::new(&forms(0..n));
            assert_eq!(from_bytes::<PairSample>(&to_bytes(&sample)), Some(sample));
        }
    }

    #[test]
    fn texts_keep_the_same_pairs_of_a_passage_that_both_have() {
        let (one, other) = (forms(0..400), [forms(1_000..1_300), forms(100..300)].concat());
        let (one, other) = (PairSample::new(&one), PairSample::new(&other));
        let shared = one.pairs().filter(|(key, _)| other.keys.contains(key)).count();
        // 200 words make 790 pairs.
        assert!((150..250).contains(&shared), "{shared}");
        assert!(one.pairs().all(|(_, place)| place < 400));
    }

    #[test]
    fn words_in_another_order_keep_their_pairs() {
        let words = forms(0..200);
        let mut moved = words.clone();
        moved.chunks_mut(2).for_each(<[u64]>::reverse);
        let (one, other) = (PairSample::new(&words), PairSample::new(&moved));
        let shared = one.pairs().filter(|(key, _)| other.keys.contains(key)).count();
        assert!(shared * 3 > one.keys.len() * 2, "{shared} of {}", one.keys.len());
    }
}
