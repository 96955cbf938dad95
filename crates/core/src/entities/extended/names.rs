//! Names of the gazetteer, given names with what follows them, and names before a noun in small letters.

use std::ops::Range;

use super::super::rules::List;
use super::super::{Category, How};
use super::token::longest;
use super::{MOST_PERSON_WORDS, Piece, Reader, Use};

impl Reader<'_> {
    /// Returns the category and length of the longest name of the gazetteer at a word.
    pub(super) fn longest_name(&self, i: usize, end: usize) -> Option<(Category, usize)> {
        let names = self.tokens[i].names;
        [
            (Category::Organisation, names.of(Category::Organisation)),
            (Category::Location, names.well_known),
            (Category::Person, names.of(Category::Person)),
        ]
        .into_iter()
        .map(|(category, lengths)| (category, longest(lengths, end - i)))
        .filter(|&(_, n)| n > 0)
        .max_by_key(|&(category, n)| (n, category == Category::Organisation))
    }

    /// Finds names of several words in the gazetteer.
    pub(super) fn by_long_names(&mut self, run: usize, at: Range<usize>) {
        let mut i = at.start;
        while i < at.end {
            let most = at.end.min(i + u32::BITS as usize);
            let end = (i..most).find(|&j| self.uses[j] != Use::Free).unwrap_or(most);
            match self.longest_name(i, end).filter(|&(_, n)| n > 1) {
                Some((category, n))
                    if self.uses[i] == Use::Free && category != Category::Person =>
                {
                    self.take(category, How::Gazetteer, run, i..i + n);
                    i += n;
                }
                _ => i += 1,
            }
        }
    }

    /// Finds persons by their given names, and by family names that are nothing else.
    pub(super) fn persons(&mut self, run: usize, at: Range<usize>, is_headline: bool) {
        let mut i = at.start;
        while i < at.end {
            if self.uses[i] != Use::Free || !self.tokens[i].is_person() {
                i += 1;
                continue;
            }
            let token = self.tokens[i];
            let named = longest(token.names.of(Category::Person), at.end - i);
            let mut end = i + named.max(1);
            let mut has_family = named > 1;
            while end < at.end && end - i < MOST_PERSON_WORDS && self.uses[end] == Use::Free {
                let next = self.tokens[end];
                // `Alex de Souza`, `Zeynep R. D.`
                if next.is(List::Particle) && self.leads_on(end, at.end) || next.letters == 1 {
                    end += 1;
                    continue;
                }
                // `Ahmet Türk`
                let is_last_of_two = end == i + 1
                    && end + 1 == at.end
                    && token.is_given()
                    && !token.is_ordinary()
                    && !token.is_other();
                let goes_on = !next.lists.is_rule_word()
                    && !next.is(List::Particle)
                    && !next.is(List::Article)
                    && (!next.is_other() || is_last_of_two && next.letters > 2)
                    && (next.is_person()
                        || next.is_unknown() && !next.is_shouted && token.is_person_alone()
                        || (token.is_given()
                            && !has_family
                            && !(is_headline && next.is_ordinary())));
                // `Force India`: a place or company behind a name that few bear is no family name.
                let is_team = (next.is_organisation() || next.is_place()) && !next.is_person();
                if !goes_on || is_team && (token.is_ordinary() || !token.is_person_alone()) {
                    break;
                }
                has_family |= !next.is_given() || !next.is_person();
                end += 1;
            }
            // A given name before it that is not on the lists.
            let mut first = i;
            if i > at.start && self.uses[i - 1] == Use::Free && !is_headline {
                let left = self.tokens[i - 1];
                if left.is(List::Particle) || left.is_unknown() && !left.is_shouted {
                    first = i - 1;
                }
            }
            let n = end - first;
            let is_begin = self.begins(run, i);
            let is_sure = if n > 1 && first == i && token.is_ordinary() {
                let all_persons = (i..end).all(|j| self.tokens[j].is_person());
                let has_proper = (i + 1..end).any(|j| !self.tokens[j].is_ordinary());
                (all_persons || has_proper && !is_begin)
                    && (has_proper || !is_begin && !is_headline)
            } else if n > 1 {
                let next = self.tokens[(i + 1).min(end - 1)];
                !(token.is_other() && (next.is_other() || next.is_ordinary()))
                    && (!token.is_organisation() || self.tokens[end - 1].is_person())
                    && (first..end).all(|j| self.is_alphabetic(j))
            } else {
                !token.is_ordinary()
                    && !(token.is(List::Ambiguous) && (is_begin || !self.words[i].is_cut))
                    && (token.is_person_alone()
                        || self.words[i].is_cut && !is_begin && token.is_given())
                    && !token.is_other()
                    && !token.is_place()
                    && !token.is_organisation()
                    && !token.lists.is_rule_word()
                    && !is_headline
                    && !(token.is_shouted && token.letters <= 3)
            };
            if is_sure {
                self.take(Category::Person, How::Gazetteer, run, first..end);
            }
            i = end;
        }
    }

    /// Finds places and organisations of one word.
    pub(super) fn by_single_names(&mut self, run: usize, at: Range<usize>) {
        for i in at {
            let token = self.tokens[i];
            if self.uses[i] != Use::Free {
                continue;
            }
            if token.is_other() && !token.is_organisation() {
                self.uses[i] = Use::Passed;
                continue;
            }
            if !token.is_shouted && token.letters < 3 {
                continue;
            }
            let is_alone = self.runs[run].words.len() == 1 || self.words[i].is_cut;
            let is_acronym = token.is_shouted && token.letters <= 4 && token.is_organisation();
            let has_sign = is_acronym || self.words[i].is_cut && !self.begins(run, i);
            if token.is_ordinary() && !has_sign {
                continue;
            }
            if token.lists.is_rule_word() && !is_alone {
                continue;
            }
            let category = match (token.is_place(), token.is_organisation()) {
                (false, false) => continue,
                (true, false) => Category::Location,
                (false, true) => Category::Organisation,
                (true, true) => self.in_context(Category::Location, i, 1),
            };
            self.take(category, How::Gazetteer, run, i..i + 1);
        }
    }

    /// Returns what a name of several categories is: in a report of a match a team.
    pub(super) fn in_context(&self, category: Category, i: usize, n: usize) -> Category {
        let names = self.tokens[i].names;
        let bit = 1 << (n - 1);
        let is_both = names.well_known & bit != 0 && names.of(Category::Organisation) & bit != 0;
        if is_both {
            let next = self.tokens.get(i + n).filter(|_| !self.words[i + n - 1].is_cut);
            let is_led = next
                .is_some_and(|next| next.is(List::PersonPrefix) && !next.is(List::LocationNoun));
            if self.is_match || is_led { Category::Organisation } else { Category::Location }
        } else {
            category
        }
    }

    /// Takes a piece whose category follows from the noun or the age behind it.
    pub(super) fn by_noun_behind(&mut self, piece: &Piece) -> bool {
        let run = &self.runs[piece.run];
        let last = piece.words.end - 1;
        let behind = &self.text[self.words[last].span.end as usize..];
        if has_age(behind) {
            let words = self.trimmed(piece.run, piece.words.clone())..piece.words.end;
            if words.len() <= MOST_PERSON_WORDS && !self.is_acronym(words.start) {
                self.take(Category::Person, How::Context, piece.run, words);
                return true;
            }
        }
        if piece.words.end != run.words.end || self.words[last].is_cut {
            return false;
        }
        let Some(after) = run.after else { return false };
        let gap = &self.text[self.words[last].span.end as usize..after.start as usize];
        let Some(lists) = self.lists_of(after).filter(|_| gap == " ") else { return false };
        let category = if lists.has(List::LocationNoun) {
            Category::Location
        } else if lists.has(List::OrganisationNoun) {
            Category::Organisation
        } else {
            return false;
        };
        let words = self.trimmed(piece.run, piece.words.clone())..piece.words.end;
        let first = self.tokens[words.start];
        if self.begins(piece.run, words.start)
            && first.is_ordinary()
            && !self.is_whole_name(words.start)
            || words.clone().all(|i| self.tokens[i].is(List::Article))
            || words.clone().all(|i| self.tokens[i].is_other())
            || (category == Category::Organisation && first.is_given() && first.is_person_alone())
            || (category == Category::Organisation && first.is_place() && !first.is_organisation())
            || words.len() > 3
        {
            return false;
        }
        self.take(category, How::Context, piece.run, words);
        true
    }
}

/// Returns whether an age in brackets follows.
fn has_age(behind: &str) -> bool {
    let mut chars = behind.trim_start_matches(' ').chars();
    chars.next() == Some('(')
        && chars.next().is_some_and(|c| c.is_ascii_digit())
        && chars.next().is_some_and(|c| c.is_ascii_digit())
        && chars.next() == Some(')')
}
