//! Each format, from a small file that a person can check.

use base64::Engine as _;
use parquet::data_type::ByteArray;
use retold_core::document::Markup;
use retold_read::{Again, Fields, Format, ReadOptions, discover};

use crate::common::{Files, read, read_one, read_one_with};
use crate::parquet_files::{Column, parquet};

const RUSSIAN: &str = "Съешь же ещё этих мягких французских булок, да выпей чаю.";

#[test]
fn json_arrays_single_objects_and_sequences_are_told_apart() {
    let array = "[\n  {\"id\": \"a\", \"text\": \"one [}\\\" {\"},\n {\"text\": \"two\", \"x\": [1, {}]}\n]\n";
    let outcome = read_one("x.json", array);
    assert_eq!(outcome.texts(), ["one [}\" {", "two"]);
    assert_eq!(outcome.kinds, ["json"]);
    assert!(outcome.ids()[1].ends_with("x.json#1"));

    let object = read_one("x.json", "{\n  \"id\": \"a\",\n  \"text\": \"one\"\n}\n");
    assert_eq!(object.texts(), ["one"]);
    let sequence =
        read_one("x", "{\n\"text\": \"one\"\n}\n{\n\"text\": \"two\"}{\"text\":\"three\"}");
    assert_eq!(sequence.texts(), ["one", "two", "three"]);
    assert!(read_one("x.json", "[]").bad.is_empty());
}

#[test]
fn elements_of_json_arrays_can_be_read_again() {
    let files = Files::new();
    let path = files.write("a.json", "[{\"id\":\"a\",\"text\":\"one\"} , {\"text\":\"two\"}]");
    let outcome = read(std::slice::from_ref(&path));
    let found = discover(&[path]).expect("the path exists");
    let again = Again::new(&found.files, &ReadOptions::default());
    for (document, place) in outcome.documents.iter().zip(&outcome.places) {
        assert_eq!(&again.document(place, &document.id).expect("nothing changed"), document);
    }
}

#[test]
fn a_large_json_array_streams_with_bad_elements_in_it() {
    let mut json = String::from("[");
    for n in 0..30_000 {
        json.extend([format!("{{\"id\":{n},\"text\":\"{}\"}},\n", "ab\\\"c ".repeat(n % 30))]);
    }
    json.push_str("5, {\"text\":7}, {\"id\":\"last\",\"text\":\"end\"}]");
    let outcome = read_one("big.json", json);
    assert_eq!(outcome.documents.len(), 30_001);
    assert_eq!(outcome.places[30_000].record, 30_002);
    assert_eq!(outcome.documents[29].text, "ab\"c ".repeat(29));
    let records: Vec<_> = outcome.bad.iter().map(|bad| bad.record).collect();
    assert_eq!(records, [Some(30_000), Some(30_001)]);
}

#[test]
fn tables_are_read_by_their_header() {
    let csv =
        "ID,Title,Text\r\n1,\"a, b\",\"two\nlines\"\r\n2,,plain\r\n3,x\r\n4,y,\"\"\"q\"\"\"\r\n";
    let outcome = read_one("t.csv", csv);
    assert_eq!(outcome.texts(), ["two\nlines", "plain", "\"q\""]);
    assert_eq!(outcome.documents[0].title.as_deref(), Some("a, b"));
    assert_eq!(outcome.documents[1].title, None);
    assert!(outcome.reasons().contains("record 2"), "{}", outcome.reasons());
    assert!(outcome.reasons().contains("2 fields, the header 3"));

    assert_eq!(read_one("t.tsv", "text\tid\nhello\tx\n").ids(), ["x"]);
    let unnamed = read_one("table", "id\ttext\tdate\n7\twords\t2011\n");
    assert_eq!(unnamed.ids(), ["7"]);
    assert_eq!(unnamed.kinds, ["tsv"]);
    assert_eq!(read_one("t.csv", "id;text\n1;semi\n").texts(), ["semi"]);
    let without = read_one("t.csv", "a,b\n1,2\n");
    assert!(without.reasons().contains("no column is named `text`"), "{}", without.reasons());
    assert!(without.reasons().contains("its columns: `a`, `b`"), "{}", without.reasons());
    let wide: Vec<String> = (0..20).map(|n| format!("c{n}")).collect();
    let wide = read_one("t.csv", format!("{}\n", wide.join(",")));
    assert!(wide.reasons().contains("`c11`, …"), "{}", wide.reasons());
}

