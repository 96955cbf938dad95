//! Files made to break readers, all in one folder with two good documents: the run goes on, each
//! refusal is named in the manifest, and the good documents are still found.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use crate::common::{finish, manifest, retold, table, text};

/// What becomes of a file.
enum Fate {
    /// It is read.
    Read,
    /// It, or something in it, is refused for a reason that holds this.
    Refused(&'static str),
    /// Read or refused; the run goes on either way.
    Either,
}

use Fate::{Either, Read, Refused};

#[test]
fn bad_files_are_named_and_the_rest_is_found() {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let input = dir.path().join("input");
    fs::create_dir(&input).expect("a folder for a test");
    let good = "the ferry to the islands leaves at noon and comes back before dark ".repeat(9);
    let mut files = files();
    files.push(("good-1.txt".into(), good.clone().into_bytes(), Read));
    files.push(("good-2.txt".into(), good.into_bytes(), Read));
    for (name, bytes, _) in &files {
        fs::write(input.join(name), bytes).expect("a file for a test");
    }
    for byte in 0..=255_u8 {
        fs::write(input.join(format!("byte-{byte:02x}.txt")), [byte]).expect("a file for a test");
    }
    special_files(&input);

    let out = dir.path().join("out");
    let mut command = retold();
    command.current_dir(dir.path()).args(["find", "input", "-o"]).arg(&out);
    command.args(["--max-document", "4M", "--max-line", "1M"]);
    let ran = finish(&mut command);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);

