//! Values of one column, one after another.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use arrow_ipc::{DictionaryBatch, FieldNode};

use crate::arrow::batch::Place;
use crate::arrow::buffers::{Buffers, Bytes, Held, too_much};
use crate::arrow::schema::{Fixed, Kind, Meaning};
use crate::parquet::{date, time};

/// Bytes of a view, and of a string that stands in the view itself.
const VIEW_BYTES: usize = 16;
const INLINE_BYTES: usize = 12;

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Absent,
    Value(String),
    /// Longer than a document may be.
    TooLarge,
    /// Bytes that are not UTF-8.
    Odd,
}

impl Cell {
    /// Returns the bytes of a value.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Value(value) => value.len() as u64,
            _ => 0,
        }
    }

    fn of(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or(Self::Odd, Self::Value)
    }
}

/// The values of a column in one batch.
pub(super) struct Values {
    /// Which values are there; all if it is missing.
    present: Option<Bits>,
    stored: Stored,
    document_bytes: u64,
}

enum Stored {
    Text { offsets: Bytes, offset_bytes: usize, last: Option<u64>, data: Bytes },
    View { views: Bytes, buffers: Vec<Held> },
    Fixed(Fixed, Bytes),
    Entry { numbers: Bytes, fixed: Fixed, dictionary: Arc<Dictionary> },
}

impl Values {
    /// Opens the values of a column, whose buffers are `range` of those of the batch.
    pub(super) fn open(
        place: &Place,
        buffers: &Buffers<'_>,
        range: Range<usize>,
        kind: Kind,
        entries: Option<(Fixed, Arc<Dictionary>)>,
        held: &mut u64,
    ) -> Result<Self, String> {
        let first = range.start;
        let present =
            if buffers.is_empty(first) { None } else { Some(Bits::new(buffers.open(first)?)) };
        let stored = match (entries, kind) {
            (Some((fixed, dictionary)), _) => {
                Stored::Entry { numbers: buffers.open(first + 1)?, fixed, dictionary }
            }
            (None, Kind::Text { offset_bytes }) => Stored::Text {
                offsets: buffers.open(first + 1)?,
                offset_bytes,
                last: None,
                data: buffers.open(first + 2)?,
            },
            (None, Kind::View) => Stored::View {
                views: buffers.open(first + 1)?,
                buffers: (first + 2..range.end)
                    .map(|number| buffers.hold(number, held))
                    .collect::<Result<_, _>>()?,
            },
            (None, Kind::Fixed(fixed)) => Stored::Fixed(fixed, buffers.open(first + 1)?),
        };
        Ok(Self { present, stored, document_bytes: place.document_bytes })
    }

    /// Returns the next value.
    pub(super) fn next(&mut self) -> Result<Cell, String> {
        let is_there = match &mut self.present {
            Some(present) => present.next()?,
            None => true,
        };
        let cell = match &mut self.stored {
            Stored::Text { offsets, offset_bytes, last, data } => {
                let start = if let Some(start) = *last {
                    start
                } else {
                    // The strings of a part of a larger column begin further on.
                    let start = number(offsets, *offset_bytes)?;
                    skip(data, start)?;
                    start
                };
                let end = number(offsets, *offset_bytes)?;
                let bytes = end.checked_sub(start).ok_or("strings that end before they begin")?;
                *last = Some(end);
                if bytes > self.document_bytes || !is_there {
                    skip(data, bytes)?;
                    Cell::TooLarge
                } else {
                    Cell::of(take(data, bytes)?)
                }
            }
            Stored::View { views, buffers } => {
                let mut view = [0; VIEW_BYTES];
                views.read_exact(&mut view).map_err(|error| ends(&error))?;
                if is_there { of_view(&view, buffers, self.document_bytes)? } else { Cell::Absent }
            }
            Stored::Fixed(fixed, values) => {
                let number = number(values, fixed.bytes)?;
                Cell::Value(fixed.shown(number))
            }
            Stored::Entry { numbers, fixed, dictionary } => {
                let number = number(numbers, fixed.bytes)?;
                if is_there { dictionary.entry(number)? } else { Cell::Absent }
            }
        };
        Ok(if is_there { cell } else { Cell::Absent })
    }
}

impl Fixed {
    /// Writes a value, whose bytes are those of a number with zeros before it.
    fn shown(self, number: u64) -> String {
        let unused = 64 - 8 * self.bytes as u32;
        let signed = (number << unused).cast_signed() >> unused;
        match self.meaning {
            Meaning::Signed => signed.to_string(),
            Meaning::Unsigned => number.to_string(),
            Meaning::Real => f64::from_bits(number).to_string(),
            Meaning::Day => date(signed),
            Meaning::Time(per_second) => time(signed.div_euclid(per_second)),
        }
    }
}

fn of_view(view: &[u8; VIEW_BYTES], buffers: &[Held], document_bytes: u64) -> Result<Cell, String> {
    let part = |at: usize| u32::from_le_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]);
    let length = part(0) as usize;
    if length <= INLINE_BYTES {
        return Ok(Cell::of(view[4..4 + length].to_vec()));
    }
    let buffer = buffers.get(part(8) as usize).ok_or("a string in a buffer that is not there")?;
    buffer.check(u64::from(part(12)), length as u64)?;
    if length as u64 > document_bytes {
        return Ok(Cell::TooLarge);
    }
    let mut bytes = vec![0; length];
    buffer.read(u64::from(part(12)), &mut bytes)?;
    Ok(Cell::of(bytes))
}

/// The values that numbers in columns stand for.
#[derive(Default)]
pub(super) struct Dictionary {
    text: String,
    /// Where the entries lie; none is an entry that is no text.
    entries: Vec<Option<Range<usize>>>,
}

