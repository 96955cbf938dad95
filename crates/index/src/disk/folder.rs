//! A folder of the file system.

use std::{
    fs::File,
    io,
    os::unix::fs::{FileExt, MetadataExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, FlockOperation, Mode, OFlags},
    io::Errno,
};

use super::{Disk, DiskFile, LOCK_FILE, cannot_grow, check_name};

/// A real folder.
///
/// It is held open: renaming the folder does no harm. Only regular files are opened, symbolic
/// links are not followed. The lock is the operating system's (`flock`), so that it ends with the
/// process.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    handle: File,
}

impl Folder {
    /// Opens a folder that exists.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let handle = retry(|| {
            rustix::fs::open(&path, OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC, NO_MODE)
        })?;
        Ok(Self { path, handle: handle.into() })
    }

    /// Opens a folder, and makes it before if it does not exist: durably, with those above it.
    pub fn create(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        // Above a bare name stands the empty path, which is the folder we are in.
        let is_missing = |above: &&Path| !above.as_os_str().is_empty() && !above.is_dir();
        let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
        for folder in missing.into_iter().rev() {
            match std::fs::create_dir(folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
            sync(&File::open(above.unwrap_or(Path::new(".")))?)?;
        }
        Self::open(path)
    }

    /// Returns the path it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn open_at(&self, name: &str, access: OFlags) -> io::Result<File> {
        // Without NONBLOCK the opening of a pipe would wait for its other end.
        let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let mode = Mode::from_raw_mode(0o666);
        let opened = retry(|| rustix::fs::openat(&self.handle, name, flags, mode));
        let file = match opened {
            Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                return Err(not_regular(name));
            }
            opened => File::from(opened?),
        };
        if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular(name)) }
    }
}

const NO_MODE: Mode = Mode::empty();

impl Disk for Folder {
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        check_name(name)?;
        let access = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
        Ok(Box::new(RealFile(self.open_at(name, access)?)))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        check_name(name)?;
        let file = match self.open_at(name, OFlags::RDWR | OFlags::APPEND) {
            Err(error) if is_read_only(&error) => self.open_at(name, OFlags::RDONLY)?,
            opened => opened?,
        };
        Ok(Box::new(RealFile(file)))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        check_name(from)?;
        check_name(to)?;
        retry(|| rustix::fs::renameat(&self.handle, from, &self.handle, to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        check_name(name)?;
        retry(|| rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()))
    }

    /// Names that no index gives (see [`Disk`]) are left out.
    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.handle)? {
            if let Ok(name) = entry?.file_name().to_str()
                && check_name(name).is_ok()
            {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn sync(&self) -> io::Result<()> {
        sync(&self.handle)
    }

    fn lock(&self) -> io::Result<Option<Box<dyn Send + Sync>>> {
        loop {
            let file = self.open_at(LOCK_FILE, OFlags::RDWR | OFlags::CREATE)?;
            match retry(|| rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                locked => locked?,
            }
            // Somebody may have removed the file between opening and locking it.
            let (locked, named) = (file.metadata()?, self.open_at(LOCK_FILE, OFlags::RDONLY));
            if let Ok(named) = named.and_then(|file| file.metadata())
                && (named.dev(), named.ino()) == (locked.dev(), locked.ino())
            {
                return Ok(Some(Box::new(Held(file))));
            }
        }
    }
}

/// The lock. It ends with this value, not only when the file is closed: another thread may be
/// starting a process, which holds copies of all open files until it has become another program.
struct Held(File);

impl Drop for Held {
    fn drop(&mut self) {
        // If that fails, the lock ends with the closing of the file.
        let _ = rustix::fs::flock(&self.0, FlockOperation::Unlock);
    }
}

#[derive(Debug)]
struct RealFile(File);

impl DiskFile for RealFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(out, offset) // tries again when interrupted
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        write_all(bytes, |rest| Ok(rustix::io::write(&self.0, rest)?))
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        let now = self.len()?;
        if len > now {
            return Err(cannot_grow(now, len));
        }
        retry(|| rustix::fs::ftruncate(&self.0, len))
    }

    fn sync(&self) -> io::Result<()> {
        sync(&self.0)
    }
}

