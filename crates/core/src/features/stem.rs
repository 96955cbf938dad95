//! Words cut down to what their forms have in common.
//!
//! Snowball algorithms come from `snowball_stemmers_rs`, which has 38 of them, Turkish among them,
//! and needs nothing but serde. `shapes` is no stem of a language: it is for text that was scanned.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use snowball_stemmers_rs::Algorithm;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use crate::clean::language::Language;

/// Longest word, in bytes, that is stemmed: no language has longer ones, and the algorithms scan
/// a word many times.
const MAX_BYTES: usize = 256;

/// What is kept of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stem {
    /// All of it.
    #[default]
    None,
    /// Its first five characters, a good stem for Turkish at no cost.
    FirstFive,
    /// The stem that the Snowball algorithm of its language finds.
    Snowball,
    /// All of it, with letters and digits that scanning confuses as one: `Shovvers`, `5howers` and `Showers` are one
    /// word, and so are a few that are not, such as `on` and `an`.
    Shapes,
}

/// Characters that are read as each other, and the first of them for all.
const ALIKE: [&str; 9] = ["il1tf|!", "oa0", "ce", "nu", "hb68", "gq9", "s5$", "vy", "z2"];

/// Stems the words of one language.
pub struct Stemmer {
    rule: Rule,
}

enum Rule {
    Keep,
    FirstFive,
    Snowball(snowball_stemmers_rs::Stemmer),
    Shapes,
}

impl Stemmer {
    /// Makes a stemmer for a language given by its code. This is cheap, so there is no need to keep
    /// a stemmer for reuse.
    ///
    /// [`Stem::Snowball`] leaves the words of a language without a Snowball algorithm whole.
    pub fn new(stem: Stem, language: &str) -> Self {
        let rule = match stem {
            Stem::None => Rule::Keep,
            Stem::FirstFive => Rule::FirstFive,
            Stem::Shapes => Rule::Shapes,
            Stem::Snowball => algorithm(language).map_or(Rule::Keep, |algorithm| {
                Rule::Snowball(snowball_stemmers_rs::Stemmer::create(algorithm))
            }),
        };
        Self { rule }
    }

    /// Returns the stem of a lower-case word.
    pub fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        match &self.rule {
            Rule::FirstFive => {
                let end = word.char_indices().nth(5).map_or(word.len(), |(at, _)| at);
                Cow::Borrowed(&word[..end])
            }
            Rule::Snowball(stemmer) if word.len() <= MAX_BYTES => stemmer.stem(word),
            Rule::Snowball(_) | Rule::Keep => Cow::Borrowed(word),
            Rule::Shapes => Cow::Owned(shape(word)),
        }
    }
}

/// Returns what is left of a word when characters that scanning confuses are one, and accents are gone. One that is
/// read as two, `m` as `rn`, counts as these two.
fn shape(word: &str) -> String {
    let mut shape = String::with_capacity(word.len() + 2);
    let mut put = |c: char| {
        let class = ALIKE.iter().find(|class| class.contains(c));
        shape.push(class.and_then(|class| class.chars().next()).unwrap_or(c));
    };
    for c in word.chars() {
        decompose_canonical(c, |part| match part {
            'm' => ['r', 'n'].into_iter().for_each(&mut put),
            'w' => ['v', 'v'].into_iter().for_each(&mut put),
            'd' => ['c', 'l'].into_iter().for_each(&mut put),
            'ı' => put('i'),
            'ß' => put('b'),
            part if is_combining_mark(part) => {}
            part => put(part),
        });
    }
    shape
}

impl fmt::Debug for Stemmer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.rule {
            Rule::Keep => "Stemmer(Keep)",
            Rule::FirstFive => "Stemmer(FirstFive)",
            Rule::Snowball(_) => "Stemmer(Snowball)",
            Rule::Shapes => "Stemmer(Shapes)",
        })
    }
}

