//! What documents are compared by: words after folding, and runs of words.
//!
//! [`TextSettings`] says how a document becomes a sequence of word hashes; [`Featurizer`] does
//! it. [`shingles`] turns the sequence into hashes of word n-grams.

pub mod characters;
pub mod chunks;
mod content;
pub mod counts;
pub mod derived;
pub mod entity_shingles;
pub mod grams;
pub mod length_windows;
pub mod reading;
pub mod shingles;
pub mod spots;
pub mod stem;
pub mod stop_words;
pub mod units;
pub mod word_pairs;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::counts::Counts;
use self::reading::Reading;
use self::stem::{Stem, Stemmer};
use self::stop_words::StopWords;
use crate::clean::{Clean, Text, language};
use crate::document::{Document, Span};
use crate::error::ConfigError;
use crate::hash;
use crate::segment::words::{self, Case, Folding};

/// Which words are left out.
///
/// Stored as `none`, `language` or `words:the,a,of`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum StopList {
    /// None.
    #[default]
    None,
    /// The list of the document's language.
    Language,
    /// These.
    Words(Vec<String>),
}

impl FromStr for StopList {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        match (text, text.strip_prefix("words:")) {
            ("none", _) => Ok(Self::None),
            ("language", _) => Ok(Self::Language),
            (_, Some(words)) => {
                let words = words.split(',').filter(|word| !word.is_empty());
                Ok(Self::Words(words.map(ToOwned::to_owned).collect()))
            }
            _ => Err(ConfigError::value("stop-words", "none, language or words:A,B,C", &text)),
        }
    }
}

impl TryFrom<String> for StopList {
    type Error = ConfigError;

    fn try_from(text: String) -> Result<Self, ConfigError> {
        text.parse()
    }
}

impl From<StopList> for String {
    fn from(list: StopList) -> Self {
        match list {
            StopList::None => "none".to_owned(),
            StopList::Language => "language".to_owned(),
            StopList::Words(words) => format!("words:{}", words.join(",")),
        }
    }
}

/// How a document becomes a sequence of words. Stored by the names of the command line's options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct TextSettings {
    /// Markup and Unicode.
    #[serde(flatten)]
    pub clean: Clean,
    /// Which letters are the same letter. The default is `auto`.
    pub case: Case,
    /// Whether Chinese and Japanese are broken into words by dictionary instead of one word a
    /// character. The default is false.
    pub dictionary: bool,
    /// Which words are left out. The default is none.
    pub stop_words: StopList,
    /// What stands for a word. The default is the word itself.
    pub stem: Stem,
    /// Language of documents that do not name theirs; empty means: detect where it matters.
    pub language: String,
    /// Words of a document beyond this number are not looked at, and this is flagged. The
    /// default is 4,000,000.
    #[serde(rename = "max-words")]
    pub most_words: usize,
}

impl Default for TextSettings {
    fn default() -> Self {
        Self {
            clean: Clean::default(),
            case: Case::default(),
            dictionary: false,
            stop_words: StopList::None,
            stem: Stem::None,
            language: String::new(),
            most_words: 4_000_000,
        }
    }
}

/// The words of one document: hashes of their folded forms and their places in the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// One hash per word, in order.
    pub hashes: Vec<u64>,
    /// Where each word stands in the original.
    pub spans: Vec<Span>,
    /// Whether words beyond the limit were left out.
    pub is_cut: bool,
    /// Hash of all words as they were before stop words and stems. `None` if neither is asked for,
    /// and `hashes` say it all, or if there is no word.
    pub folded: Option<u128>,
    /// For each word the hash of its stem, which differs in the lowest bit only if one document has it
    /// as a content word (1) and another as a common word (0). Empty unless it was asked for
    /// ([`Featurizer::with_content`]).
    pub content: Vec<u64>,
}

impl Words {
    /// Returns the hash that documents with equal words share. It is made of the folded words,
    /// before stop words are left out and words are stemmed. `None` if there is no word: such a
    /// document is equal to no other.
    pub fn identity(&self) -> Option<u128> {
        self.folded.or_else(|| (!self.hashes.is_empty()).then(|| shingles::whole(&self.hashes)))
    }

    /// Returns whether two documents have the same words in the same order, compared before stop
    /// words are left out and words are stemmed. A document without words is equal to no other.
    pub fn is_equal(&self, other: &Self) -> bool {
        match (self.folded, other.folded) {
            (None, None) => !self.hashes.is_empty() && self.hashes == other.hashes,
            (one, other) => one == other,
        }
    }

    /// Returns whether the document has no word, stop words counted.
    pub fn is_wordless(&self) -> bool {
        self.hashes.is_empty() && self.folded.is_none()
    }
}

