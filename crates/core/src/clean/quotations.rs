//! Quotations: what of a document its writer shows to be the words of somebody else.
//!
//! # What it finds
//! Text between quotation marks of the usual kinds (`"…"`, `“…”`, `„…“`, `«…»`, `»…«`, `‘…’`, `「…」` and
//! others), `blockquote` and `q` of HTML, lines that begin with `>` in plain text, messages and Markdown,
//! and the environments `quote`, `quotation` and `displayquote` of LaTeX.
//! # How it works
//! A mark opens a quotation if no letter stands before it and no space behind it; the next mark that fits
//! and has no letter behind it closes it. A quotation ends within its paragraph, unless the next paragraph
//! begins with an opening mark again, as is usual in print, or no other mark opens one before it is closed.
//! An opening mark that nothing closes within
//! 5,000 bytes is none.
//! # What it misses
//! Quotations in straight single marks, which are apostrophes too, and quotations that no mark shows.
//! # Cost
//! Linear: the next closing mark of each kind is looked for once.

use std::borrow::Cow;
use std::ops::Range;

use super::alignment::Alignment;
use super::html::{Blocks, Page};
use super::{Clean, Form, Html, Text};
use crate::document::{Document, Markup, Span};

/// The longest quotation between two marks.
const MOST_BYTES: usize = 5_000;

/// Marks that open and close a quotation.
const MARKS: [(&str, &str); 14] = [
    ("\"", "\""),
    ("“", "”"),
    ("„", "“"),
    ("„", "”"),
    ("”", "”"),
    ("‘", "’"),
    ("‚", "‘"),
    ("«", "»"),
    ("»", "«"),
    ("‹", "›"),
    ("「", "」"),
    ("『", "』"),
    ("＂", "＂"),
    ("``", "''"),
];

/// Environments of LaTeX that hold quotations.
const ENVIRONMENTS: [&str; 4] = ["quote", "quotation", "displayquote", "quoting"];

/// Returns the quotations of a document in order, as spans of its text; none touches another.
pub fn quotations(document: &Document) -> Vec<Span> {
    let source = &document.text[..super::char_floor(&document.text, Text::MAX_BYTES)];
    let mut spans = Vec::new();
    let (shown, alignment): (Cow<'_, str>, Alignment) = if document.markup == Markup::Html {
        let page = Page::read(source, Blocks::Pass);
        let alignment = page.alignment.finish();
        spans.extend(page.quotations.into_iter().map(|range| alignment.original(span(range))));
        (Cow::Owned(page.text), alignment)
    } else {
        let clean = Clean { html: Html::Text, form: Form::None };
        let Text { text, alignment } = Text::new(source, document.markup, clean);
        (text, alignment)
    };
    spans.extend(between_marks(&shown).into_iter().map(|range| alignment.original(span(range))));
    match document.markup {
        Markup::Plain | Markup::Mail | Markup::Markdown => spans.extend(quoted_lines(source)),
        Markup::Latex => environments(source, &mut spans),
        Markup::Html | Markup::Wiki => {}
    }
    united(spans)
}

fn span(range: Range<usize>) -> Span {
    Span::new(range.start as u32, range.end as u32)
}

/// Puts spans into order and makes one of those that touch.
fn united(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut united: Vec<Span> = Vec::new();
    for span in spans.into_iter().filter(|span| !span.is_empty()) {
        match united.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => united.push(span),
        }
    }
    united
}

/// Lines that begin with `>`.
fn quoted_lines(text: &str) -> impl Iterator<Item = Span> + '_ {
    let mut end = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        end += line.len();
        (line, end - line.len()..end)
    });
    lines.filter(|(line, _)| line.trim_start().starts_with('>')).map(|(_, at)| span(at))
}

/// Adds what stands in the environments of LaTeX that hold quotations.
fn environments(text: &str, spans: &mut Vec<Span>) {
    for name in ENVIRONMENTS {
        let (begin, end) = (format!("\\begin{{{name}}}"), format!("\\end{{{name}}}"));
        let mut at = 0;
        while let Some(start) = find(text, &begin, at) {
            let Some(last) = find(text, &end, start) else { break };
            at = last + end.len();
            spans.push(span(start..at));
        }
    }
}

