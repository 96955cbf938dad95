//! Files opened as plain streams.

use std::io::{self, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use retold_read::{Limits, open_bytes};

use crate::common::Files;

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_bytes(path, &Limits::default())?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

#[test]
fn compression_is_taken_off_whatever_the_name_says() {
    let files = Files::new();
    let text = "3 14 15\n92\n".repeat(10_000).into_bytes();
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 6);
    xz.write_all(&text).expect("memory can be written");
    for (name, bytes) in [
        ("plain.dat", text.clone()),
        ("a.gz", gzip(&text)),
        ("b.dat", zstd::encode_all(&text[..], 3).expect("memory can be compressed")),
        ("c.xz", xz.finish().expect("memory can be written")),
        ("empty", Vec::new()),
    ] {
        let wanted = if bytes.is_empty() { &[][..] } else { &text };
        assert_eq!(read(&files.write(name, bytes)).expect(name), wanted, "{name}");
    }
}

#[test]
fn what_is_no_single_stream_or_grows_without_measure_is_refused() {
    let files = Files::new();
    let refused =
        |name: &str, bytes: &[u8]| read(&files.write(name, bytes)).expect_err(name).to_string();
    assert!(refused("twice.gz", &gzip(&gzip(b"1 2\n"))).contains("`nesting`"));
    assert!(refused("a.zip", b"PK\x03\x04rest of an archive").contains("is an archive"));
    let bomb = zstd::encode_all(&vec![b'1'; 64 << 20][..], 19).expect("zeros can be compressed");
    assert!(refused("bomb.zst", &bomb).contains("1000 times its size (`ratio`)"));
    let whole = gzip(&b"1 2 3 4 5 6\n".repeat(10_000));
    refused("cut.gz", &whole[..whole.len() / 2]);
    assert!(read(files.path()).is_err(), "a folder");
    assert!(read(&files.path().join("none")).is_err(), "nothing");
}
