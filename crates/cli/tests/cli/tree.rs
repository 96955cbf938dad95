//! `retold tree`.

use std::fs;

use crate::common::run;

fn story(dir: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = dir.path().join(name);
    fs::write(&path, text).expect("a file for a test");
    path.display().to_string()
}

#[test]
fn the_tree_of_a_few_documents_is_told_and_drawn() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let a = story(&dir, "a.txt", "NASDAQ starts day with an increase. Shares gain 2%.");
    let b = story(&dir, "b.txt", "NASDAQ starts day with a decrease. Shares lose 2%.");
    let plain = "--order text --depth 0 --stop-words none --stem none";
    let text = run(&format!("tree {a} {b} {plain}")).good();
    assert!(text.contains("9 nodes, 9 new") && text.contains("13 nodes, 4 new"), "{text}");
    assert!(text.contains("visited again: nasdaq, starts, day, with, shares\n"), "{text}");
    let last = run(&format!("tree {a} {b} {plain} --last")).good();
    assert!(!last.contains("After A") && last.contains("After B"), "{last}");
    for (name, start) in [("t.svg", "<svg "), ("t.dot", "digraph "), ("t.txt", "Corpus tree: ")] {
        let out = dir.path().join(name);
        let said = run(&format!("tree {a} {b} {plain} -o {}", out.display())).good();
        assert!(said.ends_with("13 nodes of 2 documents\n"), "{said}");
        assert!(fs::read_to_string(out).is_ok_and(|text| text.starts_with(start)), "{name}");
    }
}

#[test]
fn what_cannot_be_shown_is_refused_with_what_is_accepted() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let lines: Vec<String> =
        (0..21).map(|n| format!(r#"{{"id": "{n}", "text": "some words of story {n}"}}"#)).collect();
    let many = story(&dir, "many.jsonl", &lines.join("\n"));
    for (line, told) in [
        (format!("tree {many}"), "error: a corpus tree is shown of at most 20 documents, got more"),
        (format!("tree {many} -o tree.png"), "ends in .txt, .dot or .svg, got `tree.png`"),
        (format!("tree {many} --order size"), "order"),
        (format!("tree {many} --suffixes 0"), "`--suffixes` must be"),
    ] {
        let ran = run(&line);
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(told), "{line}: {}", ran.stderr);
    }
}
