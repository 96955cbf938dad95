//! Which document was the first with its words: a table of ordinals.

/// Share of the table that may be taken, in quarters.
const MOST_TAKEN: usize = 3;
/// A place that is free.
const FREE: u32 = u32::MAX;

/// The first document of each sequence of words, by the hash of the words.
///
/// Open addressing over ordinals: 16 bytes of hash a document, and 4 bytes a place of which at
/// most three quarters are taken.
#[derive(Debug, Default)]
pub(crate) struct SameWords {
    /// The hash that each document stands under; 0 where it stands under none.
    keys: Vec<u128>,
    places: Vec<u32>,
    n_taken: usize,
}

impl SameWords {
    /// Returns the document that stands under `key`, which is `ordinal` if there was none.
    ///
    /// A document stands under one key at most; ordinals do not fall.
    pub(crate) fn first(&mut self, key: u128, ordinal: u32) -> u32 {
        if (self.n_taken + 1) * 4 > self.places.len() * MOST_TAKEN {
            self.grow();
        }
        let at = self.place_of(key);
        if self.places[at] != FREE {
            return self.places[at];
        }
        self.keys.resize(ordinal as usize + 1, 0);
        self.keys[ordinal as usize] = key;
        self.places[at] = ordinal;
        self.n_taken += 1;
        ordinal
    }

    /// Returns the key that a document stands under.
    pub(crate) fn key(&self, ordinal: u32) -> Option<u128> {
        self.keys.get(ordinal as usize).copied().filter(|&key| key != 0)
    }

    /// Returns the place of a key, or the one it would get.
    fn place_of(&self, key: u128) -> usize {
        let mask = self.places.len() - 1;
        let mut at = (key as u64 ^ (key >> 64) as u64) as usize & mask;
        while self.places[at] != FREE && self.keys[self.places[at] as usize] != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let larger = vec![FREE; (self.places.len() * 2).max(64)];
        for ordinal in std::mem::replace(&mut self.places, larger) {
            if ordinal != FREE {
                let at = self.place_of(self.keys[ordinal as usize]);
                self.places[at] = ordinal;
            }
        }
    }

    /// Returns the number of bytes held.
    #[cfg(test)]
    pub(crate) fn held_bytes(&self) -> usize {
        self.keys.capacity() * 16 + self.places.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use retold_core::hash::Random;

    use super::*;

    #[test]
    fn the_table_says_what_a_map_would() {
        let mut random = Random::new(8);
        let mut table = SameWords::default();
        let mut map = HashMap::new();
        for ordinal in 0..5000 {
            let key = (random.below(3000) as u128) << 60 | 7;
            assert_eq!(table.first(key, ordinal), *map.entry(key).or_insert(ordinal));
        }
    }
}
