use retold_core::document::{Markup, Span};
use retold_core::relation::{Passage, Score, Scores};

use super::*;
use crate::view::Window;

fn side(id: &str, title: &str, text: &str) -> SideView {
    SideView {
        id: id.to_owned(),
        title: Some(title.to_owned()),
        n_words: text.split_whitespace().count() as u32,
        markup: Markup::Plain,
        n_bytes: text.len(),
        windows: vec![Window { start: 0, text: text.to_owned() }],
        ..SideView::default()
    }
}

fn bridge() -> PairView {
    let a = "The harbour bridge was closed to traffic on Tuesday after inspectors found cracks in \
             two of its main bearings, the city said. Ferries run every ten minutes.";
    let b = "Portside: the harbour bridge was closed to all traffic on Tuesday after engineers \
             found cracks in two of its main bearings, the city said.";
    PairView {
        a: side("wire-0412", "Harbour bridge closed", a),
        b: side("portal/88", "新聞 Bridge shut", b),
        relation: Some(Kind::Contained),
        scores: Scores {
            resemblance: Score::new(0.71).unwrap(),
            a_in_b: Score::new(0.784).unwrap(),
            b_in_a: Score::new(0.9).unwrap(),
        },
        passages: vec![Passage {
            a: Span::new(0, a.find(" Ferries").unwrap() as u32),
            b: Span::new(10, b.len() as u32),
            words: 21,
            differ: 2,
            moved: 0,
        }],
        vocabulary: Some([Score::new(0.8).unwrap(), Score::new(0.94).unwrap()]),
        quoted: Vec::new(),
        n_cut: 3,
    }
}

#[test]
fn a_comparison_reads_like_this() {
    let text = compare_text(&bridge(), Style::default());
    let expected = include_str!("bridge.txt");
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn words_that_moved_have_a_mark_of_their_own() {
    let (a, b) =
        ("on Tuesday the old bridge was shut again", "the bridge was shut again on Tuesday");
    let mut pair = bridge();
    (pair.a, pair.b) = (side("a", "A", a), side("b", "B", b));
    let (a, b) = (Span::new(0, a.len() as u32), Span::new(0, b.len() as u32));
    pair.passages = vec![Passage { a, b, words: 5, differ: 1, moved: 2 }];
    let plain = compare_text(&pair, Style::default());
    assert!(plain.contains("7 words, reordered, 2 moved, 1 differs"), "{plain}");
    assert!(plain.contains("{on Tuesday} the [old] bridge was shut │"), "{plain}");
    assert!(plain.contains("the bridge was shut again {on Tuesday}"), "{plain}");
    let coloured = compare_text(&pair, Style { colour: true, ..Style::default() });
    assert!(coloured.contains("\u{1b}[35mon Tuesday") && !coloured.contains('{'));
}

#[test]
fn columns_stay_aligned_with_wide_characters() {
    let mut pair = bridge();
    let text =
        "東京の港にかかる橋は火曜日に閉鎖された。市によると、検査員が亀裂を発見した。".repeat(3);
    pair.a = side("a", "新聞", &text);
    pair.b = side("b", "新聞", &text);
    let whole = Span::new(0, text.len() as u32);
    pair.passages = vec![Passage { a: whole, b: whole, words: 60, differ: 0, moved: 0 }];
    let shown = compare_text(&pair, Style { width: 61, ..Style::default() });
    let rows: Vec<&str> = shown.lines().filter(|line| line.contains('│')).collect();
    assert!(rows.len() > 3);
    for row in rows {
        let (left, right) = row.split_once('│').unwrap();
        assert!(left.width() == 30 && right.width() <= 30, "{row}");
    }
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [40, 72, 80, 120] {
        for unicode in [false, true] {
            let text = compare_text(&bridge(), Style { colour: false, width, unicode });
            let widest = text.lines().map(UnicodeWidthStr::width).max();
            assert!(widest <= Some(usize::from(width)), "{text}");
        }
    }
}

#[test]
fn a_document_cannot_steer_the_terminal() {
    let mut pair = bridge();
    let text = "before \u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[2J after\rover";
    pair.a = side("a\u{1b}[31m", "title\nforged", text);
    pair.passages[0].a = Span::new(0, text.len() as u32);
    let shown = compare_text(&pair, Style::default());
    assert!(!shown.contains(['\u{1b}', '\u{7}', '\r']));
    assert!(shown.contains("a\\u{1b}[31m · title forged"));
}

#[test]
fn documents_that_share_nothing_say_so() {
    let mut pair = bridge();
    pair.passages.clear();
    pair.relation = None;
    pair.scores = Scores::default();
    let shown = compare_text(&pair, Style::default());
    assert!(shown.contains("not related") && shown.ends_with("no passage is shared\n"));
}

#[test]
fn whoever_judges_is_shown_passages_and_no_verdict() {
    let shown = passages_text(&bridge(), Style::default());
    let told = compare_text(&bridge(), Style::default());
    assert!(!shown.contains("contained") && !shown.contains('%'), "{shown}");
    let passages = |text: &str| text[text.find("\n── 1").expect("a passage")..].to_owned();
    assert_eq!(passages(&shown), passages(&told));
}
