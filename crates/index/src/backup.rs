//! Copies of an index that stays in use.

use crate::check::check;
use crate::disk::{Disk, DiskFile};
use crate::error::{Doing as _, Error, Result};
use crate::format::{Kind, MANIFEST, NEW_MANIFEST};
use crate::log::LogReader;
use crate::manifest::{Manifest, step, sync_failed};
use crate::snapshot::load_stable;
use crate::writer::{files, refuse_parts, remove_orphans};

/// Bytes copied at a time.
const COPY_BYTES: usize = 1 << 20;

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Files.
    pub n_files: usize,
    /// Bytes of them.
    pub n_bytes: u64,
    /// Number of the commit that the copy is at.
    pub commit: u64,
}

/// Copies an index, as it is at its last commit, to a folder that holds none.
///
/// A writer may go on meanwhile. The copy is complete when this returns, and not an index before.
/// Blocks are copied as they are: [`check`](crate::check()) tells whether they are whole.
pub fn backup(disk: &dyn Disk, to: &dyn Disk) -> Result<Copied> {
    match Manifest::read(to) {
        Err(Error::NotAnIndex) => {}
        Ok(_) | Err(Error::Damaged { .. } | Error::Version { .. }) => return Err(Error::Exists),
        Err(error) => return Err(error),
    }
    // A backup that died has left the beginning of a manifest; what it copied goes.
    let names = to.list().doing(|| "list the folder".to_owned())?;
    if !names.iter().any(|name| name == NEW_MANIFEST) {
        refuse_parts(to)?;
    }
    // All files are open before the first is copied: what a writer removes can still be read.
    let (manifest, opened) = load_stable(disk, open_all)?;
    let mut copied = Copied { n_files: 1, n_bytes: 0, commit: opened.commit };
    remove_orphans(to, &std::collections::BTreeSet::new())?;
    to.create(NEW_MANIFEST).doing(|| "create the new manifest".to_owned())?;
    to.sync().map_err(|source| sync_failed("the folder", source))?;
    for (name, file, len) in &opened.files {
        step(to, "backup: before a file is copied")?;
        copy(name, file.as_ref(), *len, to)?;
        copied.n_files += 1;
        copied.n_bytes += len;
    }
    step(to, "backup: before the folder is synced")?;
    to.sync().map_err(|source| sync_failed("the folder", source))?;
    step(to, "backup: before the manifest is written")?;
    manifest.write(to, &mut false)?;
    Ok(copied)
}

/// Copies a backup back to a folder that holds no index, after it was checked.
pub fn restore(from: &dyn Disk, to: &dyn Disk) -> Result<Copied> {
    let report = check(from)?;
    if let Some(problem) = report.problems.into_iter().next() {
        let crate::Problem { file, offset, what } = problem;
        return Err(Error::Damaged { file, offset, what });
    }
    backup(from, to)
}

/// The files of an index, open.
struct Opened {
    /// With the bytes that are to be copied of each.
    files: Vec<(String, Box<dyn DiskFile>, u64)>,
    commit: u64,
}

fn open_all(disk: &dyn Disk, manifest: &Manifest) -> Result<Opened> {
    let log_name = Kind::Log.name(manifest.log);
    let mut opened = Opened { files: Vec::new(), commit: 0 };
    for name in files(manifest) {
        if name == MANIFEST || name == log_name {
            continue;
        }
        let file = disk.open(&name).doing(|| format!("open `{name}`"))?;
        let len = file.len().doing(|| format!("read `{name}`"))?;
        opened.files.push((name, file, len));
    }
    let log = LogReader::open(disk, manifest.index, manifest.log)?;
    let (end, log) = log.groups(|_, commit, _| {
        opened.commit = commit;
        Ok(())
    })?;
    if let Some(damage) = end.damage {
        return Err(damage);
    }
    opened.files.push((log_name, log.into_file(), end.committed));
    Ok(opened)
}

fn copy(name: &str, file: &dyn DiskFile, len: u64, to: &dyn Disk) -> Result<()> {
    let out = to.create(name).doing(|| format!("create `{name}`"))?;
    let mut buffer = vec![0; COPY_BYTES];
    let mut at = 0;
    while at < len {
        let n = (len - at).min(COPY_BYTES as u64) as usize;
        file.read_at(at, &mut buffer[..n]).doing(|| format!("read `{name}`"))?;
        out.append(&buffer[..n]).doing(|| format!("write `{name}`"))?;
        at += n as u64;
    }
    out.sync().map_err(|source| sync_failed(&format!("`{name}`"), source))
}
