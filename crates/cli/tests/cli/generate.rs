//! `retold generate`: what is made, what is logged, and making it again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{listed, manifest, run, table, text};

fn rows(dir: &Path, name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(dir.join(name)).expect("the table was written");
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn a_collection_is_made_with_its_reference_and_its_log() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let out = dir.path().join("made");
    let told = run(&format!(
        "generate samples/news -o {} --delete 25% --replace-words 10% --seed 7",
        out.display()
    ))
    .good();
    assert!(told.starts_with("74 documents made of 74\n"), "{told}");
    assert_eq!(
        listed(&out),
        ["collection.jsonl", "log.jsonl", "log.txt", "manifest.json", "pairs.tsv", "spans.tsv"]
    );
    let documents = table(&out, "collection");
    assert_eq!(documents.len(), 148);
    assert_eq!(text(&documents[74], "id"), format!("{}~1", text(&documents[0], "id")));
    let log = table(&out, "log");
    assert_eq!(log[0]["plan"]["seed"], 7);
    assert_eq!(log.len(), 75);
    let names: Vec<&str> = log[1]["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| text(&step["done"], "operation"))
        .collect();
    assert_eq!(names, ["delete", "replace-words"]);
    let pairs = rows(&out, "pairs.tsv");
    assert_eq!(pairs[0], ["a", "b", "relation", "resemblance", "a_in_b", "b_in_a", "edit_ratio"]);
    assert_eq!(pairs.len(), 75);
    let manifest = manifest(&out);
    assert_eq!(manifest["command"], "generate");
    assert_eq!(manifest["counts"]["pairs"], 74);
    assert_eq!(manifest["settings"]["plan"]["variant"][0]["steps"][0]["operation"], "delete");

    let again = dir.path().join("again");
    run(&format!(
        "generate samples/news -o {} --replay {}/log.jsonl",
        again.display(),
        out.display()
    ))
    .good();
    for name in listed(&out).iter().filter(|name| *name != "manifest.json") {
        let [one, other] = [&out, &again].map(|dir| fs::read(dir.join(name)).expect("a file"));
        assert!(one == other, "{name} differs");
    }
}

#[test]
fn what_is_found_in_a_made_collection_agrees_with_its_reference() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (made, found) = (dir.path().join("made"), dir.path().join("found"));
    run(&format!(
        "generate samples/news -o {} --plant 1 --amount 6 --query 12 --variants 2",
        made.display()
    ))
    .good();
    run(&format!("find {}/collection.jsonl -o {}", made.display(), found.display())).good();
    let found: BTreeMap<(String, String), Value> = table(&found, "pairs")
        .into_iter()
        .map(|pair| ((text(&pair, "a").to_owned(), text(&pair, "b").to_owned()), pair))
        .collect();
    let rows = rows(&made, "pairs.tsv");
    let mut n = 0;
    for row in &rows[1..] {
        let Some(pair) = found.get(&(row[0].clone(), row[1].clone())) else { continue };
        assert_eq!(format!("{:.6}", pair["resemblance"].as_f64().expect("a share")), row[3]);
        assert_eq!(format!("{:.6}", pair["a_in_b"].as_f64().expect("a share")), row[4]);
        n += 1;
    }
    assert!(n >= 148, "{n} of {}", rows.len());
    assert_eq!(table(&made, "queries").len(), 1);
    assert!(rows.iter().filter(|row| row[1] == "query").count() >= 12);
}

#[test]
fn documents_are_counted_as_a_table_or_as_lines() {
    let shown = run("generate samples/news/en --counts").good();
    assert!(shown.starts_with("document "), "{shown}");
    assert!(shown.lines().last().is_some_and(|line| line.starts_with("18 documents")), "{shown}");
    let lines = run("generate samples/news/en --counts --json").good();
    let first: Value =
        serde_json::from_str(lines.lines().next().unwrap_or_default()).expect("a line of JSON");
    assert_eq!(text(&first, "id"), "samples/news/en/barley-harvest.txt");
    for name in ["paragraphs", "sentences", "words", "characters"] {
        assert!(first[name].as_u64().is_some_and(|n| n > 0), "{first}");
    }
}

#[test]
fn a_plan_may_stand_in_a_file() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (plan, out) = (dir.path().join("plan.toml"), dir.path().join("made"));
    let text = "originals = false\n\
                [[variant]]\n\
                name = \"scanned\"\n\
                documents = 50\n\
                steps = [{ operation = \"ocr\", percent = 2 }]\n";
    fs::write(&plan, text).expect("a file for a test");
    let line = format!("generate samples/news/en --plan {} -o {}", plan.display(), out.display());
    run(&format!("{line} --seed 3")).good();
    assert_eq!(table(&out, "collection").len(), 9);
    assert_eq!(manifest(&out)["seed"], 3);

    fs::write(&plan, text.replace("ocr", "ocd")).expect("a file for a test");
    let refused = run(&format!("{line} --overwrite"));
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("plan.toml`: line 5: unknown variant"), "{}", refused.stderr);
    assert_eq!(table(&out, "collection").len(), 9, "the earlier result stays");
}

#[test]
fn what_cannot_be_made_is_refused_in_one_line() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let out = dir.path().join("made").display().to_string();
    for (line, message) in [
        (format!("-o {out}"), "nothing is to be done"),
        ("--delete 5%".to_owned(), "there is no folder to write to"),
        (format!("-o {out} --delete 150%"), "delete must be 0 to 100 percent, got 150"),
        (
            format!("-o {out} --delete much"),
            "`--delete`: a percentage must be a number such as 25%",
        ),
        (format!("-o {out} --contain 2:3"), "`--contain`: a ratio must be such as 1:10"),
        (format!("-o {out} --plan none.toml"), "cannot read `none.toml`"),
        (format!("-o {out} --replay samples/planted.tsv"), "line 1: not the head of a log"),
    ] {
        let refused = run(&format!("generate samples/news/en {line}"));
        assert_eq!(refused.code, Some(2), "{line}");
        assert!(refused.stderr.contains(message), "{line}: {}", refused.stderr);
        assert!(listed(dir.path()).is_empty(), "{line}");
    }
    let other = run(&format!("generate samples/news/en -o {out} --delete 5%"));
    other.good();
    let refused = run(&format!("generate samples/news/tr -o {out}2 --replay {out}/log.jsonl"));
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("which is not among the inputs"), "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: name the same files"), "{}", refused.stderr);
}
