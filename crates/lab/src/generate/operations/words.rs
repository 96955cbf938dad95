//! Operations on words: replace them, break them, put unseen characters into them.

use std::ops::Range;

use retold_core::document::Span;
use retold_core::segment::complex::is_cjk;

use super::{Wanted, Work, span};
use crate::generate::edit::{Edit, Put};
use crate::generate::plan::Percent;
use crate::generate::tables::ZERO_WIDTH;
use crate::generate::track::is_break;

/// Attempts to draw a word that differs from the one it replaces.
const MOST_TRIES: usize = 16;
/// Letters of the shortest word that is broken, and of the shortest piece of it.
const LEAST_BROKEN: usize = 5;
const LEAST_PIECE: usize = 2;

/// Replaces chosen words by words of the dictionary.
pub(super) fn replace(work: &mut Work<'_>, percent: Percent) -> Wanted {
    let mut wanted = Wanted::default();
    let dictionary = work.dictionary;
    if dictionary.is_empty() {
        return wanted;
    }
    let mut n_kept = 0;
    // End and last character of the previous new word: scripts without spaces let words touch.
    let mut last: Option<(usize, char)> = None;
    for number in work.draw.choose(percent.of(work.words.len()), work.words.len()) {
        let at = work.words[number].range();
        let was = &work.text[at.clone()];
        let other = (0..MOST_TRIES)
            .map(|_| &dictionary[work.draw.below(dictionary.len())])
            .find(|new| new.to_lowercase() != was.to_lowercase());
        let Some(new) = other else {
            n_kept += 1;
            continue;
        };
        let before = match last {
            Some((end, c)) if end == at.start => Some(c),
            _ => work.text[..at.start].chars().next_back(),
        };
        let left = apart(before, new.chars().next());
        let right = apart(new.chars().next_back(), work.text[at.end..].chars().next());
        let text = format!("{left}{new}{right}");
        last = text.chars().next_back().map(|c| (at.end, c));
        let put = vec![Put::Text(text)];
        wanted.edits.push(Edit::replace(span(&at), put).of_unit(number).of_text(was));
        wanted.changed.replaced.add(1, was);
    }
    if n_kept > 0 {
        wanted.notes.push(format!("no other word was found for {n_kept} words"));
    }
    wanted
}

/// Returns the separator that two characters need in order not to become one word.
fn apart(left: Option<char>, right: Option<char>) -> &'static str {
    let (Some(left), Some(right)) = (left, right) else { return "" };
    let are_two = is_break(left) || is_break(right) || is_cjk(left) && is_cjk(right);
    if are_two { "" } else { " " }
}

/// Inserts invisible characters into chosen words.
pub(super) fn zero_width(work: &mut Work<'_>, percent: Percent) -> Wanted {
    let mut wanted = Wanted::default();
    for number in work.draw.choose(percent.of(work.words.len()), work.words.len()) {
        let at = work.words[number].range();
        let word = &work.text[at.clone()];
        // The character goes between two letters or digits, where it does not end the word, or
        // before a word that has no such place.
        let borders: Vec<usize> = word
            .char_indices()
            .skip(1)
            .map(|(at, _)| at)
            .filter(|&at| {
                word[..at].ends_with(char::is_alphanumeric)
                    && word[at..].starts_with(char::is_alphanumeric)
            })
            .collect();
        let border = match borders.len() {
            0 => 0,
            n => borders[work.draw.below(n)],
        };
        let unseen = ZERO_WIDTH[work.draw.below(ZERO_WIDTH.len())];
        let border = at.start + border;
        let put = vec![Put::Text(unseen.to_string())];
        wanted.edits.push(Edit::replace(span(&(border..border)), put).of_unit(number));
        wanted.changed.added.units += 1;
        wanted.changed.added.characters += 1;
    }
    wanted
}

/// Breaks chosen long words over two lines.
pub(super) fn hyphens(work: &mut Work<'_>, percent: Percent) -> Wanted {
    break_words(work, percent, |work, word| (inside(work, word), "-\n"))
}

/// Breaks chosen long words in two, or joins them with the word before.
pub(super) fn spaces(work: &mut Work<'_>, percent: Percent) -> Wanted {
    break_words(work, percent, |work, word| {
        let has_space = word.start > 0 && work.text.as_bytes()[word.start - 1] == b' ';
        if has_space && work.draw.below(2) == 1 {
            (word.start - 1..word.start, "")
        } else {
            (inside(work, word), " ")
        }
    })
}

/// Replaces a stretch in or before each of a share of the long words.
fn break_words(
    work: &mut Work<'_>,
    percent: Percent,
    stretch: impl Fn(&mut Work<'_>, Range<usize>) -> (Range<usize>, &'static str),
) -> Wanted {
    let is_long = |word: &Span| {
        let word = &work.text[word.range()];
        word.chars().all(char::is_alphanumeric)
            && !word.chars().any(is_cjk)
            && word.chars().filter(|c| c.is_alphabetic()).count() >= LEAST_BROKEN
    };
    let long: Vec<usize> =
        (0..work.words.len()).filter(|&number| is_long(&work.words[number])).collect();
    let mut wanted = Wanted::default();
    for chosen in work.draw.choose(percent.of(long.len()), long.len()) {
        let (number, word) = (long[chosen], work.words[long[chosen]].range());
        let (at, text) = stretch(work, word);
        let n_put = text.chars().count();
        let put = if text.is_empty() { Vec::new() } else { vec![Put::Text(text.to_owned())] };
        let edit = Edit::replace(span(&at), put).of_unit(number);
        let changed = &mut wanted.changed;
        if at.is_empty() {
            changed.added.units += 1;
            changed.added.characters += n_put;
            wanted.edits.push(edit);
        } else {
            changed.deleted.units += 1;
            changed.deleted.characters += at.len();
            wanted.edits.push(edit.of_text(&work.text[at]));
        }
    }
    wanted
}

/// Draws a place inside of a word that leaves a piece on either side.
fn inside(work: &mut Work<'_>, word: Range<usize>) -> Range<usize> {
    let text = &work.text[word.clone()];
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(LEAST_PIECE).collect();
    let at = word.start + places[work.draw.below(places.len() + 1 - LEAST_PIECE)];
    at..at
}
