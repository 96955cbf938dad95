//! Sentences by named sets of delimiters.
//!
//! Purely by character: no abbreviations, no decimal points. The methods that work on sentences
//! define them so ("no delimiter inside"), and it makes equal passages split equally.

use std::ops::Range;

use serde::{Deserialize, Serialize};

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
    #[default]
    Codet,
}

impl Delimiters {
    /// All sets.
    pub const ALL: [Self; 3] = [Self::Wide, Self::Sd, Self::Codet];

    /// Returns the name used in files and flags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Sd => "sd",
            Self::Codet => "codet",
        }
    }

    /// Returns whether `c` ends a sentence.
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
        }
    }

    fn ends_at_paragraphs(self) -> bool {
        self == Self::Codet
    }
}

/// Calls `each` with the byte range of every sentence of `text` for which `has_word` holds, in
/// order. Delimiters and white space around a sentence are left out.
pub fn sentences(
    text: &str,
    delimiters: Delimiters,
    mut has_word: impl FnMut(&str) -> bool,
    mut each: impl FnMut(Range<usize>),
) {
    let mut split = |outer: Range<usize>| {
        let whole = &text[outer.clone()];
        let mut start = 0;
        let ends = whole.char_indices().filter(|&(_, c)| delimiters.contains(c));
        let borders = ends.map(|(at, c)| (at, at + c.len_utf8()));
        for (end, next) in borders.chain([(whole.len(), whole.len())]) {
            let piece = whole[start..end].trim_start();
            let first = outer.start + end - piece.len();
            let piece = piece.trim_end();
            if !piece.is_empty() && has_word(piece) {
                each(first..first + piece.len());
            }
            start = next;
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
        sentences(text, delimiters, |piece| n_words(piece) > 0, |range| found.push(&text[range]));
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
    fn only_codet_ends_sentences_with_paragraphs() {
        let text = "A headline\n\nIts story. More\nof it";
        assert_eq!(texts(text, Delimiters::Codet), ["A headline", "Its story", "More\nof it"]);
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
        fn no_sentence_has_a_delimiter_inside_and_no_word_is_lost(text in "[ab .,;!?…。\n«é]{0,40}") {
            for delimiters in Delimiters::ALL {
                let found = texts(&text, delimiters);
                prop_assert!(!found.iter().any(|s| s.contains(|c| delimiters.contains(c))));
                let n_found: usize = found.into_iter().map(n_words).sum();
                prop_assert_eq!(n_found, n_words(&text));
            }
        }
    }
}
