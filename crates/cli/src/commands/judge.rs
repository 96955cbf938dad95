//! `retold judge`: one person at work, or how far everybody has come.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use retold::{Document, Job, Resources};
use retold_core::clean::Text;
use retold_lab::judging::{Answer, Entry, Judgements, Pool, Question, Sitting, State, Tally};
use retold_lab::{Error, JudgementFile, PoolDocuments};
use retold_report::{Style, escape_terminal, passages_text};
use serde_json::json;
use unicode_width::UnicodeWidthStr as _;

use crate::commands::{run, standing};
use crate::failure::Failure;
use crate::keys::Keys;
use crate::markdown::{Ink, paint};
use crate::settings::{JudgeTask, Judging, Talk, Volume};
use crate::terminal;

/// Columns of what is not printed on a terminal.
const WIDTH: u16 = 100;

/// Cluster mates that a document is shown beside.
const MOST_MATES: usize = 5;

/// Words shown of documents that share no passage.
const OPENING_WORDS: usize = 80;

/// Judges, lists or tells the state.
pub(crate) fn judge(job: &Judging) -> Result<(), Failure> {
    let warn = |text: &str| {
        if job.talk.volume != Volume::Quiet {
            terminal::say("warning", text, job.talk.color);
        }
    };
    let mut pool = retold_lab::read_pool(&job.pool)?;
    pool.bad.iter().for_each(|bad| warn(&bad.to_string()));
    if let Some(question) = job.question {
        pool = pool.asked(question).map_err(|error| {
            Failure::hinted(error.to_string(), "make a pool for that question with `retold pool`")
        })?;
    }
    let n_groups = pool.header.n_groups;
    if let Some(group) = job.group.filter(|group| *group == 0 || *group > n_groups) {
        return Err(Failure::usage(format!("group must be from 1 to {n_groups}, got {group}")));
    }
    let judgements = gathered(job)?;
    judgements.bad.iter().for_each(|bad| warn(&bad.to_string()));
    judgements.conflicts().iter().for_each(|conflict| warn(&conflict.to_string()));
    let tally = Tally::of(&pool, &judgements);
    match &job.task {
        JudgeTask::Status(output) => standing::tell(job, &tally, output.as_ref()),
        JudgeTask::List(name) => list(job, &tally, name.as_deref()),
        JudgeTask::Sit { name, to } => sit(job, &pool, tally, name, to),
    }
}

