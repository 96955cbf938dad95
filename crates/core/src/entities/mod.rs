//! Named entities: the persons, places and organisations that a text speaks of.
//!
//! This is TuNER, the recogniser that Uyar (2009) made for Turkish news, with lists for English
//! beside the Turkish ones. It needs no model and no dictionary of a language: capitals, small
//! lists of rule words, and gazetteers.
//!
//! 1. *Runs* are maximal sequences of words that begin with a capital. Punctuation ends a run,
//!    an apostrophe does not; a word is cut at its first apostrophe (`Ankara'da` is `Ankara`).
//! 2. Every run goes to three extractors, in the order location, organisation, person;
//!    each looks at its [`Rules`] first and then into the [`Gazetteer`].
//! 3. A run without any entity is compared with the entities before it in the document: if its
//!    words are a contiguous part of one, it is an entity of the same category.
//!
//! Capitals at the beginning of a sentence are taken like all others; the gazetteer decides.
//!
//! Where a language has them, rules that go beyond the thesis take the place of these
//! ([`Options::extended`], `extended.rs`): what stands around a run and in the rest of the document
//! decides too, and words that are mostly written in small letters need a second sign. Turkish has
//! them.
//!
//! # Lists
//! [`Knowledge`] holds what is known of a language. Turkish and English are bundled
//! (`data/entities/README.md` tells the formats and origins); a caller may add lists or use
//! nothing but its own.
//!
//! ```
//! use retold_core::clean::language::Language;
//! use retold_core::entities::{Category, Gazetteer, Knowledge, Options, Rules, recognise};
//! let rules = Rules::parse("organisation_suffix\tBankası", Language::TURKISH).unwrap();
//! let names = Gazetteer::parse("location\tAnkara", Language::TURKISH).unwrap();
//! let text = "dün Ankara'da Demir Bankası önünde";
//! let found = recognise(text, &Knowledge::new(rules, names), Options::default());
//! let texts: Vec<&str> = found.entities.iter().filter_map(|e| e.span.of(text)).collect();
//! assert_eq!(texts, ["Ankara'da Demir Bankası", "Ankara"]);
//! assert_eq!(found.entities[1].category, Category::Location);
//! ```

mod earlier;
mod extended;
mod extract;
mod gazetteer;
mod knowledge;
mod rules;
mod runs;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use gazetteer::Gazetteer;
pub use knowledge::{Knowledge, Size};
pub use rules::{List, ListError, Rules};

use self::earlier::Earlier;
use self::extract::Extractor;
use crate::document::Span;

/// What an entity is. The order is that of the extractors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// A place.
    Location,
    /// A body of people: a ministry, a company, a club.
    Organisation,
    /// A person.
    Person,
}

impl Category {
    /// All categories, in the order of the extractors.
    pub const ALL: [Self; 3] = [Self::Location, Self::Organisation, Self::Person];

    /// Returns the name used in files, flags and pages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Location => "location",
            Self::Organisation => "organisation",
            Self::Person => "person",
        }
    }

    /// Returns the category of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How an entity was found, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// By a rule word beside or in it.
    Rule,
    /// By its name.
    Gazetteer,
    /// As part of an entity before it in the document, or behind it by the extended rules.
    Partial,
    /// By what stands around it, or by its form. Extended rules only.
    Context,
}

impl How {
    /// Returns the name used in files and pages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Gazetteer => "gazetteer",
            Self::Partial => "partial",
            Self::Context => "context",
        }
    }
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word of a run, up to its apostrophe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where it stands in the text.
    pub span: Span,
    /// Hash of its lower-case form.
    pub(crate) hash: u64,
    /// Whether an apostrophe follows it.
    pub(crate) is_cut: bool,
}

/// A maximal sequence of words with capitals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its words, as places in [`Entities::words`].
    pub words: Range<usize>,
    /// From its first to the end of its last word, endings behind an apostrophe included.
    pub span: Span,
    /// What was found in it, as places in [`Entities::entities`].
    pub entities: Range<usize>,
    /// The word before it.
    pub(crate) before: Option<Span>,
    /// The word behind it.
    pub(crate) after: Option<Span>,
}

impl Run {
    /// Returns whether anything was found in it.
    pub fn is_classified(&self) -> bool {
        !self.entities.is_empty()
    }
}

