//! A small hash table from shingles to their places in one document.

/// Marks an empty slot and the end of a chain.
const NONE: u32 = u32::MAX;
const EMPTY: u64 = u64::MAX;

/// Places of each shingle of a document, first place first.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// First place of a shingle below, 32 bits of its hash above: a look-up that fails, the
    /// common case between unlike documents, touches nothing but its slot.
    slots: Vec<u64>,
    /// For each place the next place of the same shingle.
    next: Vec<u32>,
    /// One bit per place: whether its shingle stands here for the first time.
    first: Vec<u64>,
    n_distinct: usize,
}

impl Table {
    /// Builds the table of a shingle sequence.
    pub fn new(shingles: &[u64]) -> Self {
        let n_slots = (shingles.len() + shingles.len() / 2 + 1).next_power_of_two();
        let mut table = Self {
            slots: vec![EMPTY; n_slots],
            next: Vec::new(),
            first: vec![0; shingles.len().div_ceil(64)],
            n_distinct: 0,
        };
        // Last place of each repeated shingle while building: chains grow at their end.
        let mut tails: Vec<(u32, u32)> = Vec::new();
        for (place, &shingle) in shingles.iter().enumerate() {
            let slot = table.slot(shingles, shingle);
            let head = table.slots[slot] as u32;
            if head == NONE {
                table.slots[slot] = (shingle & !u64::from(NONE)) | place as u64;
                table.first[place / 64] |= 1 << (place % 64);
                table.n_distinct += 1;
            } else {
                tails.push((head, place as u32));
            }
        }
        if !tails.is_empty() {
            table.next = vec![NONE; shingles.len()];
            // Stable by head: places of one chain stay in order.
            tails.sort_by_key(|&(head, _)| head);
            for chain in tails.chunk_by(|x, y| x.0 == y.0) {
                let mut last = chain[0].0;
                for &(_, place) in chain {
                    table.next[last as usize] = place;
                    last = place;
                }
            }
        }
        table
    }

    #[inline]
    fn slot(&self, shingles: &[u64], shingle: u64) -> usize {
        let mask = self.slots.len() - 1;
        // The low bits choose the slot, the high ones are kept in it.
        let mut slot = shingle as usize & mask;
        loop {
            let entry = self.slots[slot];
            if entry == EMPTY
                || (entry >> 32 == shingle >> 32 && shingles[entry as u32 as usize] == shingle)
            {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Returns the number of different shingles.
    pub fn n_distinct(&self) -> usize {
        self.n_distinct
    }

    /// Returns whether the shingle at `place` stands there for the first time.
    #[inline]
    pub fn is_first(&self, place: usize) -> bool {
        self.first[place / 64] >> (place % 64) & 1 == 1
    }

    /// Returns the first place of a shingle. `shingles` is what the table was built from.
    #[inline]
    pub fn find(&self, shingles: &[u64], shingle: u64) -> Option<u32> {
        let place = self.slots[self.slot(shingles, shingle)] as u32;
        (place != NONE).then_some(place)
    }

    /// Returns the next place of the shingle at `place`.
    #[inline]
    pub fn next(&self, place: u32) -> Option<u32> {
        let next = *self.next.get(place as usize)?;
        (next != NONE).then_some(next)
    }

    /// Returns the number of bytes held.
    pub fn held_bytes(&self) -> usize {
        self.slots.len() * 8 + self.next.len() * 4 + self.first.len() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_a_shingle_is_found_in_order() {
        let shingles = [7, 8, 7, 9, 7, 8];
        let table = Table::new(&shingles);
        let mut places = vec![table.find(&shingles, 7).expect("7 is there")];
        while let Some(next) = table.next(*places.last().expect("not empty")) {
            places.push(next);
        }
        assert_eq!(places, [0, 2, 4]);
        assert_eq!(table.n_distinct(), 3);
        assert!(table.is_first(1) && !table.is_first(5));
        assert_eq!(table.find(&shingles, 10), None);
    }
}
