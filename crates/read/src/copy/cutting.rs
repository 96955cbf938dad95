//! Records without parts of their texts.

use retold_core::document::Span;

use crate::format::Context;
use crate::scan;

/// Returns a text without some stretches, which lie in it, ascend and do not overlap.
pub(crate) fn without(text: &str, cuts: &[Span]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for cut in cuts {
        out.push_str(&text[from..cut.range().start]);
        from = cut.range().end;
    }
    out.push_str(&text[from..]);
    out
}

/// Returns a line of JSON without some stretches of its text. All other bytes stay as they are, the
/// escapes of the text that is left included.
///
/// The line is one that could be read.
pub(super) fn line_without(line: &[u8], cuts: &[Span], context: &Context) -> Vec<u8> {
    let json = std::str::from_utf8(line).expect("a line that could be read is UTF-8");
    let text = scan::text(json, &context.names, context.limits().json_depth)
        .expect("a line that could be read has a text");
    // What came before a headline is not part of the text.
    let (mut decoded, mut from) = (0, 0);
    let mut at = text.start;
    let mut raw_cuts = Vec::with_capacity(2 * cuts.len());
    let borders = cuts.iter().flat_map(|cut| [cut.start, cut.end]);
    for border in borders.map(|border| border as usize + text.n_before) {
        while decoded < border {
            let (n_raw, n_decoded) = scan::next_char(json, at);
            at += n_raw;
            decoded += n_decoded;
        }
        raw_cuts.push(at);
    }
    let mut out = Vec::with_capacity(line.len());
    for cut in raw_cuts.chunks_exact(2) {
        out.extend_from_slice(&line[from..cut[0]]);
        from = cut[1];
    }
    out.extend_from_slice(&line[from..]);
    out
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
        let out = line_without(line.as_bytes(), &cuts, &context);
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
}
