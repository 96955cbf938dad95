//! The sample collection: what was planted is found, what was not is not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{listed, run, table, text, workspace};

/// Runs a command on the samples and returns the folder that holds `out`.
fn on_samples(command: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder for a test");
    run(&format!("{command} samples/news -o {}/out", dir.path().display())).good();
    dir
}

/// Returns the planted pairs: ids and relation.
fn planted() -> Vec<[String; 3]> {
    let file = fs::read_to_string(workspace().join("samples/planted.tsv"));
    let file = file.expect("the list of planted pairs is there");
    let rows = file.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        [cells[0].to_owned(), cells[1].to_owned(), cells[2].to_owned()]
    });
    rows.collect()
}

/// Returns the relations found, seen from both sides.
fn relations(out: &Path) -> BTreeMap<(String, String), String> {
    let mut found = BTreeMap::new();
    for row in table(out, "pairs") {
        let [a, b, relation] = ["a", "b", "relation"].map(|name| text(&row, name).to_owned());
        let back = match relation.as_str() {
            "contains" => "contained",
            "contained" => "contains",
            same => same,
        };
        found.insert((b.clone(), a.clone()), back.to_owned());
        found.insert((a, b), relation);
    }
    found
}

#[test]
fn every_planted_relation_is_found_and_nothing_else() {
    let dir = on_samples("find");
    let mut found = relations(&dir.path().join("out"));
    for [a, b, relation] in planted() {
        let seen = found.remove(&(a.clone(), b.clone()));
        found.remove(&(b.clone(), a.clone()));
        let expected = (relation != "none").then_some(relation);
        assert_eq!(seen, expected, "{a} and {b}");
    }
    assert_eq!(found, BTreeMap::new(), "pairs that nobody planted");
}

/// Returns the texts of the plain files and of the records of `wire.jsonl`, by id.
fn texts() -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for folder in ["samples/news/en", "samples/news/tr"] {
        for name in listed(&workspace().join(folder)) {
            let id = format!("{folder}/{name}");
            let text = fs::read_to_string(workspace().join(&id)).expect("samples are UTF-8");
            texts.insert(id, text);
        }
    }
    for row in table(&workspace().join("samples/news"), "wire") {
        texts.insert(text(&row, "id").to_owned(), text(&row, "text").to_owned());
    }
    texts
}

#[test]
fn passages_without_differences_are_the_same_words_of_both_documents() {
    let dir = on_samples("find");
    let texts = texts();
    let words = |text: &str, span: &Value| -> Vec<String> {
        let [start, end] = [0, 1].map(|i| span[i].as_u64().expect("a byte") as usize);
        let text = text.get(start..end).expect("a span is on borders of characters");
        let is_part = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
        let words = text.split(|c| !is_part(c)).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (mut n_equal, mut n_other) = (0, 0);
    for row in table(&dir.path().join("out"), "pairs") {
        let (Some(a), Some(b)) = (texts.get(text(&row, "a")), texts.get(text(&row, "b"))) else {
            continue;
        };
        for passage in row["evidence"].as_array().expect("a list of passages") {
            let (a, b) = (words(a, &passage["a"]), words(b, &passage["b"]));
            if passage["differ"] == 0 {
                assert_eq!(a, b, "{row}");
                n_equal += 1;
            } else {
                assert_ne!(a, b, "{row}");
                n_other += 1;
            }
        }
    }
    assert!(n_equal >= 8 && n_other >= 4, "only {n_equal} and {n_other} passages were compared");
}

#[test]
fn dedup_removes_only_what_a_kept_document_covers() {
    let dir = on_samples("dedup");
    let out = dir.path().join("out");
    let removed = table(&out, "removed");
    let gone: BTreeSet<&str> = removed.iter().map(|row| text(row, "id")).collect();
    for row in &removed {
        let covered = row["covered"].as_f64().expect("a share");
        assert!((0.8..=1.0).contains(&covered), "{row}");
        assert!(!gone.contains(text(row, "covered_by")), "covered by what went itself: {row}");
    }
    for [a, b, relation] in planted() {
        if relation == "exact" {
            assert!(gone.contains(a.as_str()) || gone.contains(b.as_str()), "{a} and {b}");
        }
    }
    let harbour = "samples/news/en/harbour-works.txt";
    assert!(!gone.contains("samples/news/en/harbour-feature.txt"));
    let review = table(&out, "review");
    let listed = review.iter().any(|row| text(row, "id") == harbour);
    assert!(listed || gone.contains(harbour), "the note inside the feature is told of");
}

#[test]
fn what_dedup_keeps_holds_no_exact_copies() {
    let dir = on_samples("dedup");
    let out = dir.path().join("out");
    let again = run(&format!("find {} --json", out.join("documents").display()));
    let again: Value = serde_json::from_str(&again.good()).expect("one object");
    assert_eq!(again["pairs"]["exact"], 0);
    let n_removed = table(&out, "removed").len();
    assert_eq!(again["n_documents"], 74 - n_removed);
}

/// Returns all files of a folder; of the manifest what does not depend on the machine.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for name in listed(&folder) {
            let path = folder.join(&name);
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path).expect("the file can be read");
            if name == "manifest.json" {
                let mut manifest: Value = serde_json::from_slice(&bytes).expect("JSON");
                manifest.as_object_mut().expect("an object").remove("run");
                bytes = manifest.to_string().into_bytes();
            }
            all.insert(path.strip_prefix(dir).expect("below").display().to_string(), bytes);
        }
    }
    all
}

#[test]
fn one_two_and_eight_threads_write_the_same_bytes() {
    for command in ["find", "dedup", "find --format csv", "find --format parquet"] {
        // The page tells the time a run took.
        let written = [1, 2, 8].map(|threads| {
            let dir = on_samples(&format!("{command} --no-page --threads {threads}"));
            contents(&dir.path().join("out"))
        });
        assert!(written[0].len() >= 4, "{:?}", written[0].keys());
        assert_eq!(written[0].keys().collect::<Vec<_>>(), written[1].keys().collect::<Vec<_>>());
        for (name, bytes) in &written[0] {
            assert!(Some(bytes) == written[1].get(name), "{command}: {name} with two threads");
            assert!(Some(bytes) == written[2].get(name), "{command}: {name} with eight threads");
        }
    }
}

#[test]
fn the_page_stands_beside_the_tables() {
    let dir = on_samples("find");
    let names = listed(&dir.path().join("out"));
    assert_eq!(
        names,
        ["clusters.jsonl", "documents.jsonl", "manifest.json", "pairs.jsonl", "report.html"]
    );
}