/// Whether the places of words are kept beside their hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// Yes.
    Kept,
    /// No: whoever needs only hashes saves half of the memory.
    Dropped,
}

/// Turns documents into sequences of words.
#[derive(Clone, Debug)]
pub struct Featurizer {
    settings: TextSettings,
    seed: u64,
    stop: Option<Arc<StopWords>>,
    has_content: bool,
}

impl Featurizer {
    /// Makes a featurizer; `seed` keys the hashes.
    pub fn new(settings: TextSettings, seed: u64) -> Self {
        let stop = match &settings.stop_words {
            StopList::Words(list) => Some(Arc::new(StopWords::from_words(list))),
            StopList::None | StopList::Language => None,
        };
        Self { settings, seed, stop, has_content: false }
    }

    /// Sets whether content words are told from common ones, as the comparison of edited texts and the
    /// search for them need it. The default is false.
    #[must_use]
    pub fn with_content(self, has_content: bool) -> Self {
        Self { has_content, ..self }
    }

    /// Returns whether content words are told from common ones.
    pub fn has_content(&self) -> bool {
        self.has_content
    }

    /// Returns the settings.
    pub fn settings(&self) -> &TextSettings {
        &self.settings
    }

    /// Reads a document: `look` gets it with its words, which are put into `words`, and the stretch
    /// of the original from the first to the last word.
    ///
    /// `counts` are the statistics of the collection, for methods that need them.
    pub fn read<T>(
        &self,
        document: &Document,
        places: Places,
        counts: Option<&Counts>,
        words: &mut Words,
        look: impl FnOnce(&Reading<'_>, Span) -> T,
    ) -> T {
        words.hashes.clear();
        words.spans.clear();
        words.content.clear();
        let text = Text::of(document, self.settings.clean);
        let manner = self.manner(document, text.as_str());
        let (mut first, mut last) = (Span::new(0, 0), Span::new(0, 0));
        let keeps_spans = places == Places::Kept || self.has_content;
        (words.is_cut, words.folded) = self.each(text.as_str(), &manner, |hash, span| {
            if words.hashes.is_empty() {
                first = span;
            }
            last = span;
            words.hashes.push(hash);
            if keeps_spans {
                words.spans.push(span);
            }
        });
        if self.has_content {
            let read = (text.as_str(), &words.spans[..], &words.hashes[..]);
            let language = self.language(document, text.as_str());
            content::fill(read, manner.folding, &language, self.seed, &mut words.content);
            if places == Places::Dropped {
                words.spans.clear();
            }
        }
        let extent = Span::new(text.original(first).start, text.original(last).end);
        let (text, manner) = (text.as_str(), &manner);
        let reading = Reading {
            document,
            text,
            words,
            runs: None,
            are_runs_held: false,
            featurizer: self,
            manner,
            counts,
        };
        look(&reading, extent)
    }

    /// Puts the document's words and their places in the original into `out`.
    pub fn words(&self, document: &Document, out: &mut Words) {
        self.words_and_units(document, None, out, &mut Vec::new());
    }

    /// Returns the folded form of a stretch of the original that holds one word, as it was hashed.
    pub fn folded(&self, document: &Document, word: &str) -> String {
        let text = Text::new(word, document.markup, self.settings.clean);
        let mut folded = String::new();
        words::fold_word(text.as_str(), self.folding(document), &mut folded);
        folded
    }

    /// Calls `each` for every word of a clean text that is neither a stop word nor beyond the limit.
    /// Returns whether words were cut off, and the hash of all words before stop words were left out
    /// and stems taken, if it differs from the hash of the words handed to `each`.
    fn each(
        &self,
        text: &str,
        manner: &Manner,
        mut each: impl FnMut(u64, Span),
    ) -> (bool, Option<u128>) {
        let settings = &self.settings;
        let (dictionary, seed, most) = (settings.dictionary, self.seed, settings.most_words);
        let Some(stemmer) = &manner.stemmer else {
            return (words::each_word(text, manner.folding, dictionary, seed, most, each), None);
        };
        let stop = self.stop.as_deref().or(manner.stop.as_deref());
        let mut folded = String::new();
        let mut all = Vec::new();
        let is_cut =
            words::each_word(text, manner.folding, dictionary, seed, most, |hash, span| {
                all.push(hash);
                folded.clear();
                words::fold_word(&text[span.range()], manner.folding, &mut folded);
                if stop.is_some_and(|stop| stop.contains(&folded)) {
                    return;
                }
                each(hash::word(stemmer.stem(&folded).as_bytes(), seed), span);
            });
        (is_cut, (!all.is_empty()).then(|| shingles::whole(&all)))
    }

    /// Finds out how the words of a document are folded.
    fn manner(&self, document: &Document, text: &str) -> Manner {
        let settings = &self.settings;
        let folding = self.folding(document);
        if settings.stem == Stem::None && settings.stop_words == StopList::None {
            return Manner { folding, stemmer: None, stop: None, language: OnceCell::new() };
        }
        let language = self.language(document, text);
        let stop = (settings.stop_words == StopList::Language)
            .then(|| StopWords::for_language(&language))
            .flatten();
        let stemmer = Some(Stemmer::new(settings.stem, &language));
        Manner { folding, stemmer, stop, language: OnceCell::from(language.into_owned()) }
    }

    fn language<'a>(&'a self, document: &'a Document, text: &str) -> Cow<'a, str> {
        match (&document.language, self.settings.language.as_str()) {
            (Some(named), _) => Cow::Borrowed(named),
            (None, "") => language::detect(text)
                .map_or(Cow::Borrowed(""), |found| Cow::Owned(found.code().to_owned())),
            (None, given) => Cow::Borrowed(given),
        }
    }

    fn folding(&self, document: &Document) -> Folding {
        let by_language = |code: &str| {
            if language::has_turkic_case(code) { Folding::Turkic } else { Folding::Lower }
        };
        match (self.settings.case, &document.language, self.settings.language.as_str()) {
            (Case::Keep, ..) => Folding::Keep,
            (Case::Lower, ..) => Folding::Lower,
            (Case::Turkic, ..) => Folding::Turkic,
            (Case::Auto, Some(named), _) => by_language(named),
            (Case::Auto, None, "") => {
                if language::is_turkic(&document.text) {
                    Folding::Turkic
                } else {
                    Folding::Lower
                }
            }
            (Case::Auto, None, given) => by_language(given),
        }
    }
}

/// How the words of one document are folded, once its language is known.
#[derive(Debug)]
struct Manner {
    folding: Folding,
    /// `None` if words are kept whole and none is left out.
    stemmer: Option<Stemmer>,
    /// Stop words of the document's language.
    stop: Option<Arc<StopWords>>,
    /// The document's language, once somebody asked for it.
    language: OnceCell<String>,
}

impl Manner {
    /// Returns a word as it is hashed.
    fn form(&self, word: &str) -> String {
        let mut form = String::with_capacity(word.len());
        self.put_form(word, &mut form);
        form
    }

