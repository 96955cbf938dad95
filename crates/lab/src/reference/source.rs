//! Files and folders of lists: what stands in them, and how they are opened.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use super::error::{ListError, ListFileError};
use super::kind::ListKind;
use crate::error::Error;

/// Bytes from which the kind of a list is told.
const HEAD_BYTES: u64 = 64 << 10;

/// What stands in a folder or a file of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A folder of ours: pairs, and clusters and documents if they are there.
    Folder { pairs: PathBuf, clusters: Option<PathBuf>, documents: Option<PathBuf> },
    /// A folder of XML files, in order.
    Pan(Vec<PathBuf>),
    /// A single list.
    File(PathBuf, ListKind),
}

impl Source {
    /// Looks what is there.
    pub(crate) fn of(path: &Path, kind: Option<ListKind>) -> Result<Self, Error> {
        if !path.is_dir() {
            let kind = match kind {
                Some(kind) => kind,
                None => kind_of(path)?,
            };
            return Ok(Self::File(path.to_owned(), kind));
        }
        let file = |name: &str| Some(path.join(name)).filter(|path| path.is_file());
        if let Some(pairs) = file("pairs.jsonl").or_else(|| file("pairs.csv")) {
            let (clusters, documents) = (file("clusters.jsonl"), file("documents.jsonl"));
            return Ok(Self::Folder { pairs, clusters, documents });
        }
        match xml_files(path)? {
            files if files.is_empty() => Err(ListFileError::NoTables(path.to_owned()).into()),
            files => Ok(Self::Pan(files)),
        }
    }

    /// Returns what it holds, for a message.
    pub(crate) fn holds(&self) -> &'static str {
        match self {
            Self::Folder { .. } | Self::File(_, ListKind::Pairs) => "pairs",
            Self::File(_, ListKind::Clusters | ListKind::Members) => "clusters",
            Self::File(_, ListKind::Qrels) => "relevance judgements",
            Self::File(_, ListKind::Run) => "ranked answers",
            Self::Pan(_) | Self::File(_, ListKind::Pan | ListKind::Spans) => "passages",
        }
    }
}

/// Returns the XML files of a folder and of the folders in it, in order of their names.
pub(crate) fn xml_files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    let mut folders = vec![(path.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(Error::io("read", &folder))? {
            let path = entry.map_err(Error::io("read", &folder))?.path();
            if path.is_dir() && depth < 2 {
                folders.push((path, depth + 1));
            } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml")) {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Detects what a list holds from its first bytes; a folder is assumed to hold XML files of PAN.
pub(crate) fn kind_of(path: &Path) -> Result<ListKind, Error> {
    if path.is_dir() {
        return Ok(ListKind::Pan);
    }
    let mut head = Vec::new();
    open(path)?.take(HEAD_BYTES).read_to_end(&mut head).map_err(Error::io("read", path))?;
    // A character cut in two at the end is no fault of the list.
    if let Err(error) = std::str::from_utf8(&head)
        && error.error_len().is_none()
    {
        head.truncate(error.valid_up_to());
    }
    ListKind::detect(&head).ok_or_else(|| ListFileError::Unknown(path.to_owned()).into())
}

pub(crate) fn open(path: &Path) -> Result<BufReader<File>, Error> {
    let file = File::open(path).map_err(Error::io("open", path))?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

/// Counts the lines of a file, up to a few more than `most`.
pub(crate) fn n_lines(path: &Path, most: usize) -> Result<usize, Error> {
    let mut file = open(path)?;
    let mut n = 0;
    while n <= most {
        let bytes = file.fill_buf().map_err(Error::io("read", path))?;
        if bytes.is_empty() {
            break;
        }
        n += memchr::memchr_iter(b'\n', bytes).count();
        let n_read = bytes.len();
        file.consume(n_read);
    }
    Ok(n)
}

/// A reason to stop reading: an error, or more pairs than may be held in memory.
pub(crate) enum Halt {
    Fault(ListError),
    Other(Error),
    TooMany,
}

impl From<ListError> for Halt {
    fn from(error: ListError) -> Self {
        Self::Fault(error)
    }
}

impl Halt {
    /// Returns the error with the name of its file; `None` if there were only too many pairs.
    pub(crate) fn named(self, path: &Path) -> Option<Error> {
        match self {
            Self::Fault(source) => {
                Some(ListFileError::Line { path: path.to_owned(), source }.into())
            }
            Self::Other(error) => Some(error),
            Self::TooMany => None,
        }
    }
}

/// Returns the error of a reading that has no limit of pairs.
pub(crate) fn held(halt: Halt, path: &Path) -> Error {
    let internal = || Error::internal("a list was cut that has no limit");
    halt.named(path).unwrap_or_else(internal)
}
