//! Chunks: how the units of a document (sentences, usually) are put together before hashing.
//!
//! The four strategies of COPS. Small chunks find small copies and give many features; large
//! ones the reverse. Hashed breakpoints (D) fall at the same places in every copy, so an
//! insertion changes one chunk only, where under B it shifts all that follow.
//!
//! Brin, Davis, Garcia-Molina: Copy detection mechanisms for digital documents, SIGMOD 1995.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::shingles;

/// Which units make a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chunking {
    /// One unit each.
    #[default]
    A,
    /// `k` units in a row, without overlap; the last chunk may be shorter.
    B,
    /// `k` units in a row, each start; fewer units than `k` are one chunk.
    C,
    /// From one breakpoint to the next: after a unit whose hash is divisible by `k`, and at the
    /// end.
    D,
}

impl Chunking {
    /// Calls `each` with the units of every chunk, in order; `k` is at least 1.
    pub fn each(self, units: &[u64], k: usize, mut each: impl FnMut(Range<usize>)) {
        let n = units.len();
        match self {
            Self::A => (0..n).for_each(|i| each(i..i + 1)),
            Self::B => (0..n).step_by(k).for_each(|start| each(start..n.min(start + k))),
            Self::C if n < k => {
                if n > 0 {
                    each(0..n);
                }
            }
            Self::C => (0..=n - k).for_each(|start| each(start..start + k)),
            Self::D => {
                let mut start = 0;
                for (i, unit) in units.iter().enumerate() {
                    if unit % k as u64 == 0 || i + 1 == n {
                        each(start..i + 1);
                        start = i + 1;
                    }
                }
            }
        }
    }

    /// Returns the hash of every chunk, in order.
    pub fn of(self, units: &[u64], k: usize) -> Vec<u64> {
        let mut out = Vec::with_capacity(units.len());
        self.each(units, k, |range| out.push(sequence(&units[range])));
        out
    }
}

/// Returns the hash of a sequence of hashes: equal sequences, equal values.
pub fn sequence(hashes: &[u64]) -> u64 {
    let whole = shingles::whole(hashes);
    (whole >> 64) as u64 ^ whole as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(chunking: Chunking, text: &str) -> Vec<String> {
        // Only the unit B has a hash divisible by 3.
        let units: Vec<u64> = text.chars().map(|c| if c == 'B' { 3 } else { 4 }).collect();
        let mut out = Vec::new();
        chunking.each(&units, 3, |range| out.push(text[range].to_owned()));
        out
    }

    #[test]
    fn six_units_are_chunked_as_computed_by_hand() {
        // T-COPS.
        assert_eq!(chunks(Chunking::A, "ABCDEF"), ["A", "B", "C", "D", "E", "F"]);
        assert_eq!(chunks(Chunking::B, "ABCDEF"), ["ABC", "DEF"]);
        assert_eq!(chunks(Chunking::C, "ABCDEF"), ["ABC", "BCD", "CDE", "DEF"]);
        assert_eq!(chunks(Chunking::D, "ABCDEF"), ["AB", "CDEF"]);
        assert_eq!(chunks(Chunking::B, "ABCDEFG"), ["ABC", "DEF", "G"]);
    }

    #[test]
    fn short_documents_are_one_chunk_and_empty_ones_none() {
        for chunking in [Chunking::B, Chunking::C, Chunking::D] {
            assert_eq!(chunks(chunking, "AC"), ["AC"], "{chunking:?}");
        }
        for chunking in [Chunking::A, Chunking::B, Chunking::C, Chunking::D] {
            assert_eq!(chunks(chunking, ""), [""; 0], "{chunking:?}");
        }
    }

    #[test]
    fn a_breakpoint_at_the_end_leaves_no_empty_chunk() {
        assert_eq!(chunks(Chunking::D, "AB"), ["AB"]);
        assert_eq!(chunks(Chunking::D, "BB"), ["B", "B"]);
    }

    #[test]
    fn order_within_a_chunk_matters() {
        assert_ne!(Chunking::B.of(&[1, 2], 2), Chunking::B.of(&[2, 1], 2));
        assert_eq!(Chunking::A.of(&[7, 7], 1)[0], Chunking::A.of(&[7, 7], 1)[1]);
    }
}
