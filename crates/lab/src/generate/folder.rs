//! The folder of a made collection.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use retold::{Document, Kind};
use serde::Serialize;

use super::log::{Entry, Head};
use super::plan::Plan;
use super::truth::{CopiedSpan, Pair};

/// The files of a made collection.
pub(super) struct Files {
    collection: BufWriter<File>,
    queries: Option<BufWriter<File>>,
    pairs: BufWriter<File>,
    spans: BufWriter<File>,
    log: BufWriter<File>,
    told: BufWriter<File>,
}

impl Files {
    pub(super) fn create(dir: &Path, has_queries: bool) -> io::Result<Self> {
        let file = |name: &str| File::create(dir.join(name)).map(BufWriter::new);
        Ok(Self {
            collection: file("collection.jsonl")?,
            queries: has_queries.then(|| file("queries.jsonl")).transpose()?,
            pairs: file("pairs.tsv")?,
            spans: file("spans.tsv")?,
            log: file("log.jsonl")?,
            told: file("log.txt")?,
        })
    }

    /// Writes an input that belongs to the collection.
    pub(super) fn original(&mut self, document: &Document) -> io::Result<()> {
        line(&mut self.collection, document)
    }

    pub(super) fn head(&mut self, plan: &Plan) -> io::Result<()> {
        self.log.write_all(Head::of(plan).line().as_bytes())?;
        writeln!(self.pairs, "a\tb\trelation\tresemblance\ta_in_b\tb_in_a\tedit_ratio")?;
        writeln!(self.spans, "a\tb\ta_start\ta_end\tb_start\tb_end\twords")
    }

    /// Writes a made document and how it was made.
    pub(super) fn made(&mut self, document: &Document, entry: &Entry) -> io::Result<()> {
        let file = match &mut self.queries {
            Some(queries) if entry.is_query() => queries,
            _ => &mut self.collection,
        };
        line(file, document)?;
        self.log.write_all(entry.line().as_bytes())?;
        self.told.write_all(entry.told().as_bytes())
    }

    /// Writes what is true of a made document.
    pub(super) fn truth(&mut self, pairs: &[Pair], spans: &[CopiedSpan]) -> io::Result<()> {
        for pair in pairs {
            writeln!(
                self.pairs,
                "{}\t{}\t{}\t{:.6}\t{:.6}\t{:.6}\t{:.6}",
                cell(&pair.a),
                cell(&pair.b),
                relation_name(pair),
                pair.scores.resemblance.get(),
                pair.scores.a_in_b.get(),
                pair.scores.b_in_a.get(),
                pair.edit_ratio,
            )?;
        }
        for CopiedSpan { a, b, a_span, b_span, words } in spans {
            let (a, b) = (cell(a), cell(b));
            let (here, there) = ((a_span.start, a_span.end), (b_span.start, b_span.end));
            writeln!(
                self.spans,
                "{a}\t{b}\t{}\t{}\t{}\t{}\t{words}",
                here.0, here.1, there.0, there.1
            )?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let Self { collection, queries, pairs, spans, log, told } = self;
        for mut file in [collection, pairs, spans, log, told].into_iter().chain(queries) {
            file.flush()?;
        }
        Ok(())
    }
}

/// Returns the name of a pair's relation; `none` if too little is left for one.
pub(super) fn relation_name(pair: &Pair) -> &'static str {
    pair.relation.map_or("none", Kind::name)
}

/// Returns a name that stays in its column: tabs and line ends are written as `\t` and `\n`.
fn cell(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

/// A document as it is written.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    text: &'a str,
}

/// Writes a document as a line of JSON.
fn line(out: &mut impl Write, document: &Document) -> io::Result<()> {
    let Document { id, text, markup: _, title, time, source, url, language, fields: _ } = document;
    let line = Line {
        id,
        title: title.as_deref(),
        time: time.as_deref(),
        source: source.as_deref(),
        url: url.as_deref(),
        language: language.as_deref(),
        text,
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_columns() {
        assert_eq!(cell("a\tb\\c\nd"), "a\\tb\\\\c\\nd");
    }
}
