//! One JSON object to one document, without building the rest of it.
//!
//! The scanner walks the object once, unescapes the wanted strings straight into the document and
//! steps over everything else while still checking its grammar. It is more lenient than the
//! standard in two points: raw control characters may stand in strings, as many exporters write
//! them, and `NaN` and `Infinity` are numbers, as Python writes them.

// PERF: 198.6 MB of JSON Lines on one thread of a busy two-core machine, best run: 0.27 s from
//       file to documents, hashing included (739 MB/s; 0.22 s of CPU). Borrowing structs over the
//       same file, read whole and not hashed: serde_json 0.40 s, sonic-rs 0.36 s.
//       cargo run --release -p retold-read --example read_speed -- FILE        (2026-11)

use std::borrow::Cow;

use memchr::{memchr2, memchr2_iter};
use retold_core::document::Document;

use crate::fields::{Gathered, Names};

/// Deepest nesting that is accepted, whatever limit is configured: skipping a value recurses.
const DEEPEST: u32 = 512;

/// Where and why an object could not be read.
#[derive(Debug)]
pub(crate) struct ScanError {
    /// Byte of the text that was scanned.
    pub(crate) at: usize,
    pub(crate) reason: String,
}

/// Reads one JSON object; `json` holds nothing else but white space.
///
/// The id of the document is empty if the object has none.
pub(crate) fn document(json: &str, names: &Names, depth: u32) -> Result<Document, ScanError> {
    let mut scanner = Scanner { json, at: 0, depth: depth.min(DEEPEST) };
    scanner.space();
    if scanner.peek() != Some(b'{') {
        return Err(scanner.unexpected("an object"));
    }
    let gathered = scanner.object(names)?;
    scanner.space();
    if scanner.at < json.len() {
        return Err(scanner.unexpected("the end of the record"));
    }
    gathered.finish(names).map_err(|reason| ScanError { at: 0, reason })
}

/// Where the text of a document stands in its record.
pub(crate) struct TextPlace {
    /// The first byte behind the quote.
    pub(crate) start: usize,
    /// Bytes of the field, unescaped, that come before the text: a headline.
    pub(crate) n_before: usize,
}

/// Returns where the text of a record stands; the error of [`document`] if it is none.
pub(crate) fn text(json: &str, names: &Names, depth: u32) -> Result<TextPlace, ScanError> {
    let (start, n_bytes) = text_field(json, names, depth)?;
    let document = document(json, names, depth)?;
    Ok(TextPlace { start, n_before: n_bytes - document.text.len() })
}

/// Returns the first byte, behind the quote, of the field that holds the text, and how many bytes it has
/// unescaped. Nothing need be left of the text.
pub(crate) fn text_field(
    json: &str,
    names: &Names,
    depth: u32,
) -> Result<(usize, usize), ScanError> {
    let mut scanner = Scanner { json, at: 0, depth: depth.min(DEEPEST) };
    scanner.space();
    let mut found: Option<(u8, usize, usize)> = None;
    scanner.members(|scanner, key| {
        let rank = names.uses(&key).text_rank();
        match (rank, scanner.peek()) {
            // As fields are gathered: the first name wins, and of equal ones the later value.
            (Some(rank), Some(b'"')) if found.is_none_or(|(best, ..)| rank <= best) => {
                let start = scanner.at + 1;
                found = Some((rank, start, scanner.string()?.len()));
                Ok(())
            }
            _ => scanner.skip(2),
        }
    })?;
    let no_text = || ScanError { at: 0, reason: "no text".to_owned() };
    found.map(|(_, start, n_bytes)| (start, n_bytes)).ok_or_else(no_text)
}

/// Returns the bytes of the character or escape at `at` in a string, and of what it stands for. The
/// string is one that could be read.
pub(crate) fn next_char(json: &str, at: usize) -> (usize, usize) {
    if json.as_bytes()[at] != b'\\' {
        let n = json[at..].chars().next().map_or(1, char::len_utf8);
        return (n, n);
    }
    let mut out = String::new();
    let scanner = Scanner { json, at, depth: 0 };
    let n = scanner.escape(at, &mut out).unwrap_or(2);
    (n, out.len())
}

