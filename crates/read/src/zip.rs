//! Zip archives, read by their central directory.
//!
//! Reads zip itself, without a library: the directory is read entry by entry and never held as a
//! whole, a member is read piece by piece between calls, and a member is refused if its two headers
//! disagree or its bytes overlap those of another. Documents that are zip archives themselves are read
//! by the names of their [`Parts`].

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read};

use crate::access::{Access, Section};
use crate::archive::{Entries, Member, Members, is_hidden, label};
use crate::bad::{Fault, quoted};
use crate::compress::{Budget, Counted, Inflated, Ratio};
use crate::options::Limits;
use crate::stream::Stream;
use crate::text::too_large;

const END: &[u8; 4] = b"PK\x05\x06";
const END_64: &[u8; 4] = b"PK\x06\x06";
const LOCATOR_64: &[u8; 4] = b"PK\x06\x07";
const CENTRAL: &[u8; 4] = b"PK\x01\x02";
const LOCAL: &[u8; 4] = b"PK\x03\x04";

/// Returns whether a stream begins as zip archives do.
pub(crate) fn shows(head: &[u8]) -> bool {
    head.starts_with(LOCAL) || head.starts_with(END)
}

/// Opens an archive.
pub(crate) fn open(access: Access, limits: &Limits) -> Result<Box<dyn Members>, String> {
    Ok(Box::new(Zip::new(access, limits)?))
}

/// The members of a document that is a zip archive, such as an office file, by their names.
pub(crate) struct Parts {
    zip: Zip,
    entries: BTreeMap<String, Entry>,
    /// Bytes that may still be unpacked.
    left: u64,
}

impl Parts {
    /// Most parts of a document.
    const MOST: u64 = 65_536;

    /// Reads the directory. Together the parts that are read may have four times the bytes of a
    /// document, since markup takes more room than text.
    pub(crate) fn open(access: Access, limits: &Limits) -> Result<Self, String> {
        let limits = Limits { entries: limits.entries.min(Self::MOST), ..*limits };
        let mut zip = Zip::new(access, &limits)?;
        let mut entries = BTreeMap::new();
        while zip.at < zip.directory.end {
            zip.entries.add().map_err(|fault| fault.reason)?;
            let entry = zip.entry().map_err(|error| format!("is a broken zip archive: {error}"))?;
            let name = label(&entry.name, limits.path_bytes)?;
            entries.insert(name.replace('\\', "/"), entry);
        }
        Ok(Self { zip, entries, left: limits.document_bytes.saturating_mul(4) })
    }

    /// Takes a part out; `None` if there is none of that name, or it was taken before.
    pub(crate) fn take(&mut self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let Some(entry) = self.entries.remove(name) else { return Ok(None) };
        let unreadable = |reason| format!("its part {} cannot be read: {reason}", quoted(name));
        let mut stream = self.zip.content(&entry).map_err(unreadable)?;
        let limit = self.zip.limits.document_bytes.min(self.left);
        match stream.rest(limit) {
            Ok(Some(bytes)) => {
                self.left -= bytes.len() as u64;
                Ok(Some(bytes))
            }
            Ok(None) => Err(unreadable(too_large(limit))),
            Err(error) => Err(unreadable(error.to_string())),
        }
    }
}

impl Zip {
    fn new(access: Access, limits: &Limits) -> Result<Self, String> {
        let directory =
            directory(&access).map_err(|error| format!("is a broken zip archive: {error}"))?;
        Ok(Self {
            entries: Entries::new(limits.entries),
            budget: Budget::new(limits.archive_bytes),
            limits: *limits,
            taken: BTreeMap::new(),
            reader: BufReader::with_capacity(
                64 << 10,
                access.section(directory.start, directory.end),
            ),
            at: directory.start,
            directory,
            access,
        })
    }
}

/// Where the central directory stands.
#[derive(Clone, Copy, Debug)]
struct Directory {
    start: u64,
    end: u64,
    /// Bytes in front of the archive, as in self-extracting ones; offsets count from after them.
    shift: u64,
}

