//! Links as a file: pairs, or a graph.

use std::io::{self, Write};
use std::path::Path;

use quick_xml::escape::escape;
use serde::{Deserialize, Serialize};

use super::{Link, LinkedDocument, Links};

/// How links are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LinksFormat {
    /// A JSON object a line.
    #[default]
    Jsonl,
    /// A table with tabs; tabs, line ends and backslashes in ids are written `\t`, `\n`, `\r`, `\\`.
    Tsv,
    /// GraphML, which most programs for graphs read.
    Graphml,
    /// The language of Graphviz.
    Dot,
}

impl LinksFormat {
    /// Returns the format that the ending of a file asks for.
    ///
    /// ```
    /// use retold::LinksFormat;
    /// assert_eq!(LinksFormat::of_ending("links.graphml".as_ref()), Some(LinksFormat::Graphml));
    /// assert_eq!(LinksFormat::of_ending("links.xlsx".as_ref()), None);
    /// ```
    pub fn of_ending(path: &Path) -> Option<Self> {
        match path.extension()?.to_ascii_lowercase().to_str()? {
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "tsv" => Some(Self::Tsv),
            "graphml" => Some(Self::Graphml),
            "dot" | "gv" => Some(Self::Dot),
            _ => None,
        }
    }
}

impl Links {
    /// Writes them.
    pub fn write(&self, format: LinksFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            LinksFormat::Jsonl => self.jsonl(out),
            LinksFormat::Tsv => self.tsv(out),
            LinksFormat::Graphml => self.graphml(out),
            LinksFormat::Dot => self.dot(out),
        }
    }

    fn ids(&self, link: &Link) -> (&str, &str) {
        (&self.documents[link.a].id, &self.documents[link.b].id)
    }

    fn jsonl(&self, out: &mut dyn Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            a: &'a str,
            b: &'a str,
            relation: &'a str,
            words: u32,
            a_in_b: f64,
            b_in_a: f64,
            resemblance: f64,
        }
        for link in &self.links {
            let (a, b) = self.ids(link);
            let line = Line {
                a,
                b,
                relation: link.relation.name(),
                words: link.words,
                a_in_b: share(link.a_in_b),
                b_in_a: share(link.b_in_a),
                resemblance: share(link.resemblance),
            };
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn tsv(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "a\tb\trelation\twords\ta_in_b\tb_in_a\tresemblance")?;
        for link in &self.links {
            let (a, b) = self.ids(link);
            let Link { relation, words, .. } = link;
            let [a_in_b, b_in_a, resemblance] = shares(link);
            let (a, b) = (cell(a), cell(b));
            writeln!(out, "{a}\t{b}\t{relation}\t{words}\t{a_in_b}\t{b_in_a}\t{resemblance}")?;
        }
        Ok(())
    }

    fn graphml(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(GRAPHML_START.as_bytes())?;
        for (number, document) in self.documents.iter().enumerate() {
            write!(out, "<node id=\"n{number}\">")?;
            let LinkedDocument { id, title, time, source } = document;
            let known = [("title", title), ("time", time), ("source", source)];
            let known = known.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
            for (key, value) in [("label", id)].into_iter().chain(known) {
                write!(out, "<data key=\"{key}\">{}</data>", xml(value))?;
            }
            out.write_all(b"</node>\n")?;
        }
        for link in &self.links {
            let Link { a, b, relation, words, .. } = link;
            let [a_in_b, b_in_a, resemblance] = shares(link);
            writeln!(
                out,
                "<edge source=\"n{a}\" target=\"n{b}\"><data key=\"relation\">{relation}</data>\
                 <data key=\"weight\">{words}</data><data key=\"a_in_b\">{a_in_b}</data>\
                 <data key=\"b_in_a\">{b_in_a}</data>\
                 <data key=\"resemblance\">{resemblance}</data></edge>"
            )?;
        }
        out.write_all(b"</graph>\n</graphml>\n")
    }

    fn dot(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"graph links {\n  node [shape=box, style=rounded];\n")?;
        for (number, document) in self.documents.iter().enumerate() {
            writeln!(out, "  n{number} [label=\"{}\"];", quoted(&document.id))?;
        }
        for link in &self.links {
            let Link { a, b, relation, words, .. } = link;
            let [a_in_b, b_in_a, resemblance] = shares(link);
            writeln!(
                out,
                "  n{a} -- n{b} [weight={words}, relation=\"{relation}\", a_in_b={a_in_b}, \
                 b_in_a={b_in_a}, resemblance={resemblance}];"
            )?;
        }
        out.write_all(b"}\n")
    }
}

