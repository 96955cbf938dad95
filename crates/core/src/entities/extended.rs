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

use std::collections::HashMap;
use std::ops::Range;

use super::gazetteer::{Gazetteer, Lengths};
use super::knowledge::Extension;
use super::rules::{List, Lists};
use super::{Category, Entities, Entity, How, Run, Word};
use crate::document::Span;
use crate::hash::{self, Prehashed};
use crate::segment::words::fold_word;

/// Longest name that a rule finds, in words.
const MOST_WORDS: usize = 9;

/// Most words of a person.
const MOST_PERSON_WORDS: usize = 4;

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

/// A word with what is known of it.
#[derive(Clone, Copy, Debug)]
struct Token {
    lists: Lists,
    names: Lengths,
    other: u32,
    /// All in capitals, at least two.
    is_shouted: bool,
    letters: usize,
}

impl Token {
    fn is(self, list: List) -> bool {
        self.lists.has(list)
    }

    fn is_suffix(self) -> bool {
        self.is(List::LocationSuffix) || self.is(List::OrganisationSuffix)
    }

    fn is_person(self) -> bool {
        self.names.of(Category::Person) & 1 != 0
    }

    /// A person by this word alone.
    fn is_person_alone(self) -> bool {
        self.names.alone & 1 != 0
    }

    fn is_given(self) -> bool {
        self.names.given & 1 != 0
    }

    fn is_place(self) -> bool {
        self.names.well_known & 1 != 0
    }

    fn is_organisation(self) -> bool {
        self.names.of(Category::Organisation) & 1 != 0
    }

    fn is_ordinary(self) -> bool {
        self.is(List::Ordinary)
    }

    fn is_other(self) -> bool {
        self.other & 1 != 0
    }

