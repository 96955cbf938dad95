//! Help, completions and manual pages. The texts in `expected/` are reviewed as prose; run the
//! tests with `RETOLD_TEST_UPDATE=1` to write them anew.

use std::fs;
use std::path::Path;

use crate::common::{listed, run};

fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/expected").join(name);
    if std::env::var_os("RETOLD_TEST_UPDATE").is_some() {
        fs::write(&path, text).expect("the expected text can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name} differs; RETOLD_TEST_UPDATE=1 writes it anew");
}

#[test]
fn help_reads_as_reviewed() {
    for (name, line) in [
        ("retold.txt", "--help"),
        ("find.txt", "find --help"),
        ("dedup.txt", "dedup --help"),
        ("rebuild.txt", "rebuild --help"),
        ("regroup.txt", "regroup --help"),
        ("plan.txt", "plan --help"),
        ("compare.txt", "compare --help"),
        ("query.txt", "query --help"),
        ("stream.txt", "stream --help"),
        ("index.txt", "index --help"),
        ("index-create.txt", "index create --help"),
        ("index-add.txt", "index add --help"),
        ("index-remove.txt", "index remove --help"),
        ("index-expire.txt", "index expire --help"),
        ("serve.txt", "serve --help"),
        ("spark.txt", "spark --help"),
        ("idf.txt", "idf --help"),
        ("entities.txt", "entities --help"),
        ("generate.txt", "generate --help"),
        ("mine.txt", "mine --help"),
        ("lattice.txt", "lattice --help"),
        ("lineage.txt", "lineage --help"),
        ("links.txt", "links --help"),
        ("tree.txt", "tree --help"),
        ("evaluate.txt", "evaluate --help"),
        ("pool.txt", "pool --help"),
        ("judge.txt", "judge --help"),
        ("experiment.txt", "experiment --help"),
        ("methods.txt", "methods --help"),
        ("completions.txt", "completions --help"),
        ("man.txt", "man --help"),
    ] {
        check(name, &run(line).good());
    }
}

#[test]
fn every_help_has_examples_of_its_own_command() {
    for command in [
        "find",
        "dedup",
        "rebuild",
        "regroup",
        "plan",
        "compare",
        "query",
        "stream",
        "index",
        "serve",
        "spark",
        "idf",
        "entities",
        "generate",
        "mine",
        "lattice",
        "lineage",
        "links",
        "tree",
        "evaluate",
        "pool",
        "judge",
        "experiment",
        "methods",
        "completions",
        "man",
    ] {
        let help = run(&format!("{command} --help")).good();
        let (_, after) = help.split_once("EXAMPLES\n").expect("there are examples");
        assert!(after.contains(&format!("retold {command}")), "{help}");
    }
}

#[test]
fn nothing_in_the_help_is_wider_than_the_widest_line() {
    let commands = [
        "", "find", "dedup", "regroup", "plan", "compare", "mine", "lattice", "lineage", "links",
        "tree", "pool", "judge", "evaluate", "generate",
    ];
    for command in commands {
        for line in run(&format!("{command} --help")).good().lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn without_a_command_help_is_shown_as_an_error() {
    let ran = run("");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stdout.is_empty() && ran.stderr.contains("Usage: retold <COMMAND>"));
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(run("--version").good(), format!("retold {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_know_commands_options_and_methods() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&format!("completions {shell}")).good();
        for word in ["find", "dedup", "compare", "methods", "completions", "passage-words"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&format!("completions {shell}")).good();
        assert!(script.contains("full-fingerprint"), "{shell}: methods complete");
    }
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let page = run("man").good();
    assert!(page.contains(".TH retold 1") && page.contains(".SH EXAMPLES"));
    let dir = tempfile::tempdir().expect("a folder for a test");
    run(&format!("man {}/pages", dir.path().display())).good();
    let pages = [
        "retold-compare.1",
        "retold-completions.1",
        "retold-dedup.1",
        "retold-entities.1",
        "retold-evaluate.1",
        "retold-experiment.1",
        "retold-find.1",
        "retold-generate.1",
        "retold-idf.1",
        "retold-index.1",
        "retold-judge.1",
        "retold-lattice.1",
        "retold-lineage.1",
        "retold-links.1",
        "retold-man.1",
        "retold-methods.1",
        "retold-mine.1",
        "retold-plan.1",
        "retold-pool.1",
        "retold-query.1",
        "retold-rebuild.1",
        "retold-regroup.1",
        "retold-serve.1",
        "retold-spark.1",
        "retold-stream.1",
        "retold-tree.1",
        "retold.1",
    ];
    assert_eq!(listed(&dir.path().join("pages")), pages);
    let find =
        fs::read_to_string(dir.path().join("pages/retold-find.1")).expect("the page of find");
    assert!(find.contains("passage\\-words") && find.contains("retold find news/"));
}

#[test]
fn the_pages_of_the_methods_are_those_of_the_code() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    run(&format!("methods --pages {}", dir.path().display())).good();
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/methods");
    for name in listed(dir.path()) {
        let made = fs::read_to_string(dir.path().join(&name)).expect("it was just written");
        let page = fs::read_to_string(kept.join(&name)).unwrap_or_default();
        assert_eq!(made, page, "run `retold methods --pages docs/methods`: {name} is out of date");
        for link in made.split("](../../").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(kept.join("../..").join(link).exists(), "{name} leads to {link}");
        }
    }
}

