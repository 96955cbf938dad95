//! Which documents of a part are marked.

/// One bit for each document of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bitmap {
    words: Vec<u64>,
    n_set: u32,
}

impl Bitmap {
    /// Makes a bitmap of zeros.
    pub(crate) fn new(n: u32) -> Self {
        Self { words: vec![0; (n as usize).div_ceil(64)], n_set: 0 }
    }

    /// Takes bits as they were written; `None` if they are not for `n` documents.
    pub(crate) fn from_words(words: Vec<u64>, n: u32) -> Option<Self> {
        let n_words = (n as usize).div_ceil(64);
        let is_clean = match (words.last(), n % 64) {
            (Some(last), rest) if rest > 0 => last >> rest == 0,
            _ => true,
        };
        let n_set = words.iter().map(|word| word.count_ones()).sum();
        (words.len() == n_words && is_clean).then_some(Self { words, n_set })
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    #[inline]
    pub(crate) fn has(&self, doc: u32) -> bool {
        self.words.get(doc as usize / 64).is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }

    /// Sets a bit and returns whether it was not set.
    pub(crate) fn set(&mut self, doc: u32) -> bool {
        let Some(word) = self.words.get_mut(doc as usize / 64) else { return false };
        let bit = 1 << (doc % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        self.n_set += u32::from(is_new);
        is_new
    }

    /// Clears a bit.
    pub(crate) fn clear(&mut self, doc: u32) {
        if self.has(doc) {
            self.words[doc as usize / 64] &= !(1 << (doc % 64));
            self.n_set -= 1;
        }
    }

    /// Returns the number of bits set.
    pub(crate) fn n_set(&self) -> u32 {
        self.n_set
    }

    /// Iterates over the documents below `n` whose bit is not set.
    pub(crate) fn clear_ones(&self, n: u32) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(move |(i, word)| {
            let base = i as u32 * 64;
            let mut left = !word;
            let mut last = false;
            std::iter::from_fn(move || {
                if left == 0 || last {
                    return None;
                }
                let doc = base + left.trailing_zeros();
                left &= left - 1;
                last = doc >= n;
                (doc < n).then_some(doc)
            })
        })
    }
}
