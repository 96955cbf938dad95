//! Grams: the w-shinglings of a document with a length, an offset and a unit.
//!
//! Broder's shingle is a run of `length` words; with an `offset` above 1 only every so many starts
//! one. A gram may be a run of characters instead.

use serde::{Deserialize, Serialize};

use super::reading::Reading;
use super::shingles::{self, Shingles};
use crate::hash;

/// What a gram is a run of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Words.
    Word,
    /// Characters of the folded words, one space between words.
    Char,
    /// Characters of the folded words, run together.
    Solid,
}

/// How a document is treated that is too short for a single feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Short {
    /// It has no features.
    None,
    /// The whole document is one feature.
    Whole,
}

/// Takes the grams of documents.
#[derive(Clone, Copy, Debug)]
pub struct Grams {
    shingles: Shingles,
    offset: usize,
    unit: Unit,
    short: Short,
}

/// Characters that are turned into grams at a time; long documents are not held as numbers whole.
const PIECE: usize = 1 << 16;

impl Grams {
    /// Makes grams of `length` units, one for every `offset` units; both are at least 1.
    pub fn new(length: usize, offset: usize, unit: Unit, short: Short) -> Self {
        debug_assert!(offset > 0, "grams start at different units");
        Self { shingles: Shingles::new(length), offset, unit, short }
    }

    /// Returns the hash of every gram of a document, in order, repeats kept.
    pub fn of(&self, reading: &Reading<'_>) -> Vec<u64> {
        match self.unit {
            Unit::Word => self.of_units(&reading.words.hashes),
            Unit::Char => self.of_characters(reading, Some(' ')),
            Unit::Solid => self.of_characters(reading, None),
        }
    }

    /// Returns the hash of every gram of a sequence of units.
    pub fn of_units(&self, units: &[u64]) -> Vec<u64> {
        let n = (units.len() + 1).saturating_sub(self.shingles.k()).div_ceil(self.offset);
        let mut out = Vec::with_capacity(n.max(1));
        let mut at = 0;
        self.take(units, &mut at, &mut out);
        if at == 0 && !units.is_empty() && self.short == Short::Whole {
            out.push(shingles::whole(units) as u64);
        }
        out
    }

    /// Adds the grams of some units of which the first has the number `at`.
    fn take(&self, units: &[u64], at: &mut usize, out: &mut Vec<u64>) {
        self.shingles.each(units, |hash| {
            if self.offset == 1 || at.is_multiple_of(self.offset) {
                out.push(hash);
            }
            *at += 1;
        });
    }

    fn of_characters(&self, reading: &Reading<'_>, between: Option<char>) -> Vec<u64> {
        let mut out = Vec::new();
        let mut units: Vec<u64> = Vec::new();
        let mut at = 0;
        for i in 0..reading.words.hashes.len() {
            let word = reading.word(i);
            let space = between.filter(|_| i > 0);
            let code = |c: char| hash::mix(reading.seed() ^ u64::from(u32::from(c)));
            units.extend(space.into_iter().chain(word.chars()).map(code));
            if units.len() >= PIECE + self.shingles.k() {
                self.take(&units, &mut at, &mut out);
                units.drain(..units.len() + 1 - self.shingles.k());
            }
        }
        let n_before = at;
        self.take(&units, &mut at, &mut out);
        if n_before == 0 && at == 0 && !units.is_empty() && self.short == Short::Whole {
            out.push(shingles::whole(&units) as u64);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::features::{Featurizer, Places, TextSettings, Words};

    fn grams(text: &str, length: usize, offset: usize, unit: Unit, short: Short) -> Vec<u64> {
        let featurizer = Featurizer::new(TextSettings::default(), 3);
        let document = Document::plain("d", text);
        featurizer.read(&document, Places::Kept, None, &mut Words::default(), |reading, _| {
            Grams::new(length, offset, unit, short).of(reading)
        })
    }

    fn n_distinct(mut hashes: Vec<u64>) -> usize {
        hashes.sort_unstable();
        hashes.dedup();
        hashes.len()
    }

    #[test]
    fn a_cat_has_five_shingles_and_three_different_ones() {
        // T-CAT.
        let found = grams("a cat is a cat is a cat", 4, 1, Unit::Word, Short::None);
        assert_eq!(found.len(), 5);
        assert_eq!(n_distinct(found), 3);
    }

    #[test]
    fn an_offset_takes_every_so_many_starts() {
        let text = "one two three four five six seven eight nine ten";
        let all = grams(text, 4, 1, Unit::Word, Short::None);
        assert_eq!(all.len(), 7);
        let third = grams(text, 4, 3, Unit::Word, Short::None);
        assert_eq!(third, [all[0], all[3], all[6]]);
    }

    #[test]
    fn a_short_document_has_no_grams_or_is_one() {
        for unit in [Unit::Word, Unit::Char, Unit::Solid] {
            assert!(grams("ab c", 9, 1, unit, Short::None).is_empty());
            assert_eq!(grams("ab c", 9, 1, unit, Short::Whole).len(), 1);
            assert!(grams("...", 9, 1, unit, Short::Whole).is_empty());
            assert!(!grams("ab c", 2, 1, unit, Short::Whole).is_empty());
        }
    }

    #[test]
    fn characters_are_those_of_the_folded_words() {
        // "a do run run run, a do run run" without spaces has 21 letters.
        let text = "A do run run run, a do run run";
        assert_eq!(grams(text, 5, 1, Unit::Solid, Short::None).len(), 17);
        assert_eq!(grams(text, 5, 1, Unit::Char, Short::None).len(), 17 + 8);
        let plain = grams("adorunrunrunadorunrun", 5, 1, Unit::Solid, Short::None);
        assert_eq!(grams(text, 5, 1, Unit::Solid, Short::None), plain);
        assert_eq!(n_distinct(plain), 10);
    }

    #[test]
    fn long_texts_are_taken_in_pieces_without_a_seam() {
        let words: Vec<String> = (0..30_000).map(|i| format!("w{} ", i % 7919)).collect();
        let text = words.concat();
        let found = grams(&text, 7, 3, Unit::Char, Short::None);
        let units: Vec<u64> =
            text.trim_end().chars().map(|c| hash::mix(3 ^ u64::from(u32::from(c)))).collect();
        assert!(units.len() > 2 * PIECE);
        let whole = Grams::new(7, 3, Unit::Word, Short::None).of_units(&units);
        assert_eq!(found, whole);
    }
}
