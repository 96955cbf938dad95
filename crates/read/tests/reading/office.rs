//! Office files and books, made of their parts here.

use crate::archives::{Zipped, zip};
use crate::common::{read_one, read_one_with};
use retold_read::{Limits, ReadOptions};

fn docx(body: &str) -> Vec<u8> {
    let document = format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>"
    );
    let rels = r#"<Relationships><Relationship Id="r" Type="http://x/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;
    let core = r#"<cp:coreProperties xmlns:dc="d" xmlns:dcterms="t"><dc:title>Minutes</dc:title><dcterms:created>2011-05-03T10:00:00Z</dcterms:created></cp:coreProperties>"#;
    let notes = r#"<w:footnotes xmlns:w="w"><w:footnote w:type="separator"><w:p><w:r><w:t>no</w:t></w:r></w:p></w:footnote><w:footnote><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>"#;
    zip(&[
        Zipped::new("[Content_Types].xml", b"<Types/>"),
        Zipped::new("_rels/.rels", rels.as_bytes()),
        Zipped::new("word/document.xml", document.as_bytes()),
        Zipped::new("word/footnotes.xml", notes.as_bytes()),
        Zipped::new("docProps/core.xml", core.as_bytes()),
    ])
}

const PARAGRAPHS: &str = "<w:p><w:pPr><w:tab/></w:pPr><w:r><w:t>The ferry</w:t></w:r><w:r><w:tab/><w:t xml:space=\"preserve\"> was &amp; late.</w:t></w:r></w:p>\
    <w:p><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del><w:ins><w:r><w:t>Second</w:t><w:br/><w:t>line.</w:t></w:r></w:ins></w:p>\
    <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";

#[test]
fn word_files_are_read_with_their_notes() {
    for name in ["minutes.docx", "unnamed"] {
        let outcome = read_one(name, docx(PARAGRAPHS));
        assert_eq!(outcome.kinds, ["docx"], "{}", outcome.reasons());
        let text = "The ferry\t was & late.\n\nSecond\nline.\n\na\n\nb\n\nA note.";
        assert_eq!(outcome.texts(), [text]);
        assert_eq!(outcome.documents[0].title.as_deref(), Some("Minutes"));
        assert_eq!(outcome.documents[0].time.as_deref(), Some("2011-05-03T10:00:00Z"));
        assert!(outcome.ids()[0].ends_with(name));
    }
}

#[test]
fn an_office_file_may_lie_in_an_archive() {
    let inner = docx(PARAGRAPHS);
    let outcome = read_one("all.zip", zip(&[Zipped::new("a/minutes.docx", &inner)]));
    assert_eq!(outcome.documents.len(), 1, "{}", outcome.reasons());
    assert!(outcome.ids()[0].ends_with("all.zip!a/minutes.docx"));
    let members =
        [Zipped::stored("notes.txt", b"Plain words."), Zipped::stored("a/minutes.docx", &inner)];
    let outcome = read_one("all.zip", zip(&members));
    assert_eq!(outcome.documents.len(), 2, "not compressed: {}", outcome.reasons());
}

#[test]
fn broken_office_files_are_refused_with_a_reason() {
    let whole = docx(PARAGRAPHS);
    for cut in [10, whole.len() / 2, whole.len() - 5] {
        let outcome = read_one("x.docx", &whole[..cut]);
        assert!(outcome.documents.is_empty() && !outcome.bad.is_empty());
    }
    assert!(read_one("x.docx", docx("<w:p>")).reasons().contains("not XML"));
    assert!(read_one("x.docx", docx("")).documents.len() == 1, "its note is text");
    let deep = "<w:p>".repeat(300) + &"</w:p>".repeat(300);
    assert!(read_one("x.docx", docx(&deep)).reasons().contains("xml_depth"));
    let empty = zip(&[Zipped::new("word/x", b"")]);
    assert!(read_one("x.docx", empty).reasons().contains("no part `word/document.xml`"));
    let limits = Limits { document_bytes: 2_000, ..Limits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let long = format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "word ".repeat(1_000));
    assert!(read_one_with("x.docx", docx(&long), options).reasons().contains("document_bytes"));
}