fn algorithm(language: &str) -> Option<Algorithm> {
    Some(match Language::parse(language)?.code() {
        "ar" => Algorithm::Arabic,
        "ca" => Algorithm::Catalan,
        "cs" => Algorithm::Czech,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "en" => Algorithm::English,
        "eo" => Algorithm::Esperanto,
        "es" => Algorithm::Spanish,
        "et" => Algorithm::Estonian,
        "eu" => Algorithm::Basque,
        "fa" => Algorithm::Persian,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "ga" => Algorithm::Irish,
        "hi" => Algorithm::Hindi,
        "hu" => Algorithm::Hungarian,
        "hy" => Algorithm::Armenian,
        "id" => Algorithm::Indonesian,
        "it" => Algorithm::Italian,
        "lt" => Algorithm::Lithuanian,
        "ne" => Algorithm::Nepali,
        "nl" => Algorithm::Dutch,
        "no" => Algorithm::Norwegian,
        "pl" => Algorithm::Polish,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sr" => Algorithm::Serbian,
        "st" => Algorithm::Sesotho,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        "uk" => Algorithm::Ukrainian,
        "yi" => Algorithm::Yiddish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LANGUAGES: [&str; 35] = [
        "ar", "ca", "cs", "da", "de", "el", "en", "eo", "es", "et", "eu", "fa", "fi", "fr", "ga",
        "hi", "hu", "hy", "id", "it", "lt", "ne", "nl", "no", "pl", "pt", "ro", "ru", "sr", "st",
        "sv", "ta", "tr", "uk", "yi",
    ];

    #[test]
    fn misread_words_have_one_shape() {
        let stemmer = Stemmer::new(Stem::Shapes, "");
        let shape = |word: &str| stemmer.stem(word).into_owned();
        for (word, misread) in [
            ("showers", "5hovvers"),
            ("modern", "rnoclem"),
            ("million", "mi11ion"),
            ("çağrı", "cagri"),
            ("bıçak", "bicak"),
        ] {
            assert_eq!(shape(word), shape(misread), "{word} and {misread}");
        }
        for (word, other) in
            [("showers", "shower"), ("tax", "tar"), ("2025", "2026"), ("été", "et")]
        {
            assert_ne!(shape(word), shape(other), "{word} and {other}");
        }
        // Text that nothing is known of stays.
        assert_eq!(shape("日本語"), "日本語");
    }

    #[test]
    fn first_five_keeps_five_characters_and_not_bytes() {
        let stemmer = Stemmer::new(Stem::FirstFive, "tr");
        for (word, stem) in [("ışıklar", "ışıkl"), ("dağ", "dağ"), ("beşer", "beşer"), ("", "")]
        {
            assert_eq!(stemmer.stem(word), stem);
        }
    }

    #[test]
    fn forms_of_a_word_get_one_stem() {
        for (language, forms) in [
            ("en", ["connected", "connecting", "connections"]),
            ("tr-TR", ["kitaplar", "kitapları", "kitaplarda"]),
            ("deu", ["kategorie", "kategorien", "kategorie"]),
            ("ru", ["важный", "важная", "важные"]),
        ] {
            let stemmer = Stemmer::new(Stem::Snowball, language);
            let stems = forms.map(|word| stemmer.stem(word));
            assert!(stems[0] == stems[1] && stems[1] == stems[2], "{stems:?}");
            assert!(stems[0].len() < forms[1].len());
        }
    }

    #[test]
    fn a_language_without_an_algorithm_keeps_its_words() {
        for language in ["", "ja", "xx", "not a code"] {
            assert_eq!(Stemmer::new(Stem::Snowball, language).stem("connected"), "connected");
        }
        assert_eq!(Stemmer::new(Stem::None, "en").stem("connected"), "connected");
    }

    #[test]
    fn settings_are_written_in_kebab_case() {
        let stem: Stem = serde_json::from_str("\"first-five\"").expect("a name of the enum");
        assert_eq!(stem, Stem::FirstFive);
    }

    proptest! {
        #[test]
        fn no_algorithm_fails_on_any_word(any in any::<String>(), word in "\\p{Ll}{0,20}") {
            for language in LANGUAGES {
                let stemmer = Stemmer::new(Stem::Snowball, language);
                stemmer.stem(&any);
                stemmer.stem(&word);
            }
        }
    }
}
