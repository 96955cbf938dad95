//! An output file that appears whole or not at all.

use std::fs::{self, FileType};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::work::work_file;
use super::{OutputError, parent_of, sync_dir};

/// A file being written, not yet under its name.
///
/// The rule is that of [`OutputDir`](super::OutputDir): what stands under the name is replaced on
/// request only, when the new one is whole, and only if it is a regular file. Dropping it removes
/// what was written.
#[derive(Debug)]
pub struct OutputFile {
    file: NamedTempFile,
    name: PathBuf,
    overwrite: bool,
}

impl OutputFile {
    /// Makes a working file `.NAME.retold-tmp-XXXXXX` beside `path`, after a check whether `path`
    /// may be written.
    pub fn create(path: &Path, overwrite: bool) -> Result<Self, OutputError> {
        check(path, overwrite)?;
        // A link to a file stays a link: the file it leads to is replaced.
        let name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let Some(last) = name.file_name() else {
            return Err(OutputError::NoFileName(path.to_owned()));
        };
        let prefix = format!(".{}.retold-tmp-", last.to_string_lossy());
        let file = work_file(parent_of(&name), &prefix)
            .map_err(|source| OutputError::Write { path: path.to_owned(), source })?;
        Ok(Self { file, name, overwrite })
    }

    /// Writes a whole file.
    pub fn write(path: &Path, overwrite: bool, bytes: &[u8]) -> Result<(), OutputError> {
        let mut file = Self::create(path, overwrite)?;
        file.write_all(bytes)
            .map_err(|source| OutputError::Write { path: path.to_owned(), source })?;
        file.commit()
    }

    /// Makes the file durable and gives it its name.
    pub fn commit(self) -> Result<(), OutputError> {
        let Self { file, name, overwrite } = self;
        check(&name, overwrite)?;
        let put = || {
            file.as_file().sync_all()?;
            if overwrite { file.persist(&name) } else { file.persist_noclobber(&name) }
                .map_err(|error| error.error)?;
            sync_dir(parent_of(&name))
        };
        put().map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => OutputError::FileExists(name.clone()),
            _ => OutputError::Write { path: name.clone(), source },
        })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

/// Checks that `path` may be written.
fn check(path: &Path, overwrite: bool) -> Result<(), OutputError> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    let kind = match fs::metadata(path) {
        Ok(found) => found.file_type(),
        // A link that leads nowhere.
        Err(_) => found.file_type(),
    };
    if !kind.is_file() {
        return Err(OutputError::NoFile { path: path.to_owned(), is: kind_name(kind) });
    }
    if overwrite { Ok(()) } else { Err(OutputError::FileExists(path.to_owned())) }
}

fn kind_name(kind: FileType) -> &'static str {
    if kind.is_dir() {
        return "a folder";
    }
    if kind.is_symlink() {
        return "a link that leads nowhere";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> usize {
        fs::read_dir(dir).expect("the folder is there").count()
    }

    #[test]
    fn a_file_appears_only_when_it_is_whole() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let path = dir.path().join("out.txt");
        let mut given_up = OutputFile::create(&path, false).expect("a file beside");
        given_up.write_all(b"half").expect("it can be written");
        assert!(!path.exists());
        drop(given_up);
        OutputFile::write(&path, false, b"old").expect("it can be written");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some("old"));
        assert_eq!(names(dir.path()), 1, "nothing is left beside it");
    }

    #[test]
    fn a_file_is_replaced_only_on_request() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let path = dir.path().join("out.txt");
        OutputFile::write(&path, false, b"old").expect("it can be written");
        let refused = OutputFile::write(&path, false, b"new");
        assert!(matches!(refused, Err(OutputError::FileExists(_))));
        OutputFile::write(&path, true, b"new").expect("it can be replaced");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some("new"));
        // Something that came there meanwhile is not replaced either.
        let late = dir.path().join("late.txt");
        let file = OutputFile::create(&late, false).expect("a file beside");
        fs::write(&late, "theirs").expect("a file for a test");
        assert!(matches!(file.commit(), Err(OutputError::FileExists(_))));
        assert_eq!(fs::read_to_string(&late).ok().as_deref(), Some("theirs"));
        assert!(OutputFile::create(dir.path(), true).is_err(), "a folder is not replaced");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_nothing_else_is_replaced() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().expect("a folder for a test");
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, "old").expect("a file for a test");
        symlink(&file, &link).expect("a link for a test");
        assert!(OutputFile::create(&link, false).is_err());
        OutputFile::write(&link, true, b"new").expect("it can be replaced");
        assert!(fs::symlink_metadata(&link).is_ok_and(|found| found.is_symlink()));
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("new"));

        let nowhere = dir.path().join("nowhere");
        symlink(dir.path().join("missing"), &nowhere).expect("a link for a test");
        let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket"));
        for (path, is) in [
            (nowhere.as_path(), "a link that leads nowhere"),
            (&dir.path().join("socket"), "a socket"),
            (Path::new("/dev/null"), "a device"),
        ] {
            for overwrite in [false, true] {
                let refused = OutputFile::create(path, overwrite).expect_err("no regular file");
                assert!(refused.to_string().contains(is), "{refused}");
            }
        }
    }
}