/// A name in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// What it is.
    pub category: Category,
    /// How it was found.
    pub how: How,
    /// Its words, as places in [`Entities::words`].
    pub words: Range<usize>,
    /// Bytes of the text from its first to the cut end of its last word.
    pub span: Span,
}

/// What was found in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entities {
    /// Words of all runs, in order.
    pub words: Vec<Word>,
    /// Runs, in order.
    pub runs: Vec<Run>,
    /// Entities by run, then by their first word, longer ones first. Those of different
    /// categories may overlap: a university stands in it, and the city in its name.
    pub entities: Vec<Entity>,
}

impl Entities {
    /// Returns a stretch of words without what stands behind apostrophes, one blank between them.
    ///
    /// ```
    /// # use retold_core::entities::{Knowledge, Options, recognise};
    /// let text = "in Bursa'nın  Orhangazi İlçesi'nde";
    /// let found = recognise(text, &Knowledge::default(), Options::default());
    /// assert_eq!(found.cut_form(text, found.runs[0].words.clone()), "Bursa Orhangazi İlçesi");
    /// ```
    pub fn cut_form(&self, text: &str, words: Range<usize>) -> String {
        let words = self.words.get(words).unwrap_or_default();
        let forms: Vec<&str> = words.iter().filter_map(|word| word.span.of(text)).collect();
        forms.join(" ")
    }
}

/// Choices of the recogniser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Whether a run without an entity is compared with the entities before it. The default is
    /// true.
    pub partial: bool,
    /// Whether a suffix with no word before it is an entity: `Parti` alone. The default is false.
    pub bare_suffixes: bool,
    /// Whether rules beyond those of the thesis are used, where a language has them; Turkish has.
    /// They replace the others, and `partial` and `bare_suffixes` do not matter. The default is
    /// true.
    pub extended: bool,
    /// Words of a text beyond this number are not looked at. The default is 4,000,000.
    pub most_words: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { partial: true, bare_suffixes: false, extended: true, most_words: 4_000_000 }
    }
}

/// Finds the runs of a text and the entities in them.
///
/// Linear in the text. An entity of which only a part is meant later is looked up by parts of up
/// to 16 words.
pub fn recognise(text: &str, knowledge: &Knowledge, options: Options) -> Entities {
    let extension = knowledge.extension().filter(|_| options.extended);
    let found = runs::runs(text, knowledge, extension, options.most_words);
    classified(text, found, knowledge, options)
}

/// Finds the same as [`recognise`] in a text whose words are known, in order: `words` are the places
/// of all of them, apostrophes and what stands behind them included.
pub fn recognise_among(
    text: &str,
    words: &[Span],
    knowledge: &Knowledge,
    options: Options,
) -> Entities {
    let words = &words[..words.len().min(options.most_words)];
    let extension = knowledge.extension().filter(|_| options.extended);
    classified(text, runs::runs_among(text, knowledge, extension, words), knowledge, options)
}

/// Finds the entities in the runs of a text.
fn classified(
    text: &str,
    mut found: Entities,
    knowledge: &Knowledge,
    options: Options,
) -> Entities {
    if let Some(extension) = knowledge.extension().filter(|_| options.extended) {
        return extended::classified(text, found, knowledge.gazetteer(), extension);
    }
    let mut extractor = Extractor::new(knowledge, options.bare_suffixes);
    let mut earlier = Earlier::default();
    for i in 0..found.runs.len() {
        let first = found.entities.len();
        let words = found.runs[i].words.clone();
        extractor.extract(text, &found.words, words.clone(), &mut found.entities);
        if options.partial {
            let is_article = |word: &Word| knowledge.rules().of(word.hash).has(List::Article);
            if found.entities.len() == first
                && !found.words[words.clone()].iter().all(is_article)
                && let Some(category) = earlier.category(&found.words[words.clone()])
            {
                found.entities.push(entity(category, How::Partial, &found.words, words));
            } else {
                for entity in &found.entities[first..] {
                    earlier.remember(&found.words[entity.words.clone()], entity.category);
                }
            }
        }
        found.runs[i].entities = first..found.entities.len();
    }
    found
}

/// Makes an entity of some words, of which there is at least one.
fn entity(category: Category, how: How, words: &[Word], range: Range<usize>) -> Entity {
    let span = Span::new(words[range.start].span.start, words[range.end - 1].span.end);
    Entity { category, how, words: range, span }
}
