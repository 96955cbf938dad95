//! The files of a result folder: what tells it from others, and its lines by place.

use std::fs::File;
use std::io;
#[cfg(not(unix))]
use std::io::Read as _;
use std::path::{Path, PathBuf};

use retold_core::cluster::Joining;
use retold_report::{Manifest, PROGRAM, TableFormat};
use xxhash_rust::xxh3::Xxh3;

use crate::error::BrowseError;
use crate::table::ResultTable;

/// Bytes at the beginning and at the end of a file that go into the fingerprint.
const SEEN_BYTES: u64 = 64 << 10;

/// A result folder with its files open.
#[derive(Debug)]
pub(crate) struct ResultFiles {
    pub(crate) folder: PathBuf,
    /// Which relations join documents to clusters.
    pub(crate) joining: Joining,
    /// Names the result: the same for the same files, wherever they lie.
    pub(crate) fingerprint: String,
    /// In the order of `ResultTable::ALL`.
    files: Vec<Option<TableFile>>,
}

#[derive(Debug)]
struct TableFile {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl ResultFiles {
    /// Opens a folder that `find` or `dedup` wrote.
    pub(crate) fn open(folder: &Path) -> Result<Self, BrowseError> {
        let refuse = |reason: String| BrowseError::Folder { folder: folder.to_owned(), reason };
        let path = folder.join(Manifest::FILE_NAME);
        let mut hash = Xxh3::new();
        let manifest = std::fs::read(&path).map_err(BrowseError::io("read", &path))?;
        hash.update(&manifest);
        let manifest: Manifest = serde_json::from_slice(&manifest).map_err(|error| {
            let reason = error.to_string();
            BrowseError::Line { file: path.clone(), line: error.line() as u64, reason }
        })?;
        if manifest.program != PROGRAM {
            return Err(refuse("was not written by `retold find` or `retold dedup`".to_owned()));
        }
        let join = manifest.settings.get("join").cloned();
        let joining = join.and_then(|join| serde_json::from_value(join).ok()).unwrap_or_default();
        let mut files = Vec::new();
        for table in ResultTable::ALL {
            let path = folder.join(TableFormat::Jsonl.file_name(table.name()));
            let file = match File::open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let others = [TableFormat::Csv, TableFormat::Parquet];
                    let other = others
                        .map(|format| format.file_name(table.name()))
                        .into_iter()
                        .find(|name| folder.join(name).exists());
                    if other.is_none() && !table.is_always_there() {
                        files.push(None);
                        continue;
                    }
                    let has = other.map(|name| format!(", but `{name}`")).unwrap_or_default();
                    return Err(refuse(format!(
                        "has no `{table}.jsonl`{has}: only results with tables as JSON Lines can be \
                         browsed, which `--format jsonl` writes"
                    )));
                }
                Err(error) => return Err(BrowseError::io("open", &path)(error)),
            };
            let seen = seen(&file, &mut hash, table);
            let bytes = seen.map_err(BrowseError::io("read", &path))?;
            files.push(Some(TableFile { path, file, bytes }));
        }
        let fingerprint = format!("{:032x}", hash.digest128());
        Ok(Self { folder: folder.to_owned(), joining, fingerprint, files })
    }

    /// Returns the path, the file and the length of a table, if the result has it.
    pub(crate) fn table(&self, table: ResultTable) -> Option<(&Path, &File, u64)> {
        let file = self.files.get(table.place())?.as_ref()?;
        Some((&file.path, &file.file, file.bytes))
    }

    /// Reads a row of a table, which lies from byte `start` to its line feed before byte `end`.
    pub(crate) fn line(
        &self,
        table: ResultTable,
        row: usize,
        [start, end]: [u64; 2],
    ) -> Result<String, BrowseError> {
        let (path, file, bytes) = self.table(table).ok_or_else(|| self.no_table(table))?;
        let changed = || BrowseError::Line {
            file: path.to_owned(),
            line: row as u64 + 1,
            reason: "the file changed since its side file was built".to_owned(),
        };
        let len = end.checked_sub(start).filter(|_| end <= bytes).ok_or_else(changed)?;
        let mut line = vec![0; usize::try_from(len).map_err(|_| changed())?];
        read_exact_at(file, &mut line, start).map_err(BrowseError::io("read", path))?;
        if line.pop() != Some(b'\n') || line.first() != Some(&b'{') || line.last() != Some(&b'}') {
            return Err(changed());
        }
        String::from_utf8(line).map_err(|_| changed())
    }

    /// Returns what is said if the result does not have a table.
    pub(crate) fn no_table(&self, table: ResultTable) -> BrowseError {
        let reason = format!("has no table `{table}`: only `retold dedup` writes it");
        BrowseError::Folder { folder: self.folder.clone(), reason }
    }
}

/// Adds a table to the fingerprint; returns its bytes.
///
/// The whole file would have to be read for more. The manifest stands for the run; length, beginning
/// and end tell a file that was cut off or exchanged.
fn seen(file: &File, hash: &mut Xxh3, table: ResultTable) -> io::Result<u64> {
    let bytes = file.metadata()?.len();
    hash.update(table.name().as_bytes());
    hash.update(&bytes.to_le_bytes());
    let n = bytes.min(SEEN_BYTES);
    let mut part = vec![0; n as usize];
    for start in [0, bytes - n] {
        read_exact_at(file, &mut part, start)?;
        hash.update(&part);
    }
    Ok(bytes)
}

/// Fills the buffer with what stands at a place of a file.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

/// Fills the buffer with what stands at a place of a file. A file has one position that all users of
/// its handle share, so only one thread seeks and reads at a time.
#[cfg(not(unix))]
pub(crate) fn read_exact_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Seek as _, SeekFrom};
    use std::sync::{Mutex, PoisonError};
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(buffer)
}
