//! `retold generate`: a test collection whose copies are known.

use std::fmt::Write as _;
use std::path::Path;

use retold_lab::generate::Counts;
use retold_lab::{Generate, Generated};
use retold_report::{Style, escape_terminal};
use serde_json::json;
use unicode_width::UnicodeWidthStr as _;

use crate::commands::run;
use crate::failure::Failure;
use crate::markdown::{Ink, paint};
use crate::settings::{Make, Making};
use crate::terminal;

/// Columns of a table that is not printed on a terminal.
const WIDTH: u16 = 100;

/// How the log begins what it says of a document that would have lost all its text.
const ONE_STAYS: &str = "one paragraph always stays";

/// Columns that names are filled up to.
const MOST_PADDED: usize = 56;

/// Makes the collection, or counts, and says what there is.
pub(crate) fn generate(making: &Making) -> Result<(), Failure> {
    let Making { paths, what, log, settings, talk } = making;
    let (job, resources) = (&settings.job, &settings.resources);
    let make = |generate: Generate, output: &Path| {
        run::watched(*talk, paths, resources, |resources| {
            let generate = generate.job(job.clone()).resources(resources);
            generate.overwrite(settings.overwrite).log(*log).write(output)
        })
    };
    let made = match what {
        Make::Count => {
            let counted = run::watched(*talk, paths, resources, |resources| {
                retold_lab::count(paths, job, &resources)
            })?;
            if talk.is_json {
                return terminal::print(&lines(&counted));
            }
            return terminal::print(&table(&counted, terminal::style(talk.color, WIDTH)));
        }
        Make::Plan(plan, output) => make(Generate::new(paths).plan((**plan).clone()), output)?,
        Make::Replay(log, output) => make(Generate::new(paths).replay(log), output)?,
    };
    if talk.is_json {
        let figures = serde_json::to_value(&made).expect("figures are plain data");
        return terminal::print(&format!("{figures:#}\n"));
    }
    terminal::print(&told(&made, *log, terminal::style(talk.color, WIDTH)))
}

/// Returns the counts as JSON Lines. The names are stable.
fn lines(counted: &[(String, Counts)]) -> String {
    let mut out = String::new();
    for (id, counts) in counted {
        let Counts { paragraphs, sentences, words, characters } = counts;
        let line = json!({
            "id": id,
            "paragraphs": paragraphs,
            "sentences": sentences,
            "words": words,
            "characters": characters,
        });
        let _ = writeln!(out, "{line}");
    }
    out
}

/// Returns the counts as a table.
fn table(counted: &[(String, Counts)], style: Style) -> String {
    let names: Vec<String> = counted.iter().map(|(id, _)| escape_terminal(id).into()).collect();
    let all = format!("{} documents", counted.len());
    let widths = names.iter().map(|name| name.width()).chain([all.width()]);
    let widest = widths.max().unwrap_or(0).min(MOST_PADDED);
    let mut out = String::new();
    let line = |name: &str, cells: [String; 4]| {
        let pad = " ".repeat(widest.saturating_sub(name.width()));
        let cells = cells.map(|cell| format!("{cell:>12}")).concat();
        format!("{name}{pad}{cells}")
    };
    let head = ["paragraphs", "sentences", "words", "characters"].map(str::to_owned);
    let _ = writeln!(out, "{}", paint(style, Ink::Strong, &line("document", head)));
    let mut sum = [0; 4];
    for (name, (_, counts)) in names.iter().zip(counted) {
        let Counts { paragraphs, sentences, words, characters } = *counts;
        let cells = [paragraphs, sentences, words, characters];
        for (sum, cell) in sum.iter_mut().zip(cells) {
            *sum += cell;
        }
        let _ = writeln!(out, "{}", line(name, cells.map(|n| n.to_string())));
    }
    let all = line(&all, sum.map(|n: usize| n.to_string()));
    let _ = writeln!(out, "{}", paint(style, Ink::Strong, &all));
    out
}

/// Returns the figures for people.
fn told(made: &Generated, log: bool, style: Style) -> String {
    let mut out = String::new();
    let what = match (made.n_made, made.n_queries) {
        (n, 0) => format!("{n} documents made of {}", made.n_documents),
        (0, n) => format!("{} made of {} documents", queries(n), made.n_documents),
        (n, q) => format!("{n} documents and {} made of {}", queries(q), made.n_documents),
    };
    let _ = writeln!(out, "{}", paint(style, Ink::Strong, &what));
    let (before, after) = (made.before, made.after);
    let facts = format!("seed {}, {:.1} s", made.seed, made.seconds);
    let _ = writeln!(out, "{}\n", paint(style, Ink::Faint, &facts));
    let _ = writeln!(out, "{:<20}{:>12}{:>12}", "", "before", "after");
    for (name, before, after) in [
        ("paragraphs", before.paragraphs, after.paragraphs),
        ("sentences", before.sentences, after.sentences),
        ("words", before.words, after.words),
        ("characters", before.characters, after.characters),
    ] {
        let _ = writeln!(out, "{name:<20}{before:>12}{after:>12}");
    }
    let _ = writeln!(out, "\n{:<20}{:>12}", "pairs", made.n_pairs);
    for (name, n) in &made.pairs {
        let _ = writeln!(out, "  {name:<18}{n:>12}");
    }
    let _ = writeln!(out, "{:<20}{:>12}", "copied stretches", made.n_spans);
    if made.n_noted > 0 {
        let _ = writeln!(out, "\nnot as planned{}", if log { ", see log.txt" } else { "" });
        for (note, n) in &made.notes {
            let _ = writeln!(out, "  {n:>6}  {}", escape_terminal(note));
        }
        if made.notes.keys().any(|note| note.starts_with(ONE_STAYS)) {
            let hint = "documents of one paragraph: `--unit line` or `--unit sentence` cuts finer";
            let _ = writeln!(out, "  {}", paint(style, Ink::Faint, hint));
        }
    }
    let _ = writeln!(out, "\nresults in {}", escape_terminal(&made.output));
    out
}

fn queries(n: u64) -> String {
    if n == 1 { "one query".to_owned() } else { format!("{n} queries") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stand_below_each_other_and_are_summed() {
        let counted = [
            ("a".to_owned(), Counts { paragraphs: 1, sentences: 2, words: 30, characters: 200 }),
            (
                "büro\u{7}".to_owned(),
                Counts { paragraphs: 2, sentences: 2, words: 5, characters: 9 },
            ),
        ];
        let style = Style { colour: false, width: 80, unicode: true };
        assert_eq!(
            table(&counted, style),
            "document     paragraphs   sentences       words  characters\n\
             a                     1           2          30         200\n\
             büro\\u{7}             2           2           5           9\n\
             2 documents           3           4          35         209\n"
        );
    }
}
