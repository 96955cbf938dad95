//! `retold plan`, and parameters for a wanted similarity and recall.

use crate::common::{manifest, run};

#[test]
fn a_small_collection_is_planned_as_it_is() {
    let found = run("find samples/news --json").good();
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let plan = run("plan samples/news --json").good();
    let plan: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
    assert_eq!(plan["n_documents"], found["n_documents"]);
    assert_eq!(plan["n_bytes"], found["n_bytes"]);
    for (planned, counted) in
        [("exact_copies", "n_exact_copies"), ("clusters", "n_clusters"), ("pairs", "n_pairs")]
    {
        // The sample is the collection, without what has too few words to be drawn by.
        let (planned, counted) = (plan[planned]["expected"].as_f64(), found[counted].as_f64());
        let (planned, counted) = (planned.expect("a number"), counted.expect("a number"));
        assert!((planned / counted - 1.0).abs() < 0.15, "{planned} {counted}");
    }
    assert!(plan["memory_bytes"]["expected"].as_f64() > Some(1e6));
    let told = run("plan samples/news").good();
    assert!(told.contains("CPU time by stage") && told.contains("a stored index"), "{told}");
}

#[test]
fn parameters_are_chosen_for_a_recall_and_told() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let out = dir.path().join("found");
    let line = "find samples/news --method minhash --similarity 0.7 --recall 0.9";
    let told = run(&format!("{line} -o {}", out.display())).good();
    assert!(told.starts_with("minhash with bands="), "{told}");
    let about = manifest(&out);
    let tuning = &about["tuning"];
    assert_eq!((&tuning["aim"]["similarity"], &tuning["is_reached"]), (&0.7.into(), &true.into()));
    let tried = tuning["tried"].as_array().and_then(|tried| tried.last()).expect("one was taken");
    assert_eq!(tried["parameters"]["bands"], about["parameters"]["bands"]);
    assert!(tried["recall"].as_f64() >= Some(0.9));
    // What is reported is as similar as was asked for.
    let pairs = std::fs::read_to_string(out.join("pairs.jsonl")).expect("a table");
    for line in pairs.lines() {
        let pair: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(pair["resemblance"].as_f64() >= Some(0.7), "{line}");
    }
    assert!(!pairs.is_empty());
}

#[test]
fn what_cannot_be_tuned_is_refused_with_a_reason() {
    for (line, said) in [
        ("--method imatch --similarity 0.8 --recall 0.9", "has nothing to be set"),
        ("--method minhash --set rows=4 --similarity 0.8 --recall 0.9", "cannot be set beside it"),
        ("--similarity 0.8 --recall 1", "`--recall` must be above 0 and below 1"),
        ("--recall 0.9", "--similarity"),
    ] {
        let ran = run(&format!("find samples/news {line}"));
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.stderr.contains(said), "{line}: {}", ran.stderr);
    }
}
