//! Bytes and records made to break readers: accepted or refused with a reason, never worse.

use std::fmt::Write as _;

use retold_read::{Format, Limits, ReadOptions, discover};

use crate::common::{Files, read, read_one, read_one_with};
use crate::parquet_files::{Column, parquet};

fn limited(limits: Limits) -> ReadOptions {
    ReadOptions { limits, ..ReadOptions::default() }
}

#[test]
fn empty_blank_and_single_byte_files_are_read_or_refused() {
    assert_eq!(read_one("empty.txt", "").texts(), [""]);
    assert!(read_one("empty.jsonl", "").bad.is_empty());
    assert_eq!(read_one("blank.txt", " \n\t ").documents.len(), 1);
    for byte in 0..=255_u8 {
        for name in ["x.txt", "x.jsonl", "x.json", "x.csv", "x.xml", "x.html", "x.sgm", "x.warc"] {
            let outcome = read_one(name, [byte]);
            assert!(outcome.documents.len() + outcome.bad.len() <= 1, "{name} {byte}");
        }
    }
}

#[test]
fn every_format_survives_every_other_formats_bytes() {
    let samples: [&[u8]; 8] = [
        b"plain words",
        b"{\"text\":\"a\"}\n",
        b"[{\"text\":\"a\"}]",
        b"id,text\n1,a\n",
        b"<html><p>a</html>",
        b"<DOC><DOCNO>1</DOCNO><TEXT>a</TEXT></DOC>",
        b"<?xml version='1.0'?><docs><doc><text>a</text></doc></docs>",
        b"PAR1\x00\x01\x02PAR1",
    ];
    for sample in samples {
        for &format in Format::ALL {
            let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
            for cut in (0..=sample.len()).step_by(3) {
                read_one_with("x", &sample[..cut], options.clone());
            }
        }
    }
}

#[test]
fn nul_bytes_mean_binary_wherever_they_stand() {
    let mut late = vec![b'a'; 70 << 10];
    late.push(0);
    late.extend(b"bcd");
    for bytes in [b"\0abc".to_vec(), late, vec![0; 5000]] {
        let outcome = read_one("x.txt", bytes);
        assert!(outcome.documents.is_empty());
        assert!(outcome.reasons().contains("is binary"), "{}", outcome.reasons());
    }
    assert!(read_one("x.html", b"<html>\0\x01\x02</html>").reasons().contains("is binary"));
}

#[test]
fn text_that_is_no_utf8_is_decoded_somehow() {
    for bytes in
        [&b"\x80"[..], b"\xc0\xaf", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"ab\xe2\x82"]
    {
        assert_eq!(read_one("x.txt", bytes).documents.len(), 1);
    }
    // A character cut by the border of what is looked at.
    for border in 65_530..65_540 {
        let text = format!("{}é and more", "a".repeat(border));
        assert_eq!(read_one("x.txt", &text).texts(), [text.as_str()]);
    }
}

#[test]
fn bad_utf8_in_one_line_costs_one_line() {
    let mut bytes = Vec::new();
    for n in 0..2000 {
        bytes.extend(format!("{{\"id\":{n},\"text\":\"naïve {n}").into_bytes());
        if n % 500 == 7 {
            bytes.push(0xff);
        }
        bytes.extend(b"\"}\n");
    }
    let outcome = read_one("x.jsonl", bytes);
    assert_eq!(outcome.documents.len(), 1996);
    assert_eq!(outcome.bad.len(), 4);
    assert_eq!(outcome.bad[0].record, Some(7));
    assert!(outcome.bad[0].offset.is_some());
}

