//! The configuration file and the environment, through to the manifest.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{finish, manifest, retold};

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
    assert_eq!(file["settings"]["read"]["fields"]["text"], serde_json::json!(["body", "text"]));

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
