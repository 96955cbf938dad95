//! Crowds: many documents that are nearly the same are written as a star, and nothing is lost.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use retold::{Dedup, Files, Find, Job, Keep, PairsWritten, Tables};
use serde_json::Value;

/// Writes 80 documents of 200 words that differ in one word each, one that holds a story of its own
/// beside, that story alone, and a stranger.
fn write_crowd(path: &Path) {
    let word = |i: usize| format!("word{}", i * 7919 % 10_007);
    let base: Vec<String> = (0..200).map(word).collect();
    let story: Vec<String> = (0..24).map(|i| format!("story{i}")).collect();
    let mut lines = String::new();
    let mut put = |id: &str, words: &[String]| {
        let line = serde_json::json!({ "id": id, "text": words.join(" ") });
        writeln!(lines, "{line}").expect("a string can be written to");
    };
    for i in 0..80 {
        let mut words = base.clone();
        words[i * 37 % 200] = format!("changed{i}");
        put(&format!("d{i}"), &words);
    }
    put("with-story", &[&base[..], &story[..20]].concat());
    put("story", &story);
    put("stranger", &(0..200).map(|i| format!("other{i}")).collect::<Vec<_>>());
    fs::write(path, lines).expect("a file for a test");
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("a table");
    text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().expect("a text")
}

#[test]
fn a_crowd_is_a_star_of_verified_pairs_and_what_follows_is_counted() {
    let folder = tempfile::tempdir().expect("a folder for a test");
    let texts = folder.path().join("texts.jsonl");
    write_crowd(&texts);
    let run = |name: &str, job: Job| {
        let out = folder.path().join(name);
        Find::new(Files::new([&texts])).job(job).run(&mut Tables::new(&out)).expect("a run");
        out
    };
    let star = Job::default().with_keep(Keep::First);
    let all = star.clone().with_pairs(PairsWritten::All);
    let (star, all) = (run("star", star), run("all", all));
    let keyed = |dir: &Path| -> BTreeMap<(String, String), Value> {
        let key = |row: &Value| (text(row, "a").to_owned(), text(row, "b").to_owned());
        lines(&dir.join("pairs.jsonl")).into_iter().map(|row| (key(&row), row)).collect()
    };
    let (of_star, of_all) = (keyed(&star), keyed(&all));
    assert!(of_all.len() >= 81 * 80 / 2, "{} pairs of all", of_all.len());
    assert!(of_star.len() < 200, "{} pairs of a star", of_star.len());
    for (pair, row) in &of_star {
        assert_eq!(of_all.get(pair), Some(row), "a pair is the same however many are written");
    }
    let clusters = lines(&star.join("clusters.jsonl"));
    let [cluster] = &clusters[..] else { panic!("one cluster, not {}", clusters.len()) };
    assert_eq!(cluster["size"], 81);
    // All pairs of members were compared or follow.
    let number = |name: &str| cluster[name].as_u64().expect("a count");
    assert_eq!(number("n_pairs") + number("n_derived"), 81 * 80 / 2);
    assert_eq!(clusters[0]["members"], lines(&all.join("clusters.jsonl"))[0]["members"]);
    let shares_story = |(a, b): &&(String, String)| a == "with-story" && b == "story";
    assert!(of_star.keys().any(|pair| shares_story(&pair)), "what a member has alone is found");
}

#[test]
fn what_goes_of_a_crowd_is_held_by_what_stays() {
    let folder = tempfile::tempdir().expect("a folder for a test");
    let texts = folder.path().join("texts.jsonl");
    write_crowd(&texts);
    let out = folder.path().join("clean");
    Dedup::new(Files::new([texts])).run(&mut Tables::new(&out)).expect("a run");
    let removed = lines(&out.join("removed.jsonl"));
    assert_eq!(removed.len(), 80);
    for row in &removed {
        assert_eq!(text(row, "covered_by"), "with-story", "the longest stays");
        assert!(row["covered"].as_f64().expect("a share") >= 0.8);
    }
    let kept = fs::read_to_string(out.join("documents/texts.jsonl")).expect("the kept records");
    assert_eq!(kept.lines().count(), 3);
}

/// Returns how many pairs `dedup` compares of `n` documents of 200 words, of which each has words of its
/// own in `n_own` places, and how many it removes.
fn n_compared(folder: &Path, n: usize, n_own: usize) -> (u64, u64) {
    let path = folder.join(format!("crowd-{n}-{n_own}.jsonl"));
    let mut lines = String::new();
    for document in 0..n {
        let mut words: Vec<String> =
            (0..200).map(|i| format!("word{}", i * 7919 % 10_007)).collect();
        for place in 0..n_own {
            words[(document * 37 + place * 50) % 200] = format!("own{document}x{place}");
        }
        let line = serde_json::json!({ "id": document.to_string(), "text": words.join(" ") });
        writeln!(lines, "{line}").expect("a string can be written to");
    }
    fs::write(&path, lines).expect("a file for a test");
    let out = folder.join(format!("out-{n}-{n_own}"));
    let outcome = Dedup::new(Files::new([&path])).run(&mut Tables::new(&out)).expect("a run");
    (outcome.manifest().counts["candidates"], outcome.manifest().counts["removed"])
}

#[test]
fn what_dedup_compares_of_a_crowd_grows_with_its_members() {
    let folder = tempfile::tempdir().expect("a folder for a test");
    // One word each, and a template with four places to be filled.
    for n_own in [1, 4] {
        for n in [150, 300, 600] {
            let (n_compared, n_removed) = n_compared(folder.path(), n, n_own);
            assert_eq!(n_removed, n as u64 - 1, "{n} with {n_own} words of their own");
            assert!(n_compared <= 2 * n as u64, "{n_compared} comparisons of {n} documents");
        }
    }
}
