//! How far judging has come: what is decided, by whom, and how far people agree.

use std::fmt::Write as _;

use retold::Error;
use retold_lab::judging::{Answer, Assessors, Difference, Standing, State, Tally, TwoAssessors};
use retold_lab::measures::agreement::Agreement;
use retold_lab::measures::{Costs, DocumentCounts};
use retold_lab::statistics::Level;
use retold_report::{OutputFile, escape_terminal};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use crate::failure::Failure;
use crate::settings::{Judging, Volume, Written};
use crate::terminal;

/// Undecided entries that are named.
const MOST_NAMED: usize = 20;

/// Kappa below which a guideline should be looked at again.
const GOOD_KAPPA: f64 = 0.7;

/// Prints the state and writes what is decided.
pub(super) fn tell(
    job: &Judging,
    tally: &Tally<'_>,
    output: Option<&Written>,
) -> Result<(), Failure> {
    let assessors = Assessors::of(tally, Level::default());
    let between = between(tally);
    if let Some(Written { path, overwrite }) = output {
        let (list, n_left_out) = tally.reference();
        OutputFile::write(path, *overwrite, list.as_bytes()).map_err(Error::from)?;
        if n_left_out > 0 && job.talk.volume != Volume::Quiet {
            let text = format!(
                "{n_left_out} decided entries have an id with a tab or a line end and cannot stand \
                 in a list"
            );
            terminal::say("warning", &text, job.talk.color);
        }
    }
    if job.talk.is_json {
        return terminal::print(&format!("{:#}\n", as_json(tally, &assessors, between.as_ref())));
    }
    let mut out = String::new();
    put_progress(&mut out, tally);
    put_agreement(&mut out, &assessors);
    put_between(&mut out, tally, between.as_ref());
    put_undecided(&mut out, tally);
    if let Some(Written { path, .. }) = output {
        let name = path.display().to_string();
        let n = tally.standing().n_decided();
        let _ = writeln!(out, "\n{n} decided entries in {}", escape_terminal(&name));
    }
    terminal::print(&out)
}

/// The four numbers of two methods, or what is missing for them.
type Settled = Result<[DocumentCounts; 2], usize>;

fn between(tally: &Tally<'_>) -> Option<Settled> {
    let difference = Difference::of_pool(tally.pool())?;
    let judged = |entry: u32| match tally.state(entry as usize) {
        State::Decided(is_duplicate) => Some(is_duplicate),
        State::Waiting | State::Split => None,
    };
    Some(difference.settle(judged).map_err(|open| open.documents.len()))
}

fn put_progress(out: &mut String, tally: &Tally<'_>) {
    let pool = tally.pool();
    let question = pool.header.question;
    let all = tally.standing();
    let _ = writeln!(out, "question     {question}: {}", question.sentence());
    let n_groups = pool.group_sizes().len();
    let _ = writeln!(out, "entries      {} in {n_groups} groups", all.n());
    let _ = writeln!(out, "decided      {} ({} yes, {} no)", all.n_decided(), all.n_yes, all.n_no);
    let _ = writeln!(out, "differ       {}, one more judgement is needed", all.n_split);
    let _ = writeln!(
        out,
        "begun        {}, fewer than {} judgements",
        all.n_begun,
        question.n_judges()
    );
    let _ = writeln!(out, "untouched    {}", all.n_untouched);
    if tally.n_elsewhere > 0 {
        let n = tally.n_elsewhere;
        let _ = writeln!(out, "elsewhere    {n} judgements of other pools or questions");
    }
    let by_method = tally.standing_by_method();
    let width = by_method.keys().map(|name| name.len()).max().unwrap_or(0).max(9);
    let _ = writeln!(out, "\n{:<width$}  {:>9}  {:>7}  {:>7}", "nominated", "entries", "yes", "no");
    for (name, standing) in by_method {
        let name = escape_terminal(name);
        let Standing { n_yes, n_no, .. } = standing;
        let _ = writeln!(out, "{name:<width$}  {:>9}  {n_yes:>7}  {n_no:>7}", standing.n());
    }
}

fn put_agreement(out: &mut String, assessors: &Assessors) {
    if assessors.pairs.is_empty() {
        let _ = writeln!(out, "\nno two people have judged the same entry yet");
        return;
    }
    for pair in &assessors.pairs {
        put_pair(out, pair);
    }
    let n = assessors.pairs.len();
    match assessors.mean_kappa {
        Some(kappa) => {
            let _ = writeln!(out, "\naverage kappa {kappa:.3} over {n} pairs of people");
            if kappa < GOOD_KAPPA {
                let _ = writeln!(out, "below {GOOD_KAPPA}: look at the guideline before going on");
            }
        }
        None => {
            let _ = writeln!(out, "\nno kappa: everybody gave one and the same answer");
        }
    }
    // With two people Fleiss' kappa tells nothing that the confusion above does not.
    if n > 1 {
        for (raters, fleiss) in &assessors.fleiss {
            let _ = writeln!(
                out,
                "Fleiss, {} entries with {raters} judgements: {}",
                fleiss.n,
                shown(fleiss)
            );
        }
        let alpha = &assessors.alpha;
        let _ = writeln!(out, "Krippendorff's alpha, {} entries: {}", alpha.n, shown(alpha));
    }
}

