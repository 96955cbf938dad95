//! The configuration file and the environment, through to the manifest.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{finish, listed, manifest, retold};

/// Runs `find` on a few documents and returns the manifest.
fn settings(config: &str, variables: &[(&str, &str)], typed: &[&str]) -> Value {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let file = dir.path().join("retold.toml");
    fs::write(&file, config).expect("a file for a test");
    let found = dir.path().join("found");
    let mut command = retold();
    command.args(["find", "samples/news/en", "-q", "-o"]).arg(&found).arg("--config").arg(&file);
    command.args(typed).envs(variables.iter().copied());
    finish(&mut command).good();
    manifest(&found)
}

#[test]
fn the_file_gives_way_to_the_environment_and_both_to_the_command_line() {
    let config = "seed = 3\nkeep = \"oldest\"\ntext-field = [\"body\", \"text\"]\n[set]\nk = 7\n";
    let file = settings(config, &[], &[]);
    assert_eq!(file["seed"], 3);
    assert_eq!(file["parameters"]["k"], 7);
    assert_eq!(file["settings"]["keep"], "oldest");
    assert_eq!(file["settings"]["text-field"], serde_json::json!(["body", "text"]));

    let variable = [("RETOLD_SEED", "5"), ("RETOLD_KEEP", "newest")];
    let both = settings(config, &variable, &["--seed", "7", "--set", "k=9"]);
    assert_eq!(both["seed"], 7);
    assert_eq!(both["parameters"]["k"], 9);
    assert_eq!(both["settings"]["keep"], "newest");
}

#[test]
fn a_file_may_be_named_by_the_environment() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let file = dir.path().join("retold.toml");
    fs::write(&file, "json = true\n").expect("a file for a test");
    let mut command = retold();
    let ran = finish(command.args(["find", "samples/news/en"]).env("RETOLD_CONFIG", &file));
    assert!(serde_json::from_str::<Value>(&ran.good()).is_ok());
}

#[test]
fn a_file_with_an_unknown_name_is_refused_with_the_nearest() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let file = dir.path().join("retold.toml");
    fs::write(&file, "pasage-words = 30\n").expect("a file for a test");
    let ran = finish(retold().args(["find", "samples/news/en", "--config"]).arg(&file));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.starts_with("error: there is no option `pasage-words` in `"));
    assert!(ran.stderr.ends_with("hint: did you mean `passage-words`?\n"), "{}", ran.stderr);
    let ran = finish(retold().args(["find", "x", "--config"]).arg(Path::new("no-such.toml")));
    assert!(ran.stderr.starts_with("error: cannot read configuration `no-such.toml`"));
}

#[test]
fn the_manifest_of_a_run_is_a_configuration_that_repeats_it() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let (first, again) = (dir.path().join("first"), dir.path().join("again"));
    let options = "--method imatch --profile paper --decide documents --set take=9 --seed 5 \
                   --keep oldest --pairs star --clusters cliques --join containment \
                   --pairs-per-document 7 \
                   --stop-words words:the,of --stem first-five --language en --detect-language \
                   --text-field body,text --max-document 5M --max-words 5000 --no-page";
    let mut command = retold();
    command.args(["dedup", "samples/news", "-q", "-o"]).arg(&first);
    finish(command.args(options.split_whitespace())).good();
    let mut command = retold();
    command.args(["dedup", "samples/news", "-q", "-o"]).arg(&again);
    finish(command.arg("--config").arg(first.join("manifest.json"))).good();
    let (of_first, of_again) = (manifest(&first), manifest(&again));
    assert_eq!(of_first["settings"], of_again["settings"]);
    assert_eq!(of_first["settings"]["stop-words"], "words:the,of");
    assert_eq!(of_first["parameters"], of_again["parameters"]);
    for name in listed(&first) {
        if let (true, Ok(bytes)) = (name != "manifest.json", fs::read(first.join(&name))) {
            assert_eq!(Some(bytes), fs::read(again.join(&name)).ok(), "{name}");
        }
    }
}
