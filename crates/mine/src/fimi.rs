//! The text format of the FIMI workshops: one transaction a line, items as numbers.

use std::io::{self, Read, Write};
use std::ops::ControlFlow;

use thiserror::Error;

use crate::context::Context;
use crate::halt::Halt;
use crate::task::Cut;

/// A context whose items may have other names than their numbers.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// The transactions.
    pub context: Context,
    /// Names of the items, ascending; `None` if every item is named by its number.
    names: Option<Vec<u64>>,
}

impl Named {
    /// Returns the name of an item.
    pub fn name(&self, item: u32) -> u64 {
        self.names.as_ref().map_or(u64::from(item), |names| names[item as usize])
    }

    /// Returns the item of a name; one that no transaction holds may have none.
    pub fn item(&self, name: u64) -> Option<u32> {
        match &self.names {
            Some(names) => names.binary_search(&name).ok().map(|item| item as u32),
            None => (name < self.context.n_items() as u64).then_some(name as u32),
        }
    }
}

/// A file that cannot be used.
#[derive(Debug, Error)]
pub enum FimiError {
    /// Something that is no item.
    #[error("line {line}: items must be whole numbers separated by blanks, got {found:?}")]
    NotANumber {
        /// Line, from 1.
        line: u64,
        /// The character that should not be there.
        found: char,
    },
    /// An item beyond what a number can hold.
    #[error("line {line}: an item must be below 10^19, got one of more digits")]
    TooLarge {
        /// Line, from 1.
        line: u64,
    },
    /// More than four billion different items or transactions.
    #[error("line {line}: at most {} transactions can be mined", u32::MAX)]
    TooMany {
        /// Line, from 1.
        line: u64,
    },
    /// The bytes could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Somebody asked to stop.
    #[error("line {line}: stopped")]
    Stopped {
        /// Line, from 1.
        line: u64,
    },
}

/// Names are used as item numbers while they are below this, or below a multiple of the items read
/// so far. Larger names are numbered anew: three items with huge names must not need huge tables.
const PLAIN_BELOW: u64 = 1 << 24;

/// Reads transactions, one a line; items are separated by blanks, and an empty line is an empty
/// transaction.
///
/// ```
/// let named = retold_mine::read(&b"7 5 5\n\n99999999999 5"[..]).unwrap();
/// assert_eq!(named.context.n_transactions(), 3);
/// assert_eq!(named.context.rows().collect::<Vec<_>>(), [[0, 1], [0, 2]]);
/// assert_eq!(named.name(2), 99_999_999_999);
/// ```
pub fn read(bytes: impl Read) -> Result<Named, FimiError> {
    read_while(bytes, &|| false)
}