impl Dictionary {
    /// Reads the entries of a batch behind those of `before`. They may take what is left of the memory
    /// that the file may hold, of which `held` bytes are taken.
    pub(super) fn read(
        place: &Place,
        kind: Kind,
        before: Option<Arc<Self>>,
        batch: &DictionaryBatch<'_>,
        body: &Range<u64>,
        held: u64,
    ) -> Result<Self, String> {
        let mut read = before.map(Arc::unwrap_or_clone).unwrap_or_default();
        let data = batch.data().ok_or("a dictionary has no values")?;
        let buffers = Buffers::of(&place.access, body, &data, place.ratio)?;
        let mut left = place.held_bytes.checked_sub(held).ok_or_else(too_much)?;
        let n_buffers = buffers.len();
        let mut values = Values::open(place, &buffers, 0..n_buffers, kind, None, &mut left)?;
        left = left.checked_sub(read.held_bytes()).ok_or_else(too_much)?;
        let n_entries = data.nodes().iter().flatten().next().map_or(0, FieldNode::length);
        for _ in 0..n_entries.max(0) {
            let cell = values.next()?;
            left = left.checked_sub(cell.bytes() + ENTRY_BYTES).ok_or_else(too_much)?;
            read.entries.push(match cell {
                Cell::Value(value) => {
                    let start = read.text.len();
                    read.text.push_str(&value);
                    Some(start..read.text.len())
                }
                _ => None,
            });
        }
        Ok(read)
    }

    /// Returns how many bytes it takes.
    pub(super) fn held_bytes(&self) -> u64 {
        self.text.len() as u64 + ENTRY_BYTES * self.entries.len() as u64
    }

    fn entry(&self, number: u64) -> Result<Cell, String> {
        let entry = usize::try_from(number).ok().and_then(|number| self.entries.get(number));
        Ok(match entry.ok_or("a value that its dictionary does not have")? {
            Some(range) => Cell::Value(self.text[range.clone()].to_owned()),
            None => Cell::Absent,
        })
    }
}

impl Clone for Dictionary {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), entries: self.entries.clone() }
    }
}

/// What an entry of a dictionary takes beside its text.
const ENTRY_BYTES: u64 = size_of::<Option<Range<usize>>>() as u64;

/// Bits, the lowest of each byte first.
struct Bits {
    bytes: Bytes,
    byte: u8,
    left: u8,
}

impl Bits {
    fn new(bytes: Bytes) -> Self {
        Self { bytes, byte: 0, left: 0 }
    }

    fn next(&mut self) -> Result<bool, String> {
        if self.left == 0 {
            self.byte = number(&mut self.bytes, 1)? as u8;
            self.left = 8;
        }
        let bit = self.byte & 1 == 1;
        self.byte >>= 1;
        self.left -= 1;
        Ok(bit)
    }
}

/// Reads a number of so many bytes, the lowest first.
fn number(bytes: &mut Bytes, n: usize) -> Result<u64, String> {
    let mut number = [0; 8];
    bytes.read_exact(&mut number[..n]).map_err(|error| ends(&error))?;
    Ok(u64::from_le_bytes(number))
}

fn take(bytes: &mut Bytes, n: u64) -> Result<Vec<u8>, String> {
    // Memory grows with what is there, not with what is claimed.
    let mut taken = Vec::new();
    let read = bytes.take(n).read_to_end(&mut taken).map_err(|error| ends(&error))?;
    if read as u64 == n { Ok(taken) } else { Err("a buffer ends too early".to_owned()) }
}

fn skip(bytes: &mut Bytes, n: u64) -> Result<(), String> {
    let read = io::copy(&mut bytes.take(n), &mut io::sink()).map_err(|error| ends(&error))?;
    if read == n { Ok(()) } else { Err("a buffer ends too early".to_owned()) }
}

fn ends(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "a buffer ends too early".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(bytes: &[u8]) -> Bytes {
        Box::new(io::Cursor::new(bytes.to_vec()))
    }

    #[test]
    fn bits_come_with_the_lowest_first() {
        let mut bits = Bits::new(bytes(&[0b0000_0101, 1]));
        let read: Vec<bool> = (0..9).map(|_| bits.next().expect("there are 16")).collect();
        assert_eq!(read, [true, false, true, false, false, false, false, false, true]);
        (9..16).for_each(|_| assert!(!bits.next().expect("there are 16")));
        assert!(bits.next().is_err());
    }

    #[test]
    fn numbers_have_a_sign_of_their_width() {
        let fixed = |bytes, meaning| Fixed { bytes, meaning };
        assert_eq!(fixed(1, Meaning::Signed).shown(0xff), "-1");
        assert_eq!(fixed(1, Meaning::Unsigned).shown(0xff), "255");
        assert_eq!(fixed(8, Meaning::Unsigned).shown(u64::MAX), u64::MAX.to_string());
        assert_eq!(fixed(4, Meaning::Day).shown(0xffff_ffff), "1969-12-31");
        assert_eq!(fixed(8, Meaning::Time(1_000)).shown(1_300_708_800_500), "2011-03-21T12:00:00Z");
    }

    #[test]
    fn a_view_is_checked_before_memory_is_taken() {
        let held = [Held::Memory(b"thirteen bytes".to_vec())];
        let mut view = [0; VIEW_BYTES];
        view[0] = 13;
        assert_eq!(of_view(&view, &held, 100), Ok(Cell::Value("thirteen byte".to_owned())));
        assert_eq!(of_view(&view, &held, 12), Ok(Cell::TooLarge));
        view[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(of_view(&view, &held, u64::MAX).is_err());
        view[8] = 1;
        assert!(of_view(&view, &held, u64::MAX).is_err());
    }
}
