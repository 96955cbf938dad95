//! Numbers of a table, one a row, in as few bytes as the largest of them needs.

use std::ops::Range;

/// Values of a column, stored little-endian.
///
/// In an optional column 0 stands for no value and everything else is one higher than its value.
#[derive(Debug)]
pub(crate) struct Column {
    values: Values,
    is_optional: bool,
}

#[derive(Debug)]
enum Values {
    Bytes(Vec<u8>),
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Column {
    /// Reads a column of values of `width` bytes.
    pub(crate) fn from_bytes(bytes: Vec<u8>, width: u8, is_optional: bool) -> Option<Self> {
        let values = match width {
            1 => Values::Bytes(bytes),
            4 if bytes.len().is_multiple_of(4) => {
                Values::Narrow(bytes.as_chunks().0.iter().map(|&b| u32::from_le_bytes(b)).collect())
            }
            8 if bytes.len().is_multiple_of(8) => {
                Values::Wide(bytes.as_chunks().0.iter().map(|&b| u64::from_le_bytes(b)).collect())
            }
            _ => return None,
        };
        Some(Self { values, is_optional })
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        match &self.values {
            Values::Bytes(values) => values.len(),
            Values::Narrow(values) => values.len(),
            Values::Wide(values) => values.len(),
        }
    }

    /// Returns the value of a row; `None` if it has none or is not there.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<u64> {
        let stored = match &self.values {
            Values::Bytes(values) => u64::from(*values.get(row)?),
            Values::Narrow(values) => u64::from(*values.get(row)?),
            Values::Wide(values) => *values.get(row)?,
        };
        if self.is_optional { stored.checked_sub(1) } else { Some(stored) }
    }

    /// Returns the value of a row as a place in something else; a missing one is beyond every end.
    #[inline]
    pub(crate) fn place(&self, row: usize) -> usize {
        self.get(row).and_then(|value| usize::try_from(value).ok()).unwrap_or(usize::MAX)
    }
}

/// Where the values of a row with several begin, and the values of all rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lists<'a> {
    pub(crate) starts: &'a Column,
    pub(crate) values: &'a Column,
}

impl<'a> Lists<'a> {
    /// Returns the values of a row.
    pub(crate) fn of(self, row: usize) -> impl Iterator<Item = usize> + 'a {
        self.range(row).map(move |at| self.values.place(at))
    }

    fn range(self, row: usize) -> Range<usize> {
        let start = self.starts.place(row).min(self.values.len());
        let end = self.starts.place(row.saturating_add(1)).min(self.values.len());
        start..end.max(start)
    }
}

/// A column while it is made.
#[derive(Debug, Default)]
pub(crate) struct ColumnBuilder {
    narrow: Vec<u32>,
    /// All values, once one of them needs it.
    wide: Option<Vec<u64>>,
    largest: u64,
    is_optional: bool,
}

impl ColumnBuilder {
    /// Makes a column in which rows may have no value.
    pub(crate) fn optional() -> Self {
        Self { is_optional: true, ..Self::default() }
    }

    /// Appends the value of the next row. Values are at most 2^63.
    pub(crate) fn push(&mut self, value: impl Into<Option<u64>>) {
        let value: Option<u64> = value.into();
        let stored =
            value.map_or(0, |value| value.min(1 << 63).saturating_add(u64::from(self.is_optional)));
        self.largest = self.largest.max(stored);
        match (&mut self.wide, u32::try_from(stored)) {
            (Some(wide), _) => wide.push(stored),
            (None, Ok(stored)) => self.narrow.push(stored),
            (None, Err(_)) => {
                let mut wide: Vec<u64> =
                    std::mem::take(&mut self.narrow).into_iter().map(u64::from).collect();
                wide.push(stored);
                self.wide = Some(wide);
            }
        }
    }

    /// Puts other codes in place of the codes in the column.
    pub(crate) fn recode(&mut self, new_codes: &[u32]) {
        let shift = u32::from(self.is_optional);
        for stored in &mut self.narrow {
            let code = stored.checked_sub(shift).and_then(|code| new_codes.get(code as usize));
            *stored = code.map_or(0, |code| code + shift);
        }
        self.largest = self.narrow.iter().copied().max().map_or(0, u64::from);
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.wide.as_ref().map_or(self.narrow.len(), Vec::len)
    }

    /// Returns whether rows may have no value.
    pub(crate) fn is_optional(&self) -> bool {
        self.is_optional
    }

    /// Returns the values as they are stored, and the bytes that each takes.
    pub(crate) fn into_bytes(self) -> (Vec<u8>, u8) {
        if let Some(wide) = self.wide {
            return (wide.iter().flat_map(|value| value.to_le_bytes()).collect(), 8);
        }
        if u8::try_from(self.largest).is_ok() {
            return (self.narrow.iter().map(|&value| value as u8).collect(), 1);
        }
        (self.narrow.iter().flat_map(|value| value.to_le_bytes()).collect(), 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_from_every_width() {
        for largest in [7, 255, 256, u64::from(u32::MAX), 1 << 40, 1 << 63] {
            for is_optional in [false, true] {
                let mut builder = ColumnBuilder { is_optional, ..ColumnBuilder::default() };
                let second = if is_optional { None } else { Some(3) };
                let values = [Some(0), second, Some(largest)];
                for value in values {
                    builder.push(value);
                }
                assert_eq!(builder.len(), 3);
                let (bytes, width) = builder.into_bytes();
                let column = Column::from_bytes(bytes, width, is_optional).expect("it fits");
                assert_eq!([0, 1, 2].map(|row| column.get(row)), values);
                assert_eq!(column.get(3), None);
            }
        }
    }

    #[test]
    fn bytes_that_are_no_column_are_refused() {
        assert!(Column::from_bytes(vec![0; 5], 4, false).is_none());
        assert!(Column::from_bytes(vec![0; 8], 3, false).is_none());
    }
}
