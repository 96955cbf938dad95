//! Tar archives, read as they stream by.
//!
//! Own reader: members have to outlive a borrow of the archive, because a member is handed out
//! piece by piece between calls, and every size that a header claims has to meet our limits first.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use crate::archive::{Entries, Member, Members, is_hidden, label};
use crate::bad::Fault;
use crate::compress::Budget;
use crate::options::Limits;
use crate::stream::Stream;

const BLOCK: usize = 512;
/// Sizes from here on are lies; below, sums of sizes stay in range.
const LARGEST: u64 = 1 << 62;
/// Longest extended header that is looked at.
const EXTENDED_BYTES: u64 = 1 << 20;

/// Returns whether a stream begins with a tar header.
pub(crate) fn shows(head: &[u8]) -> bool {
    head.first_chunk::<BLOCK>().is_some_and(|block| block[0] != 0 && is_header(block))
}

/// Opens an archive.
pub(crate) fn open(stream: Stream, limits: &Limits) -> Box<dyn Members> {
    Box::new(Tar {
        state: Arc::new(Mutex::new(State { stream, left: 0, padding: 0 })),
        entries: Entries::new(limits.entries),
        budget: Budget::new(limits.archive_bytes),
        path_bytes: limits.path_bytes,
    })
}

struct Tar {
    state: Arc<Mutex<State>>,
    entries: Entries,
    budget: Budget,
    path_bytes: u32,
}

/// The archive's stream and how much of the current member is still in it.
struct State {
    stream: Stream,
    left: u64,
    padding: u64,
}

impl State {
    fn skip_member(&mut self) -> io::Result<()> {
        let n = self.left + self.padding;
        let skipped = io::copy(&mut self.stream.by_ref().take(n), &mut io::sink())?;
        (self.left, self.padding) = (0, 0);
        if skipped < n { Err(cut()) } else { Ok(()) }
    }

    /// Reads a small member whole.
    fn take_member(&mut self) -> io::Result<Vec<u8>> {
        if self.left > EXTENDED_BYTES {
            return Err(io::Error::other("an extended header is too long"));
        }
        let mut bytes = Vec::new();
        let n = self.stream.by_ref().take(self.left).read_to_end(&mut bytes)?;
        if (n as u64) < self.left {
            return Err(cut());
        }
        self.left = 0;
        self.skip_member()?;
        Ok(bytes)
    }

    /// Reads the next header; `None` at the end of the archive.
    fn header(&mut self) -> io::Result<Option<[u8; BLOCK]>> {
        let mut block = [0; BLOCK];
        let mut bytes = Vec::with_capacity(BLOCK);
        let n = self.stream.append(&mut bytes, BLOCK)?;
        if n == 0 {
            return Ok(None);
        }
        if n < BLOCK {
            return Err(cut());
        }
        block.copy_from_slice(&bytes);
        if block.iter().all(|&byte| byte == 0) {
            // Archives are padded with zeros; what else follows is not looked for.
            io::copy(&mut self.stream.by_ref().take(1 << 20), &mut io::sink())?;
            return Ok(None);
        }
        if !is_header(&block) {
            return Err(io::Error::other("a tar header has a wrong checksum"));
        }
        let size =
            number(&block[124..136]).ok_or_else(|| io::Error::other("a tar header has no size"))?;
        self.set_size(size);
        Ok(Some(block))
    }

    fn set_size(&mut self, size: u64) {
        self.left = size;
        self.padding = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
    }
}

fn cut() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the archive is cut short")
}

