//! What can go wrong with a stored index.

use std::io;

use thiserror::Error;

/// Why an operation on an index failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to read or write.
    #[error("cannot {what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file is missing or holds other bytes than were written.
    #[error("`{file}` is damaged at byte {offset}: {what}")]
    Damaged {
        /// Name of the file in the folder of the index.
        file: String,
        /// Where the damaged block starts.
        offset: u64,
        /// What is wrong with it.
        what: String,
    },
    /// A file was written by another version of this program, in a format this one does not read.
    #[error("format {found} of the index is unknown; this version reads format 1")]
    Version {
        /// The number of the format.
        found: u16,
    },
    /// The folder holds no index.
    #[error("the folder holds no index")]
    NotAnIndex,
    /// The folder holds an index where a new one should be made.
    #[error("the folder holds an index already")]
    Exists,
    /// Somebody else is writing to the index.
    #[error("the index is locked: another process is writing to it")]
    Locked,
    /// An earlier write failed in a way after which it is not known what is on the disk.
    #[error("an earlier write failed ({why}); open the index again")]
    Poisoned {
        /// How the earlier write failed.
        why: String,
    },
    /// There is no space left. Nothing is lost, and the operation can be tried again.
    #[error("cannot {what}: no space left ({source})")]
    NoSpace {
        /// What was tried.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// A document or setting cannot be stored as it is.
    #[error("{what}")]
    Invalid {
        /// What is wrong with it, and what is accepted.
        what: String,
    },
    /// The index holds as many documents as it can number.
    #[error("the index is full: it holds 4,294,967,294 documents")]
    Full,
}

/// The result of an operation on an index.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Makes an error of what the system said.
    pub(crate) fn io(what: impl Into<String>, source: io::Error) -> Self {
        let what = what.into();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoSpace { what, source }
            }
            _ => Self::Io { what, source },
        }
    }

    /// Makes an error about bytes that were not written so.
    pub(crate) fn damaged(file: &str, offset: u64, what: impl Into<String>) -> Self {
        Self::Damaged { file: file.to_owned(), offset, what: what.into() }
    }

    /// Makes an error about something a caller gave.
    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self::Invalid { what: what.into() }
    }

    /// Returns whether there was no space left.
    pub fn is_no_space(&self) -> bool {
        matches!(self, Self::NoSpace { .. })
    }
}

/// Adds to an error of the system what was tried.
pub(crate) trait Doing<T> {
    /// Says what was tried.
    fn doing(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|source| Error::io(what(), source))
    }
}
