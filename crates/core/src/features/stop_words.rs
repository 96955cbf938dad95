//! Words that say little: articles, prepositions, pronouns.
//!
//! Lists of 58 languages come from Stopwords ISO (`data/README.md` has its licence); a user may
//! give a list instead. Words are compared in lower case.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, LazyLock};

use crate::clean::language::Language;
use crate::clean::{Clean, Text};
use crate::document::Markup;

/// The lists of all languages by two-letter code, made when the first is asked for.
static LISTS: LazyLock<BTreeMap<Language, Arc<StopWords>>> = LazyLock::new(|| {
    let json = include_str!("../../data/stopwords-iso.json");
    let lists: BTreeMap<Language, Vec<String>> =
        serde_json::from_str(json).expect("the list is part of the program and tested");
    let folded = |(language, words): (Language, Vec<String>)| {
        let words = words.iter().map(|word| fold(word, language.has_dotless_i()));
        (language, Arc::new(StopWords { words: words.collect() }))
    };
    lists.into_iter().map(folded).collect()
});

/// A set of words to leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StopWords {
    words: HashSet<String>,
}

impl StopWords {
    /// Returns the list of a language given by its code, such as `tr`, `tur` or `tr-TR`; `None`
    /// if there is no list for it.
    pub fn for_language(code: &str) -> Option<Arc<Self>> {
        LISTS.get(&Language::parse(code)?).cloned()
    }

    /// Returns the codes of the languages that have a list, in order.
    pub fn languages() -> impl Iterator<Item = &'static str> {
        LISTS.keys().map(Language::code)
    }

    /// Makes a list of the given words.
    ///
    /// A word with I or İ stands for both of its lower-case forms, since nobody said in which
    /// language it is written.
    pub fn from_words(words: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let both = |word: &str| [fold(word, false), fold(word, true)];
        Self { words: words.into_iter().flat_map(|word| both(word.as_ref())).collect() }
    }

    /// Returns whether `word`, in lower case, is on the list.
    pub fn contains(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Normalises and lower-cases a word.
fn fold(word: &str, has_dotless_i: bool) -> String {
    let text = Text::new(word.trim(), Markup::Plain, Clean::default());
    if has_dotless_i {
        text.as_str().replace('I', "ı").replace('İ', "i").to_lowercase()
    } else {
        text.as_str().to_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_there_and_none_is_empty() {
        assert_eq!(StopWords::languages().count(), 58);
        for code in StopWords::languages() {
            let list = StopWords::for_language(code).expect("the code is on the list");
            assert!(list.len() > 20 && !list.contains(""), "{code}");
        }
    }

    #[test]
    fn common_words_are_found_in_their_language_only() {
        let list = |code| StopWords::for_language(code).expect("there is a list");
        assert!(list("en").contains("the") && list("en-GB").contains("which"));
        assert!(list("tr").contains("için") && list("tur").contains("aslında"));
        assert!(list("de").contains("und") && !list("de").contains("the"));
        assert!(!list("en").contains("ferry"));
        assert!(StopWords::for_language("xx").is_none());
        assert!(StopWords::for_language("").is_none());
    }

    #[test]
    fn a_list_of_ones_own_is_folded() {
        let list = StopWords::from_words(["The", " Işık ", "cafe\u{301}"]);
        for word in ["the", "ışık", "işık", "café"] {
            assert!(list.contains(word), "{word}");
        }
        assert!(StopWords::from_words([""; 0]).is_empty());
    }
}