fn put_pair(out: &mut String, pair: &TwoAssessors) {
    let [first, second] = [&pair.first, &pair.second].map(|name| escape_terminal(name));
    let cohen = &pair.cohen;
    let _ = writeln!(out, "\n{first} and {second}: {} entries, {}", cohen.n, shown(cohen));
    let rows = Answer::ALL.map(|answer| format!("{first} says {answer}"));
    let width = rows.iter().map(|row| row.width()).max().unwrap_or(0);
    let _ = writeln!(out, "  {:<width$}{:>8}{:>8}{:>8}  by {second}", "", "yes", "no", "unsure");
    for (row, counts) in rows.iter().zip(pair.confusion) {
        let pad = " ".repeat(width - row.width());
        let _ = writeln!(out, "  {row}{pad}{:>8}{:>8}{:>8}", counts[0], counts[1], counts[2]);
    }
}

fn shown(agreement: &Agreement) -> String {
    let observed = 100.0 * agreement.observed;
    let kappa = match (agreement.kappa, agreement.interval) {
        (Some(kappa), Some(interval)) => {
            format!("kappa {kappa:.3} ({:.3} to {:.3})", interval.low, interval.high)
        }
        (Some(kappa), None) => format!("{kappa:.3}"),
        (None, _) => "no kappa".to_owned(),
    };
    format!("{kappa}, {observed:.1} % agree")
}

fn put_between(out: &mut String, tally: &Tally<'_>, settled: Option<&Settled>) {
    let (Some(settled), Some(between)) = (settled, &tally.pool().header.between) else { return };
    match settled {
        Err(n_open) => {
            let _ = writeln!(out, "\n{n_open} documents of the difference are not decided yet");
        }
        Ok(counts) => {
            let width = between.methods.iter().map(String::len).max().unwrap_or(0);
            let _ = writeln!(
                out,
                "\n{:<width$}  {:>6} {:>6} {:>6} {:>6}  {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
                "documents",
                "a",
                "b",
                "c",
                "d",
                "miss",
                "f.alarm",
                "P",
                "R",
                "F1",
                "C_dup",
                "C_norm",
                width = width.max(9)
            );
            for (name, counts) in between.methods.iter().zip(counts) {
                let DocumentCounts { a, b, c, d } = counts;
                let costs = Costs::default();
                let _ = writeln!(
                    out,
                    "{:<width$}  {a:>6} {b:>6} {c:>6} {d:>6}  {:>8.4} {:>8.4} {:>8.4} {:>8.4} {:>8.4} {:>8.4} {:>8.4}",
                    escape_terminal(name),
                    counts.miss(),
                    counts.false_alarm(),
                    counts.precision(),
                    counts.recall(),
                    counts.f1(),
                    counts.cost(&costs),
                    counts.normalised_cost(&costs),
                    width = width.max(9)
                );
            }
        }
    }
}

fn put_undecided(out: &mut String, tally: &Tally<'_>) {
    let open: Vec<_> = tally.iter().filter(|(_, _, state)| *state == State::Split).collect();
    if open.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nundecided");
    for (entry, votes, _) in open.iter().take(MOST_NAMED) {
        let said: Vec<String> = votes
            .iter()
            .map(|vote| {
                format!("{} {}", escape_terminal(&tally.people()[vote.person]), vote.answer)
            })
            .collect();
        let b = entry.subject.b.as_deref().unwrap_or_default();
        let (a, b) = (escape_terminal(&entry.subject.a), escape_terminal(b));
        let _ = writeln!(out, "  {a}  {b}  ({})", said.join(", "));
    }
    if open.len() > MOST_NAMED {
        let more = open.len() - MOST_NAMED;
        let _ = writeln!(out, "  and {more} more; `--list` names them all");
    }
}

/// Returns the state as JSON. The names are stable.
fn as_json(tally: &Tally<'_>, assessors: &Assessors, settled: Option<&Settled>) -> Value {
    let undecided: Vec<Value> = tally
        .iter()
        .filter(|(_, _, state)| *state == State::Split)
        .map(|(entry, votes, _)| {
            let said: serde_json::Map<String, Value> = votes
                .iter()
                .map(|vote| (tally.people()[vote.person].clone(), json!(vote.answer)))
                .collect();
            json!({ "a": entry.subject.a, "b": entry.subject.b, "said": said })
        })
        .collect();
    let between =
        tally.pool().header.between.as_ref().zip(settled).map(|(between, settled)| match settled {
            Err(n_open) => json!({ "n_open": n_open }),
            Ok(counts) => {
                let costs = Costs::default();
                let methods: Vec<Value> = between
                    .methods
                    .iter()
                    .zip(counts)
                    .map(|(method, counts)| {
                        json!({
                            "method": method,
                            "a": counts.a, "b": counts.b, "c": counts.c, "d": counts.d,
                            "miss": counts.miss(),
                            "false_alarm": counts.false_alarm(),
                            "precision": counts.precision(),
                            "recall": counts.recall(),
                            "f1": counts.f1(),
                            "cost": counts.cost(&costs),
                            "normalised_cost": counts.normalised_cost(&costs),
                        })
                    })
                    .collect();
                json!({ "n_open": 0, "methods": methods })
            }
        });
    json!({
        "question": tally.pool().header.question,
        "people": tally.people(),
        "standing": tally.standing(),
        "groups": tally.standing_by_group(),
        "methods": tally.standing_by_method(),
        "n_elsewhere": tally.n_elsewhere,
        "agreement": assessors,
        "undecided": undecided,
        "between": between,
    })
}
