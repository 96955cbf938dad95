//! `retold pool`: what several methods find, for people to judge.

use std::fmt::Write as _;

use retold_lab::{PoolBuilder, PoolMade};
use retold_report::escape_terminal;
use serde_json::json;

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::{PoolTask, Pooling};
use crate::terminal;

/// Runs the methods, writes the pool and says what it holds.
pub(crate) fn pool(job: &Pooling) -> Result<(), Failure> {
    let Pooling { task, paths, methods, resources, loosened, plan, talk } = job;
    let made = run::watched(*talk, paths, resources, |resources| {
        let pool = PoolBuilder::new(methods.clone()).paths(paths).plan(*plan).resources(resources);
        match task {
            PoolTask::New(output) => pool.write(output),
            PoolTask::Add(file) => pool.add_to(file),
            PoolTask::Difference(output) => pool.write_difference(output),
        }
    })?;
    let PoolMade { pool, runs, n_new, n_known } = &made;
    let sizes = pool.group_sizes();
    if talk.is_json {
        let loosened: serde_json::Map<_, _> =
            loosened.iter().map(|(name, list)| (name.clone(), json!(list))).collect();
        let line = json!({
            "question": pool.header.question,
            "n_entries": pool.entries().len(),
            "n_new": n_new,
            "n_known": n_known,
            "group_sizes": sizes,
            "between": pool.header.between,
            "loosened": loosened,
            "runs": runs,
        });
        return terminal::print(&format!("{line:#}\n"));
    }
    let file = match task {
        PoolTask::New(file) | PoolTask::Add(file) | PoolTask::Difference(file) => file,
    };
    let mut out = String::new();
    let name = escape_terminal(&file.display().to_string()).into_owned();
    let what = if pool.header.between.is_some() { "documents" } else { "pairs" };
    let n = pool.entries().len();
    let added =
        if *n_known > 0 || *n_new < n { format!(", {n_new} of them new") } else { String::new() };
    let (least, most) = (sizes.iter().min().unwrap_or(&0), sizes.iter().max().unwrap_or(&0));
    let each = if least == most { format!("{least}") } else { format!("{least} to {most}") };
    let groups = if sizes.len() == 1 { "group" } else { "groups" };
    let _ = writeln!(
        out,
        "{name}: {n} {what}{added}, in {} {groups} of {each}; question: {}",
        sizes.len(),
        pool.header.question
    );
    let width = runs.iter().map(|run| run.method.len()).max().unwrap_or(0);
    for run in runs {
        let changed = loosened.iter().find(|(name, _)| *name == run.method);
        let changed: Vec<String> = changed
            .into_iter()
            .flat_map(|(_, list)| list)
            .map(|one| format!("{} {} (was {})", one.name, one.to, one.from))
            .collect();
        let changed =
            if changed.is_empty() { String::new() } else { format!("; {}", changed.join(", ")) };
        let of = if pool.header.between.is_some() { "" } else { "pairs " };
        let _ = writeln!(
            out,
            "  {:<width$}  {:>7} {of}of {} documents{changed}",
            run.method, run.n_nominated, run.n_documents
        );
    }
    if let Some(between) = &pool.header.between {
        let _ = writeln!(
            out,
            "  both found {} documents, neither {}; the rest is to be judged by three people",
            between.n_both, between.n_neither
        );
    }
    terminal::print(&out)
}
