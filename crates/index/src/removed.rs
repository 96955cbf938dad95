//! Files that say which documents were removed from a part.

use crate::bitmap::Bitmap;
use crate::disk::Disk;
use crate::error::Result;
use crate::format::{HEADER_BYTES, Kind, SUM_BYTES, Sink, Stored, u32_at, u64_at};
use crate::table::{Table, write_numbers};

/// Bytes of the block before the bits: number of the part, its documents, and the removed ones.
const HEAD_BYTES: usize = 16;

/// Writes which documents were removed from a part, to a new file, and syncs it.
pub(crate) fn write_removed(
    disk: &dyn Disk,
    index: u128,
    number: u64,
    part: u64,
    n_documents: u32,
    removed: &Bitmap,
) -> Result<u64> {
    let mut sink = Sink::create(disk, Kind::Removed, index, number)?;
    let mut head = [0; HEAD_BYTES];
    head[..8].copy_from_slice(&part.to_le_bytes());
    head[8..12].copy_from_slice(&n_documents.to_le_bytes());
    head[12..].copy_from_slice(&removed.n_set().to_le_bytes());
    sink.put_block(&head)?;
    write_numbers(removed.words(), &mut sink)?;
    sink.sync()
}

/// Reads which documents were removed; returns the number of their part, too.
pub(crate) fn read_removed(disk: &dyn Disk, index: u128, number: u64) -> Result<(u64, Bitmap)> {
    let file = Stored::open(disk, Kind::Removed, index, number)?;
    let head = file.block(HEADER_BYTES, HEAD_BYTES + SUM_BYTES)?;
    let (part, n_documents) = (u64_at(&head, 0), u32_at(&head, 8));
    let offset = HEADER_BYTES + (HEAD_BYTES + SUM_BYTES) as u64;
    let table = Table { offset, n_rows: u64::from(n_documents).div_ceil(64), width: 8 };
    if table.n_bytes().map(|n| offset + n) != Some(file.len) {
        return Err(file.damaged(offset, "it has another length than it says"));
    }
    match Bitmap::from_words(table.numbers(&file)?, n_documents) {
        Some(bits) if bits.n_set() == u32_at(&head, 12) => Ok((part, bits)),
        _ => Err(file.damaged(offset, "it has other bits than it says")),
    }
}
