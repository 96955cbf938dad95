//! Abbreviations after which a full stop does not end a sentence, by language.
//!
//! The lists are short and hold what news and letters use. An entry in lower case also stands for
//! its form with a capital; an entry with a capital stands for itself, because without it is a word.

use crate::clean::language::Language;

/// What a full stop means after some tokens of a language.
#[derive(Debug)]
pub(super) struct Abbreviations {
    language: &'static str,
    /// Titles and the like: something always follows.
    before: &'static [&'static str],
    /// May end a sentence: they do if a capital follows.
    anywhere: &'static [&'static str],
    /// Abbreviations only if a digit follows.
    before_digits: &'static [&'static str],
    /// Whether a full stop makes an ordinal of a number: `24. dönem`, `XIX. yüzyıl`.
    pub(super) has_ordinals: bool,
}

/// What follows an abbreviation of some kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// The rest of the sentence.
    Always,
    /// The rest of the sentence, unless it begins with a capital.
    UnlessCapital,
    /// The rest of the sentence if that begins with a digit.
    IfDigit,
}

const TURKISH: Abbreviations = Abbreviations {
    language: "tr",
    before: &[
        "dr", "prof", "doç", "yrd", "arş", "Gör", "öğr", "Av", "sn", "hz", "bkz", "Op", "uzm",
        "alb", "yzb", "bnb", "Org", "korg", "tümg", "tuğg", "tğm", "ütğm", "Gen", "mah", "cad",
        "Sok", "blv", "Apt", "Tel", "çev", "Haz", "Ed", "Yay", "krş", "örn", "müh", "mim", "ecz",
        "vet", "St", "Mr", "Mrs",
    ],
    anywhere: &[
        "vb", "vs", "vd", "yy", "ltd", "şti", "san", "tic", "ort", "böl", "Şb", "Bşk", "Md",
    ],
    before_digits: &["no", "nr", "s", "sh", "md", "fık", "c", "tel", "faks"],
    has_ordinals: true,
};

const ENGLISH: Abbreviations = Abbreviations {
    language: "en",
    before: &[
        "Mr", "Mrs", "Ms", "Messrs", "Dr", "prof", "Gen", "Col", "Lt", "Maj", "Capt", "Sgt", "Cpl",
        "Gov", "Sen", "Rep", "Rev", "Hon", "Pres", "St", "Mt", "Ft", "Adm", "Cmdr", "Supt", "Insp",
        "Amb", "Sec", "e.g", "i.e", "cf", "vs", "v", "viz", "approx",
    ],
    anywhere: &["etc", "inc", "corp", "ltd", "co", "Cos", "bros", "Jr", "Sr", "al", "dept", "est"],
    before_digits: &[
        "no", "nos", "p", "pp", "vol", "fig", "art", "sec", "ch", "Jan", "Feb", "Mar", "Apr",
        "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec",
    ],
    has_ordinals: false,
};

const GERMAN: Abbreviations = Abbreviations {
    language: "de",
    before: &[
        "dr", "prof", "Hr", "Fr", "Frl", "St", "z.b", "d.h", "u.a", "o.ä", "u.ä", "i.d.r", "bzw",
        "ca", "evtl", "ggf", "inkl", "vgl", "sog", "mio", "mrd", "geb", "gest", "dipl", "ing",
        "hrsg", "allg", "bes", "insb",
    ],
    anywhere: &["usw", "etc", "Str", "Co", "jr", "sen"],
    before_digits: &["nr", "abs", "art", "s", "bd", "kap", "Tel", "Jg", "H"],
    has_ordinals: true,
};

/// Any other language: titles that many have.
const OTHER: Abbreviations = Abbreviations {
    language: "",
    before: &["dr", "prof", "Mr", "Mrs", "St"],
    anywhere: &["etc", "ltd", "inc", "co"],
    before_digits: &["no", "nr", "p", "pp", "art"],
    has_ordinals: false,
};

const ALL: [&Abbreviations; 4] = [&TURKISH, &ENGLISH, &GERMAN, &OTHER];

impl Abbreviations {
    /// Returns those of a language by its code.
    pub(super) fn of(language: &str) -> &'static Self {
        let language = Language::parse(language);
        let is_its = |of: &&&Self| language.is_some_and(|language| language.code() == of.language);
        ALL.iter().find(is_its).copied().unwrap_or(&OTHER)
    }

    /// Returns whether the token is an abbreviation in any language.
    pub(super) fn is_any(token: &str) -> bool {
        ALL.iter().any(|of| of.follows(token).is_some())
    }

    /// Returns what follows the token, if it is an abbreviation.
    pub(super) fn follows(&self, token: &str) -> Option<Follows> {
        let in_list = |list: &[&str]| list.iter().any(|entry| is_entry(token, entry));
        if in_list(self.before) {
            Some(Follows::Always)
        } else if in_list(self.anywhere) {
            Some(Follows::UnlessCapital)
        } else if in_list(self.before_digits) {
            Some(Follows::IfDigit)
        } else {
            None
        }
    }
}

/// Returns whether a token is an entry of a list, in the same letters or with more capitals.
fn is_entry(token: &str, entry: &str) -> bool {
    let is_char = |(have, want): (char, char)| have == want || have.to_lowercase().eq([want]);
    token.len() == entry.len() && token.chars().zip(entry.chars()).all(is_char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_in_lower_case_stands_for_capitals_too_and_not_the_reverse() {
        let turkish = Abbreviations::of("tr-TR");
        for (token, expected) in [
            ("Doç", Some(Follows::Always)),
            ("DOÇ", Some(Follows::Always)),
            ("doç", Some(Follows::Always)),
            ("Gör", Some(Follows::Always)),
            ("gör", None),
            ("vb", Some(Follows::UnlessCapital)),
            ("No", Some(Follows::IfDigit)),
            ("kitap", None),
            ("", None),
        ] {
            assert_eq!(turkish.follows(token), expected, "{token}");
        }
    }

    #[test]
    fn languages_without_a_list_have_the_common_one() {
        for code in ["", "fi", "zxx", "?"] {
            assert_eq!(Abbreviations::of(code).language, "");
        }
        assert_eq!(Abbreviations::of("eng").language, "en");
        assert!(Abbreviations::is_any("bkz") && !Abbreviations::is_any("harbour"));
    }
}
