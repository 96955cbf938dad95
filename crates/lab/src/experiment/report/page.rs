//! The report as one HTML page: the answer first, then each experiment.

use maud::{Markup, PreEscaped, html};
use retold_report::page_around;

use crate::experiment::{Advice, Findings, NamedChart, Side, Table, Verdict, Verdicts};

/// Writes the whole page.
pub(super) fn report(all: &[Findings]) -> String {
    let advised = all.iter().find_map(|findings| Some((findings, findings.advice.as_ref()?)));
    let title = match advised {
        Some((_, advice)) if !advice.method.is_empty() => {
            format!("Use {} on this collection", advice.method)
        }
        _ => all.first().map_or("Experiments".to_owned(), |findings| findings.title.clone()),
    };
    let verdicts = || all.iter().flat_map(|findings| &findings.verdicts);
    let n_held = verdicts().filter(|v| v.verdict == Verdicts::Reproduced).count();
    let n_claims = verdicts().count();
    let body = html! {
        header.masthead {
            p.brand { "Retold · Experiments" }
            h1 { (title) }
            p.facts {
                (all.len()) @if all.len() == 1 { " experiment" } @else { " experiments" }
                @if n_claims > 0 { ", " (n_held) " of " (n_claims) " claims reproduced" }
                "."
            }
        }
        main {
            @if let Some((findings, advice)) = advised { (advice_panel(findings, advice)) }
            @if all.len() > 1 { (overview(all)) }
            @for findings in all { (experiment(findings)) }
        }
        footer {
            "Made by Retold " (env!("CARGO_PKG_VERSION"))
            ". This page loads nothing and sends nothing. Numbers under «paper» were printed by the \
             papers named, on their own collections; all others were measured here."
        }
    };
    page_around(&title, &body.into_string())
}

fn advice_panel(findings: &Findings, advice: &Advice) -> Markup {
    html! {
        section.advice id="advice" {
            h2 { "Which method should I use, and why?" }
            p.lede { (findings.setting) "." }
            div.answer {
                div {
                    p.pick { "Use " strong { (advice.method) } }
                    ul { @for reason in &advice.because { li { (reason) } } }
                    @if !advice.by_need.is_empty() {
                        table {
                            thead { tr { th { "if you only need" } th { "take" } th { "found, cost" } } }
                            tbody {
                                @for (need, method, figures) in &advice.by_need {
                                    tr { td { (need) } td { strong { (method) } } td { (figures) } }
                                }
                            }
                        }
                    }
                }
                @if let Some(chart) = findings.charts.first() { (figure(chart)) }
            }
            div.scroll {
                table.choices {
                    thead {
                        tr {
                            th { "method" }
                            @for (index, column) in advice.columns.iter().enumerate() {
                                th.num {
                                    @if index < 2 { (column) } @else { (column) " found" }
                                }
                            }
                            th { "what it is for" }
                        }
                    }
                    tbody {
                        @for choice in &advice.choices {
                            tr.chosen[choice.method == advice.method] {
                                td {
                                    (choice.method)
                                    @if choice.method == advice.method { " " span.tag { "use this" } }
                                    @else if choice.is_as_good { " " span.soft { "as good" } }
                                }
                                @for figure in &choice.figures { td.num { (figure) } }
                                td.soft { (choice.note) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn overview(all: &[Findings]) -> Markup {
    html! {
        section id="overview" {
            h2 { "The experiments at a glance" }
            p.lede { "Each repeats the design of a paper on open documents, or asks a question of our own. A claim counts as reproduced if the same order or bound comes out here." }
            div.scroll {
                table {
                    thead { tr { th { "experiment" } th { "claim" } th { "verdict" } } }
                    tbody {
                        @for findings in all {
                            @if findings.verdicts.is_empty() {
                                tr { td { (link(findings)) } td.soft { (findings.question) } td.soft { "no claim; see its charts" } }
                            }
                            @for (index, verdict) in findings.verdicts.iter().enumerate() {
                                tr {
                                    td { @if index == 0 { (link(findings)) } }
                                    td { (verdict.claim) }
                                    td { (chip(verdict)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn link(findings: &Findings) -> Markup {
    html! { a href={ "#" (anchor(&findings.name)) } { (findings.name) } }
}

fn anchor(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("x-{}", name.chars().map(letter).collect::<String>())
}

fn chip(verdict: &Verdict) -> Markup {
    let (class, mark) = match verdict.verdict {
        Verdicts::Reproduced => ("verdict held", "✓"),
        Verdicts::NotReproduced => ("verdict refused", "✗"),
        Verdicts::Open => ("verdict open", "?"),
    };
    html! { span class=(class) { (mark) " " (verdict.verdict.name()) } }
}

fn experiment(findings: &Findings) -> Markup {
    html! {
        section.experiment id=(anchor(&findings.name)) {
            h2 { (findings.title) }
            p.lede { (findings.question) }
            dl.made {
                @if !findings.paper.is_empty() { dt { "after" } dd { (findings.paper) } }
                dt { "setting" } dd { (findings.setting) }
                @for note in &findings.notes { dt { "note" } dd { (with_code(note)) } }
            }
            @if !findings.verdicts.is_empty() {
                ul.verdicts {
                    @for verdict in &findings.verdicts {
                        li { (chip(verdict)) " " (verdict.claim) br; span.soft { (verdict.because) } }
                    }
                }
            }
            @if !findings.charts.is_empty() {
                div.plots { @for chart in &findings.charts { (figure(chart)) } }
            }
            @for table in &findings.tables { (tabled(table)) }
        }
    }
}

/// Marks text between backticks as code.
fn with_code(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Shows a figure with its interval below it.
fn value(cell: &str) -> Markup {
    html! {
        @match cell.split_once(" [") {
            _ if cell.is_empty() => "–",
            Some((mean, interval)) => { (mean) br; span.interval { "[" (interval) } }
            None => (cell),
        }
    }
}

fn figure(drawn: &NamedChart) -> Markup {
    html! { figure.drawn { (PreEscaped(drawn.chart.to_svg())) } }
}

fn tabled(table: &Table) -> Markup {
    let n_paper = table.columns.iter().filter(|column| column.side == Side::Paper).count();
    let n_ours = table.columns.iter().filter(|column| column.side == Side::Ours).count();
    let class = |side: Side| match side {
        Side::Name => "",
        Side::Ours => "num",
        Side::Paper => "num paper",
    };
    let inside = html! {
        div.scroll {
            table {
                thead {
                    @if n_paper > 0 {
                        tr.sides-of {
                            th {}
                            th.num colspan=(n_ours) { "measured here" }
                            th.num.paper colspan=(n_paper) {
                                "printed in the paper"
                                @if !table.place.is_empty() { ", " (table.place) }
                            }
                        }
                    }
                    tr { @for column in &table.columns { th class=(class(column.side)) { (column.title) } } }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (cell, column) in row.iter().zip(&table.columns) {
                                td class=(class(column.side)) {
                                    (value(cell))
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    html! {
        details.table open[table.rows.len() <= 30] {
            summary { (table.title) " (" (table.rows.len()) " rows)" }
            (inside)
        }
    }
}
