//! Values that are too large for a state: each in a file of its own, which is written once.
//!
//! The file holds its name, so that a manifest can be made anew, and the value in blocks.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::disk::Disk;
use crate::document::MOST_STATE_NAME_BYTES;
use crate::error::{Error, Result};
use crate::format::{HEADER_BYTES, Kind, SUM_BYTES, Sink, Stored, u32_at};
use crate::manifest::{Manifest, step};

/// Bytes of a value in each block but the last.
const BLOCK_BYTES: usize = 1 << 16;
/// Bytes before the name: its length.
const LENGTH_BYTES: usize = 4;

/// What the manifest says of an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AttachmentEntry {
    pub(crate) number: u64,
    /// Bytes of the value.
    pub(crate) n_bytes: u64,
}

/// The attachments of an index by their names, open: a writer may remove their files.
pub(crate) type Attached = BTreeMap<String, Arc<Attachment>>;

/// An attachment that is open.
#[derive(Debug)]
pub(crate) struct Attachment {
    pub(crate) name: String,
    pub(crate) n_bytes: u64,
    file: Stored,
    /// Where the first block of the value is.
    start: u64,
}

impl Attachment {
    /// Opens the file with a number and checks its name and its length.
    pub(crate) fn open(disk: &dyn Disk, index: u128, number: u64) -> Result<Self> {
        let file = Stored::open(disk, Kind::Attachment, index, number)?;
        let name_bytes = u32_at(&file.read(HEADER_BYTES, LENGTH_BYTES)?, 0) as usize;
        if name_bytes > MOST_STATE_NAME_BYTES {
            return Err(file.damaged(HEADER_BYTES, "its name is too long"));
        }
        let head_bytes = LENGTH_BYTES + name_bytes + SUM_BYTES;
        let head = file.block(HEADER_BYTES, head_bytes)?;
        let Ok(name) = String::from_utf8(head[LENGTH_BYTES..].to_vec()) else {
            return Err(file.damaged(HEADER_BYTES, "its name is not UTF-8"));
        };
        drop(head);
        let start = HEADER_BYTES + head_bytes as u64;
        let rest = file.len.saturating_sub(start);
        let n_sums = rest.div_ceil((BLOCK_BYTES + SUM_BYTES) as u64) * SUM_BYTES as u64;
        let Some(n_bytes) = rest.checked_sub(n_sums) else {
            return Err(file.damaged(start, "it ends within a checksum"));
        };
        Ok(Self { name, n_bytes, file, start })
    }

    /// Returns the bytes of the file.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.file.len
    }

    /// Reads all of it.
    pub(crate) fn check(&self) -> Result<()> {
        let mut reader = AttachmentReader { attachment: self, n_read: 0 };
        let mut piece = Vec::new();
        while reader.read(&mut piece)? {
            piece.clear();
        }
        Ok(())
    }
}

/// Opens an attachment that the manifest names.
pub(crate) fn open_attachment(
    disk: &dyn Disk,
    index: u128,
    name: &str,
    entry: AttachmentEntry,
) -> Result<Arc<Attachment>> {
    let attachment = Attachment::open(disk, index, entry.number)?;
    if (attachment.name.as_str(), attachment.n_bytes) != (name, entry.n_bytes) {
        return Err(attachment.file.damaged(0, "it is another value than the manifest says"));
    }
    Ok(Arc::new(attachment))
}

/// Opens all attachments of an index.
pub(crate) fn open_attachments(disk: &dyn Disk, manifest: &Manifest) -> Result<Attached> {
    let open = |(name, entry): (&String, &AttachmentEntry)| {
        Ok((name.clone(), open_attachment(disk, manifest.index, name, *entry)?))
    };
    manifest.attachments.iter().map(open).collect()
}

/// Reads the value of an attachment piece by piece; each is checked.
#[derive(Clone, Copy, Debug)]
pub struct AttachmentReader<'a> {
    attachment: &'a Attachment,
    n_read: u64,
}

impl<'a> AttachmentReader<'a> {
    pub(crate) fn new(attachment: &'a Attachment) -> Self {
        Self { attachment, n_read: 0 }
    }

    /// Returns the bytes of the whole value.
    pub fn n_bytes(&self) -> u64 {
        self.attachment.n_bytes
    }

