//! The bytes of one file, compression taken off, for what is no collection of documents.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::compress::Compression;
use crate::file::nested_too_deep;
use crate::options::Limits;
use crate::stream::{Fixed, Stream};
use crate::{tar, zip};

/// Opens a file as a stream of bytes; what is compressed is decompressed on the way, `-` is
/// standard input.
///
/// [`Limits::nesting`] and [`Limits::ratio`] are kept; the ratio is that of collections, ten times
/// the usual one. An archive is refused, as it is not one stream.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// # use std::io::Read;
/// # let dir = tempfile::tempdir()?;
/// let path = dir.path().join("numbers.zst");
/// std::fs::write(&path, zstd::encode_all(&b"1 2 3\n"[..], 3)?)?;
/// let mut text = String::new();
/// retold_read::open_bytes(&path, &Default::default())?.read_to_string(&mut text)?;
/// assert_eq!(text, "1 2 3\n");
/// # Ok(())
/// # }
/// ```
pub fn open_bytes(path: &Path, limits: &Limits) -> io::Result<Box<dyn Read + Send>> {
    let mut stream = if path.as_os_str() == "-" {
        Stream::new(io::stdin())
    } else {
        let file = File::open(path)?;
        let found = file.metadata()?;
        match found.len() {
            _ if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            // Pipes and kernel files claim to be empty and are read to their end.
            0 => Stream::new(file),
            bytes => Stream::new(Fixed::new(file, bytes)),
        }
    };
    let mut name = path.to_string_lossy().into_owned();
    let mut nesting = 0;
    loop {
        let head = stream.head()?;
        if zip::shows(head) || tar::shows(head) {
            return Err(io::Error::other("it is an archive; unpack the file that is meant"));
        }
        let Some(compression) = Compression::shown_by(head, &name) else {
            return Ok(Box::new(stream));
        };
        name.truncate(compression.inner_name(&name).len());
        nesting += 1;
        if nesting > limits.nesting {
            return Err(io::Error::other(nested_too_deep(limits)));
        }
        let (opened, ratio) = compression.open(stream, limits)?;
        ratio.raise();
        stream = opened;
    }
}
