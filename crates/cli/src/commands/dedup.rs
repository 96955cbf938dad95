//! `retold dedup`: the collection without its copies.

use crate::commands::run;
use crate::failure::Failure;
use crate::interrupt::STOP;
use crate::settings::Job;

/// Runs and prints the figures.
pub(crate) fn dedup(job: &Job) -> Result<(), Failure> {
    let Job { paths, against: _, output, settings, talk } = job;
    let Some(output) = output else {
        return Err(Failure::usage("`--output` must be given"));
    };
    let outcome =
        run::watched(*talk, paths, |bars| retold::dedup(paths, output, settings, bars, &STOP))?;
    run::print(&outcome, *talk, None)
}
