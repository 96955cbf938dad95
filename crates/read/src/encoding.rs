//! From bytes to text: which encoding, and decoding whole or as a stream.
//!
//! A byte order mark decides; then text that is valid UTF-8 is UTF-8, whatever was declared, since
//! no other encoding passes that test by accident; then a declared charset; then a guess from the
//! frequencies of letters. NUL bytes outside UTF-16 and UTF-32 mean binary data.

use std::borrow::Cow;
use std::io::{self, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, Decoder, UTF_8, UTF_16BE, UTF_16LE};
use memchr::memchr;

use crate::bad::quoted;
use crate::stream::Stream;

/// Returns whether an encoding goes by this label: those of the WHATWG standard, UTF-32 and IBM855.
pub fn is_encoding(label: &str) -> bool {
    Encoding::for_label(label).is_some()
}

/// How text stands in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// One that the WHATWG standard knows.
    Known(&'static encoding_rs::Encoding),
    /// Four bytes a character, low byte first.
    Utf32Le,
    /// Four bytes a character, high byte first.
    Utf32Be,
    /// Cyrillic of DOS before IBM866.
    Ibm855,
}

/// The characters of the upper half of IBM855.
const IBM855: &str = "ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐└┴┬├─┼кК╚╔╩╦╠═╬¤\
                      лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u{ad}ыЫзЗшШэЭщЩчЧ§■\u{a0}";

impl Encoding {
    pub(crate) const UTF_8: Self = Self::Known(UTF_8);

    /// Finds an encoding by its label.
    pub(crate) fn for_label(label: &str) -> Option<Self> {
        match label.trim().to_ascii_lowercase().as_str() {
            "utf-32" | "utf-32le" | "utf32" | "utf32le" => Some(Self::Utf32Le),
            "utf-32be" | "utf32be" => Some(Self::Utf32Be),
            "ibm855" | "cp855" | "855" => Some(Self::Ibm855),
            // Names that other programs write for encodings of the standard.
            "maccyrillic" | "mac-cyrillic" => Some(Self::Known(encoding_rs::X_MAC_CYRILLIC)),
            "cp932" => Some(Self::Known(encoding_rs::SHIFT_JIS)),
            "cp949" => Some(Self::Known(encoding_rs::EUC_KR)),
            other => encoding_rs::Encoding::for_label(other.as_bytes()).map(Self::Known),
        }
    }

    /// Returns whether a character takes two or four bytes.
    pub(crate) fn is_wide(self) -> bool {
        match self {
            Self::Known(known) => known == UTF_16LE || known == UTF_16BE,
            Self::Utf32Le | Self::Utf32Be => true,
            Self::Ibm855 => false,
        }
    }

    /// Decodes; returns the text and whether bytes were replaced by U+FFFD.
    fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        match self {
            Self::Known(encoding) => encoding.decode_without_bom_handling(bytes),
            Self::Utf32Le | Self::Utf32Be | Self::Ibm855 => {
                let mut text = String::with_capacity(bytes.len() / 3);
                let (used, has_errors) = self.push(bytes, &mut text);
                (Cow::Owned(text), has_errors | (used < bytes.len()))
            }
        }
    }

    /// Decodes the beginning of a text for a look at it.
    pub(crate) fn look(self, head: &[u8]) -> Cow<'_, str> {
        self.decode(head).0
    }

    /// Appends what bytes stand for in an encoding that is not of the standard; returns how many
    /// bytes make whole characters, and whether any was none.
    fn push(self, bytes: &[u8], text: &mut String) -> (usize, bool) {
        if self == Self::Ibm855 {
            let upper: Vec<char> = IBM855.chars().collect();
            text.extend(bytes.iter().map(|&byte| match byte.checked_sub(128) {
                None => char::from(byte),
                Some(at) => upper[usize::from(at)],
            }));
            return (bytes.len(), false);
        }
        let mut has_errors = false;
        for unit in bytes.as_chunks::<4>().0 {
            let code = if self == Self::Utf32Le {
                u32::from_le_bytes(*unit)
            } else {
                u32::from_be_bytes(*unit)
            };
            let c = char::from_u32(code);
            has_errors |= c.is_none();
            text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        (bytes.len() - bytes.len() % 4, has_errors)
    }
}

/// Decodes a whole text.
///
/// `forced` is what the user said, `declared` what the text or its protocol says of itself.
pub(crate) fn decode(
    bytes: Vec<u8>,
    forced: Option<&str>,
    declared: Option<&str>,
) -> Result<String, String> {
    let (encoding, mark) = detect(&bytes, true, forced, declared)?;
    if encoding == Encoding::UTF_8 {
        match String::from_utf8(bytes) {
            Ok(mut text) => {
                text.drain(..mark);
                return Ok(text);
            }
            Err(error) => {
                return Ok(String::from_utf8_lossy(&error.as_bytes()[mark..]).into_owned());
            }
        }
    }
    Ok(encoding.decode(&bytes[mark..]).0.into_owned())
}

