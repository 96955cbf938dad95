//! `retold evaluate`: the figures of results against a truth, each by its full name.

mod text;

use retold_lab::statistics::Level;

use crate::failure::Failure;
use crate::settings::Evaluating;
use crate::terminal;

/// Columns of a table that is not printed on a terminal.
const WIDTH: u16 = 100;

/// Evaluates and prints the figures.
pub(crate) fn evaluate(job: &Evaluating) -> Result<(), Failure> {
    let Evaluating { found, reference, settings, talk } = job;
    let evaluated = retold_lab::evaluate(found, reference, settings)?;
    if talk.is_json {
        let json = serde_json::to_string_pretty(&evaluated)
            .map_err(|error| Failure::usage(format!("figures cannot be written: {error}")))?;
        return terminal::print(&format!("{json}\n"));
    }
    terminal::print(&text::text(&evaluated, terminal::style(talk.color, WIDTH)))
}

/// Returns a level as people say it: `95 %`.
fn percent(level: Level) -> String {
    let percent = level.get() * 100.0;
    let digits = format!("{percent:.1}");
    format!("{} %", digits.strip_suffix(".0").unwrap_or(&digits))
}