/// Returns whether `json` is one whole JSON object.
pub(crate) fn is_object(json: &str, depth: u32) -> bool {
    let mut scanner = Scanner { json, at: 0, depth: depth.min(DEEPEST) };
    scanner.space();
    scanner.peek() == Some(b'{') && scanner.skip(1).is_ok() && {
        scanner.space();
        scanner.at == json.len()
    }
}

struct Scanner<'a> {
    json: &'a str,
    at: usize,
    depth: u32,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn error(&self, reason: impl Into<String>) -> ScanError {
        ScanError { at: self.at, reason: reason.into() }
    }

    fn unexpected(&self, expected: &str) -> ScanError {
        match self.json.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(c) => self.error(format!("not JSON: expected {expected}, got `{c}`")),
            None => self.error(format!("not JSON: expected {expected}, got the end")),
        }
    }

    fn take(&mut self, byte: u8, expected: &str) -> Result<(), ScanError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.unexpected(expected))
        }
    }

    /// Reads the outermost object.
    fn object(&mut self, names: &Names) -> Result<Gathered, ScanError> {
        let mut gathered = Gathered::new();
        self.members(|scanner, key| {
            let used = names.uses(&key);
            if used.is_nothing() || !gathered.wants(used) {
                return scanner.skip(2);
            }
            match scanner.peek() {
                Some(b'"') => gathered.put(used, scanner.string()?.into_owned()),
                Some(b'n') => scanner.word("null")?,
                Some(b'{') => {
                    gathered.put_odd(used, "an object");
                    scanner.skip(2)?;
                }
                Some(b'[') => {
                    gathered.put_odd(used, "an array");
                    scanner.skip(2)?;
                }
                first => {
                    let start = scanner.at;
                    scanner.skip(2)?;
                    if used.is_text() {
                        let is_number = first != Some(b't') && first != Some(b'f');
                        gathered
                            .put_odd(used, if is_number { "a number" } else { "a truth value" });
                    } else {
                        gathered.put(used, scanner.json[start..scanner.at].to_owned());
                    }
                }
            }
            Ok(())
        })?;
        Ok(gathered)
    }

    /// Walks the members of an object; `each` stands before a value and moves past it.
    fn members(
        &mut self,
        mut each: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), ScanError>,
    ) -> Result<(), ScanError> {
        self.take(b'{', "`{`")?;
        self.elements(b'}', |scanner| {
            scanner.key()?;
            let key = scanner.string()?;
            scanner.colon()?;
            each(scanner, key)
        })
    }

    /// Walks elements between commas up to `end`; `each` stands before one and moves past it.
    #[inline]
    fn elements(
        &mut self,
        end: u8,
        mut each: impl FnMut(&mut Self) -> Result<(), ScanError>,
    ) -> Result<(), ScanError> {
        self.space();
        if self.peek() == Some(end) {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.space();
            each(self)?;
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == end => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.unexpected(&format!("`,` or `{}`", char::from(end)))),
            }
        }
    }

    /// Checks that a key begins here.
    fn key(&self) -> Result<(), ScanError> {
        if self.peek() == Some(b'"') { Ok(()) } else { Err(self.unexpected("a key in quotes")) }
    }

    /// Steps from the end of a key to its value.
    fn colon(&mut self) -> Result<(), ScanError> {
        self.space();
        self.take(b':', "`:`")?;
        self.space();
        Ok(())
    }

    /// Steps over a value that stands at depth `depth`.
    fn skip(&mut self, depth: u32) -> Result<(), ScanError> {
        let is_nested = matches!(self.peek(), Some(b'{' | b'['));
        if is_nested && depth > self.depth {
            let limit = self.depth;
            return Err(
                self.error(format!("nested deeper than the limit of {limit} (`json_depth`)"))
            );
        }
        match self.peek() {
            Some(b'"') => self.skip_string(),
            Some(b'{') => {
                self.at += 1;
                self.elements(b'}', |scanner| {
                    scanner.key()?;
                    scanner.skip_string()?;
                    scanner.colon()?;
                    scanner.skip(depth + 1)
                })
            }
            Some(b'[') => {
                self.at += 1;
                self.elements(b']', |scanner| scanner.skip(depth + 1))
            }
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(b'N') => self.word("NaN"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), ScanError> {
        if self.json[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.unexpected("a value"))
        }
    }

    fn digits(&mut self) -> Result<(), ScanError> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<(), ScanError> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        // Python writes `Infinity` and `-Infinity`.
        if self.peek() == Some(b'I') {
            return self.word("Infinity");
        }
        self.digits()?;
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// Steps over a string without looking at its escapes.
    fn skip_string(&mut self) -> Result<(), ScanError> {
        let bytes = self.json.as_bytes();
        let mut at = self.at + 1;
        loop {
            match bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
                None => return Err(self.error("not JSON: a string has no end")),
                Some(found) if bytes[at + found] == b'"' => {
                    self.at = at + found + 1;
                    return Ok(());
                }
                Some(found) => at += found + 2,
            }
        }
    }

    /// Reads a string; borrowed if it has no escapes.
    fn string(&mut self) -> Result<Cow<'a, str>, ScanError> {
        let start = self.at + 1;
        let rest = &self.json[start..];
        let mut marks = memchr2_iter(b'"', b'\\', rest.as_bytes());
        let Some(first) = marks.next() else {
            return Err(self.error("not JSON: a string has no end"));
        };
        if rest.as_bytes()[first] == b'"' {
            self.at = start + first + 1;
            return Ok(Cow::Borrowed(&rest[..first]));
        }
        // The string is no longer than the rest of the record. Room that it does not need is freed
        // below.
        let mut out = String::with_capacity(rest.len().min(self.room(start + first)));
        let mut from = 0;
        let mut mark = Some(first);
        while let Some(at) = mark {
            if at < from {
                // The second byte of an escape that was already taken, as in `\\` or `\"`.
                mark = marks.next();
                continue;
            }
            out.push_str(&rest[from..at]);
            if rest.as_bytes()[at] == b'"' {
                self.at = start + at + 1;
                if out.capacity() > 2 * out.len() {
                    out.shrink_to_fit();
                }
                return Ok(Cow::Owned(out));
            }
            from = at + self.escape(start + at, &mut out)?;
            mark = marks.next();
        }
        Err(self.error("not JSON: a string has no end"))
    }

    /// Returns how much room a string with escapes is given at first.
    fn room(&self, at: usize) -> usize {
        self.json.len() - at + 64
    }

    /// Appends what the escape at `at` stands for and returns its length.
    fn escape(&self, at: usize, out: &mut String) -> Result<usize, ScanError> {
        let bytes = self.json.as_bytes();
        let c = match bytes.get(at + 1) {
            Some(b'n') => '\n',
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'u') => return self.code_point(at, out),
            _ => return Err(ScanError { at, reason: "not JSON: unknown escape".to_owned() }),
        };
        out.push(c);
        Ok(2)
    }

    fn code_point(&self, at: usize, out: &mut String) -> Result<usize, ScanError> {
        let bad = |reason: &str| ScanError { at, reason: reason.to_owned() };
        let unit = |at: usize| {
            let digits = self.json.as_bytes().get(at + 2..at + 6)?;
            digits
                .iter()
                .try_fold(0_u32, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
        };
        let high = unit(at).ok_or_else(|| bad("not JSON: `\\u` needs four hexadecimal digits"))?;
        let (code, n) = match high {
            0xd800..0xdc00 => {
                let low = (self.json.as_bytes().get(at + 6..at + 8) == Some(b"\\u"))
                    .then(|| unit(at + 6))
                    .flatten()
                    .filter(|low| (0xdc00..0xe000).contains(low))
                    .ok_or_else(|| bad("a lone surrogate stands for no character"))?;
                (0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), 12)
            }
            code => (code, 6),
        };
        out.push(
            char::from_u32(code).ok_or_else(|| bad("a lone surrogate stands for no character"))?,
        );
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::ReadOptions;

    fn read(json: &str) -> Result<Document, ScanError> {
        document(json, &Names::new(&ReadOptions::default()), 64)
    }

    #[test]
    fn escapes_become_what_they_stand_for() {
        let read = read(r#"{"id":7,"text":"a\\\"b\n\u00e9\ud83d\ude00\/","title":"\\"}"#).unwrap();
        assert_eq!(read.text, "a\\\"b\né😀/");
        assert_eq!(read.id, "7");
        assert_eq!(read.title.as_deref(), Some("\\"));
    }

    #[test]
    fn every_string_agrees_with_serde_json() {
        let mut words = vec![String::new(), "\\".into(), "\"".into(), "a\\\\".into(), "ünï".into()];
        for a in words.clone() {
            for b in words.clone() {
                words.push(format!("{a}x{b}{a}"));
            }
        }
        for word in words {
            let json =
                serde_json::json!({ "text": word, "x": [{ "y": word }], "id": word }).to_string();
            let read = read(&json).unwrap();
            assert_eq!((read.text.as_str(), read.id.as_str()), (word.as_str(), word.as_str()));
        }
    }

    #[test]
    fn earlier_names_win_and_later_values_count() {
        let read = read(r#"{"content":"c","text":"a","text":"b","body":null}"#).unwrap();
        assert_eq!(read.text, "b");
    }

    #[test]
    fn wrong_types_and_missing_text_are_named() {
        assert!(read(r#"{"text":5}"#).unwrap_err().reason.contains("a number"));
        assert!(read(r#"{"text":[1,2]}"#).unwrap_err().reason.contains("an array"));
        assert!(read(r#"{"id":"x"}"#).unwrap_err().reason.contains("`text`"));
        assert_eq!(read(r#"{"text":null,"content":"x"}"#).unwrap().text, "x");
    }

    #[test]
    fn broken_objects_are_refused() {
        for json in [
            "",
            "{",
            "{}x",
            "[]",
            "{\"text\"}",
            "{\"text\":}",
            "{\"text\":\"a",
            "{\"text\":\"\\",
            "{\"text\":\"\\u12\"}",
            "{\"text\":\"\\ud800\"}",
            "{\"text\":\"\\udc00\"}",
            "{\"text\":\"a\",}",
            "{\"text\":\"a\" \"b\":1}",
            "{\"a\":[1,],\"text\":\"x\"}",
            "{\"a\":tru,\"text\":\"x\"}",
            "{\"a\":-,\"text\":\"x\"}",
            "{\"text\":\"\\x\"}",
            "{\"a\":\"\\",
        ] {
            assert!(read(json).is_err(), "{json}");
        }
    }

    #[test]
    fn odd_numbers_are_kept_as_written() {
        let read = read(
            r#"{"text":"x","time":1e309,"a":NaN,"b":-Infinity,"c":-0,"id":9223372036854775808}"#,
        );
        let read = read.unwrap();
        assert_eq!(read.time.as_deref(), Some("1e309"));
        assert_eq!(read.id, "9223372036854775808");
    }

    #[test]
    fn depth_is_limited_on_either_side_of_the_limit() {
        let nested = |depth: usize| {
            format!("{{\"text\":\"x\",\"a\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1))
        };
        assert!(read(&nested(64)).is_ok());
        assert!(read(&nested(65)).unwrap_err().reason.contains("json_depth"));
        assert!(read(&nested(1_000_000)).unwrap_err().reason.contains("64"));
    }
}
