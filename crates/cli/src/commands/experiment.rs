//! `retold experiment`: designs of papers, run again.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};
use retold_lab::experiment::{BUILT_IN, Design};
use retold_lab::{CellsDone, Lab, findings_text, verdicts_text};
use serde_json::json;

use crate::failure::Failure;
use crate::interrupt::{self, STOP};
use crate::settings::{Experimenting, Volume};
use crate::terminal;

/// Runs experiments, or lists them.
pub(crate) fn experiment(job: &Experimenting) -> Result<(), Failure> {
    let Experimenting { designs, extent, data, output, overwrite, resources, talk } = job;
    if designs.is_empty() {
        return terminal::print(&list());
    }
    interrupt::watch(talk.color, false);
    let bars = Bars::new(talk.volume != Volume::Quiet && io::stderr().is_terminal());
    let mut lab = Lab::new().extent(*extent).resources(resources.clone().stop(&STOP));
    if let Some(data) = data {
        lab = lab.data(data);
    }
    if let Some(output) = output {
        lab = lab.output(output, *overwrite)?;
    }
    let mut all = Vec::new();
    for design in designs {
        bars.begin(&design.name);
        let findings = lab.run(design, &|cells| bars.at(cells));
        bars.end();
        let findings = findings?;
        if talk.is_json {
            let line = json!({
                "experiment": findings.name,
                "setting": findings.setting,
                "tables": findings.tables,
                "verdicts": findings.verdicts,
                "advice": findings.advice,
                "cell_seconds": findings.cell_seconds(),
                "clock_seconds": findings.clock_seconds,
            });
            terminal::print(&format!("{line}\n"))?;
        } else {
            let gap = if all.is_empty() { "" } else { "\n" };
            terminal::print(&format!("{gap}{}", findings_text(&findings)))?;
        }
        all.push(findings);
    }
    if all.len() > 1 && !talk.is_json {
        terminal::print(&format!("\n{}", verdicts_text(&all)))?;
    }
    lab.finish(&all)?;
    match output {
        Some(output) if !talk.is_json => {
            let page = output.join("report.html");
            terminal::print(&format!("\nreport: {}\n", page.display()))
        }
        _ => Ok(()),
    }
}

/// Lists the designs: name, title, and below it the paper with the tables and figures it makes.
fn list() -> String {
    let mut out = String::new();
    for (name, _) in BUILT_IN {
        let Some(Ok(design)) = Design::built_in(name) else { continue };
        let _ = writeln!(out, "{name:<26} {}", design.title);
        if !design.paper.is_empty() {
            let _ = writeln!(out, "{:<26} after {}", "", design.paper);
        }
    }
    out
}

/// Progress of cells on stderr.
struct Bars {
    is_watched: bool,
    bar: Mutex<ProgressBar>,
}

impl Bars {
    fn new(is_watched: bool) -> Self {
        Self { is_watched, bar: Mutex::new(ProgressBar::hidden()) }
    }

    fn begin(&self, name: &str) {
        if !self.is_watched {
            return;
        }
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {msg}");
        let bar = ProgressBar::new(0).with_prefix(name.to_owned());
        bar.set_style(style.expect("the template is fixed"));
        *self.bar.lock().expect("nobody panics while holding the bar") = bar;
    }

    fn end(&self) {
        self.bar.lock().expect("nobody panics while holding the bar").finish_and_clear();
    }

    fn at(&self, cells: CellsDone<'_>) {
        let bar = self.bar.lock().expect("nobody panics while holding the bar");
        bar.set_length(cells.n_all as u64);
        bar.set_position(cells.n_done as u64);
        bar.set_message(cells.next.to_owned());
    }
}
