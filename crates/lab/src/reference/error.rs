//! What is wrong in a list.

use std::io;

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
