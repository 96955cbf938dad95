//! Consecutive numbers for different hashes: a table that is emptied and filled again and again.

/// Gives each different hash the next number from 0 on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    /// One more than the number of the hash that has the slot; 0 if it is free. A power of two of slots.
    slots: Vec<u32>,
    hashes: Vec<u64>,
    /// Bits of a spread hash that are not part of its slot.
    shift: u32,
}

impl Numbering {
    /// Forgets all numbers and makes room for at most so many hashes.
    pub(crate) fn clear(&mut self, most: usize) {
        let n_slots = (2 * most).next_power_of_two().max(16);
        self.shift = u64::BITS - n_slots.ilog2();
        self.slots.clear();
        self.slots.resize(n_slots, 0);
        self.hashes.clear();
    }

    /// Returns the number of a hash, a new one if it has none.
    #[inline]
    pub(crate) fn number(&mut self, hash: u64) -> u32 {
        let slot = self.slot(hash);
        if self.slots[slot] == 0 {
            self.hashes.push(hash);
            self.slots[slot] = self.hashes.len() as u32;
        }
        self.slots[slot] - 1
    }

    /// Returns the number of a hash, if it has one.
    #[inline]
    pub(crate) fn get(&self, hash: u64) -> Option<u32> {
        self.slots[self.slot(hash)].checked_sub(1)
    }

    /// Returns how many hashes have numbers.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns the hashes in the order of their numbers.
    pub(crate) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Returns the slot of a hash, or the free one that it would get.
    #[inline]
    fn slot(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        // The highest bits of the product depend on all bits of the hash.
        let mut slot = (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        loop {
            let taken = self.slots[slot];
            if taken == 0 || self.hashes[taken as usize - 1] == hash {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn each_hash_has_one_number_until_all_are_forgotten() {
        let mut numbering = Numbering::default();
        for n in [0, 1, 7, 1_000] {
            numbering.clear(n as usize);
            let hashes: Vec<u64> = (0..n).map(mix).collect();
            for _ in 0..2 {
                let numbers: Vec<u32> = hashes.iter().map(|&hash| numbering.number(hash)).collect();
                assert!(numbers.iter().copied().eq(0..n as u32));
            }
            assert_eq!((numbering.len(), numbering.hashes()), (n as usize, &hashes[..]));
            assert_eq!(numbering.get(mix(n)), None);
        }
    }
}
