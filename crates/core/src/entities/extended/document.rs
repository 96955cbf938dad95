//! What the rest of the document says of words that no rule named: parts of other names, lists, and in
//! the end the form alone.

use std::collections::HashMap;

use super::super::rules::List;
use super::super::{Category, How};
use super::{Piece, Reader, Use};
use crate::hash::{self, Prehashed};

impl Reader<'_> {
    /// Takes pieces that are parts of names anywhere in the document.
    pub(super) fn meet_again(&mut self) {
        let mut parts: HashMap<u64, [u32; 3], Prehashed> = HashMap::default();
        for hit in self.hits.iter().filter(|hit| !hit.is_inner && hit.words.len() <= 8) {
            for start in hit.words.clone() {
                let mut key = START;
                for i in start..hit.words.end {
                    key = step(key, self.words[i].hash);
                    parts.entry(key).or_default()[hit.category as usize] += 1;
                }
            }
        }
        // A single place or team that is the family name of somebody named in full.
        let mut families: HashMap<u64, u32, Prehashed> = HashMap::default();
        for hit in &self.hits {
            if hit.category == Category::Person && hit.words.len() > 1 {
                *families.entry(self.words[hit.words.end - 1].hash).or_default() += 1;
            }
        }
        for hit in &mut self.hits {
            if hit.words.len() == 1
                && !hit.is_inner
                && hit.how == How::Gazetteer
                && hit.category != Category::Person
                && self.tokens[hit.words.start].is_person()
                && families.contains_key(&self.words[hit.words.start].hash)
            {
                hit.category = Category::Person;
                hit.how = How::Partial;
            }
        }
        for p in 0..self.pieces.len() {
            let Piece { words, run, is_open, .. } = self.pieces[p].clone();
            if !is_open {
                continue;
            }
            let key = words.clone().fold(START, |key, i| step(key, self.words[i].hash));
            let has_ordinary = words.clone().any(|i| self.tokens[i].is_ordinary());
            let is_starter = words.clone().all(|i| self.tokens[i].is(List::Article));
            let counts = parts.get(&key).copied().unwrap_or_default();
            let is_family = families.contains_key(&self.words[words.end - 1].hash);
            let category = if counts.iter().any(|&n| n > 0) {
                let best = (0..3).max_by_key(|&c| (counts[c], c)).unwrap_or(0);
                Some(Category::ALL[best])
            } else if is_family && words.len() == 2 && !has_ordinary {
                Some(Category::Person)
            } else {
                None
            };
            let Some(category) = category else { continue };
            let has_sign = self.words[words.end - 1].is_cut && !self.begins(run, words.start);
            let is_weak = has_ordinary
                && (category != Category::Person
                    && !(category == Category::Organisation && has_sign)
                    || is_starter
                    || category == Category::Person && !is_family
                    || self.tokens[words.start].is_shouted);
            let is_rule_word = words.len() == 1 && self.tokens[words.start].lists.is_rule_word();
            if is_weak || is_rule_word || self.tokens[words.start].is_other() {
                continue;
            }
            self.take(category, How::Partial, run, words);
            self.pieces[p].is_open = false;
        }
    }

    /// Takes words in a list beside names.
    pub(super) fn follow_lists(&mut self) {
        let mut of_run: HashMap<usize, Category> = HashMap::new();
        for hit in &self.hits {
            let run = &self.runs[hit.run];
            if hit.words == run.words {
                of_run.insert(hit.run, hit.category);
            }
        }
        for is_backward in [false, true, false] {
            let n = self.pieces.len();
            for k in 0..n {
                let p = if is_backward { n - 1 - k } else { k };
                let Piece { words, run, is_open, .. } = self.pieces[p].clone();
                if !is_open || words != self.runs[run].words || words.len() > 3 {
                    continue;
                }
                if words
                    .clone()
                    .any(|i| self.tokens[i].is_other() || self.tokens[i].is(List::Article))
                    || self.tokens[words.start].is_shouted
                {
                    continue;
                }
                let beside = |other: usize, first: usize, second: usize| {
                    of_run.get(&other).copied().filter(|_| self.is_list_gap(first, second))
                };
                let before = (0..run).rev().take(2).find(|&other| !self.is_minute(other));
                let left = before.and_then(|other| beside(other, other, run));
                let behind =
                    (run + 1..self.runs.len()).take(2).find(|&other| !self.is_minute(other));
                let right = behind.and_then(|other| beside(other, run, other));
                let has_ordinary = words.clone().any(|i| self.tokens[i].is_ordinary());
                let start = self.words[words.start].span.start as usize;
                let is_first = self.text[..start].trim_end().ends_with([':', '(']);
                if left != right && !is_first && self.begins(run, words.start) {
                    continue;
                }
                let category = match (left, right) {
                    (Some(x), Some(y)) if x == y => x,
                    (Some(Category::Person), None) | (None, Some(Category::Person))
                        if !has_ordinary =>
                    {
                        Category::Person
                    }
                    _ => continue,
                };
                if category != Category::Person && has_ordinary {
                    continue;
                }
                self.take(category, How::Context, run, words);
                of_run.insert(run, category);
                self.pieces[p].is_open = false;
            }
        }
    }

    /// Returns whether a run is the word for a minute in a report of a match: `Forsell Dk.71`.
    pub(super) fn is_minute(&self, run: usize) -> bool {
        self.runs[run].words.len() == 1
            && self.runs[run]
                .words
                .clone()
                .all(|i| self.tokens[i].is_other() && self.tokens[i].letters == 2)
    }

    /// Returns whether two runs are neighbours in a list: a comma between them, or a number and a
    /// comma, or a word such as `ve`.
    pub(super) fn is_list_gap(&self, first: usize, second: usize) -> bool {
        let last = self.runs[first].words.end - 1;
        let gap =
            &self.text[self.words[last].span.end as usize..self.runs[second].span.start as usize];
        let gap = gap.trim().trim_start_matches("Dk.").trim_start();
        if gap.len() > 16 || gap.contains('\n') {
            return false;
        }
        let is_sign = |c: char| c.is_ascii_digit() || c.is_whitespace() || "(),;'+-.".contains(c);
        matches!(gap, "ve" | "ile")
            || (gap.contains([',', ';', '(']) && gap.chars().all(is_sign) && !gap.contains(". "))
    }

    /// Guesses from the form of what is left.
    pub(super) fn guess(&mut self) {
        for p in 0..self.pieces.len() {
            let Piece { words, run, is_open, is_headline } = self.pieces[p].clone();
            if !is_open || is_headline {
                continue;
            }
            let first = words.start;
            let is_acronym = self.is_acronym(first) && !self.is_among_numbers(first);
            let is_club = !self.tokens[first].is_ordinary() && self.is_club(first);
            let is_plain = |i: usize| {
                let token = self.tokens[i];
                token.is_unknown() && !token.is_shouted && token.letters > 1
            };
            let is_named_by_form = |i: usize| {
                let token = self.tokens[i];
                is_plain(i)
                    || i == words.start
                        && words.len() == 2
                        && token.is_ordinary()
                        && !token.is(List::Article)
                        && !self.begins(run, i)
                        && !token.lists.is_rule_word()
            };
            let follows_name = words.start > self.runs[run].words.start
                && self.uses[words.start - 1] == Use::Named
                && !self.words[words.start - 1].is_cut;
            if self.are_initials(&words) && !follows_name {
                self.take(Category::Person, How::Context, run, words);
            } else if words.len() == 1 && (is_acronym || is_club) {
                self.take(Category::Organisation, How::Context, run, words);
            } else if (2..=3).contains(&words.len())
                && words.clone().all(is_named_by_form)
                && !self.is_quoted(&words)
            {
                self.take(Category::Person, How::Context, run, words);
            }
        }
    }
}

const START: u64 = 0x1b87_3593_cc9e_2d51;

fn step(key: u64, word: u64) -> u64 {
    hash::mix(key.wrapping_mul(31) ^ word)
}