#[test]
fn methods_are_listed_and_told() {
    let list = run("methods").good();
    for name in ["anchor", "exhaustive", "exact", "full-fingerprint", "minhash"] {
        assert!(list.contains(name), "{list}");
        let story = run(&format!("methods {name}")).good();
        for heading in
            ["What it finds", "How it works", "Cost", "Reference", "Relations", "Options"]
        {
            assert!(story.lines().any(|line| line.starts_with(heading)), "{name}: {heading}");
        }
        assert!(story.contains("--set containment="), "{story}");
        assert!(story.lines().all(|line| line.chars().count() <= 80), "{story}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&run("methods --json").good()).expect("JSON");
    assert_eq!(json[0]["name"], "anchor");
    assert_eq!(json[0]["parameters"][0]["name"], "k");
    assert_eq!(json[0]["parameters"][0]["default"], 5);
}

#[test]
fn help_pages_and_schemas_name_the_same_defaults_and_ranges() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    run(&format!("methods --pages {}", dir.path().display())).good();
    let json = |line: &str| -> serde_json::Value {
        serde_json::from_str(&run(line).good()).expect("JSON")
    };
    let [ours, papers] =
        ["retold", "paper"].map(|name| json(&format!("methods --schema --profile {name}")));
    for spec in json("methods --json").as_array().expect("a list") {
        let name = spec["name"].as_str().expect("a name");
        assert!(ours[name]["additionalProperties"] == false, "{name}");
        let page = fs::read_to_string(dir.path().join(format!("{name}.md"))).expect("a page");
        let story = run(&format!("methods {name}")).good();
        let story = story.split_whitespace().collect::<Vec<_>>().join(" ");
        let parameters = spec["parameters"].as_array().expect("a list");
        assert_eq!(
            ours[name]["properties"].as_object().map(serde_json::Map::len),
            Some(parameters.len())
        );
        for parameter in parameters {
            let text = |field: &str| parameter[field].as_str().expect("text");
            let (called, about, accepts) = (text("name"), text("about"), text("accepts"));
            let [of_ours, of_papers] =
                [&ours, &papers].map(|schemas| &schemas[name]["properties"][called]);
            assert_eq!(
                (&of_ours["default"], &of_papers["default"]),
                (&parameter["default"], &parameter["paper"])
            );
            assert_eq!(of_ours["description"], about);
            let (default, paper) = (&of_ours["default"], &of_papers["default"]);
            let row = format!("| `{called}` | {default} | {paper} | {accepts} | {about} |");
            assert!(page.contains(&row), "{name}: {row}");
            let differs =
                if default == paper { String::new() } else { format!(" (paper: {paper})") };
            let told = format!("--set {called}={default}{differs} {about}; {accepts}");
            assert!(
                story.contains(&told.replace('`', "")) || story.contains(&told),
                "{name}: {told}"
            );
            for bound in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
                let Some(bound) = of_ours.get(bound).and_then(serde_json::Value::as_f64) else {
                    continue;
                };
                // Help does not name the largest number that the type can hold.
                if bound >= f64::from(u32::MAX) {
                    continue;
                }
                assert!(
                    accepts.split(' ').any(|word| word == bound.to_string()),
                    "{name} {called}: {bound}"
                );
            }
            for choice in of_ours["enum"].as_array().into_iter().flatten() {
                assert!(accepts.contains(choice.as_str().expect("a word")), "{name} {called}");
            }
        }
    }
    let form = json("methods ws16sw2 --schema");
    assert_eq!(form["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(form["properties"]["window"]["default"], 16);
    assert_eq!(form["properties"]["window"]["maximum"], 256);
}
