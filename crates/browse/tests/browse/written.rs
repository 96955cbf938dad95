//! Tables as the writers of a run write them.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;

use retold_browse::{Browser, PageRequest, ResultTable};
use retold_core::document::Span;
use retold_core::relation::{Evidence, Kind, Passage, Score, Scores};
use retold_report::{
    ClusterRow, ClustersWriter, DocumentRow, DocumentsWriter, Manifest, PROGRAM, PairRow,
    PairsWriter, RemovalRow, RemovalsWriter, TableFormat, Verdict,
};

use crate::made::numbers;

const IDS: [&str; 3] = ["news/ferry.html", "wire \"1207\"", "tab\tand line\nfeed"];

/// Writes three exact copies as `dedup` does.
fn write(dir: &Path) -> std::io::Result<()> {
    let format = TableFormat::Jsonl;
    Manifest { program: PROGRAM.to_owned(), ..Manifest::default() }.write(dir)?;
    let mut documents = DocumentsWriter::create(dir, format)?;
    for (place, id) in IDS.into_iter().enumerate() {
        documents.push(&DocumentRow {
            id,
            file: "wire.jsonl",
            record: place as u64,
            n_words: 120,
            verdict: if place == 0 { Verdict::Representative } else { Verdict::Copy },
            cluster: Some(0),
            clusters: if place == 0 { &[0, 7] } else { &[] },
            representative: (place > 0).then_some(IDS[0]),
            exact_copy_of: (place > 0).then_some(IDS[0]),
            n_pairs: 2,
            pairs_cut: place == 1,
            n_partial: 0,
            notes: &["windows-1252 guessed"],
            language: Some("en"),
            is_too_short: false,
            time: Some("18-MAR-2025 14:02:11.20"),
            source: None,
            keep_value: None,
        })?;
    }
    documents.finish()?;
    let mut clusters = ClustersWriter::create(dir, format)?;
    clusters.push(&ClusterRow {
        id: 0,
        members: &IDS,
        representative: IDS[0],
        cohesion: 2.0 / 3.0,
        n_pairs: 2,
        kind_counts: [2, 0, 0, 0, 0],
        n_derived: 0,
        n_common: None,
        shared_words: None,
        shared_text: None,
    })?;
    clusters.finish()?;
    let passage =
        Passage { a: Span::new(0, 700), b: Span::new(9, 709), words: 120, differ: 0, moved: 0 };
    let evidence =
        Evidence { passages: vec![passage], a_words: 120, b_words: 120, n_cut: 0, counted: None };
    let one = Score::new(1.0).expect("between 0 and 1");
    let scores = Scores { resemblance: one, a_in_b: one, b_in_a: one };
    let mut pairs = PairsWriter::create(dir, format)?;
    for b in &IDS[1..] {
        let relation = Kind::Exact;
        pairs.push(&PairRow { a: IDS[0], b, relation, scores, evidence: &evidence })?;
    }
    pairs.finish()?;
    for name in ["removed", "review"] {
        let mut removals = RemovalsWriter::create_named(dir, name, format)?;
        removals.push(&RemovalRow {
            id: IDS[2],
            file: "wire.jsonl",
            record: 2,
            covered_by: IDS[0],
            covered_in: None,
            relation: Kind::Exact,
            covered: 1.0,
            words: 120,
            decision: name,
        })?;
        removals.finish()?;
    }
    Ok(())
}

#[test]
fn tables_of_the_writers_are_read_by_many_threads_at_once() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let [found, side] = ["found", "side"].map(|name| dir.path().join(name));
    fs::create_dir(&found).and_then(|()| write(&found)).expect("tables can be written");
    let go_on = &mut |_| ControlFlow::Continue(());
    let browser = Browser::open_or_build(&found, &side, go_on).expect("it can be opened");
    let browser = &browser;
    let ask = || {
        for (table, filter, expected) in [
            (ResultTable::Documents, "cluster:7 time:2025-03 language:en", vec![0]),
            (ResultTable::Documents, "cluster:0", vec![0, 1, 2]),
            (ResultTable::Documents, "id:\"wire \\\"1207\\\"\"", vec![1]),
            (ResultTable::Documents, "\"TAB\tand\"", vec![2]),
            (ResultTable::Pairs, "longest:120 source:none time:<2026", vec![0, 1]),
            (ResultTable::Clusters, "cohesion:0.666667 shared:none exact:2", vec![0]),
            (ResultTable::Removed, "relation:exact share:100%", vec![0]),
            (ResultTable::Review, "kept:news/*", vec![0]),
        ] {
            assert_eq!(numbers(browser, table, filter, ""), expected, "{table}: {filter}");
        }
        for table in ResultTable::ALL {
            let page = browser.page(table, &PageRequest::default()).expect("a page");
            let format = TableFormat::Parquet;
            browser.write_rows(table, &page.rows, format, Vec::new()).expect("it can be written");
        }
    };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(ask);
        }
    });
}
