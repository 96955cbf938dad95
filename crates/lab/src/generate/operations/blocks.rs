//! Operations on blocks of text: reorder, delete, add foreign ones, add repeated ones.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Wanted, Work, in_order, insert, span};
use crate::generate::edit::{Edit, Put};
use crate::generate::plan::{Percent, Unit};
use crate::generate::units::{units, words_in};

/// Lets chosen units change places with each other.
pub(super) fn reorder(work: &mut Work<'_>, percent: Percent, unit: Unit) -> Wanted {
    let units = work.units(unit);
    let mut wanted = Wanted::default();
    let chosen = work.draw.choose(percent.of(units.len()), units.len());
    if chosen.len() < 2 {
        if chosen.len() == 1 {
            wanted.notes.push(format!("one {unit} alone has no place to change with"));
        }
        return wanted;
    }
    let cycle = work.draw.cycle(chosen.len());
    for (&to, from) in chosen.iter().zip(cycle) {
        let from = chosen[from];
        let comes = Put::Copy { from: None, span: span(&units[from]), unit: Some(from) };
        wanted.edits.push(Edit::replace(span(&units[to]), vec![comes]).of_unit(to));
        let n_words = work.n_words(&units[to]);
        wanted.changed.moved.add(n_words, &work.text[units[to].clone()]);
    }
    wanted
}

/// Deletes chosen units; one always stays.
pub(super) fn delete(work: &mut Work<'_>, percent: Percent, unit: Unit) -> Wanted {
    let units = work.units(unit);
    let mut wanted = Wanted::default();
    let asked = percent.of(units.len());
    let n = asked.min(units.len().saturating_sub(1));
    if n < asked {
        wanted.notes.push(format!("one {unit} always stays: {n} of {asked} went"));
    }
    let chosen = work.draw.choose(n, units.len());
    for (&number, at) in chosen.iter().zip(cuts(work.text, &units, &chosen)) {
        wanted.edits.push(Edit::delete(span(&at)).of_unit(number));
        let n_words = work.n_words(&units[number]);
        wanted.changed.deleted.add(n_words, &work.text[units[number].clone()]);
    }
    wanted
}

/// Returns for each chosen unit the range to delete: the unit and the gap after or before it. Of
/// the gaps between two units that stay, the strongest separator is left.
fn cuts(text: &str, units: &[Range<usize>], chosen: &[usize]) -> Vec<Range<usize>> {
    let with_next = |i: usize| units[i].start..units[i + 1].start;
    let with_last = |i: usize| units[i - 1].end..units[i].end;
    let mut out = Vec::with_capacity(chosen.len());
    for run in chosen.chunk_by(|a, b| a + 1 == *b) {
        let (first, last) = (run[0], run[run.len() - 1]);
        let is_end = last + 1 == units.len();
        for &i in run {
            out.push(match (first == 0, is_end) {
                (true, true) if i == 0 => units[0].clone(),
                (_, true) => with_last(i),
                (true, false) => with_next(i),
                (false, false) => {
                    // Gap g follows unit g; the first of the strongest gaps stays.
                    let gap = |g: usize| strength(&text[units[g].end..units[g + 1].start]);
                    let kept = (first - 1..=last).rev().max_by_key(|&g| gap(g)).unwrap_or(first);
                    if i <= kept { with_last(i) } else { with_next(i) }
                }
            });
        }
    }
    out
}

/// Returns how strongly a gap separates the text around it.
fn strength(gap: &str) -> u8 {
    let n_line_ends = gap.matches(['\n', '\u{2028}']).count();
    if n_line_ends > 1 || gap.contains('\u{2029}') {
        4
    } else if gap.contains(['.', '!', '?', '…', '。', '！', '？']) {
        3
    } else if n_line_ends > 0 {
        2
    } else {
        u8::from(!gap.trim().is_empty())
    }
}

/// Inserts units of other documents.
pub(super) fn add_foreign(work: &mut Work<'_>, percent: Percent, unit: Unit) -> Wanted {
    let own = work.units(unit);
    let mut wanted = Wanted::default();
    let mut taken = BTreeSet::new();
    for _ in 0..percent.of(own.len()) {
        let Some(number) = work.draw_other(|_, source| !source.spans().is_empty()) else {
            wanted.notes.push("there is no other document to take from".to_owned());
            return Wanted { notes: wanted.notes, ..Wanted::default() };
        };
        let collection = work.collection;
        let source = collection.source(number);
        let theirs = units(source.text(), unit, source.spans());
        // A unit that was taken already is drawn again, a few times only: there may be no other.
        let mut which = work.draw.below(theirs.len());
        for _ in 0..8 {
            if taken.insert((number, which)) {
                break;
            }
            which = work.draw.below(theirs.len());
        }
        let at = &theirs[which];
        let comes =
            Put::Copy { from: Some(source.document.id.clone()), span: span(at), unit: Some(which) };
        let place = work.draw.below(own.len() + 1);
        wanted.edits.push(insert(work.text, &own, place, unit, comes));
        let n_words = words_in(source.spans(), at).len();
        wanted.changed.added.add(n_words, &source.text()[at.clone()]);
    }
    wanted.edits = in_order(wanted.edits);
    wanted
}

/// Repeats chosen units.
pub(super) fn add_repeated(
    work: &mut Work<'_>,
    amount: usize,
    repeats: usize,
    unit: Unit,
) -> Wanted {
    let units = work.units(unit);
    let mut wanted = Wanted::default();
    if amount > units.len() {
        wanted.notes.push(format!("there are only {} {unit}s to repeat", units.len()));
    }
    for number in work.draw.choose(amount, units.len()) {
        for _ in 0..repeats {
            let again = Put::Copy { from: None, span: span(&units[number]), unit: Some(number) };
            let place = work.draw.below(units.len() + 1);
            wanted.edits.push(insert(work.text, &units, place, unit, again));
            let n_words = work.n_words(&units[number]);
            wanted.changed.added.add(n_words, &work.text[units[number].clone()]);
        }
    }
    wanted.edits = in_order(wanted.edits);
    wanted
}
