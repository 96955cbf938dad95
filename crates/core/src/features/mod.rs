//! What documents are compared by: words after folding, and runs of words.
//!
//! [`TextSettings`] says how a document becomes a sequence of word hashes; [`Featurizer`] does
//! it. [`shingles`] turns the sequence into hashes of word n-grams.

pub mod characters;
pub mod chunks;
pub mod counts;
pub mod entity_shingles;
pub mod grams;
pub mod length_windows;
pub mod reading;
pub mod shingles;
pub mod spots;
pub mod stem;
pub mod stop_words;

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::counts::Counts;
use self::reading::Reading;
use self::stem::{Stem, Stemmer};
use self::stop_words::StopWords;
use crate::clean::{Clean, Text, language};
use crate::document::{Document, Span};
use crate::hash;
use crate::segment::words::{self, Case, Folding};

/// Which words are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopList {
    /// None.
    #[default]
    None,
    /// The list of the document's language.
    Language,
    /// These.
    Words(Vec<String>),
}

/// How a document becomes a sequence of words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
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
}

impl Featurizer {
    /// Makes a featurizer; `seed` keys the hashes.
    pub fn new(settings: TextSettings, seed: u64) -> Self {
        let stop = match &settings.stop_words {
            StopList::Words(list) => Some(Arc::new(StopWords::from_words(list))),
            StopList::None | StopList::Language => None,
        };
        Self { settings, seed, stop }
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
        let text = Text::of(document, self.settings.clean);
        let manner = self.manner(document, text.as_str());
        let (mut first, mut last) = (Span::new(0, 0), Span::new(0, 0));
        words.is_cut = self.each(text.as_str(), &manner, |hash, span| {
            if words.hashes.is_empty() {
                first = span;
            }
            last = span;
            words.hashes.push(hash);
            if places == Places::Kept {
                words.spans.push(span);
            }
        });
        let extent = Span::new(text.original(first).start, text.original(last).end);
        let (text, manner) = (text.as_str(), &manner);
        look(&Reading { document, text, words, featurizer: self, manner, counts }, extent)
    }

    /// Puts the document's words and their places in the original into `out`.
    pub fn words(&self, document: &Document, out: &mut Words) {
        out.hashes.clear();
        out.spans.clear();
        let text = Text::of(document, self.settings.clean);
        let manner = self.manner(document, text.as_str());
        out.is_cut = self.each(text.as_str(), &manner, |hash, span| {
            out.hashes.push(hash);
            out.spans.push(span);
        });
        if !text.is_original() {
            let mut cursor = text.cursor();
            for span in &mut out.spans {
                *span = cursor.original(*span);
            }
        }
    }

    /// Returns the folded form of a stretch of the original that holds one word, as it was hashed.
    pub fn folded(&self, document: &Document, word: &str) -> String {
        let text = Text::new(word, document.markup, self.settings.clean);
        let mut folded = String::new();
        words::fold_word(text.as_str(), self.folding(document), &mut folded);
        folded
    }

    /// Calls `each` for every word of a clean text that counts.
    fn each(&self, text: &str, manner: &Manner, mut each: impl FnMut(u64, Span)) -> bool {
        let settings = &self.settings;
        let (dictionary, seed, most) = (settings.dictionary, self.seed, settings.most_words);
        let Some(stemmer) = &manner.stemmer else {
            return words::each_word(text, manner.folding, dictionary, seed, most, each);
        };
        let stop = self.stop.as_deref().or(manner.stop.as_deref());
        let mut folded = String::new();
        words::each_word(text, manner.folding, dictionary, seed, most, |_, span| {
            folded.clear();
            words::fold_word(&text[span.range()], manner.folding, &mut folded);
            if stop.is_some_and(|stop| stop.contains(&folded)) {
                return;
            }
            each(hash::word(stemmer.stem(&folded).as_bytes(), seed), span);
        })
    }

    /// Finds out how the words of a document are folded.
    fn manner(&self, document: &Document, text: &str) -> Manner {
        let settings = &self.settings;
        let folding = self.folding(document);
        if settings.stem == Stem::None && settings.stop_words == StopList::None {
            return Manner { folding, stemmer: None, stop: None };
        }
        let language = self.language(document, text);
        let stop = (settings.stop_words == StopList::Language)
            .then(|| StopWords::for_language(&language))
            .flatten();
        Manner { folding, stemmer: Some(Stemmer::new(settings.stem, &language)), stop }
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
}

impl Manner {
    /// Returns a word as it is hashed.
    fn form(&self, word: &str) -> String {
        let mut folded = String::with_capacity(word.len());
        words::fold_word(word, self.folding, &mut folded);
        match &self.stemmer {
            Some(stemmer) => stemmer.stem(&folded).into_owned(),
            None => folded,
        }
    }

    fn is_turkic(&self) -> bool {
        self.folding == Folding::Turkic
    }
}

/// Returns the hash that equal documents share: of their words, or where there are none of
/// their text without white space at its ends.
pub fn identity(words: &[u64], text: &str) -> u128 {
    if words.is_empty() {
        // Told apart from word sequences by the length in the high half.
        let hash = hash::bytes(text.trim().as_bytes(), 0);
        return (u128::from(hash) << 64) | u128::from(text.trim().len() as u64);
    }
    shingles::whole(words)
}
