//! Texts that stand in many rows, each stored once and named by a code.
//!
//! A look-up by text goes through a table of slots with open addressing: the hash of a text names the
//! first slot, and the following ones are tried until one is empty. The table is at most 60 % full.

use xxhash_rust::xxh3::xxh3_64;

use crate::column::{Column, ColumnBuilder};

/// A slot without a code.
const EMPTY: u32 = u32::MAX;

/// Texts and their codes, as stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strings<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) ends: &'a Column,
    pub(crate) slots: &'a Column,
}

impl<'a> Strings<'a> {
    /// Returns the number of texts.
    pub(crate) fn len(self) -> usize {
        self.ends.len()
    }

    /// Returns a text by its code. What is not UTF-8 is empty; the checksum does not let it happen.
    pub(crate) fn get(self, code: usize) -> Option<&'a str> {
        let end = self.ends.get(code)?;
        let start = code.checked_sub(1).map_or(Some(0), |before| self.ends.get(before))?;
        let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
        Some(std::str::from_utf8(self.bytes.get(range)?).unwrap_or_default())
    }

    /// Returns the code of a text.
    pub(crate) fn find(self, text: &str) -> Option<usize> {
        let n = self.slots.len();
        if n == 0 {
            return None;
        }
        let first = (xxh3_64(text.as_bytes()) % n as u64) as usize;
        for step in 0..n {
            let code = self.slots.place((first + step) % n);
            if code == EMPTY as usize {
                return None;
            }
            if self.get(code) == Some(text) {
                return Some(code);
            }
        }
        None
    }
}

/// Texts and their codes, while they are gathered.
#[derive(Debug, Default)]
pub(crate) struct StringsBuilder {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// A power of two of them.
    slots: Vec<u32>,
}

impl StringsBuilder {
    /// Returns the code of a text, a new one if it has none yet.
    pub(crate) fn code(&mut self, text: &str) -> u32 {
        if (self.ends.len() + 1) * 5 > self.slots.len() * 3 {
            self.grow();
        }
        let slot = self.slot(text.as_bytes());
        if self.slots[slot] == EMPTY {
            self.slots[slot] = self.ends.len() as u32;
            self.bytes.extend_from_slice(text.as_bytes());
            self.ends.push(self.bytes.len());
        }
        self.slots[slot]
    }

    fn get(&self, code: usize) -> &[u8] {
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.bytes[start..self.ends[code]]
    }

    /// Returns the slot that holds the text, or the empty one that it would get.
    fn slot(&self, text: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = xxh3_64(text) as usize & mask;
        while self.slots[slot] != EMPTY && self.get(self.slots[slot] as usize) != text {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; (self.slots.len() * 2).max(16)];
        for code in 0..self.ends.len() {
            let slot = self.slot(self.get(code));
            self.slots[slot] = code as u32;
        }
    }

    /// Returns the texts in alphabetical order, and the new code of each old one.
    pub(crate) fn sorted(&self) -> (Self, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.ends.len() as u32).collect();
        order.sort_by_key(|&code| self.get(code as usize));
        let (mut sorted, mut new_codes) = (Self::default(), vec![0; order.len()]);
        for code in order {
            let text = std::str::from_utf8(self.get(code as usize)).expect("texts came as such");
            new_codes[code as usize] = sorted.code(text);
        }
        (sorted, new_codes)
    }

    /// Returns the bytes of all texts, the ends of the texts and the slots.
    pub(crate) fn into_parts(self) -> (Vec<u8>, ColumnBuilder, ColumnBuilder) {
        let (mut ends, mut slots) = (ColumnBuilder::default(), ColumnBuilder::default());
        self.ends.iter().for_each(|&end| ends.push(end as u64));
        self.slots.iter().for_each(|&slot| slots.push(u64::from(slot)));
        (self.bytes, ends, slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_found_by_its_code_and_by_itself() {
        let mut builder = StringsBuilder::default();
        let texts: Vec<String> = (0..1000).map(|n| format!("text {}", n * 7919 % 1000)).collect();
        for text in texts.iter().chain(&texts) {
            builder.code(text);
        }
        assert_eq!(builder.ends.len(), 1000);
        let (sorted, new_codes) = builder.sorted();
        let (bytes, ends, slots) = sorted.into_parts();
        let column = |builder: ColumnBuilder| {
            let (bytes, width) = builder.into_bytes();
            Column::from_bytes(bytes, width, false).expect("it was just made")
        };
        let (ends, slots) = (column(ends), column(slots));
        let strings = Strings { bytes: &bytes, ends: &ends, slots: &slots };
        for (text, &code) in texts.iter().zip(&new_codes) {
            assert_eq!(strings.get(code as usize), Some(text.as_str()));
            assert_eq!(strings.find(text), Some(code as usize));
        }
        assert_eq!(strings.find("no text"), None);
        assert!((1..1000).all(|code| strings.get(code - 1) < strings.get(code)));
    }
}
