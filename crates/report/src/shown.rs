//! How the text of one side is shown: which parts, which passage each belongs to, and which
//! words inside a passage differ or moved.
//!
//! The evidence counts such words but does not name them, so they are found again here by
//! comparing the words of both ends of a passage. That is done for passages that have any, and on
//! the shown windows only.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use retold_core::document::{Markup, Span};
use retold_core::relation::Passage;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation;

use crate::view::{PairView, SideView, Window, border_after, border_before};

/// Most words of one end of a passage that are compared to find those that differ.
const MAX_WORDS: usize = 4_000;

/// A piece of what is shown of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Text, all of one passage or of none.
    Text {
        /// The text, character references resolved.
        text: Cow<'a, str>,
        /// Index of the passage.
        passage: Option<usize>,
        /// How these words agree with the other document.
        mark: Mark,
    },
    /// A new line, from a tag such as `<p>`.
    Break,
    /// Bytes of the original that are not shown.
    Gap(usize),
}

/// How words of a passage agree with its other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mark {
    /// They stand there in the same order.
    Same,
    /// They stand there, but in another order.
    Moved,
    /// They have no partner there.
    Differs,
}

/// Words by where they stand, and how they agree.
type Marked = (Range<usize>, Mark);

/// Both sides of a pair, ready to be shown.
#[derive(Debug)]
pub(crate) struct Shown<'a> {
    /// Pieces of `a`.
    pub(crate) a: Vec<Piece<'a>>,
    /// Pieces of `b`.
    pub(crate) b: Vec<Piece<'a>>,
}

/// Cuts both sides of a pair into pieces.
pub(crate) fn shown(pair: &PairView) -> Shown<'_> {
    let mut marked_a = Vec::new();
    let mut marked_b = Vec::new();
    for passage in pair.passages.iter().filter(|passage| passage.differ > 0 || passage.moved > 0) {
        let (of_a, of_b) = marked(pair, passage);
        marked_a.extend(of_a);
        marked_b.extend(of_b);
    }
    let spans_a: Vec<Span> = pair.passages.iter().map(|passage| passage.a).collect();
    let spans_b: Vec<Span> = pair.passages.iter().map(|passage| passage.b).collect();
    Shown { a: pieces(&pair.a, &spans_a, &marked_a), b: pieces(&pair.b, &spans_b, &marked_b) }
}

/// Cuts one side into pieces.
fn pieces<'a>(side: &'a SideView, spans: &[Span], marked: &[Marked]) -> Vec<Piece<'a>> {
    let claims = claims(spans);
    let mut cuts: Vec<usize> = claims
        .iter()
        .map(|(range, _)| range)
        .chain(marked.iter().map(|(range, _)| range))
        .flat_map(|range| [range.start, range.end])
        .collect();
    cuts.sort_unstable();
    cuts.dedup();

    let mut pieces = Vec::new();
    let mut at = 0;
    for window in &side.windows {
        if window.start > at {
            pieces.push(Piece::Gap(window.start - at));
        }
        at = window.end();
        for part in visible(&window.text, side.markup) {
            let Visible::Text(range) = part else {
                pieces.push(Piece::Break);
                continue;
            };
            let mut start = range.start;
            while start < range.end {
                let next = cuts.partition_point(|&cut| cut <= window.start + start);
                let end = cuts.get(next).map_or(range.end, |&cut| {
                    border_after(&window.text, cut - window.start).min(range.end)
                });
                let original = window.start + start;
                let text = &window.text[start..end];
                let marks = marked.iter().filter(|(range, _)| range.contains(&original));
                pieces.push(Piece::Text {
                    text: resolved(text, side.markup),
                    passage: holder(&claims, original),
                    mark: marks.map(|(_, mark)| *mark).max().unwrap_or(Mark::Same),
                });
                start = end;
            }
        }
    }
    if side.n_bytes > at {
        pieces.push(Piece::Gap(side.n_bytes - at));
    }
    pieces
}

