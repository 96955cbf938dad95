//! Packed rows: a sketch of equally many numbers for every document, of a few bits each.
//!
//! Rows follow each other without a gap, lowest bits first, so `n` rows of `b` bits take n · b bits,
//! rounded up to bytes.

use crate::encode::{Encoded, Input, put_number};

/// Numbers of `bits` bits each, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedRows {
    /// Bits of a row, 1 to 32.
    bits: u32,
    n_rows: usize,
    bytes: Box<[u8]>,
}

/// Returns the bytes that rows take, or `None` if there are too many rows to count.
fn n_bytes(n_rows: usize, bits: u32) -> Option<usize> {
    Some(n_rows.checked_mul(bits as usize)?.div_ceil(8))
}

impl PackedRows {
    /// Keeps the lowest `bits` bits of each number; `bits` is 1 to 32.
    ///
    /// ```
    /// use retold_core::image::packed_rows::PackedRows;
    /// let rows = PackedRows::new(3, &[0b101, 0b1111, 0b010]);
    /// assert_eq!(rows.iter().collect::<Vec<u32>>(), [0b101, 0b111, 0b010]);
    /// assert_eq!(rows.as_bytes(), [0b1011_1101, 0]);
    /// ```
    pub fn new(bits: u32, numbers: &[u32]) -> Self {
        assert!((1..=32).contains(&bits), "a row has 1 to 32 bits, not {bits}");
        let n_bytes = n_bytes(numbers.len(), bits).expect("numbers in memory can be counted");
        let mut bytes = Vec::with_capacity(n_bytes);
        // Bits that do not fill a byte yet, and how many they are.
        let (mut left, mut n_left) = (0u64, 0);
        for &number in numbers {
            left |= (u64::from(number) & mask(bits)) << n_left;
            n_left += bits;
            while n_left >= 8 {
                bytes.push(left as u8);
                left >>= 8;
                n_left -= 8;
            }
        }
        if n_left > 0 {
            bytes.push(left as u8);
        }
        Self { bits, n_rows: numbers.len(), bytes: bytes.into() }
    }

    /// Returns the rows in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let mut bytes = self.bytes.iter();
        let (mut left, mut n_left) = (0u64, 0);
        (0..self.n_rows).map(move |_| {
            while n_left < self.bits {
                left |= u64::from(*bytes.next().expect("every row has its bits")) << n_left;
                n_left += 8;
            }
            let row = left & mask(self.bits);
            left >>= self.bits;
            n_left -= self.bits;
            row as u32
        })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.n_rows
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    /// Returns the rows as bytes; bits behind the last row are 0.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the share of rows that are equal in both; 0 if one has none.
    pub fn agreement(&self, other: &Self) -> f64 {
        let n_equal = self.iter().zip(other.iter()).filter(|(x, y)| x == y).count();
        n_equal as f64 / self.len().max(other.len()).max(1) as f64
    }
}

/// Returns a number whose lowest bits are set.
fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// The bits of a row, the number of rows, and the rows.
impl Encoded for PackedRows {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.bits as u8);
        put_number(self.n_rows as u64, out);
        out.extend_from_slice(&self.bytes);
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let bits = u32::from(input.take(1)?[0]);
        if !(1..=32).contains(&bits) {
            return None;
        }
        let n_rows = usize::try_from(input.number()?).ok()?;
        let bytes: Box<[u8]> = input.take(n_bytes(n_rows, bits)?)?.into();
        let n_spare = bytes.len() * 8 - n_rows * bits as usize;
        let is_padded = bytes.last().is_none_or(|last| last.leading_zeros() as usize >= n_spare);
        is_padded.then_some(Self { bits, n_rows, bytes })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::encode::{from_bytes, to_bytes};

    proptest! {
        #[test]
        fn rows_come_back_cut_to_their_bits_and_take_no_more_room(
            bits in 1u32..=32,
            numbers in prop::collection::vec(any::<u32>(), 0..70),
        ) {
            let packed = PackedRows::new(bits, &numbers);
            let cut: Vec<u32> = numbers.iter().map(|&n| (u64::from(n) & mask(bits)) as u32).collect();
            prop_assert_eq!(packed.iter().collect::<Vec<u32>>(), cut);
            prop_assert_eq!(packed.as_bytes().len(), (numbers.len() * bits as usize).div_ceil(8));
            prop_assert_eq!(from_bytes(&to_bytes(&packed)), Some(packed));
        }
    }

    #[test]
    fn bits_behind_the_last_row_are_refused() {
        let bytes = to_bytes(&PackedRows::new(3, &[7, 7]));
        let mut damaged = bytes.to_vec();
        *damaged.last_mut().expect("rows have bytes") |= 0x80;
        assert!(from_bytes::<PackedRows>(&bytes).is_some());
        assert!(from_bytes::<PackedRows>(&damaged).is_none());
    }

    #[test]
    fn agreement_is_the_share_of_equal_rows() {
        let rows = |numbers: &[u32]| PackedRows::new(5, numbers);
        let agreement = rows(&[1, 2, 3, 4]).agreement(&rows(&[1, 9, 3, 36]));
        assert!((agreement - 0.75).abs() < f64::EPSILON, "36 and 4 have the same lowest bits");
        assert!(rows(&[]).agreement(&rows(&[])).abs() < f64::EPSILON);
    }
}
