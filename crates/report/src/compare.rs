//! Two documents side by side on a terminal.

use std::fmt::Write as _;

use retold_core::relation::{Agreement, Kind, Passage};
use unicode_width::UnicodeWidthStr;

use crate::escape::escape_terminal;
use crate::numbers::{bytes, counted, percent};
use crate::shown::{Mark, Piece, shown};
use crate::style::{Style, TextRole, one_line, padded, split_at_width};
use crate::view::{PairView, SideView};

/// Columns of the widest comparison.
const WIDEST: usize = 160;

/// Columns of a score's bar.
const BAR: usize = 24;

/// Returns two documents side by side as text for a terminal, line feed at the end included.
///
/// Passages stand in two columns, wrapped by the columns their characters take. Words without a
/// partner are coloured, or stand in `[brackets]` where there is no colour; words that agree but stand
/// in another order have a colour of their own, or stand in `{braces}`.
pub fn compare_text(pair: &PairView, style: Style) -> String {
    let width = style.columns(WIDEST);
    let mut out = String::new();
    put_side(&mut out, "a", &pair.a, style, width);
    put_side(&mut out, "b", &pair.b, style, width);
    out.push('\n');
    put_scores(&mut out, pair, style, width);
    put_passages(&mut out, pair, style, width);
    out
}

/// Returns the passages that two documents share, side by side, without relation and scores: it is
/// shown to people who judge the relation, and must not influence them.
pub fn passages_text(pair: &PairView, style: Style) -> String {
    let width = style.columns(WIDEST);
    let mut out = String::new();
    put_side(&mut out, "a", &pair.a, style, width);
    put_side(&mut out, "b", &pair.b, style, width);
    put_passages(&mut out, pair, style, width);
    out
}

/// Says how two documents relate, in words.
fn sentence(relation: Option<Kind>) -> &'static str {
    match relation {
        Some(Kind::Exact) => "exact: the same words in the same order",
        Some(Kind::NearDuplicate) => "near-duplicate: each tells most of the other",
        Some(Kind::Contains) => "contains: a holds most of b",
        Some(Kind::Contained) => "contained: most of a stands in b",
        Some(Kind::Partial) => "partial: they share passages",
        None => "not related",
    }
}

fn put_side(out: &mut String, name: &str, side: &SideView, style: Style, width: usize) {
    let mut facts = vec![side.id.as_str()];
    facts.extend(side.title.as_deref());
    facts.extend(side.source.as_deref());
    facts.extend(side.time.as_deref());
    let words = counted(u64::from(side.n_words), "word");
    let line = one_line(&facts.join(style.pick(" · ", " - "))).into_owned();
    let line = style.fit(&line, width.saturating_sub(words.len() + 5));
    let _ = writeln!(
        out,
        "{}  {line}  {}",
        style.paint(TextRole::Strong, name),
        style.paint(TextRole::Faint, &words)
    );
}

