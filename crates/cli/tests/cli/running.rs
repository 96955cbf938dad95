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
fn what_a_text_quotes_and_names_is_marked_or_left_out() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let place = |name: &str| dir.path().join(name);
    let quay = "The harbour board will close the east quay for repairs from Monday until Friday.";
    let fair = "Three hundred cheeses were shown at the fair in the market hall this weekend.";
    let record = |id: &str, text: &str| {
        format!("{{\"id\":\"{id}\",\"title\":\"{id}\",\"text\":\"{text}\"}}\n")
    };
    let archive = record("Quay closed", quay) + &record("Cheese fair", fair);
    std::fs::write(place("archive.jsonl"), archive).expect("a file for a test");
    let draft = format!("We read this: “{quay}” And as Cheese Fair has it, {fair}");
    std::fs::write(place("draft.txt"), draft).expect("a file for a test");
    let (draft, archive) = (place("draft.txt"), place("archive.jsonl"));
    let index = place("archive.idx");
    run(&format!("index create {}", index.display())).good();
    run(&format!("index add {} {}", index.display(), archive.display())).good();
    for held in [&archive, &index] {
        let query = format!("query {} --in {}", draft.display(), held.display());
        let asked = |options: &str| {
            let line = run(&format!("{query} --json {options}")).good();
            serde_json::from_str::<Value>(&line).expect("a line of JSON")
        };
        let ids = |answer: &Value| {
            let hits = answer["hits"].as_array().expect("hits").iter();
            let mut ids: Vec<String> = hits.map(|hit| text(hit, "id").to_owned()).collect();
            ids.sort();
            ids
        };
        let counted = asked("");
        assert_eq!(ids(&counted), ["Cheese fair", "Quay closed"]);
        assert!(counted.get("quotations").is_none() && counted["hits"][0].get("credit").is_none());
        let marked = asked("--quotes mark");
        assert_eq!(ids(&marked), ["Cheese fair", "Quay closed"]);
        assert_eq!(marked["quotations"].as_array().map(Vec::len), Some(1));
        for hit in marked["hits"].as_array().expect("hits") {
            let is_fair = hit["id"] == "Cheese fair";
            assert_eq!(hit["credit"]["is_named"], is_fair, "{hit}");
            let quoted = hit["credit"]["quoted"].as_array().expect("numbers").len();
            assert_eq!(quoted, usize::from(!is_fair), "{hit}");
        }
        let skipped = asked("--quotes skip");
        assert_eq!((ids(&skipped), &skipped["n_named"]), (Vec::new(), &Value::from(1)));
        let told = run(&format!("{query} --quotes mark")).good();
        assert!(told.contains("(quoted)") && told.contains("(named)"), "{told}");
        assert!(told.contains("quotations in the text: 1"), "{told}");
    }
    let quay = place("quay.txt");
    std::fs::write(
        &quay,
        "The harbour board will close the east quay for repairs from Monday until Friday.",
    )
    .expect("a file for a test");
    let compare = format!("compare {} {}", draft.display(), quay.display());
    assert!(run(&format!("{compare} --quotes mark")).good().contains("equal, quoted"));
    let skipped = run(&format!("{compare} --quotes skip")).good();
    assert!(skipped.contains("no passage is shared"), "{skipped}");
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

#[test]
fn a_finished_run_is_told_again_instead_of_refused() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    for (name, options) in
        [("documents", "--keep longest"), ("pairs", "--pairs star"), ("lines", "--level line")]
    {
        let out = dir.path().join(name);
        let line = format!("dedup samples/news {options} --resume -o {}", out.display());
        let first = run(&line).good();
        let again = run(&line);
        assert!(
            again.stderr.contains("an earlier run of the same job came to its end"),
            "{again:?}"
        );
        let again = again.good();
        assert_eq!(again.lines().next(), first.lines().next());
        assert_eq!(again.lines().last(), first.lines().last(), "{again}");
        // Anything else is still refused.
        let other = run(&format!("{line} --keep newest"));
        assert_eq!(other.code, Some(2), "{}", other.stderr);
        assert!(other.stderr.contains("exists"), "{}", other.stderr);
    }
}

#[test]
fn results_are_named_as_they_were_asked_for() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let samples = crate::common::workspace().join("samples/news");
    for more in [&[] as &[&str], &["--overwrite"]] {
        let mut command = retold();
        command.current_dir(&dir).arg("dedup").arg(&samples).args(["-o", "./o"]).args(more);
        let told = finish(&mut command).good();
        assert!(told.ends_with("results in ./o\n"), "{told}");
    }
}

#[test]
fn a_policy_that_decides_nothing_is_told_once() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    for (name, level) in [("documents", ""), ("lines", "--level line")] {
        let out = dir.path().join(name);
        let line = format!("dedup samples/news {level} -o {} --keep score:qualty", out.display());
        let ran = run(&line);
        assert_eq!(ran.stderr.matches("no document has a number in the field `qualty`").count(), 1);
        ran.good();
    }
}
