//! The file layer: all that an index asks of the folder it lives in.
//!
//! [`Folder`] is the real one. [`Simulated`] lives in memory, knows which bytes and which names
//! have been synced, and gives the states that a power cut may leave behind. [`Faulty`] wraps
//! another disk and fails, stops or kills the process at a chosen call or step.
//!
//! # What is assumed of a disk
//! What was synced stays. A write changes no bytes outside its range. Of bytes that were not
//! synced any sector of 512 bytes may be there or not, in any order, and the length of the file
//! may have grown without them. Of names that were not synced each change may have happened or
//! not, but a rename happens as a whole. Names need a sync of their own ([`Disk::sync`]): the
//! sync of a file says nothing about its name.

use std::{io, sync::Arc};

pub use self::{
    faulty::{Call, Fault, FaultKind, Faulty},
    folder::Folder,
    simulated::{Cut, Simulated},
};

mod dice;
mod faulty;
mod folder;
mod simulated;

/// Size of the pieces in which a disk writes: after a power cut each is there or is not.
pub const SECTOR_BYTES: usize = 512;

/// The file that is locked while an index is written to. [`Disk::list`] does not show it and no
/// other call accepts its name: were it replaced, two writers could hold a lock each.
pub const LOCK_FILE: &str = "lock";

/// One folder of files, as an index sees it.
///
/// Names are plain: not empty, no slash, not starting with a dot, and not [`LOCK_FILE`]. Others
/// are refused as [`io::ErrorKind::InvalidInput`].
pub trait Disk: Send + Sync + std::fmt::Debug {
    /// Makes a new empty file for appending. It is an error if the name is taken.
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;

    /// Opens an existing file for reading, and for appending behind its end where that is allowed.
    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;

    /// Gives a file another name, in one step. A file that had the name before is replaced.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a name. Whoever has the file open can go on reading it.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Returns the names of all files, sorted.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Makes the names durable: what was created, renamed or removed before stays so after it.
    fn sync(&self) -> io::Result<()>;

    /// Becomes the one writer until the returned value is dropped or the process ends, however it
    /// ends. `None` if somebody else is.
    fn lock(&self) -> io::Result<Option<Box<dyn Send + Sync>>>;

    /// Says that a named step of a commit, flush, merge, expiry, change of the manifest, repair or
    /// recovery is reached. Nothing in real life, a place to fail or to die in tests.
    fn step(&self, _name: &'static str) -> io::Result<()> {
        Ok(())
    }
}

/// An open file of a [`Disk`].
#[expect(clippy::len_without_is_empty, reason = "the length is that of a file, and may fail")]
pub trait DiskFile: Send + Sync + std::fmt::Debug {
    /// Returns the number of bytes.
    fn len(&self) -> io::Result<u64>;

    /// Fills `out` from the bytes at `offset`; [`io::ErrorKind::UnexpectedEof`] if there are fewer.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;

    /// Writes all the bytes behind the end. After an error any part of them may be there.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;

    /// Cuts the file to a length it has or exceeds. A greater length is
    /// [`io::ErrorKind::InvalidInput`].
    fn truncate(&self, len: u64) -> io::Result<()>;

    /// Makes content and length durable, not the name. After an error what was not synced before
    /// may be lost even if a later sync succeeds.
    fn sync(&self) -> io::Result<()>;
}

impl<D: Disk + ?Sized> Disk for Arc<D> {
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        (**self).create(name)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        (**self).open(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        (**self).rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        (**self).remove(name)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        (**self).list()
    }

    fn sync(&self) -> io::Result<()> {
        (**self).sync()
    }

    fn lock(&self) -> io::Result<Option<Box<dyn Send + Sync>>> {
        (**self).lock()
    }

    fn step(&self, name: &'static str) -> io::Result<()> {
        (**self).step(name)
    }
}

/// Refuses names that could leave the folder, are hidden, or are the lock's.
fn check_name(name: &str) -> io::Result<()> {
    let is_plain = !name.is_empty()
        && name != LOCK_FILE
        && !name.starts_with('.')
        && !name.contains(['/', '\\', '\0']);
    if is_plain {
        return Ok(());
    }
    let why = format!("`{name}` is not a name for a file of an index");
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// The error for a [`DiskFile::truncate`] that would make a file longer.
fn cannot_grow(from: u64, to: u64) -> io::Error {
    let why = format!("a file of {from} bytes cannot be cut to {to}");
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(test)]
mod tests;
