//! Arrow files and streams. What pyarrow 23 and Polars wrote lies beside this file and among the seeds of
//! the changed inputs; files without compression are written here.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use retold_read::{Limits, ReadOptions, copy_kept, discover};

use crate::common::{Files, Outcome, read, read_one, read_one_with};

const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mutating/seeds/arrow");
const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reading/arrow");

fn written_elsewhere(folder: &str, name: &str) -> Outcome {
    read(&[Path::new(folder).join(name)])
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn texts(texts: impl IntoIterator<Item = impl Into<String>>) -> ArrayRef {
    Arc::new(texts.into_iter().map(|text| Some(text.into())).collect::<StringArray>())
}

fn file(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let schema = batches[0].schema();
    let mut file = FileWriter::try_new(&mut bytes, &schema).expect("memory can be written");
    for batch in batches {
        file.write(batch).expect("memory can be written");
    }
    file.finish().expect("memory can be written");
    drop(file);
    bytes
}

fn stream(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let schema = batches[0].schema();
    let mut stream = StreamWriter::try_new(&mut bytes, &schema).expect("memory can be written");
    for batch in batches {
        stream.write(batch).expect("memory can be written");
    }
    stream.finish().expect("memory can be written");
    drop(stream);
    bytes
}

#[test]
fn what_other_libraries_wrote_is_read() {
    for name in ["plain.arrow", "zstd.arrow", "lz4.feather", "stream.arrows"] {
        let read = written_elsewhere(SEEDS, name);
        assert_eq!(read.ids(), ["a", "c", "d", "e"], "{name}");
        assert_eq!(read.texts()[0], "The harbour board will close the east quay for repairs.");
        assert_eq!(read.texts()[3], "x");
        assert_eq!(read.documents[0].source.as_deref(), Some("one"), "{name}");
        assert_eq!(read.documents[2].source, None, "{name}");
        if name != "stream.arrows" {
            assert_eq!(read.documents[0].time.as_deref(), Some("2011-03-21"), "{name}");
        }
        assert!(read.reasons().contains("record 1: no text"), "{name}: {}", read.reasons());
        assert_eq!(read.kinds, ["arrow"]);
    }
    let large = written_elsewhere(SEEDS, "large.arrow");
    assert_eq!(large.ids(), ["c", "d", "e"]);
    assert_eq!(large.documents[0].time.as_deref(), Some("2011-03-21T12:00:00Z"));
    for name in ["views.arrow", "views.arrows"] {
        let views = written_elsewhere(SEEDS, name);
        assert_eq!(views.ids(), ["a", "c", "d", "e"], "{name}: {}", views.reasons());
        assert!(views.texts()[2].ends_with("feribotlar etkilenmiyor."), "{name}");
    }
    assert_eq!(written_elsewhere(SEEDS, "views.arrow").documents[1].source.as_deref(), Some("one"));
}

#[test]
fn a_batch_of_any_size_is_read_row_by_row() {
    let n = 20_000_usize;
    let columns = || {
        let names = texts((0..n).map(|number| format!("d{number}")));
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..20_000));
        batch(vec![
            ("number", numbers),
            ("text", texts((0..n).map(|number| format!("text of number {number}")))),
            ("id", names),
        ])
    };
    for bytes in [file(&[columns(), columns()]), stream(&[columns(), columns()])] {
        let read = read_one("rows.arrow", bytes);
        assert_eq!(read.documents.len(), 2 * n);
        assert_eq!(read.documents[n - 1].id, format!("d{}", n - 1));
        assert_eq!(read.documents[n + 7].text, "text of number 7");
        assert!(read.bad.is_empty());
    }
}

#[test]
fn the_beginning_shows_the_format_whatever_the_name() {
    let some = batch(vec![("text", texts(["some text"]))]);
    for bytes in [file(std::slice::from_ref(&some)), stream(std::slice::from_ref(&some))] {
        let read = read_one("data.bin", &bytes);
        assert_eq!((read.kinds[0].as_str(), read.texts()), ("arrow", vec!["some text"]));
    }
}

#[test]
fn columns_that_do_not_fit_are_named() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let odd = read_one("odd.arrow", file(&[batch(vec![("text", numbers.clone())])]));
    // A number is no text, but it can be written as one, as in Parquet.
    assert_eq!(odd.texts(), ["1"]);
    let none = read_one("none.arrow", file(&[batch(vec![("number", numbers)])]));
    assert!(none.reasons().contains("no column is named `text`"), "{}", none.reasons());
    assert!(none.reasons().contains("its columns: `number`"), "{}", none.reasons());
    let old = read_one("old.feather", b"FEA1\0\0\0\0");
    assert!(old.reasons().contains("Feather of version 1"), "{}", old.reasons());
}

#[test]
fn a_file_that_breaks_off_gives_what_was_there() {
    let batches: Vec<RecordBatch> = (0..3)
        .map(|number| batch(vec![("text", texts([format!("text {number}"), "two".to_owned()]))]))
        .collect();
    for whole in [file(&batches), stream(&batches)] {
        let all = read_one("whole.arrow", &whole).documents;
        assert_eq!(all.len(), 6);
        let mut most = 0;
        for end in 0..whole.len() {
            let cut = read_one("cut.arrow", &whole[..end]);
            assert!(all.iter().zip(&cut.documents).all(|(all, cut)| all.text == cut.text));
            assert!(cut.documents.len() >= most, "more bytes, more documents");
            most = cut.documents.len();
            let is_told =
                !cut.bad.is_empty() || cut.documents.len() == 6 || cut.documents.len() % 2 == 0;
            assert!(is_told, "{end} bytes: {}", cut.reasons());
        }
        assert_eq!(most, 6);
    }
}

#[test]
fn what_is_small_and_says_it_is_large_is_refused() {
    let limits = ["(`ratio`)", "more memory than a file of its size"];
    // What stands before the long text is read.
    for name in ["one-long-text.arrow", "many-rows.arrow", "dictionary.arrow", "views.arrow"] {
        let read = written_elsewhere(HERE, name);
        let reasons = read.reasons();
        assert!(limits.iter().any(|limit| reasons.contains(limit)), "{name}: {reasons}");
        assert!(read.documents.len() < 1_000_000, "{name}");
    }
}

#[test]
fn a_text_past_the_limit_costs_its_row_alone() {
    let rows = texts(["short", "much longer than the others", "brief"]);
    let limits = Limits { document_bytes: 10, ..Limits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let read = read_one_with("rows.arrow", file(&[batch(vec![("text", rows)])]), options);
    assert_eq!(read.texts(), ["short", "brief"]);
    assert!(read.reasons().contains("record 1"), "{}", read.reasons());
}

#[test]
fn rows_that_are_kept_become_lines() {
    let files = Files::new();
    let some = batch(vec![("id", texts(["a", "b"])), ("text", texts(["one text", "two text"]))]);
    let path = files.write("in/rows.arrow", file(&[some]));
    let found = discover(&[path]).expect("the file is there").files;
    let out = files.path().join("out");
    let keeps = |_, record| record == 1;
    let copied = copy_kept(&found, &[], &ReadOptions::default(), &out, &keeps, &|_| {});
    let copied = copied.expect("it can be copied");
    let lines = std::fs::read_to_string(&copied[0].path).expect("it was written");
    assert!(copied[0].path.ends_with("rows.arrow.jsonl"), "{}", copied[0].path.display());
    assert!(lines.starts_with(r#"{"id":"b","text":"two text""#), "{lines}");
}
