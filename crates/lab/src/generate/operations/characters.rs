//! Operations on characters: replace them, misread them, disguise them.

use super::{Wanted, Work, span};
use crate::generate::edit::{Edit, Put};
use crate::generate::plan::Percent;
use crate::generate::tables::{HOMOGLYPHS, OCR};

/// A stretch that may be replaced, and by what.
struct Chance<'a> {
    start: usize,
    from: &'a str,
    to: &'a str,
}

/// Replaces characters, at all of their occurrences or at a share of them.
pub(super) fn replace(work: &mut Work<'_>, pairs: &[(String, String)], percent: Percent) -> Wanted {
    // Of several that begin at one place the longest counts.
    let longest = |rest: &str| {
        let fits = pairs.iter().filter(|(from, _)| rest.starts_with(from.as_str()));
        fits.max_by_key(|(from, _)| from.len()).map(|(from, to)| (from.as_str(), to.as_str()))
    };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = work.text[at..].chars().next() {
        let n = match longest(&work.text[at..]) {
            Some((from, to)) => {
                found.push(Chance { start: at, from, to });
                from.len()
            }
            None => c.len_utf8(),
        };
        at += n;
    }
    let chosen = work.draw.choose(percent.of(found.len()), found.len());
    done(work, chosen.into_iter().map(|i| &found[i]))
}

/// Replaces characters by others that look like them.
pub(super) fn ocr(work: &mut Work<'_>, table: &[(String, String)], percent: Percent) -> Wanted {
    let own: Vec<(&str, &str)> = table.iter().map(|(f, t)| (f.as_str(), t.as_str())).collect();
    let table = if own.is_empty() { OCR } else { &own };
    let n_seen = work.text.chars().filter(|c| !c.is_whitespace()).count();
    taken(work, table, percent.of(n_seen))
}

/// Replaces letters by letters of other alphabets that look the same.
pub(super) fn homoglyphs(work: &mut Work<'_>, percent: Percent) -> Wanted {
    let has_twin = |c: char| HOMOGLYPHS.iter().any(|(from, _)| from.starts_with(c));
    let n = work.text.chars().filter(|&c| has_twin(c)).count();
    taken(work, HOMOGLYPHS, percent.of(n))
}

/// Chooses at random up to `n` of the replacements that `table` allows in the text. No two of them
/// overlap.
fn taken(work: &mut Work<'_>, table: &[(&str, &str)], n: usize) -> Wanted {
    let mut all = Vec::new();
    for (start, _) in work.text.char_indices() {
        let fits = table.iter().filter(|(from, _)| work.text[start..].starts_with(from));
        all.extend(fits.map(|&(from, to)| Chance { start, from, to }));
    }
    let mut is_taken = vec![false; work.text.len()];
    let mut chosen = Vec::new();
    for i in work.draw.some(all.len(), all.len()) {
        if chosen.len() == n {
            break;
        }
        let Chance { start, from, .. } = all[i];
        let bytes = &mut is_taken[start..start + from.len()];
        if bytes.iter().all(|is_taken| !is_taken) {
            bytes.fill(true);
            chosen.push(i);
        }
    }
    chosen.sort_unstable();
    let n_chosen = chosen.len();
    let mut wanted = done(work, chosen.into_iter().map(|i| &all[i]));
    if n_chosen < n {
        wanted.notes.push(format!("only {n_chosen} of {n} could be changed"));
    }
    wanted
}

/// Turns chosen replacements into edits.
fn done<'a>(work: &Work<'_>, chosen: impl Iterator<Item = &'a Chance<'a>>) -> Wanted {
    let mut wanted = Wanted::default();
    let mut next_word = 0;
    for Chance { start, from, to } in chosen {
        let at = *start..start + from.len();
        let put = if to.is_empty() { Vec::new() } else { vec![Put::Text((*to).to_owned())] };
        wanted.edits.push(Edit::replace(span(&at), put).of_text(from));
        let replaced = &mut wanted.changed.replaced;
        replaced.units += 1;
        replaced.characters += from.chars().count();
        // A word counts once, however many of its characters change.
        while work.words.get(next_word).is_some_and(|word| (word.end as usize) <= at.start) {
            next_word += 1;
        }
        while work.words.get(next_word).is_some_and(|word| (word.start as usize) < at.end) {
            replaced.words += 1;
            next_word += 1;
        }
    }
    wanted
}
