//! How images are stored: numbers as bytes, and back.
//!
//! Whole numbers are variable-length, seven bits a byte, small ones first. Ascending numbers of a
//! known width are written as the distances between them in Golomb-Rice codes: about 1.5 bits
//! more than the distances carry.

/// A value that can be written as bytes and read back.
pub trait Encoded: Sized + Send + Sync + 'static {
    /// Writes it behind `out`.
    fn encode(&self, out: &mut Vec<u8>);

    /// Reads it back; `None` if [`encode`](Self::encode) never writes such bytes.
    fn decode(input: &mut Input<'_>) -> Option<Self>;
}

/// Version of the encoding of images: their first byte. A change of any
/// [`Encoded`] image that reads old bytes differently takes the next number.
pub const FORMAT: u8 = 1;

/// Returns the bytes of a value, with the version in front.
pub fn to_bytes(value: &impl Encoded) -> Box<[u8]> {
    let mut out = vec![FORMAT];
    value.encode(&mut out);
    out.into()
}

/// Reads back what [`to_bytes`] wrote; `None` if it is something else.
pub fn from_bytes<T: Encoded>(bytes: &[u8]) -> Option<T> {
    let (&format, rest) = bytes.split_first()?;
    let mut input = Input::new(rest);
    let value = T::decode(&mut input)?;
    (format == FORMAT && input.is_empty()).then_some(value)
}

impl Encoded for () {
    fn encode(&self, _: &mut Vec<u8>) {}

    fn decode(_: &mut Input<'_>) -> Option<Self> {
        Some(())
    }
}

impl Encoded for u64 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        Some(u64::from_le_bytes(input.take(8)?.try_into().ok()?))
    }
}

impl Encoded for u32 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        Some(u32::from_le_bytes(input.take(4)?.try_into().ok()?))
    }
}

impl Encoded for f64 {
    fn encode(&self, out: &mut Vec<u8>) {
        self.to_bits().encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        u64::decode(input).map(f64::from_bits)
    }
}

impl Encoded for bool {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        match input.take(1)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

/// Writes the fields of a struct one behind the other, and reads them back.
macro_rules! encoded_fields {
    ($name:ident { $($field:ident),+ }) => {
        impl crate::encode::Encoded for $name {
            fn encode(&self, out: &mut Vec<u8>) {
                $(crate::encode::Encoded::encode(&self.$field, out);)+
            }

            fn decode(input: &mut crate::encode::Input<'_>) -> Option<Self> {
                Some(Self { $($field: crate::encode::Encoded::decode(input)?,)+ })
            }
        }
    };
}
pub(crate) use encoded_fields;

impl Encoded for Vec<u32> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_number(self.len() as u64, out);
        for &value in self {
            put_number(u64::from(value), out);
        }
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let n = input.count()?;
        (0..n).map(|_| u32::try_from(input.number()?).ok()).collect()
    }
}

/// Writes a number in as few bytes as it needs.
pub fn put_number(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes that are being read.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    /// Starts at the beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Returns the number of bytes left.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the next `n` bytes, or `None` if there are fewer.
    pub fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(n)?;
        self.bytes = rest;
        Some(taken)
    }

    /// Reads what [`put_number`] wrote.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        if first < 0x80 {
            return Some(u64::from(first));
        }
        let mut value = u64::from(first & 0x7f);
        let mut shift = 7;
        loop {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(value);
            }
            shift += 7;
            if shift > 63 {
                return None;
            }
        }
    }

    /// Reads a number of things, each of which has at least one bit still to be read.
    pub fn count(&mut self) -> Option<usize> {
        let n = usize::try_from(self.number()?).ok()?;
        (n <= self.bytes.len().saturating_mul(8)).then_some(n)
    }

    /// Reads what [`put_ascending`] wrote.
    pub fn ascending(&mut self, width: u32) -> Option<Vec<u64>> {
        let n = self.count()?;
        let mut out = Vec::with_capacity(n);
        let mut codes = Ascending::new(self.bytes, n, width);
        let mut last = 0;
        for value in codes.by_ref() {
            if value < last || value >> width != 0 {
                return None;
            }
            last = value;
            out.push(value);
        }
        if out.len() < n {
            return None;
        }
        let n_bytes = codes.at.div_ceil(8);
        self.take(n_bytes)?;
        Some(out)
    }
}

/// Returns the width of the plain part of a code for `n` numbers of `width` bits.
fn plain_bits(n: usize, width: u32) -> u32 {
    // The median distance is ln 2 times the average; rounding down to a power of two is near it.
    width.saturating_sub((n.max(1) as u64).ilog2() + 1).min(width)
}

