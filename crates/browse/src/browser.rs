//! A result that is open, and what its columns say of its rows.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;

use crate::build::{Building, build};
use crate::column::{Column, Lists};
use crate::error::BrowseError;
use crate::filter::names::{Dictionary, Name, Subject};
use crate::result::ResultFiles;
use crate::side::SideFile;
use crate::strings::Strings;
use crate::table::ResultTable;

/// Marks an id that no row of `documents` has.
const NO_ROW: u32 = u32::MAX;

/// Marks an id without a value; values are at most 2^63.
const NO_VALUE: u64 = u64::MAX;

/// A result folder and its side file, open for questions from any number of threads.
///
/// Columns are read when they are first needed and then stay in memory.
#[derive(Debug)]
pub struct Browser {
    pub(crate) files: ResultFiles,
    pub(crate) side: SideFile,
    /// The first row of `documents` with each id.
    first_rows: OnceLock<Vec<u32>>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Number of the row in its table, counted from 0.
    pub number: u64,
    /// The line as it was written: a JSON object, without the line feed.
    pub line: String,
}

/// What a column says of a row.
pub(crate) type Values<'b> = Box<dyn Fn(usize) -> Option<u64> + 'b>;

impl Browser {
    /// Opens the result in `folder` with the side file that [`build`] put into `side_folder`.
    ///
    /// # Errors
    /// If the side file is missing, broken, or of another result or version, the error
    /// [needs a build](BrowseError::needs_build).
    pub fn open(folder: &Path, side_folder: &Path) -> Result<Self, BrowseError> {
        let files = ResultFiles::open(folder)?;
        let side = SideFile::open(side_folder, &files.fingerprint)?;
        Ok(Self { files, side, first_rows: OnceLock::new() })
    }

    /// Opens the result in `folder`, and builds its side file if there is none that fits.
    pub fn open_or_build(
        folder: &Path,
        side_folder: &Path,
        progress: &mut dyn FnMut(Building) -> ControlFlow<()>,
    ) -> Result<Self, BrowseError> {
        match Self::open(folder, side_folder) {
            Err(error) if error.needs_build() => {
                build(folder, side_folder, progress)?;
                Self::open(folder, side_folder)
            }
            opened => opened,
        }
    }

    /// Returns what names the result: the same for the same files, wherever they lie.
    pub fn fingerprint(&self) -> &str {
        &self.files.fingerprint
    }

    /// Returns the number of rows of a table; `None` if the result does not have it.
    pub fn n_rows(&self, table: ResultTable) -> Option<u64> {
        self.side.n_rows(table.place()).map(|n| n as u64)
    }

    /// Returns the row of a table with the given number, if there is one.
    pub fn row(&self, table: ResultTable, number: u64) -> Result<Option<Row>, BrowseError> {
        let n_rows = self.len(table)?;
        match usize::try_from(number).ok().filter(|row| *row < n_rows) {
            Some(row) => self.read_row(table, row).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the number of rows of a table that has to be there.
    pub(crate) fn len(&self, table: ResultTable) -> Result<usize, BrowseError> {
        self.side.n_rows(table.place()).ok_or_else(|| self.files.no_table(table))
    }

    /// Returns where a row lies in its file: its first byte, and the byte after its line feed.
    pub(crate) fn span(&self, table: ResultTable, row: usize) -> Result<[u64; 2], BrowseError> {
        let starts =
            self.side.column(&format!("{table}.lines"), self.len(table)?.saturating_add(1))?;
        Ok([row, row + 1].map(|at| starts.get(at).unwrap_or(u64::MAX)))
    }

    /// Reads a row from its file.
    pub(crate) fn read_row(&self, table: ResultTable, row: usize) -> Result<Row, BrowseError> {
        let line = self.files.line(table, row, self.span(table, row)?)?;
        Ok(Row { number: row as u64, line })
    }

    /// Returns a column of a table.
    pub(crate) fn column(&self, table: ResultTable, name: &str) -> Result<&Column, BrowseError> {
        self.side.column(&format!("{table}.{name}"), self.len(table)?)
    }

    /// Returns a column of a table with several values a row.
    pub(crate) fn lists(&self, table: ResultTable, name: &str) -> Result<Lists<'_>, BrowseError> {
        self.side.lists(&format!("{table}.{name}"), self.len(table)?)
    }

    /// Returns texts with codes.
    pub(crate) fn strings(&self, dictionary: Dictionary) -> Result<Strings<'_>, BrowseError> {
        self.side.strings(dictionary.section())
    }

