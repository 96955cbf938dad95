//! A text taken apart: paragraphs, lines, sentences, words.

use std::ops::Range;

use retold_core::clean::language;
use retold_core::document::{Document, Span};
use retold_core::features::{Featurizer, TextSettings, Words};
use retold_core::segment::paragraph::paragraphs;
use retold_core::segment::words::Case;

use super::plan::Unit;

/// By which rule letters are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folding {
    Lower,
    Turkic,
}

impl Folding {
    /// Returns how a document is folded when it is compared with the default settings.
    pub(super) fn of(language: Option<&str>, text: &str) -> Self {
        let is_turkic = match language {
            Some(code) => language::has_turkic_case(code),
            None => language::is_turkic(text),
        };
        if is_turkic { Self::Turkic } else { Self::Lower }
    }
}

/// Returns the words of a text: hashes of their folded forms and their places.
pub(super) fn words(text: &str, folding: Folding) -> Words {
    let case = match folding {
        Folding::Lower => Case::Lower,
        Folding::Turkic => Case::Turkic,
    };
    let settings = TextSettings { case, most_words: usize::MAX, ..TextSettings::default() };
    let mut words = Words::default();
    Featurizer::new(settings, 0).words(&Document::plain("", text), &mut words);
    words
}

/// Returns the places of the words of a text.
pub(super) fn word_spans(text: &str) -> Vec<Span> {
    words(text, Folding::Lower).spans
}

/// Returns the units of a text, in order; `words` are the places of its words.
pub(super) fn units(text: &str, unit: Unit, words: &[Span]) -> Vec<Range<usize>> {
    match unit {
        Unit::Paragraph => paragraphs(text).collect(),
        Unit::Line => lines(text),
        Unit::Sentence => sentences(text, words),
        Unit::Word => words.iter().map(|span| span.range()).collect(),
        Unit::Character => text.char_indices().map(|(at, c)| at..at + c.len_utf8()).collect(),
    }
}

/// Returns the lines that are not blank, white space around them left out.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    for paragraph in paragraphs(text) {
        let mut start = paragraph.start;
        let whole = &text[paragraph.clone()];
        for line in whole.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}']) {
            let trimmed = line.trim_start();
            let first = start + line.len() - trimmed.len();
            let trimmed = trimmed.trim_end();
            if !trimmed.is_empty() {
                out.push(first..first + trimmed.len());
            }
            let after = start + line.len();
            let end = text[after..].chars().next().map_or(0, char::len_utf8);
            start = after + end;
        }
    }
    out
}

/// Returns whether a natural sentence ends with `c`.
fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

/// Returns whether `c` still belongs to a sentence that has ended.
fn follows_sentence(c: char) -> bool {
    ends_sentence(c) || matches!(c, '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '」' | '』' | '）')
}

/// Returns the sentences: stretches up to `.`, `!` or `?` with what closes them, inside
/// paragraphs, each with a word.
///
/// Purely by character like those of the methods; unlike there, the marks belong to the sentence,
/// because it is to be moved with them.
fn sentences(text: &str, words: &[Span]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut next_word = 0;
    for paragraph in paragraphs(text) {
        let mut start = paragraph.start;
        let mut chars = text[paragraph.clone()].char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let mut end = paragraph.start + at + c.len_utf8();
            let is_last = chars.peek().is_none();
            if !ends_sentence(c) && !is_last {
                continue;
            }
            while let Some(&(at, c)) = chars.peek()
                && follows_sentence(c)
            {
                end = paragraph.start + at + c.len_utf8();
                chars.next();
            }
            while words.get(next_word).is_some_and(|word| (word.end as usize) <= start) {
                next_word += 1;
            }
            let has_word = words.get(next_word).is_some_and(|word| (word.start as usize) < end);
            if has_word {
                let piece = &text[start..end];
                let first = start + piece.len() - piece.trim_start().len();
                out.push(first..start + piece.trim_end().len());
                start = end;
            }
        }
    }
    out
}

/// Returns the range of the words that stand inside a stretch.
pub(super) fn words_in(words: &[Span], at: &Range<usize>) -> Range<usize> {
    let first = words.partition_point(|word| (word.start as usize) < at.start);
    let last = words.partition_point(|word| (word.end as usize) <= at.end);
    first..last.max(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, unit: Unit) -> Vec<&str> {
        units(text, unit, &word_spans(text)).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_sentence_keeps_the_marks_that_close_it() {
        let text = "He said \"Wait!\" Then he left... Nobody\nsaw him.\n\n. Why? (No.)";
        assert_eq!(
            texts(text, Unit::Sentence),
            ["He said \"Wait!\"", "Then he left...", "Nobody\nsaw him.", ". Why?", "(No.)"]
        );
        assert_eq!(texts("東京は晴れ。大阪は雨！", Unit::Sentence), ["東京は晴れ。", "大阪は雨！"]);
        assert_eq!(texts("no end", Unit::Sentence), ["no end"]);
        assert_eq!(texts(" ... ", Unit::Sentence), [""; 0]);
    }

    #[test]
    fn lines_and_paragraphs_leave_white_space_out() {
        let text = " one\r\n two \n\n\nthree";
        assert_eq!(texts(text, Unit::Line), ["one", "two", "three"]);
        assert_eq!(texts(text, Unit::Paragraph), ["one\r\n two", "three"]);
        assert_eq!(texts("a'b 2% 日本", Unit::Word), ["a'b", "2%", "日", "本"]);
    }

    #[test]
    fn every_word_stands_in_one_sentence_and_one_line() {
        let text = "A b. C! d\ne f?\n\n… g h.) i\u{2028}j . . k";
        let words = word_spans(text);
        for unit in [Unit::Line, Unit::Sentence, Unit::Paragraph] {
            let n: usize =
                units(text, unit, &words).iter().map(|at| words_in(&words, at).len()).sum();
            assert_eq!(n, words.len(), "{unit}");
        }
    }
}
