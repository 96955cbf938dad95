//! Findings as plain text, for a terminal.

use std::fmt::Write as _;

use crate::experiment::{Findings, Measure, Side, Table, Verdict, Verdicts};

/// Returns the findings of an experiment: tables with our numbers and the paper's side by side, and
/// the verdicts.
pub fn findings_text(findings: &Findings) -> String {
    let mut out = format!("{}\n{}\n", findings.title, findings.setting);
    for table in &findings.tables {
        out.push('\n');
        out.push_str(&table_text(table));
    }
    if !findings.verdicts.is_empty() {
        out.push('\n');
    }
    for verdict in &findings.verdicts {
        let _ = writeln!(out, "{:<15} {}", verdict.told(), verdict.claim);
        for ours in &verdict.ours {
            let _ = writeln!(out, "{:<15} {ours}", "");
        }
    }
    if let Some(advice) = &findings.advice {
        let _ = writeln!(out, "\nUse {}.", advice.method);
        for reason in &advice.because {
            let _ = writeln!(out, "  {reason}");
        }
    }
    for note in &findings.notes {
        let _ = writeln!(out, "note: {note}");
    }
    out
}

/// Returns the verdicts of several experiments in short: how many came out how, then a line for
/// each claim under its experiment; nothing if there are none.
pub fn verdicts_text(all: &[Findings]) -> String {
    let verdicts: Vec<&Verdict> = all.iter().flat_map(|findings| &findings.verdicts).collect();
    if verdicts.is_empty() {
        return String::new();
    }
    let mut out = format!("Verdicts on {} claims:", verdicts.len());
    for (index, kind) in Verdicts::ALL.into_iter().enumerate() {
        let n = verdicts.iter().filter(|verdict| verdict.verdict == kind).count();
        let _ = write!(out, "{} {n} {}", if index == 0 { "" } else { "," }, kind.name());
    }
    out.push('\n');
    for findings in all.iter().filter(|findings| !findings.verdicts.is_empty()) {
        let seconds = Measure::Seconds.figure(findings.clock_seconds);
        let _ = writeln!(out, "{} ({seconds} s)", findings.name);
        for verdict in &findings.verdicts {
            let mark = match verdict.verdict {
                Verdicts::Reproduced => "yes ",
                Verdicts::Conditional => "if  ",
                Verdicts::NotReproduced => "no  ",
                Verdicts::Open => "?   ",
            };
            let place = if verdict.place.is_empty() {
                String::new()
            } else {
                format!(" ({})", verdict.place)
            };
            let _ = writeln!(out, "  {mark}{}{place}", verdict.claim);
            if !verdict.condition.is_empty() {
                let _ = writeln!(out, "      {}", verdict.condition);
            }
        }
    }
    out
}

fn table_text(table: &Table) -> String {
    let mut widths: Vec<usize> =
        table.columns.iter().map(|column| column.title.chars().count()).collect();
    for row in &table.rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    let n_ours = table.columns.iter().filter(|column| column.side != Side::Paper).count();
    if n_ours < table.columns.len() {
        let wide: usize = widths[..n_ours].iter().map(|width| width + 2).sum();
        let place = if table.place.is_empty() { "paper" } else { &table.place };
        let _ = writeln!(out, "{:<wide$}| paper: {place}", "ours");
    }
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for (index, (cell, column)) in cells.zip(&table.columns).enumerate() {
            let width = widths[index];
            if index == n_ours {
                text.push_str("| ");
            }
            let _ = match column.side {
                Side::Name => write!(text, "{cell:<width$}  "),
                _ => write!(text, "{cell:>width$}  "),
            };
        }
        let _ = writeln!(out, "{}", text.trim_end());
    };
    line(&mut table.columns.iter().map(|column| column.title.as_str()));
    for row in &table.rows {
        line(&mut row.iter().map(|cell| if cell.is_empty() { "–" } else { cell }));
    }
    out
}
