//! What all files have in common: names, headers and checksums.

use std::borrow::Cow;

use retold_core::hash;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::disk::{Disk, DiskFile};
use crate::error::{Doing as _, Error, Result};

/// The format this version reads and writes.
pub const VERSION: u16 = 1;
/// The first bytes of every file.
const MAGIC: [u8; 8] = *b"RETOLD\0\x01";
/// Bytes of a header.
pub(crate) const HEADER_BYTES: u64 = 48;
/// Bytes of a checksum.
pub(crate) const SUM_BYTES: usize = 8;
/// Name of the file that says which files are the index.
pub(crate) const MANIFEST: &str = "manifest";
/// Name of a manifest that is being written.
pub(crate) const NEW_MANIFEST: &str = "manifest.new";
/// Part numbers from here on are of parts in memory.
pub(crate) const IN_MEMORY: u64 = 1 << 63;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Manifest = 1,
    Log = 2,
    Part = 3,
    Removed = 4,
    Attachment = 5,
}

impl Kind {
    const NUMBERED: [Self; 4] = [Self::Log, Self::Part, Self::Removed, Self::Attachment];

    fn prefix(self) -> &'static str {
        match self {
            Self::Manifest => "manifest-",
            Self::Log => "log-",
            Self::Part => "part-",
            Self::Removed => "removed-",
            Self::Attachment => "attachment-",
        }
    }

    /// Returns the name of the file with a number.
    pub(crate) fn name(self, number: u64) -> String {
        if self == Self::Manifest {
            return MANIFEST.to_owned();
        }
        format!("{}{number:08}", self.prefix())
    }

    /// Returns kind and number of a file of ours; `None` for other names.
    pub(crate) fn of_name(name: &str) -> Option<(Self, u64)> {
        Self::NUMBERED.into_iter().find_map(|kind| {
            let number = name.strip_prefix(kind.prefix())?.parse().ok()?;
            (kind.name(number) == name).then_some((kind, number))
        })
    }
}

/// From what the checksums of one file are made, so that no block passes for one of another
/// index, of another file or of another place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed(u64);

impl Seed {
    pub(crate) fn new(index: u128, number: u64) -> Self {
        let mut bytes = [0; 24];
        bytes[..16].copy_from_slice(&index.to_le_bytes());
        bytes[16..].copy_from_slice(&number.to_le_bytes());
        Self(xxh3_64(&bytes))
    }

    /// Returns the checksum of the bytes that start at `offset`.
    #[inline]
    pub(crate) fn sum(self, bytes: &[u8], offset: u64) -> u64 {
        xxh3_64_with_seed(bytes, self.0 ^ hash::mix(offset))
    }
}

/// Returns the header of a file.
pub(crate) fn header(kind: Kind, index: u128, number: u64) -> [u8; HEADER_BYTES as usize] {
    let mut out = [0; HEADER_BYTES as usize];
    out[..8].copy_from_slice(&MAGIC);
    out[8] = kind as u8;
    out[10..12].copy_from_slice(&VERSION.to_le_bytes());
    out[16..32].copy_from_slice(&index.to_le_bytes());
    out[32..40].copy_from_slice(&number.to_le_bytes());
    let sum = xxh3_64(&out[..40]);
    out[40..].copy_from_slice(&sum.to_le_bytes());
    out
}

/// Checks the header of a file and returns the id of its index and its number.
pub(crate) fn read_header(name: &str, kind: Kind, bytes: &[u8]) -> Result<(u128, u64)> {
    let damaged = |what: &str| Err(Error::damaged(name, 0, what));
    let Some(bytes) = bytes.get(..HEADER_BYTES as usize) else {
        return damaged("it ends within its header");
    };
    if bytes[..8] != MAGIC {
        return damaged("it is no file of an index");
    }
    if xxh3_64(&bytes[..40]) != u64_at(bytes, 40) {
        return damaged("the checksum of its header is wrong");
    }
    let version = u16::from_le_bytes([bytes[10], bytes[11]]);
    if version != VERSION {
        return Err(Error::Version { found: version });
    }
    if bytes[8] != kind as u8 || bytes[9] != 0 || bytes[12..16] != [0; 4] {
        return damaged("it is another kind of file than its name says");
    }
    Ok((u128_at(bytes, 16), u64_at(bytes, 32)))
}