/// Tells the encoding of a text from its first bytes; also returns the length of its mark.
///
/// `is_all` says that there are no more bytes; else the last character may be cut.
pub(crate) fn detect(
    head: &[u8],
    is_all: bool,
    forced: Option<&str>,
    declared: Option<&str>,
) -> Result<(Encoding, usize), String> {
    let marked = marked(head);
    if let Some(label) = forced {
        let encoding = Encoding::for_label(label)
            .ok_or_else(|| format!("encoding {} is not known", quoted(label)))?;
        let mark = marked.map_or(0, |(found, mark)| if found == encoding { mark } else { 0 });
        return Ok((encoding, mark));
    }
    if let Some((encoding, mark)) = marked {
        let is_sound = match encoding {
            Encoding::Known(known) if known == UTF_8 => is_utf8(&head[mark..], is_all),
            wide => is_wide_text(wide, &head[mark..]),
        };
        if is_sound {
            return Ok((encoding, mark));
        }
        // The mark is wrong: what follows it is not UTF-8, and its encoding is looked for.
        if mark == 3 {
            let (encoding, _) = detect(&head[mark..], is_all, None, declared)?;
            return Ok((encoding, mark));
        }
    }
    if memchr(0, head).is_some() {
        let wide = [
            Encoding::Utf32Le,
            Encoding::Utf32Be,
            Encoding::Known(UTF_16LE),
            Encoding::Known(UTF_16BE),
        ];
        return wide
            .into_iter()
            .find(|&encoding| has_high_zeros(encoding, head) && is_wide_text(encoding, head))
            .map(|encoding| (encoding, 0))
            .ok_or_else(binary);
    }
    let declared = declared.and_then(Encoding::for_label);
    // Text in a seven-bit encoding is valid UTF-8 too, so here the declaration, or how it shifts, comes first.
    let seven_bit = Encoding::Known(encoding_rs::ISO_2022_JP);
    if declared.is_none() && is_iso_2022_jp(head, is_all) {
        return Ok((seven_bit, 0));
    }
    let is_seven_bit = declared == Some(seven_bit);
    // ASCII alone says nothing about what follows.
    let is_open = !is_all && declared.is_some_and(|it| !it.is_wide()) && head.is_ascii();
    if !is_seven_bit && !is_open && is_utf8(head, is_all) {
        return Ok((Encoding::UTF_8, 0));
    }
    match declared {
        // The declaration was readable as single bytes, so characters do not take two or four.
        Some(encoding) if (is_open || encoding != Encoding::UTF_8) && !encoding.is_wide() => {
            Ok((encoding, 0))
        }
        _ => {
            let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
            detector.feed(head, is_all);
            Ok((Encoding::Known(detector.guess(None, Utf8Detection::Deny)), 0))
        }
    }
}

/// Returns whether a text without a declaration is Japanese in seven bits: it shifts to the Japanese characters
/// and makes sense then.
fn is_iso_2022_jp(head: &[u8], is_all: bool) -> bool {
    let shifts = [&b"\x1b$B"[..], b"\x1b$@"];
    let is_shifted = shifts.iter().any(|shift| memchr::memmem::find(head, shift).is_some());
    if !is_shifted || !head.is_ascii() {
        return false;
    }
    // The last character or shift may be cut.
    let (text, _) = Encoding::Known(encoding_rs::ISO_2022_JP).decode(head);
    let most_broken = if is_all { 0 } else { 3 };
    text.matches(char::REPLACEMENT_CHARACTER).count() <= most_broken
}

/// Returns whether a text that failed as UTF-8 is UTF-8 with few mistakes in it.
///
/// Such a text keeps its encoding, and the records with the mistakes are refused one by one.
pub(crate) fn is_nearly_utf8(head: &[u8]) -> bool {
    let (mut n_good, mut n_bad) = (0_usize, 0_usize);
    for chunk in head.utf8_chunks() {
        n_good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        n_bad += usize::from(!chunk.invalid().is_empty());
    }
    n_bad <= 8 || n_good > n_bad
}

/// Returns the reason for refusing binary data.
pub(crate) fn binary() -> String {
    "is binary: it holds NUL bytes and is neither UTF-16 nor UTF-32".to_owned()
}

