//! Markdown, wikitext, LaTeX, scanned pages, and files that only describe others.

use std::io::Write;

use retold_core::clean::{Clean, Text};
use retold_core::document::Markup;

use crate::common::{Files, read, read_one};

#[test]
fn marks_are_kept_in_the_text_and_taken_out_by_cleaning() {
    for (name, text, markup, clean) in [
        ("a.md", "# *A* [b](c)\n", Markup::Markdown, "A b"),
        ("a.wiki", "'''A''' [[c|b]]\n", Markup::Wiki, "A b"),
        ("a.tex", "\\emph{A} \\cite{c}b\n", Markup::Latex, "A b\n"),
        ("a", "\\documentclass{x}\\begin{document}A b\\end{document}", Markup::Latex, "A b"),
    ] {
        let outcome = read_one(name, text);
        assert_eq!((outcome.texts()[0], outcome.documents[0].markup), (text, markup));
        assert_eq!(Text::of(&outcome.documents[0], Clean::default()).as_str(), clean);
    }
}

#[test]
fn pages_of_a_wiki_dump_are_wikitext() {
    let dump = "<mediawiki><siteinfo><sitename>W</sitename></siteinfo><page><title>Ferry</title><id>7</id>\
        <revision><id>99</id><timestamp>2011-05-03T10:00:00Z</timestamp><contributor><id>5</id></contributor>\
        <text>'''Ferry''' &amp; fog</text></revision></page></mediawiki>";
    let outcome = read_one("dump.xml", dump);
    assert_eq!(outcome.ids(), ["7"], "{}", outcome.reasons());
    assert_eq!(outcome.documents[0].markup, Markup::Wiki);
    assert_eq!(outcome.documents[0].time.as_deref(), Some("2011-05-03T10:00:00Z"));
}

#[test]
fn blocks_of_scanned_pages_are_named_by_page_and_block() {
    let alto = r#"<?xml version="1.0"?><alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout><Page ID="P7">
        <PrintSpace><TextBlock ID="TB1"><TextLine><String CONTENT="The"/><SP/><String CONTENT="fer" SUBS_TYPE="HypPart1" SUBS_CONTENT="ferry"/><HYP CONTENT="-"/></TextLine>
        <TextLine><String CONTENT="ry" SUBS_TYPE="HypPart2" SUBS_CONTENT="ferry"/><SP/><String CONTENT="late"/></TextLine></TextBlock>
        <TextBlock ID="TB2"/><TextBlock><TextLine><String CONTENT="A&amp;B"/></TextLine></TextBlock></PrintSpace></Page></Layout></alto>"#;
    let outcome = read_one("0042.xml", alto);
    assert_eq!(outcome.kinds, ["alto"], "{}", outcome.reasons());
    assert_eq!(outcome.texts(), ["The ferry\nlate", "A&B"]);
    assert!(outcome.ids()[0].ends_with("0042.xml#P7/TB1"), "{:?}", outcome.ids());
    assert!(outcome.ids()[1].ends_with("0042.xml#P7/block-3"));
    let cut = &alto[..alto.find("TB2").expect("it is there")];
    let outcome = read_one("0042.xml", cut);
    assert_eq!(outcome.documents.len(), 1);
    assert!(outcome.reasons().contains("the rest cannot be read"), "{}", outcome.reasons());
}

#[test]
fn a_folder_of_pan_is_read_as_it_is_published() {
    let files = Files::new();
    files.write("susp/suspicious-document00001.txt", "What was copied.");
    files.write("src/source-document00001.txt", "What was copied from.");
    files.write("pairs", "suspicious-document00001.txt source-document00001.txt\n");
    let annotation = "<?xml version=\"1.0\" encoding=\"utf-8\"?><document reference=\"suspicious-document00001.txt\">\
        <feature name=\"plagiarism\" this_offset=\"0\" this_length=\"4\"/></document>";
    files.write("01/suspicious-document00001-source-document00001.xml", annotation);
    files.write(
        "mets.xml",
        "<mets:mets xmlns:mets=\"http://www.loc.gov/METS/\"><mets:fileSec/></mets:mets>",
    );
    let outcome = read(&[files.path().to_owned()]);
    assert_eq!(outcome.documents.len(), 2, "{:?}", outcome.ids());
    assert!(outcome.bad.is_empty(), "{}", outcome.reasons());
    assert_eq!(outcome.skipped.iter().sum::<u64>(), 3);
}

#[test]
fn bzip2_and_brotli_are_taken_off() {
    let lines = b"{\"text\":\"one\"}\n{\"text\":\"two\"}\n";
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    writer.write_all(lines).expect("memory can be written");
    let bzip2 = writer.finish().expect("memory can be written");
    // Streams one behind the other are one, as parallel compressors write them.
    let outcome = read_one("x.jsonl.bz2", [bzip2.clone(), bzip2.clone()].concat());
    assert_eq!(outcome.texts(), ["one", "two", "one", "two"], "{}", outcome.reasons());
    assert_eq!(outcome.kinds, ["jsonl+bzip2"]);
    assert!(!read_one("x.jsonl.bz2", &bzip2[..bzip2.len() - 4]).bad.is_empty());

    let mut brotli = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams::default();
    brotli::BrotliCompress(&mut &lines[..], &mut brotli, &parameters)
        .expect("memory can be written");
    let outcome = read_one("x.jsonl.br", &brotli);
    assert_eq!(outcome.texts(), ["one", "two"], "{}", outcome.reasons());
    assert_eq!(outcome.kinds, ["jsonl+brotli"]);
    assert!(!read_one("x.jsonl.br", &brotli[..brotli.len() / 2]).bad.is_empty());
    assert!(!read_one("x.jsonl.br", "no brotli").bad.is_empty());
}