struct Zip {
    access: Access,
    reader: BufReader<Section>,
    at: u64,
    directory: Directory,
    entries: Entries,
    budget: Budget,
    limits: Limits,
    /// Start and end of the bytes of each member so far.
    taken: BTreeMap<u64, u64>,
}

fn u16_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u32_at(bytes, at) | u32_at(bytes, at + 4) << 32
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Finds the central directory from the end of the archive.
fn directory(access: &Access) -> io::Result<Directory> {
    let bytes = access.bytes();
    // The end record is followed by a comment of at most 65,535 bytes.
    let n = bytes.min(22 + 65_535);
    let mut tail = vec![0; n as usize];
    access.read_exact_at(&mut tail, bytes - n)?;
    let found = memchr::memmem::rfind(&tail, END).filter(|at| at + 22 <= tail.len());
    let at = found.ok_or_else(|| broken("it has no end record; it may be cut short"))?;
    let end = &tail[at..];
    let end_at = bytes - n + at as u64;
    let (mut size, mut offset) = (u32_at(end, 12), u32_at(end, 16));
    let mut directory_end = end_at;
    if let Some(locator) = at.checked_sub(20).map(|at| &tail[at..at + 20])
        && locator.starts_with(LOCATOR_64)
    {
        let mut record = [0; 56];
        access.read_exact_at(&mut record, u64_at(locator, 8))?;
        if !record.starts_with(END_64) {
            return Err(broken("its 64-bit end record is not where it should be"));
        }
        (size, offset) = (u64_at(&record, 40), u64_at(&record, 48));
        directory_end = u64_at(locator, 8);
    }
    let start =
        directory_end.checked_sub(size).ok_or_else(|| broken("its directory does not fit"))?;
    let shift = start.checked_sub(offset).ok_or_else(|| broken("its directory does not fit"))?;
    Ok(Directory { start, end: directory_end, shift })
}

/// What the central directory says about a member.
struct Entry {
    flags: u64,
    method: u64,
    crc: u32,
    compressed: u64,
    size: u64,
    offset: u64,
    mode: u64,
    name: Vec<u8>,
}

impl Members for Zip {
    fn next(&mut self) -> Result<Option<Member>, Fault> {
        loop {
            if self.at >= self.directory.end {
                return Ok(None);
            }
            self.entries.add()?;
            let entry = self.entry().map_err(|error| Fault::unreadable(self.at, &error))?;
            let at = Some(self.at);
            let name = label(&entry.name, self.limits.path_bytes)
                .map_err(|reason| Fault::rest(at, reason))?;
            if name.ends_with(['/', '\\']) || is_hidden(&name) {
                continue;
            }
            let content = self.content(&entry);
            return Ok(Some(Member { name, content }));
        }
    }
}

impl Zip {
    /// Reads the next entry of the central directory.
    fn entry(&mut self) -> io::Result<Entry> {
        let mut fixed = [0; 46];
        self.reader.read_exact(&mut fixed)?;
        if !fixed.starts_with(CENTRAL) {
            return Err(broken("an entry of the zip directory is broken"));
        }
        let (n_name, n_extra, n_comment) =
            (u16_at(&fixed, 28) as usize, u16_at(&fixed, 30) as usize, u16_at(&fixed, 32) as usize);
        let mut rest = vec![0; n_name + n_extra + n_comment];
        self.reader.read_exact(&mut rest)?;
        self.at += (fixed.len() + rest.len()) as u64;
        let mut entry = Entry {
            flags: u16_at(&fixed, 8),
            method: u16_at(&fixed, 10),
            crc: u32_at(&fixed, 16) as u32,
            compressed: u32_at(&fixed, 20),
            size: u32_at(&fixed, 24),
            offset: u32_at(&fixed, 42),
            mode: u32_at(&fixed, 38) >> 16,
            name: rest[..n_name].to_vec(),
        };
        entry.widen(&rest[n_name..n_name + n_extra]);
        Ok(entry)
    }

