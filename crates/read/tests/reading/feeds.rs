//! News feeds: every item a document.

use retold_core::document::Markup;

use crate::common::read_one;

const RSS: &str = r#"<?xml version="1.0"?>
<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>The &amp;quot;Harbour&amp;quot; News</title><language>en-gb</language>
<image><title>Logo</title><link>http://example.org/logo</link></image>
<item><title>Ferry late</title><link>http://example.org/1</link>
<description>Short.</description><content:encoded><![CDATA[<p>The ferry &amp; the <b>fog</b>.</p>]]></content:encoded>
<pubDate>Tue, 03 May 2011 10:00:00 GMT</pubDate><media:title>A picture</media:title></item>
<item><title>Only a &lt;i&gt;title&lt;/i&gt;</title><guid>http://example.org/2</guid></item>
<item><description>No end of this one &laquo;here&raquo; & there</description>
<item><title>Next</title><description>It goes on.</description></item>
</channel></rss>"#;

#[test]
fn items_of_rss_are_documents() {
    let outcome = read_one("news.xml", RSS);
    assert_eq!(outcome.kinds, ["feed"]);
    assert!(outcome.bad.is_empty(), "{}", outcome.reasons());
    let [first, second, third, fourth] = &outcome.documents[..] else { panic!("four items") };
    assert_eq!(first.text, "<p>The ferry &amp; the <b>fog</b>.</p>");
    assert_eq!(first.markup, Markup::Html);
    assert_eq!(first.title.as_deref(), Some("Ferry late"));
    assert_eq!(first.time.as_deref(), Some("Tue, 03 May 2011 10:00:00 GMT"));
    assert_eq!(first.source.as_deref(), Some("The \"Harbour\" News"));
    assert_eq!(first.url.as_deref(), Some("http://example.org/1"));
    assert_eq!(first.language.as_deref(), Some("en-gb"));
    assert_eq!((second.text.as_str(), second.markup), ("Only a title", Markup::Plain));
    assert_eq!(second.url.as_deref(), Some("http://example.org/2"));
    assert_eq!(third.text, "No end of this one &laquo;here&raquo; & there");
    assert_eq!(fourth.title.as_deref(), Some("Next"));
    assert!(outcome.ids()[3].ends_with("news.xml#3"));
}

#[test]
fn entries_of_atom_and_rdf_are_documents() {
    let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title>
        <author><name>Ann</name></author>
        <entry><title type="html">One &amp;amp; two</title><link rel="edit" href="/e"/><link href="http://example.org/a"/>
        <updated>2011-05-04T00:00:00Z</updated><published>2011-05-03T00:00:00Z</published>
        <summary>Short</summary>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>A &lt; B<br/>next</p></div></content></entry>
        <entry><title>Plain</title><content>1 &lt; 2</content></entry></feed>"#;
    let outcome = read_one("feed", atom);
    assert_eq!(outcome.kinds, ["feed"], "{}", outcome.reasons());
    let [first, second] = &outcome.documents[..] else { panic!("two entries") };
    assert_eq!(first.title.as_deref(), Some("One & two"));
    assert_eq!(first.url.as_deref(), Some("http://example.org/a"));
    assert_eq!(first.time.as_deref(), Some("2011-05-03T00:00:00Z"));
    assert!(first.text.contains("<p>A &lt; B<br"), "{}", first.text);
    assert_eq!((second.text.as_str(), second.markup), ("1 < 2", Markup::Plain));

    let rdf = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>Site</title></channel>
        <item rdf:about="y"><title>T</title><link>http://example.org/y</link><dc:date>2004-01-02</dc:date>
        <description>Words.</description></item></rdf:RDF>"#;
    let outcome = read_one("x.rdf", rdf);
    assert_eq!(outcome.texts(), ["Words."]);
    assert_eq!(outcome.documents[0].time.as_deref(), Some("2004-01-02"));
    assert_eq!(outcome.documents[0].source.as_deref(), Some("Site"));
}

#[test]
fn items_of_json_feeds_are_documents() {
    let json = r#"{ "version" : "https://jsonfeed.org/version/1.1", "title": "Site", "home": [1, {"items": []}],
        "items": [ {"id": 7, "title": "A", "content_html": "<p>x</p>", "url": "http://example.org/", "date_published": "2020-01-01"},
        {"content_text": "a < b"}, {"title": 5}, 3, {"summary": "s"} ] }"#;
    let outcome = read_one("x.json", json);
    assert_eq!(outcome.kinds, ["feed"]);
    assert_eq!(outcome.texts(), ["<p>x</p>", "a < b", "s"]);
    assert_eq!(outcome.documents[0].source.as_deref(), Some("Site"));
    assert_eq!(outcome.documents[1].markup, Markup::Plain);
    let records: Vec<_> = outcome.bad.iter().map(|bad| bad.record).collect();
    assert_eq!(records, [Some(2), Some(3)], "{}", outcome.reasons());

    let cut = &json[..json.find("\"summary\"").expect("it is there")];
    let outcome = read_one("x.json", cut);
    assert_eq!(outcome.documents.len(), 2);
    assert!(outcome.reasons().contains("the rest cannot be read"), "{}", outcome.reasons());
    assert!(read_one("x.json", &json[..120]).reasons().contains("x.json"));
}

#[test]
fn broken_feeds_keep_the_items_before_the_break() {
    let cut = &RSS[..RSS.find("It goes").expect("it is there")];
    let outcome = read_one("x.rss", cut);
    assert_eq!(outcome.documents.len(), 3);
    assert!(outcome.reasons().contains("the last item has no end"), "{}", outcome.reasons());
    let bomb =
        "<!DOCTYPE rss [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><rss><item>&b;</item></rss>";
    assert!(read_one("x.rss", bomb).reasons().contains("entities"));
    let deep = format!("<rss>{}", "<aaaaaaaaaaaaaaaa>".repeat(100_000));
    assert!(read_one("x.rss", deep).reasons().contains("no end tag"));
    assert!(read_one("x.rss", "").documents.is_empty());
}

#[test]
fn feeds_are_decoded_as_they_declare() {
    let russian = "Съешь же ещё этих мягких французских булок";
    for (label, python) in [("windows-1251", "windows-1251"), ("KOI8-R", "koi8-r")] {
        let xml = format!(
            "<?xml version=\"1.0\" encoding=\"{label}\"?><rss><channel>{}<item><title>{russian}</title>\
             </item></channel></rss>",
            " ".repeat(100_000)
        );
        let encoding = encoding_rs::Encoding::for_label(python.as_bytes()).expect("it is known");
        assert_eq!(read_one("x.xml", encoding.encode(&xml).0).texts(), [russian], "{label}");
    }
}