/// Reads a number of four bytes; the caller knows that they are there.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// Reads a number of eight bytes; the caller knows that they are there.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Reads a number of sixteen bytes; the caller knows that they are there.
#[inline]
pub(crate) fn u128_at(bytes: &[u8], at: usize) -> u128 {
    u128::from_le_bytes(bytes[at..at + 16].try_into().expect("sixteen bytes"))
}

/// Where the bytes of a file are.
#[derive(Debug)]
pub(crate) enum Bytes {
    File(Box<dyn DiskFile>),
    Memory(Vec<u8>),
}

/// A file that is not changed any more, read block by block.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) name: String,
    bytes: Bytes,
    pub(crate) len: u64,
    seed: Seed,
}

impl Stored {
    /// Opens a file and checks its header.
    pub(crate) fn open(disk: &dyn Disk, kind: Kind, index: u128, number: u64) -> Result<Self> {
        let name = kind.name(number);
        let file = disk.open(&name).doing(|| format!("open `{name}`"))?;
        let len = file.len().doing(|| format!("read the length of `{name}`"))?;
        let stored = Self { name, bytes: Bytes::File(file), len, seed: Seed::new(index, number) };
        let header = stored.read(0, HEADER_BYTES.min(len) as usize)?;
        if read_header(&stored.name, kind, &header)? != (index, number) {
            return Err(stored.damaged(0, "it belongs to another index or has another number"));
        }
        drop(header);
        Ok(stored)
    }

    /// Takes the bytes of a file that was made in memory.
    pub(crate) fn in_memory(name: String, bytes: Vec<u8>) -> Self {
        let len = bytes.len() as u64;
        Self { name, bytes: Bytes::Memory(bytes), len, seed: Seed(0) }
    }

    /// Returns whether it lies in memory.
    pub(crate) fn is_in_memory(&self) -> bool {
        matches!(self.bytes, Bytes::Memory(_))
    }

    pub(crate) fn damaged(&self, offset: u64, what: impl Into<String>) -> Error {
        Error::damaged(&self.name, offset, what)
    }

    /// Returns some bytes as they are, unchecked.
    pub(crate) fn read(&self, offset: u64, len: usize) -> Result<Cow<'_, [u8]>> {
        if offset.checked_add(len as u64).is_none_or(|end| end > self.len) {
            return Err(self.damaged(offset, "it ends too early"));
        }
        match &self.bytes {
            Bytes::Memory(bytes) => {
                Ok(Cow::Borrowed(&bytes[offset as usize..offset as usize + len]))
            }
            Bytes::File(file) => {
                let mut out = vec![0; len];
                self.read_file(file.as_ref(), offset, &mut out)?;
                Ok(Cow::Owned(out))
            }
        }
    }

    fn read_file(&self, file: &dyn DiskFile, offset: u64, out: &mut [u8]) -> Result<()> {
        match file.read_at(offset, out) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(self.damaged(offset, "it ends too early"))
            }
            other => other.doing(|| format!("read `{}`", self.name)),
        }
    }

    /// Fills `out` with a block of its length, the checksum included, and checks it.
    #[inline]
    pub(crate) fn fill_block(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        match &self.bytes {
            Bytes::Memory(_) => out.copy_from_slice(&self.read(offset, out.len())?),
            Bytes::File(file) => {
                self.read_file(file.as_ref(), offset, out)?;
                self.verify(offset, out)?;
            }
        }
        Ok(())
    }

    /// Returns some bytes of a file in memory where they are; `None` if they have to be read.
    pub(crate) fn in_place<const N: usize>(&self, offset: u64) -> Option<&[u8; N]> {
        match &self.bytes {
            Bytes::Memory(bytes) => bytes.get(offset as usize..)?.first_chunk(),
            Bytes::File(_) => None,
        }
    }

    /// Returns the content of a block whose length with the checksum is `len`, checked.
    pub(crate) fn block(&self, offset: u64, len: usize) -> Result<Cow<'_, [u8]>> {
        let mut bytes = self.read(offset, len)?;
        if !self.is_in_memory() {
            self.verify(offset, &bytes)?;
        }
        let n = len.saturating_sub(SUM_BYTES);
        match &mut bytes {
            Cow::Borrowed(bytes) => *bytes = &bytes[..n],
            Cow::Owned(bytes) => bytes.truncate(n),
        }
        Ok(bytes)
    }

    /// Checks the checksum at the end of a block.
    pub(crate) fn verify(&self, offset: u64, block: &[u8]) -> Result<()> {
        let Some((content, sum)) = block.split_last_chunk::<SUM_BYTES>() else {
            return Err(self.damaged(offset, "a block is too short"));
        };
        if self.seed.sum(content, offset) == u64::from_le_bytes(*sum) {
            Ok(())
        } else {
            Err(self.damaged(offset, "the checksum is wrong"))
        }
    }
}

