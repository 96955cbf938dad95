//! The three extractors: what a run of capitals names.
//!
//! Location, organisation, person; each by its rules, then by the gazetteer.
//! - A *suffix* ends a name that began behind the last rule hit of the run, and belongs to it. Its
//!   words are taken: the person extractor does not see them. `Merkezi` is a suffix of both
//!   places and organisations; the place wins, since it comes first.
//! - A suffix that is also a title (`Başbakanı`) ends a place's name before it and begins a
//!   person's behind it.
//! - A *title* before or behind a person's name reaches to the next rule word and does not belong
//!   to it.
//! - Names of the *gazetteer* are looked for longest first. Places and organisations are also
//!   found in words that are taken (a city in the name of its university); persons only in those
//!   that are left, and names beside each other are one person.

use std::ops::Range;

use super::gazetteer::Lengths;
use super::rules::{List, Lists};
use super::{Category, Entity, How, Knowledge, Word, entity};

/// What a word of a run was used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Free,
    /// Part of a name that a rule found.
    Taken,
    /// A person's title.
    Title,
}

/// Finds entities in runs; keeps its buffers from one to the next.
pub(super) struct Extractor<'a> {
    knowledge: &'a Knowledge,
    bare_suffixes: bool,
    lists: Vec<Lists>,
    uses: Vec<Use>,
    /// Names that begin at each word.
    lengths: Vec<Lengths>,
    /// The same of one category, without those that a longer name has taken.
    left: Vec<u32>,
    hits: Vec<(Category, How, Range<usize>)>,
}

impl<'a> Extractor<'a> {
    pub(super) fn new(knowledge: &'a Knowledge, bare_suffixes: bool) -> Self {
        Self {
            knowledge,
            bare_suffixes,
            lists: Vec::new(),
            uses: Vec::new(),
            lengths: Vec::new(),
            left: Vec::new(),
            hits: Vec::new(),
        }
    }

    /// Adds the entities of the run `run` of `words`, sorted.
    pub(super) fn extract(
        &mut self,
        text: &str,
        words: &[Word],
        run: Range<usize>,
        out: &mut Vec<Entity>,
    ) {
        let first = run.start;
        let of_run = &words[run];
        let rules = self.knowledge.rules();
        self.lists.clear();
        self.lists.extend(of_run.iter().map(|word| rules.of(word.hash)));
        self.uses.clear();
        self.uses.resize(of_run.len(), Use::Free);
        self.hits.clear();
        let gazetteer = self.knowledge.gazetteer();
        self.lengths.clear();
        self.lengths.extend((0..of_run.len()).map(|i| gazetteer.lengths(text, &of_run[i..])));
        self.by_head();
        for category in [Category::Location, Category::Organisation] {
            self.by_ending(category);
            self.by_name(category);
        }
        self.by_title();
        self.persons_by_name();
        // The surest way a name was found is the one that is told.
        self.hits.sort_by_key(|(category, how, at)| {
            (at.start, std::cmp::Reverse(at.end), *category, *how)
        });
        self.hits.dedup_by(|x, y| (x.0, &x.2) == (y.0, &y.2));
        out.extend(self.hits.drain(..).map(|(category, how, at)| {
            entity(category, how, words, first + at.start..first + at.end)
        }));
    }

    /// Finds names by their first word, if a joiner follows: `Bank of England`. They reach to the
    /// next title.
    fn by_head(&mut self) {
        let n = self.lists.len();
        let mut start = 0;
        let mut i = 0;
        while i < n {
            let heads = [Category::Organisation, Category::Location];
            let category = heads.into_iter().find(|&category| self.lists[i].is_head_of(category));
            match category {
                Some(category) if self.is_joiner(i + 1) && i + 2 < n => {
                    let is_end = |&j: &usize| self.lists[j].is_title() || self.is_joiner(j + 1);
                    let end = (i + 2..n).find(is_end).unwrap_or(n);
                    self.take(category, if end > i + 2 { start..end } else { 0..0 });
                    (start, i) = (end, end.max(i + 1));
                }
                _ if self.lists[i].is_title() || (i == start && !self.begins_name(i)) => {
                    (start, i) = (i + 1, i + 1);
                }
                _ => i += 1,
            }
        }
    }

