//! Bytes that can be read at any position: a file, or a stream that was short enough to keep.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::sync::Arc;
#[cfg(not(unix))]
use std::sync::{Mutex, PoisonError};

/// A file, or bytes in memory, that can be read at any position.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    File(Arc<File>, u64),
    Memory(Arc<Vec<u8>>),
}

impl Access {
    pub(crate) fn of_file(file: File) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        Ok(Self::File(Arc::new(file), bytes))
    }

    /// Returns the number of bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::File(_, bytes) => *bytes,
            Self::Memory(memory) => memory.len() as u64,
        }
    }

    /// Returns what the system says about the file now.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        match self {
            Self::File(file, _) => file.metadata(),
            Self::Memory(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Reads some bytes from position `at`; 0 at the end. A read that a signal interrupts is tried again.
    pub(crate) fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        match self {
            Self::File(file, _) => loop {
                match read_at(file, buffer, at) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => return read,
                }
            },
            Self::Memory(memory) => {
                let start = usize::try_from(at).unwrap_or(usize::MAX).min(memory.len());
                let n = buffer.len().min(memory.len() - start);
                buffer[..n].copy_from_slice(&memory[start..start + n]);
                Ok(n)
            }
        }
    }

    /// Fills `buffer` from position `at`.
    pub(crate) fn read_exact_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        let mut done = 0;
        while done < buffer.len() {
            match self.read_at(&mut buffer[done..], at + done as u64)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => done += n,
            }
        }
        Ok(())
    }

    /// Returns a reader over the bytes from `start` to `end`.
    pub(crate) fn section(&self, start: u64, end: u64) -> Section {
        Section { access: self.clone(), at: start, end: end.min(self.bytes()) }
    }
}

/// A stretch of bytes read in order.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    access: Access,
    at: u64,
    end: u64,
}

impl Read for Section {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let n = buffer.len().min(left);
        let n = self.access.read_at(&mut buffer[..n], self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

/// A file has one position that all users of its handle share, so only one thread seeks and reads
/// at a time.
#[cfg(not(unix))]
fn read_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    use std::io::{Seek, SeekFrom};
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(at))?;
    file.read(buffer)
}
