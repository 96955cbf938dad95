//! What a folder of an interrupted run belongs to.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::UNIX_EPOCH;

use retold_core::error::ConfigError;
use retold_read::ReadOptions;
use serde_json::{Map, Value, json};

use crate::error::Error;
use crate::source::{Content, Opened};

/// Changes whenever the log is written in another way.
const FORMAT: u32 = 1;
const FILE_NAME: &str = "job.json";

/// Says what run it is: a command with settings, reading these sources and further files.
///
/// *Errors* if a source cannot be read again: standard input, memory.
pub(crate) fn belonging(
    command: &str,
    settings: &Value,
    (options, most_text_bytes): (&ReadOptions, u64),
    sources: &[&Opened],
    further: &[&Path],
) -> Result<Value, Error> {
    let mut inputs = Vec::new();
    for source in sources {
        let Content::Files { files, .. } = &source.content else {
            return Err(not_files(&source.name).into());
        };
        for file in files {
            let path = file.path.as_deref().ok_or_else(|| not_files(&file.name))?;
            inputs.push(input(&file.name, path)?);
        }
    }
    for path in further {
        inputs.push(input(&path.to_string_lossy(), path)?);
    }
    Ok(json!({
        "program": format!("retold {}", env!("CARGO_PKG_VERSION")),
        "format": FORMAT,
        "command": command,
        "settings": settings,
        "limits": {
            "document": options.limits.document_bytes,
            "line": options.limits.line_bytes,
            "text": most_text_bytes,
        },
        "inputs": inputs,
    }))
}

fn not_files(name: &str) -> ConfigError {
    ConfigError::value("resume", "used with files, which can be read again", &name)
}

/// Says which file it is, and in which state.
fn input(name: &str, path: &Path) -> Result<Value, Error> {
    let metadata = fs::metadata(path).map_err(Error::io("read", path))?;
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(json!({
        "name": name,
        "bytes": metadata.len(),
        "modified": modified.map(|time| time.as_nanos().to_string()),
        "identity": identity(&metadata),
    }))
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> Value {
    use std::os::unix::fs::MetadataExt as _;
    json!([metadata.dev(), metadata.ino()])
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Value {
    Value::Null
}

/// Returns what a folder belongs to; `None` if it says nothing.
pub(super) fn stored(folder: &Path) -> Result<Option<Value>, Error> {
    let path = folder.join(FILE_NAME);
    match fs::read(&path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", &path)(error)),
    }
}

/// Writes down what a folder belongs to, all of it or nothing.
pub(super) fn store(folder: &Path, belongs: &Value) -> Result<(), Error> {
    let (path, new) = (folder.join(FILE_NAME), folder.join("job.json.new"));
    let write = || {
        let mut file = File::create(&new)?;
        file.write_all(format!("{belongs:#}\n").as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    };
    write().map_err(Error::io("write", &path))
}

/// Checks that what is stored is the run that is to go on; says what differs.
pub(super) fn check(stored: &Value, asked: &Value) -> Result<(), String> {
    if stored == asked {
        return Ok(());
    }
    for name in ["program", "format", "command"] {
        if stored[name] != asked[name] {
            return Err(format!("it was begun by another {name}: {}", stored[name]));
        }
    }
    for name in ["settings", "limits"] {
        if let Some(told) = differing(&stored[name], &asked[name]) {
            let hint = if name == "limits" { ", which follow the memory" } else { "" };
            return Err(format!("it was begun with other {name}{hint}: {told}"));
        }
    }
    let empty = Vec::new();
    let inputs = |of: &Value| of["inputs"].as_array().unwrap_or(&empty).clone();
    let (before, now) = (inputs(stored), inputs(asked));
    if let Some((before, now)) = before.iter().zip(&now).find(|(before, now)| before != now) {
        return Err(if before["name"] == now["name"] {
            format!("{} has changed since it was begun", now["name"])
        } else {
            format!("it was begun with {} where there is {} now", before["name"], now["name"])
        });
    }
    Err(format!("it was begun with {} files and there are {} now", before.len(), now.len()))
}

/// Returns what differs between two objects, with the value that was before.
fn differing(before: &Value, now: &Value) -> Option<String> {
    let none = Map::new();
    let (before, now) = (before.as_object().unwrap_or(&none), now.as_object().unwrap_or(&none));
    let names = before.keys().chain(now.keys().filter(|name| !before.contains_key(*name)));
    let told: Vec<String> = names
        .filter(|&name| before.get(name) != now.get(name))
        .map(|name| match before.get(name) {
            Some(Value::Null) | None => format!("{name} was not given"),
            Some(value) => format!("{name} was {value}"),
        })
        .collect();
    (!told.is_empty()).then(|| told.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let run = |keep: &str, memory: u64, bytes: u64, name: &str| {
            json!({
                "program": "retold 1", "format": 1, "command": "dedup",
                "settings": { "keep": keep, "cover": 0.8 },
                "limits": { "document": memory },
                "inputs": [{ "name": name, "bytes": bytes }],
            })
        };
        let begun = run("first", 1, 7, "a.jsonl");
        let told = |asked: Value| check(&begun, &asked).expect_err("it differs");
        assert_eq!(check(&begun, &begun.clone()), Ok(()));
        assert_eq!(
            told(run("longest", 1, 7, "a.jsonl")),
            "it was begun with other settings: keep was \"first\""
        );
        assert_eq!(
            told(run("first", 2, 7, "a.jsonl")),
            "it was begun with other limits, which follow the memory: document was 1"
        );
        assert_eq!(
            told(run("first", 1, 8, "a.jsonl")),
            "\"a.jsonl\" has changed since it was begun"
        );
        let other = told(run("first", 1, 7, "b.jsonl"));
        assert_eq!(other, "it was begun with \"a.jsonl\" where there is \"b.jsonl\" now");
    }
}
