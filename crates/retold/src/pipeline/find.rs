//! `find`: the whole job, from paths to an output folder.

use std::path::{Path, PathBuf};

use super::run::{Inputs, Outcome, Run, Wanted};
use crate::error::Error;
use crate::progress::{Progress, Stop};
use crate::settings::Settings;

/// Finds copies in the documents under `paths`.
///
/// With an output folder, `pairs`, `documents`, `clusters`, `manifest.json` and `report.html` are
/// written beside it and renamed into place at the end. Without one, only the figures remain.
pub fn find(
    paths: &[PathBuf],
    output: Option<&Path>,
    settings: &Settings,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Outcome, Error> {
    find_between(paths, &[], output, settings, progress, stop)
}

/// Finds copies of the documents under `others` in those under `paths`: pairs have one document
/// of each. With no `others`, copies among the documents under `paths` are found.
pub fn find_between(
    paths: &[PathBuf],
    others: &[PathBuf],
    output: Option<&Path>,
    settings: &Settings,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Outcome, Error> {
    let inputs = Inputs { paths, others };
    let mut run = Run::start("find", inputs, output, settings, progress, stop)?;
    let detected = run.detect(Wanted::Clusters)?;
    let outcome = run.report(&detected, |_, _| Ok(()))?;
    progress.end();
    Ok(outcome)
}
