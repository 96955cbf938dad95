//! Readers: whatever a file holds, it is read or refused.

use std::fs;

use retold_read::{JsonRecords, Limits, ReadOptions, Reader, discover};
use tempfile::TempDir;

thread_local! {
    static FOLDER: TempDir = tempfile::tempdir().expect("a folder for inputs");
}

/// Small limits are reached by small files.
fn options() -> ReadOptions {
    let limits = Limits { document_bytes: 1 << 20, line_bytes: 1 << 20, ..Limits::default() };
    ReadOptions { limits, ..ReadOptions::default() }
}

/// Reads a file of these bytes under a name with each of the endings.
pub(crate) fn read(bytes: &[u8], endings: &[&str]) {
    for ending in endings {
        let path = FOLDER.with(|folder| folder.path().join(format!("input.{ending}")));
        fs::write(&path, bytes).expect("a file for inputs");
        let found = discover(&[path]).expect("it was just written");
        let mut reader = Reader::new(found.files, options());
        let mut last = None;
        while let Some(batch) = reader.next_batch() {
            batch.parse(&mut |record| {
                let number = match record {
                    Ok(record) => {
                        assert!(!record.document.id.is_empty(), "every document has an id");
                        let text = record.document.text.len() as u64;
                        assert!(text <= 3 << 20, "{text} bytes are far past the limit");
                        Some(record.place.record)
                    }
                    Err(bad) => {
                        assert!(!bad.reason.is_empty(), "a refusal has a reason");
                        bad.record
                    }
                };
                if let (Some(number), Some(last)) = (number, last) {
                    assert!(number >= last, "records come in order");
                }
                last = number.or(last);
            });
        }
    }
}

/// Reads lines as a file, and each by itself as a request does; both make the same of a line.
pub(crate) fn lines(bytes: &[u8]) {
    read(bytes, &["jsonl"]);
    let records = JsonRecords::new(&options());
    for line in bytes.split(|&byte| byte == b'\n') {
        if let Err((at, reason)) = records.document(line) {
            assert!(at <= line.len() && !reason.is_empty(), "{at}: {reason}");
        }
    }
}