    /// Appends a word to `out` as it is hashed.
    fn put_form(&self, word: &str, out: &mut String) {
        let start = out.len();
        words::fold_word(word, self.folding, out);
        if let Some(stemmer) = &self.stemmer {
            let stem = stemmer.stem(&out[start..]).into_owned();
            out.truncate(start);
            out.push_str(&stem);
        }
    }

    fn is_turkic(&self) -> bool {
        self.folding == Folding::Turkic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, settings: &TextSettings) -> Words {
        let mut words = Words::default();
        Featurizer::new(settings.clone(), 1).words(&Document::plain("d", text), &mut words);
        words
    }

    #[test]
    fn documents_without_words_were_equal_to_each_other() {
        let list = StopList::Words(vec!["the".to_owned()]);
        for stop_words in [StopList::None, list] {
            let settings = TextSettings { stop_words, ..TextSettings::default() };
            for text in ["", " \n", "--- !!", "🎉🎉"] {
                let none = words(text, &settings);
                assert!(none.is_wordless() && none.identity().is_none(), "{text:?}");
                assert!(!none.is_equal(&none), "{text:?}");
            }
        }
    }

    #[test]
    fn words_that_differ_were_equal_because_their_stems_are() {
        let stemmed = TextSettings { stem: Stem::FirstFive, ..TextSettings::default() };
        let list = StopList::Words(vec!["the".to_owned()]);
        let stopped = TextSettings { stop_words: list, ..TextSettings::default() };
        for (settings, a, b) in [
            (stemmed, "Harbours are closed", "Harboured are closed"),
            (stopped, "the harbour closed", "harbour, the closed"),
        ] {
            let (a, b, again) =
                (words(a, &settings), words(b, &settings), words(&a.to_uppercase(), &settings));
            assert_eq!(a.hashes, b.hashes);
            assert!(a.identity() != b.identity() && !a.is_equal(&b));
            assert!(a.identity() == again.identity() && a.is_equal(&again));
        }
    }

    #[test]
    fn a_document_of_stop_words_alone_is_equal_to_its_copy() {
        let list = StopList::Words(vec!["the".to_owned(), "who".to_owned()]);
        let settings = TextSettings { stop_words: list, ..TextSettings::default() };
        let (a, b, c) =
            (words("The Who", &settings), words("the who", &settings), words("who", &settings));
        assert!(a.hashes.is_empty() && !a.is_wordless());
        assert!(a.is_equal(&b) && !a.is_equal(&c));
    }
}
