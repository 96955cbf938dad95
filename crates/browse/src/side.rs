//! The side file: what is kept of a result so that pages need not read its tables.
//!
//! One file holds everything, so that it is there whole or not at all:
//!
//! ```text
//! magic            16 bytes: "retold-browse" and the version of the format
//! sections         columns and texts, one after the other
//! directory        JSON: fingerprint of the result, rows of each table, sections with their hashes
//! end              length of the directory and its hash, 8 bytes each, little-endian
//! ```
//!
//! Opening checks the magic, the directory and the length of the file. A section is read when it is
//! first asked for, and its hash is checked then.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use retold_report::{OutputError, OutputFile};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::column::{Column, ColumnBuilder, Lists};
use crate::error::BrowseError;
use crate::result::read_exact_at;
use crate::strings::{Strings, StringsBuilder};
use crate::table::ResultTable;

/// Name of the side file in its folder.
pub(crate) const FILE_NAME: &str = "browse.side";

/// First bytes of the file; the last of them is the version of the format.
const MAGIC: &[u8; 16] = b"retold-browse\0\0\x01";

/// Bytes of the end: length and hash of the directory.
const END_BYTES: u64 = 16;

#[derive(Debug, Serialize, Deserialize)]
struct Directory {
    /// Fingerprint of the result, in hexadecimal.
    fingerprint: String,
    /// Rows of each table, in the order of `ResultTable::ALL`; none for one that is not there.
    n_rows: Vec<Option<u64>>,
    sections: Vec<Section>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Section {
    name: String,
    start: u64,
    len: u64,
    /// Bytes of a value; 0 for text.
    width: u8,
    is_optional: bool,
    hash: u64,
}

#[derive(Debug)]
enum Loaded {
    Column(Column),
    Bytes(Vec<u8>),
}

/// A side file that is open.
#[derive(Debug)]
pub(crate) struct SideFile {
    path: PathBuf,
    file: File,
    directory: Directory,
    loaded: Vec<OnceLock<Loaded>>,
}

impl SideFile {
    /// Opens the side file in `folder` and checks that it belongs to the result.
    pub(crate) fn open(folder: &Path, fingerprint: &str) -> Result<Self, BrowseError> {
        let path = folder.join(FILE_NAME);
        let broken = |reason: &str| BrowseError::SideFile {
            path: path.clone(),
            reason: format!("{reason}; it has to be built again"),
        };
        let file = File::open(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => BrowseError::SideFile {
                path: path.clone(),
                reason: "is not there; it has to be built".to_owned(),
            },
            _ => BrowseError::io("open", &path)(error),
        })?;
        let file_bytes = file.metadata().map_err(BrowseError::io("read", &path))?.len();
        let read = |start: u64, len: u64| {
            let mut bytes = vec![0; usize::try_from(len).unwrap_or(usize::MAX)];
            read_exact_at(&file, &mut bytes, start).map_err(BrowseError::io("read", &path))?;
            Ok::<_, BrowseError>(bytes)
        };
        let head_bytes = MAGIC.len() as u64;
        let Some(end) = file_bytes.checked_sub(END_BYTES).filter(|end| *end >= head_bytes) else {
            return Err(broken("is cut off"));
        };
        if read(0, head_bytes)? != MAGIC {
            return Err(broken("is no side file of this version"));
        }
        let tail = read(end, END_BYTES)?;
        let number = |at: usize| {
            tail[at..at + 8].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let Some(start) = end.checked_sub(number(0)).filter(|start| *start >= head_bytes) else {
            return Err(broken("has no directory"));
        };
        let directory = read(start, number(0))?;
        if xxh3_64(&directory) != number(8) {
            return Err(broken("has a damaged directory"));
        }
        let directory: Directory =
            serde_json::from_slice(&directory).map_err(|_| broken("has an unknown directory"))?;
        if directory.fingerprint != fingerprint {
            return Err(broken("belongs to another result"));
        }
        let is_inside = |section: &Section| {
            section.start.checked_add(section.len).is_some_and(|end| end <= start)
        };
        if !directory.sections.iter().all(is_inside) {
            return Err(broken("names sections that are not there"));
        }
        // What is made for every row is bounded by the file: a table has its lines there.
        let has_lines = |(place, n_rows): (usize, &Option<u64>)| {
            let Some(n_rows) = n_rows else { return true };
            let name = ResultTable::ALL.get(place).map(|table| format!("{table}.lines"));
            let lines =
                directory.sections.iter().find(|section| Some(&section.name) == name.as_ref());
            let len = lines.and_then(|lines| lines.len.checked_div(u64::from(lines.width)));
            len.is_some_and(|len| len.checked_sub(1) == Some(*n_rows))
        };
        if !directory.n_rows.iter().enumerate().all(has_lines) {
            return Err(broken("has not the lines of all tables"));
        }
        let loaded = directory.sections.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { path, file, directory, loaded })
    }

    /// Returns the number of rows of a table by its place; `None` if the result does not have it.
    pub(crate) fn n_rows(&self, place: usize) -> Option<usize> {
        let n_rows = self.directory.n_rows.get(place).copied().flatten()?;
        usize::try_from(n_rows).ok()
    }

    /// Returns a column, which has `len` values.
    pub(crate) fn column(&self, name: &str, len: usize) -> Result<&Column, BrowseError> {
        match self.load(name)? {
            Loaded::Column(column) if column.len() == len => Ok(column),
            _ => Err(self.broken(name)),
        }
    }

