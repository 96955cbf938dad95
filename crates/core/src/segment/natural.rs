//! Sentences as a reader sees them: where a full stop ends one, and where it does not.
//!
//! A sentence ends at `. ! ? …` and their forms in other scripts, together with the quotes and
//! brackets that close behind them. A full stop does not end it
//!
//! * inside a number or a word: `3.5`, `1.500`, `14.30`, `example.com`;
//! * after an initial or in a run of letters with full stops: `M. Kemal`, `U.S. Army`, `A.Ş.`;
//! * after an abbreviation of the language (`abbreviations.rs`);
//! * after a number of up to three digits or a Roman one, in languages that write ordinals so;
//! * if a quote or a bracket closes and the text goes on in lower case, as in `"Yes." said he`.
//!
//! Three dots end a sentence unless the text goes on in lower case. Where white space is missing, a
//! sentence ends only between a small letter and a capital, as in `geldi.Sonra`.

use super::abbreviations::{Abbreviations, Follows};

/// Digits of the longest number that is always an ordinal; longer ones are mostly years.
const ORDINAL_DIGITS: usize = 3;

/// Characters of a token that are looked at.
const TOKEN_CHARS: usize = 32;

/// Returns whether the character may end a sentence.
pub(super) fn is_terminator(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '‼' | '⁇' | '⁈' | '⁉') || ends_always(c)
}

/// Returns whether the character ends a sentence whatever stands around it.
fn ends_always(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '؟' | '۔' | '।' | '॥' | '։')
}

/// Returns whether the character may close something behind the end of a sentence.
fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | '”' | '“' | '’' | '»' | '«' | '›' | '‹' | ')' | ']' | '」' | '』')
}

/// Returns whether the character may open something before the first word of a sentence.
fn is_opener(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '„' | '‘' | '«' | '»' | '‹' | '›' | '(' | '[' | '-' | '–' | '—')
}

/// Says where the sentences of one paragraph end.
pub(super) struct Ends<'t, L> {
    text: &'t str,
    /// Asked for once something depends on it, as it may have to be detected.
    language: L,
}

impl<'t, L: Fn() -> &'static Abbreviations> Ends<'t, L> {
    /// Looks at a paragraph in a language.
    pub(super) fn new(text: &'t str, language: L) -> Self {
        Self { text, language }
    }

    /// Looks at the terminator at a byte of the text. Returns where the next sentence may begin if
    /// the sentence ends there, and where to look on if it does not.
    pub(super) fn at(&self, at: usize) -> Result<usize, usize> {
        let rest = &self.text[at..];
        let behind = rest.trim_start_matches(is_terminator);
        let run = &rest[..rest.len() - behind.len()];
        let closed = behind.trim_start_matches(is_closer);
        let next = self.text.len() - closed.len();
        let is_end = closed.is_empty()
            || run.contains(ends_always)
            || if closed.starts_with(char::is_whitespace) {
                self.ends_before_space(at, run, closed.len() < behind.len(), closed.trim_start())
            } else {
                self.ends_unspaced(at, run, closed)
            };
        // A quote that does not close here may open what follows.
        if is_end { Ok(next) } else { Err(at + run.len()) }
    }

    /// Returns whether a sentence ends, where white space follows.
    fn ends_before_space(&self, at: usize, run: &str, is_closed: bool, behind: &str) -> bool {
        let follows = behind.trim_start_matches(is_opener).chars().next();
        let goes_on = follows.is_some_and(char::is_lowercase);
        if is_closed || run.contains('…') || run.starts_with("..") {
            !goes_on
        } else if run == "." {
            self.full_stop_ends(token(&self.text[..at]), follows)
        } else {
            true
        }
    }

    /// Returns whether a sentence ends, where a letter or something else follows at once.
    fn ends_unspaced(&self, at: usize, run: &str, behind: &str) -> bool {
        let before = &self.text[..at];
        let mut follows = behind.chars();
        let capital = follows.next().is_some_and(char::is_uppercase);
        capital
            && follows.next().is_some_and(char::is_lowercase)
            && before.ends_with(|c: char| c.is_lowercase() || is_closer(c))
            && (run != "." || self.full_stop_ends(token(before), behind.chars().next()))
    }

    /// Returns whether a full stop ends a sentence after a token, and before a character.
    fn full_stop_ends(&self, token: &str, follows: Option<char>) -> bool {
        let is_capital = follows.is_some_and(char::is_uppercase);
        let is_lower = follows.is_some_and(char::is_lowercase);
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            let is_number = token.bytes().all(|b| b.is_ascii_digit());
            return !(is_number
                && (token.len() <= ORDINAL_DIGITS || is_lower)
                && (self.language)().has_ordinals);
        }
        if is_one_capital(token) {
            return false;
        }
        if Abbreviations::is_any(token)
            && let Some(kind) = (self.language)().follows(token)
        {
            return match kind {
                Follows::Always => false,
                Follows::UnlessCapital => is_capital,
                Follows::IfDigit => !follows.is_some_and(|c| c.is_ascii_digit()),
            };
        }
        if is_dotted(token) {
            return is_capital && token.chars().all(|c| c == '.' || c.is_lowercase());
        }
        let is_roman = token.bytes().all(|b| b"IVXLCDM".contains(&b)) && !token.is_empty();
        !(is_roman && (self.language)().has_ordinals)
    }
}