    let manifest = manifest(&out);
    let bad = manifest["bad_records"].as_array().expect("a list");
    let listed = bad.len() as u64;
    assert_eq!(manifest["n_bad"].as_u64(), Some(listed), "all fit the list");
    let reasons = |name: &str| -> Vec<&str> {
        let is_here = |row: &&Value| {
            let file = text(row, "file").strip_prefix("input/").unwrap_or_default();
            file == name || file.starts_with(&format!("{name}!"))
        };
        bad.iter().filter(is_here).map(|row| text(row, "reason")).collect()
    };
    let documents = table(&out, "documents");
    let mut faults = Vec::new();
    for (name, _, fate) in &files {
        let said = reasons(name);
        let is_read = documents.iter().any(|row| text(row, "file").contains(name));
        match fate {
            Read if is_read && said.is_empty() => {}
            Refused(why) if said.iter().any(|reason| reason.contains(why)) => {}
            Either if is_read || !said.is_empty() => {}
            _ => faults.push(format!("{name}: read {is_read}, said {said:?}")),
        }
    }
    for (name, why) in SPECIAL {
        if !reasons(name).iter().any(|reason| reason.contains(why)) {
            faults.push(format!("{name}: said {:?}", reasons(name)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));

    let pairs = table(&out, "pairs");
    let is_good = |row: &Value| text(row, "a") == "input/good-1.txt" && row["relation"] == "exact";
    assert!(pairs.iter().any(|row| is_good(row) && text(row, "b") == "input/good-2.txt"));
    // No text from outside reaches the terminal with its escapes.
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stdout.contains('\u{1b}'));
}

/// Returns name, content and fate of the ordinary files.
fn files() -> Vec<(String, Vec<u8>, Fate)> {
    let mut all: Vec<(String, Vec<u8>, Fate)> = Vec::new();
    let mut put = |name: &str, bytes: &[u8], fate| all.push((name.into(), bytes.to_vec(), fate));
    bytes(&mut put);
    records(&mut put);
    markup(&mut put);
    archives(&mut put);
    all
}

type Put<'a> = &'a mut dyn FnMut(&str, &[u8], Fate);

fn bytes(put: Put<'_>) {
    put("empty.txt", b"", Read);
    put("blank.txt", b" \n\t\r\n ", Read);
    put("nul-first.txt", b"\0abc", Refused("binary"));
    put("nul-late.txt", &[vec![b'a'; 70 << 10], vec![0, b'b']].concat(), Refused("binary"));
    put("nul-only.txt", &[0; 5000], Refused("binary"));
    put("lone-continuation.txt", b"one \x80 two", Read);
    put("overlong.txt", b"one \xc0\xaf two", Read);
    put("surrogate.txt", b"one \xed\xa0\x80 two", Read);
    put("five-bytes.txt", b"one \xf8\x88\x80\x80\x80 two", Read);
    put("cut-character.txt", b"one \xe2\x82", Read);
    let wide = |text: &str, mark: bool| -> Vec<u8> {
        let mark = mark.then_some(0xfeff);
        mark.into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    put("utf16.txt", &wide("sixteen bits a character", true), Read);
    put("utf16-unmarked.txt", &wide("sixteen bits without a mark", false), Read);
    put("wrong-mark.txt", b"\xef\xbb\xbfcaf\xe9 in latin-1 under a mark of utf-8", Read);
    put("long-line.txt", "word ".repeat(400_000).as_bytes(), Read);
    put("too-large.txt", &vec![b'a'; (4 << 20) + 1], Refused("limit"));
    put("empty-lines.txt", &vec![b'\n'; 1 << 20], Read);
    put("line-ends.txt", "a\rb\nc\r\nd\u{85}e\u{2028}f\u{2029}g".as_bytes(), Read);
    put("unassigned.txt", "\u{e000}\u{fffe}\u{10ffff}\u{378} words".as_bytes(), Read);
    put("marks.txt", format!("e{}", "\u{301}".repeat(200_000)).as_bytes(), Read);
    put("growing.txt", "\u{fdfa}".repeat(20_000).as_bytes(), Read);
    put("turning.txt", "\u{202e}evil\u{2066}\u{200b}\u{e0041} words".as_bytes(), Read);
    put("long-word.txt", &vec![b'x'; 2 << 20], Read);
    put("short-words.txt", "a ".repeat(500_000).as_bytes(), Read);
    put("delimiters.txt", &vec![b'.'; 100_000], Read);
    put("letters.txt", "I ı İ i ß ẞ ς σ Σ".as_bytes(), Read);
}

fn records(put: Put<'_>) {
    let deep = format!("{{\"text\":\"a\",\"x\":{}1{}}}\n", "[".repeat(99_999), "]".repeat(99_999));
    put("deep.jsonl", deep.as_bytes(), Refused("depth"));
    put("deep.json", format!("[{}]", deep.trim_end()).as_bytes(), Refused("depth"));
    put("twice.jsonl", b"{\"text\":\"a\",\"text\":\"b\"}\n", Read);
    put("lone.jsonl", b"{\"text\":\"\\ud800 alone\"}\n", Either);
    put("cut.jsonl", b"{\"text\":\"whole\"}\n{\"text\":\"cut o", Refused("end"));
    put("types.jsonl", b"{\"text\":7}\n{\"text\":[\"a\"]}\n7\nnull\n", Refused("must be"));
    put("no-text.jsonl", b"{\"title\":\"only\"}\n", Refused("no text"));
    put(
        "numbers.jsonl",
        b"{\"text\":\"a\",\"id\":1e309,\"n\":-0,\"m\":9223372036854775808}\n",
        Either,
    );
    put("not-a-number.jsonl", b"{\"text\":\"a\",\"n\":NaN}\n", Either);
    let long = "x".repeat(1 << 20);
    put("long-line.jsonl", format!("{{\"text\":\"{long}\"}}\n").as_bytes(), Refused("limit"));
    put(
        "long-id.jsonl",
        format!("{{\"id\":\"{}\",\"text\":\"a\"}}\n", &long[..5000]).as_bytes(),
        Refused("limit"),
    );
    put(
        "ids.jsonl",
        br#"{"id":"","text":"a b"}
{"id":"../../x","text":"b c"}
{"id":"CON","text":"c d"}
{"id":"new\nline\u001b]52;c;x\u0007","text":"d e"}
{"id":"CON","text":"e f"}
"#,
        Read,
    );
    put("unclosed.csv", b"id,text\n1,\"never closed\n2,more\n", Either);
    put("ragged.csv", b"id,text\n1,a,b,c\n2\n3,c\n", Either);
    put("lying.parquet", b"PAR1\xff\xff\xff\x7f\xff\xff\xff\x7fPAR1", Refused("Parquet"));
    put("cut.parquet", b"PAR1", Refused("Parquet"));
    let warc =
        "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999\r\n\r\nHTTP/1.1 200 OK\r\n";
    put("lying.warc", warc.as_bytes(), Refused("end"));
    let laughs = "<?xml version=\"1.0\"?><!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>\
                  <docs><doc><text>&b;</text></doc></docs>";
    put("laughs.xml", laughs.as_bytes(), Refused("entities are refused"));
    let external = "<?xml version=\"1.0\"?><!DOCTYPE d [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\
                    <docs><doc><text>&x;</text></doc></docs>";
    put("external.xml", external.as_bytes(), Refused("entities are refused"));
    let deep = format!("<?xml version=\"1.0\"?>{}", "<a>".repeat(100_000));
    put("deep.xml", deep.as_bytes(), Refused("depth"));
    let same = "<?xml version=\"1.0\"?><docs><doc id=\"1\" id=\"2\"><text>a</text></doc></docs>";
    put("same-attributes.xml", same.as_bytes(), Either);
}

fn markup(put: Put<'_>) {
    let page = |body: String| format!("<!doctype html><title>t</title>{body}").into_bytes();
    for tag in ["div", "b", "ul><li", "table><tr><td"] {
        let name = format!("nested-{}.html", &tag[..1]);
        put(&name, &page(format!("{}deep words", format!("<{tag}>").repeat(50_000))), Read);
    }
    let adoption =
        format!("{}{}{}", "<a>".repeat(40_000), "<i>".repeat(40_000), "</a>".repeat(40_000));
    put("adoption.html", &page(adoption), Read);
    for open in
        ["<!-- never", "<script>never", "<title>never", "<![CDATA[never", "<plaintext>never"]
    {
        let name: String = open.chars().filter(char::is_ascii_alphabetic).collect();
        put(&format!("open-{name}.html"), &page(format!("words {open} closed")), Read);
    }
    put("attribute.html", &page(format!("<p title=\"{}\">words", "x".repeat(1 << 20))), Read);
    put("attributes.html", &page(format!("<p {}>words", "a=1 ".repeat(100_000))), Read);
    put("span.html", &page("<td colspan=9007199254740991>words".to_owned()), Read);
    put(
        "paths.html",
        &page(format!("<svg>{}</svg> words", "<path d=\"M0\"/>".repeat(12_000))),
        Read,
    );
    put("references.html", &page("&amp;&#x110000;&nosuch;".repeat(20_000)), Read);
    put("template.html", &page("<template><svg><foreignObject><p>words".repeat(1000)), Read);
    put("charset.html", &page("<meta charset=utf-7><base href=//x>words".to_owned()), Read);
    put(
        "frames.html",
        &page("<frameset><noscript>words</noscript><p hidden>hidden".to_owned()),
        Read,
    );
    put("binary.html", b"<html>\0\x01\x02\x03</html>", Refused("binary"));
}

fn archives(put: Put<'_>) {
    // Below the limit of a document, so that only what it was packed into betrays it.
    let much = vec![b'a'; (4 << 20) - 1];
    put("bomb.txt.gz", &gzip(&much), Refused("ratio"));
    put("cut.txt.gz", &gzip(b"some words that are cut off")[..20], Refused("incomplete"));
    let two = [gzip(b"{\"text\":\"one\"}\n"), gzip(b"{\"text\":\"two\"}\n")].concat();
    put("members.jsonl.gz", &two, Read);
    let mut wrong = gzip(b"words whose checksum is wrong");
    let at = wrong.len() - 6;
    wrong[at] ^= 1;
    put("wrong-sum.txt.gz", &wrong, Refused("sum"));

    put("bomb.zip", &zip(&[("zeros.txt", 0, &much)]), Refused("ratio"));
    let outside =
        zip(&[("../../outside.txt", 0, b"words"), ("/etc/absolute.txt", 0, b"more words")]);
    put("outside.zip", &outside, Either);
    put("encrypted.zip", &zip(&[("secret.txt", 1, b"words")]), Refused("encrypted"));
    put(
        "nested.zip",
        &zip(&[("inner.zip", 0, &zip(&[("a.txt", 0, b"words")]))]),
        Refused("archive"),
    );
    let whole = zip(&[("a.txt", 0, b"words that are long enough to be cut")]);
    put("cut.zip", &whole[..whole.len() - 30], Refused("zip"));
    let mut wrong = zip(&[("a.txt", 0, b"words")]);
    for at in 0..wrong.len() {
        if wrong[at..].starts_with(b"PK\x01\x02") {
            wrong[at + 16] ^= 1;
        }
    }
    put("wrong-sum.zip", &wrong, Either);
    let mut link = tar("link.txt", b'2', b"");
    link.splice(link.len() - 1024.., tar("a.txt", b'0', b"words of a member"));
    put("link.tar", &link, Refused("link"));
    put("cut.tar", &tar("a.txt", b'0', b"words of a member")[..520], Refused("cut short"));
    put("window.zst", b"\x28\xb5\x2f\xfd\x00\xff\x01\x00\x00", Refused("too much memory"));
    put("cut.xz", b"\xfd7zXZ\x00\x00\x04", Refused("premature"));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(bytes).expect("memory can be written");
    writer.finish().expect("memory can be written")
}

/// Makes a zip archive of (name, flags, content).
fn zip(members: &[(&str, u16, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, flags, content) in members {
        let mut writer =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(content).expect("memory can be written");
        let packed = writer.finish().expect("memory can be written");
        let mut common = Vec::from(20_u16.to_le_bytes());
        common.extend(flags.to_le_bytes());
        common.extend([8, 0, 0, 0, 0, 0]);
        common.extend(crc32fast::hash(content).to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend((content.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0; 2]);
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(common);
        bytes.extend(name.as_bytes());
        bytes.extend(packed);
    }
    let start = bytes.len() as u32;
    let n = (members.len() as u16).to_le_bytes();
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(n.into_iter().chain(n));
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// Makes a tar archive of one member.
fn tar(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 512];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    bytes[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
    bytes[156] = kind;
    bytes[157..162].copy_from_slice(b"/etc/");
    bytes[257..263].copy_from_slice(b"ustar\0");
    bytes[148..156].fill(b' ');
    let sum: u64 = bytes.iter().map(|&byte| u64::from(byte)).sum();
    bytes[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(512) + 1024, 0);
    bytes
}

/// What is said of files that are not ordinary.
const SPECIAL: [(&str, &str); 4] = [
    ("fifo", "FIFO"),
    ("loop", "symbolic link"),
    ("zero", "symbolic link"),
    ("sparse.txt", "binary"),
];

/// Makes files that are not ordinary: a FIFO, links, a terabyte of nothing, a name that is no
/// UTF-8.
fn special_files(input: &Path) {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let fifo = input.join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a FIFO can be made");
    symlink(input, input.join("loop")).expect("a link can be made");
    symlink("/dev/zero", input.join("zero")).expect("a link can be made");
    let sparse = File::create(input.join("sparse.txt")).expect("a file for a test");
    sparse.set_len(1 << 40).expect("a file may have a hole");
    let name = OsStr::from_bytes(b"n\xe4me.txt");
    fs::write(input.join(name), "words under a name in latin-1").expect("a file for a test");
}
