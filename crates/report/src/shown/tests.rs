use proptest::prelude::*;
use retold_core::relation::{Passage, Scores};

use super::*;

fn side(text: &str, markup: Markup) -> SideView {
    let windows = vec![Window { start: 0, text: text.to_owned() }];
    SideView { markup, n_bytes: text.len(), windows, ..SideView::default() }
}

fn pair(a: &str, b: &str, differ: u32, moved: u32) -> PairView {
    let spans = |text: &str| Span::new(0, text.len() as u32);
    PairView {
        a: side(a, Markup::Plain),
        b: side(b, Markup::Plain),
        relation: None,
        scores: Scores::default(),
        passages: vec![Passage { a: spans(a), b: spans(b), words: 0, differ, moved }],
        quoted: Vec::new(),
        vocabulary: None,
        n_cut: 0,
    }
}

fn marked(pieces: &[Piece<'_>]) -> String {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text { text, passage, mark } => match (passage, mark) {
                (Some(_), Mark::Differs) => format!("[{text}]"),
                (Some(_), Mark::Moved) => format!("{{{text}}}"),
                (Some(passage), Mark::Same) => format!("{passage}({text})"),
                (None, _) => text.to_string(),
            },
            Piece::Break => "\n".to_owned(),
            Piece::Gap(bytes) => format!("<{bytes}>"),
        })
        .collect()
}

#[test]
fn words_that_differ_are_found_again() {
    let pair = pair("The old bridge closed today", "The bridge was closed Today", 2, 0);
    let shown = shown(&pair);
    assert_eq!(marked(&shown.a), "0(The )[old]0( bridge closed today)");
    assert_eq!(marked(&shown.b), "0(The bridge )[was]0( closed Today)");
}

#[test]
fn nothing_is_marked_in_a_passage_that_agrees() {
    let pair = pair("One, two", "one two", 0, 0);
    let shown = shown(&pair);
    assert_eq!((marked(&shown.a), marked(&shown.b)), ("0(One, two)".into(), "0(one two)".into()));
}

#[test]
fn words_that_moved_are_told_from_words_that_differ() {
    let pair = pair(
        "On Monday the council closed one old bridge again",
        "The council again closed a bridge officers said on Monday",
        5,
        3,
    );
    let shown = shown(&pair);
    assert_eq!(marked(&shown.a), "{On Monday}0( the council closed )[one old]0( bridge ){again}");
    assert_eq!(
        marked(&shown.b),
        "0(The council ){again}0( closed )[a]0( bridge )[officers said]0( ){on Monday}"
    );
    // Without words that moved, the order decides.
    let pair = super::tests::pair("one two three", "three one two", 2, 0);
    assert_eq!(marked(&super::shown(&pair).b), "[three]0( one two)");
}

#[test]
fn overlapping_passages_share_the_text_without_repeating_it() {
    let side = side("abcdefghij", Markup::Plain);
    let spans = [Span::new(2, 6), Span::new(0, 4), Span::new(5, 6)];
    assert_eq!(marked(&pieces(&side, &spans, &[])), "1(abcd)0(ef)ghij");
}

#[test]
fn tags_are_not_shown_and_references_are_resolved() {
    let text = "<p>Tom &amp; <b>Ann</b></p><script>evil()</script><p>said &lt;so&#33;</p>";
    let side = side(text, Markup::Html);
    assert_eq!(marked(&pieces(&side, &[], &[])), "Tom & Ann\nsaid <so!\n");
}

#[test]
fn what_is_left_out_is_counted() {
    let windows = vec![
        Window { start: 10, text: "abc".to_owned() },
        Window { start: 20, text: "def".to_owned() },
    ];
    let side = SideView { n_bytes: 30, windows, ..SideView::default() };
    let shown = marked(&pieces(&side, &[Span::new(12, 22)], &[]));
    assert_eq!(shown, "<10>ab0(c)<7>0(de)f<7>");
}

proptest! {
    #[test]
    fn every_character_is_shown_once_whatever_the_spans(
        text in "[a-zığş新 ]{0,80}",
        spans in prop::collection::vec((0u32..120, 0u32..120), 0..8),
        differs in prop::collection::vec((0usize..120, 0usize..120), 0..4),
        budget in 1usize..100,
    ) {
        let spans: Vec<Span> = spans.into_iter().map(Span::from).collect();
        let differs = differs
            .into_iter()
            .map(|(one, other)| (one.min(other)..one.max(other), Mark::Differs));
        let windows = Window::around(&text, spans.iter().copied(), budget);
        let expected: String = windows.iter().map(|window| window.text.as_str()).collect();
        prop_assert!(expected.len() <= budget);
        let side = SideView { n_bytes: text.len(), windows, ..SideView::default() };
        let shown: String = pieces(&side, &spans, &differs.collect::<Vec<_>>())
            .iter()
            .map(|piece| match piece {
                Piece::Text { text, .. } => text.to_string(),
                _ => String::new(),
            })
            .collect();
        prop_assert_eq!(shown, expected);
    }

    #[test]
    fn broken_markup_is_shown_without_a_panic(text in "[<>a-c/!& ;#x\"-]{0,60}") {
        let side = side(&text, Markup::Html);
        let shown = marked(&pieces(&side, &[Span::new(3, 20)], &[]));
        prop_assert!(shown.len() <= 8 * text.len() + 8);
    }
}

#[test]
fn a_span_inside_a_character_does_no_harm() {
    let side = side("ığüşöç", Markup::Plain);
    let all: String = pieces(
        &side,
        &[Span::new(1, 5), Span::new(90, 95)],
        &[(2..3, Mark::Moved), (5..9, Mark::Differs)],
    )
    .iter()
    .map(|piece| match piece {
        Piece::Text { text, .. } => text.to_string(),
        _ => String::new(),
    })
    .collect();
    assert_eq!(all, "ığüşöç");
}
