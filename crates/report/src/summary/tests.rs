use unicode_width::UnicodeWidthStr;

use super::*;
use crate::manifest::Cut;

fn news() -> Summary {
    Summary {
        command: "find".to_owned(),
        method: "retold".to_owned(),
        n_files: 3,
        n_documents: 21_307,
        n_archive: 0,
        n_bytes: 190_432_000,
        n_words: 29_100_000,
        n_bad: 3,
        n_too_short: 100,
        pairs_by_kind: [1_204, 3_310, 412, 388, 990],
        n_exact_groups: 811,
        n_exact_copies: 1_033,
        n_clusters: 1_200,
        n_clustered: 6_203,
        n_kept: 1_200,
        n_in_several: 0,
        cluster_sizes: vec![2, 2, 3],
        largest: vec![
            ("Harbour bridge closed after inspectors find cracks in two of the main bearings, mayor says".to_owned(), 84),
            ("Körfez köprüsü\n geçici olarak kapatıldı".to_owned(), 41),
            ("\u{1b}]0;owned\u{7}新聞".to_owned(), 7),
        ],
        containment_histogram: [3, 40, 120, 200, 300, 350, 400, 600, 1_100, 3_191],
        n_removed: None,
        n_review: None,
        decides_only: false,
        cuts: vec![Cut {
            what: "pairs beyond the limit per document".to_owned(),
            limit: Some(1_000),
            count: 12,
        }],
        seconds: 8.31,
        output: Some("found/".to_owned()),
    }
}

#[test]
fn a_summary_reads_like_this() {
    let text = summary_text(&news(), Style::default());
    let expected = include_str!("news.txt");
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn an_empty_run_is_told_calmly() {
    let summary = Summary { n_files: 1, n_documents: 12, n_words: 900, ..Summary::default() };
    let text = summary_text(&summary, Style::default());
    let expected = include_str!("empty.txt");
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn a_summary_fits_the_terminal_in_every_style() {
    for width in [40, 60, 80, 200] {
        for unicode in [false, true] {
            let text = summary_text(&news(), Style { colour: false, width, unicode });
            for line in text.lines() {
                assert!(line.width() <= usize::from(width), "{width}: {line}");
                assert_eq!(line, line.trim_end());
            }
        }
    }
}

#[test]
fn an_archive_is_told_apart_from_the_documents() {
    let summary = Summary {
        n_documents: 1_600,
        n_archive: 1_500,
        n_removed: Some(267),
        decides_only: true,
        ..Summary::default()
    };
    let text = summary_text(&summary, Style::default());
    assert!(text.contains("267 of 1,600 documents removed"), "{text}");
    assert!(text.contains("1,333   83.3 %"), "{text}");
    assert!(text.contains("archive                1,500           compared with"), "{text}");
}

#[test]
fn a_long_remark_loses_nothing() {
    let what = "documents in groups that have too many closed sets to list them all; every related \
                pair still stands in one";
    let cut = Cut { what: what.to_owned(), limit: Some(100_000), count: 12 };
    let summary = Summary { n_documents: 3, cuts: vec![cut], ..Summary::default() };
    let text = summary_text(&summary, Style::default());
    let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(whole.ends_with(&format!("12 {what} (limit 100,000)")), "{text}");
}

#[test]
fn a_title_cannot_steer_the_terminal() {
    let plain = summary_text(&news(), Style::default());
    assert!(!plain.contains('\u{1b}') && plain.contains("\\u{1b}]0;owned\\u{7}新聞"));
    let coloured = summary_text(&news(), Style { colour: true, ..Style::default() });
    assert!(!coloured.contains("\u{1b}]") && !coloured.contains('\u{7}'));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let coloured = summary_text(&news(), Style { colour: true, ..Style::default() });
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    plain.push_str(rest);
    let trimmed: Vec<&str> = plain.lines().map(str::trim_end).collect();
    let expected = summary_text(&news(), Style::default());
    assert_eq!(trimmed, expected.lines().collect::<Vec<_>>());
}