/// Reads transactions like [`read`], until `is_stopped` says so; see
/// [`mine_while`](crate::mine_while).
pub fn read_while(
    mut bytes: impl Read,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Named, FimiError> {
    let halt = Halt::new(is_stopped);
    let mut reader = Lines::new(halt);
    let mut buffer = vec![0; 1 << 17];
    loop {
        let n_read = bytes.read(&mut buffer);
        if halt.is_stopped() {
            return Err(FimiError::Stopped { line: reader.line });
        }
        match n_read {
            Ok(0) => return reader.finish(),
            Ok(n) => reader.take(&buffer[..n])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Writes a set as a line: the names of its items, then its support in parentheses.
///
/// Many short pieces are written; `out` should be buffered.
pub fn write_set(
    out: &mut impl Write,
    items: impl Iterator<Item = u64>,
    support: u32,
) -> io::Result<()> {
    let mut digits = itoa::Buffer::new();
    for item in items {
        out.write_all(digits.format(item).as_bytes())?;
        out.write_all(b" ")?;
    }
    out.write_all(b"(")?;
    out.write_all(digits.format(support).as_bytes())?;
    out.write_all(b")\n")
}

/// The lines read so far, and the one at hand.
struct Lines<'a> {
    halt: Halt<'a>,
    context: Context,
    /// All rows as they were named, once a name was too large for a plain number.
    large: Option<Large>,
    row: Vec<u64>,
    numbers: Vec<u32>,
    n_items: u64,
    line: u64,
    number: u64,
    is_in_number: bool,
    is_in_line: bool,
}

struct Large {
    rows: Vec<u64>,
    starts: Vec<usize>,
    n_transactions: u64,
}

impl<'a> Lines<'a> {
    fn new(halt: Halt<'a>) -> Self {
        Self {
            halt,
            context: Context::new(),
            large: None,
            row: Vec::new(),
            numbers: Vec::new(),
            n_items: 0,
            line: 1,
            number: 0,
            is_in_number: false,
            is_in_line: false,
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), FimiError> {
        for &byte in bytes {
            match byte {
                b'0'..=b'9' => {
                    // Nineteen digits fit; a twentieth may not.
                    if self.number >= 1_000_000_000_000_000_000 {
                        return Err(FimiError::TooLarge { line: self.line });
                    }
                    self.number = self.number * 10 + u64::from(byte - b'0');
                    self.is_in_number = true;
                }
                b' ' | b'\t' | b'\r' => self.end_number(),
                b'\n' => self.end_line()?,
                _ => {
                    let found = if byte.is_ascii() { char::from(byte) } else { '\u{fffd}' };
                    return Err(FimiError::NotANumber { line: self.line, found });
                }
            }
            self.is_in_line = byte != b'\n';
        }
        Ok(())
    }

    fn end_number(&mut self) {
        if self.is_in_number {
            self.row.push(self.number);
            self.number = 0;
            self.is_in_number = false;
        }
    }

    fn end_line(&mut self) -> Result<(), FimiError> {
        self.end_number();
        if self.line > u64::from(u32::MAX) {
            return Err(FimiError::TooMany { line: self.line });
        }
        self.line += 1;
        self.n_items += self.row.len() as u64;
        let plain_below = PLAIN_BELOW.max(16 * self.n_items).min(u64::from(u32::MAX));
        if self.large.is_none() && self.row.iter().any(|&name| name >= plain_below) {
            self.large = Some(self.kept(Large::of(&self.context, self.halt))?);
            self.context = Context::new();
        }
        if let Some(large) = &mut self.large {
            large.push(&self.row);
        } else if let [item] = self.row[..] {
            self.context.push_alone(item as u32);
        } else {
            self.numbers.clear();
            self.numbers.extend(self.row.iter().map(|&name| name as u32));
            self.context.push(&mut self.numbers);
        }
        self.row.clear();
        Ok(())
    }

    /// Returns what was made, unless it is no longer wanted.
    fn kept<T>(&self, made: ControlFlow<Cut, T>) -> Result<T, FimiError> {
        match made {
            ControlFlow::Continue(made) => Ok(made),
            ControlFlow::Break(_) => Err(FimiError::Stopped { line: self.line }),
        }
    }

    fn finish(mut self) -> Result<Named, FimiError> {
        if self.is_in_line {
            self.end_line()?;
        }
        let Some(large) = self.large.take() else {
            return Ok(Named { context: self.context, names: None });
        };
        let Large { rows, starts, n_transactions } = large;
        let (context, names) =
            self.kept(Context::renumber(rows, &starts, n_transactions, self.halt))?;
        Ok(Named { context, names: Some(names) })
    }
}

impl Large {
    fn of(context: &Context, halt: Halt<'_>) -> ControlFlow<Cut, Self> {
        let mut large =
            Self { rows: Vec::new(), starts: vec![0], n_transactions: context.n_transactions() };
        for (at, row) in context.rows().enumerate() {
            halt.look_at(at)?;
            large.rows.extend(row.iter().map(|&item| u64::from(item)));
            large.starts.push(large.rows.len());
        }
        for (item, &count) in context.alone().iter().enumerate() {
            halt.look_at(item)?;
            for _ in 0..count {
                large.rows.push(item as u64);
                large.starts.push(large.rows.len());
            }
        }
        ControlFlow::Continue(large)
    }

    fn push(&mut self, row: &[u64]) {
        self.rows.extend_from_slice(row);
        self.starts.push(self.rows.len());
        self.n_transactions += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Vec<u64>> {
        let named = read(text.as_bytes()).unwrap();
        let name = |row: &[u32]| row.iter().map(|&item| named.name(item)).collect();
        named.context.rows().map(name).collect()
    }

    #[test]
    fn the_last_line_counts_without_its_end() {
        assert_eq!(rows("1 2\n3 4"), [[1, 2], [3, 4]]);
        assert_eq!(read(&b"1 2\n3 4"[..]).unwrap().context.n_transactions(), 2);
        assert_eq!(read(&b"1 2\n3 4\n"[..]).unwrap().context.n_transactions(), 2);
        assert_eq!(read(&b""[..]).unwrap().context.n_transactions(), 0);
    }

    #[test]
    fn blanks_of_any_kind_separate() {
        assert_eq!(rows(" 1\t 2 \r\n2 1 \n"), [[1, 2], [1, 2]]);
    }

    #[test]
    fn names_may_be_large_and_few() {
        let text = "1 2\n1\n5 18000000000 1\n18000000000 2\n";
        assert_eq!(rows(text), [vec![1, 2], vec![1, 5, 18_000_000_000], vec![2, 18_000_000_000]]);
        let named = read(text.as_bytes()).unwrap();
        assert_eq!(named.context.n_items(), 4);
        assert_eq!(named.context.n_transactions(), 4);
        assert_eq!(named.context.alone()[0], 1);
        assert_eq!([1, 18_000_000_000, 3].map(|name| named.item(name)), [Some(0), Some(3), None]);
    }

    #[test]
    fn what_is_no_number_is_named_with_its_line() {
        let told = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            told("1 2\n1,2\n"),
            "line 2: items must be whole numbers separated by blanks, got ','"
        );
        assert!(told("-1\n").starts_with("line 1: "));
        assert!(told("1\n\n99999999999999999999\n").starts_with("line 3: an item must be below"));
    }

    #[test]
    fn reading_ends_when_it_is_asked_to() {
        use std::sync::atomic::{AtomicU64, Ordering};
        let mut text = "1 2\n".repeat(50);
        text.push_str(&"18000000000 2\n".repeat(50));
        let n_looks = |most: u64| {
            let n_looks = AtomicU64::new(0);
            let is_stopped = || n_looks.fetch_add(1, Ordering::Relaxed) >= most;
            let read = read_while(text.as_bytes(), &is_stopped);
            let is_stopped = matches!(read, Err(FimiError::Stopped { .. }));
            (is_stopped, n_looks.into_inner())
        };
        let (is_stopped, n_all) = n_looks(u64::MAX);
        assert!(!is_stopped && n_all > 10);
        for most in 0..n_all {
            assert_eq!(n_looks(most), (true, most + 1));
        }
    }

    #[test]
    fn a_set_is_written_with_its_support_in_parentheses() {
        let mut out = Vec::new();
        write_set(&mut out, [3, 14, 15].into_iter(), 92).unwrap();
        assert_eq!(out, b"3 14 15 (92)\n");
    }
}