/// Bytes gathered before they are appended to a file.
const BUFFER_BYTES: usize = 1 << 20;

/// A file that is being written, on the disk or in memory.
#[derive(Debug)]
pub(crate) struct Sink {
    name: String,
    file: Option<Box<dyn DiskFile>>,
    buffer: Vec<u8>,
    /// Bytes that went to the file.
    n_filed: u64,
    seed: Seed,
}

impl Sink {
    /// Makes a new file with its header.
    pub(crate) fn create(disk: &dyn Disk, kind: Kind, index: u128, number: u64) -> Result<Self> {
        let name = kind.name(number);
        let file = disk.create(&name).doing(|| format!("create `{name}`"))?;
        let mut sink = Self {
            name,
            file: Some(file),
            buffer: Vec::new(),
            n_filed: 0,
            seed: Seed::new(index, number),
        };
        sink.put(&header(kind, index, number))?;
        Ok(sink)
    }

    /// Starts a file in memory.
    pub(crate) fn in_memory() -> Self {
        let buffer = vec![0; HEADER_BYTES as usize];
        Self { name: "memory".to_owned(), file: None, buffer, n_filed: 0, seed: Seed(0) }
    }

    /// Returns whether the file lies in memory, where compressing does not pay.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.file.is_none()
    }

    /// Returns where the next byte goes.
    pub(crate) fn at(&self) -> u64 {
        self.n_filed + self.buffer.len() as u64
    }

    /// Writes bytes without a checksum.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_BYTES {
            self.spill()?;
        }
        Ok(())
    }

    /// Writes a block and its checksum; returns where it starts.
    pub(crate) fn put_block(&mut self, content: &[u8]) -> Result<u64> {
        let at = self.at();
        self.buffer.extend_from_slice(content);
        let sum = if self.is_in_memory() { 0 } else { self.seed.sum(content, at) };
        self.put(&sum.to_le_bytes())?;
        Ok(at)
    }

    fn spill(&mut self) -> Result<()> {
        if let Some(file) = &self.file {
            file.append(&self.buffer).doing(|| format!("write `{}`", self.name))?;
            self.n_filed += self.buffer.len() as u64;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Writes all of it to the disk and returns the length of the file.
    pub(crate) fn sync(&mut self) -> Result<u64> {
        self.spill()?;
        if let Some(file) = &self.file {
            // A sync that fails for want of space has lost data all the same.
            let failed = |source| Error::Io { what: format!("sync `{}`", self.name), source };
            file.sync().map_err(failed)?;
        }
        Ok(self.at())
    }

    /// Returns the bytes of a file in memory.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_kind_and_number() {
        for (kind, number) in [(Kind::Part, 12), (Kind::Log, 0), (Kind::Removed, 123_456_789_012)] {
            assert_eq!(Kind::of_name(&kind.name(number)), Some((kind, number)));
        }
        for other in ["part-12", "part-000000012", "part-+0000012", "manifest", "lock", "part-"] {
            assert_eq!(Kind::of_name(other), None, "{other}");
        }
    }

    #[test]
    fn a_header_with_any_bit_changed_is_refused() {
        let whole = header(Kind::Part, 77, 5);
        assert_eq!(read_header("part", Kind::Part, &whole).expect("it is whole"), (77, 5));
        for bit in 0..whole.len() * 8 {
            let mut bytes = whole;
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(read_header("part", Kind::Part, &bytes).is_err(), "bit {bit}");
        }
    }
}
