//! `retold lineage` and `retold links`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{run, table};

const STORY: &str = "The harbour board will close the east quay for repairs from Monday until the end of \
                     the month and ferries will leave from the new pier on the other side instead.";

/// Writes three versions of a story and another story, and finds their cluster.
fn found(dir: &Path) -> String {
    let second = format!("{STORY} Fishing boats may land at the old steps before noon.");
    let third = format!("{second} The mayor thanked the divers <b>twice</b>.");
    let other = "Apple growers expect the largest harvest in eleven years and ask for more boxes.";
    let line = |id: &str, date: &str, text: &str| {
        serde_json::json!({"id": id, "date": date, "text": text}).to_string()
    };
    let lines = [
        line("late", "2026-03-03", &third),
        line("first", "2026-03-01", STORY),
        line("apples", "2026-03-01", other),
        line("middle", "2026-03-02", &second),
    ];
    fs::write(dir.join("news.jsonl"), lines.join("\n")).expect("a file for a test");
    let folder = dir.join("found").display().to_string();
    run(&format!("find {} -o {folder}", dir.join("news.jsonl").display())).good();
    folder
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for a test")
}

#[test]
fn a_cluster_is_told_as_a_tree_with_what_each_step_changed() {
    let dir = folder();
    let found = found(dir.path());
    let json = run(&format!("lineage {found} --cluster 0")).good();
    let tree: Value = serde_json::from_str(&json).expect("JSON");
    let ids: Vec<&str> = tree["documents"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|x| x["id"].as_str())
        .collect();
    assert_eq!(ids, ["first", "middle", "late"]);
    let step = &tree["steps"][0];
    assert_eq!((&step["parent"], &step["child"]), (&"first".into(), &"middle".into()));
    assert_eq!(step["added"][0]["text"], "Fishing boats may land at the old steps before noon");
    assert_eq!((&step["n_added"], &step["n_dropped"]), (&10.into(), &0.into()));
    assert_eq!(step["parent_in_child"], 1.0);
    for (name, start) in [("t.svg", "<svg "), ("t.dot", "digraph "), ("t.json", "{")] {
        let out = dir.path().join(name);
        let told = run(&format!("lineage {found} --cluster 0 -o {}", out.display())).good();
        assert!(told.ends_with(": 3 documents in 2 steps\n"), "{told}");
        assert!(fs::read_to_string(out).is_ok_and(|text| text.starts_with(start)), "{name}");
    }
    let png = dir.path().join("t.png");
    run(&format!("lineage {found} --cluster 0 -o {}", png.display())).good();
    assert!(fs::read(png).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG")));
}

#[test]
fn texts_may_come_from_an_index_or_from_other_files() {
    let dir = folder();
    let found = found(dir.path());
    let expected = run(&format!("lineage {found} --cluster 0")).good();
    let (news, index) = (dir.path().join("news.jsonl"), dir.path().join("news.idx"));
    run(&format!("index create {}", index.display())).good();
    run(&format!("index add {} {}", index.display(), news.display())).good();
    let moved = dir.path().join("moved.jsonl");
    fs::rename(&news, &moved).expect("it can be moved");
    let lost = run(&format!("lineage {found} --cluster 0"));
    assert_eq!(lost.code, Some(2));
    assert!(lost.stderr.contains("news.jsonl` is not there"), "{}", lost.stderr);
    assert!(lost.stderr.contains("hint: run it in the folder"), "{}", lost.stderr);
    for texts in [&index, &moved] {
        let told = run(&format!("lineage {found} --cluster 0 --in {}", texts.display())).good();
        assert_eq!(told, expected);
    }
    run(&format!("index remove {} middle", index.display())).good();
    let gone = run(&format!("lineage {found} --cluster 0 --in {}", index.display()));
    assert_eq!(gone.code, Some(2));
    assert!(gone.stderr.contains("the text of `middle` was not found"), "{}", gone.stderr);
}

#[test]
fn what_is_not_there_is_said() {
    let dir = folder();
    let found = found(dir.path());
    for (line, told) in [
        (format!("lineage {found} --cluster 9"), "there is no cluster 9, it has 1 counted from 0"),
        (format!("lineage {found} --cluster 0 -o x.txt"), "ends in .json, .dot, .svg or .png, got"),
        (format!("lineage {} --cluster 0", dir.path().display()), "cannot read"),
        (format!("links {} -o x.graphml", dir.path().display()), "cannot read"),
        (format!("links {found} -o x.xlsx"), ".jsonl, .tsv, .graphml or .dot, got `x.xlsx`"),
        (format!("links {found} --relations likeness"), "a relation is one of exact"),
    ] {
        let refused = run(&line);
        assert_eq!(refused.code, Some(2), "{line}: {}", refused.stderr);
        assert!(refused.stderr.contains(told), "{line}: {}", refused.stderr);
    }
}

#[test]
fn an_index_and_a_result_have_the_same_links() {
    let dir = folder();
    let index = dir.path().join("news.idx");
    run(&format!("index create {}", index.display())).good();
    run(&format!("index add {} samples/news", index.display())).good();
    let found = dir.path().join("found");
    run(&format!("find samples/news -o {}", found.display())).good();
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
        lines.sort();
        lines
    };
    let of_index = run(&format!("links {}", index.display())).good();
    let of_results = run(&format!("links {}", found.display())).good();
    assert_eq!(sorted(&of_index), sorted(&of_results));
    assert_eq!(of_index.lines().count(), table(&found, "pairs").len());
    let again = run(&format!("links {} --threads 1", index.display())).good();
    assert_eq!(again, of_index, "threads change nothing");

    let partial =
        run(&format!("links {} --relations partial --format tsv", found.display())).good();
    assert!(partial.lines().skip(1).all(|line| line.contains("\tpartial\t")), "{partial}");
    assert_eq!(partial.lines().count(), 1 + 4);
    let long = run(&format!("links {} --min-words 100000", found.display())).good();
    assert_eq!(long, "");

    let graph = dir.path().join("links.graphml");
    let told = run(&format!("links {} -o {}", index.display(), graph.display())).good();
    assert!(told.contains(": 28 links between ") && told.ends_with(" of 74 documents\n"), "{told}");
    let graph = fs::read_to_string(graph).expect("it was written");
    assert_eq!(graph.matches("<edge ").count(), 28);
    assert!(graph.contains("<data key=\"weight\">"), "{graph}");
}
