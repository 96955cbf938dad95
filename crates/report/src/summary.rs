//! The figures of a run on a terminal: a small table, a histogram, the largest clusters.

use std::fmt::Write as _;

use retold_core::relation::Kind;
use unicode_width::UnicodeWidthStr;

use crate::numbers::{bytes, counted, duration, grouped, percent, rough};
use crate::style::{Style, TextRole, one_line};
use crate::view::Summary;

/// Widest summary: longer lines are harder to read, not better.
const WIDEST: usize = 92;

/// Height of the histogram in lines.
const HISTOGRAM_LINES: usize = 4;

/// Clusters that are named.
const MAX_LARGEST: usize = 5;

/// Returns the summary of a run as text for a terminal, line feed at the end included.
///
/// It fits 80 columns if the terminal has them, and untrusted names in it are made safe.
pub fn summary_text(summary: &Summary, style: Style) -> String {
    let width = style.columns(WIDEST);
    let mut out = String::new();
    put_head(&mut out, summary, style, width);
    put_documents(&mut out, summary, style, width);
    if summary.n_pairs() > 0 {
        put_kinds(&mut out, summary, style, width);
        put_histogram(&mut out, summary, style, width);
    }
    if !summary.largest.is_empty() {
        put_largest(&mut out, summary, style, width);
    }
    put_remarks(&mut out, summary, style, width);
    while out.ends_with("\n\n") {
        out.pop();
    }
    out
}

/// Says in one sentence what a run found; the page uses it as its headline.
pub(crate) fn headline(summary: &Summary) -> String {
    let partial = summary.pairs_by_kind[Kind::Partial as usize];
    let contained = summary.pairs_by_kind[Kind::Contains as usize]
        + summary.pairs_by_kind[Kind::Contained as usize];
    let (copies, all) = (summary.n_copies(), summary.n_documents);
    if let (true, Some(removed), 2..) = (summary.decides_only, summary.n_removed, all) {
        return match removed {
            0 => "No document is covered by another".to_owned(),
            n => format!("{} of {} documents removed", grouped(n), grouped(all)),
        };
    }
    match (all, copies, partial) {
        // What joins clusters may be less than what is told in pairs.
        (2.., 0, _) if contained > 0 => {
            format!(
                "No document repeats another, but in {} one stands in the other",
                counted(contained, "pair")
            )
        }
        (0, _, _) => "No documents were read".to_owned(),
        (1, _, _) => "One document, and nothing to compare it with".to_owned(),
        (_, 0, 0) => "No document repeats another".to_owned(),
        (_, 0, _) => {
            let share = if partial == 1 { "shares" } else { "share" };
            format!(
                "No document repeats another, but {} {share} passages",
                counted(partial, "pair")
            )
        }
        (_, 1, _) => format!("One of {} documents repeats another", grouped(all)),
        _ => format!("{} of {} documents repeat another", grouped(copies), grouped(all)),
    }
}

fn put_head(out: &mut String, summary: &Summary, style: Style, width: usize) {
    let dot = style.pick(" · ", " - ");
    let head = headline(summary);
    let _ = writeln!(out, "{}", style.paint(TextRole::Strong, &style.fit(&head, width)));
    let mut facts = vec![counted(summary.n_files, "file")];
    facts.push(bytes(summary.n_bytes));
    facts.push(format!("{} words", rough(summary.n_words)));
    if !summary.method.is_empty() {
        facts.push(format!("method {}", summary.method));
    }
    facts.push(duration(summary.seconds));
    let facts = style.fit(&facts.join(dot), width);
    let _ = writeln!(out, "{}\n", style.paint(TextRole::Faint, &facts));
}

