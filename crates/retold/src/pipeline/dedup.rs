//! `dedup`: the collection without its copies, and a list of what went and why.

use std::path::{Path, PathBuf};

use retold_read::{FileDigest, WasRead};
use retold_report::{RemovalRow, RemovalsWriter, Summary};

use super::decisions::{Decided, Decision};
use super::run::{Inputs, Outcome, Run, Wanted};
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
    let inputs = Inputs { paths, others: &[] };
    let mut run = Run::start("dedup", inputs, Some(output), settings, progress, stop)?;
    let mut detected = run.detect(Wanted::Decisions)?;
    let decided = detected.decided.take().expect("decisions were wanted");
    let outcome = run.report(&detected, |run, summary| write(run, summary, &decided))?;
    progress.end();
    Ok(outcome)
}

fn write(run: &mut Run<'_>, summary: &mut Summary, decided: &Decided) -> Result<(), Error> {
    let output = run.output.as_ref().expect("dedup has an output folder");
    let dir = output.path().to_owned();
    let collection = &run.taken.collection;
    let format = run.settings.format;
    let mut removed: Vec<(u32, u64)> = Vec::new();
    let failed = |error| Error::io("write", &dir)(error);
    for (name, list) in [("removed", &decided.removed), ("review", &decided.review)] {
        let mut writer = RemovalsWriter::create_named(&dir, name, format).map_err(failed)?;
        for decision in list {
            run.check_stop(Stage::Report)?;
            let Decision { doc, covered_by, kind, covered } =
                decision.map_err(|error| run.scratch.failed(error))?.taken();
            let document = collection.entry(doc)?;
            let row = RemovalRow {
                id: &document.id,
                file: &run.taken.files[document.place.file as usize],
                record: document.place.record,
                covered_by: &collection.id(covered_by)?,
                relation: kind,
                covered,
                words: document.n_words,
                decision: name,
            };
            writer.push(&row).map_err(failed)?;
            if name == "removed" {
                removed.push((document.place.file, document.place.record));
            }
        }
        writer.finish().map_err(failed)?;
    }
    summary.n_removed = Some(decided.removed.len());
    summary.n_review = Some(decided.review.len());

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
        &run.read_options,
        &kept,
        // Nothing more is written once the run is to stop.
        &|file, record| !run.stop.is_set() && removed.binary_search(&(file, record)).is_err(),
        &|bytes| run.progress.at(bytes, n_documents),
    )?;
    run.check_stop(Stage::Copy)
}