    /// Adds the next piece, at most 64 KiB, to `out`; `false` if all was read before.
    pub fn read(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        let Attachment { file, start, n_bytes, .. } = self.attachment;
        let n = (n_bytes - self.n_read).min(BLOCK_BYTES as u64);
        if n == 0 {
            return Ok(false);
        }
        let n_blocks = self.n_read / BLOCK_BYTES as u64;
        let at = start + self.n_read + n_blocks * SUM_BYTES as u64;
        let filled = out.len();
        out.resize(filled + n as usize + SUM_BYTES, 0);
        let read = file.fill_block(at, &mut out[filled..]);
        out.truncate(filled + if read.is_ok() { n as usize } else { 0 });
        self.n_read += n;
        read.map(|()| true)
    }
}

/// An attachment that is being written.
#[derive(Debug)]
pub struct AttachmentWriter {
    sink: Sink,
    block: Vec<u8>,
    n_bytes: u64,
}

impl AttachmentWriter {
    pub(crate) fn create(disk: &dyn Disk, index: u128, number: u64, name: &str) -> Result<Self> {
        step(disk, "attach: before the file is written")?;
        let mut sink = Sink::create(disk, Kind::Attachment, index, number)?;
        let length = (name.len() as u32).to_le_bytes();
        sink.put_block(&[&length, name.as_bytes()].concat())?;
        Ok(Self { sink, block: Vec::new(), n_bytes: 0 })
    }

    /// Adds bytes to the value.
    pub fn put(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.block.len()));
            self.block.extend_from_slice(now);
            self.n_bytes += now.len() as u64;
            if self.block.len() == BLOCK_BYTES {
                self.put_block()?;
            }
            bytes = later;
        }
        Ok(())
    }

    fn put_block(&mut self) -> Result<()> {
        self.sink.put_block(&self.block)?;
        self.block.clear();
        Ok(())
    }

    /// Writes what is left, syncs the file and returns the bytes of the value.
    pub(crate) fn finish(mut self, disk: &dyn Disk) -> Result<u64> {
        if !self.block.is_empty() {
            self.put_block()?;
        }
        step(disk, "attach: before the file is synced")?;
        self.sink.sync()?;
        Ok(self.n_bytes)
    }
}

/// Checks the name of an attachment or a state.
pub(crate) fn check_name(what: &str, name: &str) -> Result<()> {
    if name.len() <= MOST_STATE_NAME_BYTES {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "the name of {what} has at most {MOST_STATE_NAME_BYTES} bytes, got {}",
        name.len()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Simulated;

    fn written(value: &[u8], piece: usize) -> (Simulated, u64) {
        let disk = Simulated::new();
        let mut writer = AttachmentWriter::create(&disk, 7, 1, "name").expect("memory takes it");
        for piece in value.chunks(piece) {
            writer.put(piece).expect("memory takes it");
        }
        let n_bytes = writer.finish(&disk).expect("memory takes it");
        (disk, n_bytes)
    }

    fn value(disk: &Simulated) -> Result<Vec<u8>> {
        let attachment = Attachment::open(disk, 7, 1)?;
        let mut reader = AttachmentReader::new(&attachment);
        let mut value = Vec::new();
        while reader.read(&mut value)? {}
        assert_eq!(value.len() as u64, reader.n_bytes());
        Ok(value)
    }

    #[test]
    fn a_value_of_any_length_comes_back() {
        for n in [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES] {
            let expected: Vec<u8> = (0..n).map(|i| ((i * 31) >> 3) as u8).collect();
            for piece in [1000, usize::MAX] {
                let (disk, n_bytes) = written(&expected, piece.min(n.max(1)));
                assert_eq!(n_bytes, n as u64);
                assert_eq!(value(&disk).expect("it is whole"), expected, "{n} bytes");
            }
        }
    }

    #[test]
    fn a_file_with_any_bit_changed_or_cut_anywhere_has_another_length_or_is_refused() {
        let expected = vec![5; 100];
        let (disk, _) = written(&expected, 100);
        let name = Kind::Attachment.name(1);
        let content = disk.content(&name).expect("it was written");
        for bit in 0..content.len() * 8 {
            let mut changed = content.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            disk.set_content(&name, changed);
            assert!(value(&disk).is_err(), "bit {bit}");
        }
        for len in 0..content.len() {
            disk.set_content(&name, content[..len].to_vec());
            let found = value(&disk);
            // The manifest knows the length.
            assert!(found.is_err() || found.is_ok_and(|found| found.is_empty()), "cut to {len}");
        }
    }
}
