//! From paths on a command line to the list of files of a run.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::bad::{BadRecord, escape};
use crate::options::Limits;

/// One file of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Where it lies; `None` is standard input.
    pub path: Option<PathBuf>,
    /// Label used in ids and messages: the path as it was given, directories joined with `/`.
    pub name: String,
    /// Size in bytes; 0 if unknown.
    pub bytes: u64,
}

/// The files found under some paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovered {
    /// Files to read, in the order of the paths, directories sorted by name.
    pub files: Vec<InputFile>,
    /// What was passed over although a path named or held it, and why.
    pub skipped: Vec<BadRecord>,
}

/// Why no list of files could be made.
#[derive(Debug, Error)]
pub enum DiscoverError {
    /// A path leads nowhere.
    #[error("no file or directory at `{0}`")]
    NotFound(String),
    /// A path cannot be looked at.
    #[error("cannot look at `{path}`: {source}")]
    Unreadable {
        /// The path as given.
        path: String,
        /// What the system says.
        source: io::Error,
    },
}

/// Finds the files under `paths`; `-` is standard input.
///
/// Directories are walked in order of name; hidden entries are left out, symbolic links inside
/// directories are not followed, and only regular files are taken. Other kinds of file, paths past
/// the length limit and files named twice are listed as skipped.
pub fn discover(paths: &[PathBuf]) -> Result<Discovered, DiscoverError> {
    let mut found = Discovered::default();
    let mut seen = HashSet::new();
    for path in paths {
        if path.as_os_str() == "-" {
            if seen.insert(path.clone()) {
                found.files.push(InputFile { path: None, name: "-".to_owned(), bytes: 0 });
            }
            continue;
        }
        let unreadable = |source| DiscoverError::Unreadable { path: escape(&label(path)), source };
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(DiscoverError::NotFound(escape(&label(path))));
            }
            Err(error) => return Err(unreadable(error)),
        };
        if metadata.is_dir() {
            walk(path, &mut found, &mut seen);
        } else {
            take(path, metadata.file_type(), metadata.len(), &mut found, &mut seen);
        }
    }
    Ok(found)
}

/// Walks a directory without recursion: the stack holds the entries still to be visited.
fn walk(root: &Path, found: &mut Discovered, seen: &mut HashSet<PathBuf>) {
    let mut stack = vec![(root.to_owned(), true)];
    while let Some((path, is_directory)) = stack.pop() {
        if !is_directory {
            match fs::symlink_metadata(&path) {
                Ok(metadata) => take(&path, metadata.file_type(), metadata.len(), found, seen),
                Err(error) => {
                    found.skipped.push(BadRecord::of_file(&label(&path), error.to_string()));
                }
            }
            continue;
        }
        let entries = fs::read_dir(&path).and_then(|entries| {
            entries
                .map(|entry| entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))))
                .collect::<io::Result<Vec<_>>>()
        });
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                let reason = format!("cannot list the directory: {error}");
                found.skipped.push(BadRecord::of_file(&label(&path), reason));
                continue;
            }
        };
        entries.retain(|(name, _)| !name.as_encoded_bytes().starts_with(b"."));
        // Last name first: the stack gives them back in order.
        entries.sort_by(|a, b| b.0.cmp(&a.0));
        stack.extend(entries.into_iter().map(|(name, kind)| (path.join(name), kind.is_dir())));
    }
}

/// Adds one file, or says why not.
fn take(
    path: &Path,
    kind: FileType,
    bytes: u64,
    found: &mut Discovered,
    seen: &mut HashSet<PathBuf>,
) {
    let name = label(path);
    let longest = Limits::default().path_bytes as usize;
    let reason = if !kind.is_file() {
        Some(format!("is {}, only regular files are read", kind_name(kind)))
    } else if name.len() > longest {
        Some(format!("path of {} bytes is longer than the limit of {longest}", name.len()))
    } else if !seen.insert(path.to_owned()) {
        Some("is named twice, read once".to_owned())
    } else {
        None
    };
    match reason {
        Some(reason) => found.skipped.push(BadRecord::of_file(&name, reason)),
        None => found.files.push(InputFile { path: Some(path.to_owned()), name, bytes }),
    }
}

/// Returns the path as a label. A byte that is no UTF-8 is shown as U+FFFD and its two digits, so
/// that two names that differ in it differ as labels.
fn label(path: &Path) -> String {
    let mut label = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        label.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(label, "\u{fffd}{byte:02X}");
        }
    }
    if std::path::MAIN_SEPARATOR == '/' { label } else { label.replace('\\', "/") }
}

/// Says what a file is that is not read. Links are not followed here, so that the words are others
/// than those for a file that cannot be written.
fn kind_name(kind: FileType) -> &'static str {
    if kind.is_symlink() {
        return "a symbolic link";
    }
    if kind.is_dir() {
        return "a directory";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a FIFO";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    "a special file"
}
