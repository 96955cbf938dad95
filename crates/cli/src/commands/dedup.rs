//! `retold dedup`: the collection without its copies.

use retold::{Dedup, Files, Tables};

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::Task;

/// Runs and prints the figures.
pub(crate) fn dedup(task: &Task) -> Result<(), Failure> {
    let Task { paths, against: _, index_method: _, output, settings, talk } = task;
    let Some(output) = output else {
        return Err(Failure::usage("`--output` must be given"));
    };
    let outcome = run::watched(*talk, paths, &settings.resources, |resources| {
        let dedup = Dedup::new(Files::new(paths)).job(settings.job.clone()).resources(resources);
        dedup.run(&mut Tables::new(output).overwrite(settings.overwrite))
    })?;
    run::print(&outcome, *talk, None)
}
