//! Names by rule words in a run: last words of places and organisations, and titles.

use std::ops::Range;

use super::super::rules::List;
use super::super::{Category, How};
use super::token::longest;
use super::{Hit, MOST_PERSON_WORDS, MOST_WORDS, Reader, Use};

impl Reader<'_> {
    /// Passes over what is written with capitals and is no name.
    pub(super) fn pass_others(&mut self, at: Range<usize>) {
        for i in at.clone() {
            let n = longest(self.tokens[i].other, at.end - i);
            let named = self.longest_name(i, at.end).map_or(0, |(_, n)| n);
            if n > 1 && n >= named && self.uses[i] == Use::Free {
                self.uses[i..i + n].fill(Use::Passed);
            }
        }
    }

    /// Passes over cups, laws, festivals and the like, with all words before their last.
    pub(super) fn pass_events(&mut self, run: usize, at: Range<usize>) {
        let last = at.clone().rev().find(|&i| self.tokens[i].is(List::EventSuffix));
        let Some(last) = last.filter(|&last| last > at.start || !self.begins(run, last)) else {
            return;
        };
        // Behind a title stands a person first.
        let title = (at.start..last).rev().find(|&i| self.tokens[i].is(List::PersonPrefix));
        let first = title.map_or(at.start, |i| i + 1);
        let first =
            if title.is_some() && self.is_full_name(first, last) { first + 2 } else { first };
        self.uses[first..=last].fill(Use::Passed);
    }

    /// Finds names by their last word, with those before it.
    pub(super) fn by_suffix(&mut self, run: usize, at: Range<usize>) {
        let mut start = at.start;
        let mut i = at.start;
        while i < at.end {
            let token = self.tokens[i];
            let is_title = token.is(List::PersonPrefix);
            if self.uses[i] != Use::Free || (is_title && !token.is_suffix()) {
                start = i + 1;
            } else if token.is_suffix() && (i > start || self.is_whole_name(i)) {
                // The last of several suffixes ends the name.
                let first_end = i + 1;
                let mut end = first_end;
                let mut j = end;
                while j < at.end.min(i + MOST_WORDS) && self.uses[j] == Use::Free {
                    if self.tokens[j].is(List::PersonPrefix) && !self.tokens[j].is_suffix() {
                        break;
                    }
                    j += 1;
                    if self.tokens[j - 1].is_suffix() {
                        end = j;
                    }
                }
                let next =
                    self.tokens.get(end).filter(|_| end < at.end && self.uses[end] == Use::Free);
                if next.is_some_and(|next| next.is(List::Minister)) {
                    start = end;
                    i = end;
                    continue;
                }
                // Before a title the last part is the office: `... Hastanesi Pediatri Bölümü Uzmanı`.
                if next.is_some_and(|next| next.is(List::PersonPrefix)) && first_end - start > 1 {
                    self.uses[first_end..end].fill(Use::Passed);
                    end = first_end;
                }
                let mut first = self.trimmed(run, start..end);
                if end - first > MOST_WORDS {
                    end = first_end;
                    first = self.trimmed(run, start..end);
                }
                if end - first > 1 && end - first <= MOST_WORDS {
                    self.take_with_places(run, first..end);
                }
                start = end;
                i = end;
                continue;
            }
            i += 1;
        }
    }

    /// Returns whether a word alone is a name of the gazetteer.
    pub(super) fn is_whole_name(&self, i: usize) -> bool {
        self.tokens[i].is_place() || self.tokens[i].is_organisation()
    }

    /// Returns where a name begins: behind words that begin sentences.
    pub(super) fn trimmed(&self, run: usize, words: Range<usize>) -> usize {
        let mut first = words.start;
        if self.begins(run, first) {
            while first + 1 < words.end && self.tokens[first].is(List::Article) {
                first += 1;
            }
        }
        // `İsviçreli Swatch Group`: the people is no part of it.
        let form = self.words[first].span.of(self.text).unwrap_or_default();
        if first + 2 < words.end
            && self.tokens[first].is_other()
            && ["li", "lı", "lu", "lü"].iter().any(|ending| form.ends_with(ending))
        {
            first += 1;
        }
        if self.begins(run, words.start) {
            let next = self.tokens[(first + 1).min(words.end - 1)];
            if first == words.start
                && words.len() > 2
                && self.tokens[first].is_ordinary()
                && next.is_place()
                && self.longest_name(first, words.end).is_none()
            {
                first += 1;
            }
        }
        first
    }

    pub(super) fn take_with_places(&mut self, run: usize, words: Range<usize>) {
        let last = self.tokens[words.end - 1];
        let is_organisation = last.is(List::OrganisationSuffix)
            && (!last.is(List::LocationSuffix) || last.is_organisation());
        let category = if is_organisation { Category::Organisation } else { Category::Location };
        let first = self.tokens[words.start];
        let n = longest(first.names.well_known, words.len());
        self.take(category, How::Rule, run, words.clone());
        if n > 0 && n < words.len() {
            let words = words.start..words.start + n;
            let (category, how) = (Category::Location, How::Gazetteer);
            self.hits.push(Hit { category, how, words, run, is_inner: true });
        }
    }

    /// Finds persons behind and before titles.
    pub(super) fn by_title(&mut self, run: usize, at: Range<usize>) {
        let before = self.runs[run].before.filter(|_| at.start == self.runs[run].words.start);
        let is_behind_title = before.is_some_and(|before| {
            let gap = &self.text[before.end as usize..self.runs[run].span.start as usize];
            gap.chars().all(|c| c == ' ' || c == '\u{a0}')
                && self.lists_of(before).is_some_and(|lists| {
                    lists.has(List::SmallTitle) || lists.has(List::PersonPrefix)
                })
        });
        if is_behind_title {
            self.person_behind(run, at.start, at.end);
        }
        for i in at.clone() {
            let token = self.tokens[i];
            if self.uses[i] != Use::Free || !token.is(List::PersonPrefix) {
                continue;
            }
            self.uses[i] = Use::Passed;
            // What stands before a title and is no known name belongs to the office.
            let mut j = i;
            while j > at.start && self.uses[j - 1] == Use::Free {
                j -= 1;
            }
            self.names_in_office(run, j..i, token.is(List::Minister));
            self.person_behind(run, i + 1, at.end);
        }
        for i in at.clone().skip(1) {
            if self.uses[i] == Use::Free && self.tokens[i].is(List::PersonSuffix) {
                let mut first = i;
                while first > at.start && self.uses[first - 1] == Use::Free && i - first < 3 {
                    first -= 1;
                }
                let first = self.trimmed(run, first..i);
                if first < i && !self.tokens[first].is_ordinary() {
                    self.take(Category::Person, How::Rule, run, first..i);
                    self.uses[i] = Use::Passed;
                }
            }
        }
    }

    /// Takes the known names before a title and passes over the rest.
    pub(super) fn names_in_office(&mut self, run: usize, at: Range<usize>, is_minister: bool) {
        let mut i = at.start;
        while i < at.end {
            let named = self.longest_name(i, at.end).filter(|&(category, n)| {
                category != Category::Person
                    && (n > 1 || !self.tokens[i].is_ordinary())
                    && !(is_minister && (category == Category::Organisation || at.start < i))
            });
            match named {
                Some((category, n)) => {
                    let category = self.in_context(category, i, n);
                    self.take(category, How::Gazetteer, run, i..i + n);
                    i += n;
                }
                None if self.is_full_name(i, at.end) => {
                    // `Ahmet Kaya Başkan` is a person whatever follows.
                    return;
                }
                None => {
                    let is_acronym = self.is_acronym(i) && !is_minister;
                    if is_acronym {
                        self.take(Category::Organisation, How::Context, run, i..i + 1);
                    } else {
                        self.uses[i] = Use::Passed;
                    }
                    i += 1;
                }
            }
        }
    }

    /// Returns whether a family name may stand behind a particle.
    pub(super) fn leads_on(&self, particle: usize, end: usize) -> bool {
        particle + 1 < end && {
            let next = self.tokens[particle + 1];
            next.is_person() || next.is_unknown()
        }
    }

    /// Returns whether a given name begins here and another word follows.
    pub(super) fn is_full_name(&self, i: usize, end: usize) -> bool {
        self.tokens[i].is_given()
            && !self.tokens[i].is_ordinary()
            && i + 1 < end
            && (self.tokens[i + 1].is_person() || self.tokens[i + 1].is_unknown())
    }

    pub(super) fn person_behind(&mut self, run: usize, start: usize, end: usize) {
        let mut j = start;
        while j < end
            && j - start < MOST_PERSON_WORDS
            && self.uses[j] == Use::Free
            && !self.tokens[j].lists.is_rule_word()
            && (!self.tokens[j].is(List::Article) || j > start && self.tokens[j].is(List::Particle))
            && (!self.tokens[j].is(List::Particle) || self.leads_on(j, end))
        {
            j += 1;
        }
        if j == start {
            return;
        }
        let first = self.tokens[start];
        let is_known = longest(first.names.well_known, j - start)
            .max(longest(first.names.of(Category::Organisation), j - start))
            > 0;
        let has_person = (start..j).any(|i| self.tokens[i].is_person());
        let is_single_ordinary = j - start == 1 && first.is_ordinary() && !first.is_person();
        if (is_known && !first.is_person())
            || first.is_other()
            || is_single_ordinary
            || self.is_acronym(start)
            || (is_known && !has_person)
        {
            return;
        }
        self.take(Category::Person, How::Rule, run, start..j);
    }
}
