//! The tables of a result folder.

use std::fmt;
use std::str::FromStr;

use retold_report::table::{Clusters, Column, Documents, Pairs, Removals, Table as _};

/// A table of a result folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResultTable {
    /// Verified pairs of documents.
    Pairs,
    /// Clusters of documents.
    Clusters,
    /// All documents that were read.
    Documents,
    /// Documents that `dedup` removed.
    Removed,
    /// Documents that `dedup` leaves to a person.
    Review,
}

impl ResultTable {
    /// All tables.
    pub const ALL: [Self; 5] =
        [Self::Pairs, Self::Clusters, Self::Documents, Self::Removed, Self::Review];

    /// Returns the name, as in the name of the file and in a path of the server.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Clusters => "clusters",
            Self::Documents => "documents",
            Self::Removed => "removed",
            Self::Review => "review",
        }
    }

    /// Returns the columns of the table.
    pub fn columns(self) -> &'static [Column] {
        match self {
            Self::Pairs => Pairs::COLUMNS,
            Self::Clusters => Clusters::COLUMNS,
            Self::Documents => Documents::COLUMNS,
            Self::Removed | Self::Review => Removals::COLUMNS,
        }
    }

    /// Returns whether every result has the table; the others are written by `dedup` only.
    pub fn is_always_there(self) -> bool {
        !matches!(self, Self::Removed | Self::Review)
    }

    /// Returns the place of the table in [`ALL`](Self::ALL).
    pub(crate) fn place(self) -> usize {
        self as usize
    }
}

impl fmt::Display for ResultTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A table that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("table must be pairs, clusters, documents, removed or review, got `{0}`")]
pub struct UnknownTable(pub String);

impl FromStr for ResultTable {
    type Err = UnknownTable;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|table| table.name() == name)
            .ok_or_else(|| UnknownTable(name.to_owned()))
    }
}
