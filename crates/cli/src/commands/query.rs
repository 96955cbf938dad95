//! `retold query`: is this text copied from anything we hold?

use std::fmt::Write as _;

use retold::{Answer, Answers, Files, Query};
use retold_report::{Style, compare_text, escape_terminal};

use crate::commands::run;
use crate::failure::Failure;
use crate::markdown::{Ink, paint};
use crate::settings::Question;
use crate::terminal;

/// Columns of an answer that is not printed on a terminal.
const WIDTH: u16 = 100;

/// Asks and prints the answers.
pub(crate) fn query(job: &Question) -> Result<(), Failure> {
    let Question { query, paths, n_top, n_shown, settings, talk } = job;
    let all: Vec<_> = paths.iter().chain([query]).cloned().collect();
    let Answers { mut answers, summary, .. } =
        run::watched(*talk, &all, &settings.resources, |resources| {
            Query::new(Files::new([query]), Files::new(paths))
                .shown(*n_shown)
                .job(settings.job.clone())
                .resources(resources)
                .run()
        })?;
    // The questions were read, too.
    let n_held = summary.n_documents - answers.len() as u64;
    let mut out = String::new();
    for answer in &mut answers {
        let n_hits = answer.hits.len();
        answer.hits.truncate(*n_top);
        if talk.is_json {
            let mut line = serde_json::to_value(&*answer).expect("an answer is plain data");
            line["n_hits"] = n_hits.into();
            let _ = writeln!(out, "{line}");
        } else {
            let style = terminal::style(talk.color, WIDTH);
            tell(answer, n_hits, n_held, style, &mut out);
        }
    }
    terminal::print(&out)
}

/// Writes an answer for people.
fn tell(answer: &Answer, n_hits: usize, n_documents: u64, style: Style, out: &mut String) {
    let name = paint(style, Ink::Strong, &escape_terminal(&answer.id));
    let n_words = answer.n_words;
    if answer.is_too_short {
        let _ = writeln!(out, "{name}: {n_words} words are too few to be judged");
        return;
    }
    if n_hits == 0 {
        let _ = writeln!(out, "{name}: nothing in {n_documents} documents repeats it");
        return;
    }
    let _ = writeln!(out, "{name}: {n_hits} of {n_documents} documents, best first");
    let _ = writeln!(
        out,
        "  {:>8}  {:>8}  {:>7}  {:<15} document",
        "of text", "of doc", "words", "relation"
    );
    for hit in &answer.hits {
        let longest = hit.evidence.passages.iter().map(|passage| passage.words).max().unwrap_or(0);
        let _ = writeln!(
            out,
            "  {:>7.1}%  {:>7.1}%  {longest:>7}  {:<15} {}",
            100.0 * hit.scores.a_in_b.get(),
            100.0 * hit.scores.b_in_a.get(),
            hit.relation,
            paint(style, Ink::Code, &escape_terminal(&hit.id)),
        );
    }
    if n_hits > answer.hits.len() {
        let _ = writeln!(out, "  and {} more; `--top N` lists them", n_hits - answer.hits.len());
    }
    for view in answer.hits.iter().filter_map(|hit| hit.view.as_ref()) {
        out.push('\n');
        out.push_str(&compare_text(view, style));
    }
}
