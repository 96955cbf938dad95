//! Substrings of fixed length, over bytes or letters, hashed by a rolling polynomial.
//!
//! Where word methods see words, the oldest methods of copy detection see characters: SIF takes
//! runs of bytes, KOALA runs of letters, usually of consonants alone.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use unicode_normalization::char::decompose_canonical;

use crate::hash;

/// Which letters of a text are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Letters {
    /// All.
    #[default]
    All,
    /// Consonants only: the vowels of Latin, Greek and Cyrillic are left out. All letters of other
    /// scripts count as consonants.
    Consonants,
}

/// Returns the letters of `text` in lower case, one after the other: spaces, digits and
/// punctuation are left out.
pub fn letters(
    text: &str,
    which: Letters,
    is_turkic: bool,
) -> impl Iterator<Item = u32> + Clone + '_ {
    text.chars().filter_map(move |c| letter(c, which, is_turkic)).map(u32::from)
}

#[inline]
fn letter(c: char, which: Letters, is_turkic: bool) -> Option<char> {
    let lower = match c {
        'I' if is_turkic => 'ı',
        'a'..='z' => c,
        'A'..='Z' => c.to_ascii_lowercase(),
        _ if c.is_ascii() || !c.is_alphabetic() => return None,
        // Only İ has more than one, and its second is a mark, not a letter.
        _ => c.to_lowercase().next().unwrap_or(c),
    };
    (which == Letters::All || !is_vowel(lower)).then_some(lower)
}

/// Returns whether a lower-case letter is written for a vowel in Latin, Greek or Cyrillic.
///
/// Accents do not matter: `é` is one because `e` is. `y` and `й` are not.
pub fn is_vowel(c: char) -> bool {
    static LOW: LazyLock<Vec<bool>> = LazyLock::new(|| {
        (0..0x600).map(|code| char::from_u32(code).is_some_and(decomposes_to_vowel)).collect()
    });
    if c.is_ascii() {
        return is_plain_vowel(c);
    }
    LOW.get(c as usize).copied().unwrap_or_else(|| decomposes_to_vowel(c))
}

fn decomposes_to_vowel(c: char) -> bool {
    if c == 'й' {
        return false;
    }
    let mut base = None;
    decompose_canonical(c, |part| _ = base.get_or_insert(part));
    base.is_some_and(is_plain_vowel)
}

fn is_plain_vowel(c: char) -> bool {
    matches!(
        c,
        'a' | 'e'
            | 'i'
            | 'o'
            | 'u'
            | 'ı'
            | 'æ'
            | 'œ'
            | 'ø'
            | 'ə'
            | 'α'
            | 'ε'
            | 'η'
            | 'ι'
            | 'ο'
            | 'υ'
            | 'ω'
            | 'а'
            | 'е'
            | 'и'
            | 'о'
            | 'у'
            | 'ы'
            | 'э'
            | 'ю'
            | 'я'
            | 'і'
            | 'є'
    )
}

/// Characters of a document beyond which methods on substrings do not look: a text need not hold
/// words, so the limit of words does not bound it.
pub const MOST_CHARACTERS: usize = 1 << 24;

/// Multiplier of the polynomial; odd, so that multiplication loses nothing.
const BASE: u64 = 0x9fb2_1c65_1e98_df25;

/// Substrings of one length.
#[derive(Clone, Copy, Debug)]
pub struct Substrings {
    length: usize,
    leaving: u64,
}

impl Substrings {
    /// Makes a roller for substrings of `length` characters; `length` is at least 1.
    pub fn new(length: usize) -> Self {
        debug_assert!(length > 0, "a substring has at least one character");
        let leaving = (0..length).fold(1u64, |power, _| power.wrapping_mul(BASE));
        Self { length, leaving }
    }

    /// Returns the number of characters in a substring.
    pub fn length(self) -> usize {
        self.length
    }