    /// Returns the first row of `documents` with each id.
    pub(crate) fn first_rows(&self) -> Result<FirstRows<'_>, BrowseError> {
        if let Some(rows) = self.first_rows.get() {
            return Ok(FirstRows(rows));
        }
        let ids = self.column(ResultTable::Documents, "id")?;
        let mut rows = vec![NO_ROW; self.strings(Dictionary::Ids)?.len()];
        for row in (0..ids.len()).rev() {
            if let Some(first) = rows.get_mut(ids.place(row)) {
                *first = row as u32;
            }
        }
        Ok(FirstRows(self.first_rows.get_or_init(|| rows)))
    }

    /// Returns what a column of `documents` says of each id.
    // PERF: a million pairs by time 98 -> 48 ms (one run each), as each document costs one look at a random place
    // instead of two.
    pub(crate) fn values_by_id(&self, column: &str) -> Result<ValuesById, BrowseError> {
        let column = self.column(ResultTable::Documents, column)?;
        let rows = self.first_rows()?;
        let value = |id| rows.of(id).and_then(|row| column.get(row)).unwrap_or(NO_VALUE);
        Ok(ValuesById((0..rows.0.len()).map(value).collect()))
    }

    /// Returns how the rows of a table name documents.
    pub(crate) fn members(&self, table: ResultTable) -> Result<Members<'_>, BrowseError> {
        Ok(match table {
            ResultTable::Pairs => Members::Two(self.column(table, "a")?, self.column(table, "b")?),
            ResultTable::Clusters => Members::Several(self.lists(table, "members")?),
            ResultTable::Documents | ResultTable::Removed | ResultTable::Review => {
                Members::One(self.column(table, "id")?)
            }
        })
    }

    /// Returns the one value that a row has under a name: the earliest time of its documents, the
    /// first cluster of a document. Rows are sorted by it.
    pub(crate) fn values(
        &self,
        table: ResultTable,
        name: &Name,
    ) -> Result<Values<'_>, BrowseError> {
        Ok(match name.subject {
            Subject::Column(column) => {
                let column = self.column(table, column)?;
                Box::new(|row| column.get(row))
            }
            Subject::Larger(one, other) => {
                let (one, other) = (self.column(table, one)?, self.column(table, other)?);
                Box::new(|row| one.get(row).max(other.get(row)))
            }
            Subject::Document(column) if table == ResultTable::Documents => {
                let column = self.column(table, column)?;
                Box::new(|row| column.get(row))
            }
            Subject::Document(column) => {
                let (members, values) = (self.members(table)?, self.values_by_id(column)?);
                Box::new(move |row| {
                    let mut least: Option<u64> = None;
                    members.each(row, |id| least = least.into_iter().chain(values.of(id)).min());
                    least
                })
            }
            Subject::Cluster if table == ResultTable::Documents => {
                let clusters = self.lists(table, "cluster")?;
                Box::new(move |row| clusters.of(row).next().map(|cluster| cluster as u64))
            }
            Subject::Cluster | Subject::Id | Subject::Across => Box::new(|_| None),
        })
    }
}

/// The first row of `documents` with each id.
#[derive(Clone, Copy)]
pub(crate) struct FirstRows<'b>(&'b [u32]);

impl FirstRows<'_> {
    /// Returns the row of an id, if it has one.
    pub(crate) fn of(self, id: usize) -> Option<usize> {
        self.0.get(id).filter(|row| **row != NO_ROW).map(|row| *row as usize)
    }
}

/// What a column of `documents` says of each id.
pub(crate) struct ValuesById(Vec<u64>);

impl ValuesById {
    /// Returns the value of an id, if it has one.
    pub(crate) fn of(&self, id: usize) -> Option<u64> {
        self.0.get(id).copied().filter(|value| *value != NO_VALUE)
    }

    /// Returns the number of ids.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The documents that a row names, by the codes of their ids.
#[derive(Clone, Copy)]
pub(crate) enum Members<'b> {
    One(&'b Column),
    Two(&'b Column, &'b Column),
    Several(Lists<'b>),
}

impl Members<'_> {
    /// Returns whether `fits` holds for one of the documents of a row.
    pub(crate) fn any(self, row: usize, mut fits: impl FnMut(usize) -> bool) -> bool {
        match self {
            Self::One(id) => fits(id.place(row)),
            Self::Two(a, b) => fits(a.place(row)) || fits(b.place(row)),
            Self::Several(lists) => lists.of(row).any(fits),
        }
    }

    /// Hands over the documents of a row.
    pub(crate) fn each(self, row: usize, mut each: impl FnMut(usize)) {
        self.any(row, |id| {
            each(id);
            false
        });
    }
}
