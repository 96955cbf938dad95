//! Small files that ask for much.

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::ByteArray;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

use crate::common::read_one;
use crate::parquet_files::{Column, parquet_with};

fn parquet(column: Column, properties: WriterPropertiesBuilder) -> Vec<u8> {
    parquet_with(properties.set_statistics_enabled(EnabledStatistics::None), &[("text", column)])
}

/// Rows that all are the one entry of a dictionary.
fn dictionary(n_bytes: usize, n_rows: usize) -> Vec<u8> {
    let value = ByteArray::from("x".repeat(n_bytes).into_bytes());
    let properties = WriterProperties::builder()
        .set_dictionary_page_size_limit(usize::MAX)
        .set_compression(Compression::ZSTD(ZstdLevel::default()));
    parquet(Column::Texts(vec![Some(value); n_rows]), properties)
}

#[test]
fn rows_of_one_entry_of_a_dictionary_are_documents_up_to_the_ratio() {
    let bytes = dictionary(6 << 20, 1000);
    assert!(bytes.len() < 6 << 10, "{} bytes stand for 6 GB", bytes.len());
    let outcome = read_one("x.parquet", &bytes);
    let reasons = outcome.reasons();
    assert!(reasons.contains("`ratio`"), "{reasons}");
    assert!(outcome.documents.len() < 4, "{} documents", outcome.documents.len());
    // A few copies are nothing to speak of.
    let outcome = read_one("x.parquet", dictionary(100, 1000));
    assert_eq!((outcome.documents.len(), outcome.bad.len()), (1000, 0));
}

#[test]
fn rows_without_a_text_are_counted_too() {
    let rows = Column::Texts(vec![None; 1_000_000]);
    let bytes = parquet(rows, WriterProperties::builder());
    assert!(bytes.len() < 4000, "{}", bytes.len());
    let outcome = read_one("x.parquet", bytes);
    assert!(outcome.bad.len() < 300_000, "{}", outcome.bad.len());
    assert!(outcome.bad.last().is_some_and(|bad| bad.reason.contains("`ratio`")));
}

#[test]
fn a_page_header_with_an_endless_list_is_refused() {
    let texts = Column::texts((0..200).map(|n| format!("text number {n}")));
    let whole = parquet(texts, WriterProperties::builder());
    // Field 9, a list of 2^31 - 1 elements: doubles beyond the end, truths that take no byte.
    for kind in [0xf7, 0xf1] {
        let mut bytes = whole.clone();
        bytes[4..11].copy_from_slice(&[0x99, kind, 0xff, 0xff, 0xff, 0xff, 7]);
        let outcome = read_one("x.parquet", bytes);
        assert!(outcome.documents.is_empty());
        assert!(outcome.reasons().contains("a structure"), "{}", outcome.reasons());
    }
}

#[test]
fn a_page_that_lies_about_its_size_is_refused() {
    for compression in [
        Compression::GZIP(parquet::basic::GzipLevel::default()),
        Compression::BROTLI(parquet::basic::BrotliLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::SNAPPY,
        Compression::LZ4_RAW,
    ] {
        let properties =
            WriterProperties::builder().set_compression(compression).set_dictionary_enabled(false);
        let whole = parquet(Column::texts(["y".repeat(900_000)]), properties);
        assert_eq!(read_one("x.parquet", &whole).documents.len(), 1, "{compression}");
        // The header begins at byte 4: kind, then the size as a number of several bytes.
        for size in [[0x82, 0x80, 0x00], [0xfe, 0xff, 0x7f]] {
            let mut bytes = whole.clone();
            bytes[7..10].copy_from_slice(&size);
            let outcome = read_one("x.parquet", bytes);
            let is_read = outcome.documents.len() == 1;
            // Behind more room than it needs, a page may still be read.
            assert!(!is_read || size[0] == 0xfe, "{compression}");
            assert!(is_read || !outcome.bad.is_empty(), "{compression}");
        }
    }
}

#[test]
fn strings_by_prefix_and_by_length_are_read() {
    for encoding in [Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY] {
        let texts: Vec<String> = (0..5000).map(|n| format!("text number {n}")).collect();
        let properties =
            || WriterProperties::builder().set_dictionary_enabled(false).set_encoding(encoding);
        let whole = parquet(Column::texts(texts.clone()), properties());
        let outcome = read_one("x.parquet", &whole);
        assert_eq!(outcome.texts(), texts, "{}", outcome.reasons());
        let some = (0..5000).map(|n| (n % 3 > 0).then(|| format!("text number {n}")));
        let whole = parquet(Column::some_texts(some), properties());
        let outcome = read_one("x.parquet", &whole);
        assert_eq!((outcome.documents.len(), outcome.bad.len()), (3333, 1667));
    }
}

#[test]
fn zeros_after_gzip_are_padding() {
    use std::io::Write as _;
    let gzip = |bytes: &[u8]| {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        writer.write_all(bytes).expect("memory can be written");
        writer.finish().expect("memory can be written")
    };
    let line = gzip(b"{\"text\":\"one\"}\n");
    let two = [line.clone(), gzip(b""), gzip(b"{\"text\":\"two\"}\n")].concat();
    for n_zeros in [0, 1, 511, 200_000] {
        let outcome = read_one("x.jsonl.gz", [two.clone(), vec![0; n_zeros]].concat());
        assert_eq!(outcome.texts(), ["one", "two"], "{}", outcome.reasons());
        assert!(outcome.bad.is_empty());
    }
    for rest in [&b"\0\0garbage"[..], b"garbage"] {
        let outcome = read_one("x.jsonl.gz", [line.clone(), rest.to_vec()].concat());
        assert_eq!(outcome.texts(), ["one"]);
        assert_eq!(outcome.bad.len(), 1, "{}", outcome.reasons());
    }
}

#[test]
fn blocks_of_tiny_records_are_taken_in_pieces() {
    let lines = "x\n".repeat(300_000) + "{\"text\":\"end\"}";
    let outcome = read_one("x.jsonl", format!("{{\"text\":\"begin\"}}\n{lines}"));
    assert_eq!(outcome.texts(), ["begin", "end"]);
    assert_eq!(outcome.places[1].record, 300_001);
    assert_eq!(outcome.bad.len(), 300_000);
    assert!(outcome.bad.iter().zip(1..).all(|(bad, number)| bad.record == Some(number)));
    let json = format!("[{{\"text\":\"begin\"}},{}{{\"text\":\"end\"}}]", "1,".repeat(300_000));
    let outcome = read_one("x.json", json);
    assert_eq!(outcome.texts(), ["begin", "end"]);
    assert_eq!(outcome.places[1].record, 300_001);
    assert!(outcome.bad.iter().zip(1..).all(|(bad, number)| bad.record == Some(number)));
}