fn find(text: &str, what: &str, from: usize) -> Option<usize> {
    text[from..].find(what).map(|at| from + at)
}

/// Returns what stands between quotation marks, with the marks, in order.
fn between_marks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut closing = MARKS.map(|(_, close)| Closing { close, next: Some(0), is_checked: false });
    let mut breaks = Breaks { text, next: 0..0 };
    let mut at = 0;
    while let Some(mark) = text[at..].find(is_mark) {
        at += mark;
        let opened = MARKS.iter().zip(&mut closing).filter(|((open, _), _)| opens(text, at, open));
        let ends = opened.filter_map(|((open, _), closing)| {
            let inner = at + open.len();
            let end = closing.after(text, inner)?;
            let is_near = end - at <= MOST_BYTES;
            (is_near && breaks.lets_pass(inner..end, (open, closing.close))).then_some(end)
        });
        // Of two ways to close what one mark opens, the nearer.
        if let Some(end) = ends.min() {
            found.push(at..end);
            at = end;
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

fn is_mark(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '‘' | '‚' | '«' | '»' | '‹' | '「' | '『' | '＂' | '`')
}

/// Returns whether a mark at `at` is `open` and opens a quotation.
fn opens(text: &str, at: usize, open: &str) -> bool {
    let Some(behind) = text[at..].strip_prefix(open) else { return false };
    // These stand between letters, and the French put spaces inside of theirs.
    if matches!(open, "「" | "『") {
        return true;
    }
    let follows_letter = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
    let begins = if open == "«" {
        !behind.is_empty()
    } else {
        behind.chars().next().is_some_and(|c| !c.is_whitespace())
    };
    !follows_letter && begins
}

/// Where the next mark of one kind closes a quotation.
struct Closing {
    close: &'static str,
    /// Where to look next, or where it was found; `None` if there is no more.
    next: Option<usize>,
    /// Whether it was found there.
    is_checked: bool,
}

impl Closing {
    /// Returns the end of the first closing mark at or after `from`, which never decreases.
    fn after(&mut self, text: &str, from: usize) -> Option<usize> {
        let mut at = self.next?;
        if self.is_checked && at >= from {
            return Some(at + self.close.len());
        }
        at = at.max(from);
        loop {
            let Some(found) = find(text, self.close, at) else {
                self.next = None;
                return None;
            };
            if closes(text, found, self.close) {
                self.next = Some(found);
                self.is_checked = true;
                return Some(found + self.close.len());
            }
            at = found + self.close.len();
        }
    }
}

/// Returns whether the mark at `at` may close a quotation.
fn closes(text: &str, at: usize, close: &str) -> bool {
    if matches!(close, "」" | "』") {
        return true;
    }
    let before = text[..at].chars().next_back();
    let behind = text[at + close.len()..].chars().next();
    let is_inside = behind.is_some_and(char::is_alphanumeric);
    let follows_space = close != "»" && before.is_none_or(char::is_whitespace);
    !is_inside && !follows_space
}

/// The blank lines of a text, asked for in order.
struct Breaks<'t> {
    text: &'t str,
    /// The white space at the first end of a paragraph at or after where was last asked.
    next: Range<usize>,
}

