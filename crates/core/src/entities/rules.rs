//! Rule words: titles, suffixes, and what holds a run of capitals together.

use std::collections::HashMap;
use std::fmt;

use thiserror::Error;

use super::Category;
use super::runs::{each_part, folding_of};
use crate::clean::language::Language;
use crate::hash::{self, Prehashed};
use crate::segment::words::{Folding, fold_word};

/// The lists a rule word may be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// A title before a name; not part of it.
    PersonPrefix,
    /// A title behind a name; not part of it.
    PersonSuffix,
    /// Last word of a place's name. A word that is also a person's title ends the name before it
    /// (`Başbakanı`).
    LocationSuffix,
    /// Last word of an organisation's name.
    OrganisationSuffix,
    /// Begins a place's name if a joiner follows.
    LocationHead,
    /// Begins an organisation's name if a joiner follows.
    OrganisationHead,
    /// A small word or sign that does not end a run.
    Joiner,
    /// A small word inside the name of a person.
    Particle,
    /// A word whose full stop does not end a run.
    Abbreviation,
    /// What stands before an apostrophe that belongs to the name.
    Elision,
    /// A word that begins sentences but no names.
    Article,
    /// In small letters directly before the name of a person. Extended rules only, as all that
    /// follow.
    SmallTitle,
    /// In small letters directly behind the name of a place.
    LocationNoun,
    /// In small letters directly behind the name of an organisation.
    OrganisationNoun,
    /// Joins two ordinary words with capitals into one name: `Eğitim ve Araştırma Hastanesi`.
    Coordinator,
    /// Goes on with a name behind an ordinal number: `Ankara 20. Asliye Hukuk Mahkemesi`.
    Numbered,
    /// A word that is mostly written in small letters: alone it is no name without a second sign.
    Ordinary,
    /// A name that is also a word: alone it is no person without a second sign.
    Ambiguous,
    /// Like ordinary words for a coordinator, though often written with a capital: `Araştırma`.
    Coordinated,
    /// Last word of what is neither person nor place nor organisation: `Kupası`, `Kanunu`.
    EventSuffix,
    /// A title before which organisations are offices: `İçişleri Bakanı`.
    Minister,
    /// Stands in reports of matches, where the name of a city means its team.
    Match,
}

impl List {
    /// All lists.
    pub const ALL: [Self; 22] = [
        Self::PersonPrefix,
        Self::PersonSuffix,
        Self::LocationSuffix,
        Self::OrganisationSuffix,
        Self::LocationHead,
        Self::OrganisationHead,
        Self::Joiner,
        Self::Particle,
        Self::Abbreviation,
        Self::Elision,
        Self::Article,
        Self::SmallTitle,
        Self::LocationNoun,
        Self::OrganisationNoun,
        Self::Coordinator,
        Self::Numbered,
        Self::Ordinary,
        Self::Ambiguous,
        Self::Coordinated,
        Self::EventSuffix,
        Self::Minister,
        Self::Match,
    ];

    /// Returns the name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::PersonPrefix => "person_prefix",
            Self::PersonSuffix => "person_suffix",
            Self::LocationSuffix => "location_suffix",
            Self::OrganisationSuffix => "organisation_suffix",
            Self::LocationHead => "location_head",
            Self::OrganisationHead => "organisation_head",
            Self::Joiner => "joiner",
            Self::Particle => "particle",
            Self::Abbreviation => "abbreviation",
            Self::Elision => "elision",
            Self::Article => "article",
            Self::SmallTitle => "small_title",
            Self::LocationNoun => "location_noun",
            Self::OrganisationNoun => "organisation_noun",
            Self::Coordinator => "coordinator",
            Self::Numbered => "numbered",
            Self::Ordinary => "ordinary",
            Self::Ambiguous => "ambiguous",
            Self::Coordinated => "coordinated",
            Self::EventSuffix => "event_suffix",
            Self::Minister => "minister",
            Self::Match => "match",
        }
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// The lists a word is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lists(u32);

impl Lists {
    pub(super) fn has(self, list: List) -> bool {
        self.0 & list.bit() != 0
    }

    /// Returns whether the word ends the name of a person that a title began.
    pub(super) fn is_rule_word(self) -> bool {
        const RULES: [List; 7] = [
            List::PersonPrefix,
            List::PersonSuffix,
            List::LocationSuffix,
            List::OrganisationSuffix,
            List::LocationHead,
            List::OrganisationHead,
            List::Joiner,
        ];
        self.0 & RULES.iter().fold(0, |bits, list| bits | list.bit()) != 0
    }

    /// Returns whether the word is a title before the name of a person.
    pub(super) fn is_title(self) -> bool {
        self.has(List::PersonPrefix)
    }

    /// Returns whether the word ends names of the category.
    pub(super) fn is_suffix_of(self, category: Category) -> bool {
        match category {
            Category::Location => self.has(List::LocationSuffix),
            Category::Organisation => self.has(List::OrganisationSuffix),
            Category::Person => self.has(List::PersonSuffix),
        }
    }

    /// Returns whether the word begins names of the category if a joiner follows.
    pub(super) fn is_head_of(self, category: Category) -> bool {
        match category {
            Category::Location => self.has(List::LocationHead),
            Category::Organisation => self.has(List::OrganisationHead),
            Category::Person => false,
        }
    }
}

/// Rule words of a language.
#[derive(Clone, Debug)]
pub struct Rules {
    folding: Folding,
    words: HashMap<u64, Lists, Prehashed>,
    /// Whether a word is on the list of joiners or particles.
    has_joiners: bool,
    /// Words of reports of matches, as they are written.
    matches: Vec<String>,
    /// Joiners that are signs, not words.
    signs: Vec<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self::new(Language::ENGLISH)
    }
}

