//! The report as one HTML page: the answer first, then each experiment.

use maud::{Markup, PreEscaped, html};
use retold_report::page_around;

use super::pairs::pair_views;
use crate::experiment::{Advice, Findings, Measure, NamedChart, Side, Table, Verdict, Verdicts};

/// Writes the whole page.
pub(super) fn report(all: &[Findings]) -> String {
    let advised = all.iter().find_map(|findings| Some((findings, findings.advice.as_ref()?)));
    let title = match advised {
        Some((_, advice)) if all.len() == 1 && !advice.method.is_empty() => {
            format!("Use {} on this collection", advice.method)
        }
        _ if all.len() == 1 => all[0].title.clone(),
        _ => "What the papers claim, measured again".to_owned(),
    };
    let verdicts = || all.iter().flat_map(|findings| &findings.verdicts);
    let n_claims = verdicts().count();
    let count = |kind: Verdicts| verdicts().filter(|verdict| verdict.verdict == kind).count();
    let body = html! {
        header.masthead {
            p.brand { "Retold · Experiments" }
            h1 { (title) }
            p.facts {
                (all.len()) @if all.len() == 1 { " experiment" } @else { " experiments" }
                @if n_claims > 0 {
                    ", " (n_claims) " claims: "
                    @for (index, kind) in Verdicts::ALL.into_iter().enumerate() {
                        @if index > 0 { ", " }
                        (count(kind)) " " (kind.name())
                    }
                }
                "."
            }
        }
        main {
            @if n_claims > 0 { (verdict_table(all)) }
            @if let Some((findings, advice)) = advised { (advice_panel(findings, advice)) }
            @if all.len() > 1 { (contents(all)) }
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

/// The verdicts of all experiments, paper by paper, those on claims of our own last.
fn verdict_table(all: &[Findings]) -> Markup {
    let verdicts: Vec<&Verdict> = all.iter().flat_map(|findings| &findings.verdicts).collect();
    let mut papers: Vec<&str> = Vec::new();
    for verdict in &verdicts {
        if !verdict.paper.is_empty() && !papers.contains(&verdict.paper.as_str()) {
            papers.push(&verdict.paper);
        }
    }
    papers.push("");
    html! {
        section id="verdicts" {
            h2 { "Verdicts" }
            p.lede { "Each experiment repeats the design of a paper on open documents, or asks a question of our own. A claim is about an order or a bound; the paper's numbers come from its own collection." }
            div.scroll {
                table.judged {
                    thead { tr { th { "claim" } th { "verdict" } th { "measured here" } th { "paper" } } }
                    @for paper in papers {
                        @let of: Vec<&&Verdict> = verdicts.iter().filter(|one| one.paper == paper).collect();
                        @if !of.is_empty() {
                            tbody {
                                tr { th colspan="4" { @if paper.is_empty() { "Claims of our own" } @else { (paper) } } }
                                @for verdict in of { (judged(verdict)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn judged(verdict: &Verdict) -> Markup {
    html! {
        tr {
            td {
                (verdict.claim) br;
                span.soft {
                    @if !verdict.place.is_empty() { (verdict.place) ", " }
                    a href={ "#" (anchor(&verdict.design)) } { (verdict.design) }
                }
            }
            td {
                (chip(verdict))
                @if !verdict.condition.is_empty() { br; (verdict.condition) }
                @if !verdict.hangs_on.is_empty() { br; span.soft { "hangs on " (verdict.hangs_on) } }
            }
            td { (numbers(&verdict.ours)) span.soft { (with_code(&verdict.data)) } }
            td.paper { @if verdict.printed.is_empty() { "–" } @else { (verdict.printed) } }
        }
    }
}

/// Our numbers: those of the first setting, and the others when asked for.
fn numbers(ours: &[String]) -> Markup {
    html! {
        @if let Some((first, others)) = ours.split_first() {
            div { (first) }
            @if !others.is_empty() {
                details.others {
                    summary { (others.len()) @if others.len() == 1 { " setting more" } @else { " settings more" } }
                    @for other in others { div { (other) } }
                }
            }
        }
    }
}

/// All experiments with what they ask and what they took.
fn contents(all: &[Findings]) -> Markup {
    html! {
        section id="contents" {
            h2 { "The experiments" }
            div.scroll {
                table {
                    thead { tr { th { "experiment" } th { "question" } th { "after" } th.num { "cells" } th.num { "seconds of all cells" } th.num { "by the clock" } } }
                    tbody {
                        @for findings in all {
                            tr {
                                td { (link(findings)) }
                                td { (findings.question) }
                                td.soft { (findings.paper) }
                                td.num { (findings.records.len()) }
                                td.num { (Measure::Seconds.figure(findings.cell_seconds())) }
                                td.num { (Measure::Seconds.figure(findings.clock_seconds)) }
                            }
                        }
                        tr {
                            td { "all" } td {} td {}
                            td.num { (all.iter().map(|f| f.records.len()).sum::<usize>()) }
                            td.num { (Measure::Seconds.figure(all.iter().map(Findings::cell_seconds).sum())) }
                            td.num { (Measure::Seconds.figure(all.iter().map(|f| f.clock_seconds).sum())) }
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
        Verdicts::Conditional => ("verdict held", "(✓)"),
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
                dt { "setting" } dd { (with_code(&findings.setting)) }
                dt { "time" } dd {
                    (Measure::Seconds.figure(findings.clock_seconds)) " s by the clock, "
                    (Measure::Seconds.figure(findings.cell_seconds())) " s of all cells"
                }
                @for note in &findings.notes { dt { "note" } dd { (with_code(note)) } }
            }
            @if !findings.verdicts.is_empty() {
                ul.verdicts {
                    @for verdict in &findings.verdicts {
                        li {
                            (chip(verdict)) " " (verdict.claim)
                            @if !verdict.condition.is_empty() { ": " (verdict.condition) }
                            div.soft { (numbers(&verdict.ours)) }
                        }
                    }
                }
            }
            @if !findings.charts.is_empty() {
                div.plots { @for chart in &findings.charts { (figure(chart)) } }
            }
            @for table in &findings.tables { (tabled(table)) }
            (pair_views(&findings.examples))
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
    let n_names = table.columns.len() - n_ours - n_paper;
    let class = |side: Side| match side {
        Side::Name => "name",
        Side::Ours => "num",
        Side::Paper => "num paper",
    };
    let inside = html! {
        div.scroll {
            table {
                thead {
                    @if n_paper > 0 {
                        tr.sides-of {
                            th colspan=(n_names) {}
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
