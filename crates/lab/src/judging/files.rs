//! Files that only grow.
//!
//! An answer is on the disk before it is acknowledged, and a crash can tear only the line that was
//! being written. Whoever writes next ends a torn line first, so that it takes nothing with it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use retold::ConfigError;
use retold_report::OutputFile;

use super::judgement::{Judgement, Judgements, is_name, judgements_header};
use super::pool::Pool;
use crate::error::Error;

/// Ending of the names of files with judgements.
const ENDING: &str = ".judgements.jsonl";

/// Reads a pool.
pub fn read_pool(path: &Path) -> Result<Pool, Error> {
    let file = File::open(path).map_err(Error::io("open", path))?;
    Ok(Pool::read(&path.display().to_string(), BufReader::new(file))?)
}

/// Reads files of judgements, one after the other: of several answers of one person about a pair
/// the last counts.
pub fn read_judgements(paths: &[PathBuf]) -> Result<Judgements, Error> {
    let mut judgements = Judgements::default();
    for path in paths {
        let file = File::open(path).map_err(Error::io("open", path))?;
        judgements.read(&path.display().to_string(), BufReader::new(file))?;
    }
    Ok(judgements)
}

/// Returns the files of judgements that stand beside a pool, by name.
pub fn judgements_beside(pool: &Path) -> Result<Vec<PathBuf>, Error> {
    let folder = folder_of(pool);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::io("read", folder))? {
        let entry = entry.map_err(Error::io("read", folder))?;
        if entry.file_name().to_string_lossy().ends_with(ENDING) {
            found.push(match pool.parent() {
                Some(parent) => parent.join(entry.file_name()),
                None => entry.path(),
            });
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the file that a person's answers about a pool go to: beside the pool, by the name.
pub fn judgement_path(pool: &Path, name: &str) -> Result<PathBuf, ConfigError> {
    if !is_name(name) {
        let accepted = "letters, digits, `-`, `_` and `.`, at most 64 bytes";
        return Err(ConfigError::value("name", accepted, &format!("`{name}`")));
    }
    Ok(pool.with_file_name(format!("{name}{ENDING}")))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A file of judgements that is being written.
#[derive(Debug)]
pub struct JudgementFile {
    file: File,
    path: PathBuf,
}

impl JudgementFile {
    /// Opens a file to write on; makes it, with its header, if it is not there.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let open = || {
            let (mut file, is_new) = open_to_append(path)?;
            if is_new {
                file.write_all(judgements_header().as_bytes())?;
                file.sync_data()?;
                sync_folder(folder_of(path))?;
            }
            Ok(file)
        };
        let file = open().map_err(Error::io("write", path))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Writes a judgement; when it returns, the judgement is on the disk.
    pub fn append(&mut self, judgement: &Judgement) -> Result<(), Error> {
        let written =
            self.file.write_all(judgement.line().as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(Error::io("write", &self.path))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens a file to append to and ends a torn last line; returns whether the file is empty.
fn open_to_append(path: &Path) -> io::Result<(File, bool)> {
    // Looked at before it is opened: opening a FIFO would wait for its other end.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let length = file.metadata()?.len();
    if length > 0 {
        let mut last = [0];
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok((file, length == 0))
}

/// Writes the name of a new file to the disk; on systems where a folder cannot be synchronised
/// nothing is done.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Refuses to write a pool over something.
pub(super) fn refuse_existing(path: &Path) -> Result<(), ConfigError> {
    if fs::symlink_metadata(path).is_ok() {
        let given = format!("`{}`", path.display());
        return Err(ConfigError::value("output", "a file that is not there yet", &given));
    }
    Ok(())
}

/// Writes a file that appears only when it is whole, and never over another.
pub(super) fn write_new(path: &Path, text: &str) -> Result<(), Error> {
    Ok(OutputFile::write(path, false, text.as_bytes())?)
}

/// Appends to a file.
pub(super) fn append(path: &Path, text: &str) -> Result<(), Error> {
    let write = || {
        let (mut file, _) = open_to_append(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_data()
    };
    write().map_err(Error::io("write", path))
}
