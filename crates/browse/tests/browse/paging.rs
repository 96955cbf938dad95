use std::fs;
use std::ops::ControlFlow;

use proptest::prelude::*;
use retold_browse::{BrowseError, Browser, Page, PageRequest, ResultTable, build};

use crate::made::{asking, newsroom, numbers, reopened, some_result};
use crate::reference::{orders, rows, some_terms, written};

/// Pages through everything; returns the rows and how many match.
fn all_pages(browser: &Browser, table: ResultTable, request: PageRequest) -> (Vec<u64>, u64) {
    let (mut numbers, mut request) = (Vec::new(), request);
    loop {
        let Page { rows, next, n_matching, .. } =
            browser.page(table, &request).expect("the question is right");
        assert!(rows.len() <= request.limit);
        numbers.extend(rows.iter().map(|row| row.number));
        if next.is_none() {
            return (numbers, n_matching);
        }
        assert!(!rows.is_empty(), "a page with a next one has rows");
        request.after = next;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn pages_have_the_same_rows_as_a_plain_search(
        made in some_result(),
        terms in ResultTable::ALL.map(some_terms),
        order in any::<prop::sample::Index>(),
        limit in 1..9_usize,
    ) {
        let opened = made.open();
        for (table, terms) in ResultTable::ALL.into_iter().zip(&terms) {
            let sort = *order.get(orders(table));
            let filter = written(terms);
            let request = PageRequest { limit, ..asking(&filter, sort) };
            let expected = rows(&made, table, terms, sort);
            let (found, n_matching) = all_pages(&opened.browser, table, request);
            prop_assert_eq!(n_matching, expected.len() as u64);
            prop_assert_eq!(found, expected, "{} by `{}` with `{}`", table, sort, filter);
        }
    }

    #[test]
    fn a_row_is_the_line_as_it_was_written(made in some_result()) {
        let opened = made.open();
        for table in ResultTable::ALL {
            let page = opened.browser.page(table, &PageRequest::default()).expect("a page");
            prop_assert_eq!(page.n_rows, made.rows(table).len() as u64);
            for row in page.rows {
                prop_assert_eq!(row.line, made.rows(table)[row.number as usize].to_string());
            }
        }
    }
}

#[test]
fn words_lists_wildcards_and_negations_choose_rows() {
    let opened = newsroom().open();
    let browser = &opened.browser;
    for (table, filter, expected) in [
        (ResultTable::Documents, "LOOSE", vec![4]),
        (ResultTable::Documents, "ökO", vec![5]),
        (ResultTable::Documents, "-\"=loose\" cluster:none", vec![5]),
        (ResultTable::Documents, "file:news/*", vec![1, 3]),
        (ResultTable::Documents, "source:post,Post words:100", vec![1, 3]),
        (ResultTable::Documents, "time:2026-10..2026-11 -time:2026-11", vec![1, 3]),
        (ResultTable::Documents, "time:>=2026-10-16", vec![0, 2]),
        (ResultTable::Pairs, "across:source", vec![0, 1, 2, 5]),
        (ResultTable::Pairs, "cluster:none in:>0.8", vec![3, 5]),
        (ResultTable::Pairs, "cluster:0,1", vec![0, 1]),
        (ResultTable::Pairs, "loose", vec![3]),
        (ResultTable::Pairs, "source:\"Coast Wire\" -source:Post", vec![3, 4]),
        (ResultTable::Clusters, "member:d", vec![1]),
        (ResultTable::Removed, "kept:a share:>=95%", vec![0]),
        (ResultTable::Removed, "-a", vec![]),
    ] {
        assert_eq!(numbers(browser, table, filter, ""), expected, "{table}: {filter}");
    }
    assert_eq!(numbers(browser, ResultTable::Pairs, "", "-share"), [1, 5, 0, 3, 2, 4]);
}

#[test]
fn a_cursor_is_valid_for_whoever_opens_the_same_folder() {
    let opened = newsroom().open();
    let request = PageRequest { limit: 2, ..asking("words:>1", "-in") };
    let first = opened.browser.page(ResultTable::Pairs, &request).expect("a page");
    let request = PageRequest { after: first.next, ..request };
    let second = opened.browser.page(ResultTable::Pairs, &request).expect("a page");
    fs::remove_dir_all(opened.dir.path().join("side")).expect("the side file can be removed");
    let again = reopened(opened.dir.path());
    assert_eq!(again.page(ResultTable::Pairs, &request).expect("a page"), second);
}

#[test]
fn a_cursor_of_something_else_is_refused() {
    let (opened, mut other) = (newsroom().open(), newsroom());
    other.tables[0].pop();
    let other = other.open();
    let request = PageRequest { limit: 2, ..asking("", "-in") };
    let next = opened.browser.page(ResultTable::Pairs, &request).expect("a page").next;
    let cursor = next.clone().expect("there are more pairs");
    let refused = |browser: &Browser, table, request: &PageRequest| {
        browser.page(table, request).expect_err("the cursor is wrong").to_string()
    };
    let after = PageRequest { after: next, ..request.clone() };
    let of_another = "belongs to another table, filter or order";
    for wrong in [
        PageRequest { sort: "in".to_owned(), ..after.clone() },
        PageRequest { filter: "words:>0".to_owned(), ..after.clone() },
    ] {
        assert!(refused(&opened.browser, ResultTable::Pairs, &wrong).ends_with(of_another));
    }
    let wrong = PageRequest { sort: String::new(), ..after.clone() };
    assert!(refused(&opened.browser, ResultTable::Documents, &wrong).ends_with(of_another));
    assert!(
        refused(&other.browser, ResultTable::Pairs, &after).ends_with("belongs to another result")
    );
    let beyond = format!("{}ffffffff", &cursor[..24]);
    for (cursor, reason) in [
        (beyond.as_str(), "names a row that is not there"),
        ("next", "is not one: a cursor is what `next` of a page says"),
        ("éééééééééééééééé", "is not one: a cursor is what `next` of a page says"),
    ] {
        let wrong = PageRequest { after: Some(cursor.to_owned()), ..request.clone() };
        assert!(refused(&opened.browser, ResultTable::Pairs, &wrong).ends_with(reason), "{cursor}");
    }
}

#[test]
fn an_order_that_does_not_exist_is_answered_with_those_that_do() {
    let opened = newsroom().open();
    let error = opened.browser.page(ResultTable::Removed, &asking("", "-shar"));
    assert_eq!(
        error.expect_err("there is no such order").to_string(),
        "cannot sort removed by `shar`; accepted: share, relation, words, file, time, with `-` in \
         front for descending order; did you mean `share`?"
    );
}

#[test]
fn a_page_ends_before_it_has_too_many_bytes_but_has_a_row() {
    let opened = newsroom().open();
    let request = PageRequest { most_bytes: 1, ..PageRequest::default() };
    let page = opened.browser.page(ResultTable::Pairs, &request).expect("a page");
    assert_eq!((page.rows.len(), page.next.is_some()), (1, true));
    let (numbers, _) = all_pages(&opened.browser, ResultTable::Pairs, request);
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_build_that_is_asked_to_stop_leaves_nothing() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    newsroom().write(dir.path());
    let side = dir.path().join("side");
    let stopped = build(&dir.path().join("found"), &side, &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(BrowseError::Stopped)));
    assert_eq!(fs::read_dir(&side).expect("the folder was made").count(), 0);
}
