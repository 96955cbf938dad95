//! `retold plan`: what a search will cost.

use std::fmt::Write as _;

use retold::{Expected, Files, Plan, PlanReport};

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::Task;
use crate::terminal;

/// Plans and prints.
pub(crate) fn plan(task: &Task) -> Result<(), Failure> {
    let Task { paths, settings, talk, .. } = task;
    let report = run::watched(*talk, paths, &settings.resources, |resources| {
        Plan::new(Files::new(paths)).job(settings.job.clone()).resources(resources).run()
    })?;
    if talk.is_json {
        let json = serde_json::to_value(&report).unwrap_or_default();
        return terminal::print(&format!("{json:#}\n"));
    }
    terminal::print(&text(&report))
}

fn text(report: &PlanReport) -> String {
    let mut text = String::new();
    let PlanReport { method, n_documents, n_bytes, n_sampled, is_cut, .. } = report;
    let about = if *is_cut { "about " } else { "" };
    let _ = writeln!(
        text,
        "{about}{n_documents} documents, {} of text, by method {method}",
        size(*n_bytes as f64)
    );
    let _ = writeln!(
        text,
        "planned from {n_sampled} of them; errors, where they were checked, are the largest seen on collections of 16 MB or more\n"
    );
    let mut line = |name: &str, value: String, of: Expected| {
        let error = of.error.map(|error| format!("  \u{b1} {:.0} %", error * 100.0));
        let _ = writeln!(text, "{name:<24}{value:>12}{}", error.unwrap_or_default());
    };
    let whole = |of: Expected| format!("{:.0}", of.expected);
    line("exact copies", whole(report.exact_copies), report.exact_copies);
    line("copies", whole(report.copies), report.copies);
    line("clusters", whole(report.clusters), report.clusters);
    line("pairs", whole(report.pairs), report.pairs);
    line("CPU time", seconds(report.cpu_seconds.expected), report.cpu_seconds);
    line("time on these threads", seconds(report.seconds.expected), report.seconds);
    line("memory", size(report.memory_bytes.expected), report.memory_bytes);
    line("scratch files", size(report.scratch_bytes.expected), report.scratch_bytes);
    line("tables", size(report.table_bytes.expected), report.table_bytes);
    line("a stored index", size(report.index_bytes.expected), report.index_bytes);
    text.push_str("\nCPU time by stage\n");
    for stage in &report.stages {
        let name = stage.name.split_once(' ').map_or(&*stage.name, |(_, name)| name);
        let _ = writeln!(text, "  {name:<22}{:>12}", seconds(stage.cpu_seconds));
    }
    text
}

fn size(bytes: f64) -> String {
    match bytes {
        b if b >= 1e9 => format!("{:.1} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.0} kB", b / 1e3),
    }
}

fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 5400.0 => format!("{:.1} h", s / 3600.0),
        s if s >= 90.0 => format!("{:.1} min", s / 60.0),
        s => format!("{s:.1} s"),
    }
}
