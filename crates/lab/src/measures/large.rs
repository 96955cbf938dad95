//! Lists of pairs too long to hold: counted exactly in small memory.
//!
//! # How it works
//! Each pair becomes a hash of 128 bits, written to one of 64 unnamed scratch files by its first
//! bits. Equal pairs, and the same pair of either list, meet in the same part; part by part both
//! lists are sorted, repeats are dropped and the rest is merged.
//! # Cost
//! 16 bytes of disk a line; memory for a 64th of both lists at a time. 10 million lines against
//! 10 million take some seconds.
//! # Where we differ from the exact count
//! Two different pairs are taken for one with probability 2^-128 for each couple of pairs: for a
//! billion pairs, below 10^-20.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, Write as _};
use std::path::Path;

use retold_core::hash;

use super::pairs::{Direction, PairCounts, merge};

/// Parts of a list; a power of two.
const N_PARTS: usize = 64;
/// Bytes of a hashed pair.
const N_BYTES: usize = 16;
/// Bytes gathered before they are written.
const BUFFER_BYTES: usize = 32 << 10;

/// A list of pairs on disk.
#[derive(Debug)]
pub struct PairParts {
    direction: Direction,
    parts: Vec<BufWriter<File>>,
    n_lines: u64,
    key: Vec<u8>,
}

impl PairParts {
    /// Begins a list with scratch files in `folder`, or where the system has its own.
    pub fn new(direction: Direction, folder: Option<&Path>) -> io::Result<Self> {
        let part = |_| {
            let file = match folder {
                Some(folder) => tempfile::tempfile_in(folder),
                None => tempfile::tempfile(),
            };
            Ok(BufWriter::with_capacity(BUFFER_BYTES, file?))
        };
        let parts = (0..N_PARTS).map(part).collect::<io::Result<_>>()?;
        Ok(Self { direction, parts, n_lines: 0, key: Vec::new() })
    }

    /// Adds a pair, in any order and as often as it comes; a document with itself is left out.
    pub fn push(&mut self, a: &str, b: &str) -> io::Result<()> {
        self.n_lines += 1;
        if a == b {
            return Ok(());
        }
        let hash = pair_hash(self.direction, a, b, &mut self.key);
        self.parts[(hash >> 122) as usize].write_all(&hash.to_le_bytes())
    }

    /// Returns how many pairs were added, repeats and documents with themselves too.
    pub fn n_lines(&self) -> u64 {
        self.n_lines
    }

    /// Counts how two lists meet; both must have been made with the same direction.
    pub fn compare(found: Self, reference: Self) -> io::Result<PairCounts> {
        debug_assert_eq!(found.direction, reference.direction, "pairs of different kinds");
        let mut counts = PairCounts::default();
        for (found, reference) in found.parts.into_iter().zip(reference.parts) {
            merge(&distinct(found)?, &distinct(reference)?, |_, is_found, is_listed| {
                counts.add(is_found, is_listed);
            });
        }
        Ok(counts)
    }
}

/// Returns a pair as a hash of 128 bits; `key` is room to work in.
fn pair_hash(direction: Direction, a: &str, b: &str, key: &mut Vec<u8>) -> u128 {
    let (a, b) = match direction {
        Direction::Unordered if b < a => (b, a),
        _ => (a, b),
    };
    key.clear();
    key.extend_from_slice(a.as_bytes());
    // A byte that no text holds: `ab c` and `a bc` differ.
    key.push(0xff);
    key.extend_from_slice(b.as_bytes());
    u128::from(hash::bytes(key, 0x5eed)) << 64 | u128::from(hash::bytes(key, 0xca11))
}

/// Reads a part back, sorted and without repeats.
fn distinct(part: BufWriter<File>) -> io::Result<Vec<u128>> {
    let mut file = part.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut hashes: Vec<u128> = bytes
        .chunks_exact(N_BYTES)
        .map(|chunk| u128::from_le_bytes(chunk.try_into().expect("a chunk is sixteen bytes")))
        .collect();
    drop(bytes);
    hashes.sort_unstable();
    hashes.dedup();
    Ok(hashes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::pairs::PairSet;
    use super::*;

    fn parts(direction: Direction, pairs: &[(u32, u32)]) -> PairParts {
        let mut parts = PairParts::new(direction, None).expect("scratch files");
        for (a, b) in pairs {
            parts.push(&format!("doc {a}"), &format!("doc {b}")).expect("room on the disk");
        }
        parts
    }

    #[test]
    fn names_do_not_run_into_each_other() {
        let mut key = Vec::new();
        let mut of = |a, b| pair_hash(Direction::Ordered, a, b, &mut key);
        assert_ne!(of("ab", "c"), of("a", "bc"));
        assert_ne!(of("a", "b"), of("b", "a"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn parts_count_as_sets_do(
            found in prop::collection::vec((0u32..15, 0u32..15), 0..80),
            listed in prop::collection::vec((0u32..15, 0u32..15), 0..80),
        ) {
            for direction in [Direction::Unordered, Direction::Ordered] {
                let set = |pairs: &[(u32, u32)]| PairSet::new(direction, pairs.iter().copied());
                let counts =
                    PairParts::compare(parts(direction, &found), parts(direction, &listed));
                let expected = PairCounts::of(&set(&found), &set(&listed));
                prop_assert_eq!(counts.expect("scratch files can be read"), expected);
            }
        }
    }
}
