//! `retold dedup --level`: the collection without passages, paragraphs, lines or sentences that stood
//! before in it.

use std::fmt::Write;

use retold::{Files, Strike, StrikeOutcome, StrikeSettings, StrikeTables};
use retold_report::grouped;
use serde_json::json;

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::Task;
use crate::terminal;

/// Runs and prints the figures.
pub(crate) fn strike(task: &Task, strikes: StrikeSettings) -> Result<(), Failure> {
    let Task { paths, against, index_method: _, aim: _, output, settings, talk } = task;
    let Some(output) = output else {
        return Err(Failure::usage("`--output` must be given"));
    };
    let outcome = run::watched(*talk, paths, &settings.resources, |resources| {
        let mut strike = Strike::new(Files::new(paths))
            .settings(strikes)
            .job(settings.job.clone())
            .resources(resources);
        if !against.is_empty() {
            strike = strike.against(Files::new(against));
        }
        strike.run(&mut StrikeTables::new(output).overwrite(settings.overwrite))
    })?;
    if talk.is_json {
        let mut told = json!(outcome);
        told["output"] = json!(output);
        return terminal::print(&format!("{told:#}\n"));
    }
    terminal::print(&format!("{}Written to {}\n", text(&outcome), output.display()))
}

fn text(outcome: &StrikeOutcome) -> String {
    let StrikeOutcome { n_documents, n_words, n_struck_words, n_strikes, .. } = *outcome;
    let share = if n_words == 0 { 0.0 } else { n_struck_words as f64 / n_words as f64 * 100.0 };
    let mut out = format!(
        "{} documents, {} words\n{} strikes in {} documents: {} words, {share:.1} %\n",
        grouped(n_documents),
        grouped(n_words),
        grouped(n_strikes),
        grouped(outcome.n_struck_documents),
        grouped(n_struck_words),
    );
    let others = [
        (outcome.n_archive, "documents of the archive compared with, and not changed"),
        (outcome.n_near, "strikes of near-equal passages"),
        (outcome.n_boilerplate, "strikes of boilerplate"),
        (outcome.n_dropped, "documents dropped: too little is left of them"),
        (outcome.n_review, "documents to be reviewed: little is left of them"),
        (outcome.n_bad, "records could not be read"),
        (outcome.n_cut_documents, "documents whose last words were not looked at"),
        (
            outcome.n_near_cut,
            "shared runs of near-equal passages were not followed: they had enough earlier places",
        ),
        (outcome.n_collisions, "runs left alone: their hashes are equal and their words are not"),
    ];
    for (n, what) in others {
        if n > 0 {
            writeln!(out, "{} {what}", grouped(n)).expect("memory can be written");
        }
    }
    out
}
