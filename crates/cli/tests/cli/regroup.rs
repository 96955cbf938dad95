//! `retold regroup`, and `retold dedup --against`.

use std::fs;
use std::path::Path;

use crate::common::{listed, manifest, run, table, text};

/// Finds all pairs of the samples.
fn found(dir: &Path) -> String {
    let found = dir.join("found").display().to_string();
    run(&format!("find samples/news --pairs all --no-page -o {found}")).good();
    found
}

#[test]
fn a_result_is_cut_at_another_threshold_without_its_texts() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (found, out) = (found(dir.path()), dir.path().join("strict"));
    let told = run(&format!("regroup {found} --containment 0.9 --clusters components")).good();
    assert!(told.contains("Nothing was written; `-o DIR` writes the tables."), "{told}");
    let line = format!("regroup {found} --containment 0.9 --cluster components --json");
    let figures = run(&format!("{line} -o {}", out.display())).good();
    let figures: serde_json::Value = serde_json::from_str(&figures).expect("JSON");
    assert_eq!((&figures["command"], &figures["n_documents"]), (&"regroup".into(), &74.into()));
    assert_eq!(figures["n_pairs"], table(&out, "pairs").len());
    let names = ["clusters.jsonl", "documents.jsonl", "manifest.json", "pairs.jsonl"];
    assert_eq!(listed(&out), names);
    // Its settings can be run afresh.
    let fresh = dir.path().join("fresh");
    let config = out.join("manifest.json");
    run(&format!("find samples/news --config {} -o {}", config.display(), fresh.display())).good();
    for name in &names[..2] {
        let read = |dir: &Path| fs::read_to_string(dir.join(name)).expect("a table");
        assert_eq!(read(&fresh), read(&out), "{name}");
    }
    assert_eq!(manifest(&fresh)["settings"], manifest(&out)["settings"]);
}

#[test]
fn what_would_go_is_listed_by_another_policy() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (found, plan, clean) =
        (found(dir.path()), dir.path().join("plan"), dir.path().join("clean"));
    let policy = "--keep oldest --cover 0.7 --remove-contained";
    run(&format!("regroup {found} --dedup {policy} -o {}", plan.display())).good();
    run(&format!("dedup samples/news {policy} --pairs all -o {}", clean.display())).good();
    for name in ["removed.jsonl", "review.jsonl", "pairs.jsonl", "documents.jsonl"] {
        let read = |dir: &Path| fs::read_to_string(dir.join(name)).expect("a table");
        assert_eq!(read(&plan), read(&clean), "{name}");
    }
    assert!(!plan.join("documents").exists(), "no text is read");
    let refused = run(&format!("regroup {found} --cover 0.7"));
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}

#[test]
fn a_folder_that_does_not_hold_enough_says_what_to_run() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let found = found(dir.path());
    let stars = dir.path().join("stars").display().to_string();
    run(&format!("find samples/news --no-page -o {stars}")).good();
    for (line, error, hint) in [
        (stars.clone(), "it does not hold all pairs", "retold find PATH -o DIR --pairs all"),
        (format!("{found} --containment 0.4"), "0.6 on, not of 0.4", "--containment 0.4"),
        (format!("{found} --keep field:score"), "the field `score`", "--keep field:score"),
    ] {
        let ran = run(&format!("regroup {line}"));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(error) && ran.stderr.contains(hint), "{}", ran.stderr);
    }
    let nowhere = run("regroup no/such/folder");
    assert_eq!(nowhere.code, Some(2), "{}", nowhere.stderr);
    assert!(nowhere.stderr.contains("manifest.json"), "{}", nowhere.stderr);
}

#[test]
fn what_an_archive_holds_goes_from_a_new_collection() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let story = "The harbour board will close the east quay for repairs from Monday until Friday";
    let line = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    fs::write(path("old.jsonl"), line("old", story)).expect("there is room");
    let records = [
        line("again", &format!("{story}, it was said.")),
        line("fresh", "Something that nobody has told before stands in this line of text"),
    ];
    fs::write(path("new.jsonl"), records.concat()).expect("there is room");
    let index = path("archive.idx");
    run(&format!("index create {index}")).good();
    run(&format!("index add {index} {}", path("old.jsonl"))).good();
    for (against, out) in [(&index, "by_index"), (&path("old.jsonl"), "by_file")] {
        let new = path("new.jsonl");
        let line = format!("dedup {new} --against {against} --cover 0.7 -o {}", path(out));
        // Only the new documents are read, kept or removed.
        let told = run(&line).good();
        assert!(told.starts_with("1 of 2 documents removed\n"), "{told}");
        assert!(told.contains("\n  archive                    1"), "{told}");
        let counts = &manifest(Path::new(&path(out)))["counts"];
        assert_eq!((&counts["documents"], &counts["archive"]), (&2.into(), &1.into()));
        let card = fs::read_to_string(Path::new(&path(out)).join("datacard.md"));
        let card = card.expect("a card");
        assert!(card.contains("\n1 of 2 documents (50 %) was removed, 1 kept.\n"), "{card}");
        assert!(card.contains("\n| archive, compared with | 1 | |\n"), "{card}");
        let removed = table(Path::new(&path(out)), "removed");
        assert_eq!(removed.len(), 1, "{removed:?}");
        assert_eq!(text(&removed[0], "id"), "again");
        assert_eq!(text(&removed[0], "covered_by"), "old");
        assert_eq!(text(&removed[0], "covered_in"), against.as_str());
        let kept = fs::read_to_string(Path::new(&path(out)).join("documents/new.jsonl"));
        assert_eq!(kept.expect("kept records"), records[1]);
    }
    let settings = format!("dedup {} --against {index} -o {}", path("new.jsonl"), path("set"));
    let refused = run(&format!("{settings} --containment 0.9"));
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("with the settings it was made with"), "{}", refused.stderr);
    let listed = run(&format!("index list {index}")).good();
    assert_eq!(listed.lines().count(), 1, "the index is only read");
}