/// Writes the number of some numbers and the numbers themselves, ascending and each below
/// 2^`width`, `width` at most 56.
pub fn put_ascending(values: &[u64], width: u32, out: &mut Vec<u8>) {
    debug_assert!(width <= 56, "a code fits a word");
    put_number(values.len() as u64, out);
    let plain = plain_bits(values.len(), width);
    let mask = (1u64 << plain) - 1;
    let (mut word, mut n_bits) = (0u64, 0u32);
    let mut last = 0;
    for &value in values {
        debug_assert!(value >= last && value >> width == 0, "ascending, and of that width");
        let distance = value - last;
        last = value;
        let mut quotient = distance >> plain;
        // Zeros for the quotient, a one, and the rest.
        loop {
            let n_zeros = quotient.min(u64::from(63 - n_bits)) as u32;
            n_bits += n_zeros;
            quotient -= u64::from(n_zeros);
            if quotient == 0 && n_bits < 63 {
                break;
            }
            flush(&mut word, &mut n_bits, out);
        }
        word |= 1 << n_bits;
        n_bits += 1;
        flush(&mut word, &mut n_bits, out);
        word |= (distance & mask) << n_bits;
        n_bits += plain;
        flush(&mut word, &mut n_bits, out);
    }
    if n_bits > 0 {
        out.push(word as u8);
    }
}

/// Writes the whole bytes of a word.
#[inline]
fn flush(word: &mut u64, n_bits: &mut u32, out: &mut Vec<u8>) {
    let n_bytes = (*n_bits / 8) as usize;
    // PERF: always eight bytes, which are a single store; as many as there are take a call.
    let len = out.len();
    out.extend_from_slice(&word.to_le_bytes());
    out.truncate(len + n_bytes);
    *word = if n_bytes == 8 { 0 } else { *word >> (8 * n_bytes) };
    *n_bits %= 8;
}

/// Reads ascending numbers one by one, without the number of them in front.
#[derive(Clone, Debug)]
pub struct Ascending<'a> {
    bytes: &'a [u8],
    /// Bits read.
    at: usize,
    n_left: usize,
    plain: u32,
    last: u64,
}

impl<'a> Ascending<'a> {
    /// Starts to read `n` numbers of `width` bits.
    pub fn new(bytes: &'a [u8], n: usize, width: u32) -> Self {
        Self { bytes, at: 0, n_left: n, plain: plain_bits(n, width), last: 0 }
    }

    /// Returns the next bits, the first one lowest; at least 56 of them are true, or all that
    /// are left.
    #[inline]
    fn word(&self) -> u64 {
        let from = self.at / 8;
        let word = if let Some(bytes) = self.bytes.get(from..from + 8) {
            u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
        } else {
            let rest = self.bytes.get(from..).unwrap_or_default();
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(bytes)
        };
        word >> (self.at % 8)
    }
}

impl Iterator for Ascending<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.n_left == 0 {
            return None;
        }
        let mut word = self.word();
        let mut quotient = 0u64;
        while word == 0 {
            // All that a word is sure to hold.
            let n_true = 56usize;
            self.at += n_true;
            quotient += n_true as u64;
            if self.at >= self.bytes.len() * 8 {
                self.n_left = 0;
                return None;
            }
            word = self.word();
        }
        let n_zeros = word.trailing_zeros();
        quotient += u64::from(n_zeros);
        self.at += n_zeros as usize + 1;
        let rest = self.word() & ((1u64 << self.plain) - 1);
        self.at += self.plain as usize;
        if self.at > self.bytes.len() * 8 {
            self.n_left = 0;
            return None;
        }
        self.n_left -= 1;
        self.last = self.last.wrapping_add(quotient.wrapping_shl(self.plain)).wrapping_add(rest);
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::Random;

    #[test]
    fn ascending_numbers_take_little_more_than_they_carry() {
        let mut random = Random::new(2);
        for (n, width) in [(1, 40), (14, 40), (64, 40), (1000, 40), (1000, 21), (60_000, 27)] {
            let mut values: Vec<u64> = (0..n).map(|_| random.next_u64() >> (64 - width)).collect();
            values.sort_unstable();
            let mut bytes = Vec::new();
            put_ascending(&values, width, &mut bytes);
            let mut input = Input::new(&bytes);
            assert_eq!(input.ascending(width).expect("what was written"), values);
            assert!(input.is_empty());
            let carried = f64::from(width) - (n as f64).log2() + 1.45;
            let bits = bytes.len() as f64 * 8.0 / n as f64;
            assert!(bits < carried + 1.0 + 32.0 / n as f64, "{n} of {width}: {bits} bits");
        }
    }

    proptest! {
        #[test]
        fn numbers_come_back(
            mut values in prop::collection::vec(0u64..1 << 44, 0..60),
            small in prop::collection::vec(0u64..40, 0..60),
            others in prop::collection::vec(any::<u64>(), 0..20),
        ) {
            for values in [&mut values, &mut small.clone()] {
                values.sort_unstable();
                let mut bytes = Vec::new();
                put_ascending(values, 44, &mut bytes);
                for &other in &others {
                    put_number(other, &mut bytes);
                }
                let mut input = Input::new(&bytes);
                prop_assert_eq!(&input.ascending(44).expect("what was written"), values);
                for &other in &others {
                    prop_assert_eq!(input.number(), Some(other));
                }
                prop_assert!(input.is_empty());
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for width in [8, 21, 40, 56] {
                let _ = Input::new(&bytes).ascending(width);
            }
            let _ = Vec::<u32>::decode(&mut Input::new(&bytes));
        }
    }
}