#[test]
fn open_document_texts_are_read() {
    let content = "<office:document-content xmlns:office=\"o\" xmlns:text=\"t\"><office:body><office:text>\
        <text:tracked-changes><text:p>gone</text:p></text:tracked-changes>\
        <text:h>Ferry<text:s text:c=\"2\"/>late</text:h><text:p>It was<text:note><text:note-citation>1</text:note-citation>\
        <text:note-body><text:p>A note.</text:p></text:note-body></text:note> fog.<text:line-break/>Thick.\
        <office:annotation><text:p>why?</text:p></office:annotation></text:p></office:text></office:body>\
        </office:document-content>";
    let meta = "<office:document-meta xmlns:dc=\"d\"><dc:title>News</dc:title><dc:language>en</dc:language></office:document-meta>";
    let odt = zip(&[
        Zipped::stored("mimetype", b"application/vnd.oasis.opendocument.text"),
        Zipped::new("content.xml", content.as_bytes()),
        Zipped::new("meta.xml", meta.as_bytes()),
    ]);
    let outcome = read_one("unnamed", odt);
    assert_eq!(outcome.kinds, ["odt"], "{}", outcome.reasons());
    assert_eq!(outcome.texts(), ["Ferry  late\n\nIt was fog.\nThick.\n\nA note."]);
    assert_eq!(outcome.documents[0].language.as_deref(), Some("en"));
}

#[test]
fn books_are_read_in_the_order_of_their_spine() {
    let container = r#"<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>"#;
    let package = r#"<package xmlns:dc="d"><metadata><dc:title>The Ferry</dc:title><dc:language>en</dc:language></metadata>
        <manifest><item id="b" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/>
        <item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>
        <item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest>
        <spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/><itemref idref="a"/></spine></package>"#;
    let one = "<?xml version=\"1.0\"?><html><head><title/><script src=\"x\"/></head><body><h1>One</h1><p>Fog&nbsp;all day.</p></body></html>";
    let epub = zip(&[
        Zipped::stored("mimetype", b"application/epub+zip"),
        Zipped::new("META-INF/container.xml", container.as_bytes()),
        Zipped::new("OEBPS/content.opf", package.as_bytes()),
        Zipped::new("OEBPS/nav.xhtml", b"<html><body>Contents</body></html>"),
        Zipped::new("OEBPS/text/two b.xhtml", b"<html><body><p>Two.</p></body></html>"),
        Zipped::new("OEBPS/one.xhtml", one.as_bytes()),
    ]);
    let outcome = read_one("unnamed", epub);
    assert_eq!(outcome.kinds, ["epub"], "{}", outcome.reasons());
    assert_eq!(outcome.texts(), ["One\n\nFog\u{a0}all day.\n\nTwo."]);
    assert_eq!(outcome.documents[0].title.as_deref(), Some("The Ferry"));
}

#[test]
fn rich_text_is_read_in_its_code_pages() {
    let rtf = r"{\rtf1\ansi\ansicpg1252\uc1{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}}
{\colortbl;\red0;}{\info{\title Minutes}{\author Ann}}{\*\generator X;}\f0 Caf\'e9 \u8212? {\b bold}\par
{\f1\'cf\'f0\'e8\'e2\'e5\'f2} \u-10179?\u-8704?{\field{\*\fldinst HYPERLINK x}{\fldrslt link}}{\footnote A note.}\tab end\line
next\pard{\pict 00ff}{\v hidden}\par }";
    let outcome = read_one("unnamed", rtf);
    assert_eq!(outcome.kinds, ["rtf"], "{}", outcome.reasons());
    let text = "Café — bold\n\nПривет 😀link\tend\nnext\n\nA note.";
    assert_eq!(outcome.texts(), [text]);
    assert_eq!(outcome.documents[0].title.as_deref(), Some("Minutes"));

    for (bytes, reason) in [
        (&rtf[..200], "the end is missing"),
        ("{\\rtf1 }", "no text"),
        ("{\\rtf1 a}", ""),
        ("{\\rtf1\\bin999999999 a}", "the end is missing"),
    ] {
        let outcome = read_one("x.rtf", bytes);
        assert!(outcome.reasons().contains(reason), "{}", outcome.reasons());
    }
    assert!(
        read_one("x.rtf", "{\\rtf1".to_owned() + &"{".repeat(2_000)).reasons().contains("1000")
    );
}
