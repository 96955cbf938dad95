//! Which samples were seen more than once: two bits for each of many slots.
//!
//! Samples share slots, so one that was seen once may look as if it was seen again; never the other
//! way round. What passes is looked at word by word later, so the size of the filter, which depends on
//! the memory, changes the work and not the result.

/// Slots when it is not known how much there is to read.
const USUAL_SLOTS: u64 = 1 << 26;
/// Fewest slots.
const FEWEST_SLOTS: u64 = 1 << 16;

/// Remembers which samples were seen, and which of these again.
pub(super) struct Filter {
    seen: Vec<u64>,
    again: Vec<u64>,
    shift: u32,
}

impl Filter {
    /// Makes one for so many bytes of input, if that is known, within `most_bytes` of memory.
    pub(super) fn new(n_input_bytes: u64, most_bytes: usize) -> Self {
        let wanted = if n_input_bytes == 0 { USUAL_SLOTS } else { n_input_bytes / 2 };
        let most = (most_bytes as u64).saturating_mul(4);
        let slots = wanted.clamp(FEWEST_SLOTS, most.max(FEWEST_SLOTS)).next_power_of_two();
        let slots = if slots > most.max(FEWEST_SLOTS) { slots / 2 } else { slots };
        let blocks = vec![0; (slots / 64) as usize];
        Self { seen: blocks.clone(), again: blocks, shift: 64 - slots.ilog2() }
    }

    fn place(&self, sample: u64) -> (usize, u64) {
        let slot = retold_core::hash::mix(sample) >> self.shift;
        ((slot / 64) as usize, 1 << (slot % 64))
    }

    /// Takes a sample of a document that may be struck.
    pub(super) fn add(&mut self, sample: u64) {
        let (block, bit) = self.place(sample);
        self.again[block] |= self.seen[block] & bit;
        self.seen[block] |= bit;
    }

    /// Takes a sample of an archive: it matters only if the others have it, and they came before.
    pub(super) fn add_of_archive(&mut self, sample: u64) {
        let (block, bit) = self.place(sample);
        self.again[block] |= self.seen[block] & bit;
    }

    /// Returns whether a sample may have been seen more than once.
    pub(super) fn is_again(&self, sample: u64) -> bool {
        let (block, bit) = self.place(sample);
        self.again[block] & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_again_is_always_told() {
        for most_bytes in [0, 1 << 20] {
            let mut filter = Filter::new(1 << 22, most_bytes);
            for sample in 0..2_000_u64 {
                filter.add(sample);
            }
            for sample in 0..500 {
                filter.add(sample);
            }
            for sample in (500..700).chain(5_000..5_100) {
                filter.add_of_archive(sample);
            }
            assert!((0..700).all(|sample| filter.is_again(sample)));
            let n_wrong = (700..2_000).filter(|&sample| filter.is_again(sample)).count();
            assert!(n_wrong < 200, "{n_wrong}");
        }
    }
}
