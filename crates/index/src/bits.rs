//! Bits in a block of 64-bit words, the lowest bit of a word first.

/// Writes bits into a fixed number of words.
#[derive(Debug)]
pub(crate) struct BitWriter<const WORDS: usize> {
    words: [u64; WORDS],
    at: usize,
}

impl<const WORDS: usize> BitWriter<WORDS> {
    /// Bits of all words.
    pub(crate) const BITS: usize = WORDS * 64;

    pub(crate) fn new() -> Self {
        Self { words: [0; WORDS], at: 0 }
    }

    /// Returns the number of bits written.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Writes the lower `n` bits of a value whose other bits are zero; there must be room.
    #[inline]
    pub(crate) fn put(&mut self, value: u64, n: u32) {
        debug_assert!(n == 64 || value >> n == 0, "a value fits its width");
        if n == 0 {
            return;
        }
        let (word, shift) = (self.at / 64, self.at % 64);
        self.words[word] |= value << shift;
        if shift + n as usize > 64 {
            self.words[word + 1] = value >> (64 - shift);
        }
        self.at += n as usize;
    }

    /// Writes zeros; there must be room.
    #[inline]
    pub(crate) fn skip(&mut self, n: usize) {
        self.at += n;
    }

    /// Overwrites bits at the very beginning, which were skipped.
    pub(crate) fn put_first(&mut self, value: u64) {
        self.words[0] |= value;
    }

    /// Returns the words as bytes and starts anew.
    pub(crate) fn take(&mut self, out: &mut Vec<u8>) {
        for word in &self.words {
            out.extend_from_slice(&word.to_le_bytes());
        }
        *self = Self::new();
    }
}

/// Reads bits from bytes.
#[derive(Clone, Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    /// Most bits that are read at a time.
    pub(crate) const MOST: u32 = 56;

    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns the number of bits read.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Returns the next bits without reading them, at least [`MOST`](Self::MOST); zeros behind
    /// the end.
    #[inline]
    pub(crate) fn peek(&self) -> u64 {
        let from = self.at / 8;
        let word = match self.bytes.get(from..).and_then(|bytes| bytes.first_chunk::<8>()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => self.last_word(from),
        };
        word >> (self.at % 8)
    }

    #[cold]
    fn last_word(&self, from: usize) -> u64 {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let mut bytes = [0; 8];
        bytes[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(bytes)
    }

    /// Reads `n` bits, at most 64; zeros behind the end.
    #[inline]
    pub(crate) fn get(&mut self, n: u32) -> u64 {
        if n > Self::MOST { self.get_long(n) } else { self.get_short(n) }
    }

    #[cold]
    fn get_long(&mut self, n: u32) -> u64 {
        let low = self.get_short(32);
        low | self.get_short(n - 32) << 32
    }

    /// Reads at most [`MOST`](Self::MOST) bits.
    #[inline]
    fn get_short(&mut self, n: u32) -> u64 {
        let value = self.peek() & ((1u64 << n) - 1);
        self.skip(n as usize);
        value
    }

    /// Reads zeros up to a one and the one; returns the number of zeros. At most `most` zeros, no
    /// more than [`MOST`](Self::MOST), are read, and then no one is expected.
    #[inline]
    pub(crate) fn zeros(&mut self, most: u32) -> u32 {
        let n = self.peek().trailing_zeros();
        if n >= most {
            self.skip(most as usize);
            return most;
        }
        self.skip(n as usize + 1);
        n
    }

    /// Goes on `n` bits behind.
    #[inline]
    pub(crate) fn skip(&mut self, n: usize) {
        self.at = self.at.saturating_add(n);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_come_back(values in prop::collection::vec((any::<u64>(), 0u32..=64, 0u32..50), 0..9)) {
            let mut writer = BitWriter::<20>::new();
            for &(value, n, zeros) in &values {
                writer.put(if n == 0 { 0 } else { value >> (64 - n) }, n);
                writer.skip(zeros as usize);
                writer.put(1, 1);
            }
            let mut bytes = Vec::new();
            let n_bits = writer.at();
            writer.take(&mut bytes);
            let mut reader = BitReader::new(&bytes);
            for &(value, n, zeros) in &values {
                prop_assert_eq!(reader.get(n), if n == 0 { 0 } else { value >> (64 - n) });
                prop_assert_eq!(reader.zeros(50), zeros);
            }
            prop_assert_eq!(reader.at(), n_bits);
        }
    }
}
