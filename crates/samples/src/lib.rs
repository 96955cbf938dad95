//! The way to `samples/` and `testdata/` for the tests of all crates.
//!
//! Tests work on copies below a folder with a random name: ids of documents are paths, and what
//! depends on where the workspace lies shows in every run, not only in somebody else's clone. Every
//! test has a thread of its own, and every thread its own copies, which go when it ends.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static COPIES: OnceCell<TempDir> = const { OnceCell::new() };
}

/// Returns the folder that holds the copies of `samples/` and `testdata/`.
pub fn folder() -> PathBuf {
    COPIES.with(|copies| copies.get_or_init(copied).path().to_owned())
}

/// Returns the samples.
pub fn samples() -> PathBuf {
    folder().join("samples")
}

/// Returns the test data.
pub fn testdata() -> PathBuf {
    folder().join("testdata")
}

fn copied() -> TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dir = tempfile::tempdir().expect("the system has a place for temporary files");
    for name in ["samples", "testdata"] {
        copy(&root.join(name), &dir.path().join(name));
    }
    dir
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("temporary folders can be made");
    for entry in fs::read_dir(from).expect("the samples are in the repository") {
        let entry = entry.expect("the folder can be listed");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("temporary files can be written");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_has_copies_of_its_own_while_it_runs() {
        let here = folder();
        assert_eq!(here, folder());
        assert!(samples().join("news/en").is_dir() && testdata().join("cases").is_dir());
        let there = std::thread::spawn(folder).join().expect("it returns");
        assert_ne!(here, there);
        assert!(here.exists() && !there.exists());
    }
}