#[test]
fn millions_of_empty_lines_and_one_long_line_stay_cheap() {
    let mut bytes = vec![b'\n'; 5 << 20];
    bytes.extend(b"{\"text\":\"end\"}");
    let outcome = read_one("x.jsonl", bytes);
    assert_eq!(outcome.texts(), ["end"]);
    assert_eq!(outcome.places[0].record, 5 << 20);

    let limits = Limits { line_bytes: 1 << 20, document_bytes: 1 << 20, ..Limits::default() };
    for name in ["x.jsonl", "x.json", "x.txt", "x.csv", "x.sgm", "x.xml", "x.html"] {
        let open = match name {
            "x.jsonl" | "x.json" => "{\"text\":\"",
            "x.csv" => "id,text\n1,\"",
            "x.sgm" => "<DOC><DOCNO>1</DOCNO><TEXT>",
            "x.xml" => "<?xml version='1.0'?><docs><doc><text>",
            _ => "",
        };
        let long = format!("{open}{}", "x".repeat(6 << 20));
        let outcome = read_one_with(name, long, limited(limits));
        assert!(outcome.documents.is_empty(), "{name}");
        let limit =
            if matches!(name, "x.jsonl" | "x.csv") { "`line_bytes`" } else { "`document_bytes`" };
        let is_missing_end = name == "x.json" && outcome.reasons().contains("the end is missing");
        assert!(
            outcome.reasons().contains(limit) || is_missing_end,
            "{name}: {}",
            outcome.reasons()
        );
    }
}

#[test]
fn a_document_of_exactly_the_limit_is_read() {
    for (extra, n_read) in [(-1, 1), (0, 1), (1, 0)] {
        let limits = Limits { document_bytes: 1000, ..Limits::default() };
        let outcome = read_one_with(
            "x.txt",
            "x".repeat(1000_usize.saturating_add_signed(extra)),
            limited(limits),
        );
        assert_eq!(outcome.documents.len(), n_read);
    }
}

#[test]
fn a_long_element_is_dropped_and_the_next_one_read() {
    let limits = Limits { document_bytes: 1 << 20, ..Limits::default() };
    let long = "x".repeat(4 << 20);
    let json = format!(
        "[{{\"id\":\"a\",\"text\":\"1\"}},{{\"text\":\"{long}\"}},{{\"id\":\"b\",\"text\":\"2\"}}]"
    );
    let outcome = read_one_with("x.json", json, limited(limits));
    assert_eq!(outcome.ids(), ["a", "b"]);
    assert_eq!(outcome.bad[0].record, Some(1));
    assert_eq!(outcome.places[1].record, 2);
    let sgml = format!(
        "<DOC><DOCNO>a</DOCNO><TEXT>1</TEXT></DOC><DOC><DOCNO>x</DOCNO><TEXT>{long}</TEXT></DOC>\
         <DOC><DOCNO>b</DOCNO><TEXT>2</TEXT></DOC>"
    );
    let outcome = read_one_with("x.sgm", sgml, limited(limits));
    assert_eq!(outcome.ids(), ["a", "b"], "{}", outcome.reasons());
    assert!(outcome.reasons().contains("`document_bytes`"));
}

#[test]
fn deep_json_is_refused_without_recursion() {
    let deep = "[".repeat(1_000_000);
    let line = format!("{{\"text\":\"x\",\"a\":{deep}");
    assert!(
        read_one("x.jsonl", format!("{{\"text\":\"ok\"}}\n{line}\n"))
            .reasons()
            .contains("`json_depth`")
    );
    let outcome = read_one("x.json", format!("[{line}}}]"));
    assert!(outcome.documents.is_empty() && !outcome.bad.is_empty());
    assert!(!read_one("x.json", deep).bad.is_empty());
}

