//! The manifest: which files are the index.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::attachment::AttachmentEntry;
use crate::disk::Disk;
use crate::document::Settings;
use crate::error::{Doing as _, Error, Result};
use crate::format::{
    HEADER_BYTES, Kind, MANIFEST, NEW_MANIFEST, SUM_BYTES, Seed, header, read_header, u64_at,
};

/// No manifest is longer than this.
const MOST_BYTES: u64 = 256 << 20;

/// Which files are the index, and in which order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Id of the index; it stands in the header.
    #[serde(skip)]
    pub(crate) index: u128,
    /// How often the manifest was replaced; it is the number in the header.
    #[serde(skip)]
    pub(crate) generation: u64,
    pub(crate) settings: Settings,
    /// How often all documents were put anew.
    pub(crate) epoch: u64,
    pub(crate) parts: Vec<PartEntry>,
    /// Values in files of their own, by their names.
    #[serde(default)]
    pub(crate) attachments: BTreeMap<String, AttachmentEntry>,
    /// Number of the log.
    pub(crate) log: u64,
    /// No file has this number or a greater one.
    pub(crate) next_file: u64,
    /// Sequence number of the first document of the log.
    pub(crate) next_seq: u64,
    pub(crate) written: Written,
}

/// A part of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartEntry {
    pub(crate) number: u64,
    pub(crate) n_documents: u32,
    /// Number of the file that says which documents were removed, if any were.
    pub(crate) removed: Option<u64>,
    pub(crate) n_removed: u32,
}

/// Bytes written to files since the index was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// To logs that are complete.
    pub log: u64,
    /// To parts of documents that came from the log.
    pub flushed: u64,
    /// To parts that were merged from others.
    pub merged: u64,
}

impl Manifest {
    /// Reads the manifest of an index.
    pub(crate) fn read(disk: &dyn Disk) -> Result<Self> {
        let file = match disk.open(MANIFEST) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::NotAnIndex);
            }
            other => other.doing(|| "open the manifest".to_owned())?,
        };
        let len = file.len().doing(|| "read the manifest".to_owned())?;
        if len > MOST_BYTES {
            return Err(Error::damaged(MANIFEST, 0, "it is too long"));
        }
        let mut bytes = vec![0; len as usize];
        match file.read_at(0, &mut bytes) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Err(Error::damaged(MANIFEST, 0, "it ends too early"));
            }
            other => other.doing(|| "read the manifest".to_owned())?,
        }
        Self::from_bytes(&bytes)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (index, generation) = read_header(MANIFEST, Kind::Manifest, bytes)?;
        let damaged = |what: String| Error::damaged(MANIFEST, HEADER_BYTES, what);
        let body = &bytes[HEADER_BYTES as usize..];
        let Some((json, sum)) = body.split_last_chunk::<SUM_BYTES>() else {
            return Err(damaged("it ends too early".to_owned()));
        };
        if Seed::new(index, generation).sum(json, HEADER_BYTES) != u64_at(sum, 0) {
            return Err(damaged("the checksum is wrong".to_owned()));
        }
        let mut manifest: Self =
            serde_json::from_slice(json).map_err(|error| damaged(error.to_string()))?;
        (manifest.index, manifest.generation) = (index, generation);
        manifest.check().map_err(damaged)?;
        Ok(manifest)
    }

    /// Checks what every manifest fulfils.
    fn check(&self) -> std::result::Result<(), String> {
        self.settings.check().map_err(|error| error.to_string())?;
        let mut numbers = vec![self.log];
        numbers.extend(self.attachments.values().map(|entry| entry.number));
        let mut n_documents = 0u64;
        for part in &self.parts {
            numbers.push(part.number);
            numbers.extend(part.removed);
            n_documents += u64::from(part.n_documents);
            if part.n_removed > part.n_documents || part.removed.is_none() && part.n_removed > 0 {
                return Err("more documents were removed from a part than it has".to_owned());
            }
        }
        numbers.sort_unstable();
        if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("two files have the same number".to_owned());
        }
        if numbers.last().is_some_and(|last| *last >= self.next_file) {
            return Err("a file has a number that was not given out".to_owned());
        }
        if n_documents >= u64::from(u32::MAX) {
            return Err("there are more documents than can be numbered".to_owned());
        }
        Ok(())
    }

    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = header(Kind::Manifest, self.index, self.generation).to_vec();
        serde_json::to_writer(&mut out, self)
            .map_err(|error| Error::invalid(format!("settings as JSON: {error}")))?;
        let json = &out[HEADER_BYTES as usize..];
        let sum = Seed::new(self.index, self.generation).sum(json, HEADER_BYTES);
        out.extend_from_slice(&sum.to_le_bytes());
        Ok(out)
    }

    /// Puts it in the place of the manifest before. If an error comes back, `replaced` says
    /// whether the new one may be in place already.
    pub(crate) fn write(&self, disk: &dyn Disk, replaced: &mut bool) -> Result<()> {
        let bytes = self.to_bytes()?;
        // One that was left behind is written over, not removed: by it a backup that died is known.
        let file = match disk.open(NEW_MANIFEST) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                disk.create(NEW_MANIFEST).doing(|| "create the new manifest".to_owned())?
            }
            opened => opened.doing(|| "open the new manifest".to_owned())?,
        };
        step(disk, "manifest: before the new one is written")?;
        file.truncate(0).doing(|| "cut the new manifest".to_owned())?;
        file.append(&bytes).doing(|| "write the new manifest".to_owned())?;
        step(disk, "manifest: before the new one is synced")?;
        file.sync().map_err(|source| sync_failed("the new manifest", source))?;
        step(disk, "manifest: before the rename")?;
        *replaced = true;
        disk.rename(NEW_MANIFEST, MANIFEST).doing(|| "put the new manifest in place".to_owned())?;
        step(disk, "manifest: before the folder is synced")?;
        disk.sync().map_err(|source| sync_failed("the folder", source))?;
        step(disk, "manifest: in place")
    }
}

/// The error for a sync that failed: after it nothing is known, even if it was for want of space.
pub(crate) fn sync_failed(what: &str, source: std::io::Error) -> Error {
    Error::Io { what: format!("sync {what}"), source }
}

/// Says that a step is reached.
pub(crate) fn step(disk: &dyn Disk, name: &'static str) -> Result<()> {
    debug_assert!(crate::STEPS.contains(&name), "`{name}` is not among the steps");
    disk.step(name).doing(|| format!("go on with {name}"))
}