#[test]
fn parquet_rows_are_documents() {
    let n = 1000;
    let texts = Column::some_texts((0..n).map(|n| (n != 3).then(|| format!("text {n}"))));
    let titles = Column::texts((0..n).map(|n| format!("a title that is long enough {n}")));
    let bytes = parquet(&[
        ("id", Column::Numbers((0..n).collect())),
        ("unused", Column::Lists((0..n).map(|n| vec![n]).collect())),
        ("text", texts),
        ("title", titles),
    ]);
    let outcome = read_one("rows", &bytes);
    assert_eq!(outcome.documents.len(), 999, "{}", outcome.reasons());
    assert_eq!(outcome.documents[3].text, "text 4");
    assert_eq!(outcome.documents[3].id, "4");
    assert_eq!(outcome.documents[0].title.as_deref(), Some("a title that is long enough 0"));
    assert_eq!(outcome.places[3].record, 4);
    assert_eq!(outcome.bad[0].record, Some(3));
    assert_eq!(outcome.kinds, ["parquet"]);

    let other = parquet(&[("words", Column::Numbers(vec![0, 1, 2]))]);
    assert!(read_one("x.parquet", other).reasons().contains("its columns: `words`"));
    let lists = parquet(&[("text", Column::Lists(vec![vec![0], vec![]]))]);
    assert!(read_one("x.parquet", lists).reasons().contains("column `text` is not"));
}

#[test]
fn a_string_of_parquet_that_is_not_utf8_costs_its_row() {
    let texts = [&b"one"[..], b"\xff\xfe", b"three"];
    let texts = texts.map(|text| Some(ByteArray::from(text))).to_vec();
    let titles = vec![Some(ByteArray::from(&b"\xff"[..])), None, Some(ByteArray::from("title"))];
    let bytes = parquet(&[("title", Column::Texts(titles)), ("text", Column::Texts(texts))]);
    let outcome = read_one("x.parquet", bytes);
    assert_eq!(outcome.texts(), ["one", "three"]);
    assert_eq!(outcome.documents[0].title, None);
    assert_eq!(outcome.documents[1].title.as_deref(), Some("title"));
    assert_eq!(outcome.bad[0].record, Some(1));
    assert!(outcome.reasons().contains("the text is not UTF-8"));
}

#[test]
fn pages_keep_their_markup_and_are_decoded_by_their_charset() {
    let page =
        format!("<html><head><meta charset=\"windows-1251\"></head><body>{RUSSIAN}</body></html>");
    let bytes = encoding_rs::WINDOWS_1251.encode(&page).0.into_owned();
    let outcome = read_one("page.txt", bytes);
    assert_eq!(outcome.texts(), [page.as_str()]);
    assert_eq!(outcome.documents[0].markup, Markup::Html);
    assert_eq!(outcome.kinds, ["html"]);
    assert!(outcome.ids()[0].ends_with("page.txt"));
    let xhtml = "<?xml version=\"1.0\"?>\n<!-- x -->\n<!DOCTYPE html PUBLIC \"x\">\n<html></html>";
    assert_eq!(read_one("page.xml", xhtml).kinds, ["html"]);
}

#[test]
fn reuters_documents_come_with_their_elements() {
    let mut sgml = b"<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n".to_vec();
    sgml.extend(
        b"<REUTERS TOPICS=\"YES\" OLDID=\"5544\" NEWID=\"1\">\n<DATE>26-FEB-1987 15:01:01.79</DATE>\n\
          <TEXT>&#2;\n<TITLE>BAHIA &lt;COCOA> REVIEW</TITLE>\n<DATELINE>    SALVADOR, Feb 26 - </DATELINE>\
          <BODY>Showers &amp; rain\ncontinued.\n Reuter\n&#3;</BODY></TEXT>\n</REUTERS>\n",
    );
    sgml.extend(b"<REUTERS NEWID=\"2\">\n<TEXT TYPE=\"BRIEF\">&#2;\n<TITLE>A BRIEF</TITLE>\n</TEXT>\n</REUTERS>\n");
    sgml.extend(b"<REUTERS NEWID=\"3\"><TEXT><BODY>caf\xe9</BODY></TEXT></REUTERS>\n");
    let outcome = read_one("reut2-000.sgm", sgml);
    assert_eq!(outcome.ids(), ["1", "2", "3"]);
    assert_eq!(outcome.texts()[0], "Showers & rain\ncontinued.\n Reuter\n");
    assert_eq!(outcome.documents[0].title.as_deref(), Some("BAHIA <COCOA> REVIEW"));
    assert_eq!(outcome.documents[0].time.as_deref(), Some("26-FEB-1987 15:01:01.79"));
    assert!(outcome.texts()[1].contains("A BRIEF"));
    assert_eq!(outcome.texts()[2], "café");
}

