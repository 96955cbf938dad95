//! What is wrong in a list.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a list cannot be used.
#[derive(Debug, Error)]
pub enum ListError {
    /// A line that cannot be read.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// A place in XML that cannot be read.
    #[error("byte {byte}: {reason}")]
    Byte {
        /// The place, from 0.
        byte: u64,
        /// What is wrong.
        reason: String,
    },
    /// The bytes could not be had.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ListError {
    /// An error about one line.
    pub(crate) fn line(line: u64, reason: impl Into<String>) -> Self {
        Self::Line { line, reason: reason.into() }
    }
}

/// Why a file or folder of lists cannot be used.
#[derive(Debug, Error)]
pub enum ListFileError {
    /// A line that cannot be read.
    #[error("cannot use `{}`: {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        source: ListError,
    },
    /// A list that could be anything.
    #[error("cannot tell what `{}` holds", .0.display())]
    Unknown(PathBuf),
    /// A folder without tables that are read here.
    #[error("`{}` holds no pairs.jsonl, pairs.csv or XML of PAN", .0.display())]
    NoTables(PathBuf),
    /// A result that does not answer the truth.
    #[error("`{}` holds {holds}, and {truth} can only be compared with {needed}", path.display())]
    Unfit {
        /// The result.
        path: PathBuf,
        /// What it holds.
        holds: &'static str,
        /// What the truth holds.
        truth: &'static str,
        /// What would be compared with that.
        needed: &'static str,
    },
}
