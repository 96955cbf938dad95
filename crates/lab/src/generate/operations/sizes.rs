//! Operations on size: a document becomes a part of a larger one, or a part of itself.

use super::{Unused, Wanted, Work, span};
use crate::generate::edit::{Edit, Put};
use crate::generate::plan::{Place, Ratio, Unit};
use crate::generate::units::{units, words_in};

/// Adds text of other documents until the whole has `ratio` times as many words.
pub(super) fn contain(work: &mut Work<'_>, ratio: Ratio, place: Place) -> Wanted {
    let mut wanted = Wanted::default();
    let n_words = work.words.len();
    let n_filler = n_words.saturating_mul(ratio.whole() as usize - 1);
    if n_words == 0 {
        wanted.notes.push("there are no words to put among others".to_owned());
        return wanted;
    }
    let n_before = match place {
        Place::Begin => 0,
        Place::Middle => n_filler / 2,
        Place::End => n_filler,
        Place::Any => work.draw.below(n_filler + 1),
    };
    let mut unused = Unused::default();
    let before = filler(work, n_before, &mut unused, &mut wanted);
    let after = filler(work, n_filler - n_before, &mut unused, &mut wanted);
    let apart = || Put::Text("\n\n".to_owned());
    if !before.is_empty() {
        let put = before.into_iter().flat_map(|copy| [copy, apart()]).collect();
        wanted.edits.push(Edit::replace(span(&(0..0)), put));
    }
    if !after.is_empty() {
        let put = after.into_iter().flat_map(|copy| [apart(), copy]).collect();
        let end = work.text.len();
        wanted.edits.push(Edit::replace(span(&(end..end)), put));
    }
    if unused.is_repeated {
        wanted.notes.push("the other documents do not suffice; some come more than once".into());
    }
    wanted
}

/// Takes stretches of other documents with so many words in all.
fn filler(
    work: &mut Work<'_>,
    n_words: usize,
    unused: &mut Unused,
    wanted: &mut Wanted,
) -> Vec<Put> {
    let mut out = Vec::new();
    let mut n_left = n_words;
    while n_left > 0 {
        let Some(number) = unused.draw(work, |source| !source.spans().is_empty()) else {
            wanted.notes.push("there is no other document to take from".to_owned());
            break;
        };
        let source = work.collection.source(number);
        let paragraphs = units(source.text(), Unit::Paragraph, source.spans());
        let spans = source.spans();
        let (Some(first), Some(last)) = (paragraphs.first(), paragraphs.last()) else { break };
        // The whole document, or as much of it as is needed.
        let is_cut = spans.len() > n_left;
        let end = if is_cut { spans[n_left - 1].end as usize } else { last.end };
        let at = first.start..end;
        let n = words_in(spans, &at).len();
        out.push(Put::Copy { from: Some(source.document.id.clone()), span: span(&at), unit: None });
        let n_units = paragraphs.iter().filter(|paragraph| paragraph.start < end).count();
        wanted.changed.added.stretch(n_units, n, &source.text()[at]);
        n_left -= n.min(n_left);
    }
    out
}

/// Keeps one stretch.
pub(super) fn excerpt(work: &mut Work<'_>, ratio: Ratio, place: Place) -> Wanted {
    let mut wanted = Wanted::default();
    let n_words = work.words.len();
    let whole = ratio.whole() as usize;
    // Rounded half up, as percentages are.
    let n_kept = ((2 * n_words + whole) / (2 * whole)).max(1);
    if n_words <= n_kept {
        if n_words == 0 || whole > 1 {
            wanted.notes.push("there is nothing to cut off".to_owned());
        }
        return wanted;
    }
    let first = match place {
        Place::Begin => 0,
        Place::Middle => (n_words - n_kept) / 2,
        Place::End => n_words - n_kept,
        Place::Any => work.draw.below(n_words - n_kept + 1),
    };
    let start = if first == 0 { 0 } else { work.words[first].start as usize };
    let is_end = first + n_kept == n_words;
    let last = work.words[first + n_kept - 1].end as usize;
    let end = if is_end { work.text.len() } else { last };
    for at in [0..start, end..work.text.len()] {
        if !at.is_empty() {
            wanted.edits.push(Edit::delete(span(&at)));
            let n = work.n_words(&at);
            wanted.changed.deleted.words += n;
            wanted.changed.deleted.units += n;
            wanted.changed.deleted.characters += work.text[at].chars().count();
        }
    }
    wanted
}