fn put_documents(out: &mut String, summary: &Summary, style: Style, width: usize) {
    let alone =
        summary.n_documents.saturating_sub(summary.n_clustered).saturating_sub(summary.n_too_short);
    let mut rows = Vec::new();
    if let (true, Some(removed)) = (summary.decides_only, summary.n_removed) {
        let kept = summary.n_documents.saturating_sub(removed);
        rows.push(("kept", kept, String::new()));
    } else {
        rows.push(("unique", alone, String::new()));
    }
    if summary.n_clusters > 0 {
        let remark = match summary.n_in_several {
            0 => "one of each cluster".to_owned(),
            n => format!("clusters overlap: {} in several", counted(n, "document")),
        };
        rows.push(("kept", summary.n_kept, remark));
        let exact = match summary.n_exact_copies {
            0 => String::new(),
            exact => format!("{} of them word for word", grouped(exact)),
        };
        rows.push(("copies", summary.n_copies(), exact));
    }
    if summary.n_too_short > 0 {
        rows.push(("too short", summary.n_too_short, "too few words to judge".to_owned()));
    }
    if let Some(removed) = summary.n_removed {
        rows.push(("removed", removed, "each covered by a kept document".to_owned()));
    }
    if let Some(review) = summary.n_review.filter(|&review| review > 0) {
        rows.push(("review", review, "left to you, see review".to_owned()));
    }
    let of_archive = match summary.n_archive {
        0 => None,
        n => Some(("archive", n, "compared with, not changed".to_owned())),
    };
    put_title(out, "Documents", &grouped(summary.n_documents), style, width);
    let n_of_these = rows.len();
    for (at, (name, count, remark)) in rows.into_iter().chain(of_archive).enumerate() {
        let share = count as f64 / summary.n_documents.max(1) as f64;
        // The archive is no share of the documents that were read.
        let share = if at < n_of_these { percent(share) } else { String::new() };
        let remark = format!("{share:>9}  {remark}");
        let remark = style.fit(remark.trim_end(), width - 30);
        let line =
            format!("  {name:<16}{:>12}{}", grouped(count), style.paint(TextRole::Faint, &remark));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
}

fn put_title(out: &mut String, title: &str, count: &str, style: Style, width: usize) {
    let _ = writeln!(
        out,
        "{}{}",
        style.paint(TextRole::Strong, &format!("{title:<18}")),
        style.paint(TextRole::Strong, &format!("{count:>12}"))
    );
    let _ = writeln!(out, "{}", style.paint(TextRole::Faint, &style.rule(width)));
}

fn put_kinds(out: &mut String, summary: &Summary, style: Style, width: usize) {
    let most = summary.pairs_by_kind.iter().copied().max().unwrap_or(0).max(1);
    put_title(out, "Pairs", &grouped(summary.n_pairs()), style, width);
    for (kind, count) in Kind::ALL.into_iter().zip(summary.pairs_by_kind) {
        let bar = style.bar(count as f64 / most as f64, width - 34);
        let line =
            format!("  {kind:<16}{:>12}  {}", grouped(count), style.paint(TextRole::Bar, &bar));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
}

/// Puts the histogram upright: ten columns, a tenth of containment each.
fn put_histogram(out: &mut String, summary: &Summary, style: Style, width: usize) {
    // A finished result that is told once more does not know it.
    if summary.containment_histogram.iter().all(|&count| count == 0) {
        return;
    }
    let column = ((width - 16) / 10).clamp(2, 6);
    let most = summary.containment_histogram.iter().copied().max().unwrap_or(0).max(1);
    let steps = if style.unicode { 8 } else { 1 };
    let heights = summary.containment_histogram.map(|count| {
        #[expect(clippy::cast_sign_loss, reason = "a share is never below 0")]
        let height =
            (count as f64 / most as f64 * (HISTOGRAM_LINES * steps) as f64).round() as usize;
        if count > 0 { height.max(1) } else { 0 }
    });
    let title = "How much of one document stands in the other, pairs by tenths";
    let _ = writeln!(out, "  {}", style.paint(TextRole::Faint, &style.fit(title, width - 2)));
    for line in (0..HISTOGRAM_LINES).rev() {
        let mut bars = String::new();
        for height in heights {
            let filled = height.saturating_sub(line * steps).min(steps);
            let block = if style.unicode {
                [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][filled]
            } else {
                [" ", "#"][filled]
            };
            bars.push_str(&block.repeat(column - 1));
            bars.push(' ');
        }
        let bars = bars.trim_end();
        let label = if line + 1 == HISTOGRAM_LINES { grouped(most) } else { String::new() };
        let line = format!("  {label:>10}  {}", style.paint(TextRole::Bar, bars));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let _ = writeln!(
        out,
        "              {}",
        style.paint(TextRole::Faint, &style.rule(column * 10 - 1))
    );
    let mut ticks = String::new();
    for tenth in 0..10 {
        let tick = match tenth {
            0 => "0".to_owned(),
            _ if column > 3 => format!("0.{tenth}"),
            _ => String::new(),
        };
        let _ = write!(ticks, "{tick:<column$}");
    }
    ticks.push('1');
    let _ = writeln!(out, "              {}\n", style.paint(TextRole::Faint, &ticks));
}

fn put_largest(out: &mut String, summary: &Summary, style: Style, width: usize) {
    put_title(out, "Clusters", &grouped(summary.n_clusters), style, width);
    for (label, size) in summary.largest.iter().take(MAX_LARGEST) {
        let label = style.fit(&one_line(label), width - 11);
        let _ = writeln!(out, "{:>9}  {label}", grouped(*size));
    }
    let named = summary.largest.len().min(MAX_LARGEST) as u64;
    if summary.n_clusters > named {
        let rest = format!("{} more", grouped(summary.n_clusters - named));
        let _ = writeln!(out, "{:>9}  {}", "", style.paint(TextRole::Faint, &rest));
    }
    out.push('\n');
}

fn put_remarks(out: &mut String, summary: &Summary, style: Style, width: usize) {
    for cut in &summary.cuts {
        for line in wrapped(&cut.told(), width) {
            let _ = writeln!(out, "{}", style.paint(TextRole::Warning, &line));
        }
    }
    if summary.n_bad > 0 {
        let text = format!("{} could not be read", counted(summary.n_bad, "record"));
        let _ = writeln!(out, "{}", style.paint(TextRole::Warning, &text));
    }
    if let Some(output) = &summary.output {
        let label = "results in ";
        let path = style.fit(output, width.saturating_sub(label.len()));
        let _ = writeln!(out, "{label}{path}");
    }
}

/// Breaks a text between words into lines of at most `width` columns; a word that is longer has a line
/// of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("  {word}")),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
