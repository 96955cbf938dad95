//! `retold entities`: the names in a document, marked in its text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use retold::{NamedEntities, NamedEntity, Unclassified, read_document};
use retold_core::document::Span;
use retold_core::entities::{Category, How};
use retold_report::{Style, escape_terminal};
use serde_json::json;
use unicode_width::UnicodeWidthStr as _;

use crate::failure::Failure;
use crate::markdown::{Ink, paint};
use crate::settings::Naming;
use crate::terminal;

/// Columns of a list that is not printed on a terminal.
const WIDTH: u16 = 100;

/// Columns up to which names are filled so that what follows stands below each other.
const MOST_PADDED: usize = 40;

/// Finds names and prints them.
pub(crate) fn entities(naming: &Naming) -> Result<(), Failure> {
    let Naming { file, lists, settings, talk } = naming;
    let document = read_document(file, &settings.job)?;
    let found = retold::entities(&document, lists, &settings.job)?;
    if talk.is_json {
        let line = json!({
            "id": document.id,
            "language": found.language.map(|language| language.code().to_owned()),
            "n_runs": found.n_runs,
            "n_classified": found.n_classified,
            "entities": found.entities,
            "unclassified": found.unclassified,
        });
        return terminal::print(&format!("{line}\n"));
    }
    terminal::print(&text(&document.id, &found, terminal::style(talk.color, WIDTH)))
}

/// Returns the document with its names marked, and the names by category.
fn text(id: &str, found: &NamedEntities, style: Style) -> String {
    let mut out = String::new();
    let language = match found.language {
        Some(language) => format!("language {language}"),
        None => "language unknown".to_owned(),
    };
    let facts = format!(
        "{} of {} runs of capitals hold a name; {language}",
        found.n_classified, found.n_runs
    );
    let _ = writeln!(
        out,
        "{}  {}\n",
        paint(style, Ink::Strong, &escape_terminal(id)),
        paint(style, Ink::Faint, &facts)
    );
    put_marked(&mut out, found, style);
    if found.entities.is_empty() {
        let _ = writeln!(out, "\n{}", paint(style, Ink::Faint, "no name is known"));
    } else {
        put_names(&mut out, &found.entities, style);
    }
    put_unclassified(&mut out, &found.unclassified, style);
    out
}

/// Something that is marked in the text: a name, or a run without one.
#[derive(Clone, Copy)]
struct Mark {
    category: Option<Category>,
    shown: Span,
}

/// Returns the name of a category, or of none.
fn name(category: Option<Category>) -> &'static str {
    category.map_or("unclassified", Category::name)
}

