//! What is known of a language: its rules and its gazetteer.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

use super::{Category, Gazetteer, List, ListError, Rules};
use crate::clean::language::{self, Language};

/// How many of the bundled names are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// Names of zemberek-nlp and those written for this project first: in Turkish 5,290 persons,
    /// 26,700 places and 580 organisations.
    Small,
    /// Also names of persons from many countries, and more places and organisations.
    Middle,
    /// Also names harvested from news.
    #[default]
    Full,
}

impl Size {
    /// All sizes, the smallest first.
    pub const ALL: [Self; 3] = [Self::Small, Self::Middle, Self::Full];

    /// Returns the name used in files and flags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Middle => "middle",
            Self::Full => "full",
        }
    }

    /// Returns the size of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.name() == name)
    }
}

/// Rules and names of a language.
///
/// The default knows nothing: texts in other languages have runs but no entities.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    rules: Rules,
    gazetteer: Gazetteer,
    /// What the extended rules need, if the language has them.
    extension: Option<Arc<Extension>>,
}

/// What the rules that go beyond the thesis need to know.
#[derive(Clone, Debug)]
pub(super) struct Extension {
    pub(super) rules: Rules,
    /// What is written with capitals and is no name of a person, place or organisation.
    pub(super) other: Gazetteer,
}

macro_rules! list {
    ($file:literal) => {
        include_str!(concat!("../../data/entities/", $file))
    };
}

/// The Turkish lists, by size, read when first asked for.
static TURKISH: [LazyLock<Arc<Knowledge>>; 3] = [
    LazyLock::new(|| Arc::new(turkish(Size::Small))),
    LazyLock::new(|| Arc::new(turkish(Size::Middle))),
    LazyLock::new(|| Arc::new(turkish(Size::Full))),
];

fn turkish(size: Size) -> Knowledge {
    let rules = Rules::parse(list!("tr/rules.tsv"), Language::TURKISH);
    let mut names = Gazetteer::new(Language::TURKISH);
    names.read_well_known_places(list!("tr/locations.txt"));
    names.read_names(Category::Location, list!("tr/villages.txt"));
    names.read_given_names(list!("tr/persons-given.txt"), true);
    names.read_family_names(list!("tr/persons-family.txt"));
    names.read_given_names(list!("tr/given-names.txt"), true);
    names.read_names(Category::Organisation, list!("tr/organisations.txt"));
    if size != Size::Small {
        names.read_given_names(list!("tr/given-names-more.txt"), false);
        names.read_given_names(list!("tr/world-given.txt"), false);
        names.read_names(Category::Person, list!("tr/world-family.txt"));
        names.read_well_known_places(list!("tr/locations-news.txt"));
        names.read_names(Category::Organisation, list!("tr/organisations-news.txt"));
    }
    if size == Size::Full {
        names.read_given_names(list!("tr/harvested-given.txt"), false);
        names.read_family_names(list!("tr/harvested-family.txt"));
        names.read_well_known_places(list!("tr/harvested-locations.txt"));
        names.read_names(Category::Organisation, list!("tr/harvested-organisations.txt"));
    }
    let mut knowledge = Knowledge::new(rules.expect("bundled rules are tested"), names);
    knowledge.extension = Some(Arc::clone(&TURKISH_EXTENSION));
    knowledge
}

static TURKISH_EXTENSION: LazyLock<Arc<Extension>> = LazyLock::new(|| {
    let rules = Rules::parse(list!("tr/rules-extended.tsv"), Language::TURKISH);
    let mut rules = rules.expect("bundled rules are tested");
    rules.read_words(List::Ordinary, list!("tr/harvested-ordinary.txt"));
    rules.read_words(List::Ordinary, list!("tr/harvested-starters.txt"));
    rules.read_words(List::Ambiguous, list!("tr/harvested-ambiguous.txt"));
    rules.read_words(List::Article, list!("tr/harvested-starters.txt"));
    let mut other = Gazetteer::new(Language::TURKISH);
    other.read_names(Category::Person, list!("tr/other.txt"));
    Arc::new(Extension { rules, other })
});

static ENGLISH: LazyLock<Arc<Knowledge>> = LazyLock::new(|| {
    let rules = Rules::parse(list!("en/rules.tsv"), Language::ENGLISH);
    let mut names = Gazetteer::new(Language::ENGLISH);
    names.read_names(Category::Location, list!("en/locations.txt"));
    names.read_names(Category::Person, list!("en/persons.txt"));
    names.read_names(Category::Organisation, list!("en/organisations.txt"));
    Arc::new(Knowledge::new(rules.expect("bundled rules are tested"), names))
});

static NONE: LazyLock<Arc<Knowledge>> = LazyLock::new(Arc::default);

impl Knowledge {
    /// Puts rules and names together; both are to be made for the same language.
    pub fn new(rules: Rules, gazetteer: Gazetteer) -> Self {
        Self { rules, gazetteer, extension: None }
    }

    /// Returns what comes with the program for a language; nothing is known of languages other
    /// than Turkish and English.
    pub fn bundled(language: Option<Language>) -> Arc<Self> {
        Self::of_size(language, Size::default())
    }

    /// Returns what comes with the program for a language, with fewer names; there is but one size
    /// of the English lists.
    pub fn of_size(language: Option<Language>, size: Size) -> Arc<Self> {
        match language {
            Some(Language::TURKISH) => Arc::clone(&TURKISH[size as usize]),
            Some(Language::ENGLISH) => Arc::clone(&ENGLISH),
            _ => Arc::clone(&NONE),
        }
    }

    /// Returns what comes with the program for a text whose language has this code. If the code
    /// is none, a text with a dotless ı or a dotted İ is taken for Turkish.
    pub fn for_text(code: &str, text: &str, size: Size) -> Arc<Self> {
        let turkish = || language::is_turkic(text).then_some(Language::TURKISH);
        Self::of_size(Language::parse(code).or_else(turkish), size)
    }

    /// Returns the rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Reads a table of `list<TAB>word` into the rules, those of the extension included.
    pub fn read_rules(&mut self, table: &str) -> Result<(), ListError> {
        if let Some(extension) = &mut self.extension {
            Arc::make_mut(extension).rules.read(table)?;
        }
        self.rules.read(table)
    }

    /// Returns what the extended rules need, if the language has them.
    pub(super) fn extension(&self) -> Option<&Extension> {
        self.extension.as_deref()
    }

    /// Returns the rules, to add to them; [`read_rules`](Self::read_rules) adds to the extension too.
    pub fn rules_mut(&mut self) -> &mut Rules {
        &mut self.rules
    }

    /// Returns the names.
    pub fn gazetteer(&self) -> &Gazetteer {
        &self.gazetteer
    }

    /// Returns the names, to add to them.
    pub fn gazetteer_mut(&mut self) -> &mut Gazetteer {
        &mut self.gazetteer
    }
}