#[test]
fn trec_documents_of_news_and_web_are_read() {
    let news = "<DOC>\n<DOCNO> AP880212-0001 </DOCNO>\n<HEAD>A headline</HEAD>\n<TEXT>\n<P>\nFirst.\n</P>\n</TEXT>\n\
                <TEXT>Second &lt;x&gt;.</TEXT>\n</DOC>\n<DOC>\n<DOCNO>2</DOCNO>\n<TEXT>x</TEXT></DOC>";
    let outcome = read_one("ap", news);
    assert_eq!(outcome.kinds, ["sgml"]);
    assert_eq!(outcome.ids(), ["AP880212-0001", "2"]);
    assert_eq!(outcome.documents[0].title.as_deref(), Some("A headline"));
    assert!(outcome.texts()[0].contains("First.") && outcome.texts()[0].contains("Second <x>."));
    assert!(!outcome.texts()[0].contains("<P>"));

    let web = "<DOC>\n<DOCNO>WTX1</DOCNO>\n<DOCHDR>\nhttp://a.example/ 1.2.3.4\nHTTP/1.0 200\n</DOCHDR>\n<html>page</html>\n</DOC>";
    let outcome = read_one("wt", web);
    assert_eq!(outcome.documents[0].url.as_deref(), Some("http://a.example/"));
    assert_eq!(outcome.documents[0].markup, Markup::Html);
    assert_eq!(outcome.texts()[0].trim(), "<html>page</html>");
}

#[test]
fn many_sgml_documents_cross_block_borders_unharmed() {
    let mut sgml = String::new();
    for n in 0..5000 {
        let words = "word ".repeat(n % 200);
        sgml.extend([format!("<DOC>\n<DOCNO>{n}</DOCNO>\n<TEXT>{words}</TEXT>\n</DOC>\n")]);
    }
    let outcome = read_one("many.trec", sgml);
    assert_eq!(outcome.documents.len(), 5000);
    for (n, document) in outcome.documents.iter().enumerate() {
        assert_eq!(document.id, n.to_string());
        assert_eq!(document.text, "word ".repeat(n % 200));
    }
}

#[test]
fn packages_hold_base64_escaped_and_quoted_pages() {
    let page = format!("<html><head><meta charset=windows-1251></head>{RUSSIAN}</html>");
    let bytes = encoding_rs::WINDOWS_1251.encode(&page).0.into_owned();
    let coded = base64::engine::general_purpose::STANDARD.encode(bytes);
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"windows-1251\"?>\n<romip:dataset xmlns:romip=\"x\">\n\
         <document><docID>1</docID><docURL>http://a.example/?x=1&amp;y</docURL><content>{coded}</content></document>\n\
         <document><docID>2</docID><content>&lt;p&gt;a &amp;amp; b &#1071;&lt;/p&gt;</content></document>\n\
         <doc id=\"3\"><title>T</title><text><![CDATA[plain {RUSSIAN} <x>]]></text></doc>\n</romip:dataset>\n"
    );
    let outcome = read_one("package.xml", &encoding_rs::WINDOWS_1251.encode(&xml).0);
    assert_eq!(outcome.ids(), ["1", "2", "3"], "{}", outcome.reasons());
    assert_eq!(outcome.texts()[0], page);
    assert_eq!(outcome.documents[0].url.as_deref(), Some("http://a.example/?x=1&y"));
    assert_eq!(outcome.documents[0].markup, Markup::Html);
    assert_eq!(outcome.texts()[1], "<p>a &amp; b Я</p>");
    assert_eq!(outcome.texts()[2], format!("plain {RUSSIAN} <x>"));
    assert_eq!(outcome.documents[2].markup, Markup::Plain);
    assert_eq!(outcome.documents[2].title.as_deref(), Some("T"));
}