/// Returns the stretches of the passages, in order and apart: where two overlap, the one that
/// starts first has the text.
fn claims(spans: &[Span]) -> Vec<(Range<usize>, usize)> {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|&index| (spans[index].start, spans[index].end));
    let mut claims = Vec::with_capacity(spans.len());
    let mut taken = 0;
    for index in order {
        let Range { start, end } = spans[index].range();
        let start = start.max(taken);
        if start < end {
            claims.push((start..end, index));
            taken = end;
        }
    }
    claims
}

/// Returns the passage that has the byte `at`.
fn holder(claims: &[(Range<usize>, usize)], at: usize) -> Option<usize> {
    let next = claims.partition_point(|(range, _)| range.start <= at);
    let (range, index) = claims.get(next.checked_sub(1)?)?;
    range.contains(&at).then_some(*index)
}

/// Returns the words of either end of a passage that moved or have no partner in the other.
fn marked(pair: &PairView, passage: &Passage) -> (Vec<Marked>, Vec<Marked>) {
    let (words_a, is_whole_a) = words(&pair.a, passage.a);
    let (words_b, is_whole_b) = words(&pair.b, passage.b);
    let keys = |words: &[Word]| words.iter().map(|word| word.key.clone()).collect::<Vec<_>>();
    let (keys_a, keys_b) = (keys(&words_a), keys(&words_b));
    let mut ops = capture_diff_slices(Algorithm::Myers, &keys_a, &keys_b);
    if !(is_whole_a && is_whole_b) {
        // The end of one side is not shown; what the other has there may well have a partner.
        while ops.last().is_some_and(|op| !matches!(op, DiffOp::Equal { .. })) {
            ops.pop();
        }
    }
    ops.retain(|op| !matches!(op, DiffOp::Equal { .. }));
    let mut moved = (Vec::new(), Vec::new());
    if passage.moved > 0 {
        let left_a: Vec<usize> = ops.iter().flat_map(DiffOp::old_range).collect();
        let left_b: Vec<usize> = ops.iter().flat_map(DiffOp::new_range).collect();
        moved = paired((&keys_a, &left_a), (&keys_b, &left_b));
    }
    let mut of_both = (Vec::new(), Vec::new());
    for op in ops {
        put_marks(&words_a, op.old_range(), &moved.0, &mut of_both.0);
        put_marks(&words_b, op.new_range(), &moved.1, &mut of_both.1);
    }
    of_both
}

/// Returns which of the words that are left on either side, given by number, the other side has, too; a
/// word counts as often as both have it.
fn paired(
    (keys_a, left_a): (&[String], &[usize]),
    (keys_b, left_b): (&[String], &[usize]),
) -> (Vec<usize>, Vec<usize>) {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for &at in left_b.iter().rev() {
        places.entry(&keys_b[at]).or_default().push(at);
    }
    let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
    for &at in left_a {
        if let Some(other) = places.get_mut(keys_a[at].as_str()).and_then(Vec::pop) {
            of_a.push(at);
            of_b.push(other);
        }
    }
    of_b.sort_unstable();
    (of_a, of_b)
}

/// Marks a stretch of words, those that agree alike as one; `moved` is ascending.
fn put_marks(words: &[Word], stretch: Range<usize>, moved: &[usize], out: &mut Vec<Marked>) {
    let mut last = None;
    for at in stretch {
        let range = words[at].range.clone();
        let mark = if moved.binary_search(&at).is_ok() { Mark::Moved } else { Mark::Differs };
        match out.last_mut() {
            Some((before, _)) if last == Some(mark) => before.end = range.end,
            _ => out.push((range, mark)),
        }
        last = Some(mark);
    }
}

/// A word of the original: where it stands and what it is compared by.
struct Word {
    range: Range<usize>,
    key: String,
}