#[test]
fn ids_of_any_kind_are_kept_replaced_or_refused() {
    let outcome = read_one(
        "x.jsonl",
        format!(
            "{{\"id\":\"\",\"text\":\"empty\"}}\n{{\"id\":\"../../x\",\"text\":\"up\"}}\n\
             {{\"id\":\"a\\nb\",\"text\":\"newline\"}}\n{{\"id\":\"same\",\"text\":\"1\"}}\n{{\"id\":\"same\",\"text\":\"2\"}}\n\
             {{\"id\":\"{}\",\"text\":\"long\"}}\n",
            "x".repeat(1 << 20)
        ),
    );
    assert_eq!(outcome.documents.len(), 5);
    assert!(outcome.ids()[0].ends_with("x.jsonl#0"));
    assert_eq!(outcome.ids()[1..], ["../../x", "a\nb", "same", "same"]);
    assert!(outcome.reasons().contains("`path_bytes`"));
    assert_eq!(outcome.bad[0].record, Some(5));
}

#[test]
fn a_text_of_nothing_but_opening_brackets_takes_linear_time() {
    let sgml = format!("<DOC><DOCNO>1</DOCNO><TEXT>{}</TEXT></DOC>", "<".repeat(2 << 20));
    assert_eq!(read_one("x.sgm", sgml).texts()[0].len(), 2 << 20);
}

#[test]
fn prose_with_a_comma_is_no_table() {
    let outcome = read_one("letter", "Content, form\nand all the rest\n");
    assert_eq!(outcome.kinds, ["text"]);
}

#[test]
fn a_quote_without_a_partner_is_bounded() {
    let limits = Limits { line_bytes: 1 << 20, ..Limits::default() };
    let mut csv = String::from("id,text\n1,fine\n2,\"open");
    for n in 0..300_000 {
        writeln!(csv, "{n},row").expect("memory can be written");
    }
    let outcome = read_one_with("x.csv", &csv, limited(limits));
    // The line with the quote is lost, the others are not.
    assert_eq!(outcome.documents.len(), 300_000);
    assert_eq!(outcome.ids()[..3], ["1", "1", "2"]);
    let reason = "record 1 (byte 15): a quote in line 3 lacks its partner";
    assert!(outcome.reasons().contains(reason), "{}", outcome.reasons());
    assert_eq!(outcome.bad.len(), 1);
    // The same without a limit, and in a small file.
    let outcome = read_one("x.csv", csv);
    assert_eq!((outcome.documents.len(), outcome.bad.len()), (300_000, 1));
    let outcome = read_one("x.csv", "id,text\n1,\"never closed\n2,more\n3,\"closed\nhere\"\n");
    assert_eq!(outcome.texts(), ["more", "closed\nhere"]);
    assert_eq!(outcome.bad[0].record, Some(0));
}

#[test]
fn the_name_tells_where_the_first_bytes_do_not() {
    let outcome = read_one("notes.txt", "[] milk\n[x] bread\n");
    assert_eq!((outcome.kinds[0].as_str(), outcome.documents.len()), ("text", 1));
    assert_eq!(read_one("empty.txt", "[]").texts(), ["[]"]);
    let outcome = read_one("empty.json", "[]");
    assert_eq!((outcome.kinds[0].as_str(), outcome.documents.len()), ("json", 0));
    assert!(outcome.bad.is_empty());
}

#[test]
fn a_document_type_alone_does_no_harm() {
    let body = "<docs><doc><text>words</text></doc></docs>";
    for kind in [
        "<!DOCTYPE docs>",
        "<!DOCTYPE docs [<!ELEMENT docs (doc*)><!ATTLIST doc id CDATA #IMPLIED>]>",
    ] {
        let outcome = read_one("x.xml", format!("<?xml version=\"1.0\"?>{kind}{body}"));
        assert_eq!(outcome.texts(), ["words"], "{kind}: {}", outcome.reasons());
    }
    for kind in [
        "<!DOCTYPE docs SYSTEM \"docs.dtd\">",
        "<!DOCTYPE docs PUBLIC \"-//X//Y\" \"http://x/y.dtd\">",
        "<!DOCTYPE docs [<!ENTITY a \"b\">]>",
        "<!DOCTYPE docs [<!ENTITY % p SYSTEM \"x\"> %p;]>",
    ] {
        let outcome = read_one("x.xml", format!("<?xml version=\"1.0\"?>{kind}{body}"));
        assert!(outcome.documents.is_empty(), "{kind}");
        assert!(outcome.reasons().contains("entities are refused"), "{}", outcome.reasons());
    }
}

