//! Records as bytes: numbers in as few as they need, texts behind their length.

use crate::error::Error;

/// Appends a number: seven bits a byte, the lowest first.
pub(crate) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a text.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Appends bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends a text that may be absent.
pub(crate) fn put_some_text(out: &mut Vec<u8>, text: Option<&str>) {
    out.push(u8::from(text.is_some()));
    if let Some(text) = text {
        put_text(out, text);
    }
}

/// Takes apart what was put together, in the same order.
pub(crate) struct Taking<'a>(pub(crate) &'a [u8]);

impl<'a> Taking<'a> {
    /// Takes one byte.
    pub(crate) fn byte(&mut self) -> Result<u8, Error> {
        let (&byte, rest) = self.0.split_first().ok_or_else(broken)?;
        self.0 = rest;
        Ok(byte)
    }

    /// Takes a number.
    pub(crate) fn number(&mut self) -> Result<u64, Error> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(broken())
    }

    /// Takes a number that was one of 32 bits.
    pub(crate) fn small(&mut self) -> Result<u32, Error> {
        u32::try_from(self.number()?).map_err(|_| broken())
    }

    /// Takes eight bytes as a number.
    pub(crate) fn fixed(&mut self) -> Result<u64, Error> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or_else(broken)?;
        self.0 = rest;
        Ok(u64::from_le_bytes(*bytes))
    }

    /// Takes bytes.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Error> {
        let n = usize::try_from(self.number()?).map_err(|_| broken())?;
        let (bytes, rest) = self.0.split_at_checked(n).ok_or_else(broken)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Takes a text.
    pub(crate) fn text(&mut self) -> Result<&'a str, Error> {
        std::str::from_utf8(self.bytes()?).map_err(|_| broken())
    }

    /// Takes a text that may be absent.
    pub(crate) fn some_text(&mut self) -> Result<Option<&'a str>, Error> {
        if self.byte()? == 0 { Ok(None) } else { self.text().map(Some) }
    }
}

fn broken() -> Error {
    Error::Internal("a record in a scratch file is not what was written".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_taken() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut out = Vec::new();
        for number in numbers {
            put_number(&mut out, number);
        }
        put_text(&mut out, "käse");
        put_some_text(&mut out, None);
        put_some_text(&mut out, Some(""));
        let mut taking = Taking(&out);
        for number in numbers {
            assert_eq!(taking.number().expect("it was put"), number);
        }
        assert_eq!(taking.text().expect("it was put"), "käse");
        assert_eq!(taking.some_text().expect("it was put"), None);
        assert_eq!(taking.some_text().expect("it was put"), Some(""));
        assert!(taking.byte().is_err());
    }
}
