//! Unicode normalisation that remembers where everything came from.
//!
//! Text is nearly always in form already, so most of the work is to see that: a scan that runs
//! at memory speed for Latin letters, then the checker of `icu_normalizer` for the rest. Only the
//! stretches that change are rewritten, each from one border to the next; a border stands before
//! a character that nothing before it can combine with.
//!
//! # Cost
//! One pass. A letter with a million marks is one stretch and sorted once. Canonical forms grow
//! at most threefold; compatibility forms could grow elevenfold (U+FDFA) and stop folding after
//! [`MAX_GROWTH`].

use std::borrow::Cow;

use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};
use unicode_normalization::char::{
    canonical_combining_class, decompose_canonical, decompose_compatible,
};
use unicode_normalization::{IsNormalized, is_nfc_quick};

use super::Form;
use super::alignment::{Alignment, Builder};

/// How many times its original a text may grow by compatibility folding. What comes after is
/// normalised canonically only.
const MAX_GROWTH: usize = 3;

/// Returns the text in form with its alignment, or `None` if it is in form already.
pub(super) fn normalise(text: &str, form: Form) -> Option<(String, Alignment)> {
    if text.is_ascii() || form == Form::None || (form == Form::Nfc && is_low(text)) {
        return None;
    }
    let nfc = ComposingNormalizer::new_nfc();
    let nfkc = ComposingNormalizer::new_nfkc();
    let mut normalizer = if form == Form::Nfkc { &nfkc } else { &nfc };
    let mut form = form;
    let (head, mut rest) = normalizer.split_normalized(text);
    if rest.is_empty() {
        return None;
    }
    let budget = text.len().saturating_mul(MAX_GROWTH);
    let mut out = String::with_capacity(text.len());
    let mut builder = Builder::default();
    out.push_str(head);
    builder.in_step(head.len(), 0);
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let len = stretch_len(rest, form);
        rewrite(&rest[..len], at, normalizer, &mut out, &mut builder);
        let (head, tail) = normalizer.split_normalized(&rest[len..]);
        out.push_str(head);
        builder.in_step(head.len(), at + len);
        rest = tail;
        if form == Form::Nfkc && out.len() > budget {
            (form, normalizer) = (Form::Nfc, &nfc);
        }
    }
    Some((out, builder.finish()))
}

/// Returns whether all characters are below U+0300, where every character is its own NFC.
fn is_low(text: &str) -> bool {
    // PERF: the largest byte of a block vectorises: 10 to 14 GB/s on Turkish news, against 1.4 for
    //       icu_normalizer and 0.3 for unicode-normalization on the same text; a loop that stops
    //       at the first high byte gave 1.7.
    const FIRST_LEAD: u8 = 0xCC;
    text.as_bytes().chunks(64).all(|block| block.iter().fold(0, |max, &b| b.max(max)) < FIRST_LEAD)
}

fn rewrite(
    stretch: &str,
    at: usize,
    normalizer: &ComposingNormalizerBorrowed<'_>,
    out: &mut String,
    builder: &mut Builder,
) {
    let normal = normalizer.normalize(stretch);
    out.push_str(&normal);
    match normal {
        Cow::Borrowed(same) if same.len() == stretch.len() => builder.in_step(same.len(), at),
        normal if normal == stretch => builder.in_step(stretch.len(), at),
        normal => builder.replaced(normal.len(), at..at + stretch.len()),
    }
}

/// Returns the length of the first character of `text` and everything that may combine with it.
fn stretch_len(text: &str, form: Form) -> usize {
    let next = text.char_indices().skip(1).find(|&(_, c)| is_border(c, form));
    next.map_or(text.len(), |(at, _)| at)
}

