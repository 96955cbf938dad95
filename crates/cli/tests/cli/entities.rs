//! `retold entities` on samples and lists of one's own.

use std::fs;

use serde_json::Value;

use crate::common::{listed, run, workspace};

#[test]
fn names_are_marked_listed_and_found_again_by_their_spans() {
    let folder = "samples/news/tr";
    let mut n_names = 0;
    for name in listed(&workspace().join(folder)) {
        let path = format!("{folder}/{name}");
        let text = fs::read_to_string(workspace().join(&path)).expect("samples are UTF-8");
        let line = run(&format!("entities {path} --language tr --json")).good();
        let found: Value = serde_json::from_str(&line).expect("one object");
        assert_eq!(found["language"], "tr");
        for entity in found["entities"].as_array().expect("a list of names") {
            let [start, end] = [0, 1].map(|i| entity["span"][i].as_u64().expect("a byte") as usize);
            let span = text.get(start..end).expect("a span is on borders of characters");
            let first = entity["text"].as_str().and_then(|name| name.split(' ').next());
            assert!(span.starts_with(first.expect("a name has a word")), "{entity}: {span}");
            n_names += 1;
        }
    }
    assert!(n_names > 20, "only {n_names} names in the samples");
}

#[test]
fn only_a_terminal_gets_colours() {
    let line =
        "entities samples/news/tr/".to_owned() + &listed(&workspace().join("samples/news/tr"))[0];
    let plain = run(&line).good();
    assert!(!plain.contains('\u{1b}') && plain.contains("|location]"), "{plain}");
    let coloured = run(&format!("{line} --color always")).good();
    assert!(coloured.contains("\u{1b}[1;32m") && !coloured.contains("|location]"), "{coloured}");
}

#[test]
fn lists_of_ones_own_are_read_and_faulty_ones_refused() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let at = |name: &str| dir.path().join(name).display().to_string();
    fs::write(at("story.txt"), "yesterday Captain Reed of the Swan met Harbour Watch")
        .expect("a file for a test");
    fs::write(at("names.tsv"), "organisation\tHarbour Watch\n").expect("a file for a test");
    fs::write(at("rules.tsv"), "person_prefix\tCaptain\n").expect("a file for a test");
    let line = format!(
        "entities {} --language en --no-bundled --gazetteer {} --rules {}",
        at("story.txt"),
        at("names.tsv"),
        at("rules.tsv")
    );
    let text = run(&line).good();
    assert!(
        text.contains(
            "Captain [Reed|person] of the [Swan|unclassified] met [Harbour Watch|organisation]"
        ),
        "{text}"
    );
    fs::write(at("rules.tsv"), "captain\n").expect("a file for a test");
    let ran = run(&line);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("line 1: expected `list<TAB>word`, got `captain`"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
}
