//! What is known of a language: its rules and its gazetteer.

use std::sync::{Arc, LazyLock};

use super::{Category, Gazetteer, Rules};
use crate::clean::language::{self, Language};

/// Rules and names of a language.
///
/// The default knows nothing: texts in other languages have runs but no entities.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    rules: Rules,
    gazetteer: Gazetteer,
}

/// The lists that come with the program, read when first asked for.
macro_rules! bundled {
    ($language:expr, $rules:literal, [$($category:ident: $names:literal),+ $(,)?]) => {
        LazyLock::new(|| {
            let rules = include_str!(concat!("../../data/entities/", $rules));
            let rules = Rules::parse(rules, $language).expect("bundled rules are tested");
            let mut gazetteer = Gazetteer::new($language);
            $(gazetteer.read_names(
                Category::$category,
                include_str!(concat!("../../data/entities/", $names)),
            );)+
            Arc::new(Knowledge { rules, gazetteer })
        })
    };
}

static TURKISH: LazyLock<Arc<Knowledge>> = bundled!(Language::TURKISH, "tr/rules.tsv", [
    Location: "tr/locations.txt",
    Location: "tr/villages.txt",
    Person: "tr/persons.txt",
    Person: "tr/given-names.txt",
    Organisation: "tr/organisations.txt",
]);

static ENGLISH: LazyLock<Arc<Knowledge>> = bundled!(Language::ENGLISH, "en/rules.tsv", [
    Location: "en/locations.txt",
    Person: "en/persons.txt",
    Organisation: "en/organisations.txt",
]);

static NONE: LazyLock<Arc<Knowledge>> = LazyLock::new(Arc::default);

impl Knowledge {
    /// Puts rules and names together; both are to be made for the same language.
    pub fn new(rules: Rules, gazetteer: Gazetteer) -> Self {
        Self { rules, gazetteer }
    }

    /// Returns what comes with the program for a language; nothing is known of languages other
    /// than Turkish and English.
    pub fn bundled(language: Option<Language>) -> Arc<Self> {
        match language {
            Some(Language::TURKISH) => Arc::clone(&TURKISH),
            Some(Language::ENGLISH) => Arc::clone(&ENGLISH),
            _ => Arc::clone(&NONE),
        }
    }

    /// Returns what comes with the program for a text whose language has this code. If the code
    /// is none, a text with a dotless ı or a dotted İ is taken for Turkish.
    pub fn for_text(code: &str, text: &str) -> Arc<Self> {
        let turkish = || language::is_turkic(text).then_some(Language::TURKISH);
        Self::bundled(Language::parse(code).or_else(turkish))
    }

    /// Returns the rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the rules, to add to them.
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