    /// Finds names by their last word.
    fn by_ending(&mut self, category: Category) {
        let mut start = 0;
        for i in 0..self.lists.len() {
            let lists = self.lists[i];
            // `Secretary of State` is no state.
            let is_office = lists.is_title() && self.is_joiner(i + 1);
            if self.uses[i] != Use::Free || is_office {
                start = i + 1;
            } else if lists.is_suffix_of(category) {
                if category == Category::Location && lists.is_title() {
                    self.take(category, start..i);
                    self.uses[i] = Use::Title;
                } else if i > start || self.bare_suffixes {
                    self.take(category, start..i + 1);
                } else {
                    continue;
                }
                start = i + 1;
            } else if i == start && !self.begins_name(i) {
                start = i + 1;
            }
        }
    }

    fn begins_name(&self, i: usize) -> bool {
        !self.lists[i].has(List::Joiner) && !self.lists[i].has(List::Article)
    }

    fn is_joiner(&self, i: usize) -> bool {
        self.lists.get(i).is_some_and(|lists| lists.has(List::Joiner))
    }

    /// Notes a name that a rule found, if it has a word.
    fn take(&mut self, category: Category, words: Range<usize>) {
        if !words.is_empty() {
            self.uses[words.clone()].fill(Use::Taken);
            self.hits.push((category, How::Rule, words));
        }
    }

    /// Finds persons by the titles before and behind their names.
    fn by_title(&mut self) {
        let n = self.lists.len();
        let mut i = 0;
        while i < n {
            let is_title = self.lists[i].is_title() && self.uses[i] != Use::Taken;
            i += 1;
            if is_title {
                self.uses[i - 1] = Use::Title;
                let start = i;
                while i < n && self.is_open(i) {
                    i += 1;
                }
                self.take(Category::Person, start..i);
            }
        }
        let mut start = 0;
        for i in 0..n {
            if self.is_open(i) {
                continue;
            }
            if self.lists[i].has(List::PersonSuffix) && self.uses[i] == Use::Free {
                self.uses[i] = Use::Title;
                self.take(Category::Person, start..i);
            }
            start = i + 1;
        }
    }

    /// Returns whether a word may be part of a name that a title begins or ends.
    fn is_open(&self, i: usize) -> bool {
        self.uses[i] == Use::Free && !self.lists[i].is_rule_word()
    }

    /// Finds names of the gazetteer, the longest first, then from left to right.
    fn by_name(&mut self, category: Category) {
        let hits = self.names(0..self.lengths.len(), category);
        self.hits.extend(hits.into_iter().map(|at| (category, How::Gazetteer, at)));
    }

    /// Finds persons of the gazetteer in the words that are left, and joins neighbours.
    fn persons_by_name(&mut self) {
        let n = self.uses.len();
        let mut start = 0;
        while start < n {
            let is_free = |&i: &usize| self.uses[i] == Use::Free;
            let n_free = (start..n).take_while(is_free).count();
            let mut joined: Option<Range<usize>> = None;
            let mut hits = self.names(start..start + n_free, Category::Person);
            hits.sort_unstable_by_key(|at| at.start);
            for at in hits {
                joined = match joined {
                    Some(open) if open.end == at.start => Some(open.start..at.end),
                    open => {
                        self.hits.extend(open.map(|at| (Category::Person, How::Gazetteer, at)));
                        Some(at)
                    }
                };
            }
            self.hits.extend(joined.map(|at| (Category::Person, How::Gazetteer, at)));
            start += n_free + 1;
        }
    }

    /// Returns the names of a category in a stretch of the run: the longest first, none overlapping
    /// another.
    fn names(&mut self, within: Range<usize>, category: Category) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let (first, n) = (within.start, within.len());
        self.left.clear();
        self.left.extend(self.lengths[within].iter().enumerate().map(|(i, lengths)| {
            // Names end within the stretch.
            lengths.of(category)
                & u32::MAX.checked_shl(n as u32 - i as u32).map_or(u32::MAX, |m| !m)
        }));
        let all = self.left.iter().fold(0, |all, lengths| all | lengths);
        let mut longest = u32::BITS as usize - all.leading_zeros() as usize;
        while longest > 0 && self.left.iter().any(|&lengths| lengths != 0) {
            for start in 0..=n - longest {
                if self.left[start] & (1 << (longest - 1)) == 0 {
                    continue;
                }
                found.push(first + start..first + start + longest);
                self.left[start..start + longest].fill(0);
                // Shorter names before this one may still reach into it.
                for before in start.saturating_sub(longest - 1)..start {
                    self.left[before] &= (1 << (start - before)) - 1;
                }
            }
            longest -= 1;
        }
        found
    }
}