#[test]
fn xml_with_entities_depth_or_a_million_attributes_is_bounded() {
    let laughs = "<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]>\
                  <docs><doc><text>&b;</text></doc></docs>";
    assert!(
        read_one("x.xml", laughs).reasons().contains("external parts and entities are refused")
    );
    let external = "<?xml version=\"1.0\"?><docs><doc><text>&file;</text></doc><doc><id>2</id><text>ok</text></doc></docs>";
    let outcome = read_one("x.xml", external);
    assert_eq!(outcome.texts(), ["ok"]);
    assert!(outcome.reasons().contains("entity `file` is refused"), "{}", outcome.reasons());

    let nested = |depth: usize| {
        let (open, close) = ("<a>".repeat(depth - 2), "</a>".repeat(depth - 2));
        format!("<?xml version=\"1.0\"?><docs><doc>{open}{close}<text>x</text></doc></docs>")
    };
    assert_eq!(read_one("x.xml", nested(256)).documents.len(), 1);
    assert!(read_one("x.xml", nested(257)).reasons().contains("`xml_depth`"));
    let deep = format!("<?xml version=\"1.0\"?>{}", "<a>".repeat(1_000_000));
    assert!(read_one("x.xml", deep).reasons().contains("`xml_depth`"));

    let attributes = " a=\"1\" b=\"2\"".repeat(500_000);
    let many = format!(
        "<?xml version=\"1.0\"?><docs><doc{attributes} id=\"7\"><text>x</text></doc></docs>"
    );
    assert_eq!(read_one("x.xml", many).ids(), ["7"]);
}

#[test]
fn xml_that_breaks_off_or_holds_nothing_says_so() {
    let outcome =
        read_one("x.xml", "<?xml version=\"1.0\"?><docs><doc><text>a</text></doc><doc><text>b");
    assert_eq!(outcome.texts(), ["a"]);
    assert!(outcome.reasons().contains("the end is missing"), "{}", outcome.reasons());
    assert!(
        read_one("x.xml", "<?xml version=\"1.0\"?><a/>").reasons().contains("holds no documents")
    );
    assert!(!read_one("x.xml", "<?xml version=\"1.0\"?><docs><doc></b></docs>").bad.is_empty());
    let bad_code =
        "<?xml version=\"1.0\"?><docs><doc><text encoding=\"base64\">!!</text></doc></docs>";
    assert!(read_one("x.xml", bad_code).reasons().contains("base64"));
}

#[test]
fn web_archives_with_wrong_lengths_go_on_where_they_can() {
    use crate::formats::warc;
    let good = |text: &str| warc("conversion", "text/plain", text.as_bytes());
    let short =
        String::from_utf8(good("0123456789")).expect("is text").replace("Length: 10", "Length: 4");
    let outcome = read_one("x.warc", [good("first"), short.into_bytes(), good("last")].concat());
    assert_eq!(outcome.texts(), ["first", "0123", "last"]);
    assert!(outcome.reasons().contains("is no WARC record"), "{}", outcome.reasons());
    let long = String::from_utf8(good("0123456789"))
        .expect("is text")
        .replace("Length: 10", "Length: 99999999");
    let outcome = read_one("x.warc", [good("first"), long.into_bytes()].concat());
    assert_eq!(outcome.texts(), ["first"]);
    assert!(outcome.reasons().contains("states 99999999 bytes"), "{}", outcome.reasons());
    for length in ["", "-1", "18446744073709551616", "x"] {
        let odd = String::from_utf8(good("0123456789"))
            .expect("is text")
            .replace("Length: 10", &format!("Length: {length}"));
        let outcome = read_one("x.warc", [odd.into_bytes(), good("last")].concat());
        assert_eq!(outcome.texts(), ["last"], "{length}");
        assert!(outcome.reasons().contains("Content-Length"));
    }
    let header = b"WARC/1.0\r\n".repeat(100_000);
    assert!(!read_one("x.warc", header).bad.is_empty());
}