/// A sync that was interrupted has not failed; any other failure is final and not tried again.
fn sync(file: &File) -> io::Result<()> {
    retry(|| rustix::fs::fsync(file))
}

fn retry<T>(mut call: impl FnMut() -> Result<T, Errno>) -> io::Result<T> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            done => return Ok(done?),
        }
    }
}

/// Calls `write` until all bytes are written. Interrupted calls are made again.
fn write_all(
    mut bytes: &[u8],
    mut write: impl FnMut(&[u8]) -> io::Result<usize>,
) -> io::Result<()> {
    while !bytes.is_empty() {
        match write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => bytes = &bytes[n..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

fn not_regular(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("`{name}` is not a regular file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_interrupted_writes_go_on_where_they_stopped() {
        let (mut written, mut n_calls) = (Vec::new(), 0);
        write_all(b"a record of the log", |rest| {
            n_calls += 1;
            if n_calls % 2 == 1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            written.extend_from_slice(&rest[..rest.len().min(3)]);
            Ok(rest.len().min(3))
        })
        .unwrap();
        assert_eq!(written, b"a record of the log");
        let full = write_all(b"abc", |_| Err(io::ErrorKind::StorageFull.into()));
        assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(write_all(b"abc", |_| Ok(0)).unwrap_err().kind(), io::ErrorKind::WriteZero);
    }

    #[test]
    fn only_regular_files_are_opened() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("target"), "x").unwrap();
        std::os::unix::fs::symlink("target", home.path().join("link")).unwrap();
        std::fs::create_dir(home.path().join("folder")).unwrap();
        let pipe = home.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let folder = Folder::open(home.path()).unwrap();
        folder.open("target").unwrap();
        for name in ["link", "folder", "pipe"] {
            folder.open(name).unwrap_err();
            folder.create(name).unwrap_err();
        }
        std::os::unix::fs::symlink("nowhere", home.path().join("lock")).unwrap();
        assert!(folder.lock().is_err(), "a lock is not made through a link");
    }

    #[test]
    fn a_file_that_may_not_be_written_can_be_read() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("part");
        std::fs::write(&path, "content").unwrap();
        let mut rights = std::fs::metadata(&path).unwrap().permissions();
        rights.set_readonly(true);
        std::fs::set_permissions(&path, rights).unwrap();
        let file = Folder::open(home.path()).unwrap().open("part").unwrap();
        let mut out = [0; 4];
        file.read_at(3, &mut out).unwrap();
        assert_eq!(&out, b"tent");
    }

    #[test]
    fn the_lock_ends_though_a_copy_of_its_file_is_open() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::open(home.path()).unwrap();
        let file = folder.open_at(LOCK_FILE, OFlags::RDWR | OFlags::CREATE).unwrap();
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        let _copy = file.try_clone().unwrap();
        let held = Held(file);
        assert!(folder.lock().unwrap().is_none());
        drop(held);
        assert!(folder.lock().unwrap().is_some());
    }

    #[test]
    fn a_folder_is_made_with_those_above_it() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a/b/c");
        Folder::open(&path).unwrap_err();
        Folder::create(&path).unwrap().create("file").unwrap();
        assert_eq!(Folder::create(&path).unwrap().list().unwrap(), ["file"]);
        Folder::create(path.join("file")).unwrap_err();
    }

    #[test]
    fn a_folder_is_followed_when_it_is_renamed() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::create(home.path().join("old")).unwrap();
        std::fs::rename(home.path().join("old"), home.path().join("new")).unwrap();
        folder.create("file").unwrap();
        assert!(home.path().join("new/file").exists());
    }
}
