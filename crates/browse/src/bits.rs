//! A yes or no for every row, document id or text.

/// A set of the numbers below a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// Makes the empty set of numbers below `len`.
    pub(crate) fn none(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// Makes the set of the numbers below `len` for which `holds`.
    pub(crate) fn of(len: usize, mut holds: impl FnMut(usize) -> bool) -> Self {
        let mut bits = Self::none(len);
        for (word, start) in bits.words.iter_mut().zip((0..).step_by(64)) {
            for at in start..(start + 64).min(len) {
                *word |= u64::from(holds(at)) << (at % 64);
            }
        }
        bits
    }

    /// Returns the bound.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a number; one that is not below the bound is ignored.
    pub(crate) fn insert(&mut self, at: usize) {
        if let Some(word) = self.words.get_mut(at / 64).filter(|_| at < self.len) {
            *word |= 1 << (at % 64);
        }
    }

    /// Returns whether the number is in the set; one that is not below the bound is not.
    pub(crate) fn has(&self, at: usize) -> bool {
        self.words.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Keeps only the numbers that are in `other` as well, or that are not in it.
    pub(crate) fn keep(&mut self, other: &Self, is_negated: bool) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= if is_negated { !other } else { *other };
        }
    }

    /// Returns how many numbers are in the set.
    pub(crate) fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns the numbers in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let low = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    at * 64 + low
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_and_nothing_beyond_its_bound() {
        let mut bits = Bits::of(130, |at| at % 3 == 0);
        assert_eq!(bits.count(), 44);
        assert!(bits.iter().eq((0..130).step_by(3)));
        bits.insert(1);
        bits.insert(130);
        assert!(bits.has(1) && !bits.has(130) && !bits.has(10_000));
        bits.keep(&Bits::of(130, |at| at < 10), true);
        assert_eq!(bits.iter().next(), Some(12));
        assert_eq!(Bits::none(0).count(), 0);
    }
}