impl Members for Tar {
    fn next(&mut self) -> Result<Option<Member>, Fault> {
        let shared = Arc::clone(&self.state);
        let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut long_name: Option<Vec<u8>> = None;
        let mut long_size = None;
        loop {
            let header = state
                .skip_member()
                .and_then(|()| state.header())
                .map_err(|error| Fault::unreadable(state.stream.position(), &error))?;
            let Some(header) = header else { return Ok(None) };
            self.entries.add()?;
            let kind = header[156];
            if matches!(kind, b'L' | b'K' | b'x' | b'g') {
                let bytes = state
                    .take_member()
                    .map_err(|error| Fault::unreadable(state.stream.position(), &error))?;
                match kind {
                    b'L' => long_name = Some(until_nul(&bytes).to_vec()),
                    b'x' => {
                        long_name = pax(&bytes, "path").map(<[u8]>::to_vec).or(long_name);
                        long_size = pax(&bytes, "size")
                            .and_then(|size| std::str::from_utf8(size).ok()?.parse().ok())
                            .filter(|&size| size < LARGEST)
                            .or(long_size);
                    }
                    _ => {}
                }
                continue;
            }
            if let Some(size) = long_size.take() {
                state.set_size(size);
            }
            let name = long_name.take().unwrap_or_else(|| short_name(&header));
            let refuse = match kind {
                b'0' | 0 | b'7' if name.ends_with(b"/") => continue,
                b'0' | 0 | b'7' => None,
                b'5' => continue,
                b'1' => Some("a hard link"),
                b'2' => Some("a symbolic link"),
                b'3' | b'4' => Some("a device"),
                b'6' => Some("a FIFO"),
                b'S' => Some("a sparse file"),
                _ => Some("of an unknown kind"),
            };
            let name = label(&name, self.path_bytes)
                .map_err(|reason| Fault::rest(Some(state.stream.position()), reason))?;
            if is_hidden(&name) {
                continue;
            }
            let content = match refuse {
                Some(what) => Err(format!("is {what}, only regular members are read")),
                None => Ok(Stream::new(self.budget.bound(Part { state: Arc::clone(&shared) }))),
            };
            return Ok(Some(Member { name, content }));
        }
    }
}

/// The bytes of the current member.
struct Part {
    state: Arc<Mutex<State>>,
}

impl Read for Part {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let most = usize::try_from(state.left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let n = state.stream.read(&mut buffer[..most])?;
        if n == 0 {
            return Err(cut());
        }
        state.left -= n as u64;
        Ok(n)
    }
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memchr(0, bytes).unwrap_or(bytes.len())]
}

/// Returns the name in a header, with the prefix of newer archives.
fn short_name(header: &[u8; BLOCK]) -> Vec<u8> {
    let name = until_nul(&header[..100]);
    let prefix = if header[257..263] == *b"ustar\0" { until_nul(&header[345..500]) } else { &[] };
    if prefix.is_empty() { name.to_vec() } else { [prefix, b"/", name].concat() }
}

/// Returns the value of a keyword in an extended header (`length key=value\n` each).
fn pax<'a>(bytes: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let mut rest = bytes;
    while let Some(space) = memchr::memchr(b' ', rest) {
        let length: usize = std::str::from_utf8(&rest[..space]).ok()?.parse().ok()?;
        let record = rest.get(space + 1..length)?;
        let (name, value) = record.split_at(memchr::memchr(b'=', record)?);
        if name == key.as_bytes() {
            return value[1..].strip_suffix(b"\n");
        }
        rest = rest.get(length..)?;
    }
    None
}

/// Reads an octal number, or a binary one marked by its highest bit.
fn number(field: &[u8]) -> Option<u64> {
    if field.first()? & 0x80 != 0 {
        let first = u64::from(field[0] & 0x7f);
        let size = field[1..]
            .iter()
            .try_fold(first, |size: u64, &byte| Some(size.checked_mul(256)? + u64::from(byte)))?;
        return (size < LARGEST).then_some(size);
    }
    let digits = std::str::from_utf8(until_nul(field)).ok()?.trim();
    if digits.is_empty() { Some(0) } else { u64::from_str_radix(digits, 8).ok() }
}

/// Returns whether the checksum of a header is right.
fn is_header(block: &[u8; BLOCK]) -> bool {
    let sum: u64 =
        block[..148].iter().chain(&[b' '; 8]).chain(&block[156..]).map(|&b| u64::from(b)).sum();
    number(&block[148..156]) == Some(sum)
}
