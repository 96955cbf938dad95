//! What commands that read collections share: watching a run and telling its figures.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use retold::{Kind, Outcome, Resources, Summary};
use retold_lab::Error;
use retold_report::summary_text;
use serde_json::{Value, json};

use super::tuning;
use crate::failure::Failure;
use crate::interrupt::{self, STOP};
use crate::progress::Bars;
use crate::settings::Talk;
use crate::terminal;

/// Columns of a summary that is not printed on a terminal.
const WIDTH: u16 = 80;

/// Runs `work` with progress on stderr and Ctrl-C taken over.
pub(super) fn watched<T, E: Into<Error>>(
    talk: Talk,
    paths: &[PathBuf],
    resources: &Resources,
    work: impl FnOnce(Resources) -> Result<T, E>,
) -> Result<T, Failure> {
    interrupt::watch(talk.color, paths.iter().any(|path| path.as_os_str() == "-"));
    let bars = Arc::new(Bars::new(talk));
    let outcome = work(resources.clone().progress(Arc::clone(&bars)).stop(&STOP));
    let n_skipped = bars.finish();
    outcome.map_err(|error| Failure::Run { error: error.into(), n_skipped })
}

/// Prints the figures of a run; `hint` follows the text, not the JSON.
pub(super) fn print(outcome: &Outcome, talk: Talk, hint: Option<&str>) -> Result<(), Failure> {
    let summary = outcome.summary();
    if talk.is_json {
        let mut json = json_of(summary);
        if let Some(tuning) = outcome.tuning() {
            json["tuning"] = json!(tuning);
        }
        return terminal::print(&format!("{json:#}\n"));
    }
    let mut text = outcome.tuning().map(tuning::text).unwrap_or_default();
    text.push_str(&summary_text(summary, terminal::style(talk.color, WIDTH)));
    if let Some(hint) = hint {
        text.push_str(hint);
        text.push('\n');
    }
    terminal::print(&text)
}

/// Returns the figures as JSON. The names are stable.
fn json_of(summary: &Summary) -> Value {
    let pairs: BTreeMap<&str, u64> =
        Kind::ALL.iter().map(|kind| kind.name()).zip(summary.pairs_by_kind).collect();
    json!({
        "command": summary.command,
        "method": summary.method,
        "n_files": summary.n_files,
        "n_documents": summary.n_documents,
        "n_bytes": summary.n_bytes,
        "n_words": summary.n_words,
        "n_bad": summary.n_bad,
        "n_too_short": summary.n_too_short,
        "n_pairs": summary.n_pairs(),
        "pairs": pairs,
        "n_exact_groups": summary.n_exact_groups,
        "n_exact_copies": summary.n_exact_copies,
        "n_clusters": summary.n_clusters,
        "n_clustered": summary.n_clustered,
        "n_kept": summary.n_kept,
        "n_in_several_clusters": summary.n_in_several,
        "n_copies": summary.n_copies(),
        "containment_histogram": summary.containment_histogram,
        "n_removed": summary.n_removed,
        "n_review": summary.n_review,
        "cuts": summary.cuts,
        "seconds": summary.seconds,
        "output": summary.output,
    })
}