/// Writes the text with its names in the colours of their categories; without colour they stand
/// in brackets with the category behind them.
fn put_marked(out: &mut String, found: &NamedEntities, style: Style) {
    let mut open: Vec<Mark> = Vec::new();
    let mut at = 0;
    let mut put = |out: &mut String, open: &[Mark], to: usize| {
        // Names end on borders of characters; a stretch that did not would be shown as nothing.
        let stretch = found.text.get(at..to).unwrap_or_default();
        at = to.max(at);
        for (i, line) in stretch.split('\n').enumerate() {
            if i > 0 {
                out.push('\n');
            }
            let line = escape_terminal(line.trim_end_matches('\r'));
            match open.last() {
                Some(mark) if style.colour && !line.is_empty() => {
                    let _ = write!(out, "\u{1b}[{}m{line}\u{1b}[0m", colour(mark.category));
                }
                _ => out.push_str(&line),
            }
        }
    };
    let mut close_until = |out: &mut String, open: &mut Vec<Mark>, start: usize| {
        while let Some(&mark) = open.last()
            && mark.shown.end as usize <= start
        {
            put(out, open, mark.shown.end as usize);
            if !style.colour {
                let _ = write!(out, "|{}]", name(mark.category));
            }
            open.pop();
        }
        put(out, open, start);
    };
    let named = found.entities.iter().map(|e| Mark { category: Some(e.category), shown: e.shown });
    let without = found.unclassified.iter().map(|run| Mark { category: None, shown: run.shown });
    let mut marks: Vec<Mark> = named.chain(without).collect();
    // Names stay in their order: they come by their place.
    marks.sort_by_key(|mark| mark.shown.start);
    for mark in marks {
        let start = mark.shown.start as usize;
        close_until(out, &mut open, start);
        // Of two names that cross, the first is marked; both are listed.
        if open.last().is_none_or(|outer| mark.shown.end <= outer.shown.end) {
            open.push(mark);
            if !style.colour {
                out.push('[');
            }
        }
    }
    close_until(out, &mut open, found.text.len());
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Writes the distinct names of each category, the most frequent first.
fn put_names(out: &mut String, entities: &[NamedEntity], style: Style) {
    for category in Category::ALL {
        let mut times: BTreeMap<&str, (usize, How)> = BTreeMap::new();
        for entity in entities.iter().filter(|entity| entity.category == category) {
            let (n, how) = times.entry(&entity.text).or_insert((0, entity.how));
            *n += 1;
            *how = (*how).min(entity.how);
        }
        let mut names: Vec<(&str, (usize, How))> = times.into_iter().collect();
        names.sort_by_key(|&(_, (n, _))| std::cmp::Reverse(n));
        let widest = names.iter().map(|(name, _)| name.width()).max().unwrap_or(0).min(MOST_PADDED);
        for (i, (name, (n, how))) in names.into_iter().enumerate() {
            let how = if n > 1 { format!("{how}, {n} times") } else { how.to_string() };
            let pad = " ".repeat(widest.saturating_sub(name.width()));
            let _ = writeln!(
                out,
                "{}{} {}{pad}  {}",
                if i == 0 { "\n" } else { "" },
                label(Some(category), i == 0, style),
                escape_terminal(name),
                paint(style, Ink::Faint, &how),
            );
        }
    }
}

/// Writes the distinct runs without a name, the most frequent first.
fn put_unclassified(out: &mut String, runs: &[Unclassified], style: Style) {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for run in runs {
        *times.entry(&run.text).or_default() += 1;
    }
    let mut texts: Vec<(&str, usize)> = times.into_iter().collect();
    texts.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
    for (i, (text, n)) in texts.into_iter().enumerate() {
        let times = if n > 1 { format!("  {n} times") } else { String::new() };
        let _ = writeln!(
            out,
            "{}{} {}{}",
            if i == 0 { "\n" } else { "" },
            label(None, i == 0, style),
            escape_terminal(text),
            paint(style, Ink::Faint, &times),
        );
    }
}

/// Returns the name of a category in its colour, or the room it takes.
fn label(category: Option<Category>, is_first: bool, style: Style) -> String {
    let label = format!("{:<13}", if is_first { name(category) } else { "" });
    if style.colour && is_first {
        format!("\u{1b}[{}m{label}\u{1b}[0m", colour(category))
    } else {
        label
    }
}

fn colour(category: Option<Category>) -> &'static str {
    match category {
        Some(Category::Location) => "1;32",
        Some(Category::Organisation) => "1;35",
        Some(Category::Person) => "1;33",
        None => "4",
    }
}

#[cfg(test)]
mod tests {
    use retold::{Document, EntityLists, Job, Profile};

    use super::*;

    fn shown(text: &str, profile: Profile, colour: bool) -> String {
        let document = Document { language: Some("tr".into()), ..Document::plain("d", text) };
        let lists = EntityLists { profile, ..EntityLists::default() };
        let found = retold::entities(&document, &lists, &Job::default());
        let mut out = String::new();
        let style = Style { colour, width: 80, unicode: true };
        put_marked(&mut out, &found.expect("no files are read"), style);
        out
    }

    #[test]
    fn names_inside_names_are_marked_inside() {
        assert_eq!(
            shown("dün Mersin Üniversitesi'nde Sayın Elif Kaya vardı.", Profile::Retold, false),
            "dün [[Mersin|location] Üniversitesi'nde Sayın Elif Kaya vardı.\n"
                .replace(" Üniversitesi'nde", " Üniversitesi|organisation]'nde")
                .replace("Elif Kaya", "[Elif Kaya|person]")
        );
    }

    #[test]
    fn colours_end_with_every_line_and_escapes_are_shown() {
        // In profile `paper` a name may go on in the next line.
        let text = shown("Elif\nKaya \u{1b}[31m Ankara", Profile::Paper, true);
        assert_eq!(
            text,
            "\u{1b}[1;33mElif\u{1b}[0m\n\u{1b}[1;33mKaya\u{1b}[0m \\u{1b}[31m \
             \u{1b}[1;32mAnkara\u{1b}[0m\n"
        );
    }
}
