//! Streams of bytes: counted and hashed, of a fixed length, or with a look at the first bytes.

use std::fmt;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How much of a stream is looked at to tell its kind.
pub(crate) const HEAD_BYTES: usize = 64 << 10;

/// Counts and hashes the bytes of one file as they lie on disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    state: Arc<Mutex<(blake3::Hasher, u64)>>,
    /// The same count for the whole run, for progress.
    total: Arc<AtomicU64>,
}

impl Tally {
    pub(crate) fn new(total: Arc<AtomicU64>) -> Self {
        Self { state: Arc::default(), total }
    }

    pub(crate) fn add(&self, bytes: &[u8]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.update(bytes);
        state.1 += bytes.len() as u64;
        self.total.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    pub(crate) fn hex(&self) -> String {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.finalize().to_hex().to_string()
    }
}

/// A reader whose bytes are tallied.
pub(crate) struct Tallied<R> {
    inner: R,
    tally: Tally,
}

impl<R> Tallied<R> {
    pub(crate) fn new(inner: R, tally: Tally) -> Self {
        Self { inner, tally }
    }
}

impl<R: Read> Read for Tallied<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = loop {
            match self.inner.read(buffer) {
                // Nobody above has to know that a signal came.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.tally.add(&buffer[..n]);
        Ok(n)
    }
}

/// A regular file that ends where it ended when it was opened.
///
/// What is appended later is not read; a file that was cut meanwhile is an error, since its last
/// record would look whole.
pub(crate) struct Fixed<R> {
    inner: R,
    bytes: u64,
    left: u64,
}

impl<R> Fixed<R> {
    pub(crate) fn new(inner: R, bytes: u64) -> Self {
        Self { inner, bytes, left: bytes }
    }
}

impl<R: Read> Read for Fixed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let n = self.inner.read(&mut buffer[..most])?;
        if n == 0 {
            let (at, bytes) = (self.bytes - self.left, self.bytes);
            let reason = format!("the file was cut at byte {at} of {bytes} while it was read");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
        }
        self.left -= n as u64;
        Ok(n)
    }
}

/// A limit that was passed while reading; travels inside an [`io::Error`].
#[derive(Debug)]
pub(crate) struct PastLimit(pub(crate) String);

impl fmt::Display for PastLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PastLimit {}

/// Makes the error for a passed limit.
pub(crate) fn past(limit: impl Into<String>) -> io::Error {
    io::Error::other(PastLimit(limit.into()))
}

/// A stream of (decompressed) bytes that can be looked into before it is read.
pub(crate) struct Stream {
    inner: Box<dyn Read + Send>,
    head: Vec<u8>,
    taken: usize,
    /// Bytes given out so far.
    position: u64,
    is_at_end: bool,
    /// An error after the head; returned when the head has been read.
    broken: Option<io::Error>,
}

impl Stream {
    pub(crate) fn new(inner: impl Read + Send + 'static) -> Self {
        Self {
            inner: Box::new(inner),
            head: Vec::new(),
            taken: 0,
            position: 0,
            is_at_end: false,
            broken: None,
        }
    }

    /// Returns the first bytes of what is still to come, up to [`HEAD_BYTES`].
    ///
    /// If an error comes before that many bytes are read, the bytes before it are returned.
    pub(crate) fn head(&mut self) -> io::Result<&[u8]> {
        if self.taken > 0 {
            self.head.drain(..self.taken);
            self.taken = 0;
        }
        let missing = HEAD_BYTES.saturating_sub(self.head.len()) as u64;
        if missing > 0 && !self.is_at_end {
            match self.inner.by_ref().take(missing).read_to_end(&mut self.head) {
                Ok(n) => self.is_at_end = (n as u64) < missing,
                Err(error) if self.head.is_empty() => return Err(error),
                Err(error) => {
                    self.is_at_end = true;
                    self.broken = Some(error);
                }
            }
        }
        Ok(&self.head)
    }

    /// Returns whether the head is all there is.
    pub(crate) fn head_is_all(&self) -> bool {
        self.is_at_end && self.broken.is_none()
    }

    /// Drops the next `n` bytes of the head.
    pub(crate) fn skip_head(&mut self, n: usize) {
        let n = n.min(self.head.len() - self.taken);
        self.taken += n;
        self.position += n as u64;
    }

    /// Returns the number of bytes given out so far.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Appends up to `n` bytes to `buffer`; fewer only at the end of the stream.
    pub(crate) fn append(&mut self, buffer: &mut Vec<u8>, n: usize) -> io::Result<usize> {
        let ahead = &self.head[self.taken..];
        let from_head = ahead.len().min(n);
        buffer.extend_from_slice(&ahead[..from_head]);
        self.taken += from_head;
        self.position += from_head as u64;
        let mut got = from_head;
        if got < n
            && let Some(error) = self.broken.take()
        {
            return Err(error);
        }
        if got < n && !self.is_at_end {
            let wanted = (n - got) as u64;
            let before = buffer.len();
            let result = self.inner.by_ref().take(wanted).read_to_end(buffer);
            let read = buffer.len() - before;
            self.position += read as u64;
            got += read;
            result?;
            self.is_at_end = (read as u64) < wanted;
        }
        Ok(got)
    }

    /// Reads the whole rest, or `None` if it is longer than `limit`.
    pub(crate) fn rest(&mut self, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let most = usize::try_from(limit).unwrap_or(usize::MAX - 1);
        self.append(&mut bytes, most.saturating_add(1))?;
        Ok((bytes.len() <= most).then_some(bytes))
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ahead = &self.head[self.taken..];
        let n = if !ahead.is_empty() {
            let n = ahead.len().min(buffer.len());
            buffer[..n].copy_from_slice(&ahead[..n]);
            self.taken += n;
            n
        } else if let Some(error) = self.broken.take() {
            return Err(error);
        } else if self.is_at_end {
            0
        } else {
            self.inner.read(buffer)?
        };
        self.position += n as u64;
        Ok(n)
    }
}