/// Returns the shown words of a span, and whether all of it is shown.
fn words(side: &SideView, span: Span) -> (Vec<Word>, bool) {
    let Range { start, end } = span.range();
    let mut words = Vec::new();
    let mut n_shown = 0;
    for window in &side.windows {
        let Some(within) = overlap(window, start, end) else { continue };
        n_shown += within.len();
        for part in visible(&window.text, side.markup) {
            let Visible::Text(range) = part else { continue };
            let range = range.start.max(within.start)..range.end.min(within.end);
            let Some(text) = window.text.get(range.clone()) else { continue };
            for (at, word) in text.unicode_word_indices() {
                if words.len() == MAX_WORDS {
                    return (words, false);
                }
                let at = window.start + range.start + at;
                words.push(Word { range: at..at + word.len(), key: word.to_lowercase() });
            }
        }
    }
    (words, n_shown == end - start)
}

/// Returns which bytes of `window` lie between two bytes of the original.
fn overlap(window: &Window, start: usize, end: usize) -> Option<Range<usize>> {
    let start = border_after(&window.text, start.saturating_sub(window.start));
    let end = border_before(&window.text, end.saturating_sub(window.start));
    (start < end).then_some(start..end)
}

/// A part of a marked-up text that is seen.
enum Visible {
    Text(Range<usize>),
    Break,
}

/// Returns what is seen of `text`: what stands between the tags of HTML, all of everything else.
///
/// This is for the eye only and forgiving: a window may begin inside a tag.
fn visible(text: &str, markup: Markup) -> Vec<Visible> {
    if markup != Markup::Html {
        return vec![Visible::Text(0..text.len())];
    }
    let mut parts = Vec::new();
    let mut at = match (text.find('<'), text.find('>')) {
        (Some(open), Some(close)) if close < open => close + 1,
        (None, Some(close)) => close + 1,
        _ => 0,
    };
    while at < text.len() {
        let open = text[at..].find('<').map_or(text.len(), |found| at + found);
        if open > at {
            parts.push(Visible::Text(at..open));
        }
        if open == text.len() {
            break;
        }
        let tag = &text[open..];
        let name: String = tag[1..]
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
        let ending = match name.as_str() {
            "script" if !tag.starts_with("</") => "</script>",
            "style" if !tag.starts_with("</") => "</style>",
            _ if tag.starts_with("<!--") => "-->",
            _ => ">",
        };
        at =
            find_ignoring_case(tag, ending).map_or(text.len(), |found| open + found + ending.len());
        let is_repeated = matches!(parts.last(), None | Some(Visible::Break));
        if is_block(&name) && !is_repeated {
            parts.push(Visible::Break);
        }
    }
    parts
}

fn find_ignoring_case(text: &str, sought: &str) -> Option<usize> {
    text.as_bytes()
        .windows(sought.len())
        .position(|window| window.eq_ignore_ascii_case(sought.as_bytes()))
}

fn is_block(tag: &str) -> bool {
    matches!(
        tag,
        "p" | "br"
            | "div"
            | "li"
            | "ul"
            | "ol"
            | "tr"
            | "table"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "article"
            | "section"
            | "header"
            | "footer"
            | "blockquote"
            | "pre"
            | "hr"
            | "title"
            | "figcaption"
            | "td"
            | "th"
            | "dd"
            | "dt"
    )
}

/// Returns `text` with the usual character references of HTML resolved.
fn resolved(text: &str, markup: Markup) -> Cow<'_, str> {
    if markup != Markup::Html || !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let letter = end.and_then(|end| reference(&rest[1..end]));
        if let (Some(letter), Some(end)) = (letter, end) {
            plain.push(letter);
            rest = &rest[end + 1..];
        } else {
            plain.push('&');
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

fn reference(name: &str) -> Option<char> {
    if let Some(hex) = name.strip_prefix("#x").or_else(|| name.strip_prefix("#X")) {
        return char::from_u32(u32::from_str_radix(hex, 16).ok()?);
    }
    if let Some(number) = name.strip_prefix('#') {
        return char::from_u32(number.parse().ok()?);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
