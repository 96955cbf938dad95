//! `retold experiment` from list to report.

use std::fs;

use crate::common::{finish, manifest, retold, run, table};

/// A design small enough for a test.
const SMALL: &str = r#"
title = "Small"
question = "Which of two?"
row = "{method}"
columns = ["precision", "recall", "f1"]
[data]
collection = "none"
quick = { documents = 20 }
full = { documents = 40 }
[[data.plan.variant]]
documents = 50
steps = [{ operation = "replace-words", percent = 3 }]
[truth]
kind = "planted"
counts = "any"
[[method]]
label = "anchor"
method = "anchor"
profile = "retold"
[[method]]
label = "exact"
method = "exact"
profile = "retold"
[published]
place = "table 1"
columns = ["F1"]
rows = [["anchor", 0.5]]
[[chart]]
kind = "bars"
title = "F1"
y = "f1"
published = "F1"
[[claim]]
says = "edited copies are not exact"
check = "order"
measure = "recall"
rows = ["anchor", "exact"]
"#;

#[test]
fn the_list_names_every_experiment() {
    let list = run("experiment list").good();
    for name in ["which-method", "thesis-a", "image-size-and-threshold", "scaling"] {
        assert!(list.contains(name), "{list}");
    }
}

#[test]
fn a_design_of_ones_own_becomes_a_report() {
    let dir = tempfile::tempdir().expect("a folder");
    let design = dir.path().join("small.toml");
    fs::write(&design, SMALL).expect("it is written");
    let out = dir.path().join("report");
    let mut command = retold();
    command.args(["experiment", "--quick", "-o"]).arg(&out).arg(&design);
    let told = finish(&mut command).good();
    assert!(told.contains("| paper: table 1"), "{told}");
    assert!(told.contains("reproduced      edited copies are not exact"), "{told}");
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.contains("<svg") && page.contains("printed in the paper"));
    assert!(!page.contains("src="), "the page loads nothing");
    let written = fs::read_to_string(out.join("report.md")).expect("a text");
    assert!(written.contains("| paper: F1 |"), "{written}");
    let png = fs::read(out.join("plots/small-1.png")).expect("a picture");
    assert!(png.starts_with(b"\x89PNG") && out.join("plots/small-1.svg").exists());
    let cells = table(&out, "results");
    assert_eq!(cells.len(), 2);
    assert!(cells.iter().all(|cell| cell["measures"]["f1"].is_number()));
    assert_eq!(table(&out, "times").len(), 2);
    assert_eq!(manifest(&out)["counts"]["claims_reproduced"], 1);
    assert!(!dir.path().join("report.work").exists(), "work files go when the report is there");
}

#[test]
fn what_was_done_is_not_done_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let design = dir.path().join("small.toml");
    fs::write(&design, SMALL).expect("it is written");
    let work = dir.path().join("report.work");
    let first = dir.path().join("first");
    let mut command = retold();
    finish(command.args(["experiment", "--quick", "-o"]).arg(&first).arg(&design)).good();
    // A cell of an earlier attempt, with a figure that no run would give.
    let cells = fs::read_to_string(first.join("results.jsonl")).expect("results");
    let mut cell: serde_json::Value =
        serde_json::from_str(cells.lines().next().expect("a cell")).expect("JSON");
    cell["measures"]["f1"] = 0.125.into();
    let key = cell["key"].clone();
    let time = serde_json::json!({ "key": key, "seconds": 1.0, "cpu_seconds": 1.0 });
    fs::create_dir_all(&work).expect("a folder");
    let line = serde_json::json!({ "cell": cell, "time": time }).to_string();
    fs::write(work.join("small.jsonl"), format!("{line}\n{{\"cell\":")).expect("it is written");
    let out = dir.path().join("report");
    let mut command = retold();
    finish(command.args(["experiment", "--quick", "-o"]).arg(&out).arg(&design)).good();
    let cells = table(&out, "results");
    assert_eq!((cells.len(), &cells[0]["measures"]["f1"]), (2, &0.125.into()));
}

#[test]
fn an_unknown_name_is_told_with_those_that_are_known() {
    let told = run("experiment thesis-z");
    assert_eq!(told.code, Some(2));
    assert!(told.stderr.contains("no experiment `thesis-z`"), "{}", told.stderr);
    assert!(told.stderr.contains("thesis-a"), "{}", told.stderr);
}
