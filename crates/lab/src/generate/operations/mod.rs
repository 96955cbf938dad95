//! What the operations do: each reads a text, makes its random choices and returns edits.
//!
//! Nothing is edited here. An operation returns [`Edit`]s, and the same code applies them when a
//! document is made and when it is made again.

mod blocks;
mod characters;
mod plant;
mod sizes;
mod words;

use std::collections::BTreeSet;
use std::ops::Range;

use retold_core::document::Span;

pub(super) use self::plant::{eligible, plant};
use super::collection::{Collection, Source};
use super::draw::Draw;
use super::edit::{Draft, Edit, Put};
use super::log::{Amount, Changed};
use super::plan::{Operation, Place, Unit};
use super::units::{units, word_spans, words_in};

/// The text that an operation is applied to.
pub(super) struct Work<'a> {
    pub(super) collection: &'a Collection,
    /// Number of the input it is made of; foreign text never comes from this one.
    pub(super) own: Option<usize>,
    pub(super) text: &'a str,
    /// Places of its words.
    pub(super) words: Vec<Span>,
    /// Words that replace others.
    pub(super) dictionary: &'a [String],
    pub(super) draw: &'a mut Draw,
}

/// What an operation wants to be done.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) edits: Vec<Edit>,
    pub(super) changed: Changed,
    pub(super) notes: Vec<String>,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        collection: &'a Collection,
        own: Option<usize>,
        draft: &'a Draft,
        dictionary: &'a [String],
        draw: &'a mut Draw,
    ) -> Self {
        let text = draft.text();
        Self { collection, own, text, words: word_spans(text), dictionary, draw }
    }

    /// Makes the choices of an operation.
    pub(super) fn want(&mut self, operation: &Operation) -> Wanted {
        match operation {
            Operation::Reorder { percent, unit } => blocks::reorder(self, *percent, *unit),
            Operation::Delete { percent, unit } => blocks::delete(self, *percent, *unit),
            Operation::AddForeign { percent, unit } => blocks::add_foreign(self, *percent, *unit),
            Operation::AddRepeated { amount, repeats, unit } => {
                blocks::add_repeated(self, *amount as usize, *repeats as usize, *unit)
            }
            Operation::ReplaceWords { percent } => words::replace(self, *percent),
            Operation::ZeroWidth { percent } => words::zero_width(self, *percent),
            Operation::Hyphens { percent } => words::hyphens(self, *percent),
            Operation::Spaces { percent } => words::spaces(self, *percent),
            Operation::ReplaceCharacters { pairs, percent } => {
                characters::replace(self, pairs, *percent)
            }
            Operation::Ocr { percent, table } => characters::ocr(self, table, *percent),
            Operation::Homoglyphs { percent } => characters::homoglyphs(self, *percent),
            Operation::Contain { ratio, place } => sizes::contain(self, *ratio, *place),
            Operation::Excerpt { ratio, place } => sizes::excerpt(self, *ratio, *place),
            Operation::Plant { sources, unit, amount, from, into } => {
                let found = eligible(self, *unit, *amount, *sources as usize);
                let mut wanted = plant(self, &found, *unit, *amount, *from, *into);
                if !found.is_empty() {
                    wanted.note_found(found.len(), *sources as usize);
                }
                wanted
            }
        }
    }

    fn units(&self, unit: Unit) -> Vec<Range<usize>> {
        units(self.text, unit, &self.words)
    }

    /// Returns the number of words in a stretch.
    fn n_words(&self, at: &Range<usize>) -> usize {
        words_in(&self.words, at).len()
    }

    /// Draws another document that `suits`, never one with this document's text; `None` if there
    /// is none.
    fn draw_other(&mut self, mut suits: impl FnMut(usize, &Source) -> bool) -> Option<usize> {
        let n_all = self.collection.len();
        if n_all == 0 {
            return None;
        }
        let own = self.own.map(|own| self.collection.source(own).hash);
        let start = self.draw.below(n_all);
        // Starts at a random document and takes the next one that is suitable.
        (0..n_all).map(|i| (start + i) % n_all).find(|&number| {
            let source = self.collection.source(number);
            Some(number) != self.own && Some(source.hash) != own && suits(number, source)
        })
    }

    /// Draws a number of units before which something is put.
    fn draw_place(&mut self, place: Place, n_units: usize) -> usize {
        match place {
            Place::Begin => 0,
            Place::Middle => n_units / 2,
            Place::End => n_units,
            Place::Any => self.draw.below(n_units + 1),
        }
    }
}

/// Draws documents one after the other, none twice before all were drawn.
#[derive(Default)]
struct Unused {
    used: BTreeSet<usize>,
    /// Whether all were drawn and drawing began anew.
    is_repeated: bool,
}

impl Unused {
    /// Draws the next document for which `suits` returns true; `None` if there is none at all.
    fn draw(
        &mut self,
        work: &mut Work<'_>,
        mut suits: impl FnMut(&Source) -> bool,
    ) -> Option<usize> {
        let used = &self.used;
        let mut found = work.draw_other(|number, source| !used.contains(&number) && suits(source));
        if found.is_none() && !self.used.is_empty() {
            self.used.clear();
            self.is_repeated = true;
            found = work.draw_other(|_, source| suits(source));
        }
        self.used.extend(found);
        found
    }
}

/// Returns a range as a span; texts are shorter than the largest span.
fn span(range: &Range<usize>) -> Span {
    Span::new(range.start as u32, range.end as u32)
}

/// Returns the text that separates two units.
fn between(unit: Unit) -> &'static str {
    match unit {
        Unit::Paragraph => "\n\n",
        Unit::Line => "\n",
        Unit::Sentence | Unit::Word => " ",
        Unit::Character => "",
    }
}

/// Returns the edit that inserts `copy` before the unit with the number `place`, or after the
/// last.
fn insert(text: &str, units: &[Range<usize>], place: usize, unit: Unit, copy: Put) -> Edit {
    let apart = || Put::Text(between(unit).to_owned());
    match (units.get(place), units.last()) {
        (Some(next), _) => {
            let mut put = vec![copy, apart()];
            // Words without a space before them would run into each other.
            if unit == Unit::Word && text[..next.start].ends_with(char::is_alphanumeric) {
                put.insert(0, apart());
            }
            Edit::replace(span(&(next.start..next.start)), put)
        }
        (None, Some(last)) => Edit::replace(span(&(last.end..last.end)), vec![apart(), copy]),
        (None, None) => Edit::replace(span(&(text.len()..text.len())), vec![copy]),
    }
}

/// Puts edits into the order of the text; those at one place stay as they are.
fn in_order(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| edit.at.start);
    edits
}

impl Amount {
    fn stretch(&mut self, n_units: usize, words: usize, text: &str) {
        self.add(words, text);
        self.units += n_units - 1;
    }
}