/// Returns whether nothing before `c` can combine with it: it decomposes to something that begins
/// with a starter which is no second half of a composition.
fn is_border(c: char, form: Form) -> bool {
    if c < '\u{300}' {
        return true;
    }
    let mut first = None;
    let keep_first = |part| _ = first.get_or_insert(part);
    match form {
        Form::Nfkc => decompose_compatible(c, keep_first),
        Form::Nfc | Form::None => decompose_canonical(c, keep_first),
    }
    first.is_some_and(|first| {
        canonical_combining_class(first) == 0
            && is_nfc_quick(std::iter::once(first)) == IsNormalized::Yes
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;
    use unicode_normalization::char::is_combining_mark;

    use super::*;
    use crate::document::Span;

    fn text(original: &str, form: Form) -> String {
        normalise(original, form).map_or_else(|| original.to_owned(), |(text, _)| text)
    }

    #[test]
    fn text_in_form_is_left_alone() {
        for same in
            ["", "plain", "İstanbul'da ışık, ğüşöç", "Größe", "日本語", "한국어", "«да»", "“x”"]
        {
            assert_eq!(normalise(same, Form::Nfc), None, "{same}");
        }
        assert_eq!(normalise("ﬁ", Form::Nfc), None);
        assert_eq!(normalise("e\u{301}", Form::None), None);
    }

    #[test]
    fn composed_and_decomposed_letters_become_equal_and_keep_their_places() {
        let (text, alignment) = normalise("a cafe\u{301} b", Form::Nfc).expect("it changes");
        assert_eq!(text, "a café b");
        assert_eq!(alignment.original(Span::new(2, 7)), Span::new(2, 8));
        assert_eq!(alignment.original(Span::new(5, 7)), Span::new(5, 8), "e and its mark");
        assert_eq!(alignment.original(Span::new(8, 9)), Span::new(9, 10));
    }

    #[test]
    fn wide_letters_are_folded_one_by_one() {
        let (text, alignment) = normalise("Ｈｉ ﬁn…", Form::Nfkc).expect("it changes");
        assert_eq!(text, "Hi fin...");
        assert_eq!(alignment.original(Span::new(0, 1)), Span::new(0, 3));
        assert_eq!(alignment.original(Span::new(1, 2)), Span::new(3, 6));
        assert_eq!(alignment.original(Span::new(3, 4)), Span::new(7, 10), "half a ligature");
        assert_eq!(
            alignment.original(Span::new(6, 7)),
            Span::new(11, 14),
            "a third of an ellipsis"
        );
    }

    #[test]
    fn jamo_become_syllables_and_each_keeps_its_place() {
        let original: String = "한국".nfd().collect();
        let (text, alignment) = normalise(&original, Form::Nfc).expect("it changes");
        assert_eq!(text, "한국");
        assert_eq!(alignment.original(Span::new(0, 3)), Span::new(0, 9));
        assert_eq!(alignment.original(Span::new(3, 6)), Span::new(9, 18));
    }

    #[test]
    fn a_million_marks_on_one_letter_are_one_stretch() {
        let marks = (0..1_000_000).map(|i| if i % 2 == 0 { '\u{301}' } else { '\u{323}' });
        let original: String = std::iter::once('a').chain(marks).collect();
        let (text, alignment) = normalise(&original, Form::Nfc).expect("the order changes");
        assert!(text.starts_with('\u{1EA1}'));
        assert_eq!(alignment.original(Span::new(0, 3)).range(), 0..original.len());
    }

    #[test]
    fn compatibility_folding_cannot_blow_a_text_up() {
        let original = "\u{FDFA}".repeat(100_000);
        let text = text(&original, Form::Nfkc);
        assert!(text.len() > 2 * original.len() && text.len() <= 4 * original.len());
        assert_eq!(self::text("a \u{FDFA}", Form::Nfkc).chars().count(), 2 + 18);
    }

    /// Characters that decompose, compose, reorder and fold, among plain ones.
    fn tricky() -> impl Strategy<Value = String> {
        let tricky = "aeio sAＡｶﾞﾟガﬁ…①½ẛ̣̇́̈ıİğşé한ᄒ\u{1161}\u{11AB}\u{9C7}\u{9BE}\u{F900}\u{2126}ﷺ\u{344}\u{FB1D}中\n";
        let one = prop::sample::select(tricky.chars().collect::<Vec<_>>());
        let any = prop_oneof![9 => one, 1 => any::<char>()];
        prop::collection::vec(any, 0..40).prop_map(|chars| chars.into_iter().collect())
    }

    proptest! {
        #[test]
        fn the_result_is_the_normal_form(original in tricky()) {
            prop_assert_eq!(text(&original, Form::Nfc), original.nfc().collect::<String>());
            // Short texts of expanding characters may meet the growth bound.
            let long = format!("{original}{}", " ".repeat(12 * original.len()));
            prop_assert_eq!(text(&long, Form::Nfkc), long.nfkc().collect::<String>());
        }

        #[test]
        fn normalising_what_a_token_came_from_gives_the_token(original in tricky()) {
            let Some((text, alignment)) = normalise(&original, Form::Nfc) else { return Ok(()) };
            let mut end = 0;
            for token in text.split(' ') {
                let start = end;
                end = start + token.len();
                let found = alignment.original(Span::new(start as u32, end as u32));
                // A mark at the start of a token belongs to the space before it.
                if token.chars().next().is_some_and(|c| !is_combining_mark(c)) {
                    let slice = found.of(&original).expect("on character borders");
                    prop_assert_eq!(slice.nfc().collect::<String>(), token);
                }
                end += 1;
            }
        }

        #[test]
        fn every_character_leads_to_character_borders_in_order(original in tricky()) {
            for form in [Form::Nfc, Form::Nfkc] {
                let Some((text, alignment)) = normalise(&original, form) else { continue };
                let mut last = Span::new(0, 0);
                for (at, c) in text.char_indices() {
                    let span = Span::new(at as u32, (at + c.len_utf8()) as u32);
                    let found = alignment.original(span);
                    prop_assert!(found.of(&original).is_some_and(|slice| !slice.is_empty()));
                    prop_assert!(found.start >= last.start && found.end >= last.end);
                    last = found;
                }
            }
        }
    }
}
