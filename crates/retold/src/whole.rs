//! A file that appears whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file being written, not yet under its name. Dropping it removes it.
#[derive(Debug)]
pub(crate) enum WholeFile {
    /// Written beside its place; renamed at the end.
    Beside { file: NamedTempFile, name: PathBuf },
    /// A device or a pipe, which has no other place.
    InPlace(File),
}

impl WholeFile {
    /// Makes a file beside `path`; what stands there stays until the new one is whole.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        // A link stays a link: what it leads to is replaced.
        let name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Ok(found) = fs::metadata(&name) {
            if found.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            if !found.is_file() {
                return Ok(Self::InPlace(OpenOptions::new().write(true).open(&name)?));
            }
        }
        let Some(last) = name.file_name() else {
            return Err(io::Error::other("it names no file"));
        };
        let prefix = format!(".{}.retold-tmp-", last.to_string_lossy());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // The file will be the result, so it gets the user's usual mode, not that of a secret.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let folder = match name.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        Ok(Self::Beside { file: builder.tempfile_in(folder)?, name })
    }

    /// Makes the file durable and gives it its name.
    pub(crate) fn commit(self) -> io::Result<()> {
        match self {
            Self::Beside { file, name } => {
                file.as_file().sync_all()?;
                file.persist(name)?;
                Ok(())
            }
            Self::InPlace(mut file) => file.flush(),
        }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beside { file, .. } => file.as_file_mut().write(bytes),
            Self::InPlace(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside { file, .. } => file.as_file_mut().flush(),
            Self::InPlace(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_only_when_it_is_whole() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let path = dir.path().join("out.txt");
        fs::write(&path, "old").expect("a file for a test");
        let mut given_up = WholeFile::create(&path).expect("a file beside");
        given_up.write_all(b"half").expect("it can be written");
        drop(given_up);
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some("old"));
        let mut whole = WholeFile::create(&path).expect("a file beside");
        whole.write_all(b"new").expect("it can be written");
        whole.commit().expect("it can be renamed");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some("new"));
        let n_files = fs::read_dir(dir.path()).expect("the folder is there").count();
        assert_eq!(n_files, 1, "nothing is left beside it");
        assert!(WholeFile::create(dir.path()).is_err(), "a folder is not replaced");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, "old").expect("a file for a test");
        std::os::unix::fs::symlink(&file, &link).expect("a link for a test");
        let mut whole = WholeFile::create(&link).expect("a file beside");
        whole.write_all(b"new").expect("it can be written");
        whole.commit().expect("it can be renamed");
        assert!(fs::symlink_metadata(&link).is_ok_and(|found| found.is_symlink()));
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("new"));
        let null = WholeFile::create(Path::new("/dev/null")).expect("a device");
        assert!(matches!(null, WholeFile::InPlace(_)));
        null.commit().expect("nothing to rename");
    }
}
