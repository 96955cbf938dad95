//! Made-up corpora: seeded texts with planted copies, so that the truth is known.

use retold::Document;
use retold_core::hash::{self, Random};

/// A made-up collection and the relations planted in it.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// The documents; their ids are their positions.
    pub documents: Vec<Document>,
    /// Planted pairs by position, the copy second, and what was done.
    pub planted: Vec<(usize, usize, Plant)>,
}

/// How a copy was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// Word for word, in capitals.
    Exact,
    /// One word in fifty replaced.
    Edited,
    /// A stretch of a third put into a text three times as long.
    Inside,
    /// Its middle, some 80 words, in an otherwise different text.
    Passage,
}

/// Draws texts from a vocabulary with a Zipf-like distribution.
#[derive(Clone, Debug)]
pub struct Writer {
    random: Random,
    n_words: usize,
}

impl Writer {
    /// Starts a sequence of texts over a vocabulary of `n_words` words.
    pub fn new(seed: u64, n_words: usize) -> Self {
        Self { random: Random::new(seed), n_words }
    }

    /// Returns a word: small numbers come often.
    pub fn word(&mut self) -> String {
        let range = 1 + self.random.below(self.n_words);
        let number = self.random.below(range);
        let mut word = String::new();
        let mut rest = number + 1;
        while rest > 0 {
            let syllables = ["ka", "to", "ri", "mel", "su", "no", "ban", "del", "fi", "gor", "u"];
            word.push_str(syllables[rest % syllables.len()]);
            rest /= syllables.len();
        }
        word
    }

    /// Returns `n` words in sentences and paragraphs.
    pub fn text(&mut self, n: usize) -> Vec<String> {
        (0..n).map(|_| self.word()).collect()
    }

    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }
}

/// Writes words as running text: a full stop every dozen words, a paragraph every hundred.
pub fn running(words: &[String]) -> String {
    let mut text = String::new();
    for (i, word) in words.iter().enumerate() {
        text.push_str(word);
        text.push_str(match i + 1 {
            n if n % 96 == 0 => ".\n\n",
            n if n % 12 == 0 => ". ",
            _ => " ",
        });
    }
    text
}

/// Makes every fourth word a common English one and every eighth a name, the same wherever the word
/// stands: some methods look at what stands behind the former, or at the latter.
pub fn english(text: &str) -> String {
    let in_english = |word: &str| {
        let bare = word.trim_end_matches(|c: char| !c.is_alphabetic());
        let number = hash::bytes(bare.to_lowercase().as_bytes(), 0) % 16;
        match (["the", "of", "is", "a"].get(number as usize), bare.chars().next()) {
            (Some(common), Some(_)) => format!("{common}{}", &word[bare.len()..]),
            (None, Some(first)) if number < 6 => {
                format!("{}{}", first.to_uppercase(), &word[first.len_utf8()..])
            }
            _ => word.to_owned(),
        }
    };
    text.split_inclusive(|c: char| !c.is_alphabetic()).map(in_english).collect()
}

/// Makes `n_own` independent texts of 60 to 599 words, and for every fourth of them one related
/// document: in turn an exact copy, an edited copy, a text that contains it, and a text with a
/// passage of it.
pub fn planted(n_own: usize, seed: u64) -> Corpus {
    let mut writer = Writer::new(seed, 20_000);
    let mut corpus = Corpus::default();
    let texts: Vec<Vec<String>> = (0..n_own)
        .map(|_| {
            let n = 60 + writer.below(540);
            writer.text(n)
        })
        .collect();
    for (i, words) in texts.iter().enumerate() {
        corpus.documents.push(Document::plain(i.to_string(), running(words)));
    }
    for (i, words) in texts.iter().enumerate().step_by(4) {
        let plant = match (i / 4) % 4 {
            0 => Plant::Exact,
            1 => Plant::Edited,
            2 => Plant::Inside,
            _ => Plant::Passage,
        };
        let text = match plant {
            Plant::Exact => running(words).to_uppercase(),
            Plant::Edited => {
                let mut edited = words.clone();
                for word in edited.iter_mut().step_by(50) {
                    *word = format!("{}x", writer.word());
                }
                running(&edited)
            }
            Plant::Inside => {
                let mut holder = writer.text(words.len());
                holder.extend_from_slice(words);
                holder.extend(writer.text(words.len()));
                running(&holder)
            }
            Plant::Passage => {
                let middle = words.len() / 2;
                let passage = &words[middle.saturating_sub(40)..(middle + 40).min(words.len())];
                let mut holder = writer.text(300);
                holder.extend_from_slice(passage);
                holder.extend(writer.text(300));
                running(&holder)
            }
        };
        corpus.planted.push((i, corpus.documents.len(), plant));
        corpus.documents.push(Document::plain(corpus.documents.len().to_string(), text));
    }
    corpus
}