    /// Nothing is known of it.
    fn is_unknown(self) -> bool {
        !self.is_ordinary()
            && !self.is_other()
            && !self.lists.is_rule_word()
            && !self.is_place()
            && !self.is_organisation()
    }
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
pub(super) fn classified(
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

    /// Passes over what is written with capitals and is no name.
    fn pass_others(&mut self, at: Range<usize>) {
        for i in at.clone() {
            let n = longest(self.tokens[i].other, at.end - i);
            let named = self.longest_name(i, at.end).map_or(0, |(_, n)| n);
            if n > 1 && n >= named && self.uses[i] == Use::Free {
                self.uses[i..i + n].fill(Use::Passed);
            }
        }
    }

    /// Passes over cups, laws, festivals and the like, with all words before their last.
    fn pass_events(&mut self, run: usize, at: Range<usize>) {
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
    fn by_suffix(&mut self, run: usize, at: Range<usize>) {
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
    fn is_whole_name(&self, i: usize) -> bool {
        self.tokens[i].is_place() || self.tokens[i].is_organisation()
    }

    /// Returns where a name begins: behind words that begin sentences.
    fn trimmed(&self, run: usize, words: Range<usize>) -> usize {
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

    fn take_with_places(&mut self, run: usize, words: Range<usize>) {
        let last = self.tokens[words.end - 1];
        let is_organisation = last.is(List::OrganisationSuffix)
            && !(last.is(List::LocationSuffix) && !last.is_organisation());
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
    fn by_title(&mut self, run: usize, at: Range<usize>) {
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
    fn names_in_office(&mut self, run: usize, at: Range<usize>, is_minister: bool) {
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

    /// Returns whether a given name begins here and another word follows.
    fn is_full_name(&self, i: usize, end: usize) -> bool {
        self.tokens[i].is_given()
            && !self.tokens[i].is_ordinary()
            && i + 1 < end
            && (self.tokens[i + 1].is_person() || self.tokens[i + 1].is_unknown())
    }

    fn person_behind(&mut self, run: usize, start: usize, end: usize) {
        let mut j = start;
        while j < end
            && j - start < MOST_PERSON_WORDS
            && self.uses[j] == Use::Free
            && !self.tokens[j].lists.is_rule_word()
            && !self.tokens[j].is(List::Article)
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

    /// Returns the category and length of the longest name of the gazetteer at a word.
    fn longest_name(&self, i: usize, end: usize) -> Option<(Category, usize)> {
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
    fn by_long_names(&mut self, run: usize, at: Range<usize>) {
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
    fn persons(&mut self, run: usize, at: Range<usize>, is_headline: bool) {
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
                if end + 1 < at.end && next.is(List::Particle) || next.letters == 1 {
                    end += 1;
                    continue;
                }
                let goes_on = !next.lists.is_rule_word()
                    && !next.is(List::Article)
                    && !next.is_other()
                    && (next.is_person()
                        || (token.is_given()
                            && !has_family
                            && !(is_headline && next.is_ordinary())));
                let is_team = (next.is_organisation() || next.is_place()) && !next.is_person();
                if !goes_on || is_team && self.tokens[i].is_ordinary() {
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
                !(token.is_organisation() && !self.tokens[end - 1].is_person())
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
    fn by_single_names(&mut self, run: usize, at: Range<usize>) {
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
    fn in_context(&self, category: Category, i: usize, n: usize) -> Category {
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
    fn by_noun_behind(&mut self, piece: &Piece) -> bool {
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
            || words.len() > 3
        {
            return false;
        }
        self.take(category, How::Context, piece.run, words);
        true
    }

    /// Takes pieces that are parts of names anywhere in the document.
    fn meet_again(&mut self) {
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
            let Piece { words, run, .. } = self.pieces[p].clone();
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
            let is_weak = has_ordinary
                && (category != Category::Person
                    || is_starter
                    || !is_family
                    || self.tokens[words.start].is_shouted);
            if is_weak || self.tokens[words.start].is_other() {
                continue;
            }
            self.take(category, How::Partial, run, words);
            self.pieces[p].is_open = false;
        }
    }

    /// Takes words in a list beside names.
    fn follow_lists(&mut self) {
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
                let left = run.checked_sub(1).and_then(|other| beside(other, other, run));
                let right = Some(run + 1)
                    .filter(|&other| other < self.runs.len())
                    .and_then(|other| beside(other, run, other));
                let has_ordinary = words.clone().any(|i| self.tokens[i].is_ordinary());
                if left != right && self.begins(run, words.start) {
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

    /// Returns whether two runs are neighbours in a list: a comma between them, or a number and a
    /// comma, or a word such as `ve`.
    fn is_list_gap(&self, first: usize, second: usize) -> bool {
        let last = self.runs[first].words.end - 1;
        let gap =
            &self.text[self.words[last].span.end as usize..self.runs[second].span.start as usize];
        let gap = gap.trim();
        if gap.len() > 12 || gap.contains('\n') {
            return false;
        }
        let is_sign = |c: char| c.is_ascii_digit() || c.is_whitespace() || "(),;'+-.".contains(c);
        matches!(gap, "ve" | "ile")
            || (gap.contains([',', ';', '(']) && gap.chars().all(is_sign) && !gap.contains(". "))
    }

    /// Guesses from the form of what is left.
    fn guess(&mut self) {
        for p in 0..self.pieces.len() {
            let Piece { words, run, is_open, is_headline } = self.pieces[p].clone();
            if !is_open || is_headline {
                continue;
            }
            let first = self.tokens[words.start];
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
            if self.are_initials(&words) {
                self.take(Category::Person, How::Context, run, words);
            } else if words.len() == 1
                && self.is_acronym(words.start)
                && !self.is_among_numbers(words.start)
            {
                self.take(Category::Organisation, How::Context, run, words);
            } else if words.len() == 1 && !first.is_ordinary() && self.is_club(words.start) {
                self.take(Category::Organisation, How::Context, run, words);
            } else if (2..=3).contains(&words.len())
                && words.clone().all(is_named_by_form)
                && !self.is_quoted(&words)
            {
                self.take(Category::Person, How::Context, run, words);
            }
        }
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

/// Returns whether a word says where somebody is from: `Denizlili`, `İzmirli`.
fn is_of_a_place(gazetteer: &Gazetteer, extension: &Extension, form: &str) -> bool {
    let stem = ["li", "lı", "lu", "lü"].iter().find_map(|ending| form.strip_suffix(ending));
    let Some(stem) = stem.filter(|stem| stem.len() > 2) else { return false };
    let mut folded = String::with_capacity(stem.len());
    fold_word(stem, extension.rules.folding(), &mut folded);
    let word =
        Word { span: Span::new(0, 0), hash: hash::word(folded.as_bytes(), 0), is_cut: false };
    gazetteer.lengths("", &[word]).well_known & 1 != 0
}

/// Returns the lists of a word with a capital, of its uninflected form if it is on none.
fn rules_of(extension: &Extension, word: Word, form: &str) -> Lists {
    let lists = extension.rules.of(word.hash);
    if lists.is_rule_word() || word.is_cut {
        return lists;
    }
    let mut folded = String::with_capacity(form.len());
    fold_word(form, extension.rules.folding(), &mut folded);
    let stem = inflected(extension, &folded);
    if stem.is_suffix_of(Category::Location) || stem.is_suffix_of(Category::Organisation) {
        stem
    } else {
        lists
    }
}

/// Returns the lists of a word; if it is on none, those of the word before its case ending, which is
/// `n` and more behind a possessive (`ilçesinde` is `ilçesi`).
fn inflected(extension: &Extension, word: &str) -> Lists {
    const ENDINGS: [&str; 14] = [
        "nin", "nın", "nun", "nün", "nde", "nda", "nden", "ndan", "ndeki", "ndaki", "ne", "na",
        "ni", "nı",
    ];
    let of = |word: &str| extension.rules.of(hash::word(word.as_bytes(), 0));
    let lists = of(word);
    if lists.is_rule_word()
        || lists.has(List::SmallTitle)
        || lists.has(List::LocationNoun)
        || lists.has(List::OrganisationNoun)
    {
        return lists;
    }
    let stems = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending));
    stems
        .filter(|stem| stem.ends_with(['ı', 'i', 'u', 'ü']))
        .map(of)
        .find(|lists| {
            *lists != Lists::default() && !lists.has(List::Ordinary)
                || lists.is_rule_word()
                || lists.has(List::LocationNoun)
                || lists.has(List::OrganisationNoun)
        })
        .unwrap_or(lists)
}

/// Returns the longest of some lengths that is at most `most`; 0 if there is none.
fn longest(lengths: u32, most: usize) -> usize {
    let within = lengths & u32::MAX.checked_shl(most as u32).map_or(u32::MAX, |mask| !mask);
    (u32::BITS - within.leading_zeros()) as usize
}

/// Returns whether an age in brackets follows.
fn has_age(behind: &str) -> bool {
    let mut chars = behind.trim_start_matches(' ').chars();
    chars.next() == Some('(')
        && chars.next().is_some_and(|c| c.is_ascii_digit())
        && chars.next().is_some_and(|c| c.is_ascii_digit())
        && chars.next() == Some(')')
}

const START: u64 = 0x1b87_3593_cc9e_2d51;

fn step(key: u64, word: u64) -> u64 {
    hash::mix(key.wrapping_mul(31) ^ word)
}
