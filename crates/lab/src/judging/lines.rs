//! JSON Lines in files that only grow.
//!
//! A crash may tear the last line, and whoever writes next begins a new one, so a torn line may
//! also stand in the middle. It is reported and passed over; nothing before or behind it is lost.

use std::io::{self, BufRead, Read as _};

use serde_json::Value;
use thiserror::Error;

/// Bytes of the longest line that is read; ids and names of methods take far less.
const MOST_BYTES: u64 = 16 << 20;

/// A line that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}, line {line}: {reason}")]
pub struct BadLine {
    /// The file.
    pub file: String,
    /// Number of the line, from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// A file that cannot be used at all.
#[derive(Debug, Error)]
pub enum JudgingError {
    /// It cannot be read.
    #[error("cannot read {file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// It begins otherwise than such a file begins.
    #[error("{0}")]
    Header(BadLine),
}

/// Hands over every line that is JSON, with its number, in order, and returns the others.
///
/// Blank lines are passed over. `each` returns why it cannot use a line, if it cannot.
pub(super) fn read(
    file: &str,
    mut reader: impl BufRead,
    mut each: impl FnMut(u64, Value) -> Result<(), String>,
) -> Result<Vec<BadLine>, JudgingError> {
    let failed = |source| JudgingError::Io { file: file.to_owned(), source };
    let (mut bad, mut bytes, mut line) = (Vec::new(), Vec::new(), 0);
    loop {
        bytes.clear();
        let n = reader.by_ref().take(MOST_BYTES).read_until(b'\n', &mut bytes).map_err(failed)?;
        if n == 0 {
            return Ok(bad);
        }
        line += 1;
        let is_ended = bytes.ends_with(b"\n");
        let mut refuse = |reason: String| bad.push(BadLine { file: file.to_owned(), line, reason });
        if !is_ended && n as u64 == MOST_BYTES {
            refuse(format!("longer than {MOST_BYTES} bytes"));
            skip_line(&mut reader).map_err(failed)?;
            continue;
        }
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        // Without its end: in a string that was torn the line feed would be the fault that is
        // named.
        match serde_json::from_slice(bytes.trim_ascii()) {
            Ok(value) => {
                if let Err(reason) = each(line, value) {
                    refuse(reason);
                }
            }
            Err(error) if error.is_eof() => refuse("ends in the middle".to_owned()),
            Err(error) => refuse(format!("not JSON: {error}")),
        }
    }
}

/// Passes over what is left of a line.
fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let held = reader.fill_buf()?;
        let (n, is_done) = match held.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (held.len(), held.is_empty()),
        };
        reader.consume(n);
        if is_done {
            return Ok(());
        }
    }
}

/// Returns the version that a header states under `key`, or `None` if the line is no header.
///
/// # Errors
/// If the version is not one that is read here.
pub(super) fn version(value: &Value, key: &str, newest: u32) -> Result<Option<u32>, String> {
    match value.get(key) {
        None => Ok(None),
        Some(version) => match version.as_u64() {
            Some(version @ 1..) if version <= u64::from(newest) => Ok(Some(version as u32)),
            Some(version @ 1..) => {
                Err(format!("format {version} is newer than this version reads ({newest})"))
            }
            _ => Err(format!("{key} must be the number of a format, got {version}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Good = Vec<(u64, Value)>;

    fn lines(bytes: &[u8]) -> (Good, Vec<(u64, String)>) {
        let mut good = Vec::new();
        let bad = read("f", bytes, |line, value| {
            good.push((line, value));
            Ok(())
        });
        let bad = bad.expect("memory can be read");
        (good, bad.into_iter().map(|bad| (bad.line, bad.reason)).collect())
    }

    #[test]
    fn bad_lines_are_named_and_the_rest_is_read() {
        let (good, bad) = lines(b"1\n\n{\"a\":\"x\n\xff\n2\r\n[3");
        let numbers: Vec<u64> = good.iter().map(|(line, _)| *line).collect();
        assert_eq!(numbers, [1, 5]);
        assert_eq!(bad.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 4, 6]);
        assert_eq!(
            (bad[0].1.as_str(), bad[2].1.as_str()),
            ("ends in the middle", "ends in the middle")
        );
        assert!(bad[1].1.starts_with("not JSON"), "{}", bad[1].1);
    }

    #[test]
    fn a_line_without_end_takes_no_memory_beyond_the_limit() {
        let mut bytes = vec![b'1'; MOST_BYTES as usize + 5];
        bytes.extend(b"\n2\n");
        let (good, bad) = lines(&bytes);
        assert_eq!(good, [(2, Value::from(2))]);
        assert_eq!(bad.len(), 1);
        assert!(lines(&vec![b' '; MOST_BYTES as usize + 5]).1.len() == 1);
    }

    #[test]
    fn a_newer_format_is_refused() {
        let header = serde_json::json!({"retold_pool": 2});
        let error = version(&header, "retold_pool", 1).expect_err("2 is newer");
        assert_eq!(error, "format 2 is newer than this version reads (1)");
        assert_eq!(version(&header, "retold_pool", 2), Ok(Some(2)));
        assert_eq!(version(&header, "other", 2), Ok(None));
        assert!(version(&serde_json::json!({"x": "1"}), "x", 1).is_err());
        assert!(version(&serde_json::json!({"x": 0}), "x", 1).is_err());
    }
}
