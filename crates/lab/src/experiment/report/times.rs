//! What each design took.

use serde_json::{Value, json};

use crate::experiment::{Column, Findings, Measure, Side, Table};

/// Returns the time of a design for programs: its cells taken together, and by the clock.
pub(super) fn time_of(findings: &Findings) -> Value {
    let rounded = |seconds: f64| (seconds * 1000.0).round() / 1000.0;
    json!({
        "cells": findings.records.len(),
        "cell_seconds": rounded(findings.cell_seconds()),
        "clock_seconds": rounded(findings.clock_seconds),
    })
}

/// Returns a row for every design, and the sum.
pub(super) fn times_table(all: &[Findings]) -> Table {
    let column = |title: &str, side| Column { title: title.to_owned(), side };
    let line = |name: &str, n_cells: usize, cells: f64, clock: f64| {
        let seconds = |value: f64| Measure::Seconds.figure(value);
        vec![name.to_owned(), n_cells.to_string(), seconds(cells), seconds(clock)]
    };
    let of = |f: &Findings| line(&f.name, f.records.len(), f.cell_seconds(), f.clock_seconds);
    let mut rows: Vec<Vec<String>> = all.iter().map(of).collect();
    if all.len() > 1 {
        let n_cells = all.iter().map(|findings| findings.records.len()).sum();
        let cells = all.iter().map(Findings::cell_seconds).sum();
        let clock = all.iter().map(|findings| findings.clock_seconds).sum();
        rows.push(line("all", n_cells, cells, clock));
    }
    Table {
        title: "What each experiment took".to_owned(),
        place: String::new(),
        columns: vec![
            column("experiment", Side::Name),
            column("cells", Side::Ours),
            column("seconds of all cells", Side::Ours),
            column("seconds by the clock", Side::Ours),
        ],
        rows,
    }
}
