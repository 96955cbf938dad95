//! Scratch files: room on disk for what does not fit the budget.
//!
//! The files have no names and are gone when the run is, however it ends.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use retold_core::scratch::{Scratch, ScratchFile};

use crate::error::Error;

/// The folder that scratch files are made in.
#[derive(Clone, Debug)]
pub(crate) struct ScratchDir {
    dir: PathBuf,
}

impl ScratchDir {
    /// Takes a folder; `None` means the system's.
    pub(crate) fn new(dir: Option<&Path>) -> Self {
        Self { dir: dir.map_or_else(std::env::temp_dir, Path::to_owned) }
    }

    /// Says of a failure which folder it was in.
    pub(crate) fn failed(&self, source: io::Error) -> Error {
        Error::Io { what: "use a scratch file in", path: self.dir.clone(), source }
    }
}

impl Scratch for ScratchDir {
    fn create(&self) -> io::Result<Box<dyn ScratchFile>> {
        Ok(Box::new(Unnamed { file: tempfile::tempfile_in(&self.dir)?, len: 0 }))
    }
}

/// A file without a name.
struct Unnamed {
    file: File,
    len: u64,
}

impl ScratchFile for Unnamed {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        write_at(&self.file, self.len, bytes)?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        read_at(&self.file, at, bytes)
    }
}

#[cfg(unix)]
fn write_at(file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(unix)]
fn read_at(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        let at = at + done as u64;
        match std::os::windows::fs::FileExt::seek_write(file, &bytes[done..], at)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            n => done += n,
        }
    }
    Ok(())
}

#[cfg(windows)]
fn read_at(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        let at = at + done as u64;
        match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[done..], at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => done += n,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_appended_is_read_anywhere() {
        let mut file = ScratchDir::new(None).create().expect("the system has a folder");
        file.append(b"told").expect("there is room");
        let mut bytes = [0; 3];
        file.read_at(1, &mut bytes).expect("it is there");
        file.append(b"again").expect("there is room");
        file.read_at(3, &mut bytes).expect("it is there");
        assert_eq!(&bytes, b"dag");
        assert!(file.read_at(7, &mut bytes).is_err());
    }
}
