//! Rules beyond the thesis: what stands around a run decides too.
//!
//! A name ends at an apostrophe, so `Bursa'nın Orhangazi İlçesi` are two. Every word belongs to one
//! name at most, places inside longer names apart. In order:
//! 1. last words of places and organisations (`Hastanesi`), with all words before them;
//! 2. titles, in capitals inside a run or in small letters before it (`teknik direktör`);
//! 3. names of the gazetteer, the longest first; a given name takes the words behind it;
//! 4. nouns in small letters behind a name (`Malkara ilçesi`), and an age in brackets;
//! 5. parts of names that the document has anywhere, before or behind;
//! 6. words in a list beside names (`Ezgi, Gamze, Tumas`);
//! 7. the form alone: two unknown words with capitals are a person, letters in capitals an
//!    organisation.
//!
//! Ordinary words, which are mostly written in small letters, are names only by a second sign.

mod document;
mod names;
mod rule_words;
mod token;

use std::ops::Range;

use self::token::{Token, inflected, is_of_a_place, rules_of};
use super::gazetteer::Gazetteer;
use super::knowledge::Extension;
use super::rules::{List, Lists};
use super::{Category, Entities, Entity, How, Run, Word};
use crate::document::Span;
use crate::segment::words::fold_word;

/// Longest name that a rule finds, in words.
const MOST_WORDS: usize = 9;

/// Most words of a person.
const MOST_PERSON_WORDS: usize = 5;

/// Letters of an acronym that nobody explained.
const ACRONYM_LETTERS: std::ops::RangeInclusive<usize> = 2..=6;

/// What a word was used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Free,
    /// Part of a name.
    Named,
    /// A title, part of an office, or something else that is no name.
    Passed,
}

/// A name that was found.
#[derive(Clone, Debug)]
struct Hit {
    category: Category,
    how: How,
    words: Range<usize>,
    run: usize,
    /// A place inside a longer name.
    is_inner: bool,
}

/// Words in a row that nothing was said of yet.
#[derive(Clone, Debug)]
struct Piece {
    words: Range<usize>,
    run: usize,
    is_open: bool,
    /// In a line all in capitals.
    is_headline: bool,
}

struct Reader<'a> {
    text: &'a str,
    words: &'a [Word],
    runs: &'a [Run],
    extension: &'a Extension,
    tokens: Vec<Token>,
    uses: Vec<Use>,
    hits: Vec<Hit>,
    pieces: Vec<Piece>,
    /// Whether the text tells of matches, where cities are teams.
    is_match: bool,
}

/// Finds the entities in the runs of a text.
pub(in crate::entities) fn classified(
    text: &str,
    mut found: Entities,
    gazetteer: &Gazetteer,
    extension: &Extension,
) -> Entities {
    let mut reader = Reader::new(text, &found, gazetteer, extension);
    for run in 0..found.runs.len() {
        reader.read(run);
    }
    reader.meet_again();
    reader.follow_lists();
    // What lists told may be met again.
    reader.meet_again();
    reader.guess();
    let Reader { mut hits, .. } = reader;
    hits.sort_by_key(|hit| (hit.run, hit.words.start, std::cmp::Reverse(hit.words.end)));
    let mut hits = hits.into_iter().peekable();
    for (i, run) in found.runs.iter_mut().enumerate() {
        let first = found.entities.len();
        while let Some(hit) = hits.next_if(|hit| hit.run == i) {
            let span = span_of(text, &found.words, &hit);
            let Hit { category, how, words, .. } = hit;
            found.entities.push(Entity { category, how, words, span });
        }
        run.entities = first..found.entities.len();
    }
    found
}

/// Returns where a name stands; the full stop of a final initial belongs to a person (`Mahmut E.`).
fn span_of(text: &str, words: &[Word], hit: &Hit) -> Span {
    let (first, last) = (words[hit.words.start].span, words[hit.words.end - 1].span);
    let is_initial = hit.category == Category::Person
        && hit.words.len() > 1
        && last.of(text).is_some_and(|word| word.chars().count() == 1)
        && text[last.end as usize..].starts_with('.');
    Span::new(first.start, last.end + u32::from(is_initial))
}

impl<'a> Reader<'a> {
    fn new(
        text: &'a str,
        found: &'a Entities,
        gazetteer: &Gazetteer,
        extension: &'a Extension,
    ) -> Self {
        let mut tokens = Vec::with_capacity(found.words.len());
        for run in &found.runs {
            let words = &found.words[run.words.clone()];
            tokens.extend((0..words.len()).map(|i| {
                let form = words[i].span.of(text).unwrap_or_default();
                let letters = form.chars().count();
                let is_shouted = letters > 1 && form.chars().all(char::is_uppercase);
                let mut names = gazetteer.lengths(text, &words[i..]);
                // `CAS` is no `Cas`.
                if is_shouted && letters <= 4 {
                    names.forget_persons();
                }
                Token {
                    lists: rules_of(extension, words[i], form),
                    names,
                    other: extension.other.lengths(text, &words[i..]).of(Category::Person)
                        | u32::from(is_of_a_place(gazetteer, extension, form)),
                    is_shouted,
                    letters,
                }
            }));
        }
        Self {
            text,
            words: &found.words,
            runs: &found.runs,
            extension,
            uses: vec![Use::Free; tokens.len()],
            tokens,
            hits: Vec::new(),
            pieces: Vec::new(),
            is_match: extension.rules.tells_of_matches(text),
        }
    }

