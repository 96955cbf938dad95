//! The report as Markdown.

use std::fmt::Write as _;

use super::file_name;
use super::times::times_table;
use super::verdicts::verdicts_markdown;
use crate::experiment::{Advice, Column, Findings, Side, Table, Verdict};

/// Writes the whole report.
pub(super) fn report(all: &[Findings]) -> String {
    let mut out = String::from("# Experiments\n");
    if let Some((findings, advice)) = all.iter().find_map(|f| Some((f, f.advice.as_ref()?))) {
        advice_to(findings, advice, &mut out);
    }
    let verdicts: Vec<Verdict> = all.iter().flat_map(|f| f.verdicts.iter().cloned()).collect();
    if !verdicts.is_empty() {
        let _ = write!(out, "\n## Verdicts\n\n{}", verdicts_markdown(&verdicts));
    }
    out.push_str("\n## Times\n");
    table_to(&times_table(all), &mut out);
    for findings in all {
        let _ = write!(
            out,
            "\n## {}\n\n{}\n\n{}\n",
            findings.title, findings.question, findings.setting
        );
        if !findings.paper.is_empty() {
            let _ = writeln!(out, "\nAfter {}.", findings.paper);
        }
        for note in &findings.notes {
            let _ = writeln!(out, "\n> {note}");
        }
        for table in &findings.tables {
            table_to(table, &mut out);
        }
        for chart in &findings.charts {
            let _ = writeln!(out, "\n![{}](plots/{}.svg)", chart.title, file_name(&chart.id));
        }
    }
    out
}

fn advice_to(findings: &Findings, advice: &Advice, out: &mut String) {
    let _ = write!(out, "\n## Use {}\n\n{}\n\n", advice.method, findings.setting);
    for reason in &advice.because {
        let _ = writeln!(out, "- {reason}");
    }
    out.push_str("\n| if you need | take | figures |\n|---|---|---|\n");
    for (need, method, figures) in &advice.by_need {
        let _ = writeln!(out, "| {} | {} | {} |", cell(need), cell(method), cell(figures));
    }
}

/// Writes a table below its title.
pub(super) fn table_to(table: &Table, out: &mut String) {
    let title = |column: &Column| match column.side {
        Side::Paper => format!("paper: {}", cell(&column.title)),
        _ => cell(&column.title),
    };
    let titles: Vec<String> = table.columns.iter().map(title).collect();
    let _ = write!(out, "\n**{}**\n\n| {} |\n|", table.title, titles.join(" | "));
    for column in &table.columns {
        out.push_str(if column.side == Side::Name { "---|" } else { "--:|" });
    }
    out.push('\n');
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
}

/// Makes text safe inside a table.
pub(super) fn cell(text: &str) -> String {
    if text.is_empty() { "–".to_owned() } else { text.replace('|', "\\|").replace('\n', " ") }
}
