//! `dedup`: the collection without its copies, and a list of what went and why.
//!
//! Documents take their turn in the order of preference. One goes if a document that stays
//! verifiably holds it: an exact copy, or a near-duplicate found there to at least `cover`.
//! What is contained in something much longer, or covered a little less, is listed for review.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use retold_core::document::Ordinal;
use retold_core::relation::Kind;
use retold_read::{FileDigest, WasRead};
use retold_report::{RemovalRow, RemovalsWriter, Summary};

use super::collection::Collection;
use super::find::{Detected, Inputs, Outcome, Run};
use crate::error::Error;
use crate::progress::{Progress, Stage, Stop};
use crate::settings::Settings;

/// Writes the collection under `paths` without its copies to `output`.
///
/// The folder holds `documents/` (the kept records, file by file), `removed` and `review`, and
/// everything that [`find()`](crate::find()) writes. It appears under its name only when it is
/// complete.
pub fn dedup(
    paths: &[PathBuf],
    output: &Path,
    settings: &Settings,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Outcome, Error> {
    let mut run =
        Run::start("dedup", Inputs { paths, others: &[] }, Some(output), settings, progress, stop)?;
    let detected = run.detect()?;
    let decisions = decide(&detected, &run.taken.collection, settings);
    let outcome = run.report(&detected, |run, summary| write(run, summary, &decisions))?;
    progress.end();
    Ok(outcome)
}

/// What happens to a document, and because of which other.
struct Decision {
    doc: Ordinal,
    covered_by: Ordinal,
    kind: Kind,
    covered: f64,
}

struct Decisions {
    removed: Vec<Decision>,
    review: Vec<Decision>,
    is_removed: Vec<bool>,
}

fn decide(detected: &Detected, collection: &Collection, settings: &Settings) -> Decisions {
    // Relations of each first, seen from it: (other, kind, share of it found there).
    let mut related: HashMap<Ordinal, Vec<(Ordinal, Kind, f64)>> = HashMap::new();
    for edge in &detected.edges {
        let (a_in_b, b_in_a) = (edge.scores.a_in_b.get(), edge.scores.b_in_a.get());
        related.entry(edge.a).or_default().push((edge.b, edge.kind, a_in_b));
        related.entry(edge.b).or_default().push((edge.a, edge.kind.flipped(), b_in_a));
    }
    let mut turns: Vec<u32> = (0..collection.len() as u32).collect();
    turns.sort_unstable_by_key(|&doc| detected.preference[doc as usize]);
    let mut kept_of: HashMap<Ordinal, Ordinal> = HashMap::new(); // first -> the kept one of its words
    let mut decisions = Decisions {
        removed: Vec::new(),
        review: Vec::new(),
        is_removed: vec![false; collection.len()],
    };
    for doc in turns.into_iter().map(Ordinal) {
        let first = super::find::first_of(collection, doc);
        if let Some(&kept) = kept_of.get(&first) {
            decisions.is_removed[doc.index()] = true;
            decisions.removed.push(Decision {
                doc,
                covered_by: kept,
                kind: Kind::Exact,
                covered: 1.0,
            });
            continue;
        }
        let covers = related
            .get(&first)
            .into_iter()
            .flatten()
            .filter_map(|&(other, kind, covered)| {
                let is_near = kind == Kind::NearDuplicate || kind == Kind::Exact;
                let is_inside = kind == Kind::Contained;
                (is_near || is_inside).then_some(())?;
                let kept = *kept_of.get(&other)?;
                let goes = covered >= settings.cover
                    && (is_near || (is_inside && settings.remove_contained));
                Some((goes, covered, kept, kind))
            })
            // The strongest reason; among equals the preferred document.
            .max_by(|x, y| {
                (x.0, x.1).partial_cmp(&(y.0, y.1)).expect("shares are numbers").then_with(|| {
                    let rank = |doc: Ordinal| detected.preference[doc.index()];
                    rank(y.2).cmp(&rank(x.2))
                })
            });
        match covers {
            Some((true, covered, covered_by, kind)) => {
                decisions.is_removed[doc.index()] = true;
                decisions.removed.push(Decision { doc, covered_by, kind, covered });
            }
            Some((false, covered, covered_by, kind)) => {
                kept_of.insert(first, doc);
                decisions.review.push(Decision { doc, covered_by, kind, covered });
            }
            None => {
                kept_of.insert(first, doc);
            }
        }
    }
    decisions.removed.sort_by_key(|decision| decision.doc);
    decisions.review.sort_by_key(|decision| decision.doc);
    decisions
}

fn write(run: &mut Run<'_>, summary: &mut Summary, decisions: &Decisions) -> Result<(), Error> {
    let output = run.output.as_ref().expect("dedup has an output folder");
    let dir = output.path().to_owned();
    let collection = &run.taken.collection;
    let format = run.settings.format;
    for (name, decision, list) in
        [("removed", "removed", &decisions.removed), ("review", "review", &decisions.review)]
    {
        let write = || -> std::io::Result<()> {
            let mut writer = RemovalsWriter::create_named(&dir, name, format)?;
            for entry in list {
                let document = collection.entry(entry.doc);
                writer.push(&RemovalRow {
                    id: &document.id,
                    file: &run.taken.files[document.place.file as usize],
                    record: document.place.record,
                    covered_by: &collection.entry(entry.covered_by).id,
                    relation: entry.kind,
                    covered: entry.covered,
                    words: document.n_words,
                    decision,
                })?;
            }
            writer.finish().map(|_| ())
        };
        write().map_err(Error::io("write", &dir))?;
    }
    summary.n_removed = Some(decisions.removed.len() as u64);
    summary.n_review = Some(decisions.review.len() as u64);

    let mut removed: Vec<(u32, u64)> = decisions
        .removed
        .iter()
        .map(|entry| &collection.entry(entry.doc).place)
        .map(|place| (place.file, place.record))
        .collect();
    removed.sort_unstable();
    let total = run.files.iter().map(|file| file.bytes).sum();
    run.progress.begin(Stage::Copy, total);
    let n_documents = collection.len() as u64;
    let kept = dir.join("documents");
    std::fs::create_dir(&kept).map_err(Error::io("create", &kept))?;
    let taken = &run.taken;
    let n_documents_of = |digest: &FileDigest| taken.n_per_file[digest.file as usize];
    let was_read: Vec<WasRead> = taken
        .digests
        .iter()
        .map(|digest| WasRead { digest: digest.clone(), n_documents: n_documents_of(digest) })
        .collect();
    retold_read::copy_kept(
        &run.files,
        &was_read,
        &run.settings.read_options(),
        &kept,
        &|file, record| removed.binary_search(&(file, record)).is_err(),
        &|bytes| run.progress.at(bytes, n_documents),
    )?;
    Ok(())
}