    /// Finds the names of a run.
    fn read(&mut self, run: usize) {
        let all = self.runs[run].words.clone();
        let shouted = all.clone().filter(|&i| self.tokens[i].is_shouted).count();
        let is_headline = shouted == all.len()
            && all.len() > 1
            && all.clone().any(|i| self.tokens[i].is_ordinary() || self.tokens[i].is_suffix());
        let mut start = all.start;
        while start < all.end {
            // A name ends with an apostrophe.
            let end = (start..all.end).find(|&i| self.words[i].is_cut).map_or(all.end, |i| i + 1);
            self.read_segment(run, start..end, is_headline);
            start = end;
        }
    }

    fn read_segment(&mut self, run: usize, at: Range<usize>, is_headline: bool) {
        self.pass_others(at.clone());
        self.pass_events(run, at.clone());
        if !is_headline {
            self.by_suffix(run, at.clone());
            self.by_title(run, at.clone());
        }
        self.by_long_names(run, at.clone());
        if at.len() == 1 && self.uses[at.start] == Use::Free && !is_headline {
            let piece = Piece { words: at.clone(), run, is_open: true, is_headline };
            self.by_noun_behind(&piece);
        }
        self.persons(run, at.clone(), is_headline);
        self.by_single_names(run, at.clone());
        // What is left waits for the rest of the document.
        let mut i = at.start;
        while i < at.end {
            if self.uses[i] != Use::Free || self.tokens[i].is(List::Article) && self.begins(run, i)
            {
                i += 1;
                continue;
            }
            let end = (i..at.end).find(|&j| self.uses[j] != Use::Free).unwrap_or(at.end);
            if is_headline {
                // A name that the text has elsewhere may stand in a headline.
                if !self.tokens[i].is_ordinary() {
                    self.pieces.push(Piece { words: i..i + 1, run, is_open: true, is_headline });
                }
                i += 1;
                continue;
            }
            let piece = Piece { words: i..end, run, is_open: true, is_headline };
            if !self.by_noun_behind(&piece) {
                self.pieces.push(piece);
            }
            i = end;
        }
    }

    /// Returns whether a word begins a sentence.
    fn begins(&self, run: usize, word: usize) -> bool {
        let run = &self.runs[run];
        if word != run.words.start {
            return false;
        }
        let Some(before) = run.before else { return true };
        let gap = &self.text[before.end as usize..run.span.start as usize];
        gap.contains(|c: char| {
            !(c.is_whitespace() || matches!(c, ',' | ';' | '-' | '/' | '&' | '('))
        }) || gap.contains('\n')
    }

    fn take(&mut self, category: Category, how: How, run: usize, words: Range<usize>) {
        self.uses[words.clone()].fill(Use::Named);
        self.hits.push(Hit { category, how, words, run, is_inner: false });
    }

    /// Returns whether a word is some capitals that are no ordinary word.
    fn is_acronym(&self, i: usize) -> bool {
        let token = self.tokens[i];
        let form = self.words[i].span.of(self.text).unwrap_or_default();
        token.is_shouted
            && ACRONYM_LETTERS.contains(&token.letters)
            && !token.is_ordinary()
            && !token.is_other()
            && !token.is_given()
            && !token.is_place()
            && !token.lists.is_rule_word()
            && !form.chars().all(|c| "IVXLC".contains(c))
    }

    /// Returns whether a number stands before or behind a word: `34 ZJ 1823`, `ALO 171`.
    fn is_among_numbers(&self, i: usize) -> bool {
        let span = self.words[i].span;
        let behind = self.text[span.end as usize..].trim_start_matches([' ', '-']);
        let before = self.text[..span.start as usize].trim_end_matches(' ');
        behind.starts_with(|c: char| c.is_ascii_digit())
            || before.ends_with(|c: char| c.is_ascii_digit())
    }

    /// Returns whether a word is the name of a sports club.
    fn is_club(&self, i: usize) -> bool {
        let form = self.words[i].span.of(self.text).unwrap_or_default();
        form.len() > 6 && form.ends_with("spor")
    }

    fn is_alphabetic(&self, i: usize) -> bool {
        self.words[i]
            .span
            .of(self.text)
            .is_some_and(|word| !word.contains(|c: char| c.is_ascii_digit()))
    }

    /// Returns whether words are initials without a name: `E.C.`
    fn are_initials(&self, words: &Range<usize>) -> bool {
        (2..=3).contains(&words.len()) && words.clone().all(|i| self.tokens[i].letters == 1)
    }

    fn is_quoted(&self, words: &Range<usize>) -> bool {
        let start = self.words[words.start].span.start as usize;
        let end = self.words[words.end - 1].span.end as usize;
        let is_quote = |c: char| "\"'‘’“”«»\u{91}\u{92}\u{93}\u{94}".contains(c);
        self.text[..start].ends_with(is_quote) && self.text[end..].starts_with(is_quote)
    }

    fn lists_of(&self, word: Span) -> Option<Lists> {
        let form = word.of(self.text)?;
        let mut folded = String::with_capacity(form.len());
        fold_word(form, self.extension.rules.folding(), &mut folded);
        Some(inflected(self.extension, &folded))
    }
}
