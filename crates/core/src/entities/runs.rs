//! Runs: maximal sequences of words that begin with a capital.

use std::ops::Range;

use super::rules::{List, Rules, is_apostrophe};
use super::{Entities, Knowledge, Run, Word};
use crate::clean::language::Language;
use crate::document::Span;
use crate::hash;
use crate::segment::paragraph::paragraphs;
use crate::segment::words::{Folding, each_word, fold_word};

/// Small words that may stand in a row inside a name: `van der`, `de la`.
const MOST_JOINERS: usize = 2;

/// Returns how the letters of a language are folded.
pub(super) fn folding_of(language: Language) -> Folding {
    if language.has_dotless_i() { Folding::Turkic } else { Folding::Lower }
}

/// Calls `each` with the hash of every word of a name, cut at its apostrophe unless that is near
/// its beginning (O'Neill).
pub(super) fn each_part(name: &str, folding: Folding, mut each: impl FnMut(u64)) {
    let mut folded = String::new();
    each_word(name, folding, false, 0, usize::MAX, |_, span| {
        let Some(word) = span.of(name) else { return };
        let cut = word.match_indices(is_apostrophe).map(|(at, _)| at).find(|&at| at > 1);
        folded.clear();
        fold_word(&word[..cut.unwrap_or(word.len())], folding, &mut folded);
        each(hash::word(folded.as_bytes(), 0));
    });
}

/// Returns whether a word is all in capitals, of which it has at least two.
pub(super) fn is_acronym(word: &str) -> bool {
    let mut chars = word.chars();
    chars.by_ref().take(2).filter(|c| c.is_uppercase()).count() == 2
        && chars.all(char::is_uppercase)
}

/// Finds the runs of a text; nothing is classified yet.
pub(super) fn runs(text: &str, knowledge: &Knowledge, most_words: usize) -> Entities {
    let rules = knowledge.rules();
    let mut open = Open::new(text, rules);
    each_word(text, rules.folding(), false, 0, most_words, |_, span| open.word(span));
    open.finish()
}

/// Finds the runs of a text whose words are known: only those with capitals are folded and hashed.
pub(super) fn runs_among(text: &str, knowledge: &Knowledge, words: &[Span]) -> Entities {
    let mut open = Open::new(text, knowledge.rules());
    for &span in words {
        open.word(span);
    }
    open.finish()
}

/// Collects the runs of a text while its words are read in order.
struct Open<'a> {
    text: &'a str,
    rules: &'a Rules,
    words: Vec<Word>,
    runs: Vec<Run>,
    run: Option<OpenRun>,
    folded: String,
}

/// A run that may go on.
struct OpenRun {
    first: usize,
    /// End of its last word, in bytes and without joiners.
    end: u32,
    /// End of the last word seen.
    seen: u32,
    /// Joiners seen behind the last word.
    joiners: Vec<Word>,
}

impl<'a> Open<'a> {
    fn new(text: &'a str, rules: &'a Rules) -> Self {
        let folded = String::new();
        Self { text, rules, words: Vec::new(), runs: Vec::new(), run: None, folded }
    }

    fn finish(mut self) -> Entities {
        self.close();
        Entities { words: self.words, runs: self.runs, entities: Vec::new() }
    }

    #[inline]
    fn word(&mut self, span: Span) {
        // Most words are in small letters and stand in no run: nothing more to do for them.
        let is_capital = begins_with_capital(self.text, span);
        if is_capital || self.run.is_some() {
            self.add(span, is_capital);
        }
    }

    fn add(&mut self, span: Span, is_capital: bool) {
        let word = &self.text[span.range()];
        if !self.goes_on(span.start) {
            self.close();
        }
        if is_capital {
            self.push(word, span);
        } else if self.run.is_some() {
            let hash = if self.rules.has_joiners() { self.hash_of(word) } else { 0 };
            let lists = self.rules.of(hash);
            let joins = lists.has(List::Joiner) || lists.has(List::Particle);
            if joins
                && let Some(run) = &mut self.run
                && run.joiners.len() < MOST_JOINERS
            {
                run.joiners.push(Word { span, hash });
                run.seen = span.end;
            } else {
                self.close();
            }
        }
    }

    fn push(&mut self, word: &str, span: Span) {
        let cut = self.rules.cut(word);
        let hash = self.hash_of(&word[..cut]);
        let first = self.words.len();
        let run =
            self.run.get_or_insert_with(|| OpenRun { first, end: 0, seen: 0, joiners: Vec::new() });
        self.words.append(&mut run.joiners);
        run.end = span.end;
        run.seen = span.end;
        let span = Span::new(span.start, span.start + cut as u32);
        self.words.push(Word { span, hash });
    }

    /// Returns whether what stands between the last word and the one at `next` does not end the
    /// run.
    fn goes_on(&self, next: u32) -> bool {
        let Some(run) = &self.run else { return true };
        let gap = &self.text[run.seen as usize..next as usize];
        if gap == " " {
            return true;
        }
        if gap.chars().all(|c| c.is_whitespace() || is_apostrophe(c) || is_unseen(c)) {
            // A blank line ends a run as it ends a sentence. Letters around the gap make its
            // lines count.
            let has_break =
                gap.contains(|c: char| c.is_control() || ('\u{2028}'..='\u{2029}').contains(&c));
            return !has_break || paragraphs(&format!("a{gap}a")).nth(1).is_none();
        }
        let last = run.joiners.last().or(self.words.last()).map_or(0, |word| word.hash);
        (gap.trim_end() == "." && self.rules.of(last).has(List::Abbreviation))
            || self.rules.is_joiner(gap)
    }

    /// Returns the hash of a word's folded form.
    fn hash_of(&mut self, word: &str) -> u64 {
        self.folded.clear();
        fold_word(word, self.rules.folding(), &mut self.folded);
        hash::word(self.folded.as_bytes(), 0)
    }

    fn close(&mut self) {
        if let Some(run) = self.run.take() {
            let words: Range<usize> = run.first..self.words.len();
            let span = Span::new(self.words[run.first].span.start, run.end);
            self.runs.push(Run { words, span, entities: 0..0 });
        }
    }
}

/// Returns whether the word at `span` begins with a capital; the digraphs of Croatian count.
#[inline]
fn begins_with_capital(text: &str, span: Span) -> bool {
    match text.as_bytes().get(span.start as usize) {
        Some(first) if first.is_ascii() => first.is_ascii_uppercase(),
        _ => text[span.range()]
            .chars()
            .next()
            .is_some_and(|c| c.is_uppercase() || matches!(c, 'ǅ' | 'ǈ' | 'ǋ' | 'ǲ')),
    }
}

/// Returns whether a character is not seen and so no punctuation.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}
