//! Records without parts of their texts.

use std::ops::Range;

use retold_core::document::Span;

use crate::format::Context;
use crate::scan;

/// Returns a text without some stretches, which lie in it, ascend and do not overlap.
///
/// A file that changed since it was read may hold another text there, and that is found out when it has
/// been read to its end. Until then stretches that do not fit are left.
pub(crate) fn without(text: &str, cuts: &[Span]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for cut in cuts {
        let Range { start, end } = cut.range();
        if let (Some(before), Some(_)) = (text.get(from..start), text.get(start..end)) {
            out.push_str(before);
            from = end;
        }
    }
    out.push_str(&text[from..]);
    out
}

/// Returns a line of JSON without some stretches of its text, and what these were in the line. All other
/// bytes stay as they are, the escapes of the text that is left included.
///
/// The line is one that could be read. Stretches behind the end of its text are left, as above.
pub(super) fn line_without<'a>(
    line: &'a [u8],
    cuts: &[Span],
    context: &Context,
) -> (Vec<u8>, Vec<&'a str>) {
    let as_it_is = (line.to_vec(), Vec::new());
    let Ok(json) = std::str::from_utf8(line) else { return as_it_is };
    let Ok(text) = scan::text(json, &context.names, context.limits().json_depth) else {
        return as_it_is;
    };
    // What came before a headline is not part of the text.
    let (mut decoded, mut from) = (0, 0);
    let mut at = text.start;
    let mut raw_cuts = Vec::with_capacity(2 * cuts.len());
    let borders = cuts.iter().flat_map(|cut| [cut.start, cut.end]);
    for border in borders.map(|border| border as usize + text.n_before) {
        while decoded < border && json.as_bytes().get(at).is_some_and(|&byte| byte != b'"') {
            let (n_raw, n_decoded) = scan::next_char(json, at);
            at += n_raw;
            decoded += n_decoded;
        }
        raw_cuts.push(at);
    }
    let (mut out, mut raw) = (Vec::with_capacity(line.len()), Vec::with_capacity(cuts.len()));
    for cut in raw_cuts.chunks_exact(2) {
        out.extend_from_slice(&line[from..cut[0]]);
        raw.push(&json[cut[0]..cut[1]]);
        from = cut[1];
    }
    out.extend_from_slice(&line[from..]);
    (out, raw)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::options::{Headline, ReadOptions};

    fn cut(line: &str, cuts: &[(u32, u32)], headline: Headline) -> String {
        let options = ReadOptions { headline, ..ReadOptions::default() };
        let context = Context::new(options, Arc::default());
        let cuts: Vec<Span> = cuts.iter().map(|&cut| Span::from(cut)).collect();
        let (out, _) = line_without(line.as_bytes(), &cuts, &context);
        String::from_utf8(out).expect("characters stay whole")
    }

    #[test]
    fn everything_but_the_cuts_stays_to_the_byte() {
        let line =
            r#"{"body": "not this", "text": "a\u00e9\n\ud83d\ude00 \"q\" z" , "x": [1, 2.0e0]}"#;
        // aé\n😀 "q" z: a 0, é 1, line end 3, 😀 4, blank 8, quote 9, q 10, quote 11, blank 12, z 13.
        assert_eq!(
            cut(line, &[(1, 4), (9, 12)], Headline::Field),
            r#"{"body": "not this", "text": "a\ud83d\ude00  z" , "x": [1, 2.0e0]}"#
        );
        assert_eq!(
            cut(line, &[(0, 14)], Headline::Field),
            r#"{"body": "not this", "text": "" , "x": [1, 2.0e0]}"#
        );
    }

    #[test]
    fn bytes_are_counted_behind_a_headline() {
        let line = r#"{"text": "Fire\nThe quay burnt.", "id": 1}"#;
        assert_eq!(
            cut(line, &[(0, 4)], Headline::FirstLine),
            r#"{"text": "Fire\nquay burnt.", "id": 1}"#
        );
    }

    #[test]
    fn the_text_that_counts_is_cut() {
        let line = r#"{"text": "one two", "content": "x y", "text": "three four"}"#;
        assert_eq!(
            cut(line, &[(0, 6)], Headline::Field),
            r#"{"text": "one two", "content": "x y", "text": "four"}"#
        );
    }

    #[test]
    fn a_text_that_became_shorter_than_its_stretches_is_no_panic() {
        let line = r#"{"text": "one", "id": 1}"#;
        assert_eq!(cut(line, &[(1, 2), (50, 60)], Headline::Field), r#"{"text": "oe", "id": 1}"#);
        assert_eq!(cut("[1]", &[(0, 1)], Headline::Field), "[1]");
        let spans =
            |cuts: &[(u32, u32)]| cuts.iter().map(|&cut| Span::from(cut)).collect::<Vec<_>>();
        assert_eq!(without("one é two", &spans(&[(0, 4), (5, 7), (8, 99)])), "é two");
    }
}
