//! Entities named before, to be met again in part: first the full name, then the family name.

use std::collections::HashMap;

use super::{Category, Word};
use crate::hash::{self, Prehashed};

/// Longest part that is looked up, in words; names are far shorter. The limit keeps a text
/// written all in capitals from costing the square of its length.
const MOST_WORDS: usize = 16;

/// All contiguous parts of the entities of a document so far, with the category of the latest
/// entity each is part of.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    parts: HashMap<u64, Category, Prehashed>,
}

impl Earlier {
    /// Takes in an entity.
    pub(super) fn remember(&mut self, words: &[Word], category: Category) {
        for start in 0..words.len() {
            let mut key = START;
            for word in words[start..].iter().take(MOST_WORDS) {
                key = step(key, word);
                self.parts.insert(key, category);
            }
        }
    }

    /// Returns the category of the latest entity that has these words as a part.
    pub(super) fn category(&self, words: &[Word]) -> Option<Category> {
        if words.len() > MOST_WORDS {
            return None;
        }
        self.parts.get(&words.iter().fold(START, step)).copied()
    }
}

const START: u64 = 0x1b87_3593_cc9e_2d51;

fn step(key: u64, word: &Word) -> u64 {
    hash::mix(key.wrapping_mul(31) ^ word.hash)
}
