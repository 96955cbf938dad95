//! Containers: what is read through them, and how bombs and tricks are refused.

use std::io::Write;

use retold_read::{Limits, ReadOptions};

use crate::common::{read_one, read_one_with};

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(bytes).expect("memory can be written");
    writer.finish().expect("memory can be written")
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(bytes, 3).expect("memory can be written")
}

pub(crate) fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut writer = liblzma::write::XzEncoder::new(Vec::new(), 6);
    writer.write_all(bytes).expect("memory can be written");
    writer.finish().expect("memory can be written")
}

pub(crate) fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    writer.write_all(bytes).expect("memory can be written");
    writer.finish().expect("memory can be written")
}

pub(crate) fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut writer = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 20);
    writer.write_all(bytes).expect("memory can be written");
    writer.into_inner()
}

/// Makes a tar archive of (name, kind, content).
pub(crate) fn tar(members: &[(&str, u8, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, kind, content) in members {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[156] = *kind;
        header[257..263].copy_from_slice(b"ustar\0");
        header[148..156].fill(b' ');
        let sum: u64 = header.iter().map(|&byte| u64::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        bytes.extend(header);
        bytes.extend(*content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// A member of a zip archive, with room for lies.
pub(crate) struct Zipped<'a> {
    name: &'a str,
    content: &'a [u8],
    is_deflated: bool,
    flags: u16,
    mode: u32,
    local_name: Option<&'a str>,
    crc: Option<u32>,
}

impl<'a> Zipped<'a> {
    pub(crate) fn new(name: &'a str, content: &'a [u8]) -> Self {
        Self {
            name,
            content,
            is_deflated: true,
            flags: 0,
            mode: 0o100_644,
            local_name: None,
            crc: None,
        }
    }

    /// A member that is not compressed.
    pub(crate) fn stored(name: &'a str, content: &'a [u8]) -> Self {
        Self { is_deflated: false, ..Self::new(name, content) }
    }
}

/// Makes a zip archive.
pub(crate) fn zip(members: &[Zipped<'_>]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let packed = if member.is_deflated {
            let mut writer =
                flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
            writer.write_all(member.content).expect("memory can be written");
            writer.finish().expect("memory can be written")
        } else {
            member.content.to_vec()
        };
        let offset = bytes.len() as u32;
        let method = if member.is_deflated { 8_u16 } else { 0 };
        let mut common = Vec::new();
        common.extend(20_u16.to_le_bytes());
        common.extend(member.flags.to_le_bytes());
        common.extend(method.to_le_bytes());
        common.extend([0; 4]);
        common.extend(member.crc.unwrap_or_else(|| crc32fast::hash(member.content)).to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend((member.content.len() as u32).to_le_bytes());
        let local_name = member.local_name.unwrap_or(member.name);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend((local_name.len() as u16).to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend(local_name.as_bytes());
        bytes.extend(packed);
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(common);
        directory.extend((member.name.len() as u16).to_le_bytes());
        directory.extend([0; 8]);
        directory.extend((member.mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(member.name.as_bytes());
    }
    end_zip(bytes, &directory, members.len())
}

fn end_zip(mut bytes: Vec<u8>, directory: &[u8], n_members: usize) -> Vec<u8> {
    let start = bytes.len() as u32;
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend((n_members as u16).to_le_bytes());
    bytes.extend((n_members as u16).to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// Makes JSON Lines of that many documents.
fn numbered(n: usize) -> String {
    let lines = (0..n).map(|n| format!("{{\"id\":{n},\"text\":\"line {n}\"}}"));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

const LINES: &str = "{\"id\":\"a\",\"text\":\"one\"}\n{\"text\":\"two\"}\n";

#[test]
fn compressed_files_read_as_what_they_hold() {
    for (name, bytes, kind) in [
        ("x.jsonl.gz", gzip(LINES.as_bytes()), "jsonl+gzip"),
        ("x.jsonl.zst", zstd(LINES.as_bytes()), "jsonl+zstd"),
        ("misnamed.txt", xz(LINES.as_bytes()), "jsonl+xz"),
    ] {
        let outcome = read_one(name, bytes);
        assert_eq!(outcome.texts(), ["one", "two"], "{}", outcome.reasons());
        assert_eq!(outcome.kinds, [kind]);
        assert!(outcome.ids()[1].ends_with(&format!("{name}#1")));
        assert!(outcome.places.iter().all(|place| place.again.is_none()));
    }
}

#[test]
fn concatenated_members_of_gzip_are_one_stream() {
    let (a, b) = LINES.split_at(24);
    let outcome = read_one("x.gz", [gzip(a.as_bytes()), gzip(b.as_bytes())].concat());
    assert_eq!(outcome.texts(), ["one", "two"]);
    let records = [
        gzip(&crate::formats::warc("conversion", "text/plain", b"first")),
        gzip(&crate::formats::warc("conversion", "text/plain", b"second")),
    ];
    let outcome = read_one("x.warc.gz", records.concat());
    assert_eq!(outcome.texts(), ["first", "second"]);
    assert_eq!(outcome.kinds, ["warc+gzip"]);
}

#[test]
fn members_of_archives_are_named_after_them() {
    let members: [(&str, u8, &[u8]); 4] = [
        ("dir/", b'5', b""),
        ("dir/a.txt", b'0', b"plain"),
        ("dir/b.jsonl", b'0', LINES.as_bytes()),
        ("dir/.hidden", b'0', b"no"),
    ];
    let plain = tar(&members);
    for (name, bytes) in
        [("x.tar", plain.clone()), ("x.tar.gz", gzip(&plain)), ("x.tzst", zstd(&plain))]
    {
        let outcome = read_one(name, bytes);
        assert_eq!(outcome.texts(), ["plain", "one", "two"], "{}", outcome.reasons());
        assert!(outcome.ids()[0].ends_with(&format!("{name}!dir/a.txt")));
        assert_eq!(outcome.ids()[1], "a");
        assert!(outcome.ids()[2].ends_with("!dir/b.jsonl#2"));
    }
    let bytes = zip(&[
        Zipped::new("dir/a.txt", b"plain"),
        Zipped { is_deflated: false, ..Zipped::new("b.jsonl", LINES.as_bytes()) },
    ]);
    let outcome = read_one("x.zip", bytes);
    assert_eq!(outcome.texts(), ["plain", "one", "two"], "{}", outcome.reasons());
    assert!(outcome.ids()[0].ends_with("x.zip!dir/a.txt"));
    assert_eq!(outcome.kinds, ["zip"]);
}

#[test]
fn long_names_in_tar_archives_are_kept() {
    let long = "d/".repeat(80) + "long.txt";
    let name = format!("{long}\0");
    let pax = format!("{} path={long}\n", long.len() + 10);
    let bytes = tar(&[
        ("././@LongLink", b'L', name.as_bytes()),
        ("cut", b'0', b"gnu"),
        ("PaxHeaders/x", b'x', pax.as_bytes()),
        ("cut", b'0', b"pax"),
    ]);
    let outcome = read_one("x.tar", bytes);
    assert_eq!(outcome.texts(), ["gnu", "pax"], "{}", outcome.reasons());
    assert!(outcome.ids().iter().all(|id| id.ends_with(&long)), "{:?}", outcome.ids());
}

#[test]
fn archives_inside_archives_are_refused() {
    let inner = zip(&[Zipped::new("a.txt", b"x")]);
    let outer = zip(&[Zipped::new("inner.zip", &inner), Zipped::new("b.txt", b"kept")]);
    let outcome = read_one("outer.zip", outer);
    assert_eq!(outcome.texts(), ["kept"]);
    assert!(outcome.reasons().contains("outer.zip!inner.zip: "), "{}", outcome.reasons());
    assert!(outcome.reasons().contains("`nesting`"));
    let outcome = read_one("x.tar", tar(&[("a.gz", b'0', &gzip(b"x"))]));
    assert!(outcome.reasons().contains("`nesting`"), "{}", outcome.reasons());
    let outcome = read_one("x.gz", gzip(&gzip(b"x")));
    assert!(outcome.reasons().contains("`nesting`"), "{}", outcome.reasons());

    let limits = Limits { nesting: 2, ..Limits::default() };
    let outcome =
        read_one_with("x.gz", gzip(&gzip(b"x")), ReadOptions { limits, ..ReadOptions::default() });
    assert_eq!(outcome.texts(), ["x"]);
}

#[test]
fn bombs_stop_at_the_ratio() {
    let zeros = vec![b' '; 8 << 20];
    for (name, bytes) in [
        ("bomb.txt.gz", gzip(&zeros)),
        ("bomb.txt.zst", zstd(&zeros)),
        ("bomb.txt.xz", xz(&zeros)),
        ("bomb.zip", zip(&[Zipped::new("a.txt", &zeros)])),
    ] {
        let outcome = read_one(name, bytes);
        assert!(outcome.documents.is_empty(), "{name}");
        assert!(
            outcome.reasons().contains("100 times its size (`ratio`)"),
            "{}",
            outcome.reasons()
        );
    }
    // Versions of one text compress well without being a bomb; a stream of nothing is one.
    let common = "the same words in every version ".repeat(200);
    let version = |n: u32| {
        let hash = blake3::hash(&n.to_le_bytes()).to_hex();
        format!("{{\"text\":\"{common} {}\"}}\n", &hash[..32])
    };
    let versions = (0..1000).map(version).collect::<Vec<_>>().concat();
    let bytes = zstd(versions.as_bytes());
    assert!(
        versions.len() > 150 * bytes.len() && versions.len() < 1000 * bytes.len(),
        "{}",
        bytes.len()
    );
    assert_eq!(read_one("versions.jsonl.zst", bytes).documents.len(), 1000);
    let bomb = format!("{{\"text\":\"{}\"}}\n", "x".repeat(100)).repeat(200_000);
    let outcome = read_one("bomb.jsonl.zst", zstd(bomb.as_bytes()));
    assert!(outcome.reasons().contains("1000 times its size (`ratio`)"), "{}", outcome.reasons());
    // Small files may be as empty as they like.
    assert_eq!(read_one("small.gz", gzip(&zeros[..1 << 20])).documents.len(), 1);
}

#[test]
fn members_count_together_against_the_archive() {
    let text = [b'x'; 600];
    let members =
        [Zipped::new("a.txt", &text), Zipped::new("b.txt", &text), Zipped::new("c.txt", &text)];
    for (archive_bytes, n_read) in [(1800, 3), (1799, 2)] {
        let limits = Limits { archive_bytes, ..Limits::default() };
        let outcome =
            read_one_with("x.zip", zip(&members), ReadOptions { limits, ..ReadOptions::default() });
        assert_eq!(outcome.documents.len(), n_read, "{}", outcome.reasons());
        assert_eq!(outcome.reasons().contains("`archive_bytes`"), n_read < 3);
    }
    for (entries, n_read) in [(3, 3), (2, 2)] {
        let limits = Limits { entries, ..Limits::default() };
        let outcome =
            read_one_with("x.zip", zip(&members), ReadOptions { limits, ..ReadOptions::default() });
        assert_eq!(outcome.documents.len(), n_read);
        assert_eq!(outcome.reasons().contains("`entries`"), n_read < 3);
        let tarred = tar(&[("a", b'0', &text), ("b", b'0', &text), ("c", b'0', &text)]);
        let outcome =
            read_one_with("x.tar", tarred, ReadOptions { limits, ..ReadOptions::default() });
        assert_eq!(outcome.documents.len(), n_read);
    }
}

#[test]
fn names_that_lead_elsewhere_are_only_labels() {
    for name in ["../../up.txt", "/etc/passwd", "C:\\x.txt", "..././x.txt", "a\u{1b}b.txt"] {
        let outcome = read_one("x.zip", zip(&[Zipped::new(name, b"text")]));
        assert_eq!(outcome.texts(), ["text"], "{}", outcome.reasons());
        assert!(!outcome.ids()[0].contains('\u{1b}'));
        assert_eq!(read_one("x.tar", tar(&[(name, b'0', b"text")])).texts(), ["text"]);
    }
}

#[test]
fn links_devices_and_encrypted_members_are_refused_by_name() {
    let outcome = read_one(
        "x.tar",
        tar(&[
            ("s", b'2', b""),
            ("h", b'1', b""),
            ("d", b'3', b""),
            ("f", b'6', b""),
            ("ok", b'0', b"text"),
        ]),
    );
    assert_eq!(outcome.texts(), ["text"]);
    for part in ["!s: is a symbolic link", "!h: is a hard link", "!d: is a device", "!f: is a FIFO"]
    {
        assert!(outcome.reasons().contains(part), "{part} in {}", outcome.reasons());
    }
    let outcome = read_one(
        "x.zip",
        zip(&[
            Zipped { mode: 0o120_777, ..Zipped::new("link", b"/etc/passwd") },
            Zipped { flags: 1, ..Zipped::new("secret", b"x") },
            Zipped::new("ok", b"text"),
        ]),
    );
    assert_eq!(outcome.texts(), ["text"]);
    assert!(outcome.reasons().contains("!link: is a symbolic link"));
    assert!(outcome.reasons().contains("!secret: is encrypted"));
}

#[test]
fn archives_that_lie_are_refused_member_by_member() {
    let text = b"some text of a member";
    let outcome = read_one(
        "x.zip",
        zip(&[
            Zipped { local_name: Some("other"), ..Zipped::new("named", text) },
            Zipped { crc: Some(1), ..Zipped::new("sum", text) },
            Zipped::new("ok", text),
        ]),
    );
    assert_eq!(outcome.documents.len(), 1);
    assert!(
        outcome.reasons().contains("!named: has a header that disagrees"),
        "{}",
        outcome.reasons()
    );
    assert!(outcome.reasons().contains("wrong checksum"), "{}", outcome.reasons());
}

#[test]
fn overlapping_members_are_refused() {
    // Two directory entries that point at the same bytes.
    let whole = zip(&[Zipped { is_deflated: false, ..Zipped::new("a.txt", b"shared") }]);
    let start =
        whole.windows(4).position(|bytes| bytes == b"PK\x01\x02").expect("there is a directory");
    let end = whole.windows(4).position(|bytes| bytes == b"PK\x05\x06").expect("there is an end");
    let entry = &whole[start..end];
    let bytes = end_zip(whole[..start].to_vec(), &[entry, entry].concat(), 2);
    let outcome = read_one("x.zip", bytes);
    assert_eq!(outcome.texts(), ["shared"]);
    assert!(outcome.reasons().contains("overlaps another member"), "{}", outcome.reasons());
}

#[test]
fn archives_cut_at_any_byte_give_what_they_have() {
    let lines = numbered(300);
    let tarred = tar(&[("a.txt", b'0', b"text"), ("b.jsonl", b'0', lines.as_bytes())]);
    let zipped = zip(&[Zipped::new("a.txt", b"text"), Zipped::new("b.jsonl", lines.as_bytes())]);
    for (name, whole) in [
        ("x.gz", gzip(lines.as_bytes())),
        ("x.zst", zstd(lines.as_bytes())),
        ("x.xz", xz(lines.as_bytes())),
        ("x.tar", tarred),
        ("x.zip", zipped),
    ] {
        let step = (whole.len() / 40).max(1);
        for cut in (8..whole.len() - 1024.min(whole.len() / 2)).step_by(step) {
            let outcome = read_one(name, &whole[..cut]);
            assert!(!outcome.bad.is_empty(), "{name} cut at {cut}");
        }
    }
    let outcome = read_one("x.gz", &gzip(lines.as_bytes())[..600]);
    assert!(outcome.documents.len() > 10, "{}", outcome.documents.len());
    assert_eq!(outcome.bad.len(), 1, "{}", outcome.reasons());
    assert!(outcome.reasons().contains("the rest cannot be read"));
}

#[test]
fn damaged_archives_never_panic() {
    let lines = numbered(50);
    let tarred = tar(&[("a.txt", b'0', b"text"), ("b.jsonl", b'0', lines.as_bytes())]);
    for (name, whole) in [
        ("x.gz", gzip(lines.as_bytes())),
        ("x.zst", zstd(lines.as_bytes())),
        ("x.tar", tarred),
        ("x.zip", zip(&[Zipped::new("a.txt", b"text"), Zipped::new("b", lines.as_bytes())])),
    ] {
        for at in (0..whole.len()).step_by(7) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            read_one(name, bytes);
        }
    }
}

#[test]
fn a_zip_archive_inside_a_stream_is_kept_in_memory_up_to_a_limit() {
    let inner = zip(&[Zipped { is_deflated: false, ..Zipped::new("a.txt", &[b'x'; 5000]) }]);
    let limits = Limits { nesting: 2, document_bytes: 4000, ..Limits::default() };
    let outcome =
        read_one_with("x.zip.gz", gzip(&inner), ReadOptions { limits, ..ReadOptions::default() });
    assert!(outcome.reasons().contains("`document_bytes`"), "{}", outcome.reasons());
    let limits = Limits { nesting: 2, ..Limits::default() };
    let outcome =
        read_one_with("x.zip.gz", gzip(&inner), ReadOptions { limits, ..ReadOptions::default() });
    assert_eq!(outcome.documents.len(), 1, "{}", outcome.reasons());
}
