//! Units of a text: its lines, paragraphs or sentences, with the words of each.
//!
//! A unit is told by its words, and has a stretch of the original to itself: the stretches of one
//! document never overlap. In plain text a stretch reaches to the next unit, so that nothing stays
//! behind when it is taken out: a line has its line end, a paragraph the blank lines after it, a
//! sentence its full stop and the blanks. In marked-up text it reaches from the first to the last
//! word, so that the markup around it stays.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Featurizer, Words, content};
use crate::clean::Text;
use crate::document::{Document, Markup, Span};
use crate::segment::paragraph::{lines, paragraphs};
use crate::segment::sentence::{Delimiters, sentences};

/// What a text is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnitKind {
    /// Lines.
    Line,
    /// Stretches between blank lines.
    Paragraph,
    /// Sentences of the language.
    Sentence,
}

/// One line, paragraph or sentence that has words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its first word.
    pub first: u32,
    /// Its number of words.
    pub n_words: u32,
    /// Its stretch of the original.
    pub span: Span,
}

impl Featurizer {
    /// Puts the document's words with their places in the original into `words`, and its units, if
    /// a kind is given, into `units`. Units without words are left out.
    pub fn words_and_units(
        &self,
        document: &Document,
        kind: Option<UnitKind>,
        words: &mut Words,
        units: &mut Vec<Unit>,
    ) {
        words.hashes.clear();
        words.spans.clear();
        units.clear();
        let text = Text::of(document, self.settings.clean);
        let manner = self.manner(document, text.as_str());
        (words.is_cut, words.folded) = self.each(text.as_str(), &manner, |hash, span| {
            words.hashes.push(hash);
            words.spans.push(span);
        });
        words.content.clear();
        if self.has_content {
            let read = (text.as_str(), &words.spans[..], &words.hashes[..]);
            let language = self.language(document, text.as_str());
            content::fill(read, manner.folding, &language, self.seed, &mut words.content);
        }
        if let Some(kind) = kind {
            let clean = text.as_str();
            let language = || self.language(document, clean);
            let stretches = stretches(clean, kind, language);
            let mut next = 0;
            for stretch in stretches {
                let first = next;
                while next < words.spans.len() && (words.spans[next].start as usize) < stretch.end {
                    next += 1;
                }
                if next == first {
                    continue;
                }
                let span = if document.markup == Markup::Plain {
                    Span::new(stretch.start as u32, stretch.end as u32)
                } else {
                    Span::new(words.spans[first].start, words.spans[next - 1].end)
                };
                let n_words = (next - first) as u32;
                units.push(Unit { first: first as u32, n_words, span: text.original(span) });
            }
        }
        if !text.is_original() {
            let mut cursor = text.cursor();
            for span in &mut words.spans {
                *span = cursor.original(*span);
            }
        }
    }
}

/// Cuts a clean text into stretches that follow each other.
fn stretches<'l>(
    text: &str,
    kind: UnitKind,
    language: impl Fn() -> std::borrow::Cow<'l, str>,
) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    match kind {
        UnitKind::Line => out.extend(lines(text)),
        UnitKind::Paragraph => out.extend(paragraphs(text)),
        UnitKind::Sentence => {
            sentences(text, Delimiters::Natural, language, |_| true, |piece| out.push(piece));
        }
    }
    for i in 0..out.len() {
        let next = out.get(i + 1).map_or(text.len(), |next| next.start);
        let rest = &text[out[i].end..next];
        out[i].end = match (kind, rest.find(['\n', '\r'])) {
            // The line ends between paragraphs stay where the paragraphs do.
            (UnitKind::Sentence, Some(line_end)) => out[i].end + line_end,
            _ => next,
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::TextSettings;

    fn units(document: &Document, kind: UnitKind) -> Vec<(String, u32)> {
        let (mut words, mut units) = (Words::default(), Vec::new());
        let featurizer = Featurizer::new(TextSettings::default(), 1);
        featurizer.words_and_units(document, Some(kind), &mut words, &mut units);
        let text = |unit: &Unit| unit.span.of(&document.text).expect("characters").to_owned();
        units.iter().map(|unit| (text(unit), unit.n_words)).collect()
    }

    #[test]
    fn plain_units_reach_to_the_next() {
        let document = Document::plain("d", "  One two.  Three!\r\n--\n\n\nFour five\nsix. Seven");
        let of = |kind| units(&document, kind);
        let owned = |all: &[(&str, u32)]| -> Vec<(String, u32)> {
            all.iter().map(|&(text, n)| (text.to_owned(), n)).collect()
        };
        assert_eq!(
            of(UnitKind::Line),
            owned(&[("  One two.  Three!\r\n", 3), ("Four five\n", 2), ("six. Seven", 2)])
        );
        assert_eq!(
            of(UnitKind::Paragraph),
            owned(&[("One two.  Three!\r\n--\n\n\n", 3), ("Four five\nsix. Seven", 4)])
        );
        assert_eq!(
            of(UnitKind::Sentence),
            owned(&[("One two.  ", 2), ("Three!", 1), ("Four five\nsix. ", 3), ("Seven", 1)])
        );
    }

    #[test]
    fn units_of_markup_leave_the_tags_around_them() {
        let document = Document {
            markup: Markup::Html,
            ..Document::plain("d", "<p>One <b>two</b>.</p>\n<p>Three &amp; four</p>")
        };
        assert_eq!(
            units(&document, UnitKind::Paragraph),
            [("One <b>two".to_owned(), 2), ("Three &amp; four".to_owned(), 2)]
        );
    }
}
