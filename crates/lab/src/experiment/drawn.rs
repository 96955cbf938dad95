//! Documents drawn from a word model: news-like text that nobody wrote, in any amount.
//!
//! Words are made of syllables and drawn by Zipf's law, a third of them from the subject of the
//! document. Sentences have commas and ends, paragraphs blank lines. Some words are names: with a
//! capital, often with a Turkish ending after an apostrophe, before a word such as `Caddesi` or
//! after one such as `Sayın`, so that methods that look for names find them.
//!
//! Unlike real collections, drawn documents have no accidental copies, so figures measured on them
//! are better than on real documents.

use retold_core::document::Document;
use retold_core::hash::Random;
use serde::{Deserialize, Serialize};

/// Parameters of the word model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Drawn {
    /// Words of the shortest document. The default is 80.
    pub least_words: usize,
    /// Words of the longest. The default is 400.
    pub most_words: usize,
    /// Number of different words. The default is 20,000.
    pub vocabulary: usize,
}

impl Default for Drawn {
    fn default() -> Self {
        Self { least_words: 80, most_words: 400, vocabulary: 20_000 }
    }
}

/// Number of words that belong to one subject.
const SUBJECT_WORDS: usize = 120;
/// Number of different names.
const NAMES: usize = 2_000;
const BEFORE_NAMES: [&str; 3] = ["Sayın", "Başkanı", "Doktor"];
const AFTER_NAMES: [&str; 4] = ["Caddesi", "Üniversitesi", "Bankası", "Mahallesi"];
const ENDINGS: [&str; 4] = ["'da", "'nin", "'den", "'ye"];

/// Draws documents. Equal seeds give equal documents, and a longer list begins with the shorter.
pub fn draw(n_documents: usize, drawn: &Drawn, seed: u64) -> Vec<Document> {
    (0..n_documents).map(|number| draw_one(number, drawn, seed)).collect()
}

/// Draws the document with a number.
pub(super) fn draw_one(number: usize, drawn: &Drawn, seed: u64) -> Document {
    let mut writer = Writer::new(drawn, seed, number as u64);
    let title = writer.sentence(7);
    Document {
        id: format!("d{number:06}"),
        text: writer.text(&title),
        language: Some("tr".to_owned()),
        ..Document::default()
    }
}

struct Writer {
    random: Random,
    drawn: Drawn,
    subject: Vec<usize>,
}

impl Writer {
    fn new(drawn: &Drawn, seed: u64, number: u64) -> Self {
        let mut random = Random::new(retold_core::hash::mix(seed) ^ number);
        let subject = (0..SUBJECT_WORDS).map(|_| random.below(drawn.vocabulary.max(1))).collect();
        Self { random, drawn: *drawn, subject }
    }

    fn text(&mut self, title: &str) -> String {
        let (least, most) = (self.drawn.least_words, self.drawn.most_words.max(1));
        let n_words = least + self.random.below(most.saturating_sub(least) + 1);
        let mut out = format!("{title}\n\n");
        let mut written = 0;
        while written < n_words {
            let n_sentences = 2 + self.random.below(4);
            for _ in 0..n_sentences {
                let n = 4 + self.random.below(9) + self.random.below(9);
                out.push_str(&self.sentence(n));
                out.push_str([". ", ". ", ". ", "? ", "! "][self.random.below(5)]);
                written += n;
            }
            out.truncate(out.trim_end().len());
            out.push_str("\n\n");
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }

    fn sentence(&mut self, n_words: usize) -> String {
        let mut words: Vec<String> = Vec::with_capacity(n_words);
        while words.len() < n_words {
            if self.random.below(18) == 0 {
                self.name(&mut words);
            } else {
                let number = self.number();
                words.push(syllables(number + 1));
            }
            if self.random.below(9) == 0
                && words.len() + 2 < n_words
                && let Some(last) = words.last_mut()
            {
                last.push(',');
            }
        }
        if let Some(first) = words.first_mut() {
            *first = capital(first);
        }
        words.join(" ")
    }

    /// Draws the number of a word: small numbers are frequent.
    fn number(&mut self) -> usize {
        if self.random.below(3) == 0 {
            return self.subject[self.random.below(SUBJECT_WORDS)];
        }
        let range = 1 + self.random.below(self.drawn.vocabulary.max(1));
        self.random.below(range)
    }

    fn name(&mut self, words: &mut Vec<String>) {
        let range = 1 + self.random.below(NAMES);
        // Numbers of names begin after those of all other words, so names are words of their own.
        let name = capital(&syllables(self.drawn.vocabulary + 7 * self.random.below(range) + 1));
        match self.random.below(4) {
            0 => {
                words.push(BEFORE_NAMES[self.random.below(BEFORE_NAMES.len())].to_owned());
                words.push(name);
            }
            1 => {
                words.push(name);
                words.push(AFTER_NAMES[self.random.below(AFTER_NAMES.len())].to_owned());
            }
            2 => words.push(format!("{name}{}", ENDINGS[self.random.below(ENDINGS.len())])),
            _ => words.push(name),
        }
    }
}

fn syllables(mut number: usize) -> String {
    const SYLLABLES: [&str; 17] = [
        "ka", "to", "ri", "mel", "su", "no", "ban", "del", "fi", "gor", "la", "şi", "ver", "mu",
        "ten", "yol", "a",
    ];
    let mut word = String::new();
    while number > 0 {
        word.push_str(SYLLABLES[number % SYLLABLES.len()]);
        number /= SYLLABLES.len();
    }
    word
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_list_begins_with_the_shorter() {
        let (few, many) = (draw(3, &Drawn::default(), 5), draw(9, &Drawn::default(), 5));
        assert_eq!(few, many[..3]);
        assert_ne!(few, draw(3, &Drawn::default(), 6));
    }

    #[test]
    fn documents_have_the_length_asked_for() {
        let drawn = Drawn { least_words: 50, most_words: 60, ..Drawn::default() };
        for document in draw(20, &drawn, 1) {
            let n = document.text.split_whitespace().count();
            // The last paragraph is finished.
            assert!((50..=60 + 110).contains(&n), "{n} words");
            assert!(document.text.contains("\n\n") && document.text.contains(". "));
        }
    }
}