/// Reads the judgements that were given or stand beside the pool, and one's own.
fn gathered(job: &Judging) -> Result<Judgements, Failure> {
    let mut files = job.judgements.clone();
    if files.is_empty() {
        files = retold_lab::judgements_beside(&job.pool)?;
    }
    if let JudgeTask::Sit { to, .. } = &job.task
        && to.exists()
        && !files.iter().any(|file| is_same(file, to))
    {
        files.push(to.clone());
    }
    Ok(retold_lab::read_judgements(&files)?)
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// Lists what is still to be judged, by anybody or by one person.
fn list(job: &Judging, tally: &Tally<'_>, name: Option<&str>) -> Result<(), Failure> {
    let mut out = String::new();
    let open: BTreeSet<usize> = match name {
        Some(name) => tally.open_to(name, job.group).into_iter().collect(),
        None => (0..tally.pool().entries().len()).collect(),
    };
    for (at, (entry, votes, state)) in tally.iter().enumerate() {
        let is_here = job.group.is_none() || entry.group == job.group;
        if !is_here || !open.contains(&at) || matches!(state, State::Decided(_)) {
            continue;
        }
        let group = entry.group.unwrap_or_default();
        if job.talk.is_json {
            let line = json!({
                "a": entry.subject.a,
                "b": entry.subject.b,
                "group": group,
                "n_judgements": votes.len(),
                "is_split": state == State::Split,
            });
            let _ = writeln!(out, "{line}");
        } else {
            let state = if state == State::Split { "differ" } else { "open" };
            let b = entry.subject.b.as_deref().unwrap_or_default();
            let _ = writeln!(
                out,
                "{group:>4}  {}  {state:<6}  {}  {}",
                votes.len(),
                escape_terminal(&entry.subject.a),
                escape_terminal(b)
            );
        }
    }
    terminal::print(&out)
}

/// Hands one person what needs judgement until there is no more or they have had enough.
fn sit(job: &Judging, pool: &Pool, tally: Tally<'_>, name: &str, to: &Path) -> Result<(), Failure> {
    let talk = job.talk;
    let mut sitting = Sitting::new(tally, name, job.group);
    if sitting.is_empty() {
        let text = format!("nothing here needs a judgement of {name}\n");
        return if talk.is_json { Ok(()) } else { terminal::print(&text) };
    }
    let wanted: BTreeSet<String> = sitting.queue().flat_map(ids).map(ToOwned::to_owned).collect();
    let documents = run::watched(talk, &job.paths, &Resources::new(), |resources| {
        PoolDocuments::open(pool, &job.paths, &wanted, &resources)
    })?;
    if !documents.missing().is_empty() && talk.volume != Volume::Quiet {
        let n = documents.missing().len();
        let first = &documents.missing()[0];
        let text = format!(
            "{n} documents are not in the collection, such as `{first}`; what they are part of is \
             passed over"
        );
        terminal::say("warning", &text, talk.color);
    }
    let mut file = JudgementFile::open(to)?;
    let keys = Keys::new();
    let style = terminal::style(talk.color, WIDTH);
    let mut is_back = false;
    while let Some(entry) = sitting.current() {
        let view = match view(&documents, entry, pool.header.question, style) {
            Ok(view) => view,
            Err(error) => {
                if talk.volume != Volume::Quiet {
                    terminal::say("skipped", &error.to_string(), talk.color);
                }
                // On the way back there must be an end to it, too.
                if !(is_back && sitting.back()) {
                    is_back = false;
                    sitting.skip();
                }
                continue;
            }
        };
        is_back = false;
        show(&sitting, entry, pool.header.question, &view, talk, style)?;
        loop {
            let Some(key) = keys.ask().map_err(Failure::Print)? else {
                return goodbye(&sitting, talk, to);
            };
            let answer = match key.as_str() {
                "q" | "quit" => return goodbye(&sitting, talk, to),
                "s" | "skip" => {
                    sitting.skip();
                    break;
                }
                "b" | "back" => {
                    is_back = sitting.back();
                    if !is_back {
                        terminal::say("note", "this is the first", talk.color);
                        continue;
                    }
                    break;
                }
                "t" | "text" => {
                    terminal::print(&format!("\n\n{}", texts(&documents, entry, style)?))?;
                    prompt(pool.header.question, talk, style)?;
                    continue;
                }
                "" => continue,
                key => key.parse::<Answer>(),
            };
            let Ok(answer) = answer else {
                terminal::say("note", "answer with y, n, u, s, b, t or q", talk.color);
                continue;
            };
            let judgement = sitting.judgement(answer).expect("there is something to judge");
            file.append(&judgement)?;
            sitting.answered(&judgement);
            if talk.is_json {
                terminal::print(&format!("{}\n", json!({ "recorded": judgement })))?;
            } else if talk.volume != Volume::Quiet {
                terminal::print(&format!("{answer}\n"))?;
            }
            break;
        }
    }
    goodbye(&sitting, talk, to)
}

/// Says what was done.
fn goodbye(sitting: &Sitting<'_>, talk: Talk, to: &Path) -> Result<(), Failure> {
    let n = sitting.n_answered();
    if talk.is_json {
        let left = sitting.len() - sitting.position();
        return terminal::print(&format!("{}\n", json!({ "n_answered": n, "n_left": left })));
    }
    if talk.volume == Volume::Quiet {
        return Ok(());
    }
    let name = to.display().to_string();
    let answers = if n == 1 { "answer" } else { "answers" };
    terminal::print(&format!("\n{n} {answers} in {}\n", escape_terminal(&name)))
}

/// Returns the documents that an entry shows.
fn ids(entry: &Entry) -> impl Iterator<Item = &str> {
    let mates = entry.mates.iter().take(MOST_MATES);
    [&entry.subject.a].into_iter().chain(&entry.subject.b).chain(mates).map(String::as_str)
}

/// Returns the documents side by side: a pair, or a document beside each of its mates.
fn view(
    held: &PoolDocuments,
    entry: &Entry,
    question: Question,
    style: Style,
) -> Result<String, Error> {
    let mut documents = Vec::new();
    for id in ids(entry) {
        documents.push(held.document(id)?);
    }
    let job = Job::default();
    let mut out = String::new();
    let (first, others) = documents.split_first().expect("an entry has a document");
    for other in others {
        let view = retold::compare(first, other, &job)?.side_by_side(first, other);
        out.push_str(&passages_text(&view, style));
        if view.passages.is_empty() {
            for (name, document) in [("a", first), ("b", other)] {
                let _ = writeln!(
                    out,
                    "\n{} {}",
                    paint(style, Ink::Strong, name),
                    opening(document, style)
                );
            }
        }
        out.push('\n');
    }
    if question == Question::Duplicate && entry.mates.len() > MOST_MATES {
        let more = entry.mates.len() - MOST_MATES;
        let _ = writeln!(out, "and {more} more of the same cluster\n");
    }
    Ok(out)
}

/// Returns how a document begins.
fn opening(document: &Document, style: Style) -> String {
    let text = Text::of(document, Job::default().text().clean);
    let words: Vec<&str> = text.as_str().split_whitespace().take(OPENING_WORDS + 1).collect();
    let is_cut = words.len() > OPENING_WORDS;
    let mut opening = filled(&words[..words.len().min(OPENING_WORDS)].join(" "), style, 2);
    if is_cut {
        opening.push_str(if style.unicode { " …" } else { " ..." });
    }
    opening
}

/// Returns the documents of an entry as a whole.
fn texts(documents: &PoolDocuments, entry: &Entry, style: Style) -> Result<String, Error> {
    let mut out = String::new();
    for id in ids(entry) {
        let document = documents.document(id)?;
        let _ = writeln!(out, "{}", paint(style, Ink::Strong, &escape_terminal(id)));
        let text = Text::of(&document, Job::default().text().clean);
        for line in text.as_str().lines().filter(|line| !line.trim().is_empty()) {
            let _ = writeln!(out, "  {}", filled(line, style, 2));
        }
        out.push('\n');
    }
    Ok(out)
}

/// Returns a text of strangers made safe and filled to the width from column `indent` on.
fn filled(text: &str, style: Style, indent: usize) -> String {
    let (mut out, mut column) = (String::new(), indent);
    for word in text.split_whitespace() {
        let word = escape_terminal(word);
        if column > indent && column + 1 + word.width() > usize::from(style.width) {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if column > indent {
            out.push(' ');
            column += 1;
        }
        out.push_str(&word);
        column += word.width();
    }
    out
}

/// Prints the entry that is to be judged now, with its question. With `--json` it is one line; with
/// `--quiet` alone nothing is printed.
fn show(
    sitting: &Sitting<'_>,
    entry: &Entry,
    question: Question,
    view: &str,
    talk: Talk,
    style: Style,
) -> Result<(), Failure> {
    let (at, of) = (sitting.position() + 1, sitting.len());
    let group = entry.group.unwrap_or_default();
    if talk.is_json {
        let line = json!({
            "at": at,
            "of": of,
            "group": group,
            "a": entry.subject.a,
            "b": entry.subject.b,
            "mates": entry.mates,
            "question": question,
            "said": sitting.said(),
        });
        return terminal::print(&format!("{line}\n"));
    }
    if talk.volume == Volume::Quiet {
        return Ok(());
    }
    let said = sitting.said().map(|said| format!("; you said {said}")).unwrap_or_default();
    let place = format!("{at} of {of}, group {group}{said}");
    terminal::print(&format!("\n{}\n\n{view}", paint(style, Ink::Faint, &place)))?;
    prompt(question, talk, style)
}

/// Asks.
fn prompt(question: Question, talk: Talk, style: Style) -> Result<(), Failure> {
    if talk.is_json || talk.volume == Volume::Quiet {
        return Ok(());
    }
    let asked = paint(style, Ink::Strong, question.sentence());
    let keys = paint(style, Ink::Faint, "y yes  n no  u unsure  s skip  b back  t texts  q quit");
    terminal::print(&format!("{asked}\n{keys} > "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_strangers_are_filled_and_made_safe() {
        let style = Style { colour: false, width: 12, unicode: true };
        assert_eq!(
            filled("one two three\u{1b}[2J four", style, 2),
            "one two\n  three\\u{1b}[2J\n  four"
        );
        assert_eq!(filled("  ", style, 2), "");
    }

    #[test]
    fn a_long_document_is_shown_by_its_beginning() {
        let style = Style { colour: false, width: 60_000, unicode: false };
        let short = Document::plain("x", "one two");
        assert_eq!(opening(&short, style), "one two");
        let long = Document::plain("x", "word ".repeat(OPENING_WORDS + 1));
        let shown = opening(&long, style);
        assert!(shown.ends_with("word ..."));
        assert_eq!(shown.matches("word").count(), OPENING_WORDS);
    }
}
