//! Ways of running beside a collection with itself: two collections, a question, a stream.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::common::{finish, ran, retold, run, table, text};

#[test]
fn two_collections_are_compared_with_each_other_only() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let out = dir.path().join("out");
    run(&format!(
        "find samples/news/en --against samples/news/tr -o {}/none",
        dir.path().display()
    ))
    .good();
    assert!(table(&dir.path().join("none"), "pairs").is_empty(), "no story is in two languages");
    run(&format!("find samples/news/web --against samples/news/en -o {}", out.display())).good();
    let pairs = table(&out, "pairs");
    assert!(!pairs.is_empty());
    for pair in pairs {
        assert!(text(&pair, "a").starts_with("samples/news/web/"), "{pair}");
        assert!(text(&pair, "b").starts_with("samples/news/en/"), "{pair}");
    }
}

#[test]
fn a_question_is_answered_with_its_source_first() {
    let file = "samples/news/en/cheese-fair-2025.txt";
    let line = run(&format!("query {file} --in samples/news --json")).good();
    let answer: Value = serde_json::from_str(&line).expect("a line of JSON");
    assert_eq!(answer["id"], file);
    assert_eq!(answer["hits"][0]["id"], file);
    assert_eq!(answer["hits"][0]["relation"], "exact");
    let told = run(&format!("query {file} --in samples/news")).good();
    assert!(told.contains("100.0%") && told.contains("exact"), "{told}");
}

#[test]
fn a_question_nobody_can_answer_says_so() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let path = dir.path().join("new.txt");
    std::fs::write(&path, "Seven green bicycles leaned against nothing in particular today.")
        .expect("a file for a test");
    let told = run(&format!("query {} --in samples/news", path.display())).good();
    assert!(told.contains("nothing in"), "{told}");
}

#[test]
fn a_stream_is_answered_line_by_line() {
    let mut child = retold()
        .args(["stream", "-", "--window", "7d"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let note = "the harbour board will close the east quay for repairs from monday until friday";
    let mut stdin = child.stdin.take().expect("it is piped");
    for (id, time) in [("a", "2026-01-01"), ("b", "2026-01-02"), ("c", "2026-02-01")] {
        writeln!(stdin, r#"{{"id":"{id}","text":"{note}","time":"{time}"}}"#).expect("it reads");
    }
    writeln!(stdin, "{{oops").expect("it reads");
    drop(stdin);
    let done = ran(&child.wait_with_output().expect("it ends"));
    assert!(done.stderr.contains("-: record 3"), "{}", done.stderr);
    let lines: Vec<Value> = done
        .good()
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[1]["copy_of"], "a");
    assert_eq!(lines[1]["hits"][0]["relation"], "exact");
    assert_eq!(lines[2]["hits"], Value::Array(Vec::new()), "both have left the window");
    assert_eq!(lines[2]["n_expired"], 2);
}

#[test]
fn weights_come_from_a_table_that_was_made_before() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (table_path, out) = (dir.path().join("news.idf"), dir.path().join("out"));
    let made = run(&format!("idf build samples/news -o {} --method imatch", table_path.display()));
    assert!(made.good().contains("documents"));
    let find = format!("find samples/news -o {} --method imatch --idf", out.display());
    run(&format!("{find} {}", table_path.display())).good();
    assert!(!table(&out, "pairs").is_empty());

    let refused = run(&format!("{find} samples/planted.tsv --overwrite"));
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("not a table made by `retold idf build`"),
        "{}",
        refused.stderr
    );
    let needy = finish(retold().args(["stream", "-", "--method", "imatch"]).stdin(Stdio::null()));
    assert_eq!(needy.code, Some(2));
    assert!(needy.stderr.contains("hint: make a table once"), "{}", needy.stderr);
}
