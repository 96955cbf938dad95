//! Decoders of what stands behind checksums, for the fuzz targets.
//!
//! No file leads to most of what can be put in here: it would need a checksum that fits. What is decoded is
//! written again, and has to be the same.

use crate::format::{HEADER_BYTES, Kind, Seed, header};
use crate::log::{Record, put_record};
use crate::manifest::Manifest;
use crate::part::Footer;

/// Reads a record of a log; returns whether it is one.
pub fn log_record(kind: u8, payload: &[u8]) -> bool {
    let Some(record) = Record::read(kind, payload) else { return false };
    let mut written = Vec::new();
    put_record(&record, &mut written);
    assert_eq!(Record::read(kind, &written), Some(record), "it is read as it is written");
    true
}

/// Reads a manifest of this JSON, with a header and a checksum that fit; returns whether it is one.
pub fn manifest(json: &[u8]) -> bool {
    let (index, generation) = (1, 1);
    let mut bytes = header(Kind::Manifest, index, generation).to_vec();
    bytes.extend_from_slice(json);
    bytes.extend_from_slice(&Seed::new(index, generation).sum(json, HEADER_BYTES).to_le_bytes());
    Manifest::from_bytes(&bytes).is_ok()
}

/// Reads the footer of a part of so many bytes; returns whether all that it names can be there.
pub fn part_footer(json: &[u8], end: u64) -> bool {
    serde_json::from_slice::<Footer>(json).is_ok_and(|footer| footer.is_within(end))
}
