//! Runs: maximal sequences of words that begin with a capital.

use std::ops::Range;

use super::knowledge::Extension;
use super::rules::{List, Lists, Rules, is_apostrophe};
use super::{Entities, Gazetteer, Knowledge, Run, Word};
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
pub(super) fn runs(
    text: &str,
    knowledge: &Knowledge,
    extension: Option<&Extension>,
    most_words: usize,
) -> Entities {
    let mut open = Open::new(text, knowledge, extension);
    let rules = open.rules;
    each_word(text, rules.folding(), false, 0, most_words, |_, span| open.word(span));
    open.finish()
}

/// Finds the runs of a text whose words are known: only those with capitals are folded and hashed.
pub(super) fn runs_among(
    text: &str,
    knowledge: &Knowledge,
    extension: Option<&Extension>,
    words: &[Span],
) -> Entities {
    let mut open = Open::new(text, knowledge, extension);
    for &span in words {
        open.word(span);
    }
    open.finish()
}

/// Collects the runs of a text while its words are read in order.
struct Open<'a> {
    text: &'a str,
    rules: &'a Rules,
    gazetteer: &'a Gazetteer,
    is_extended: bool,
    /// The last word.
    previous: Option<Span>,
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
    /// What the next word must be for them to join.
    needs: Option<List>,
    /// The word before the run.
    before: Option<Span>,
}

impl<'a> Open<'a> {
    fn new(text: &'a str, knowledge: &'a Knowledge, extension: Option<&'a Extension>) -> Self {
        Self {
            text,
            rules: extension.map_or(knowledge.rules(), |extension| &extension.rules),
            gazetteer: knowledge.gazetteer(),
            is_extended: extension.is_some(),
            previous: None,
            words: Vec::new(),
            runs: Vec::new(),
            run: None,
            folded: String::new(),
        }
    }

    fn finish(mut self) -> Entities {
        self.close(None);
        Entities { words: self.words, runs: self.runs, entities: Vec::new() }
    }

    #[inline]
    fn word(&mut self, span: Span) {
        // Most words are in small letters and stand in no run: nothing more to do for them.
        let is_capital = begins_with_capital(self.text, span);
        if is_capital || self.run.is_some() {
            self.add(span, is_capital);
        }
        self.previous = Some(span);
    }

    fn add(&mut self, span: Span, is_capital: bool) {
        let word = &self.text[span.range()];
        if !self.goes_on(span.start) {
            self.close(Some(span));
        }
        if is_capital {
            self.push(word, span);
        } else if self.run.is_some() {
            let hash = if self.rules.has_joiners() { self.hash_of(word) } else { 0 };
            let lists = self.rules.of(hash);
            let (joins, needs) = if self.is_extended {
                self.may_join(word, span, lists)
            } else {
                (lists.has(List::Joiner) || lists.has(List::Particle), None)
            };
            if joins
                && let Some(run) = &mut self.run
                && run.joiners.len() < MOST_JOINERS
            {
                run.joiners.push(Word { span, hash, is_cut: false });
                run.seen = span.end;
                run.needs = needs;
            } else {
                self.close(Some(span));
            }
        }
    }

    /// Returns whether a word in small letters, or a number, may stand inside a name by the extended
    /// rules, and what must follow it.
    fn may_join(&self, word: &str, span: Span, lists: Lists) -> (bool, Option<List>) {
        let Some(last) = self.words.last().filter(|last| !last.is_cut) else {
            return (false, None);
        };
        let behind = &self.text[span.end as usize..];
        if lists.has(List::Particle) {
            let is_given = self.gazetteer.lengths(self.text, &[*last]).given & 1 != 0;
            (is_given || !lists.has(List::Ordinary) || behind.starts_with('-'), None)
        } else if lists.has(List::Coordinator) {
            (is_coordinated(self.rules.of(last.hash)), Some(List::Coordinated))
        } else {
            let is_ordinal = word.bytes().all(|b| b.is_ascii_digit()) && behind.starts_with(". ");
            (is_ordinal, Some(List::Numbered))
        }
    }

    fn push(&mut self, word: &str, span: Span) {
        let cut = self.rules.cut(word);
        let hash = self.hash_of(&word[..cut]);
        let lists = self.rules.of(hash);
        if self.run.as_ref().is_some_and(|run| {
            run.needs.is_some_and(|list| {
                !(lists.has(list) || list == List::Coordinated && is_coordinated(lists))
            })
        }) {
            self.close(Some(span));
        }
        let (first, before) = (self.words.len(), self.previous);
        let run = self.run.get_or_insert_with(|| OpenRun {
            first,
            end: 0,
            seen: 0,
            joiners: Vec::new(),
            needs: None,
            before,
        });
        self.words.append(&mut run.joiners);
        run.end = span.end;
        run.seen = span.end;
        run.needs = None;
        // Windows-1252 has its apostrophe where Unicode has a control character.
        let is_apostrophe = |c: char| is_apostrophe(c) || c == '\u{92}';
        let is_cut = cut < word.len() || self.text[span.end as usize..].starts_with(is_apostrophe);
        let span = Span::new(span.start, span.start + cut as u32);
        self.words.push(Word { span, hash, is_cut });
    }

    /// Returns whether what stands between the last word and the one at `next` does not end the
    /// run.
    fn goes_on(&self, next: u32) -> bool {
        let Some(run) = &self.run else { return true };
        let gap = &self.text[run.seen as usize..next as usize];
        if gap == " " {
            return true;
        }
        if self.is_extended && gap.contains('\n') {
            return false;
        }
        if gap.chars().all(|c| c.is_whitespace() || is_apostrophe(c) || is_unseen(c)) {
            // A blank line ends a run as it ends a sentence. Letters around the gap make its
            // lines count.
            let has_break =
                gap.contains(|c: char| c.is_control() || ('\u{2028}'..='\u{2029}').contains(&c));
            return !has_break || paragraphs(&format!("a{gap}a")).nth(1).is_none();
        }
        let Some(last) = run.joiners.last().or(self.words.last()) else { return false };
        if self.is_extended {
            let is_initial = last.span.of(self.text).is_some_and(|word| word.chars().count() == 1);
            let joins = match gap {
                "." | ". " => is_initial || run.needs == Some(List::Numbered),
                "-" => !run.joiners.is_empty(),
                _ => false,
            };
            if joins {
                return true;
            }
        }
        (gap.trim_end() == "." && self.rules.of(last.hash).has(List::Abbreviation))
            || self.rules.is_joiner(gap)
    }

    /// Returns the hash of a word's folded form.
    fn hash_of(&mut self, word: &str) -> u64 {
        self.folded.clear();
        fold_word(word, self.rules.folding(), &mut self.folded);
        hash::word(self.folded.as_bytes(), 0)
    }

    fn close(&mut self, after: Option<Span>) {
        if let Some(run) = self.run.take() {
            let words: Range<usize> = run.first..self.words.len();
            let span = Span::new(self.words[run.first].span.start, run.end);
            let after = run.joiners.first().map(|joiner| joiner.span).or(after);
            self.runs.push(Run { words, span, entities: 0..0, before: run.before, after });
        }
    }
}

/// Returns whether a word may be joined with another by a coordinator.
fn is_coordinated(lists: Lists) -> bool {
    lists.has(List::Ordinary) || lists.has(List::Coordinated)
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
