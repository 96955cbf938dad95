//! A scratch file for texts that cannot be read again where they came from: archives, streams.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Texts under way to the scratch file.
pub(crate) struct SpoolWriter {
    file: BufWriter<File>,
    at: u64,
}

impl SpoolWriter {
    /// Makes a file without a name in `dir`: it is gone when the run is.
    pub(crate) fn new(dir: Option<&Path>) -> io::Result<Self> {
        let file = match dir {
            Some(dir) => tempfile::tempfile_in(dir)?,
            None => tempfile::tempfile()?,
        };
        Ok(Self { file: BufWriter::with_capacity(1 << 18, file), at: 0 })
    }

    /// Adds a text and returns where it lies.
    pub(crate) fn add(&mut self, text: &str) -> io::Result<(u64, u32)> {
        let start = self.at;
        self.file.write_all(text.as_bytes())?;
        self.at += text.len() as u64;
        Ok((start, text.len() as u32))
    }

    /// Ends writing.
    pub(crate) fn finish(self) -> io::Result<Spool> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Spool { file })
    }
}

/// Texts in the scratch file.
pub(crate) struct Spool {
    file: File,
}

impl Spool {
    /// Reads a text.
    pub(crate) fn read(&self, (start, len): (u64, u32)) -> io::Result<String> {
        let mut bytes = vec![0; len as usize];
        self.read_at(start, &mut bytes)?;
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    #[cfg(unix)]
    fn read_at(&self, start: u64, bytes: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, start)
    }

    #[cfg(windows)]
    fn read_at(&self, start: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut done = 0;
        while done < bytes.len() {
            let at = start + done as u64;
            match std::os::windows::fs::FileExt::seek_read(&self.file, &mut bytes[done..], at)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => done += n,
            }
        }
        Ok(())
    }
}
