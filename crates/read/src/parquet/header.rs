//! Checks of Thrift structures before the library reads them.
//!
//! The library skips a list that it does not know element by element, and an element may take no
//! byte. So a header of a few bytes that states two thousand million elements would keep it busy
//! for hours. Footers and headers of pages hold no such list and no map, so both are refused.

use std::io::Read;

/// Most structures inside each other; in a footer it is about eight.
const MOST_DEPTH: u32 = 32;

/// Types of values in the compact protocol of Thrift.
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// What the header of a page says; what it does not say is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    pub(super) kind: i64,
    /// Bytes after and before decompression.
    pub(super) bytes: i64,
    pub(super) packed_bytes: i64,
    pub(super) n_values: i64,
    pub(super) encoding: i64,
    /// Bytes of levels in front of what is compressed, in pages of the second version.
    pub(super) level_bytes: i64,
    /// Whether a page of the second version says that it is not compressed.
    pub(super) is_plain: bool,
}

/// Kind of a page that holds a dictionary.
pub(super) const DICTIONARY: i64 = 2;
/// Encoding of strings that are stored without the prefix they share with the string before.
pub(super) const DELTA_BYTE_ARRAY: i64 = 7;

impl PageHeader {
    /// Reads the header of a page.
    pub(super) fn read(input: impl Read) -> Result<Self, String> {
        let mut header = Self::default();
        let mut note = |parent: i16, id: i16, value: i64| match (parent, id) {
            (0, 1) => header.kind = value,
            (0, 2) => header.bytes = value,
            (0, 3) => header.packed_bytes = value,
            (5 | 7 | 8, 1) => header.n_values = value,
            (5, 2) | (8, 4) => header.encoding = value,
            (8, 5 | 6) => header.level_bytes = header.level_bytes.saturating_add(value),
            (8, 7) => header.is_plain = value == 0,
            _ => {}
        };
        Walk { input, note: &mut note }.structure(0, 0)?;
        Ok(header)
    }
}

/// Checks a structure without keeping anything of it.
pub(super) fn look_over(bytes: &[u8]) -> Result<(), String> {
    Walk { input: bytes, note: &mut |_, _, _| {} }.structure(0, 0)
}

/// Reads through a Thrift structure without building it. Every element takes at least one byte, so
/// the work is limited by the length of the input.
struct Walk<'a, R> {
    input: R,
    /// Called for each number in the outermost structure and in the structures directly inside it,
    /// with the field id of the structure it stands in, its own field id and its value.
    note: &'a mut dyn FnMut(i16, i16, i64),
}

impl<R: Read> Walk<'_, R> {
    fn structure(&mut self, parent: i16, depth: u32) -> Result<(), String> {
        if depth > MOST_DEPTH {
            return Err(format!("a structure is nested deeper than {MOST_DEPTH}"));
        }
        let mut id: i16 = 0;
        loop {
            let byte = self.byte()?;
            if byte == 0 {
                return Ok(());
            }
            let (step, kind) = (byte >> 4, byte & 15);
            id = match step {
                0 => zigzag(self.number()?) as i16,
                step => id.wrapping_add(i16::from(step)),
            };
            let value = match kind {
                1 | 2 => Some(i64::from(kind == 1)),
                BYTE => Some(i64::from(self.byte()?)),
                I16 | I32 | I64 => Some(zigzag(self.number()?)),
                STRUCT => {
                    let inner = if depth == 0 { id } else { -1 };
                    self.structure(inner, depth + 1)?;
                    None
                }
                kind => {
                    self.other(kind, depth)?;
                    None
                }
            };
            if let Some(value) = value
                && depth < 2
            {
                (self.note)(parent, id, value);
            }
        }
    }

    /// Passes over a value that is no number and no structure.
    fn other(&mut self, kind: u8, depth: u32) -> Result<(), String> {
        match kind {
            DOUBLE => self.skip(8),
            UUID => self.skip(16),
            BINARY => {
                let bytes = self.number()?;
                self.skip(bytes)
            }
            LIST | SET => self.list(depth + 1),
            kind => Err(format!("a structure holds a value of type {kind}")),
        }
    }

    fn list(&mut self, depth: u32) -> Result<(), String> {
        if depth > MOST_DEPTH {
            return Err(format!("a list is nested deeper than {MOST_DEPTH}"));
        }
        let byte = self.byte()?;
        let kind = byte & 15;
        let n = match byte >> 4 {
            15 => self.number()?,
            n => u64::from(n),
        };
        for _ in 0..n {
            match kind {
                BYTE => {
                    self.byte()?;
                }
                I16 | I32 | I64 => {
                    self.number()?;
                }
                STRUCT => self.structure(-1, depth + 1)?,
                kind => self.other(kind, depth)?,
            }
        }
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, String> {
        let mut byte = [0];
        self.input.read_exact(&mut byte).map_err(|_| ends())?;
        Ok(byte[0])
    }

    /// Reads a number in seven bits a byte, the lowest first.
    fn number(&mut self) -> Result<u64, String> {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let byte = self.byte()?;
            if shift > 63 {
                return Err("a number is longer than 64 bits".to_owned());
            }
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    fn skip(&mut self, bytes: u64) -> Result<(), String> {
        let mut skipped = (&mut self.input).take(bytes);
        match std::io::copy(&mut skipped, &mut std::io::sink()) {
            Ok(n) if n == bytes => Ok(()),
            _ => Err(ends()),
        }
    }
}

fn ends() -> String {
    "a structure ends too early".to_owned()
}

/// Returns a signed number of which the sign stands in the lowest bit.
fn zigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_header_says_kind_and_sizes() {
        // type 0, 40 bytes, 30 packed, data page header with 7 values in encoding 8.
        let bytes = [0x15, 0, 0x15, 80, 0x15, 60, 0x2c, 0x15, 14, 0x15, 16, 0, 0];
        let header = PageHeader::read(&bytes[..]).expect("a header");
        assert_eq!((header.bytes, header.packed_bytes), (40, 30));
        assert_eq!((header.n_values, header.encoding), (7, 8));
        assert!(PageHeader::read(&bytes[..8]).is_err());
    }

    #[test]
    fn lists_of_nothing_maps_and_deep_lists_are_refused() {
        // Field 9: a list of 2^31 - 1 truths, which take no byte where they are skipped.
        let truths = [0x99, 0xf1, 0xff, 0xff, 0xff, 0xff, 7, 0];
        assert!(look_over(&truths).is_err());
        // The same of doubles, beyond the end.
        let doubles = [0x99, 0xf7, 0xff, 0xff, 0xff, 0xff, 7, 0];
        assert!(look_over(&doubles).is_err());
        assert!(look_over(&[0x1b, 1, 0x11, 0, 0]).is_err(), "a map");
        let mut deep = vec![0x19];
        deep.extend([0x19; 100]);
        assert!(look_over(&deep).expect_err("too deep").contains("deeper"));
        assert!(look_over(&[0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]).is_err());
    }
}
