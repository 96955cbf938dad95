//! `retold evaluate` on the samples and on small lists.

use std::fs;

use serde_json::Value;

use crate::common::{run, workspace};

/// Finds what is in the samples and returns the folder.
fn found(dir: &tempfile::TempDir, name: &str, options: &str) -> String {
    let folder = dir.path().join(name).display().to_string();
    run(&format!("find samples/news -o {folder} --no-page -q {options}")).good();
    folder
}

fn json(line: &str) -> Value {
    serde_json::from_str(&run(line).good()).expect("figures are JSON")
}

#[test]
fn the_samples_are_measured_against_what_was_planted() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let folder = found(&dir, "found", "");
    let details = dir.path().join("details");
    let line = format!("evaluate {folder} -r samples/planted.tsv --truth planted");
    let figures = json(&format!("{line} --json -o {}", details.display()));
    assert_eq!(figures["recall_name"], "recall of planted copies");
    assert_eq!(
        (&figures["facts"]["n_true"], &figures["facts"]["n_negative"]),
        (&28.into(), &10.into())
    );
    let result = &figures["results"][0];
    assert_eq!(result["pairs"]["recall"]["value"], 1.0);
    assert_eq!(result["pairs"]["precision"]["value"], 1.0);
    assert_eq!(result["knows_all"], true);
    assert_eq!(result["labels"].as_array().map(Vec::len), Some(4));

    let planted = fs::read_to_string(workspace().join("samples/planted.tsv")).expect("samples");
    let listed = fs::read_to_string(details.join("reference.jsonl")).expect("it was written");
    assert_eq!(listed.lines().count(), planted.lines().count() - 1);
    assert!(
        listed
            .lines()
            .filter(|line| line.contains("\"is_true\":true"))
            .all(|line| { line.contains("\"is_found\":true") })
    );
    let again = run(&format!("{line} -o {}", details.display()));
    assert!(again.stderr.contains("hint: pass `--overwrite`"), "{}", again.stderr);
    run(&format!("{line} --overwrite -o {}", details.display())).good();
}

#[test]
fn figures_are_called_by_their_full_names() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let folder = found(&dir, "found", "");
    let pooled = run(&format!("evaluate {folder} -r samples/planted.tsv --truth pooled")).good();
    let pairs = pooled.split("Documents in clusters").next().expect("pairs come first");
    assert!(pairs.contains("  pooled recall  "), "{pairs}");
    for line in pairs.lines().filter(|line| line.trim_start().starts_with("recall")) {
        // Means over clusters stand indented under their own heading.
        assert!(line.starts_with("    recall"), "{line}");
    }
    assert!(
        pooled.contains("true pairs that no pooled method nominated count as wrong"),
        "{pooled}"
    );
    let plain = run(&format!("evaluate {folder} -r samples/planted.tsv --truth complete")).good();
    assert!(plain.contains("\n  recall  "), "{plain}");
}

#[test]
fn two_results_are_compared() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (one, two) = (found(&dir, "1", ""), found(&dir, "2", "--method exact"));
    let line = format!("evaluate {one} {two} -r samples/planted.tsv");
    let text = run(&line).good();
    assert!(text.contains("First against second"), "{text}");
    assert!(text.contains("corrected (Holm)"), "{text}");
    let figures = json(&format!("{line} --json"));
    let recall = &figures["comparison"]["differences"][1];
    assert!(recall["difference"]["value"].as_f64().expect("a number") > 0.5, "{recall}");
    assert!(recall["p_corrected"].as_f64().expect("a number") < 0.05, "{recall}");
    assert_eq!(run(&line).good(), text, "the same figures on every run");
}

#[test]
fn what_cannot_be_read_is_named_with_a_hint() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let at = |name: &str| dir.path().join(name).display().to_string();
    fs::write(at("pairs.tsv"), "a1\tb1\n").expect("a file for a test");
    fs::write(at("odd"), "a b c d e\n").expect("a file for a test");
    fs::write(at("bad.tsv"), "a1\tb1\nlone\n").expect("a file for a test");
    for (list, said, hint) in [
        ("odd", "cannot tell what `", "hint: name it with `--kind`"),
        ("bad.tsv", "line 2: a pair needs two names", "hint: `retold evaluate --help`"),
        ("none", "cannot open `", ""),
    ] {
        let ran = run(&format!("evaluate {} -r {}", at("pairs.tsv"), at(list)));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(said) && ran.stderr.contains(hint), "{}", ran.stderr);
    }
    let ran = run(&format!("evaluate {0} -r {0} --level 1", at("pairs.tsv")));
    assert!(ran.stderr.contains("`--level` must be above 0 and below 1"), "{}", ran.stderr);
    let ran = run(&format!("evaluate {0} -r {0} --p-dup 7", at("pairs.tsv")));
    assert!(ran.stderr.contains("a share must be between 0 and 1"), "{}", ran.stderr);
}
