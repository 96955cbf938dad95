//! Planting: stretches of other documents, as paragraphs.

use super::{Unused, Wanted, Work, in_order, insert, span};
use crate::generate::edit::Put;
use crate::generate::plan::{Extent, Place, Unit};
use crate::generate::units::{units, words_in};

/// Draws documents that have enough units to take a stretch from, each once.
pub(in crate::generate) fn eligible(
    work: &mut Work<'_>,
    unit: Unit,
    amount: Extent,
    n: usize,
) -> Vec<usize> {
    let mut unused = Unused::default();
    let mut found = Vec::new();
    while found.len() < n {
        let drawn = unused.draw(work, |source| {
            units(source.text(), unit, source.spans()).len() >= amount.least as usize
        });
        match drawn {
            Some(number) if !unused.is_repeated => found.push(number),
            _ => break,
        }
    }
    found
}

/// Plants a stretch of each of some documents.
pub(in crate::generate) fn plant(
    work: &mut Work<'_>,
    documents: &[usize],
    unit: Unit,
    amount: Extent,
    from: Place,
    into: Place,
) -> Wanted {
    let own = work.units(Unit::Paragraph);
    let mut wanted = Wanted::default();
    if documents.is_empty() {
        let least = amount.least;
        wanted.notes.push(format!("there is no other document of at least {least} {unit}s"));
    }
    for (i, &number) in documents.iter().enumerate() {
        let source = work.collection.source(number);
        let theirs = units(source.text(), unit, source.spans());
        let n = work.draw.within(amount).min(theirs.len());
        if n == 0 {
            continue;
        }
        let first = match from {
            Place::Begin => 0,
            Place::Middle => (theirs.len() - n) / 2,
            Place::End => theirs.len() - n,
            Place::Any => work.draw.below(theirs.len() - n + 1),
        };
        let at = theirs[first].start..theirs[first + n - 1].end;
        let copy = Put::Copy {
            from: Some(source.document.id.clone()),
            span: span(&at),
            unit: Some(first),
        };
        let place = work.draw_place(into, own.len());
        let mut edit = insert(work.text, &own, place, Unit::Paragraph, copy);
        // In a text without paragraphs only the previous planted stretch needs a separator.
        if own.is_empty() && i > 0 {
            edit.put.insert(0, Put::Text("\n\n".to_owned()));
        }
        wanted.edits.push(edit);
        let n_words = words_in(source.spans(), &at).len();
        wanted.changed.added.stretch(n, n_words, &source.text()[at]);
    }
    wanted.edits = in_order(wanted.edits);
    wanted
}

impl Wanted {
    /// Says that fewer documents were found than asked for.
    pub(in crate::generate) fn note_found(&mut self, n_found: usize, n_wanted: usize) {
        if n_found < n_wanted {
            self.notes.push(format!("only {n_found} of {n_wanted} documents were found"));
        }
    }
}
