//! Operations on words: replace them, put unseen characters into them.

use retold_core::segment::complex::is_cjk;

use super::{Wanted, Work, span};
use crate::generate::edit::{Edit, Put};
use crate::generate::plan::Percent;
use crate::generate::tables::ZERO_WIDTH;
use crate::generate::track::is_break;

/// Attempts to draw a word that differs from the one it replaces.
const MOST_TRIES: usize = 16;

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
