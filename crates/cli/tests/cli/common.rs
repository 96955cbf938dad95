//! Running the command and reading what it wrote.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Returns the command, free of whatever the environment would make of it.
pub(crate) fn retold() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retold"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("RETOLD_") {
            command.env_remove(name);
        }
    }
    command.env_remove("COLUMNS").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.current_dir(workspace());
    command
}

/// Returns the folder that commands run in, where `samples/` and `testdata/` stand.
pub(crate) fn workspace() -> PathBuf {
    retold_samples::folder()
}

/// A finished command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the command with `line`, split at spaces.
pub(crate) fn run(line: &str) -> Ran {
    finish(retold().args(line.split_whitespace()))
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command) -> Ran {
    ran(&command.output().expect("the command starts"))
}

/// Takes apart what a command left.
pub(crate) fn ran(output: &Output) -> Ran {
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout.clone()).expect("results are UTF-8"),
        stderr: String::from_utf8(output.stderr.clone()).expect("messages are UTF-8"),
    }
}

impl Ran {
    /// Checks that all went well and returns stdout.
    pub(crate) fn good(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self.stdout
    }
}

/// Reads a table in JSON Lines.
pub(crate) fn table(dir: &Path, name: &str) -> Vec<Value> {
    let path = dir.join(format!("{name}.jsonl"));
    let text = fs::read_to_string(&path).expect("the table was written");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// Reads the manifest.
pub(crate) fn manifest(dir: &Path) -> Value {
    let text = fs::read_to_string(dir.join("manifest.json")).expect("a manifest was written");
    serde_json::from_str(&text).expect("the manifest is JSON")
}

/// Returns a text field of a row.
pub(crate) fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_else(|| panic!("{name} is missing in {row}"))
}

/// Returns the names in a folder, hidden ones included, in order.
pub(crate) fn listed(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("the folder is there");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry.expect("an entry can be read").file_name().to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    names
}
