//! `retold find`: what repeats what.

use crate::commands::run;
use crate::failure::Failure;
use crate::interrupt::STOP;
use crate::settings::{Job, Volume};

/// Said after the figures of a run that writes nothing.
const NOTHING_WRITTEN: &str = "\nNothing was written; `-o DIR` writes pairs, passages and a page.";

/// Runs and prints the figures.
pub(crate) fn find(job: &Job) -> Result<(), Failure> {
    let Job { paths, against, output, settings, talk } = job;
    let outcome = run::watched(*talk, paths, |bars| {
        retold::find_between(paths, against, output.as_deref(), settings, bars, &STOP)
    })?;
    let is_told = output.is_none() && talk.volume != Volume::Quiet;
    run::print(&outcome, *talk, is_told.then_some(NOTHING_WRITTEN))
}