#[test]
fn damaged_parquet_never_panics() {
    let texts = Column::texts((0..200).map(|n| format!("text number {n}")));
    let whole = parquet(&[("text", texts)]);
    assert_eq!(read_one("x.parquet", &whole).documents.len(), 200);
    for cut in (4..whole.len()).step_by(whole.len() / 20) {
        assert!(!read_one("x.parquet", &whole[..cut]).bad.is_empty());
    }
    for at in (4..whole.len()).step_by(5) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x7f;
        read_one("x.parquet", bytes);
    }
}

#[cfg(unix)]
#[test]
fn special_files_are_skipped_and_sparse_ones_refused_at_once() {
    let files = Files::new();
    let _socket = std::os::unix::net::UnixListener::bind(files.path().join("socket"))
        .expect("sockets can be made");
    let sparse = std::fs::File::create(files.path().join("sparse.txt")).expect("files can be made");
    sparse.set_len(1 << 40).expect("sparse files can be made");
    files.write("z.txt", "fine");
    let outcome = read(&[files.path().to_owned(), "/dev/zero".into()]);
    assert_eq!(outcome.texts(), ["fine"]);
    let reasons = outcome.reasons();
    for part in ["socket: is a socket", "/dev/zero: is a device", "sparse.txt: "] {
        assert!(reasons.contains(part), "{part} in {reasons}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn file_names_that_are_no_utf8_are_read() {
    use std::os::unix::ffi::OsStrExt;
    let files = Files::new();
    let name = std::ffi::OsStr::from_bytes(b"odd\xff.txt");
    std::fs::write(files.path().join(name), "text").expect("files can be written");
    let other = std::ffi::OsStr::from_bytes(b"odd\xfe.txt");
    std::fs::write(files.path().join(other), "other").expect("files can be written");
    let outcome = read(&[files.path().to_owned()]);
    assert_eq!(outcome.texts(), ["other", "text"]);
    // Names that differ in such a byte are two names.
    assert!(outcome.ids()[0].ends_with("odd\u{fffd}FE.txt"), "{:?}", outcome.ids());
    assert!(outcome.ids()[1].ends_with("odd\u{fffd}FF.txt"), "{:?}", outcome.ids());
}

#[test]
fn a_file_named_twice_is_read_once() {
    let files = Files::new();
    let path = files.write("a.txt", "x");
    let found = discover(&[path.clone(), path]).expect("the path exists");
    assert_eq!((found.files.len(), found.skipped.len()), (1, 1));
}

#[test]
fn a_file_that_is_cut_while_it_is_read_says_so() {
    let files = Files::new();
    let lines = "{\"text\":\"a line of some length\"}\n".repeat(200_000);
    let path = files.write("x.jsonl", &lines);
    let found = discover(std::slice::from_ref(&path)).expect("the path exists");
    let mut reader = retold_read::Reader::new(found.files, ReadOptions::default());
    let first = reader.next_batch().expect("there is a batch");
    std::fs::File::options()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_len(2 << 20))
        .expect("files can be cut");
    let (mut n_docs, mut reasons) = (0, String::new());
    let mut batch = Some(first);
    while let Some(taken) = batch {
        taken.parse(&mut |record| match record {
            Ok(_) => n_docs += 1,
            Err(bad) => writeln!(reasons, "{bad}").expect("memory can be written"),
        });
        batch = reader.next_batch();
    }
    assert!(n_docs > 1000);
    assert!(reasons.contains("was cut at byte 2097152"), "{reasons}");
    assert!(!reader.digests()[0].is_complete);
}
