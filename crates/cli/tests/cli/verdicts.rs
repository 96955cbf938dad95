//! The pages that quote verdicts say what was recorded, and name every experiment.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use retold_lab::experiment::{BUILT_IN, Verdict, verdicts_markdown};

const MARKER: &str = "<!-- verdicts -->";

fn page(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    fs::read_to_string(path).expect("a page of the documentation")
}

#[test]
fn both_pages_hold_exactly_the_verdicts_that_are_recorded() {
    let recorded = page("verdicts.jsonl");
    let read = |line| serde_json::from_str::<Verdict>(line).expect("a verdict");
    let recorded: Vec<Verdict> = recorded.lines().map(read).collect();
    let expected = format!("\n\n{}\n", verdicts_markdown(&recorded));
    for name in ["experiments.md", "methods/COMPARISON.md"] {
        let page = page(name);
        let parts: Vec<&str> = page.split(MARKER).collect();
        assert_eq!(parts.len(), 3, "{name} has the marker twice");
        assert_eq!(parts[1], expected, "{name}: put the verdicts in by `bench/verdicts REPORT`");
    }
}

#[test]
fn the_page_of_experiments_names_every_design_and_no_other() {
    let page = page("experiments.md");
    let (_, after) = page.split_once("## Every table and figure").expect("the list");
    let (list, _) = after.split_once("\n## ").expect("something after the list");
    let known: BTreeSet<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
    let named: BTreeSet<&str> = list
        .split("retold experiment ")
        .skip(1)
        .map(|rest| rest.split(|c: char| c == '`' || c.is_whitespace()).next().unwrap_or_default())
        .collect();
    assert_eq!(named, known);
}

#[test]
fn every_table_and_figure_of_the_papers_has_a_row() {
    let page = page("experiments.md");
    let (_, after) = page.split_once("## Every table and figure").expect("the list");
    let (list, _) = after.split_once("\n## ").expect("something after the list");
    let papers: Vec<&str> = list.split("\n### ").skip(1).collect();
    let tables = |of: &str, to: u32| (1..=to).map(|n| format!("table {of}{n}")).collect::<Vec<_>>();
    let figures =
        |of: &str, to: u32| (1..=to).map(|n| format!("figure {of}{n}")).collect::<Vec<_>>();
    let expected = [
        ("CoDet", vec![figures("", 5), vec!["F1 table".to_owned()]]),
        ("closed", vec![figures("", 3), tables("", 4)]),
        ("features", vec![tables("", 5), vec!["figure 4(a)".to_owned(), "figure 4(b)".to_owned()]]),
        (
            "Tweezer",
            vec![
                tables("3.", 2),
                tables("4.", 1),
                tables("5.", 4),
                tables("6.", 11),
                figures("3.", 1),
                figures("4.", 2),
                figures("6.", 6),
                figures("A.", 10),
            ],
        ),
        ("lengths", vec![tables("", 7), figures("", 3)]),
    ];
    assert_eq!(papers.len(), expected.len());
    for (paper, (word, places)) in papers.iter().zip(expected) {
        let title = paper.lines().next().unwrap_or_default();
        assert!(title.contains(word), "{title} has {word}");
        let rows: Vec<&str> =
            paper.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next()).collect();
        let listed: BTreeSet<String> =
            rows.iter().flat_map(|row| row.split(", ")).map(ToOwned::to_owned).collect();
        for place in places.concat() {
            assert!(listed.contains(&place), "{title}: {place} is not among {listed:?}");
        }
    }
}
