//! Content words: what is left of a text's words when common words are set aside and endings taken off.
//!
//! A word of the language's stop list counts as common only if it is frequent in the document: lists
//! are generous, and a word that stands once in a text says something of the place where it stands.
//! Without a list for the language, words that are very frequent in the document are common.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::stem::{Stem, Stemmer};
use super::stop_words::StopWords;
use crate::document::Span;
use crate::hash::numbering::Numbering;
use crate::hash::{self, Prehashed};
use crate::segment::words::{self, Folding};

/// How often a word must stand in a document to be common: as a share of its words, and at least.
struct Frequent {
    share: f64,
    least: u32,
}

/// For words of the stop list.
const LISTED: Frequent = Frequent { share: 0.003, least: 2 };
/// For all words, if there is no list.
const UNLISTED: Frequent = Frequent { share: 0.007, least: 4 };

impl Frequent {
    fn is(&self, count: u32, n_words: usize) -> bool {
        f64::from(count) > (self.share * n_words as f64).max(f64::from(self.least))
    }
}

/// What is known of a word, in whatever document.
#[derive(Clone, Copy)]
struct Known {
    /// The hash of its stem.
    stem: u64,
    /// Whether it is on the stop list.
    is_listed: bool,
}

/// Words whose stems a thread remembers.
const MOST_REMEMBERED: usize = 1 << 16;

/// The words of a language that a thread has seen, by hash: most documents of a collection are in one
/// language and use the same words.
struct Remembered {
    language: String,
    folding: Folding,
    seed: u64,
    stemmer: Stemmer,
    list: Option<Arc<StopWords>>,
    words: HashMap<u64, Known, Prehashed>,
    /// The different words of the document at hand, and how often each stands in it.
    numbers: Numbering,
    different: Vec<(Known, u32)>,
}

impl Remembered {
    fn new(language: &str, folding: Folding, seed: u64) -> Self {
        Self {
            language: language.to_owned(),
            folding,
            seed,
            stemmer: Stemmer::new(Stem::Snowball, language),
            list: StopWords::for_language(language),
            words: HashMap::default(),
            numbers: Numbering::default(),
            different: Vec::new(),
        }
    }

    fn is_of(&self, language: &str, folding: Folding, seed: u64) -> bool {
        self.language == language && self.folding == folding && self.seed == seed
    }

    /// Returns what is known of a word, given its hash; `folded` is room to work in.
    fn word(&mut self, hash: u64, written: &str, folded: &mut String) -> Known {
        if let Some(&known) = self.words.get(&hash) {
            return known;
        }
        folded.clear();
        words::fold_word(written, self.folding, folded);
        // A single letter or digit says little; a single character of Chinese is a word.
        let is_listed =
            folded.len() == 1 || self.list.as_ref().is_some_and(|list| list.contains(folded));
        let stem = hash::word(self.stemmer.stem(folded).as_bytes(), self.seed);
        let known = Known { stem, is_listed };
        if self.words.len() < MOST_REMEMBERED {
            self.words.insert(hash, known);
        }
        known
    }
}

thread_local! {
    static REMEMBERED: RefCell<Option<Remembered>> = const { RefCell::new(None) };
}

/// Puts the content form of each word into `out`: the hash of its stem, whose lowest bit says whether it
/// is a content word.
pub(super) fn fill(
    (text, spans, hashes): (&str, &[Span], &[u64]),
    folding: Folding,
    language: &str,
    seed: u64,
    out: &mut Vec<u64>,
) {
    out.clear();
    REMEMBERED.with_borrow_mut(|remembered| {
        let remembered = match remembered {
            Some(known) if known.is_of(language, folding, seed) => known,
            other => other.insert(Remembered::new(language, folding, seed)),
        };
        let mut numbers = std::mem::take(&mut remembered.numbers);
        let mut different = std::mem::take(&mut remembered.different);
        numbers.clear(hashes.len());
        different.clear();
        let mut folded = String::new();
        // `out` has the numbers of the words first.
        for (&hash, span) in hashes.iter().zip(spans) {
            let number = numbers.number(hash);
            if number as usize == different.len() {
                different.push((remembered.word(hash, &text[span.range()], &mut folded), 0));
            }
            different[number as usize].1 += 1;
            out.push(u64::from(number));
        }
        let (has_list, n_words) = (remembered.list.is_some(), hashes.len());
        let form = |(Known { stem, is_listed }, count): (Known, u32)| {
            let is_common = if has_list {
                is_listed && LISTED.is(count, n_words)
            } else {
                UNLISTED.is(count, n_words)
            };
            (stem & !1) | u64::from(!is_common)
        };
        for word in out {
            *word = form(different[*word as usize]);
        }
        (remembered.numbers, remembered.different) = (numbers, different);
    });
}

#[cfg(test)]
mod tests {
    use super::super::{Featurizer, TextSettings, Words};
    use crate::document::Document;

    fn content(text: &str, language: &str) -> Vec<u64> {
        let document = Document { language: Some(language.into()), ..Document::plain("d", text) };
        let featurizer = Featurizer::new(TextSettings::default(), 1).with_content(true);
        let mut words = Words::default();
        featurizer.words(&document, &mut words);
        assert_eq!(words.content.len(), words.hashes.len());
        words.content
    }

    #[test]
    fn frequent_words_of_the_list_are_common_and_endings_are_taken_off() {
        let forms =
            content("The harbours of the town and the harbour of the bay closed the quay", "en");
        let is_content: Vec<bool> = forms.iter().map(|form| form & 1 == 1).collect();
        assert!(
            !is_content[0] && is_content[1] && is_content[4] && is_content[2],
            "{is_content:?}"
        );
        assert_eq!(forms[1], forms[7], "harbours and harbour have one stem");
    }

    #[test]
    fn a_language_without_a_list_has_common_words_too() {
        let forms = content(&"ba kesu ba timo ".repeat(5), "xx");
        assert_eq!(forms[0] & 1, 0);
        assert_eq!(content("ba kesu timo", "xx")[0] & 1, 1);
    }

    #[test]
    fn content_is_made_only_if_it_is_asked_for() {
        let mut words = Words::default();
        let document = Document::plain("d", "the east quay");
        Featurizer::new(TextSettings::default(), 1).words(&document, &mut words);
        assert!(words.content.is_empty());
    }
}