/// Returns the encoding a byte order mark names, and the length of the mark.
fn marked(bytes: &[u8]) -> Option<(Encoding, usize)> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => Some((Encoding::Utf32Le, 4)),
        [0, 0, 0xfe, 0xff, ..] => Some((Encoding::Utf32Be, 4)),
        [0xef, 0xbb, 0xbf, ..] => Some((Encoding::UTF_8, 3)),
        [0xff, 0xfe, ..] => Some((Encoding::Known(UTF_16LE), 2)),
        [0xfe, 0xff, ..] => Some((Encoding::Known(UTF_16BE), 2)),
        _ => None,
    }
}

fn is_utf8(bytes: &[u8], is_all: bool) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => !is_all && error.error_len().is_none(),
    }
}

/// Returns whether bytes make sense as text of two or four bytes a character: no broken units and
/// no control characters but those of text.
fn is_wide_text(encoding: Encoding, bytes: &[u8]) -> bool {
    let unit = if matches!(encoding, Encoding::Known(_)) { 2 } else { 4 };
    // An incomplete character at the end, or half of a surrogate pair, is ignored.
    let mut whole = &bytes[..bytes.len() - bytes.len() % unit];
    if whole.is_empty() {
        return false;
    }
    if unit == 2 && whole.len() > 2 {
        let high = if encoding == Encoding::Known(UTF_16LE) {
            whole[whole.len() - 1]
        } else {
            whole[whole.len() - 2]
        };
        if (0xd8..0xdc).contains(&high) {
            whole = &whole[..whole.len() - 2];
        }
    }
    let (text, has_errors) = encoding.decode(whole);
    !has_errors
        && !text
            .chars()
            .any(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{85}'))
}

/// Returns whether NUL bytes stand where the high bytes of ASCII characters stand in UTF-16.
///
/// Any pair of bytes is some character, mostly Chinese, so valid UTF-16 may still be binary data.
fn has_high_zeros(encoding: Encoding, bytes: &[u8]) -> bool {
    let Encoding::Known(known) = encoding else { return true };
    let zeros =
        |first: usize| bytes.iter().skip(first).step_by(2).filter(|&&byte| byte == 0).count();
    let (high, low) = if known == UTF_16LE { (zeros(1), zeros(0)) } else { (zeros(0), zeros(1)) };
    let n_units = bytes.len() / 2;
    // A few bytes prove little, so in a short text most characters have to be ASCII.
    let is_enough = if n_units < 32 { high * 2 > n_units } else { high * 20 >= n_units };
    is_enough && low * 8 <= high
}

/// A stream turned into UTF-8 as it is read.
pub(crate) struct Transcoder {
    stream: Stream,
    encoding: Encoding,
    decoder: Option<Decoder>,
    input: Vec<u8>,
    output: String,
    taken: usize,
    is_done: bool,
}

impl Transcoder {
    pub(crate) fn new(stream: Stream, encoding: Encoding) -> Self {
        let decoder = match encoding {
            Encoding::Known(known) => Some(known.new_decoder_without_bom_handling()),
            _ => None,
        };
        Self {
            stream,
            encoding,
            decoder,
            input: Vec::new(),
            output: String::new(),
            taken: 0,
            is_done: false,
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        const PIECE: usize = 64 << 10;
        self.output.clear();
        self.taken = 0;
        let read = self.stream.append(&mut self.input, PIECE)?;
        self.is_done = read < PIECE;
        let used = if let Some(decoder) = &mut self.decoder {
            let room = decoder.max_utf8_buffer_length(self.input.len());
            self.output.reserve(room.unwrap_or(3 * self.input.len() + 16));
            let (result, used, _) =
                decoder.decode_to_string(&self.input, &mut self.output, self.is_done);
            debug_assert!(
                result == CoderResult::InputEmpty,
                "room for the worst case was reserved"
            );
            used
        } else {
            self.encoding.push(&self.input, &mut self.output).0
        };
        self.input.drain(..used);
        Ok(())
    }
}

impl Read for Transcoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.output.len() && !self.is_done {
            self.fill()?;
        }
        let ahead = &self.output.as_bytes()[self.taken..];
        let n = ahead.len().min(buffer.len());
        buffer[..n].copy_from_slice(&ahead[..n]);
        self.taken += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUSSIAN: &str = "Съешь же ещё этих мягких французских булок, да выпей чаю. \
                           Широкая электрификация южных губерний даст мощный толчок подъёму.";

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() })
            .collect()
    }

    fn utf32(text: &str, big: bool) -> Vec<u8> {
        text.chars()
            .flat_map(|c| if big { (c as u32).to_be_bytes() } else { (c as u32).to_le_bytes() })
            .collect()
    }

    #[test]
    fn wide_encodings_are_told_with_and_without_a_mark() {
        let text = format!("{RUSSIAN}\nplain words 😀\n");
        let marked = format!("\u{feff}{text}");
        for big in [false, true] {
            for bytes in
                [utf16(&text, big), utf16(&marked, big), utf32(&text, big), utf32(&marked, big)]
            {
                assert_eq!(decode(bytes, None, None).as_deref(), Ok(text.as_str()));
            }
        }
        assert_eq!(decode(marked.into_bytes(), None, None), Ok(text));
    }

    #[test]
    fn single_byte_encodings_are_guessed_or_believed() {
        for encoding in [encoding_rs::WINDOWS_1251, encoding_rs::KOI8_R] {
            let bytes = encoding.encode(RUSSIAN).0.into_owned();
            assert_eq!(
                decode(bytes.clone(), None, None).as_deref(),
                Ok(RUSSIAN),
                "{}",
                encoding.name()
            );
            assert_eq!(decode(bytes.clone(), None, Some(encoding.name())).as_deref(), Ok(RUSSIAN));
            assert_eq!(decode(bytes, Some(encoding.name()), Some("utf-8")).as_deref(), Ok(RUSSIAN));
        }
    }

    #[test]
    fn japanese_in_seven_bits_is_told_by_how_it_shifts() {
        let text = "港湾局は月曜日から東埠頭を閉鎖する。 Closed until Friday.";
        let bytes = encoding_rs::ISO_2022_JP.encode(text).0.into_owned();
        assert!(bytes.is_ascii());
        let seven_bit = Encoding::Known(encoding_rs::ISO_2022_JP);
        for end in 4..bytes.len() {
            assert_eq!(detect(&bytes[..end], false, None, None), Ok((seven_bit, 0)), "{end}");
        }
        assert_eq!(decode(bytes.clone(), None, None).as_deref(), Ok(text));
        let declared = decode(bytes, None, Some("utf-8"));
        assert!(declared.is_ok_and(|text| text.is_ascii()), "a declaration counts");
        for plain in ["\u{1b}[31mred\u{1b}[0m \u{1b}$ 5", "\u{1b}$B is the escape of JIS X 0208"] {
            assert_eq!(decode(plain.into(), None, None).as_deref(), Ok(plain));
        }
    }

    #[test]
    fn encodings_outside_the_standard_go_by_their_labels() {
        assert_eq!(IBM855.chars().count(), 128);
        let ibm855 = decode(b"\xdd\xe1\xb7\xeb\xa8\xe5 2".to_vec(), None, Some("IBM855"));
        assert_eq!(ibm855.as_deref(), Ok("Привет 2"));
        let mac = decode(b"\x8f\xf0".to_vec(), None, Some("MacCyrillic"));
        assert_eq!(mac.as_deref(), Ok("Пр"));
    }

    #[test]
    fn a_declaration_counts_where_the_beginning_is_ascii() {
        let windows = Encoding::Known(encoding_rs::WINDOWS_1251);
        let found = |is_all| detect(b"plain", is_all, None, Some("windows-1251"));
        assert_eq!(found(false), Ok((windows, 0)));
        assert_eq!(found(true), Ok((Encoding::UTF_8, 0)));
    }

    #[test]
    fn valid_utf8_is_utf8_even_if_declared_latin_1() {
        assert_eq!(decode("naïve".into(), None, Some("iso-8859-1")).as_deref(), Ok("naïve"));
    }

    #[test]
    fn nul_bytes_are_binary_and_unknown_labels_are_named() {
        assert!(decode(b"text\0with\0\0nul\x01".to_vec(), None, None).unwrap_err().contains("NUL"));
        assert!(decode(b"x".to_vec(), Some("utf-9"), None).unwrap_err().contains("utf-9"));
    }

    #[test]
    fn a_wrong_mark_does_not_hide_the_text() {
        let mut bytes = b"\xef\xbb\xbf".to_vec();
        bytes.extend(encoding_rs::WINDOWS_1251.encode(RUSSIAN).0.iter());
        assert_eq!(decode(bytes, None, None).as_deref(), Ok(RUSSIAN));
    }

    #[test]
    fn streams_decode_as_whole_texts_do() {
        let text = RUSSIAN.repeat(2000);
        for (bytes, encoding) in [
            (utf16(&text, false), Encoding::Known(UTF_16LE)),
            (utf32(&text, true), Encoding::Utf32Be),
            (
                encoding_rs::KOI8_R.encode(&text).0.into_owned(),
                Encoding::Known(encoding_rs::KOI8_R),
            ),
        ] {
            let mut out = String::new();
            Transcoder::new(Stream::new(io::Cursor::new(bytes)), encoding)
                .read_to_string(&mut out)
                .unwrap();
            assert!(out == text, "{encoding:?}");
        }
    }
}
