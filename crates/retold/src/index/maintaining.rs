//! Proving, mending and copying an index.

use std::path::Path;
use std::sync::Arc;

use retold_index::{CheckReport, Disk, Folder, RepairReport};

use crate::error::Error;

/// Returns whether a path is the folder of an index, whole or not.
///
/// ```
/// assert!(!retold::is_index("no such folder"));
/// ```
pub fn is_index(path: impl AsRef<Path>) -> bool {
    let has = |name: &str| path.as_ref().join(name).is_file();
    has("manifest") && has("lock")
}

/// Reads everything an index holds and says what is not as it should be. A writer may go on meanwhile.
///
/// ```
/// # use retold::*;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("archive.idx");
/// IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
/// assert!(check_index(&path)?.is_sound());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_index(path: impl AsRef<Path>) -> Result<CheckReport, Error> {
    let path = path.as_ref();
    retold_index::check(&open(path)?).map_err(Error::index(path))
}

/// Drops the damaged parts of an index and nothing else, and says what went.
///
/// ```
/// # use retold::*;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("archive.idx");
/// drop(IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?);
/// assert!(repair_index(&path)?.is_clean());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn repair_index(path: impl AsRef<Path>) -> Result<RepairReport, Error> {
    let path = path.as_ref();
    let disk: Arc<dyn Disk> = Arc::new(open(path)?);
    retold_index::repair(&disk).map_err(Error::index(path))
}

/// Copies an index as it is now to a folder that is not there yet, also while somebody writes to it.
///
/// ```
/// # use retold::*;
/// # let folder = tempfile::tempdir()?;
/// # let (path, copy) = (folder.path().join("archive.idx"), folder.path().join("copy.idx"));
/// let _writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
/// backup_index(&path, &copy)?;
/// assert_eq!(Index::open(&copy)?.n_documents(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn backup_index(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), Error> {
    let (from, to) = (from.as_ref(), to.as_ref());
    let source = open(from)?;
    let target = Folder::create(to).map_err(Error::io("create", to))?;
    retold_index::backup(&source, &target).map_err(Error::index(from)).map(|_| ())
}

/// Makes an index from a backup. The backup is proven first.
///
/// *Errors* if it is damaged; [`repair_index`] mends a copy of it.
pub fn restore_index(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), Error> {
    let (from, to) = (from.as_ref(), to.as_ref());
    let source = open(from)?;
    let target = Folder::create(to).map_err(Error::io("create", to))?;
    retold_index::restore(&source, &target).map_err(Error::index(from)).map(|_| ())
}

fn open(path: &Path) -> Result<Folder, Error> {
    Folder::open(path).map_err(Error::io("open", path))
}
