//! What can go wrong, with the file and the line or the place in a filter.

use std::io;
use std::path::{Path, PathBuf};

use crate::table::ResultTable;

/// Why a result cannot be browsed, or a question about it cannot be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BrowseError {
    /// A file cannot be read or written.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The folder is no result that can be browsed.
    #[error("{}: {reason}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What is missing or wrong.
        reason: String,
    },
    /// A line of a table is not as it was written.
    #[error("{}: line {line}: {reason}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// Number of the line, counted from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// The side file is missing, broken, or of another result or version; [`build`](crate::build)
    /// makes it anew.
    #[error("{}: {reason}", path.display())]
    SideFile {
        /// The side file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A filter cannot be understood.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// There is no such order.
    #[error("cannot sort {table} by `{given}`; accepted: {accepted}, with `-` in front for descending order{}", suggested(nearest.as_deref()))]
    Sort {
        /// The table.
        table: ResultTable,
        /// What was given.
        given: String,
        /// The names that can be sorted by, with commas between.
        accepted: String,
        /// The accepted name most like the one given.
        nearest: Option<String>,
    },
    /// A cursor does not belong to the question that it comes with.
    #[error("cursor `{cursor}` {reason}")]
    Cursor {
        /// The cursor.
        cursor: String,
        /// Why it cannot be used.
        reason: &'static str,
    },
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}

/// A term of a filter that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("filter term `{term}` (byte {at}): {reason}")]
pub struct FilterError {
    /// The term, as far as it goes.
    pub term: String,
    /// The byte of the filter at which the term, or the part of it that is wrong, begins.
    pub at: usize,
    /// What is wrong and what is accepted.
    pub reason: String,
}

impl BrowseError {
    /// Returns whether [`build`](crate::build) mends it.
    pub fn needs_build(&self) -> bool {
        matches!(self, Self::SideFile { .. })
    }

    /// Returns what turns an error of the system into one that names `path`.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }
}

/// Returns the end of a message that names the nearest name.
pub(crate) fn suggested(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// Returns the known name most like `name`, if one is like it at all.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}
