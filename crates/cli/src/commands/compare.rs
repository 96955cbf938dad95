//! `retold compare`: two documents side by side.

use std::io::Write as _;

use retold::{Error, PairView, read_document};
use retold_report::{OutputFile, compare_html, compare_text};
use serde_json::json;

use crate::failure::Failure;
use crate::settings::Couple;
use crate::terminal;

/// Columns of a comparison that is not printed on a terminal.
const WIDTH: u16 = 100;

/// Compares and prints.
pub(crate) fn compare(couple: &Couple) -> Result<(), Failure> {
    let Couple { a, b, page, settings, talk } = couple;
    let a = read_document(a, &settings.job)?;
    let b = read_document(b, &settings.job)?;
    let pair = retold::compare(&a, &b, &settings.job)?.side_by_side(&a, &b);
    if let Some(path) = page {
        let mut file = OutputFile::create(path, settings.overwrite).map_err(Error::from)?;
        let written = compare_html(&pair, &mut file).and_then(|()| file.flush());
        written.map_err(|source| Error::Io { what: "write", path: path.clone(), source })?;
        file.commit().map_err(Error::from)?;
    }
    if talk.is_json {
        return terminal::print(&json_line(&pair));
    }
    terminal::print(&compare_text(&pair, terminal::style(talk.color, WIDTH)))
}

/// Returns the relation as a line of JSON with the names of `pairs.jsonl`; `relation` is null for
/// documents that are not related.
fn json_line(pair: &PairView) -> String {
    let passages: Vec<_> = pair
        .passages
        .iter()
        .map(|passage| {
            json!({
                "a": passage.a,
                "b": passage.b,
                "words": passage.words,
                "differ": passage.differ,
            })
        })
        .collect();
    let line = json!({
        "a": pair.a.id,
        "b": pair.b.id,
        "relation": pair.relation,
        "resemblance": pair.scores.resemblance,
        "a_in_b": pair.scores.a_in_b,
        "b_in_a": pair.scores.b_in_a,
        "evidence": passages,
        "evidence_cut": pair.n_cut,
    });
    format!("{line}\n")
}