fn put_scores(out: &mut String, pair: &PairView, style: Style, width: usize) {
    let _ = writeln!(out, "{}", style.paint(TextRole::Strong, sentence(pair.relation)));
    let scores = pair.scores;
    let of_runs =
        [("resemblance", scores.resemblance), ("a in b", scores.a_in_b), ("b in a", scores.b_in_a)];
    let of_words = pair.vocabulary.map(|[a, b]| [("words a in b", a), ("words b in a", b)]);
    for (name, score) in of_runs.into_iter().chain(of_words.into_iter().flatten()) {
        let line = format!(
            "  {name:<12}{:>8}  {}",
            percent(score.get()),
            style.paint(TextRole::Bar, &style.bar(score.get(), BAR.min(width - 24)))
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

fn put_passages(out: &mut String, pair: &PairView, style: Style, width: usize) {
    if pair.passages.is_empty() {
        let _ = writeln!(out, "\n{}", style.paint(TextRole::Faint, "no passage is shared"));
        return;
    }
    let between = style.pick(" │ ", " | ");
    let column = (width - between.width()) / 2;
    let shown = shown(pair);
    for (index, passage) in pair.passages.iter().enumerate() {
        let quoted = if pair.quoted.contains(&index) { ", quoted" } else { "" };
        let dot = style.pick("·", "-");
        let title = format!(" {} {dot} {}{quoted} ", index + 1, in_words(*passage));
        let rule = style.rule(width.saturating_sub(title.width() + 2));
        let line = format!("{}{title}{rule}", style.rule(2));
        let _ = writeln!(out, "\n{}", style.paint(TextRole::Faint, &line));
        let left = wrap(&shown.a, index, column, style);
        let right = wrap(&shown.b, index, column, style);
        let empty = Line::default();
        for row in 0..left.len().max(right.len()) {
            let left = left.get(row).unwrap_or(&empty);
            let right = right.get(row).unwrap_or(&empty);
            let line = format!(
                "{}{}{}",
                padded(left.painted(style), left.width(), column),
                style.paint(TextRole::Faint, between),
                right.painted(style)
            );
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    if pair.n_cut > 0 {
        let more = format!("{} not listed", counted(u64::from(pair.n_cut), "more passage"));
        let _ = writeln!(out, "\n{}", style.paint(TextRole::Warning, &more));
    }
}

/// A wrapped line: stretches of one colour each.
#[derive(Clone, Debug, Default)]
struct Line {
    runs: Vec<(TextRole, String)>,
}

impl Line {
    fn push(&mut self, text: &str, role: TextRole) {
        match self.runs.last_mut() {
            Some((last, run)) if *last == role => run.push_str(text),
            // The space between two words takes the colour of neither.
            Some((_, run)) if run.ends_with(' ') => {
                run.pop();
                self.runs.push((TextRole::Plain, " ".to_owned()));
                self.runs.push((role, text.to_owned()));
            }
            _ => self.runs.push((role, text.to_owned())),
        }
    }

    fn push_space(&mut self) {
        if let Some((_, run)) = self.runs.last_mut() {
            run.push(' ');
        }
    }

    fn width(&self) -> usize {
        self.runs.iter().map(|(_, run)| run.width()).sum()
    }

    fn painted(&self, style: Style) -> String {
        self.runs.iter().map(|(role, run)| style.paint(*role, run)).collect()
    }
}

/// Says how many words of a passage agree, and how.
fn in_words(passage: Passage) -> String {
    let words = counted(u64::from(passage.n_agreeing()), "word");
    let how = match passage.agreement() {
        Agreement::Equal => return format!("{words}, equal"),
        Agreement::Edited => "",
        Agreement::Reordered => "reordered, ",
        Agreement::Summarised => "summarised, ",
    };
    let moved = match passage.moved {
        0 => String::new(),
        n => format!("{n} moved, "),
    };
    match passage.differ {
        1 => format!("{words}, {how}{moved}1 differs"),
        n => format!("{words}, {how}{moved}{n} differ"),
    }
}

/// Returns the text of one passage, wrapped to `column` columns.
fn wrap(pieces: &[Piece<'_>], passage: usize, column: usize, style: Style) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    let mut is_apart = false;
    let mut is_inside = false;
    for piece in pieces {
        match piece {
            Piece::Text { text, passage: Some(of), mark } if *of == passage => {
                is_inside = true;
                let (role, ends) = match mark {
                    Mark::Same => (TextRole::Same, None),
                    Mark::Moved => (TextRole::Moved, Some(['{', '}'])),
                    Mark::Differs => (TextRole::Differs, Some(['[', ']'])),
                };
                let text = match ends.filter(|_| !style.colour) {
                    Some([start, end]) => format!("{start}{text}{end}"),
                    None => text.clone().into_owned(),
                };
                is_apart |= text.starts_with(char::is_whitespace);
                for word in text.split_whitespace() {
                    put_word(&mut lines, &escape_terminal(word), is_apart, role, column);
                    is_apart = true;
                }
                is_apart = text.ends_with(char::is_whitespace);
            }
            Piece::Text { .. } => is_inside = false,
            Piece::Break => is_apart = true,
            Piece::Gap(count) if is_inside => {
                let gap = format!("{} {}", style.pick("⋯", "..."), bytes(*count as u64));
                put_word(&mut lines, &gap, true, TextRole::Faint, column);
                is_apart = true;
            }
            Piece::Gap(_) => {}
        }
    }
    if lines.len() == 1 && lines[0].runs.is_empty() {
        let dots = style.pick("⋯ not shown", "... not shown");
        lines[0].push(dots, TextRole::Faint);
    }
    lines
}

/// Puts a word on the last line, or on a new one if it does not fit; one that is longer than a
/// line is broken.
fn put_word(lines: &mut Vec<Line>, word: &str, is_apart: bool, role: TextRole, column: usize) {
    let mut rest = word;
    while !rest.is_empty() {
        let line = lines.last_mut().expect("there is always a line");
        let used = line.width();
        let space = usize::from(is_apart && used > 0);
        if used + space + rest.width() <= column {
            if space > 0 {
                line.push_space();
            }
            line.push(rest, role);
            return;
        }
        if used > 0 && (is_apart || rest.width() <= column) {
            lines.push(Line::default());
            continue;
        }
        let (head, tail) = split_at_width(rest, column - used);
        // A character wider than the column would never fit.
        let (head, tail) = if head.is_empty() { (rest, "") } else { (head, tail) };
        line.push(head, role);
        lines.push(Line::default());
        rest = tail;
    }
}

#[cfg(test)]
mod tests;
