//! `retold dedup --level`.

use std::fs;

use serde_json::Value;

use crate::common::{listed, manifest, run, table};

/// Writes a line of JSON Lines.
fn record(id: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({"id": id, "text": text}))
}

#[test]
fn passages_of_the_samples_are_struck_and_records_stay() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let out = dir.path().join("clean");
    let line = format!("dedup samples/news --level passage --min-words 20 -o {}", out.display());
    let told = run(&line).good();
    assert!(told.contains(" strikes in "), "{told}");
    let names = ["datacard.md", "documents", "documents.jsonl", "manifest.json", "strikes.jsonl"];
    assert_eq!(listed(&out), names);
    let strikes = table(&out, "strikes");
    assert!(!strikes.is_empty());
    assert!(strikes.iter().all(|row| row["words"].as_u64() >= Some(20)));
    assert_eq!(manifest(&out)["settings"]["level"], "passage");
    // Its settings can be run afresh.
    let (fresh, config) = (dir.path().join("fresh"), out.join("manifest.json"));
    let line = format!("dedup samples/news --config {} -o {}", config.display(), fresh.display());
    run(&line).good();
    let read = |dir: &std::path::Path| fs::read(dir.join("strikes.jsonl")).expect("a table");
    assert_eq!(read(&fresh), read(&out));
}

#[test]
fn test_items_in_training_data_are_listed() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (train, test) = (dir.path().join("train.jsonl"), dir.path().join("test.jsonl"));
    let words: Vec<String> = (0..200).map(|n| format!("word{n}")).collect();
    fs::write(&train, record("t", &words.join(" "))).expect("a file");
    let mut edited = words[100..125].to_vec();
    edited[12] = "other".to_owned();
    let items = [
        record("thirteen", &format!("Which is it? {}?", words[40..53].join(" "))),
        record("twelve", &format!("Which is it? {}?", words[60..72].join(" "))),
        record("edited", &edited.join(" ")),
    ];
    fs::write(&test, items.concat()).expect("a file");
    let found = |name: &str, more: &str| -> Vec<Value> {
        let out = dir.path().join(name);
        let (train, test) = (train.display(), test.display());
        let line = format!("dedup {test} --against {train} --level passage --min-words 13");
        run(&format!("{line} --report-only {more} -o {}", out.display())).good();
        assert_eq!(
            listed(&out),
            ["datacard.md", "documents.jsonl", "manifest.json", "strikes.jsonl"]
        );
        table(&out, "strikes").iter().map(|row| row["id"].clone()).collect()
    };
    assert_eq!(found("exact", ""), ["thirteen"]);
    assert_eq!(found("near", "--differ 5%"), ["thirteen", "edited"]);
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let out = dir.path().join("clean");
    for (options, message) in [
        ("--min-words 13", "`--min-words` is of no use for whole documents"),
        ("--level line --differ 5%", "`--differ` must be left out unless the level is passage"),
        ("--level passage --min-words 1", "`--min-words` must be between 2 and"),
        ("--level passage --differ 50%", "`--differ` must be between 0 and 0.2"),
        ("--level passage --drop-short", "`--drop-short` must be used with `--least-left`"),
        ("--level passage --format csv", "tables are written as jsonl"),
        ("--level passage --pairs all", "`--pairs` is of no use below the document"),
        ("--level line --edits heavy", "`--edits` is of no use below the document"),
        ("--min-common 3", "`--min-common` is of no use where no pairs are made"),
    ] {
        let ran = run(&format!("dedup samples/news {options} -o {}", out.display()));
        assert_eq!(ran.code, Some(2), "{options}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{options}: {}", ran.stderr);
    }
}

#[test]
fn every_text_is_put_together_again() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let input = dir.path().join("in");
    fs::create_dir(&input).expect("a folder for a test");
    let notice = "Sign up for “our” newsletter and never miss a story that\tmatters to you. ";
    let mut originals = std::collections::BTreeMap::new();
    let mut lines = String::new();
    for n in 0..30 {
        let text = match n % 3 {
            0 => notice.to_owned(),
            1 => format!(
                "Ships nº {n} wait at the quay. {notice}Ferries of line {n} are not affected."
            ),
            _ => {
                let words: Vec<String> = (0..1_000).map(|i| format!("f{n}x{i}")).collect();
                format!("Nothing is said twice in the story of day {n}: {}.", words.join(" "))
            }
        };
        lines.push_str(&record(&format!("a{n}"), &text));
        originals.insert(format!("a{n}"), text);
    }
    fs::write(input.join("a.jsonl"), lines).expect("a file");
    fs::write(input.join("b.txt"), format!("{notice}\n\nAnd so on.\n")).expect("a file");
    originals
        .insert(input.join("b.txt").display().to_string(), format!("{notice}\n\nAnd so on.\n"));
    for (name, more) in [
        ("passages", "--level passage --min-words 8"),
        ("dropped", "--level passage --min-words 8 --least-left 0.5 --drop-short --shard-size 64K"),
        ("sentences", "--level sentence --boilerplate 5"),
    ] {
        let (clean, again) = (dir.path().join(name), dir.path().join(format!("{name}-again")));
        run(&format!("dedup {} -o {} {more}", input.display(), clean.display())).good();
        let told = run(&format!("rebuild {} -o {}", clean.display(), again.display())).good();
        assert!(told.starts_with("31 documents put together, "), "{told}");
        assert_eq!(listed(&again), ["a.jsonl", "b.txt.jsonl", "manifest.json"]);
        let mut texts = std::collections::BTreeMap::new();
        for file in ["a.jsonl", "b.txt.jsonl"] {
            let lines = fs::read_to_string(again.join(file)).expect("a file");
            for line in lines.lines() {
                let row: Value = serde_json::from_str(line).expect("JSON");
                let text = |name: &str| row[name].as_str().expect("a text").to_owned();
                texts.insert(text("id"), text("text"));
            }
        }
        assert_eq!(texts, originals, "{name}");
        assert_ne!(fs::read(clean.join("strikes.jsonl")).expect("a table"), b"");
    }
    let reported = dir.path().join("reported");
    let line =
        format!("dedup {} -o {} --level line --report-only", input.display(), reported.display());
    run(&line).good();
    let refused =
        run(&format!("rebuild {} -o {}", reported.display(), dir.path().join("x").display()));
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("it holds no records, because of `--report-only`"));
}