/// Makes a WARC record.
pub(crate) fn warc(kind: &str, media: &str, block: &[u8]) -> Vec<u8> {
    let header = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{kind}-{}>\r\nWARC-Date: 2011-03-21T12:00:00Z\r\n\
         WARC-Target-URI: http://a.example/\r\nContent-Type: {media}\r\nContent-Length: {}\r\n\r\n",
        block.len(),
        block.len()
    );
    [header.as_bytes(), block, b"\r\n\r\n"].concat()
}

#[test]
fn web_archives_give_pages_and_plain_text() {
    let http = "application/http; msgtype=response";
    let russian = encoding_rs::KOI8_R.encode(RUSSIAN).0.into_owned();
    let mut bytes = warc("warcinfo", "application/warc-fields", b"software: x");
    bytes.extend(warc(
        "response",
        http,
        &[&b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n"[..], &russian]
            .concat(),
    ));
    let chunked = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n6;x=y\r\n words\r\n0\r\n\r\n";
    bytes.extend(warc("response", http, chunked));
    bytes.extend(warc(
        "response",
        http,
        b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG\0",
    ));
    bytes.extend(warc(
        "response",
        http,
        b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\ngone",
    ));
    bytes.extend(warc("request", "application/http; msgtype=request", b"GET / HTTP/1.1\r\n\r\n"));
    bytes.extend(warc("conversion", "text/plain", "düz metin".as_bytes()));
    let outcome = read_one("crawl.warc", &bytes);
    assert_eq!(outcome.texts(), [RUSSIAN, "some words", "düz metin"], "{}", outcome.reasons());
    assert_eq!(outcome.documents[0].markup, Markup::Html);
    assert_eq!(outcome.documents[2].markup, Markup::Plain);
    assert_eq!(outcome.documents[0].url.as_deref(), Some("http://a.example/"));
    assert_eq!(outcome.documents[0].time.as_deref(), Some("2011-03-21T12:00:00Z"));
    assert!(outcome.documents[0].id.starts_with("response-"));
    assert!(outcome.bad.is_empty());
    assert_eq!(outcome.skipped, [2]);
}

#[test]
fn a_format_and_an_encoding_can_be_forced() {
    let options = ReadOptions { format: Some(Format::Text), ..ReadOptions::default() };
    let outcome = read_one_with("x.jsonl", "{\"text\":\"a\"}\n", options);
    assert_eq!(outcome.texts(), ["{\"text\":\"a\"}\n"]);
    let options = ReadOptions { encoding: Some("koi8-r".into()), ..ReadOptions::default() };
    let bytes = encoding_rs::KOI8_R.encode("{\"text\":\"чай\"}").0.into_owned();
    assert_eq!(read_one_with("x.jsonl", bytes, options).texts(), ["чай"]);
}

#[test]
fn fields_can_be_renamed_and_one_more_can_be_kept() {
    let fields = Fields { text: vec!["story".into()], ..Fields::default() };
    let options =
        ReadOptions { fields, further_fields: vec!["score".into()], ..ReadOptions::default() };
    let outcome =
        read_one_with("x.jsonl", "{\"text\":\"no\",\"story\":\"yes\",\"score\":0.5}", options);
    assert_eq!(outcome.texts(), ["yes"]);
    assert_eq!(outcome.documents[0].fields["score"], "0.5");
    let options = ReadOptions { further_fields: vec!["date".into()], ..ReadOptions::default() };
    let outcome = read_one_with("x.csv", "text,date\na,2011\n", options);
    assert_eq!(outcome.documents[0].fields.get("date"), outcome.documents[0].time.as_ref());
}

#[test]
fn records_in_wide_and_single_byte_encodings_are_read() {
    let line = format!("{{\"id\":\"a\",\"text\":\"{RUSSIAN}\"}}\n");
    let wide: Vec<u8> = line.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read_one("x.jsonl", wide).texts(), [RUSSIAN]);
    let single = encoding_rs::WINDOWS_1251.encode(&line).0.into_owned();
    let outcome = read_one("x.jsonl", single);
    assert_eq!(outcome.texts(), [RUSSIAN]);
    assert_eq!(outcome.places[0].again, None);
}

#[test]
fn every_format_has_a_name_that_leads_back_to_it() {
    for &format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
        let json = serde_json::to_string(&format).expect("a name is a string");
        assert_eq!(json, format!("\"{format}\""));
    }
    let error = "xlsx".parse::<Format>().unwrap_err().to_string();
    assert!(error.contains("xlsx") && error.contains("jsonl"), "{error}");
}