    /// Opens a member, or says why not.
    fn content(&mut self, entry: &Entry) -> Result<Stream, String> {
        const FILE_KIND: u64 = 0o170_000;
        if entry.flags & 1 != 0 {
            return Err("is encrypted".to_owned());
        }
        match entry.mode & FILE_KIND {
            0 | 0o100_000 => {}
            0o120_000 => return Err("is a symbolic link, only regular members are read".to_owned()),
            _ => return Err("is a special file, only regular members are read".to_owned()),
        }
        let section = self.section(entry)?;
        let (counted, taken) = Counted::new(section);
        let decoder: Box<dyn Read + Send> = match entry.method {
            0 => Box::new(counted),
            8 => Box::new(flate2::read::DeflateDecoder::new(BufReader::with_capacity(
                32 << 10,
                counted,
            ))),
            93 => {
                let decoder =
                    zstd::stream::read::Decoder::new(counted).map_err(|error| error.to_string())?;
                Box::new(decoder)
            }
            method => {
                return Err(format!(
                    "is compressed by method {method}; read are stored, deflate and zstd"
                ));
            }
        };
        let inflated = Inflated::new(decoder, taken, Ratio::new(self.limits.ratio));
        let checked = Checked {
            inner: inflated,
            hasher: crc32fast::Hasher::new(),
            crc: entry.crc,
            left: entry.size,
        };
        Ok(Stream::new(self.budget.bound(checked)))
    }

    /// Returns the bytes of a member after checking that they are its own.
    fn section(&mut self, entry: &Entry) -> Result<Section, String> {
        let at =
            entry.offset.checked_add(self.directory.shift).ok_or("lies outside the archive")?;
        let mut fixed = [0; 30];
        let cannot = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => "lies outside the archive".to_owned(),
            _ => format!("cannot be read: {error}"),
        };
        self.access.read_exact_at(&mut fixed, at).map_err(cannot)?;
        let mut name = vec![0; u16_at(&fixed, 26) as usize];
        self.access.read_exact_at(&mut name, at + 30).map_err(cannot)?;
        if !fixed.starts_with(LOCAL) || name != entry.name || u16_at(&fixed, 8) != entry.method {
            return Err("has a header that disagrees with the archive's directory".to_owned());
        }
        let start = at + 30 + name.len() as u64 + u16_at(&fixed, 28);
        let end = start.checked_add(entry.compressed).filter(|&end| end <= self.directory.start);
        let end = end.ok_or("lies outside the archive")?;
        let before = self.taken.range(..end).next_back();
        if before.is_some_and(|(_, &taken)| taken > at) {
            return Err("overlaps another member".to_owned());
        }
        self.taken.insert(at, end);
        Ok(self.access.section(start, end))
    }
}

impl Entry {
    /// Takes the 64-bit values that stand in the extra field.
    fn widen(&mut self, mut extra: &[u8]) {
        while extra.len() >= 4 {
            let (id, n) = (u16_at(extra, 0), u16_at(extra, 2) as usize);
            let Some(mut field) = extra.get(4..4 + n) else { return };
            if id == 1 {
                for value in [&mut self.size, &mut self.compressed, &mut self.offset] {
                    if *value == u64::from(u32::MAX) && field.len() >= 8 {
                        *value = u64_at(field, 0);
                        field = &field[8..];
                    }
                }
            }
            extra = &extra[4 + n..];
        }
    }
}

/// A member's bytes, compared with the length and checksum the archive states.
struct Checked<R> {
    inner: R,
    hasher: crc32fast::Hasher,
    crc: u32,
    left: u64,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        if buffer.is_empty() {
            return Ok(0);
        }
        self.hasher.update(&buffer[..n]);
        self.left = self
            .left
            .checked_sub(n as u64)
            .ok_or_else(|| broken("the member is longer than the archive says"))?;
        if n == 0 {
            if self.left > 0 {
                return Err(broken("the member is shorter than the archive says"));
            }
            if self.hasher.clone().finalize() != self.crc {
                return Err(broken("the member has a wrong checksum"));
            }
        }
        Ok(n)
    }
}