    /// Returns lists of numbers, one for each of `len` rows.
    pub(crate) fn lists(&self, name: &str, len: usize) -> Result<Lists<'_>, BrowseError> {
        let starts = self.column(&format!("{name}.starts"), len.saturating_add(1))?;
        let values = self.any_column(&format!("{name}.values"))?;
        Ok(Lists { starts, values })
    }

    /// Returns texts with codes.
    pub(crate) fn strings(&self, name: &str) -> Result<Strings<'_>, BrowseError> {
        let section = format!("{name}.bytes");
        let Loaded::Bytes(bytes) = self.load(&section)? else { return Err(self.broken(&section)) };
        let ends = self.any_column(&format!("{name}.ends"))?;
        let slots = self.any_column(&format!("{name}.slots"))?;
        Ok(Strings { bytes, ends, slots })
    }

    fn any_column(&self, name: &str) -> Result<&Column, BrowseError> {
        match self.load(name)? {
            Loaded::Column(column) => Ok(column),
            Loaded::Bytes(_) => Err(self.broken(name)),
        }
    }

    fn load(&self, name: &str) -> Result<&Loaded, BrowseError> {
        let sections = self.directory.sections.iter().zip(&self.loaded);
        let Some((section, cell)) = sections.into_iter().find(|(section, _)| section.name == name)
        else {
            return Err(self.broken(name));
        };
        if let Some(loaded) = cell.get() {
            return Ok(loaded);
        }
        let mut bytes = vec![0; usize::try_from(section.len).map_err(|_| self.broken(name))?];
        read_exact_at(&self.file, &mut bytes, section.start)
            .map_err(BrowseError::io("read", &self.path))?;
        if xxh3_64(&bytes) != section.hash {
            return Err(self.broken(name));
        }
        let loaded = if section.width == 0 {
            Loaded::Bytes(bytes)
        } else {
            let column = Column::from_bytes(bytes, section.width, section.is_optional);
            Loaded::Column(column.ok_or_else(|| self.broken(name))?)
        };
        // Two threads may load the same section at once; both read the same bytes.
        Ok(cell.get_or_init(|| loaded))
    }

    fn broken(&self, section: &str) -> BrowseError {
        let reason = format!("section `{section}` is damaged; it has to be built again");
        BrowseError::SideFile { path: self.path.clone(), reason }
    }
}

/// A side file being written.
pub(crate) struct SideWriter {
    path: PathBuf,
    out: BufWriter<OutputFile>,
    at: u64,
    sections: Vec<Section>,
}

impl SideWriter {
    /// Starts the side file in `folder`, which is made if it is not there.
    pub(crate) fn create(folder: &Path) -> Result<Self, BrowseError> {
        std::fs::create_dir_all(folder).map_err(BrowseError::io("make", folder))?;
        let path = folder.join(FILE_NAME);
        let file = OutputFile::create(&path, true).map_err(|error| of_output(&path, error))?;
        let mut writer = Self { path, out: BufWriter::new(file), at: 0, sections: Vec::new() };
        writer.put(MAGIC)?;
        Ok(writer)
    }

    /// Writes a column.
    pub(crate) fn column(&mut self, name: &str, column: ColumnBuilder) -> Result<(), BrowseError> {
        let is_optional = column.is_optional();
        let (bytes, width) = column.into_bytes();
        self.section(name.to_owned(), &bytes, width, is_optional)
    }

    /// Writes texts with codes.
    pub(crate) fn strings(&mut self, name: &str, texts: StringsBuilder) -> Result<(), BrowseError> {
        let (bytes, ends, slots) = texts.into_parts();
        self.section(format!("{name}.bytes"), &bytes, 0, false)?;
        self.column(&format!("{name}.ends"), ends)?;
        self.column(&format!("{name}.slots"), slots)
    }

    fn section(
        &mut self,
        name: String,
        bytes: &[u8],
        width: u8,
        is_optional: bool,
    ) -> Result<(), BrowseError> {
        let (start, len) = (self.at, bytes.len() as u64);
        self.put(bytes)?;
        let hash = xxh3_64(bytes);
        self.sections.push(Section { name, start, len, width, is_optional, hash });
        Ok(())
    }

    /// Writes the directory, makes the file durable and gives it its name; returns its bytes.
    pub(crate) fn finish(
        mut self,
        fingerprint: String,
        n_rows: Vec<Option<u64>>,
    ) -> Result<u64, BrowseError> {
        let sections = std::mem::take(&mut self.sections);
        let directory = serde_json::to_vec(&Directory { fingerprint, n_rows, sections })
            .expect("a directory has nothing that JSON cannot hold");
        self.put(&directory)?;
        self.put(&(directory.len() as u64).to_le_bytes())?;
        self.put(&xxh3_64(&directory).to_le_bytes())?;
        let Self { path, out, at, .. } = self;
        let file = out
            .into_inner()
            .map_err(|error| BrowseError::io("write", &path)(error.into_error()))?;
        file.commit().map_err(|error| of_output(&path, error))?;
        Ok(at)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), BrowseError> {
        self.out.write_all(bytes).map_err(BrowseError::io("write", &self.path))?;
        self.at += bytes.len() as u64;
        Ok(())
    }
}

fn of_output(path: &Path, error: OutputError) -> BrowseError {
    BrowseError::Io { what: "write", path: path.to_owned(), source: std::io::Error::other(error) }
}
