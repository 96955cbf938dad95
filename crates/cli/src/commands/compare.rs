//! `retold compare`: two documents side by side.

use std::fmt::Write as _;
use std::io::Write as _;

use retold::{Comparison, Credit, Error, Kind, compare_quoted, read_document};
use retold_report::{OutputFile, PairFields, compare_html, compare_text, rounded};
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::settings::Couple;
use crate::terminal;

/// Columns of a comparison that is not printed on a terminal.
const WIDTH: u16 = 100;

/// Compares and prints.
pub(crate) fn compare(couple: &Couple) -> Result<(), Failure> {
    let Couple { a, b, page, quotes, settings, talk } = couple;
    let a = read_document(a, &settings.job)?;
    let b = read_document(b, &settings.job)?;
    let found = compare_quoted(&a, &b, &settings.job, *quotes)?;
    let pair = found.side_by_side(&a, &b);
    if let Some(path) = page {
        let mut file = OutputFile::create(path, settings.overwrite).map_err(Error::from)?;
        let written = compare_html(&pair, &mut file).and_then(|()| file.flush());
        written.map_err(|source| Error::Io { what: "write", path: path.clone(), source })?;
        file.commit().map_err(Error::from)?;
    }
    if talk.is_json {
        return terminal::print(&json_line(&a.id, &b.id, &found));
    }
    let mut out = compare_text(&pair, terminal::style(talk.color, WIDTH));
    for (credit, (text, source)) in
        found.credits().into_iter().flatten().zip([("a", "b"), ("b", "a")])
    {
        if credit.is_named {
            let _ = writeln!(out, "\n{text} names {source} as its source");
        }
    }
    terminal::print(&out)
}

/// Returns the relation as a line of JSON with the names of `pairs.jsonl`; `relation` is null for
/// documents that are not related.
fn json_line(a: &str, b: &str, found: &Comparison) -> String {
    #[derive(Serialize)]
    struct Line<'a> {
        a: &'a str,
        b: &'a str,
        #[serde(flatten)]
        pair: PairFields,
        a_vocabulary_in_b: f64,
        b_vocabulary_in_a: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        credits: Option<&'a [Credit; 2]>,
    }
    let (relation, scores) = (found.relation().unwrap_or(Kind::Partial), found.scores());
    let pair = PairFields { relation, scores, evidence: found.evidence().clone() };
    let [a_vocabulary_in_b, b_vocabulary_in_a] =
        found.vocabulary().map(|share| rounded(share.get()));
    let credits = found.credits();
    let line = Line { a, b, pair, a_vocabulary_in_b, b_vocabulary_in_a, credits };
    let mut line = serde_json::to_value(line).expect("a pair is plain data");
    if found.relation().is_none() {
        line["relation"] = Value::Null;
    }
    format!("{line}\n")
}
