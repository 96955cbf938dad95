//! `retold dedup`: the collection without its copies.

use retold::{Dedup, Files, Index, Tables, is_index};

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::Task;

/// Runs and prints the figures.
pub(crate) fn dedup(task: &Task) -> Result<(), Failure> {
    let Task { paths, against, index_method, aim: _, output, settings, talk } = task;
    let Some(output) = output else {
        return Err(Failure::usage("`--output` must be given"));
    };
    let outcome = run::watched(*talk, paths, &settings.resources, |resources| {
        let mut dedup =
            Dedup::new(Files::new(paths)).job(settings.job.clone()).resources(resources);
        if let [path] = &against[..]
            && is_index(path)
        {
            dedup = dedup.against_index(Index::open(path)?, index_method.as_deref())?;
        } else if !against.is_empty() {
            dedup = dedup.against(Files::new(against));
        }
        dedup.run(&mut Tables::new(output).overwrite(settings.overwrite))
    })?;
    run::print(&outcome, *talk, None)
}