    /// Returns the hash of every substring in the order of their starts; none if there are fewer
    /// characters than a substring has.
    ///
    /// ```
    /// use retold_core::features::characters::{Letters, Substrings, letters};
    /// let of = |text| -> Vec<u64> {
    ///     Substrings::new(3).of(letters(text, Letters::All, false)).collect()
    /// };
    /// assert_eq!(of("abcdef").len(), 4);
    /// assert_eq!(of("ABC-abc")[0], of("ABC-abc")[3]);
    /// ```
    pub fn of<I: Iterator<Item = u32>>(self, characters: I) -> Rolling<I> {
        Rolling { substrings: self, characters, recent: Vec::new(), at: 0, sum: 0 }
    }
}

/// The hashes of the substrings of a sequence.
#[derive(Clone, Debug)]
pub struct Rolling<I> {
    substrings: Substrings,
    characters: I,
    /// The characters of the current substring; `at` is the first of them once it is full.
    recent: Vec<u32>,
    at: usize,
    sum: u64,
}

impl<I: Iterator<Item = u32>> Iterator for Rolling<I> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let Substrings { length, leaving } = self.substrings;
        while self.recent.len() + 1 < length {
            let enters = self.characters.next()?;
            self.recent.push(enters);
            self.sum = self.sum.wrapping_mul(BASE).wrapping_add(u64::from(enters));
        }
        let enters = self.characters.next()?;
        self.sum = self.sum.wrapping_mul(BASE).wrapping_add(u64::from(enters));
        if self.recent.len() < length {
            self.recent.push(enters);
        } else {
            let leaves = std::mem::replace(&mut self.recent[self.at], enters);
            self.sum = self.sum.wrapping_sub(u64::from(leaves).wrapping_mul(leaving));
            self.at = if self.at + 1 == length { 0 } else { self.at + 1 };
        }
        Some(hash::mix(self.sum))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(text: &str, which: Letters, is_turkic: bool) -> String {
        letters(text, which, is_turkic).filter_map(char::from_u32).collect()
    }

    fn substrings(text: &str, length: usize) -> Vec<u64> {
        Substrings::new(length).of(letters(text, Letters::All, false)).collect()
    }

    #[test]
    fn two_of_four_substrings_are_common() {
        // T-KOA: abcdef and zabcdq have abc and bcd in common.
        let (a, b) = (substrings("abcdef", 3), substrings("zabcdq", 3));
        assert_eq!(a.len(), 4);
        assert_eq!(a.iter().filter(|hash| b.contains(hash)).count(), 2);
    }

    #[test]
    fn letters_are_lower_case_and_nothing_else_is_kept() {
        assert_eq!(kept("It's 25 % — İZMİR, IĞDIR!", Letters::All, true), "ıtsizmirığdır");
        assert_eq!(kept("It's 25 % — IGDIR!", Letters::All, false), "itsigdir");
    }

    #[test]
    fn consonants_are_what_is_left_without_vowels_of_any_accent() {
        assert_eq!(
            kept("Über die Königin, été, şu ığdır", Letters::Consonants, true),
            "brdkngntşğdr"
        );
        assert_eq!(kept("Мой ёж, γῆ και ύδωρ", Letters::Consonants, false), "мйжγκδρ");
        assert_eq!(kept("việc sống", Letters::Consonants, false), "vcsng");
    }

    proptest! {
        #[test]
        fn rolling_equals_starting_anew(
            values in prop::collection::vec(0u32..4, 0..60), length in 1usize..12,
        ) {
            let substrings = Substrings::new(length);
            let rolled: Vec<u64> = substrings.of(values.iter().copied()).collect();
            let anew: Vec<u64> = values
                .windows(length)
                .filter_map(|run| substrings.of(run.iter().copied()).next())
                .collect();
            prop_assert_eq!(rolled, anew);
        }
    }

    #[test]
    fn a_text_shorter_than_a_substring_has_none() {
        assert_eq!(substrings("ab", 3), [0u64; 0]);
        assert_eq!(substrings("abc", 3).len(), 1);
        assert_ne!(substrings("abc", 3), substrings("acb", 3));
    }
}
