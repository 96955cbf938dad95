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

/// Reads bits from words.
#[derive(Clone, Debug)]
pub(crate) struct BitReader<'a> {
    words: &'a [u64],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(words: &'a [u64]) -> Self {
        Self { words, at: 0 }
    }

    /// Returns whether no more was read than there is.
    #[inline]
    pub(crate) fn is_within(&self) -> bool {
        self.at <= self.words.len() * 64
    }

    #[inline]
    fn word(&self, i: usize) -> u64 {
        self.words.get(i).copied().unwrap_or(0)
    }

    /// Returns the next 64 bits without reading them; zeros behind the end.
    #[inline]
    fn peek(&self) -> u64 {
        let (word, shift) = (self.at / 64, self.at % 64);
        let low = self.word(word) >> shift;
        if shift == 0 { low } else { low | self.word(word + 1) << (64 - shift) }
    }

    /// Reads `n` bits; zeros behind the end.
    #[inline]
    pub(crate) fn get(&mut self, n: u32) -> u64 {
        let value = self.peek();
        self.at += n as usize;
        if n < 64 { value & ((1u64 << n) - 1) } else { value }
    }

    /// Reads zeros up to a one and the one; returns the number of zeros. At most `most` zeros,
    /// 63 or fewer, are read, and then no one is expected.
    #[inline]
    pub(crate) fn zeros(&mut self, most: u32) -> u32 {
        let n = self.peek().trailing_zeros();
        if n >= most {
            self.at += most as usize;
            return most;
        }
        self.at += n as usize + 1;
        n
    }

    /// Goes on `n` bits behind.
    #[inline]
    pub(crate) fn skip(&mut self, n: usize) {
        self.at = self.at.saturating_add(n);
    }
}
