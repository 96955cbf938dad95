//! The few JSON forms that rows are made of, appended to a byte buffer.
//!
//! Rows are flat and their columns are known, so lines are put together by hand; a general
//! serialiser would be slower.

use retold_core::document::Span;
use retold_core::relation::Passage;

use super::cell::Cell;
use super::columns::{Column, RowVisitor};

/// A written share is a whole number of steps: six decimals.
const STEPS: u32 = 1_000_000;

/// A line of JSON being written; each entry has a comma in front.
pub(super) struct JsonLine<'o> {
    pub(super) out: &'o mut Vec<u8>,
}

impl RowVisitor for JsonLine<'_> {
    #[expect(clippy::inline_always, reason = "kind and name of a column are then constants")]
    #[inline(always)]
    fn visit(&mut self, column: &'static Column, cell: Cell<'_>) {
        if column.is_left_out(cell) {
            return;
        }
        self.out.extend_from_slice(column.key.as_bytes());
        cell.put_json(self.out);
    }
}

/// Appends a JSON string.
pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    // Ids and file names hardly ever need escaping; a text that needs none is copied whole. The
    // search does not stop at the first special byte, so that sixteen bytes are tested at a time.
    let special =
        |byte: u8| u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\');
    if text.bytes().fold(0, |found, byte| found | special(byte)) == 0 {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        serde_json::to_writer(out, text).expect("a vector takes every byte");
    }
}

/// Appends a whole number.
pub(super) fn put_count(out: &mut Vec<u8>, count: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
}

/// Returns `share` in millionths, rounded to the nearest, ties to even.
///
/// Values below 0 become 0, values above 1 become 1, and NaN becomes 0.
fn millionths(share: f64) -> u32 {
    #[expect(clippy::cast_sign_loss, reason = "clamped to 0 and above; NaN becomes 0")]
    let steps = (share.clamp(0.0, 1.0) * f64::from(STEPS)).round_ties_even() as u32;
    steps
}

/// Returns `share` as it is written: with at most six decimals.
pub fn rounded(share: f64) -> f64 {
    f64::from(millionths(share)) / f64::from(STEPS)
}

/// Appends a share with at most six decimals and at least one: `0.83`, `1.0`.
pub(super) fn put_share(out: &mut Vec<u8>, share: f64) {
    let steps = millionths(share);
    if steps == STEPS {
        out.extend_from_slice(b"1.0");
        return;
    }
    let mut digits = *b"0.000000";
    let mut rest = steps;
    for place in digits[2..].iter_mut().rev() {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let mut end = digits.len();
    while end > 3 && digits[end - 1] == b'0' {
        end -= 1;
    }
    out.extend_from_slice(&digits[..end]);
}

/// Appends a JSON array of strings.
pub(super) fn put_texts(out: &mut Vec<u8>, texts: &[&str]) {
    put_array(out, texts, |out, text| put_text(out, text));
}

/// Appends a JSON array of whole numbers.
pub(super) fn put_counts(out: &mut Vec<u8>, counts: &[u32]) {
    put_array(out, counts, |out, &count| put_count(out, u64::from(count)));
}

fn put_array<T>(out: &mut Vec<u8>, items: &[T], put: impl Fn(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        put(out, item);
    }
    out.push(b']');
}

/// Appends a JSON array of passages:
/// `[{"a":[0,40],"b":[3,43],"words":8,"differ":0,"agrees":"equal"}]`. Words that moved follow on
/// `differ` as `moved` if there are any.
pub(super) fn put_passages(out: &mut Vec<u8>, passages: &[Passage]) {
    out.push(b'[');
    for (at, passage) in passages.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b"{\"a\":" } else { b",{\"a\":" });
        put_span(out, passage.a);
        out.extend_from_slice(b",\"b\":");
        put_span(out, passage.b);
        out.extend_from_slice(b",\"words\":");
        put_count(out, u64::from(passage.words));
        out.extend_from_slice(b",\"differ\":");
        put_count(out, u64::from(passage.differ));
        if passage.moved > 0 {
            out.extend_from_slice(b",\"moved\":");
            put_count(out, u64::from(passage.moved));
        }
        out.extend_from_slice(b",\"agrees\":\"");
        out.extend_from_slice(passage.agreement().name().as_bytes());
        out.extend_from_slice(b"\"}");
    }
    out.push(b']');
}

fn put_span(out: &mut Vec<u8>, span: Span) {
    out.push(b'[');
    put_count(out, u64::from(span.start));
    out.push(b',');
    put_count(out, u64::from(span.end));
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(value: f64) -> String {
        let mut out = Vec::new();
        put_share(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_share_has_one_to_six_decimals() {
        for (value, written) in [
            (0.0, "0.0"),
            (1.0, "1.0"),
            (0.83, "0.83"),
            (0.1 + 0.2, "0.3"),
            (2.0 / 3.0, "0.666667"),
            (0.000_000_4, "0.0"),
            (0.999_999_6, "1.0"),
            (0.050_001, "0.050001"),
            (f64::NAN, "0.0"),
            (1.5, "1.0"),
        ] {
            assert_eq!(share(value), written);
        }
    }

    #[test]
    fn a_share_is_rounded_as_the_standard_formatter_does() {
        for part in 0..=997_u32 {
            let value = f64::from(part) / 997.0;
            let formatted = format!("{value:.6}");
            let trimmed = formatted.trim_end_matches('0');
            let expected =
                if trimmed.ends_with('.') { format!("{trimmed}0") } else { trimmed.to_owned() };
            assert_eq!(share(value), expected);
        }
    }

    #[test]
    fn text_is_escaped_as_json_asks() {
        for text in
            ["plain", "", "say \"so\"", "back\\slash", "line\nfeed", "\u{1b}[31m", "ığüşöç", "新聞"]
        {
            let mut out = Vec::new();
            put_text(&mut out, text);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
            assert!(!out.contains(&b'\n') && !out.contains(&0x1b));
        }
    }
}
