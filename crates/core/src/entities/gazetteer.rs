//! Gazetteers: lists of names by category, looked up word by word.

use std::collections::HashMap;

use super::rules::{ListError, lines, rows};
use super::runs::{each_part, folding_of, is_acronym};
use super::{Category, Word};
use crate::clean::language::Language;
use crate::hash::{self, Prehashed};
use crate::segment::words::Folding;

/// Longest name that is kept, in words.
const MOST_WORDS: usize = 32;

/// Names of persons, places and organisations.
///
/// Case does not matter, but a single word all in capitals is met only by the same in capitals:
/// `WHO` is an organisation, `Who` at the beginning of a sentence is not.
#[derive(Clone, Debug)]
pub struct Gazetteer {
    folding: Folding,
    /// What is known of the beginning of a name, by the hash of its words.
    beginnings: HashMap<u64, Mark, Prehashed>,
    /// Words in capitals, by the hash of the word as it is written.
    acronyms: HashMap<u64, Categories, Prehashed>,
    n_names: usize,
}

/// A set of categories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Categories(u8);

/// Of a person's name: it is a given name.
const GIVEN: u8 = 1 << 3;
/// Of a place: it is known beyond its surroundings.
const WELL_KNOWN: u8 = 1 << 4;
/// Of a person's name: alone it is enough.
const ALONE: u8 = 1 << 5;

impl Categories {
    fn has(self, category: Category) -> bool {
        self.0 & (1 << category as u8) != 0
    }

    /// Adds a category and returns whether it is new.
    fn add(&mut self, category: Category) -> bool {
        let is_new = !self.has(category);
        self.0 |= 1 << category as u8;
        is_new
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// Categories of the name that ends here.
    ends: Categories,
    /// Whether longer names begin so.
    goes_on: bool,
}

/// Lengths of the names that begin at a word, by category: bit n - 1 stands for n words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lengths {
    by_category: [u32; Category::ALL.len()],
    /// Those of given names.
    pub(super) given: u32,
    /// Those of well-known places.
    pub(super) well_known: u32,
    /// Those of names of persons that are enough alone.
    pub(super) alone: u32,
}

impl Lengths {
    pub(super) fn of(self, category: Category) -> u32 {
        self.by_category[category as usize]
    }

    /// Leaves out names of persons that are one word.
    pub(super) fn forget_persons(&mut self) {
        self.by_category[Category::Person as usize] &= !1;
        self.given &= !1;
        self.alone &= !1;
    }

    fn add(&mut self, categories: Categories, bit: usize) {
        for category in Category::ALL {
            self.by_category[category as usize] |= u32::from(categories.has(category)) << bit;
        }
        self.given |= u32::from(categories.0 & GIVEN != 0) << bit;
        self.well_known |= u32::from(categories.0 & WELL_KNOWN != 0) << bit;
        self.alone |= u32::from(categories.0 & ALONE != 0) << bit;
    }
}

impl Default for Gazetteer {
    fn default() -> Self {
        Self::new(Language::ENGLISH)
    }
}

impl Gazetteer {
    /// Makes an empty gazetteer for a language; Turkish and Azeri are cased by their own rules.
    pub fn new(language: Language) -> Self {
        Self {
            folding: folding_of(language),
            beginnings: HashMap::default(),
            acronyms: HashMap::default(),
            n_names: 0,
        }
    }

    /// Reads names from lines of `category<TAB>name`.
    pub fn parse(table: &str, language: Language) -> Result<Self, ListError> {
        let mut gazetteer = Self::new(language);
        gazetteer.read(table)?;
        Ok(gazetteer)
    }

    /// Adds the names of a table of `category<TAB>name`.
    pub fn read(&mut self, table: &str) -> Result<(), ListError> {
        for row in rows(table, "category") {
            let (line, name, word) = row?;
            let category = Category::named(name).ok_or_else(|| {
                ListError::unknown(
                    line,
                    "category",
                    name,
                    Category::ALL.map(Category::name).into_iter(),
                )
            })?;
            self.add(category, word);
        }
        Ok(())
    }

    /// Adds names of one category, one a line; what stands in brackets behind a name is left out.
    pub fn read_names(&mut self, category: Category, list: &str) {
        for (_, line) in lines(list) {
            self.insert(category, 0, line.split('[').next().unwrap_or(line));
        }
    }

    /// Adds given names, one a line; `is_enough` says whether one alone names a person.
    pub(super) fn read_given_names(&mut self, list: &str, is_enough: bool) {
        let sign = if is_enough { GIVEN | ALONE } else { GIVEN };
        for (_, line) in lines(list) {
            self.insert(Category::Person, sign, line);
        }
    }

    /// Adds family names that name a person alone, one a line.
    pub(super) fn read_family_names(&mut self, list: &str) {
        for (_, line) in lines(list) {
            self.insert(Category::Person, ALONE, line);
        }
    }

    /// Adds places that are known beyond their surroundings, one a line.
    pub(super) fn read_well_known_places(&mut self, list: &str) {
        for (_, line) in lines(list) {
            self.insert(Category::Location, WELL_KNOWN, line);
        }
    }

    /// Adds a name. One without a word, or of more than 32, is left out.
    pub fn add(&mut self, category: Category, name: &str) {
        let sign = match category {
            Category::Location => WELL_KNOWN,
            Category::Organisation => 0,
            Category::Person => ALONE,
        };
        self.insert(category, sign, name);
    }

    fn insert(&mut self, category: Category, sign: u8, name: &str) {
        let name = name.trim();
        if is_acronym(name) {
            let marks = self.acronyms.entry(acronym(name)).or_default();
            self.n_names += usize::from(marks.add(category));
            marks.0 |= sign;
            return;
        }
        let mut words = Vec::new();
        each_part(name, self.folding, |word| words.push(word));
        if words.is_empty() || words.len() > MOST_WORDS {
            return;
        }
        let mut key = START;
        for (i, &word) in words.iter().enumerate() {
            key = step(key, word);
            let mark = self.beginnings.entry(key).or_default();
            if i + 1 < words.len() {
                mark.goes_on = true;
            } else {
                self.n_names += usize::from(mark.ends.add(category));
                mark.ends.0 |= sign;
            }
        }
    }

    /// Returns the number of names; one of two categories counts twice.
    pub fn len(&self) -> usize {
        self.n_names
    }

    /// Returns whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.n_names == 0
    }

    /// Returns the lengths in words of the names that begin at the first of `words`, for each
    /// category: bit n - 1 is set if n words are a name.
    pub(super) fn lengths(&self, text: &str, words: &[Word]) -> Lengths {
        let mut lengths = Lengths::default();
        let mut key = START;
        for (i, word) in words.iter().enumerate() {
            key = step(key, word.hash);
            let Some(mark) = self.beginnings.get(&key) else { break };
            lengths.add(mark.ends, i);
            if !mark.goes_on {
                break;
            }
        }
        if !self.acronyms.is_empty()
            && let Some(first) = words.first().and_then(|word| word.span.of(text))
            && is_acronym(first)
        {
            lengths.add(self.acronyms.get(&acronym(first)).copied().unwrap_or_default(), 0);
        }
        lengths
    }
}

const START: u64 = 0x85eb_ca6b_27d4_eb2f;

fn step(key: u64, word: u64) -> u64 {
    hash::mix(key.wrapping_mul(31) ^ word)
}

fn acronym(word: &str) -> u64 {
    hash::word(word.as_bytes(), 0)
}