impl Breaks<'_> {
    /// Returns whether a quotation may reach over `range`: each paragraph in it begins with the mark
    /// that opened it, or that mark is not the closing one and stands nowhere else in it.
    fn lets_pass(&mut self, range: Range<usize>, (open, close): (&str, &str)) -> bool {
        if self.next.end <= range.start {
            self.next = self.find(range.start);
        }
        let mut at = self.next.clone();
        while at.end < range.end {
            if !self.text[at.end..].starts_with(open) {
                return open != close && !self.text[range].contains(open);
            }
            at = self.find(at.end);
        }
        true
    }

    /// Returns the white space between the paragraphs of which one ends at or after `from`.
    fn find(&self, from: usize) -> Range<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while let Some(step) = memchr::memchr(b'\n', &bytes[at..]) {
            let start = at + step;
            let blank = bytes[start..].iter().take_while(|byte| byte.is_ascii_whitespace());
            let end = start + blank.count();
            if bytes[start + 1..end].contains(&b'\n') {
                return start..end;
            }
            at = end;
        }
        bytes.len()..bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str, markup: Markup) -> Vec<String> {
        let document = Document { markup, ..Document::plain("d", text) };
        let spans = quotations(&document);
        spans.into_iter().map(|span| span.of(text).expect("borders").to_owned()).collect()
    }

    fn plain(text: &str) -> Vec<String> {
        quoted(text, Markup::Plain)
    }

    #[test]
    fn marks_of_many_languages_hold_quotations() {
        assert_eq!(plain("He said \"it is late\" and left."), ["\"it is late\""]);
        assert_eq!(plain("She said: “It’s late.” Then “go”."), ["“It’s late.”", "“go”"]);
        assert_eq!(plain("Er sagte „ja, gern“ und »nein« dazu."), ["„ja, gern“", "»nein«"]);
        assert_eq!(plain("Il dit « bonsoir » et «oui»."), ["« bonsoir »", "«oui»"]);
        assert_eq!(plain("Powiedział „tak”, potem wyszedł."), ["„tak”"]);
        assert_eq!(plain("Hän sanoi ”ei” ja lähti."), ["”ei”"]);
        assert_eq!(plain("彼は「遅い」と言った。"), ["「遅い」"]);
        assert_eq!(plain("The ‘don’t knows’ won."), ["‘don’t knows’"]);
        assert_eq!(plain("It is ``late'' now."), ["``late''"]);
        let mixed = "He said “it is late” and „gut“ and \"so\". An open \" stays.";
        assert_eq!(plain(mixed), ["“it is late”", "„gut“", "\"so\""]);
    }

    #[test]
    fn marks_that_are_none_open_nothing() {
        assert!(plain("A 5\" pipe and a 6\" pipe.").is_empty());
        assert!(plain("He said \"it is late and left.").is_empty());
        assert!(plain("the boys’ toys and the girls’ toys").is_empty());
        let long = format!("He said \"it {} late\".", "is ".repeat(MOST_BYTES / 3));
        assert!(plain(&long).is_empty());
    }

    #[test]
    fn a_quotation_goes_on_in_the_next_paragraph_if_that_begins_with_a_mark() {
        let text = "“One ends here.\n\n“Two ends here,” he said.";
        assert_eq!(plain(text), ["“One ends here.\n\n“Two ends here,”"]);
        assert_eq!(plain("“One ends here.\n\nTwo ends “here,” he said."), ["“here,”"]);
        assert_eq!(plain("“One ends.\n\nTwo ends.” So."), ["“One ends.\n\nTwo ends.”"]);
        assert_eq!(plain("\"One ends.\n\nTwo ends.\" So.").len(), 0);
    }

    #[test]
    fn lines_that_begin_with_an_angle_are_quotations() {
        assert_eq!(plain("Mine.\n> Yours,\n > all of it.\nMine."), ["> Yours,\n > all of it.\n"]);
        assert_eq!(quoted("# Head\n\n> Yours\n\nMine", Markup::Markdown), ["> Yours\n"]);
    }

    #[test]
    fn of_pages_the_shown_text_counts_and_not_the_attributes() {
        let page = "<p class=\"a b\">Mine <b>and \"yours <i>too</i>\"</b>.<blockquote><p>All \
                    <b>this</b></blockquote><p title=\"x y\">Mine, <q>not yours</q>.";
        assert_eq!(
            quoted(page, Markup::Html),
            ["\"yours <i>too</i>\"", "All ", "this", "not yours"]
        );
    }

    #[test]
    fn environments_of_latex_hold_quotations() {
        let text = "Mine.\n\\begin{quote}\nYours.\n\\end{quote}\nMine ``yours''.";
        let found = quoted(text, Markup::Latex);
        assert_eq!(found.first().map(String::as_str), Some("\\begin{quote}\nYours.\n\\end{quote}"));
        assert!(found.last().is_some_and(|last| last.contains("yours")), "{found:?}");
    }

    #[test]
    fn marks_by_the_hundred_thousand_end_soon() {
        for text in ["“".repeat(300_000), "“a\n\n".repeat(100_000), "\"a ".repeat(200_000)] {
            let spans = quotations(&Document::plain("d", text));
            assert!(spans.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
