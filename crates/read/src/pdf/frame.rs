//! What goes through the pipes between a run and the process that reads PDF for it.
//!
//! The helper greets once, then answers each request, in order. A request is the number of bytes of
//! the file, the most bytes of text that are wanted, and the file; an answer is a byte that says
//! whether it is text or a reason, a number of bytes, and they. Numbers are eight bytes, the lowest
//! first.

use std::io::{self, Read, Write};

/// What the helper says first: who it is and which frames it knows.
const GREETING: [u8; 12] = *b"retold-pdf 1";

/// Longest reason that is read.
const MOST_REASON: u64 = 4096;

/// The text of a file, or the reason why there is none.
pub(super) type Answer = Result<String, String>;

/// Introduces the helper.
#[cfg(feature = "pdf")]
pub(super) fn greet(to: &mut impl Write) -> io::Result<()> {
    to.write_all(&GREETING)?;
    to.flush()
}

/// Reads the introduction.
pub(super) fn read_greeting(from: &mut impl Read) -> io::Result<()> {
    let mut greeting = [0; GREETING.len()];
    from.read_exact(&mut greeting)?;
    if greeting == GREETING { Ok(()) } else { Err(nonsense()) }
}

/// Asks for the text of a file.
pub(super) fn write_request(to: &mut impl Write, file: &[u8], most_bytes: u64) -> io::Result<()> {
    to.write_all(&(file.len() as u64).to_le_bytes())?;
    to.write_all(&most_bytes.to_le_bytes())?;
    to.write_all(file)?;
    to.flush()
}

/// Reads how long the next file is and how much text is wanted of it; `None` if there is no further
/// one.
#[cfg(feature = "pdf")]
pub(super) fn read_request(from: &mut impl Read) -> io::Result<Option<(u64, u64)>> {
    let mut first = [0; 1];
    if from.read(&mut first)? == 0 {
        return Ok(None);
    }
    let mut rest = [0; 15];
    from.read_exact(&mut rest)?;
    let mut numbers = [0; 16];
    numbers[0] = first[0];
    numbers[1..].copy_from_slice(&rest);
    let [n_bytes, most_bytes] = [0, 8].map(|at| number(&numbers[at..at + 8]));
    Ok(Some((n_bytes, most_bytes)))
}

/// Answers a request.
#[cfg(feature = "pdf")]
pub(super) fn write_answer(to: &mut impl Write, answer: &Answer) -> io::Result<()> {
    let (is_reason, text) = match answer {
        Ok(text) => (0, text),
        Err(reason) => (1, reason),
    };
    to.write_all(&[is_reason])?;
    to.write_all(&(text.len() as u64).to_le_bytes())?;
    to.write_all(text.as_bytes())?;
    to.flush()
}

/// Reads an answer. A text longer than was asked for is refused, not read.
pub(super) fn read_answer(from: &mut impl Read, most_bytes: u64) -> io::Result<Answer> {
    let mut head = [0; 9];
    from.read_exact(&mut head)?;
    let (is_reason, n_bytes) = (head[0] == 1, number(&head[1..]));
    if head[0] > 1 || n_bytes > if is_reason { MOST_REASON } else { most_bytes } {
        return Err(nonsense());
    }
    let mut text = Vec::new();
    text.try_reserve_exact(n_bytes as usize).map_err(io::Error::other)?;
    if from.take(n_bytes).read_to_end(&mut text)? as u64 != n_bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let text = String::from_utf8(text).map_err(|_| nonsense())?;
    Ok(if is_reason { Err(text) } else { Ok(text) })
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn nonsense() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it does not speak as `retold read-pdf` does")
}

#[cfg(all(test, feature = "pdf"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut pipe = Vec::new();
        greet(&mut pipe).expect("memory");
        write_request(&mut pipe, b"%PDF-", 77).expect("memory");
        write_answer(&mut pipe, &Ok("text".into())).expect("memory");
        write_answer(&mut pipe, &Err("reason".into())).expect("memory");
        let mut pipe = pipe.as_slice();
        read_greeting(&mut pipe).expect("a greeting");
        assert_eq!(read_request(&mut pipe).expect("a request"), Some((5, 77)));
        pipe = &pipe[5..];
        assert_eq!(read_answer(&mut pipe, 4).expect("an answer"), Ok("text".into()));
        assert_eq!(read_answer(&mut pipe, 4).expect("an answer"), Err("reason".into()));
        assert_eq!(read_request(&mut pipe).expect("the end"), None);
    }

    #[test]
    fn an_answer_that_claims_too_much_is_not_read() {
        let mut claim = vec![0];
        claim.extend(u64::MAX.to_le_bytes());
        assert!(read_answer(&mut claim.as_slice(), 1 << 20).is_err());
        assert!(read_answer(&mut [7; 20].as_slice(), 1 << 20).is_err());
        assert!(read_greeting(&mut b"Usage: cat [OPTION]".as_slice()).is_err());
    }
}