impl Rules {
    /// Makes empty lists for a language; Turkish and Azeri are cased by their own rules.
    pub fn new(language: Language) -> Self {
        let (words, signs) = (HashMap::default(), Vec::new());
        Self {
            folding: folding_of(language),
            words,
            has_joiners: false,
            matches: Vec::new(),
            signs,
        }
    }

    /// Reads lists from lines of `list<TAB>word`.
    pub fn parse(table: &str, language: Language) -> Result<Self, ListError> {
        let mut rules = Self::new(language);
        rules.read(table)?;
        Ok(rules)
    }

    /// Adds the words of a table of `list<TAB>word`.
    pub fn read(&mut self, table: &str) -> Result<(), ListError> {
        for row in rows(table, "list") {
            let (line, name, word) = row?;
            let list = List::ALL.into_iter().find(|list| list.name() == name);
            let list = list.ok_or_else(|| {
                ListError::unknown(line, "list", name, List::ALL.iter().map(|list| list.name()))
            })?;
            self.add(list, word);
        }
        Ok(())
    }

    /// Puts words on a list, one a line.
    pub(super) fn read_words(&mut self, list: List, words: &str) {
        for (_, word) in lines(words) {
            self.add(list, word);
        }
    }

    /// Puts a word on a list; of several words only the first counts.
    pub fn add(&mut self, list: List, word: &str) {
        let mut n_words = 0;
        each_part(word, self.folding, |part| {
            n_words += 1;
            if n_words == 1 {
                self.words.entry(part).or_default().0 |= list.bit();
                if list == List::Match {
                    self.matches.push(word.to_owned());
                }
                self.has_joiners |= matches!(
                    list,
                    List::Joiner | List::Particle | List::Coordinator | List::Numbered
                );
            }
        });
        if n_words == 0 && list == List::Joiner {
            self.signs.push(word.trim().to_owned());
        }
    }

    /// Returns whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.signs.is_empty()
    }

    /// Returns the number of words on a list; signs are not counted.
    pub fn len(&self, list: List) -> usize {
        self.words.values().filter(|lists| lists.has(list)).count()
    }

    pub(super) fn folding(&self) -> Folding {
        self.folding
    }

    /// Returns whether a text has at least two words of reports of matches.
    pub(super) fn tells_of_matches(&self, text: &str) -> bool {
        self.matches.iter().filter(|word| text.contains(word.as_str())).nth(1).is_some()
    }

    /// Returns whether words in small letters may stand inside a run.
    pub(super) fn has_joiners(&self) -> bool {
        self.has_joiners
    }

    pub(super) fn of(&self, word: u64) -> Lists {
        self.words.get(&word).copied().unwrap_or_default()
    }

    /// Returns whether a sign between two words does not end a run. A hyphen does so only if it
    /// stands without blanks.
    pub(super) fn is_joiner(&self, gap: &str) -> bool {
        let sign = gap.trim();
        self.signs.iter().any(|known| known == sign) && (sign != "-" || gap == "-")
    }

    /// Returns where to cut a word: at its first apostrophe, or at the second one if what stands
    /// before the first is an elision.
    pub(super) fn cut(&self, word: &str) -> usize {
        // Apostrophes begin with one of these bytes.
        if !word.bytes().any(|byte| matches!(byte, b'\'' | 0xE2 | 0xCA)) {
            return word.len();
        }
        let mut apostrophes = word.match_indices(is_apostrophe).map(|(at, _)| at);
        let Some(first) = apostrophes.next() else { return word.len() };
        let mut folded = String::new();
        fold_word(&word[..first], self.folding, &mut folded);
        if self.of(hash::word(folded.as_bytes(), 0)).has(List::Elision) {
            apostrophes.next().unwrap_or(word.len())
        } else {
            first
        }
    }
}

/// Returns whether a character is an apostrophe, which ends neither a run nor a word.
pub(super) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{02bc}')
}

/// A list that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ListError {
    /// A line without a tabulator, or with nothing behind it.
    #[error("line {line}: expected `{first}<TAB>word`, got `{given}`")]
    Columns {
        /// Line, counted from 1.
        line: usize,
        /// What the first column holds.
        first: &'static str,
        /// The line.
        given: String,
    },
    /// A name of a list or category that does not exist.
    #[error("line {line}: there is no {what} `{given}`; known: {known}")]
    Unknown {
        /// Line, counted from 1.
        line: usize,
        /// A list or a category.
        what: &'static str,
        /// What was given.
        given: String,
        /// The names that exist.
        known: String,
    },
}

impl ListError {
    pub(super) fn unknown(
        line: usize,
        what: &'static str,
        given: &str,
        known: impl Iterator<Item = &'static str>,
    ) -> Self {
        let known = known.collect::<Vec<_>>().join(", ");
        Self::Unknown { line, what, given: given.to_owned(), known }
    }
}

/// Goes through the rows of a table of two columns; comments, empty lines and the heading, whose
/// first column is `first`, are skipped.
pub(super) fn rows<'t>(
    table: &'t str,
    first: &'static str,
) -> impl Iterator<Item = Result<(usize, &'t str, &'t str), ListError>> {
    lines(table).filter_map(move |(line, text)| match text.split_once('\t') {
        Some((name, word)) if !word.trim().is_empty() => {
            let name = name.trim();
            (line > 1 || name != first).then_some(Ok((line, name, word.trim())))
        }
        _ => Some(Err(ListError::Columns { line, first, given: shortened(text).to_string() })),
    })
}

/// Goes through the lines of a list that hold something, with their numbers.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let numbered = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim_end()));
    numbered.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

/// A line as it is shown in a message.
fn shortened(line: &str) -> impl fmt::Display {
    const MOST_CHARS: usize = 60;
    match line.char_indices().nth(MOST_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}
