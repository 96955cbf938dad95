//! Sentences by named sets of delimiters.
//!
//! Three of the sets are purely by character: no abbreviations, no decimal points. Papers define
//! them so ("no delimiter inside"), and it makes equal passages split equally. The fourth knows
//! where a full stop ends no sentence (`natural.rs`).

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::abbreviations::Abbreviations;
use super::natural;
use super::paragraph::paragraphs;

/// Which characters end a sentence. The start and the end of a text always do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delimiters {
    /// `, ; " . ? !` and their typographic and CJK forms: short pieces for sentence lengths.
    Wide,
    /// `. ; ! ?` and their CJK forms.
    Sd,
    /// `. ! ? …` and ends of paragraphs.
    Codet,
    /// The same where they end a sentence of the language, not in abbreviations and numbers.
    #[default]
    Natural,
}

impl Delimiters {
    /// All sets.
    pub const ALL: [Self; 4] = [Self::Wide, Self::Sd, Self::Codet, Self::Natural];

    /// Returns the name used in files and flags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Sd => "sd",
            Self::Codet => "codet",
            Self::Natural => "natural",
        }
    }

    /// Returns whether `c` ends a sentence; of natural ones, whether it may.
    pub fn contains(self, c: char) -> bool {
        match self {
            Self::Wide => matches!(
                c,
                ',' | ';'
                    | '"'
                    | '.'
                    | '?'
                    | '!'
                    | '“'
                    | '”'
                    | '„'
                    | '«'
                    | '»'
                    | '，'
                    | '；'
                    | '。'
                    | '？'
                    | '！'
                    | '…'
            ),
            Self::Sd => matches!(c, '.' | ';' | '!' | '?' | '。' | '；' | '！' | '？'),
            Self::Codet => matches!(c, '.' | '!' | '?' | '…'),
            Self::Natural => natural::is_terminator(c),
        }
    }

    fn ends_at_paragraphs(self) -> bool {
        matches!(self, Self::Codet | Self::Natural)
    }
}

/// Calls `each` with the byte range of every sentence of `text` for which `has_word` holds, in
/// order. Delimiters and white space around a sentence are left out. `language` is the code of the
/// text's language; natural sentences ask for it where they depend on it.
pub fn sentences<'l>(
    text: &str,
    delimiters: Delimiters,
    language: impl Fn() -> Cow<'l, str>,
    mut has_word: impl FnMut(&str) -> bool,
    mut each: impl FnMut(Range<usize>),
) {
    let mut split = |outer: Range<usize>| {
        let whole = &text[outer.clone()];
        let ends = natural::Ends::new(whole, || Abbreviations::of(&language()));
        let (mut start, mut from) = (0, 0);
        while let Some(found) = whole[from..].find(|c| delimiters.contains(c)).or_else(|| {
            // The end of the text is the last delimiter.
            (start < whole.len()).then_some(whole.len() - from)
        }) {
            let end = from + found;
            let next = match whole[end..].chars().next() {
                None => whole.len(),
                Some(_) if delimiters == Delimiters::Natural => match ends.at(end) {
                    Ok(next) => next,
                    Err(on) => {
                        from = on;
                        continue;
                    }
                },
                Some(c) => end + c.len_utf8(),
            };
            let piece = whole[start..end].trim_start();
            let first = outer.start + end - piece.len();
            let piece = piece.trim_end();
            if !piece.is_empty() && has_word(piece) {
                each(first..first + piece.len());
            }
            (start, from) = (next, next);
        }
    };
    if delimiters.ends_at_paragraphs() {
        paragraphs(text).for_each(split);
    } else {
        split(0..text.len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn n_words(text: &str) -> usize {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count()
    }

    fn texts(text: &str, delimiters: Delimiters) -> Vec<&str> {
        let mut found = Vec::new();
        let each = |range| found.push(&text[range]);
        sentences(text, delimiters, || "".into(), |piece| n_words(piece) > 0, each);
        found
    }

    fn lengths(text: &str, delimiters: Delimiters) -> Vec<usize> {
        texts(text, delimiters).into_iter().map(n_words).collect()
    }

    #[test]
    fn sentence_lengths_are_those_of_the_specification() {
        // Vector T-FS.
        let text = r#"Hello, world! This is a test; "quoted words here" end."#;
        assert_eq!(lengths(text, Delimiters::Wide), [1, 1, 4, 3, 1]);
        assert_eq!(lengths(text, Delimiters::Sd), [2, 4, 4]);
        assert_eq!(lengths(text, Delimiters::Codet), [2, 8]);
    }

    #[test]
    fn typographic_and_cjk_forms_end_sentences() {
        assert_eq!(texts("“a” „b“ «c»，d；e。f？g！h…i", Delimiters::Wide).concat(), "abcdefghi");
        assert_eq!(texts("a，b；c。d？e！f…g", Delimiters::Sd), ["a，b", "c", "d", "e", "f…g"]);
        assert_eq!(texts("a。b…c", Delimiters::Codet), ["a。b", "c"]);
    }

    #[test]
    fn codet_and_natural_end_sentences_with_paragraphs() {
        let text = "A headline\n\nIts story. More\nof it";
        for delimiters in [Delimiters::Codet, Delimiters::Natural] {
            assert_eq!(texts(text, delimiters), ["A headline", "Its story", "More\nof it"]);
        }
        assert_eq!(texts(text, Delimiters::Sd), ["A headline\n\nIts story", "More\nof it"]);
    }

    #[test]
    fn pieces_without_a_word_are_skipped() {
        for delimiters in Delimiters::ALL {
            assert_eq!(texts("..... - . !?", delimiters), [""; 0]);
            assert_eq!(texts("", delimiters), [""; 0]);
            assert_eq!(texts("one sentence without end", delimiters).len(), 1);
        }
    }

    proptest! {
        #[test]
        fn no_sentence_has_a_delimiter_inside_and_no_word_is_lost(text in "[abAB1 .,;!?…。\n«\"é]{0,40}") {
            for delimiters in Delimiters::ALL {
                let found = texts(&text, delimiters);
                let has_inside = found.iter().any(|s| s.contains(|c| delimiters.contains(c)));
                prop_assert!(!has_inside || delimiters == Delimiters::Natural);
                let n_found: usize = found.into_iter().map(n_words).sum();
                prop_assert_eq!(n_found, n_words(&text));
            }
        }
    }
}
