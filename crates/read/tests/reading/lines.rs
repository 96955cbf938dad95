//! JSON Lines and plain text: the paths most collections take.

use retold_read::{Again, Limits, Place, ReadOptions, Reader, discover};

use crate::common::{Files, read, read_one, read_one_with};

#[test]
fn records_come_out_with_their_fields_and_places() {
    let outcome = read_one(
        "news.jsonl",
        "{\"id\":\"a\",\"text\":\"one\",\"title\":\"T\",\"date\":\"2011\",\"site\":\"s\",\"lang\":\"tr\"}\n\n\
         {\"text\":\"two\",\"_id\":5}\r\n{\"body\":\"three\"}",
    );
    assert_eq!(outcome.texts(), ["one", "two", "three"]);
    assert_eq!(outcome.documents[0].time.as_deref(), Some("2011"));
    assert_eq!(outcome.documents[0].source.as_deref(), Some("s"));
    assert_eq!(outcome.documents[0].language.as_deref(), Some("tr"));
    assert_eq!(outcome.ids()[..2], ["a", "5"]);
    assert!(outcome.ids()[2].ends_with("news.jsonl#3"), "{:?}", outcome.ids());
    let records: Vec<u64> = outcome.places.iter().map(|place| place.record).collect();
    assert_eq!(records, [0, 2, 3]);
    assert_eq!(outcome.kinds, ["jsonl"]);
}

#[test]
fn a_file_of_many_blocks_reads_the_same_as_its_lines() {
    let mut lines = String::new();
    for n in 0..40_000 {
        lines.extend([format!("{{\"id\":{n},\"text\":\"{}\"}}\n", "word ".repeat(n % 40))]);
    }
    let outcome = read_one("many.jsonl", &lines);
    assert_eq!(outcome.documents.len(), 40_000);
    for (n, (document, place)) in outcome.documents.iter().zip(&outcome.places).enumerate() {
        assert_eq!(document.id, n.to_string());
        assert_eq!(document.text, "word ".repeat(n % 40));
        assert_eq!(place.record, n as u64);
        let range = place.again.clone().expect("an uncompressed file can be read again");
        let line = &lines[range.start as usize..range.end as usize];
        assert!(line.starts_with('{') && line.ends_with('}'));
    }
}

#[test]
fn bad_lines_are_named_and_the_rest_is_read() {
    let mut bytes = b"{\"text\":\"a\"}\nnot json\n{\"text\":3}\n{\"text\":\"b\xff\"}\n".to_vec();
    bytes.extend(b"{\"text\":\"nul\0\"}\n{\"text\":\"c\"}\n{\"text\":\"cut");
    let outcome = read_one("bad.jsonl", bytes);
    assert_eq!(outcome.texts(), ["a", "c"]);
    let records: Vec<_> = outcome.bad.iter().map(|bad| bad.record).collect();
    assert_eq!(records, [Some(1), Some(2), Some(3), Some(4), Some(6)]);
    let reasons = outcome.reasons();
    for part in ["record 1 (byte 13): not JSON", "a number", "not UTF-8", "NUL", "no end"] {
        assert!(reasons.contains(part), "{part} in {reasons}");
    }
}

