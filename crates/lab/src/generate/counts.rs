//! What a document is made of, counted.

use serde::{Deserialize, Serialize};

use super::plan::Unit;
use super::units::{units, word_spans};

/// Paragraphs, sentences, words and characters of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Stretches between blank lines.
    pub paragraphs: usize,
    /// Stretches up to `.`, `!` or `?`, with at least one word.
    pub sentences: usize,
    /// Words as they are compared.
    pub words: usize,
    /// Unicode scalar values.
    pub characters: usize,
}

impl Counts {
    /// Counts a clean text.
    ///
    /// ```
    /// use retold_lab::generate::Counts;
    /// let counts = Counts::of("Ships wait. Why?\n\nNobody knows.");
    /// assert_eq!((counts.paragraphs, counts.sentences, counts.words), (2, 3, 5));
    /// ```
    pub fn of(text: &str) -> Self {
        let words = word_spans(text);
        Self {
            paragraphs: units(text, Unit::Paragraph, &words).len(),
            sentences: units(text, Unit::Sentence, &words).len(),
            words: words.len(),
            characters: text.chars().count(),
        }
    }
}
