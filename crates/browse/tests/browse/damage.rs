use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use proptest::prelude::*;
use retold_browse::{BrowseError, Browser, PageRequest, ResultTable, build};
use retold_report::Manifest;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::made::{Made, newsroom, reopened};

/// Asks for everything there is; returns the first error.
fn asked(browser: &Browser) -> Result<(), BrowseError> {
    for table in ResultTable::ALL {
        browser.facets(table, "")?;
        for sort in ["", "time", "-words", "file", "in", "size", "cluster"] {
            let request = PageRequest { sort: sort.to_owned(), ..PageRequest::default() };
            match browser.page(table, &request) {
                Ok(_) | Err(BrowseError::Sort { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let filter =
            if table == ResultTable::Pairs { "a across:file cluster:0" } else { "a time:2026" };
        browser
            .page(table, &PageRequest { filter: filter.to_owned(), ..PageRequest::default() })?;
    }
    browser.cluster(0, 9)?;
    browser.neighbours(0, 9)?;
    browser.document("a")?;
    Ok(())
}

fn built(folder: &Path) -> String {
    let side = folder.join("side");
    let built = build(&folder.join("found"), &side, &mut |_| ControlFlow::Continue(()));
    built.expect_err("the result is damaged").to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_damaged_side_file_is_noticed_and_built_again(at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let opened = newsroom().open();
        let path = opened.dir.path().join("side/browse.side");
        let whole = fs::read(&path).expect("the side file is there");
        let mut bytes = whole.clone();
        bytes[at.index(whole.len())] ^= 1_u8 << bit;
        fs::write(&path, &bytes).expect("it can be written");
        let [found, side] = ["found", "side"].map(|name| opened.dir.path().join(name));
        match Browser::open(&found, &side).and_then(|browser| asked(&browser)) {
            Ok(()) => {}
            Err(error) => prop_assert!(error.needs_build(), "{}", error),
        }
        fs::write(&path, &bytes[..at.index(whole.len())]).expect("it can be written");
        let error = Browser::open(&found, &side).expect_err("it is cut off");
        prop_assert!(error.needs_build(), "{}", error);
        asked(&reopened(opened.dir.path())).expect("it was built again");
        prop_assert!(fs::read(&path).expect("it is there") == whole);
    }

    #[test]
    fn no_bytes_in_a_table_make_it_panic(
        table in 0..5_usize,
        at in any::<prop::sample::Index>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..4),
    ) {
        let opened = newsroom().open();
        let path = opened.dir.path().join("found").join(format!("{}.jsonl", ResultTable::ALL[table]));
        let mut table = fs::read(&path).expect("the table is there");
        let at = at.index(table.len() + 1);
        let end = (at + bytes.len()).min(table.len());
        table.splice(at..end, bytes);
        fs::write(&path, table).expect("it can be written");
        // The open one may find a line that changed, and a new one is built or refused.
        let _ = asked(&opened.browser);
        let [found, side] = ["found", "side"].map(|name| opened.dir.path().join(name));
        if let Ok(browser) = Browser::open_or_build(&found, &side, &mut |_| ControlFlow::Continue(())) {
            asked(&browser).expect("what was built from it belongs to it");
        }
    }
}

/// Changes the directory of a side file and the hashes with it, so that it looks whole.
fn with_directory(bytes: &[u8], change: impl Fn(&mut Vec<u8>, &mut Value)) -> Vec<u8> {
    let (rest, end) = bytes.split_at(bytes.len() - 16);
    let len = u64::from_le_bytes(end[..8].try_into().expect("eight bytes")) as usize;
    let (head, directory) = rest.split_at(rest.len() - len);
    let (mut head, mut directory) =
        (head.to_vec(), serde_json::from_slice(directory).expect("the directory is JSON"));
    change(&mut head, &mut directory);
    let directory = directory.to_string().into_bytes();
    let mut bytes = [head, directory.clone()].concat();
    bytes.extend((directory.len() as u64).to_le_bytes());
    bytes.extend(xxh3_64(&directory).to_le_bytes());
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_side_file_that_lies_makes_nothing_panic(
        place in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        lie in prop_oneof![0..20_u64, any::<u64>()],
        what in 0..4,
    ) {
        let opened = newsroom().open();
        let path = opened.dir.path().join("side/browse.side");
        let whole = fs::read(&path).expect("the side file is there");
        let lying = with_directory(&whole, |head, directory| {
            let sections = directory["sections"].as_array_mut().expect("a list of sections");
            let n_sections = sections.len();
            let section = place.get(sections).clone();
            let number = |name: &str| section[name].as_u64().expect("a number") as usize;
            let changed = &mut sections[place.index(n_sections)];
            match what {
                0 => changed["start"] = lie.into(),
                1 => changed["len"] = lie.into(),
                2 => directory["n_rows"][place.index(5)] = lie.into(),
                // Another value, with its hash.
                _ if number("len") > 0 => {
                    let bytes = &mut head[number("start")..][..number("len")];
                    bytes[at.index(bytes.len())] = lie as u8;
                    changed["hash"] = xxh3_64(bytes).into();
                }
                _ => {}
            }
        });
        fs::write(&path, lying).expect("it can be written");
        let [found, side] = ["found", "side"].map(|name| opened.dir.path().join(name));
        let _ = Browser::open(&found, &side).and_then(|browser| asked(&browser));
    }
}

#[test]
fn a_line_that_is_wrong_is_named() {
    for (table, line, expected) in [
        ("pairs", "{}\n", "pairs.jsonl: line 1: not as it was written: missing field `a`"),
        ("documents", "\n", "documents.jsonl: line 1: is no JSON object"),
        ("review", "[\"id\"]\n", "review.jsonl: line 1: is no JSON object"),
        ("clusters", "{\"id\":0}", "clusters.jsonl: line 1: has no end: the file is cut off"),
    ] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        Made::default().write(dir.path());
        fs::write(dir.path().join(format!("found/{table}.jsonl")), line)
            .expect("it can be written");
        let message = built(dir.path());
        assert!(message.contains(expected), "{message}");
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    Made::default().write(dir.path());
    fs::write(dir.path().join("found/pairs.jsonl"), b"{\"x\":\"\x80\"}\n").expect("it is there");
    assert!(built(dir.path()).contains("pairs.jsonl: line 1: is not UTF-8"));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut made = newsroom();
    made.tables[0][2]["a_in_b"] = 1.5.into();
    made.write(dir.path());
    let message = built(dir.path());
    assert!(message.ends_with("line 3: `a_in_b` must be between 0 and 1, got 1.5"), "{message}");
}

#[test]
fn a_folder_that_cannot_be_browsed_is_refused_with_the_reason() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    newsroom().write(dir.path());
    let found = dir.path().join("found");
    fs::rename(found.join("pairs.jsonl"), found.join("pairs.csv")).expect("it can be renamed");
    let message = built(dir.path());
    assert!(message.ends_with(
        "has no `pairs.jsonl`, but `pairs.csv`: only results with tables as JSON Lines can be \
         browsed, which `--format jsonl` writes"
    ));
    let manifest = Manifest { program: "another".to_owned(), ..Manifest::default() };
    manifest.write(&found).expect("the manifest can be written");
    assert!(built(dir.path()).ends_with("was not written by `retold find` or `retold dedup`"));
    fs::remove_file(found.join("manifest.json")).expect("it can be removed");
    assert!(built(dir.path()).starts_with("cannot read "));
}

#[test]
fn a_result_of_find_has_no_removals() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    newsroom().write(dir.path());
    for table in ["removed", "review"] {
        fs::remove_file(dir.path().join(format!("found/{table}.jsonl"))).expect("it is there");
    }
    let browser = reopened(dir.path());
    assert_eq!(browser.n_rows(ResultTable::Removed), None);
    let error = browser.page(ResultTable::Removed, &PageRequest::default());
    let message = error.expect_err("there is no such table").to_string();
    assert!(message.ends_with("has no table `removed`: only `retold dedup` writes it"));
}

#[test]
fn a_side_file_of_another_result_is_not_used() {
    let (opened, mut other) = (newsroom().open(), newsroom());
    other.tables[0].pop();
    let other = other.open();
    let error = Browser::open(&opened.dir.path().join("found"), &other.dir.path().join("side"));
    let error = error.expect_err("it belongs to another result");
    assert!(error.needs_build() && error.to_string().contains("belongs to another result"));
}
