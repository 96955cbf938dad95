//! What commands that read collections share: watching a run and telling its figures.

use std::path::PathBuf;
use std::sync::Arc;

use retold::{Outcome, Resources};
use retold_lab::Error;
use retold_report::summary_text;
use serde_json::json;

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
        let mut json = summary.to_json();
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
