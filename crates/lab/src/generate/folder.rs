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
    /// Pairs, and copied stretches.
    reference: Option<[BufWriter<File>; 2]>,
    /// For programs, and for people.
    log: Option<[BufWriter<File>; 2]>,
}

/// Which files there are beside the collection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) queries: bool,
    pub(super) reference: bool,
    pub(super) log: bool,
}

impl Files {
    pub(super) fn create(dir: &Path, wanted: Wanted) -> io::Result<Self> {
        let file = |name: &str| File::create(dir.join(name)).map(BufWriter::new);
        let two = |one, other| Ok::<_, io::Error>([file(one)?, file(other)?]);
        let Wanted { queries, reference, log } = wanted;
        Ok(Self {
            collection: file("collection.jsonl")?,
            queries: queries.then(|| file("queries.jsonl")).transpose()?,
            reference: reference.then(|| two("pairs.tsv", "spans.tsv")).transpose()?,
            log: log.then(|| two("log.jsonl", "log.txt")).transpose()?,
        })
    }

    /// Writes an input that belongs to the collection.
    pub(super) fn original(&mut self, document: &Document) -> io::Result<()> {
        line(&mut self.collection, document)
    }

    pub(super) fn head(&mut self, plan: &Plan) -> io::Result<()> {
        if let Some([log, _]) = &mut self.log {
            log.write_all(Head::of(plan).line().as_bytes())?;
        }
        let Some([pairs, spans]) = &mut self.reference else { return Ok(()) };
        writeln!(pairs, "a\tb\trelation\tresemblance\ta_in_b\tb_in_a\tedit_ratio")?;
        writeln!(spans, "a\tb\ta_start\ta_end\tb_start\tb_end\twords")
    }

    /// Writes a made document and how it was made.
    pub(super) fn made(&mut self, document: &Document, entry: &Entry) -> io::Result<()> {
        let file = match &mut self.queries {
            Some(queries) if entry.is_query() => queries,
            _ => &mut self.collection,
        };
        line(file, document)?;
        let Some([log, told]) = &mut self.log else { return Ok(()) };
        log.write_all(entry.line().as_bytes())?;
        told.write_all(entry.told().as_bytes())
    }

    /// Writes what is true of a made document.
    pub(super) fn truth(&mut self, pairs: &[Pair], spans: &[CopiedSpan]) -> io::Result<()> {
        let Some([of_pairs, of_spans]) = &mut self.reference else { return Ok(()) };
        for pair in pairs {
            writeln!(
                of_pairs,
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
                of_spans,
                "{a}\t{b}\t{}\t{}\t{}\t{}\t{words}",
                here.0, here.1, there.0, there.1
            )?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let Self { collection, queries, reference, log } = self;
        let pairs = reference.into_iter().chain(log).flatten();
        pairs.chain(queries).chain([collection]).try_for_each(|mut file| file.flush())
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