/// Returns the token that ends a text: up to white space, a quote, a bracket or a stroke. Of a very
/// long one the end is enough.
fn token(text: &str) -> &str {
    let is_border = |c: char| c.is_whitespace() || is_opener(c) || is_closer(c) || c == '/';
    let last = text.char_indices().rev().take(TOKEN_CHARS);
    let start = last.take_while(|&(_, c)| !is_border(c)).last().map_or(text.len(), |(at, _)| at);
    &text[start..]
}

/// Returns whether the token is an initial.
fn is_one_capital(token: &str) -> bool {
    let mut chars = token.chars();
    chars.next().is_some_and(char::is_uppercase) && chars.next().is_none()
}

/// Returns whether the token is a run of short pieces with full stops between them: `U.S`, `p.m`,
/// `Yrd.Doç.Dr`.
fn is_dotted(token: &str) -> bool {
    let is_piece = |piece: &str| {
        (1..=3).contains(&piece.chars().count()) && piece.chars().all(char::is_alphabetic)
    };
    token.contains('.') && token.split('.').all(is_piece)
}

#[cfg(test)]
mod tests {
    use super::super::sentence::{Delimiters, sentences};

    /// Splits a text and puts a bar between its sentences.
    fn split(language: &str, text: &str) -> String {
        let mut found = Vec::new();
        let each = |range| found.push(&text[range]);
        sentences(text, Delimiters::Natural, || language.into(), |_| true, each);
        found.join(" | ")
    }

    fn assert_splits(language: &str, marked: &str) {
        // Full stops before bars and at the end are the delimiters, which are left out.
        let text = marked.replace(" |", "");
        let strip = |piece: &str| {
            piece
                .trim()
                .trim_end_matches(|c| super::is_closer(c) || super::is_terminator(c))
                .to_owned()
        };
        let expected: Vec<String> = marked.split('|').map(strip).collect();
        assert_eq!(split(language, &text), expected.join(" | "));
    }

