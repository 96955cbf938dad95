use proptest::prelude::*;

use super::*;

fn message(table: ResultTable, text: &str) -> String {
    Filter::parse(table, text).expect_err(text).to_string()
}

fn items(table: ResultTable, text: &str) -> Vec<Item> {
    let filter = Filter::parse(table, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    match filter.terms.as_slice() {
        [Term { test: Test::Named(_, items), .. }] => items.clone(),
        other => panic!("{text}: one named term expected, got {other:?}"),
    }
}

#[test]
fn every_error_says_which_term_where_and_what_is_accepted() {
    let number = "`>x`, `>=x`, `<x`, `<=x`, a range `a..b`, or `none`";
    for (table, text, expected) in [
        (
            ResultTable::Clusters,
            "size:3 sise:>3",
            "filter term `sise:>3` (byte 7): clusters have no `sise`; accepted: id, size, cohesion, \
             pairs, exact, near, contains, contained, partial, derived, common, shared, member, \
             source, language, time; did you mean `size`?; text with a colon has to be in quotes"
                .to_owned(),
        ),
        (
            ResultTable::Review,
            "http://x",
            "filter term `http://x` (byte 0): review have no `http`; accepted: id, kept, share, \
             relation, words, file, source, language, time; text with a colon has to be in quotes"
                .to_owned(),
        ),
        (
            ResultTable::Clusters,
            "size:many",
            format!(
                "filter term `size:many` (byte 5): `many` is no value of `size`; accepted: a whole \
                 number, {number}"
            ),
        ),
        (
            ResultTable::Clusters,
            "-size:>",
            format!(
                "filter term `-size:>` (byte 7): `size` has no value; accepted: a whole number, \
                 {number}"
            ),
        ),
        (
            ResultTable::Pairs,
            "in:1.5",
            format!(
                "filter term `in:1.5` (byte 3): `1.5` is no value of `in`; accepted: a share such \
                 as `0.8` or `80%` with at most six decimals, {number}"
            ),
        ),
        (
            ResultTable::Pairs,
            "time:2026-13",
            format!(
                "filter term `time:2026-13` (byte 5): `2026-13` is no value of `time`; accepted: a \
                 time such as `2026`, `2026-11`, `2026-11-01` or `2026-11-01T12:00:00Z`, {number}"
            ),
        ),
        (
            ResultTable::Pairs,
            "words:1,9..3",
            "filter term `words:1,9..3` (byte 8): the range `9..3` ends before it begins".to_owned(),
        ),
        (
            ResultTable::Pairs,
            "relation:near-duplicat",
            "filter term `relation:near-duplicat` (byte 9): `near-duplicat` is no value of \
             `relation`; accepted: exact, near-duplicate, contains, contained, partial; did you mean \
             `near-duplicate`?"
                .to_owned(),
        ),
        (
            ResultTable::Pairs,
            "across:none",
            "filter term `across:none` (byte 7): `none` is no value of `across`; accepted: source, \
             language, file"
                .to_owned(),
        ),
        (
            ResultTable::Documents,
            "source:>b",
            "filter term `source:>b` (byte 8): `source` cannot be compared; accepted: a text, with \
             `*` for anything and in quotes if it has blanks, or `none`"
                .to_owned(),
        ),
        (
            ResultTable::Documents,
            "source:\"a b",
            "filter term `source:\"a` (byte 7): the quote is not closed; accepted: `\"…\"`".to_owned(),
        ),
        (
            ResultTable::Documents,
            "source:\"a\"b",
            "filter term `source:\"a\"b` (byte 10): a blank has to follow the closing quote; inside \
             quotes `\\\"` stands for a quote"
                .to_owned(),
        ),
        (
            ResultTable::Documents,
            "one - two",
            "filter term `-` (byte 5): there is nothing to look for; accepted: `name:value` or a \
             part of an id"
                .to_owned(),
        ),
    ] {
        assert_eq!(message(table, text), expected);
    }
    let long = "x".repeat(MOST_FILTER_BYTES + 1);
    assert!(message(ResultTable::Pairs, &long).ends_with("at most 4096 bytes, this one has 4097"));
}

#[test]
fn comparisons_and_ranges_become_first_and_last() {
    for (text, expected) in [
        ("size:5", (5, 5)),
        ("size:>5", (6, u64::MAX)),
        ("size:>=5", (5, u64::MAX)),
        ("size:<5", (0, 4)),
        ("size:<0", (1, 0)),
        ("size:<=5", (0, 5)),
        ("size:2..5", (2, 5)),
        ("size:2..", (2, u64::MAX)),
        ("size:..5", (0, 5)),
        ("cohesion:>=50%", (500_000, u64::MAX)),
    ] {
        let expected = Item::Between(expected.0, expected.1);
        assert_eq!(items(ResultTable::Clusters, text), [expected], "{text}");
    }
}

#[test]
fn quotes_take_texts_as_they_are() {
    for (text, expected) in [
        ("source:none", Item::Nothing),
        ("source:\"none\"", Item::Exactly("none".to_owned())),
        ("source:\"a*,\\\" b\"", Item::Exactly("a*,\" b".to_owned())),
        ("source:a*", Item::Like(vec!["a".to_owned(), String::new()])),
        ("file:http://x", Item::Exactly("http://x".to_owned())),
    ] {
        assert_eq!(items(ResultTable::Documents, text), [expected], "{text}");
    }
    assert_eq!(items(ResultTable::Documents, "source:a,\"b c\",d*").len(), 3);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[-a-z:\"\\\\.,<>=*0-9% é]{0,40}", table in 0..5_usize) {
        let _ = Filter::parse(ResultTable::ALL[table], &text);
    }

    #[test]
    fn a_quoted_text_comes_back(text in any::<String>()) {
        let term = format!("source:{}", quoted(&text));
        prop_assert_eq!(items(ResultTable::Documents, &term), [Item::Exactly(text)]);
    }
}
