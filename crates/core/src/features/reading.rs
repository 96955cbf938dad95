//! A document as a method reads it: clean text, words, sentences, and what is known of the
//! collection.

use std::borrow::Cow;
use std::ops::Range;

use super::counts::Counts;
use super::{Featurizer, Manner, Words};
use crate::document::{Document, Span};
use crate::segment::sentence::{Delimiters, sentences};

/// One document, ready to be imaged.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The document. Its title is not part of what is compared.
    pub document: &'a Document,
    /// Clean text: markup out, Unicode normalised, letters as they were written.
    pub text: &'a str,
    /// Words after folding, stop words and stems; spans are bytes of [`Reading::text`], and there
    /// only if the method reads them ([`Method::PLACES`](crate::methods::Method::PLACES)).
    pub words: &'a Words,
    /// All runs of words that documents are compared by, as
    /// [`put_runs`](crate::verify::runs::put_runs) has them, if they were made before.
    pub runs: Option<&'a [u64]>,
    /// Whether these runs stay at hand for the search, so that an image needs no copy of them.
    pub are_runs_held: bool,
    pub(super) featurizer: &'a Featurizer,
    pub(super) manner: &'a Manner,
    pub(super) counts: Option<&'a Counts>,
}

impl<'a> Reading<'a> {
    /// Adds the runs of the document, so that they need not be made once more; whether they are held
    /// says whether the search has them, too ([`HeldRuns`](crate::candidates::probe::HeldRuns)).
    #[must_use]
    pub fn with_runs(self, runs: &'a [u64], are_runs_held: bool) -> Self {
        Self { runs: Some(runs), are_runs_held, ..self }
    }

    /// Returns a word as it was hashed: folded and stemmed.
    pub fn word(&self, i: usize) -> String {
        self.manner.form(self.written(i))
    }

    /// Returns a word as it stands in the clean text.
    pub fn written(&self, i: usize) -> &'a str {
        &self.text[self.words.spans[i].range()]
    }

    /// Appends a stretch of the text that holds one word to `out`, folded and stemmed as words are.
    pub fn put_form(&self, word: Span, out: &mut String) {
        self.manner.put_form(&self.text[word.range()], out);
    }

    /// Returns the places of all words of the text, if none is left out, as stop words are,
    /// and if places are kept.
    pub fn all_words(&self) -> Option<&'a [Span]> {
        let is_whole = self.manner.stop.is_none() && self.featurizer.stop.is_none();
        // A dictionary finds other words than those between blanks.
        let is_plain = !self.featurizer.settings.dictionary;
        let Words { hashes, spans, .. } = self.words;
        (is_whole && is_plain && spans.len() == hashes.len()).then_some(spans.as_slice())
    }

    /// Returns the word numbers of each sentence, in order; pieces without a word are skipped.
    pub fn sentences(&self, delimiters: Delimiters) -> Vec<Range<usize>> {
        let spans = &self.words.spans;
        let mut out = Vec::new();
        let mut next = 0;
        sentences(
            self.text,
            delimiters,
            || self.language(),
            |_| true,
            |piece| {
                let start = next;
                while next < spans.len() && (spans[next].start as usize) < piece.end {
                    next += 1;
                }
                if next > start {
                    out.push(start..next);
                }
            },
        );
        out
    }

    /// Returns the statistics of the collection.
    ///
    /// *Panics* if the method did not ask for any ([`needs_counts`]).
    ///
    /// [`needs_counts`]: crate::methods::Method::needs_counts
    pub fn counts(&self) -> &'a Counts {
        self.counts.expect("a method that reads statistics says that it needs them")
    }

    /// Returns whether letters are folded by the rules of Turkish and Azeri.
    pub fn is_turkic(&self) -> bool {
        self.manner.is_turkic()
    }

    /// Returns the code of the document's language: as named, as set, or as detected; empty if
    /// it cannot be told.
    pub fn language(&self) -> Cow<'a, str> {
        let detect = || self.featurizer.language(self.document, self.text).into_owned();
        Cow::Borrowed(self.manner.language.get_or_init(detect))
    }

    /// Returns the seed of the hashes.
    pub fn seed(&self) -> u64 {
        self.featurizer.seed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::stem::Stem;
    use crate::features::{Places, TextSettings};

    fn with<T>(text: &str, settings: TextSettings, look: impl FnOnce(&Reading<'_>) -> T) -> T {
        let document = Document::plain("d", text);
        let featurizer = Featurizer::new(settings, 1);
        let mut words = Words::default();
        featurizer.read(&document, Places::Kept, None, &mut words, |reading, _| look(reading))
    }

    #[test]
    fn sentences_are_ranges_of_words() {
        let text = "Hello, world! This is a test; \"quoted words here\" end.";
        let lengths = |set| {
            with(text, TextSettings::default(), |reading| {
                reading.sentences(set).into_iter().map(|words| words.len()).collect::<Vec<_>>()
            })
        };
        // T-FS.
        assert_eq!(lengths(Delimiters::Wide), [1, 1, 4, 3, 1]);
        assert_eq!(lengths(Delimiters::Sd), [2, 4, 4]);
    }

    #[test]
    fn a_word_is_shown_as_it_was_hashed() {
        let settings = TextSettings { stem: Stem::FirstFive, ..TextSettings::default() };
        with("The Harbours", settings, |reading| {
            assert_eq!([reading.word(0), reading.word(1)], ["the", "harbo"]);
            let hash = crate::hash::word(b"harbo", 1);
            assert_eq!(reading.words.hashes[1], hash);
        });
    }
}