    #[test]
    fn turkish_abbreviations_initials_numbers_and_ordinals_end_no_sentence() {
        for text in [
            "Prof. Dr. Ali Rıza Kaya geldi. | Sonra gitti.",
            "M. Kemal Bey 24. dönem milletvekili oldu. | Oy oranı yüzde 3.5 idi.",
            "Fiyatı 1.500 liraydı! | Ucuz mu? | Hayır…",
            "XIX. yüzyılda II. Abdülhamit tahttaydı. | Yıl 1905. | Herkes bekliyordu.",
            "1905. yılda başladı. | Saat 14.30'da bitti.",
            "Un, şeker vb. maddeler pahalandı. | Yağ, tuz vb. | Onlar da arttı.",
            "Atatürk Cad. No. 5'te oturuyor. | Cevabı no. | Bitti.",
            "Demir A.Ş. Genel Müdürü konuştu. | T.C. Başbakanlık açıkladı.",
            "Yrd.Doç.Dr. Ayşe Kaya konuştu. | Dr.Ali sustu.",
            "ntvmsnbc.com yazdı. | Geldi.Sonra gitti.",
        ] {
            assert_splits("tr", &text.replace("Geldi.Sonra", "Geldi. |Sonra"));
        }
        assert_eq!(split("tr", "Geldi.Sonra gitti."), "Geldi | Sonra gitti");
    }

    #[test]
    fn english_abbreviations_initials_and_runs_end_no_sentence() {
        for text in [
            "Mr. J. R. Smith of the U.S. Army paid $3.5 mln. | It was No. 5.",
            "He met Gen. Jones at 5 p.m. | The talks failed.",
            "They talked until 5 p.m. yesterday. | He said no. | Then he left.",
            "Smith Inc. said so, e.g. in Sept. 1987. | Nobody else did, etc. | So what?",
            "It rose to 24. | Then it fell to 3.",
            "Elizabeth II. | Charles III.",
        ] {
            assert_splits("en", text);
        }
    }

    #[test]
    fn german_abbreviations_and_ordinals_end_no_sentence() {
        for text in [
            "Am 24. Dezember 2005 kam Dr. Maier, z.B. mit dem Zug. | Er blieb bis 2006. | Dann ging er.",
            "Das kostet ca. 5 Mio. Euro bzw. 1.500 Franken. | Siehe Abs. 3 usw. | Ende.",
            "Wilhelm II. reiste ab. | Nr. 7 blieb.",
        ] {
            assert_splits("de", text);
        }
    }

    #[test]
    fn quotes_and_brackets_close_with_the_sentence_before_them() {
        for text in [
            "He said: \"It is over.\" | Then he left.",
            "(Nobody came.) | “Why?” | «Because.» | It rained.",
            "'Stop!' | She ran.",
        ] {
            assert_splits("en", text);
        }
        assert_eq!(split("tr", "\"Geliyorum.\" dedi. Gitti."), "\"Geliyorum.\" dedi | Gitti");
        assert_eq!(split("tr", "\"Gel!\" diye bağırdı."), "\"Gel!\" diye bağırdı");
        assert_eq!(split("en", "He left. \"Why?\" she asked."), "He left | \"Why?\" she asked");
    }

    #[test]
    fn three_dots_end_a_sentence_unless_it_goes_on() {
        assert_eq!(split("en", "Well... maybe. So... No."), "Well... maybe | So | No");
        assert_eq!(split("en", "Well… maybe. So… No."), "Well… maybe | So | No");
    }

    #[test]
    fn headings_end_with_their_paragraph() {
        assert_eq!(split("en", "A headline\n\nIts\nstory. More"), "A headline | Its\nstory | More");
        assert_eq!(split("en", "The staff of Dr.\n\nNext"), "The staff of Dr | Next");
    }

    #[test]
    fn other_scripts_end_sentences_by_their_own_marks() {
        assert_eq!(split("zh", "他来了。她走了！为什么？"), "他来了 | 她走了 | 为什么");
        assert_eq!(split("ar", "هل جاء؟ نعم."), "هل جاء | نعم");
    }

    #[test]
    fn without_a_language_only_what_many_languages_share_is_known() {
        assert_eq!(
            split("", "Dr. No met J. Bond. Nr. 5 rose to 24. then it fell."),
            "Dr. No met J. Bond | Nr. 5 rose to 24 | then it fell"
        );
    }
}
