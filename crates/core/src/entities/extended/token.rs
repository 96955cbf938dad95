//! What is known of a word with a capital.

use super::super::gazetteer::{Gazetteer, Lengths};
use super::super::knowledge::Extension;
use super::super::rules::{List, Lists};
use super::super::{Category, Word};
use crate::document::Span;
use crate::hash;
use crate::segment::words::fold_word;

/// A word with what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) lists: Lists,
    pub(super) names: Lengths,
    pub(super) other: u32,
    /// All in capitals, at least two.
    pub(super) is_shouted: bool,
    pub(super) letters: usize,
}

impl Token {
    pub(super) fn is(self, list: List) -> bool {
        self.lists.has(list)
    }

    pub(super) fn is_suffix(self) -> bool {
        self.is(List::LocationSuffix) || self.is(List::OrganisationSuffix)
    }

    pub(super) fn is_person(self) -> bool {
        self.names.of(Category::Person) & 1 != 0
    }

    /// A person by this word alone.
    pub(super) fn is_person_alone(self) -> bool {
        self.names.alone & 1 != 0
    }

    pub(super) fn is_given(self) -> bool {
        self.names.given & 1 != 0
    }

    pub(super) fn is_place(self) -> bool {
        self.names.well_known & 1 != 0
    }

    pub(super) fn is_organisation(self) -> bool {
        self.names.of(Category::Organisation) & 1 != 0
    }

    pub(super) fn is_ordinary(self) -> bool {
        self.is(List::Ordinary)
    }

    pub(super) fn is_other(self) -> bool {
        self.other & 1 != 0
    }

    /// Nothing is known of it.
    pub(super) fn is_unknown(self) -> bool {
        !self.is_ordinary()
            && !self.is_other()
            && !self.lists.is_rule_word()
            && !self.is_place()
            && !self.is_organisation()
    }
}

/// Returns whether a word says where somebody is from: `Denizlili`, `İzmirli`.
pub(super) fn is_of_a_place(gazetteer: &Gazetteer, extension: &Extension, form: &str) -> bool {
    let stem = ["li", "lı", "lu", "lü"].iter().find_map(|ending| form.strip_suffix(ending));
    let Some(stem) = stem.filter(|stem| stem.len() > 2) else { return false };
    let mut folded = String::with_capacity(stem.len());
    fold_word(stem, extension.rules.folding(), &mut folded);
    let word =
        Word { span: Span::new(0, 0), hash: hash::word(folded.as_bytes(), 0), is_cut: false };
    gazetteer.lengths("", &[word]).well_known & 1 != 0
}

/// Returns the lists of a word with a capital, of its uninflected form if it is on none.
pub(super) fn rules_of(extension: &Extension, word: Word, form: &str) -> Lists {
    let lists = extension.rules.of(word.hash);
    if lists.is_rule_word() || word.is_cut {
        return lists;
    }
    let mut folded = String::with_capacity(form.len());
    fold_word(form, extension.rules.folding(), &mut folded);
    let stem = inflected(extension, &folded);
    if stem.is_suffix_of(Category::Location) || stem.is_suffix_of(Category::Organisation) {
        stem
    } else {
        lists
    }
}

/// Returns the lists of a word; if it is on none, those of the word before its case ending, which is
/// `n` and more behind a possessive (`ilçesinde` is `ilçesi`).
pub(super) fn inflected(extension: &Extension, word: &str) -> Lists {
    const ENDINGS: [&str; 14] = [
        "nin", "nın", "nun", "nün", "nde", "nda", "nden", "ndan", "ndeki", "ndaki", "ne", "na",
        "ni", "nı",
    ];
    let of = |word: &str| extension.rules.of(hash::word(word.as_bytes(), 0));
    let lists = of(word);
    if lists.is_rule_word()
        || lists.has(List::SmallTitle)
        || lists.has(List::LocationNoun)
        || lists.has(List::OrganisationNoun)
    {
        return lists;
    }
    let stems = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending));
    stems
        .filter(|stem| stem.ends_with(['ı', 'i', 'u', 'ü']))
        .map(of)
        .find(|lists| {
            *lists != Lists::default() && !lists.has(List::Ordinary)
                || lists.is_rule_word()
                || lists.has(List::LocationNoun)
                || lists.has(List::OrganisationNoun)
        })
        .unwrap_or(lists)
}

/// Returns the longest of some lengths that is at most `most`; 0 if there is none.
pub(super) fn longest(lengths: u32, most: usize) -> usize {
    let within = lengths & u32::MAX.checked_shl(most as u32).map_or(u32::MAX, |mask| !mask);
    (u32::BITS - within.leading_zeros()) as usize
}
