//! Working folders and files under hidden names, and the removal of those left behind.
//!
//! A run that is killed cannot remove what it works in. So each working folder or file is locked by
//! its owner, which the system undoes when the owner ends, however it ends. Whoever works under the
//! same name next removes what is there and not locked.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempDir};

/// Letters and digits after the prefix of a working name.
const RANDOM_LETTERS: usize = 6;
/// Attempts to make and lock a name, as another run may remove it before it is locked.
const MOST_TRIES: u32 = 16;

/// A folder that is removed when it is dropped, and by the next one if the program is killed.
#[derive(Debug)]
pub struct WorkDir {
    dir: TempDir,
    /// Held as long as the folder is worked in.
    lock: Option<File>,
}

impl WorkDir {
    /// Makes a folder in `parent` with a name that begins with `prefix`, after removing those of
    /// that prefix that were left behind.
    pub fn create(parent: &Path, prefix: &str) -> io::Result<Self> {
        sweep(parent, prefix);
        let mut builder = Builder::new();
        builder.prefix(prefix).rand_bytes(RANDOM_LETTERS);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // The folder may become the result, so it gets the user's usual permissions, not the
            // private ones of temporary folders.
            builder.permissions(fs::Permissions::from_mode(0o777));
        }
        for _ in 0..MOST_TRIES {
            let dir = builder.tempdir_in(parent)?;
            match Held::of(dir.path()) {
                Held::Ours(lock) => return Ok(Self { dir, lock: Some(lock) }),
                Held::Unknown => return Ok(Self { dir, lock: None }),
                Held::Theirs => {}
            }
        }
        Err(io::Error::other("others remove what is made"))
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Returns the folder's path and lock, and does not remove the folder any more.
    pub(super) fn keep(self) -> (PathBuf, Option<File>) {
        (self.dir.keep(), self.lock)
    }
}

/// Makes a file in `parent` in the same way; the lock lies on the file itself.
pub(super) fn work_file(parent: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    sweep(parent, prefix);
    let mut builder = Builder::new();
    builder.prefix(prefix).rand_bytes(RANDOM_LETTERS);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    for _ in 0..MOST_TRIES {
        let file = builder.tempfile_in(parent)?;
        match file.as_file().try_lock() {
            Err(TryLockError::WouldBlock) => {}
            Ok(()) if !is_same(file.as_file(), file.path()) => {}
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
        }
    }
    Err(io::Error::other("others remove what is made"))
}

/// Who works in a folder.
enum Held {
    /// The caller, as long as the file is open.
    Ours(File),
    /// Somebody else, or it is gone.
    Theirs,
    /// It is not known: the folder cannot be opened or locked.
    Unknown,
}

impl Held {
    fn of(path: &Path) -> Self {
        let Ok(file) = File::open(path) else {
            return if path.exists() { Self::Unknown } else { Self::Theirs };
        };
        match file.try_lock() {
            // It may have been removed between opening and locking.
            Ok(()) if is_same(&file, path) => Self::Ours(file),
            Ok(()) | Err(TryLockError::WouldBlock) => Self::Theirs,
            Err(TryLockError::Error(_)) => Self::Unknown,
        }
    }
}

/// Returns whether a path still leads to an open file.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (Ok(one), Ok(other)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Removes what was left behind; what cannot be removed is left to the next one.
fn sweep(parent: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(prefix)) else { continue };
        // Longer names are results that could not be put into place, and are kept.
        if rest.len() != RANDOM_LETTERS || !rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            continue;
        }
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if !(kind.is_dir() || kind.is_file()) {
            continue;
        }
        if let Held::Ours(_lock) = Held::of(&path) {
            let _ = if kind.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n_entries(dir: &Path) -> usize {
        fs::read_dir(dir).expect("the folder is there").count()
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_what_lives_stays() {
        let parent = tempfile::tempdir().expect("a folder for a test");
        let lives = WorkDir::create(parent.path(), ".x.tmp-").expect("a folder");
        // As a killed run leaves it: there, and not locked.
        fs::create_dir_all(parent.path().join(".x.tmp-abc123/inside")).expect("a folder");
        fs::write(parent.path().join(".x.tmp-Abc124"), "half").expect("a file for a test");
        // Another name, and a result that was kept.
        fs::create_dir(parent.path().join(".xy.tmp-abc123")).expect("a folder");
        fs::create_dir(parent.path().join(".x.tmp-abc123-kept")).expect("a folder");
        let file = work_file(parent.path(), ".x.tmp-").expect("a file");
        assert!(lives.path().exists() && file.path().exists());
        assert!(!parent.path().join(".x.tmp-abc123").exists());
        assert!(!parent.path().join(".x.tmp-Abc124").exists());
        assert_eq!(n_entries(parent.path()), 4);
        let _third = WorkDir::create(parent.path(), ".x.tmp-").expect("a folder");
        assert!(file.path().exists(), "a file being written stays");
        drop(lives);
        assert_eq!(n_entries(parent.path()), 4);
    }
}
