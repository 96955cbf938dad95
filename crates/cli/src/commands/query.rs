//! `retold query`: is this text copied from anything we hold?

use std::fmt::Write as _;

use std::path::Path;

use retold::{Answer, Answers, Error, Files, Hit, Index, Query, Rank, is_index};
use retold_report::{Style, compare_text, escape_terminal};

use crate::commands::run;
use crate::failure::Failure;
use crate::markdown::{Ink, paint};
use crate::settings::{Question, Talk};
use crate::terminal;

/// Columns of an answer that is not printed on a terminal.
const WIDTH: u16 = 100;

/// Asks and prints the answers.
pub(crate) fn query(job: &Question) -> Result<(), Failure> {
    if let [path] = &job.paths[..]
        && is_index(path)
    {
        return query_index(job, path);
    }
    let Question { query, paths, n_top, n_shown, asking, settings, talk, .. } = job;
    if !asking.filter.is_everything() || asking.rank != Rank::default() || asking.explains {
        return Err(Failure::hinted(
            "--from, --until, --where, --rank and --explain ask an index",
            "`retold index create` and `retold index add` make one",
        ));
    }
    let all: Vec<_> = paths.iter().chain([query]).cloned().collect();
    let Answers { mut answers, .. } =
        run::watched(*talk, &all, &settings.resources, |resources| {
            Query::new(Files::new([query]), Files::new(paths))
                .shown(*n_shown)
                .quotes(asking.quotes)
                .job(settings.job.clone())
                .resources(resources)
                .run()
        })?;
    let mut out = String::new();
    for answer in &mut answers {
        if !asking.relations.is_empty() {
            answer.hits.retain(|hit| asking.relations.contains(&hit.relation));
            answer.n_hits = answer.hits.len() as u64;
        }
        answer.hits.truncate(*n_top);
        print(answer, *talk, &mut out);
    }
    terminal::print(&out)
}

/// Asks an index, a question at a time, and prints each answer as it comes.
fn query_index(job: &Question, path: &Path) -> Result<(), Failure> {
    let Question { query, asking, settings, talk, .. } = job;
    let mut unprinted = None;
    let ended =
        run::watched(*talk, std::slice::from_ref(query), &settings.resources, |resources| {
            let index = Index::open(path)?;
            let questions = Files::new([query]);
            index.ask_all(questions, settings.job.read(), asking, &resources, &mut |answer| {
                let mut out = String::new();
                print(&answer, *talk, &mut out);
                terminal::print(&out).map_err(|failure| {
                    unprinted = Some(failure);
                    Error::StoppedFollowing { n_documents: 0 }
                })
            })
        });
    match unprinted {
        Some(failure) => Err(failure),
        None => ended,
    }
}

/// Writes an answer down, as JSON or for people.
fn print(answer: &Answer, talk: Talk, out: &mut String) {
    if talk.is_json {
        let line = serde_json::to_string(answer).expect("an answer is plain data");
        let _ = writeln!(out, "{line}");
    } else {
        tell(answer, terminal::style(talk.color, WIDTH), out);
    }
}

/// Says how a text admits to what it took from a hit.
fn credited(hit: &Hit) -> String {
    let Some(credit) = &hit.credit else { return String::new() };
    let n_passages = hit.evidence.passages.len();
    let quoted = match credit.quoted.len() {
        0 => None,
        n if n == n_passages => Some("quoted".to_owned()),
        n => Some(format!("{n} of {n_passages} passages quoted")),
    };
    let named = credit.is_named.then(|| "named".to_owned());
    let told: Vec<String> = quoted.into_iter().chain(named).collect();
    if told.is_empty() { String::new() } else { format!("  ({})", told.join(", ")) }
}

/// Says what was left out: what the text quotes, whose source it names, and what it shares with many.
fn tell_left_out(answer: &Answer, out: &mut String) {
    let n_quotations = answer.quotations.as_ref().map_or(0, |quoted| quoted.spans().len());
    if n_quotations > 0 {
        let _ = writeln!(out, "  quotations in the text: {n_quotations}");
    }
    if answer.n_named > 0 {
        let _ = writeln!(out, "  left out because the text names them: {}", answer.n_named);
    }
    if answer.n_undistinctive > 0 {
        let _ = writeln!(
            out,
            "  partial copies left out for too few distinctive runs: {}",
            answer.n_undistinctive
        );
    }
}

/// Writes an answer for people.
fn tell(answer: &Answer, style: Style, out: &mut String) {
    let (n_hits, n_documents) = (answer.n_hits as usize, answer.searched.n_documents);
    let name = paint(style, Ink::Strong, &escape_terminal(&answer.id));
    let n_words = answer.n_words;
    if answer.is_too_short {
        let _ = writeln!(out, "{name}: {n_words} words are too few to be judged");
        return;
    }
    if n_hits == 0 {
        let _ = writeln!(out, "{name}: nothing in {n_documents} documents repeats it");
        tell_left_out(answer, out);
        return;
    }
    let _ = writeln!(out, "{name}: {n_hits} of {n_documents} documents, best first");
    let _ = writeln!(
        out,
        "  {:>8}  {:>8}  {:>7}  {:<15} document",
        "of text", "of doc", "words", "relation"
    );
    for hit in &answer.hits {
        let words = hit.evidence.passages.iter().map(|passage| passage.n_agreeing());
        let longest = words.max().unwrap_or(0);
        let _ = writeln!(
            out,
            "  {:>7.1}%  {:>7.1}%  {longest:>7}  {:<15} {}{}",
            100.0 * hit.of_text.get(),
            100.0 * hit.of_document.get(),
            hit.relation,
            paint(style, Ink::Code, &escape_terminal(&hit.id)),
            credited(hit),
        );
    }
    tell_left_out(answer, out);
    if n_hits > answer.hits.len() {
        let _ = writeln!(out, "  and {} more; `--top N` lists them", n_hits - answer.hits.len());
    }
    let told = &answer.attribution;
    if told.n_words > 0 {
        let share = |n: u32| 100.0 * f64::from(n) / f64::from(told.n_words);
        let sources: Vec<String> = told
            .sources
            .iter()
            .map(|source| format!("{:.0}% {}", share(source.n_new), escape_terminal(&source.id)))
            .collect();
        let _ = writeln!(
            out,
            "  explained by {}; {:.0}% found nowhere",
            sources.join(", "),
            share(told.n_words - told.n_found)
        );
    }
    if answer.searched.n_cut > 0 {
        let _ = writeln!(out, "  limits left something out {} times", answer.searched.n_cut);
    }
    if let Some(how) = &answer.explanation {
        let _ = writeln!(
            out,
            "  method {}: {} keys asked, {} held by some document, {} by too many to follow; {} \
             candidates, {} documents compared, {} left out by filters",
            how.method,
            how.n_keys,
            how.n_keys_held,
            how.n_keys_common,
            how.n_candidates,
            how.n_compared,
            how.n_filtered
        );
    }
    for view in answer.hits.iter().filter_map(|hit| hit.view.as_ref()) {
        out.push('\n');
        out.push_str(&compare_text(view, style));
    }
}