#[test]
fn a_line_past_the_limit_is_skipped_and_named() {
    let limits = Limits { line_bytes: 3 << 20, ..Limits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let long = format!("{{\"text\":\"{}\"}}", "x".repeat(5 << 20));
    let fits = format!("{{\"text\":\"{}\"}}", "y".repeat((3 << 20) - 20));
    let lines = format!(
        "{{\"text\":\"a\"}}\n{long}\n{{\"text\":\"b\"}}\n{fits}\n{{\"text\":\"c\"}}\n{long}"
    );
    let outcome = read_one_with("long.jsonl", lines, options);
    assert_eq!(outcome.documents.len(), 4);
    assert_eq!(outcome.texts()[1], "b");
    assert_eq!(outcome.places[3].record, 4);
    let records: Vec<_> = outcome.bad.iter().map(|bad| bad.record).collect();
    assert_eq!(records, [Some(1), Some(5)]);
    assert!(outcome.bad.iter().all(|bad| bad.reason.contains("line_bytes")));
}

#[test]
fn a_small_line_limit_holds_inside_a_block() {
    for (extra, n_read) in [(0, 3), (1, 2)] {
        let limits = Limits { line_bytes: 100, ..Limits::default() };
        let options = ReadOptions { limits, ..ReadOptions::default() };
        let line = format!("{{\"text\":\"{}\"}}", "x".repeat(100 - 11 + extra));
        let outcome = read_one_with(
            "x.jsonl",
            format!("{{\"text\":\"a\"}}\n{line}\n{{\"text\":\"b\"}}"),
            options,
        );
        assert_eq!(outcome.documents.len(), n_read);
    }
}

#[test]
fn documents_read_again_are_the_same() {
    let files = Files::new();
    let paths = [
        files.write(
            "a.jsonl",
            "\u{feff}{\"id\":\"x\",\"text\":\"a \\u00e9\"}\n{\"text\":\"no id\"}\n",
        ),
        files.write("t.txt", "plain ünïcode"),
        files.write("p.html", "<html><meta charset=koi8-r>\u{a0}</html>"),
    ];
    let outcome = read(&paths);
    assert_eq!(outcome.documents.len(), 4, "{}", outcome.reasons());
    let found = discover(&paths).expect("the paths exist");
    let again = Again::new(&found.files, &ReadOptions::default());
    for (document, place) in outcome.documents.iter().zip(&outcome.places) {
        assert_eq!(&again.document(place, &document.id).expect("nothing changed"), document);
    }
    let other = again.document(&outcome.places[0], "y").unwrap_err();
    assert!(other.reason.contains("changed"), "{other}");
    files.write("a.jsonl", "shorter");
    let changed = again.document(&outcome.places[0], "x").unwrap_err();
    assert!(changed.reason.contains("changed"), "{changed}");
    let nowhere = Place { file: 1, record: 0, again: None };
    assert!(again.document(&nowhere, "x").is_err());
}

#[test]
fn trees_are_walked_in_order_without_hidden_files_and_links() {
    let files = Files::new();
    files.write("b/2.txt", "two");
    files.write("b/1.txt", "one");
    files.write("a.txt", "first");
    files.write(".hidden", "no");
    files.write("c/.git/x", "no");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(files.path(), files.path().join("b/loop"))
            .expect("links can be made");
    }
    let outcome = read(&[files.path().to_owned()]);
    assert_eq!(outcome.texts(), ["first", "one", "two"]);
    assert!(outcome.ids()[1].ends_with("b/1.txt"));
    #[cfg(unix)]
    assert!(outcome.reasons().contains("a symbolic link"), "{}", outcome.reasons());
}

#[test]
fn a_path_that_does_not_exist_is_an_error() {
    let error = discover(&["nowhere/at/all".into()]).unwrap_err();
    assert!(error.to_string().contains("nowhere/at/all"));
}

#[test]
fn digests_are_those_of_the_bytes_on_disk() {
    let files = Files::new();
    let text = "{\"text\":\"a\"}\n".repeat(200_000);
    let paths = [files.write("large.jsonl", &text), files.write("small.txt", "hello")];
    let found = discover(&paths).expect("the paths exist");
    let mut reader = Reader::new(found.files, ReadOptions::default());
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| assert!(record.is_ok()));
    }
    let digests = reader.digests();
    assert_eq!(digests[0].blake3, blake3::hash(text.as_bytes()).to_hex().to_string());
    assert_eq!(digests[1].blake3, blake3::hash(b"hello").to_hex().to_string());
    assert_eq!(reader.bytes_read(), text.len() as u64 + 5);
    assert!(digests.iter().all(|digest| digest.is_complete));
}