/// What a GraphML file begins with: which values nodes and edges have.
const GRAPHML_START: &str = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">
<key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>
<key id=\"title\" for=\"node\" attr.name=\"title\" attr.type=\"string\"/>
<key id=\"time\" for=\"node\" attr.name=\"time\" attr.type=\"string\"/>
<key id=\"source\" for=\"node\" attr.name=\"source\" attr.type=\"string\"/>
<key id=\"relation\" for=\"edge\" attr.name=\"relation\" attr.type=\"string\"/>
<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"int\"/>
<key id=\"a_in_b\" for=\"edge\" attr.name=\"a_in_b\" attr.type=\"double\"/>
<key id=\"b_in_a\" for=\"edge\" attr.name=\"b_in_a\" attr.type=\"double\"/>
<key id=\"resemblance\" for=\"edge\" attr.name=\"resemblance\" attr.type=\"double\"/>
<graph id=\"links\" edgedefault=\"undirected\">
";

/// Returns a share with at most six decimals, as in the tables.
fn share(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// Returns the three shares of a link.
fn shares(link: &Link) -> [f64; 3] {
    [link.a_in_b, link.b_in_a, link.resemblance].map(share)
}

/// Returns text that may stand in XML: what XML 1.0 does not allow becomes U+FFFD.
fn xml(text: &str) -> String {
    let allowed = |letter: char| match letter {
        '\t' | '\n' | '\r' => letter,
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        _ if (letter as u32) < 0x20 => '\u{fffd}',
        _ => letter,
    };
    let allowed: String = text.chars().map(allowed).collect();
    escape(&allowed).into_owned()
}

/// Returns text that may stand in a cell of a table with tabs.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            _ => out.push(letter),
        }
    }
    out
}

/// Returns text that may stand between quotation marks of Graphviz.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            _ if letter.is_control() => out.push(' '),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use retold_core::relation::Kind;

    use super::*;

    fn links() -> Links {
        let document = |id: &str| LinkedDocument { id: id.to_owned(), ..LinkedDocument::default() };
        let titled =
            LinkedDocument { title: Some("<b> & \u{1}".to_owned()), ..document("a\t\"1\"") };
        let link = Link {
            a: 0,
            b: 1,
            relation: Kind::Contained,
            words: 41,
            a_in_b: 1.0,
            b_in_a: 1.0 / 3.0,
            resemblance: 0.25,
        };
        Links { documents: vec![titled, document("b\\")], links: vec![link], ..Links::default() }
    }

    fn written(format: LinksFormat) -> String {
        let mut out = Vec::new();
        links().write(format, &mut out).expect("memory takes everything");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn pairs_are_written_with_ids_that_can_be_read_back() {
        assert_eq!(
            written(LinksFormat::Jsonl),
            "{\"a\":\"a\\t\\\"1\\\"\",\"b\":\"b\\\\\",\"relation\":\"contained\",\"words\":41,\
             \"a_in_b\":1.0,\"b_in_a\":0.333333,\"resemblance\":0.25}\n"
        );
        let table = written(LinksFormat::Tsv);
        assert_eq!(
            table.lines().nth(1),
            Some("a\\t\"1\"\tb\\\\\tcontained\t41\t1\t0.333333\t0.25")
        );
    }

    #[test]
    fn graphml_is_well_formed_whatever_ids_and_titles_hold() {
        let text = written(LinksFormat::Graphml);
        let mut reader = quick_xml::Reader::from_str(&text);
        let mut n_elements = 0;
        loop {
            match reader.read_event().expect("well-formed") {
                quick_xml::events::Event::Eof => break,
                quick_xml::events::Event::Start(_) => n_elements += 1,
                _ => {}
            }
        }
        assert_eq!(
            n_elements,
            2 + 2 + 3 + 1 + 5,
            "graphml, graph, nodes, their data, an edge, its data"
        );
        assert!(text.contains("&lt;b&gt; &amp; \u{fffd}"), "{text}");
        assert!(!text.chars().any(|letter| letter == '\u{1}'));
    }

    #[test]
    fn graphviz_gets_quoted_labels() {
        let text = written(LinksFormat::Dot);
        assert!(text.contains("n0 [label=\"a \\\"1\\\"\"];"), "{text}");
        assert!(text.contains("n1 [label=\"b\\\\\"];"), "{text}");
        assert!(text.contains("n0 -- n1 [weight=41, "), "{text}");
    }
}
